package pycall

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

func (p *parser) atom() *node {
	tok := p.tok
	switch tok.kind {
	case tokName:
		p.next()
		return p.make(node{kind: nodeName, text: tok.text})
	case tokNumber:
		v, kind, ok := parseNumber(tok.text)
		if !ok {
			p.fail("%.40q is no number", tok.text)
			return broken
		}
		p.next()
		return p.make(node{kind: kind, val: v, text: tok.text})
	case tokString:
		return p.strings()
	case tokKeyword:
		return p.keywordAtom()
	case tokOp:
		return p.bracketAtom()
	}
	return p.unexpected()
}

func (p *parser) keywordAtom() *node {
	n := node{kind: nodeConst}
	switch p.tok.text {
	case "None":
	case "True", "False":
		n.val = value.OfBool(p.tok.text == "True")
	default:
		return p.unexpected()
	}
	p.next()
	return p.make(n)
}

func (p *parser) bracketAtom() *node {
	switch {
	case p.takeOp("..."):
		return p.make(node{kind: nodeEllipsis})
	case p.takeOp("("):
		return p.parenthesised()
	case p.takeOp("["):
		return p.sequence(nodeList, "[", "]")
	case p.takeOp("{"):
		return p.braces()
	}
	return p.unexpected()
}

// strings joins adjacent literals. Bytes join only with bytes; one f-string makes
// the whole an f-string.
func (p *parser) strings() *node {
	var text, source strings.Builder
	kind, bytes, count := nodeConst, 0, 0
	for ; p.tok.kind == tokString; p.next() {
		prefix, body := splitString(p.tok.text)
		if source.Len() > 0 {
			source.WriteByte(' ')
		}
		source.WriteString(p.tok.text)
		count++
		switch {
		case strings.Contains(prefix, "b"):
			kind = nodeBytes
			bytes++
		case strings.Contains(prefix, "f"):
			kind = nodeFString
		}
		if !strings.Contains(prefix, "r") {
			var ok bool
			if body, ok = unescape(body); !ok {
				p.fail("a \\x, \\u or \\U escape is broken")
				return broken
			}
		}
		text.WriteString(body)
	}
	if bytes > 0 && bytes < count {
		p.fail("bytes and text cannot be joined")
		return broken
	}
	return p.make(node{kind: kind, text: source.String(), val: value.OfString(text.String())})
}

func (p *parser) parenthesised() *node {
	if p.takeOp(")") {
		return p.make(node{kind: nodeTuple})
	}
	first := p.element()
	var n *node
	switch {
	case p.isWord("for"):
		n = p.comprehension("(", first)
	case p.isOp(","):
		n = p.make(node{kind: nodeTuple, kids: p.moreElements(first, ")")})
	case first.kind == nodeStarred:
		return p.unexpected()
	default:
		n = first
	}
	p.wantOp(")")
	return n
}

func (p *parser) sequence(kind nodeKind, opening, closing string) *node {
	if p.takeOp(closing) {
		return p.make(node{kind: kind})
	}
	first := p.element()
	var n *node
	if p.isWord("for") {
		n = p.comprehension(opening, first)
	} else {
		n = p.make(node{kind: kind, kids: p.moreElements(first, closing)})
	}
	p.wantOp(closing)
	return n
}

func (p *parser) element() *node {
	if p.isOp("*") {
		return p.listElement(true)
	}
	return p.named()
}

func (p *parser) moreElements(first *node, closing string) []*node {
	kids := []*node{first}
	for p.err == nil && p.takeOp(",") && !p.isOp(closing) {
		kids = append(kids, p.element())
	}
	return kids
}

// braces reads a dictionary or a set behind its opening brace.
func (p *parser) braces() *node {
	if p.takeOp("}") {
		return p.make(node{kind: nodeDict})
	}
	if p.isOp("**") {
		return p.dict(nil)
	}
	first := p.element()
	if p.isOp(":") && first.kind != nodeStarred && first.kind != nodeNamed {
		return p.dict(first)
	}
	if p.isWord("for") {
		n := p.comprehension("{", first)
		p.wantOp("}")
		return n
	}
	n := p.make(node{kind: nodeSet, kids: p.moreElements(first, "}")})
	p.wantOp("}")
	return n
}

