package truth

import (
	"fmt"
	"math"
	"sort"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// AutoLambda makes PPI choose the weight of the judge from the labels.
const AutoLambda = -1.0

// PPICluster is a prediction-powered estimate of a mean (Angelopoulos et al. 2023,
// PPI++ 2311.01453) with variances by cluster.
type PPICluster struct {
	Estimate, SE    stat.Opt
	CI              stat.Interval
	Rectifier       stat.Opt // mean(gold - judge): the judge's bias, with its sign reversed
	LabeledClusters int
	Passes, Fails   int // labelled
	// The parts of the variance: alone is gold's, covariance gold's with the judge, judge the
	// judge's on the labelled items and rest its on the others.
	alone, covariance, judge, rest float64
	restClusters                   int
	freedom, alpha                 float64 // of the interval
	seFreedom                      float64 // of the variance of gold
	// next is the variance that the next labels have because of the lengths of their conversations, relative to the
	// labelled ones.
	next     float64
	Warnings []stat.Warning
}

// PPIClustered estimates the mean gold score. y is gold and yhat the judge's score of the labelled
// items, weight how many items each represents (nil: one), unlabeled the judge's scores of the
// others. lambda is the weight of the judge: [AutoLambda], 0 for gold only, 1 for plain PPI. The
// labelled conversations must be a random sample, and the unlabelled ones must be others. Below 20
// labelled conversations there is a warning. With few labels of one class and few conversations
// there is no interval: report the counts.
//
// The interval is that of the labels alone, shifted to the estimate and shortened as much as the
// judge reduces the standard error. A tuned lambda has the smallest standard error, so the interval
// is never longer than that of the labels alone.
func PPIClustered(
	y, yhat, weight []float64, cluster []int, unlabeled []float64, unlabeledCluster []int, lambda, alpha float64,
) (PPICluster, error) {
	if lambda != AutoLambda && !(lambda >= 0 && lambda <= 1e6) {
		return PPICluster{}, fmt.Errorf("lambda must be auto or >= 0, got %v", lambda)
	}
	kept, index, g, _, err := stat.CompleteClustered(cluster, y, yhat, stat.Weights(weight, len(y)))
	if err != nil {
		return PPICluster{}, fmt.Errorf("labelled items: %w", err)
	}
	rest, err := interval.ClusterMean(unlabeled, unlabeledCluster, alpha)
	if err != nil {
		return PPICluster{}, fmt.Errorf("unlabelled items: %w", err)
	}
	y, yhat = kept[0], kept[1]
	if len(y) == 0 {
		none := stat.None(stat.NoItems)
		return PPICluster{Estimate: none, SE: none, CI: stat.NoInterval(stat.NoItems), Rectifier: none}, nil
	}
	// less returns the mean of gold minus lambda times the judge.
	less := func(lambda float64) interval.ClusterSE {
		m, _ := interval.WeightedMean(minus(y, yhat, lambda), kept[2], index, alpha) // lengths and alpha are right
		return m
	}
	alone, error := less(0), less(1)
	judge, _ := interval.WeightedMean(yhat, kept[2], index, alpha)
	if rest.N == 0 {
		lambda, rest.Mean, rest.SE = 0, stat.Some(0), stat.Some(0)
	}
	square := func(m interval.ClusterSE) float64 { return m.SE.Value * m.SE.Value }
	out := PPICluster{
		Rectifier: error.Mean, LabeledClusters: g, restClusters: rest.Clusters,
		alone: square(alone), judge: square(judge), rest: square(rest),
		freedom: alone.Freedom, alpha: alpha, seFreedom: alone.SEFreedom,
	}
	out.covariance = (out.alone + out.judge - square(error)) / 2
	out.next = 1
	if rest.Clusters > 1 {
		out.next = alone.EqualClusters / float64(g) * (float64(rest.Clusters) / rest.EqualClusters)
	}
	if lambda == AutoLambda {
		lambda = 0
		if alone.SE.Valid && rest.SE.Valid {
			lambda, _ = out.tuned(1, 1)
		}
	}
	gold := less(lambda)
	out.Estimate, out.SE = stat.Some(lambda*rest.Mean.Value+gold.Mean.Value), gold.SE
	if g < 20 {
		detail := fmt.Sprintf("%d labelled conversations; the interval needs about 20", g)
		out.Warnings = append(out.Warnings, stat.Warning{Code: "few_labeled_clusters", Detail: detail})
	}
	if lambda != 0 && gold.SE.Valid {
		out.SE = rest.SE
		if rest.SE.Valid {
			out.SE = stat.Some(math.Hypot(lambda*rest.SE.Value, gold.SE.Value))
		}
	}
	out.bound(y, alone)
	return out, nil
}

// An estimate has an interval from FewestPPI labelled items of each class on (so also of failures),
// or from FewestLabelled labelled conversations on. The simulation in docs/coverage.md has as many.
const (
	FewestPPI      = 10
	FewestLabelled = 30
)

// More is a forecast of a number. About is the estimate; the range from Least to Most contained the
// number in 54 to 100 % of the samples of docs/coverage.md.
type More struct {
	About int `json:"about"`
	Least int `json:"least"`
	Most  int `json:"most"`
}

// maxFurther limits a forecast.
const maxFurther = 1_000_000

// Further returns how many more conversations must be labelled until the interval has this width;
// ok is false without an interval. If there are too few unlabelled ones, it counts labels alone.
//
// The next labels have the variance of the present ones, scaled by how unequal the unlabelled
// conversations are: a sample often lacks the longest ones. The estimate and the range allow for the
// uncertainty of that variance by the median, the tenth and the ninetieth percentile of chi-square, with
// half of the variance's degrees of freedom, because the squared deviations of unequal conversations
// have long tails.
func (p *PPICluster) Further(width float64) (forecast More, ok bool) {
	now := p.CI.High.Minus(p.CI.Low)
	if !now.Valid || p.SE.Value == 0 {
		return More{}, false
	}
	t := func(more float64) float64 { return stat.CriticalT(p.alpha, p.freedom*more) }
	wanted, g, rest := width/now.Value*p.SE.Value*t(1), float64(p.LabeledClusters), float64(p.restClusters)
	after := func(percentile float64) int {
		f := math.Max(1, p.seFreedom/2)
		ratio := p.next * f / stat.ChiSquareQuantile(percentile, f)
		return sort.Search(maxFurther, func(n int) bool {
			more, others := 1+float64(n)/g, math.Inf(1)
			if float64(n) < rest {
				others = rest / (rest - float64(n))
			}
			_, v := p.tuned((1+ratio*(more-1))/(more*more), others)
			return math.Sqrt(v)*t(more) <= wanted
		})
	}
	if forecast.About = after(0.5); forecast.About > 0 {
		forecast.Least, forecast.Most = min(after(0.9), forecast.About), max(after(0.1), forecast.About)
	}
	return forecast, true
}

// tuned returns the weight of the judge in [0,1] with the smallest clustered variance, and that
// variance. labelled and others multiply the variances of the labelled items and of the others.
func (p *PPICluster) tuned(labelled, others float64) (lambda, variance float64) {
	if both := p.judge*labelled + p.rest*others; both > 0 {
		lambda = math.Min(1, math.Max(0, p.covariance*labelled/both))
	}
	less := p.alone - 2*lambda*p.covariance + lambda*lambda*p.judge
	if lambda > 0 {
		return lambda, less*labelled + lambda*lambda*p.rest*others
	}
	return 0, less * labelled
}

// bound computes the interval from that of the labels alone.
func (p *PPICluster) bound(y []float64, alone interval.ClusterSE) {
	for _, v := range y {
		p.Passes += int(outcome(v))
	}
	p.Fails = len(y) - p.Passes
	switch {
	case p.LabeledClusters < 2:
		p.CI = stat.NoInterval(stat.OneCluster)
	case min(p.Passes, p.Fails) < FewestPPI && p.LabeledClusters < FewestLabelled:
		p.CI = stat.NoInterval(stat.FewRare)
	case !p.SE.Valid:
		p.CI = stat.NoInterval(p.SE.Reason)
	default:
		shorter := 1.0
		if alone.SE.Value > 0 {
			shorter = p.SE.Value / alone.SE.Value
		}
		below, above := alone.Mean.Minus(alone.Wilson.Low), alone.Wilson.High.Minus(alone.Mean)
		p.CI = stat.Both(p.Estimate.Minus(below.Times(shorter)), p.Estimate.Minus(above.Times(-shorter)))
	}
}

// minus returns y - lambda·f.
func minus(y, f []float64, lambda float64) []float64 {
	d := make([]float64, len(y))
	for i := range y {
		d[i] = y[i] - lambda*f[i]
	}
	return d
}
