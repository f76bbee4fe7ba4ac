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
	}{{0.5, false}, {0.25, false}, {0.75, true}, {0.51, true}} {
		got := CheckRubrics(RubricScores{Intent: 1, Completeness: none, Prerequisite: none, Overall: tt.overall})
		if got.Gap == nil || *got.Gap != tt.overall || got.WideGap != tt.wide {
			t.Errorf("overall %v: gap %v, wide %v, want wide %v", tt.overall, got.Gap, got.WideGap, tt.wide)
		}
	}
}

// TestNoGap: without an overall score, or without a component, there is no gap.
func TestNoGap(t *testing.T) {
	none := math.NaN()
	for _, s := range []RubricScores{
		{Intent: 1, Completeness: 5, Prerequisite: none, Overall: none}, {Intent: none, Completeness: none, Prerequisite: none, Overall: 0.5},
	} {
		if got := CheckRubrics(s); got.Gap != nil || got.WideGap {
			t.Errorf("%+v: gap %v", s, *got.Gap)
		}
	}
}

// TestMajorityByWeight: the heavier half wins, however little heavier it is.
func TestMajorityByWeight(t *testing.T) {
	for _, tt := range []struct {
		weight []float64
		value  float64
		tie    bool
	}{{[]float64{1, 1}, 0, true}, {[]float64{1.005, 1}, 0, false}, {[]float64{1, 1.005}, 1, false}, {nil, 0, true}} {
		if value, _, tie := majority([]float64{0, 1}, tt.weight); value != tt.value || tie != tt.tie {
			t.Errorf("weights %v: %v, tie %v", tt.weight, value, tie)
		}
	}
}

// TestMajorityByVotes: without weights each value has as many votes as it occurs, and of equals the lower one wins.
func TestMajorityByVotes(t *testing.T) {
	for _, tt := range []struct {
		v            []float64
		value, votes float64
		tie          bool
	}{{[]float64{0, 1, 1}, 1, 2, false}, {[]float64{3, 2, 3, 2, 1}, 2, 2, true}, {[]float64{5}, 5, 1, false}} {
		if value, votes, tie := majority(tt.v, nil); value != tt.value || votes != tt.votes || tie != tt.tie {
			t.Errorf("%v: %v with %v votes, tie %v", tt.v, value, votes, tie)
		}
	}
}

// TestWeightedVote: a judge's vote weighs as much as its balanced accuracy says, from one that hardly knows more than chance to one that is sure.
func TestWeightedVote(t *testing.T) {
	for _, tt := range []struct {
		scores, weights []float64
		want            float64
	}{
		{[]float64{0, 1, 1}, []float64{0.9, 0.7, 0.7}, 0}, // ln 9 is more than twice ln (7/3)
		{[]float64{0, 1, 1}, []float64{0.8, 0.7, 0.7}, 1},
		{[]float64{0, 1, 1}, []float64{0.53, 0.4, 0.5}, 0}, // who is no better than chance has a vote of 0.51
		{[]float64{0, 1, 1, 1}, []float64{0.53, 0.4, 0.5, 0.5}, 0},
		{[]float64{0, 1, 1, 1, 1}, []float64{0.53, 0.4, 0.5, 0.5, 0.5}, 1},
		{[]float64{1, 0, 0}, []float64{1, 0.99, 0.51}, 0}, // nobody is more than 0.99
	} {
		p, err := AggregatePanel(tt.scores, tt.weights, PanelWeightedVote, 1)
		if err != nil || !p.Value.Valid || p.Value.Value != tt.want {
			t.Errorf("%v by %v: %+v, want %v; %v", tt.scores, tt.weights, p.Value, tt.want, err)
		}
	}
}

// TestUnescape: escapes that a text holds literally become what they mean, blanks what separates words.
func TestUnescape(t *testing.T) {
	for text, want := range map[string]string{
		`caf\u00e9`: "café", `\ud83d\ude00!`: "😀!", `a\nb\tc\rd`: "a b c d", `say \"yes\"`: `say "yes"`, `C:\dir\x`: `C:\dir\x`, `\u00zz`: `\u00zz`, "plain": "plain",
	} {
		if got := Unescape(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
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

// TestDecide: the ends of each band, and what has to be looked at.
func TestDecide(t *testing.T) {
	sure := Rule{Low: 4, High: 5, ConfidenceLow: 0.5, ConfidenceHigh: 1, Margin: 0.5}
	bands := Rule{Mode: Bands, Low: 0.4, High: 0.7, ConfidenceHigh: 1}
	missing := math.NaN()
	for _, tt := range []struct {
		rule               Rule
		output, confidence float64
		want               Verdict
	}{
		{sure, 4, 0.5, Verdict{"pass", true, false, true}}, {sure, 5, 1, Verdict{"pass", false, false, false}},
		{sure, 3.9, 1, Verdict{"fail", true, false, true}}, {sure, 3, 1, Verdict{"fail", false, false, false}},
		{sure, 5.1, 1, Verdict{"fail", false, false, false}}, {sure, 5, 0.49, Verdict{"pass", false, true, true}},
		{sure, 5, 1.01, Verdict{"pass", false, true, true}}, {sure, 5, missing, Verdict{"pass", false, true, true}},
		{sure, missing, 1, Verdict{"error", false, false, true}},
		{Rule{Mode: Interval, Low: 1, High: 1, ConfidenceHigh: 1}, 1, 1, Verdict{"pass", false, false, false}},
		{bands, 0.39, 1, Verdict{"fail", false, false, false}}, {bands, 0.4, 1, Verdict{"borderline", true, false, true}},
		{bands, 0.69, 0, Verdict{"borderline", true, false, true}}, {bands, 0.7, 1, Verdict{"pass", false, false, false}},
	} {
		got, err := Decide(tt.output, tt.confidence, tt.rule)
		if err != nil || got != tt.want {
			t.Errorf("%v with confidence %v by %+v: %+v, %v, want %+v", tt.output, tt.confidence, tt.rule, got, err, tt.want)
		}
	}
	if _, err := Decide(1, 1, Rule{Mode: "other"}); err == nil {
		t.Error("another mode decides")
	}
}
