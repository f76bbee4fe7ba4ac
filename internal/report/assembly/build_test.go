package assembly_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/assembly"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
)

func ptr[T any](v T) *T { return &v }

func build(t testing.TB, in report.Inputs, cfg assembly.Config) *report.Report {
	t.Helper()
	r, err := assembly.Build(in, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func asJSON(t testing.TB, r *report.Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := r.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestAgreementCounts(t *testing.T) {
	//        both pass ×5, only judge ×2, only ref ×1, both fail ×2, then missing
	judge := "ppppp" + "pp" + "f" + "ff" + "u" + "p" + "n"
	ref := "ppppp" + "ff" + "p" + "ff" + "p" + "u" + "p"
	r := build(t, reporttest.InputsOf(reporttest.RunOf(judge, ref)), assembly.Config{})
	if len(r.Agreement) != 1 {
		t.Fatalf("%d rows, want 1", len(r.Agreement))
	}
	a := r.Agreement[0]
	got := map[string]any{
		"confusion": a.Confusion, "n": a.N, "missing judge": a.MissingJudge, "missing ref": a.MissingRef, "only ref": a.OnlyReference,
		"base": *a.BaseRate.Value, "judge": *a.JudgeRate.Value, "accuracy": *a.Accuracy.Value,
		"recall wrong": *a.RecallWrong.Value, "specificity": *a.Specificity.Value, "balanced": *a.Balanced.Value, "kappa": *a.Kappa.Value,
	}
	want := map[string]any{
		"confusion": report.Confusion{BothPass: 5, JudgeOnlyPass: 2, JudgeOnlyFail: 1, BothFail: 2}, "n": 10,
		"missing judge": 1, "missing ref": 1, "only ref": 1, // not applicable is not missing
		"base": 0.6, "judge": 0.7, "accuracy": 0.7, "recall wrong": 0.5, "specificity": 0.833333, "balanced": 0.666667,
		// po = .7, pe = .6·.7 + .4·.3 = .54, (.7-.54)/.46
		"kappa": 0.347826,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("row differs (-want +got):\n%s", diff)
	}
	row := r.Scores[0]
	if row.N != 11 || row.Unscored != 1 || row.NotApplicable != 1 || *row.ErrorRate.Value != 0.083333 || !row.Unreliable {
		t.Errorf("judge row: n %d, unscored %d, not applicable %d, error rate %v, unreliable %v", row.N, row.Unscored, row.NotApplicable, *row.ErrorRate.Value, row.Unreliable)
	}
	if r.Disagreements.Total != 3 {
		t.Errorf("%d disagreements, want 3", r.Disagreements.Total)
	}
}

func TestUndefinedIsNullWithReason(t *testing.T) {
	r := build(t, reporttest.InputsOf(reporttest.RunOf("pppp", "pppp")), assembly.Config{})
	a := r.Agreement[0]
	for name, e := range map[string]report.Estimate{"kappa": a.Kappa, "recall_wrong": a.RecallWrong, "auc": a.AUC, "spearman": a.Spearman, "mcc": a.MCC, "balanced": a.Balanced} {
		if e.Value != nil || e.Reason == "" {
			t.Errorf("%s = %v (reason %q), want null with a reason", name, e.Value, e.Reason)
		}
	}
	codes := reporttest.Codes(a.Warnings)
	for _, want := range []string{"one_class", "judge_one_class", "few_items", "few_conversations"} {
		if !slices.Contains(codes, want) {
			t.Errorf("warnings %v lack %s", codes, want)
		}
	}
	if text := asJSON(t, r); strings.Contains(text, "NaN") || !strings.Contains(text, `"value": null`) {
		t.Error("report.json must hold null and no NaN")
	}
}

func TestNothingScored(t *testing.T) {
	for name, scores := range map[string][]score.Score{
		"no scores":    nil,
		"all unscored": reporttest.RunOf("uu", "nn"),
		"errors":       reporttest.RunOf("ee", "ee"),
	} {
		r := build(t, reporttest.InputsOf(scores), assembly.Config{})
		for _, s := range r.Scores {
			if s.N != 0 || s.Mean.Value != nil || s.PassRate.Value != nil {
				t.Errorf("%s: %s has numbers: %+v", name, s.Name, s)
			}
		}
		if len(r.Summary) == 0 {
			t.Errorf("%s: no summary", name)
		}
	}
}

func TestOrderOfTheStreamDoesNotMatter(t *testing.T) {
	run := reporttest.New(7, 40)
	want := asJSON(t, build(t, run.Inputs(), assembly.Config{MaxDisagreements: 15}))
	r := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		r.Shuffle(len(run.Scores), func(i, j int) { run.Scores[i], run.Scores[j] = run.Scores[j], run.Scores[i] })
		got := asJSON(t, build(t, run.Inputs(), assembly.Config{MaxDisagreements: 15}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("a shuffled stream gives another report:\n%s", diff)
		}
	}
}

// TestMissingIsNeitherPassNorFail drops scores once by removing them and once by
// marking them unscored: every mean, rate and comparison must be the same.
func TestMissingIsNeitherPassNorFail(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for seed := range uint64(5) {
		run := reporttest.New(seed, 30)
		removed, marked := run, run
		removed.Scores, marked.Scores = nil, nil
		for _, s := range run.Scores {
			if r.Float64() < 0.2 {
				s.Status, s.Value, s.Passed, s.Confidence, s.Flags = score.Unscored, nil, nil, nil, nil
				s.Details = s.Details.Without("schema_ok", "ast_ok")
				marked.Scores = append(marked.Scores, s)
				continue
			}
			removed.Scores, marked.Scores = append(removed.Scores, s), append(marked.Scores, s)
		}
		a, b := build(t, removed.Inputs(), assembly.Config{}), build(t, marked.Inputs(), assembly.Config{})
		for i := range a.Scores {
			if diff := cmp.Diff([]report.Estimate{a.Scores[i].Mean, a.Scores[i].PassRate}, []report.Estimate{b.Scores[i].Mean, b.Scores[i].PassRate}); diff != "" {
				t.Fatalf("seed %d: %s changed by missing scores:\n%s", seed, a.Scores[i].Name, diff)
			}
		}
		for i := range a.Agreement {
			x, y := a.Agreement[i], b.Agreement[i]
			if x.Confusion != y.Confusion || x.N != y.N || !cmp.Equal(x.Kappa, y.Kappa) {
				t.Fatalf("seed %d: agreement with %s changed by missing scores: %+v, %+v", seed, x.Reference.Name, x.Confusion, y.Confusion)
			}
		}
		if diff := cmp.Diff(a.Disagreements, b.Disagreements, cmp.Comparer(func(x, y report.Side) bool { return x.Name == y.Name && cmp.Equal(x.Value, y.Value) })); diff != "" {
			t.Fatalf("seed %d: disagreements changed by missing scores:\n%s", seed, diff)
		}
	}
}

func TestReductions(t *testing.T) {
	scores := []score.Score{
		// c1: values 1, .5, .8 (band .7..1): min fails, mean .767 passes, share 2/3 passes
		reporttest.ScoreOf(score.Judge, "overall", "c1", 0, 'p'), reporttest.ScoreOf(score.Judge, "overall", "c1", 1, 'f'), reporttest.ScoreOf(score.Judge, "overall", "c1", 2, 'p'),
		// c2: one call unscored, one passes: partial, passes
		reporttest.ScoreOf(score.Judge, "overall", "c2", 0, 'u'), reporttest.ScoreOf(score.Judge, "overall", "c2", 1, 'p'),
		// c3: nothing scored: missing
		reporttest.ScoreOf(score.Judge, "overall", "c3", 0, 'u'),
		// c4: fails everywhere
		reporttest.ScoreOf(score.Judge, "overall", "c4", 0, 'f'),
		reporttest.ScoreOf(score.Label, "reward", "c1", -1, 'p'), reporttest.ScoreOf(score.Label, "reward", "c2", -1, 'p'),
		reporttest.ScoreOf(score.Label, "reward", "c3", -1, 'p'), reporttest.ScoreOf(score.Label, "reward", "c4", -1, 'f'),
	}
	scores[1].Value, scores[2].Value = ptr(0.5), ptr(0.8)
	in := reporttest.InputsOf(scores)
	in.Manifest.Rubrics = []report.Rubric{{Name: "overall", Max: 1, Low: ptr(0.7), High: ptr(1.0)}}
	r := build(t, in, assembly.Config{})
	got := map[string]report.Confusion{}
	for _, a := range r.Agreement {
		if a.Reduced != "judge" || a.Level != report.ConversationLevel || a.Partial != 1 || a.MissingJudge != 1 || a.N != 3 {
			t.Errorf("row %s: reduced %q, level %q, partial %d, missing %d, n %d", a.Reduction, a.Reduced, a.Level, a.Partial, a.MissingJudge, a.N)
		}
		got[a.Reduction] = a.Confusion
	}
	want := map[string]report.Confusion{
		"min":   {BothPass: 1, JudgeOnlyFail: 1, BothFail: 1},
		"mean":  {BothPass: 2, BothFail: 1},
		"share": {BothPass: 2, BothFail: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reductions differ (-want +got):\n%s", diff)
	}
	// The disagreement on c1 leads to the call that decided.
	d := r.Disagreements.Items
	if len(d) != 1 || d[0].ConversationID != "c1" || d[0].CallIndex != nil || d[0].Judgements[0].CallIndex == nil || *d[0].Judgements[0].CallIndex != 1 {
		t.Errorf("disagreements: %+v", d)
	}
}

func TestCircularIsRefused(t *testing.T) {
	in := reporttest.InputsOf(append(reporttest.RunOf("pfpf", "pfpp"), reporttest.ScoreOf(score.Label, "human", "c000", 0, 'f')))
	in.Manifest.Judges = []report.Judge{{Name: "j", SawReference: true}}
	in.Manifest.Scorers = []report.Scorer{{Name: "exact", UsesReference: true}}
	r := build(t, in, assembly.Config{})
	for _, a := range r.Agreement {
		refused := a.Refused == "circular"
		if refused != (a.Reference.Name == "exact") {
			t.Errorf("%s: refused %q", a.Reference.Name, a.Refused)
		}
		if refused && (a.N != 0 || a.Kappa.Value != nil || a.Confusion != (report.Confusion{})) {
			t.Errorf("a refused row has numbers: %+v", a)
		}
	}
	for _, d := range r.Disagreements.Items {
		for _, ref := range d.References {
			if ref.Name == "exact" {
				t.Error("a circular reference appears among the disagreements")
			}
		}
	}
}

func TestThresholds(t *testing.T) {
	good := map[string]string{"overall=0.5": "overall=0.5", " a = 3..5 ": "a=3..5", "a=-1..-0.5": "a=-1..-0.5"}
	for in, want := range good {
		got, err := report.ParseThreshold(in)
		if err != nil || got.String() != want {
			t.Errorf("ParseThreshold(%q) = %v, %v; want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"", "a", "=1", "a=", "a=x", "a=1..", "a=2..1", "a=NaN", "a=1..Inf"} {
		if got, err := report.ParseThreshold(in); err == nil {
			t.Errorf("ParseThreshold(%q) = %v, want an error", in, got)
		}
	}
	run := reporttest.New(1, 20)
	low, _ := report.ParseThreshold("overall_call_correctness=0")
	r := build(t, run.Inputs(), assembly.Config{Thresholds: []report.Threshold{low}})
	for _, s := range r.Scores {
		if s.Name == low.Name && *s.PassRate.Value != 1 {
			t.Errorf("with threshold 0 everything passes, got %v", *s.PassRate.Value)
		}
	}
	if run.Scores[0].Passed == nil || r.Run.Thresholds[0] != "overall_call_correctness=0" {
		t.Error("the scores themselves must not change, and the report must name the threshold")
	}
}

func TestDisagreementsAreTheBestOfAll(t *testing.T) {
	run := reporttest.New(5, 60)
	all := build(t, run.Inputs(), assembly.Config{MaxDisagreements: 100_000})
	few := build(t, run.Inputs(), assembly.Config{MaxDisagreements: 7})
	if all.Disagreements.Total != few.Disagreements.Total || all.Disagreements.Shown != all.Disagreements.Total || few.Disagreements.Shown != 7 {
		t.Fatalf("totals %d and %d, shown %d and %d", all.Disagreements.Total, few.Disagreements.Total, all.Disagreements.Shown, few.Disagreements.Shown)
	}
	opt := cmp.Comparer(func(x, y report.Side) bool { return x.Name == y.Name && x.Explanation == y.Explanation })
	if diff := cmp.Diff(all.Disagreements.Items[:7], few.Disagreements.Items, opt); diff != "" {
		t.Errorf("the bounded list is not the head of the full one:\n%s", diff)
	}
	for i, d := range all.Disagreements.Items {
		if i > 0 && d.Weight > all.Disagreements.Items[i-1].Weight {
			t.Fatalf("rank %d weighs more than the one before", d.Rank)
		}
		if d.Place == "" || d.Judgements[0].Value == nil {
			t.Fatalf("rank %d has no place or value: %+v", d.Rank, d)
		}
	}
	none := build(t, run.Inputs(), assembly.Config{MaxDisagreements: -1})
	if none.Disagreements.Shown != 0 || none.Disagreements.Total != all.Disagreements.Total {
		t.Errorf("with none wanted: %d shown of %d", none.Disagreements.Shown, none.Disagreements.Total)
	}
}

func TestWeakEvidenceIsNoConflict(t *testing.T) {
	// A schema that holds does not contradict a judge that says the call is wrong.
	schema := func(judge, ref byte) []score.Score {
		return []score.Score{reporttest.ScoreOf(score.Judge, "overall", "c", 0, judge), reporttest.ScoreOf(score.Deterministic, "schema_check", "c", 0, ref)}
	}
	if n := build(t, reporttest.InputsOf(schema('f', 'p')), assembly.Config{}).Disagreements.Total; n != 0 {
		t.Errorf("judge fails, schema holds: %d disagreements, want 0", n)
	}
	if n := build(t, reporttest.InputsOf(schema('p', 'f')), assembly.Config{}).Disagreements.Total; n != 1 {
		t.Errorf("judge passes, schema broken: %d disagreements, want 1", n)
	}
}

func TestHostileTextIsBounded(t *testing.T) {
	s := reporttest.RunOf("f", "p")
	s[0].Explanation = strings.Repeat("<script>alert(1)</script>\u202e", 40_000)
	s[0].Evidence = "\xff\xfe" + strings.Repeat("é", 5000)
	r := build(t, reporttest.InputsOf(s), assembly.Config{})
	text := asJSON(t, r)
	if len(text) > 40_000 {
		t.Errorf("report.json has %d bytes for one hostile score", len(text))
	}
	if !strings.Contains(text, "more characters)") {
		t.Error("a text that was cut must say so")
	}
}

func TestBadLinesAreCounted(t *testing.T) {
	good := reporttest.RunOf("pf", "pf")
	in := report.Inputs{Scores: func() iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) {
			for _, s := range good {
				if !yield(s, nil) || !yield(score.Score{}, &score.LineError{File: "f", Line: 1, Cause: errors.New("x")}) {
					return
				}
			}
		}
	}}
	r := build(t, in, assembly.Config{})
	if r.Counts.BadLines != 4 || r.Counts.Scores != 4 || !slices.Contains(reporttest.Codes(r.Warnings), "bad_lines") {
		t.Errorf("counts %+v, warnings %v", r.Counts, r.Warnings)
	}
	broken := errors.New("disk gone")
	in.Scores = func() iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) { yield(score.Score{}, broken) }
	}
	if _, err := assembly.Build(in, assembly.Config{}); !errors.Is(err, broken) {
		t.Errorf("an input error must end the report, got %v", err)
	}
}

func TestDuplicatesCountOnce(t *testing.T) {
	s := reporttest.RunOf("ppff", "pfpf")
	r := build(t, reporttest.InputsOf(append(slices.Clone(s), s...)), assembly.Config{})
	once := build(t, reporttest.InputsOf(s), assembly.Config{})
	if r.Counts.Duplicates != 8 || r.Scores[0].N != 4 || r.Agreement[0].Confusion != once.Agreement[0].Confusion {
		t.Errorf("duplicates %d, n %d, %+v", r.Counts.Duplicates, r.Scores[0].N, r.Agreement[0].Confusion)
	}
}

func TestJSONReadsBack(t *testing.T) {
	r := build(t, reporttest.New(2, 20).Inputs(), assembly.Config{})
	text := asJSON(t, r)
	again, err := report.ReadJSON(strings.NewReader(text), "report.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, asJSON(t, again)); diff != "" {
		t.Errorf("report.json changed on the way:\n%s", diff)
	}
	for in, want := range map[string]string{
		`{"schema":"judge.report/v2"}`: "unknown schema",
		`{}`:                           "no report",
		`nothing`:                      "no report",
		`{"schema":"judge.report/v1","alpha":""}`: "alpha: wrong type",
	} {
		if _, err := report.ReadJSON(strings.NewReader(in), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ReadJSON(%s) = %v, want %q", in, err, want)
		}
	}
}

func TestFunnel(t *testing.T) {
	scores := []score.Score{
		reporttest.ScoreOf(score.Deterministic, "schema_check", "c1", 0, 'f'), reporttest.ScoreOf(score.Deterministic, "ast_equivalence", "c1", 0, 'f'),
		reporttest.ScoreOf(score.Deterministic, "schema_check", "c2", 0, 'p'), reporttest.ScoreOf(score.Deterministic, "ast_equivalence", "c2", 0, 'f'),
		reporttest.ScoreOf(score.Deterministic, "schema_check", "c3", 0, 'p'), reporttest.ScoreOf(score.Deterministic, "ast_equivalence", "c3", 0, 'p'),
		reporttest.ScoreOf(score.Deterministic, "schema_check", "c4", 0, 'p'), reporttest.ScoreOf(score.Deterministic, "ast_equivalence", "c4", 0, 'n'),
	}
	f := build(t, reporttest.InputsOf(scores), assembly.Config{}).Funnel
	var got []string
	for _, l := range f.Layers {
		got = append(got, fmt.Sprintf("%s n %d passed %d reached %d lost %d", l.Layer, l.N, l.Passed, l.Reached, l.Lost))
	}
	want := []string{"schema n 4 passed 3 reached 4 lost 1", "ast n 3 passed 1 reached 2 lost 1"}
	if diff := cmp.Diff(want, got); diff != "" || f.Cases != 4 {
		t.Errorf("funnel of %d cases differs (-want +got):\n%s", f.Cases, diff)
	}
}

func TestManyToolsAreFolded(t *testing.T) {
	var scores []score.Score
	for i := range 50 {
		s := reporttest.ScoreOf(score.Judge, "overall", fmt.Sprintf("c%02d", i), 0, 'p')
		s.Tool = fmt.Sprintf("tool%02d", i)
		scores = append(scores, s)
	}
	r := build(t, reporttest.InputsOf(scores), assembly.Config{MaxTools: 10})
	last := r.ByTool[len(r.ByTool)-1]
	if len(r.ByTool) != 11 || last.Folded != 40 || last.Calls != 40 || last.Scores[0].N != 40 {
		t.Errorf("%d rows, last %+v", len(r.ByTool), last)
	}
}

// BenchmarkBuild builds a report from 100,000 scores.
func BenchmarkBuild(b *testing.B) {
	run := reporttest.New(1, 4000)
	run.Scores = run.Scores[:100_000]
	for b.Loop() {
		if _, err := assembly.Build(run.Inputs(), assembly.Config{}); err != nil {
			b.Fatal(err)
		}
	}
}

// A conflict in which a stronger reference sides with the judge comes behind one in
// which nobody does: it is likely a valid alternative to the expected call.
func TestBackedDisagreementsComeLater(t *testing.T) {
	m := report.Manifest{Scorers: []report.Scorer{{Name: "function_call_exact_match"}}}
	var scores []score.Score
	for _, c := range []struct {
		id    string
		human byte
	}{{"a-alternative", 'p'}, {"b-error", 'f'}} {
		judge := reporttest.ScoreOf(score.Judge, "overall", c.id, 0, 'p')
		judge.Confidence = ptr(0.9)
		scores = append(scores, judge, reporttest.ScoreOf(score.Deterministic, "function_call_exact_match", c.id, 0, 'f'), reporttest.ScoreOf(score.Label, "human", c.id, 0, c.human))
	}
	in := reporttest.InputsOf(scores)
	in.Manifest = m
	items := build(t, in, assembly.Config{}).Disagreements.Items
	if len(items) != 2 || items[0].ConversationID != "b-error" || len(items[0].SidesWithJudge) != 0 {
		t.Fatalf("first %+v", items)
	}
	if got := items[1].SidesWithJudge; len(got) != 1 || got[0] != "human" || items[1].Weight >= items[0].Weight/2 {
		t.Errorf("second: sides with the judge %v, weight %v after %v", got, items[1].Weight, items[0].Weight)
	}
}

// Gold is the strongest reference, unless the user names another; a name that nothing
// was compared with is told.
func TestGold(t *testing.T) {
	var scores []score.Score
	for i := range 6 {
		id, even := fmt.Sprint("c", i), map[bool]byte{true: 'p', false: 'f'}[i%2 == 0]
		scores = append(scores, reporttest.ScoreOf(score.Judge, "overall", id, 0, even), reporttest.ScoreOf(score.Deterministic, "function_call_exact_match", id, 0, even), reporttest.ScoreOf(score.Label, "human", id, 0, even))
	}
	in := reporttest.InputsOf(scores)
	in.Manifest.Scorers = []report.Scorer{{Name: "function_call_exact_match"}}
	for _, c := range []struct{ flag, saved, want string }{
		{"", "", "human"},
		{"function_call_exact_match", "", "function_call_exact_match"},
		{"", "function_call_exact_match", "function_call_exact_match"},
		{"human", "function_call_exact_match", "human"},
	} {
		in.Manifest.Gold = c.saved
		r := build(t, in, assembly.Config{Gold: c.flag})
		if row, _ := r.Headline("j", ""); row.Reference.Name != c.want {
			t.Errorf("%+v: the headline speaks of %s", c, row.Reference.Name)
		}
		if gold := r.Gold(); len(gold) != 1 || gold[0].Name != c.want {
			t.Errorf("%+v: gold %+v", c, gold)
		}
	}
	in.Manifest.Gold = "humen"
	r := build(t, in, assembly.Config{})
	if len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0].Text, "known are function_call_exact_match, human") {
		t.Errorf("an unknown gold: warnings %+v", r.Warnings)
	}
}
