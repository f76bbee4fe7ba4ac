package words

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// disagreementSection lists the conflicts, each with the two sides' reasons. The page has its table
// of calls instead.
func disagreementSection(r *report.Report) Section {
	const most = 10
	all := &r.Disagreements
	title := fmt.Sprintf("Disagreements, strongest first (%d)", all.Total)
	s := Section{Name: "Disagreements", Title: title, Do: "Read the first ten. " + whoIsWrong +
		" The strongest come first, so this list does not say how often a judge errs."}
	l := List{Most: most, More: "are in report.json; see one in full with: judge show RUN CONVERSATION:CALL"}
	for i := range all.Items {
		d := &all.Items[i]
		l.Items = append(l.Items, Item{
			Title: fmt.Sprintf("%d. %s", d.Rank, whereabouts(d.CaseRef)), Words: verdictLine(d), Lines: reasons(d),
		})
	}
	if len(l.Items) == 0 {
		return s
	}
	s.List(l)
	if left := all.Total - len(l.Items); left > 0 {
		s.Note(Count(left, "is", "are") + " not listed; the whole run is in scores.jsonl.")
	}
	return s
}

func whereabouts(c report.CaseRef) string {
	c.ConversationID = value.Excerpt(c.ConversationID, 80)
	out := c.ItemName()
	if c.CallIndex != nil {
		out += " " + value.Excerpt(c.Tool, 60)
	}
	if c.Place != "" {
		out += "  (" + value.Excerpt(c.Place, 160) + ")"
	}
	return out
}

// verdictLine says who decided what, with the judge's score and confidence.
func verdictLine(d *report.Disagreement) string {
	text := Between(d)
	if d.Level == report.ConversationLevel {
		text += " (whole conversation)"
	}
	if i := slices.IndexFunc(d.Judgements, conflicts); i >= 0 {
		text += ": " + Shorten(d.Judgements[i].Name, 60) + " " + sideValue(d.Judgements[i])
	}
	if i := slices.IndexFunc(d.References, conflicts); i >= 0 {
		text += ", " + Shorten(d.References[i].Name, 60) + " " + sideValue(d.References[i])
	}
	var with []string
	for _, s := range d.References {
		switch {
		case d.CallIndex == nil && s.CallIndex != nil:
			text += fmt.Sprintf("; %s fails its call %d", Shorten(s.Name, 60), *s.CallIndex)
		case s.Source == string(score.Label) && slices.Contains(d.SidesWithJudge, s.Name):
			with = append(with, Shorten(s.Name, 60)) // another label may decide otherwise than this one
		}
	}
	if len(with) > 0 {
		text += "; with the judge: " + Some(with, 3)
	}
	return text
}

func conflicts(s report.Side) bool { return s.Conflicts }

func sideValue(s report.Side) string {
	text := None
	if s.Value != nil {
		text = Short(*s.Value)
	}
	if s.Confidence != nil {
		text += " (confidence " + Fixed(*s.Confidence, 2) + ")"
	}
	return text
}

// reasons returns, for the judge and the reference, the shortened explanation of the score that
// contradicts the other side, else of a score of one call.
func reasons(d *report.Disagreement) []string {
	const most = 240
	var out []string
	for _, side := range [][]report.Side{d.Judgements, d.References} {
		says := func(s report.Side) bool { return s.Explanation != "" && (s.Conflicts || s.CallIndex != nil) }
		i := slices.IndexFunc(side, func(s report.Side) bool { return s.Conflicts && says(s) })
		if i < 0 {
			i = slices.IndexFunc(side, says)
		}
		if i >= 0 {
			name := Shorten(side[i].Name, 60)
			if call := side[i].CallIndex; call != nil {
				name += fmt.Sprintf(" on call %d", *call)
			}
			out = append(out, name+": "+Shorten(side[i].Explanation, most))
		}
	}
	return out
}