// dict reads the rest of a dictionary whose first key is read; nil means that it
// starts with **.
func (p *parser) dict(key *node) *node {
	var kids []*node
	for p.err == nil {
		switch {
		case key != nil:
			p.wantOp(":")
			kids = append(kids, key, p.expression())
			if len(kids) == 2 && p.isWord("for") {
				n := p.comprehension("{", kids...)
				p.wantOp("}")
				return n
			}
		case p.takeOp("**"):
			kids = append(kids, nil, p.binary(0))
		}
		if !p.takeOp(",") || p.isOp("}") {
			break
		}
		key = nil
		if !p.isOp("**") {
			key = p.expression()
		}
	}
	p.wantOp("}")
	return p.make(node{kind: nodeDict, kids: kids})
}

// comprehension reads the for and if clauses behind an element, or behind the key
// and value of a dictionary.
func (p *parser) comprehension(opening string, element ...*node) *node {
	kids := append([]*node(nil), element...)
	for p.err == nil && p.takeWord("for") {
		clause := []*node{p.targets()}
		if !p.takeWord("in") {
			return p.unexpected()
		}
		clause = append(clause, p.disjunction())
		for p.takeWord("if") {
			clause = append(clause, p.disjunction())
		}
		kids = append(kids, p.make(node{kind: nodeFor, kids: clause}))
	}
	text := opening
	if len(element) == 2 {
		text = "{:"
	}
	return p.make(node{kind: nodeGenerator, text: text, kids: kids})
}

func (p *parser) targets() *node {
	kids := []*node{p.postfix()}
	tuple := false
	for p.takeOp(",") {
		tuple = true
		if p.isWord("in") {
			break
		}
		kids = append(kids, p.postfix())
	}
	if !tuple {
		return kids[0]
	}
	return p.make(node{kind: nodeTuple, kids: kids})
}

// call reads the arguments behind the opening bracket.
func (p *parser) call(function *node) *node {
	n := node{kind: nodeCall, kids: []*node{function}}
	unpacked := false
	for p.err == nil && !p.isOp(")") {
		switch {
		case p.takeOp("**"):
			n.keywords = append(n.keywords, keyword{value: p.expression()})
			unpacked = true
		case p.takeOp("*"):
			if unpacked {
				return p.unexpected()
			}
			n.kids = append(n.kids, p.make(node{kind: nodeStarred, kids: []*node{p.expression()}}))
		default:
			if !p.argument(&n) {
				return p.unexpected()
			}
		}
		if !p.takeOp(",") {
			break
		}
	}
	p.wantOp(")")
	return p.make(n)
}

// argument reads one positional or keyword argument; false when it may not stand
// there.
func (p *parser) argument(n *node) bool {
	// (a)=1 is no keyword.
	bare := !p.isOp("(")
	arg := p.named()
	if bare && arg.kind == nodeName && p.takeOp("=") {
		n.keywords = append(n.keywords, keyword{arg.text, p.expression()})
		return true
	}
	if len(n.keywords) > 0 {
		return false
	}
	if p.isWord("for") {
		arg = p.comprehension("(", arg)
		if len(n.kids) > 1 || !p.isOp(")") {
			return false
		}
	}
	n.kids = append(n.kids, arg)
	return true
}

// index reads what stands between the brackets of a subscript; a starred element
// alone is a tuple of one there.
func (p *parser) index() *node {
	first := p.slice()
	if !p.isOp(",") && first.kind != nodeStarred {
		return first
	}
	kids := []*node{first}
	for p.err == nil && p.takeOp(",") && !p.isOp("]") {
		kids = append(kids, p.slice())
	}
	return p.make(node{kind: nodeTuple, kids: kids})
}

func (p *parser) slice() *node {
	if p.isOp("*") {
		return p.listElement(true)
	}
	var parts [3]*node
	colons := 0
	for p.err == nil {
		if !p.isOp(":") && !p.isOp(",") && !p.isOp("]") {
			parts[colons] = p.named()
		}
		if colons == 2 || !p.takeOp(":") {
			break
		}
		colons++
	}
	if colons == 0 {
		if parts[0] == nil {
			return p.unexpected()
		}
		return parts[0]
	}
	return p.make(node{kind: nodeSlice, kids: parts[:]})
}
