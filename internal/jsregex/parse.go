package jsregex

import (
	"fmt"
	"math"
	"unicode/utf16"
)

// maxNesting bounds how deep groups may nest.
const maxNesting = 500

type nodeKind uint8

const (
	kindEmpty         nodeKind = iota
	kindSet                    // set: one unit
	kindSequence               // kids
	kindAlternatives           // kids
	kindCapture                // kids[0]; group
	kindLook                   // kids[0]; behind, negative
	kindBackreference          // group, or name until it is resolved
	kindStart                  // ^
	kindEnd                    // $
	kindWordEdge               // \b; negative: \B
	kindRepeat                 // kids[0]; min, max, lazy; group, lastGroup: captures within
)

type node struct {
	kind             nodeKind
	kids             []*node
	set              *set
	group, lastGroup int
	name             string
	behind, negative bool
	min, max         int
	lazy             bool
}

const unlimited = math.MaxInt32

type parser struct {
	pattern string
	src     []uint16
	offset  int // units of the flag prefix, for messages
	pos     int
	flags   flags
	groups  int // capture groups so far; group 0 is the match
	total   int // capture groups in the whole pattern
	named   bool
	names   map[string]int
	refs    []*node
	depth   int
}

func (p *parser) errorAt(pos int, format string, args ...any) *PatternError {
	return &PatternError{Pattern: p.pattern, Offset: p.offset + pos, Message: fmt.Sprintf(format, args...)}
}

func (p *parser) fail(format string, args ...any) error { return p.errorAt(p.pos, format, args...) }

func (p *parser) more() bool { return p.pos < len(p.src) }

// peek returns the unit at a distance, or 0xffff past the end (which is no
// character of the syntax).
func (p *parser) peek(n int) uint16 {
	if p.pos+n < len(p.src) {
		return p.src[p.pos+n]
	}
	return 0xffff
}

func (p *parser) take(s string) bool {
	for i := range len(s) {
		if p.pos+i >= len(p.src) || p.src[p.pos+i] != uint16(s[i]) {
			return false
		}
	}
	p.pos += len(s)
	return true
}

func (p *parser) parse() (*node, error) {
	p.names = make(map[string]int)
	p.countGroups()
	tree, err := p.disjunction()
	if err != nil {
		return nil, err
	}
	if p.more() {
		return nil, p.fail("unmatched )")
	}
	for _, ref := range p.refs {
		group, ok := p.names[ref.name]
		if !ok {
			return nil, p.fail("\\k<%s> names no group", ref.name)
		}
		ref.group = group
	}
	return tree, nil
}

// countGroups looks ahead: whether \2 is a back-reference depends on how many
// groups the whole pattern has, and what \k means on whether one has a name.
func (p *parser) countGroups() {
	inClass := false
	for i := 0; i < len(p.src); i++ {
		switch c := p.src[i]; {
		case c == '\\':
			i++
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case c == '(' && !inClass:
			at := func(n int) uint16 {
				if i+n < len(p.src) {
					return p.src[i+n]
				}
				return 0
			}
			switch {
			case at(1) != '?':
				p.total++
			case at(2) == '<' && at(3) != '=' && at(3) != '!':
				p.total++
				p.named = true
			}
		}
	}
}

func (p *parser) disjunction() (*node, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, p.fail("groups are nested more than %d deep", maxNesting)
	}
	defer func() { p.depth-- }()
	var branches []*node
	for {
		branch, err := p.alternative()
		if err != nil {
			return nil, err
		}
		branches = append(branches, branch)
		if !p.take("|") {
			break
		}
	}
	if len(branches) == 1 {
		return branches[0], nil
	}
	return &node{kind: kindAlternatives, kids: branches}, nil
}

func (p *parser) alternative() (*node, error) {
	seq := &node{kind: kindSequence}
	for p.more() && p.peek(0) != '|' && p.peek(0) != ')' {
		n, err := p.term()
		if err != nil {
			return nil, err
		}
		seq.kids = append(seq.kids, n)
	}
	switch len(seq.kids) {
	case 0:
		return &node{kind: kindEmpty}, nil
	case 1:
		return seq.kids[0], nil
	}
	return seq, nil
}

func (p *parser) term() (*node, error) {
	firstGroup := p.groups + 1
	atom, err := p.atom()
	if err != nil {
		return nil, err
	}
	low, high, ok, err := p.quantifier()
	if err != nil || !ok {
		return atom, err
	}
	switch {
	case atom.kind == kindStart, atom.kind == kindEnd, atom.kind == kindWordEdge, atom.kind == kindLook && atom.behind:
		return nil, p.fail("nothing to repeat")
	case low > high:
		return nil, p.fail("numbers out of order in {%d,%d}", low, high)
	}
	lazy := p.take("?")
	return &node{kind: kindRepeat, kids: []*node{atom}, min: low, max: high, lazy: lazy, group: firstGroup, lastGroup: p.groups}, nil
}

