package measure

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/planted"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/value"
)

// plantedItem is a variant of a planted log, with the answers about it by judge and rubric.
type plantedItem struct {
	report.CaseRef
	planted.Plan
	answers map[report.Instrument]plantedAnswer
}

type plantedAnswer struct {
	value           float64
	fails           float64 // 1 or 0, NaN without a verdict
	named, restored bool
}

// plantedItems holds the planted items of a run; it is empty for an ordinary log.
type plantedItems struct {
	list []*plantedItem
	byID map[string]*plantedItem
}

// add adds a score: the label of a variant, which comes first, or an answer about it.
func (p *plantedItems) add(s *score.Score) {
	if s.Source == score.Label && s.Name == planted.Label {
		if plan, ok := planted.ReadPlan(s.Details); ok && p.byID[s.ConversationID] == nil {
			ref := report.CaseRef{ConversationID: s.ConversationID, CallIndex: s.CallIndex, Tool: s.Tool,
				Place: s.Place}
			if p.byID == nil {
				p.byID = map[string]*plantedItem{}
			}
			i := &plantedItem{CaseRef: ref, Plan: plan, answers: map[report.Instrument]plantedAnswer{}}
			p.list, p.byID[strings.Clone(s.ConversationID)] = append(p.list, i), i
		}
		return
	}
	i := p.byID[s.ConversationID]
	if i == nil || s.Source != score.Judge || s.Value == nil {
		return
	}
	a := plantedAnswer{value: *s.Value, fails: stat.Missing()}
	if s.Passed != nil {
		a.fails = asNumber(!*s.Passed)
	}
	said := strings.ToLower(s.Explanation + " " + s.Evidence)
	name := strings.ToLower(i.Parameter)
	a.named = name != "" && (strings.Contains(said, name) || strings.Contains(said, strings.ReplaceAll(name, "_", " ")))
	corrected := s.Details.Field("corrected_call")
	a.restored = !i.Right.IsNull() && corrected.Field("name").Text() == i.Right.Field("name").Text() &&
		value.Equal(corrected.Field("parameters"), i.Right.Field("parameters"))
	i.answers[report.Instrument{Name: strings.Clone(s.Name), Judge: strings.Clone(s.Judge)}] = a
}

// prober measures one judge by one rubric.
type prober struct {
	*statistics
	items     *plantedItems
	of        report.Instrument
	originals map[string]*plantedItem // by base
}

// fails returns 1 for a fail, 0 for a pass, NaN without a verdict.
func (p *prober) fails(i *plantedItem) float64 { return p.failsAs(i, p.of.Judge) }

func (p *prober) failsAs(i *plantedItem, judge string) float64 {
	if i != nil {
		if a, ok := i.answers[report.Instrument{Name: p.of.Name, Judge: judge}]; ok {
			return a.fails
		}
	}
	return stat.Missing()
}

func (p *prober) original(i *plantedItem) *plantedItem { return p.originals[i.Key()] }

// where returns the items of a kind for which keep is true.
func (p *prober) where(kind string, keep func(*plantedItem) bool) (out []*plantedItem) {
	for _, i := range p.items.list {
		if i.Kind == kind && (keep == nil || keep(i)) {
			out = append(out, i)
		}
	}
	return out
}

// mean returns the mean of a number over items, clustered by the conversation from which they were made.
func (p *prober) mean(items []*plantedItem, weight []float64, of func(*plantedItem) float64) interval.ClusterSE {
	var names []string
	var values []float64
	for _, i := range items {
		names, values = append(names, i.Plan.Conversation), append(values, of(i))
	}
	return p.spread(values, weight, stat.ClusterIDs(names))
}

func (p *prober) rate(items []*plantedItem, of func(*plantedItem) float64) report.Sampled {
	return sampledRate(p.mean(items, nil, of))
}

func sampledRate(m interval.ClusterSE) report.Sampled {
	return report.Sampled{Estimate: rateEstimate(m), N: m.N}
}

