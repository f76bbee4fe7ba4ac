package stat

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// near compares with a relative tolerance above 1 and an absolute one below.
func near(got, want, tol float64) bool { return math.Abs(got-want) <= tol*math.Max(1, math.Abs(want)) }

func relative(got, want, tol float64) bool { return math.Abs(got-want) <= tol*math.Abs(want) }

// Reference values with many digits: closed forms, and tables where there are none.
func TestKnownValues(t *testing.T) {
	tests := []struct {
		name      string
		got, want float64
	}{
		{"z.975", NormalQuantile(0.975), 1.959963984540054},
		{"z at .05", Critical(0.05), 1.959963984540054}, {"z at .5", Critical(0.5), 0.6744897501960817},
		{"t at .05(2)", CriticalT(0.05, 2), 0.95 / math.Sqrt(0.04875)}, {"t at .5(1)", CriticalT(0.5, 1), 1},
		{"z 1e-10", NormalQuantile(1e-10), -6.361340902404056},
		{"t.975(2)", StudentQuantile(0.975, 2), 0.95 / math.Sqrt(0.04875)},
		{"t.975(1)", StudentQuantile(0.975, 1), math.Tan(0.475 * math.Pi)},
		{"t .034(1)", StudentQuantile(0.034, 1), -math.Tan(0.466 * math.Pi)},
		{"t .5(7)", StudentQuantile(0.5, 7), 0},
		{"t 1e-10(1)", StudentQuantile(1e-10, 1), -1 / math.Tan(1e-10*math.Pi)},
		{"t ½+2⁻²⁴(1)", StudentQuantile(0.5+0x1p-24, 1), math.Tan(0x1p-24 * math.Pi)},
		{"t .75(1)", StudentQuantile(0.75, 1), 1},
		{"beta .3(½,½)", BetaQuantile(0.3, 0.5, 0.5), math.Pow(math.Sin(0.15*math.Pi), 2)},
		{"chi² .95(2)", ChiSquareQuantile(0.95, 2), -2 * math.Log(0.05)},
		{"chi² .9(4)", ChiSquareQuantile(0.9, 4), 7.779440339734858},
		{"chi² .1(1)", ChiSquareQuantile(0.1, 1), NormalQuantile(0.55) * NormalQuantile(0.55)},
		{"binom(1;24,.5)", BinomialCDF(1, 24, 0.5), 1.4901161193847656e-06},
	}
	for _, tt := range tests {
		if !relative(tt.got, tt.want, 1e-11) {
			t.Errorf("%s = %.17g, want %.17g", tt.name, tt.got, tt.want)
		}
	}
}

