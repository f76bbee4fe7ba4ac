package stat

import "math"

// maxTerms bounds every series and continued fraction.
const maxTerms = 300000

// BetaCDF is the regularised incomplete beta function I_x(a,b), a,b > 0.
func BetaCDF(x, a, b float64) float64 {
	if !(a > 0 && b > 0) || math.IsNaN(x) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return math.NaN()
	}
	if x <= 0 {
		return 0
	}
	if x >= 1 {
		return 1
	}
	return betaRegularized(x, 1-x, a, b)
}

// betaRegularized is I_x(a,b) with y = 1-x given separately.
func betaRegularized(x, y, a, b float64) float64 {
	if x <= 0 {
		return 0
	}
	if y <= 0 {
		return 1
	}
	if x > (a+1)/(a+b+2) {
		return 1 - betaTail(y, x, b, a)
	}
	return betaTail(x, y, a, b)
}

// betaTail evaluates I_x(a,b) on the side where x is below the mean, by the
// continued fraction of Didonato and Morris (1992) for large a and b, whose
// terms do not cancel when x is close to the mean or to 1. It needs about
// sqrt(max(a,b)) terms; NaN when that is more than maxTerms.
func betaTail(x, y, a, b float64) float64 {
	power := binomialTerm(a, a+b, x, y) * a * b / (a + b)
	if power == 0 {
		return 0
	}
	const tiny = 1e-300
	guard := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	denominator := func(m float64) float64 {
		return m + m*(b-m)*x/(a+2*m-1) + (a+m)*(a*y-b*x+1+m*(2-x))/(a+2*m+1)
	}
	h := guard(a * (a*y - b*x + 1) / (a + 1))
	c, d := h, 0.0
	for m := 1.0; m < maxTerms; m++ {
		edge := a + 2*m - 1
		numerator := (a + m - 1) / edge * ((a + b + m - 1) / edge) * m * (b - m) * x * x
		bm := denominator(m)
		d = 1 / guard(bm+numerator*d)
		c = guard(bm + numerator/c)
		delta := c * d
		h *= delta
		if math.Abs(delta-1) < 3e-16 {
			return math.Min(1, power/h)
		}
	}
	return math.NaN()
}

// BetaQuantile is the x with I_x(a,b) = p, for 0 <= p <= 1 and a,b > 0.
func BetaQuantile(p, a, b float64) float64 {
	if p == 1 && a > 0 && b > 0 {
		return 1
	}
	return betaSolve(p, a, b, false)
}

// betaSolve is the x with I_x(a,b) = p or, for the upper tail, with
// 1-I_x(a,b) = p: Newton steps kept inside a shrinking bracket. x keeps its
// relative accuracy near 0, p keeps its own in either tail.
func betaSolve(p, a, b float64, upper bool) float64 {
	if !(p >= 0 && p <= 1 && a > 0 && b > 0) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return math.NaN()
	}
	if p == 0 && !upper || p == 1 && upper {
		return 0
	}
	low, high := 0.0, 1.0
	x := a / (a + b)
	for range 400 {
		var f float64 // grows with x
		if upper {
			f = p - betaRegularized(1-x, x, b, a)
		} else {
			f = betaRegularized(x, 1-x, a, b) - p
		}
		if f == 0 || math.IsNaN(f) {
			return x + f // NaN where the function cannot be evaluated
		}
		if f > 0 {
			high = x
		} else {
			low = x
		}
		density := binomialTerm(a, a+b, x, 1-x) * a * b / ((a + b) * x * (1 - x))
		next := x - f/density
		if !(next > low && next < high) {
			next = (low + high) / 2
			if low == 0 && high < 0.5 {
				// Quantiles may lie many powers of ten below the bracket.
				next = high / 16
			}
		}
		if math.Abs(next-x) <= 1e-16*x || high-low <= 1e-16*high {
			return next
		}
		x = next
	}
	return x
}

// FQuantile is the quantile of the F distribution with d1 and d2 degrees of
// freedom (real, > 0), for 0 < p < 1.
func FQuantile(p, d1, d2 float64) float64 {
	if !(p > 0 && p < 1 && d1 > 0 && d2 > 0) {
		return math.NaN()
	}
	x := BetaQuantile(p, d1/2, d2/2)
	if x <= 0.5 {
		return d2 * x / (d1 * (1 - x))
	}
	y := betaSolve(p, d2/2, d1/2, true)
	return d2 * (1 - y) / (d1 * y)
}

// FCDF is P(F <= x) with d1 and d2 degrees of freedom.
func FCDF(x, d1, d2 float64) float64 {
	if !(d1 > 0 && d2 > 0) || math.IsNaN(x) {
		return math.NaN()
	}
	if x <= 0 {
		return 0
	}
	return betaRegularized(d1*x/(d1*x+d2), d2/(d1*x+d2), d1/2, d2/2)
}
