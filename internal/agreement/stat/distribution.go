package stat

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// CheckAlpha returns an error unless alpha is inside (0,1).
func CheckAlpha(alpha float64) error {
	if !(alpha > 0 && alpha < 1) {
		return fmt.Errorf("alpha must be between 0 and 1, got %v", alpha)
	}
	return nil
}

// Critical returns z = Φ⁻¹(1-α/2).
func Critical(alpha float64) float64 { return NormalQuantile(1 - alpha/2) }

// CriticalT returns the Student quantile at 1-α/2.
func CriticalT(alpha, df float64) float64 { return StudentQuantile(1-alpha/2, df) }

// NormalQuantile returns the x with P(Z <= x) = p for a standard normal Z, 0 < p < 1.
func NormalQuantile(p float64) float64 {
	if !(p > 0 && p < 1) {
		return math.NaN()
	}
	return mathext.NormalQuantile(p)
}

// betaCDF returns the regularised incomplete beta function I_x(a,b), 0 <= x <= 1 and a,b > 0.
func betaCDF(x, a, b float64) float64 {
	if !(x >= 0 && x <= 1 && a > 0 && b > 0) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return math.NaN()
	}
	return share(mathext.RegIncBeta(a, b, x))
}

// share clips rounding errors slightly below 0 or above 1 at extreme parameters.
func share(p float64) float64 { return math.Min(1, math.Max(0, p)) }

// BetaQuantile returns the x with I_x(a,b) = p, for 0 <= p <= 1 and a,b > 0.
func BetaQuantile(p, a, b float64) float64 {
	if !(p >= 0 && p <= 1 && a > 0 && b > 0) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return math.NaN()
	}
	return share(mathext.InvRegIncBeta(a, b, p))
}

// betaOdds returns x/(1-x) for the x with I_x(a,b) = p, computed from the smaller of x and 1-x,
// which has more digits.
func betaOdds(p, a, b float64) float64 {
	x := BetaQuantile(p, a, b)
	if x <= 0.5 {
		return x / (1 - x)
	}
	y := BetaQuantile(1-p, b, a)
	return (1 - y) / y
}

// ChiSquareQuantile returns the x with P(X <= x) = p for df degrees of freedom (real, > 0).
func ChiSquareQuantile(p, df float64) float64 { return 2 * mathext.GammaIncRegInv(df/2, p) }

// StudentTwoSided returns P(|T| >= |t|) with df degrees of freedom (real, > 0).
func StudentTwoSided(t, df float64) float64 {
	return betaCDF(df/(df+t*t), df/2, 0.5)
}

// StudentQuantile returns the t with P(T <= t) = p for df degrees of freedom, 0 < p < 1.
func StudentQuantile(p, df float64) float64 {
	if !(p > 0 && p < 1) {
		return math.NaN()
	}
	tail := math.Min(p, 1-p)
	// df/(df+t²) has the distribution Beta(df/2, 1/2).
	t := math.Sqrt(df / betaOdds(2*tail, df/2, 0.5))
	return math.Copysign(t, p-0.5)
}

// BinomialCDF returns the probability of at most k successes in n trials; k and n are whole
// numbers, 0 <= p <= 1. Beyond a million trials it uses the normal approximation, if that is more
// accurate.
func BinomialCDF(k, n, p float64) float64 {
	variance := n * p * (1 - p)
	switch {
	case !(n >= 0 && p >= 0 && p <= 1) || math.IsNaN(k):
		return math.NaN()
	case k < 0:
		return 0
	case k >= n:
		return 1
	case n > 1e6 && variance > 1e4:
		return 0.5 * math.Erfc((n*p-k-0.5)/math.Sqrt(2*variance))
	}
	return betaCDF(1-p, n-k, k+1)
}
