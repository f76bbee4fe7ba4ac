package pycall

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// The precedence levels of Python's own unparser, loosest first.
const (
	precNamed = iota
	precTuple
	precYield
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
	precAwait
	precAtom
)

var binaryPrecedence = map[string]int{
	"|": precBitOr, "^": precBitXor, "&": precBitAnd, "<<": precShift, ">>": precShift,
	"+": precSum, "-": precSum, "*": precTerm, "/": precTerm, "//": precTerm,
	"%": precTerm, "@": precTerm, "**": precPower,
}

// unparse writes n as Python source in the form of Python's ast.unparse: single
// quotes where possible, one blank after commas and around operators, only the
// brackets that are needed. f-strings, byte strings and the parameters of a lambda
// keep their source.
func unparse(n *node) string {
	var w writer
	w.write(n, precTest)
	return w.String()
}

type writer struct{ strings.Builder }

// bracketed writes body, in brackets when the surroundings bind more tightly.
func (w *writer) bracketed(need bool, body func()) {
	if need {
		w.WriteByte('(')
	}
	body()
	if need {
		w.WriteByte(')')
	}
}

// list writes nodes with commas between them.
func (w *writer) list(nodes []*node) {
	for i, k := range nodes {
		if i > 0 {
			w.WriteString(", ")
		}
		w.write(k, precTest)
	}
}

func (w *writer) write(n *node, prec int) {
	switch n.kind {
	case nodeConst:
		w.constant(n)
	case nodeName, nodeComplex, nodeBytes, nodeFString:
		w.WriteString(n.text)
	case nodeEllipsis:
		w.WriteString("...")
	case nodeList:
		w.WriteByte('[')
		w.list(n.kids)
		w.WriteByte(']')
	case nodeTuple:
		w.WriteByte('(')
		w.tupleItems(n.kids)
		w.WriteByte(')')
	case nodeSet:
		w.WriteByte('{')
		w.list(n.kids)
		w.WriteByte('}')
	case nodeDict:
		w.dict(n)
	case nodeCall:
		w.call(n)
	case nodeAttribute:
		w.write(n.kids[0], precAtom)
		if n.kids[0].kind == nodeConst && n.kids[0].val.Kind() == value.Int {
			w.WriteByte(' ')
		}
		w.WriteString("." + n.text)
	case nodeSubscript:
		w.write(n.kids[0], precAtom)
		w.WriteByte('[')
		w.index(n.kids[1])
		w.WriteByte(']')
	case nodeSlice:
		w.slice(n)
	default:
		w.operation(n, prec)
	}
}

func (w *writer) operation(n *node, prec int) {
	switch n.kind {
	case nodeUnary:
		w.unary(n, prec)
	case nodeBinary:
		w.binary(n, prec)
	case nodeBoolean:
		w.boolean(n, prec)
	case nodeCompare:
		w.bracketed(prec > precCompare, func() {
			w.write(n.kids[0], precCompare+1)
			for i, op := range n.ops {
				w.WriteString(" " + op + " ")
				w.write(n.kids[i+1], precCompare+1)
			}
		})
	case nodeIf:
		w.bracketed(prec > precTest, func() {
			w.write(n.kids[0], precTest+1)
			w.WriteString(" if ")
			w.write(n.kids[1], precTest+1)
			w.WriteString(" else ")
			w.write(n.kids[2], precTest)
		})
	case nodeLambda:
		w.bracketed(prec > precTest, func() {
			w.WriteString(strings.TrimRight("lambda "+n.text, " ") + ": ")
			w.write(n.kids[0], precTest)
		})
	case nodeStarred:
		w.WriteByte('*')
		w.write(n.kids[0], precBitOr)
	case nodeNamed:
		w.bracketed(prec > precNamed, func() {
			w.write(n.kids[0], precAtom)
			w.WriteString(" := ")
			w.write(n.kids[1], precAtom)
		})
	case nodeGenerator:
		w.generator(n)
	case nodeFor:
		w.clause(n)
	}
}

