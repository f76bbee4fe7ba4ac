package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report/document"
	"github.com/judgekit/judge/internal/score"
)

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

// Sentences says in words what the tables show. It uses no adjectives: the reader
// gets numbers, intervals and counts.
func (r *Report) Sentences() []string {
	out := append([]string{r.whatWasScored()}, r.MissingWords()...)
	out = append(out, r.GoldWords()...)
	for _, judge := range r.Judges() {
		out = append(out, r.trust(judge)...)
	}
	out = append(out, r.passRates()...)
	if r.Calibration != nil {
		out = append(out, r.Calibration.words()...)
	}
	out = append(out, r.noiseWords()...)
	out = append(out, r.comparisonWords()...)
	if d := r.Disagreements; d.Total > 0 {
		out = append(out, fmt.Sprintf("%s on which a judge and a reference decide differently; the first to look at: %s.",
			document.Count(d.Total, "item", "items"), r.look()))
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
	text := fmt.Sprintf("%s in %s, scored by", document.Count(r.Counts.Calls, "tool call", "tool calls"), document.Count(r.Counts.Conversations, "conversation", "conversations"))
	var by []string
	if names := r.Judges(); len(names) > 0 {
		by = append(by, fmt.Sprintf("%s (%s) on %s", document.Count(len(names), "judge", "judges"), clipAll(names, 5), document.Count(len(rubrics), "rubric", "rubrics")))
	}
	if len(scorers) > 0 {
		by = append(by, document.Count(len(scorers), "deterministic scorer", "deterministic scorers"))
	}
	if len(labels) > 0 {
		by = append(by, document.Count(len(labels), "label", "labels"))
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
	text := fmt.Sprintf("%s on %s against %s: kappa %s, n = %d %s", judge, row.Rubric, against, row.KappaWords(), row.Verdicts, unit)
	if row.Level == CallLevel {
		text += fmt.Sprintf(" in %s", document.Count(row.Conversations, "conversation", "conversations"))
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
		if !t.Small && t.Tool != OtherTools && t.JudgeOnlyFail+t.JudgeOnlyPass > 0 {
			tools = append(tools, t)
		}
	}
	slices.SortStableFunc(tools, func(x, y ToolPair) int { return cmp.Compare(*x.Agreement.Value, *y.Agreement.Value) })
	var out []string
	for _, t := range tools[:min(3, len(tools))] {
		out = append(out, fmt.Sprintf("%s (%d of %d)", Clip(t.Tool, 60), t.JudgeOnlyFail+t.JudgeOnlyPass, t.N))
	}
	return strings.Join(out, ", ")
}

func (r *Report) look() string {
	if len(r.Disagreements.Items) == 0 {
		return "none is listed"
	}
	d := r.Disagreements.Items[0]
	text := Clip(d.ConversationID, 80)
	if d.CallIndex != nil {
		text += fmt.Sprintf(" call %d (%s)", *d.CallIndex, Clip(d.Tool, 60))
	}
	if d.Place != "" {
		text += " at " + Clip(d.Place, 120)
	}
	return text
}

// noiseWords say how steady a judge is that was asked twice.
func (r *Report) noiseWords() []string {
	var out []string
	for _, n := range r.Noise {
		if r.isOverall(n.Rubric) && n.Flips.Defined() {
			out = append(out, fmt.Sprintf("Asked twice about %s, %s changed %s of its verdicts on %s.",
				document.Count(n.N, n.Level, n.Level+"s"), n.Judge, n.Flips.Percent(true), n.Rubric))
		}
	}
	return out
}

// comparisonWords say what changed since earlier runs.
func (r *Report) comparisonWords() []string {
	var out []string
	for _, c := range r.Comparisons {
		out = append(out, c.Headline())
	}
	return out
}
