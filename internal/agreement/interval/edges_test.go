package interval

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// TestEffectiveItems: if all items of a conversation are alike, each conversation counts as one item; so does one if no
// two conversations differ. The unequal ones count as (Σn)²/Σn².
func TestEffectiveItems(t *testing.T) {
	alike := func(sizes []int, fails int) (values []float64, cluster []int) {
		for c, n := range sizes {
			for range n {
				values, cluster = append(values, map[bool]float64{true: 1}[c >= fails]), append(cluster, c)
			}
		}
		return values, cluster
	}
	for _, tt := range []struct {
		name  string
		sizes []int
		fails int
		want  float64
	}{
		{"ten of three calls", []int{3, 3, 3, 3, 3, 3, 3, 3, 3, 3}, 3, 10},
		{"no fail", []int{3, 3, 3, 3}, 0, 4},
	} {
		values, cluster := alike(tt.sizes, tt.fails)
		m := stattest.Must[ClusterSE](t)(ClusterMean(values, cluster, 0.05))
		near(t, tt.name, m.Effective, tt.want, 1e-9)
		want := wilson(m.Mean.Value*tt.want, tt.want, stat.Critical(0.05))
		near(t, tt.name+": low", m.Wilson.Low, want.Low.Value, 1e-9)
		near(t, tt.name+": high", m.MeanCI.High, want.High.Value, 1e-9)
	}
	m := stattest.Must[ClusterSE](t)(ClusterMean([]float64{1, 0, 1, 0, 1, 0, 1, 0}, []int{0, 0, 1, 1, 2, 2, 3, 3},
		0.05))
	near(t, "no two differ", m.Effective, 4, 0)
	values, cluster := alike([]int{1, 1, 1, 1, 12}, 1)
	m = stattest.Must[ClusterSE](t)(ClusterMean(values, cluster, 0.05))
	near(t, "unequal", stat.Some(m.EqualClusters), 16*16/148.0, 1e-9)
}

// TestGradedMeans: only values from 0 to 1 have Wilson's interval; means of other numbers have one within their range,
// unless hardly a conversation has another value than the most common one.
func TestGradedMeans(t *testing.T) {
	mean := func(values ...float64) ClusterSE { return singles(t, values...) }
	for name, tt := range map[string]struct {
		of     ClusterSE
		wilson bool
		reason stat.Reason // why the mean has no interval
	}{
		"0 to 1":      {mean(0, 0.5, 1, 0.25, 0.5, 0.75, 0.5), true, ""},
		"0 to 2":      {mean(0, 0.5, 2, 0.25, 0.5, 0.75, 0.5), false, ""},
		"-1 to 1":     {mean(-1, 0.5, 1, 0.25, 0.5, 0.75, 0.5), false, ""},
		"constant":    {mean(0.5, 0.5, 0.5), true, stat.FewVaried},
		"one of nine": {mean(3, 3, 3, 3, 3, 3, 3, 3, 4), false, stat.FewVaried},
	} {
		if tt.of.Wilson.Low.Valid != tt.wilson || !tt.wilson && tt.of.Wilson.Low.Reason != stat.NotApplicable {
			t.Errorf("%s: Wilson's interval %+v", name, tt.of.Wilson)
		}
		if tt.of.MeanCI.Low.Reason != tt.reason || tt.of.MeanCI.Low.Valid != (tt.reason == "") {
			t.Errorf("%s: interval %+v", name, tt.of.MeanCI)
		}
	}
	// With the values' range as unit the interval is that of a rate: it moves and stretches with them.
	one, other := mean(0, 0.5, 1, 0.25, 0.5, 0.75, 0.5).MeanCI, mean(-1, 1, 3, 0, 1, 2, 1).MeanCI
	near(t, "low", other.Low, -1+4*one.Low.Value, 1e-9)
	near(t, "high", other.High, -1+4*one.High.Value, 1e-9)
	if p := Welch(mean(1), mean(1, 2)); p.Reason != stat.TooFew {
		t.Errorf("a single value: %+v", p)
	}
	if p := Welch(mean(1, 2), mean(1)); p.Reason != stat.TooFew {
		t.Errorf("a single other value: %+v", p)
	}
}

// TestJackknifeReasons: without a value, with one cluster, and if one cluster decides, there is neither standard error
// nor interval, and both say why.
func TestJackknifeReasons(t *testing.T) {
	for name, tt := range map[string]struct {
		value    stat.Opt
		clusters int
		without  stat.Opt
		se, ci   stat.Reason
	}{
		"no value":    {stat.None(stat.OneClass), 3, stat.Some(1), stat.OneClass, stat.OneClass},
		"one cluster": {stat.Some(1), 1, stat.Some(1), stat.TooFew, stat.OneCluster},
		"one decides": {stat.Some(1), 3, stat.None(stat.OneClass), stat.OneClusterDecides, stat.OneClusterDecides},
		"no interval": {stat.Some(1), 3, stat.Some(1), "", stat.NotApplicable},
	} {
		j := Jackknife(tt.value, tt.clusters, func(int) stat.Opt { return tt.without })
		if j.SE.Reason != tt.se || j.CI != stat.NoInterval(tt.ci) || j.Value != tt.value || j.Clusters != tt.clusters {
			t.Errorf("%s: %+v", name, j)
		}
	}
	if got := Freedom(0.1, 1, 10); got != 1 {
		t.Errorf("%v degrees of freedom, want one at least", got)
	}
}

