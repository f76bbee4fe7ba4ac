package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report/document"
)

// Difference is the change that the row is judged by, for display: that of a share does
// not reach beyond what shares can.
func (r *ChangeRow) Difference() Estimate {
	if r.PassRate.N > 0 {
		return r.PassRate.Delta.Clipped(-1, 1)
	}
	return r.Mean.Delta
}

// reducedWords say how calls became one item.
func reducedWords(how string) string {
	switch how {
	case ReduceMean:
		return "mean of calls"
	case ReduceMin:
		return "every call"
	}
	return ""
}

// Label names what the row is over: the score, and for calls how they became items.
func (r *ChangeRow) Label() string {
	if r.Reduced == "" {
		return r.Title()
	}
	return r.Title() + ", " + reducedWords(r.Reduced)
}

// ReducedWords say how the calls of a conversation became one item, "" where none were.
func (g GateResult) ReducedWords() string { return reducedWords(g.Reduced) }

// Regressions are the rows over all items, and with tools those by tool, that got
// worse by more than noise and by at least minEffect (in units of the score, or as
// a share of the pass rate).
func (c *Comparison) Regressions(minEffect float64, tools bool) []ChangeRow {
	var out []ChangeRow
	for _, r := range c.Rows {
		ch := r.Primary()
		if !r.Decides || r.Tool != "" && !tools || ch.Noise || ch.Delta.Value == nil || *ch.Delta.Value >= 0 || -*ch.Delta.Value < minEffect {
			continue
		}
		out = append(out, r)
	}
	return out
}

// Words says what became of a row: "better", "worse", or "~" where the difference
// is noise.
func (ch Change) Words() string {
	switch {
	case ch.N == 0 || ch.Delta.Value == nil:
		return "–"
	case ch.Noise || *ch.Delta.Value == 0:
		return "~"
	case *ch.Delta.Value < 0:
		return "worse"
	}
	return "better"
}

// Sentences says in words what changed, the clear changes first.
func (c *Comparison) Sentences() []string {
	out := []string{fmt.Sprintf("Run B against run A on the %s that both have.", document.Count(c.Shared, "conversation", "conversations"))}
	if s := c.HowCallsCount(); s != "" {
		out = append(out, s)
	}
	noise := 0
	for _, r := range c.Rows {
		ch := r.Primary()
		if !r.Decides || r.Tool != "" || ch.N == 0 {
			continue
		}
		if ch.Words() == "~" {
			noise++
			continue
		}
		out = append(out, fmt.Sprintf("%s got %s: %s to %s, difference %s, p %s after correction, n = %d in %s.",
			r.Words(), ch.Words(), document.Fixed(deref(ch.A.Value), 2), document.Fixed(deref(ch.B.Value), 2), r.Difference(), document.P(ch.PHolm.Value), ch.N, document.Count(r.Conversations, "conversation", "conversations")))
	}
	if noise > 0 {
		out = append(out, fmt.Sprintf("%s no change beyond noise.", document.Count(noise, "score shows", "scores show")))
	}
	if s := c.Sensitivity(); s != "" {
		out = append(out, s)
	}
	for _, w := range c.Warnings {
		out = append(out, "Note: "+w.Text+".")
	}
	return out
}

// Headline says in a sentence what changed since run A, worse scores first, of each kind
// those that changed most.
func (c *Comparison) Headline() string {
	name := Clip(cmp.Or(c.Name, "run "+c.A.ID), 120)
	if c.Shared == 0 {
		return fmt.Sprintf("Against %s: the runs have no conversation in common, so that nothing can be said of a change.", name)
	}
	words := map[string][]string{}
	noise := 0
	rows := slices.Clone(c.Rows)
	slices.SortStableFunc(rows, func(x, y ChangeRow) int {
		return cmp.Compare(math.Abs(deref(y.Primary().Delta.Value)), math.Abs(deref(x.Primary().Delta.Value)))
	})
	for _, r := range rows {
		ch := r.Primary()
		switch word := ch.Words(); {
		case !r.Decides || r.Tool != "" || word == "–":
		case word == "~":
			noise++
		default:
			words[word] = append(words[word], fmt.Sprintf("%s (%s to %s, difference %s)", r.Words(), document.Fixed(deref(ch.A.Value), 2), document.Fixed(deref(ch.B.Value), 2), r.Difference()))
		}
	}
	parts := []string{}
	for _, word := range []string{"worse", "better"} {
		if list := words[word]; len(list) > 0 {
			more := ""
			if len(list) > headlineScores {
				more = " and others"
			}
			parts = append(parts, fmt.Sprintf("%s got %s: %s%s", document.Count(len(list), "score", "scores"), word, strings.Join(list[:min(len(list), headlineScores)], ", "), more))
		}
	}
	if noise > 0 || len(parts) == 0 {
		parts = append(parts, document.Count(noise, "score shows", "scores show")+" no change beyond noise")
	}
	return fmt.Sprintf("Against %s, on %s of both: %s.", name, document.Count(c.Shared, "conversation", "conversations"), strings.Join(parts, "; "))
}

// headlineScores are named in a headline.
const headlineScores = 3

// HowCallsCount says that scores of calls decide by conversation, where they do.
func (c *Comparison) HowCallsCount() string {
	if !slices.ContainsFunc(c.Rows, func(r ChangeRow) bool { return r.Decides && r.Reduced != "" }) {
		return ""
	}
	p := c.Calls
	return fmt.Sprintf("The agent made other calls: %s both runs made, run A %d and run B %d more. Scores of calls are therefore told by conversation, over all calls of either run: the mean of the calls, and whether every call passes.",
		document.Count(p.Same+p.Moved, "call", "calls"), p.OnlyA, p.OnlyB)
}

// Words name the row in a sentence, with its judge.
func (r *ChangeRow) Words() string {
	if r.Judge == "" {
		return r.Label()
	}
	return r.Title() + " by " + r.Judge + strings.TrimPrefix(r.Label(), r.Title())
}

func deref(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}
