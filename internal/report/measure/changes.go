package measure

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/groups"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/sorting"
)

// sharesPassing returns the share of items that passes in each run, over the items with a verdict
// in both; NaN if none.
func sharesPassing(all []pair, passes func(reading) float64) (a, b float64) {
	n := 0.0
	for _, x := range all {
		first, second := passes(x.judge), passes(x.ref)
		if !math.IsNaN(first) && !math.IsNaN(second) {
			a, b, n = a+first, b+second, n+1
		}
	}
	return a / n, b / n
}

// changes lists the conversations that changed according to the deciding score, and the groups of its fails.
func (c *comparer) changes(pairs []seriesPair) {
	out := &c.out.Changes
	out.Tools, out.Items, c.out.FailureGroups = []string{}, []report.ConversationChange{}, []report.GroupChange{}
	row := c.out.Leading()
	at := slices.IndexFunc(pairs, func(p seriesPair) bool { return row != nil && sameScore(p.a.Instrument, row.Instrument) })
	if at < 0 {
		return
	}
	p := pairs[at]
	out.By = p.a.Instrument
	all, passes := c.pairs(p.a, p.b), reading.verdict
	if p.a.Level == report.CallLevel {
		all, passes = c.reducedPairs(p, report.ReduceMean), reading.passingCalls
	}
	for len(all) > 0 {
		x, n := all[0], ofFirst(all)
		a, b := sharesPassing(all[:n], passes)
		all = all[n:]
		switch {
		case math.IsNaN(a):
			continue
		case a == b:
			out.Same++
			continue
		case a > b:
			out.Worse++
		default:
			out.Better++
		}
		out.All = append(out.All, c.conversations.list[x.of.conversation])
		out.Items = append(out.Items, report.ConversationChange{
			ConversationID: c.conversations.list[x.of.conversation], Place: c.placeOf(x.of), Worse: a > b,
			A: *report.Rounded(a), B: *report.Rounded(b),
		})
	}
	sorting.Stable(out.Items, func(x, y report.ConversationChange) int {
		return cmp.Or(cmp.Compare(asNumber(!x.Worse), asNumber(!y.Worse)), cmp.Compare(math.Abs(y.A-y.B), math.Abs(x.A-x.B)))
	})
	out.Items = out.Items[:min(len(out.Items), maxListed)]
	if out.Worse+out.Better > 0 {
		split, err := interval.McNemar(out.Worse, out.Better)
		c.Keep(err)
		out.Split = report.Rounded(split)
	}
	c.groupChanges(p)
}

// sameScore reports whether two instruments are the same, at any level.
func sameScore(x, y report.Instrument) bool {
	x.Level, y.Level = "", ""
	return x == y
}

// groupChanges groups the failing calls of both runs by why they fail and counts them per run. It
// also records the tools whose calls fail in only one run.
func (c *comparer) groupChanges(p seriesPair) {
	counts, sides := map[groups.Signature]int{}, [2]map[groups.Signature]int{{}, {}}
	tools, meanings := map[string]int{}, c.a.reasons.Meanings()
	maps.Copy(meanings, c.b.reasons.Meanings())
	for _, x := range c.pairs(p.a, p.b) {
		for k, side := range []struct {
			*table
			by *series
			reading
		}{{c.a, p.a, x.judge}, {c.b, p.b, x.ref}} {
			if side.verdict() == 0 {
				s := side.signatureOf(x.of, side.by.Instrument)
				counts[s]++
				sides[k][s]++
			}
		}
		if tool := c.caseOf(x.of).Tool; tool != "" && (x.judge.verdict() == 0) != (x.ref.verdict() == 0) {
			tools[tool]++
		}
	}
	byName := map[groups.Signature]*report.FailureGroup{}
	changed := map[groups.Signature]*report.GroupChange{}
	for s, group := range groups.Merge(counts) {
		g := changed[group]
		if g == nil {
			named := group.Group()
			g = &report.GroupChange{ID: named.ID, Tool: group.Tool, Kind: group.Kind, Parameter: group.Parameter}
			changed[group], byName[group] = g, &named
		}
		g.A, g.B = g.A+sides[0][s], g.B+sides[1][s]
		if s.Tool != "" {
			byName[group].Tools = append(byName[group].Tools, s.Tool)
		}
	}
	for group, g := range changed {
		if g.A == g.B {
			continue
		}
		named := byName[group]
		slices.Sort(named.Tools)
		named.Tools = slices.Compact(named.Tools)
		g.Name = words.GroupName(named, meanings[group.Kind])
		c.out.FailureGroups = append(c.out.FailureGroups, *g)
	}
	sorting.Stable(c.out.FailureGroups, func(x, y report.GroupChange) int {
		return cmp.Or(cmp.Compare(asNumber(x.A > 0), asNumber(y.A > 0)), cmp.Compare(y.B-y.A, x.B-x.A), cmp.Compare(x.ID, y.ID))
	})
	c.out.Changes.Tools = append([]string{}, byCount(tools)[:min(len(tools), maxGroupTools)]...)
}
