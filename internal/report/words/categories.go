package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// categorySection shows how often each category is the answer, and to how much each question applies.
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
	return s
}

// Applies returns "applies to 41 of 64 calls (52–75 %)".
func Applies(s *report.ScoreRow) string {
	a := s.Applies
	return fmt.Sprintf("applies to %d of %s", a.Count, Counted(a.Of, s.Level)) + between(a.Rate)
}

// answersFact gives the shares of the answers to questions without a pass rate, and how many items
// each question applies to.
func answersFact(r *report.Report) Fact {
	var lines []string
	for i := range r.Scores {
		s := &r.Scores[i]
		if s.Source != string(score.Judge) || s.Purpose != "" {
			continue
		}
		var parts []string
		if s.Judged == 0 {
			for _, c := range s.Categories {
				parts = append(parts, share(c.Share.Value)+" "+Shorten(c.Category, 30))
			}
		}
		line := ""
		if parts != nil && s.N > 0 {
			line = "of " + Counted(s.N, s.Level) + " " + Some(parts, 5)
		}
		if s.Applies != nil {
			line = strings.TrimPrefix(line+"; "+Applies(s), "; ")
		}
		if line != "" {
			lines = append(lines, by(s.Name, s.Judge)+": "+line)
		}
	}
	return Fact{Name: "Answers", Lines: few(lines, listed)}
}

// categoryChanges shows how the shares of categories changed, of rubrics without verdicts or of all.
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
