package stat

import "math"

// NormalCDF is P(Z <= x) for a standard normal Z.
func NormalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// NormalQuantile is the x with NormalCDF(x) = p, for 0 < p < 1. It starts from
// Abramowitz and Stegun 26.2.23 and polishes by Halley steps on the smaller
// tail, so that far tails keep their relative accuracy.
func NormalQuantile(p float64) float64 {
	if !(p > 0 && p < 1) {
		return math.NaN()
	}
	if p == 0.5 {
		return 0
	}
	tail := p
	if p > 0.5 {
		tail = 1 - p
	}
	t := math.Sqrt(-2 * math.Log(tail))
	x := t - (2.515517+t*(0.802853+t*0.010328))/(1+t*(1.432788+t*(0.189269+t*0.001308)))
	for range 6 {
		// x > 0 is the distance into the tail: P(Z > x) = tail.
		density := math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
		if density == 0 {
			break
		}
		u := (0.5*math.Erfc(x/math.Sqrt2) - tail) / density
		step := u / (1 - x*u/2)
		x += step
		if math.Abs(step) < 1e-16*(1+math.Abs(x)) {
			break
		}
	}
	if p < 0.5 {
		return -x
	}
	return x
}
