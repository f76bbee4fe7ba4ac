package answer

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestQuorumOfEvenPanels: half of a panel, rounded up, is one of two and two of four.
func TestQuorumOfEvenPanels(t *testing.T) {
	missing := math.NaN()
	for _, tt := range []struct {
		scores []float64
		valid  bool
	}{
		{[]float64{1, missing}, true},
		{[]float64{1, missing, missing}, false},
		{[]float64{1, 1, missing, missing}, true},
		{[]float64{1, missing, missing, missing}, false},
	} {
		p, err := AggregatePanel(tt.scores, nil, PanelMedian, 0)
		if err != nil {
			t.Fatal(err)
		}
		if p.Value.Valid != tt.valid {
			t.Errorf("%v: a value is given: %v, want %v", tt.scores, p.Value.Valid, tt.valid)
		}
	}
}

// TestGapOfExactlyOneHalf: only a gap of more than 0.5 is wide.
func TestGapOfExactlyOneHalf(t *testing.T) {
	none := math.NaN()
	for _, tt := range []struct {
		overall float64
		wide    bool
	}{{0.5, false}, {0.25, false}, {0.75, true}} {
		got := CheckRubrics(RubricScores{Intent: 1, Completeness: none, Prerequisite: none, Overall: tt.overall})
		if got.Gap == nil || *got.Gap != tt.overall || got.WideGap != tt.wide {
			t.Errorf("overall %v: gap %v, wide %v, want wide %v", tt.overall, got.Gap, got.WideGap, tt.wide)
		}
	}
}

// TestNoTokenOfTheScale: without probability on the scale there is no score, also if no
// coverage is asked for.
func TestNoTokenOfTheScale(t *testing.T) {
	got := ScoreTokens([]TokenProbability{{"yes", -0.1}}, []float64{1, 2, 3}, 0)
	if got.Score.Valid || got.Variance.Valid || got.Entropy.Valid || got.Coverage != 0 {
		t.Errorf("%+v, want no score at coverage 0", got)
	}
}

// TestApostropheAtTheEnd: the last letter of a word can't follow a closing mark.
func TestApostropheAtTheEnd(t *testing.T) {
	if diff := cmp.Diff([]string(nil), quotes("he said 'I can't")); diff != "" {
		t.Errorf("quotes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"yes"}, quotes("he said 'yes'")); diff != "" {
		t.Errorf("quotes (-want +got):\n%s", diff)
	}
}
