package pycall

import (
	"slices"

	"github.com/judgekit/judge/internal/value"
)

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
		return Call{}, refuse("%.60q is no call", unparseBounded(root))
	}
	call := Call{}
	switch function := root.kids[0]; function.kind {
	case nodeName, nodeAttribute:
		call.Name = function.text
	}
	var members []value.Member
	add := func(key string, n *node) {
		v, opaque := lenient(n)
		members = append(members, value.Member{Key: key, Value: v})
		call.Opaque = slices.DeleteFunc(call.Opaque, func(earlier string) bool { return earlier == key })
		if opaque {
			call.Opaque = append(call.Opaque, key)
		}
	}
	for i, arg := range root.kids[1:] {
		add(positional(i), arg)
	}
	for _, k := range root.keywords {
		if k.name != "" {
			add(k.name, k.value)
		}
	}
	call.Arguments = value.OfObject(members...)
	return call, nil
}

// lenient never fails: what it cannot read is its source text, and opaque.
func lenient(n *node) (v value.Value, opaque bool) {
	resolve := func(k *node) (value.Value, error) {
		elem, bad := lenient(k)
		opaque = opaque || bad
		return elem, nil
	}
	switch n.kind {
	case nodeConst:
		return n.val, false
	case nodeName:
		return value.OfString(n.text), false
	case nodeList, nodeTuple:
		v, _ = sequenceOf(n, resolve)
		return v, opaque
	case nodeDict:
		plain := &node{kind: nodeDict}
		for i := 0; i < len(n.kids); i += 2 {
			if n.kids[i] != nil { // ** in a dictionary is ignored as well
				plain.kids = append(plain.kids, n.kids[i], n.kids[i+1])
			}
		}
		if v, err := dictOf(plain, resolve); err == nil {
			return v, opaque
		}
	}
	return value.OfString(unparseBounded(n)), true
}
