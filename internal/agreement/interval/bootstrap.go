package interval

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Bootstrap configures resampling. The zero value asks for nothing sensible:
// set Resamples (2000 in reports) and Alpha.
type Bootstrap struct {
	Resamples int
	Seed      uint64
	Alpha     float64
	Workers   int // goroutines; 0 means one per processor. The result never depends on it.
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
	P        stat.Opt // paired differences only: two-sided, by inversion
	Used     int      // replicates in which the statistic was defined
	Clusters int
	Warnings []stat.Warning
}

// Statistic computes a value from the sums of the clusters' sufficient
// statistics. It must not keep or change sums, and may be called from several
// goroutines at once.
type Statistic func(sums []float64) stat.Opt

// ResampleClusters bootstraps any statistic of additive per-cluster sums:
// totals is clusters × width, row-major. Each resample draws as many clusters as
// there are, with replacement; undefined replicates are left out and counted.
// The cost is resamples × clusters × width additions, whatever the number of
// items behind the totals.
func ResampleClusters(totals []float64, width int, of Statistic, b Bootstrap) (Resampled, error) {
	if err := b.check(); err != nil {
		return Resampled{}, err
	}
	if width < 1 || len(totals)%width != 0 {
		return Resampled{}, fmt.Errorf("%d totals are not rows of width %d", len(totals), width)
	}
	g := len(totals) / width
	out := Resampled{Clusters: g, Estimate: stat.None(stat.NoItems), SE: stat.None(stat.NoItems), CI: stat.NoInterval(stat.NoItems), P: stat.None(stat.NotApplicable)}
	if g == 0 {
		return out, nil
	}
	all := make([]float64, width)
	for c := range g {
		stat.AddRow(all, totals[c*width:(c+1)*width])
	}
	out.Estimate = of(all)
	replicates := replicate(totals, width, of, b)
	out.summarize(replicates, b.Alpha)
	if g < 10 {
		out.Warnings = append(out.Warnings, stat.Warning{Code: "few_clusters", Detail: fmt.Sprintf("percentile intervals from %d conversations are too short", g)})
	}
	return out, nil
}

// replicate computes the statistic of every resample, in resample order. The
// resamples are split over goroutines, each jumping to its part of the stream.
func replicate(totals []float64, width int, of Statistic, b Bootstrap) []stat.Opt {
	g := len(totals) / width
	out := make([]stat.Opt, b.Resamples)
	workers := b.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, b.Resamples)
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
	n := uint64(g)
	switch width := len(sums); width {
	case 1:
		t := 0.0
		for range g {
			t += totals[s.Index(n)]
		}
		sums[0] = t
	case 2:
		t, u := 0.0, 0.0
		for range g {
			i := 2 * s.Index(n)
			t += totals[i]
			u += totals[i+1]
		}
		sums[0], sums[1] = t, u
	default:
		for range g {
			i := width * s.Index(n)
			stat.AddRow(sums, totals[i:i+width])
		}
	}
}

// summarize fills SE, CI and Used from the replicates.
func (r *Resampled) summarize(replicates []stat.Opt, alpha float64) {
	v := make([]float64, 0, len(replicates))
	for _, o := range replicates {
		if o.Valid {
			v = append(v, o.Value)
		}
	}
	r.Used = len(v)
	r.SE, r.CI = stat.None(stat.TooFew), stat.NoInterval(stat.TooFew)
	if dropped := len(replicates) - len(v); dropped > 0 {
		r.Warnings = append(r.Warnings, stat.Warning{Code: "undefined_resamples", Detail: fmt.Sprintf("the statistic was undefined in %d of %d resamples", dropped, len(replicates))})
	}
	if len(v) == 0 {
		return
	}
	if len(v) > 1 {
		r.SE = stat.Some(math.Sqrt(stat.Variance(v)))
	}
	slices.Sort(v)
	r.CI = stat.Both(stat.Some(stat.QuantileSorted(v, alpha/2)), stat.Some(stat.QuantileSorted(v, 1-alpha/2)))
}

// meanOfTotals is Σsums/Σcounts for rows of (sum, count).
func meanOfTotals(sums []float64) stat.Opt {
	return stat.Ratio(sums[0], sums[1], stat.NoItems)
}

// PairedBootstrap bootstraps the mean of a-b over items or, when cluster is not
// nil, over clusters. P is min(1, 2·min(#≤0+1, #≥0+1)/(B+1)).
func PairedBootstrap(a, b []float64, cluster []int, cfg Bootstrap) (Resampled, error) {
	if err := cfg.check(); err != nil {
		return Resampled{}, err
	}
	if cluster == nil {
		cluster = make([]int, len(a))
		for i := range cluster {
			cluster[i] = i
		}
	}
	kept, index, g, _, err := stat.CompleteClustered(cluster, a, b)
	if err != nil {
		return Resampled{}, err
	}
	d := make([]float64, len(kept[0]))
	for i := range d {
		d[i] = kept[0][i] - kept[1][i]
	}
	sums, counts := clusterTotals(d, index, g)
	totals := make([]float64, 0, 2*g)
	for c := range g {
		totals = append(totals, sums[c], counts[c])
	}
	out := Resampled{Clusters: g, Estimate: stat.None(stat.NoItems), SE: stat.None(stat.NoItems), CI: stat.NoInterval(stat.NoItems), P: stat.None(stat.NoItems)}
	if g == 0 {
		return out, nil
	}
	out.Estimate = stat.Some(stat.Mean(d))
	replicates := replicate(totals, 2, meanOfTotals, cfg)
	out.summarize(replicates, cfg.Alpha)
	out.P = signP(replicates)
	return out, nil
}

// signP is the two-sided bootstrap p that the difference is 0.
func signP(replicates []stat.Opt) stat.Opt {
	atMost, atLeast, used := 1.0, 1.0, 1.0
	for _, r := range replicates {
		if !r.Valid {
			continue
		}
		used++
		if r.Value <= 0 {
			atMost++
		}
		if r.Value >= 0 {
			atLeast++
		}
	}
	return stat.Some(math.Min(1, 2*math.Min(atMost, atLeast)/used))
}

// ResampleDifference bootstraps the difference of one statistic of two rows of
// totals that belong to the same clusters.
func ResampleDifference(first, second []float64, width int, of Statistic, cfg Bootstrap) (Resampled, error) {
	joint := make([]float64, 0, 2*len(first))
	for c := 0; c < len(first); c += width {
		joint = append(append(joint, first[c:c+width]...), second[c:c+width]...)
	}
	difference := func(sums []float64) stat.Opt {
		x, y := of(sums[:width]), of(sums[width:])
		if !x.Valid || !y.Valid {
			return stat.None(stat.NoChanceDisagreement)
		}
		return stat.Some(x.Value - y.Value)
	}
	out, err := ResampleClusters(joint, 2*width, difference, cfg)
	if err != nil || out.Clusters == 0 {
		return out, err
	}
	out.P = signP(replicate(joint, 2*width, difference, cfg))
	return out, nil
}
