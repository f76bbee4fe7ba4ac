package measure_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// contradictions writes disagreements: weight, item and direction, then what each side says, a star at the two that
// contradict each other.
func contradictions(d report.Disagreements) (out []string) {
	sides := func(all []report.Side) string {
		var list []string
		for _, s := range all {
			text := s.Name
			if s.CallIndex != nil {
				text += fmt.Sprintf(" of call %d", *s.CallIndex)
			}
			text += map[bool]string{true: " passes", false: " fails"}[*s.Passed]
			list = append(list, text+map[bool]string{true: "*"}[s.Conflicts])
		}
		return strings.Join(list, ", ")
	}
	for _, one := range d.Items {
		line := fmt.Sprintf("%d: %g %s %s: %s | %s", one.Rank, one.Weight, one.ItemName(), one.Direction,
			sides(one.Judgements), sides(one.References))
		if len(one.SidesWithJudge) > 0 {
			line += " | with the judge: " + strings.Join(one.SidesWithJudge, ", ")
		}
		out = append(out, line)
	}
	return out
}

// TestWeightsOfDisagreements: the weight is the evidence of the reference's verdict (a label 1, a mismatch 0.6) times
// the judge's confidence (0.5 if it states none), 0.1 more with a severe flag, and 0.3 of it if a stronger reference
// agrees with the judge.
func TestWeightsOfDisagreements(t *testing.T) {
	sure := func(s score.Score) score.Score {
		s.Confidence = new(0.9)
		return s
	}
	severe := func(s score.Score) score.Score {
		s.Flags = []score.Flag{{Code: "harm", Severity: 2}}
		return s
	}
	mild := func(s score.Score) score.Score {
		s.Flags = []score.Flag{{Code: "style", Severity: 1}}
		return s
	}
	says := func(what byte) score.Score { return scoreOf(score.Judge, "overall_call_correctness", "c", 0, what) }
	human := func(what byte) score.Score { return scoreOf(score.Label, "human", "c", 0, what) }
	match := func(name string, what byte) score.Score { return scoreOf(score.Deterministic, name, "c", 0, what) }
	const passes = "judge_passes: overall_call_correctness passes* | "
	const fails = "judge_fails: overall_call_correctness fails* | "
	for name, tt := range map[string]struct {
		scores []score.Score
		want   string
	}{
		"label":                  {[]score.Score{says('p'), human('f')}, "0.5 c:0 " + passes + "human fails*"},
		"label, sure":            {[]score.Score{sure(says('f')), human('p')}, "0.9 c:0 " + fails + "human passes*"},
		"label, severe":          {[]score.Score{severe(says('f')), human('p')}, "0.6 c:0 " + fails + "human passes*"},
		"label, a harmless flag": {[]score.Score{mild(says('f')), human('p')}, "0.5 c:0 " + fails + "human passes*"},
		"mismatch":               {[]score.Score{says('p'), match("ast", 'f')}, "0.3 c:0 " + passes + "ast fails*"},
		"match":                  {[]score.Score{says('f'), match("ast", 'p')}, "0.5 c:0 " + fails + "ast passes*"},
		"another measure matches": {[]score.Score{says('p'), match("ast", 'f'), match("exact", 'p')},
			"0.09 c:0 " + passes + "ast fails*, exact passes | with the judge: exact"},
		"another measure does not": {[]score.Score{says('p'), match("ast", 'f'), match("exact", 'f')},
			"0.3 c:0 " + passes + "ast fails*, exact fails"},
	} {
		in := inputsOf(tt.scores)
		in.Manifest.Scorers = []report.Scorer{
			reporttest.ScorerOf("exact", "function_call_exact_match"), reporttest.ScorerOf("ast", "ast_equivalence"),
		}
		got := contradictions(buildReport(t, in, measure.Config{}).Disagreements)
		if diff := cmp.Diff([]string{"1: " + tt.want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestDisagreementsLeadToTheCall: a conversation that the judge passes is shown with the call that a reference fails,
// one that the judge fails with the call that decided.
func TestDisagreementsLeadToTheCall(t *testing.T) {
	var scores []score.Score
	add := func(source score.Source, name, id, verdicts string) {
		for call, what := range verdicts {
			scores = append(scores, scoreOf(source, name, id, call, byte(what)))
		}
	}
	add(score.Judge, "overall", "a", "ppp")
	add(score.Deterministic, "schema_check", "a", "pff")
	add(score.Judge, "overall", "b", "pfp")
	add(score.Deterministic, "schema_check", "b", "ppp")
	scores = append(scores, scoreOf(score.Label, "human", "a", -1, 'f'), scoreOf(score.Label, "human", "b", -1, 'p'))
	d := buildReport(t, inputsOf(scores), measure.Config{}).Disagreements
	want := []string{
		"1: 0.5 a judge_passes: overall of call 1 passes* | human fails*, schema_check of call 1 fails",
		"2: 0.5 b judge_fails: overall of call 1 fails* | human passes*",
	}
	if diff := cmp.Diff(want, contradictions(d)); diff != "" || d.Total != 2 || d.Calls != 0 {
		t.Errorf("%d in all, %d of calls (-want +got):\n%s", d.Total, d.Calls, diff)
	}
	opposed := []report.Opposed{
		{CaseRef: report.CaseRef{ConversationID: "a"}, Judge: "j", Passes: true, Reference: "human"},
		{CaseRef: report.CaseRef{ConversationID: "b"}, Judge: "j", Reference: "human"},
	}
	if diff := cmp.Diff(opposed, d.All); diff != "" {
		t.Errorf("all of them (-want +got):\n%s", diff)
	}
}

// TestTextsOfDisagreements: both sides have their texts, those of the score that counts if an item was scored twice,
// and the name of the label if it has no text.
func TestTextsOfDisagreements(t *testing.T) {
	says := scoreOf(score.Judge, "overall", "c", 0, 'p')
	says.CallID, says.Explanation, says.Evidence = "call_7", "it is right", "line 3"
	says.Confidence, says.Flags = new(0.8), []score.Flag{{Code: "style", Severity: 1}}
	says.Correction = value.OfString("pay(5)")
	again := says
	again.Explanation = "as it should be" // the first by text of two equal scores
	other := scoreOf(score.Judge, "aspect", "c", 0, 'f')
	other.Explanation = "another rubric"
	human := scoreOf(score.Label, "human", "c", 0, 'f')
	human.Label = "wrong amount"
	scores := []score.Score{says, again, other, human}
	want := []report.Side{
		{Name: "overall", Source: "judge", Value: new(1.), Passed: new(true), Conflicts: true, Confidence: new(0.8),
			Explanation: "as it should be", Evidence: "line 3", Correction: value.OfString("pay(5)"), Flags: []string{"style"}},
		{Name: "aspect", Source: "judge", Value: new(0.), Passed: new(false), Explanation: "another rubric"},
		{Name: "human", Source: "label", Value: new(0.), Passed: new(false), Conflicts: true, Explanation: "wrong amount"},
	}
	d := buildReport(t, inputsOf(scores), measure.Config{}).Disagreements.Items[0]
	if diff := cmp.Diff(want, append(d.Judgements, d.References...), cmp.Comparer(value.Equal)); diff != "" || d.CallID != "call_7" {
		t.Errorf("call id %q (-want +got):\n%s", d.CallID, diff)
	}
	// If scores are pushed, the first fails keep their texts; what passes has none.
	b := measure.NewBuilder(&report.Manifest{}, measure.Config{})
	for i := range scores {
		b.Add(&scores[i])
	}
	r, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	d = r.Disagreements.Items[0]
	if got := d.References[0].Explanation; got != "wrong amount" || d.Judgements[0].Explanation != "" {
		t.Errorf("pushed: %q and %q", got, d.Judgements[0].Explanation)
	}
}

// TestFailingCallsInOrder: of calls that no other score fails the ones that the judge is surest about come first, and a
// tool of which one call of one fails comes after one of which 20 of 25 do.
func TestFailingCallsInOrder(t *testing.T) {
	var scores []score.Score
	for i := range 28 {
		what := map[bool]byte{true: 'f', false: 'p'}[i < 20 || i == 25]
		s := scoreOf(score.Judge, "overall", fmt.Sprintf("c%02d", i), 0, what)
		s.Tool, s.Confidence = "often", new(0.5+float64(i)/100)
		if i >= 25 {
			s.Tool = []string{"once", "never", "never"}[i-25]
		}
		scores = append(scores, s)
	}
	f := buildReport(t, inputsOf(scores), measure.Config{}).Failing
	tools := []report.FailingTool{{Tool: "often", N: 25, Failing: 20}, {Tool: "once", N: 1, Failing: 1}}
	if diff := cmp.Diff(tools, f.Tools); diff != "" || f.N != 28 || f.Total != 21 {
		t.Errorf("%d of %d fail (-want +got):\n%s", f.Total, f.N, diff)
	}
	first := []string{f.Items[0].ItemName(), f.Items[1].ItemName(), f.Items[20].ItemName()}
	if diff := cmp.Diff([]string{"c25:0", "c19:0", "c00:0"}, first); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	// Conversations as a whole are of no tool.
	one := []score.Score{scoreOf(score.Judge, "overall", "c", -1, 'f')}
	if whole := buildReport(t, inputsOf(one), measure.Config{}).Failing; whole.Total != 1 || len(whole.Tools) != 0 {
		t.Errorf("%+v", whole)
	}
}

// TestSidesOfAFailingCall: six scores that fail it are listed, the deciding one first.
func TestSidesOfAFailingCall(t *testing.T) {
	scores := []score.Score{scoreOf(score.Judge, "overall", "c", 0, 'f')}
	for i := range 8 {
		scores = append(scores, scoreOf(score.Label, fmt.Sprint("label", i), "c", 0, "fpffffff"[i]))
	}
	var got []string
	for _, s := range buildReport(t, inputsOf(scores), measure.Config{}).Failing.Items[0].Sides {
		got = append(got, s.Name)
	}
	if diff := cmp.Diff([]string{"overall", "label0", "label2", "label3", "label4", "label5"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