// gap returns the difference of two rates. Its interval combines the intervals of both, which are valid for few
// items. It assumes that they are uncorrelated, so it is rather too long than too short.
func gap(a, b interval.ClusterSE) report.Sampled {
	x, y := a.Rate(), b.Rate()
	y.Value, y.CI = y.Value.Times(-1), stat.Both(y.CI.High.Times(-1), y.CI.Low.Times(-1))
	return report.Sampled{Estimate: report.Interval(interval.MoverSum(x, y)).Clipped(-1, 1), N: min(a.N, b.N)}
}

// signed returns the p-value of a sign test over conversations.
func (p *prober) signed(items []*plantedItem, of func(*plantedItem) float64) float64 {
	sums := map[string]float64{}
	for _, i := range items {
		if x := of(i); x == x {
			sums[i.Plan.Conversation] += x
		}
	}
	up, down := 0, 0
	for _, x := range sums {
		if x > 0 {
			up++
		} else if x < 0 {
			down++
		}
	}
	if len(sums) == 0 {
		return stat.Missing()
	}
	out, err := interval.McNemar(up, down)
	p.Keep(err)
	return out
}

// both keeps the items for which the item's and its original's verdicts are known.
func (p *prober) both(items []*plantedItem) []*plantedItem {
	return slices.DeleteFunc(slices.Clone(items), func(i *plantedItem) bool {
		return !stat.Some(p.fails(i) + p.fails(p.original(i))).Valid
	})
}

// operator measures the mutants of an operator, or of one of its doses.
func (p *prober) operator(name, dose string) report.ProbeOperator {
	row := report.ProbeOperator{Judge: p.of.Judge, Rubric: p.of.Name, Operator: name, Dose: dose,
		Because: map[string]int{}}
	var doses []string
	bases := map[string]bool{}
	all := p.where(planted.Mutant, func(i *plantedItem) bool {
		return i.Operator == name && (dose == "" || i.Dose == dose)
	})
	for _, i := range all {
		bases[i.Key()] = true
		if !slices.Contains(doses, i.Dose) {
			doses = append(doses, i.Dose)
		}
	}
	for _, o := range p.where(planted.Original, nil) {
		if why := o.Discarded.Field(name).Text(); why != "" && dose == "" {
			row.Discarded++
			row.Because[why]++
		}
	}
	known := p.both(all)
	row.Bases, row.Mutants, row.Unscored = len(bases), len(all), len(all)-len(known)
	alarm := func(i *plantedItem) float64 { return p.fails(p.original(i)) }
	found, alarms := p.mean(known, nil, p.fails), p.mean(known, nil, alarm)
	row.Found, row.FalseAlarms, row.J = sampledRate(found), sampledRate(alarms), gap(found, alarms)
	below := p.mean(known, nil, func(i *plantedItem) float64 {
		return 0.5 - 0.5*float64(cmp.Compare(i.answers[p.of].value, p.original(i).answers[p.of].value))
	})
	row.Below = report.Sampled{Estimate: meanEstimate(below), N: below.N}
	inCall := slices.DeleteFunc(slices.Clone(known), func(i *plantedItem) bool { return i.Right.IsNull() })
	caught := slices.DeleteFunc(slices.Clone(inCall), func(i *plantedItem) bool { return p.fails(i) != 1 })
	row.Named = p.rate(inCall, func(i *plantedItem) float64 { return asNumber(i.answers[p.of].named) })
	row.Restored = p.rate(inCall, func(i *plantedItem) float64 { return asNumber(i.answers[p.of].restored) })
	row.RightReason = p.rate(caught, func(i *plantedItem) float64 {
		return asNumber(i.answers[p.of].named || i.answers[p.of].restored)
	})
	row.P = report.Rounded(p.signed(known, func(i *plantedItem) float64 { return p.fails(i) - alarm(i) }))
	if slices.Sort(doses); dose == "" && len(doses) > 1 {
		for _, d := range doses {
			row.Doses = append(row.Doses, p.operator(name, d))
		}
	}
	return row
}

