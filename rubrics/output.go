package rubrics

import (
	"slices"

	"github.com/judgekit/judge/internal/value"
)

// NotApplicable is the output of an answer which says that the question does not apply.
const NotApplicable = "not_applicable"

// Output is the scale of a rubric's score: a range of numbers, or a list of categories.
type Output struct {
	// Integer says that only whole numbers are scores.
	Integer bool
	// Min and Max bound the scale, Low and High the pass band: Min ≤ Low ≤ High ≤
	// Max and Min < Max. Without a pass band Low is greater than High.
	Min, Max, Low, High float64
	// Categories are the possible answers in the author's order, nil for a scale of numbers. The
	// number of a category is 1 if it passes and 0 if not; without Pass it is its place in the
	// list, from 1.
	Categories []string
	// Pass names the categories that pass.
	Pass []string
	// NoPass says that no answer passes or fails: there is only a distribution.
	NoPass bool
	// MayNotApply says that NotApplicable is an answer too.
	MayNotApply bool
	// Description is the schema's own description of the output.
	Description string
}

// Band is a closed interval.
type Band struct{ Low, High float64 }

// Contains reports whether x is in the band, bounds included.
func (b Band) Contains(x float64) bool { return b.Low <= x && x <= b.High }

// PassBand returns the interval of passing scores. It contains nothing if NoPass is set.
func (o Output) PassBand() Band { return Band{o.Low, o.High} }

// Binary reports whether the scale has exactly two values.
func (o Output) Binary() bool { return o.Integer && o.Max-o.Min == 1 }

// Margin returns the distance from Low within which a score is borderline: 0 for categories and a
// binary scale, an eighth of the scale for integers (0.5 on 1..5), a tenth for numbers (0.1 on
// 0..1).
func (o Output) Margin() float64 {
	switch {
	case o.Binary() || o.Categories != nil:
		return 0
	case o.Integer:
		return (o.Max - o.Min) / 8
	}
	return (o.Max - o.Min) / 10
}

// Take returns the number and the category of a valid output. The number is nil if the question
// does not apply; the category is "" on a scale of numbers.
func (o Output) Take(v value.Value) (number *float64, category string) {
	if o.IsNotApplicable(v) {
		return nil, NotApplicable
	}
	if o.Categories == nil {
		if f, ok := v.Float64(); ok {
			return new(f + 0), "" // -0 is 0
		}
		return nil, ""
	}
	category = v.Text()
	place := slices.Index(o.Categories, category)
	switch {
	case place < 0:
		return nil, ""
	case o.NoPass:
		return new(float64(place + 1)), category
	case slices.Contains(o.Pass, category):
		return new(1.0), category
	}
	return new(0.0), category
}

// Meant returns the output that a text in another spelling ("Yes", "n/a") or a truth value stands
// for. other says that it differs from v.
func (o Output) Meant(v value.Value) (meant value.Value, other bool) {
	text, isText := v.Str()
	if b, ok := v.BoolVal(); ok && o.Categories != nil {
		text, isText = map[bool]string{true: "yes", false: "no"}[b], true
	}
	if !isText || o.IsNotApplicable(v) {
		return v, false
	}
	for _, name := range o.Categories {
		if sameName(name, text) {
			return value.OfString(name), name != v.Text()
		}
	}
	if o.MayNotApply && (sameName(text, NotApplicable) || sameName(text, "n/a")) {
		return value.OfString(NotApplicable), true
	}
	return v, false
}

// IsNotApplicable reports whether an output says that the question does not apply, on a scale that
// allows it.
func (o Output) IsNotApplicable(v value.Value) bool {
	s, ok := v.Str()
	return ok && o.MayNotApply && s == NotApplicable
}

// setCategories makes the output a list of categories; pass lists those that pass, nil if none
// passes or fails.
func (o *Output) setCategories(categories, pass []string) {
	o.Integer, o.Categories, o.Pass = true, categories, pass
	o.Min, o.Max, o.Low, o.High = 0, 1, 1, 1
	if o.NoPass = pass == nil; o.NoPass {
		o.Min, o.Max = 1, float64(len(categories))
		o.dropPass()
	}
}

// dropPass removes the pass band from the scale.
func (o *Output) dropPass() { o.NoPass, o.Low, o.High = true, 1, 0 }

// sent returns the schema of the output as it is sent to a judge.
func (o Output) sent(spec value.Value) value.Value {
	switch {
	case !o.MayNotApply:
		return spec
	case o.Categories != nil:
		return spec.With("enum", value.OfStrings(append(slices.Clone(o.Categories), NotApplicable)...))
	}
	either := value.OfList(spec.Without("description"), value.Pairs("const", NotApplicable))
	out := value.Pairs("anyOf", either)
	if d, ok := spec.Get("description"); ok {
		out = out.With("description", d)
	}
	return out
}
