package quality

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/statistic"
)

// PPI is a prediction-powered estimate of a mean (Angelopoulos et al. 2023,
// PPI++ 2311.01453). Variances divide by n, as in the reference.
type PPI struct {
	Estimate, SE statistic.Opt
	CI           statistic.Interval // ± z·SE, not clipped
	Lambda       statistic.Opt      // weight of the judge: 0 gold only, 1 plain PPI
	Rectifier    statistic.Opt      // mean(gold - judge), minus the judge's bias
	JudgeOnly    statistic.Opt      // mean judge score of the unlabelled items
	Classical    statistic.Opt      // gold only
	ClassicalSE  statistic.Opt
	ClassicalCI  statistic.Interval
	Labeled      int
	Unlabeled    int
	Dropped      int
	Warnings     []statistic.Warning
}

// AutoLambda asks PPI to tune the weight of the judge on the labels.
const AutoLambda = -1.0

// PPIMean estimates the mean gold score: y is gold and yhat the judge's score of
// the labelled items, unlabeled the judge's scores of the others. The labelled
// items must be a random sample of all. lambda is [AutoLambda] or in any
// non-negative value.
func PPIMean(y, yhat, unlabeled []float64, lambda, alpha float64) (PPI, error) {
	if err := checkLambda(lambda, alpha); err != nil {
		return PPI{}, err
	}
	kept, dropped, err := statistic.Complete(y, yhat)
	if err != nil {
		return PPI{}, err
	}
	y, yhat = kept[0], kept[1]
	f := statistic.Present(unlabeled)
	out := PPI{Labeled: len(y), Unlabeled: len(f), Dropped: dropped + len(unlabeled) - len(f)}
	if len(y) == 0 {
		u, none := statistic.None(statistic.NoItems), statistic.NoInterval(statistic.NoItems)
		out.Estimate, out.SE, out.CI, out.Lambda, out.Rectifier, out.JudgeOnly = u, u, none, u, u, u
		out.Classical, out.ClassicalSE, out.ClassicalCI = u, u, none
		return out, nil
	}
	n, z := float64(len(y)), statistic.Critical(alpha)
	out.Classical, out.ClassicalSE = statistic.Some(statistic.Mean(y)), statistic.None(statistic.TooFew)
	if len(y) > 1 {
		out.ClassicalSE = statistic.Some(math.Sqrt(statistic.SumSquares(y, statistic.Mean(y))) / n)
	}
	out.ClassicalCI = statistic.Around(out.Classical, out.ClassicalSE.Times(z))
	out.Rectifier = statistic.Some(statistic.Mean(minus(y, yhat, 1)))
	if len(f) == 0 {
		out.JudgeOnly, out.Lambda = statistic.None(statistic.NoItems), statistic.Some(0)
		out.Estimate, out.SE, out.CI = out.Classical, out.ClassicalSE, out.ClassicalCI
		return out, nil
	}
	out.JudgeOnly = statistic.Some(statistic.Mean(f))
	if lambda == AutoLambda {
		lambda = tuneLambda(y, yhat, f)
		if len(y) < 50 {
			out.Warnings = append(out.Warnings, statistic.Warning{Code: "tuned_on_few_labels", Detail: fmt.Sprintf("lambda was tuned on %d labels; its interval is slightly short below 50", len(y))})
		}
	}
	out.Lambda = statistic.Some(lambda)
	d := minus(y, yhat, lambda)
	md, mf := statistic.Mean(d), statistic.Mean(f)
	out.Estimate, out.SE = statistic.Some(lambda*mf+md), statistic.None(statistic.TooFew)
	if len(y) > 1 {
		big := float64(len(f))
		out.SE = statistic.Some(math.Sqrt(lambda*lambda*statistic.SumSquares(f, mf)/(big*big) + statistic.SumSquares(d, md)/(n*n)))
	}
	out.CI = statistic.Around(out.Estimate, out.SE.Times(z))
	return out, nil
}

func checkLambda(lambda, alpha float64) error {
	if lambda != AutoLambda && !(lambda >= 0 && lambda <= 1e6) {
		return fmt.Errorf("lambda must be auto or >= 0, got %v", lambda)
	}
	return statistic.CheckAlpha(alpha)
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
	if statistic.Constant(all) {
		return 0
	}
	my, mf := statistic.Mean(y), statistic.Mean(yhat)
	cov := 0.0
	for i := range y {
		cov += (y[i] - my) * (yhat[i] - mf)
	}
	cov /= float64(len(y)) // n, as the variances here
	lambda := cov / ((1 + float64(len(y))/float64(len(f))) * statistic.Variance(all))
	if math.IsNaN(lambda) {
		return 0
	}
	return math.Min(1, math.Max(0, lambda))
}
