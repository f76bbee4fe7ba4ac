package measure_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