// operators measures all operators, with p-values corrected for their number.
func (p *prober) operators() (out []report.ProbeOperator) {
	var list []float64
	for _, o := range planted.Operators() {
		row := p.operator(o.Name, "")
		list = append(list, stat.Missing())
		if row.P != nil {
			list[len(list)-1] = *row.P
		}
		out = append(out, row)
	}
	for i, holm := range p.Holm(list) {
		out[i].Holm = report.Point(holm).Value
		high := out[i].J.High
		out[i].Blind = out[i].Holm != nil && *out[i].Holm > p.Alpha && high != nil && *high < 0.5
	}
	return out
}

// weights returns, for each mutant, the weight of its operator divided among the operator's mutants.
func weights(items []*plantedItem) []float64 {
	count := map[string]float64{}
	for _, i := range items {
		count[i.Operator]++
	}
	out := make([]float64, len(items))
	for k, i := range items {
		out[k] = weightOf(i) / count[i.Operator]
	}
	return out
}

// weightOf returns the weight of a mutant's operator: the user's, else the natural one.
func weightOf(i *plantedItem) float64 {
	return cmp.Or(i.Weight, planted.OperatorNamed(i.Operator).Weight)
}

// probeWeights returns the weights of all planted operators.
func probeWeights(mutants []*plantedItem) report.ProbeWeights {
	out, sum := report.ProbeWeights{Share: map[string]float64{}}, 0.0
	for _, i := range mutants {
		out.Failures = i.Failures
		if out.Share[i.Operator] == 0 {
			out.Share[i.Operator] = weightOf(i)
			sum += weightOf(i)
		}
	}
	for name, w := range out.Share {
		out.Share[name] = *report.Rounded(w / sum)
	}
	return out
}

// judge measures what does not belong to one operator.
func (p *prober) judge() report.ProbeJudge {
	j := report.ProbeJudge{Judge: p.of.Judge, Rubric: p.of.Name, Missed: []report.ProbeMiss{}}
	originals, mutants := p.where(planted.Original, nil), p.both(p.where(planted.Mutant, nil))
	found, alarms := p.mean(mutants, weights(mutants), p.fails), p.mean(originals, nil, p.fails)
	j.Found, j.FalseAlarms, j.J = sampledRate(found), sampledRate(alarms), gap(found, alarms)
	j.UpperBound = slices.ContainsFunc(originals, func(i *plantedItem) bool { return i.Tier == planted.Assumed })
	p.stability(&j, originals)
	j.Attacks = append(p.attacks(planted.Attack, planted.AttackPlacebo),
		p.attacks(planted.Mirror, planted.MirrorPlacebo)...)
	j.ContentFree = p.rate(p.where(planted.Empty, nil), func(i *plantedItem) float64 { return 1 - p.fails(i) })
	for _, i := range mutants {
		if p.fails(i) != 0 {
			continue
		}
		if j.MissedTotal++; len(j.Missed) < maxListed {
			j.Missed = append(j.Missed, report.ProbeMiss{CaseRef: i.CaseRef, Operator: i.Operator, Dose: i.Dose,
				Parameter: i.Parameter, Was: i.Was, Is: i.Is})
		}
	}
	return j
}

// stability measures how a repetition, the order of examples and harmless changes affect verdicts.
func (p *prober) stability(j *report.ProbeJudge, originals []*plantedItem) {
	judge := p.of.Judge
	differs := func(a, b string) func(*plantedItem) float64 {
		return func(i *plantedItem) float64 { return turned(p.failsAs(i, a), p.failsAs(i, b)) }
	}
	retest := differs(judge, judge+planted.Again)
	inOrder := p.where(planted.Original, func(i *plantedItem) bool { return i.Reversed })
	other := p.mean(inOrder, nil, differs(judge, judge+planted.Reversed))
	j.Retest, j.Reversed = p.rate(originals, retest), sampledRate(other)
	j.Order = gap(other, p.mean(inOrder, nil, retest))
	j.ICC = p.icc(originals, judge, judge+planted.Again)
	j.Alone = p.rate(originals, differs(judge+planted.Alone, judge+planted.AloneAgain))
	j.AloneICC = p.icc(originals, judge+planted.Alone, judge+planted.AloneAgain)
	j.Load = p.rate(originals, differs(judge, judge+planted.Alone))
	for _, change := range planted.Changes() {
		list := p.where(planted.Equivalent, func(i *plantedItem) bool { return i.Operator == change })
		changed := p.mean(list, nil, func(i *plantedItem) float64 {
			return turned(p.fails(i), p.fails(p.original(i)))
		})
		noise := p.mean(list, nil, func(i *plantedItem) float64 { return retest(p.original(i)) })
		if changed.N > 0 {
			j.Invariance = append(j.Invariance, report.ProbeChange{Change: change, Changed: sampledRate(changed),
				Net: gap(changed, noise)})
		}
	}
}

