package jsregex

import (
	"slices"
	"sync"
	"unicode"
)

// span is a range of UTF-16 units, both ends included.
type span struct{ lo, hi uint16 }

// set is a set of UTF-16 units: sorted spans that neither overlap nor touch, with
// a bitmap for ASCII.
type set struct {
	spans []span
	ascii [2]uint64
}

// newSet builds the set of the spans in any order.
func newSet(spans []span) *set {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b span) int { return int(a.lo) - int(b.lo) })
	merged := spans[:0]
	for _, s := range spans {
		if n := len(merged); n > 0 && int(s.lo) <= int(merged[n-1].hi)+1 {
			merged[n-1].hi = max(merged[n-1].hi, s.hi)
			continue
		}
		merged = append(merged, s)
	}
	out := &set{spans: merged}
	for c := range uint16(128) {
		if out.search(c) {
			out.ascii[c>>6] |= 1 << (c & 63)
		}
	}
	return out
}

func (s *set) has(c uint16) bool {
	if c < 128 {
		return s.ascii[c>>6]>>(c&63)&1 == 1
	}
	return s.search(c)
}

func (s *set) search(c uint16) bool {
	lo, hi := 0, len(s.spans)
	for lo < hi {
		mid := (lo + hi) / 2
		if s.spans[mid].hi < c {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < len(s.spans) && s.spans[lo].lo <= c
}

// single returns the only member of a set of one.
func (s *set) single() (uint16, bool) {
	if len(s.spans) == 1 && s.spans[0].lo == s.spans[0].hi {
		return s.spans[0].lo, true
	}
	return 0, false
}

// invert returns the spans that are not in s.
func (s *set) invert() []span {
	var out []span
	next := 0
	for _, r := range s.spans {
		if int(r.lo) > next {
			out = append(out, span{uint16(next), r.lo - 1})
		}
		next = int(r.hi) + 1
	}
	if next <= 0xffff {
		out = append(out, span{uint16(next), 0xffff})
	}
	return out
}

// The character classes of ECMAScript.
var (
	digitSpans = []span{{'0', '9'}}
	wordSpans  = []span{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	// WhiteSpace and LineTerminator: tab to carriage return, the Unicode blanks
	// (category Zs), the line and paragraph separators, and U+FEFF.
	spaceSpans = []span{
		{'\t', '\r'}, {' ', ' '}, {0xa0, 0xa0}, {0x1680, 0x1680}, {0x2000, 0x200a},
		{0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}, {0xfeff, 0xfeff},
	}
	lineEndSpans = []span{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}
)

func isWord(c uint16) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

func isLineEnd(c uint16) bool { return c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029 }

// canonical is ECMAScript's Canonicalize without the u flag: the upper-case form,
// unless that is longer than one unit, or leads from outside ASCII into it.
func canonical(c uint16) uint16 {
	if c < 128 {
		if c >= 'a' && c <= 'z' {
			return c - 'a' + 'A'
		}
		return c
	}
	if longUpper(c) {
		return c
	}
	up := unicode.ToUpper(rune(c))
	if up < 128 || up > 0xffff {
		return c
	}
	return uint16(up)
}

// longUpper reports whether the full upper-case form of c has two characters
// although a one-character form exists: the Greek letters with iota subscript.
func longUpper(c uint16) bool {
	switch c {
	case 0x1fb3, 0x1fbc, 0x1fc3, 0x1fcc, 0x1ff3, 0x1ffc:
		return true
	}
	return c >= 0x1f80 && c <= 0x1faf
}

// caseTable holds the units that are the same without regard to case, in classes of
// two and more: all classes, and the class of each of their units.
type caseTable struct {
	classes [][]uint16
	of      map[uint16][]uint16
}

var caseClasses = sync.OnceValue(func() caseTable {
	byCanonical := make(map[uint16][]uint16)
	for c := 0; c <= 0xffff; c++ {
		k := canonical(uint16(c))
		byCanonical[k] = append(byCanonical[k], uint16(c))
	}
	table := caseTable{of: make(map[uint16][]uint16)}
	for c := 0; c <= 0xffff; c++ {
		class := byCanonical[uint16(c)]
		if len(class) < 2 {
			continue
		}
		table.classes = append(table.classes, class)
		for _, member := range class {
			table.of[member] = class
		}
	}
	return table
})

// closeCase adds to the spans every unit that equals a member without regard to
// case.
func closeCase(spans []span) []span {
	table := caseClasses()
	if isUnit(spans) {
		return appendUnitSpans(spans, table.of[spans[0].lo])
	}
	s := newSet(spans)
	out := slices.Clone(s.spans)
	for _, class := range table.classes {
		if slices.ContainsFunc(class, s.has) {
			out = appendUnitSpans(out, class)
		}
	}
	return out
}

func appendUnitSpans(spans []span, units []uint16) []span {
	for _, c := range units {
		spans = append(spans, span{c, c})
	}
	return spans
}