func (w *writer) constant(n *node) {
	v, text := n.val, n.val.Repr()
	if strings.HasPrefix(n.text, "u") && v.Kind() == value.String {
		w.WriteByte('u') // Python remembers the prefix of the first literal
	}
	if v.Kind() == value.Float && strings.HasSuffix(text, "inf") {
		text = "1e309"
	}
	w.WriteString(text)
}

func (w *writer) tupleItems(kids []*node) {
	w.list(kids)
	if len(kids) == 1 {
		w.WriteByte(',')
	}
}

func (w *writer) dict(n *node) {
	w.WriteByte('{')
	for i := 0; i < len(n.kids); i += 2 {
		if i > 0 {
			w.WriteString(", ")
		}
		if n.kids[i] == nil {
			w.WriteString("**")
			w.write(n.kids[i+1], precBitOr)
			continue
		}
		w.write(n.kids[i], precTest)
		w.WriteString(": ")
		w.write(n.kids[i+1], precTest)
	}
	w.WriteByte('}')
}

func (w *writer) call(n *node) {
	w.write(n.kids[0], precAtom)
	w.WriteByte('(')
	w.list(n.kids[1:])
	for i, k := range n.keywords {
		if i > 0 || len(n.kids) > 1 {
			w.WriteString(", ")
		}
		if k.name == "" {
			w.WriteString("**")
		} else {
			w.WriteString(k.name + "=")
		}
		w.write(k.value, precTest)
	}
	w.WriteByte(')')
}

// index writes a subscript's index: a tuple stands there without brackets unless it
// is empty.
func (w *writer) index(n *node) {
	if n.kind == nodeTuple && len(n.kids) > 0 {
		w.tupleItems(n.kids)
		return
	}
	w.write(n, precTest)
}

func (w *writer) slice(n *node) {
	if n.kids[0] != nil {
		w.write(n.kids[0], precTest)
	}
	w.WriteByte(':')
	if n.kids[1] != nil {
		w.write(n.kids[1], precTest)
	}
	if n.kids[2] != nil {
		w.WriteByte(':')
		w.write(n.kids[2], precTest)
	}
}

func (w *writer) unary(n *node, prec int) {
	own, text := precFactor, n.text
	if text == "not" {
		own, text = precNot, "not "
	}
	w.bracketed(prec > own, func() {
		w.WriteString(text)
		w.write(n.kids[0], own)
	})
}

func (w *writer) binary(n *node, prec int) {
	own := binaryPrecedence[n.text]
	left, right := own, own+1
	if n.text == "**" {
		left, right = own+1, own
	}
	w.bracketed(prec > own, func() {
		w.write(n.kids[0], left)
		w.WriteString(" " + n.text + " ")
		w.write(n.kids[1], right)
	})
}

// boolean raises the level with every operand, as Python's unparser does.
func (w *writer) boolean(n *node, prec int) {
	own := precOr
	if n.text == "and" {
		own = precAnd
	}
	w.bracketed(prec > own, func() {
		level := own
		for i, k := range n.kids {
			if i > 0 {
				w.WriteString(" " + n.text + " ")
			}
			level = min(level+1, precAtom)
			w.write(k, level)
		}
	})
}

func (w *writer) generator(n *node) {
	opening, keyed := n.text[:1], len(n.text) > 1
	w.WriteString(opening)
	w.write(n.kids[0], precTest)
	rest := n.kids[1:]
	if keyed {
		w.WriteString(": ")
		w.write(rest[0], precTest)
		rest = rest[1:]
	}
	for _, clause := range rest {
		w.clause(clause)
	}
	w.WriteString(map[string]string{"(": ")", "[": "]", "{": "}"}[opening])
}

func (w *writer) clause(n *node) {
	w.WriteString(" for ")
	if target := n.kids[0]; target.kind == nodeTuple && len(target.kids) > 0 {
		w.tupleItems(target.kids)
	} else {
		w.write(target, precTuple)
	}
	w.WriteString(" in ")
	w.write(n.kids[1], precTest+1)
	for _, condition := range n.kids[2:] {
		w.WriteString(" if ")
		w.write(condition, precTest+1)
	}
}
