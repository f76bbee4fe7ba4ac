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
	"github.com/judgekit/judge/internal/sorting"
)

// statistics computes with Alpha as the error rate of intervals, and keeps its first error.
type statistics struct {
	Alpha float64
	err   error
}

// Keep keeps an error, unless there is one.
func (s *statistics) Keep(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Err returns the first error of any statistic.
func (s *statistics) Err() error { return s.err }

// Spread returns the mean of a column with its spread by cluster (nil: every item is a cluster).
func (s *statistics) Spread(values []float64, cluster []int) interval.ClusterSE {
	return s.spread(values, nil, cluster)
}

// spread is like Spread, for items with weights (nil: one each).
func (s *statistics) spread(values, weight []float64, cluster []int) interval.ClusterSE {
	m, err := interval.WeightedMean(values, weight, cluster, s.Alpha)
	s.Keep(err)
	return m
}

// Rate returns the mean of 0s and 1s with its score interval for the effective number of items.
func (s *statistics) Rate(values []float64, cluster []int) report.Estimate {
	return rateEstimate(s.Spread(values, cluster))
}

// meanEstimate returns a mean of scores with its interval.
func meanEstimate(m interval.ClusterSE) report.Estimate { return report.Interval(m.Mean, m.MeanCI) }

// rateEstimate returns a mean of 0s and 1s with its interval.
func rateEstimate(m interval.ClusterSE) report.Estimate { return report.Interval(m.Mean, m.Wilson) }

// gapEstimate returns a mean of differences with its interval.
func gapEstimate(m interval.ClusterSE) report.Estimate { return report.Interval(m.Mean, m.CI) }

// verdictScale is the scale of verdicts.
var verdictScale = []float64{0, 1}

// Krippendorff returns Krippendorff's alpha for raters × items.
func (s *statistics) Krippendorff(ratings [][]float64, cluster []int, level string) report.Estimate {
	a, err := raters.ClusteredAlpha(ratings, cluster, level, s.Alpha)
	s.Keep(err)
	return report.Interval(a.Value, a.CI)
}

// Gwet returns Gwet's coefficient for raters × items over a scale.
func (s *statistics) Gwet(ratings [][]float64, weight []float64, cluster []int, scale []float64, w raters.Weighting) report.Estimate {
	g, err := raters.GwetAC(ratings, weight, cluster, scale, w, s.Alpha)
	s.Keep(err)
	return report.Interval(g.Value, g.CI)
}

// Consensus adds the coefficients for raters × items over a scale.
func (s *statistics) Consensus(row *report.ConsensusRow, ratings [][]float64, cluster []int, scale []float64) {
	f, err := raters.FleissKappa(ratings, cluster, scale, s.Alpha)
	s.Keep(err)
	row.N, row.Same, row.Fleiss = f.Pairable, report.Point(f.PA), report.Interval(f.Value, f.CI)
	row.Gwet = s.Gwet(ratings, nil, cluster, scale, raters.NoWeights)
	row.Nominal = s.Krippendorff(ratings, cluster, raters.LevelNominal)
}

// maxAlphaValues limits the number of different values for which alpha is computed.
const maxAlphaValues = 10_000

// alpha returns Krippendorff's alpha for raters × items.
func (s *statistics) alpha(ratings [][]float64, cluster []int, level string) report.Estimate {
	if len(stat.Distinct(stat.Present(slices.Concat(ratings...)))) > maxAlphaValues {
		return report.Estimate{Reason: "too_many_values"}
	}
	return s.Krippendorff(ratings, cluster, level)
}

// ICC returns the intraclass correlations of raters × items.
func (s *statistics) ICC(ratings [][]float64, cluster []int) raters.ICC {
	icc, err := raters.IntraclassCorrelation(ratings, cluster, s.Alpha)
	s.Keep(err)
	return icc
}

// Likeness compares the verdicts of a judge with those of people, on n items.
func (s *statistics) Likeness(people [][]float64, judge []float64, cluster []int) (out report.HumanLikeness, n int) {
	l, err := truth.HumanLikeness(people, judge, cluster, s.Alpha)
	s.Keep(err)
	out = report.HumanLikeness{Judge: rateEstimate(l.Judge), People: rateEstimate(l.People), Difference: gapEstimate(l.Difference)}
	out.Within = out.Difference.HasInterval() && *out.Difference.Low > -report.HumanMargin
	return out, l.Difference.N
}

// Holm corrects p-values (NaN means missing) for their number. After an error it returns no values.
func (s *statistics) Holm(p []float64) []stat.Opt {
	adjusted, err := interval.Holm(p)
	if s.Keep(err); err != nil {
		return make([]stat.Opt, len(p))
	}
	return adjusted
}

// missingValues returns n NaNs.
func missingValues(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

// rater is a rater with a rating per item. If it is known always to say the same, it is not tested:
// it has neither an interval nor a difference from the best.
type rater struct {
	Name     string
	Ratings  []float64
	Constant bool
}

// Rank sorts raters by Youden's J against gold, best first, with each one's paired, clustered difference from
// the best on the items that both rated. P-values are corrected over the raters by Holm's method.
func (s *statistics) Rank(gold []float64, all []rater, cluster []int) []report.RankedJudge {
	return s.RankBy(all, func(r rater) report.RankedJudge {
		both := columns{statistics: s, Gold: gold, Judge: r.Ratings, Cluster: cluster}.BothRates()
		return report.RankedJudge{
			N: both.Sensitivity.N + both.Specificity.N, Youden: report.Interval(both.Youden, both.YoudenInterval),
		}
	}, func(r, best rater) (interval.Difference, error) {
		return truth.YoudenDifference(gold, r.Ratings, best.Ratings, cluster, s.Alpha)
	})
}

// RankBy is like Rank, by another number.
func (s *statistics) RankBy(
	all []rater, quality func(rater) report.RankedJudge, difference func(r, best rater) (interval.Difference, error),
) []report.RankedJudge {
	out, raters := make([]report.RankedJudge, 0, len(all)), map[string]rater{}
	for _, r := range all {
		one := quality(r)
		one.Judge, raters[r.Name] = r.Name, r
		if r.Constant {
			one.Youden = one.Youden.WithoutInterval()
		}
		out = append(out, one)
	}
	sorting.Stable(out, func(x, y report.RankedJudge) int { return cmp.Compare(y.Quality(), x.Quality()) })
	best, p := raters[out[0].Judge], missingValues(len(out))
	for i := range out {
		r := raters[out[i].Judge]
		if i == 0 || r.Constant || best.Constant {
			continue
		}
		d, err := difference(r, best)
		s.Keep(err)
		out[i].Behind, out[i].P = report.Interval(d.Value, d.CI), report.Point(d.P).Value
		if d.P.Valid {
			p[i] = d.P.Value
		}
	}
	for i, corrected := range s.Holm(p) {
		out[i].Holm = report.Point(corrected).Value
	}
	return out
}
