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

// maxSteps limits an expression's work, maxExpression its text.
const (
	maxSteps      = 20_000_000
	maxExpression = 16 << 10
)

// prelude defines functions in addition to Starlark's own.
const prelude = `
def sum(list):
    total = 0.0
    for x in list:
        total += float(x)
    return total

def mean(list):
    return sum(list) / len(list) if list else None
`

// checkExpression names what is wrong with a Starlark expression over the observations:
//
//	values   the scores, in order, without those that are missing
//	labels   the label of each value, None for a value without one
//	n        len(values)
//	mean     mean(list), None of an empty list
//	math     the module math (sqrt, log, floor …)
//
// beside sum and Starlark's own functions (len, min, max, sorted, zip, any, all …). It
// reads nothing else: there is no load, no clock, no state.
func checkExpression(source string) error {
	if strings.TrimSpace(source) == "" {
		return errors.New("is missing")
	}
	if len(source) > maxExpression {
		return fmt.Errorf("is longer than %d bytes", maxExpression)
	}
	if _, err := (&syntax.FileOptions{}).ParseExpr("expression", source, 0); err != nil {
		return fmt.Errorf("%.200s", err.Error())
	}
	return nil
}

// evaluate evaluates an expression, whose result must be a finite number, a bool (1 or 0), or None
// (no figure).
func evaluate(source string, all []Observation) (f *float64, err error) {
	// The evaluator refuses absurd repetitions with an error, and a few with a panic.
	defer func() {
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("expression failed: %.200v", r)
		}
	}()
	thread := &starlark.Thread{Name: "metric", Print: func(*starlark.Thread, string) {}}
	thread.SetMaxExecutionSteps(maxSteps)
	options := &syntax.FileOptions{}
	globals, err := starlark.ExecFileOptions(options, thread, "prelude", prelude, nil)
	if err != nil {
		return nil, err
	}
	addObservations(globals, all)
	got, err := starlark.EvalOptions(options, thread, "expression", source, globals)
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

func addObservations(globals starlark.StringDict, all []Observation) {
	var values, labels []starlark.Value
	for _, o := range all {
		if !o.scored() {
			continue
		}
		values = append(values, starlark.Float(*o.Value))
		label := starlark.Value(starlark.None)
		if o.Label != nil {
			label = starlark.Float(*o.Label)
		}
		labels = append(labels, label)
	}
	globals["values"], globals["labels"] = starlark.NewList(values), starlark.NewList(labels)
	globals["n"], globals["math"] = starlark.MakeInt(len(values)), starlarkmath.Module
}

// custom evaluates the expression of a metric.
func (m Metric) custom(f *Figure, all []Observation) {
	f.N = len(scores(all))
	var err error
	switch f.Value, err = evaluate(m.Expression, all); {
	case err != nil:
		f.Note = err.Error()
	case f.Value == nil:
		f.Note = "the expression gives None"
	}
}
