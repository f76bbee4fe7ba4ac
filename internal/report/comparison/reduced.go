package comparison

import (
	"math"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/scoreset"
	"github.com/judgekit/judge/internal/report/series"
)

// reducedSums compare the calls of both runs conversation by conversation, whatever
// calls these are.
type reducedSums struct {
	// mean has the mean value of a conversation's calls and the share that passes, min
	// the lowest value and whether every call passes.
	mean, min *changeSums
	// tools has the means over the calls of one tool, where that tool was called in
	// both runs; nil where the runs do not say which calls are the same, since then a
	// call has two tools.
	tools []*changeSums
}

// reduce goes over the conversations that both runs have.
func (c *comparer) reduce(p seriesPair) reducedSums {
	out := reducedSums{mean: newChangeSums(), min: newChangeSums()}
	if c.Calls.Known {
		out.tools = make([]*changeSums, len(c.set.Tools()))
	}
	byTool := make([][2]series.Calls, len(out.tools))
	c.set.EachConversation(func(conversation scoreset.Item, calls []scoreset.Item) {
		if !c.a.Table.Conversations.At(conversation).Has(scoreset.Met) || !c.b.Table.Conversations.At(conversation).Has(scoreset.Met) {
			return
		}
		var whole [2]series.Calls
		var touched []uint32
		for _, item := range calls {
			for side, sr := range [2]*series.Series{p.a, p.b} {
				o := series.Observation{Cell: sr.Column.At(item), Item: item}
				if !o.Has(scoreset.Met) {
					continue
				}
				whole[side].Add(o)
				if out.tools == nil {
					continue
				}
				of := &byTool[item.Tool]
				if of[0].Met+of[1].Met == 0 {
					touched = append(touched, item.Tool)
				}
				of[side].Add(o)
			}
		}
		g := int(conversation.Conversation)
		out.mean.addReduced(whole, g, series.Calls.Mean)
		out.min.addReduced(whole, g, series.Calls.Least)
		if c.byConversation() && whole[0].Scored > 0 && whole[1].Scored > 0 {
			c.flipReduced(p, conversation, whole)
		}
		for _, tool := range touched {
			if out.tools[tool] == nil {
				out.tools[tool] = newChangeSums()
			}
			if of := byTool[tool]; of[0].Met > 0 && of[1].Met > 0 {
				out.tools[tool].addReduced(of, g, series.Calls.Mean)
			}
			byTool[tool] = [2]series.Calls{}
		}
	})
	return out
}

// flipReduced lists a conversation of whose calls every one passes in one run alone.
func (c *comparer) flipReduced(p seriesPair, conversation scoreset.Item, of [2]series.Calls) {
	va, pa := of[0].Least()
	vb, pb := of[1].Least()
	if pa == pb || math.IsNaN(pa-pb) {
		return
	}
	flip := report.Flip{Instrument: p.a.Instrument, Reduced: report.ReduceMin, CaseRef: c.caseOf(conversation), Broken: pa == 1, A: *report.Rounded(va), B: *report.Rounded(vb)}
	flip.Level = report.ConversationLevel
	c.flip(flip)
}

// addReduced adds one conversation: its calls in either run, and what they come to. A
// run that made none of these calls has nothing to compare there.
func (s *changeSums) addReduced(of [2]series.Calls, cluster int, reduce func(series.Calls) (value, passes float64)) {
	a, b := &of[0], &of[1]
	switch {
	case a.Scored > 0 && b.Scored == 0:
		s.lostInB++
	case b.Scored > 0 && a.Scored == 0:
		s.gainedInB++
	}
	if a.Scored == 0 || b.Scored == 0 {
		return
	}
	s.conversations++
	va, pa := reduce(*a)
	vb, pb := reduce(*b)
	s.mean.add(va, vb, cluster)
	if !math.IsNaN(pa - pb) {
		s.rate.add(pa, pb, cluster)
		s.turned(pa, pb)
	}
}
