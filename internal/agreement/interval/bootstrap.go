package interval

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Bootstrap configures resampling. The zero value is not usable:
// set Resamples (2000 in reports) and Alpha.
type Bootstrap struct {
	Resamples int
	Seed      uint64
	Alpha     float64
}

const maxResamples = 1_000_000

func (b Bootstrap) check() error {
	if b.Resamples < 1 || b.Resamples > maxResamples {
		return fmt.Errorf("resamples must be 1..%d, got %d", maxResamples, b.Resamples)
	}
	return stat.CheckAlpha(b.Alpha)
}

// Resampled is an estimate with its bootstrap standard error and percentile
// interval.
type Resampled struct {
	Estimate stat.Opt
	SE       stat.Opt // sd of the replicates, n-1
	CI       stat.Interval
	P        stat.Opt // two-sided, by inversion: that the value is 0; of use for differences
	Used     int      // replicates in which the statistic was defined
	Clusters int
}

// ResampleClusters bootstraps any statistic of additive per-cluster sums:
// totals is clusters × width, row-major. Each resample draws as many clusters as
// there are, with replacement; undefined replicates are left out and counted.
// The cost is resamples × clusters × width additions, whatever the number of
// items behind the totals.
func ResampleClusters(totals []float64, width int, of Statistic, b Bootstrap) (Resampled, error) {
	if err := b.check(); err != nil {
		return Resampled{}, err
	}
	none := stat.None(stat.NoItems)
	out := Resampled{Clusters: len(totals) / width, Estimate: none, SE: none, CI: stat.NoInterval(stat.NoItems),
		P: none}
	if out.Clusters == 0 {
		return out, nil
	}
	all := make([]float64, width)
	for c := range out.Clusters {
		addRow(all, totals[c*width:(c+1)*width])
	}
	out.Estimate = of(all)
	out.summarize(replicate(totals, width, of, b), b.Alpha)
	return out, nil
}

// replicate computes the statistic of every resample, in resample order. The
// resamples are split over goroutines, each jumping to its part of the stream.
func replicate(totals []float64, width int, of Statistic, b Bootstrap) []stat.Opt {
	g := len(totals) / width
	out := make([]stat.Opt, b.Resamples)
	workers := min(runtime.GOMAXPROCS(0), b.Resamples)
	var wg sync.WaitGroup
	for w := range workers {
		first, last := b.Resamples*w/workers, b.Resamples*(w+1)/workers
		wg.Go(func() {
			sums := make([]float64, width)
			s := stat.StreamAt(b.Seed, uint64(first)*uint64(g))
			for r := first; r < last; r++ {
				clear(sums)
				drawSums(sums, totals, g, &s)
				out[r] = of(sums)
			}
		})
	}
	wg.Wait()
	return out
}

// drawSums adds g rows drawn with replacement into sums.
func drawSums(sums, totals []float64, g int, s *stat.Stream) {
	width, n := len(sums), uint64(g)
	if width == 2 { // means, whose resamples are the most
		var sum, count float64
		for range g {
			i := 2 * s.Index(n)
			sum += totals[i]
			count += totals[i+1]
		}
		sums[0], sums[1] = sum, count
		return
	}
	for range g {
		i := width * s.Index(n)
		addRow(sums, totals[i:i+width])
	}
}

// addRow adds row to sums, place by place.
func addRow(sums, row []float64) {
	for j, x := range row {
		sums[j] += x
	}
}

// summarize fills everything but the estimate from the replicates.
func (r *Resampled) summarize(replicates []stat.Opt, alpha float64) {
	v := make([]float64, 0, len(replicates))
	atMost, atLeast := 1.0, 1.0
	for _, o := range replicates {
		if !o.Valid {
			continue
		}
		v = append(v, o.Value)
		if o.Value <= 0 {
			atMost++
		}
		if o.Value >= 0 {
			atLeast++
		}
	}
	r.Used = len(v)
	r.P = stat.Some(math.Min(1, 2*math.Min(atMost, atLeast)/float64(len(v)+1)))
	r.SE, r.CI = stat.None(stat.TooFew), stat.NoInterval(stat.TooFew)
	if len(v) == 0 {
		return
	}
	if len(v) > 1 {
		r.SE = stat.Some(math.Sqrt(stat.Variance(v)))
	}
	slices.Sort(v)
	r.CI = stat.Both(stat.Some(stat.QuantileSorted(v, alpha/2)), stat.Some(stat.QuantileSorted(v, 1-alpha/2)))
}

// PairedBootstrap bootstraps the mean of a-b over clusters. P is min(1, 2·min(#≤0+1, #≥0+1)/(B+1)).
func PairedBootstrap(a, b []float64, cluster []int, cfg Bootstrap) (Resampled, error) {
	kept, index, g, _, err := stat.CompleteClustered(cluster, a, b)
	if err != nil {
		return Resampled{}, err
	}
	totals := make([]float64, 2*g) // sum and number
	for i, c := range index {
		totals[2*c] += kept[0][i] - kept[1][i]
		totals[2*c+1]++
	}
	mean := func(sums []float64) stat.Opt { return stat.Ratio(sums[0], sums[1], stat.NoItems) }
	return ResampleClusters(totals, 2, mean, cfg)
}

// ResampleDifference bootstraps the difference of one statistic of two rows of
// totals that belong to the same clusters.
func ResampleDifference(first, second []float64, width int, of Statistic, cfg Bootstrap) (Resampled, error) {
	joint := make([]float64, 0, 2*len(first))
	for c := 0; c < len(first); c += width {
		joint = append(append(joint, first[c:c+width]...), second[c:c+width]...)
	}
	return ResampleClusters(joint, 2*width, func(sums []float64) stat.Opt {
		x, y := of(sums[:width]), of(sums[width:])
		if !x.Valid || !y.Valid {
			return stat.None(stat.NoChanceDisagreement)
		}
		return stat.Some(x.Value - y.Value)
	}, cfg)
}
