package agreement

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// tables of random data for the properties below.
func randomColumns(r *rand.Rand, n, values int, columns int) [][]float64 {
	out := make([][]float64, columns)
	for j := range out {
		out[j] = make([]float64, n)
		for i := range out[j] {
			out[j][i] = float64(r.IntN(values))
			if j > 0 && r.IntN(3) > 0 {
				out[j][i] = out[0][i]
			}
		}
	}
	return out
}

func near(a, b Opt) bool {
	return a.Valid == b.Valid && math.Abs(a.Value-b.Value) <= 1e-9*math.Max(1, math.Abs(b.Value))
}

// must is for calls that cannot fail on the data of the test.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// cut makes verdicts of scores: 1 from the threshold on, else 0; missing stays missing.
func cut(v []float64, threshold float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x
		if !math.IsNaN(x) {
			out[i] = 0
			if x >= threshold {
				out[i] = 1
			}
		}
	}
	return out
}

func repeat(t *testing.T, times int, f func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	for i := range times {
		f(t, rand.New(rand.NewPCG(uint64(i), 77)))
	}
}

func TestKappaIsSymmetricAndBounded(t *testing.T) {
	repeat(t, 200, func(t *testing.T, r *rand.Rand) {
		c := randomColumns(r, 2+r.IntN(40), 5, 2)
		for _, w := range []Weighting{NoWeights, Linear, Quadratic} {
			k := must[Kappa](t)(CohenKappa(c[0], c[1], scaleTo(5), w, 0.05))
			s := must[Kappa](t)(CohenKappa(c[1], c[0], scaleTo(5), w, 0.05))
			if !near(k.Kappa, s.Kappa) || math.Abs(k.SE.Value-s.SE.Value) > 1e-7 || !near(k.ScottPi, s.ScottPi) {
				t.Errorf("%s: kappa %v, swapped %v", w, k, s)
			}
			if k.Kappa.Valid && k.Kappa.Value > 1+1e-12 {
				t.Errorf("kappa %v above 1", k.Kappa)
			}
			self := must[Kappa](t)(CohenKappa(c[0], c[0], scaleTo(5), w, 0.05))
			if self.Kappa.Valid && math.Abs(self.Kappa.Value-1) > 1e-12 {
				t.Errorf("kappa of a rater with itself is %v", self.Kappa)
			}
		}
	})
}

// A full scale that is not used changes weighted kappa, and never plain kappa.
func TestKappaUsesTheDeclaredScale(t *testing.T) {
	a, b := []float64{1, 2, 5, 5, 1, 2}, []float64{1, 5, 5, 2, 1, 2}
	for _, tt := range []struct {
		w    Weighting
		same bool
	}{{NoWeights, true}, {Linear, false}, {Quadratic, false}} {
		full := must[Kappa](t)(CohenKappa(a, b, []float64{1, 2, 3, 4, 5}, tt.w, 0.05))
		seen := must[Kappa](t)(CohenKappa(a, b, []float64{1, 2, 5}, tt.w, 0.05))
		if near(full.Kappa, seen.Kappa) != tt.same {
			t.Errorf("%s: declared %v, observed %v", tt.w, full.Kappa, seen.Kappa)
		}
	}
}

func TestAUCByPairsAndComplement(t *testing.T) {
	repeat(t, 200, func(t *testing.T, r *rand.Rand) {
		n := 4 + r.IntN(40)
		gold, score, neg := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range gold {
			gold[i], score[i] = float64(r.IntN(2)), float64(r.IntN(6))
			neg[i] = -score[i]
		}
		a := must[AUC](t)(ROCAUC(gold, score, 0.05))
		b := must[AUC](t)(ROCAUC(gold, neg, 0.05))
		if !a.AUC.Valid {
			return
		}
		wins := 0.0
		for i := range gold {
			for j := range gold {
				if gold[i] == 1 && gold[j] == 0 {
					switch {
					case score[i] > score[j]:
						wins++
					case score[i] == score[j]:
						wins += 0.5
					}
				}
			}
		}
		want := wins / float64(a.Pos*a.Neg)
		if math.Abs(a.AUC.Value-want) > 1e-12 || math.Abs(a.AUC.Value+b.AUC.Value-1) > 1e-12 || !near(a.SE, b.SE) {
			t.Errorf("auc %v, by pairs %v, complement %v", a.AUC, want, b.AUC)
		}
	})
}

