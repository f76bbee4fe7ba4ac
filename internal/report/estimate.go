package report

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report/words"
)

// Estimate is a number with its interval. Value is nil where the number is
// undefined, and Reason says why; Low and High are nil where there is no interval, and
// Reason says why where the number has one as a rule.
// Numbers are rounded to 6 decimals, so that they are the same on every machine.
type Estimate struct {
	Value  *float64 `json:"value"`
	Low    *float64 `json:"low,omitempty"`
	High   *float64 `json:"high,omitempty"`
	Reason string   `json:"reason,omitempty"`
}

// Defined reports whether there is a value.
func (e Estimate) Defined() bool { return e.Value != nil }

// OrLowest is the value for sorting: an undefined one is below all others.
func (e Estimate) OrLowest() float64 {
	if e.Value == nil {
		return math.Inf(-1)
	}
	return *e.Value
}

// HasInterval reports whether both ends are there.
func (e Estimate) HasInterval() bool { return e.Low != nil && e.High != nil }

// WithoutInterval is the value alone.
func (e Estimate) WithoutInterval() Estimate { return Estimate{Value: e.Value, Reason: e.Reason} }

// NoSample is a value, nil for none, that has no interval since the labels it rests on are a choice
// and no random sample.
func NoSample(value *float64) Estimate { return Estimate{Value: value, Reason: "no_sample"} }

// Undefined is a number that does not exist, with the reason.
func Undefined(r stat.Reason) Estimate { return Estimate{Reason: string(r)} }

// Point is a value without an interval; an undefined one keeps its reason.
func Point(o stat.Opt) Estimate {
	if !o.Valid {
		return Undefined(o.Reason)
	}
	return Estimate{Value: Rounded(o.Value)}
}

// Interval is a value of package agreement with its interval, or with the reason why it
// has none; an undefined value keeps its reason.
func Interval(o stat.Opt, iv stat.Interval) Estimate {
	e := Point(o)
	switch {
	case e.Value == nil:
	case iv.Low.Valid && iv.High.Valid:
		e.Low, e.High = Rounded(iv.Low.Value), Rounded(iv.High.Value)
	default:
		e.Reason = string(iv.Low.Reason)
	}
	return e
}

// Times is e in units 1/factor as large, as 100 for points of a share; a negative
// factor turns the interval round.
func (e Estimate) Times(factor float64) Estimate {
	scale := func(f *float64) *float64 {
		if f == nil {
			return nil
		}
		return Rounded(factor * *f)
	}
	e.Value, e.Low, e.High = scale(e.Value), scale(e.Low), scale(e.High)
	if factor < 0 {
		e.Low, e.High = e.High, e.Low
	}
	return e
}

// Clipped moves the ends of the interval into [low, high], for display: an interval
// that is computed may reach beyond what the number can be.
func (e Estimate) Clipped(low, high float64) Estimate {
	if e.HasInterval() {
		e.Low, e.High = Rounded(max(low, *e.Low)), Rounded(min(high, *e.High))
	}
	return e
}

// Rounded is f to 6 decimals, nil where it is not finite.
func Rounded(f float64) *float64 {
	const digits = 1e6
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	if math.Abs(f) < 1e9 {
		f = math.Round(f*digits)/digits + 0 // no -0 in the output
	}
	return &f
}

// reasons say in words why a number is undefined.
var reasons = map[string]string{
	"no_items":               "no items",
	"one_class":              "one class only",
	"zero_variance":          "all values are the same",
	"no_chance_disagreement": "both sides have one verdict, the same",
	"too_few":                "too few items",
	"not_applicable":         "not applicable",
	"not_finite":             "the numbers are too large",
	"no_verdicts":            "no verdicts",
	"no_threshold":           "no pass mark",
	"off_scale":              "values off the scale",
	"no_sample":              "the labels are no random sample",
	"small_j":                "the judge's J is too small or not known well enough",
	"circular":               "the judge was shown the reference",
	"one_cluster":            "one conversation says nothing of others",
	"one_cluster_decides":    "without one of the conversations there is no value",
	"no_disagreement":        "there is no disagreement to estimate an error from",
	"few_rare":               "too little of the rarer class",
	"few_varied":             "most values are the same",
	"no_gold":                "neither side is gold",
	"too_many_values":        "too many different values",
}

// Why says in words why there is no value, or no interval; "" where there are both, and for
// a number that never has an interval.
func (e Estimate) Why() string {
	if words, ok := reasons[e.Reason]; ok {
		return words
	}
	return e.Reason
}

// String prints "0.61 [0.52, 0.70]", or why there is no value or no interval.
func (e Estimate) String() string {
	if e.Value == nil {
		return "undefined (" + e.Why() + ")"
	}
	return words.Number(e.Value, e.Low, e.High, 2).String() + e.noInterval()
}

// noInterval says in brackets why there is no interval.
func (e Estimate) noInterval() string {
	if e.HasInterval() || e.Reason == "" {
		return ""
	}
	return " (no interval: " + e.Why() + ")"
}

// Percent prints "61.0 %", with ends "61.0 % [52.0, 70.0]", or why there is no
// value.
func (e Estimate) Percent(ends bool) string {
	if e.Value == nil {
		return "undefined (" + e.Why() + ")"
	}
	c := words.Percent(e.Value, e.Low, e.High, 1)
	if !ends {
		return c.Text
	}
	return c.String() + e.noInterval()
}
