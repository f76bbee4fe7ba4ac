package jsregex

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// literal is a pattern of plain characters with optional anchors.
type literal struct {
	text       string
	start, end bool
}

func (l *literal) match(s string) bool {
	switch {
	case l.start && l.end:
		return s == l.text
	case l.start:
		return strings.HasPrefix(s, l.text)
	case l.end:
		return strings.HasSuffix(s, l.text)
	}
	return strings.Contains(s, l.text)
}

// literalOf returns the tree as a literal, nil when it is more than that.
// Surrogates are left to the other engines.
func literalOf(tree *node, f flags) *literal {
	kids := []*node{tree}
	if tree.kind == kindSequence {
		kids = tree.kids
	}
	l := &literal{}
	if n := len(kids); n > 0 && kids[0].kind == kindStart && !f.multiline {
		l.start, kids = true, kids[1:]
	}
	if n := len(kids); n > 0 && kids[n-1].kind == kindEnd && !f.multiline {
		l.end, kids = true, kids[:n-1]
	}
	var text strings.Builder
	for _, k := range kids {
		if k.kind != kindSet {
			return nil
		}
		c, ok := k.set.single()
		if !ok || isSurrogate(c) || c == utf8.RuneError {
			return nil
		}
		text.WriteRune(rune(c))
	}
	l.text = text.String()
	return l
}

func isSurrogate(c uint16) bool { return c >= 0xd800 && c <= 0xdfff }

// linear matches with Go's linear-time engine. Go's expressions see characters,
// JavaScript's see UTF-16 units; they differ only outside the BMP. There each
// surrogate is stood for by a private character, in the pattern and in the text.
type linear struct {
	re *regexp.Regexp
}

// stand is the character that stands for the surrogate 0xd800; the last of the
// 2048 is U+10FFFF. A real character of that range is itself split in two.
const stand = 0x10f800

func (l *linear) match(s string) bool {
	for i := range len(s) {
		if s[i] >= 0xf0 {
			return l.re.MatchString(splitPairs(s))
		}
	}
	return l.re.MatchString(s)
}

// splitPairs writes every character outside the BMP as the stands of its pair.
func splitPairs(s string) string {
	out := make([]byte, 0, len(s)+len(s)/2)
	for _, r := range s {
		if r < 0x10000 {
			out = utf8.AppendRune(out, r)
			continue
		}
		r -= 0x10000
		out = utf8.AppendRune(out, stand+r>>10)
		out = utf8.AppendRune(out, stand+0x400+r&0x3ff)
	}
	return string(out)
}

// linearOf translates the tree for Go's engine, nil when the tree needs
// backtracking (look-around, back-references), when an anchor has another meaning
// (m), or when Go refuses the size. Only whether there is a match is asked, and for
// that greediness, captures and the rule about empty iterations play no role.
func linearOf(tree *node, f flags) *linear {
	var out strings.Builder
	if !writeLinear(&out, tree, f) {
		return nil
	}
	re, err := regexp.Compile(out.String())
	if err != nil {
		return nil
	}
	return &linear{re}
}

func writeLinear(out *strings.Builder, n *node, f flags) bool {
	switch n.kind {
	case kindEmpty:
		out.WriteString("(?:)")
	case kindSet:
		writeSet(out, n.set)
	case kindSequence:
		for _, k := range n.kids {
			if !writeLinear(out, k, f) {
				return false
			}
		}
	case kindAlternatives, kindCapture:
		out.WriteString("(?:")
		for i, k := range n.kids {
			if i > 0 {
				out.WriteByte('|')
			}
			if !writeLinear(out, k, f) {
				return false
			}
		}
		out.WriteByte(')')
	case kindStart, kindEnd:
		if f.multiline {
			return false
		}
		out.WriteString(map[nodeKind]string{kindStart: `\A`, kindEnd: `\z`}[n.kind])
	case kindWordEdge:
		out.WriteString(map[bool]string{false: `\b`, true: `\B`}[n.negative])
	case kindRepeat:
		return writeRepeat(out, n, f)
	default:
		return false
	}
	return true
}

func writeRepeat(out *strings.Builder, n *node, f flags) bool {
	out.WriteString("(?:")
	if !writeLinear(out, n.kids[0], f) {
		return false
	}
	out.WriteByte(')')
	switch {
	case n.max == unlimited && n.min == 0:
		out.WriteByte('*')
	case n.max == unlimited && n.min == 1:
		out.WriteByte('+')
	case n.max == unlimited:
		fmt.Fprintf(out, "{%d,}", n.min)
	default:
		fmt.Fprintf(out, "{%d,%d}", n.min, n.max)
	}
	return true
}

// writeSet writes the units as a class of characters, surrogates as their stands.
func writeSet(out *strings.Builder, s *set) {
	if c, ok := s.single(); ok && !isSurrogate(c) {
		out.WriteString(regexp.QuoteMeta(string(rune(c))))
		return
	}
	out.WriteByte('[')
	empty := true
	write := func(lo, hi, shift rune) {
		if lo <= hi {
			fmt.Fprintf(out, `\x{%x}-\x{%x}`, lo+shift, hi+shift)
			empty = false
		}
	}
	for _, r := range s.spans {
		lo, hi := rune(r.lo), rune(r.hi)
		write(lo, min(hi, 0xd7ff), 0)
		write(max(lo, 0xd800), min(hi, 0xdfff), stand-0xd800)
		write(max(lo, 0xe000), hi, 0)
	}
	if empty {
		out.WriteString(`^\x{0}-\x{10ffff}`)
	}
	out.WriteByte(']')
}
