package measure_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// TestPassesKeepNoTexts: of scores pushed one by one, passes take no place from the explanation of a fail.
func TestPassesKeepNoTexts(t *testing.T) {
	b := measure.NewBuilder(&report.Manifest{}, measure.Config{})
	for i := range 2000 {
		s := scoreOf(score.Judge, "overall", "a", i, 'p')
		b.Add(&s)
	}
	s := scoreOf(score.Judge, "overall", "b", 0, 'f')
	s.Explanation = "It paid twice."
	b.Add(&s)
	r, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if got := r.FailureGroups[0].Example.Sides[0].Explanation; got != "It paid twice." {
		t.Errorf("explanation %q", got)
	}
}

// TestThresholdsThatCannotBe: a threshold beyond a rubric's scale is an error, and no report.
func TestThresholdsThatCannotBe(t *testing.T) {
	in := inputsOf(runOf("pf", "pf"))
	in.Manifest.Rubrics = []report.Rubric{{Name: "overall", Min: 0, Max: 1}}
	r, err := measure.Build(in, measure.Config{Thresholds: []report.Threshold{{Name: "overall", Low: 7}}})
	if err == nil || r != nil || !strings.Contains(err.Error(), "overall") {
		t.Errorf("%v, %v", r, err)
	}
}

// TestVerdictsOfTheReport: a score read later gets the verdict by the thresholds that the report names.
func TestVerdictsOfTheReport(t *testing.T) {
	r := &report.Report{Run: report.Run{Thresholds: []string{"overall=0.5..0.8"}}}
	again := measure.Redecider(r)
	for value, want := range map[float64]bool{0.4: false, 0.5: true, 0.8: true, 0.9: false} {
		s := scoreOf(score.Judge, "overall", "a", 0, 'p')
		*s.Value, *s.Passed = value, !want
		if got := again(s); *got.Passed != want {
			t.Errorf("%v passes: %v", value, *got.Passed)
		}
	}
}

// TestMeansPassByTheBandInUse: the mean of a conversation's calls passes by the thresholds of the report, and else by
// those that the manifest declares; the report names them for rubrics and for scorers.
func TestMeansPassByTheBandInUse(t *testing.T) {
	scores := []score.Score{scoreOf(score.Label, "human", "a", -1, 'p'), scoreOf(score.Deterministic, "match", "a", 0, 'p')}
	for call, value := range []float64{0.25, 0.75} {
		s := scoreOf(score.Judge, "overall", "a", call, 'p')
		s.Value = new(value)
		scores = append(scores, s)
	}
	band := func(low float64, high *float64) report.Threshold { return report.Threshold{Low: low, High: high} }
	for _, tt := range []struct {
		declared report.Threshold
		given    *report.Threshold
		passes   bool
	}{
		{band(0.5, nil), nil, true}, {band(0.6, nil), nil, false},
		{band(0, new(0.5)), nil, true}, {band(0, new(0.4)), nil, false},
		{band(0, new(0.4)), new(band(0, new(0.5))), true}, {band(0, new(0.5)), new(band(0.1, new(0.4))), false},
		{band(0, nil), new(band(0.6, nil)), false}, {band(0.6, nil), new(band(0.5, nil)), true},
	} {
		in, cfg, used := inputsOf(scores), measure.Config{}, tt.declared
		in.Manifest.Rubrics = []report.Rubric{{Name: "overall", Low: new(tt.declared.Low), High: tt.declared.High}}
		in.Manifest.Scorers = []report.Scorer{{Name: "match", Low: new(tt.declared.Low), High: tt.declared.High}}
		if tt.given != nil {
			used = *tt.given
			for _, name := range []string{"overall", "match"} {
				cfg.Thresholds = append(cfg.Thresholds, report.Threshold{Name: name, Low: used.Low, High: used.High})
			}
		}
		r := buildReport(t, in, cfg)
		found := false
		for _, a := range r.Agreement {
			if found = a.Reduction == report.ReduceMean; found {
				if c := a.Confusion; (c.BothPass == 1) != tt.passes || (c.JudgeOnlyFail == 1) == tt.passes {
					t.Errorf("%+v: %+v", tt, c)
				}
				break
			}
		}
		if !found {
			t.Fatalf("no row of means: %+v", r.Agreement)
		}
		rubric, scorer := r.Run.Rubrics[0], r.Run.Scorers[0]
		for _, of := range [][2]*float64{{rubric.Low, rubric.High}, {scorer.Low, scorer.High}} {
			if diff := cmp.Diff([2]*float64{&used.Low, used.High}, of); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", tt, diff)
			}
		}
	}
}

// TestToolsOfCallsThatDiffer: if scores name different tools for one call, its conversation involves both.
func TestToolsOfCallsThatDiffer(t *testing.T) {
	one := scoreOf(score.Judge, "overall", "a", 0, 'p')
	one.Tool = "pay"
	for _, other := range []string{"find", "send"} {
		two := scoreOf(score.Deterministic, "exact", "a", 0, 'p')
		two.Tool = other
		whole := scoreOf(score.Judge, "goal", "a", -1, 'f')
		r := buildReport(t, inputsOf([]score.Score{one, two, whole}), measure.Config{})
		got := map[string]int{}
		for _, row := range r.ByToolConversations {
			got[row.Tool] = row.Conversations
		}
		if diff := cmp.Diff(map[string]int{"pay": 1, other: 1}, got); diff != "" {
			t.Errorf("conversations (-want +got):\n%s", diff)
		}
		// The call counts for the tool whose name is first.
		first := min("pay", other)
		if len(r.ByTool) != 1 || r.ByTool[0].Tool != first || len(r.ByTool[0].Scores) != 2 {
			t.Errorf("calls to %s and pay: %+v", other, r.ByTool)
		}
	}
}

