// Package stattest holds the random data and the short checks that the tests of the statistics
// share. Everything is deterministic in its seed.
package stattest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// ClusteredPairs draws items of clusters that share a random effect: rating and
// gold agree more in easy conversations. It is deterministic in seed.
func ClusteredPairs(seed uint64, items, clusters, categories int) (a, b []float64, cluster []int) {
	s := StreamAt(seed, 0)
	uniform := func() float64 { return float64(s.Next()>>11) / (1 << 53) }
	ease, lean := make([]float64, clusters), make([]float64, clusters)
	for c := range ease {
		ease[c], lean[c] = 0.4+0.6*uniform(), uniform()
	}
	a, b, cluster = make([]float64, items), make([]float64, items), make([]int, items)
	for i := range a {
		c := i * clusters / items
		x := math.Floor(float64(categories) * (0.5*lean[c] + 0.5*uniform()))
		y := x
		if uniform() > ease[c] {
			y = math.Floor(float64(categories) * uniform())
		}
		a[i], b[i], cluster[i] = x, y, c
	}
	return a, b, cluster
}

// ScaleTo returns the scale 0..q-1.
func ScaleTo(q int) []float64 {
	out := make([]float64, q)
	for i := range out {
		out[i] = float64(i)
	}
	return out
}

// RandomColumns draws columns of n whole numbers below values; the later columns
// repeat the first in two of three rows.
func RandomColumns(r *rand.Rand, n, values int, columns int) [][]float64 {
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

// Near reports whether two values differ by at most 1e-9 (relative above 1), or are both undefined.
func Near(a, b stat.Opt) bool {
	return a.Valid == b.Valid && math.Abs(a.Value-b.Value) <= 1e-9*math.Max(1, math.Abs(b.Value))
}

// Must unwraps calls that cannot fail on the data of the test.
func Must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Repeat runs f with several random sources, which are the same in every run.
func Repeat(t *testing.T, times int, f func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	for i := range times {
		f(t, rand.New(rand.NewPCG(uint64(i), 77)))
	}
}
