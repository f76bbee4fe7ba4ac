package report

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report/document"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// listed is how many failing calls, disagreements, judges and gates the short answers name.
const listed = 3

// Facts are the short answers of a report, at most 30 lines of text: what was judged, the
// agent's pass rate, how far each judge can be trusted, what fails and where, and what to do
// next. run is the directory as commands name it, "" for a run that is not kept.
func (r *Report) Facts(run string) document.Facts {
	all := document.Facts{
		{Name: "judged", Lines: []string{r.whatWasScored()}, Most: 3},
		{Name: "missing", Lines: few(r.MissingWords(), 2), Bad: true},
		r.gateFact(),
		{Name: "pass rate", Lines: r.rateWords(), Most: 3},
		r.trustFact(),
		{Name: "changed", Lines: few(r.changeWords(), 2), Most: 3},
		{Name: "worst tools", Lines: r.Failing.toolWords()},
		r.Failing.fact(),
		r.Disagreements.fact(),
		{Name: "asked twice", Lines: few(r.noiseWords(), 2)},
		r.labelFact(),
		{Name: "notes", Lines: few(r.noteWords(), 3)},
		{Name: "next", Lines: r.nextWords(run), Whole: true},
	}
	return slices.DeleteFunc(all, func(f document.Fact) bool { return len(f.Lines) == 0 })
}

// few are the first lines and how many more there are.
func few(lines []string, most int) []string {
	if left := len(lines) - most; left > 0 {
		return append(lines[:most:most], fmt.Sprintf("%d more with --details", left))
	}
	return lines
}

func (r *Report) whatWasScored() string {
	parts := []string{document.Count(r.Counts.Calls, "tool call", "tool calls") + " in " +
		document.Count(r.Counts.Conversations, "conversation", "conversations")}
	if judges := r.Judges(); len(judges) > 0 {
		names := make([]string, len(judges))
		for i, j := range judges {
			names[i] = document.Shorten(j, 60)
			if r.Run.named().Judge(j).Baseline {
				names[i] += " (built-in rules, not a language model)"
			}
		}
		noun := "judge "
		if len(names) > 1 {
			noun = fmt.Sprintf("%d judges: ", len(names))
		}
		parts = append(parts, noun+document.Some(names, listed))
	}
	for _, of := range []struct {
		source    score.Source
		one, many string
	}{{score.Judge, "rubric", "rubrics"}, {score.Deterministic, "scorer", "scorers"}, {score.Label, "label", "labels"}} {
		names := map[string]bool{}
		for _, s := range r.Scores {
			if s.Source == string(of.source) {
				names[s.Name] = true
			}
		}
		if len(names) > 0 {
			parts = append(parts, document.Count(len(names), of.one, of.many))
		}
	}
	if len(r.Scores) == 0 {
		parts = append(parts, "nothing was scored")
	}
	return strings.Join(parts, " · ")
}

// gateFact counts the gates and names those that fail.
func (r *Report) gateFact() document.Fact {
	var failed []string
	for _, g := range r.Gates {
		if !g.Passed {
			failed = append(failed, document.Shorten(g.Name(), 80))
		}
	}
	switch {
	case len(r.Gates) == 0:
		return document.Fact{}
	case len(failed) == 0:
		return document.Fact{Name: "gates", Lines: []string{
			document.Count(len(r.Gates), "gate passes", "gates pass")}}
	}
	return document.Fact{Name: "gates", Bad: true, Lines: []string{
		fmt.Sprintf("%d of %d fail: %s", len(failed), len(r.Gates), document.Some(failed, listed))}}
}

