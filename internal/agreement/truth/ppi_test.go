package truth

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

func TestPPIReducesToItsParts(t *testing.T) {
	stattest.Repeat(t, 50, func(t *testing.T, r *rand.Rand) {
		c := stattest.RandomColumns(r, 20, 2, 3)
		each := make([]int, len(c[0]))
		for i := range each {
			each[i] = i
		}
		ppi := func(lambda float64) PPICluster {
			return stattest.Must[PPICluster](t)(PPIClustered(c[0], c[1], nil, each, c[2], each, lambda, 0.05))
		}
		gold := stattest.Must[interval.ClusterSE](t)(interval.ClusterMean(c[0], each, 0.05))
		if got := ppi(0); !stattest.Near(got.Estimate, gold.Mean) || !stattest.Near(got.SE, gold.SE) {
			t.Errorf("lambda 0 is not gold only: %+v", got)
		}
		full := ppi(1)
		judge := stattest.Must[interval.ClusterSE](t)(interval.ClusterMean(c[2], each, 0.05))
		gap := make([]float64, len(each))
		for i := range gap {
			gap[i] = c[0][i] - c[1][i]
		}
		rectifier := stattest.Must[interval.ClusterSE](t)(interval.ClusterMean(gap, each, 0.05))
		want, se := judge.Mean.Value+rectifier.Mean.Value, math.Hypot(judge.SE.Value, rectifier.SE.Value)
		if !(math.Abs(full.Estimate.Value-want) <= 1e-12) || !(math.Abs(full.SE.Value-se) <= 1e-12) {
			t.Errorf("lambda 1 gives %v ± %v, judge + rectifier %v ± %v", full.Estimate, full.SE, want, se)
		}
	})
}

// TestTunedWeight: a judge that says the opposite of gold has no weight, one that says half of what
// gold says has no more than 1, and between them the weight has the least variance.
func TestTunedWeight(t *testing.T) {
	for _, tt := range []struct {
		name           string
		of             PPICluster
		want, variance float64
	}{
		{"opposite", PPICluster{alone: 1, covariance: -1, judge: 1, rest: 0.1}, 0, 1},
		{"half as far", PPICluster{alone: 1, covariance: 0.5, judge: 0.25, rest: 0.01}, 1, 0.26},
		{"constant", PPICluster{alone: 1}, 0, 1},
		{"gold itself, as many others", PPICluster{alone: 1, covariance: 1, judge: 1, rest: 1}, 0.5, 0.5},
	} {
		if got, v := tt.of.tuned(1, 1); !(math.Abs(got-tt.want) <= 1e-12) || !(math.Abs(v-tt.variance) <= 1e-12) {
			t.Errorf("%s: weight %v with variance %v, want %v and %v", tt.name, got, v, tt.want, tt.variance)
		}
	}
}

// TestFurther: four times as many labels halve the interval of labels alone, and a little more, because the median of
// chi-square is below its mean: with f = 20 degrees of freedom the next labels have r = 20/19.337 times the variance,
// and the variance is a quarter at x = 2r + 2√(r² + 1 - r) times as many. Conversations whose lengths vary twice as
// much have 2r. A perfect judge makes each conversation of the log count, so that it takes more than the log has.
func TestFurther(t *testing.T) {
	ci := stat.Both(stat.Some(0.4), stat.Some(0.6))
	alone := PPICluster{CI: ci, SE: stat.Some(0.05), alone: 0.0025, LabeledClusters: 50, restClusters: 50,
		freedom: 1e6, seFreedom: 40,
		alpha: 0.05, next: 1}
	perfect := PPICluster{CI: ci, SE: stat.Some(0.05), alone: 0.0045, covariance: 0.0045, judge: 0.0045, rest: 0.005625,
		LabeledClusters: 50, restClusters: 40, freedom: 1e6, seFreedom: 1e8, alpha: 0.05, next: 1}
	longer, uncertain := alone, alone
	longer.next, uncertain.seFreedom = 2, 1
	for _, tt := range []struct {
		name  string
		of    PPICluster
		width float64
		want  More
	}{
		{"alone", alone, 0.1, More{156, 110, 252}}, {"longer ones to come", longer, 0.1, More{337, 217, 557}},
		{"alone, short enough", alone, 0.2, More{}},
		{"perfect", perfect, 0.2, More{}},
		{"perfect: only more conversations help", perfect, 0.19, More{50, 50, 50}},
		{"one more", alone, 0.19812, More{1, 1, 3}}, {"an uncertain variance", uncertain, 0.1, More{361, 75, 12567}},
	} {
		if got, ok := tt.of.Further(tt.width); !ok || got != tt.want {
			t.Errorf("%s, %v wide: %+v more, want %+v", tt.name, tt.width, got, tt.want)
		}
	}
	unknown, certain := alone, alone
	unknown.CI, certain.SE = stat.NoInterval(stat.FewRare), stat.Some(0)
	for name, of := range map[string]PPICluster{"no interval": unknown, "no error": certain} {
		if got, ok := of.Further(0.1); ok || got != (More{}) {
			t.Errorf("%s: %+v more", name, got)
		}
	}
}

