package stat

import "math"

// ChiSquareSurvival is P(X >= x) for a chi-square variable with df degrees of
// freedom (real, > 0).
func ChiSquareSurvival(x, df float64) float64 {
	if !(df > 0) || math.IsNaN(x) || math.IsInf(df, 0) {
		return math.NaN()
	}
	switch {
	case x <= 0:
		return 1
	case math.IsInf(x, 1):
		return 0
	case df == 1:
		return math.Erfc(math.Sqrt(x / 2))
	case df == 2:
		return math.Exp(-x / 2)
	}
	a, z := df/2, x/2
	if z < a+1 {
		return 1 - gammaSeries(a, z)
	}
	return gammaFraction(a, z)
}

// gammaSeries is the lower regularised incomplete gamma function for z < a+1.
func gammaSeries(a, z float64) float64 {
	sum, term := 1.0, 1.0
	for n := 1.0; n < maxTerms; n++ {
		term *= z / (a + n)
		sum += term
		if term < 1e-17*sum {
			return sum * poissonTerm(a, z)
		}
	}
	return math.NaN()
}

// gammaFraction is the upper regularised incomplete gamma function for z >= a+1.
func gammaFraction(a, z float64) float64 {
	const tiny = 1e-300
	b := z + 1 - a
	c := 1 / tiny
	d := 1 / b
	h := d
	for i := 1.0; i < maxTerms; i++ {
		an := -i * (i - a)
		b += 2
		d = an*d + b
		if math.Abs(d) < tiny {
			d = tiny
		}
		c = b + an/c
		if math.Abs(c) < tiny {
			c = tiny
		}
		d = 1 / d
		delta := d * c
		h *= delta
		if math.Abs(delta-1) < 3e-16 {
			return poissonTerm(a, z) * a * h
		}
	}
	return math.NaN()
}