// TestDifference has t intervals and p-values of scipy 1.10.1: with n clusters that decide, 1/f + 1/n replaces 1/f.
func TestDifference(t *testing.T) {
	j := Jackknifed{Value: stat.Some(0.2), SE: stat.Some(0.1), Clusters: 10}
	skewed, same, equal, none := j, j, j, Jackknife(stat.None(stat.OneClass), 9, nil)
	skewed.Skew, same.SE = 0.5, stat.Some(0)
	equal.SE, equal.Value = stat.Some(0), stat.Some(0)
	for _, tt := range []struct {
		name    string
		of      Jackknifed
		n       int
		half, p float64
	}{
		{"all decide", j, math.MaxInt, 0.22621571627409915, 0.07655282377070093},
		{"six decide", j, 6, 0.2902445235720394, 0.12392034648840652},
		{"a third of all decide", j, 4, 0.3337867461227983, 0.1469130231417036},
		{"skewed", skewed, 6, 0.4540036231286355, 0.19053350429514282},
	} {
		d := tt.of.Difference(tt.n, 0.05)
		near(t, tt.name+": p", d.P, tt.p, 1e-9)
		near(t, tt.name+": low", d.CI.Low, 0.2-tt.half, 1e-9)
		near(t, tt.name+": high", d.CI.High, 0.2+tt.half, 1e-9)
	}
	for _, tt := range []struct {
		name string
		of   Jackknifed
		n    int
		p    stat.Opt
		ci   stat.Reason
	}{
		{"few decide", j, 3, stat.None(stat.FewRare), stat.FewRare},
		{"the same everywhere", same, 9, stat.None(stat.ZeroVariance), stat.ZeroVariance},
		{"equal everywhere", equal, 9, stat.Some(1), stat.ZeroVariance},
		{"no value", none, 9, stat.None(stat.OneClass), stat.OneClass},
	} {
		if d := tt.of.Difference(tt.n, 0.05); d.P != tt.p || d.CI != stat.NoInterval(tt.ci) {
			t.Errorf("%s: %+v", tt.name, d)
		}
	}
}

// TestRefusedRates: what is no rate, no p-value or no column is an error, counted from 1.
func TestRefusedRates(t *testing.T) {
	for name, of := range map[string]func(k, n, alpha float64) (Estimate, error){"Wilson": Wilson,
		"Clopper and Pearson": ClopperPearson} {
		for _, bad := range [][3]float64{{-1, 2, 0.05}, {3, 2, 0.05}, {1, maxCount + 1, 0.05}, {1, 2, 0}, {1, 2, 1},
			{math.NaN(), 2, 0.05}} {
			want := fmt.Sprintf("need 0 <= k <= n <= 1e+09, got k=%v n=%v", bad[0], bad[1])
			if bad[2] != 0.05 {
				want = fmt.Sprintf("alpha must be between 0 and 1, got %v", bad[2])
			}
			if got, err := of(bad[0], bad[1], bad[2]); err == nil || err.Error() != want || got != (Estimate{}) {
				t.Errorf("%s of %v: %+v, %v, want %s", name, bad, got, err, want)
			}
		}
		if got, err := of(1, maxCount, 0.05); err != nil || !got.CI.Low.Valid {
			t.Errorf("%s of the largest number: %+v, %v", name, got, err)
		}
	}
	got, err := Holm([]float64{0.01, stat.Missing(), 0.04, 0, 1})
	if err != nil || got[1] != stat.None(stat.NoItems) || !stattest.Near(got[0], stat.Some(0.03)) ||
		!stattest.Near(got[2], stat.Some(0.08)) || got[3] != stat.Some(0) || got[4] != stat.Some(1) {
		t.Errorf("%+v, %v", got, err)
	}
	for p, want := range map[float64]string{-0.1: "p 2 must be in 0..1, got -0.1",
		1.1: "p 2 must be in 0..1, got 1.1"} {
		if _, err := Holm([]float64{0.5, p}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", p, err)
		}
	}
	if _, err := Contrast([]float64{1, 2}, []bool{true}, nil); !errors.Is(err, stat.ErrLengths) {
		t.Errorf("a contrast of different columns: %v", err)
	}
	interval := stat.Both(stat.Some(1), stat.Some(2))
	if r, ci := MoverRatio(Estimate{stat.Some(1), stat.NoInterval(stat.TooFew)},
		Estimate{stat.Some(1.5), interval}); r.Valid || ci.Low.Valid {
		t.Errorf("a ratio of what has no interval: %v in %v", r, ci)
	}
}
