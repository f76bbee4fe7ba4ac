// Package metric computes the figures over a data set that a scorer's configuration can request:
// mean, extremes, spread, frequencies, classification against a label, an expression of the user's
// own, and a table for each tool and parameter.
//
// It promises that an observation without a value enters no figure, that an undefined figure (a
// precision without a positive, a deviation of one value) is nil with a reason and never NaN, and
// that the order of the input changes a figure by at most the last bits of a sum.
package metric

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/value"
)

// Observation is one score with the known outcome of the same item.
type Observation struct {
	// Value is nil if there is no score.
	Value *float64
	// Label is the known outcome, or nil.
	Label *float64
	// Class is the known outcome as a word, for multiclass classification; "" means the label's
	// number.
	Class string
}

// scored reports whether there is a value.
func (o Observation) scored() bool {
	return o.Value != nil && !math.IsNaN(*o.Value) && !math.IsInf(*o.Value, 0)
}

// Metric is one figure to compute.
type Metric struct {
	// Type is the kind of figure, such as "mean" or "f1".
	Type string
	// Name is the name in reports; "" means Type.
	Name string
	// Threshold is the smallest value (and label) that counts as positive, for the binary figures;
	// nil means 1.
	Threshold *float64
	// Expression is the Starlark expression of type custom.
	Expression string
}

// types are the known types of metrics.
var types = []string{
	"mean", "max", "min", "standard_deviation", "frequency", "binary_classification",
	"multiclass_classification", "recall", "precision", "f1", "custom",
}

// Parse parses the "metrics" of a scorer's configuration: a list of names, or of objects {type,
// name, threshold, expression}. null means no metrics.
func Parse(config value.Value) ([]Metric, error) {
	if config.IsNull() {
		return nil, nil
	}
	if !config.IsList() {
		return nil, fmt.Errorf("metrics: is %s, must be a list", config.Kind().WithArticle())
	}
	out := make([]Metric, 0, config.Len())
	for i, v := range config.Elements() {
		m, err := parseOne(v)
		if err != nil {
			return nil, fmt.Errorf("metrics[%d]%w", i, err)
		}
		out = append(out, m)
	}
	return out, nil
}

func parseOne(v value.Value) (Metric, error) {
	if name, ok := v.Str(); ok {
		v = value.OfObject(field("type", name))
	}
	var m Metric
	for key, field := range v.Members() {
		text, isText := field.Str()
		switch key {
		case "type":
			m.Type = strings.ReplaceAll(text, "-", "_")
		case "name":
			m.Name = text
		case "expression":
			m.Expression = text
		case "threshold":
			f, ok := field.Float64()
			if !ok || f < 0 || f > 1 {
				return m, fmt.Errorf(".threshold: is %.60s, must be a number from 0 to 1, as scores are", field.JSON())
			}
			m.Threshold, isText = &f, true
		default:
			return m, fmt.Errorf(".%s: is unknown; known are type, name, threshold, expression", key)
		}
		if !isText {
			return m, fmt.Errorf(".%s: is %s, must be a text", key, field.Kind().WithArticle())
		}
	}
	switch m.Type {
	case "std", "std_dev", "stddev", "stdev":
		m.Type = "standard_deviation"
	case "custom":
		if err := checkExpression(m.Expression); err != nil {
			return m, fmt.Errorf(".expression: %w", err)
		}
	}
	if !slices.Contains(types, m.Type) {
		return m, fmt.Errorf(".type: %q is unknown; known are %s", m.Type, strings.Join(types, ", "))
	}
	return m, nil
}

// Figure is a computed metric.
type Figure struct {
	Name string
	Type string
	// N counts the observations in it.
	N int
	// Value is nil if the figure is a table or undefined; Note says why.
	Value *float64
	// Table holds figures that are more than a number, as an object; else null.
	Table value.Value
	Note  string
}

// Compute computes a metric over observations.
func (m Metric) Compute(all []Observation) Figure {
	f := Figure{Name: cmp.Or(m.Name, m.Type), Type: m.Type}
	switch m.Type {
	case "mean", "max", "min", "standard_deviation":
		values := scores(all)
		f.N = len(values)
		f.Value, f.Note = summarize(m.Type, values)
	case "frequency":
		f.N, f.Table = frequency(all)
	case "multiclass_classification":
		multiclass(&f, all)
	case "custom":
		m.custom(&f, all)
	default:
		m.binary(&f, all)
	}
	return f
}

// scores returns the existing values.
func scores(all []Observation) []float64 {
	values := make([]float64, 0, len(all))
	for _, o := range all {
		if o.scored() {
			values = append(values, *o.Value)
		}
	}
	return values
}

// summarize computes a figure from the values alone. The standard deviation is a sample's (divided
// by n−1).
func summarize(kind string, values []float64) (*float64, string) {
	switch {
	case len(values) == 0:
		return nil, "no value"
	case kind == "max":
		return new(slices.Max(values)), ""
	case kind == "min":
		return new(slices.Min(values)), ""
	case kind == "mean":
		return new(stat.Mean(values)), ""
	case len(values) < 2:
		return nil, "needs two values"
	}
	return new(math.Sqrt(stat.Variance(values))), ""
}

// frequency counts each value, in ascending order.
func frequency(all []Observation) (int, value.Value) {
	values := scores(all)
	counts := map[float64]int{}
	for _, v := range values {
		counts[v]++
	}
	var rows []value.Value
	for _, v := range slices.Sorted(maps.Keys(counts)) {
		rows = append(rows, value.OfObject(
			field("value", v), field("count", counts[v]), field("share", ratio(counts[v], len(values)))))
	}
	return len(values), value.OfObject(field("values", rows))
}
