package truth

import (
	"fmt"
	"math"
	"sort"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Brier is the mean squared error of probabilities.
type Brier struct {
	Brier stat.Opt
	Skill stat.Opt // 1 - Brier/(ȳ(1-ȳ)), undefined for one class
}

// BrierScore scores the probabilities prob against binary gold.
func BrierScore(gold, prob []float64) (Brier, error) {
	kept, _, err := stat.Complete(gold, prob)
	if err != nil {
		return Brier{}, err
	}
	gold, prob = kept[0], kept[1]
	n, square, passes := float64(len(gold)), 0.0, 0.0
	for i, g := range gold {
		y := outcome(g)
		passes += y
		square += (prob[i] - y) * (prob[i] - y)
	}
	out := Brier{Brier: stat.Ratio(square, n, stat.NoItems), Skill: stat.None(stat.OneClass)}
	if base := passes / n; passes > 0 && passes < n {
		out.Skill = stat.Some(1 - square/n/(base*(1-base)))
	}
	return out, nil
}

// outcome is a binary value as 1 or 0.
func outcome(v float64) float64 {
	if stat.IsPass(v) {
		return 1
	}
	return 0
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
	ECE            stat.Opt
	Overconfidence stat.Opt // mean confidence - accuracy
	Bins           []CalibrationBin
}

const maxBins = 1000

// CalibrationError puts confidence into bins of equal width in 0..1, right-closed (the bin
// of p is the number of interior edges below p), and compares it with correct (binary).
func CalibrationError(confidence, correct []float64, bins int) (ECE, error) {
	if bins < 1 || bins > maxBins {
		return ECE{}, fmt.Errorf("bins must be 1..%d, got %d", maxBins, bins)
	}
	kept, _, err := stat.Complete(confidence, correct)
	if err != nil {
		return ECE{}, err
	}
	sums := binSums(kept[0], kept[1], bins)
	out := ECE{ECE: calibrationGap(sums), Overconfidence: stat.None(stat.NoItems)}
	sure, right := 0.0, 0.0
	for bin := range bins {
		m, c, a := sums[3*bin], sums[3*bin+1], sums[3*bin+2]
		if m > 0 {
			out.Bins = append(out.Bins, CalibrationBin{bin, int(m), c / m, a / m})
			sure, right = sure+c, right+a
		}
	}
	if n := float64(len(kept[0])); n > 0 {
		out.Overconfidence = stat.Some(sure/n - right/n)
	}
	return out, nil
}

// binSums are the number of items, their confidence and their outcomes by bin: bins × 3.
func binSums(confidence, correct []float64, bins int) []float64 {
	edges := make([]float64, bins-1)
	for i := range edges {
		edges[i] = float64(i+1) / float64(bins)
	}
	sums := make([]float64, 3*bins)
	for i, p := range confidence {
		at := 3 * sort.SearchFloat64s(edges, p)
		sums[at]++
		sums[at+1] += p
		sums[at+2] += outcome(correct[i])
	}
	return sums
}

// calibrationGap is the expected calibration error of the sums of bins.
func calibrationGap(sums []float64) stat.Opt {
	n, gap := 0.0, 0.0
	for b := 0; b < len(sums); b += 3 {
		n += sums[b]
		gap += math.Abs(sums[b+1] - sums[b+2])
	}
	return stat.Ratio(gap, n, stat.NoItems)
}
