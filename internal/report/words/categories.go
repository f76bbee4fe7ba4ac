package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// categorySection shows how often each category is the answer, and how often each question applies.
func categorySection(r *report.Report) Section {
	t := NewTable("llreb", "score", "answer", "n", "share", "0 to 100 %")
	t.Most = 500
	var shown []report.Estimate
	s := Section{Name: "Categories", Title: "Answers by category, and what questions apply to"}
	for i := range r.Scores {
		row := &r.Scores[i]
		if len(row.Categories) > 0 {
			t.Group(groupOf(row.Instrument))
		}
		for _, c := range row.Categories {
			t.Add(titleOf(r, row.Instrument), Shorten(c.Category, 60), c.N, rate(c.Share), bar(c.Share, "bar"))
			shown = append(shown, c.Share)
		}
	}
	s.Table(t, "share = of all answers in which the question applies", withoutInterval(shown...))
	for i := range r.Scores {
		if row := &r.Scores[i]; row.Applies != nil {
			s.Note(Shorten(row.Words(), 100) + " " + Applies(row) + ".")
		}
	}
	for i := range r.Agreement {
		row := &r.Agreement[i]
		againstLabels(&s, by(row.Rubric, row.Judge), row.Ratings, row.Applies)
	}
	return s
}

// againstLabels adds how a judge's categories compare to the labels', and how their answers compare
// on whether the question applies.
func againstLabels(s *Section, judge string, r *report.Ratings, a *report.Applicability) {
	if n, same := counted(r); n > 0 {
		s.Note(fmt.Sprintf("%s gives the category of your label on %d of %d%s: kappa %s, AC1 %s.", judge, same, n,
			between(r.Same), inLine(kappa(r.Kappa)), inLine(mean(r.AC))))
		if len(r.Matrix) <= maxCategories {
			s.Table(matrix("your label \\ "+judge, r))
		}
	}
	if a != nil {
		s.Note(fmt.Sprintf("Does %s apply? Yes by you and the judge on %d of %d, by neither on %d, only by the judge on %d, "+
			"only by you on %d: kappa %s.", judge, a.Both, a.N, a.Neither, a.OnlyJudge, a.OnlyReference, inLine(kappa(a.Kappa))))
	}
}

// inLine returns a number with its interval, for a sentence.
func inLine(c Cell) string { return strings.TrimSpace(c.Text + " " + c.Ends) }

// counted returns the number of pairs of categories, and how many of them are equal.
func counted(r *report.Ratings) (n, same int) {
	if r == nil {
		return 0, 0
	}
	for i, row := range r.Matrix {
		same += row[i]
		for _, pairs := range row {
			n += pairs
		}
	}
	return n, same
}

// maxCategories limits the size of the printed matrices.
const maxCategories = 12

// matrix counts pairs of categories: the reference's in rows, the judge's in columns. Recall is the
// share of a row for which the judge has the same category.
func matrix(corner string, r *report.Ratings) *Table {
	t := NewTable("l"+strings.Repeat("r", len(r.Matrix))+"e", corner)
	for _, category := range r.Categories {
		t.Heads = append(t.Heads, Shorten(category, 20))
	}
	t.Heads = append(t.Heads, "recall")
	for i, counts := range r.Matrix {
		cells := []any{Shorten(r.Categories[i], 60)}
		for _, n := range counts {
			cells = append(cells, n)
		}
		t.Add(append(cells, rate(r.Recall[i]))...)
	}
	return t
}

// NotApplicable is the answer to a question that does not apply.
const NotApplicable = "does not apply"

// Applies returns "applies to 41 of 64 calls (52–75 %)".
func Applies(s *report.ScoreRow) string {
	a := s.Applies
	return fmt.Sprintf("applies to %d of %s", a.Count, Counted(a.Of, s.Level)) + between(a.Rate)
}

