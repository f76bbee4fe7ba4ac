package raters_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/judgekit/judge/internal/agreement/classification"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
)

// Counted pairs give the kappa, the clustered interval and the AC1 of the columns.
func TestCountedKappa(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	near := cmpopts.EquateApprox(0, 1e-9)
	for round := range 300 {
		q, n := 2+random.IntN(4), random.IntN(80)
		labels, a, b, cluster := make([]float64, q), make([]float64, n), make([]float64, n), make([]int, n)
		for i := range labels {
			labels[i] = float64(i)
		}
		counts := make([]float64, q*q)
		for i := range n {
			a[i], b[i], cluster[i] = float64(random.IntN(q)), float64(random.IntN(q)), i/4
			if random.IntN(3) > 0 || round%9 == 0 {
				b[i] = a[i]
			}
			counts[int(a[i])*q+int(b[i])]++
		}
		for _, w := range []raters.Weighting{raters.NoWeights, raters.Quadratic} {
			want, err := raters.ClusteredKappa(a, b, cluster, labels, w, uncertainty.Bootstrap{Alpha: 0.05})
			if err != nil {
				t.Fatal(err)
			}
			got, err := raters.CountedKappa(counts, q, w, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			var totals uncertainty.ClusterTotals
			for i := range n {
				totals.Add(got.Influence(int(a[i]), int(b[i])), cluster[i])
			}
			iv, err := totals.Interval(got.Kappa.Kappa, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.Kappa.Kappa, got.Kappa.Kappa, near); diff != "" {
				t.Errorf("round %d: kappa\n%s", round, diff)
			}
			if want.CRCI.Low.Valid != iv.Low.Valid || !cmp.Equal(want.CRCI.Low.Value, iv.Low.Value, near) || !cmp.Equal(want.CRCI.High.Value, iv.High.Value, near) {
				t.Errorf("round %d: interval %v, want %v", round, iv, want.CRCI)
			}
		}
		if q != 2 {
			continue
		}
		want, err := raters.GwetAC([][]float64{a, b}, labels, raters.NoWeights, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		c := classification.Confusion{TN: int(counts[0]), FP: int(counts[1]), FN: int(counts[2]), TP: int(counts[3])}
		if got := c.AC1(); got.Valid != want.Coef.Valid || math.Abs(got.Value-want.Coef.Value) > 1e-9 {
			t.Errorf("round %d: AC1 %v, want %v", round, got, want.Coef)
		}
	}
}
