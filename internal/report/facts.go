package report

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
)

// listed is how many failing calls, disagreements, judges and gates the short answers name.
const listed = 3

// Facts are the short answers of a report, at most 30 lines of text: what was judged, the
// agent's pass rate, how far each judge can be trusted, what fails and where, and what to do
// next. run is the directory as commands name it, "" for a run that is not kept.
func (r *Report) Facts(run string) words.Facts {
	all := words.Facts{
		{Name: "judged", Lines: []string{r.whatWasScored()}, Most: 3},
		{Name: "missing", Lines: few(r.MissingWords(), 2), Bad: true},
		r.gateFact(),
		{Name: "pass rate", Lines: r.rateWords(), Most: 3},
		r.trustFact(run),
		{Name: "changed", Lines: few(r.changeWords(), 2), Most: 3},
		{Name: "worst tools", Lines: r.Failing.toolWords()},
		r.Failing.fact(),
		r.Disagreements.fact(),
		{Name: "asked twice", Lines: few(r.noiseWords(), 2)},
		r.labelFact(),
		{Name: "notes", Lines: few(r.noteWords(), 3)},
		{Name: "next", Lines: r.nextWords(run), Whole: true},
	}
	return slices.DeleteFunc(all, func(f words.Fact) bool { return len(f.Lines) == 0 })
}

// few are the first lines and how many more there are.
func few(lines []string, most int) []string {
	if left := len(lines) - most; left > 0 {
		return append(lines[:most:most], fmt.Sprintf("%d more with --details", left))
	}
	return lines
}

func (r *Report) whatWasScored() string {
	parts := []string{words.Count(r.Counts.Calls, "tool call", "tool calls") + " in " +
		words.Count(r.Counts.Conversations, "conversation", "conversations")}
	if judges := r.Judges(); len(judges) > 0 {
		names := make([]string, len(judges))
		for i, j := range judges {
			names[i] = words.Shorten(j, 60)
			if r.Run.named().Judge(j).Baseline {
				names[i] += " (built-in rules, not a language model)"
			}
		}
		noun := "judge "
		if len(names) > 1 {
			noun = fmt.Sprintf("%d judges: ", len(names))
		}
		parts = append(parts, noun+words.Some(names, listed))
	}
	for _, of := range []struct {
		source    score.Source
		one, many string
	}{{score.Judge, "rubric", "rubrics"}, {score.Deterministic, "scorer", "scorers"}, {score.Label, "label", "labels"}} {
		names := map[string]bool{}
		for i := range r.Scores {
			if s := &r.Scores[i]; s.Source == string(of.source) && !IsPeople(s.Instrument) {
				names[s.Name] = true
			}
		}
		if len(names) > 0 {
			parts = append(parts, words.Count(len(names), of.one, of.many))
		}
	}
	if n := r.labels(); n > 0 {
		parts = append(parts, words.Count(n, "label", "labels")+" of yours")
	}
	if len(r.Scores) == 0 {
		parts = append(parts, "nothing was scored")
	}
	return strings.Join(parts, " · ")
}

// gateFact counts the gates and names those that fail.
func (r *Report) gateFact() words.Fact {
	var failed []string
	for _, g := range r.Gates {
		if !g.Passed {
			failed = append(failed, words.Shorten(g.Name(), 80))
		}
	}
	switch {
	case len(r.Gates) == 0:
		return words.Fact{}
	case len(failed) == 0:
		return words.Fact{Name: "gates", Lines: []string{
			words.Count(len(r.Gates), "gate passes", "gates pass")}}
	}
	return words.Fact{Name: "gates", Bad: true, Lines: []string{
		fmt.Sprintf("%d of %d fail: %s", len(failed), len(r.Gates), words.Some(failed, listed))}}
}

func (r *Report) changeWords() []string {
	var out []string
	for _, c := range r.Comparisons {
		out = append(out, c.headline())
	}
	return out
}

// noiseWords say how often a judge changed its mind about the overall rubric.
func (r *Report) noiseWords() []string {
	var out []string
	for _, n := range r.Noise {
		if r.IsWhole(n.Rubric) && n.Flips.Defined() {
			out = append(out, fmt.Sprintf("%s changed its verdict on %s%s", words.Shorten(n.Judge, 60),
				share(n.Flips.Value)+" of "+words.Count(n.N, n.Level, n.Level+"s"), between(n.Flips)))
		}
	}
	return out
}

// labelFact says what the calibration changed.
func (r *Report) labelFact() words.Fact {
	if r.Calibration == nil || r.Calibration.Words() == "" {
		return words.Fact{}
	}
	return words.Fact{Name: "labels", Lines: []string{r.Calibration.Words()}}
}

// where is "refund-wrong-amount:2 refund_payment (support.jsonl:4)".
func (c CaseRef) where() string {
	const longest = 40
	text := words.Shorten(c.ConversationID, 60)
	if c.CallIndex != nil {
		text = strings.TrimRight(fmt.Sprintf("%s:%d %s", text, *c.CallIndex, words.Shorten(c.Tool, 40)), " ")
	}
	place := c.Place
	if len(place) > longest {
		place = path.Base(place)
	}
	if place != "" {
		text += " (" + words.Shorten(place, 60) + ")"
	}
	return text
}

// noteWords are the warnings but those that say what the judge is.
func (r *Report) noteWords() []string {
	var out []string
	for _, w := range r.Warnings {
		if w.Code != "baseline" {
			out = append(out, w.Text)
		}
	}
	return out
}

// nextWords are the commands to go on with.
func (r *Report) nextWords(run string) []string {
	if run == "" {
		return nil
	}
	run = nameOf(run)
	out := []string{
		fmt.Sprintf("judge view %s   # read, filter and label calls in the browser", run),
		fmt.Sprintf("judge report %s --details   # every table", run),
	}
	if len(r.Failing.Items) > 0 && len(r.Failing.Items[0].ConversationID) <= 60 {
		c := r.Failing.Items[0].CaseRef
		at := c.ConversationID
		if c.CallIndex != nil {
			at += fmt.Sprintf(":%d", *c.CallIndex)
		}
		out = append(out, fmt.Sprintf("judge show %s %s   # everything about one call", run, words.ShellWord(at)))
	}
	return out
}

// nameOf is a run as a command names it; RUN if that is long or not known.
func nameOf(run string) string {
	const longest = 80
	if run == "" || len(run) > longest {
		run = "RUN"
	}
	return words.ShellWord(run)
}
