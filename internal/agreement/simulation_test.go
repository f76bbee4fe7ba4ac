package agreement

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
)

// conversationKind is a kind of conversation: its pass rate, and how often the
// judge is right in it.
type conversationKind struct{ pass, accuracy float64 }

// easyAndHard makes calls of one conversation alike, in quality and in how well
// they are judged: intervals that ignore it must fail.
var easyAndHard = [2]conversationKind{{0.9, 0.98}, {0.4, 0.55}}

func drawConversations(r *rand.Rand, clusters, size int) (gold, judge []float64, cluster []int) {
	for c := range clusters {
		k := easyAndHard[r.IntN(2)]
		for range size {
			y := 0.0
			if r.Float64() < k.pass {
				y = 1
			}
			f := y
			if r.Float64() >= k.accuracy {
				f = 1 - y
			}
			gold, judge, cluster = append(gold, y), append(judge, f), append(cluster, c)
		}
	}
	return gold, judge, cluster
}

// simulatedTruth returns the pass rate and the kappa of the population.
func simulatedTruth() (rate, kappa float64) {
	var both, neither, judged float64
	for _, k := range easyAndHard {
		rate += k.pass / 2
		both += k.pass * k.accuracy / 2
		neither += (1 - k.pass) * k.accuracy / 2
		judged += (k.pass*k.accuracy + (1-k.pass)*(1-k.accuracy)) / 2
	}
	po := both + neither
	pe := rate*judged + (1-rate)*(1-judged)
	return rate, (po - pe) / (1 - pe)
}

func covers(iv stat.Interval, v float64) bool {
	return iv.Low.Valid && iv.High.Valid && iv.Low.Value <= v && v <= iv.High.Value
}

// Clustered intervals of the pass rate, kappa and PPI cover at the nominal rate
// within Monte Carlo error; the intervals that ignore clusters do not.
func TestCoverageUnderClustering(t *testing.T) {
	repeats := 2000
	if testing.Short() {
		repeats = 300
	}
	rate, kappa := simulatedTruth()
	r := rand.New(rand.NewPCG(20, 26))
	hits := map[string]int{}
	count := func(name string, iv stat.Interval, v float64) {
		if covers(iv, v) {
			hits[name]++
		}
	}
	for range repeats {
		gold, judge, cluster := drawConversations(r, 70, 10)
		m, err := interval.ClusterMean(gold, cluster, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		iid, err := interval.Wilson(m.Mean.Value*float64(m.N), float64(m.N), 0.05)
		if err != nil {
			t.Fatal(err)
		}
		count("rate t", m.CI, rate)
		count("rate wilson n_eff", m.Wilson, rate)
		count("rate naive", iid.CI, rate)

		for name, of := range map[string][]int{"kappa": cluster, "kappa naive": nil} {
			k, err := raters.CohenKappa(gold, judge, nil, of, []float64{0, 1}, raters.NoWeights, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			count(name, k.CI, kappa)
		}

		_, unlabeled, rest := drawConversations(r, 150, 10)
		p, err := truth.PPIClustered(gold, judge, nil, cluster, unlabeled, rest, truth.AutoLambda, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		naive, err := truth.PPIClustered(gold, judge, nil, alone(len(gold)), unlabeled, alone(len(unlabeled)), truth.AutoLambda, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		count("ppi cluster", p.CI, rate)
		count("ppi naive", naive.CI, rate)
	}
	// The Monte Carlo standard error of a coverage of 0.95 is 0.005 at 2000
	// repeats (0.013 at 300); the bands add what 70 conversations cost by themselves.
	bands := map[string][2]float64{
		"rate t": {0.92, 0.98}, "rate wilson n_eff": {0.92, 0.985}, "rate naive": {0.5, 0.82},
		"kappa": {0.92, 0.98}, "kappa naive": {0.5, 0.89},
		"ppi cluster": {0.915, 0.98}, "ppi naive": {0.5, 0.85},
	}
	for _, name := range slices.Sorted(maps.Keys(bands)) {
		share := float64(hits[name]) / float64(repeats)
		t.Logf("%-18s coverage %.3f of nominal 0.95", name, share)
		if b := bands[name]; share < b[0] || share > b[1] {
			t.Errorf("%s covers %.3f, outside [%.3f, %.3f]", name, share, b[0], b[1])
		}
	}
}

// alone puts each of n items in a cluster of its own.
func alone(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
