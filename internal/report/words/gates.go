package words

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/spelling"
)

// GateLine returns the line to print for a result.
func GateLine(g report.GateResult, r *report.Report) string {
	word := "FAIL"
	if g.Passed {
		word = "pass"
	}
	return word + "  " + gateName(g, "") + ": " + gateBody(g, r)
}

// GateName names the condition of a gate: "support min_pass_rate by judge-a on refund".
func GateName(g report.GateResult) string { return gateName(g, " "+g.Measure) }

func gateName(g report.GateResult, measure string) string {
	text := g.Score + measure
	if g.Category != "" {
		text += " of " + Shorten(g.Category, 60)
	}
	if g.Judge != "" {
		text += " by " + Shorten(g.Judge, 60)
	}
	if how := Reduced(g.Reduced); how != "" {
		text += ", " + how
	}
	switch {
	case g.Tool != "" && g.Reduced == "" && g.Level == report.ConversationLevel:
		text += " in conversations with " + Shorten(g.Tool, 60)
	case g.Tool != "":
		text += " on " + Shorten(g.Tool, 60)
	}
	if g.Reference != "" {
		text += " against " + Shorten(g.Reference, 60)
	}
	return text
}

func gateBody(g report.GateResult, r *report.Report) string {
	switch g.Reason {
	case report.GateNotMeasured:
		return fmt.Sprintf("%s has nothing to measure (%s)", g.Measure, whyUnmeasured(g, r))
	case report.GateBaselineJudge:
		return "decided by the built-in baseline, because no judge was named; name it as a judge or configure an endpoint"
	case report.GateNoBaseline:
		return fmt.Sprintf("the baseline run %q is not there", g.Against)
	case report.GateUndecided:
		none := "no interval"
		if why := Why(g.Got); why != "" {
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
		return fmt.Sprintf("p %s after correction for %d tools decides", P(g.P), g.Tools)
	case g.P != nil:
		return fmt.Sprintf("p %s decides", P(g.P))
	case !g.Strict && g.Got.HasInterval() && g.Measure != report.MeasureMaxDrop:
		return "the interval decides"
	}
	return "the point decides"
}

func gateCompared(g report.GateResult) string {
	g.Got.Reason = "" // the line says itself why an interval is missing, if it matters
	switch g.Measure {
	case report.MeasureMinPassRate, report.MeasureMinCoverage:
		name := strings.ReplaceAll(strings.TrimPrefix(g.Measure, "min_"), "_", " ")
		return fmt.Sprintf("%s %s, at least %s %%", name, PercentEstimate(g.Got), Short(100*g.Bound))
	case report.MeasureMinFound:
		return fmt.Sprintf("found %s, at least %s %%", PercentEstimate(g.Got), Short(100*g.Bound))
	case report.MeasureMaxRate:
		return fmt.Sprintf("share %s, at most %s %%", PercentEstimate(g.Got), Short(100*g.Bound))
	case report.MeasureMaxDrop:
		return fmt.Sprintf("pass rate dropped by %s points, at most %s", Estimate(g.Got), Short(g.Bound))
	}
	return fmt.Sprintf("%s %s, at least %s", strings.TrimPrefix(g.Measure, "min_"), Estimate(g.Got), Short(g.Bound))
}

// unmeasuredReasons says why there is nothing to measure.
var unmeasuredReasons = map[string]string{
	report.GateNoSuchScore: "the run has no score of this name",
	report.GateNoSuchJudge: "that judge gave no such score",
	report.GateNoSuchTool:  "no score of this name is of that tool",
	report.GateNoToolCalls: "it is a score of conversations, and no score is of their calls, which name the tools; " +
		"add a judge, or a scorer of calls (docs/scorers.md lists them)",
	report.GateNoReference: "the run has no score or label of the name of the reference",
	report.GateCircular:    wasShown,
	report.GateSharedRules: "the judge applies the rules of the reference itself: that they agree says nothing",
	report.GateByWhole:     "the two are compared by conversation, which has several tools; choose a reference that scores calls",
	report.GateNoGold: "without a label or an execution check no reference is evidence in both directions, as kappa needs; " +
		"name one with reference",
	report.GateNoSuchCategory: "no answer can be that category",
	report.GateReportedQA:     "the score has purpose qa: it is reported apart and decides nothing",
}

// whyUnmeasured says why there is nothing to measure.
func whyUnmeasured(g report.GateResult, r *report.Report) string {
	text := cmp.Or(unmeasuredReasons[g.Got.Reason], Why(g.Got))
	switch {
	case g.Got.Reason == report.GateNoItems && g.Measure == report.MeasureMaxDrop:
		return "no item has a verdict of it in both runs"
	case g.Got.Reason == report.GateNoSuchScore:
		return text + DidYouMean(g.Score, GateTitles(r))
	case g.Got.Reason == report.GateNoSuchTool:
		return text + DidYouMean(g.Tool, gateTools(r))
	}
	return text
}

// gateTools returns the tools to which a gate can be limited.
func gateTools(r *report.Report) []string {
	var out []string
	for _, t := range slices.Concat(r.ByTool, r.ByToolConversations) {
		out = append(out, t.Tool)
	}
	return out
}

// GateTitles returns the names of the scores that a gate can be about.
func GateTitles(r *report.Report) []string {
	var out []string
	for _, s := range r.Scores {
		if s.Purpose != "qa" {
			out = append(out, s.Title())
		}
	}
	return out
}

// DidYouMean names the known name that was probably meant, as the end of a message; "" if none.
func DidYouMean(name string, known []string) string {
	if near := spelling.Nearest(name, known); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}

// NothingToCompareLine is the line for a comparison without a common item.
const NothingToCompareLine = "FAIL  nothing to compare: no score has items in both runs"

// RegressionLine says why a row counts as worse; least is the smallest relevant effect, 0 for none.
func RegressionLine(r *report.ChangeRow, p *float64, least float64) string {
	ch, text := r.Primary(), "difference "+Estimate(r.Difference())
	if least > 0 {
		text = minDifference(r) + fmt.Sprintf(", beyond %s as a whole", Short(least))
	}
	return fmt.Sprintf("FAIL  %s: %s to %s, %s, p %s after correction, n = %d", rowName(r), fixedOr(ch.A), fixedOr(ch.B),
		text, P(p), ch.N)
}

// BesidesLine says that a row got worse but does not decide.
func BesidesLine(r *report.ChangeRow) string {
	return fmt.Sprintf("pass  %s got worse by more than noise (%s), and decides nothing: --min-effect is about the primary "+
		"endpoint", rowName(r), Estimate(r.Difference()))
}

// NoRegressionLine says what was found in rows that all passed.
func NoRegressionLine(rows []report.ChangeRow, least float64) string {
	if least == 0 || len(rows) > 1 {
		what := "no clear regression"
		if least > 0 {
			what = fmt.Sprintf("no drop that lies beyond %s as a whole", Short(least))
		}
		return fmt.Sprintf("pass  %s in %s", what, Counted(len(rows), "score"))
	}
	r := &rows[0]
	text := fmt.Sprintf("pass  %s: %s, not beyond %s as a whole, n = %d", rowName(r), minDifference(r), Short(least),
		r.Primary().N)
	if seen := r.TrueDetectable(); seen.Defined() {
		text += fmt.Sprintf("; a drop from %s on would fail 4 jobs in 5", Fixed(least+math.Abs(*seen.Value), 2))
	}
	return text
}

// minDifference returns the difference that is compared with a smallest relevant effect.
func minDifference(r *report.ChangeRow) string {
	text := "difference " + Estimate(r.Difference())
	switch {
	case r.Judge == "" || r.PassRate.N == 0:
		return text
	case r.DividedByYouden():
		return fmt.Sprintf("%s, divided by the judge's J: %s", text, Estimate(r.TrueDifference()))
	}
	return text + " as the judge sees it"
}

// rowName returns the name of a row for a printed line, with its tool.
func rowName(r *report.ChangeRow) string {
	if r.Tool == "" {
		return ChangeName(r)
	}
	return ChangeName(r) + " on " + Shorten(r.Tool, 60)
}

// fixedOr returns a number with two decimals.
func fixedOr(e report.Estimate) string {
	if e.Value == nil {
		return "undefined"
	}
	return Fixed(*e.Value, 2)
}
