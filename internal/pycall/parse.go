package pycall

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// maxDepth bounds how deep an expression may nest, brackets and operator chains
// alike. Python itself stops at 200 brackets.
const maxDepth = 1000

// maxNodes bounds the size of the tree, and with it the memory a text can claim.
const maxNodes = 1 << 19

type nodeKind uint8

const (
	nodeConst     nodeKind = iota // val; text: source of a string or number
	nodeName                      // text
	nodeComplex                   // text
	nodeBytes                     // text: source
	nodeFString                   // text: source
	nodeEllipsis                  //
	nodeList                      // kids
	nodeTuple                     // kids
	nodeSet                       // kids
	nodeDict                      // kids: key, value, key, value; a nil key is **value
	nodeCall                      // kids: function, positional...; keywords
	nodeAttribute                 // kids[0]; text
	nodeSubscript                 // kids: value, index
	nodeSlice                     // kids: lower, upper, step, each may be nil
	nodeUnary                     // text: operator; kids[0]
	nodeBinary                    // text: operator; kids
	nodeBoolean                   // text: and, or; kids
	nodeCompare                   // kids; ops
	nodeIf                        // kids: body, test, orelse
	nodeLambda                    // text: parameters; kids[0]
	nodeStarred                   // kids[0]
	nodeNamed                     // kids: target, value
	nodeGenerator                 // text: opening bracket; kids: element (or key, value), then clauses
	nodeFor                       // kids: target, iterable, conditions...
)

type node struct {
	kind     nodeKind
	depth    int
	text     string
	val      value.Value
	kids     []*node
	keywords []keyword
	ops      []string
}

// keyword is one name=value of a call; an empty name is **value.
type keyword struct {
	name  string
	value *node
}

// parser builds the tree of one Python expression by recursive descent, one
// function per level of precedence.
type parser struct {
	*lexer
	level int // how deep the recursion is
	nodes int // how many nodes were made
}

// parseExpression reads the whole text as one expression; a bare a, b is a tuple.
func parseExpression(src string) (*node, error) {
	p := &parser{lexer: newLexer(src)}
	n := p.expressionList(true)
	if p.err == nil && p.tok.kind != tokEnd {
		p.fail("unexpected %q", p.tok.text)
	}
	if p.err != nil {
		return nil, p.err
	}
	return n, nil
}

// make finishes a node. A tree that gets too deep is an error here, so that
// nothing that walks it needs a bound of its own.
func (p *parser) make(n node) *node {
	for _, k := range n.kids {
		if k != nil {
			n.depth = max(n.depth, k.depth)
		}
	}
	for _, k := range n.keywords {
		n.depth = max(n.depth, k.value.depth)
	}
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
	return &n
}

// broken is what a production returns after an error: never nil, so that callers
// need no checks.
var broken = &node{kind: nodeConst, depth: 1}

func (p *parser) isOp(op string) bool { return p.tok.kind == tokOp && p.tok.text == op }
func (p *parser) isWord(w string) bool {
	return p.tok.kind == tokKeyword && p.tok.text == w
}

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
	if p.err == nil {
		if p.tok.kind == tokEnd {
			p.fail("text ends early")
		} else {
			p.fail("unexpected %q", p.tok.text)
		}
	}
	return broken
}

// expressionList reads one expression, or several with commas as a tuple.
func (p *parser) expressionList(star bool) *node {
	first := p.listElement(star)
	if !p.isOp(",") {
		if first.kind == nodeStarred {
			return p.unexpected()
		}
		return first
	}
	kids := []*node{first}
	for p.takeOp(",") && !p.atListEnd() {
		kids = append(kids, p.listElement(star))
	}
	return p.make(node{kind: nodeTuple, kids: kids})
}

func (p *parser) atListEnd() bool {
	return p.tok.kind == tokEnd || p.tok.kind == tokOp && strings.Contains(")]}:=", p.tok.text)
}

func (p *parser) listElement(star bool) *node {
	if star && p.takeOp("*") {
		return p.make(node{kind: nodeStarred, kids: []*node{p.binary(0)}})
	}
	return p.expression()
}

// named reads an expression that may be an assignment a := b.
func (p *parser) named() *node {
	n := p.expression()
	if n.kind == nodeName && p.takeOp(":=") {
		return p.make(node{kind: nodeNamed, kids: []*node{n, p.expression()}})
	}
	return n
}

