package assembly

import (
	"cmp"
	"math"

	"github.com/judgekit/judge/internal/report"
)

// smallShare is the share of calls without a partner up to which the calls themselves
// are compared: beyond it the runs differ so much that the calls they share represent
// neither.
const smallShare = 0.05

// byConversation reports whether scores of calls decide as reduced to conversations.
func (c *comparer) byConversation() bool { return c.out.Calls.Unpaired > smallShare }

// rows adds the rows of an instrument: those that decide first, then the others, each
// kind before its rows by tool.
func (c *comparer) rows(p seriesPair) {
	switch {
	case p.a.Level == report.ConversationLevel:
		c.conversationRows(p)
	case c.byConversation():
		c.reducedRows(p)
		c.callRows(p)
	default:
		c.callRows(p)
		c.reducedRows(p)
	}
}

// conversationRows adds the row of an instrument of whole conversations, and
// by tool those of the conversations that have to do with the tool in either run.
func (c *comparer) conversationRows(p seriesPair) {
	all := c.pairs(p.a, p.b)
	c.findFlips(p, all, "")
	row := c.row(p, all, observation.verdict)
	row.Decides = true
	c.out.Rows = append(c.out.Rows, row)
	if len(c.calls) > 0 {
		c.out.ByToolConversations = c.toolRows(p, all, c.out.ByToolConversations)
	}
}

// callRows adds the rows over the calls that both runs have.
func (c *comparer) callRows(p seriesPair) {
	all := c.pairs(p.a, p.b)
	c.findFlips(p, all, "")
	if c.out.Calls.Known {
		// A call that the other run lacks has no missing score there.
		all = without(all, func(x pair) bool { return x.judge.of.runs != runA|runB })
	}
	from := len(c.out.Rows)
	c.out.Rows = append(c.out.Rows, c.row(p, all, observation.verdict))
	// Of two calls of different tools, neither tool can be compared.
	all = without(all, func(x pair) bool { return x.judge.of.mixed || x.judge.of.runs != runA|runB })
	c.out.Rows = c.toolRows(p, all, c.out.Rows)
	for i := range c.out.Rows[from:] {
		c.out.Rows[from+i].Decides = !c.byConversation()
	}
}

// toolRows adds a row for each tool that has items scored in both runs.
func (c *comparer) toolRows(p seriesPair, all []pair, to []report.ChangeRow) []report.ChangeRow {
	for t, of := range c.byTool(all) {
		to = c.toolRow(p, of, observation.verdict, t, to)
	}
	return to
}

func (c *comparer) toolRow(
	p seriesPair, all []pair, passes func(observation) float64, tool int, to []report.ChangeRow,
) []report.ChangeRow {
	row := c.row(p, all, passes)
	if row.Mean.N == 0 {
		return to
	}
	row.Tool = cmp.Or(c.tools.list[tool], noTool)
	return append(to, row)
}

// reducedRows compare the calls of both runs conversation by conversation, whatever
// calls these are: their mean value and the share that passes, then the lowest value and
// whether every call passes. The means are also compared tool by tool, where it is
// known which calls are the same: else a call has two tools.
func (c *comparer) reducedRows(p seriesPair) {
	add := func(how string, rows []report.ChangeRow) {
		for _, row := range rows {
			row.Reduced, row.Decides, row.Level = how, c.byConversation(), report.ConversationLevel
			c.out.Rows = append(c.out.Rows, row)
		}
	}
	means := []report.ChangeRow{c.row(p, c.reducedPairs(p, report.ReduceMean), observation.passingCalls)}
	if c.out.Calls.Known {
		a, b := c.partsByTool(p.a), c.partsByTool(p.b)
		for tool := range a {
			all := c.reducedPairs(seriesPair{a[tool], b[tool]}, report.ReduceMean)
			// A run without such a call has nothing to compare there.
			all = without(all, func(x pair) bool { return !x.judge.has(isMet) || !x.ref.has(isMet) })
			means = c.toolRow(p, all, observation.passingCalls, tool, means)
		}
	}
	add(report.ReduceMean, means)
	lowest := c.reducedPairs(p, report.ReduceMin)
	add(report.ReduceMin, []report.ChangeRow{c.row(p, lowest, observation.verdict)})
	if c.byConversation() {
		c.findFlips(p, lowest, report.ReduceMin)
	}
}

// reducedPairs are the conversations that both runs have, with their calls reduced.
func (c *comparer) reducedPairs(p seriesPair, how string) []pair {
	all := c.pairs(c.a.reduced(p.a, how), c.b.reduced(p.b, how))
	return without(all, func(x pair) bool { return c.about[x.Cluster()].runs != runA|runB })
}

// partsByTool are the parts of a series of calls by tool.
func (c *comparer) partsByTool(sr *series) []*series {
	parts := make([]*series, len(c.tools.list))
	for i := range parts {
		parts[i] = &series{Instrument: sr.Instrument}
	}
	for _, x := range sr.cells {
		part := parts[c.calls[x.item].tool]
		part.cells = append(part.cells, x)
	}
	return parts
}

// findFlips lists the changed verdicts.
func (c *comparer) findFlips(p seriesPair, all []pair, how string) {
	for _, x := range all {
		va, vb := x.verdicts()
		if va == vb || math.IsNaN(va) {
			continue
		}
		flip := report.Flip{
			Instrument: p.a.Instrument, Reduced: how, Broken: va == 1, CaseRef: c.caseOf(x.judge.of),
			A: *report.Rounded(x.judge.value), B: *report.Rounded(x.ref.value),
		}
		flip.Place = c.placeOf(x.judge.of)
		if how != "" {
			flip.Level, flip.CallIndex, flip.Tool = report.ConversationLevel, nil, ""
		}
		c.flips.add(flip)
	}
}
