package measure

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/spelling"
)

// line is the printed form of a result.
func gateLine(g report.GateResult, r *report.Report) string {
	word := "FAIL"
	if g.Passed {
		word = "pass"
	}
	return word + "  " + gateName(g) + ": " + gateBody(g, r)
}

func gateName(g report.GateResult) string {
	text := g.Score
	if g.Judge != "" {
		text += " by " + words.Shorten(g.Judge, 60)
	}
	if how := words.Reduced(g.Reduced); how != "" {
		text += ", " + how
	}
	switch {
	case g.Tool != "" && g.Reduced == "" && g.Level == report.ConversationLevel:
		text += " in conversations with " + words.Shorten(g.Tool, 60)
	case g.Tool != "":
		text += " on " + words.Shorten(g.Tool, 60)
	}
	if g.Reference != "" {
		text += " against " + words.Shorten(g.Reference, 60)
	}
	return text
}

func gateBody(g report.GateResult, r *report.Report) string {
	switch g.Reason {
	case notMeasured:
		return fmt.Sprintf("%s has nothing to measure (%s)", g.Measure, whyUnmeasured(g, r))
	case baselineJudge:
		return "decided by the built-in baseline, which was not named; name it as a judge or configure an endpoint"
	case noBaseline:
		return fmt.Sprintf("the baseline run %q is not there", g.Against)
	case undecided:
		none := "no interval"
		if why := words.Why(g.Got); why != "" {
			none += " (" + why + ")"
		}
		return fmt.Sprintf("undecided: %s, n = %d, %s; strict would fail", gateCompared(g), g.N, none)
	}
	return fmt.Sprintf("%s, n = %d (%s)", gateCompared(g), g.N, decidedBy(g))
}

// decidedBy says what decided.
func decidedBy(g report.GateResult) string {
	switch {
	case g.P != nil && g.Tools > 1:
		return fmt.Sprintf("p %s after correction for %d tools decides", words.P(g.P), g.Tools)
	case g.P != nil:
		return fmt.Sprintf("p %s decides", words.P(g.P))
	case !g.Strict && g.Got.HasInterval() && g.Measure != maxDrop:
		return "the interval decides"
	}
	return "the point decides"
}

func gateCompared(g report.GateResult) string {
	g.Got.Reason = "" // of a missing interval, which the line says itself where it matters
	switch g.Measure {
	case minPassRate, minCoverage:
		name := strings.ReplaceAll(strings.TrimPrefix(g.Measure, "min_"), "_", " ")
		return fmt.Sprintf("%s %s, at least %s %%", name, words.PercentEstimate(g.Got), words.Short(100*g.Bound))
	case maxDrop:
		return fmt.Sprintf("pass rate dropped by %s points, at most %s", words.Estimate(g.Got), words.Short(g.Bound))
	}
	return fmt.Sprintf("%s %s, at least %s", strings.TrimPrefix(g.Measure, "min_"), words.Estimate(g.Got), words.Short(g.Bound))
}

// The reasons why there is nothing to measure, beside those of estimates.
const (
	noItems     = "no_items"
	noSuchScore = "no_such_score"
	noSuchJudge = "no_such_judge"
	noSuchTool  = "no_such_tool"
	noToolCalls = "no_calls"
	noReference = "no_such_reference"
	circular    = "circular"
	sharedRules = "shared_rules"
	byWhole     = "by_conversation"
	reportedQA  = "qa"
	noGoldGate  = "no_gold"
)

// reasons are the words for them.
var unmeasuredReasons = map[string]string{
	noSuchScore: "the run has no score of this name",
	noSuchJudge: "that judge gave no such score",
	noSuchTool:  "no score of this name is of that tool",
	noToolCalls: "it is a score of conversations, and no score is of their calls, which name the tools; " +
		"add a judge, or a scorer of calls (docs/scorers.md lists them)",
	noReference: "the run has no score or label of the name of the reference",
	circular:    "the judge was shown what the reference decides by; they are not compared",
	sharedRules: "the judge applies the rules of the reference itself: that they agree says nothing",
	byWhole:     "the two are compared by conversation, which has several tools; choose a reference that scores calls",
	noGoldGate: "without a label or an execution check no reference is evidence in both directions, as kappa needs; " +
		"name one with reference",
	reportedQA: "the score has purpose qa: it is reported apart and decides nothing",
}

// why says in words why there is nothing to measure.
func whyUnmeasured(g report.GateResult, r *report.Report) string {
	text := cmp.Or(unmeasuredReasons[g.Got.Reason], g.Got.Reason)
	switch {
	case g.Got.Reason == noItems && g.Measure == maxDrop:
		return "no item has a verdict of it in both runs"
	case g.Got.Reason == noSuchScore:
		return text + didYouMean(g.Score, gateTitles(r))
	case g.Got.Reason == noSuchTool:
		return text + didYouMean(g.Tool, gateTools(r))
	}
	return text
}

// tools are the names that a gate may narrow itself to.
func gateTools(r *report.Report) []string {
	var out []string
	eachTool(r, func(tool string, _ report.ToolScore) { out = append(out, tool) })
	return out
}

// titles are the names that a gate can be about, of all scores of a run.
func gateTitles(r *report.Report) []string {
	var out []string
	for _, s := range r.Scores {
		if s.Purpose != "qa" {
			out = append(out, s.Title())
		}
	}
	return out
}

// meant is the known name that was meant, as part of a message.
func didYouMean(name string, known []string) string {
	if near := spelling.Nearest(name, known); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}
