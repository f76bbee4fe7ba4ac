package stat

import "math"

const logSqrt2Pi = 0.918938533204672741780329736406

// stirlingError is log(n!) minus Stirling's approximation of it,
// log(sqrt(2 pi n) (n/e)^n), for real n > 0.
func stirlingError(n float64) float64 {
	if n <= 16 {
		lg, _ := math.Lgamma(n + 1)
		return lg - (n+0.5)*math.Log(n) + n - logSqrt2Pi
	}
	n2 := n * n
	return (1.0/12 - (1.0/360-(1.0/1260-(1.0/1680-(1.0/1188)/n2)/n2)/n2)/n2) / n
}

// deviance is x log(x/m) + m - x, without cancellation when x is close to m.
func deviance(x, m float64) float64 {
	if x == 0 {
		return m
	}
	if d := x - m; math.Abs(d) < 0.1*(x+m) {
		v := d / (x + m)
		sum := d * v
		term := 2 * x * v
		for j := 1; j < 1000; j++ {
			term *= v * v
			next := sum + term/float64(2*j+1)
			if next == sum {
				break
			}
			sum = next
		}
		return sum
	}
	return x*math.Log(x/m) + m - x
}

// binomialTerm is the binomial probability of x successes in n trials with
// success probability p and failure probability q = 1-p, for real x and n.
// Both p and q are passed because 1-p may have no digits left.
func binomialTerm(x, n, p, q float64) float64 {
	switch {
	case p <= 0:
		return indicator(x == 0)
	case q <= 0:
		return indicator(x == n)
	case x < 0 || x > n:
		return 0
	case x == 0:
		if n == 0 {
			return 1
		}
		return math.Exp(n * log1m(p, q))
	case x == n:
		return math.Exp(n * log1m(q, p))
	}
	lc := stirlingError(n) - stirlingError(x) - stirlingError(n-x) - deviance(x, n*p) - deviance(n-x, n*q)
	return math.Exp(lc) * math.Sqrt(n/(2*math.Pi*x*(n-x)))
}

// log1m is log(q) where q = 1-p, taken from whichever of the two has the digits.
func log1m(p, q float64) float64 {
	if p < 0.1 {
		return math.Log1p(-p)
	}
	return math.Log(q)
}

// poissonTerm is exp(-m) m^x / Gamma(x+1) for real x >= 0 and m > 0.
func poissonTerm(x, m float64) float64 {
	if x == 0 {
		return math.Exp(-m)
	}
	return math.Exp(-stirlingError(x)-deviance(x, m)) / math.Sqrt(2*math.Pi*x)
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
