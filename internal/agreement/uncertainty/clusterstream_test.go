package uncertainty

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// streamed is the estimate of values that come one by one.
func streamed(t *testing.T, values []float64, cluster []int, alpha float64) ClusterSE {
	t.Helper()
	var s ClusterStream
	for i, v := range values {
		s.Add(v, cluster[i])
	}
	out, err := s.Estimate(alpha)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestClusterStreamIsClusterMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	draws := map[string]func() float64{
		"verdicts": func() float64 { return float64(rng.IntN(2)) },
		"rare":     func() float64 { return math.Floor(rng.Float64() + 0.01) },
		"shares":   func() float64 { return float64(rng.IntN(7)) / 6 },
		"scale":    func() float64 { return float64(1 + rng.IntN(5)) },
		"far":      func() float64 { return 1e6 + rng.NormFloat64() },
		"missing": func() float64 {
			if rng.IntN(3) == 0 {
				return math.NaN()
			}
			return rng.Float64()
		},
	}
	for name, draw := range draws {
		for _, conversations := range []int{1, 2, 9, 40, 3000} {
			var values []float64
			var cluster []int
			for c := range conversations {
				level := draw()
				for range 1 + rng.IntN(6) {
					v := draw()
					if rng.IntN(2) == 0 {
						v = level // calls of one conversation resemble each other
					}
					values, cluster = append(values, v), append(cluster, c)
				}
			}
			want, err := ClusterMean(values, cluster, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			got := streamed(t, values, cluster, 0.05)
			near := cmpopts.EquateApprox(1e-9, 1e-12)
			if name == "far" {
				near = cmpopts.EquateApprox(1e-7, 1e-9)
			}
			if diff := cmp.Diff(want, got, near); diff != "" {
				t.Errorf("%s in %d conversations (-ClusterMean +ClusterStream):\n%s", name, conversations, diff)
			}
		}
	}
}

func TestClusterStreamEdges(t *testing.T) {
	for name, c := range map[string]struct {
		values  []float64
		cluster []int
	}{
		"nothing":        {},
		"only missing":   {[]float64{math.NaN(), math.NaN()}, []int{0, 1}},
		"one":            {[]float64{0.5}, []int{0}},
		"one cluster":    {[]float64{0, 1, 1}, []int{4, 4, 4}},
		"equal":          {[]float64{0.7, 0.7, 0.7}, []int{0, 1, 1}},
		"all pass":       {[]float64{1, 1, 1, 1}, []int{0, 1, 2, 2}},
		"outside":        {[]float64{-1, 2, 3}, []int{0, 1, 2}},
		"equal clusters": {[]float64{0, 1, 0, 1}, []int{0, 0, 1, 1}},
	} {
		want, err := ClusterMean(c.values, c.cluster, 0.1)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, streamed(t, c.values, c.cluster, 0.1), cmpopts.EquateApprox(1e-12, 1e-15)); diff != "" {
			t.Errorf("%s (-ClusterMean +ClusterStream):\n%s", name, diff)
		}
	}
	if _, err := new(ClusterStream).Estimate(1); err == nil {
		t.Error("alpha 1 is taken")
	}
}

// An estimate in between leaves the sums as they are, also inside a cluster.
func TestClusterStreamGoesOn(t *testing.T) {
	values, cluster := []float64{0, 1, 1, 0, 1}, []int{0, 0, 1, 1, 1}
	var s ClusterStream
	for i, v := range values {
		s.Add(v, cluster[i])
		if _, err := s.Estimate(0.05); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Estimate(0.05)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(streamed(t, values, cluster, 0.05), got); diff != "" {
		t.Errorf("asking changed the answer (-want +got):\n%s", diff)
	}
}

func BenchmarkClusterStream(b *testing.B) {
	var s ClusterStream
	i := 0
	for b.Loop() {
		s.Add(float64(i&1), i/3)
		i++
	}
}
