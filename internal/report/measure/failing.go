package measure

import (
	"cmp"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/sorting"
)

// maxSides limits how many scores of a failing call are listed.
const maxSides = 6

// failure is a failing item without its texts. backing adds up the evidence of the other scores that fail it.
type failure struct {
	of                  item
	backing, confidence float64
}

// compare sorts by the other evidence that fails the item, then by the judge's confidence, highest first.
func (f failure) compare(g failure) int {
	return cmp.Or(cmp.Compare(g.backing, f.backing), cmp.Compare(g.confidence, f.confidence),
		cmp.Compare(f.of.conversation, g.of.conversation), cmp.Compare(f.of.call, g.of.call))
}

// failing lists the items that the deciding instrument fails.
func (b *Builder) failing(r *report.Report) {
	r.Failing = report.Failing{Tools: []report.FailingTool{}, Items: []report.FailingItem{}}
	r.FailureGroups = []report.FailureGroup{}
	row := r.Decider()
	if row == nil {
		return
	}
	f, by, others := &r.Failing, b.byKey[row.Instrument], b.references()
	f.By = row.Instrument
	tools := map[uint32]*report.FailingTool{}
	var fails []failure
	for _, o := range b.observations(by) {
		if !o.has(isDecided) {
			continue
		}
		f.N++
		if o.of.call >= 0 {
			b.countTool(tools, o.of.tool, !o.has(isPassed))
		}
		if !o.has(isPassed) {
			fails = append(fails, failure{o.of, b.backing(others, o.of), o.confidence()})
		}
	}
	sorting.Stable(fails, failure.compare)
	f.Total = len(fails)
	for _, x := range fails[:min(len(fails), maxListed)] {
		f.Items = append(f.Items, b.failingItem(by, others, x.of))
	}
	f.Tools = append(f.Tools, b.worst(tools)...)
	b.failureGroups(r, fails)
}

func (b *Builder) countTool(tools map[uint32]*report.FailingTool, tool uint32, fails bool) {
	if tools[tool] == nil {
		tools[tool] = &report.FailingTool{Tool: b.tools.list[tool]}
	}
	tools[tool].N++
	if fails {
		tools[tool].Failing++
	}
}

// worst sorts the tools with failing calls by the lower end of the interval of the failing share,
// so that one failing call of one does not come before 20 of 25.
func (b *Builder) worst(tools map[uint32]*report.FailingTool) []report.FailingTool {
	type ranked struct {
		report.FailingTool
		least float64
	}
	var all []ranked
	for _, t := range tools {
		if t.Failing == 0 {
			continue
		}
		e, err := interval.Wilson(float64(t.Failing), float64(t.N), b.Alpha)
		b.Keep(err)
		all = append(all, ranked{*t, e.CI.Low.Value})
	}
	sorting.Stable(all, func(x, y ranked) int {
		return cmp.Or(cmp.Compare(y.least, x.least), cmp.Compare(y.Failing, x.Failing), cmp.Compare(x.Tool, y.Tool))
	})
	var out []report.FailingTool
	for _, t := range all[:min(len(all), maxTools)] {
		out = append(out, t.FailingTool)
	}
	return out
}

// fails reports whether a series fails an item. A score of a conversation does not say whether one
// of its calls fails.
func (b *Builder) fails(sr *series, i item) bool {
	level := report.CallLevel
	if i.call < 0 {
		level = report.ConversationLevel
	}
	return sr.Level == level && sr.at(i).verdict() == 0
}

// backing adds up the evidence of the series that fail an item.
func (b *Builder) backing(all []*series, i item) float64 {
	sum := 0.0
	for _, sr := range all {
		if b.fails(sr, i) {
			sum += sr.evidence.Weight(false)
		}
	}
	return sum
}

// failingItem returns the scores that fail the item itself, without their texts.
func (b *Builder) failingItem(by *series, others []*series, i item) report.FailingItem {
	out := report.FailingItem{CaseRef: b.caseOf(i)}
	out.Place = b.placeOf(i)
	for _, sr := range append([]*series{by}, others...) {
		twice := sr == by && len(out.Sides) > 0
		if b.fails(sr, i) && !twice && len(out.Sides) < maxSides {
			out.Sides = append(out.Sides, b.sideOf(sr, sr.at(i)))
		}
	}
	return out
}
