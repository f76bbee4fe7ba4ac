package truth

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// PPICluster is a prediction-powered estimate of a mean (Angelopoulos et al. 2023,
// PPI++ 2311.01453) with CR1 variances by cluster.
type PPICluster struct {
	Estimate, SE      stat.Opt
	CI                stat.Interval // ± z·SE, not clipped
	Lambda            stat.Opt      // weight of the judge: 0 gold only, 1 plain PPI
	Rectifier         stat.Opt      // mean(gold - judge), minus the judge's bias
	JudgeOnly         stat.Opt      // mean judge score of the unlabelled items
	LabeledClusters   int
	UnlabeledClusters int
	Dropped           int
	Warnings          []stat.Warning
}

// PPIClustered estimates the mean gold score: y is gold and yhat the judge's score of the
// labelled items, unlabeled the judge's scores of the others. lambda is [AutoLambda] or
// any non-negative value. The labelled conversations must be a random sample, and the
// unlabelled ones others: sample conversations for labelling, not calls. Below 20 labelled conversations a warning says so.
func PPIClustered(y, yhat []float64, cluster []int, unlabeled []float64, unlabeledCluster []int, lambda, alpha float64) (PPICluster, error) {
	if err := checkLambda(lambda, alpha); err != nil {
		return PPICluster{}, err
	}
	kept, index, g, dropped, err := stat.CompleteClustered(cluster, y, yhat)
	if err != nil {
		return PPICluster{}, fmt.Errorf("labelled items: %w", err)
	}
	rest, restIndex, restG, restDropped, err := stat.CompleteClustered(unlabeledCluster, unlabeled)
	if err != nil {
		return PPICluster{}, fmt.Errorf("unlabelled items: %w", err)
	}
	y, yhat, f := kept[0], kept[1], rest[0]
	out := PPICluster{LabeledClusters: g, UnlabeledClusters: restG, Dropped: dropped + restDropped}
	if len(y) == 0 {
		u := stat.None(stat.NoItems)
		out.Estimate, out.SE, out.CI, out.Lambda, out.Rectifier, out.JudgeOnly = u, u, stat.NoInterval(stat.NoItems), u, u, u
		return out, nil
	}
	if g < 20 {
		out.Warnings = append(out.Warnings, stat.Warning{Code: "few_labeled_clusters", Detail: fmt.Sprintf("%d labelled conversations; the interval needs about 20", g)})
	}
	out.Rectifier, out.JudgeOnly = stat.Some(stat.Mean(minus(y, yhat, 1))), stat.None(stat.NoItems)
	switch {
	case len(f) == 0:
		lambda = 0
	case lambda == AutoLambda:
		lambda = tuneLambda(y, yhat, f)
	}
	judge, judgeVariance := 0.0, stat.Some(0)
	if len(f) > 0 {
		judge = stat.Mean(f)
		out.JudgeOnly = stat.Some(judge)
		if lambda != 0 {
			judgeVariance = clusterVariance(f, restIndex, restG)
		}
	}
	d := minus(y, yhat, lambda)
	goldVariance := clusterVariance(d, index, g)
	out.Lambda, out.Estimate, out.SE = stat.Some(lambda), stat.Some(lambda*judge+stat.Mean(d)), stat.None(stat.TooFew)
	if goldVariance.Valid && judgeVariance.Valid {
		out.SE = stat.Some(math.Sqrt(lambda*lambda*judgeVariance.Value + goldVariance.Value))
	}
	out.CI = stat.Around(out.Estimate, out.SE.Times(stat.Critical(alpha)))
	return out, nil
}

// clusterVariance is the CR1 variance of the mean of v.
func clusterVariance(v []float64, index []int, g int) stat.Opt {
	if g < 2 {
		return stat.None(stat.TooFew)
	}
	m := stat.Mean(v)
	residual := make([]float64, g)
	for i, x := range v {
		residual[index[i]] += x - m
	}
	n := float64(len(v))
	return stat.Some(stat.SumSquares(residual, 0) / (n * n) * float64(g) / float64(g-1))
}
