package words

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// listed limits how many groups of failing calls, disagreements, judges and gates the short answers name.
const listed = 3

// Card returns the short answers of a report, at most 30 lines of text: what was judged, how often
// the agent is right, how far each judge can be trusted, why calls fail, and what to do next. run
// is the directory as commands name it; "" if the run is not kept.
func Card(r *report.Report, run string) Facts {
	if r.Probe != nil {
		return probeCard(r, run)
	}
	answers := Answers(r)
	all := Facts{
		{Lines: []string{whatWasScored(r)}, Most: 3},
		{Name: "Attention", Lines: few(Missing(r), 2), Bad: true},
		gateFact(r),
		{Name: isRight, Block: true, Lines: rateWords(r), Most: 3},
		{Name: "Answers", Lines: answers, Most: len(answers), Least: len(answers)},
		trustFact(r, run),
		{Name: "Changed", Lines: few(changeWords(r), 2), Most: 3},
		failingFact(r, run),
		disagreementFact(r),
		{Name: "Asked twice", Lines: few(noiseWords(r), 2)},
		labelFact(r),
		{Name: "Notes", Lines: few(noteWords(r), 3)},
		{Name: "Next", Lines: nextWords(r, run), Whole: true},
	}
	return slices.DeleteFunc(all, func(f Fact) bool { return len(f.Lines)+len(f.Items) == 0 })
}

// few returns the first lines, and says how many more there are.
func few(lines []string, most int) []string {
	if left := len(lines) - most; left > 0 {
		return append(lines[:most:most], fmt.Sprintf("%d more with --details", left))
	}
	return lines
}

func whatWasScored(r *report.Report) string {
	parts := []string{Counted(r.Counts.Calls, "tool call") + " in " +
		Counted(r.Counts.Conversations, "conversation")}
	if judges := r.Judges(); len(judges) > 0 {
		names := make([]string, len(judges))
		for i, j := range judges {
			names[i] = Shorten(j, 60)
			if r.Run.Judge(j).Baseline {
				names[i] += " (built-in rules, not a language model)"
			}
		}
		noun := "judge "
		if len(names) > 1 {
			noun = fmt.Sprintf("%d judges: ", len(names))
		}
		parts = append(parts, noun+Some(names, listed))
	}
	for _, of := range []struct {
		source    score.Source
		one, many string
	}{{score.Judge, "rubric", "rubrics"}, {score.Deterministic, "scorer", "scorers"}, {score.Label, "kind of label", "kinds of labels"}} {
		names := map[string]bool{}
		for i := range r.Scores {
			if s := &r.Scores[i]; s.Source == string(of.source) && !report.IsPeople(s.Instrument) {
				names[s.Name] = true
			}
		}
		if of.source == score.Judge && len(names) > 0 {
			parts = append(parts, rubricWords(r, names)...)
		} else if len(names) > 0 {
			parts = append(parts, Count(len(names), of.one, of.many))
		}
	}
	yours := 0
	for i := range r.Scores {
		if s := &r.Scores[i]; report.IsPeople(s.Instrument) {
			yours += s.N + s.NotApplicable
		}
	}
	if yours > 0 {
		parts = append(parts, Counted(yours, "label")+" of yours")
	}
	if len(r.Scores) == 0 {
		parts = append(parts, "nothing was scored")
	}
	return strings.Join(parts, " · ")
}

// rubricWords names the rubrics that were asked, or counts them if their names are long, and names
// those that asked nothing because their conditions were never met.
func rubricWords(r *report.Report, asked map[string]bool) []string {
	const longest = 60
	var names, idle []string
	for _, rubric := range r.Run.Rubrics {
		if asked[rubric.Name] {
			names = append(names, Shorten(rubric.Name, 60))
		} else {
			idle = append(idle, Shorten(rubric.Name, 60))
		}
	}
	out := []string{Count(len(asked), "rubric", "rubrics")}
	if list := strings.Join(names, ", "); len(names) == len(asked) && len(list) <= longest {
		out[0] = strings.TrimLeft(out[0], "0123456789 ") + " " + list
	}
	if idle != nil {
		out = append(out, Some(idle, listed)+" asked nothing")
	}
	return out
}

// gateFact counts the gates and names those that failed.
func gateFact(r *report.Report) Fact {
	var failed []string
	for _, g := range r.Gates {
		if !g.Passed {
			failed = append(failed, Shorten(GateName(g), 80))
		}
	}
	switch {
	case len(r.Gates) == 0:
		return Fact{}
	case len(failed) == 0:
		return Fact{Name: "Gates", Lines: []string{
			Count(len(r.Gates), "gate passes", "gates pass")}}
	}
	return Fact{Name: "Gates", Bad: true, Lines: []string{
		fmt.Sprintf("%d of %d fail: %s", len(failed), len(r.Gates), Some(failed, listed))}}
}

func changeWords(r *report.Report) []string {
	var out []string
	for _, c := range r.Comparisons {
		out = append(out, comparisonHeadline(c))
	}
	return out
}

// noiseWords says how often a judge changed its mind about the overall rubric.
func noiseWords(r *report.Report) []string {
	var out []string
	for _, n := range r.Noise {
		if r.IsWhole(n.Rubric) && n.Flips.Defined() {
			said := " changed its verdict"
			if n.Together {
				said = ", asked by all rubrics at once, decides otherwise"
			}
			out = append(out, fmt.Sprintf("%s%s on %s%s", Shorten(n.Judge, 60), said,
				share(n.Flips.Value)+" of "+Count(n.N, n.Level, n.Level+"s"), between(n.Flips)))
		}
	}
	return out
}

