package pycall

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// maxDepth bounds how deep an expression may nest, in brackets and in chains of operators. Python
// itself stops at 200 brackets.
const maxDepth = 1000

// maxNodes bounds the size of the tree, and with it the memory a text can claim.
const maxNodes = 1 << 19

type nodeKind uint8

const (
	nodeOther     nodeKind = iota // an expression that is read for its source only
	nodeConst                     // val
	nodeName                      // text
	nodeEllipsis                  //
	nodeList                      // kids
	nodeTuple                     // kids
	nodeDict                      // kids: pairs and spreads
	nodePair                      // kids: key, value
	nodeSpread                    // **kids[0]
	nodeStarred                   // *kids[0]
	nodeCall                      // kids: function, then arguments
	nodeKeyword                   // text=kids[0]
	nodeAttribute                 // kids[0].text
	nodeSubscript                 //
	nodeUnary                     // text: operator; kids[0]
	nodeBinary                    // text: operator; kids
)

// node is one part of an expression; source is how it is written.
type node struct {
	kind   nodeKind
	pos    int
	depth  int
	text   string
	source string
	val    value.Value
	kids   []*node
}

// The operators by how tightly they bind, loosest first; not and the signs have levels of their
// own.
var (
	precedence = map[string]int{
		"or": 1, "and": 2, "<": 4, ">": 4, "==": 4, "<=": 4, ">=": 4, "!=": 4, "in": 4, "is": 4, "not": 4,
		"|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10, "@": 10,
		"**": 12,
	}
	signPrecedence = map[string]int{"not": 3, "+": 11, "-": 11, "~": 11}
)

const aboveComparison = 5

// parser builds the tree of one Python expression by recursive descent: literals, names, calls,
// attributes, subscripts and operators. Of lambdas, conditional expressions and comprehensions it
// only finds the end, because no dialect needs their value.
type parser struct {
	*lexer
	level int // how deep the recursion is
	nodes int // how many nodes were made
}

// parseExpression reads the whole text as one expression; a bare a, b is a tuple.
func parseExpression(src string) (*node, error) {
	p := &parser{lexer: newLexer(src)}
	pos := p.tok.pos
	kids, comma := p.items("", p.element)
	if p.tok.kind != tokEnd || len(kids) == 0 {
		p.unexpected()
	}
	if p.err != nil {
		return nil, p.err
	}
	if !comma {
		return kids[0], nil
	}
	return p.newNode(nodeTuple, pos, kids...), p.err
}

// newNode returns a node that ends before the next token. A tree that is too deep is an error
// already here, so that later passes over it need no bound.
func (p *parser) newNode(kind nodeKind, pos int, kids ...*node) *node {
	n := &node{kind: kind, pos: pos, depth: 1, kids: kids}
	if p.err != nil {
		return n
	}
	n.source = p.src[pos:p.end]
	for _, k := range kids {
		n.depth = max(n.depth, k.depth+1)
	}
	if p.nodes++; n.depth > maxDepth || p.nodes > maxNodes {
		p.fail("expression is nested more than %d deep or has more than %d parts", maxDepth, maxNodes)
	}
	return n
}

// is reports whether the next token is this operator or keyword; no other token has such a text.
func (p *parser) is(text string) bool { return p.tok.text == text }