func (p *parser) expression() *node {
	p.level++
	defer func() { p.level-- }()
	if p.level > maxDepth {
		p.fail("expression is nested more than %d deep", maxDepth)
		return broken
	}
	if p.isWord("lambda") {
		return p.lambda()
	}
	body := p.disjunction()
	if !p.takeWord("if") {
		return body
	}
	test := p.disjunction()
	if !p.takeWord("else") {
		return p.unexpected()
	}
	return p.make(node{kind: nodeIf, kids: []*node{body, test, p.expression()}})
}

// lambda keeps its parameters as source: nothing here ever looks at them.
func (p *parser) lambda() *node {
	start, depth := p.pos, p.depth
	p.next()
	for p.err == nil && p.tok.kind != tokEnd && !(p.isOp(":") && p.depth == depth) && p.depth >= depth {
		p.next()
	}
	params := ""
	if p.err == nil && p.isOp(":") {
		params = strings.Join(strings.Fields(p.src[start:p.tok.pos]), " ")
	}
	p.wantOp(":")
	return p.make(node{kind: nodeLambda, text: params, kids: []*node{p.expression()}})
}

func (p *parser) disjunction() *node { return p.boolean("or", p.conjunction) }
func (p *parser) conjunction() *node { return p.boolean("and", p.inversion) }

func (p *parser) boolean(word string, operand func() *node) *node {
	first := operand()
	if !p.isWord(word) {
		return first
	}
	kids := []*node{first}
	for p.takeWord(word) {
		kids = append(kids, operand())
	}
	return p.make(node{kind: nodeBoolean, text: word, kids: kids})
}

func (p *parser) inversion() *node {
	nots := 0
	for p.takeWord("not") {
		nots++
	}
	n := p.comparison()
	for ; nots > 0; nots-- {
		n = p.make(node{kind: nodeUnary, text: "not", kids: []*node{n}})
	}
	return n
}

func (p *parser) comparison() *node {
	kids, ops := []*node{p.binary(0)}, []string(nil)
	for {
		op := p.comparisonOp()
		if op == "" {
			break
		}
		ops = append(ops, op)
		kids = append(kids, p.binary(0))
	}
	if len(ops) == 0 {
		return kids[0]
	}
	return p.make(node{kind: nodeCompare, kids: kids, ops: ops})
}

func (p *parser) comparisonOp() string {
	text := p.tok.text
	switch {
	case p.tok.kind == tokOp && (text == "<" || text == ">" || text == "==" || text == "<=" || text == ">=" || text == "!="):
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

// binaryLevels are the operators from loosest to tightest; ** is handled by power.
var binaryLevels = [...]string{"|", "^", "&", "<< >>", "+ -", "* / // % @"}

func (p *parser) binary(level int) *node {
	if level == len(binaryLevels) {
		return p.factor()
	}
	left := p.binary(level + 1)
	for p.tok.kind == tokOp && inLevel(level, p.tok.text) {
		op := p.tok.text
		p.next()
		left = p.make(node{kind: nodeBinary, text: op, kids: []*node{left, p.binary(level + 1)}})
	}
	return left
}

func inLevel(level int, op string) bool {
	for candidate := range strings.FieldsSeq(binaryLevels[level]) {
		if candidate == op {
			return true
		}
	}
	return false
}

func (p *parser) factor() *node {
	var signs []string
	for p.isOp("+") || p.isOp("-") || p.isOp("~") {
		signs = append(signs, p.tok.text)
		p.next()
	}
	n := p.power()
	for i := len(signs) - 1; i >= 0; i-- {
		n = p.make(node{kind: nodeUnary, text: signs[i], kids: []*node{n}})
	}
	return n
}

func (p *parser) power() *node {
	base := p.postfix()
	if !p.isOp("**") {
		return base
	}
	p.level++
	defer func() { p.level-- }()
	if p.level > maxDepth {
		p.fail("expression is nested more than %d deep", maxDepth)
		return broken
	}
	p.next()
	return p.make(node{kind: nodeBinary, text: "**", kids: []*node{base, p.factor()}})
}

func (p *parser) postfix() *node {
	n := p.atom()
	for p.err == nil {
		switch {
		case p.takeOp("."):
			if p.tok.kind != tokName {
				return p.unexpected()
			}
			n = p.make(node{kind: nodeAttribute, text: p.tok.text, kids: []*node{n}})
			p.next()
		case p.takeOp("("):
			n = p.call(n)
		case p.takeOp("["):
			index := p.index()
			p.wantOp("]")
			n = p.make(node{kind: nodeSubscript, kids: []*node{n, index}})
		default:
			return n
		}
	}
	return n
}
