package interval

import (
	"math"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// TestCommon compares with the formula of the comment, computed apart from this package: Student's quantiles by
// Simpson's rule. In each case the ratings of two items stand in one cluster.
func TestCommon(t *testing.T) {
	index := []int{0, 0, 1, 1, 2, 2, 3, 3}
	two := [][]float64{{1, 1}, {1, 0}, {0, 0}, {1, 1}, {0, 0}, {0, 1}, {1, 1}, {0, 0}}
	squared := func(a, b float64) float64 { return (a - b) * (a - b) }
	for _, tt := range []struct {
		name               string
		value, se, freedom float64
		ratings            [][]float64
		weight             []float64
		alpha, low, high   float64
	}{
		{"the error of independent items", 0.5, 0.2, 10, two, nil, 0.05, -0.3204977476884131, 0.8918332972282619},
		{"a larger error", 0.5, 0.6, 10, two, nil, 0.05, -0.35646921389426744, 0.8998532339524672},
		{"weighted", 0.5, 0.2, 10, two, []float64{1, 2, 1, 3, 1, 1, 2, 1}, 0.05, -0.12983405634990486, 0.8864406035056414},
		{"opposite ratings", 0.5, 0.2, 6, [][]float64{{0, 0}, {0, 2}, {1, 1}, {2, 2}, {0, 1}, {2, 1}, {1, 1}, {0, 0}}, nil,
			0.1, -0.07658209005756322, 0.847558248517906},
		{"three raters", 0.4, 0.15, 10, [][]float64{{1, 1, 0}, {0, 0, 0}, {1, 1, 1}, {0, 0, 1}, {0, 0, 0}, {1, 1, 1},
			{0, 1, 0}, {0, 0, 0}}, nil, 0.05, -0.3640202222506904, 0.8422338976838377},
		{"nothing in common", -0.3, 0.2, 10, [][]float64{{1, 0}, {0, 1}, {0, 0}, {1, 0}, {0, 1}, {0, 1}, {0, 0}, {1, 0}}, nil,
			0.05, -0.3, 0.4299461412815592},
	} {
		j := Jackknifed{Value: stat.Some(tt.value), SE: stat.Some(tt.se), Clusters: 4, Freedom: tt.freedom}
		got := j.Common(index, tt.weight, func(item int) []float64 { return tt.ratings[item] }, squared, tt.alpha)
		near(t, tt.name+": low", got.CI.Low, tt.low, 1e-7)
		near(t, tt.name+": high", got.CI.High, tt.high, 1e-7)
		if got.Value != j.Value || got.SE != j.SE {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	alike := [][]float64{{1, 1}, {1, 1}, {0, 0}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, {0, 0}}
	oneCluster := [][]float64{{1, 1}, {1, 0}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}
	for name, tt := range map[string]struct {
		of      Jackknifed
		ratings [][]float64
		want    stat.Reason
	}{
		"no standard error":    {Jackknife(stat.Some(0.5), 1, nil), two, stat.OneCluster},
		"all agree":            {Jackknifed{Value: stat.Some(1), SE: stat.Some(0.1)}, two, stat.NoDisagreement},
		"none agree":           {Jackknifed{Value: stat.Some(-1), SE: stat.Some(0.1)}, two, stat.NoDisagreement},
		"no error":             {Jackknifed{Value: stat.Some(0.5), SE: stat.Some(0)}, two, stat.ZeroVariance},
		"all in common":        {Jackknifed{Value: stat.Some(0.5), SE: stat.Some(0.1)}, alike, stat.FewRare},
		"rare in one cluster":  {Jackknifed{Value: stat.Some(0.5), SE: stat.Some(0.1)}, oneCluster, stat.FewRare},
		"one class everywhere": {Jackknifed{Value: stat.Some(0.5), SE: stat.Some(0.1)}, alike[:1], stat.FewRare},
	} {
		ratings := func(item int) []float64 { return tt.ratings[item] }
		if got := tt.of.Common(index[:len(tt.ratings)], nil, ratings, squared, 0.05); got.CI != stat.NoInterval(tt.want) {
			t.Errorf("%s: %+v, want %s", name, got.CI, tt.want)
		}
	}
}

// TestAgreeing compares with the formula of the comment, computed apart from this package.
func TestAgreeing(t *testing.T) {
	for _, tt := range []struct {
		skew, equal      float64
		n                int
		alpha, low, high float64
	}{
		{0.2, 12, 4, 0.05, 0.2564632907128932, 0.8089472434694238},
		{0.2, 60, 0, 0.1, 0.4059330168694957, 0.7422908248185802},
		{0, 2, 1, 0.05, -0.054315816583385246, 0.8938312510353832},
		{0, 2, 2, 0.05, 0.19887768066284495, 0.8289374600443671},
	} {
		j := Jackknifed{Value: stat.Some(0.6), SE: stat.Some(0.1), Freedom: 10, Skew: tt.skew}
		observed := ClusterSE{Mean: stat.Some(0.8), EqualClusters: tt.equal}
		got := j.Agreeing(observed, stat.Some(0.5), tt.n, tt.alpha).CI
		near(t, "low", got.Low, tt.low, 1e-7)
		near(t, "high", got.High, tt.high, 1e-7)
	}
	same := Jackknifed{Value: stat.Some(1), SE: stat.Some(0)}
	if got := same.Agreeing(ClusterSE{}, stat.Some(0.5), 4, 0.05).CI; got != stat.NoInterval(stat.NoDisagreement) {
		t.Errorf("all agree: %+v", got)
	}
}

// TestMeansComputedApart compares all that is known of a mean with the formulas of the comments, computed apart from
// this package: weighted items, calls of conversations that pass or fail, and grades.
func TestMeansComputedApart(t *testing.T) {
	pairs := []int{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}
	for _, tt := range []struct {
		name           string
		values, weight []float64
		cluster        []int
		alpha          float64
		want           map[string]float64
	}{
		{"weighted", []float64{1, 0, 1, 1, 0, 0.5, 0.25}, []float64{1, 2, 1, 3, 1, 1, 2}, []int{0, 0, 1, 1, 2, 2, 3}, 0.05,
			map[string]float64{"mean": 6 / 11., "iid": 0.200335462463991, "se": 0.24771459876142013,
				"symmetric": 1.50715206932646, "freedom": 1.50715206932646, "of the error": 3, "equal": 11 / 3.,
				"effective": 11 / 3., "low": -0.9350956808439845, "high": 2.026004771753075,
				"rate low": 0.16527549087254856, "rate high": 0.8791208546459791,
				"mean low": 0.16527549087254856, "mean high": 0.8791208546459791}},
		{"verdicts", []float64{1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1}, nil, pairs, 0.05,
			map[string]float64{"mean": 7 / 12., "iid": 0.1486470975026408, "se": 0.15365907428821476,
				"symmetric": 4.791924052279086, "freedom": 4.791924052279086, "of the error": 5, "equal": 6,
				"effective": 6.35943282355757, "low": 0.1831251584531931, "high": 0.9835415082134736,
				"rate low": 0.24778908414575707, "rate high": 0.8561141340783278,
				"mean low": 0.24778908414575707, "mean high": 0.8561141340783278}},
		{"grades", []float64{1, 4, 2, 3, 5, 4, 4, 2}, nil, pairs[:8], 0.1,
			map[string]float64{"mean": 3.125, "iid": 0.479490056503484, "se": 0.473242362150023,
				"symmetric": 1.7775931197925212, "freedom": 1.7775931197925212, "of the error": 3, "equal": 4,
				"effective": 4, "low": 1.617700735058731, "high": 4.632299264941269,
				"mean low": 1.8758773758871026, "mean high": 4.28333647233683}},
	} {
		m := stattest.Must[ClusterSE](t)(WeightedMean(tt.values, tt.weight, tt.cluster, tt.alpha))
		got := map[string]stat.Opt{"mean": m.Mean, "iid": m.SEIID, "se": m.SE, "symmetric": stat.Some(m.Symmetric),
			"freedom": stat.Some(m.Freedom), "of the error": stat.Some(m.SEFreedom), "equal": stat.Some(m.EqualClusters),
			"effective": m.Effective, "low": m.CI.Low, "high": m.CI.High, "rate low": m.Wilson.Low, "rate high": m.Wilson.High,
			"mean low": m.MeanCI.Low, "mean high": m.MeanCI.High}
		for what, want := range tt.want {
			near(t, tt.name+": "+what, got[what], want, 1e-6)
		}
		if m.N != len(tt.values) || m.Clusters != tt.cluster[len(tt.cluster)-1]+1 || m.Rate() != (Estimate{m.Mean, m.Wilson}) {
			t.Errorf("%s: %+v", tt.name, m)
		}
	}
}

// TestPublishedRates has the score interval of 3 of 10 by hand, and that of Clopper and Pearson at both ends, where one
// of its ends is 1 - (α/2)^(1/n).
func TestPublishedRates(t *testing.T) {
	for _, tt := range []struct{ k, n, low, high float64 }{
		{3, 10, 0.10779126740630099, 0.6032218525388546}, {0.5, 4, 0.013191161823726594, 0.6042269655172214},
		{7, 8, 0.5291118177871464, 0.9775825085499433},
	} {
		got := stattest.Must[Estimate](t)(Wilson(tt.k, tt.n, 0.05))
		near(t, "rate", got.Value, tt.k/tt.n, 1e-15)
		near(t, "low", got.CI.Low, tt.low, 1e-12)
		near(t, "high", got.CI.High, tt.high, 1e-12)
	}
	end := 1 - math.Pow(0.025, 0.2)
	none, all := stattest.Must[Estimate](t)(ClopperPearson(0, 5, 0.05)), stattest.Must[Estimate](t)(ClopperPearson(5, 5, 0.05))
	if none.CI.Low != stat.Some(0) || all.CI.High != stat.Some(1) {
		t.Errorf("none of five %+v, all of five %+v", none.CI, all.CI)
	}
	near(t, "none of five", none.CI.High, end, 1e-9)
	near(t, "all of five", all.CI.Low, 1-end, 1e-9)
}

// TestFew: less than the least number, and less than a third of all.
func TestFew(t *testing.T) {
	for _, tt := range []struct {
		some, least, clusters int
		want                  bool
	}{{4, 5, 13, true}, {5, 5, 100, false}, {4, 5, 12, false}, {0, 1, 1, true}, {0, 0, 1, false}} {
		if got := Few(tt.some, tt.least, tt.clusters); got != tt.want {
			t.Errorf("%d of %d clusters, at least %d: %v", tt.some, tt.clusters, tt.least, got)
		}
	}
	index := []int{0, 0, 1, 2, 2}
	if got := Holding(index, 3, func(item int) bool { return item != 2 }); got != 2 {
		t.Errorf("%d clusters hold such an item, want 2", got)
	}
	// Of two values that are equally common, the one that was so first counts as the common one: 0.
	if got := Varied([]int{0, 1, 1, 2}, 3, []float64{1, 0, 0, 1}); got != 2 {
		t.Errorf("%d clusters vary, want 2", got)
	}
	if got := Varied([]int{0, 1, 2, 2}, 3, []float64{stat.Missing(), 0, 1, 1}); got != 1 {
		t.Errorf("beside a missing value %d clusters vary, want 1", got)
	}
}
