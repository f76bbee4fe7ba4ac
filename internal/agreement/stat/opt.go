package stat

import "math"

// Reason says why a value is undefined. The zero Reason belongs to a defined value.
type Reason string

// The reasons why a value can be undefined.
const (
	NoItems              Reason = "no_items"               // nothing in the denominator
	OneClass             Reason = "one_class"              // both classes are needed
	ZeroVariance         Reason = "zero_variance"          // a column or a difference is constant
	NoChanceDisagreement Reason = "no_chance_disagreement" // chance alone would agree always
	TooFew               Reason = "too_few"                // items, clusters or ratings
	NotApplicable        Reason = "not_applicable"         // the requested variant has no such value
	notFinite            Reason = "not_finite"             // the input overflows the arithmetic
	LowCoverage          Reason = "low_coverage"           // too little probability on the scale
	NoQuorum             Reason = "no_quorum"              // too few judges answered
	NoAcceptedThreshold  Reason = "no_accepted_threshold"  // no threshold meets the demand
	OneCluster           Reason = "one_cluster"            // one cluster says nothing about others
	OneClusterDecides    Reason = "one_cluster_decides"    // without one of the clusters there is no value
	FewVaried            Reason = "few_varied"             // most values are the same
	FewRare              Reason = "few_rare"               // too few items, or clusters, of the rarer class
	NoDisagreement       Reason = "no_disagreement"        // nothing to estimate an error from
)

// Opt is a number that may be undefined. The zero Opt is undefined, so a
// forgotten field is never read as 0. A defined Opt is always finite.
type Opt struct {
	Value  float64 // 0 when undefined
	Valid  bool
	Reason Reason // why it is undefined; empty when Valid
}

// Some returns a defined value, or an undefined one with notFinite if v is not finite.
func Some(v float64) Opt {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Opt{Reason: notFinite}
	}
	return Opt{Value: v, Valid: true}
}

// None returns an undefined value with a reason.
func None(r Reason) Opt { return Opt{Reason: r} }

// Ratio returns num/den; undefined with reason r if den is 0.
func Ratio(num, den float64, r Reason) Opt {
	if den == 0 {
		return None(r)
	}
	return Some(num / den)
}

// Pointer returns the value as a pointer, nil when undefined.
func (o Opt) Pointer() *float64 {
	if !o.Valid {
		return nil
	}
	v := o.Value
	return &v
}

// Interval is a confidence interval; both ends are defined or neither is.
type Interval struct{ Low, High Opt }

// NoInterval returns an interval without ends.
func NoInterval(r Reason) Interval { return Interval{None(r), None(r)} }

// Around returns the interval center ± half; it is undefined when either is.
func Around(center, half Opt) Interval {
	for _, o := range []Opt{center, half} {
		if !o.Valid {
			return NoInterval(o.Reason)
		}
	}
	return Interval{Some(center.Value - half.Value), Some(center.Value + half.Value)}
}

// Times returns the value times f; an undefined value keeps its reason.
func (o Opt) Times(f float64) Opt {
	if !o.Valid {
		return o
	}
	return Some(o.Value * f)
}

// Minus returns the difference of two values, undefined if one of them is.
func (o Opt) Minus(p Opt) Opt {
	switch {
	case !o.Valid:
		return o
	case !p.Valid:
		return p
	}
	return Some(o.Value - p.Value)
}

// Warning is a remark on a valid value that the reader must know.
type Warning struct {
	Code   string
	Detail string // one line for people
}

// Missing returns the marker of a missing input value.
func Missing() float64 { return math.NaN() }

// Both returns the interval of two ends, undefined when one of them is.
func Both(low, high Opt) Interval {
	for _, o := range []Opt{low, high} {
		if !o.Valid {
			return NoInterval(o.Reason)
		}
	}
	return Interval{low, high}
}