func TestSwappingClassesSwapsRates(t *testing.T) {
	repeat(t, 200, func(t *testing.T, r *rand.Rand) {
		c := Confusion{r.IntN(9), r.IntN(9), r.IntN(9), r.IntN(9)}
		m := must[BinaryMetrics](t)(c.Metrics())
		s := must[BinaryMetrics](t)(c.Swapped().Metrics())
		if !near(m.Recall, s.Specificity) || !near(m.Precision, s.NPV) || !near(m.MCC, s.MCC) || !near(c.kappa(), c.Swapped().kappa()) {
			t.Errorf("%+v: %+v against %+v", c, m, s)
		}
		if m.MCC.Valid && math.Abs(m.MCC.Value) > 1+1e-12 {
			t.Errorf("MCC %v", m.MCC)
		}
	})
}

func TestBrierIsTheSumOfItsParts(t *testing.T) {
	repeat(t, 100, func(t *testing.T, r *rand.Rand) {
		n := 1 + r.IntN(50)
		gold, prob := make([]float64, n), make([]float64, n)
		for i := range gold {
			gold[i], prob[i] = float64(r.IntN(2)), float64(r.IntN(11))/10
		}
		b := must[Brier](t)(BrierScore(gold, prob))
		if parts := b.Reliability.Value - b.Resolution.Value + b.Uncertainty.Value; math.Abs(parts-b.Brier.Value) > 1e-12 {
			t.Errorf("brier %v, parts %v", b.Brier, parts)
		}
	})
}

func TestKendallByPairs(t *testing.T) {
	repeat(t, 150, func(t *testing.T, r *rand.Rand) {
		c := randomColumns(r, 2+r.IntN(40), 6, 2)
		x, y := c[0], c[1]
		s, nx, ny := 0.0, 0.0, 0.0
		sign := func(v float64) float64 {
			switch {
			case v > 0:
				return 1
			case v < 0:
				return -1
			}
			return 0
		}
		for i := range x {
			for j := range i {
				dx, dy := sign(x[i]-x[j]), sign(y[i]-y[j])
				s += dx * dy
				nx += dx * dx
				ny += dy * dy
			}
		}
		got := must[Correlation](t)(Correlate(x, y, 0.05))
		if want := ratio(s, math.Sqrt(nx*ny), ZeroVariance); !near(got.KendallB, want) && got.KendallB.Valid {
			t.Errorf("tau %v, by pairs %v", got.KendallB, want)
		}
	})
}

// A permutation of items changes no statistic; of raters, none of those that
// treat raters alike.
func TestPermutationInvariance(t *testing.T) {
	repeat(t, 60, func(t *testing.T, r *rand.Rand) {
		n := 6 + r.IntN(30)
		c := randomColumns(r, n, 5, 3)
		for _, col := range c {
			if r.IntN(2) == 0 {
				col[r.IntN(n)] = Missing()
			}
		}
		perm := r.Perm(n)
		shuffled := make([][]float64, 3)
		for j, col := range c {
			shuffled[2-j] = make([]float64, n)
			for i, k := range perm {
				shuffled[2-j][i] = col[k]
			}
		}
		for _, level := range []string{LevelNominal, LevelOrdinal, LevelInterval, LevelRatio} {
			a := must[Alpha](t)(KrippendorffAlpha(c, level))
			b := must[Alpha](t)(KrippendorffAlpha(shuffled, level))
			if !near(a.Alpha, b.Alpha) || a.Alpha.Value > 1 {
				t.Errorf("%s: alpha %v, shuffled %v", level, a.Alpha, b.Alpha)
			}
		}
		for _, w := range []Weighting{NoWeights, Linear, Quadratic, Ordinal} {
			a := must[RaterAgreement](t)(GwetAC(c, scaleTo(5), w, 0.05))
			b := must[RaterAgreement](t)(GwetAC(shuffled, scaleTo(5), w, 0.05))
			if !near(a.Coef, b.Coef) || !near(a.SE, b.SE) || a.Coef.Value > 1+1e-12 {
				t.Errorf("%s: %v, shuffled %v", w, a, b)
			}
		}
	})
}