// TestPPIIsNeverWiderThanLabels: for clustered and weighted labels, and any judge.
func TestPPIIsNeverWiderThanLabels(t *testing.T) {
	stattest.Repeat(t, 200, func(t *testing.T, r *rand.Rand) {
		n, bit := 120, func(p float64) float64 { return map[bool]float64{true: 1}[r.Float64() < p] }
		y, f, w, rest := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, 3*n)
		cluster, others := make([]int, n), make([]int, 3*n)
		same := r.Float64()
		for i := range y {
			cluster[i], w[i] = i*25/n, 1+float64(r.IntN(4))
			y[i] = bit(0.5 + 0.4*float64(cluster[i]%2))
			if f[i] = y[i]; r.Float64() > same {
				f[i] = bit(0.5 + 0.4*float64(cluster[i]/2%2))
			}
		}
		for i := range rest {
			others[i], rest[i] = i/9, bit(0.7)
		}
		ppi := func(lambda float64) PPICluster {
			return stattest.Must[PPICluster](t)(PPIClustered(y, f, w, cluster, rest, others, lambda, 0.05))
		}
		tuned, alone := ppi(AutoLambda), ppi(0)
		long, most := tuned.CI.High.Minus(tuned.CI.Low).Value, alone.CI.High.Minus(alone.CI.Low).Value
		if long > most+1e-12 || tuned.SE.Value > alone.SE.Value+1e-12 {
			t.Errorf("the corrected interval is %v long (SE %v), that of the labels %v (%v)", long, tuned.SE.Value, most, alone.SE.Value)
		}
		labels := stattest.Must[interval.ClusterSE](t)(interval.WeightedMean(y, w, cluster, 0.05))
		if !stattest.Near(alone.CI.Low, labels.Wilson.Low) || !stattest.Near(alone.CI.High, labels.Wilson.High) {
			t.Errorf("lambda 0 has %v, the labels alone %v", alone.CI, labels.Wilson)
		}
	})
}

// TestPPIOfTwoConversations: two with labels enough of either class have an interval, one has not.
func TestPPIOfTwoConversations(t *testing.T) {
	y, two, one := make([]float64, 24), make([]int, 24), make([]int, 24)
	for i := range y {
		y[i], two[i] = float64(i%2), map[bool]int{true: 1}[i%3 == 0]
	}
	y[0] = 1 // so that the conversations differ
	got := stattest.Must[PPICluster](t)(PPIClustered(y, y, nil, two, nil, nil, AutoLambda, 0.05))
	if !got.CI.Low.Valid {
		t.Errorf("two conversations: %+v", got.CI)
	}
	got = stattest.Must[PPICluster](t)(PPIClustered(y, y, nil, one, nil, nil, AutoLambda, 0.05))
	if got.CI != stat.NoInterval(stat.OneCluster) {
		t.Errorf("one conversation: %+v", got.CI)
	}
}

// TestPPILimits: the warning ends at 20 labelled conversations, and the interval begins at
// FewestPPI labels of either class, or with FewestLabelled conversations.
func TestPPILimits(t *testing.T) {
	labels := func(passes, fails int) PPICluster {
		y := make([]float64, passes+fails)
		each := make([]int, len(y))
		for i := range y {
			each[i] = i
			if i < passes {
				y[i] = 1
			}
		}
		return stattest.Must[PPICluster](t)(PPIClustered(y, y, nil, each, nil, nil, AutoLambda, 0.05))
	}
	for _, tt := range []struct {
		passes, fails   int
		warns, interval bool
	}{
		{10, 9, true, false}, {9, 10, true, false}, {10, 10, false, true}, {19, 9, false, false}, {21, 9, false, true},
	} {
		got := labels(tt.passes, tt.fails)
		if (len(got.Warnings) > 0) != tt.warns || got.Passes != tt.passes || got.Fails != tt.fails || got.CI.Low.Valid != tt.interval {
			t.Errorf("%d and %d labels: warnings %v, interval %v", tt.passes, tt.fails, got.Warnings, got.CI)
		}
		if !tt.interval && got.CI != stat.NoInterval(stat.FewRare) {
			t.Errorf("%d and %d labels: no interval because of %q", tt.passes, tt.fails, got.CI.Low.Reason)
		}
	}
	// Labels that are all alike have the interval of their rate: Wilson's low end is n/(n+z²).
	if got := labels(30, 0); got.Estimate != stat.Some(1) ||
		!(math.Abs(got.CI.Low.Value-30/(30+1.959963984540054*1.959963984540054)) <= 1e-9) {
		t.Errorf("30 passes: %v in %v", got.Estimate, got.CI)
	}
}

