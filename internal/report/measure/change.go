package measure

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/sorting"
)

// row returns the change of an instrument over some items; run A takes the judge's place. passes
// returns an item's verdict or the share of its calls that pass, NaN for none.
func (c *comparer) row(p seriesPair, all []pair, passes func(reading) float64) report.ChangeRow {
	row := report.ChangeRow{Instrument: p.a.Instrument}
	if p.b.Judge != p.a.Judge {
		row.JudgeB = p.b.Judge
	}
	last := -1
	for _, x := range all {
		switch a, b := x.judge.has(isScored), x.ref.has(isScored); {
		case a && !b:
			row.LostInB++
		case b && !a:
			row.GainedInB++
		case a && x.Cluster() != last:
			row.Conversations, last = row.Conversations+1, x.Cluster()
		}
		row.Broken += int(asNumber(passes(x.judge) > passes(x.ref)))
		row.Fixed += int(asNumber(passes(x.judge) < passes(x.ref)))
	}
	row.Mean, row.PassRate = c.change(all, reading.number, false), c.change(all, passes, true)
	return row
}

// change returns the paired difference b - a of a number per item, with its clustered t interval
// and test, over the items that have the number in both runs. rates says that the values are shares
// or verdicts, from 0 to 1. The interval contains 0 unless the test excludes it.
func (c *comparer) change(all []pair, of func(reading) float64, rates bool) report.Change {
	delta := func(x pair) float64 { return of(x.ref) - of(x.judge) }
	inA := func(x pair) float64 { return onlyIf(!math.IsNaN(delta(x)), of(x.judge)) }
	inB := func(x pair) float64 { return onlyIf(!math.IsNaN(delta(x)), of(x.ref)) }
	m := spreadOf(&c.statistics, all, delta)
	out := report.Change{
		N: m.N, A: c.side(all, inA, rates), B: c.side(all, inB, rates),
		Delta: c.delta(m, rates), Freedom: *report.Rounded(m.Symmetric), Detectable: report.Point(c.smallestChange(m)),
	}
	p := atLeast(c.pairedP(m), changed(all, delta))
	if out.P = report.Point(p); p.Valid && p.Value > c.Alpha {
		out.Delta = out.Delta.Including(0)
	}
	if a := spreadOf(&c.statistics, all, inA); flat(m) && flat(a) && m.Mean.Value == 0 {
		out.Constant, out.P = true, report.Undefined(stat.ZeroVariance) // no change could have been found
	}
	return out
}

// changed counts the conversations with a difference.
func changed(all []pair, delta func(pair) float64) int {
	sums := map[int]float64{}
	for _, x := range all {
		if d := delta(x); !math.IsNaN(d) && d != 0 {
			sums[x.Cluster()] += d
		}
	}
	maps.DeleteFunc(sums, func(_ int, sum float64) bool { return sum == 0 })
	return len(sums)
}

// atLeast raises p to the smallest value that an exact test of so few changed conversations can
// give: if nothing changed, all n differences have the same sign with probability 2^(1-n). The t
// test does not know how few there are.
func atLeast(p stat.Opt, n int) stat.Opt {
	if least := math.Ldexp(2, -n); p.Valid && n > 0 && p.Value < least {
		return stat.Some(least)
	}
	return p
}

// side returns the mean in one run. It has no interval if nothing varies.
func (c *comparer) side(all []pair, of func(pair) float64, rates bool) report.Estimate {
	m := spreadOf(&c.statistics, all, of)
	out := meanEstimate(m)
	if rates {
		out = rateEstimate(m)
	}
	if flat(m) && out.HasInterval() && *out.Low == *out.High {
		return constant(out)
	}
	return out
}

// delta returns the mean difference with its interval. If all items changed by the same amount, the
// t interval would have width 0, which is not certainty. A share then gets the exact bound for
// conversations that never changed; other scores, whose scale is unknown here, get no interval.
func (c *comparer) delta(m interval.ClusterSE, rates bool) report.Estimate {
	out := gapEstimate(m) // the sign of a difference is arbitrary
	if !flat(m) {
		return out
	}
	out = constant(out)
	if m.Mean.Value == 0 && rates {
		none, err := interval.ClopperPearson(0, float64(m.Clusters), c.Alpha)
		c.Keep(err)
		out.Low, out.High = report.Rounded(-none.CI.High.Value), report.Rounded(none.CI.High.Value)
	}
	return out
}

// flat reports whether the values do not vary, apart from rounding.
func flat(m interval.ClusterSE) bool {
	return m.SE.Valid && m.SE.Value <= 1e-12*(1+math.Abs(m.Mean.Value))
}

