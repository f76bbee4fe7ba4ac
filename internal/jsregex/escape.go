package jsregex

import (
	"unicode"
)

func isIdentifier(s string) bool {
	for i, r := range s {
		start := r == '$' || r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_ID_Start, r)
		part := i > 0 && (unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue) || r == 0x200c || r == 0x200d)
		if r == unicode.ReplacementChar || !start && !part {
			return false
		}
	}
	return s != ""
}

// nameEscape reads uXXXX, a pair of them, or u{X} behind a backslash.
func (p *parser) nameEscape() (rune, bool) {
	if !p.take("u") {
		return 0, false
	}
	if p.take("{") {
		r, digits := rune(0), 0
		for p.more() && p.peek(0) != '}' {
			d, ok := hexDigit(p.peek(0))
			r = r<<4 | rune(d)
			digits++
			if !ok || r > unicode.MaxRune {
				return 0, false
			}
			p.pos++
		}
		return r, digits > 0 && p.take("}")
	}
	high, ok := p.hex(4)
	if !ok {
		return 0, false
	}
	if high >= 0xd800 && high < 0xdc00 && p.take(`\u`) {
		low, ok := p.hex(4)
		return (rune(high)-0xd800)<<10 + rune(low) - 0xdc00 + 0x10000, ok && low >= 0xdc00 && low < 0xe000
	}
	return rune(high), true
}

func hexDigit(c uint16) (uint16, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// hex reads exactly n hexadecimal digits, or nothing.
func (p *parser) hex(n int) (v uint16, ok bool) {
	for i := range n {
		d, ok := hexDigit(p.peek(i))
		if !ok {
			return 0, false
		}
		v = v<<4 | d
	}
	p.pos += n
	return v, true
}

func isLetter(c uint16) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// escape reads what stands behind a backslash outside a class.
func (p *parser) escape() (*node, error) {
	if !p.more() {
		return nil, p.fail("pattern ends with a backslash")
	}
	c := p.peek(0)
	switch {
	case c == 'b' || c == 'B':
		p.pos++
		return &node{kind: kindWordEdge, negative: c == 'B'}, nil
	case c == 'k' && p.named:
		p.pos++
		return p.namedReference()
	case c >= '1' && c <= '9':
		start := p.pos
		if n, _ := p.integer(); n <= p.total {
			return &node{kind: kindBackreference, group: n}, nil
		}
		p.pos = start
	}
	if spans, ok := p.classEscape(); ok {
		return p.unit(spans...), nil
	}
	unit, err := p.characterEscape(false)
	return p.unit(span{unit, unit}), err
}

func (p *parser) namedReference() (*node, error) {
	if !p.take("<") {
		return nil, p.fail("\\k needs <name>")
	}
	name, err := p.groupName()
	if err != nil {
		return nil, err
	}
	ref := &node{kind: kindBackreference, name: name}
	p.refs = append(p.refs, ref)
	return ref, nil
}

// classEscape reads d, D, s, S, w or W.
func (p *parser) classEscape() ([]span, bool) {
	var spans []span
	switch p.peek(0) {
	case 'd', 'D':
		spans = digitSpans
	case 's', 'S':
		spans = spaceSpans
	case 'w', 'W':
		spans = wordSpans
	default:
		return nil, false
	}
	if p.peek(0) < 'a' {
		spans = newSet(spans).invert()
	}
	p.pos++
	return spans, true
}

// characterEscape reads an escape that stands for one unit. Without the u flag
// every character stands for itself unless it means something else.
func (p *parser) characterEscape(inClass bool) (uint16, error) {
	c := p.peek(0)
	p.pos++
	switch c {
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'v':
		return '\v', nil
	case 'c':
		next := p.peek(0)
		if isLetter(next) || inClass && (next == '_' || next >= '0' && next <= '9') {
			p.pos++
			return next & 31, nil
		}
		p.pos-- // the backslash is literal, and so is the c that follows
		return '\\', nil
	case 'x':
		if v, ok := p.hex(2); ok {
			return v, nil
		}
	case 'u':
		if v, ok := p.hex(4); ok {
			return v, nil
		}
	case 'k':
		if p.named {
			return 0, p.fail("\\k needs <name>")
		}
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return p.octal(c), nil
	}
	return c, nil
}

// octal reads the rest of a legacy octal escape, at most 0377.
func (p *parser) octal(first uint16) uint16 {
	v := first - '0'
	for range 2 {
		d := p.peek(0)
		if d < '0' || d > '7' || v*8+d-'0' > 0o377 {
			break
		}
		v = v*8 + d - '0'
		p.pos++
	}
	return v
}

// class reads a character class behind its opening bracket.
func (p *parser) class() (*node, error) {
	inverted := p.take("^")
	var spans []span
	for !p.take("]") {
		if !p.more() {
			return nil, p.fail("class is not closed")
		}
		first, err := p.classAtom()
		if err != nil {
			return nil, err
		}
		if p.peek(0) != '-' || p.peek(1) == ']' || p.pos+1 >= len(p.src) {
			spans = append(spans, first...)
			continue
		}
		p.pos++
		last, err := p.classAtom()
		if err != nil {
			return nil, err
		}
		if !isUnit(first) || !isUnit(last) { // [\w-x]: the dash is literal
			spans = append(append(append(spans, first...), last...), span{'-', '-'})
			continue
		}
		if first[0].lo > last[0].lo {
			return nil, p.fail("range out of order in a class")
		}
		spans = append(spans, span{first[0].lo, last[0].lo})
	}
	if p.flags.ignoreCase {
		spans = closeCase(spans)
	}
	s := newSet(spans)
	if inverted {
		s = newSet(s.invert())
	}
	return &node{kind: kindSet, set: s}, nil
}

func isUnit(spans []span) bool { return len(spans) == 1 && spans[0].lo == spans[0].hi }

// classAtom reads one character or class escape inside a class.
func (p *parser) classAtom() ([]span, error) {
	c := p.peek(0)
	p.pos++
	if c != '\\' {
		return []span{{c, c}}, nil
	}
	if !p.more() {
		return nil, p.fail("pattern ends with a backslash")
	}
	if p.take("b") {
		return []span{{'\b', '\b'}}, nil
	}
	if spans, ok := p.classEscape(); ok {
		return spans, nil
	}
	unit, err := p.characterEscape(true)
	return []span{{unit, unit}}, err
}
