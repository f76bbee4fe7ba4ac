package words

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/report"
)

// Plan returns the document of a plan: how many conversations, then how many labels.
func Plan(p *report.Plan) *Document {
	d := &Document{Title: "Plan", ID: p.RunID}
	for i := range p.Judges {
		d.Sections = append(d.Sections, planSections(p, &p.Judges[i])...)
	}
	return d
}

func planSections(p *report.Plan, j *report.JudgePlan) []Section {
	of := ""
	if len(p.Judges) > 1 {
		of = ", by " + Shorten(j.Rate.Judge, 40)
	}
	from := Section{Name: "From", Title: "What the plan rests on" + of}
	from.Note(fmt.Sprintf("%s, in %s. The plan holds for conversations like these.", rateSentence(&j.Rate, true),
		Counted(j.Conversations, "conversation")))
	if j.Why != "" {
		from.Note("There is no plan: all items pass, or all fail, so that nothing says how much they vary.")
		return []Section{from}
	}
	if j.Rate.Level == report.CallLevel {
		from.Note(fmt.Sprintf("Calls of one conversation pass and fail together: their correlation (ICC) is %.2f.", j.ICC))
	}
	out := []Section{from}
	if p.Drop > 0 {
		out = append(out, plannedDrop(p, j, of))
	}
	if p.HalfWidth > 0 {
		s := Section{Name: "Width", Title: fmt.Sprintf("Labels for ±%g points%s", 100*p.HalfWidth, of)}
		s.Table(plannedLabels(j.WidthLabels), withJudge(j.WidthLabels))
		out = append(out, s)
	}
	return out
}

// plannedDrop says what two runs need to show a drop.
func plannedDrop(p *report.Plan, j *report.JudgePlan, of string) Section {
	labels := "the label " + Shorten(j.Reference, 60)
	if _, people := report.PeopleRubric(j.Reference); people {
		labels = "your labels"
	}
	drop := fmt.Sprintf("a drop of %g points", 100*p.Drop)
	s := Section{Name: "Drop",
		Title: fmt.Sprintf("Two runs that show %s with a chance of %s%s", drop, Share(p.Power, 0), of)}
	switch {
	case !j.Youden.Defined():
		s.Note("No labels say how much of a drop the judge sees: the numbers are for a drop of its own rate. With a " +
			"J of 0.5 it sees half of the agent's drop, and needs four times as many.")
	case *j.Youden.Value <= 0:
		s.Note(fmt.Sprintf("The judge alone shows no drop: its J against %s is %s.", labels, mean(j.Youden)))
	default:
		s.Note(fmt.Sprintf("Of %s the judge sees %s: its J against %s is %s.", drop,
			Fixed(100*p.Drop**j.Youden.Value, 1), labels, mean(j.Youden)))
	}
	if j.OtherTasks != nil && j.SameTasks != nil {
		s.Note(fmt.Sprintf("By the judge alone: %s in each run if the runs have different tasks. The same tasks in both "+
			"runs need fewer, %d at best; judge compare says how many as soon as there are two runs.",
			Counted(*j.OtherTasks, "conversation"), *j.SameTasks))
	}
	if len(j.DropLabels) > 0 {
		s.Note("Or label both runs, and compare their corrected rates. In each run:")
		s.Table(plannedLabels(j.DropLabels), withJudge(j.DropLabels))
	}
	return s
}

// plannedLabels lists the ways to label; the last columns are for a judge that is known to help.
func plannedLabels(rows []report.LabelPlan) *Table {
	heads := []string{"label of each conversation", "conversations", "labels", "with the judge: conversations", "labels"}
	if !slices.ContainsFunc(rows, judgeHelps) {
		heads = heads[:3]
	}
	t := NewTable("lrrrr"[:len(heads)], heads...)
	for _, r := range rows {
		cells := []any{"all calls"}
		if r.PerConversation > 0 {
			cells[0] = Counted(r.PerConversation, "call")
		}
		for _, n := range []*int{r.Conversations, r.Labels, r.JudgedConversations, r.JudgedLabels} {
			if n == nil {
				cells = append(cells, None)
			} else {
				cells = append(cells, *n)
			}
		}
		t.Add(cells[:len(heads)]...)
	}
	return t
}

func judgeHelps(r report.LabelPlan) bool { return r.JudgedConversations != nil }

// withJudge explains the last columns; "" if none.
func withJudge(rows []report.LabelPlan) string {
	if !slices.ContainsFunc(rows, judgeHelps) {
		return ""
	}
	return "with the judge: if it has also judged four times as many conversations that nobody labels, " +
		"and errs there as it does on the labelled ones"
}
