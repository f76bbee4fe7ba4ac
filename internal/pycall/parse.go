package pycall

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// maxDepth bounds how deep an expression may nest, brackets and operator chains
// alike. Python itself stops at 200 brackets.
const maxDepth = 1000

// maxNodes bounds the size of the tree, and with it the memory a text can claim.
const maxNodes = 1 << 19

// parser builds the tree of one Python expression by recursive descent.
type parser struct {
	*lexer
	level int // how deep the recursion is
	nodes int // how many nodes were made
}

// parseExpression reads the whole text as one expression; a bare a, b is a tuple.
func parseExpression(src string) (*node, error) {
	p := &parser{lexer: newLexer(src)}
	read := p.starOr(p.expression)
	n := p.tupleOr(read(), ")", read)
	if p.err == nil && p.tok.kind != tokEnd {
		p.unexpected()
	}
	if p.err != nil {
		return nil, p.err
	}
	return n, nil
}

// made finishes a node. A tree that gets too deep is an error here, so that
// nothing that walks it needs a bound of its own.
func (p *parser) made(n *node) *node {
	n.depth++
	p.nodes++
	switch {
	case n.depth > maxDepth:
		p.fail("expression is nested more than %d deep", maxDepth)
		return broken
	case p.nodes > maxNodes:
		p.fail("expression has more than %d parts", maxNodes)
		return broken
	}
	return n
}

// deeper reads what stands one level further down.
func (p *parser) deeper(read func() *node) *node {
	p.level++
	defer func() { p.level-- }()
	if p.level > maxDepth {
		p.fail("expression is nested more than %d deep", maxDepth)
		return broken
	}
	return read()
}

// broken is what a production returns after an error: never nil, so that callers
// need no checks.
var broken = &node{kind: nodeConst, depth: 1}

func (p *parser) isOp(op string) bool  { return p.tok.kind == tokOp && p.tok.text == op }
func (p *parser) isWord(w string) bool { return p.tok.kind == tokKeyword && p.tok.text == w }

func (p *parser) takeOp(op string) bool {
	if !p.isOp(op) {
		return false
	}
	p.next()
	return true
}

func (p *parser) takeWord(w string) bool {
	if !p.isWord(w) {
		return false
	}
	p.next()
	return true
}

func (p *parser) wantOp(op string) {
	if !p.takeOp(op) && p.err == nil {
		p.fail("%q is missing", op)
	}
}

func (p *parser) unexpected() *node {
	switch {
	case p.err != nil:
	case p.tok.kind == tokEnd:
		p.fail("text ends early")
	default:
		p.fail("unexpected %q", p.tok.text)
	}
	return broken
}

// tupleOr returns first, or the tuple that it begins.
func (p *parser) tupleOr(first *node, closing string, read func() *node) *node {
	if !p.isOp(",") {
		if first.kind == nodeStarred {
			return p.unexpected()
		}
		return first
	}
	return p.tuple(first, closing, read)
}

func (p *parser) tuple(first *node, closing string, read func() *node) *node {
	n := newNode(nodeTuple, precAtom).put("(")
	p.moreItems(n, first, closing, read)
	if len(n.kids) == 1 {
		n.put(",")
	}
	return p.made(n.put(")"))
}

// moreItems adds first, and what stands behind it with commas between.
func (p *parser) moreItems(n, first *node, closing string, read func() *node) {
	n.kid(first, precTest)
	for p.err == nil && p.takeOp(",") && !p.isOp(closing) && p.tok.kind != tokEnd {
		n.put(", ").kid(read(), precTest)
	}
}

// starOr reads *x, or what read reads.
func (p *parser) starOr(read func() *node) func() *node {
	return func() *node {
		if !p.takeOp("*") {
			return read()
		}
		return p.made(newNode(nodeStarred, precAtom).put("*").kid(p.operators(precBitOr), precBitOr))
	}
}

// element reads an element of a list, a tuple or a set.
func (p *parser) element() *node { return p.starOr(p.named)() }

// named reads an expression that may be an assignment a := b.
func (p *parser) named() *node {
	n := p.expression()
	if n.kind == nodeName && p.takeOp(":=") {
		return p.made(newNode(nodeOther, precNamed).kid(n, precAtom).put(" := ").kid(p.expression(), precAtom))
	}
	return n
}

func (p *parser) expression() *node { return p.deeper(p.conditional) }

// conditional reads a if b else c, or a lambda.
func (p *parser) conditional() *node {
	if p.isWord("lambda") {
		return p.lambda()
	}
	body := p.operators(precOr)
	if !p.takeWord("if") {
		return body
	}
	n := newNode(nodeOther, precTest).kid(body, precOr).put(" if ").kid(p.operators(precOr), precOr)
	if !p.takeWord("else") {
		return p.unexpected()
	}
	return p.made(n.put(" else ").kid(p.expression(), precTest))
}

