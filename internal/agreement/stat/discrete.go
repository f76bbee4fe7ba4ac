package stat

import "math"

// BinomialPMF is the probability of exactly k successes in n trials; k and n
// are whole numbers, 0 <= p <= 1.
func BinomialPMF(k, n, p float64) float64 {
	if !(n >= 0 && p >= 0 && p <= 1) || math.IsNaN(k) {
		return math.NaN()
	}
	return binomialTerm(k, n, p, 1-p)
}

// BinomialCDF is the probability of at most k successes in n trials.
func BinomialCDF(k, n, p float64) float64 {
	if !(n >= 0 && p >= 0 && p <= 1) || math.IsNaN(k) {
		return math.NaN()
	}
	k = math.Floor(k)
	switch {
	case k < 0:
		return 0
	case k >= n:
		return 1
	case p == 0:
		return 1
	case p == 1:
		return 0
	}
	return betaRegularized(1-p, p, n-k, k+1)
}

// HypergeometricPMF is the probability of x marked items among draws items
// drawn without replacement from marked marked and plain unmarked ones.
func HypergeometricPMF(x, marked, plain, draws float64) float64 {
	total := marked + plain
	if !(marked >= 0 && plain >= 0 && draws >= 0 && draws <= total) || math.IsNaN(x) {
		return math.NaN()
	}
	if x < 0 || x > marked || draws-x < 0 || draws-x > plain {
		return 0
	}
	if draws == 0 || draws == total {
		return 1
	}
	p, q := draws/total, (total-draws)/total
	return binomialTerm(x, marked, p, q) * binomialTerm(draws-x, plain, p, q) / binomialTerm(draws, total, p, q)
}

// FisherTwoSided is the two-sided p of Fisher's exact test that k1 of n1 and k2
// of n2 have the same rate: the sum of the probabilities of all tables with the
// same margins that are at most (1+1e-7) times as probable as the observed one.
// Groups of up to 1e12 are taken.
func FisherTwoSided(k1, n1, k2, n2 float64) float64 {
	if !(k1 >= 0 && k2 >= 0 && k1 <= n1 && k2 <= n2 && n1 <= 1e12 && n2 <= 1e12) {
		return math.NaN()
	}
	draws := k1 + k2
	pmf := func(x float64) float64 { return HypergeometricPMF(x, n1, n2, draws) }
	low, high := math.Max(0, draws-n2), math.Min(draws, n1)
	limit := pmf(k1) * (1 + 1e-7)
	mode := math.Floor((draws + 1) * (n1 + 1) / (n1 + n2 + 2))
	mode = math.Min(math.Max(mode, low), high)
	if pmf(mode) <= limit {
		return 1
	}
	// The probabilities fall on both sides of the mode: find where each side
	// first drops to the limit, then add outwards until nothing is left to add.
	below := bisect(low-1, mode, func(x float64) bool { return pmf(x) <= limit })
	above := bisect(high+1, mode, func(x float64) bool { return pmf(x) <= limit })
	sum := 0.0
	for x := below; x >= low; x-- {
		t := pmf(x)
		sum += t
		if t < 1e-18*sum {
			break
		}
	}
	for x := above; x <= high; x++ {
		t := pmf(x)
		sum += t
		if t < 1e-18*sum {
			break
		}
	}
	return math.Min(1, sum)
}

// bisect returns the whole number nearest to inside for which holds is true;
// it holds at outside, does not hold at inside, and changes once between them.
func bisect(outside, inside float64, holds func(float64) bool) float64 {
	for math.Abs(outside-inside) > 1 {
		mid := math.Floor((outside + inside) / 2)
		if mid == outside || mid == inside {
			mid = math.Ceil((outside + inside) / 2)
		}
		if holds(mid) {
			outside = mid
		} else {
			inside = mid
		}
	}
	return outside
}
