package raters

import "testing"

// TestConsensusOfOneItem: one item has a consensus, by the votes on it.
func TestConsensusOfOneItem(t *testing.T) {
	got, err := DawidSkene([][][]int{{{0}, {0}, {1}}}, 2, ConsensusConfig{MaxIter: 20, Tol: 1e-9, Smoothing: 0.01})
	if err != nil || len(got.Confusion) != 3 || len(got.Posterior) != 1 || !(got.Posterior[0][0] > got.Posterior[0][1]) {
		t.Errorf("%+v, %v", got, err)
	}
}
