package truth

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// AutoLambda asks PPI to tune the weight of the judge on the labels.
const AutoLambda = -1.0

func checkLambda(lambda, alpha float64) error {
	if lambda != AutoLambda && !(lambda >= 0 && lambda <= 1e6) {
		return fmt.Errorf("lambda must be auto or >= 0, got %v", lambda)
	}
	return stat.CheckAlpha(alpha)
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
