package report

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/score"
)

// The directions of a disagreement.
const (
	JudgePasses = "judge_passes"
	JudgeFails  = "judge_fails"
)

// strength says how much a reference's word weighs against a judge, 0..1, by what
// its verdict can show. A schema that holds says little of meaning, one that is
// broken much; a match with the expected call is strong, a mismatch may be a valid
// alternative. 0 is no conflict at all.
func (b *builder) strength(ref *series, passed bool) float64 {
	if ref.Source == string(score.Label) {
		return 1
	}
	switch b.manifest.scorer(ref.Name).Type {
	case "schema_check", "parameter_validation", "function_call_coverage", "function_name_match", "tool_calls":
		return choose(passed, 0, 1)
	case "function_call_exact_match", "function_call_accuracy", "ast_equivalence", "bfcl_ast", "trajectory_match", "expected_call_match":
		return choose(passed, 1, 0.6)
	case "execution_check", threeLayer:
		return choose(passed, 1, 0.9)
	}
	return 0.8
}

// scope says how much of a call a rubric judges. An overall verdict answers for
// everything; one aspect that passes says nothing about the others.
func scope(rubric string, only, passed bool) float64 {
	if only || strings.HasPrefix(rubric, "overall") {
		return 1
	}
	return choose(passed, 0.3, 0.8)
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
	all     []*series // the judge's rubrics, then the references
	rubrics int
	decider map[*series][]int32
}

// candidate is a disagreement before its texts are read.
type candidate struct {
	weight float64
	conv   uint32
	call   int32
	tool   uint32
	party  *party
	passes bool
	unit   []int
}

// before orders by weight, ties by id, call, judge and level.
func (c *candidate) before(d *candidate) bool {
	return cmp.Or(cmp.Compare(d.weight, c.weight), cmp.Compare(c.conv, d.conv), cmp.Compare(c.call, d.call),
		cmp.Compare(c.party.judge, d.party.judge), cmp.Compare(c.party.level, d.party.level)) < 0
}

// queue keeps the best candidates; its root is the worst of them.
type queue []*candidate

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[j].before(q[i]) }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(*candidate)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func (b *builder) disagreements(r *Report) error {
	r.Disagreements.Items = []Disagreement{}
	var best queue
	for _, p := range b.parties() {
		mergeUnits(p.all, func(unit []int) {
			c := b.conflict(p, unit)
			if c.weight == 0 {
				return
			}
			r.Disagreements.Total++
			if len(best) >= b.MaxDisagreements && (len(best) == 0 || !c.before(best[0])) {
				return
			}
			kept := c
			kept.unit = slices.Clone(unit)
			heap.Push(&best, &kept)
			if len(best) > b.MaxDisagreements {
				heap.Pop(&best)
			}
		})
	}
	slices.SortFunc(best, func(x, y *candidate) int { return int(choose(x.before(y), -1, 1)) })
	for i, c := range best {
		r.Disagreements.Items = append(r.Disagreements.Items, b.describe(i+1, c))
	}
	r.Disagreements.Shown = len(best)
	return b.readTexts(r)
}

// parties are the judges at each level; calls are reduced by min to meet
// references that speak of conversations.
func (b *builder) parties() []*party {
	var names []string
	byJudge := map[string][]*series{}
	for _, sr := range b.mainSeries(isJudge) {
		if byJudge[sr.Judge] == nil {
			names = append(names, sr.Judge)
		}
		byJudge[sr.Judge] = append(byJudge[sr.Judge], sr)
	}
	refs := b.mainSeries(isReference)
	var out []*party
	for _, name := range names {
		for _, level := range []string{CallLevel, ConversationLevel} {
			p := &party{judge: name, level: level, decider: map[*series][]int32{}}
			for _, sr := range byJudge[name] {
				switch {
				case sr.Level == level:
					p.all = append(p.all, sr)
				case level == ConversationLevel:
					p.all = append(p.all, b.wholeConversations(p, sr))
				}
			}
			p.rubrics = len(p.all)
			for _, ref := range atLevel(refs, level) {
				if !b.circular(byJudge[name][0], ref) {
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

func (b *builder) wholeConversations(p *party, sr *series) *series {
	whole, _ := b.reduce(sr, ReduceMin)
	calls := make([]int32, len(whole.obs))
	for i := range whole.obs {
		calls[i] = whole.obs[i].call
		whole.obs[i].call = -1
	}
	p.decider[whole] = calls
	return whole
}

// conflict weighs one item: the strongest pair of a rubric and a reference that
// decide differently counts with the judge's confidence, further pairs and severe
// flags add a little. Of both directions the weightier one is told.
func (b *builder) conflict(p *party, unit []int) candidate {
	best := candidate{party: p}
	for _, passes := range []bool{true, false} {
		weight, pairs, severeFlag := 0.0, 0, false
		var at observation
		for i, sr := range p.all[:p.rubrics] {
			if unit[i] < 0 || sr.obs[unit[i]].verdict() != choose(passes, 1, 0) {
				continue
			}
			o := sr.obs[unit[i]]
			at = o
			severeFlag = severeFlag || o.has(severe)
			conf := o.confidence()
			if math.IsNaN(conf) {
				conf = 0.5
			}
			for k, ref := range p.all[p.rubrics:] {
				n := unit[p.rubrics+k]
				if n < 0 || ref.obs[n].verdict() != choose(passes, 0, 1) {
					continue
				}
				if w := b.strength(ref, !passes) * scope(sr.Name, p.rubrics == 1, passes) * conf; w > 0 {
					weight = max(weight, w)
					pairs++
				}
			}
		}
		if pairs == 0 {
			continue
		}
		weight += 0.02 * float64(min(pairs-1, 5))
		if severeFlag {
			weight += 0.1
		}
		if weight > best.weight {
			best = candidate{weight: *rounded(weight), conv: at.conv, call: at.call, tool: at.tool, party: p, passes: passes}
		}
	}
	return best
}

// describe turns a candidate into a disagreement without its texts.
func (b *builder) describe(rank int, c *candidate) Disagreement {
	d := Disagreement{
		Rank: rank, Weight: c.weight, Level: c.party.level, ConversationID: b.table.convs[c.conv],
		CallIndex: callIndex(c.call), Judge: c.party.judge, Direction: JudgeFails,
	}
	if c.passes {
		d.Direction = JudgePasses
	}
	if c.call >= 0 {
		d.Tool = b.table.tools[c.tool]
	}
	if b.in.Place != nil {
		d.Place = b.in.Place(d.ConversationID, int(c.call))
	}
	for i, sr := range c.party.all {
		if c.unit[i] < 0 || !sr.obs[c.unit[i]].has(hasValue) {
			continue
		}
		o := sr.obs[c.unit[i]]
		side := Side{Name: sr.Title(), Source: sr.Source, Value: rounded(o.value)}
		if o.has(hasVerdict) {
			pass := o.has(verdictPass)
			side.Passed = &pass
			side.Conflicts = pass == c.passes
		}
		if i < c.party.rubrics {
			if calls := c.party.decider[sr]; calls != nil {
				side.CallIndex = callIndex(calls[c.unit[i]])
			}
			d.Judgements = append(d.Judgements, side)
			continue
		}
		side.Conflicts = side.Passed != nil && !side.Conflicts && b.strength(sr, !c.passes) > 0
		d.References = append(d.References, side)
	}
	return d
}
