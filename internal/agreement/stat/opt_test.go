package stat

import (
	"math"
	"testing"
)

// TestIntervals: if one end of an interval is undefined, so is the interval, for the same reason.
func TestIntervals(t *testing.T) {
	one, two, none := Some(1), Some(2), None(TooFew)
	for name, tt := range map[string]struct{ got, want Interval }{
		"around":                {Around(two, one), Interval{one, Some(3)}},
		"around nothing":        {Around(none, one), NoInterval(TooFew)},
		"of no width":           {Around(one, none), NoInterval(TooFew)},
		"both ends":             {Both(one, two), Interval{one, two}},
		"without its low end":   {Both(none, two), NoInterval(TooFew)},
		"without its high end":  {Both(one, none), NoInterval(TooFew)},
		"without any, by first": {Both(None(NoItems), none), NoInterval(NoItems)},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, tt.got, tt.want)
		}
	}
}

// TestUndefinedStays: what is not finite is undefined, and arithmetic with an undefined value keeps its reason.
func TestUndefinedStays(t *testing.T) {
	one, none, other := Some(1), None(TooFew), None(OneClass)
	for name, tt := range map[string]struct{ got, want Opt }{
		"infinite":       {Some(math.Inf(1)), None(notFinite)},
		"minus infinite": {Some(math.Inf(-1)), None(notFinite)},
		"no number":      {Some(math.NaN()), None(notFinite)},
		"a ratio":        {Ratio(3, 4, TooFew), Some(0.75)},
		"of one":         {Ratio(3, 1, TooFew), Some(3)},
		"by nothing":     {Ratio(0, 0, TooFew), none},
		"times":          {Some(3).Times(2), Some(6)},
		"none times":     {none.Times(2), none},
		"times too much": {Some(1e308).Times(10), None(notFinite)},
		"minus":          {Some(3).Minus(one), Some(2)},
		"none minus":     {none.Minus(one), none},
		"minus none":     {one.Minus(none), none},
		"none minus one": {none.Minus(other), none},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, tt.got, tt.want)
		}
	}
	if p := Some(0).Pointer(); p == nil || *p != 0 || none.Pointer() != nil {
		t.Errorf("pointers %v and %v", p, none.Pointer())
	}
	for _, alpha := range []float64{0, 1, -0.5, 1.5, math.NaN()} {
		if CheckAlpha(alpha) == nil {
			t.Errorf("alpha %v is allowed", alpha)
		}
	}
	if err := CheckAlpha(0.05); err != nil {
		t.Error(err)
	}
}
