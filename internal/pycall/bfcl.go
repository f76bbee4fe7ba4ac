package pycall

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// DecodeBFCL reads a model's text as the Berkeley Function-Calling Leaderboard
// does and returns a list of one-key objects {name: {argument: value}}.
//
// Single quotes at both ends are dropped first. Beyond Parse it reads a number
// behind any unary operator as its negative, arithmetic on literals, `...` as the
// string "...", a nested call without keyword arguments and a subscript as their
// source text, and a nested call with keyword arguments as {name: {args}}.
// Positional arguments are dropped unread.
func DecodeBFCL(s string) (value.Value, error) {
	root, err := parseTrimmed(strings.Trim(trim(s), "'"))
	if err != nil {
		return value.Value{}, err
	}
	nodes, err := callNodes(root)
	if err != nil {
		return value.Value{}, err
	}
	d := &bfclDecoder{}
	calls := make([]value.Value, len(nodes))
	for i, n := range nodes {
		if calls[i], err = d.call(n); err != nil {
			return value.Value{}, err
		}
	}
	return value.OfList(calls...), nil
}

type bfclDecoder struct{ calculator }

func (d *bfclDecoder) call(n *node) (value.Value, error) {
	name, ok := dottedName(n.kids[0])
	if !ok {
		return value.Value{}, refuse("%.60q is no function name", unparseBounded(n.kids[0]))
	}
	if err := checkKeywords(n.keywords); err != nil {
		return value.Value{}, err
	}
	args := make([]value.Member, len(n.keywords))
	for i, k := range n.keywords {
		v, err := d.value(k.value)
		if err != nil {
			return value.Value{}, err
		}
		args[i] = value.Member{Key: k.name, Value: v}
	}
	return value.OfObject(value.Member{Key: name, Value: value.OfObject(args...)}), nil
}

func (d *bfclDecoder) value(n *node) (value.Value, error) {
	switch n.kind {
	case nodeConst:
		return n.val, nil
	case nodeName:
		return value.OfString(n.text), nil
	case nodeEllipsis:
		return value.OfString("..."), nil
	case nodeList, nodeTuple:
		return sequenceOf(n, d.value)
	case nodeDict:
		return dictOf(n, d.value)
	case nodeUnary:
		return bfclUnary(n)
	case nodeBinary:
		return d.compute(n)
	case nodeCall:
		if len(n.keywords) == 0 {
			return value.OfString(unparse(n)), nil
		}
		return d.call(n)
	case nodeSubscript:
		return value.OfString(unparse(n.kids[0]) + "[" + unparse(n.kids[1]) + "]"), nil
	}
	return value.Value{}, refuse("%.60q cannot be read", unparseBounded(n))
}

// bfclUnary negates whatever the operator is; the operand must be a constant, and
// a bool counts as its number.
func bfclUnary(n *node) (value.Value, error) {
	operand := n.kids[0]
	if operand.kind == nodeConst {
		if v := boolAsInt(operand.val); v.IsNumber() {
			return negate(v), nil
		}
	}
	return value.Value{}, refuse("%.60q is no signed number", unparseBounded(n))
}

func boolAsInt(v value.Value) value.Value {
	if b, ok := v.BoolVal(); ok {
		if b {
			return value.OfInt(1)
		}
		return value.OfInt(0)
	}
	return v
}
