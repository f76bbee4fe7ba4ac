package measure_test

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
)

// alpha is the error rate of all intervals here.
const alpha = 0.05

var (
	verdictsOf = []float64{0, 1}
	ratings    = []float64{1, 2, 3, 4, 5}
)

// estimate is a value with the interval that a report would print.
type estimate struct {
	value stat.Opt
	ci    stat.Interval
}

// statistic is a statistic that has an interval. rest are further conversations of the same
// world of which the judge's verdicts alone are known.
type statistic struct {
	name  string
	group string
	of    func(s, rest *sample) (estimate, error)
}

// statistics returns all that reports print with an interval.
func statistics() []statistic {
	return []statistic{
		{"pass rate, base rate", rates, rate(func(g, j float64) float64 { return g })},
		{"same verdict", rates, rate(func(g, j float64) float64 { return 1 - math.Abs(g-j) })},
		{"recall of failures", rates, rate(func(g, j float64) float64 { return when(g == 0, 1-j) })},
		{"specificity", rates, rate(func(g, j float64) float64 { return when(g == 1, j) })},
		{"precision of fails", rates, rate(func(g, j float64) float64 { return when(j == 0, 1-g) })},
		{"precision of passes", rates, rate(func(g, j float64) float64 { return when(j == 1, g) })},
		{"mean rating", rates, meanRating},
		{"paired difference", rates, pairedDifference},
		{"difference divided by J", rates, differenceByYouden},
		{"kappa", agreement, kappa},
		{"kappa of ratings", agreement, kappaOfRatings(raters.NoWeights)},
		{"kappa, quadratic", agreement, kappaOfRatings(raters.Quadratic)},
		{"AC1", agreement, ac1},
		{"AC2, quadratic", agreement, ac2},
		{"Fleiss' kappa", agreement, fleiss},
		{"alpha, nominal", agreement, alphaOf(raters.LevelNominal)},
		{"alpha, ordinal", agreement, alphaOf(raters.LevelOrdinal)},
		{"alpha, interval", agreement, alphaOf(raters.LevelInterval)},
		{"Pearson's r", agreement, pearson},
		{"ICC(2,1)", agreement, icc},
		{"balanced accuracy", gold, bothRates(func(b truth.TwoRates) estimate { return estimate{b.BalancedAccuracy, b.BalancedCI} })},
		{"Youden's J", gold, bothRates(func(b truth.TwoRates) estimate { return estimate{b.Youden, b.YoudenInterval} })},
		{"MCC", gold, mcc},
		{"AUC of a score", gold, aucOf(func(s *sample) []float64 { return s.score })},
		{"AUC of ratings", gold, aucOf(func(s *sample) []float64 { return s.rating })},
		{"AUC of confidence", gold, confidence},
		{"J, difference of judges", gold, youdenDifference},
		{"kappa, difference of judges", gold, kappaDifference},
		{"corrected pass rate (PPI)", gold, ppi},
	}
}

// The groups of statistics, each with tables of its own.
const (
	rates     = "Rates and means"
	agreement = "Agreement beyond chance"
	gold      = "A judge against gold"
)

func when(holds bool, v float64) float64 {
	if holds {
		return v
	}
	return stat.Missing()
}

func jackknifed(j interval.Jackknifed, err error) (estimate, error) {
	return estimate{j.Value, j.CI}, err
}

func rate(of func(gold, judge float64) float64) func(s, rest *sample) (estimate, error) {
	return func(s, _ *sample) (estimate, error) {
		values := make([]float64, len(s.gold))
		for i := range values {
			values[i] = of(s.gold[i], s.judge[i])
		}
		m, err := interval.ClusterMean(values, s.cluster, alpha)
		return estimate{m.Mean, m.Wilson}, err
	}
}

func meanRating(s, _ *sample) (estimate, error) {
	m, err := interval.ClusterMean(s.rating, s.cluster, alpha)
	return estimate{m.Mean, m.MeanCI}, err
}

// pairedDifference is that of two runs on the same conversations, as judge compare prints it.
func pairedDifference(s, _ *sample) (estimate, error) {
	d := make([]float64, len(s.gold))
	for i := range d {
		d[i] = s.judge[i] - s.second[i]
	}
	m, err := interval.ClusterMean(d, s.cluster, alpha)
	return estimate{m.Mean, m.CI}, err
}