// labelFact says what the calibration changed.
func labelFact(r *report.Report) Fact {
	if r.Calibration == nil || Applied(r.Calibration) == "" {
		return Fact{}
	}
	return Fact{Name: "Labels", Lines: []string{Applied(r.Calibration)}}
}

// where returns the item and its place: "refund-wrong-amount:2 refund_payment (support.jsonl:4)",
// or "conversation refund-wrong-amount (support.jsonl:4)".
func where(c report.CaseRef) string {
	text := Shorten(c.ConversationID, 60)
	if c.CallIndex != nil {
		text = strings.TrimRight(fmt.Sprintf("%s:%d %s", text, *c.CallIndex, Shorten(c.Tool, 40)), " ")
	} else if c.Turn > 0 {
		text = fmt.Sprintf("turn %d of %s", c.Turn, text)
	} else {
		text = "conversation " + text
	}
	if c.Place != "" {
		text += " (" + Shorten(path.Base(c.Place), 60) + ")"
	}
	return text
}

// noteWords returns the warnings, except those that say what the judge is.
func noteWords(r *report.Report) []string {
	var out []string
	for _, w := range r.Warnings {
		if w.Code != "baseline" {
			out = append(out, w.Text)
		}
	}
	return out
}

// nextWords returns the commands for the next steps.
func nextWords(r *report.Report, run string) []string {
	if run == "" {
		return nil
	}
	run = nameOf(run)
	out := []string{
		fmt.Sprintf("judge view %s   # read, filter and label %ss in the browser", run, mainLevel(r)),
		fmt.Sprintf("judge report %s --details   # every table", run),
	}
	if c := firstCase(r); c.ConversationID != "" && len(c.ConversationID) <= 60 {
		out = append(out, fmt.Sprintf("judge show %s %s   # everything about one %s", run, ShellWord(c.ItemName()),
			kindOf(c)))
	}
	return out
}

// mainLevel returns the level that judges were mainly asked about: calls, or else conversations,
// turns, results.
func mainLevel(r *report.Report) string {
	for _, level := range []string{report.CallLevel, report.ConversationLevel, report.TurnLevel, report.ResultLevel} {
		for i := range r.Scores {
			if s := &r.Scores[i]; s.Source == string(score.Judge) && s.Level == level {
				return level
			}
		}
	}
	return report.CallLevel
}

// kindOf returns whether a case is a call, a turn or a conversation.
func kindOf(c report.CaseRef) string {
	switch {
	case c.Turn > 0:
		return report.TurnLevel
	case c.CallIndex == nil:
		return report.ConversationLevel
	}
	return report.CallLevel
}

// firstCase returns the example of the largest group, or else the first failing item.
func firstCase(r *report.Report) report.CaseRef {
	switch {
	case len(r.FailureGroups) > 0:
		return r.FailureGroups[0].Example.CaseRef
	case len(r.Failing.Items) > 0:
		return r.Failing.Items[0].CaseRef
	}
	return report.CaseRef{}
}

// nameOf returns a run's name in a command; RUN if it is long or unknown.
func nameOf(run string) string {
	const longest = 80
	if run == "" || len(run) > longest {
		run = "RUN"
	}
	return ShellWord(run)
}

// Between says who contradicts whom: "judge-a says fail, human says pass".
func Between(d *report.Disagreement) string {
	judge, reference := "fail", "pass"
	if d.Direction == report.JudgePasses {
		judge, reference = reference, judge
	}
	names := []string{Shorten(d.Judge, 60)}
	for _, other := range d.OtherJudges {
		names = append(names, Shorten(other, 60))
	}
	says := " says "
	if len(names) > 1 {
		says = " say "
	}
	by := Shorten(d.By(), 60) + " says "
	if _, people := report.PeopleRubric(d.By()); people {
		by = "you say "
	}
	return Some(names, listed) + says + judge + ", " + by + reference
}

// disagreementFact counts the disagreements and names the first.
func disagreementFact(r *report.Report) Fact {
	d := &r.Disagreements
	who := "The judge and your data disagree on "
	if len(r.Judges()) > 1 {
		who = "The judges and your data disagree on "
	}
	out := Fact{Block: true, Name: who + disagreementCount(d) + ", strongest first"}
	for i := range d.Items[:min(listed, len(d.Items))] {
		out.Items = append(out.Items, where(d.Items[i].CaseRef)+": "+Between(&d.Items[i]))
	}
	return out
}

// disagreementCount returns "9 calls and 10 conversations".
func disagreementCount(d *report.Disagreements) string {
	var parts []string
	if d.Calls > 0 {
		parts = append(parts, Counted(d.Calls, "call"))
	}
	if whole := d.Total - d.Calls; whole > 0 {
		parts = append(parts, Counted(whole, "conversation"))
	}
	return strings.Join(parts, " and ")
}

// failingFact counts the failing items, and names the largest groups.
func failingFact(r *report.Report, run string) Fact {
	f := &r.Failing
	by := Shorten(cmp.Or(f.By.Judge, f.By.Title()), 60)
	switch {
	case f.N == 0:
		return Fact{}
	case f.Total == 0:
		return Fact{Name: "Failing", Lines: []string{fmt.Sprintf("none of %s, says %s", Counted(f.N, f.By.Level), by)}}
	}
	out := Fact{Block: true, Name: fmt.Sprintf("Why %ss fail (%d of %d, says %s)", f.By.Level, f.Total, f.N, by)}
	for i := range r.FailureGroups[:min(listed, len(r.FailureGroups))] {
		out.Items = append(out.Items, GroupLine(&r.FailureGroups[i]))
	}
	if left := f.Groups - len(out.Items); left > 0 {
		more := Counted(left, "more group")
		if run != "" {
			more += ": judge view " + nameOf(run)
		}
		out.Items = append(out.Items, more)
	}
	return out
}
