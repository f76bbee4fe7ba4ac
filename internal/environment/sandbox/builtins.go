package sandbox

import (
	"fmt"
	"math"
	"strconv"

	"go.starlark.net/lib/json"
	starmath "go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/judgekit/judge/internal/value"
)

// builtin is the form of a built-in function.
type builtin = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

// builtins returns what a program may use besides the language itself. Nothing reads a file, the
// clock, the environment or random numbers.
func builtins() starlark.StringDict {
	fn := starlark.NewBuiltin
	return starlark.StringDict{
		"json":     json.Module,
		"math":     starmath.Module,
		"round":    fn("round", round),
		"type":     fn("type", typeName),
		"copy":     fn("copy", deepCopy),
		trueName:   starlark.True,
		equalName:  fn("==", compare(equal)),
		memberName: fn("in", compare(contains)),
	}
}

// round rounds like Python's round: round(x) is an integer, round(x, n) keeps the type; ties go to
// even, by the exact binary value.
func round(
	_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
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

func typeName(
	_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	var x starlark.Value
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &x); err != nil {
		return nil, err
	}
	if _, ok := x.(*object); ok {
		return starlark.String("dict"), nil
	}
	return starlark.String(x.Type()), nil
}

// deepCopy returns a plain copy of a value, which can be changed without changing the state.
func deepCopy(
	_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	var x starlark.Value
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &x); err != nil {
		return nil, err
	}
	v, err := toValue(x, value.Value{}, 0)
	if err != nil {
		return nil, err
	}
	return plain(v), nil
}

func compare(holds func(x, y starlark.Value) (bool, error)) builtin {
	return func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
		_ []starlark.Tuple) (starlark.Value, error) {
		ok, err := holds(args[0], args[1])
		return starlark.Bool(ok), err
	}
}

// equal compares two values by content: an object of the state equals a plain dict with the same members.
func equal(x, y starlark.Value) (bool, error) { return equalAt(x, y, 0) }

func equalAt(x, y starlark.Value, depth int) (bool, error) {
	if depth > maxDepth {
		return false, fmt.Errorf("a comparison went deeper than %d levels", maxDepth)
	}
	switch a := x.(type) {
	case starlark.IterableMapping:
		b, ok := y.(starlark.IterableMapping)
		if !ok {
			return false, nil
		}
		return equalMappings(a, b, depth)
	case *starlark.List:
		b, ok := y.(*starlark.List)
		return equalElements(a, b, ok, depth)
	case starlark.Tuple:
		b, ok := y.(starlark.Tuple)
		return equalElements(a, b, ok, depth)
	}
	return starlark.Equal(x, y)
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
		if eq, err := equalAt(kv[1], other, depth+1); !eq || err != nil {
			return false, err
		}
	}
	return true, nil
}

func equalElements(x, y starlark.Indexable, sameType bool, depth int) (bool, error) {
	if !sameType || x.Len() != y.Len() {
		return false, nil
	}
	for i := range x.Len() {
		if eq, err := equalAt(x.Index(i), y.Index(i), depth+1); !eq || err != nil {
			return false, err
		}
	}
	return true, nil
}

// contains implements x in y.
func contains(x, y starlark.Value) (bool, error) {
	switch list := y.(type) {
	case *starlark.List, starlark.Tuple:
		for e := range starlark.Elements(list.(starlark.Iterable)) {
			if eq, err := equal(x, e); eq || err != nil {
				return eq, err
			}
		}
		return false, nil
	}
	found, err := starlark.Binary(syntax.IN, x, y)
	return found == starlark.True, err
}
