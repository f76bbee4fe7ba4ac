package stat

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
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
		{"Φ(1.96)", NormalCDF(1.96), 0.9750021048517795},
		{"Φ(-8.01)", NormalCDF(-8.01), 5.735422180258049e-16},
		{"z.975", NormalQuantile(0.975), 1.959963984540054},
		{"z 1e-10", NormalQuantile(1e-10), -6.361340902404056},
		{"t.975(2)", StudentQuantile(0.975, 2), 0.95 / math.Sqrt(0.04875)},
		{"t.975(1)", StudentQuantile(0.975, 1), math.Tan(0.475 * math.Pi)},
		{"t .034(1)", StudentQuantile(0.034, 1), -math.Tan(0.466 * math.Pi)},
		{"chi2 sf(1.94,1)", ChiSquareSurvival(1.94, 1), 0.1636685341034009},
		{"chi2 sf(18.13,2)", ChiSquareSurvival(18.13, 2), 0.0001156433120714072},
		{"binom(1;24,.5)", BinomialCDF(1, 24, 0.5), 1.4901161193847656e-06},
		{"F.95(1,1)", FQuantile(0.95, 1, 1), 161.44763879758855},
	}
	for _, tt := range tests {
		if !relative(tt.got, tt.want, 1e-11) {
			t.Errorf("%s = %.17g, want %.17g", tt.name, tt.got, tt.want)
		}
	}
}

func TestAgainstGonum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		a, b, x := math.Exp(6*r.Float64()-2), math.Exp(6*r.Float64()-2), r.Float64()
		if got, want := BetaCDF(x, a, b), mathext.RegIncBeta(a, b, x); !near(got, want, 1e-11) {
			t.Errorf("I_%v(%v,%v) = %v, gonum %v", x, a, b, got, want)
		}
		if got, want := ChiSquareSurvival(4*a*x, 2*a), mathext.GammaIncRegComp(a, 2*a*x); !near(got, want, 1e-11) {
			t.Errorf("Q(%v,%v) = %v, gonum %v", a, 2*a*x, got, want)
		}
		st := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: a + 0.5}
		if got, want := StudentCDF(8*x-4, a+0.5), st.CDF(8*x-4); !near(got, want, 1e-10) {
			t.Errorf("t cdf(%v; %v) = %v, gonum %v", 8*x-4, a+0.5, got, want)
		}
		f := distuv.F{D1: 2 * a, D2: 2 * b}
		if got, want := FCDF(3*x, 2*a, 2*b), f.CDF(3*x); !near(got, want, 1e-10) {
			t.Errorf("F cdf(%v; %v, %v) = %v, gonum %v", 3*x, 2*a, 2*b, got, want)
		}
	}
}

// A quantile is where the distribution function says it is, far out too.
func TestQuantilesInvert(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 400 {
		a, b := math.Exp(12*r.Float64()-3), math.Exp(12*r.Float64()-3)
		p := math.Pow(r.Float64(), 4)
		if x := BetaQuantile(p, a, b); x > 1e-290 && x < 1-1e-5 && !near(BetaCDF(x, a, b), p, 1e-11) {
			t.Errorf("beta quantile(%v; %v,%v) = %v has probability %v", p, a, b, x, BetaCDF(x, a, b))
		}
		if p == 0 {
			continue
		}
		if x := NormalQuantile(p); !relative(NormalCDF(x), p, 1e-12) {
			t.Errorf("z(%v) = %v has probability %v", p, x, NormalCDF(x))
		}
		df := a + 0.5
		if x := StudentQuantile(p, df); !relative(StudentCDF(x, df), p, 1e-9) {
			t.Errorf("t(%v; %v) = %v has probability %v", p, df, x, StudentCDF(x, df))
		}
		if x := FQuantile(p, a+0.5, b+0.5); !near(FCDF(x, a+0.5, b+0.5), p, 1e-10) {
			t.Errorf("F(%v; %v,%v) = %v has probability %v", p, a+0.5, b+0.5, x, FCDF(x, a+0.5, b+0.5))
		}
	}
}

