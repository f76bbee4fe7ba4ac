package measure_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
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

// TestToolsThatAScorerNames: a scorer of conversations names tools in its details, as texts; one of calls does not.
func TestToolsThatAScorerNames(t *testing.T) {
	for call, want := range map[int][]string{-1: {"pay", "t"}, 0: {"t"}, 1: {"t"}} {
		s := scoreOf(score.Deterministic, "function_call_accuracy", "a", call, 'p')
		s.Details = with(s, `{"not_called":["pay","",5,null]}`, 0).Details
		judge := scoreOf(score.Judge, "overall", "a", 0, 'p')
		goal := scoreOf(score.Judge, "goal", "a", -1, 'p')
		var got []string
		for _, row := range buildReport(t, inputsOf([]score.Score{s, judge, goal}), measure.Config{}).ByToolConversations {
			got = append(got, row.Tool)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("call %d (-want +got):\n%s", call, diff)
		}
	}
}

// TestFailsForQualityAssurance: a fail of a score for quality assurance explains no failure.
func TestFailsForQualityAssurance(t *testing.T) {
	judge, qa := scoreOf(score.Judge, "overall", "a", 0, 'f'), scoreOf(score.Deterministic, "style", "a", 0, 'f')
	judge.Explanation, qa.Purpose, qa.Explanation = "It paid twice.", "qa", "The comma is missing."
	var kinds [2]string
	for i, scores := range [][]score.Score{{judge}, {judge, qa}} {
		r := buildReport(t, inputsOf(scores), measure.Config{})
		if len(r.FailureGroups) != 1 {
			t.Fatalf("%+v", r.FailureGroups)
		}
		kinds[i] = r.FailureGroups[0].Name
	}
	if kinds[0] != kinds[1] {
		t.Errorf("%s alone, %s with a fail for quality assurance", kinds[0], kinds[1])
	}
}

// TestSecondAnswersByCategory: of two answers about an item the one that counts has the category.
func TestSecondAnswersByCategory(t *testing.T) {
	answer := func(category string, v float64) score.Score {
		s := scoredAs("a", v, '-')
		s.Name, s.Category = "topic", category
		return s
	}
	for _, scores := range [][]score.Score{{answer("x", 1), answer("y", 2)}, {answer("y", 2), answer("x", 1)}} {
		in := inputsOf(scores)
		in.Manifest.Rubrics = []report.Rubric{{Name: "topic", Categories: []string{"x", "y"}}}
		var got []string
		for _, c := range buildReport(t, in, measure.Config{}).Scores[0].Categories {
			got = append(got, fmt.Sprint(c.Category, " ", c.N))
		}
		if diff := cmp.Diff([]string{"x 1", "y 0"}, got); diff != "" {
			t.Errorf("first %s (-want +got):\n%s", scores[0].Category, diff)
		}
	}
}