// rateWords are the agent's pass rates: by each judge, by the strongest scorer, and for each
// level by the label with most items; answers recorded for a few calls are none.
func (r *Report) rateWords() []string {
	var out []string
	judges := 0
	for _, h := range r.Headline.Rates {
		if h.Judge == "" {
			continue
		}
		if judges++; judges <= listed {
			text := h.words()
			if judges > 1 { // said once
				text = strings.TrimSuffix(text, ": with the judge's errors")
			}
			out = append(out, text)
		}
	}
	if judges > listed {
		out = append(out, fmt.Sprintf("%d further judges with --details", judges-listed))
	}
	if d := r.scorerRow(judges == 0); d != nil {
		out = append(out, fmt.Sprintf("%s by the scorer %s", shareOf(d.PassRate, d.Judged, d.Level),
			document.Shorten(d.Title(), 60)))
	}
	for _, level := range []string{CallLevel, ConversationLevel} {
		var best *HeadlineRate
		for i := range r.Headline.Rates {
			h := &r.Headline.Rates[i]
			if h.Kind == LabelRateKind && h.Level == level && (best == nil || h.N > best.N) {
				best = h
			}
		}
		if best != nil && (best.N >= FewLabels || !strings.HasPrefix(best.Name, transcript.Recorded)) {
			out = append(out, best.words())
		}
	}
	return out
}

// scorerRow is the strongest scorer of calls that compares with what was expected or with
// the end state, nil for none; alone, without a judge, it may be any.
func (r *Report) scorerRow(alone bool) *ScoreRow {
	row := r.strongest(CallLevel)
	if alone && row == nil {
		row = r.strongest(ConversationLevel)
	}
	if row == nil || row.Source == string(score.Label) || !alone && r.Evidence(row.Instrument).Passes == "weak" {
		return nil
	}
	return row
}

func (h *HeadlineRate) words() string { return shareOf(h.Rate, h.N, h.Level) + " by " + h.By() }

// By says what decides, and what is known of its errors.
func (h *HeadlineRate) By() string {
	if h.Judge == "" {
		return "the label " + document.Shorten(h.Name, 60)
	}
	text := document.Shorten(h.Judge, 60) + " on " + document.Shorten(h.Name, 60)
	if h.Raw != nil {
		return text + fmt.Sprintf(", corrected by the labels of %s; raw %s",
			document.Count(h.Labelled, "conversation", "conversations"), share(h.Raw.Value))
	}
	return text + ", raw: with the judge's errors"
}

// shareOf is "77 % of 64 calls (63–86 %)".
func shareOf(e Estimate, n int, level string) string {
	return share(e.Value) + " of " + document.Count(n, level, level+"s") + between(e)
}

// share is "77 %", with a decimal where it would look like all or nothing and is not.
func share(f *float64) string {
	switch {
	case f == nil:
		return document.None
	case *f > 0 && *f < 0.005 || *f < 1 && *f >= 0.995:
		return document.Share(math.Min(math.Max(*f, 0.001), 0.999), 1)
	}
	return document.Share(*f, 0)
}

// between is " (63–86 %)", "" where there is no interval.
func between(e Estimate) string {
	if !e.HasInterval() {
		return ""
	}
	return fmt.Sprintf(" (%s–%s %%)", document.Fixed(100**e.Low, 0), document.Fixed(100**e.High, 0))
}

// trustFact says how far each judge can be trusted, in counts with intervals; several
// judges in the order of their ranking, else by the sum of the two shares.
func (r *Report) trustFact() document.Fact {
	judges, trust := r.Judges(), slices.Clone(r.Headline.Trust)
	switch {
	case len(judges) == 0:
		return document.Fact{}
	case len(trust) == 0:
		return document.Fact{Name: "this judge", Most: 3, Lines: []string{fmt.Sprintf(
			"not measured: no label or other strong evidence has a pass and a fail on at least %d items", FewLabels)}}
	case len(judges) == 1:
		return document.Fact{Name: "this judge", Most: 5, Least: 3, Lines: []string{trust[0].Words()}}
	}
	slices.SortStableFunc(trust, func(x, y HeadlineTrust) int {
		return cmp.Or(cmp.Compare(r.place(x.Judge), r.place(y.Judge)), cmp.Compare(y.sum(), x.sum()))
	})
	f := document.Fact{Name: "judges", Most: 4, Least: 3}
	for _, t := range trust[:min(listed, len(trust))] {
		f.Lines = append(f.Lines, document.Shorten(t.Judge, 40)+" "+t.Words())
	}
	f.Lines = append(f.Lines, r.apart()...)
	if left := len(judges) - min(listed, len(trust)); left > 0 {
		f.Lines = append(f.Lines, document.Count(left, "further judge", "further judges")+" with --details")
	}
	return f
}

