// Package measure owns the numbers that are computed from columns: a number per item and
// rater, NaN where it is missing, with the cluster that each item is of. The report of a
// run, judge agree and a calibration take theirs from here, so that a statistic has the same
// interval wherever it is printed.
//
// It promises that a number which the data do not allow is undefined with its reason. A
// statistic fails only where it is called wrongly, as with columns of different length; the
// first such error is kept.
package measure

import (
	"cmp"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
)

// Statistics computes with Alpha as the error rate of intervals and keeps its first error.
type Statistics struct {
	Alpha float64
	err   error
}

// Keep keeps an error, unless there is one.
func (s *Statistics) Keep(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Err is the first error of any statistic.
func (s *Statistics) Err() error { return s.err }

// Spread is the mean of a column, by cluster (nil: every item is its own).
func (s *Statistics) Spread(values []float64, cluster []int) interval.ClusterSE {
	m, err := interval.ClusterMean(values, cluster, s.Alpha)
	s.Keep(err)
	return m
}

// Rate is the mean of 0s and 1s with its score interval for the effective number of items.
func (s *Statistics) Rate(values []float64, cluster []int) report.Estimate {
	return Rate(s.Spread(values, cluster))
}

// Mean is a mean of scores with its interval.
func Mean(m interval.ClusterSE) report.Estimate { return report.Interval(m.Mean, m.MeanCI) }

// Rate is a mean of 0s and 1s with its interval.
func Rate(m interval.ClusterSE) report.Estimate { return report.Interval(m.Mean, m.Wilson) }

// Gap is a mean of differences, which are as often above 0 as below, with its interval.
func Gap(m interval.ClusterSE) report.Estimate { return report.Interval(m.Mean, m.CI) }

// VerdictScale is the scale of a pass or a fail.
var VerdictScale = []float64{0, 1}

// Krippendorff is Krippendorff's alpha of raters × items.
func (s *Statistics) Krippendorff(ratings [][]float64, cluster []int, level string) report.Estimate {
	a, err := raters.ClusteredAlpha(ratings, cluster, level, s.Alpha)
	s.Keep(err)
	return report.Interval(a.Value, a.CI)
}

// Gwet is Gwet's coefficient of raters × items over a scale.
func (s *Statistics) Gwet(ratings [][]float64, cluster []int, scale []float64, w raters.Weighting) report.Estimate {
	g, err := raters.GwetAC(ratings, cluster, scale, w, s.Alpha)
	s.Keep(err)
	return report.Interval(g.Value, g.CI)
}

// Consensus fills in the coefficients of raters × items over a scale.
func (s *Statistics) Consensus(row *report.ConsensusRow, ratings [][]float64, cluster []int, scale []float64) {
	f, err := raters.FleissKappa(ratings, cluster, scale, s.Alpha)
	s.Keep(err)
	row.N, row.Same, row.Fleiss = f.Pairable, report.Point(f.PA), report.Interval(f.Value, f.CI)
	row.Gwet = s.Gwet(ratings, cluster, scale, raters.NoWeights)
	row.Nominal = s.Krippendorff(ratings, cluster, raters.LevelNominal)
}

// ICC are the intraclass correlations of raters × items.
func (s *Statistics) ICC(ratings [][]float64, cluster []int) raters.ICC {
	icc, err := raters.IntraclassCorrelation(ratings, cluster, s.Alpha)
	s.Keep(err)
	return icc
}

// Likeness compares the verdicts of a judge with those of people, on n items.
func (s *Statistics) Likeness(people [][]float64, judge []float64, cluster []int) (out report.HumanLikeness, n int) {
	l, err := truth.HumanLikeness(people, judge, cluster, s.Alpha)
	s.Keep(err)
	out = report.HumanLikeness{Judge: Rate(l.Judge), People: Rate(l.People), Difference: Gap(l.Difference)}
	out.Within = out.Difference.HasInterval() && *out.Difference.Low > -report.HumanMargin
	return out, l.Difference.N
}

// Holm corrects p-values (nil: missing) for their number.
func (s *Statistics) Holm(p []*float64) []stat.Opt {
	values := make([]float64, len(p))
	for i, x := range p {
		values[i] = math.NaN()
		if x != nil {
			values[i] = *x
		}
	}
	adjusted, err := interval.Holm(values)
	s.Keep(err)
	return adjusted
}

// Rater is someone with a rating per item. One that is known always to say the same is no
// hypothesis: its number has no interval, and it has no difference from the best.
type Rater struct {
	Name     string
	Ratings  []float64
	Constant bool
}

// Rank orders raters by Youden's J against gold, the best first, with the paired difference of
// each from the best, by cluster, on the items that both rated; p-values are corrected over the
// raters by Holm's method.
func (s *Statistics) Rank(gold []float64, all []Rater, cluster []int) []report.RankedJudge {
	return s.RankBy(all, func(r Rater) report.RankedJudge {
		both := Columns{Statistics: s, Gold: gold, Judge: r.Ratings, Cluster: cluster}.BothRates()
		return report.RankedJudge{
			N: both.Sensitivity.N + both.Specificity.N, Youden: report.Interval(both.Youden, both.YoudenInterval),
		}
	}, func(r, best Rater) (interval.Difference, error) {
		return truth.YoudenDifference(gold, r.Ratings, best.Ratings, cluster, s.Alpha)
	})
}

// RankBy is Rank by another number.
func (s *Statistics) RankBy(
	all []Rater, quality func(Rater) report.RankedJudge, difference func(r, best Rater) (interval.Difference, error),
) []report.RankedJudge {
	out, raters := make([]report.RankedJudge, 0, len(all)), map[string]Rater{}
	for _, r := range all {
		one := quality(r)
		one.Judge, raters[r.Name] = r.Name, r
		if r.Constant {
			one.Youden = one.Youden.WithoutInterval()
		}
		out = append(out, one)
	}
	slices.SortStableFunc(out, func(x, y report.RankedJudge) int { return cmp.Compare(y.Quality(), x.Quality()) })
	best, p := raters[out[0].Judge], make([]*float64, len(out))
	for i := range out {
		r := raters[out[i].Judge]
		if i == 0 || r.Constant || best.Constant {
			continue
		}
		d, err := difference(r, best)
		s.Keep(err)
		out[i].Behind, out[i].P = report.Interval(d.Value, d.CI), report.Point(d.P).Value
		if d.P.Valid {
			p[i] = &d.P.Value
		}
	}
	for i, corrected := range s.Holm(p) {
		out[i].Holm = report.Point(corrected).Value
	}
	return out
}
