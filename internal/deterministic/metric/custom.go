package metric

import (
	"errors"
	"fmt"
	"math"
	"strings"

	starlarkmath "go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// maxSteps bounds an expression's work, maxExpression its text.
const (
	maxSteps      = 20_000_000
	maxExpression = 16 << 10
)

// Expression is a compiled Starlark expression over the observations:
//
//	values   the scores, in order, without those that are missing
//	labels   the label of each value, None where there is none
//	n        len(values)
//	mean     mean(list), None of an empty list
//	math     the module math (sqrt, log, floor …)
//
// beside Starlark's own sum-free basics (len, min, max, sorted, zip, any, all …)
// and sum. It reads nothing else: there is no load, no clock, no state.
type Expression struct{ source string }

// Compile checks an expression.
func Compile(source string) (*Expression, error) {
	if strings.TrimSpace(source) == "" {
		return nil, errors.New("is missing")
	}
	if len(source) > maxExpression {
		return nil, fmt.Errorf("is longer than %d bytes", maxExpression)
	}
	if _, err := (&syntax.FileOptions{}).ParseExpr("expression", source, 0); err != nil {
		return nil, fmt.Errorf("%.200s", err.Error())
	}
	return &Expression{source}, nil
}

// Eval evaluates the expression, which must give a finite number, a bool (1 or 0),
// or None (no figure).
func (e *Expression) Eval(all []Observation) (f *float64, err error) {
	// The evaluator refuses absurd repetitions by an error, and a few by a panic.
	defer func() {
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("expression failed: %.200v", r)
		}
	}()
	thread := &starlark.Thread{Name: "metric", Load: nil, Print: func(*starlark.Thread, string) {}}
	thread.SetMaxExecutionSteps(maxSteps)
	got, err := starlark.EvalOptions(&syntax.FileOptions{}, thread, "expression", e.source, environment(all))
	if err != nil {
		return nil, fmt.Errorf("%.200s", err.Error())
	}
	var x float64
	switch v := got.(type) {
	case starlark.NoneType:
		return nil, nil
	case starlark.Bool:
		if v {
			x = 1
		}
	case starlark.Int:
		x = float64(v.Float())
	case starlark.Float:
		x = float64(v)
	default:
		return nil, fmt.Errorf("expression gives a %s, must give a number", got.Type())
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, errors.New("expression gives no finite number")
	}
	return &x, nil
}

func environment(all []Observation) starlark.StringDict {
	var values, labels []starlark.Value
	for _, o := range all {
		if o.Value == nil || math.IsNaN(*o.Value) || math.IsInf(*o.Value, 0) {
			continue
		}
		values = append(values, starlark.Float(*o.Value))
		label := starlark.Value(starlark.None)
		if o.Label != nil {
			label = starlark.Float(*o.Label)
		}
		labels = append(labels, label)
	}
	return starlark.StringDict{
		"values": starlark.NewList(values),
		"labels": starlark.NewList(labels),
		"n":      starlark.MakeInt(len(values)),
		"math":   starlarkmath.Module,
		"sum":    starlark.NewBuiltin("sum", sumOf),
		"mean":   starlark.NewBuiltin("mean", meanOf),
	}
}

// total adds the numbers of an iterable.
func total(name string, args starlark.Tuple, kwargs []starlark.Tuple) (sum float64, n int, err error) {
	var list starlark.Iterable
	if err := starlark.UnpackPositionalArgs(name, args, kwargs, 1, &list); err != nil {
		return 0, 0, err
	}
	it := list.Iterate()
	defer it.Done()
	var v starlark.Value
	for it.Next(&v) {
		if b, ok := v.(starlark.Bool); ok {
			if b {
				sum++
			}
			n++
			continue
		}
		x, ok := starlark.AsFloat(v)
		if !ok {
			return 0, 0, fmt.Errorf("%s: a %s is no number", name, v.Type())
		}
		sum += x
		n++
	}
	return sum, n, nil
}

func sumOf(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	sum, _, err := total(b.Name(), args, kwargs)
	return starlark.Float(sum), err
}

func meanOf(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	sum, n, err := total(b.Name(), args, kwargs)
	if err != nil || n == 0 {
		return starlark.None, err
	}
	return starlark.Float(sum / float64(n)), nil
}

// custom evaluates the expression of a metric.
func (m Metric) custom(f *Figure, all []Observation) {
	f.N = len(scored(all))
	e, err := Compile(m.Expression)
	if err == nil {
		f.Value, err = e.Eval(all)
	}
	switch {
	case err != nil:
		f.Note = err.Error()
	case f.Value == nil:
		f.Note = "the expression gives None"
	}
}
