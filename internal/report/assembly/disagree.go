package assembly

import (
	"cmp"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// party are the series of one judge's disagreements at one level: the judge's
// rubrics, of which calls are reduced by min to be compared with references of
// conversations, and the references.
type party struct {
	judge, level  string
	rubrics, refs []*series
}

func (b *Builder) parties() []*party {
	var out []*party
	for all := b.judges(); len(all) > 0; {
		name := all[0].Judge
		of := without(all, func(sr *series) bool { return sr.Judge != name })
		all = without(all, func(sr *series) bool { return sr.Judge == name })
		refs := without(b.references(), func(ref *series) bool { return b.circular(of[0], ref) })
		calls := &party{name, report.CallLevel, atLevel(of, report.CallLevel), atLevel(refs, report.CallLevel)}
		whole := &party{judge: name, level: report.ConversationLevel, refs: atLevel(refs, report.ConversationLevel)}
		for _, sr := range of {
			if sr.Level == report.CallLevel {
				sr = b.reduced(sr, report.ReduceMin)
			}
			whole.rubrics = append(whole.rubrics, sr)
		}
		for _, p := range []*party{calls, whole} {
			if len(p.rubrics) > 0 && len(p.refs) > 0 {
				out = append(out, p)
			}
		}
	}
	return out
}

// candidate is an item on which a judge and a reference decide differently.
type candidate struct {
	*party
	weight float64
	of     item
	passes bool
}

// compare orders by weight, ties by id, call, judge and level.
func (c candidate) compare(d candidate) int {
	return cmp.Or(cmp.Compare(d.weight, c.weight), cmp.Compare(c.of.conversation, d.of.conversation),
		cmp.Compare(c.of.call, d.of.call), cmp.Compare(c.judge, d.judge), cmp.Compare(c.level, d.level))
}

// disagreements ranks the items on which a judge and a reference decide differently, and
// lists the first of them.
func (b *Builder) disagreements(r *report.Report) {
	for _, sr := range b.series {
		sr.evidence = r.Evidence(sr.Instrument)
	}
	var all []candidate
	for _, p := range b.parties() {
		b.eachItem(p.level, p.rubrics, func(i item, _ []observation) {
			if c := p.weigh(i); c.weight > 0 {
				all = append(all, c)
			}
		})
	}
	slices.SortFunc(all, candidate.compare)
	out := &r.Disagreements
	out.Total, out.Items, out.All = len(all), []report.Disagreement{}, make([]report.CaseRef, len(all))
	for i, c := range all {
		if out.All[i] = b.caseOf(c.of); i < maxListed {
			out.Items = append(out.Items, b.describe(i+1, c))
		}
	}
}

// weigh weighs one item: the strongest pair of a rubric and a reference that decide
// differently counts with the judge's confidence, further pairs and severe flags add a
// little. Of both directions the one with more weight counts.
func (p *party) weigh(of item) candidate {
	out := candidate{party: p, of: of}
	for _, passes := range []bool{true, false} {
		weight, against, pairs, severe := 0.0, 0.0, 0, false
		for _, sr := range p.rubrics {
			o := sr.at(of)
			if o.verdict() != measure.One(passes) {
				continue
			}
			severe = severe || o.has(isSevere)
			confidence := o.confidence()
			if math.IsNaN(confidence) {
				confidence = 0.5
			}
			for _, ref := range p.refs {
				if ref.at(of).verdict() != measure.One(!passes) {
					continue
				}
				evidence := ref.evidence.Weight(!passes)
				if w := evidence * report.Scope(sr.Name, len(p.rubrics) == 1, passes) * confidence; w > 0 {
					weight, against = max(weight, w), max(against, evidence)
					pairs++
				}
			}
		}
		if pairs == 0 {
			continue
		}
		weight += 0.02*float64(min(pairs-1, 5)) + 0.1*measure.One(severe)
		if p.backing(of, passes) > against {
			weight *= backed
		}
		if weight > out.weight {
			out.weight, out.passes = *report.Rounded(weight), passes
		}
	}
	return out
}

// backed reduces the weight where a reference with stronger evidence than all
// others sides with the judge: then the call is likely a valid alternative, or the
// expected one is wrong, and the judge is seldom the one to correct.
const backed = 0.3

// backing is the evidence of the strongest reference that decides as the judge does.
func (p *party) backing(of item, passes bool) float64 {
	most := 0.0
	for _, ref := range p.refs {
		if ref.at(of).verdict() == measure.One(passes) {
			most = max(most, ref.evidence.Weight(passes))
		}
	}
	return most
}

// findFailed finds, for a conversation that a judge passes as a whole, the call that the
// references fail: the first one that the strongest of them fails, which by is. It is the
// call that the disagreement is about; the judge's lowest score may be another's.
func (b *Builder) findFailed(c candidate) (failed item, by *series) {
	if c.of.call >= 0 || !c.passes {
		return failed, nil
	}
	refs := atLevel(b.references(), report.CallLevel)
	slices.SortStableFunc(refs, func(x, y *series) int {
		return cmp.Compare(y.evidence.Weight(false), x.evidence.Weight(false))
	})
	calls := b.callsOf(c.of.conversation)
	for _, ref := range refs {
		if ref.evidence.Weight(false) == 0 || b.circular(c.rubrics[0], ref) {
			continue
		}
		fails := func(call item) bool { return ref.at(call).verdict() == 0 }
		if at := slices.IndexFunc(calls, fails); at >= 0 {
			return calls[at], ref
		}
	}
	return failed, nil
}

// describe turns a candidate into a disagreement without its texts.
func (b *Builder) describe(rank int, c candidate) report.Disagreement {
	d := report.Disagreement{
		Rank: rank, Weight: c.weight, Level: c.level, CaseRef: b.caseOf(c.of), Judge: c.judge,
		Direction: report.JudgeFails,
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
			side.Conflicts = side.Passed != nil && *side.Passed == c.passes
			d.Judgements = append(d.Judgements, side)
		}
	}
	for _, sr := range c.refs {
		o := sr.at(c.of)
		if !o.has(isScored) {
			continue
		}
		side := b.sideOf(sr, o)
		switch {
		case side.Passed == nil || sr.evidence.Weight(*side.Passed) == 0:
		case *side.Passed == c.passes:
			d.SidesWithJudge = append(d.SidesWithJudge, side.Name)
		default:
			side.Conflicts = true
		}
		d.References = append(d.References, side)
	}
	if failedBy != nil {
		side := b.sideOf(failedBy, failedBy.at(failed))
		side.CallIndex, side.Conflicts = failed.callIndex(), true
		d.References = append(d.References, side)
	}
	slices.SortStableFunc(d.Judgements, func(x, y report.Side) int { return report.CompareOverall(x.Name, y.Name) })
	slices.SortStableFunc(d.References, func(x, y report.Side) int { return cmp.Compare(sideOrder(x), sideOrder(y)) })
	return d
}

// sideOf is one instrument's side; of reduced calls, with the call that decided.
func (s *items) sideOf(sr *series, o observation) report.Side {
	side := report.Side{Name: sr.Title(), Source: sr.Source, Value: report.Rounded(o.value)}
	if o.has(isDecided) {
		passed := o.has(isPassed)
		side.Passed = &passed
	}
	if sr.calls != nil {
		side.CallIndex = s.deciding(o).callIndex()
	}
	return side
}

// sideOrder orders the references of a disagreement: those that contradict the judge before
// the others; labels, then scores of the call in question, then scores of the conversation.
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
