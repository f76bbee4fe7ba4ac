package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report/scoreset"
	"github.com/judgekit/judge/internal/score"
)

// identified are the scores with each conversation under its identity.
func identified(in Inputs) iter.Seq2[score.Score, error] {
	if in.Identity == nil {
		return in.Scores()
	}
	return func(yield func(score.Score, error) bool) {
		for s, err := range in.Scores() {
			if err == nil {
				if in.Call != nil && s.CallIndex != nil {
					index := in.Call(s.ConversationID, *s.CallIndex)
					s.CallIndex = &index
				}
				s.ConversationID = in.Identity(s.ConversationID)
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// flips lists the changed verdicts of one pair.
func (c *comparer) flips(p seriesPair) {
	pairing{c.a.table, p.a.Level, p.a, p.b}.each(func(a, b observation) {
		va, vb := decided(a, b)
		if va == vb || math.IsNaN(va) {
			return
		}
		flip := Flip{Instrument: p.a.Instrument, Broken: va == 1, A: *rounded(a.Value), B: *rounded(b.Value)}
		flip.CaseRef = c.caseOf(b.item)
		if c.places.Place != nil && c.places.Identity == nil {
			flip.Place = c.places.Place(flip.ConversationID, int(b.item.Call))
		}
		c.flip(flip)
	})
}

// flip counts a changed verdict, and lists it while it is among the first.
func (c *comparer) flip(f Flip) {
	c.out.Verdicts.Total++
	c.out.Verdicts.Items = append(c.out.Verdicts.Items, f)
	if len(c.out.Verdicts.Items) >= 2*c.MaxFlips {
		c.sortFlips()
	}
}

// caseOf names an item.
func (c *comparer) caseOf(item scoreset.Item) CaseRef {
	ref := CaseRef{ConversationID: c.set.Conversation(item.Conversation), CallIndex: item.CallIndex()}
	if !item.Whole() {
		ref.Tool = c.set.Tools()[item.Tool]
	}
	return ref
}

// sortFlips puts broken items before fixed ones, then by id, and keeps the first.
func (c *comparer) sortFlips() {
	items := c.out.Verdicts.Items
	slices.SortStableFunc(items, func(x, y Flip) int {
		return cmp.Or(cmp.Compare(brokenFirst(x), brokenFirst(y)), cmp.Compare(x.ConversationID, y.ConversationID),
			cmp.Compare(x.Call(), y.Call()), cmp.Compare(x.Judge, y.Judge), cmp.Compare(x.Title(), y.Title()))
	})
	c.out.Verdicts.Items = items[:min(len(items), c.MaxFlips)]
}

// brokenFirst orders broken items before fixed ones.
func brokenFirst(f Flip) int {
	if f.Broken {
		return 0
	}
	return 1
}

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
	out := []string{fmt.Sprintf("Run B against run A on the %s that both have.", count(c.Shared, "conversation", "conversations"))}
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
			r.Words(), ch.Words(), fixed(deref(ch.A.Value)), fixed(deref(ch.B.Value)), r.Difference(), pWords(ch.PHolm), ch.N, count(r.Conversations, "conversation", "conversations")))
	}
	if noise > 0 {
		out = append(out, fmt.Sprintf("%s no change beyond noise.", count(noise, "score shows", "scores show")))
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
			words[word] = append(words[word], fmt.Sprintf("%s (%s to %s, difference %s)", r.Words(), fixed(deref(ch.A.Value)), fixed(deref(ch.B.Value)), r.Difference()))
		}
	}
	parts := []string{}
	for _, word := range []string{"worse", "better"} {
		if list := words[word]; len(list) > 0 {
			more := ""
			if len(list) > headlineScores {
				more = " and others"
			}
			parts = append(parts, fmt.Sprintf("%s got %s: %s%s", count(len(list), "score", "scores"), word, strings.Join(list[:min(len(list), headlineScores)], ", "), more))
		}
	}
	if noise > 0 || len(parts) == 0 {
		parts = append(parts, count(noise, "score shows", "scores show")+" no change beyond noise")
	}
	return fmt.Sprintf("Against %s, on %s of both: %s.", name, count(c.Shared, "conversation", "conversations"), strings.Join(parts, "; "))
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
		count(p.Same+p.Moved, "call", "calls"), p.OnlyA, p.OnlyB)
}

// Words name the row in a sentence, with its judge.
func (r *ChangeRow) Words() string {
	if r.Judge == "" {
		return r.Label()
	}
	return r.Title() + " by " + r.Judge + strings.TrimPrefix(r.Label(), r.Title())
}

func pWords(p Estimate) string {
	switch {
	case p.Value == nil:
		return "undefined"
	case *p.Value < 0.001:
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", *p.Value)
}

// WriteJSON writes the comparison as indented JSON.
func (c *Comparison) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(c); err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

func deref(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}
