package truth

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

// TestPlannedHalfWidth draws as many conversations as a plan says: the interval of the labels is as wide as planned. Of
// whole conversations and rare failures it may be narrower, since a plan counts on a long tail that few samples have.
func TestPlannedHalfWidth(t *testing.T) {
	for _, p := range plannedWorlds() {
		for _, calls := range []int{1, 2, AllCalls} {
			n, _ := p.ForHalfWidth(0.05, calls, 1, 0.05)
			sum, r := 0.0, rand.New(rand.NewPCG(uint64(calls), 5))
			const samples = 60
			for range samples {
				s := p.sample(r, n, calls)
				m := stattest.Must[interval.ClusterSE](t)(interval.WeightedMean(s.y, s.weight, s.cluster, 0.05))
				sum += (m.Wilson.High.Value - m.Wilson.Low.Value) / 2
			}
			least := map[bool]float64{true: 0.036, false: 0.0445}[calls == AllCalls]
			if got := sum / samples; got < least || got > 0.0525 {
				t.Errorf("%+v, %d calls each: %d conversations make ±%.4f, planned were ±0.05", p, calls, n, got)
			}
		}
	}
}

// TestPlannedHalfWidthWithJudge does so for labels that a judge's verdicts make narrower.
func TestPlannedHalfWidthWithJudge(t *testing.T) {
	const passes, fails = 0.9, 0.7 // what the judge gets right
	for _, p := range plannedWorlds() {
		by := Instrument{J: passes + fails - 1, Rate: p.Rate*passes + (1-p.Rate)*(1-fails)}
		alone, _ := p.ForHalfWidth(0.05, 2, 1, 0.05)
		n, _ := p.ForHalfWidth(0.05, 2, p.Left(2, by), 0.05)
		if n >= alone {
			t.Errorf("%+v: the judge saves nothing: %d conversations, %d without it", p, n, alone)
		}
		sum, r := 0.0, rand.New(rand.NewPCG(3, 5))
		const samples = 60
		for range samples {
			in, out := p.sample(r, n, 2), p.sample(r, othersPerLabelled*n, AllCalls)
			ppi := stattest.Must[PPICluster](t)(PPIClustered(in.y, in.judged(r, passes, fails), in.weight, in.cluster,
				out.judged(r, passes, fails), out.cluster, AutoLambda, 0.05))
			sum += (ppi.CI.High.Value - ppi.CI.Low.Value) / 2
		}
		if got := sum / samples; got < 0.0405 || got > 0.0535 {
			t.Errorf("%+v: %d conversations and the judge make ±%.4f, planned were ±0.05", p, n, got)
		}
	}
}

// TestPlannedDrop runs what a plan says twice, the second time with a lower rate: the drop is found about as
// often as planned, if the two runs have other conversations, and if they have the same ones.
func TestPlannedDrop(t *testing.T) {
	const drop, samples = 0.06, 150
	for _, p := range plannedWorlds() {
		for _, shared := range []float64{0, p.Shared()} {
			n, _ := p.ForDrop(drop, AllCalls, 1-shared, 0.8, 0.05)
			found, r := 0, rand.New(rand.NewPCG(9, 5))
			for range samples {
				before := p.sample(r, n, AllCalls)
				after := before
				if shared == 0 {
					after = p.sample(r, n, AllCalls)
				}
				gone := func(s sampled) []float64 { // another draw with the same chances, less the drop
					y := make([]float64, len(s.y))
					for i := range y {
						y[i] = map[bool]float64{true: 1}[r.Float64() < s.chance[i]*(1-drop/p.Rate)]
					}
					return y
				}
				lower := gone(after)
				if shared > 0 {
					gap := make([]float64, len(lower))
					for i := range gap {
						gap[i] = before.y[i] - lower[i]
					}
					m := stattest.Must[interval.ClusterSE](t)(interval.ClusterMean(gap, before.cluster, 0.05))
					found += map[bool]int{true: 1}[m.CI.Low.Value > 0]
					continue
				}
				a := stattest.Must[interval.ClusterSE](t)(interval.ClusterMean(before.y, before.cluster, 0.05))
				b := stattest.Must[interval.ClusterSE](t)(interval.ClusterMean(lower, after.cluster, 0.05))
				found += map[bool]int{true: 1}[interval.Welch(a, b).Value < 0.05]
			}
			if got := float64(found) / samples; got < 0.69 || got > 0.95 {
				t.Errorf("%+v: %d conversations, %.2f shared, find a drop in %.2f of runs, planned were 0.8", p, n, shared, got)
			}
		}
	}
}