// TestPPIWithoutHelp: if no other conversations are judged, or only one, whose spread is unknown, the estimate is that
// of the labels alone, whatever the weight. A label without the judge's score does not count, and one label has a
// rate.
func TestPPIWithoutHelp(t *testing.T) {
	none := stat.Missing()
	y, yhat := []float64{1, 0, 1, 1, 0, 0}, []float64{1, 0, 0, 1, 1, none}
	cluster := []int{0, 1, 2, 3, 4, 5}
	gold := stattest.Must[interval.ClusterSE](t)(interval.ClusterMean(y[:5], cluster[:5], 0.05))
	for name, tt := range map[string]struct {
		lambda  float64
		others  []float64
		cluster []int
	}{
		"no others": {AutoLambda, nil, nil}, "no others, weight 1": {1, nil, nil},
		"one other": {AutoLambda, []float64{1, 1, 1}, []int{7, 7, 7}},
	} {
		got := stattest.Must[PPICluster](t)(PPIClustered(y, yhat, nil, cluster, tt.others, tt.cluster, tt.lambda, 0.05))
		if !stattest.Near(got.Estimate, stat.Some(0.6)) || !stattest.Near(got.SE, gold.SE) ||
			got.LabeledClusters != 5 ||
			got.Passes != 3 || got.Fails != 2 {
			t.Errorf("%s: %+v, want 0.6 ± %v", name, got, gold.SE)
		}
	}
	one := stattest.Must[PPICluster](t)(PPIClustered(y[:1], yhat[:1], nil, nil, nil, nil, AutoLambda, 0.05))
	if one.Estimate != stat.Some(1) || one.Passes != 1 || one.CI.Low.Reason != stat.OneCluster {
		t.Errorf("one label: %+v", one)
	}
	for _, lambda := range []float64{-0.5, 2e6, none} {
		if _, err := PPIClustered(y, yhat, nil, cluster, nil, nil, lambda, 0.05); err == nil ||
			!strings.Contains(err.Error(), "lambda must be auto or >= 0") {
			t.Errorf("lambda %v: %v", lambda, err)
		}
	}
}

// TestPPIOfUnknownErrors: with a weight of its own the judge's rate counts, and if its error is unknown, or the
// labels' is, that of the estimate is unknown too.
func TestPPIOfUnknownErrors(t *testing.T) {
	y, yhat, each, one := make([]float64, 40), make([]float64, 40), make([]int, 40), make([]int, 40)
	for i := range y {
		y[i], yhat[i], each[i] = float64(i%2), float64(i%3%2), i
	}
	got := stattest.Must[PPICluster](t)(PPIClustered(y, yhat, nil, each, yhat, one, 1, 0.05))
	if got.SE != stat.None(stat.TooFew) || got.CI != stat.NoInterval(stat.TooFew) || !got.Estimate.Valid {
		t.Errorf("all others in one conversation: %v ± %v in %v", got.Estimate, got.SE, got.CI)
	}
	got = stattest.Must[PPICluster](t)(PPIClustered(y, yhat, nil, one, yhat, each, 1, 0.05))
	if got.SE.Valid || got.CI != stat.NoInterval(stat.OneCluster) {
		t.Errorf("all labels in one conversation: %v ± %v in %v", got.Estimate, got.SE, got.CI)
	}
}

// TestVarianceOfNextLabels: unlabelled conversations of unequal lengths make the variance of the next labels larger
// than that of the present ones: of 1, 1 and 4 calls, only 6²/18 = 2 of 3 conversations count.
func TestVarianceOfNextLabels(t *testing.T) {
	y, each := []float64{1, 0, 1, 1}, []int{0, 1, 2, 3}
	rest := []float64{1, 0, 1, 1, 0, 1}
	for name, tt := range map[string]struct {
		cluster, others []int
		rest            []float64
		want            float64
	}{
		"equal": {each, []int{0, 0, 1, 1, 2, 2}, rest, 1}, "unequal": {each, []int{0, 1, 2, 2, 2, 2}, rest, 1.5},
		"labels unequal too": {[]int{0, 1, 1, 1}, []int{0, 1, 2, 2, 2, 2}, rest, 1.5 * (16.0 / 10) / 2},
		"one other":          {each, []int{0, 0, 0, 0, 0, 0}, rest, 1}, "no others": {each, nil, nil, 1},
	} {
		got := stattest.Must[PPICluster](t)(PPIClustered(y, y, nil, tt.cluster, tt.rest, tt.others, AutoLambda, 0.05))
		if !(math.Abs(got.next-tt.want) <= 1e-12) {
			t.Errorf("%s: %v, want %v", name, got.next, tt.want)
		}
	}
}
