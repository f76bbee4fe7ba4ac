package measure

import (
	"cmp"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
)

// party is a judge's deciding rubric at one level with its references, strongest first.
type party struct {
	judge, level string
	// decides holds the deciding rubric's verdicts. If the rubric is about calls and the level is
	// conversations, they are reduced by min. rubrics holds all of the judge's rubrics, reduced in
	// the same way.
	decides *series
	rubrics []*series
	refs    []*series
	// only says that the judge has no other rubric.
	only bool
}

// parties returns a party for each judge and level with verdicts on both sides.
func (b *Builder) parties(r *report.Report) []*party {
	var out []*party
	for _, name := range r.Judges() {
		of := dropped(b.judges(), func(sr *series) bool { return sr.Judge != name })
		if len(of) == 0 { // it is a retest
			continue
		}
		for _, level := range []string{report.CallLevel, report.ConversationLevel} {
			if p := b.party(r, name, level, of); p != nil {
				out = append(out, p)
			}
		}
	}
	return out
}

// party returns the party of a judge at a level; nil if nothing is decided there. of holds the judge's series.
func (b *Builder) party(r *report.Report, judge, level string, of []*series) *party {
	row := cmp.Or(r.DecidingRow(judge, level), r.DecidingRow(judge, report.CallLevel))
	if row == nil {
		return nil
	}
	p := &party{judge: judge, level: level, only: len(of) == 1}
	for _, sr := range of {
		decides := sr.Instrument == row.Instrument
		switch {
		case sr.Level == level:
		case level == report.ConversationLevel && sr.Level == report.CallLevel:
			sr = b.reduced(sr, report.ReduceMin)
		default:
			continue
		}
		if p.rubrics = append(p.rubrics, sr); decides {
			p.decides = sr
		}
	}
	for _, ref := range OwnReferences(r, row.Instrument, level) {
		p.refs = append(p.refs, b.byKey[ref])
	}
	if p.decides == nil || len(p.refs) == 0 {
		return nil
	}
	return p
}

// candidate is an item on which a judge and its reference decide differently.
type candidate struct {
	*party
	by     *series // the reference
	weight float64
	of     item
	passes bool
	// others names further judges that decide as this one does.
	others []string
}

// compare sorts by weight, then by id, call, judge and level.
func (c candidate) compare(d candidate) int {
	return cmp.Or(cmp.Compare(d.weight, c.weight), c.of.compare(d.of), cmp.Compare(c.judge, d.judge))
}

// disagreements ranks the items on which a judge and its reference decide differently, and lists
// the first of them. An item counts once, however many judges there are.
func (b *Builder) disagreements(r *report.Report) {
	for _, sr := range b.series {
		sr.evidence = r.Evidence(sr.Instrument)
	}
	var all []candidate
	for _, p := range b.parties(r) {
		b.eachItem(p.level, []*series{p.decides}, func(i item, _ []observation) {
			if c, ok := p.weigh(i); ok {
				all = append(all, c)
			}
		})
	}
	all = onePerItem(all)
	sorting.Stable(all, candidate.compare)
	out := &r.Disagreements
	out.Total, out.Items, out.All = len(all), []report.Disagreement{}, make([]report.Opposed, len(all))
	for i, c := range all {
		if c.level == report.CallLevel {
			out.Calls++
		}
		out.All[i] = report.Opposed{CaseRef: b.caseOf(c.of), Judge: c.judge, Passes: c.passes, Reference: c.by.Title()}
		if i < maxListed {
			out.Items = append(out.Items, b.describe(i+1, c))
		}
	}
}

// onePerItem keeps, if several judges contradict a reference on one item, the one with the highest
// weight, and names the others.
func onePerItem(all []candidate) []candidate {
	sorting.Stable(all, func(x, y candidate) int {
		return cmp.Or(x.of.compare(y.of), cmp.Compare(y.weight, x.weight))
	})
	out := all[:0]
	for _, c := range all {
		last := len(out) - 1
		switch {
		case last < 0 || out[last].of.compare(c.of) != 0:
			out = append(out, c)
		case out[last].passes == c.passes:
			out[last].others = append(out[last].others, c.judge)
		}
	}
	return out
}

// compare sorts items by conversation and call.
func (i item) compare(j item) int {
	return cmp.Or(cmp.Compare(i.conversation, j.conversation), cmp.Compare(i.call, j.call))
}

// weigh computes the weight of an item; ok is false if the judge and the reference agree, or one of them has no
// verdict. The weight is the reference's evidence times the judge's confidence; a severe flag adds a little.
func (p *party) weigh(of item) (c candidate, ok bool) {
	o := p.decides.at(of)
	if !o.has(isDecided) {
		return c, false
	}
	c = candidate{party: p, of: of, passes: o.has(isPassed)}
	by := slices.IndexFunc(p.refs, func(ref *series) bool { return ref.decidesAt(of) > 0 })
	if by < 0 || p.refs[by].at(of).has(isPassed) == c.passes {
		return c, false
	}
	c.by = p.refs[by]
	confidence := o.confidence()
	if math.IsNaN(confidence) {
		confidence = 0.5
	}
	evidence := c.by.decidesAt(of)
	weight := evidence*report.Scope(p.decides.Name, p.only, c.passes)*confidence + 0.1*asNumber(o.has(isSevere))
	if p.backing(of, c.passes) > evidence {
		weight *= backed
	}
	c.weight = *report.Rounded(weight)
	return c, true
}

