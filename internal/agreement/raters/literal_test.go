package raters

import (
	"math"
	"slices"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// near reports whether a value is defined and equals want but for rounding.
func near(got stat.Opt, want float64) bool { return got.Valid && math.Abs(got.Value-want) < 1e-9 }

// shifted returns the values plus a number.
func shifted(by float64, v ...float64) []float64 {
	for i := range v {
		v[i] += by
	}
	return v
}

// TestGradedAgreement has values computed by scipy 1.10.1 and numpy from the definitions: graded agreement does
// not depend on where the scale begins, even if the scores are small differences of large numbers.
func TestGradedAgreement(t *testing.T) {
	for _, by := range []float64{0, -7, 1e6} {
		x, y := shifted(by, 1, 2, 2, 4, 5, 3), shifted(by, 2, 1, 3, 5, 4, 4)
		r := stattest.Must[Correlation](t)(Correlate(x, y, nil, 0.05))
		c := stattest.Must[Continuous](t)(AgreeContinuous(x, y, 0.05))
		icc := stattest.Must[ICC](t)(IntraclassCorrelation([][]float64{x, y}, nil, 0.05))
		alpha := stattest.Must[Alpha](t)(ClusteredAlpha([][]float64{x, y}, nil, LevelInterval, 0.05))
		for name, value := range map[string]struct {
			got  stat.Opt
			want float64
		}{
			"Pearson": {r.Pearson.Value, 0.7538461538461536}, "CCC": {c.CCC, 0.7313432835820897},
			"ICC(1,1)": {icc.ICC1, 0.7674418604651163}, "ICC(2,1)": {icc.ICC2.Value, 0.765625},
			"alpha": {alpha.Value, 0.75}, "observed": {alpha.DO, 1}, "expected": {alpha.DE, 4},
		} {
			if !near(value.got, value.want) {
				t.Errorf("from %v, %s: %v, want %v", by, name, value.got, value.want)
			}
		}
	}
}

// TestTwoItems: two items suffice for a spread and for correlations; one has only a difference.
func TestTwoItems(t *testing.T) {
	judge, det := []float64{1, 3}, []float64{1, 2}
	c := stattest.Must[Continuous](t)(AgreeContinuous(judge, det, 0.05))
	if !near(c.Bias, 0.5) || !near(c.MAE, 0.5) || !near(c.RMSE, math.Sqrt(0.5)) || !near(c.SDDiff, math.Sqrt(0.5)) ||
		!near(c.CCC, 2.0/3) || !near(c.Limits.High, 0.5+1.959963984540054*math.Sqrt(0.5)) {
		t.Errorf("%+v", c)
	}
	c = stattest.Must[Continuous](t)(AgreeContinuous(judge[1:], det[1:], 0.05))
	if !near(c.Bias, 1) || c.SDDiff.Reason != stat.TooFew || c.CCC.Reason != stat.TooFew || c.Limits.Low.Valid {
		t.Errorf("one item: %+v", c)
	}
	icc := stattest.Must[ICC](t)(IntraclassCorrelation([][]float64{{1, 4}, {3, 5}}, nil, 0.05)) // by numpy
	if !near(icc.ICC1, 2.0/3) || !near(icc.ICC2.Value, 12.0/17) {
		t.Errorf("%+v", icc)
	}
	icc = stattest.Must[ICC](t)(IntraclassCorrelation([][]float64{{1}, {3}}, nil, 0.05))
	if icc.ICC1.Reason != stat.TooFew || icc.ICC2.Value.Reason != stat.TooFew {
		t.Errorf("one item: %+v", icc)
	}
}

// TestPerfect: agreement that is perfect, but for the rounding of its arithmetic, is exactly 1.
func TestPerfect(t *testing.T) {
	x, more := []float64{0.1, 0.7, 0.3, 1.1, 0.9, 0.4, 0.6}, []float64{}
	for _, v := range x {
		more = append(more, 3*v+0.1)
	}
	r := stattest.Must[Correlation](t)(Correlate(x, more, nil, 0.05))
	if r.Pearson.Value != stat.Some(1) || r.Pearson.CI.Low.Reason != stat.NoDisagreement {
		t.Errorf("on a line: %+v", r.Pearson)
	}
	icc := stattest.Must[ICC](t)(IntraclassCorrelation([][]float64{x, x, x}, nil, 0.05))
	if icc.ICC1 != stat.Some(1) || icc.ICC2.Value != stat.Some(1) {
		t.Errorf("the same ratings: %+v", icc)
	}
}

// TestConstantScores: a constant column has no correlation, however its mean is rounded. Constants that differ do
// not agree at all; equal ones leave nothing to measure agreement by.
func TestConstantScores(t *testing.T) {
	tenth, fifth := slices.Repeat([]float64{0.1}, 20_001), slices.Repeat([]float64{0.2}, 20_001)
	varied := make([]float64, len(tenth))
	for i := range varied {
		varied[i] = float64(i % 3)
	}
	for name, c := range map[string][2][]float64{
		"x": {tenth, varied}, "y": {varied, tenth}, "both": {tenth, fifth}, "both alike": {tenth, tenth},
	} {
		r := stattest.Must[Correlation](t)(Correlate(c[0], c[1], nil, 0.05))
		if r.Pearson.Value.Reason != stat.ZeroVariance || r.Spearman.Reason != stat.ZeroVariance ||
			r.KendallB.Reason != stat.ZeroVariance {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for name, tt := range map[string]struct {
		x, y []float64
		want stat.Opt
	}{
		"the same":        {tenth[:3], tenth[:3], stat.None(stat.ZeroVariance)},
		"different":       {tenth[:3], fifth[:3], stat.Some(0)},
		"the first is":    {tenth[:3], []float64{0.1, 0.2, 0.3}, stat.Some(0)},
		"the second is":   {[]float64{0.1, 0.2, 0.3}, tenth[:3], stat.Some(0)},
		"the first alike": {tenth[:3], []float64{0.2, 0.1, 0.3}, stat.Some(0)},
	} {
		got := stattest.Must[Continuous](t)(AgreeContinuous(tt.x, tt.y, 0.05)).CCC
		if got.Reason != tt.want.Reason || got.Valid && !near(got, tt.want.Value) {
			t.Errorf("%s: concordance %+v, want %+v", name, got, tt.want)
		}
	}
	icc := stattest.Must[ICC](t)(IntraclassCorrelation([][]float64{tenth, tenth, tenth}, nil, 0.05))
	if icc.ICC1.Reason != stat.ZeroVariance || icc.ICC2.Value.Reason != stat.ZeroVariance {
		t.Errorf("%+v", icc)
	}
}

// TestOneConversationDecides: if one conversation has all the variation, a coefficient has no standard error,
// however large and however unequal to the others its ratings are.
func TestOneConversationDecides(t *testing.T) {
	cluster := []int{1, 1, 1, 2, 2, 3, 3, 4, 4}
	for _, unit := range []float64{1e-6, 1, 1e6} {
		flat := []float64{1.7, 0.3, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}
		varied := []float64{1.5, 0.4, 0.3, 0.9, 0.2, 0.3, 0.8, 0.5, 0.7}
		for i := range flat {
			flat[i], varied[i] = flat[i]*unit, varied[i]*unit
		}
		for name, got := range map[string]stat.Reason{
			"x": stattest.Must[Correlation](t)(Correlate(flat, varied, cluster, 0.05)).Pearson.SE.Reason,
			"y": stattest.Must[Correlation](t)(Correlate(varied, flat, cluster, 0.05)).Pearson.SE.Reason,
			"ICC": stattest.Must[ICC](t)(
				IntraclassCorrelation([][]float64{flat, slices.Concat(varied[:3], flat[3:])}, cluster,
					0.05)).ICC2.SE.Reason,
		} {
			if got != stat.OneClusterDecides {
				t.Errorf("unit %v, %s: %q", unit, name, got)
			}
		}
	}
}

// TestSmallAlpha: a value that occurs once counts (Krippendorff 2011, worked by hand), and what does not vary has
// no alpha. A single rater can be clustered.
func TestSmallAlpha(t *testing.T) {
	for name, tt := range map[string]struct {
		ratings [][]float64
		cluster []int
		want    stat.Opt
	}{
		"once":            {[][]float64{{1, 1}, {1, 2}}, nil, stat.Some(0)}, // 1 - .5/(1 - 6/12)
		"all differ":      {[][]float64{{1, 3}, {2, 4}}, nil, stat.Some(0)}, // 1 - 1/1
		"two of two":      {[][]float64{{1, 2}, {1, 2}}, nil, stat.Some(1)}, // 1 - 0/(1 - 4/12)
		"nothing differs": {[][]float64{{1, 1}, {1, 1}}, nil, stat.None(stat.ZeroVariance)},
		"one rater":       {[][]float64{{1, 2}}, []int{4, 4}, stat.None(stat.TooFew)},
		"no rater":        {nil, nil, stat.None(stat.TooFew)},
	} {
		got := stattest.Must[Alpha](t)(ClusteredAlpha(tt.ratings, tt.cluster, LevelNominal, 0.05)).Value
		if got.Reason != tt.want.Reason || got.Valid && !near(got, tt.want.Value) {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// TestDeclaredCategories: categories can be declared in any order, one alone leaves no disagreement, and Fleiss'
// kappa of units of a single category is undefined, also when one conversation has all ratings of the other.
func TestDeclaredCategories(t *testing.T) {
	ratings := [][]float64{{1, 2, 3, 3, 2}, {1, 3, 3, 2, 1}}
	for _, w := range []Weighting{linear, Quadratic} {
		sorted := stattest.Must[RaterAgreement](t)(GwetAC(ratings, nil, nil, []float64{1, 2, 3}, w, 0.05))
		other := stattest.Must[RaterAgreement](t)(GwetAC(ratings, nil, nil, []float64{3, 1, 2}, w, 0.05))
		if !near(other.Value, sorted.Value.Value) || !near(other.SE, sorted.SE.Value) {
			t.Errorf("%s: %v, in another order %v", w, sorted, other)
		}
	}
	same := [][]float64{{1, 1, 1}, {1, 1, 1}}
	one := stattest.Must[RaterAgreement](t)(GwetAC(same, nil, nil, []float64{1}, NoWeights, 0.05))
	if one.Value.Reason != stat.NoChanceDisagreement || !near(one.PA, 1) || !near(one.PE, 1) {
		t.Errorf("one category: %+v", one)
	}
	fleiss := stattest.Must[RaterAgreement](t)(FleissKappa(same, nil, []float64{0, 1}, 0.05))
	if fleiss.Value.Reason != stat.NoChanceDisagreement || !near(fleiss.PA, 1) {
		t.Errorf("one of two categories: %+v", fleiss)
	}
	var three [3][]float64
	var cluster []int
	for i := range 16 {
		for k := range three {
			three[k] = append(three[k], 1)
		}
		if cluster = append(cluster, i/7); i < 7 {
			three[0][i] = 0
		}
	}
	fleiss = stattest.Must[RaterAgreement](t)(FleissKappa(three[:], cluster, []float64{0, 1}, 0.05))
	if !fleiss.Value.Valid || fleiss.SE.Reason != stat.OneClusterDecides {
		t.Errorf("one conversation: %+v", fleiss)
	}
}

// TestWithinSD has the noise of repeated runs, by hand.
func TestWithinSD(t *testing.T) {
	none := stat.Missing()
	for name, tt := range map[string]struct {
		runs [][]float64
		want stat.Opt
	}{
		"two runs of an item": {[][]float64{{1}, {3}}, stat.Some(math.Sqrt2)},
		"pooled":              {[][]float64{{1, 4, 5}, {3, 4, none}, {2, none, none}}, stat.Some(math.Sqrt(2.0 / 3))},
		"one run":             {[][]float64{{1, 2}}, stat.None(stat.NoItems)},
		"no run":              {nil, stat.None(stat.NoItems)},
	} {
		if got := WithinSD(tt.runs); got.Reason != tt.want.Reason || got.Valid && !near(got, tt.want.Value) {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// TestFewRatings: a unit without ratings does not count, units with one rating have nothing to agree with, and neither
// has a single rater. Of ratings that are all in one category agreement by chance is certain.
func TestFewRatings(t *testing.T) {
	none, scale := stat.Missing(), []float64{0, 1}
	with := stattest.Must[RaterAgreement](t)(GwetAC([][]float64{{1, none, 0, 1}, {1, none, 1, none}}, nil, nil, scale,
		NoWeights, 0.05))
	// pa = 1/2; the categories' shares are .5/3 and 2.5/3, so that pe = 2·(1/6)·(5/6).
	if with.Units != 3 || with.Pairable != 2 || !near(with.PA, 0.5) || !near(with.PE, 10.0/36) ||
		!near(with.Value, (0.5-10.0/36)/(1-10.0/36)) {
		t.Errorf("%+v", with)
	}
	for name, ratings := range map[string][][]float64{"one each": {{1, none}, {none, 0}}, "one rater": {{1, 0}},
		"no rating": {{none}, {none}}} {
		for _, got := range []RaterAgreement{
			stattest.Must[RaterAgreement](t)(GwetAC(ratings, nil, nil, scale, NoWeights, 0.05)),
			stattest.Must[RaterAgreement](t)(FleissKappa(ratings, nil, scale, 0.05)),
		} {
			if got.Value.Reason != stat.TooFew || got.PA.Reason != stat.TooFew || got.Pairable != 0 {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
	same := plainKappa(t, []float64{1, 1}, []float64{1, 1}, scale, NoWeights)
	if same.PE != stat.Some(1) || same.PO != stat.Some(1) || same.Value.Reason != stat.NoChanceDisagreement {
		t.Errorf("%+v", same)
	}
}
