package truth

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Brier is the mean squared error of probabilities, with Murphy's parts over
// distinct forecasts: Brier = Reliability - Resolution + Uncertainty.
type Brier struct {
	N, Dropped                           int
	Brier, LogLoss                       stat.Opt // log loss clips p to [1e-15, 1-1e-15]
	Skill                                stat.Opt // 1 - Brier/(ȳ(1-ȳ)), undefined for one class
	Reliability, Resolution, Uncertainty stat.Opt
}

// BrierScore scores the probabilities prob against binary gold.
func BrierScore(gold, prob []float64) (Brier, error) {
	kept, dropped, err := stat.Complete(gold, prob)
	if err != nil {
		return Brier{}, err
	}
	gold, prob = kept[0], kept[1]
	out := Brier{N: len(gold), Dropped: dropped}
	if out.N == 0 {
		u := stat.None(stat.NoItems)
		out.Brier, out.LogLoss, out.Skill, out.Reliability, out.Resolution, out.Uncertainty = u, u, u, u, u, u
		return out, nil
	}
	n := float64(out.N)
	square, loss, passes := 0.0, 0.0, 0.0
	for i, g := range gold {
		y := 0.0
		if stat.IsPass(g) {
			y = 1
			passes++
		}
		square += (prob[i] - y) * (prob[i] - y)
		p := math.Min(math.Max(prob[i], 1e-15), 1-1e-15)
		if y == 1 {
			loss -= math.Log(p)
		} else {
			loss -= math.Log(1 - p)
		}
	}
	base := passes / n
	out.Brier, out.LogLoss, out.Uncertainty = stat.Some(square/n), stat.Some(loss/n), stat.Some(base*(1-base))
	out.Skill = stat.None(stat.OneClass)
	if passes > 0 && passes < n {
		out.Skill = stat.Some(1 - square/n/(base*(1-base)))
	}
	rel, res := murphy(gold, prob, base)
	out.Reliability, out.Resolution = stat.Some(rel/n), stat.Some(res/n)
	return out, nil
}

// murphy sums n_k (f_k - ȳ_k)² and n_k (ȳ_k - ȳ)² over the distinct forecasts.
func murphy(gold, prob []float64, base float64) (reliability, resolution float64) {
	order := stat.SortedOrder(prob)
	for i := 0; i < len(order); {
		f, j, hits := prob[order[i]], i, 0.0
		for ; j < len(order) && prob[order[j]] == f; j++ {
			if stat.IsPass(gold[order[j]]) {
				hits++
			}
		}
		m := float64(j - i)
		rate := hits / m
		reliability += m * (f - rate) * (f - rate)
		resolution += m * (rate - base) * (rate - base)
		i = j
	}
	return reliability, resolution
}

// CalibrationBin is one non-empty bin of a calibration plot.
type CalibrationBin struct {
	Bin                  int // from 0
	N                    int
	Confidence, Accuracy float64
}

// ECE is the expected calibration error. It is biased upward for small N and
// depends on the bins: never compare it across different N or bin counts.
type ECE struct {
	N, Dropped     int
	ECE, MCE       stat.Opt
	Overconfidence stat.Opt // mean confidence - accuracy
	Bins           []CalibrationBin
}

// BinStrategy places the bin edges.
type BinStrategy string

// Uniform edges are i/K; quantile edges are type-7 quantiles of the confidences.
const (
	UniformBins  BinStrategy = "uniform"
	QuantileBins BinStrategy = "quantile"
)

const maxBins = 100_000

// CalibrationError bins confidence into right-closed bins (the bin of p is the
// number of interior edges below p) and compares it with correct (binary).
func CalibrationError(confidence, correct []float64, bins int, strategy BinStrategy) (ECE, error) {
	if bins < 1 || bins > maxBins {
		return ECE{}, fmt.Errorf("bins must be 1..%d, got %d", maxBins, bins)
	}
	if strategy != UniformBins && strategy != QuantileBins {
		return ECE{}, fmt.Errorf("strategy %q is neither uniform nor quantile", strategy)
	}
	kept, dropped, err := stat.Complete(confidence, correct)
	if err != nil {
		return ECE{}, err
	}
	confidence, correct = kept[0], kept[1]
	out := ECE{N: len(confidence), Dropped: dropped, ECE: stat.None(stat.NoItems), MCE: stat.None(stat.NoItems), Overconfidence: stat.None(stat.NoItems)}
	if out.N == 0 {
		return out, nil
	}
	b := binned{edges: interiorEdges(confidence, bins, strategy), bins: make([]bin, bins)}
	for i, p := range confidence {
		b.add(p, stat.IsPass(correct[i]))
	}
	b.fill(&out)
	return out, nil
}

// binned sums up confidences and outcomes by bin, and over all of them.
type binned struct {
	edges []float64
	bins  []bin
	all   bin
}

type bin struct {
	n                    int
	confidence, accuracy float64
}

func (b *bin) add(p, right float64) {
	b.n++
	b.confidence += p
	b.accuracy += right
}

func (b *binned) add(p float64, correct bool) {
	right := 0.0
	if correct {
		right = 1
	}
	b.bins[sort.SearchFloat64s(b.edges, p)].add(p, right)
	b.all.add(p, right)
}

// fill sets what follows from at least one item.
func (b *binned) fill(out *ECE) {
	n := float64(b.all.n)
	ece, mce := 0.0, 0.0
	for at, x := range b.bins {
		if x.n == 0 {
			continue
		}
		m := float64(x.n)
		c, a := x.confidence/m, x.accuracy/m
		gap := math.Abs(c - a)
		ece += m / n * gap
		mce = math.Max(mce, gap)
		out.Bins = append(out.Bins, CalibrationBin{at, x.n, c, a})
	}
	out.ECE, out.MCE, out.Overconfidence = stat.Some(ece), stat.Some(mce), stat.Some(b.all.confidence/n-b.all.accuracy/n)
}

// interiorEdges are the bins-1 edges inside the range, ascending.
func interiorEdges(confidence []float64, bins int, strategy BinStrategy) []float64 {
	edges := make([]float64, bins-1)
	var sorted []float64
	if strategy == QuantileBins {
		sorted = slices.Clone(confidence)
		slices.Sort(sorted)
	}
	for i := range edges {
		edges[i] = float64(i+1) / float64(bins)
		if strategy == QuantileBins {
			edges[i] = stat.QuantileSorted(sorted, edges[i])
		}
	}
	return edges
}
