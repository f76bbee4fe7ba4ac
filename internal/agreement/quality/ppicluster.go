package quality

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/statistic"
)

// PPICluster is a prediction-powered estimate of a mean (Angelopoulos et al. 2023,
// PPI++ 2311.01453) with CR1 variances by cluster.
type PPICluster struct {
	Estimate, SE      statistic.Opt
	CI                statistic.Interval // ± z·SE, not clipped
	Lambda            statistic.Opt      // weight of the judge: 0 gold only, 1 plain PPI
	Rectifier         statistic.Opt      // mean(gold - judge), minus the judge's bias
	JudgeOnly         statistic.Opt      // mean judge score of the unlabelled items
	LabeledClusters   int
	UnlabeledClusters int
	Dropped           int
	Warnings          []statistic.Warning
}

// PPIClustered estimates the mean gold score: y is gold and yhat the judge's score of the
// labelled items, unlabeled the judge's scores of the others. lambda is [AutoLambda] or
// any non-negative value. The labelled conversations must be a random sample, and the
// unlabelled ones others: sample conversations for labelling, not calls. Below 20 labelled conversations a warning says so.
func PPIClustered(y, yhat []float64, cluster []int, unlabeled []float64, unlabeledCluster []int, lambda, alpha float64) (PPICluster, error) {
	if err := checkLambda(lambda, alpha); err != nil {
		return PPICluster{}, err
	}
	kept, index, g, dropped, err := statistic.CompleteClustered(cluster, y, yhat)
	if err != nil {
		return PPICluster{}, fmt.Errorf("labelled items: %w", err)
	}
	rest, restIndex, restG, restDropped, err := statistic.CompleteClustered(unlabeledCluster, unlabeled)
	if err != nil {
		return PPICluster{}, fmt.Errorf("unlabelled items: %w", err)
	}
	y, yhat, f := kept[0], kept[1], rest[0]
	out := PPICluster{LabeledClusters: g, UnlabeledClusters: restG, Dropped: dropped + restDropped}
	if len(y) == 0 {
		u := statistic.None(statistic.NoItems)
		out.Estimate, out.SE, out.CI, out.Lambda, out.Rectifier, out.JudgeOnly = u, u, statistic.NoInterval(statistic.NoItems), u, u, u
		return out, nil
	}
	if g < 20 {
		out.Warnings = append(out.Warnings, statistic.Warning{Code: "few_labeled_clusters", Detail: fmt.Sprintf("%d labelled conversations; the interval needs about 20", g)})
	}
	out.Rectifier, out.JudgeOnly = statistic.Some(statistic.Mean(minus(y, yhat, 1))), statistic.None(statistic.NoItems)
	switch {
	case len(f) == 0:
		lambda = 0
	case lambda == AutoLambda:
		lambda = tuneLambda(y, yhat, f)
	}
	judge, judgeVariance := 0.0, statistic.Some(0)
	if len(f) > 0 {
		judge = statistic.Mean(f)
		out.JudgeOnly = statistic.Some(judge)
		if lambda != 0 {
			judgeVariance = clusterVariance(f, restIndex, restG)
		}
	}
	d := minus(y, yhat, lambda)
	goldVariance := clusterVariance(d, index, g)
	out.Lambda, out.Estimate, out.SE = statistic.Some(lambda), statistic.Some(lambda*judge+statistic.Mean(d)), statistic.None(statistic.TooFew)
	if goldVariance.Valid && judgeVariance.Valid {
		out.SE = statistic.Some(math.Sqrt(lambda*lambda*judgeVariance.Value + goldVariance.Value))
	}
	out.CI = statistic.Around(out.Estimate, out.SE.Times(statistic.Critical(alpha)))
	return out, nil
}

// clusterVariance is the CR1 variance of the mean of v.
func clusterVariance(v []float64, index []int, g int) statistic.Opt {
	if g < 2 {
		return statistic.None(statistic.TooFew)
	}
	m := statistic.Mean(v)
	residual := make([]float64, g)
	for i, x := range v {
		residual[index[i]] += x - m
	}
	n := float64(len(v))
	return statistic.Some(statistic.SumSquares(residual, 0) / (n * n) * float64(g) / float64(g-1))
}