// quantifier reads *, +, ? or {n,m} if one comes next.
func (p *parser) quantifier() (low, high int, ok bool, err error) {
	switch {
	case p.take("*"):
		return 0, unlimited, true, nil
	case p.take("+"):
		return 1, unlimited, true, nil
	case p.take("?"):
		return 0, 1, true, nil
	case p.peek(0) == '{':
		low, high, ok = p.braces()
		return low, high, ok, nil
	}
	return 0, 0, false, nil
}

// braces reads {n}, {n,} or {n,m}; anything else leaves the brace as a literal.
func (p *parser) braces() (low, high int, ok bool) {
	start := p.pos
	p.pos++
	low, ok = p.integer()
	high = low
	if ok && p.take(",") {
		high = unlimited
		if p.peek(0) != '}' {
			high, ok = p.integer()
		}
	}
	if !ok || !p.take("}") {
		p.pos = start
		return 0, 0, false
	}
	return low, high, true
}

// integer reads decimal digits; what is beyond unlimited counts as unlimited.
func (p *parser) integer() (n int, ok bool) {
	for c := p.peek(0); c >= '0' && c <= '9'; c = p.peek(0) {
		n, ok = min(n*10+int(c-'0'), unlimited), true
		p.pos++
	}
	return n, ok
}

func (p *parser) atom() (*node, error) {
	c := p.peek(0)
	switch c {
	case '^':
		p.pos++
		return &node{kind: kindStart}, nil
	case '$':
		p.pos++
		return &node{kind: kindEnd}, nil
	case '(':
		p.pos++
		return p.group()
	case '[':
		p.pos++
		return p.class()
	case '\\':
		p.pos++
		return p.escape()
	case '.':
		p.pos++
		if p.flags.dotAll {
			return p.unit(span{0, 0xffff}), nil
		}
		return &node{kind: kindSet, set: newSet(newSet(lineEndSpans).invert())}, nil
	case '*', '+', '?':
		return nil, p.fail("nothing to repeat")
	case '{':
		if _, _, ok := p.braces(); ok {
			return nil, p.fail("nothing to repeat")
		}
	}
	p.pos++
	return p.unit(span{c, c}), nil
}

// unit returns a node for one unit out of the spans, with case folded where asked.
func (p *parser) unit(spans ...span) *node {
	if p.flags.ignoreCase {
		spans = closeCase(spans)
	}
	return &node{kind: kindSet, set: newSet(spans)}
}

// group reads a group behind its opening bracket.
func (p *parser) group() (*node, error) {
	n := &node{kind: kindCapture}
	switch {
	case p.take("?:"):
		n.kind = kindEmpty
	case p.take("?="):
		n.kind = kindLook
	case p.take("?!"):
		n.kind, n.negative = kindLook, true
	case p.take("?<="):
		n.kind, n.behind = kindLook, true
	case p.take("?<!"):
		n.kind, n.behind, n.negative = kindLook, true, true
	case p.take("?<"):
		name, err := p.groupName()
		if err != nil {
			return nil, err
		}
		if _, dup := p.names[name]; dup {
			return nil, p.fail("two groups are named %s", name)
		}
		p.names[name] = p.groups + 1
	case p.peek(0) == '?':
		return nil, p.fail("(?%c is no group", rune(p.peek(1)))
	}
	if n.kind == kindCapture {
		p.groups++
		n.group = p.groups
	}
	body, err := p.disjunction()
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		return nil, p.fail("group is not closed")
	}
	if n.kind == kindEmpty {
		return &node{kind: kindSequence, kids: []*node{body}}, nil
	}
	n.kids = []*node{body}
	return n, nil
}

// groupName reads name> of (?<name> or \k<name>.
func (p *parser) groupName() (string, error) {
	var units []uint16
	for {
		c := p.peek(0)
		switch {
		case !p.more():
			return "", p.fail("group name is not closed")
		case c == '>':
			p.pos++
			name := string(utf16.Decode(units))
			if !isIdentifier(name) {
				return "", p.fail("%q is no group name", name)
			}
			return name, nil
		case c == '\\':
			p.pos++
			escaped, ok := p.nameEscape()
			if !ok {
				return "", p.fail("group name has a bad escape")
			}
			units = utf16.AppendRune(units, escaped)
		default:
			units = append(units, c)
			p.pos++
		}
	}
}
