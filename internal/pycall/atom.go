package pycall

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

func (p *parser) atom() *node {
	tok := p.tok
	switch {
	case tok.kind == tokString:
		return p.strings()
	case tok.kind == tokNumber:
		return p.number()
	case tok.kind == tokName:
		return p.leaf(&node{kind: nodeName, text: tok.text, tail: tok.text})
	case p.isWord("None"):
		return p.leaf(&node{kind: nodeConst})
	case p.isWord("True"), p.isWord("False"):
		return p.leaf(&node{kind: nodeConst, val: value.OfBool(tok.text == "True")})
	case p.isOp("..."):
		return p.leaf(&node{kind: nodeEllipsis, tail: tok.text})
	case p.takeOp("("):
		return p.parenthesised()
	case p.takeOp("["):
		return p.list()
	case p.takeOp("{"):
		return p.braces()
	}
	return p.unexpected()
}

// leaf finishes a node of one token, which is next.
func (p *parser) leaf(n *node) *node {
	n.prec = precAtom
	p.next()
	return p.made(n)
}

func (p *parser) number() *node {
	v, imaginary, ok := parseNumber(p.tok.text)
	if !ok {
		p.fail("%.40q is no number", p.tok.text)
		return broken
	}
	if imaginary {
		return p.leaf(&node{tail: p.tok.text})
	}
	return p.leaf(&node{kind: nodeConst, val: v, text: p.tok.text})
}

// strings joins adjacent literals. Bytes join only with bytes; bytes and f-strings are
// no constants here.
func (p *parser) strings() *node {
	var text strings.Builder
	var sources []string
	bytes, formatted := 0, false
	for ; p.tok.kind == tokString; p.next() {
		prefix, body := splitString(p.tok.text)
		sources = append(sources, p.tok.text)
		if strings.Contains(prefix, "b") {
			bytes++
		}
		formatted = formatted || strings.Contains(prefix, "f")
		if !strings.Contains(prefix, "r") {
			var ok bool
			if body, ok = unescape(body); !ok {
				p.fail("a \\x, \\u or \\U escape is broken")
				return broken
			}
		}
		text.WriteString(body)
	}
	if bytes > 0 && bytes < len(sources) {
		p.fail("bytes and text cannot be joined")
		return broken
	}
	n := &node{kind: nodeConst, prec: precAtom, text: sources[0], val: value.OfString(text.String())}
	if formatted || bytes > 0 {
		n = &node{prec: precAtom, tail: strings.Join(sources, " ")}
	}
	return p.made(n)
}

func (p *parser) parenthesised() *node {
	if p.takeOp(")") {
		return p.made(newNode(nodeTuple, precAtom).put("()"))
	}
	first := p.element()
	if p.isWord("for") {
		return p.sequence(newNode(nodeOther, precAtom).put("("), first, ")", p.element)
	}
	n := p.tupleOr(first, ")", p.element)
	p.wantOp(")")
	return n
}

func (p *parser) list() *node {
	n := newNode(nodeList, precAtom).put("[")
	if p.takeOp("]") {
		return p.made(n.put("]"))
	}
	return p.sequence(n, p.element(), "]", p.element)
}

// braces reads a dictionary or a set behind its opening brace: what stands first says
// which of them it is.
func (p *parser) braces() *node {
	n := newNode(nodeDict, precAtom).put("{")
	if p.takeOp("}") {
		return p.made(n.put("}"))
	}
	if p.isOp("**") {
		return p.sequence(n, p.pair(), "}", p.pair)
	}
	first := p.element()
	if p.isOp(":") && first.kind != nodeStarred && first.prec != precNamed {
		return p.sequence(n, p.pairOf(first), "}", p.pair)
	}
	n.kind = nodeOther
	return p.sequence(n, first, "}", p.element)
}

// sequence reads what stands behind the first element of n: more of them, or the
// clauses of a comprehension.
func (p *parser) sequence(n, first *node, closing string, read func() *node) *node {
	if !p.isWord("for") {
		p.moreItems(n, first, closing, read)
	} else {
		n.kind = nodeOther
		p.clauses(n, first)
	}
	p.wantOp(closing)
	return p.made(n.put(closing))
}