// Answers says in one line what the answers to each question are, as far as the rates above it do
// not say so, and to how many items it applies. If several judges answer, it returns a few lines.
func Answers(r *report.Report) []string {
	var lines []string
	for i := range r.Scores {
		s := &r.Scores[i]
		if s.Source != string(score.Judge) || s.Purpose != "" {
			continue
		}
		line := answerWords(r, s)
		if s.Applies != nil {
			line = strings.TrimPrefix(line+"; "+Applies(s), "; ")
		}
		if line != "" {
			lines = append(lines, by(s.Name, s.Judge)+": "+line)
		}
	}
	most := listed
	if len(r.Judges()) == 1 {
		most = 7
	}
	return few(lines, most)
}

// answerWords returns "58 % of 64 results pass (46–69 %)" or, without a pass rate, "of 42 turns 43 % kind, 57 %
// rude" or "mean 2.7 of 64 calls (2.3–3.0)"; "" if the rate was already given, and for an aspect of calls.
func answerWords(r *report.Report, s *report.ScoreRow) string {
	of := Counted(s.N, s.Level)
	switch {
	case s.N == 0:
		return ""
	case s.Judged > 0 && (isHeadline(r, s) || isAspect(r, s)):
		return ""
	case s.Judged > 0:
		return share(s.PassRate.Value) + " of " + Counted(s.Judged, s.Level) + " pass" + between(s.PassRate)
	case len(s.Categories) == 0:
		return "mean " + inLine(mean(r.BoundedMean(s))) + " of " + of
	}
	var parts []string
	for _, c := range s.Categories {
		parts = append(parts, share(c.Share.Value)+" "+Shorten(c.Category, 30))
	}
	return "of " + of + " " + Some(parts, 5) + sameAsLabels(r, s)
}

// isHeadline reports whether the first rates of a report include the rate by a judge's rubric.
func isHeadline(r *report.Report, s *report.ScoreRow) bool {
	return slices.ContainsFunc(r.Headline.Rates, func(h report.HeadlineRate) bool {
		return h.Judge == s.Judge && h.Name == s.Name && h.Level == s.Level
	})
}

// isAspect reports whether a rubric is about an aspect of calls, and another rubric is the overall one.
func isAspect(r *report.Report, s *report.ScoreRow) bool {
	return s.Level == report.CallLevel && !report.IsOverall(s.Name) &&
		slices.ContainsFunc(r.Scores, func(o report.ScoreRow) bool { return o.Judge == s.Judge && report.IsOverall(o.Name) })
}

// sameAsLabels says for how many labels a judge gives the same category; "" if there are no labels.
func sameAsLabels(r *report.Report, s *report.ScoreRow) string {
	for i := range r.Agreement {
		a := &r.Agreement[i]
		if n, same := counted(a.Ratings); n > 0 && a.Judge == s.Judge && a.Rubric == s.Name {
			return fmt.Sprintf(", as your label on %d of %d", same, n)
		}
	}
	return ""
}

// categoryChanges shows how the shares of categories changed, for rubrics without verdicts or for all.
func categoryChanges(c *report.Comparison, all bool) Section {
	t := NewTable("llrrrerl", "score", "answer", "n", "A", "B", "difference", "p", "")
	t.Most = 100
	for i := range c.Categories {
		r := &c.Categories[i]
		judged := func(row report.ChangeRow) bool { return row.Instrument == r.Instrument && row.PassRate.N > 0 }
		if ch := r.Share; ch.N > 0 && (all || !slices.ContainsFunc(c.Rows, judged)) {
			word := ch.Outcome()
			switch word {
			case report.Better:
				word = "more"
			case report.Worse:
				word = "fewer"
			}
			t.Group(groupOf(r.Instrument))
			t.Add(r.Title(), Shorten(r.Category, 60), ch.N, rate(ch.A), rate(ch.B), rate(ch.Delta), P(ch.PHolm.Value), word)
		}
	}
	return section("Categories", "Answers by category (A to B)", t, "share of each category on the items that both runs "+
		"answered; ~ no clear change; p is corrected by Holm for the categories of a rubric")
}
