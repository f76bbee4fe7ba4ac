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

// Sentences are the findings of the tables in words. They use no adjectives: the reader
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
	for _, n := range r.Noise {
		if r.isOverall(n.Rubric) && n.Flips.Defined() {
			out = append(out, fmt.Sprintf("Asked twice about %s, %s changed %s of its verdicts on %s.",
				document.Count(n.N, n.Level, n.Level+"s"), n.Judge, n.Flips.Percent(true), n.Rubric))
		}
	}
	for _, c := range r.Comparisons {
		out = append(out, c.headline())
	}
	if d := r.Disagreements; d.Total > 0 {
		out = append(out, fmt.Sprintf("%s on which a judge and a reference decide differently; "+
			"the first to look at: %s.", document.Count(d.Total, "item", "items"), d.first()))
	}
	for _, w := range r.Warnings {
		out = append(out, "Note: "+w.Text+".")
	}
	return out
}

func (r *Report) whatWasScored() string {
	names := map[string]map[string]bool{}
	for _, s := range r.Scores {
		if names[s.Source] == nil {
			names[s.Source] = map[string]bool{}
		}
		names[s.Source][s.Name] = true
	}
	count := func(source score.Source, one, many string) string {
		return document.Count(len(names[string(source)]), one, many)
	}
	var by []string
	if judges := r.Judges(); len(judges) > 0 {
		by = append(by, fmt.Sprintf("%s (%s) on %s", document.Count(len(judges), "judge", "judges"),
			document.Some(shortened(judges), 5), count(score.Judge, "rubric", "rubrics")))
	}
	if len(names[string(score.Deterministic)]) > 0 {
		by = append(by, count(score.Deterministic, "deterministic scorer", "deterministic scorers"))
	}
	if len(names[string(score.Label)]) > 0 {
		by = append(by, count(score.Label, "label", "labels"))
	}
	if len(by) == 0 {
		by = []string{"nothing"}
	}
	return fmt.Sprintf("%s in %s, scored by %s.", document.Count(r.Counts.Calls, "tool call", "tool calls"),
		document.Count(r.Counts.Conversations, "conversation", "conversations"), strings.Join(by, ", "))
}

func shortened(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = document.Shorten(n, 60)
	}
	return out
}

// maxReply is how much of a reply a sentence shows, in characters.
const maxReply = 600

// words say what happened and what to do about it.
func (s *Stop) words() string {
	text := fmt.Sprintf("%s was stopped on %s: its first %d judgements all failed, each as %s. The first, %s: %s.",
		s.Judge, s.Rubric, s.Judgements, s.Kind, s.Place, strings.TrimSuffix(s.Error, "."))
	if reply := strings.Join(strings.Fields(s.Reply), " "); reply != "" {
		text += " The reply was: " + document.Shorten(reply, maxReply)
		if !strings.HasSuffix(text, ".") {
			text += " ."
		}
	}
	do := cmp.Or(advice[s.Kind], "see what the endpoint says, and check it with judge doctor")
	return text + " What to do: " + do + "."
}

const (
	otherSchema = "judge doctor shows what the endpoint makes of the schema; " +
		"a larger model, another transport: or coerce_numbers: may help"
	moreTokens  = "raise max_tokens: in the configuration, or take another transport:"
	moreContext = "raise the context size of the server; judge doctor says how"
)

// advice is what a person can do about judgements that all fail with a kind.
var advice = map[string]string{
	"invalid_json":     otherSchema,
	"schema_violation": otherSchema,
	"truncated":        moreTokens,
	"whitespace_loop":  moreTokens,
	"truncated_in_thought": "raise reasoning_tokens: in the configuration, " +
		"or turn the model's thinking off where judge doctor says how",
	"refusal": "the model or its service declines these records; " +
		"take another model, or look at one record with judge show",
	"context_cut": moreContext,
	"context":     moreContext,
	"canary":      "the model repeats its instructions; take another model",
}

