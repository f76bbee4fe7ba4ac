package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/score"
)

// Headline picks the row that answers best how far a judge can be trusted: its
// overall rubric against the strongest reference that there is, at the level given
// ("" for either). ok is false where nothing was compared.
func (r *Report) Headline(judge, level string) (row AgreementRow, ok bool) {
	best := -1
	for i, a := range r.Agreement {
		if a.Judge != judge || a.Refused != "" || a.Verdicts == 0 || level != "" && a.Level != level || a.Reduction != "" && a.Reduction != ReduceMin {
			continue
		}
		if best < 0 || r.prefer(a, r.Agreement[best]) {
			best = i
		}
	}
	if best < 0 {
		return AgreementRow{}, false
	}
	return r.Agreement[best], true
}

func (r *Report) prefer(a, b AgreementRow) bool {
	overall := func(x AgreementRow) int { return int(choose(strings.HasPrefix(x.Rubric, "overall"), 0, 1)) }
	shared := func(x AgreementRow) int { return int(choose(x.SharedRules, 1, 0)) }
	defined := func(x AgreementRow) int { return int(choose(x.Kappa.Defined(), 0, 1)) }
	return cmp.Or(
		cmp.Compare(defined(a), defined(b)), cmp.Compare(shared(a), shared(b)), cmp.Compare(overall(a), overall(b)),
		cmp.Compare(r.Rank(a.Reference), r.Rank(b.Reference)),
		cmp.Compare(a.Level, b.Level), cmp.Compare(b.Verdicts, a.Verdicts),
	) < 0
}

// Rank orders references by how much their word is worth as gold, 0 first: labels,
// execution, layers and matches with the expected calls, then the rest.
func (r *Report) Rank(ref Instrument) int {
	if ref.Source == string(score.Label) {
		return 0
	}
	m := Manifest{Scorers: r.Run.Scorers}
	switch m.scorer(ref.Name).Type {
	case "execution_check":
		return 1
	case threeLayer, "ast_equivalence", "bfcl_ast":
		return 2
	case "function_call_exact_match", "trajectory_match", "expected_call_match":
		return 3
	case "function_call_accuracy":
		return 4
	case "parameter_validation", "schema_check":
		return 6
	}
	return 5
}

// Judges are the names of all judges with scores, in report order.
func (r *Report) Judges() []string {
	var out []string
	for _, s := range r.Scores {
		if s.Source == string(score.Judge) && !slices.Contains(out, s.Judge) {
			out = append(out, s.Judge)
		}
	}
	return out
}

// summarize says in words what the tables show. It uses no adjectives: the reader
// gets numbers, intervals and counts.
func summarize(r *Report) []string {
	out := []string{r.whatWasScored()}
	for _, judge := range r.Judges() {
		out = append(out, r.trust(judge)...)
	}
	out = append(out, r.passRates()...)
	if r.Calibration != nil {
		out = append(out, r.Calibration.words()...)
	}
	if d := r.Disagreements; d.Total > 0 {
		out = append(out, fmt.Sprintf("%s on which a judge and a reference decide differently; the first to look at: %s.",
			count(d.Total, "item", "items"), r.look()))
	}
	for _, h := range r.Halo {
		for _, w := range h.Warnings {
			out = append(out, fmt.Sprintf("%s: %s.", h.Judge, w.Text))
		}
	}
	for _, w := range r.Warnings {
		out = append(out, "Note: "+w.Text+".")
	}
	return out
}

func (r *Report) whatWasScored() string {
	scorers, rubrics, labels := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, s := range r.Scores {
		switch s.Source {
		case string(score.Judge):
			rubrics[s.Name] = true
		case string(score.Label):
			labels[s.Name] = true
		default:
			scorers[s.Name] = true
		}
	}
	text := fmt.Sprintf("%s in %s, scored by", count(r.Counts.Calls, "tool call", "tool calls"), count(r.Counts.Conversations, "conversation", "conversations"))
	var by []string
	if names := r.Judges(); len(names) > 0 {
		by = append(by, fmt.Sprintf("%s (%s) on %s", count(len(names), "judge", "judges"), strings.Join(clipAll(names, 5), ", "), count(len(rubrics), "rubric", "rubrics")))
	}
	if len(scorers) > 0 {
		by = append(by, count(len(scorers), "deterministic scorer", "deterministic scorers"))
	}
	if len(labels) > 0 {
		by = append(by, count(len(labels), "label", "labels"))
	}
	if len(by) == 0 {
		return text + " nothing."
	}
	return text + " " + strings.Join(by, ", ") + "."
}

