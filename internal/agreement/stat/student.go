package stat

import "math"

// StudentTwoSided is P(|T| >= |t|) with df degrees of freedom (real, > 0).
func StudentTwoSided(t, df float64) float64 {
	if !(df > 0) || math.IsNaN(t) {
		return math.NaN()
	}
	if math.IsInf(t, 0) || math.IsInf(t*t, 0) {
		return 0
	}
	s := df + t*t
	return betaRegularized(df/s, t*t/s, df/2, 0.5)
}

// StudentCDF is P(T <= t) with df degrees of freedom.
func StudentCDF(t, df float64) float64 {
	half := StudentTwoSided(t, df) / 2
	if t > 0 {
		return 1 - half
	}
	return half
}

// StudentQuantile is the t with StudentCDF(t, df) = p, for 0 < p < 1.
func StudentQuantile(p, df float64) float64 {
	if !(p > 0 && p < 1 && df > 0) {
		return math.NaN()
	}
	tail := p
	if p > 0.5 {
		tail = 1 - p
	}
	if tail == 0.5 {
		return 0
	}
	// x = df/(df+t²) has the digits of t when it is small, 1-x otherwise.
	x := BetaQuantile(2*tail, df/2, 0.5)
	t := math.Sqrt(df * (1 - x) / x)
	if x > 0.5 {
		y := betaSolve(2*tail, 0.5, df/2, true)
		t = math.Sqrt(df * y / (1 - y))
	}
	if math.IsInf(t, 0) {
		return math.NaN()
	}
	if p < 0.5 {
		return -t
	}
	return t
}
