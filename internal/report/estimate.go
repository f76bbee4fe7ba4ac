package report

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Estimate is a number with its interval. Value is nil if the number is undefined, and Reason says
// why. Low and High are nil if there is no interval; Reason says why if such a number usually has
// one. Numbers are rounded to 6 decimals, so that they are the same on every machine.
type Estimate struct {
	Value  *float64 `json:"value"`
	Low    *float64 `json:"low,omitempty"`
	High   *float64 `json:"high,omitempty"`
	Reason string   `json:"reason,omitempty"`
}

// Defined reports whether there is a value.
func (e Estimate) Defined() bool { return e.Value != nil }

// OrLowest returns the value for sorting: an undefined one is lower than all others.
func (e Estimate) OrLowest() float64 {
	if e.Value == nil {
		return math.Inf(-1)
	}
	return *e.Value
}

// HasInterval reports whether both ends are known.
func (e Estimate) HasInterval() bool { return e.Low != nil && e.High != nil }

// WithoutInterval returns only the value.
func (e Estimate) WithoutInterval() Estimate { return Estimate{Value: e.Value, Reason: e.Reason} }

// NoSample returns a value (nil for none) without an interval, because its labels are a selection
// and not a random sample.
func NoSample(value *float64) Estimate { return Estimate{Value: value, Reason: "no_sample"} }

// Undefined returns an undefined number with the reason.
func Undefined(r stat.Reason) Estimate { return Estimate{Reason: string(r)} }

// Point returns a value without an interval; an undefined one keeps its reason.
func Point(o stat.Opt) Estimate {
	if !o.Valid {
		return Undefined(o.Reason)
	}
	return Estimate{Value: Rounded(o.Value)}
}

// Interval returns a value of package agreement with its interval, or with the reason why it has
// none. An undefined value keeps its reason.
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

// Times returns e multiplied by factor, for example 100 for percentage points. A negative factor
// swaps the ends of the interval.
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

// Including widens the interval, if there is one, so that it contains x.
func (e Estimate) Including(x float64) Estimate {
	if e.HasInterval() {
		e.Low, e.High = Rounded(min(x, *e.Low)), Rounded(max(x, *e.High))
	}
	return e
}

// Clipped clips the ends of the interval to [low, high], for display: a computed interval may
// extend beyond the possible values.
func (e Estimate) Clipped(low, high float64) Estimate {
	if e.HasInterval() {
		e.Low, e.High = Rounded(max(low, *e.Low)), Rounded(min(high, *e.High))
	}
	return e
}

// Rounded returns f rounded to 6 decimals; nil if it is not finite.
func Rounded(f float64) *float64 {
	const digits = 1e6
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	if math.Abs(f) < 1e9 {
		f = math.Round(f*digits)/digits + 0 // turns -0 into 0
	}
	return &f
}
