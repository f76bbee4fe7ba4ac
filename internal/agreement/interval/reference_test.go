package interval

import (
	"fmt"
	"math"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// singles returns the mean of values, each in a cluster of its own.
func singles(t *testing.T, values ...float64) ClusterSE {
	t.Helper()
	each := make([]int, len(values))
	for i := range each {
		each[i] = i
	}
	return stattest.Must[ClusterSE](t)(ClusterMean(values, each, 0.05))
}

func near(t *testing.T, what string, got stat.Opt, want, within float64) {
	t.Helper()
	if !got.Valid || !(math.Abs(got.Value-want) <= within) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestWelch compares with the textbook: t = (3-5)/√(2.5/5 + 6.667/4) with 4.7494 degrees of
// freedom, its tail integrated by Simpson's rule.
func TestWelch(t *testing.T) {
	a, b := singles(t, 1, 2, 3, 4, 5), singles(t, 2, 4, 6, 8)
	near(t, "p", Welch(a, b), 0.235194111, 1e-8)
	near(t, "p the other way round", Welch(b, a), 0.235194111, 1e-8)
	// Of equal variances, with 4 degrees of freedom, the tail has a closed form: t² = 1.5.
	near(t, "p of equal variances", Welch(singles(t, 1, 2, 3), singles(t, 2, 3, 4)),
		1-math.Sqrt(1.5/5.5)*(1+2/5.5), 1e-9)
	near(t, "degrees of freedom", stat.Some(Satterthwaite(0.5, 4, 5.0/3, 3)), 4.749414520, 1e-8)

	near(t, "equal without spread", Welch(singles(t, 2, 2), singles(t, 2, 2, 2)), 1, 0)
	near(t, "different without spread", Welch(singles(t, 2, 2), singles(t, 3, 3)), 0, 0)
	if p := Welch(singles(t, 1), b); p.Valid {
		t.Errorf("a mean without a standard error has p %v", p)
	}
	if p := Welch(b, singles(t, 1)); p.Valid {
		t.Errorf("a second mean without a standard error has p %v", p)
	}
}

func TestMcNemar(t *testing.T) {
	for _, tt := range []struct {
		b, c int
		want float64
	}{
		{0, 0, 1}, {0, 1, 1}, {0, 5, 0.0625}, {5, 0, 0.0625}, {1, 5, 0.21875}, {3, 3, 1},
	} {
		p, err := McNemar(tt.b, tt.c)
		if err != nil || !(math.Abs(p-tt.want) <= 1e-12) {
			t.Errorf("McNemar(%d, %d) = %v, %v, want %v", tt.b, tt.c, p, err, tt.want)
		}
	}
	for _, bad := range [][2]int{{-1, 0}, {0, -1}, {maxCount, 1}} {
		want := fmt.Sprintf("need 0 <= b, c and b+c <= 1e+09, got b=%d c=%d", bad[0], bad[1])
		if p, err := McNemar(bad[0], bad[1]); err == nil || err.Error() != want {
			t.Errorf("McNemar(%d, %d) = %v, %v, want %s", bad[0], bad[1], p, err, want)
		}
	}
	if _, err := McNemar(maxCount, 0); err != nil {
		t.Errorf("the largest count: %v", err)
	}
}

// TestMoverRatioPublished compares with equation (8) of Donner and Zou (2012) for positive estimates.
func TestMoverRatioPublished(t *testing.T) {
	est := func(v, low, high float64) Estimate {
		return Estimate{stat.Some(v), stat.Both(stat.Some(low), stat.Some(high))}
	}
	published := func(x, y, l1, u1, l2, u2 float64) (low, high float64) {
		low = (x*y - math.Sqrt(x*y*x*y-l1*u2*(2*x-l1)*(2*y-u2))) / (u2 * (2*y - u2))
		high = (x*y + math.Sqrt(x*y*x*y-u1*l2*(2*x-u1)*(2*y-l2))) / (l2 * (2*y - l2))
		return low, high
	}
	for _, tt := range [][6]float64{
		{0.30, 0.60, 0.20, 0.42, 0.50, 0.70},
		{0.80, 0.40, 0.70, 0.88, 0.30, 0.52},
	} {
		x, y, l1, u1, l2, u2 := tt[0], tt[1], tt[2], tt[3], tt[4], tt[5]
		low, high := published(x, y, l1, u1, l2, u2)
		ratio, ci := MoverRatio(est(x, l1, u1), est(y, l2, u2))
		near(t, "ratio", ratio, x/y, 1e-12)
		near(t, "low", ci.Low, low, 1e-12)
		near(t, "high", ci.High, high, 1e-12)
		// The mirrored numerator mirrors the interval.
		_, mirrored := MoverRatio(est(-x, -u1, -l1), est(y, l2, u2))
		near(t, "mirrored low", mirrored.Low, -high, 1e-12)
		near(t, "mirrored high", mirrored.High, -low, 1e-12)
	}
	if r, _ := MoverRatio(est(0.3, 0.2, 0.4), est(0.5, 0, 0.6)); r.Valid {
		t.Errorf("a ratio by what may be 0: %v", r)
	}
	if r, ci := MoverRatio(est(0.3, 0.2, 0.4), est(0.5, 0.1, 1.0)); !stattest.Near(r, stat.Some(0.6)) || ci.Low.Valid {
		t.Errorf("an interval although the denominator's reaches twice its value: %v %v", r, ci)
	}
}

func TestMoverSum(t *testing.T) {
	a := Estimate{stat.Some(0.5), stat.Both(stat.Some(0.2), stat.Some(0.7))}
	b := Estimate{stat.Some(0.3), stat.Both(stat.Some(-0.1), stat.Some(0.45))}
	sum, ci := MoverSum(a, b)
	near(t, "sum", sum, 0.8, 1e-12)
	near(t, "low", ci.Low, 0.8-0.5, 1e-12)    // a 3-4-5 triangle
	near(t, "high", ci.High, 0.8+0.25, 1e-12) // another one
	missing := Estimate{stat.None(stat.NoItems), stat.NoInterval(stat.NoItems)}
	if sum, _ := MoverSum(a, missing); sum.Valid || sum.Reason != stat.NoItems {
		t.Errorf("a sum with a missing part: %v", sum)
	}
	if sum, ci := MoverSum(a, Estimate{stat.Some(0.1), stat.NoInterval(stat.TooFew)}); !sum.Valid || ci.Low.Valid {
		t.Errorf("a part without an interval: %v %v", sum, ci)
	}
}

// TestShape checks 2/(Σd⁴/(Σd²)² - 1/G) and Σd³/(Σd²)^1.5, also of numbers whose fourth powers are
// beyond a float64.
func TestShape(t *testing.T) {
	for _, scale := range []float64{1, 1e120} {
		freedom, skew := shape([]float64{3 * scale, scale, scale, -scale, 0, 0, 0, 0})
		if want := 2 / (84.0/144 - 1.0/8); !(math.Abs(freedom-want) <= 1e-12) {
			t.Errorf("scale %g: %v degrees of freedom, want %v", scale, freedom, want)
		}
		if want := 28 / math.Pow(12, 1.5); !(math.Abs(skew-want) <= 1e-12) {
			t.Errorf("scale %g: skewness %v, want %v", scale, skew, want)
		}
	}
	if freedom, _ := shape([]float64{1, -1, 1, -1}); freedom != 3 {
		t.Errorf("equal parts have %v degrees of freedom, want one less than parts", freedom)
	}
	if freedom, skew := shape([]float64{0, 0, 0}); freedom != 2 || skew != 0 {
		t.Errorf("no spread: %v, %v", freedom, skew)
	}
}

// TestScoreAround: Wilson's interval of as many items as give the standard error, of the least number at least; a
// rate that has no such number has the plain one.
func TestScoreAround(t *testing.T) {
	wilson := func(k, n float64) stat.Interval { return stattest.Must[Estimate](t)(Wilson(k, n, 0.05)).CI }
	plain := func(rate, se float64) stat.Interval {
		return stat.Around(stat.Some(rate), stat.Some(1.959963984540054*se))
	}
	for _, tt := range []struct {
		rate, se, least float64
		want            stat.Interval
	}{
		{0.5, 0.1, 10, wilson(12.5, 25)}, {0.5, 0.6, 10, wilson(5, 10)}, {0.2, 0.2, 40, wilson(8, 40)},
		{0, 0.1, 10, plain(0, 0.1)}, {1, 0.1, 10, plain(1, 0.1)}, {1.1, 0.1, 10, plain(1.1, 0.1)}, {0.5, 0, 10, plain(0.5, 0)},
	} {
		got := ScoreAround(tt.rate, tt.se, tt.least, 0.05)
		if !stattest.Near(got.Low, tt.want.Low) || !stattest.Near(got.High, tt.want.High) {
			t.Errorf("%v ± %v of %v: %v, want %v", tt.rate, tt.se, tt.least, got, tt.want)
		}
	}
}

// TestRatesAtTheEnds: no rounding moves the end of an interval off 0 or 1.
func TestRatesAtTheEnds(t *testing.T) {
	for n := 1.0; n <= 400; n++ {
		none, all := stattest.Must[Estimate](t)(Wilson(0, n, 0.05)), stattest.Must[Estimate](t)(Wilson(n, n, 0.05))
		if none.CI.Low.Value != 0 || all.CI.High.Value != 1 {
			t.Errorf("%v items: from %v, to %v", n, none.CI.Low, all.CI.High)
		}
	}
}

// TestJackknifeOfFewSums: one cluster has its value and no standard error, and nothing has what the statistic says.
func TestJackknifeOfFewSums(t *testing.T) {
	sum := func(sums []float64) stat.Opt { return stat.Some(stat.Sum(sums)) }
	if j := JackknifeSums([]float64{3}, 1, sum); j.Value != stat.Some(3) || j.SE.Valid || j.Clusters != 1 {
		t.Errorf("one sum: %+v", j)
	}
	if j := JackknifeSums(nil, 0, sum); j.Value != stat.Some(0) || j.SE.Valid || j.Clusters != 0 {
		t.Errorf("no sums: %+v", j)
	}
}

// TestContrast: with one item a cluster it is the t test of Welch but for the jackknife's
// small-sample factor; a group that is one cluster has no contrast.
func TestContrast(t *testing.T) {
	values := []float64{1, 0, 1, 1, 0, 0, 0, 1, 0, 0}
	group := []bool{true, true, true, true, true, false, false, false, false, false}
	each := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	p := stattest.Must[stat.Opt](t)(Contrast(values, group, each))
	welch := Welch(singles(t, values[:5]...), singles(t, values[5:]...))
	near(t, "p", p, welch.Value, 0.02)
	if p := stattest.Must[stat.Opt](t)(Contrast(values, group, []int{0, 0, 0, 0, 0, 1, 2, 3, 4, 5})); p.Valid {
		t.Errorf("one cluster has the whole group, and p is %v", p)
	}
}