func (p *parser) take(text string) bool {
	if !p.is(text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) want(text string) {
	if !p.take(text) {
		p.unexpected()
	}
}

// unexpected reports the next token as a mistake. The node it returns is never nil, so that callers
// need not check it.
func (p *parser) unexpected() *node {
	if p.tok.kind == tokEnd {
		p.fail("text ends early")
	} else {
		p.fail("unexpected %q", p.tok.text)
	}
	return &node{}
}

// items reads a comma list up to a closing bracket, which it leaves unread, and reports whether
// there was a comma.
func (p *parser) items(closing string, read func() *node) (kids []*node, comma bool) {
	for !p.is(closing) {
		pos := p.tok.pos
		n := read()
		if p.is("for") && len(kids) == 0 {
			p.clauses()
			n = p.newNode(nodeOther, pos, n)
		}
		kids = append(kids, n)
		if !p.take(",") {
			break
		}
		comma = true
	}
	return kids, comma
}

// element reads an element of a list, a tuple or a set: an expression or *x.
func (p *parser) element() *node {
	pos := p.tok.pos
	if p.take("*") {
		return p.newNode(nodeStarred, pos, p.expression())
	}
	return p.expression()
}

func (p *parser) expression() *node {
	pos := p.tok.pos
	if p.take("lambda") {
		for depth := p.depth; p.tok.kind != tokEnd && !(p.is(":") && p.depth == depth); {
			p.next()
		}
		p.want(":")
		return p.newNode(nodeOther, pos, p.expression())
	}
	n := p.operators(1)
	if !p.take("if") {
		return n
	}
	condition := p.operators(1)
	p.want("else")
	return p.newNode(nodeOther, pos, n, condition, p.expression())
}

// clauses reads the clauses of a comprehension after its first element.
func (p *parser) clauses() {
	for p.take("for") {
		p.operators(aboveComparison)
		for p.take(",") && !p.is("in") {
			p.operators(aboveComparison)
		}
		p.want("in")
		p.operators(1)
		for p.take("if") {
			p.operators(1)
		}
	}
}

// operators reads operators that bind at least as tightly as least.
func (p *parser) operators(least int) *node {
	p.level++
	defer func() { p.level-- }()
	if p.level > maxDepth {
		p.fail("expression is nested more than %d deep", maxDepth)
	}
	pos := p.tok.pos
	left := p.signed()
	for precedence[p.tok.text] >= least {
		op := p.tok.text
		p.next()
		if op == "not" {
			p.want("in")
		} else if op == "is" {
			p.take("not")
		}
		right := precedence[op] + 1
		if op == "**" {
			right = signPrecedence["-"]
		}
		left = p.newNode(nodeBinary, pos, left, p.operators(right))
		left.text = op
	}
	return left
}

func (p *parser) signed() *node {
	tok := p.tok
	if level := signPrecedence[tok.text]; level > 0 {
		p.next()
		n := p.newNode(nodeUnary, tok.pos, p.operators(level))
		n.text = tok.text
		return n
	}
	n := p.atom()
	for p.err == nil {
		switch {
		case p.take("."):
			name := p.tok
			if name.kind != tokName {
				return p.unexpected()
			}
			p.next()
			n = p.newNode(nodeAttribute, tok.pos, n)
			n.text = name.text
		case p.take("("):
			n = p.call(n)
		case p.take("["):
			n = p.subscript(n)
		default:
			return n
		}
	}
	return n
}

func (p *parser) atom() *node {
	tok := p.tok
	switch {
	case tok.kind == tokString:
		return p.strings()
	case tok.kind == tokNumber:
		v, ok := parseNumber(tok.text)
		if !ok {
			p.fail("%.40q is not a number", tok.text)
		}
		return p.constant(v)
	case tok.kind == tokName:
		p.next()
		n := p.newNode(nodeName, tok.pos)
		n.text = tok.text
		return n
	case p.is("None"):
		return p.constant(value.Value{})
	case p.is("True"), p.is("False"):
		return p.constant(value.OfBool(tok.text == "True"))
	case p.take("..."):
		return p.newNode(nodeEllipsis, tok.pos)
	case p.take("("):
		kids, comma := p.items(")", p.element)
		p.want(")")
		if len(kids) == 1 && !comma && kids[0].kind != nodeStarred {
			kids[0].pos = tok.pos
			return kids[0]
		}
		return p.newNode(nodeTuple, tok.pos, kids...)
	case p.take("["):
		kids, _ := p.items("]", p.element)
		p.want("]")
		return p.newNode(nodeList, tok.pos, kids...)
	case p.take("{"):
		return p.braces(tok.pos)
	}
	return p.unexpected()
}

// constant makes a node of the next token.
func (p *parser) constant(v value.Value) *node {
	pos := p.tok.pos
	p.next()
	n := p.newNode(nodeConst, pos)
	n.val = v
	return n
}

// strings joins adjacent string literals. Bytes and f-strings are not constants here.
func (p *parser) strings() *node {
	var text strings.Builder
	pos, kind := p.tok.pos, nodeConst
	for ; p.tok.kind == tokString; p.next() {
		prefix, body := splitString(p.tok.text)
		if strings.ContainsAny(prefix, "bf") {
			kind = nodeOther
		}
		if !strings.Contains(prefix, "r") {
			var ok bool
			if body, ok = unescape(body); !ok {
				p.fail("a \\x, \\u or \\U escape is broken")
			}
		}
		text.WriteString(body)
	}
	n := p.newNode(kind, pos)
	n.val = value.OfString(text.String())
	return n
}

// braces reads a dictionary, a set or a comprehension after the opening brace.
func (p *parser) braces(pos int) *node {
	kids, _ := p.items("}", p.entry)
	p.want("}")
	entries := 0
	for _, k := range kids {
		if k.kind == nodePair || k.kind == nodeSpread {
			entries++
		}
	}
	switch entries {
	case len(kids):
		return p.newNode(nodeDict, pos, kids...)
	case 0:
		return p.newNode(nodeOther, pos, kids...)
	}
	return p.unexpected()
}

// entry reads key: value or **x of a dictionary, or an element of a set.
func (p *parser) entry() *node {
	pos := p.tok.pos
	if p.take("**") {
		return p.newNode(nodeSpread, pos, p.expression())
	}
	key := p.element()
	if !p.take(":") {
		return key
	}
	return p.newNode(nodePair, pos, key, p.expression())
}

// call reads the arguments after the opening bracket.
func (p *parser) call(function *node) *node {
	args, _ := p.items(")", p.argument)
	p.want(")")
	named := false
	for _, arg := range args {
		if named && !isNamed(arg) && arg.kind != nodeStarred {
			return p.unexpected()
		}
		named = named || isNamed(arg)
	}
	return p.newNode(nodeCall, function.pos, append([]*node{function}, args...)...)
}

// argument reads an expression, *x, **x or name=x.
func (p *parser) argument() *node {
	pos, bare := p.tok.pos, p.tok.kind == tokName // (a)=1 is no keyword
	if p.take("**") {
		return p.newNode(nodeSpread, pos, p.expression())
	}
	arg := p.element()
	if !bare || arg.kind != nodeName || !p.take("=") {
		return arg
	}
	n := p.newNode(nodeKeyword, pos, p.expression())
	n.text = arg.text
	return n
}

// subscript reads indexes and slices after the opening bracket.
func (p *parser) subscript(of *node) *node {
	kids := []*node{of}
	for p.err == nil && !p.is("]") {
		if !p.take(":") && !p.take(",") {
			kids = append(kids, p.element())
		}
	}
	p.want("]")
	if len(kids) == 1 {
		return p.unexpected()
	}
	return p.newNode(nodeSubscript, of.pos, kids...)
}
