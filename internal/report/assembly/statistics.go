package assembly

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
)

// statistics computes with one error rate of intervals and keeps its first error. A
// statistic fails where it is called wrongly, never because of the scores.
type statistics struct {
	alpha float64
	err   error
}

func (s *statistics) keep(err error) {
	if s.err == nil {
		s.err = err
	}
}

// spreadOf is ClusterMean of a number per item (NaN: missing).
func spreadOf[T interface{ Cluster() int }](s *statistics, all []T, of func(T) float64) interval.ClusterSE {
	values, cluster := make([]float64, len(all)), make([]int, len(all))
	for i, x := range all {
		values[i], cluster[i] = of(x), x.Cluster()
	}
	m, err := interval.ClusterMean(values, cluster, s.alpha)
	s.keep(err)
	return m
}

// gapOf is the mean of a difference per item, with its interval.
func gapOf[T interface{ Cluster() int }](s *statistics, all []T, of func(T) float64) report.Estimate {
	m := spreadOf(s, all, of)
	return report.Interval(m.Mean, m.CI)
}

// rateOf is the mean of a 0 or 1 per item, with its score interval for
// the effective number of independent items.
func rateOf[T interface{ Cluster() int }](s *statistics, all []T, of func(T) float64) report.Estimate {
	return asRate(spreadOf(s, all, of))
}

func asMean(m interval.ClusterSE) report.Estimate { return report.Interval(m.Mean, m.MeanCI) }
func asRate(m interval.ClusterSE) report.Estimate { return report.Interval(m.Mean, m.Wilson) }

// share is a part of a whole, without an interval.
func share(part, whole int) report.Estimate {
	return report.Point(stat.Ratio(float64(part), float64(whole), stat.NoItems))
}

// power is the chance with which a detectable change is found.
const power = 0.8

// smallestChange is the smallest true difference that the mean of these values can show
// with 80 % power.
func (s *statistics) smallestChange(m interval.ClusterSE) stat.Opt {
	if !m.SEIID.Valid || !m.Deff.Valid || m.SEIID.Value == 0 {
		return stat.None(stat.ZeroVariance)
	}
	n := float64(m.N)
	d, err := interval.DetectableMean(m.SEIID.Value*math.Sqrt(n), n, m.Deff.Value, s.alpha, power)
	s.keep(err)
	return d
}

// verdictScale is the scale of a pass or a fail.
var verdictScale = []float64{0, 1}

// verdictKappa is Cohen's kappa of the verdicts with its interval by conversation.
func (s *statistics) verdictKappa(decided []pair) report.Estimate {
	return s.kappa(decided, refPasses, judgePasses, verdictScale, raters.NoWeights)
}

func (s *statistics) kappa(all []pair, x, y func(pair) float64, scale []float64, w raters.Weighting) report.Estimate {
	k, err := raters.CohenKappa(asked(all, x), asked(all, y), clusters(all), scale, w, s.alpha)
	s.keep(err)
	return report.Interval(k.Value, k.CI)
}

// correlation are the rank correlations of both values.
func (s *statistics) correlation(all []pair) raters.Correlation {
	ranks, err := raters.Correlate(asked(all, judgeValue), asked(all, refValue), clusters(all), s.alpha)
	s.keep(err)
	return ranks
}

// krippendorff is Krippendorff's alpha with its interval by conversation.
func (s *statistics) krippendorff(ratings [][]float64, clusters []int, level string) report.Estimate {
	alpha, err := raters.ClusteredAlpha(ratings, clusters, level, s.alpha)
	s.keep(err)
	return report.Interval(alpha.Value, alpha.CI)
}

// holm corrects p-values (nil: missing) for their number.
func (s *statistics) holm(p []*float64) []stat.Opt {
	values := make([]float64, len(p))
	for i, x := range p {
		values[i] = math.NaN()
		if x != nil {
			values[i] = *x
		}
	}
	adjusted, err := interval.Holm(values)
	s.keep(err)
	return adjusted
}

// asked is the number of each pair.
func asked(all []pair, of func(pair) float64) []float64 {
	out := make([]float64, len(all))
	for i, p := range all {
		out[i] = of(p)
	}
	return out
}

// clusters are the conversations of pairs.
func clusters(all []pair) []int {
	out := make([]int, len(all))
	for i, p := range all {
		out[i] = p.Cluster()
	}
	return out
}
