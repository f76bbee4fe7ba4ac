package stat

import "testing"

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
