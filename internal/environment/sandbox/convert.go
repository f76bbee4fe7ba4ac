package sandbox

import (
	"fmt"
	"math"
	"math/big"

	"go.starlark.net/starlark"

	"github.com/judgekit/judge/internal/value"
)

// maxDepth limits how deep a value may be nested.
const maxDepth = 200

// strict distinguishes values with different JSON.
var strict = value.Equality{StrictKinds: true}

// convert converts a JSON value to Starlark; inner converts the elements of a list.
func convert(v value.Value, inner func(value.Value) starlark.Value) starlark.Value {
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
	if !v.IsList() {
		return starlark.None
	}
	elems := make([]starlark.Value, v.Len())
	for i, e := range v.Elements() {
		elems[i] = inner(e)
	}
	return starlark.NewList(elems)
}

// plain converts a value completely to plain Starlark lists and dicts, for arguments.
func plain(v value.Value) starlark.Value {
	if v.Kind() != value.Object {
		return convert(v, plain)
	}
	d := starlark.NewDict(v.Len())
	for k, e := range v.Members() {
		// Setting a string key in a fresh dict cannot fail.
		_ = d.SetKey(starlark.String(k), plain(e))
	}
	return d
}

// toValue converts a Starlark value to JSON. Sets become lists; functions and infinities have no
// JSON and give an error. If x is still equal to the JSON value was from which it was made, the
// result is was, so that its digits stay.
func toValue(x starlark.Value, was value.Value, depth int) (value.Value, error) {
	if depth > maxDepth {
		return value.Value{}, fmt.Errorf("a value is nested deeper than %d levels", maxDepth)
	}
	switch x := x.(type) {
	case *object:
		return x.value(depth)
	case starlark.IterableMapping:
		return mappingValue(x, depth)
	case starlark.Iterable:
		return iterableValue(x, was, depth)
	case starlark.Float:
		if was.Kind() == value.Float && convert(was, plain) == x {
			return was, nil
		}
	}
	v, err := scalarValue(x)
	if err == nil && strict.Equal(v, was) {
		return was, nil
	}
	return v, err
}

func scalarValue(x starlark.Value) (value.Value, error) {
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
		v, err := toValue(kv[1], value.Value{}, depth+1)
		if err != nil {
			return value.Value{}, err
		}
		members = append(members, value.Member{Key: key, Value: v})
	}
	return value.OfObject(members...), nil
}

func iterableValue(x starlark.Iterable, was value.Value, depth int) (value.Value, error) {
	it := x.Iterate()
	defer it.Done()
	var elems []value.Value
	same := was.IsList()
	for i := 0; ; i++ {
		var e starlark.Value
		if !it.Next(&e) {
			break
		}
		var before value.Value
		if was.IsList() && i < was.Len() {
			before = was.At(i)
		}
		v, err := toValue(e, before, depth+1)
		if err != nil {
			return value.Value{}, err
		}
		same = same && value.Same(v, before)
		elems = append(elems, v)
	}
	if same && len(elems) == was.Len() {
		return was, nil
	}
	return value.OfList(elems...), nil
}

// short returns a value's text with limited length, for messages.
func short(x starlark.Value) string {
	const most = 80
	return value.Excerpt(x.String(), most)
}