// constant returns the estimate without an interval, for values that do not vary.
func constant(e report.Estimate) report.Estimate {
	return report.Estimate{Value: e.Value, Reason: string(stat.ZeroVariance)}
}

// pairedP returns the two-sided p-value of the clustered t statistic; 1 without any difference. If
// all items changed by the same amount, there is no variance to divide by: then each conversation
// is one trial of the exact sign test.
func (c *comparer) pairedP(m interval.ClusterSE) stat.Opt {
	switch {
	case !m.SE.Valid:
		return stat.None(stat.TooFew)
	case flat(m) && m.Mean.Value == 0:
		return stat.Some(1)
	case flat(m):
		p, err := interval.McNemar(m.Clusters, 0)
		c.Keep(err)
		return stat.Some(p)
	}
	return stat.Some(stat.StudentTwoSided(m.Mean.Value/m.SE.Value, m.Symmetric))
}

// smallShare is the largest share of unpaired calls with which calls are still compared. Beyond it
// the runs differ so much that the calls in both represent neither.
const smallShare = 0.05

// byConversation reports whether scores of calls are reduced to conversations before they decide.
func (c *comparer) byConversation() bool { return c.out.Calls.Unpaired > smallShare }

// rows adds the rows of an instrument: the deciding ones first, each followed by its rows by tool.
func (c *comparer) rows(p seriesPair) {
	switch {
	case p.a.Level != report.CallLevel:
		c.wholeRows(p)
	case c.byConversation():
		c.reducedRows(p)
		c.callRows(p)
	default:
		c.callRows(p)
		c.reducedRows(p)
	}
}

// wholeRows adds the row for an instrument of conversations, turns or calls with their results, and
// rows by tool for conversations that involve the tool in either run.
func (c *comparer) wholeRows(p seriesPair) {
	all := c.pairs(p.a, p.b)
	if p.a.Level != report.ConversationLevel { // if the other run lacks the turn, its score is not missing
		all = dropped(all, func(x pair) bool { return x.of.runs != runA|runB })
	}
	c.findFlips(p, all, "")
	row := c.row(p, all, reading.verdict)
	row.Decides = true
	c.out.Rows = append(c.out.Rows, row)
	if len(c.calls) > 0 && p.a.Level == report.ConversationLevel {
		c.out.ByToolConversations = c.toolRows(p, all, c.out.ByToolConversations)
	}
}

// callRows adds the rows over the calls in both runs.
func (c *comparer) callRows(p seriesPair) {
	all := c.pairs(p.a, p.b)
	c.findFlips(p, all, "")
	if c.out.Calls.Known {
		// If the other run lacks the call, its score is not missing.
		all = dropped(all, func(x pair) bool { return x.of.runs != runA|runB })
	}
	from := len(c.out.Rows)
	c.out.Rows = append(c.out.Rows, c.row(p, all, reading.verdict))
	// A pair of calls to different tools counts for neither tool.
	all = dropped(all, func(x pair) bool { return x.of.mixed || x.of.runs != runA|runB })
	c.out.Rows = c.toolRows(p, all, c.out.Rows)
	for i := range c.out.Rows[from:] {
		c.out.Rows[from+i].Decides = !c.byConversation()
	}
}

// toolRows adds a row for each tool with items scored in both runs.
func (c *comparer) toolRows(p seriesPair, all []pair, to []report.ChangeRow) []report.ChangeRow {
	for t, of := range c.byTool(all) {
		to = c.toolRow(p, of, reading.verdict, t, to)
	}
	return to
}

func (c *comparer) toolRow(
	p seriesPair, all []pair, passes func(reading) float64, tool int, to []report.ChangeRow,
) []report.ChangeRow {
	row := c.row(p, all, passes)
	if row.Mean.N == 0 {
		return to
	}
	row.Tool = cmp.Or(c.tools.list[tool], noTool)
	return append(to, row)
}

// reducedRows compares the calls of both runs conversation by conversation, even if the calls differ: their
// mean value and the share that passes, then the lowest value and whether every call passes. The means are also
// compared tool by tool if it is known which calls are the same; otherwise a call has two tools.
func (c *comparer) reducedRows(p seriesPair) {
	add := func(how string, rows []report.ChangeRow) {
		for _, row := range rows {
			row.Reduced, row.Decides, row.Level = how, c.byConversation(), report.ConversationLevel
			c.out.Rows = append(c.out.Rows, row)
		}
	}
	means := []report.ChangeRow{c.row(p, c.reducedPairs(p, report.ReduceMean), reading.passingCalls)}
	if c.out.Calls.Known {
		for tool, all := range c.meansByTool(p) {
			means = c.toolRow(p, all, reading.passingCalls, tool, means)
		}
	}
	add(report.ReduceMean, means)
	lowest := c.reducedPairs(p, report.ReduceMin)
	add(report.ReduceMin, []report.ChangeRow{c.row(p, lowest, reading.verdict)})
	if c.byConversation() {
		c.findFlips(p, lowest, report.ReduceMin)
	}
}

