package truth

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// AutoLambda asks PPI to tune the weight of the judge on the labels.
const AutoLambda = -1.0

// PPICluster is a prediction-powered estimate of a mean (Angelopoulos et al. 2023,
// PPI++ 2311.01453) with variances by cluster.
type PPICluster struct {
	Estimate, SE    stat.Opt
	CI              stat.Interval // Wilson's, with as many items as give SE, and Student's t
	Rectifier       stat.Opt      // mean(gold - judge), minus the judge's bias
	LabeledClusters int
	Passes, Fails   int // labelled
	Warnings        []stat.Warning
}

// PPIClustered estimates the mean gold score: y is gold and yhat the judge's score of the
// labelled items, unlabeled the judge's scores of the others. lambda is the weight of the
// judge: [AutoLambda], 0 for gold only, 1 for plain PPI. The labelled conversations must
// be a random sample, and the unlabelled ones others: sample conversations for labelling,
// not calls. Below 20 labelled conversations a warning says so. With fewer than [FewestPPI]
// labelled items of either class there is no interval: say the counts.
func PPIClustered(
	y, yhat []float64, cluster []int, unlabeled []float64, unlabeledCluster []int, lambda, alpha float64,
) (PPICluster, error) {
	if lambda != AutoLambda && !(lambda >= 0 && lambda <= 1e6) {
		return PPICluster{}, fmt.Errorf("lambda must be auto or >= 0, got %v", lambda)
	}
	kept, index, g, _, err := stat.CompleteClustered(cluster, y, yhat)
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
	switch {
	case rest.N == 0:
		lambda, rest.Mean = 0, stat.Some(0)
	case lambda == AutoLambda:
		lambda = tuneLambda(y, yhat, stat.Present(unlabeled))
	}
	gold, err := interval.ClusterMean(minus(y, yhat, lambda), index, alpha)
	if err != nil {
		return PPICluster{}, err
	}
	out := PPICluster{
		Estimate: stat.Some(lambda*rest.Mean.Value + gold.Mean.Value), SE: gold.SE,
		Rectifier: stat.Some(stat.Mean(minus(y, yhat, 1))), LabeledClusters: g,
	}
	if g < 20 {
		detail := fmt.Sprintf("%d labelled conversations; the interval needs about 20", g)
		out.Warnings = append(out.Warnings, stat.Warning{Code: "few_labeled_clusters", Detail: detail})
	}
	freedom := gold.Freedom
	if lambda != 0 && gold.SE.Valid {
		out.SE = rest.SE
		if rest.SE.Valid {
			a, b := lambda*rest.SE.Value, gold.SE.Value
			out.SE = stat.Some(math.Hypot(a, b))
			freedom = interval.Satterthwaite(a*a, rest.Freedom, b*b, gold.Freedom)
		}
	}
	out.bound(y, freedom, alpha)
	return out, nil
}

// FewestPPI is the number of labelled items of each class, and so of failures, from which
// on an estimate has an interval.
const FewestPPI = 10

// bound fills the interval.
func (p *PPICluster) bound(y []float64, freedom, alpha float64) {
	for _, v := range y {
		p.Passes += int(outcome(v))
	}
	p.Fails = len(y) - p.Passes
	switch {
	case p.LabeledClusters < 2:
		p.CI = stat.NoInterval(stat.OneCluster)
	case min(p.Passes, p.Fails) < FewestPPI:
		p.CI = stat.NoInterval(stat.FewRare)
	case !p.SE.Valid:
		p.CI = stat.NoInterval(p.SE.Reason)
	default:
		longer := stat.CriticalT(alpha, freedom) / stat.Critical(alpha)
		p.CI = interval.ScoreAround(p.Estimate.Value, p.SE.Value*longer, 0, alpha)
	}
}

// minus is y - lambda·f.
func minus(y, f []float64, lambda float64) []float64 {
	d := make([]float64, len(y))
	for i := range y {
		d[i] = y[i] - lambda*f[i]
	}
	return d
}

// tuneLambda is clip(Cov(Y,f)/((1+n/N)·Var(f over both sets)), 0, 1), the
// covariance over n and the variance over n-1 as in the reference, and 0 when
// the judge's score never varies.
func tuneLambda(y, yhat, f []float64) float64 {
	if len(y) < 2 {
		return 0
	}
	all := append(append(make([]float64, 0, len(yhat)+len(f)), yhat...), f...)
	if stat.Constant(all) {
		return 0
	}
	my, mf := stat.Mean(y), stat.Mean(yhat)
	cov := 0.0
	for i := range y {
		cov += (y[i] - my) * (yhat[i] - mf)
	}
	cov /= float64(len(y)) // n, as the variances here
	lambda := cov / ((1 + float64(len(y))/float64(len(f))) * stat.Variance(all))
	if math.IsNaN(lambda) {
		return 0
	}
	return math.Min(1, math.Max(0, lambda))
}