func TestIntervalsHoldTheirRate(t *testing.T) {
	repeat(t, 300, func(t *testing.T, r *rand.Rand) {
		n := 1 + r.IntN(60)
		k := r.IntN(n + 1)
		p := must[Proportion](t)(ProportionCI(float64(k), float64(n), 0.05))
		q := must[Proportion](t)(ProportionCI(float64(n-k), float64(n), 0.05))
		for name, pair := range map[string][2]Interval{
			"wilson": {p.Wilson, q.Wilson}, "clopper": {p.ClopperPearson, q.ClopperPearson},
			"jeffreys": {p.Jeffreys, q.Jeffreys}, "agresti": {p.AgrestiCoull, q.AgrestiCoull},
		} {
			low, high := pair[0].Low.Value, pair[0].High.Value
			if low < 0 || high > 1 || low > p.P.Value+1e-12 || high < p.P.Value-1e-12 {
				t.Errorf("%s of %d/%d: [%v, %v]", name, k, n, low, high)
			}
			if math.Abs(low+pair[1].High.Value-1) > 1e-9 {
				t.Errorf("%s of %d/%d is not the mirror of its complement", name, k, n)
			}
		}
		a := must[Difference](t)(NewcombeDiff(float64(k), float64(n), 3, 9, 0.05))
		b := must[Difference](t)(NewcombeDiff(3, 9, float64(k), float64(n), 0.05))
		if math.Abs(a.CI.Low.Value+b.CI.High.Value) > 1e-12 {
			t.Errorf("newcombe is not antisymmetric: %v and %v", a, b)
		}
	})
}

func TestAdjustedPOrder(t *testing.T) {
	repeat(t, 100, func(t *testing.T, r *rand.Rand) {
		p := make([]float64, 1+r.IntN(20))
		for i := range p {
			p[i] = r.Float64() * r.Float64()
		}
		a := must[Adjusted](t)(AdjustP(p, 0.05))
		for i := range p {
			ladder := []float64{p[i], a.BH[i].Value, a.Hochberg[i].Value, a.Holm[i].Value, a.Bonferroni[i].Value}
			if !slices.IsSorted(ladder) || a.BY[i].Value < a.BH[i].Value || ladder[4] > 1 {
				t.Errorf("p %v adjusts to %v", p[i], ladder)
			}
		}
	})
}

func TestPPIReducesToItsParts(t *testing.T) {
	repeat(t, 50, func(t *testing.T, r *rand.Rand) {
		c := randomColumns(r, 20, 2, 3)
		gold := must[PPI](t)(PPIMean(c[0], c[1], c[2], 0, 0.05))
		if !near(gold.Estimate, gold.Classical) || !near(gold.SE, gold.ClassicalSE) {
			t.Errorf("lambda 0 is not gold only: %+v", gold)
		}
		full := must[PPI](t)(PPIMean(c[0], c[1], c[2], 1, 0.05))
		if want := full.JudgeOnly.Value + full.Rectifier.Value; math.Abs(full.Estimate.Value-want) > 1e-12 {
			t.Errorf("lambda 1 gives %v, judge + rectifier %v", full.Estimate, want)
		}
		auto := must[PPI](t)(PPIMean(c[0], c[1], c[2], AutoLambda, 0.05))
		if auto.Lambda.Value < 0 || auto.Lambda.Value > 1 {
			t.Errorf("lambda %v", auto.Lambda)
		}
		one := must[PPIStratified](t)(PPIStratify([]PPIStratum{{Name: "a", Y: c[0], Yhat: c[1], Unl: c[2]}}, 1, 0.05))
		if !near(one.Estimate, full.Estimate) || !near(one.SE, full.SE) {
			t.Errorf("one stratum %v, pooled %v", one, full)
		}
	})
}

func TestLabelingSpendsTheBudget(t *testing.T) {
	repeat(t, 100, func(t *testing.T, r *rand.Rand) {
		u := make([]float64, 1+r.IntN(40))
		for i := range u {
			u[i] = math.Pow(r.Float64(), 6)
		}
		budget := float64(r.IntN(len(u) + 2))
		pi, err := LabelingProbabilities(u, budget, 0.2)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(sum(pi)-math.Min(budget, float64(len(u)))) > 1e-9 {
			t.Errorf("budget %v of %d items spends %v", budget, len(u), sum(pi))
		}
		for i, p := range pi {
			if p < 0 || p > 1+1e-12 {
				t.Errorf("probability %d is %v", i, p)
			}
		}
	})
}

func TestIsotonicIsMonotoneAndKeepsTheMean(t *testing.T) {
	repeat(t, 100, func(t *testing.T, r *rand.Rand) {
		n := 1 + r.IntN(40)
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(r.IntN(12)), float64(r.IntN(2))
		}
		f := must[Isotonic](t)(FitIsotonic(x, y, nil))
		total, last := 0.0, math.Inf(-1)
		for _, v := range x {
			total += f.Predict(v).Value
		}
		for q := -1.0; q < 13; q += 0.25 {
			p := f.Predict(q).Value
			if p < last {
				t.Errorf("the fit falls at %v", q)
			}
			last = p
		}
		if math.Abs(total-sum(y)) > 1e-9 {
			t.Errorf("the fit sums to %v, the data to %v", total, sum(y))
		}
	})
}