// icc returns the ICC of the scores in two repetitions.
func (p *prober) icc(items []*plantedItem, a, b string) report.Estimate {
	var first, second []float64
	for _, i := range items {
		x, ok := i.answers[report.Instrument{Name: p.of.Name, Judge: a}]
		y, both := i.answers[report.Instrument{Name: p.of.Name, Judge: b}]
		if ok && both {
			first, second = append(first, x.value), append(second, y.value)
		}
	}
	return report.Point(p.ICC([][]float64{first, second}, nil).ICC1)
}

// turned returns 1 if two verdicts differ, 0 if they are equal, NaN if one is missing.
func turned(a, b float64) float64 {
	if a != a || b != b {
		return stat.Missing()
	}
	return asNumber(a != b)
}

// attacks compares text that asks for a score with neutral text in the same place, on items that
// are judged correctly without it: over all, by place and by payload.
func (p *prober) attacks(kind, control string) (out []report.ProbeAttack) {
	deserved := asNumber(kind == planted.Attack) // a mutant should fail, an original should pass
	clean := map[string]float64{}
	for _, i := range p.items.list {
		if i.Kind == planted.Mutant {
			clean[i.Key()+i.Operator+i.Dose] = p.fails(i)
		} else if i.Kind == planted.Original {
			clean[i.Key()] = p.fails(i)
		}
	}
	add := func(place, payload string) {
		measured := func(kind string) interval.ClusterSE {
			list := p.where(kind, func(i *plantedItem) bool {
				without, known := clean[i.Key()+i.Operator+i.Dose]
				return known && without == deserved && (place == "" || i.Plan.Place == place) &&
					(payload == "" || i.Payload == payload)
			})
			return p.mean(list, nil, func(i *plantedItem) float64 { return turned(p.fails(i), deserved) })
		}
		attack, placebo := measured(kind), measured(control)
		if attack.N > 0 || place+payload == "" {
			out = append(out, report.ProbeAttack{Kind: kind, Place: place, Payload: payload,
				Success: sampledRate(attack), Placebo: sampledRate(placebo), Net: gap(attack, placebo)})
		}
	}
	add("", "")
	for _, place := range planted.Places() {
		add(place, "")
	}
	for _, payload := range planted.Payloads() {
		add("", payload.Name)
	}
	return out
}

// right returns 1 for a correct verdict about a mutant or an original, 0 for a wrong one.
func (p *prober) right(i *plantedItem) float64 {
	if i.Kind == planted.Mutant {
		return p.fails(i)
	}
	return 1 - p.fails(i)
}

// against compares J with another prober's; partner returns its item for one of ours.
func (p *prober) against(o *prober, partner func(*plantedItem) *plantedItem) (report.Sampled, *float64) {
	difference := func(i *plantedItem) float64 {
		if with := partner(i); with != nil {
			return p.right(i) - o.right(with)
		}
		return stat.Missing()
	}
	unknown := func(i *plantedItem) bool { x := difference(i); return x != x }
	mutants := slices.DeleteFunc(p.where(planted.Mutant, nil), unknown)
	originals := slices.DeleteFunc(p.where(planted.Original, nil), unknown)
	weight, sum := weights(mutants), 0.0
	for _, w := range weight {
		sum += w
	}
	for range originals { // together they weigh as much as all mutants
		weight = append(weight, sum/float64(len(originals)))
	}
	all := slices.Concat(mutants, originals)
	m := p.mean(all, weight, difference)
	return report.Sampled{Estimate: gapEstimate(m).Times(2), N: len(all)}, report.Rounded(p.signed(all, difference))
}

