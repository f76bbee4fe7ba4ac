package agreement

import (
	"fmt"
	"math"
	"testing"
)

var quick = Bootstrap{Resamples: 50, Seed: 3, Alpha: 0.05}

// Every clustered bootstrap estimates what the plain statistic computes.
func TestResampledEstimatesAreThePlainOnes(t *testing.T) {
	a, b, cluster := clusteredPairs(5, 400, 40, 4)
	c, _, _ := clusteredPairs(6, 400, 40, 4)
	a[3], b[77] = Missing(), Missing()
	gold, pass, other := cut(a, 2), cut(b, 2), cut(c, 2)
	f1 := func(m BinaryMetrics) Opt { return m.F1 }
	plainF1 := func(x []float64) Opt { return must[BinaryMetrics](t)(Binary(gold, x, 0.5)).F1 }
	plainKappa := func(x, y, z []float64) Opt {
		kept, _, err := complete(x, y, z)
		if err != nil {
			t.Fatal(err)
		}
		return must[Kappa](t)(CohenKappa(kept[0], kept[1], scaleTo(4), Quadratic, 0.05)).Kappa
	}
	conf := make([]float64, len(a))
	for i, x := range c {
		conf[i] = x / 4
	}
	check := func(name string, got Resampled, want Opt) {
		t.Helper()
		if !near(got.Estimate, want) || !got.CI.Low.Valid || got.CI.Low.Value > got.CI.High.Value || got.Used != quick.Resamples {
			t.Errorf("%s: %+v, want the estimate %v", name, got, want)
		}
	}
	check("f1", must[Resampled](t)(ConfusionInterval(gold, pass, cluster, f1, quick)), plainF1(pass))
	for _, level := range []string{LevelNominal, LevelOrdinal, LevelInterval, LevelRatio} {
		ratings := [][]float64{a, b, c}
		check("alpha "+level, must[Resampled](t)(AlphaInterval(ratings, cluster, level, quick)), must[Alpha](t)(KrippendorffAlpha(ratings, level)).Alpha)
	}
	for _, s := range []BinStrategy{UniformBins, QuantileBins} {
		check("ece", must[Resampled](t)(CalibrationErrorInterval(conf, pass, cluster, 10, s, quick)), must[ECE](t)(CalibrationError(conf, pass, 10, s)).ECE)
	}
	d := must[Resampled](t)(KappaDifference(a, b, c, cluster, scaleTo(4), Quadratic, quick))
	check("kappa difference", d, Some(plainKappa(a, b, c).Value-plainKappa(a, c, b).Value))
	if !d.P.Valid || d.P.Value > 0.1 {
		t.Errorf("a judge that copies and one that guesses differ with p %v", d.P)
	}
	e := must[Resampled](t)(ConfusionDifference(gold, pass, other, cluster, f1, quick))
	same := must[Resampled](t)(ConfusionDifference(gold, pass, pass, cluster, f1, quick))
	if !e.Estimate.Valid || e.Estimate.Value <= 0 || same.P.Value != 1 || same.Estimate.Value != 0 {
		t.Errorf("differences %+v and %+v", e, same)
	}
}

func cut(v []float64, threshold float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x
		if !math.IsNaN(x) {
			out[i] = 0
			if x >= threshold {
				out[i] = 1
			}
		}
	}
	return out
}

func TestResampledWithNothing(t *testing.T) {
	none := []float64{}
	ids := []int{}
	for name, r := range map[string]Resampled{
		"alpha": must[Resampled](t)(AlphaInterval([][]float64{none, none}, ids, LevelNominal, quick)),
		"ece":   must[Resampled](t)(CalibrationErrorInterval(none, none, ids, 5, UniformBins, quick)),
		"kappa": must[Resampled](t)(KappaDifference(none, none, none, ids, scaleTo(2), NoWeights, quick)),
		"mean":  must[Resampled](t)(BootstrapMean(none, ids, quick)),
	} {
		if r.Estimate.Valid || r.CI.Low.Valid || r.SE.Valid || r.Estimate.Reason == "" {
			t.Errorf("%s of nothing: %+v", name, r)
		}
	}
}

func ExampleClusteredKappa() {
	gold := []float64{1, 1, 0, 1, 0, 0, 1, 1}
	judge := []float64{1, 0, 0, 1, 0, 1, 1, 1}
	calls := ClusterIDs([]string{"c1", "c1", "c2", "c2", "c3", "c3", "c4", "c4"})
	k, err := ClusteredKappa(gold, judge, calls, []float64{0, 1}, NoWeights, Bootstrap{Resamples: 200, Seed: 1, Alpha: 0.05})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("kappa %.2f, observed agreement %.2f, %d calls in %d conversations\n", k.Kappa.Kappa.Value, k.PO.Value, k.N, k.Clusters)
	for _, w := range k.Bootstrap.Warnings {
		fmt.Println(w.Code)
	}
	// Output:
	// kappa 0.47, observed agreement 0.75, 8 calls in 4 conversations
	// undefined_resamples
	// few_clusters
}