// MissingWords break the missing scores down by kind, with the first failure of each.
func (r *Report) MissingWords() []string {
	var out []string
	for _, s := range r.Stopped {
		out = append(out, s.words())
	}
	for _, source := range []score.Source{score.Judge, score.Deterministic} {
		total := 0
		var kinds, first []string
		for _, k := range r.Counts.Unscored {
			if k.Source != string(source) {
				continue
			}
			total += k.Count
			kinds = append(kinds, fmt.Sprintf("%d %s", k.Count, k.Kind))
			if k.First != "" && k.Kind != "stopped" && len(first) < 5 {
				first = append(first, "first "+k.Kind+": "+document.Shorten(k.First, 300))
			}
		}
		if total == 0 {
			continue
		}
		what := document.Count(total, "judgement is missing", "judgements are missing")
		if source == score.Deterministic {
			what = document.Count(total, "deterministic score is missing", "deterministic scores are missing")
		}
		text := strings.Join(append([]string{what + ": " + strings.Join(kinds, ", ")}, first...), "; ")
		out = append(out, strings.TrimSuffix(text, ".")+".")
	}
	return out
}

// trust describes how far one judge can be trusted, and on which tools less.
func (r *Report) trust(judge string) []string {
	row, ok := r.Best(judge, "")
	if !ok {
		return []string{judge + ": there is no reference to compare with, " +
			"so nothing here says how far its scores can be trusted."}
	}
	out := []string{row.words()}
	if calls, ok := r.Best(judge, CallLevel); ok {
		if worst := calls.worstTools(); worst != "" {
			out = append(out, fmt.Sprintf("%s disagrees with %s most on %s.", judge, calls.Reference.Title(), worst))
		}
	}
	for _, w := range row.Warnings {
		if slices.Contains([]string{"one_class", "ceiling", "few_conversations", "judge_one_class"}, w.Code) {
			out = append(out, "Read this with care: "+w.Text+".")
		}
	}
	return out
}

// words says in counts and intervals how a judge agrees with a reference.
func (row *AgreementRow) words() string {
	against, unit := row.Reference.Title(), row.Level+"s"
	if row.Reduction != "" {
		against += " (a conversation passes when all its calls do)"
	}
	if row.Level == CallLevel {
		unit += " in " + document.Count(row.Conversations, "conversation", "conversations")
	}
	text := fmt.Sprintf("%s on %s against %s: n = %d %s.", row.Judge, row.Rubric, against, row.Verdicts, unit)
	if row.Direction == BothDirection {
		text = fmt.Sprintf("%s on %s against %s: kappa %s, n = %d %s, base rate %s.", row.Judge, row.Rubric,
			against, row.Kappa.Clipped(-1, 1), row.Verdicts, unit, row.BaseRate.Percent(false))
	}
	t := trustOf(*row)
	if t.Found != nil && t.Found.Of > 0 {
		text += fmt.Sprintf(" It fails %d of the %d that %s fails (%s)",
			t.Found.Count, t.Found.Of, row.Reference.Title(), row.RecallWrong.Percent(true))
	}
	if t.Kept != nil && t.Kept.Of > 0 {
		lead := " It passes"
		if t.Found != nil && t.Found.Of > 0 {
			lead = " and passes"
		}
		text += fmt.Sprintf("%s %d of the %d that pass (%s)", lead, t.Kept.Count, t.Kept.Of,
			row.Specificity.Percent(true))
	}
	return strings.TrimSuffix(text, ".") + "."
}

// worstTools names up to three tools on which the two agree least, of those with
// enough calls to say so.
func (row *AgreementRow) worstTools() string {
	var tools []ToolPair
	for _, t := range row.ByTool {
		if !t.Small && t.Tool != OtherTools && t.JudgeOnlyFail+t.JudgeOnlyPass > 0 {
			tools = append(tools, t)
		}
	}
	slices.SortStableFunc(tools, func(x, y ToolPair) int { return cmp.Compare(*x.Agreement.Value, *y.Agreement.Value) })
	var out []string
	for _, t := range tools[:min(3, len(tools))] {
		differ := t.JudgeOnlyFail + t.JudgeOnlyPass
		out = append(out, fmt.Sprintf("%s (%d of %d)", document.Shorten(t.Tool, 60), differ, t.N))
	}
	return strings.Join(out, ", ")
}

