package measure_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
)

// questions are rubrics: tone has no pass, asked has one and may not apply, never asks nothing.
var questions = []report.Rubric{
	{Name: "tone", Categories: []string{"kind", "flat", "rude"}},
	{Name: "asked", Categories: []string{"yes", "no"}, Pass: []string{"yes"}}, {Name: "never"},
}

// answersOf returns a judge's answers to a rubric: in each conversation a letter for each call, the
// first of its category, - for not applicable, ? for an answer that is missing.
func answersOf(r report.Rubric, judge string, conversations ...string) []score.Score {
	var out []score.Score
	for i, calls := range conversations {
		for k, letter := range calls {
			s := score.Score{ConversationID: fmt.Sprintf("c%02d", i), CallIndex: new(k), Tool: "pay", Name: r.Name,
				Source: score.Judge, Judge: judge, Status: score.Scored}
			switch letter {
			case '-':
				s.Status, s.Label = score.NotApplicable, "not_applicable"
			case '?':
				s.Status, s.Error = score.Unscored, &score.Failure{Kind: "truncated", Message: "cut off"}
			}
			for place, category := range r.Categories {
				if category[0] != byte(letter) {
					continue
				}
				s.Category, s.Value = category, new(float64(place+1))
				if r.Pass != nil {
					s.Passed, s.Value = new(category == r.Pass[0]), new(float64(1-place))
				}
			}
			out = append(out, s)
		}
	}
	return out
}

func questionsReport(t *testing.T, scores ...[]score.Score) *report.Report {
	in := inputsOf(slices.Concat(scores...))
	in.Manifest.Rubrics = questions
	return buildReport(t, in, measure.Config{})
}

// TestCategories: a rubric with categories and no pass has a distribution and no number, whatever it
// is compared with; not applicable is in no denominator but its own.
func TestCategories(t *testing.T) {
	tone := []string{"kkf", "rkk", "kf", "kkk", "fkr", "kk", "kkf", "kf", "kk?", "kr"}
	asked := []string{"yn-", "y--", "yn", "-yy", "nyy", "-?", "yy-", "--", "yyy", "yn"}
	r := questionsReport(t, answersOf(questions[0], "a", tone...), answersOf(questions[0], "b", tone...),
		answersOf(questions[1], "a", asked...))
	rows := map[string]report.ScoreRow{}
	for _, s := range r.Scores {
		rows[s.Name+" "+s.Judge] = s
	}
	row := rows["tone a"]
	if row.Mean.Defined() || row.Mean.Reason != "categories" || row.PassRate.Defined() || row.Min != nil ||
		row.Detectable.FromTarget.Defined() || row.N != 25 || row.Unscored != 1 || row.Applies != nil {
		t.Errorf("tone: %+v", row)
	}
	counts := func(s report.ScoreRow) (out []string) {
		for _, c := range s.Categories {
			if !c.Share.HasInterval() || *c.Share.Low > *c.Share.Value || *c.Share.Value > *c.Share.High {
				t.Errorf("%s %s: %+v", s.Name, c.Category, c.Share)
			}
			out = append(out, fmt.Sprintf("%s %d %.3f", c.Category, c.N, *c.Share.Value))
		}
		return out
	}
	if d := cmp.Diff([]string{"kind 17 0.680", "flat 5 0.200", "rude 3 0.120"}, counts(row)); d != "" {
		t.Error(d)
	}
	row = rows["asked a"]
	if d := cmp.Diff([]string{"yes 13 0.765", "no 4 0.235"}, counts(row)); d != "" {
		t.Error(d)
	}
	if row.N != 17 || row.NotApplicable != 8 || row.Unscored != 1 || *row.PassRate.Value != 0.764706 {
		t.Errorf("asked: %+v", row)
	}
	if a := row.Applies; a == nil || a.Count != 17 || a.Of != 25 || !a.Rate.HasInterval() || *a.Rate.Value != 0.68 {
		t.Errorf("asked applies to %+v", a)
	}
	for _, p := range r.JudgeVsJudge {
		if p.Spearman.Defined() || p.Kappa.Defined() || p.WeightedKappa.Defined() {
			t.Errorf("places of categories are compared as numbers: %+v", p)
		}
	}
	for _, c := range r.JudgeChecks {
		if p := c.Policies; p.Lowest.Defined() != (c.Rubric != "tone") {
			t.Errorf("%s by %s: the lowest pass rate is %+v", c.Rubric, c.Judge, p.Lowest)
		}
	}
	people := answersOf(questions[1], "", asked...)
	for i := range people {
		people[i].Source, people[i].Name = score.Label, "human"
	}
	withLabels := questionsReport(t, answersOf(questions[0], "a", tone...), answersOf(questions[1], "a", asked...), people)
	compared := map[string]int{}
	for _, row := range withLabels.Agreement {
		compared[row.Rubric]++
	}
	if d := cmp.Diff(map[string]int{"asked": 1}, compared); d != "" {
		t.Errorf("rows of agreement by rubric: %s", d)
	}
	text := asJSON(t, r)
	for _, bad := range []string{"NaN", `"mean": 1.`} {
		if strings.Contains(text, bad) {
			t.Errorf("report.json has %s", bad)
		}
	}
	card := strings.Join(words.Card(r, "").Plain(), "\n")
	for _, want := range []string{"tone by a: of 25 calls 68 % kind, 20 % flat, 12 % rude", "asked by a: applies to 17 of 25 calls (",
		"76 % of 17 calls, says a on asked",
		"rubrics tone, asked · never asked nothing"} {
		if !strings.Contains(card, want) {
			t.Errorf("the first screen lacks %q:\n%s", want, card)
		}
	}
}

