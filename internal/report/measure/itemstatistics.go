package measure

import (
	"cmp"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
)

// spreadOf returns the spread of a number per item (NaN means missing).
func spreadOf[T interface{ Cluster() int }](s *statistics, all []T, of func(T) float64) interval.ClusterSE {
	values, cluster := make([]float64, len(all)), make([]int, len(all))
	for i, x := range all {
		values[i], cluster[i] = of(x), x.Cluster()
	}
	return s.Spread(values, cluster)
}

// weighted is like spreadOf, for observations of labels with weights.
func (s *statistics) weighted(all []observation, of func(observation) float64) interval.ClusterSE {
	values, weight, cluster := make([]float64, len(all)), make([]float64, len(all)), make([]int, len(all))
	for i, o := range all {
		values[i], weight[i], cluster[i] = of(o), cmp.Or(o.weight, 1), o.Cluster()
	}
	return s.spread(values, weight, cluster)
}

// rateOf returns the mean of a 0 or 1 per item.
func rateOf[T interface{ Cluster() int }](s *statistics, all []T, of func(T) float64) report.Estimate {
	return rateEstimate(spreadOf(s, all, of))
}

// pairColumns returns, for each pair, a number of the reference and a number of the judge.
func (s *statistics) pairColumns(all []pair, ref, judge func(pair) float64) columns {
	c := columns{
		statistics: s, Gold: make([]float64, len(all)), Judge: make([]float64, len(all)),
		Weight: make([]float64, len(all)), Cluster: make([]int, len(all)),
	}
	for i, p := range all {
		c.Gold[i], c.Judge[i], c.Cluster[i], c.Weight[i] = ref(p), judge(p), p.Cluster(), cmp.Or(p.weight, 1)
	}
	return c
}

// verdicts returns the verdicts of pairs; values returns their numbers.
func (s *statistics) verdicts(all []pair) columns {
	return s.pairColumns(all, refPasses, judgePasses)
}
func (s *statistics) values(all []pair) columns { return s.pairColumns(all, refValue, judgeValue) }

// share returns part/whole, without an interval.
func share(part, whole int) report.Estimate {
	return report.Point(stat.Ratio(float64(part), float64(whole), stat.NoItems))
}

// power is the probability with which a detectable change is found.
const power = 0.8

// smallestChange returns the smallest true difference that the mean of these values can show with 80 % power.
func (s *statistics) smallestChange(m interval.ClusterSE) stat.Opt {
	if !m.SE.Valid || flat(m) {
		return stat.None(stat.ZeroVariance)
	}
	return m.SE.Times(stat.CriticalT(s.Alpha, m.Symmetric) + stat.NormalQuantile(power))
}
