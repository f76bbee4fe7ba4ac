package raters

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// without returns the values of the other clusters.
func without(v []float64, cluster []int, left int) []float64 {
	var out []float64
	for i, c := range cluster {
		if c != left {
			out = append(out, v[i])
		}
	}
	return out
}

// The standard errors from sums by cluster are those of the statistic of the other items,
// computed anew for each cluster that is left out.
func TestJackknifeLeavesItemsOut(t *testing.T) {
	const clusters = 12
	a, b, cluster := stattest.ClusteredPairs(3, 90, clusters, 4)
	a[5], b[70] = stat.Missing(), stat.Missing()
	labels := stattest.ScaleTo(4)
	statistics := map[string]func(a, b []float64, cluster []int) interval.Jackknifed{
		"kappa": func(a, b []float64, cluster []int) interval.Jackknifed {
			return stattest.Must[Kappa](t)(CohenKappa(a, b, nil, cluster, labels, linear, 0.05)).Jackknifed
		},
		"ac2": func(a, b []float64, cluster []int) interval.Jackknifed {
			return stattest.Must[RaterAgreement](t)(
				GwetAC([][]float64{a, b}, nil, cluster, labels, Quadratic, 0.05)).Jackknifed
		},
		"fleiss": func(a, b []float64, cluster []int) interval.Jackknifed {
			return stattest.Must[RaterAgreement](t)(FleissKappa([][]float64{a, b}, cluster, labels, 0.05)).Jackknifed
		},
		"pearson": func(a, b []float64, cluster []int) interval.Jackknifed {
			return stattest.Must[Correlation](t)(Correlate(a, b, cluster, 0.05)).Pearson
		},
		"icc": func(a, b []float64, cluster []int) interval.Jackknifed {
			return stattest.Must[ICC](t)(IntraclassCorrelation([][]float64{a, b}, cluster, 0.05)).ICC2
		},
	}
	for _, level := range []string{LevelNominal, LevelOrdinal, LevelInterval} {
		statistics["alpha "+level] = func(a, b []float64, cluster []int) interval.Jackknifed {
			return stattest.Must[Alpha](t)(ClusteredAlpha([][]float64{a, b}, cluster, level, 0.05)).Jackknifed
		}
	}
	for name, of := range statistics {
		got := of(a, b, cluster)
		var left []float64
		for c := range clusters {
			x, y := without(a, cluster, c), without(b, cluster, c)
			left = append(left, of(x, y, nil).Value.Value)
		}
		want := math.Sqrt(11.0 / 12 * stat.SumSquares(left, stat.Mean(left)))
		if !(math.Abs(got.SE.Value-want) <= 1e-12) || got.Clusters != clusters || !got.CI.Low.Valid {
			t.Errorf("%s: standard error %v of %d clusters, want %v", name, got.SE, got.Clusters, want)
		}
	}
}

// Where there is nothing to estimate an error from, the value stands alone with the reason.
func TestNoIntervalWithoutVariation(t *testing.T) {
	often := func(v ...float64) []float64 { return slices.Concat(v, v, v, v, v) } // eight shared fails at least
	of := func(c ...int) []int { return slices.Concat(c, c, c, c, c) }
	gold := often(1, 1, 0, 1, 0, 0, 1, 1)
	pairs := of(1, 1, 2, 2, 3, 3, 4, 4)
	for _, tt := range []struct {
		name    string
		judge   []float64
		cluster []int
		want    stat.Reason
	}{
		{"the same verdicts", gold, pairs, stat.NoDisagreement},
		{"always a pass", often(1, 1, 1, 1, 1, 1, 1, 1), pairs, stat.ZeroVariance},
		{"one cluster", often(1, 0, 0, 1, 0, 1, 1, 1), of(7, 7, 7, 7, 7, 7, 7, 7), stat.OneCluster},
		{"four shared fails", append(often(1, 0, 0, 1, 1, 1, 1, 1)[:32], 1, 0, 1, 1, 1, 1, 1, 1), pairs, ""},
		{"one cluster has all shared fails", often(1, 0, 0, 1, 0, 1, 1, 1), of(1, 1, 2, 3, 2, 2, 4, 4), ""},
	} {
		k := stattest.Must[Kappa](t)(CohenKappa(gold, tt.judge, nil, tt.cluster, []float64{0, 1}, NoWeights, 0.05))
		if !k.Value.Valid || k.CI.Low.Reason != tt.want || k.CI.Low.Valid != (tt.want == "") {
			t.Errorf("%s: %+v", tt.name, k)
		}
	}
	one := stattest.Must[Kappa](t)(CohenKappa(gold, gold, nil, of(1, 1, 2, 3, 2, 2, 4, 4), []float64{0, 1}, NoWeights, 0.05))
	if one.CI.Low.Reason != stat.OneClusterDecides {
		t.Errorf("all fails in one cluster: %+v", one)
	}
}

// calls returns so many calls of each pair of verdicts, spread over the conversations from first to last.
func calls(first, last int, pairs map[string]int) (a, b []float64, cluster []int) {
	for _, pair := range []string{"11", "00", "10", "01"} {
		for range pairs[pair] {
			cluster = append(cluster, first+len(a)%(last-first+1))
			a, b = append(a, float64(pair[0]-'0')), append(b, float64(pair[1]-'0'))
		}
	}
	return a, b, cluster
}