// differenceByYouden returns that difference divided by the judge's J, as judge compare prints it.
func differenceByYouden(s, rest *sample) (estimate, error) {
	d, err := pairedDifference(s, rest)
	if err != nil {
		return d, err
	}
	b, err := truth.BothRates(s.gold, s.judge, s.weight, s.cluster, alpha)
	if err != nil || !d.ci.Low.Valid || !b.YoudenInterval.Low.Valid || b.YoudenInterval.Low.Value < minYouden {
		return estimate{d.value, stat.NoInterval(stat.NotApplicable)}, err
	}
	ratio, ci := interval.MoverRatio(interval.Estimate{Value: d.value, CI: d.ci},
		interval.Estimate{Value: b.Youden, CI: b.YoudenInterval})
	return estimate{ratio, ci}, nil
}

// minYouden is the lower end of J from which on judge compare divides by it.
const minYouden = 0.2

func kappa(s, _ *sample) (estimate, error) {
	k, err := raters.CohenKappa(s.gold, s.judge, s.weight, s.cluster, verdictsOf, raters.NoWeights, alpha)
	return jackknifed(k.Jackknifed, err)
}

func kappaOfRatings(w raters.Weighting) func(s, rest *sample) (estimate, error) {
	return func(s, _ *sample) (estimate, error) {
		k, err := raters.CohenKappa(s.goldRating, s.rating, s.weight, s.cluster, ratings, w, alpha)
		return jackknifed(k.Jackknifed, err)
	}
}

func ac1(s, _ *sample) (estimate, error) {
	k, err := raters.GwetAC([][]float64{s.gold, s.judge}, s.weight, s.cluster, verdictsOf, raters.NoWeights, alpha)
	return jackknifed(k.Jackknifed, err)
}

func ac2(s, _ *sample) (estimate, error) {
	k, err := raters.GwetAC([][]float64{s.goldRating, s.rating}, s.weight, s.cluster, ratings, raters.Quadratic, alpha)
	return jackknifed(k.Jackknifed, err)
}

func fleiss(s, _ *sample) (estimate, error) {
	k, err := raters.FleissKappa([][]float64{s.judge, s.second, s.third}, s.cluster, verdictsOf, alpha)
	return jackknifed(k.Jackknifed, err)
}

func alphaOf(level string) func(s, rest *sample) (estimate, error) {
	return func(s, _ *sample) (estimate, error) {
		columns := [][]float64{s.goldRating, s.rating}
		if level == raters.LevelNominal {
			columns = [][]float64{s.judge, s.second, s.third}
		}
		a, err := raters.ClusteredAlpha(columns, s.cluster, level, alpha)
		return jackknifed(a.Jackknifed, err)
	}
}

func pearson(s, _ *sample) (estimate, error) {
	c, err := raters.Correlate(s.goldRating, s.rating, s.cluster, alpha)
	return jackknifed(c.Pearson, err)
}

func icc(s, _ *sample) (estimate, error) {
	c, err := raters.IntraclassCorrelation([][]float64{s.goldRating, s.rating}, s.cluster, alpha)
	return jackknifed(c.ICC2, err)
}

func bothRates(of func(truth.TwoRates) estimate) func(s, rest *sample) (estimate, error) {
	return func(s, _ *sample) (estimate, error) {
		b, err := truth.BothRates(s.gold, s.judge, s.weight, s.cluster, alpha)
		return of(b), err
	}
}

func mcc(s, _ *sample) (estimate, error) {
	return jackknifed(truth.MCC(s.gold, s.judge, s.weight, s.cluster, alpha))
}

func aucOf(score func(*sample) []float64) func(s, rest *sample) (estimate, error) {
	return func(s, _ *sample) (estimate, error) {
		a, err := truth.ClusteredAUC(s.gold, score(s), s.weight, s.cluster, alpha)
		return estimate{a.AUC, a.CI}, err
	}
}

// confidence returns how well the judge's confidence tells its right verdicts from the wrong ones.
func confidence(s, _ *sample) (estimate, error) {
	right := make([]float64, len(s.gold))
	for i := range right {
		right[i] = 1 - math.Abs(s.gold[i]-s.judge[i])
	}
	a, err := truth.ClusteredAUC(right, s.sure, s.weight, s.cluster, alpha)
	return estimate{a.AUC, a.CI}, err
}

func youdenDifference(s, _ *sample) (estimate, error) {
	d, err := truth.YoudenDifference(s.gold, s.second, s.judge, s.cluster, alpha)
	return jackknifed(d.Jackknifed, err)
}

func kappaDifference(s, _ *sample) (estimate, error) {
	d, err := raters.KappaDifference(s.gold, s.second, s.judge, s.weight, s.cluster, verdictsOf, raters.NoWeights, alpha)
	return jackknifed(d.Jackknifed, err)
}

func ppi(s, rest *sample) (estimate, error) {
	p, err := truth.PPIClustered(s.gold, s.judge, s.weight, s.cluster, rest.judge, rest.cluster, truth.AutoLambda, alpha)
	return estimate{p.Estimate, p.CI}, err
}
