package words

import (
	"fmt"
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

// answersFact says what judges answer to questions that say of no answer whether it passes, and what
// questions apply to.
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