// pair reads key: value, or **value.
func (p *parser) pair() *node {
	if p.takeOp("**") {
		return p.made(newNode(nodeSpread, precAtom).put("**").kid(p.operators(precBitOr), precBitOr))
	}
	return p.pairOf(p.expression())
}

func (p *parser) pairOf(key *node) *node {
	p.wantOp(":")
	return p.made(newNode(nodePair, precAtom).kid(key, precTest).put(": ").kid(p.expression(), precTest))
}

// clauses reads the for and if clauses behind an element.
func (p *parser) clauses(n, element *node) {
	if element.kind == nodeStarred || element.kind == nodeSpread {
		p.unexpected()
	}
	n.kid(element, precTest)
	for p.err == nil && p.takeWord("for") {
		n.put(" for ").kid(p.targets(), precBare)
		if !p.takeWord("in") {
			p.unexpected()
		}
		n.put(" in ").kid(p.operators(precOr), precOr)
		for p.takeWord("if") {
			n.put(" if ").kid(p.operators(precOr), precOr)
		}
	}
}

func (p *parser) targets() *node {
	first := p.postfix()
	if !p.isOp(",") {
		return first
	}
	n := newNode(nodeTuple, precAtom).put("(").kid(first, precTest)
	for p.takeOp(",") && !p.isWord("in") {
		n.put(", ").kid(p.postfix(), precTest)
	}
	if len(n.kids) == 1 {
		n.put(",")
	}
	return p.made(n.put(")"))
}

// call reads the arguments behind the opening bracket. Positional ones come first in
// the tree, as in Python's.
func (p *parser) call(function *node) *node {
	var positional, named []*node
	for p.err == nil && !p.isOp(")") {
		switch arg := p.argument(); {
		case arg.kind == nodeKeyword || arg.kind == nodeSpread:
			named = append(named, arg)
		case len(named) > 0 && (arg.kind != nodeStarred || named[len(named)-1].kind == nodeSpread):
			return p.unexpected()
		case p.isWord("for"):
			n := newNode(nodeOther, precAtom).put("(")
			p.clauses(n, arg)
			if len(positional) > 0 || !p.isOp(")") {
				return p.unexpected()
			}
			positional = append(positional, p.made(n.put(")")))
		default:
			positional = append(positional, arg)
		}
		if !p.takeOp(",") {
			break
		}
	}
	p.wantOp(")")
	n := newNode(nodeCall, precAtom).kid(function, precAtom).put("(")
	for i, arg := range append(positional, named...) {
		if i > 0 {
			n.put(", ")
		}
		n.kid(arg, precTest)
	}
	return p.made(n.put(")"))
}

// argument reads an expression, *x, **x or name=x.
func (p *parser) argument() *node {
	switch {
	case p.takeOp("**"):
		return p.made(newNode(nodeSpread, precAtom).put("**").kid(p.expression(), precTest))
	case p.takeOp("*"):
		return p.made(newNode(nodeStarred, precAtom).put("*").kid(p.expression(), precBitOr))
	}
	bare := !p.isOp("(") // (a)=1 is no keyword
	arg := p.named()
	if !bare || arg.kind != nodeName || !p.takeOp("=") {
		return arg
	}
	n := newNode(nodeKeyword, precAtom).put(arg.text+"=").kid(p.expression(), precTest)
	n.text = arg.text
	return p.made(n)
}

// index reads what stands between the brackets of a subscript; a starred element
// alone is a tuple of one there.
func (p *parser) index() *node {
	first := p.slice()
	if !p.isOp(",") && first.kind != nodeStarred {
		return first
	}
	return p.tuple(first, "]", p.slice)
}

func (p *parser) slice() *node {
	if p.isOp("*") {
		return p.element()
	}
	n, colons := newNode(nodeOther, precAtom), 0
	for p.err == nil {
		if !p.isOp(":") && !p.isOp(",") && !p.isOp("]") {
			part := p.named()
			if colons == 0 && !p.isOp(":") {
				return part
			}
			if colons == 2 {
				n.put(":")
			}
			n.kid(part, precTest)
		}
		if colons == 2 || !p.takeOp(":") {
			break
		}
		if colons++; colons == 1 {
			n.put(":")
		}
	}
	if colons == 0 {
		return p.unexpected()
	}
	return p.made(n)
}
