package raters

import (
	"fmt"
	"testing"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// Every clustered bootstrap estimates what the plain statistic computes.
func TestResampledRatersEstimateThePlainOnes(t *testing.T) {
	quick := interval.Bootstrap{Resamples: 50, Seed: 3, Alpha: 0.05}
	a, b, cluster := stattest.ClusteredPairs(5, 400, 40, 4)
	c, _, _ := stattest.ClusteredPairs(6, 400, 40, 4)
	a[3], b[77] = stat.Missing(), stat.Missing()
	kappaOf := func(x, y, z []float64) stat.Opt {
		kept, _, err := stat.Complete(x, y, z)
		if err != nil {
			t.Fatal(err)
		}
		return plainKappa(t, kept[0], kept[1], stattest.ScaleTo(4), Quadratic).Kappa
	}
	check := func(name string, got interval.Resampled, want stat.Opt) {
		t.Helper()
		if !stattest.Near(got.Estimate, want) || !got.CI.Low.Valid || got.CI.Low.Value > got.CI.High.Value || got.Used != quick.Resamples {
			t.Errorf("%s: %+v, want the estimate %v", name, got, want)
		}
	}
	d := stattest.Must[interval.Resampled](t)(KappaDifference(a, b, c, cluster, stattest.ScaleTo(4), Quadratic, quick))
	check("kappa difference", d, stat.Some(kappaOf(a, b, c).Value-kappaOf(a, c, b).Value))
	if !d.P.Valid || d.P.Value > 0.1 {
		t.Errorf("a judge that copies and one that guesses differ with p %v", d.P)
	}
}

func TestResampledRatersWithNothing(t *testing.T) {
	quick := interval.Bootstrap{Resamples: 50, Seed: 3, Alpha: 0.05}
	none, ids := []float64{}, []int{}
	for name, r := range map[string]interval.Resampled{
		"kappa": stattest.Must[interval.Resampled](t)(KappaDifference(none, none, none, ids, stattest.ScaleTo(2), NoWeights, quick)),
	} {
		if r.Estimate.Valid || r.CI.Low.Valid || r.SE.Valid || r.Estimate.Reason == "" {
			t.Errorf("%s of nothing: %+v", name, r)
		}
	}
}

func ExampleClusteredKappa() {
	gold := []float64{1, 1, 0, 1, 0, 0, 1, 1}
	judge := []float64{1, 0, 0, 1, 0, 1, 1, 1}
	calls := stat.ClusterIDs([]string{"c1", "c1", "c2", "c2", "c3", "c3", "c4", "c4"})
	k, err := ClusteredKappa(gold, judge, calls, []float64{0, 1}, NoWeights, interval.Bootstrap{Resamples: 200, Seed: 1, Alpha: 0.05})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("kappa %.2f, observed agreement %.2f, %d calls in %d conversations\n", k.Kappa.Kappa.Value, k.PO.Value, k.N, k.Clusters)
	// Output:
	// kappa 0.47, observed agreement 0.75, 8 calls in 4 conversations
}
