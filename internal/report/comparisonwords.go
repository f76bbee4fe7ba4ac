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

// size is the size of the change, 0 where it is undefined.
func (r *ChangeRow) size() float64 {
	if delta := r.Primary().Delta.Value; delta != nil {
		return math.Abs(*delta)
	}
	return 0
}

// reducedWords say how calls became one item.
func reducedWords(how string) string {
	return map[string]string{ReduceMean: "mean of calls", ReduceMin: "every call"}[how]
}

// suffix says for calls how they became items.
func (r *ChangeRow) suffix() string {
	if r.Reduced == "" {
		return ""
	}
	return ", " + reducedWords(r.Reduced)
}

// Label names what the row is over: the score, and for calls how they became items.
func (r *ChangeRow) Label() string { return r.Title() + r.suffix() }

// Words name the row in a sentence, with its judge.
func (r *ChangeRow) Words() string { return r.Instrument.Words() + r.suffix() }

// Regressions are the rows over all items, and with tools those by tool, that got
// worse by more than noise and by at least minEffect (in units of the score, or as
// a share of the pass rate).
func (c *Comparison) Regressions(minEffect float64, tools bool) []ChangeRow {
	var out []ChangeRow
	for _, r := range c.Rows {
		worse := r.Primary().Words() == "worse" && r.size() >= minEffect
		if worse && r.Decides && (tools || r.Tool == "") {
			out = append(out, r)
		}
	}
	return out
}

// Words is the direction of a row's change: "better", "worse", or "~" where the difference
// is noise.
func (ch Change) Words() string {
	switch {
	case ch.N == 0 || ch.Delta.Value == nil:
		return document.None
	case ch.Noise || *ch.Delta.Value == 0:
		return "~"
	case *ch.Delta.Value < 0:
		return "worse"
	}
	return "better"
}

// Sentences says in words what changed, and what could have been seen.
func (c *Comparison) Sentences() []string {
	out := []string{c.headline()}
	if c.ByConversation() {
		p := c.Calls
		out = append(out, fmt.Sprintf("The agent made other calls: %s both runs made, run A %d and run B %d more. "+
			"Scores of calls are therefore compared by conversation, over all calls of either run: "+
			"the mean of the calls, and whether every call passes.",
			document.Count(p.Same+p.Moved, "call", "calls"), p.OnlyA, p.OnlyB))
	}
	if s := c.sensitivity(); s != "" {
		out = append(out, s)
	}
	for _, w := range c.Warnings {
		out = append(out, "Note: "+w.Text+".")
	}
	return out
}

// headline says in a sentence what changed since run A, worse scores first, of each kind
// those that changed most.
func (c *Comparison) headline() string {
	const named = 3
	name := document.Shorten(cmp.Or(c.Name, "run "+c.A.ID), 120)
	if c.Shared == 0 {
		return fmt.Sprintf("Against %s: the runs have no conversation in common, "+
			"so that nothing can be said of a change.", name)
	}
	changed := map[string][]string{}
	rows := slices.Clone(c.Rows)
	slices.SortStableFunc(rows, func(x, y ChangeRow) int { return cmp.Compare(y.size(), x.size()) })
	for _, r := range rows {
		if ch := r.Primary(); r.Decides && r.Tool == "" {
			word := ch.Words()
			changed[word] = append(changed[word], fmt.Sprintf("%s (%s to %s, difference %s)",
				r.Words(), ch.A.WithoutInterval(), ch.B.WithoutInterval(), r.Difference()))
		}
	}
	var parts []string
	for _, word := range []string{"worse", "better"} {
		if n := len(changed[word]); n > 0 {
			list := document.Some(changed[word], named)
			parts = append(parts, fmt.Sprintf("%s got %s: %s", document.Count(n, "score", "scores"), word, list))
		}
	}
	if noise := len(changed["~"]); noise > 0 || len(parts) == 0 {
		parts = append(parts, document.Count(noise, "score shows", "scores show")+" no change beyond noise")
	}
	return fmt.Sprintf("Against %s, on %s of both: %s.", name,
		document.Count(c.Shared, "conversation", "conversations"), strings.Join(parts, "; "))
}

// ByConversation reports whether the scores of calls decide as reduced to conversations.
func (c *Comparison) ByConversation() bool {
	return slices.ContainsFunc(c.Rows, func(r ChangeRow) bool { return r.Decides && r.Reduced != "" })
}

// sensitivity describes which drop of a pass rate these items could have shown at
// all: finding no change means little where only a very large one is detectable.
func (c *Comparison) sensitivity() string {
	var rows []ChangeRow
	rates := 0
	for _, r := range c.Rows {
		if !r.Decides || r.Tool != "" || r.PassRate.N == 0 {
			continue
		}
		rates++
		if r.PassRate.Detectable.Value != nil {
			rows = append(rows, r)
		}
	}
	switch {
	case rates == 0:
		return ""
	case len(rows) == 0:
		return "Which drop these items could have shown cannot be said: no verdict varies between the runs."
	}
	slices.SortStableFunc(rows, func(x, y ChangeRow) int {
		return cmp.Compare(*x.PassRate.Detectable.Value, *y.PassRate.Detectable.Value)
	})
	drop := func(r ChangeRow) string {
		return fmt.Sprintf("from %s points on in %s", document.Fixed(100**r.PassRate.Detectable.Value, 1), r.Words())
	}
	text := "These items would have shown a true drop " + drop(rows[0])
	if last := rows[len(rows)-1]; len(rows) > 1 {
		text += ", the most sensitive score, and " + drop(last) + ", the least"
	}
	return text + " (80 % power, before correction); smaller ones can hide."
}
