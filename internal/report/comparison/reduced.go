package comparison

import (
	"math"

	"github.com/judgekit/judge/internal/report"
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
		out.tools = make([]*changeSums, len(c.items.Tools()))
	}
	all := c.itemsOf(p)
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Cluster() == all[0].Cluster() {
			n++
		}
		c.reduceOne(p, &out, all[:n])
		all = all[n:]
	}
	return out
}

// reduceOne adds the calls of one conversation.
func (c *comparer) reduceOne(p seriesPair, out *reducedSums, calls []series.Pair) {
	conversation := calls[0].Judge.Item.Conversation
	if !c.a.Table.Has(conversation) || !c.b.Table.Has(conversation) {
		return
	}
	var whole [2]series.Calls
	byTool := map[uint32]*[2]series.Calls{}
	for _, pair := range calls {
		for side, o := range [2]series.Observation{pair.Judge, pair.Ref} {
			if !o.Has(series.Met) {
				continue
			}
			whole[side].Add(o)
			if byTool[o.Item.Tool] == nil {
				byTool[o.Item.Tool] = &[2]series.Calls{}
			}
			byTool[o.Item.Tool][side].Add(o)
		}
	}
	g := int(conversation)
	out.mean.addReduced(whole, g, series.Calls.Mean)
	out.min.addReduced(whole, g, series.Calls.Least)
	if c.byConversation() && whole[0].Scored > 0 && whole[1].Scored > 0 {
		c.flipReduced(p, conversation, whole)
	}
	if out.tools == nil {
		return
	}
	for tool, of := range byTool {
		if out.tools[tool] == nil {
			out.tools[tool] = newChangeSums()
		}
		if of[0].Met > 0 && of[1].Met > 0 {
			out.tools[tool].addReduced(*of, g, series.Calls.Mean)
		}
	}
}

// flipReduced lists a conversation of whose calls every one passes in one run alone.
func (c *comparer) flipReduced(p seriesPair, conversation uint32, of [2]series.Calls) {
	va, pa := of[0].Least()
	vb, pb := of[1].Least()
	if pa == pb || math.IsNaN(pa-pb) {
		return
	}
	flip := report.Flip{Instrument: p.a.Instrument, Reduced: report.ReduceMin, CaseRef: report.CaseRef{ConversationID: c.items.Conversation(conversation)}, Broken: pa == 1, A: *report.Rounded(va), B: *report.Rounded(vb)}
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