// lambda keeps its parameters as source: nothing here ever looks at them.
func (p *parser) lambda() *node {
	start, depth := p.pos, p.depth
	for p.next(); p.err == nil && p.tok.kind != tokEnd && p.depth >= depth; p.next() {
		if p.isOp(":") && p.depth == depth {
			break
		}
	}
	params := ""
	if p.err == nil && p.isOp(":") {
		params = strings.Join(strings.Fields("lambda "+p.src[start:p.tok.pos]), " ")
	}
	p.wantOp(":")
	return p.made(newNode(nodeOther, precTest).put(params+": ").kid(p.expression(), precTest))
}

// binaryOps are the binary operators by precedence; ** is read by power.
var binaryOps = map[int][]string{
	precBitOr: {"|"}, precBitXor: {"^"}, precBitAnd: {"&"}, precShift: {"<<", ">>"},
	precSum: {"+", "-"}, precTerm: {"*", "/", "//", "%", "@"},
}

// operators reads operators that bind at least as tightly as prec.
func (p *parser) operators(prec int) *node {
	switch prec {
	case precOr:
		return p.boolean("or", precOr)
	case precAnd:
		return p.boolean("and", precAnd)
	case precNot:
		if p.takeWord("not") {
			n := p.deeper(func() *node { return p.operators(precNot) })
			return p.made(p.unary("not", "not ", precNot, n))
		}
		return p.operators(precCompare)
	case precCompare:
		return p.comparison()
	case precFactor:
		return p.factor()
	}
	left := p.operators(prec + 1)
	for p.tok.kind == tokOp && slices.Contains(binaryOps[prec], p.tok.text) {
		left = p.binary(left, prec, prec, prec+1, p.operators)
	}
	return left
}

// binary reads an operator, which is next, and its right side.
func (p *parser) binary(left *node, prec, leftNeeds, rightNeeds int, read func(int) *node) *node {
	n := newNode(nodeBinary, prec).kid(left, leftNeeds).put(" " + p.tok.text + " ")
	n.text = p.tok.text
	p.next()
	return p.made(n.kid(read(rightNeeds), rightNeeds))
}

func (p *parser) unary(op, glue string, prec int, operand *node) *node {
	n := newNode(nodeUnary, prec).put(glue).kid(operand, prec)
	n.text = op
	return n
}

// boolean raises the level with every operand, as Python's unparser does.
func (p *parser) boolean(word string, prec int) *node {
	first := p.operators(prec + 1)
	if !p.isWord(word) {
		return first
	}
	level := prec + 1
	n := newNode(nodeOther, prec).kid(first, level)
	for p.takeWord(word) {
		level = min(level+1, precAtom)
		n.put(" "+word+" ").kid(p.operators(prec+1), level)
	}
	return p.made(n)
}

func (p *parser) comparison() *node {
	first := p.operators(precBitOr)
	n := newNode(nodeOther, precCompare).kid(first, precBitOr)
	for op := p.comparisonOp(); op != ""; op = p.comparisonOp() {
		n.put(" "+op+" ").kid(p.operators(precBitOr), precBitOr)
	}
	if len(n.kids) == 1 {
		return first
	}
	return p.made(n)
}

var comparisonOps = []string{"<", ">", "==", "<=", ">=", "!="}

func (p *parser) comparisonOp() string {
	text := p.tok.text
	switch {
	case p.tok.kind == tokOp && slices.Contains(comparisonOps, text):
		p.next()
		return text
	case p.takeWord("in"):
		return "in"
	case p.takeWord("is"):
		if p.takeWord("not") {
			return "is not"
		}
		return "is"
	case p.takeWord("not"):
		if p.takeWord("in") {
			return "not in"
		}
		p.unexpected()
	}
	return ""
}

func (p *parser) factor() *node {
	if op := p.tok.text; p.takeOp("+") || p.takeOp("-") || p.takeOp("~") {
		return p.made(p.unary(op, op, precFactor, p.deeper(p.factor)))
	}
	base := p.postfix()
	if !p.isOp("**") {
		return base
	}
	return p.binary(base, precPower, precPower+1, precPower, func(int) *node { return p.deeper(p.factor) })
}

func (p *parser) postfix() *node {
	n := p.atom()
	for p.err == nil {
		switch {
		case p.takeOp("."):
			n = p.attribute(n)
		case p.takeOp("("):
			n = p.call(n)
		case p.takeOp("["):
			n = p.subscript(n)
		default:
			return n
		}
	}
	return n
}

func (p *parser) subscript(of *node) *node {
	index, need := p.index(), precTest
	if index.kind == nodeTuple {
		need = precBare
	}
	p.wantOp("]")
	return p.made(newNode(nodeSubscript, precAtom).kid(of, precAtom).put("[").kid(index, need).put("]"))
}

func (p *parser) attribute(of *node) *node {
	if p.tok.kind != tokName {
		return p.unexpected()
	}
	dot := "."
	if of.kind == nodeConst && of.val.Kind() == value.Int {
		dot = " ."
	}
	n := newNode(nodeAttribute, precAtom).kid(of, precAtom).put(dot + p.tok.text)
	n.text = p.tok.text
	p.next()
	return p.made(n)
}
