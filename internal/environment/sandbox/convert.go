package sandbox

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"go.starlark.net/starlark"

	"github.com/judgekit/judge/internal/value"
)

// maxDepth bounds how deep a value may be nested.
const maxDepth = 200

// read returns what stands in a slot as a Starlark value.
func (n *node) read(i int) starlark.Value {
	if c := n.child(i); c != nil {
		return c.wrap()
	}
	return fromScalar(n.slots[i].val)
}

func (n *node) wrap() starlark.Value {
	if n.isList {
		return list{n}
	}
	return object{n}
}

// fromScalar converts everything but lists and objects.
func fromScalar(v value.Value) starlark.Value {
	switch v.Kind() {
	case value.Bool:
		b, _ := v.BoolVal()
		return starlark.Bool(b)
	case value.String:
		return starlark.String(v.Text())
	case value.Int:
		if i, ok := v.Int64(); ok {
			return starlark.MakeInt64(i)
		}
		if b, ok := v.BigInt(); ok {
			return starlark.MakeBigInt(b)
		}
	case value.Float:
		if f, ok := v.Float64(); ok {
			return starlark.Float(f)
		}
		return starlark.Float(math.Inf(1))
	}
	return starlark.None
}

// fromValue converts a whole value into plain Starlark lists and dicts, for
// arguments.
func fromValue(v value.Value) starlark.Value {
	switch {
	case v.IsList():
		elems := make([]starlark.Value, v.Len())
		for i, e := range v.Elements() {
			elems[i] = fromValue(e)
		}
		return starlark.NewList(elems)
	case v.Kind() == value.Object:
		d := starlark.NewDict(v.Len())
		for k, e := range v.Members() {
			// Setting a string key in a fresh dict cannot fail.
			_ = d.SetKey(starlark.String(k), fromValue(e))
		}
		return d
	}
	return fromScalar(v)
}

// toValue converts a Starlark value to JSON. Sets are written as lists; functions
// and infinities have no JSON and give an error.
func toValue(x starlark.Value, depth int) (value.Value, error) {
	if depth > maxDepth {
		return value.Value{}, fmt.Errorf("a value is nested deeper than %d levels", maxDepth)
	}
	switch x := x.(type) {
	case starlark.NoneType:
		return value.Value{}, nil
	case starlark.Bool:
		return value.OfBool(bool(x)), nil
	case starlark.String:
		return value.OfString(string(x)), nil
	case starlark.Int:
		if i, ok := x.Int64(); ok {
			return value.OfInt(i), nil
		}
		return value.OfBigInt(new(big.Int).Set(x.BigInt())), nil
	case starlark.Float:
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return value.Value{}, fmt.Errorf("%s has no JSON", x)
		}
		return value.OfFloat(float64(x)), nil
	case object:
		return x.n.value(), nil
	case list:
		return x.n.value(), nil
	case starlark.IterableMapping:
		return mappingValue(x, depth)
	case starlark.Iterable:
		return iterableValue(x, depth)
	}
	return value.Value{}, fmt.Errorf("a %s has no JSON", x.Type())
}

func mappingValue(x starlark.IterableMapping, depth int) (value.Value, error) {
	items := x.Items()
	members := make([]value.Member, 0, len(items))
	for _, kv := range items {
		key, ok := starlark.AsString(kv[0])
		if !ok {
			return value.Value{}, fmt.Errorf("a JSON object has string keys, not the %s %s", kv[0].Type(), short(kv[0]))
		}
		v, err := toValue(kv[1], depth+1)
		if err != nil {
			return value.Value{}, err
		}
		members = append(members, value.Member{Key: key, Value: v})
	}
	return value.OfObject(members...), nil
}

func iterableValue(x starlark.Iterable, depth int) (value.Value, error) {
	it := x.Iterate()
	defer it.Done()
	var elems []value.Value
	var e starlark.Value
	for it.Next(&e) {
		v, err := toValue(e, depth+1)
		if err != nil {
			return value.Value{}, err
		}
		elems = append(elems, v)
	}
	return value.OfList(elems...), nil
}

// toSlot converts a value that is being stored. What is stored is a copy; a plain
// list or dict is frozen, so that a later change to it fails instead of being
// lost.
func (t *tree) toSlot(x starlark.Value) (slot, error) {
	v, err := toValue(x, 0)
	if err != nil {
		return slot{}, err
	}
	x.Freeze()
	return slot{val: v}, nil
}

func unescape(token string) string {
	if !strings.Contains(token, "~") {
		return token
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// short returns a value's text in bounded length, for messages.
func short(x starlark.Value) string {
	const most = 80
	s := x.String()
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// text returns a container's text in bounded length.
func (n *node) text() string {
	return n.value().Repr()
}
