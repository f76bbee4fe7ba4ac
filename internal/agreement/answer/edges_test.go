package answer

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
	"github.com/judgekit/judge/internal/value"
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
		// In binary 0.8 is a little more than 0.1 above 0.7.
		{Rule{Low: 0.7, High: 1, ConfidenceHigh: 1, Margin: 0.1}, 0.8, 1, Verdict{"pass", true, false, true}},
		{Rule{Low: 0.7, High: 1, ConfidenceHigh: 1, Margin: 0.1}, 0.81, 1, Verdict{"pass", false, false, false}},
		{bands, 0.39, 1, Verdict{"fail", false, false, false}}, {bands, 0.4, 1, Verdict{"borderline", true, false, true}},
		{bands, 0.69, 0, Verdict{"borderline", true, false, true}}, {bands, 0.7, 1, Verdict{"pass", false, false, false}},
	} {
		got, err := Decide(tt.output, tt.confidence, tt.rule)
		if err != nil || got != tt.want {
			t.Errorf("%v with confidence %v by %+v: %+v, %v, want %+v", tt.output, tt.confidence, tt.rule, got, err, tt.want)
		}
	}
	_, err := Decide(1, 1, Rule{Mode: "other"})
	if err == nil || err.Error() != `verdict mode "other" is neither interval nor bands` {
		t.Errorf("another mode decides: %v", err)
	}
}

// TestCallsWithoutParameters: null and no parameters are the same, and not the same as some.
func TestCallsWithoutParameters(t *testing.T) {
	none, empty, some := value.Value{}, value.OfObject(), value.Pairs("a", 1)
	for _, tt := range []struct {
		a, b value.Value
		want bool
	}{{none, empty, true}, {empty, none, true}, {none, some, false}, {some, empty, false}, {some, some, true}} {
		if got := (Call{"f", tt.a}).equal(Call{"f", tt.b}); got != tt.want {
			t.Errorf("%s and %s: %v", tt.a.JSON(), tt.b.JSON(), got)
		}
	}
}

// TestGapOfComponents: components count by where they stand on their scales: (.5 + .25 + .5)/3.
func TestGapOfComponents(t *testing.T) {
	got := CheckRubrics(RubricScores{Intent: 3, Completeness: 2, Prerequisite: 0.5, Overall: 0.6})
	if got.Gap == nil || !(math.Abs(*got.Gap-(0.6-1.25/3)) <= 1e-12) {
		t.Errorf("%+v", got)
	}
}