// TestToolsWithoutAScore: a tool has no row of a scorer that did not look at its calls; the tool with more calls comes
// first.
func TestToolsWithoutAScore(t *testing.T) {
	at := func(name, tool string, call int) score.Score {
		s := scoreOf(score.Deterministic, name, "a", call, 'p')
		s.Tool = tool
		return s
	}
	r := buildReport(t, inputsOf([]score.Score{at("x", "find", 0), at("x", "pay", 1), at("x", "pay", 2), at("y", "pay", 2)}),
		measure.Config{})
	var got []string
	for _, row := range r.ByTool {
		for _, s := range row.Scores {
			got = append(got, row.Tool+" "+s.Name)
		}
	}
	if diff := cmp.Diff([]string{"pay x", "pay y", "find x"}, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestUnreliableJudges: a judge that often gives no answer is told, a scorer and a judge without any answer are not.
func TestUnreliableJudges(t *testing.T) {
	for _, tt := range []struct {
		judge, scorer string
		want          []string
	}{
		{"pfpu", "pfpf", []string{"overall by j: 1 of 4 judgements are missing; what is missing is seldom random, " +
			"so read its numbers with care"}},
		{"uuuu", "pfpf", nil}, {"pfpf", "pfpu", nil},
	} {
		var got []string
		for _, w := range buildReport(t, inputsOf(runOf(tt.judge, tt.scorer)), measure.Config{}).Warnings {
			got = append(got, w.Text)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", tt.judge, tt.scorer, diff)
		}
	}
}

// TestPartsThatAreMissing: the calls of a conversation that were not scored make it missing, and those that the
// question does not apply to do not; if only some were scored it counts as partly reduced.
func TestPartsThatAreMissing(t *testing.T) {
	for calls, want := range map[string]string{
		"un": "n 0, 1 missing, 0 partial", "nu": "n 0, 1 missing, 0 partial", "nn": "n 0, 0 missing, 0 partial",
		"pn": "n 1, 0 missing, 0 partial", "pu": "n 1, 0 missing, 1 partial", "pf": "n 1, 0 missing, 0 partial",
	} {
		scores := []score.Score{scoreOf(score.Label, "human", "a", -1, 'p')}
		for call := range calls {
			scores = append(scores, scoreOf(score.Judge, "overall", "a", call, calls[call]))
		}
		for _, a := range buildReport(t, inputsOf(scores), measure.Config{}).Agreement {
			got := fmt.Sprintf("n %d, %d missing, %d partial", a.N, a.MissingJudge, a.Partial)
			if got != want {
				t.Errorf("%s by %s: %s, want %s", calls, a.Reduction, got, want)
			}
		}
	}
}

// TestFirstCallThatIsWrong: a conversation that a judge passes is contradicted by the first of its calls that a
// reference fails, even if that is the very first.
func TestFirstCallThatIsWrong(t *testing.T) {
	for calls, first := range map[string]int{"fp": 0, "pf": 1, "ff": 0, "pp": -1, "uf": 1} {
		scores := []score.Score{scoreOf(score.Judge, "goal", "a", -1, 'p'), scoreOf(score.Label, "reward", "a", -1, 'f')}
		for call := range calls {
			scores = append(scores, scoreOf(score.Label, "human", "a", call, calls[call]))
		}
		d := buildReport(t, inputsOf(scores), measure.Config{}).Disagreements
		if len(d.Items) != 1 || len(d.Items[0].References) != min(first, 0)+2 {
			t.Fatalf("%s: %+v", calls, d)
		}
		refs := d.Items[0].References
		if at := refs[len(refs)-1].CallIndex; first >= 0 && (at == nil || *at != first) {
			t.Errorf("%s: the call is %v, want %d", calls, at, first)
		}
	}
}

// TestJudgesOfFewConversations: two judges of few conversations are told how many these are.
func TestJudgesOfFewConversations(t *testing.T) {
	scores := runOf("pf", "pf")
	for _, id := range []string{"c000", "c001"} {
		s := scoreOf(score.Judge, "overall", id, 0, 'p')
		s.Judge = "k"
		scores = append(scores, s)
	}
	row := buildReport(t, inputsOf(scores), measure.Config{}).JudgeVsJudge[0]
	want := []report.Warning{{Code: "few_conversations", Text: "only 2 conversations: the interval is a guess"}}
	if diff := cmp.Diff(want, row.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// TestFirstPlaceOfAConversation: of the places that scores name for a conversation the first counts, in any order.
func TestFirstPlaceOfAConversation(t *testing.T) {
	for _, places := range [][]string{{"log:2", "log:3"}, {"log:3", "log:2"}, {"", "log:2"}, {"log:2", ""}} {
		scores := runOf("f", "f")
		for i, place := range places {
			scores[i].Place = place
		}
		if got := buildReport(t, inputsOf(scores), measure.Config{}).FailureGroups[0].First.Place; got != "log:2" {
			t.Errorf("%q: %q, want log:2", places, got)
		}
	}
}