// TestMissingScoresOfOtherItems: a missing score without a kind goes by its status, and the first turn is named.
func TestMissingScoresOfOtherItems(t *testing.T) {
	turn := scoreOf(score.Judge, "ending", "a", -1, 'u')
	turn.Scope, turn.Turn, turn.Error.Kind = "turn", 1, ""
	check := scoreOf(score.Deterministic, "exact", "b", -1, 'e')
	want := []report.KindCount{
		{Source: "deterministic", Kind: "config", Count: 1, First: "b: m"},
		{Source: "judge", Kind: "unscored", Count: 1, First: "a turn 1, ending by j: m"},
	}
	if diff := cmp.Diff(want, buildReport(t, inputsOf([]score.Score{turn, check}), measure.Config{}).Counts.Unscored); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestEachReasonForAReview: an answer is reviewed if it says so, is at the border, unsure or severe.
func TestEachReasonForAReview(t *testing.T) {
	for details, severity := range map[string]int{`{"escalate":true}`: 0, `{"borderline":true}`: 0,
		`{"low_confidence":true}`: 0, `{}`: 2} {
		s := with(scoreOf(score.Judge, "overall", "a", 0, 'p'), details, severity)
		if p := buildReport(t, inputsOf([]score.Score{s}), measure.Config{}).JudgeChecks[0].Policies; p.Escalated != 1 {
			t.Errorf("%s, severity %d: %+v", details, severity, p)
		}
	}
}

// TestBuilderLeavesTheManifest: the thresholds of a report are not written into the caller's manifest.
func TestBuilderLeavesTheManifest(t *testing.T) {
	m := &report.Manifest{Rubrics: []report.Rubric{{Name: "overall", Max: 1, Low: new(0.5)}}}
	b := measure.NewBuilder(m, measure.Config{Thresholds: []report.Threshold{{Name: "overall", Low: 0.9}}})
	s := scoreOf(score.Judge, "overall", "a", 0, 'p')
	b.Add(&s)
	comparison, note := &report.Comparison{Name: "earlier"}, report.Warning{Code: "n", Text: "a note"}
	b.Annotate([]*report.Comparison{comparison}, []report.Warning{note})
	r, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if *m.Rubrics[0].Low != 0.5 || *r.Run.Rubrics[0].Low != 0.9 {
		t.Errorf("the manifest's threshold is %v, the report's %v", *m.Rubrics[0].Low, *r.Run.Rubrics[0].Low)
	}
	if len(r.Comparisons) != 1 || r.Comparisons[0] != comparison || r.Warnings[len(r.Warnings)-1] != note {
		t.Errorf("%+v, %+v", r.Comparisons, r.Warnings)
	}
}

// TestTextsOfPushedScores: without another source the texts of the first 2000 fails are kept; with one it is asked.
func TestTextsOfPushedScores(t *testing.T) {
	explained := func(id, text string) score.Score {
		s := scoreOf(score.Judge, "overall", id, 0, 'f')
		s.Tool, s.Explanation = id, text
		return s
	}
	for name, tt := range map[string]struct {
		before int
		source bool
		want   string
	}{
		"kept": {1999, false, "It paid twice."}, "one too many": {2000, false, ""}, "read again": {2000, true, "Read again."},
	} {
		b := measure.NewBuilder(&report.Manifest{}, measure.Config{})
		for i := range tt.before {
			s := explained(fmt.Sprintf("b%04d", i), "")
			s.Tool = "other"
			b.Add(&s)
		}
		s := explained("a", "It paid twice.")
		b.Add(&s)
		if tt.source {
			b.ReadTexts(func(...string) iter.Seq2[score.Score, error] {
				return func(yield func(score.Score, error) bool) { yield(explained("a", "Read again."), nil) }
			})
		}
		r, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range r.FailureGroups {
			if g.First.ConversationID == "a" && g.Example.Sides[0].Explanation != tt.want {
				t.Errorf("%s: %q, want %q", name, g.Example.Sides[0].Explanation, tt.want)
			}
		}
	}
}

// TestReportsThatCannotBe: what is wrong is told, and no report is built.
func TestReportsThatCannotBe(t *testing.T) {
	good := inputsOf(runOf("pf", "pf"))
	calibration := &report.Calibration{RunID: "old"}
	for _, tt := range []struct {
		in   report.Inputs
		cfg  measure.Config
		want string
	}{
		{report.Inputs{}, measure.Config{}, "build report: no scores given"},
		{good, measure.Config{Alpha: 2}, "build report: "},
		{good, measure.Config{Calibration: calibration},
			"calibration old: none of its judges and rubrics is in this run"},
		{good, measure.Config{Calibration: calibration, Thresholds: []report.Threshold{{Name: "overall"}}},
			"build report: a calibration is bound to the declared thresholds; give one or the other"},
	} {
		r, err := measure.Build(tt.in, tt.cfg)
		if r != nil || err == nil || !strings.HasPrefix(err.Error(), tt.want) || tt.cfg.Alpha == 0 && err.Error() != tt.want {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
	if p, err := measure.Plan(good, measure.Config{Alpha: 2}, report.Plan{HalfWidth: 0.1}); err == nil || p != nil {
		t.Errorf("a plan with an alpha of 2: %v", err)
	}
}

// TestWhichReferenceNamesTheCall: of references that fail a call of a conversation that the judge passes the strongest
// names it; one whose fail is no evidence, or which the judge saw, does not.
func TestWhichReferenceNamesTheCall(t *testing.T) {
	for name, tt := range map[string]struct {
		judge report.Judge
		calls map[string]string // verdicts of calls by reference
		want  string
	}{
		"the first of two that are as strong": {report.Judge{Name: "j"}, map[string]string{"schema_check": "fp", "human": "pf"},
			"schema_check 0"},
		"a scorer alone":      {report.Judge{Name: "j"}, map[string]string{"schema_check": "pf"}, "schema_check 1"},
		"a label that passes": {report.Judge{Name: "j"}, map[string]string{"schema_check": "fp", "human": "pp"}, "schema_check 0"},
		"one that the judge saw": {report.Judge{Name: "j", CircularWith: []string{"human"}},
			map[string]string{"schema_check": "pf", "human": "fp"}, "schema_check 1"},
		"a mismatch with expected calls": {report.Judge{Name: "j"}, map[string]string{"ast_equivalence": "fp", "schema_check": "pf"},
			"schema_check 1"},
	} {
		scores := []score.Score{scoreOf(score.Judge, "overall", "a", -1, 'p'), scoreOf(score.Label, "reward", "a", -1, 'f')}
		for name, verdicts := range tt.calls {
			for call := range verdicts {
				source := score.Deterministic
				if name == "human" {
					source = score.Label
				}
				scores = append(scores, scoreOf(source, name, "a", call, verdicts[call]))
			}
		}
		in := inputsOf(scores)
		in.Manifest.Judges = []report.Judge{tt.judge}
		in.Manifest.Scorers = []report.Scorer{reporttest.Scorer("ast_equivalence"), reporttest.Scorer("schema_check")}
		items := buildReport(t, in, measure.Config{}).Disagreements.Items
		got := "none"
		for _, ref := range items[0].References {
			if ref.CallIndex != nil {
				got = fmt.Sprint(ref.Name, " ", *ref.CallIndex)
			}
		}
		if len(items) != 1 || got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
