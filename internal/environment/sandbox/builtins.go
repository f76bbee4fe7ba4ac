package sandbox

import (
	"fmt"
	"math"
	"strconv"

	"go.starlark.net/lib/json"
	starmath "go.starlark.net/lib/math"
	"go.starlark.net/starlark"
)

// builtins returns what a program may use besides the language itself. There is
// nothing among it that reads a file, the clock, the environment or chance.
func builtins() starlark.StringDict {
	fn := starlark.NewBuiltin
	return starlark.StringDict{
		"json":     json.Module,
		"math":     starmath.Module,
		"round":    fn("round", round),
		"type":     fn("type", typeName),
		"copy":     fn("copy", deepCopy),
		equalName:  fn("==", compare(false)),
		notEqual:   fn("!=", compare(true)),
		memberName: fn("in", member(false)),
		notMember:  fn("not in", member(true)),
		extendName: fn("+=", addInPlace),
	}
}

type builtin = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

// round rounds as Python's round does: round(x) is an integer, round(x, n) keeps
// the type; ties by the exact binary value, to even.
func round(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, digits starlark.Value = nil, starlark.None
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "number", &x, "ndigits?", &digits); err != nil {
		return nil, err
	}
	if i, ok := x.(starlark.Int); ok {
		return i, nil
	}
	f, ok := starlark.AsFloat(x)
	if !ok {
		return nil, fmt.Errorf("round: got %s, want a number", x.Type())
	}
	if digits == starlark.None {
		return starlark.NumberToInt(starlark.Float(math.RoundToEven(f)))
	}
	n, err := starlark.AsInt32(digits)
	if err != nil || n < 0 || n > 300 {
		return nil, fmt.Errorf("round: ndigits must be an integer from 0 to 300")
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', n, 64), 64)
	return starlark.Float(r), err
}

func typeName(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x starlark.Value
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &x); err != nil {
		return nil, err
	}
	switch x.(type) {
	case object:
		return starlark.String("dict"), nil
	case list:
		return starlark.String("list"), nil
	}
	return starlark.String(x.Type()), nil
}

// deepCopy returns a plain copy of a value, which may be changed without touching
// the state.
func deepCopy(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x starlark.Value
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &x); err != nil {
		return nil, err
	}
	v, err := toValue(x, 0)
	if err != nil {
		return nil, err
	}
	return fromValue(v), nil
}

func compare(negate bool) builtin {
	return func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		eq, err := equal(args[0], args[1], 0)
		return starlark.Bool(eq != negate), err
	}
}

// equal compares by content: a list of the state equals a plain list with equal
// elements, an object of the state a plain dict.
func equal(x, y starlark.Value, depth int) (bool, error) {
	if depth > maxDepth {
		return false, fmt.Errorf("a comparison went deeper than %d levels", maxDepth)
	}
	if m, ok := x.(starlark.IterableMapping); ok {
		other, ok := y.(starlark.IterableMapping)
		if !ok {
			return false, nil
		}
		return equalMappings(m, other, depth)
	}
	if a, ok := listElements(x); ok {
		b, ok := listElements(y)
		if !ok || a.Len() != b.Len() {
			return false, nil
		}
		for i := range a.Len() {
			if eq, err := equal(a.Index(i), b.Index(i), depth+1); !eq || err != nil {
				return false, err
			}
		}
		return true, nil
	}
	if a, ok := x.(starlark.Tuple); ok {
		b, ok := y.(starlark.Tuple)
		if !ok || len(a) != len(b) {
			return false, nil
		}
		for i := range a {
			if eq, err := equal(a[i], b[i], depth+1); !eq || err != nil {
				return false, err
			}
		}
		return true, nil
	}
	return starlark.Equal(x, y)
}

func listElements(x starlark.Value) (starlark.Indexable, bool) {
	switch x := x.(type) {
	case *starlark.List:
		return x, true
	case list:
		return x, true
	}
	return nil, false
}

func equalMappings(x, y starlark.IterableMapping, depth int) (bool, error) {
	a, b := x.Items(), y.Items()
	if len(a) != len(b) {
		return false, nil
	}
	for _, kv := range a {
		other, ok, err := y.Get(kv[0])
		if !ok || err != nil {
			return false, err
		}
		if eq, err := equal(kv[1], other, depth+1); !eq || err != nil {
			return false, err
		}
	}
	return true, nil
}

func member(negate bool) builtin {
	return func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		in, err := contains(args[0], args[1])
		return starlark.Bool(in != negate), err
	}
}

func contains(x, y starlark.Value) (bool, error) {
	switch y := y.(type) {
	case *starlark.List, starlark.Tuple, list:
		for i := range y.(starlark.Sequence).Len() {
			if eq, err := equal(x, y.(starlark.Indexable).Index(i), 0); eq || err != nil {
				return eq, err
			}
		}
		return false, nil
	case starlark.Container:
		return y.Has(x)
	case starlark.Mapping:
		// As in the language: a key that cannot be looked up is not in it.
		_, found, _ := y.Get(x)
		return found, nil
	}
	return false, fmt.Errorf("unknown binary op: %s in %s", x.Type(), y.Type())
}

// addInPlace is x += y: lists grow where they are, everything else gives x + y.
func addInPlace(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	x, y := args[0], args[1]
	switch x := x.(type) {
	case list:
		items, ok := y.(starlark.Iterable)
		if !ok {
			return nil, fmt.Errorf("unknown binary op: list + %s", y.Type())
		}
		if err := x.n.writable(); err != nil {
			return nil, err
		}
		x.n.unfold()
		_, err := x.extend(starlark.Tuple{items}, nil)
		return x, err
	case *starlark.List:
		items, ok := y.(starlark.Iterable)
		if !ok {
			return nil, fmt.Errorf("unknown binary op: list + %s", y.Type())
		}
		for _, e := range gather(items) {
			if err := x.Append(e); err != nil {
				return nil, err
			}
		}
		return x, nil
	}
	return starlark.Binary(plus, x, y)
}
