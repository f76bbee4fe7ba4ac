package raters

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestConsensusOfOneItem: one item has a consensus, by the votes on it.
func TestConsensusOfOneItem(t *testing.T) {
	got, err := DawidSkene([][][]int{{{0}, {0}, {1}}}, 2, ConsensusConfig{MaxIter: 20, Tol: 1e-9, Smoothing: 0.01})
	if err != nil || len(got.Confusion) != 3 || len(got.Posterior) != 1 || !(got.Posterior[0][0] > got.Posterior[0][1]) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestConsensusByHand: without smoothing, judges who never differ decide, an item without votes is as likely of a class
// as any item, and a class that nobody votes for has no row in a judge's matrix.
func TestConsensusByHand(t *testing.T) {
	votes := [][][]int{{{0}, {0}}, {{1}, {1}}, {{0}, {0}}, {nil, nil}}
	for want, classes := range map[string]int{"two": 2, "three": 3} {
		got, err := DawidSkene(votes, classes, ConsensusConfig{MaxIter: 1, Weights: []float64{1, 1, 1, 1}})
		if err != nil {
			t.Fatal(err)
		}
		// The prior is the mean of the vote shares, where the last item counts 1/2 or 1/3 for each class.
		prior := []float64{2.5 / 4, 1.5 / 4}
		if classes == 3 {
			prior = []float64{(2 + 1.0/3) / 4, (1 + 1.0/3) / 4, 1.0 / 12}
		}
		posterior := make([][]float64, 3)
		for i, class := range []int{0, 1, 0} {
			posterior[i] = make([]float64, classes)
			posterior[i][class] = 1
		}
		one, other := []float64{1, 0, 0}[:classes], []float64{0, 1, 0}[:classes]
		matrix := [][]float64{one, other, nil}[:classes]
		near := cmpopts.EquateApprox(0, 1e-12)
		if d := cmp.Diff(prior, got.Prior, near) + cmp.Diff(append(posterior, prior), got.Posterior, near) +
			cmp.Diff([][][]float64{matrix, matrix}, got.Confusion, near); d != "" {
			t.Errorf("%s classes: %s", want, d)
		}
		// Each of the three items has the probability of its class, the fourth has 1.
		likelihood := 2*math.Log(prior[0]) + math.Log(prior[1])
		if got.Iterations != 1 || !(math.Abs(got.LogLikelihood.Value-likelihood) <= 1e-12) {
			t.Errorf("%s classes: log-likelihood %v after %d, want %v", want, got.LogLikelihood, got.Iterations,
				likelihood)
		}
	}
}
