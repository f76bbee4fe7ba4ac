package agreement

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
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

// truth is the pass rate and the kappa of the population.
func truth() (rate, kappa float64) {
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

func covers(iv statistic.Interval, v float64) bool {
	return iv.Low.Valid && iv.High.Valid && iv.Low.Value <= v && v <= iv.High.Value
}

// Clustered intervals of the pass rate, kappa and PPI cover at the nominal rate
// within Monte Carlo error; the intervals that ignore clusters do not.
func TestCoverageUnderClustering(t *testing.T) {
	repeats := 2000
	if testing.Short() {
		repeats = 300
	}
	rate, kappa := truth()
	r := rand.New(rand.NewPCG(20, 26))
	hits := map[string]int{}
	count := func(name string, iv statistic.Interval, v float64) {
		if covers(iv, v) {
			hits[name]++
		}
	}
	for i := range repeats {
		gold, judge, cluster := drawConversations(r, 70, 10)
		m, err := uncertainty.ClusterMean(gold, cluster, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		iid, err := uncertainty.Wilson(m.Mean.Value*float64(m.N), float64(m.N), 0.05)
		if err != nil {
			t.Fatal(err)
		}
		count("rate t", m.CI, rate)
		count("rate wilson n_eff", m.Wilson, rate)
		count("rate naive", iid, rate)

		k, err := raters.ClusteredKappa(gold, judge, cluster, []float64{0, 1}, raters.NoWeights, uncertainty.Bootstrap{Resamples: 300, Seed: uint64(i), Alpha: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		count("kappa cr", k.CRCI, kappa)
		count("kappa bootstrap", k.Bootstrap.CI, kappa)
		count("kappa naive", k.CI, kappa)

		_, unlabeled, rest := drawConversations(r, 150, 10)
		p, err := PPIClustered(gold, judge, cluster, unlabeled, rest, AutoLambda, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		naive, err := PPIMean(gold, judge, unlabeled, AutoLambda, 0.05)
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
		"kappa cr": {0.915, 0.98}, "kappa bootstrap": {0.905, 0.98}, "kappa naive": {0.5, 0.89},
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

// Active labelling with recorded probabilities is unbiased; the mean of the
// labelled items alone is not.
func TestActiveMeanIsUnbiased(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const repeats, n = 400, 300
	active, plain, target := 0.0, 0.0, 0.0
	for range repeats {
		y, f, u := make([]float64, n), make([]float64, n), make([]float64, n)
		truth := make([]float64, n)
		for i := range y {
			truth[i], f[i], u[i] = 1, 1, 0.05
			if r.Float64() < 0.3 { // uncertain items, mostly fails
				u[i] = 0.8
				if r.Float64() < 0.7 {
					truth[i] = 0
				}
			}
			target += truth[i] / (n * repeats)
		}
		pi, err := LabelingProbabilities(u, 60, 0.3)
		if err != nil {
			t.Fatal(err)
		}
		labeled, passes := 0.0, 0.0
		for i := range y {
			y[i] = statistic.Missing()
			if r.Float64() < pi[i] {
				y[i] = truth[i]
				labeled++
				passes += truth[i]
			}
		}
		a, err := EstimateActive(y, f, pi, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		active += a.Estimate.Value / repeats
		plain += passes / labeled / repeats
	}
	if d := active - target; d < -0.01 || d > 0.01 {
		t.Errorf("active labelling estimates %.4f of %.4f", active, target)
	}
	if plain > target-0.1 {
		t.Errorf("the labelled items alone give %.4f of %.4f: the test has lost its point", plain, target)
	}
}
