package pycall

import (
	"slices"
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
	name, err := dottedName(n.kids[0])
	if err != nil {
		return value.Value{}, err
	}
	args, err := arguments(n, nil, d.value)
	if err != nil {
		return value.Value{}, err
	}
	return value.OfObject(value.Member{Key: name, Value: args}), nil
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
		if slices.ContainsFunc(n.kids[1:], isNamed) {
			return d.call(n)
		}
		return value.OfString(source(n)), nil
	case nodeSubscript:
		return value.OfString(source(n.kids[0]) + "[" + source(n.kids[1]) + "]"), nil
	}
	return value.Value{}, refuse("%.60q cannot be read", shown(n))
}

func isNamed(arg *node) bool { return arg.kind == nodeKeyword || arg.kind == nodeSpread }

// bfclUnary negates whatever the operator is; the operand must be a constant, and
// a bool counts as its number.
func bfclUnary(n *node) (value.Value, error) {
	operand := n.kids[0]
	if operand.kind == nodeConst {
		if v := boolAsInt(operand.val); v.IsNumber() {
			return negate(v), nil
		}
	}
	return value.Value{}, refuse("%.60q is no signed number", shown(n))
}

func boolAsInt(v value.Value) value.Value {
	switch b, ok := v.BoolVal(); {
	case !ok:
		return v
	case b:
		return value.OfInt(1)
	}
	return value.OfInt(0)
}

// ParseFutureAGI reads one call as the futureagi program does: the name is the last
// attribute only ("" when the function is no name), **x is ignored, and signed
// numbers, calls, arithmetic and every other expression that is no plain literal
// becomes a value that equals nothing, named in Opaque. An argument that holds
// such a value anywhere is opaque as a whole. A list of calls is unreadable.
func ParseFutureAGI(s string) (Call, error) {
	root, err := parseTrimmed(trim(s))
	if err != nil {
		return Call{}, err
	}
	if root.kind != nodeCall {
		return Call{}, refuse("%.60q is no call", shown(root))
	}
	call := Call{}
	switch function := root.kids[0]; function.kind {
	case nodeName, nodeAttribute:
		call.Name = function.text
	}
	var members []value.Member
	for i, arg := range root.kids[1:] {
		if arg.kind == nodeSpread {
			continue
		}
		key, expression := keyed(i, arg)
		v, opaque := lenient(expression)
		members = append(members, value.Member{Key: key, Value: v})
		call.Opaque = slices.DeleteFunc(call.Opaque, func(earlier string) bool { return earlier == key })
		if opaque {
			call.Opaque = append(call.Opaque, key)
		}
	}
	call.Arguments = value.OfObject(members...)
	return call, nil
}

// lenient never fails: what it cannot read is its source text, and opaque. ** in a
// dictionary is ignored as well.
func lenient(n *node) (v value.Value, opaque bool) {
	resolve := func(k *node) (value.Value, error) {
		elem, bad := lenient(k)
		opaque = opaque || bad
		return elem, nil
	}
	err := error(nil)
	switch n.kind {
	case nodeConst:
		return n.val, false
	case nodeName:
		return value.OfString(n.text), false
	case nodeList, nodeTuple:
		v, err = sequenceOf(n, resolve)
	case nodeDict:
		isSpread := func(k *node) bool { return k.kind == nodeSpread }
		v, err = dictOf(&node{kids: slices.DeleteFunc(slices.Clone(n.kids), isSpread)}, resolve)
	default:
		err = refuse("it is no literal")
	}
	if err != nil {
		return value.OfString(shown(n)), true
	}
	return v, opaque
}