// reducedPairs returns the conversations in both runs, with their calls reduced.
func (c *comparer) reducedPairs(p seriesPair, how string) []pair {
	all := c.pairs(c.a.reduced(p.a, how), c.b.reduced(p.b, how))
	return dropped(all, func(x pair) bool { return c.about[x.Cluster()].runs != runA|runB })
}

// meansByTool returns, for each tool, the conversations in which both runs call it, with the calls
// to it reduced.
func (c *comparer) meansByTool(p seriesPair) [][]pair {
	out := make([][]pair, len(c.tools.list))
	for number := range c.about {
		calls := slices.Clone(c.callsOf(uint32(number)))
		sorting.Stable(calls, func(x, y item) int { return cmp.Compare(x.tool, y.tool) })
		for len(calls) > 0 {
			tool, end := calls[0].tool, slices.IndexFunc(calls, func(x item) bool { return x.tool != calls[0].tool })
			if end < 0 {
				end = len(calls)
			}
			one := pair{of: calls[0]}
			one.judge.cell, one.judge.passing = c.a.reduce(p.a, report.ReduceMean, calls[:end])
			one.ref.cell, one.ref.passing = c.b.reduce(p.b, report.ReduceMean, calls[:end])
			if one.judge.has(isMet) && one.ref.has(isMet) {
				out[tool] = append(out[tool], one)
			}
			calls = calls[end:]
		}
	}
	return out
}

// flip is a verdict that changed as the value changed from a to b. how says how its calls were reduced.
type flip struct {
	*series
	how    string
	of     item
	broken bool
	a, b   float64
}

// findFlips finds the changed verdicts.
func (c *comparer) findFlips(p seriesPair, all []pair, how string) {
	for _, x := range all {
		if va, vb := x.verdicts(); va != vb && !math.IsNaN(va) {
			c.flips = append(c.flips, flip{p.a, how, x.of, va == 1, x.judge.value, x.ref.value})
		}
	}
}

// listFlips lists the first changed verdicts: broken ones before fixed ones, then by id.
func (c *comparer) listFlips() {
	sorting.Stable(c.flips, func(x, y flip) int {
		return cmp.Or(cmp.Compare(asNumber(!x.broken), asNumber(!y.broken)),
			cmp.Compare(x.of.conversation, y.of.conversation), cmp.Compare(x.of.call, y.of.call),
			cmp.Compare(x.Judge, y.Judge), cmp.Compare(x.Title(), y.Title()))
	})
	c.out.Verdicts = report.Flips{Total: len(c.flips), Items: []report.Flip{}}
	for _, f := range c.flips[:min(len(c.flips), maxListed)] {
		out := report.Flip{
			Instrument: f.Instrument, Reduced: f.how, Broken: f.broken, CaseRef: c.caseOf(f.of),
			A: *report.Rounded(f.a), B: *report.Rounded(f.b),
		}
		out.Place = c.placeOf(f.of)
		if f.how != "" {
			out.Level = report.ConversationLevel
		}
		c.out.Verdicts.Items = append(c.out.Verdicts.Items, out)
	}
}

// parameters compares the parameters that both runs have, sorted by drop, largest first, then by name.
func (c *comparer) parameters() {
	before := map[[2]string]report.Parameter{}
	for _, tool := range c.a.manifest.ByParameter {
		for _, p := range tool.Parameters {
			before[[2]string{tool.Tool, p.Parameter}] = p
		}
	}
	c.out.Parameters = []report.ParameterChange{}
	for _, tool := range c.b.manifest.ByParameter {
		for _, p := range tool.Parameters {
			a, ok := before[[2]string{tool.Tool, p.Parameter}]
			if !ok || a.N == 0 || p.N == 0 {
				continue
			}
			row := report.ParameterChange{
				Tool: tool.Tool, Parameter: p.Parameter, NA: a.N, NB: p.N, A: share(a.Equal, a.N), B: share(p.Equal, p.N),
			}
			row.Delta = report.Estimate{Value: report.Rounded(*row.B.Value - *row.A.Value)}
			c.out.Parameters = append(c.out.Parameters, row)
		}
	}
	sorting.Stable(c.out.Parameters, func(x, y report.ParameterChange) int {
		return cmp.Or(cmp.Compare(*x.Delta.Value, *y.Delta.Value), cmp.Compare(x.Tool, y.Tool),
			cmp.Compare(x.Parameter, y.Parameter))
	})
}