// Large counts keep their digits: the exact sum in big rationals.
func TestBinomialExactly(t *testing.T) {
	for _, n := range []int64{1, 7, 60, 700} {
		total := new(big.Int)
		power := new(big.Int).Lsh(big.NewInt(1), uint(n))
		for k := int64(0); k < n; k++ {
			c := new(big.Int).Binomial(n, k)
			total.Add(total, c)
			want, _ := new(big.Rat).SetFrac(total, power).Float64()
			if got := BinomialCDF(float64(k), float64(n), 0.5); !relative(got, want, 1e-11) {
				t.Fatalf("P(Bin(%d,1/2) <= %d) = %v, want %v", n, k, got, want)
			}
			pmf, _ := new(big.Rat).SetFrac(c, power).Float64()
			if got := BinomialPMF(float64(k), float64(n), 0.5); !relative(got, pmf, 1e-12) {
				t.Fatalf("P(Bin(%d,1/2) = %d) = %v, want %v", n, k, got, pmf)
			}
		}
	}
}

func TestFisherExactly(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		n1, n2 := r.Int64N(40), r.Int64N(40)
		if n1+n2 == 0 {
			continue
		}
		k1, k2 := r.Int64N(n1+1), r.Int64N(n2+1)
		probability := func(x int64) float64 {
			c := new(big.Int).Mul(new(big.Int).Binomial(n1, x), new(big.Int).Binomial(n2, k1+k2-x))
			v, _ := new(big.Rat).SetFrac(c, new(big.Int).Binomial(n1+n2, k1+k2)).Float64()
			return v
		}
		want := 0.0
		for x := max(0, k1+k2-n2); x <= min(n1, k1+k2); x++ {
			if p := probability(x); p <= probability(k1)*(1+1e-7) {
				want += p
			}
		}
		if got := FisherTwoSided(float64(k1), float64(n1), float64(k2), float64(n2)); !relative(got, want, 1e-11) {
			t.Errorf("fisher %d/%d against %d/%d = %v, want %v", k1, n1, k2, n2, got, want)
		}
	}
}

func TestLargeParameters(t *testing.T) {
	// The middle of a symmetric distribution is one half whatever its size.
	for _, n := range []float64{1e3, 1e6, 1e9} {
		if got := BetaCDF(0.5, n, n); !near(got, 0.5, 1e-11) {
			t.Errorf("I_.5(%g,%g) = %v", n, n, got)
		}
		if got, want := StudentQuantile(0.975, n*1e3), 1.959963984540054+2.3722/(n*1e3); !near(got, want, 3/(n*n)+1e-9) {
			t.Errorf("t(.975; %g) = %v", n*1e3, got)
		}
	}
	if got := FisherTwoSided(5e8, 1e9, 5e8, 1e9); got != 1 {
		t.Errorf("fisher of equal rates = %v", got)
	}
}

func TestOutsideTheDomainIsNaN(t *testing.T) {
	for name, v := range map[string]float64{
		"z 0": NormalQuantile(0), "z 2": NormalQuantile(2), "z nan": NormalQuantile(math.NaN()),
		"t df": StudentQuantile(0.5, 0), "t nan": StudentCDF(math.NaN(), 3), "beta a": BetaCDF(0.5, -1, 2),
		"beta p": BetaQuantile(1.5, 1, 1), "F": FQuantile(0.5, 0, 1), "chi": ChiSquareSurvival(1, -1),
		"binom": BinomialCDF(1, -1, 0.5), "hyper": HypergeometricPMF(1, 2, 3, 9), "fisher": FisherTwoSided(3, 2, 1, 1),
	} {
		if !math.IsNaN(v) {
			t.Errorf("%s: %v", name, v)
		}
	}
}

func FuzzQuantiles(f *testing.F) {
	f.Add(0.5, 1.0, 1.0)
	f.Add(1e-300, 1e-9, 1e9)
	f.Fuzz(func(t *testing.T, p, a, b float64) {
		if x := BetaQuantile(p, a, b); !math.IsNaN(x) && (x < 0 || x > 1) {
			t.Errorf("beta quantile(%v; %v,%v) = %v", p, a, b, x)
		}
		if x := BetaCDF(p, a, b); !math.IsNaN(x) && (x < 0 || x > 1) {
			t.Errorf("I_%v(%v,%v) = %v", p, a, b, x)
		}
		if x := FisherTwoSided(math.Floor(p), math.Floor(a), math.Floor(b), 1e9); !math.IsNaN(x) && (x < 0 || x > 1) {
			t.Errorf("fisher = %v", x)
		}
	})
}