// probers returns a prober for each judge and rubric with answers, except retests.
func (b *table) probers(s *statistics) (out []*prober) {
	if len(b.planted.list) == 0 {
		return nil
	}
	originals := map[string]*plantedItem{}
	for _, i := range b.planted.list {
		if i.Kind == planted.Original {
			originals[i.Key()] = i
		}
	}
	for _, sr := range b.series {
		if isJudge(sr) && !b.retest(sr) {
			of := report.Instrument{Name: sr.Name, Judge: sr.Judge}
			out = append(out, &prober{statistics: s, items: &b.planted, of: of, originals: originals})
		}
	}
	return out
}

// probe reports on a planted log.
func (b *Builder) probe(r *report.Report) {
	list := b.probers(&b.statistics)
	if list == nil {
		return
	}
	out := &report.Probe{Schema: report.ProbeSchema, Operators: []report.ProbeOperator{}, Judges: []report.ProbeJudge{}}
	from := map[string]bool{}
	for _, i := range list[0].where(planted.Original, nil) {
		from[i.Plan.Conversation] = true
		out.Bases.Calls++
		*map[planted.Tier]*int{planted.Matched: &out.Bases.Matched, planted.Rewarded: &out.Bases.Rewarded,
			planted.Assumed: &out.Bases.Assumed}[i.Tier]++
	}
	out.Bases.Conversations, out.Weights = len(from), probeWeights(list[0].where(planted.Mutant, nil))
	quality := map[*prober]report.ProbeJudge{}
	for _, p := range list {
		quality[p] = p.judge()
	}
	sorting.Stable(list, func(x, y *prober) int {
		return cmp.Or(cmp.Compare(x.of.Name, y.of.Name), cmp.Compare(quality[y].J.OrLowest(), quality[x].J.OrLowest()))
	})
	var ps []float64
	for i, p := range list {
		out.Judges, out.Operators = append(out.Judges, quality[p]), append(out.Operators, p.operators()...)
		for _, o := range list[i+1:] {
			if o.of.Name == p.of.Name {
				d, pv := p.against(o, func(i *plantedItem) *plantedItem { return i })
				out.Pairs = append(out.Pairs, report.ProbePair{Rubric: p.of.Name, First: p.of.Judge, Second: o.of.Judge,
					Difference: d, P: pv})
				if ps = append(ps, stat.Missing()); pv != nil {
					ps[len(ps)-1] = *pv
				}
			}
		}
	}
	for i, holm := range b.Holm(ps) {
		out.Pairs[i].Holm = report.Point(holm).Value
	}
	for _, c := range b.cfg.Comparisons {
		out.Since = append(out.Since, c.Probe...)
	}
	r.Probe = out
}

// probeSince compares the judges of a planted log with those of an earlier run of the same log.
func probeSince(s *statistics, earlier, now *table) (out []report.ProbeSince) {
	before := earlier.probers(s)
	for _, p := range now.probers(s) {
		at := slices.IndexFunc(before, func(o *prober) bool { return o.of == p.of })
		if at < 0 && len(before) == 1 {
			at = 0 // the model has another name now
		}
		if at < 0 {
			continue
		}
		o := before[at]
		partner := func(i *plantedItem) *plantedItem { return o.items.byID[i.ConversationID] }
		row := report.ProbeSince{Judge: p.of.Judge, Rubric: p.of.Name}
		row.Difference, row.P = p.against(o, partner)
		changed := p.mean(p.items.list, nil, func(i *plantedItem) float64 {
			return turned(p.fails(i), o.fails(partner(i)))
		})
		noise := o.mean(o.where(planted.Original, nil), nil, func(i *plantedItem) float64 {
			return turned(o.fails(i), o.failsAs(i, o.of.Judge+planted.Again))
		})
		row.Changed, row.Net = sampledRate(changed), gap(changed, noise)
		out = append(out, row)
	}
	return out
}
