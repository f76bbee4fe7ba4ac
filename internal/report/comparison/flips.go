package comparison

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
	"github.com/judgekit/judge/internal/score"
)

// identified are the scores with each conversation under its identity.
func identified(in report.Inputs) iter.Seq2[score.Score, error] {
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
	for _, pair := range c.itemsOf(p) {
		a, b := pair.Judge, pair.Ref
		va, vb := pair.Decided()
		if va == vb || math.IsNaN(va) {
			continue
		}
		flip := report.Flip{Instrument: p.a.Instrument, Broken: va == 1, A: *report.Rounded(a.Value), B: *report.Rounded(b.Value)}
		flip.CaseRef = c.caseOf(b.Item)
		if c.places.Place != nil && c.places.Identity == nil {
			flip.Place = c.places.Place(flip.ConversationID, int(b.Item.Call))
		}
		c.flip(flip)
	}
}

// flip counts a changed verdict, and lists it while it is among the first.
func (c *comparer) flip(f report.Flip) {
	c.out.Verdicts.Total++
	c.out.Verdicts.Items = append(c.out.Verdicts.Items, f)
	if len(c.out.Verdicts.Items) >= 2*c.MaxFlips {
		c.sortFlips()
	}
}

// caseOf names an item.
func (c *comparer) caseOf(item series.Item) report.CaseRef {
	ref := report.CaseRef{ConversationID: c.items.Conversation(item.Conversation), CallIndex: item.CallIndex()}
	if !item.Whole() {
		ref.Tool = c.items.Tools()[item.Tool]
	}
	return ref
}

// sortFlips puts broken items before fixed ones, then by id, and keeps the first.
func (c *comparer) sortFlips() {
	items := c.out.Verdicts.Items
	slices.SortStableFunc(items, func(x, y report.Flip) int {
		return cmp.Or(cmp.Compare(brokenFirst(x), brokenFirst(y)), cmp.Compare(x.ConversationID, y.ConversationID),
			cmp.Compare(x.Call(), y.Call()), cmp.Compare(x.Judge, y.Judge), cmp.Compare(x.Title(), y.Title()))
	})
	c.out.Verdicts.Items = items[:min(len(items), c.MaxFlips)]
}

// brokenFirst orders broken items before fixed ones.
func brokenFirst(f report.Flip) int {
	if f.Broken {
		return 0
	}
	return 1
}
