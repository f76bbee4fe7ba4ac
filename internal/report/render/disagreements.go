package render

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// disagreementSection lists the conflicts, each with the two sides' reasons. The page has
// its table of calls in its place.
func disagreementSection(r *report.Report) document.Section {
	const most = 10
	all := &r.Disagreements
	title := fmt.Sprintf("Disagreements, the strongest first (%d)", all.Total)
	s := document.Section{Name: "Disagreements", Title: title, Do: "Read the first ten and decide who is wrong: the " +
		"judge, the reference, or nobody, where the call is a valid alternative. The strongest conflicts come first, " +
		"so this list says nothing about how often a judge errs."}
	l := document.List{Most: most, More: "are in report.json; see one in full with: judge show RUN CONVERSATION:CALL"}
	for i := range all.Items {
		d := &all.Items[i]
		l.Items = append(l.Items, document.Item{
			Title: fmt.Sprintf("%d. %s", d.Rank, whereabouts(d.CaseRef)), Words: verdictLine(d), Lines: reasons(d),
		})
	}
	if len(l.Items) == 0 {
		return s
	}
	s.List(l)
	if left := all.Total - len(l.Items); left > 0 {
		s.Note(fmt.Sprintf("%d are not listed; the whole run is in scores.jsonl.", left))
	}
	return s
}

func whereabouts(c report.CaseRef) string {
	out := value.Excerpt(c.ConversationID, 80)
	if c.CallIndex != nil {
		out += fmt.Sprintf(":%d %s", *c.CallIndex, value.Excerpt(c.Tool, 60))
	}
	if c.Place != "" {
		out += "  (" + value.Excerpt(c.Place, 160) + ")"
	}
	return out
}

// verdictLine says who decided what.
func verdictLine(d *report.Disagreement) string {
	var judges, refs, with []string
	for _, s := range d.Judgements {
		if s.Conflicts {
			judges = append(judges, shorten(s.Name, 60)+" "+sideValue(s))
		}
	}
	for _, s := range d.References {
		if s.Conflicts {
			refs = append(refs, shorten(s.Name, 60)+" "+sideValue(s))
		}
		// Labels have the last word, not the references that contradict the judge.
		if s.Source == string(score.Label) && slices.Contains(d.SidesWithJudge, s.Name) {
			with = append(with, shorten(s.Name, 60))
		}
	}
	word, other := "fails", "passed"
	if d.Direction == report.JudgePasses {
		word, other = "passes", "failed"
	}
	text := fmt.Sprintf("%s %s it: %s; %s by %s",
		d.Judge, word, document.Some(judges, 2), other, document.Some(refs, 3))
	if len(with) > 0 {
		text += "; with the judge: " + document.Some(with, 3)
	}
	return text
}

func sideValue(s report.Side) string {
	text := document.None
	if s.Value != nil {
		text = document.Short(*s.Value)
	}
	if s.Confidence != nil {
		text += " (confidence " + document.Fixed(*s.Confidence, 2) + ")"
	}
	return text
}

// reasons are the two sides' words, shortened.
func reasons(d *report.Disagreement) []string {
	const most = 240
	var out []string
	for _, side := range [][]report.Side{d.Judgements, d.References} {
		i := slices.IndexFunc(side, func(s report.Side) bool { return s.Conflicts && s.Explanation != "" })
		if i >= 0 {
			out = append(out, shorten(side[i].Name, 60)+": "+shorten(side[i].Explanation, most))
		}
	}
	return out
}