// trust says how far one judge can be trusted, and on which tools less.
func (r *Report) trust(judge string) []string {
	row, ok := r.Headline(judge, "")
	if !ok {
		return []string{fmt.Sprintf("%s: there is no reference to compare with, so nothing here says how far its scores can be trusted.", judge)}
	}
	against := row.Reference.Title()
	if row.Reduction != "" {
		against += " (a conversation passes when all its calls do)"
	}
	unit := map[string]string{CallLevel: "calls", ConversationLevel: "conversations"}[row.Level]
	text := fmt.Sprintf("%s on %s against %s: kappa %s, n = %d %s", judge, row.Rubric, against, row.Kappa.Clipped(-1, 1).String(), row.Verdicts, unit)
	if row.Level == CallLevel {
		text += fmt.Sprintf(" in %s", count(row.Conversations, "conversation", "conversations"))
	}
	text += fmt.Sprintf(", base rate %s.", row.BaseRate.Percent(false))
	c := row.Confusion
	if wrong := c.BothFail + c.JudgeOnlyPass; wrong > 0 {
		text += fmt.Sprintf(" It fails %d of the %d that %s fails (%s)", c.BothFail, wrong, row.Reference.Title(), row.RecallWrong.Percent(true))
	}
	if right := c.BothPass + c.JudgeOnlyFail; right > 0 {
		text += fmt.Sprintf("%s %d of the %d that pass (%s)", map[bool]string{true: " and passes", false: " It passes"}[strings.HasSuffix(text, ")")], c.BothPass, right, row.Specificity.Percent(true))
	}
	out := []string{text + "."}
	if calls, ok := r.Headline(judge, CallLevel); ok {
		if worst := worstTools(calls); worst != "" {
			out = append(out, fmt.Sprintf("%s disagrees with %s most on %s.", judge, calls.Reference.Title(), worst))
		}
	}
	for _, w := range row.Warnings {
		if w.Code == "one_class" || w.Code == "ceiling" || w.Code == "few_conversations" || w.Code == "judge_one_class" {
			out = append(out, "Read this with care: "+w.Text+".")
		}
	}
	return out
}

// worstTools names up to three tools on which the two agree least, of those with
// enough calls to say so.
func worstTools(row AgreementRow) string {
	var tools []ToolPair
	for _, t := range row.ByTool {
		if !t.Small && t.Tool != otherTools && t.JudgeOnlyFail+t.JudgeOnlyPass > 0 {
			tools = append(tools, t)
		}
	}
	slices.SortStableFunc(tools, func(x, y ToolPair) int { return cmp.Compare(*x.Agreement.Value, *y.Agreement.Value) })
	var out []string
	for _, t := range tools[:min(3, len(tools))] {
		out = append(out, fmt.Sprintf("%s (%d of %d)", clip(t.Tool, 60), t.JudgeOnlyFail+t.JudgeOnlyPass, t.N))
	}
	return strings.Join(out, ", ")
}

// passRates names the agent's pass rate by the judge and by the best reference.
func (r *Report) passRates() []string {
	var parts []string
	for _, judge := range r.Judges() {
		for _, s := range r.Scores {
			if s.Judge == judge && s.PassRate.Defined() && (strings.HasPrefix(s.Name, "overall") || len(r.Run.Rubrics) == 1) && s.Purpose == "" {
				parts = append(parts, fmt.Sprintf("%s by %s (%s)", s.PassRate.Percent(true), judge, s.Name))
				break
			}
		}
	}
	var best *ScoreRow
	for i, s := range r.Scores {
		if s.Source != string(score.Judge) && s.PassRate.Defined() && s.Metric == "" && s.Purpose == "" && (best == nil || r.Rank(s.Instrument) < r.Rank(best.Instrument)) {
			best = &r.Scores[i]
		}
	}
	if best != nil {
		parts = append(parts, fmt.Sprintf("%s of %ss by %s", best.PassRate.Percent(true), best.Level, best.Title()))
	}
	if len(parts) == 0 {
		return nil
	}
	text := "The agent's pass rate is " + strings.Join(parts, ", ") + "."
	if len(r.Judges()) > 0 {
		text += " A judge's rate carries the judge's own errors; it is not the true rate."
	}
	return []string{text}
}

func (r *Report) look() string {
	if len(r.Disagreements.Items) == 0 {
		return "none is listed"
	}
	d := r.Disagreements.Items[0]
	text := clip(d.ConversationID, 80)
	if d.CallIndex != nil {
		text += fmt.Sprintf(" call %d (%s)", *d.CallIndex, clip(d.Tool, 60))
	}
	if d.Place != "" {
		text += " at " + clip(d.Place, 120)
	}
	return text
}

// String prints "0.61 [0.52, 0.70]", or why there is no value.
func (e Estimate) String() string {
	if e.Value == nil {
		return "undefined (" + e.Reason + ")"
	}
	text := fixed(*e.Value)
	if e.HasInterval() {
		text += " [" + fixed(*e.Low) + ", " + fixed(*e.High) + "]"
	}
	return text
}

// Percent prints "61.0 %", with ends "61.0 % [52.0, 70.0]", or why there is no
// value.
func (e Estimate) Percent(ends bool) string {
	if e.Value == nil {
		return "undefined (" + e.Reason + ")"
	}
	text := strconv.FormatFloat(100**e.Value, 'f', 1, 64) + " %"
	if ends && e.HasInterval() {
		text += fmt.Sprintf(" [%.1f, %.1f]", 100**e.Low, 100**e.High)
	}
	return text
}

func fixed(f float64) string {
	text := strconv.FormatFloat(f, 'f', 2, 64)
	if text == "-0.00" {
		return "0.00"
	}
	return text
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func clipAll(names []string, most int) []string {
	out := make([]string, 0, most)
	for i, n := range names {
		if i == most {
			return append(out, fmt.Sprintf("and %d more", len(names)-most))
		}
		out = append(out, clip(n, 60))
	}
	return out
}
