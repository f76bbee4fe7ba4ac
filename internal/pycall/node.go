package pycall

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

type nodeKind uint8

const (
	nodeOther     nodeKind = iota // an expression that only its source text is wanted of
	nodeConst                     // val; text: source of a string or number
	nodeName                      // text
	nodeEllipsis                  //
	nodeList                      // kids
	nodeTuple                     // kids
	nodeDict                      // kids: pairs and spreads
	nodePair                      // kids: key, value
	nodeSpread                    // **kids[0]
	nodeCall                      // kids: function, then expressions, keywords and spreads
	nodeKeyword                   // text; kids[0]
	nodeAttribute                 // text; kids[0]
	nodeSubscript                 // kids: value, index
	nodeUnary                     // text: operator; kids[0]
	nodeBinary                    // text: operator; kids
	nodeStarred                   // *kids[0]
)

// node is one part of an expression: what it means, and how Python writes it.
type node struct {
	kind  nodeKind
	depth int
	text  string
	val   value.Value
	kids  []*node
	// prec says how tightly the node binds. glue[i] stands before kids[i], which is
	// written for a place that binds as tightly as needs[i]; tail stands at the end.
	prec  int
	glue  []string
	needs []int
	tail  string
}

// The precedence levels of Python's own unparser, loosest first.
const (
	precBare = iota // a tuple stands here without its brackets
	precNamed
	precTest
	precOr
	precAnd
	precNot
	precCompare
	precBitOr
	precBitXor
	precBitAnd
	precShift
	precSum
	precTerm
	precFactor
	precPower
	precAtom
)

func newNode(kind nodeKind, prec int) *node { return &node{kind: kind, prec: prec} }

// put adds text behind the kids so far.
func (n *node) put(text string) *node {
	n.tail += text
	return n
}

// kid adds a part for a place that binds as tightly as need.
func (n *node) kid(k *node, need int) *node {
	n.kids, n.needs = append(n.kids, k), append(n.needs, need)
	n.glue, n.tail = append(n.glue, n.tail), ""
	n.depth = max(n.depth, k.depth)
	return n
}

// source writes n as Python's ast.unparse does: single quotes where possible, one
// blank after commas and around operators, only the brackets that are needed.
// f-strings, byte strings and the parameters of a lambda keep their source.
func source(n *node) string {
	var b strings.Builder
	write(&b, n, precTest)
	return b.String()
}

// shown is source for messages: large trees are not worth printing.
func shown(n *node) string {
	if n.depth > 20 || len(n.kids) > 20 {
		return "..."
	}
	return source(n)
}

func write(b *strings.Builder, n *node, need int) {
	glue, tail := n.glue, n.tail
	switch {
	case n.kind == nodeConst:
		tail = constant(n)
	case n.kind == nodeTuple && need == precBare && len(n.kids) > 0:
		glue, tail = append([]string{""}, glue[1:]...), strings.TrimSuffix(tail, ")")
	case need > n.prec:
		b.WriteByte('(')
		tail += ")"
	}
	for i, k := range n.kids {
		b.WriteString(glue[i])
		write(b, k, n.needs[i])
	}
	b.WriteString(tail)
}

func constant(n *node) string {
	text := n.val.Repr()
	switch {
	case n.val.Kind() == value.String && strings.HasPrefix(n.text, "u"):
		return "u" + text // Python remembers the prefix of the first literal
	case n.val.Kind() == value.Float && strings.HasSuffix(text, "inf"):
		return "1e309"
	}
	return text
}