// TestAlpha: an error rate is strictly between 0 and 1.
func TestAlpha(t *testing.T) {
	for alpha, want := range map[float64]string{
		0: "alpha must be between 0 and 1, got 0", 1: "alpha must be between 0 and 1, got 1",
		-0.5: "alpha must be between 0 and 1, got -0.5",
	} {
		if err := CheckAlpha(alpha); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, alpha := range []float64{1e-300, 0.5, 0.999} {
		if err := CheckAlpha(alpha); err != nil {
			t.Error(err)
		}
	}
	if err := CheckAlpha(math.NaN()); err == nil {
		t.Error("no number is an error rate")
	}
}

// A quantile is where the distribution function says it is.
func TestQuantilesInvert(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 400 {
		a, b := math.Exp(9*r.Float64()-1), math.Exp(9*r.Float64()-1)
		p := 0.0005 + 0.999*r.Float64()
		if x := BetaQuantile(p, a, b); !near(betaCDF(x, a, b), p, 1e-9) {
			t.Errorf("beta quantile(%v; %v,%v) = %v has probability %v", p, a, b, x, betaCDF(x, a, b))
		}
		x := StudentQuantile(p, a)
		tail := StudentTwoSided(x, a) / 2
		if !near(tail, math.Min(p, 1-p), 1e-9) || math.Signbit(x) != (p < 0.5) {
			t.Errorf("t(%v; %v) = %v has a tail of %v", p, a, x, tail)
		}
	}
}

// The exact sum in big rationals.
func TestBinomialExactly(t *testing.T) {
	for _, n := range []int64{1, 7, 60, 700} {
		total := new(big.Int)
		power := new(big.Int).Lsh(big.NewInt(1), uint(n))
		for k := int64(0); k < n; k++ {
			total.Add(total, new(big.Int).Binomial(n, k))
			want, _ := new(big.Rat).SetFrac(total, power).Float64()
			if got := BinomialCDF(float64(k), float64(n), 0.5); !relative(got, want, 1e-10) {
				t.Fatalf("P(Bin(%d,1/2) <= %d) = %v, want %v", n, k, got, want)
			}
		}
	}
}

// TestBinomialOfLargeLogs has values of scipy 1.10.1: the normal approximation is not used for rare events, nor for as
// many trials as can be summed.
func TestBinomialOfLargeLogs(t *testing.T) {
	if got := BinomialCDF(5, 1e7, 1e-6); !relative(got, 0.06708586827654744, 1e-6) {
		t.Errorf("rare: %v", got)
	}
	if got := BinomialCDF(49_800, 100_000, 0.5); !relative(got, 0.1035194858821112, 1e-9) {
		t.Errorf("a hundred thousand: %v", got)
	}
}

// With as many items as a large log has, quantiles keep the digits that a report prints.
func TestLargeParameters(t *testing.T) {
	for _, n := range []float64{1e4, 1e6, 1e7, 1e9} {
		want := 0.5 + 0.5/math.Sqrt(math.Pi*n/2) // half of the middle term too much
		if got := BinomialCDF(n/2, n, 0.5); !near(got, want, 1e-6) {
			t.Errorf("P(Bin(%g,1/2) <= n/2) = %v, want %v", n, got, want)
		}
		if got, want := StudentQuantile(0.975, n), 1.959963984540054+2.3722/n; !near(got, want, 3/(n*n)+1e-6) {
			t.Errorf("t(.975; %g) = %v", n, got)
		}
	}
}

func TestOutsideTheDomainIsNaN(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, v := range map[string]float64{
		"z 0": NormalQuantile(0), "z 2": NormalQuantile(2), "z nan": NormalQuantile(nan), "z 1": NormalQuantile(1),
		"t df": StudentQuantile(0.5, 0), "t nan": StudentTwoSided(nan, 3), "t -df": StudentTwoSided(1, -3),
		"t 0": StudentQuantile(0, 3), "t 1": StudentQuantile(1, 3), "t far": StudentTwoSided(1e200, -3),
		"t far, df 0": StudentTwoSided(1e200, 0), "t df nan": StudentTwoSided(1, nan),
		"beta a": betaCDF(0.5, -1, 2), "beta a 0": betaCDF(0.5, 0, 2), "beta a inf": betaCDF(0.5, inf, 2),
		"beta b": betaCDF(0.5, 2, -1), "beta b 0": betaCDF(0.5, 2, 0), "beta b inf": betaCDF(0.5, 2, inf),
		"beta x": betaCDF(-0.1, 1, 1), "beta x 2": betaCDF(2, 1, 1), "beta x nan": betaCDF(nan, 1, 1),
		"beta p": BetaQuantile(1.5, 1, 1), "beta p -": BetaQuantile(-0.5, 1, 1), "beta p nan": BetaQuantile(nan, 1, 1),
		"beta quantile a": BetaQuantile(0.5, 0, 1), "beta quantile b": BetaQuantile(0.5, 1, 0),
		"beta quantile a inf": BetaQuantile(0.5, inf, 1), "beta quantile b inf": BetaQuantile(0.5, 1, inf),
		"binom": BinomialCDF(1, -1, 0.5), "binom k": BinomialCDF(nan, 2, 0.5), "binom n": BinomialCDF(1, nan, 0.5),
		"binom p": BinomialCDF(1, 2, -0.5), "binom p 2": BinomialCDF(1, 2, 2),
	} {
		if !math.IsNaN(v) {
			t.Errorf("%s: %v", name, v)
		}
	}
	for name, tt := range map[string]struct{ got, want float64 }{
		"beta x 0": {betaCDF(0, 2, 3), 0}, "beta x 1": {betaCDF(1, 2, 3), 1}, "beta p 0": {BetaQuantile(0, 2, 3), 0},
		"beta p 1": {BetaQuantile(1, 2, 3), 1}, "t 1e200": {StudentTwoSided(1e200, 3), 0},
		"t 0":          {StudentTwoSided(0, 3), 1},
		"none of none": {BinomialCDF(0, 0, 0.5), 1}, "fewer than none": {BinomialCDF(-1, 3, 0.5), 0},
		"none of 2": {BinomialCDF(0, 2, 0.5), 0.25}, "at most all": {BinomialCDF(3, 3, 0.5), 1},
		"never": {BinomialCDF(0, 3, 0), 1}, "always": {BinomialCDF(2, 3, 1), 0},
	} {
		if !(math.Abs(tt.got-tt.want) <= 1e-15) {
			t.Errorf("%s: %v, want %v", name, tt.got, tt.want)
		}
	}
}

func FuzzQuantiles(f *testing.F) {
	f.Add(0.5, 1.0, 1.0)
	f.Add(1e-300, 1e-9, 1e9)
	f.Add(1e-300, 1.1111111111111112e-10, 1e9)
	f.Fuzz(func(t *testing.T, p, a, b float64) {
		if x := BetaQuantile(p, a, b); !math.IsNaN(x) && (x < 0 || x > 1) {
			t.Errorf("beta quantile(%v; %v,%v) = %v", p, a, b, x)
		}
		if x := betaCDF(p, a, b); !math.IsNaN(x) && (x < 0 || x > 1) {
			t.Errorf("I_%v(%v,%v) = %v", p, a, b, x)
		}
		StudentQuantile(p, a)
	})
}