// decidesAt returns the evidence of a reference's verdict on an item; 0 without a verdict.
func (sr *series) decidesAt(of item) float64 {
	o := sr.at(of)
	if !o.has(isDecided) {
		return 0
	}
	return sr.evidence.Weight(o.has(isPassed))
}

// backed reduces the weight if a reference with stronger evidence than the deciding one agrees with
// the judge, for example if the call matches the expected calls by another measure.
const backed = 0.3

// backing returns the evidence of the strongest reference that agrees with the judge.
func (p *party) backing(of item, passes bool) float64 {
	most := 0.0
	for _, ref := range p.refs {
		if ref.at(of).verdict() == asNumber(passes) {
			most = max(most, ref.decidesAt(of))
		}
	}
	return most
}

// findFailed returns the call that the references fail in a conversation that the judge passes, and
// the reference: the first call that the strongest reference fails. The disagreement is about this
// call, which need not be the one with the judge's lowest score.
func (b *Builder) findFailed(c candidate) (failed item, by *series) {
	if c.of.call >= 0 || !c.passes {
		return failed, nil
	}
	refs := atLevel(b.references(), report.CallLevel)
	sorting.Stable(refs, func(x, y *series) int {
		return cmp.Compare(y.evidence.Weight(false), x.evidence.Weight(false))
	})
	calls := b.callsOf(c.of.conversation)
	for _, ref := range refs {
		if ref.evidence.Weight(false) == 0 || b.circular(c.decides, ref) {
			continue
		}
		fails := func(call item) bool { return ref.at(call).verdict() == 0 }
		if at := slices.IndexFunc(calls, fails); at >= 0 {
			return calls[at], ref
		}
	}
	return failed, nil
}

// describe converts a candidate to a disagreement without its texts.
func (b *Builder) describe(rank int, c candidate) report.Disagreement {
	d := report.Disagreement{
		Rank: rank, Weight: c.weight, Level: c.level, CaseRef: b.caseOf(c.of), Judge: c.judge,
		OtherJudges: c.others, Direction: report.JudgeFails,
	}
	d.Place = b.placeOf(c.of)
	if c.passes {
		d.Direction = report.JudgePasses
	}
	failed, failedBy := b.findFailed(c)
	for _, sr := range c.rubrics {
		o := sr.at(c.of)
		if failedBy != nil && sr.calls != nil {
			if at := sr.calls.at(failed); at.has(isScored) && at.has(isDecided) {
				o = at
			}
		}
		if o.has(isScored) {
			side := b.sideOf(sr, o)
			side.Conflicts = sr == c.decides
			d.Judgements = append(d.Judgements, side)
		}
	}
	for _, sr := range dropped(atLevel(b.references(), c.level), func(sr *series) bool { return b.circular(c.decides, sr) }) {
		o := sr.at(c.of)
		if !o.has(isScored) {
			continue
		}
		side := b.sideOf(sr, o)
		side.Conflicts = sr == c.by
		if side.Passed != nil && *side.Passed == c.passes && sr.evidence.Weight(c.passes) > 0 {
			d.SidesWithJudge = append(d.SidesWithJudge, side.Name)
		}
		d.References = append(d.References, side)
	}
	if failedBy != nil {
		side := b.sideOf(failedBy, failedBy.at(failed))
		side.CallIndex = failed.callIndex()
		d.References = append(d.References, side)
	}
	sorting.Stable(d.Judgements, func(x, y report.Side) int { return report.CompareOverall(x.Name, y.Name) })
	sorting.Stable(d.References, func(x, y report.Side) int { return cmp.Compare(sideOrder(x), sideOrder(y)) })
	return d
}

// sideOf returns one instrument's side; for reduced calls, with the call that decided.
func (s *items) sideOf(sr *series, o observation) report.Side {
	side := report.Side{Name: sr.Title(), Source: sr.Source, Value: report.Rounded(o.number())}
	if o.has(isDecided) {
		passed := o.has(isPassed)
		side.Passed = &passed
	}
	if sr.calls != nil {
		side.CallIndex = s.deciding(o).callIndex()
	}
	return side
}

// sideOrder sorts the references of a disagreement: those that contradict the judge first; then
// labels, scores of the call in question, and scores of the conversation.
func sideOrder(s report.Side) int {
	rank := 2
	switch {
	case s.Source == string(score.Label):
		rank = 0
	case s.CallIndex != nil:
		rank = 1
	}
	if !s.Conflicts {
		rank += 3
	}
	return rank
}