func TestPlans(t *testing.T) {
	single := Population{Sizes: []int{1}, Rate: 0.8}
	unequal := []int{1, 1, 2, 2, 3, 4, 5, 7, 10, 20}
	rare, common := Population{unequal, 0.95, 0.3}, Population{unequal, 0.7, 0.01}
	for _, tt := range []struct {
		name string
		got  func() (int, bool)
		want int
	}{
		// z²·p(1-p)/W² = 245.9, a little more for Student's t
		{"±5 points of single calls", func() (int, bool) { return single.ForHalfWidth(0.05, 1, 1, 0.05) }, 245},
		{"half of the variance is left", func() (int, bool) { return single.ForHalfWidth(0.05, 1, 0.5, 0.05) }, 122},
		// (z+z)²·(p(1-p)+q(1-q))/D² = 1091.1
		{"a drop of 5 points", func() (int, bool) { return single.ForDrop(0.05, 1, 1, 0.8, 0.05) }, 1093},
		// by a program of its own, with betabinom, t and norm of scipy 1.10.1
		{"rare failures, two calls", func() (int, bool) { return rare.ForHalfWidth(0.05, 2, 1, 0.05) }, 167},
		{"rare failures, with a judge", func() (int, bool) { return rare.ForHalfWidth(0.05, 2, 0.6, 0.05) }, 106},
		{"rare failures, a drop", func() (int, bool) { return rare.ForDrop(0.06, 2, 1, 0.8, 0.05) }, 418},
		{"a drop of all calls", func() (int, bool) { return rare.ForDrop(0.06, AllCalls, 0.5, 0.9, 0.05) }, 157},
		{"one call of each", func() (int, bool) { return common.ForHalfWidth(0.05, 1, 1, 0.05) }, 644},
		{"one call, with a judge", func() (int, bool) { return common.ForHalfWidth(0.05, 1, 0.6, 0.05) }, 384},
		{"one call, a drop", func() (int, bool) { return common.ForDrop(0.06, 1, 1, 0.8, 0.05) }, 1935},
	} {
		if got, ok := tt.got(); !ok || got != tt.want {
			t.Errorf("%s: %d conversations, want %d", tt.name, got, tt.want)
		}
	}
	if _, ok := single.ForDrop(1e-6, 1, 1, 0.8, 0.05); ok {
		t.Error("a drop of a millionth is planned")
	}
	if n, ok := single.ForDrop(0.8, 1, 1, 0.8, 0.05); ok || n != 0 {
		t.Errorf("a drop of the whole rate is planned, with %d conversations", n)
	}
	for _, tt := range []struct {
		name  string
		sizes []int
		se    float64
		want  float64
	}{
		{"all alike", []int{4, 4, 4}, math.Sqrt(0.25 / 3), 1}, {"independent", []int{4, 4, 4}, math.Sqrt(0.25 / 12), 0},
		{"half alike", []int{4, 4, 4}, math.Sqrt(0.25 * (0.5*48 + 0.5*12) / 144), 0.5},
		{"more than alike", []int{4, 4, 4}, 0.5, 1}, {"less than independent", []int{4, 4, 4}, 0.01, 0},
		{"single calls", []int{1, 1, 1}, 0.3, 0},
	} {
		if got := ICC(tt.sizes, 0.5, tt.se); !(math.Abs(got-tt.want) <= 1e-9) {
			t.Errorf("calls of a conversation are %s: ICC %v, want %v", tt.name, got, tt.want)
		}
	}
	if got := (Population{Sizes: []int{4, 4, 4}, ICC: 0.3}).Shared(); !(math.Abs(got-0.3*48/(0.3*48+0.7*12)) <= 1e-12) {
		t.Errorf("calls of a conversation share %v of the variance", got)
	}
	if got := (Population{Sizes: []int{1, 2, 6}}).Labels(30, 2); got != 50 {
		t.Errorf("30 conversations have %d labels, want 50", got)
	}
	for _, tt := range []struct {
		name string
		by   Instrument
		want float64
	}{
		// 1 - ρ²·4/5, where ρ² is J²·p(1-p)/q(1-q), and at most 1
		{"a perfect judge of four times as many", Instrument{J: 1, Rate: 0.8}, 0.2},
		{"one that is right more often", Instrument{J: 0.6, Rate: 0.7}, 1 - 0.36*0.16/0.21*0.8},
		{"an impossible one", Instrument{J: 1, Rate: 0.95}, 0.2}, {"a coin", Instrument{J: 0, Rate: 0.5}, 1},
		{"one that says the opposite", Instrument{J: -0.5, Rate: 0.5}, 1},
		{"always a pass", Instrument{J: 0.1, Rate: 1}, 1},
		{"always a fail", Instrument{J: 0.1, Rate: 0}, 1},
	} {
		if got := single.Left(1, tt.by); !(math.Abs(got-tt.want) <= 1e-9) {
			t.Errorf("%s leaves %v of the variance, want %v", tt.name, got, tt.want)
		}
	}
}

func plannedWorlds() (out []Population) {
	for _, rate := range []float64{0.7, 0.9, 0.95} {
		for _, icc := range []float64{0.01, 0.3, 0.6} {
			out = append(out, Population{[]int{6}, rate, icc}, Population{[]int{1, 1, 2, 2, 3, 4, 5, 7, 10, 20}, rate, icc})
		}
	}
	return out
}

// sampled are drawn calls of random conversations, each with the chance of its conversation to pass, and standing for
// size/drawn calls.
type sampled struct {
	y, chance, weight []float64
	cluster           []int
}

func (p Population) sample(r *rand.Rand, conversations, calls int) (s sampled) {
	spread := 1/p.ICC - 1
	for c := range conversations {
		size := p.Sizes[r.IntN(len(p.Sizes))]
		a, b := gamma(r, p.Rate*spread), gamma(r, (1-p.Rate)*spread)
		k := drawn(size, calls)
		for range k {
			s.chance = append(s.chance, a/(a+b))
			s.y = append(s.y, map[bool]float64{true: 1}[r.Float64() < a/(a+b)])
			s.weight, s.cluster = append(s.weight, float64(size)/float64(k)), append(s.cluster, c)
		}
	}
	return s
}

// judged returns the verdicts of a judge that is right about such shares of passes and of fails.
func (s sampled) judged(r *rand.Rand, passes, fails float64) []float64 {
	out := make([]float64, len(s.y))
	for i, y := range s.y {
		out[i] = map[bool]float64{true: 1}[r.Float64() < y*passes+(1-y)*(1-fails)]
	}
	return out
}

// gamma draws from the gamma distribution of a shape (Marsaglia and Tsang 2000).
func gamma(r *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return gamma(r, shape+1) * math.Pow(r.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	for {
		x := r.NormFloat64()
		v := math.Pow(1+x/math.Sqrt(9*d), 3)
		if v > 0 && math.Log(r.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
