package assembly

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
	"github.com/judgekit/judge/internal/score"
)

// strength says how much a reference's word weighs against a judge, 0..1, by what
// its verdict can show. A schema that holds says little of meaning, one that is
// broken much; a match with the expected call is strong, a mismatch may be a valid
// alternative. 0 is no conflict at all.
func (b *builder) strength(ref *series.Series, passed bool) float64 {
	if ref.Source == string(score.Label) {
		return 1
	}
	switch b.Manifest.Scorer(ref.Name).Type {
	case "schema_check", "parameter_validation", "function_call_coverage", "function_name_match", "tool_calls":
		return choose(passed, 0, 1)
	case "function_call_exact_match", "function_call_accuracy", "ast_equivalence", "bfcl_ast", "trajectory_match", "expected_call_match":
		return choose(passed, 1, 0.6)
	case "execution_check", report.ThreeLayer:
		return choose(passed, 1, 0.9)
	}
	return 0.8
}

func choose(first bool, a, b float64) float64 {
	if first {
		return a
	}
	return b
}

// party is what takes part in one judge's disagreements at one level. decider
// holds, for reduced series, the call that decided each conversation.
type party struct {
	judge   string
	level   string
	all     []*series.Series // the judge's rubrics, then the references
	rubrics int
}

// candidate is a disagreement before its texts are read.
type candidate struct {
	weight float64
	item   series.Item
	party  *party
	passes bool
	said   []series.Observation
}

// before orders by weight, ties by id, call, judge and level.
func (c *candidate) before(d *candidate) bool {
	return cmp.Or(cmp.Compare(d.weight, c.weight), cmp.Compare(c.item.Conversation, d.item.Conversation), cmp.Compare(c.item.Call, d.item.Call),
		cmp.Compare(c.party.judge, d.party.judge), cmp.Compare(c.party.level, d.party.level)) < 0
}

// queue keeps the best candidates; its root is the worst of them.
type queue []*candidate

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool { return q[j].before(q[i]) }

func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

func (q *queue) Push(x any) { *q = append(*q, x.(*candidate)) }

func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// disagreements ranks the items on which a judge and a reference decide differently, and
// lists the first of them.
func (b *builder) disagreements(r *report.Report) error {
	r.Disagreements.Items = []report.Disagreement{}
	var best queue
	for _, p := range b.parties() {
		b.Table.Items.Walk(p.level, p.all, func(item series.Item, said []series.Observation) {
			c := b.conflict(p, item, said)
			if c.weight == 0 {
				return
			}
			r.Disagreements.Total++
			if len(best) >= b.MaxDisagreements && (len(best) == 0 || !c.before(best[0])) {
				return
			}
			kept := c
			kept.said = slices.Clone(said)
			heap.Push(&best, &kept)
			if len(best) > b.MaxDisagreements {
				heap.Pop(&best)
			}
		})
	}
	slices.SortFunc(best, func(x, y *candidate) int { return int(choose(x.before(y), -1, 1)) })
	failed := b.failedCalls(best)
	for i, c := range best {
		r.Disagreements.Items = append(r.Disagreements.Items, b.describe(i+1, c, failed[c]))
	}
	r.Disagreements.Shown = len(best)
	return b.readTexts(r)
}

// parties are the judges at each level; calls are reduced by min to meet
// references that speak of conversations.
func (b *builder) parties() []*party {
	var names []string
	byJudge := map[string][]*series.Series{}
	for _, sr := range b.Main(series.IsJudge) {
		if byJudge[sr.Judge] == nil {
			names = append(names, sr.Judge)
		}
		byJudge[sr.Judge] = append(byJudge[sr.Judge], sr)
	}
	refs := b.Main(series.IsReference)
	var out []*party
	for _, name := range names {
		for _, level := range []string{report.CallLevel, report.ConversationLevel} {
			p := &party{judge: name, level: level}
			for _, sr := range byJudge[name] {
				switch {
				case sr.Level == level:
					p.all = append(p.all, sr)
				case level == report.ConversationLevel:
					p.all = append(p.all, b.Reduced(sr, report.ReduceMin))
				}
			}
			p.rubrics = len(p.all)
			for _, ref := range series.AtLevel(refs, level) {
				if !b.Circular(byJudge[name][0], ref) {
					p.all = append(p.all, ref)
				}
			}
			if p.rubrics > 0 && len(p.all) > p.rubrics {
				out = append(out, p)
			}
		}
	}
	return out
}

// conflict weighs one item: the strongest pair of a rubric and a reference that
// decide differently counts with the judge's confidence, further pairs and severe
// flags add a little. Of both directions the weightier one is told.
func (b *builder) conflict(p *party, item series.Item, said []series.Observation) candidate {
	best := candidate{item: item, party: p}
	for _, passes := range []bool{true, false} {
		weight, against, pairs, severe := 0.0, 0.0, 0, false
		for i, sr := range p.all[:p.rubrics] {
			o := said[i]
			if o.Verdict() != choose(passes, 1, 0) {
				continue
			}
			severe = severe || o.Has(series.Severe)
			conf := o.Confidence()
			if math.IsNaN(conf) {
				conf = 0.5
			}
			for k, ref := range p.all[p.rubrics:] {
				if said[p.rubrics+k].Verdict() != choose(passes, 0, 1) {
					continue
				}
				word := b.strength(ref, !passes)
				if w := word * report.Scope(sr.Name, p.rubrics == 1, passes) * conf; w > 0 {
					weight, against = max(weight, w), max(against, word)
					pairs++
				}
			}
		}
		if pairs == 0 {
			continue
		}
		weight += 0.02 * float64(min(pairs-1, 5))
		if severe {
			weight += 0.1
		}
		if b.backing(p, said, passes) > against {
			weight *= backed
		}
		if weight > best.weight {
			best.weight, best.passes = *report.Rounded(weight), passes
		}
	}
	return best
}