// TestLabelsOfCategories: labels by a rubric that passes and fails nothing have no rate and no mean, and are
// compared by category; not applicable is compared apart.
func TestLabelsOfCategories(t *testing.T) {
	in := inputsOf(answersOf(questions[0], "a", "kkf", "rkk", "k-?"))
	in.Manifest.Rubrics = questions
	row := func(conversation string, call int, a labels.Answer) measure.LabelRow {
		return measure.LabelRow{ConversationID: conversation, CallIndex: call, Sample: measure.RandomSample,
			ByRubric: map[string]labels.Answer{"tone": a}}
	}
	tone := questions[0]
	rows := []measure.LabelRow{row("c00", 0, tone.Answer("kind")), row("c00", 1, tone.Answer("flat")), row("c01", 0, tone.Answer("rude")),
		row("c02", 0, tone.Answer("kind")), row("c02", 1, labels.Answer{Label: labels.NotApplicable}),
		// The judge's answer is missing here.
		row("c02", 2, labels.Answer{Label: labels.NotApplicable})}
	given := measure.NewLabels(rows, &report.Manifest{Judges: []report.Judge{{Name: "j"}}, Rubrics: questions})
	plain := in.Scores
	in.Scores = func() iter.Seq2[score.Score, error] { return given.Into(plain()) }
	places := map[string]float64{}
	for s := range in.Scores() {
		if s.Source == score.Label && s.Category != "" {
			places[s.Category] = *s.Value
		}
	}
	if diff := cmp.Diff(map[string]float64{"kind": 1, "flat": 2, "rude": 3}, places); diff != "" {
		t.Errorf("values of labels (-want +got):\n%s", diff)
	}
	r := buildReport(t, in, measure.Config{Labels: given})
	found := false
	for _, s := range r.Scores {
		if s.Name != "your labels of tone" {
			continue
		}
		if found = true; s.PassRate.Defined() || s.Mean.Defined() || s.N != 4 {
			t.Errorf("labels of categories have numbers: %+v", s)
		}
	}
	if !found || len(r.Agreement) != 1 {
		t.Fatalf("labels found: %v, %d rows of agreement", found, len(r.Agreement))
	}
	a := r.Agreement[0]
	if d := cmp.Diff([][]int{{2, 0, 0}, {1, 0, 0}, {0, 0, 1}}, a.Ratings.Matrix); d != "" || a.Verdicts != 0 {
		t.Errorf("%d verdicts, matrix %s", a.Verdicts, d)
	}
	if p := a.Applies; p == nil || p.N != 5 || p.Both != 4 || p.Neither != 1 {
		t.Errorf("applies: %+v", p)
	}
}