// first names the first disagreement.
func (d *Disagreements) first() string {
	if len(d.Items) == 0 {
		return "none is listed"
	}
	c := d.Items[0].CaseRef
	text := document.Shorten(c.ConversationID, 80)
	if c.CallIndex != nil {
		text += fmt.Sprintf(" call %d (%s)", *c.CallIndex, document.Shorten(c.Tool, 60))
	}
	if c.Place != "" {
		text += " at " + document.Shorten(c.Place, 120)
	}
	return text
}

// passRates names the agent's pass rate, for calls and for conversations apart: the
// judges' and the reference's, on the same items where there is one judge.
func (r *Report) passRates() []string {
	var out []string
	for _, level := range []string{CallLevel, ConversationLevel} {
		if text := r.passRate(level); text != "" {
			out = append(out, text)
		}
	}
	switch {
	case len(out) == 0 || len(r.Judges()) == 0:
		return out
	case r.Calibration != nil:
		return append(out, "A judge's rate carries the judge's own errors; it is not the true rate.")
	}
	return append(out, "A judge's rate carries the judge's own errors. "+
		"For the true rate label a few hundred calls: judge calibrate RUN --sheet labels.csv")
}

// passRate is the sentence for one level, "" where there is no rate.
func (r *Report) passRate(level string) string {
	const maxJudges = 5
	var parts []string
	further, last := "", ""
	for _, judge := range r.Judges() {
		rate, rubric := r.judgeRate(judge, level)
		if !rate.Defined() {
			continue
		}
		if len(parts) == maxJudges {
			further = "; further judges are in the table"
			break
		}
		text := rate.Percent(true) + " by " + document.Shorten(judge, 60)
		if rubric != last {
			text, last = text+" ("+document.Shorten(rubric, 60)+")", rubric
		}
		parts = append(parts, text)
	}
	if ref, rate, n := r.referenceRate(level); rate.Defined() {
		text := rate.Percent(true) + " by " + document.Shorten(ref.Title(), 60)
		if n > 0 {
			text += ", on the " + document.Count(n, level, level+"s") + " that both decided"
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	rates, final := strings.Join(parts[:len(parts)-1], ", "), parts[len(parts)-1]
	if rates != "" {
		rates += " and "
	}
	return fmt.Sprintf("The agent's pass rate, of %ss: %s%s%s.", level, rates, final, further)
}

// judgeRate is what a judge passes of the items of a level by its overall or only
// rubric. A single judge is measured on the items that its best reference decided too.
func (r *Report) judgeRate(judge, level string) (rate Estimate, rubric string) {
	row, ok := r.againstGold(judge, level)
	ok = ok && row.Reduced != "reference"
	rate, rubric = row.JudgeRate, row.Rubric
	if row.Reduced != "" {
		rubric = "all calls pass"
	}
	if ok && len(r.Judges()) == 1 {
		return rate, rubric
	}
	for _, s := range r.Scores {
		if s.Judge == judge && s.Level == level && s.PassRate.Defined() && r.isOverall(s.Name) && s.Purpose == "" {
			return s.PassRate, s.Title()
		}
	}
	if ok {
		return rate, rubric
	}
	return Estimate{}, ""
}

// againstGold is a judge's headline where it is of its overall rubric against gold.
func (r *Report) againstGold(judge, level string) (row AgreementRow, ok bool) {
	row, ok = r.Best(judge, level)
	return row, ok && r.isOverall(row.Rubric) && r.Rank(row.Reference) <= goldRank
}

// isOverall reports whether a rubric is of a call as a whole.
func (r *Report) isOverall(rubric string) bool {
	return IsOverall(rubric) || len(r.Run.Rubrics) == 1
}

// referenceRate is the pass rate by the strongest reference of the level itself. n is the
// number of items where these are the ones that the only judge decided too, 0 where the
// rate is over all that the reference decided.
func (r *Report) referenceRate(level string) (ref Instrument, rate Estimate, n int) {
	if judges := r.Judges(); len(judges) == 1 {
		if row, ok := r.againstGold(judges[0], level); ok && row.Reference.Level == level {
			return row.Reference, row.BaseRate, row.Verdicts
		}
	}
	if s := r.strongest(level); s != nil && r.Rank(s.Instrument) <= goldRank {
		return s.Instrument, s.PassRate, 0
	}
	return Instrument{}, Estimate{}, 0
}
