package align

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// bench asks the judge; *run.Bench does.
type bench interface {
	Conversation(id string) *transcript.Conversation
	Judge(ctx context.Context, r *rubrics.Rubric, items []run.BenchItem) ([]judges.Result, error)
	Ask(ctx context.Context, q judges.Question) (*value.Value, error)
	Requests() int
}

// learner finds better versions of a rubric.
type learner struct {
	cfg    *Config
	items  []Item
	parent *rubrics.Rubric
	bench  bench
	// noExamples says why labels cannot become examples; "" if they can.
	noExamples string
	// reserve counts the requests that the test will need.
	reserve int
	steps   []report.AlignmentStep
}

// errBudget ends the search for proposals: the rest of the budget is for the test.
var errBudget = errors.New("the budget is used up")

// minMargin and half its standard error must both be smaller than a proposal's gain; otherwise it is
// not kept. A test would accept nothing with so few labels, and what is kept is tested at the end.
const minMargin = 0.02

// mayLack is the share of a rubric's answers that may be missing from a better one.
const mayLack = 0.05

// verdicts judges items by a version: 1 pass, 0 fail, NaN without a verdict.
func (l *learner) verdicts(ctx context.Context, v version, of []int) ([]float64, []judges.Result, error) {
	r, err := l.rubricOf(v)
	if err != nil {
		return nil, nil, err
	}
	list := make([]run.BenchItem, len(of))
	for k, i := range of {
		list[k] = l.items[i].benchItem(l.parent.Scope)
	}
	results, err := l.bench.Judge(ctx, r, list)
	if err != nil {
		return nil, nil, err
	}
	out := make([]float64, len(of))
	for k := range out {
		switch results[k].Verdict {
		case judges.Pass:
			out[k] = 1
		case judges.Fail:
			out[k] = 0
		default:
			out[k] = math.NaN()
		}
	}
	return out, results, nil
}

// benchItem returns an item in the form of the bench.
func (i *Item) benchItem(scope rubrics.Scope) run.BenchItem {
	return run.BenchItem{Conversation: i.Conversation, Target: i.Target(scope)}
}

// Target returns the part of its conversation that an item is, for a rubric of a scope.
func (i *Item) Target(scope rubrics.Scope) judges.Target {
	return judges.Target{Scope: scope, Call: max(0, i.Call), Turn: i.Turn}
}

// affords reports whether the budget is still enough for the test after this number of requests.
func (l *learner) affords(requests int) bool {
	return l.cfg.Budget == 0 || l.bench.Requests()+requests+l.reserve <= l.cfg.Budget
}

// proposal is a version with its result on the labels that choose.
type proposal struct {
	version
	name   string
	gain   float64
	margin float64
}

// learn searches for a better version: one part of the labels teaches, another one chooses. tried is
// the last proposal that was not kept, for reading. key names the fold in the journal.
func (l *learner) learn(ctx context.Context, key string, f fold) (best, tried version, err error) {
	examples := l.noExamples == ""
	for round := 1; round <= l.cfg.Rounds; round++ {
		list, err := l.round(ctx, fmt.Sprintf("%s round %d", key, round), round, best, f, examples)
		spent := errors.Is(err, errBudget)
		if err != nil && !spent {
			return best, tried, err
		}
		won := bestOf(list)
		if won == nil || won.gain <= won.margin {
			if won != nil {
				tried = won.version
			}
			return best, tried, nil
		}
		best = won.version
		if l.kept(round, won.name); spent {
			return best, tried, nil
		}
		examples = examples && slices.ContainsFunc(list, proposal.helpsByExamples)
	}
	return best, tried, nil
}

// helpsByExamples reports whether examples improved anything: if not, later rounds try none.
func (p proposal) helpsByExamples() bool {
	return len(p.examples) > 0 && len(p.guidelines) == 0 && p.gain > 0
}

// bestOf returns the proposal with the largest gain, the first of equal ones; nil if there are no proposals.
func bestOf(list []proposal) *proposal {
	var best *proposal
	for i := range list {
		if p := &list[i]; !math.IsNaN(p.gain) && (best == nil || p.gain > best.gain+1e-9) {
			best = p
		}
	}
	return best
}

// kept marks the step that a round kept.
func (l *learner) kept(round int, name string) {
	for i := len(l.steps) - 1; i >= 0; i-- {
		if s := &l.steps[i]; s.Round == round && s.Name == name {
			s.Kept = true
			return
		}
	}
}

// round tries the proposals that result from a version's errors.
func (l *learner) round(ctx context.Context, key string, round int, from version, f fold, examples bool,
) (list []proposal, err error) {
	if !l.affords(len(f.learn) + len(f.choose)) {
		return nil, errBudget
	}
	learned, results, err := l.verdicts(ctx, from, f.learn)
	if err != nil {
		return nil, err
	}
	before, _, err := l.verdicts(ctx, from, f.choose)
	if err != nil {
		return nil, err
	}
	try := func(name string, v version) error {
		p := proposal{version: v, name: name}
		p.gain, p.margin, err = l.try(ctx, round, name, v, f.choose, before)
		list = append(list, p)
		return err
	}
	rules, err := l.rules(ctx, key, from, f.learn, learned, results)
	if err == nil && len(rules) > 0 {
		err = try(fmt.Sprintf("%d guidelines", len(rules)), version{rules, from.examples, from.retrieve})
	}
	if err != nil {
		return list, err
	}
	if !examples {
		return list, nil
	}
	for _, e := range l.exampleForms(f.learn, learned) {
		if err := try(e.name, version{from.guidelines, e.examples, e.retrieve}); err != nil {
			return list, err
		}
	}
	return list, l.combine(list, rules, try)
}