// TestCategoriesThatAreNotDeclared: they follow the declared ones, by name.
func TestCategoriesThatAreNotDeclared(t *testing.T) {
	other := report.Rubric{Name: "tone", Categories: []string{"zany", "kind", "arch"}}
	var got []string
	for _, c := range questionsReport(t, answersOf(other, "a", "zka", "zz")).Scores[0].Categories {
		got = append(got, fmt.Sprint(c.Category, " ", c.N))
	}
	if diff := cmp.Diff([]string{"kind 1", "flat 0", "rude 0", "arch 1", "zany 3"}, got); diff != "" {
		t.Errorf("categories (-want +got):\n%s", diff)
	}
}

// TestCategoryGates: max_rate bounds the share of a category by its interval, or strictly by the point.
func TestCategoryGates(t *testing.T) {
	tone := []string{"kkr", "kkk", "kf", "kkk", "fkr", "kk", "kkf", "kf", "kkk", "kf"}
	r := questionsReport(t, answersOf(questions[0], "a", tone...), answersOf(questions[1], "a", "yn-", "yy"))
	for _, c := range []struct {
		gate   measure.Gate
		passed bool
		line   string
	}{
		{measure.Gate{Score: "tone", Category: "rude", MaxRate: ptr(0.08)}, true, "pass  tone of rude by a: share 7.7 % ["},
		{measure.Gate{Score: "tone", Category: "rude", MaxRate: ptr(0.05)}, true, "the interval decides"},
		{measure.Gate{Score: "tone", Category: "rude", MaxRate: ptr(0.05), Strict: true}, false, "at most 5 % , n = 26 (the point decides)"},
		{measure.Gate{Score: "tone", Category: "kind", MaxRate: ptr(0.2)}, false, "FAIL  tone of kind by a"},
		{measure.Gate{Score: "asked", Category: "maybe", MaxRate: ptr(0.2)}, false, "no answer can be that category"},
		{measure.Gate{Score: "ton", Category: "kind", MaxRate: ptr(0.2)}, false, "did you mean tone?"},
	} {
		d := measure.DecideGates([]measure.Gate{c.gate}, r, nil)
		line := strings.ReplaceAll(d.Results[0].Line, "%,", "% ,")
		if d.Passed != c.passed || !strings.Contains(line, c.line) {
			t.Errorf("%+v: %v %s", c.gate, d.Passed, line)
		}
	}
	p := &measure.PlannedScores{Rubrics: []string{"tone", "overall"}, Categories: map[string][]string{"tone": {"kind", "rude"}}}
	for gate, want := range map[measure.Gate]string{
		{Score: "tone", Category: "rude"}:    "",
		{Score: "tone", Category: "rudee"}:   "no answer can be rudee; did you mean rude?",
		{Score: "overall", Category: "rude"}: "a rubric with categories",
	} {
		if err := measure.CheckGates([]measure.Gate{gate}, p); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", gate, err)
		}
	}
}

// TestCompareCategories: the share of each category is compared item by item, whatever the order of
// the categories in the other run; places of categories are never subtracted.
func TestCompareCategories(t *testing.T) {
	before, after := []string{}, []string{}
	for range 15 {
		before, after = append(before, "kkf", "kkk"), append(after, "krr", "kkr")
	}
	in := func(rubric report.Rubric, calls []string) report.Inputs {
		in := inputsOf(answersOf(rubric, "a", calls...))
		in.Manifest.Rubrics = []report.Rubric{rubric}
		return in
	}
	turned := report.Rubric{Name: "tone", Categories: []string{"rude", "flat", "kind"}}
	c, err := measure.Compare(in(questions[0], before), in(turned, after), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range c.Categories {
		got = append(got, fmt.Sprintf("%s %d %.2f %.2f %v", row.Category, row.Share.N, *row.Share.A.Value, *row.Share.B.Value, row.Share.Noise))
	}
	if d := cmp.Diff([]string{"kind 90 0.83 0.50 false", "flat 90 0.17 0.00 false", "rude 90 0.00 0.50 false"}, got); d != "" {
		t.Error(d)
	}
	for _, row := range c.Rows {
		if row.Mean.N > 0 || row.PassRate.N > 0 {
			t.Errorf("a row of numbers: %+v", row)
		}
	}
}
