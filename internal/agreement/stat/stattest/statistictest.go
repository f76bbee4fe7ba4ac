// Package statistictest owns the random data that the tests of the statistics
// share, and their short checks. Everything is deterministic in its seed.
package stattest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// ClusteredPairs draws items of clusters that share a random effect: rating and
// gold agree more in easy conversations. It is deterministic in seed.
func ClusteredPairs(seed uint64, items, clusters, categories int) (a, b []float64, cluster []int) {
	s := stat.StreamAt(seed, 0)
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

// ScaleTo is the scale 0..q-1.
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

// Near compares to 1e-9, relative above 1; two undefined values are near.
func Near(a, b stat.Opt) bool {
	return a.Valid == b.Valid && math.Abs(a.Value-b.Value) <= 1e-9*math.Max(1, math.Abs(b.Value))
}

// Must is for calls that cannot fail on the data of the test.
func Must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Cut makes verdicts of scores: 1 from the threshold on, else 0; missing stays missing.
func Cut(v []float64, threshold float64) []float64 {
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

// Repeat runs f on a number of random sources, the same ones at every run.
func Repeat(t *testing.T, times int, f func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	for i := range times {
		f(t, rand.New(rand.NewPCG(uint64(i), 77)))
	}
}

// maxIndices bounds the memory of ResampleIndices.
const maxIndices = 20_000_000

// ResampleIndices draws resamples of size n with replacement, as the bootstraps
// here draw them: resample b takes n consecutive draws of one SplitMix64 stream
// whose initial state is the seed.
func ResampleIndices(seed uint64, n, resamples int) ([][]int, error) {
	if n < 0 || resamples < 0 {
		return nil, fmt.Errorf("n and resamples must not be negative, got %d and %d", n, resamples)
	}
	if resamples > maxIndices || n > 0 && resamples > maxIndices/n {
		return nil, fmt.Errorf("%d resamples of %d indices are more than %d", resamples, n, maxIndices)
	}
	s := stat.StreamAt(seed, 0)
	out := make([][]int, resamples)
	for b := range out {
		out[b] = make([]int, n)
		for i := range out[b] {
			out[b][i] = s.Index(uint64(n))
		}
	}
	return out, nil
}
