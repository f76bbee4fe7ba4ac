package gate

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
	"github.com/judgekit/judge/internal/spelling"
)

// line is the printed form of a result.
func line(g report.GateResult, r *report.Report) string {
	word := "FAIL"
	if g.Passed {
		word = "pass"
	}
	return word + "  " + name(g) + ": " + body(g, r)
}

func name(g report.GateResult) string {
	text := g.Score
	if g.Judge != "" {
		text += " by " + document.Shorten(g.Judge, 60)
	}
	if words := g.ReducedWords(); words != "" {
		text += ", " + words
	}
	switch {
	case g.Tool != "" && g.Reduced == "" && g.Level == report.ConversationLevel:
		text += " in conversations with " + document.Shorten(g.Tool, 60)
	case g.Tool != "":
		text += " on " + document.Shorten(g.Tool, 60)
	}
	if g.Reference != "" {
		text += " against " + document.Shorten(g.Reference, 60)
	}
	return text
}

func body(g report.GateResult, r *report.Report) string {
	switch g.Reason {
	case notMeasured:
		return fmt.Sprintf("%s has nothing to measure (%s)", g.Measure, why(g, r))
	case baselineJudge:
		return "decided by the built-in baseline, which nobody asked for by name; name it as a judge or configure an endpoint"
	case noBaseline:
		return fmt.Sprintf("the baseline run %q is not there", g.Against)
	case undecided:
		return fmt.Sprintf("undecided: %s, n = %d, no interval; strict would fail", compared(g), g.N)
	}
	return fmt.Sprintf("%s, n = %d (%s)", compared(g), g.N, decidedBy(g))
}

// decidedBy says what decided.
func decidedBy(g report.GateResult) string {
	switch {
	case g.P != nil && g.Tools > 1:
		return fmt.Sprintf("p %s after correction for %d tools decides", document.P(g.P), g.Tools)
	case g.P != nil:
		return fmt.Sprintf("p %s decides", document.P(g.P))
	case !g.Strict && g.Got.HasInterval() && g.Measure != "max_drop":
		return "the interval decides"
	}
	return "the point decides"
}

func compared(g report.GateResult) string {
	switch g.Measure {
	case "min_pass_rate", "min_coverage":
		return fmt.Sprintf("%s %s, at least %s %%", strings.ReplaceAll(strings.TrimPrefix(g.Measure, "min_"), "_", " "), g.Got.Percent(true), document.Short(100*g.Bound))
	case "max_drop":
		return fmt.Sprintf("pass rate dropped by %s points, at most %s", g.Got, document.Short(g.Bound))
	}
	return fmt.Sprintf("%s %s, at least %s", strings.TrimPrefix(g.Measure, "min_"), g.Got, document.Short(g.Bound))
}

// why says in words why there is nothing to measure.
func why(g report.GateResult, r *report.Report) string {
	switch g.Got.Reason {
	case noItems:
		if g.Measure == "max_drop" {
			return "no item has a verdict of it in both runs"
		}
	case noSuchScore:
		return "the run has no score of this name" + meant(g.Score, titles(r))
	case noSuchJudge:
		return "that judge gave no such score"
	case noSuchTool:
		return "no score of this name speaks of that tool" + meant(g.Tool, tools(r))
	case noCalls:
		return "it is a score of conversations, and no score speaks of their calls and so of tools; run schema_check or a judge beside it"
	case noReference:
		return "the run has no score or label of the name of the reference"
	case circular:
		return "the judge was shown what the reference decides by; they are not compared"
	case sharedRules:
		return "the judge applies the rules of the reference itself: that they agree says nothing"
	case byWhole:
		return "the two meet by conversation, where no tool is told from another; choose a reference that speaks of calls"
	case reportedQA:
		return "the score has purpose qa: it is reported apart and decides nothing"
	}
	return g.Got.Reason
}

// tools are the names that a gate may narrow itself to.
func tools(r *report.Report) []string {
	var out []string
	eachTool(r, func(tool string, _ report.ToolScore) { out = append(out, tool) })
	return out
}

// titles are the names that a gate can be about, of all scores of a run.
func titles(r *report.Report) []string {
	var out []string
	for _, s := range r.Scores {
		if s.Purpose != "qa" {
			out = append(out, s.Title())
		}
	}
	return out
}

// meant is the known name that was meant, as part of a message.
func meant(name string, known []string) string {
	if near := spelling.Nearest(name, known); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}