// place is where a judge stands in the first ranking, behind all of it where it does not.
func (r *Report) place(judge string) int {
	if len(r.Rankings) == 0 {
		return 0
	}
	list := r.Rankings[0].Judges
	at := slices.IndexFunc(list, func(j RankedJudge) bool { return j.Judge == judge })
	if at < 0 {
		return len(list)
	}
	return at
}

// apart says whether the two best judges of the first ranking can be told apart.
func (r *Report) apart() []string {
	if len(r.Rankings) == 0 || len(r.Rankings[0].Judges) < 2 {
		return nil
	}
	best, next := r.Rankings[0].Judges[0], r.Rankings[0].Judges[1]
	if !next.Behind.Defined() {
		return nil
	}
	return []string{fmt.Sprintf("%s from %s, on what both judged: %s in Youden's J (found + kept - 1), p %s",
		document.Shorten(next.Judge, 40), document.Shorten(best.Judge, 40), next.Behind, document.P(next.Holm))}
}

// sum is the share found and the share kept.
func (t *HeadlineTrust) sum() float64 {
	sum := 0.0
	for _, c := range []*Counted{t.Found, t.Kept} {
		if c != nil && c.Rate.Defined() {
			sum += *c.Rate.Value
		}
	}
	return sum
}

// By names the reference.
func (t *HeadlineTrust) By() string {
	ref := document.Shorten(t.Reference.Title(), 60)
	if t.Reference.Source == string(score.Label) {
		return "the label " + ref
	}
	return ref
}

// Words say it in a sentence whose subject is the judge.
func (t *HeadlineTrust) Words() string {
	ref, unit := t.By(), t.Level+"s"
	var parts []string
	if c := t.Found; c != nil && c.Of > 0 {
		parts = append(parts, fmt.Sprintf("finds %d of the %d %s that %s fails%s", c.Count, c.Of, unit, ref, between(c.Rate)))
		ref, unit = "it", ""
	}
	if c := t.Kept; c != nil && c.Of > 0 {
		that := strings.Join(strings.Fields(unit+" that "+ref), " ")
		parts = append(parts, fmt.Sprintf("passes %d of the %d %s passes%s", c.Count, c.Of, that, between(c.Rate)))
	}
	text := strings.Join(parts, ", and ")
	switch t.Direction {
	case PassDirection:
		text += "; what that fails can be a valid alternative, and is not counted"
	case FailDirection:
		text += "; what that passes can still be wrong, and is not counted"
	}
	if t.BelowConstant {
		text += "; it has the same verdict less often than whoever always says the same"
	}
	if t.Reduced {
		text += "; a conversation passes when all its calls do"
	}
	if t.Rubric != "" && !IsOverall(t.Rubric) {
		text = "on " + document.Shorten(t.Rubric, 60) + ": " + text
	}
	return text
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
			out = append(out, fmt.Sprintf("%s changed its verdict on %s%s", document.Shorten(n.Judge, 60),
				share(n.Flips.Value)+" of "+document.Count(n.N, n.Level, n.Level+"s"), between(n.Flips)))
		}
	}
	return out
}

// labelFact says what the calibration changed.
func (r *Report) labelFact() document.Fact {
	if r.Calibration == nil || r.Calibration.Words() == "" {
		return document.Fact{}
	}
	return document.Fact{Name: "labels", Lines: []string{r.Calibration.Words()}}
}

// where is "refund-wrong-amount:2 refund_payment (support.jsonl:4)".
func (c CaseRef) where() string {
	const longest = 40
	text := document.Shorten(c.ConversationID, 60)
	if c.CallIndex != nil {
		text = strings.TrimRight(fmt.Sprintf("%s:%d %s", text, *c.CallIndex, document.Shorten(c.Tool, 40)), " ")
	}
	place := c.Place
	if len(place) > longest {
		place = path.Base(place)
	}
	if place != "" {
		text += " (" + document.Shorten(place, 60) + ")"
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
	const longest = 80
	if run == "" {
		return nil
	}
	if len(run) > longest {
		run = "RUN"
	}
	run = document.ShellWord(run)
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
		out = append(out, fmt.Sprintf("judge show %s %s   # everything about one call", run, document.ShellWord(at)))
	}
	return out
}
