package report

import (
	"math"

	"github.com/judgekit/judge/internal/report/scoreset"
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
	byTool := make([][2]callSums, len(out.tools))
	c.set.EachConversation(func(conversation scoreset.Item, calls []scoreset.Item) {
		if !c.a.table.conversations.At(conversation).Has(scoreset.Met) || !c.b.table.conversations.At(conversation).Has(scoreset.Met) {
			return
		}
		var whole [2]callSums
		var touched []uint32
		for _, item := range calls {
			for side, sr := range [2]*series{p.a, p.b} {
				o := observation{Cell: sr.column.At(item), item: item}
				if !o.Has(scoreset.Met) {
					continue
				}
				whole[side].add(o)
				if out.tools == nil {
					continue
				}
				of := &byTool[item.Tool]
				if of[0].met+of[1].met == 0 {
					touched = append(touched, item.Tool)
				}
				of[side].add(o)
			}
		}
		g := int(conversation.Conversation)
		out.mean.addReduced(whole, g, callSums.mean)
		out.min.addReduced(whole, g, callSums.least)
		if c.byConversation() && whole[0].scored > 0 && whole[1].scored > 0 {
			c.flipReduced(p, conversation, whole)
		}
		for _, tool := range touched {
			if out.tools[tool] == nil {
				out.tools[tool] = newChangeSums()
			}
			if of := byTool[tool]; of[0].met > 0 && of[1].met > 0 {
				out.tools[tool].addReduced(of, g, callSums.mean)
			}
			byTool[tool] = [2]callSums{}
		}
	})
	return out
}

// flipReduced lists a conversation of whose calls every one passes in one run alone.
func (c *comparer) flipReduced(p seriesPair, conversation scoreset.Item, of [2]callSums) {
	va, pa := of[0].least()
	vb, pb := of[1].least()
	if pa == pb || math.IsNaN(pa-pb) {
		return
	}
	flip := Flip{Instrument: p.a.Instrument, Reduced: ReduceMin, CaseRef: c.caseOf(conversation), Broken: pa == 1, A: *rounded(va), B: *rounded(vb)}
	flip.Level = ConversationLevel
	c.flip(flip)
}

// addReduced adds one conversation: its calls in either run, and what they come to. A
// run that made none of these calls has nothing to compare there.
func (s *changeSums) addReduced(of [2]callSums, cluster int, reduce func(callSums) (value, passes float64)) {
	a, b := &of[0], &of[1]
	switch {
	case a.scored > 0 && b.scored == 0:
		s.lostInB++
	case b.scored > 0 && a.scored == 0:
		s.gainedInB++
	}
	if a.scored == 0 || b.scored == 0 {
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

// mean is the mean value of the scored calls, and the share that passes of those with
// a verdict, NaN where there is none.
func (s callSums) mean() (value, passes float64) {
	return s.sum / float64(s.scored), missingIf(s.verdicts == 0, float64(s.passes)/math.Max(1, float64(s.verdicts)))
}

// least is the lowest value, and 1 where every call with a verdict passes.
func (s callSums) least() (value, passes float64) {
	passes = 0
	if s.passes == s.verdicts {
		passes = 1
	}
	return s.worst.Value, missingIf(s.verdicts == 0, passes)
}

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