// backed is what is left of the weight where a reference whose word is stronger than
// that of all others sides with the judge: then the call is likely a valid alternative,
// or the expected one is wrong, and the judge is seldom the one to correct.
const backed = 0.3

// backing is how much the word of the strongest reference weighs that decides as the
// judge does.
func (b *builder) backing(p *party, said []series.Observation, passes bool) float64 {
	most := 0.0
	for k, ref := range p.all[p.rubrics:] {
		if said[p.rubrics+k].Verdict() == choose(passes, 1, 0) {
			most = max(most, b.strength(ref, passes))
		}
	}
	return most
}

// failedCall is a call that a reference fails.
type failedCall struct {
	item series.Item
	ref  *series.Series
}

// telling orders the references of a disagreement: labels, then what is said of the call
// in question, then what is said of the conversation.
func telling(s report.Side) int {
	switch {
	case s.Source == string(score.Label):
		return 0
	case s.CallIndex != nil:
		return 1
	}
	return 2
}

// failedCalls finds, for each conversation that a judge passes as a whole, the call that
// the references fail: the first one that the strongest of them fails. It is the call
// that the disagreement is about; the judge's lowest score may be another's.
func (b *builder) failedCalls(list []*candidate) map[*candidate]*failedCall {
	wanted := map[uint32][]*candidate{}
	for _, c := range list {
		if c.item.Whole() && c.passes {
			wanted[c.item.Conversation] = append(wanted[c.item.Conversation], c)
		}
	}
	out := map[*candidate]*failedCall{}
	refs := series.AtLevel(b.Main(series.IsReference), report.CallLevel)
	slices.SortStableFunc(refs, func(x, y *series.Series) int { return cmp.Compare(b.strength(y, false), b.strength(x, false)) })
	for conversation, of := range wanted {
		calls := b.Table.Items.CallsOf(conversation)
		for _, c := range of {
			out[c] = b.failedCall(c, calls, refs)
		}
	}
	return out
}

// failedCall is the first call that the first of the references fails, nil for none.
func (b *builder) failedCall(c *candidate, calls []series.Item, refs []*series.Series) *failedCall {
	for _, ref := range refs {
		at := slices.IndexFunc(calls, func(call series.Item) bool { return ref.At(call).Verdict() == 0 })
		if at >= 0 && b.strength(ref, false) > 0 && !b.Circular(c.party.all[0], ref) {
			return &failedCall{calls[at], ref}
		}
	}
	return nil
}

// describe turns a candidate into a disagreement without its texts. failed is the call
// that the references fail, nil where there is none.
func (b *builder) describe(rank int, c *candidate, failed *failedCall) report.Disagreement {
	d := report.Disagreement{
		Rank: rank, Weight: c.weight, Level: c.party.level, ConversationID: b.Table.Items.Conversation(c.item.Conversation),
		CallIndex: c.item.CallIndex(), Judge: c.party.judge, Direction: report.JudgeFails,
	}
	if c.passes {
		d.Direction = report.JudgePasses
	}
	if !c.item.Whole() {
		d.Tool = b.Table.Items.Tools()[c.item.Tool]
	}
	if b.In.Place != nil {
		d.Place = b.In.Place(d.ConversationID, int(c.item.Call))
	}
	for i, sr := range c.party.all {
		o := c.said[i]
		if failed != nil && sr.How != "" {
			if at := sr.At(failed.item); at.Has(series.HasValue) && at.Has(series.HasVerdict) {
				o = at
			}
		}
		if !o.Has(series.HasValue) {
			continue
		}
		side := report.Side{Name: sr.Title(), Source: sr.Source, Value: report.Rounded(o.Value)}
		if o.Has(series.HasVerdict) {
			pass := o.Has(series.Passed)
			side.Passed = &pass
			side.Conflicts = pass == c.passes
		}
		if i < c.party.rubrics {
			if sr.How != "" {
				side.CallIndex = o.Item.CallIndex()
			}
			d.Judgements = append(d.Judgements, side)
			continue
		}
		side.Conflicts = side.Passed != nil && !side.Conflicts && b.strength(sr, !c.passes) > 0
		if side.Passed != nil && *side.Passed == c.passes && b.strength(sr, c.passes) > 0 {
			d.SidesWithJudge = append(d.SidesWithJudge, side.Name)
		}
		d.References = append(d.References, side)
	}
	if failed != nil {
		no := false
		d.References = append(d.References, report.Side{Name: failed.ref.Title(), Source: failed.ref.Source, CallIndex: failed.item.CallIndex(),
			Value: report.Rounded(failed.ref.At(failed.item).Value), Passed: &no, Conflicts: true})
	}
	slices.SortStableFunc(d.References, func(x, y report.Side) int { return cmp.Compare(telling(x), telling(y)) })
	return d
}
