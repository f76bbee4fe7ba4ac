package distribution

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

// betaTail evaluates I_x(a,b) by the continued fraction (modified Lentz) on the
// side where it converges, in about sqrt(max(a,b)) terms.
func betaTail(x, y, a, b float64) float64 {
	prefix := binomialTerm(a, a+b, x, y) * b / (a + b)
	if prefix == 0 {
		return 0
	}
	const tiny = 1e-300
	guard := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c := 1.0
	d := 1 / guard(1-(a+b)*x/(a+1))
	h := d
	for m := 1.0; m < maxTerms; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d = 1 / guard(1+even*d)
		c = guard(1 + even/c)
		h *= d * c
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d = 1 / guard(1+odd*d)
		c = guard(1 + odd/c)
		delta := d * c
		h *= delta
		if math.Abs(delta-1) < 1e-16 {
			break
		}
	}
	return math.Min(1, prefix*h)
}

// BetaQuantile is the x with I_x(a,b) = p, for 0 <= p <= 1 and a,b > 0: Newton
// steps kept inside a shrinking bracket.
func BetaQuantile(p, a, b float64) float64 {
	if !(p >= 0 && p <= 1 && a > 0 && b > 0) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return math.NaN()
	}
	if p == 0 || p == 1 {
		return p
	}
	low, high := 0.0, 1.0
	x := a / (a + b)
	for range 400 {
		f := betaRegularized(x, 1-x, a, b) - p
		if f == 0 {
			return x
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
	y := BetaQuantile(1-p, d2/2, d1/2)
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