// One long conversation that decides much makes the interval of kappa longer, and not absurd: by the degrees of
// freedom of Welch and Satterthwaite it would be 0.55 wide.
func TestKappaIfOneConversationDominates(t *testing.T) {
	a, b, cluster := calls(0, 0, map[string]int{"11": 20, "00": 5, "10": 25})
	x, y, others := calls(1, 59, map[string]int{"11": 120, "00": 20, "10": 30, "01": 30})
	a, b, cluster = append(a, x...), append(b, y...), append(cluster, others...)
	k := stattest.Must[Kappa](t)(CohenKappa(a, b, nil, cluster, []float64{0, 1}, NoWeights, 0.05))
	if width := k.CI.High.Value - k.CI.Low.Value; !(math.Abs(k.Value.Value-0.15) <= 0.01) || !(width > 0 && width < 0.4) {
		t.Errorf("kappa %v in %v", k.Value, k.CI)
	}
}

// Of failures that both found in two conversations only little is known of kappa, but it is known: no agreement is
// possible, and perfect agreement is not.
func TestKappaOfRareFailures(t *testing.T) {
	a, b, cluster := calls(1, 40, map[string]int{"11": 180, "00": 2, "10": 6, "01": 4})
	k := stattest.Must[Kappa](t)(CohenKappa(a, b, nil, cluster, []float64{0, 1}, NoWeights, 0.05))
	if ci := k.CI; !(ci.Low.Valid && ci.Low.Value > -0.1 && ci.Low.Value < 0.15 && ci.High.Value > 0.5 && ci.High.Value < 0.75) {
		t.Errorf("kappa %v in %v", k.Value, ci)
	}
}

func TestKappaDifference(t *testing.T) {
	a, b, cluster := stattest.ClusteredPairs(5, 400, 40, 4)
	c, _, _ := stattest.ClusteredPairs(6, 400, 40, 4)
	of := func(x, y []float64) interval.Difference {
		return stattest.Must[interval.Difference](t)(KappaDifference(a, x, y, nil, cluster, stattest.ScaleTo(4), Quadratic, 0.05))
	}
	want := plainKappa(t, a, b, stattest.ScaleTo(4), Quadratic).Value.Value -
		plainKappa(t, a, c, stattest.ScaleTo(4), Quadratic).Value.Value
	if d := of(b, c); !(math.Abs(d.Value.Value-want) <= 1e-12) || d.P.Value > 1e-4 || d.CI.Low.Value <= 0 {
		t.Errorf("a judge that copies and one that guesses: %+v, want %v", d, want)
	}
	if d := of(b, b); d.Value.Value != 0 || d.P != stat.Some(1) || d.CI.Low.Valid {
		t.Errorf("a judge against itself: %+v", d)
	}
}

// The million-score case runs small in tests: its size is in the benchmark.
func BenchmarkCohenKappaMillion(b *testing.B) {
	items, clusters := 1_000_000, 20_000
	if testing.Short() {
		items, clusters = 20_000, 400
	}
	for _, q := range []int{2, 5} {
		x, y, cluster := stattest.ClusteredPairs(1, items, clusters, q)
		b.Run(map[int]string{2: "binary", 5: "scale5"}[q], func(b *testing.B) {
			for b.Loop() {
				if _, err := CohenKappa(x, y, nil, cluster, stattest.ScaleTo(q), Quadratic, 0.05); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleCohenKappa() {
	gold := []float64{1, 1, 0, 1, 0, 0, 1, 1}
	judge := []float64{1, 0, 0, 1, 0, 1, 1, 1}
	calls := stat.ClusterIDs([]string{"c1", "c1", "c2", "c2", "c3", "c3", "c4", "c4"})
	k, err := CohenKappa(gold, judge, nil, calls, []float64{0, 1}, NoWeights, 0.05)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("kappa %.2f, observed agreement %.2f, %d calls in %d conversations\n",
		k.Value.Value, k.PO.Value, k.N, k.Clusters)
	// Output:
	// kappa 0.47, observed agreement 0.75, 8 calls in 4 conversations
}

// TestKappaDifferenceOfRareFails: what counts is how many conversations have a fail of the reference, not of a judge.
func TestKappaDifferenceOfRareFails(t *testing.T) {
	var rare, often, other []float64
	var cluster []int
	for i := range 48 {
		rare, often = append(rare, asNumber(i > 9 || i%3 > 0)), append(often, asNumber(i%3 > 0))
		other, cluster = append(other, asNumber(i%5 > 0)), append(cluster, i/4)
	}
	of := func(reference, a, b []float64) stat.Reason {
		d := stattest.Must[interval.Difference](t)(
			KappaDifference(reference, a, b, nil, cluster, []float64{0, 1}, NoWeights, 0.05))
		return d.CI.Low.Reason
	}
	if got := of(rare, often, other); got != stat.FewRare {
		t.Errorf("fails in 3 of 12 conversations: %q", got)
	}
	if got := of(often, rare, other); got != "" {
		t.Errorf("fails in all conversations: %q", got)
	}
}

func asNumber(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