// form is a choice of examples.
type form struct {
	version
	name string
}

// exampleForms returns the examples to try: two and four in the prompt, or four retrieved for each item.
func (l *learner) exampleForms(learn []int, learned []float64) []form {
	wrong := func(i int) bool {
		v := learned[slices.Index(learn, i)]
		return !math.IsNaN(v) && (v == 1) != l.items[i].Pass
	}
	pairs := l.pairs(learn, wrong)
	var out []form
	for _, n := range []int{2, 4} {
		if len(pairs) >= n {
			out = append(out, form{version{examples: pairs[:n:n]}, fmt.Sprintf("%d examples", n)})
		}
	}
	if len(pairs) > 4 {
		pool := pairs[:min(len(pairs), poolSize):min(len(pairs), poolSize)]
		out = append(out, form{version{examples: pool, retrieve: 4}, "4 nearest examples"})
	}
	return out
}

// combine tries the best examples in the other order, and together with the rules.
func (l *learner) combine(list []proposal, rules []guideline, try func(string, version) error) error {
	examples := list
	if len(rules) > 0 && len(list) > 0 {
		examples = list[1:]
	}
	best := bestOf(examples)
	if best == nil {
		return nil
	}
	e := *best // try appends to the list
	if e.retrieve == 0 {
		turned := slices.Clone(e.examples)
		slices.Reverse(turned)
		if err := try(e.name+", reversed", version{e.guidelines, turned, 0}); err != nil {
			return err
		}
	}
	if len(rules) == 0 {
		return nil
	}
	return try(fmt.Sprintf("%d guidelines and %s", len(rules), e.name), version{rules, e.examples, e.retrieve})
}

// try judges the choosing labels by a version, and returns the gain of the target and the smallest
// gain that counts; NaN for a version that may not be kept.
func (l *learner) try(ctx context.Context, round int, name string, v version, choose []int, before []float64,
) (gain, margin float64, err error) {
	if !l.affords(len(choose)) {
		return math.NaN(), 0, errBudget
	}
	after, _, err := l.verdicts(ctx, v, choose)
	if err != nil {
		return math.NaN(), 0, err
	}
	c := columnsOf(l.items, choose, before, after)
	step := report.AlignmentStep{Round: round, Name: name, N: len(choose), Answered: answered(after)}
	b, err := c.both()
	if err != nil {
		return math.NaN(), 0, err
	}
	was, err := b.ratesOf(b.before, l.cfg.Alpha)
	if err != nil {
		return math.NaN(), 0, err
	}
	now, err := b.ratesOf(b.after, l.cfg.Alpha)
	if err != nil {
		return math.NaN(), 0, err
	}
	step.Before = was.Target(l.cfg.Target).WithoutInterval()
	step.After = now.Target(l.cfg.Target).WithoutInterval()
	gain, margin = l.gain(b)
	if lacks(before, after) {
		gain, step.Note = math.NaN(), "too few answers"
	}
	l.steps = append(l.steps, step)
	return gain, margin, nil
}

// lacks reports whether the second column has clearly fewer verdicts than the first.
func lacks(before, after []float64) bool {
	return float64(answered(after)) < (1-mayLack)*float64(answered(before))
}

// rules asks for rules that resolve a version's disagreements, and joins them with its own.
func (l *learner) rules(ctx context.Context, key string, from version, learn []int, learned []float64,
	results []judges.Result) ([]guideline, error) {
	var missed, alarms []int // indexes in learn
	for k, i := range learn {
		switch {
		case math.IsNaN(learned[k]) || (learned[k] == 1) == l.items[i].Pass:
		case l.items[i].Pass:
			alarms = append(alarms, k)
		default:
			missed = append(missed, k)
		}
	}
	var shown []disagreement
	var of []int
	for n := 0; n < max(len(missed), len(alarms)); n++ {
		for _, list := range [][]int{missed, alarms} {
			if n < len(list) && len(shown) < maxShown {
				item := &l.items[learn[list[n]]]
				of = append(of, learn[list[n]])
				shown = append(shown, disagreement{item, l.bench.Conversation(item.Conversation), &results[list[n]]})
			}
		}
	}
	if len(shown) == 0 {
		return nil, nil
	}
	r, err := l.rubricOf(from)
	if err != nil {
		return nil, err
	}
	answer, err := l.bench.Ask(ctx, rulesQuestion("align "+key, r, shown))
	if err != nil {
		return nil, err
	}
	more := rulesOf(answer, of)
	if len(more) == 0 {
		return nil, nil
	}
	return merged(from.guidelines, more), nil
}