// TestSelfConsistency has samples of one item, by hand.
func TestSelfConsistency(t *testing.T) {
	missing, none := stat.Missing(), stat.None(stat.NoItems)
	for name, tt := range map[string]struct {
		samples []float64
		want    Consistency
	}{
		"five of six": {[]float64{1, 1, 0, missing, 1, 0},
			Consistency{5, 1, stat.Some(0.6), stat.Some(1), stat.Some(1), false,
				stat.Some(0.6), stat.Some(0.3), stat.Some(0.6)}},
		"a tie": {[]float64{2, 1}, Consistency{2, 0, stat.Some(1.5), stat.Some(1.5), stat.Some(1), true,
			stat.Some(0.5), stat.Some(0.5), stat.Some(0.5)}},
		"one": {[]float64{0.5}, Consistency{1, 0, stat.Some(0.5), stat.Some(0.5), stat.Some(0.5), false,
			stat.Some(1), stat.None(stat.TooFew), stat.Some(0)}},
		"none": {[]float64{missing}, Consistency{0, 1, none, none, none, false, none, none, none}},
	} {
		got := SelfConsistency(tt.samples, 1, 1)
		close := func(a, b stat.Opt) bool { return stattest.Near(a, b) && a.Reason == b.Reason }
		if d := cmp.Diff(tt.want, got, cmp.Comparer(close)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestAggregatePanel has each rule, by hand.
func TestAggregatePanel(t *testing.T) {
	missing := stat.Missing()
	for _, tt := range []struct {
		rule            PanelRule
		scores, weights []float64
		want            Panel
	}{
		{PanelMedian, []float64{1, 5, 4}, nil, Panel{stat.Some(4), 3, stat.Some(4), false}},
		{PanelMean, []float64{1, 5, missing}, nil, Panel{stat.Some(3), 2, stat.Some(4), false}},
		{PanelWeightedMean, []float64{1, 3}, []float64{3, 1}, Panel{stat.Some(1.5), 2, stat.Some(2), false}},
		{PanelWeightedMean, []float64{1, 3, 4}, []float64{missing, 1, 1},
			Panel{stat.Some(3.5), 3, stat.Some(3), false}},
		{PanelWeightedMean, []float64{1, 3}, []float64{0, 0},
			Panel{stat.None(stat.ZeroVariance), 2, stat.Some(2), false}},
		{PanelMajority, []float64{0, 1, 1}, []float64{9, 1, 1}, Panel{stat.Some(1), 3, stat.Some(1), false}},
		{PanelMajority, []float64{0, 1}, nil, Panel{stat.Some(0), 2, stat.Some(1), true}},
		{PanelMean, nil, nil, Panel{stat.None(stat.NoQuorum), 0, stat.None(stat.NoQuorum), false}},
	} {
		if got, err := AggregatePanel(tt.scores, tt.weights, tt.rule, 0); err != nil || got != tt.want {
			t.Errorf("%s of %v by %v: %+v, %v, want %+v", tt.rule, tt.scores, tt.weights, got, err, tt.want)
		}
	}
	if got, err := AggregatePanel([]float64{1, 1, missing}, nil, PanelMean, 3); err != nil || got.Value.Valid ||
		got.Used != 2 {
		t.Errorf("two of three, where all are needed: %+v, %v", got, err)
	}
	if got, err := AggregatePanel([]float64{1, missing, missing}, nil, PanelMean, 1); err != nil ||
		got.Value != stat.Some(1) {
		t.Errorf("one of three, where one suffices: %+v, %v", got, err)
	}
	if _, err := AggregatePanel(nil, nil, "best", 0); err == nil || err.Error() != `panel rule "best" is not known` {
		t.Errorf("another rule: %v", err)
	}
	if _, err := AggregatePanel([]float64{1}, []float64{1, 1}, PanelMean, 0); !errors.Is(err, stat.ErrLengths) {
		t.Errorf("a weight too many: %v", err)
	}
}

// TestTokens: each character of a script without blanks is a word: of kana, of ideographs and of hangul syllables, from
// the first to the last; letters of their neighbours are not.
func TestTokens(t *testing.T) {
	for text, want := range map[string]int{
		"two words": 2, "ab": 1, "a1": 1, "ぁぁ": 2, "ヿヿ": 2, "かなカナ": 4, "ㄅㄆ": 1, "㐀㐀": 2, "䶿䶿": 2, "一一": 2, "鿿鿿": 2,
		"ꀀꀀ": 1,
		"ꯀꯁ": 1, "가가": 2, "힣힣": 2, "ힰힱ": 1, "a漢b": 3, "、。": 0, "ーー": 2, "a b": 2, "・": 0,
	} {
		if got := tokens(text); len(got) != want {
			t.Errorf("%s: %q, want %d", text, got, want)
		}
	}
}

// TestScoreTokens has a score weighed by the probability of tokens, by hand.
func TestScoreTokens(t *testing.T) {
	labels := []float64{1, 2, 3}
	list := []TokenProbability{{"1", math.Log(0.2)}, {" 2\n", math.Log(0.6)}, {"x", math.Log(0.2)}, {"3", math.NaN()}}
	got := ScoreTokens(list, labels, 0.5)
	entropy := -(0.25*math.Log(0.25) + 0.75*math.Log(0.75))
	if !(math.Abs(got.Coverage-0.8) <= 1e-12) || !stattest.Near(got.Score, stat.Some(1.75)) ||
		!stattest.Near(got.Variance, stat.Some(0.25*0.75*0.75+0.75*0.25*0.25)) ||
		!stattest.Near(got.Entropy, stat.Some(entropy)) {
		t.Errorf("%+v", got)
	}
	got = ScoreTokens(list, labels, 0.9)
	if !(math.Abs(got.Coverage-0.8) <= 1e-12) || got.Score != stat.None(stat.LowCoverage) || got.Variance != got.Score ||
		got.Entropy != got.Score {
		t.Errorf("a coverage of 0.9 is asked for: %+v", got)
	}
	if got = ScoreTokens([]TokenProbability{{"1", math.Log(0.5)}}, labels, 0.5); got.Score != stat.Some(1) {
		t.Errorf("just enough coverage: %+v", got)
	}
	// Impossible probabilities of a hostile server leave numbers that can be written.
	got = ScoreTokens([]TokenProbability{{"1", 900}, {"3", 900}}, labels, 0.5)
	if !stattest.Near(got.Score, stat.Some(2)) || math.IsInf(got.Coverage, 0) {
		t.Errorf("%+v", got)
	}
	got = ScoreTokens(slices.Repeat([]TokenProbability{{"1", 900}}, 20_000), labels, 0.5)
	if math.IsInf(got.Coverage, 0) || math.IsNaN(got.Coverage) {
		t.Errorf("coverage %v", got.Coverage)
	}
}

// TestSpend: work is taken from what is left, so that a hostile answer cannot cost more.
func TestSpend(t *testing.T) {
	rec := record{budget: 10}
	if !rec.spend(6) || rec.spend(5) || !rec.spend(4) || rec.spend(1) {
		t.Errorf("%d is left", rec.budget)
	}
}
