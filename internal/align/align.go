package align

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

// Config says how to align a rubric.
type Config struct {
	// Target is report.YoudenTarget or report.KappaTarget.
	Target string
	Rounds int
	// Budget limits the requests, 0 for no limit.
	Budget int
	Alpha  float64
	// Used is the file that records which labels were used, Now the time to write there.
	Used string
	Now  time.Time
}

// Aligned holds the result of Run.
type Aligned struct {
	Report *report.Alignment
	// Rubric is the proposed rubric file, nil if there was no proposal; Diff shows what it changes.
	Rubric, Diff []byte
	// gold holds the held-out labels that may measure the new rubric, judged its verdicts on them.
	gold, judged []float64
	conversation []int
}

// ErrFew says that there are too few labels.
var ErrFew = errors.New("too few labels")

// BudgetError says that a budget is too small even for the test.
type BudgetError struct{ Budget, Least int }

func (e *BudgetError) Error() string {
	return fmt.Sprintf("a budget of %d requests is too small: the labels and the test alone take %d", e.Budget, e.Least)
}

// Check returns an error that wraps ErrFew if there are too few labels, or too few passes or fails
// among them.
func Check(items []Item) error {
	n, fails := 0, 0
	for i := range items {
		if !items[i].Picked {
			n++
			if !items[i].Pass {
				fails++
			}
		}
	}
	const minOfEach = 5
	switch {
	case n < Fewest:
		return fmt.Errorf("%w: %d of a random sample, and it takes %d: label %d more", ErrFew, n, Fewest, Fewest-n)
	case min(fails, n-fails) < minOfEach:
		return fmt.Errorf("%w: %d fail and %d pass, and it takes %d of each", ErrFew, fails, n-fails, minOfEach)
	}
	return nil
}

// MoreTokens is about how many tokens guidelines and examples add to a prompt at most.
const MoreTokens = maxGuidelines*maxRule/4 + 4*keptMessages*keptText/4

// identity returns the id of an alignment of items: a hash of labels, rubric and settings.
func identity(items []Item, parent *rubrics.Rubric, judge, with string, cfg *Config) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%s\x00%s\x00%d\x00%d\x00%g\n", parent.SHA, judge, with, cfg.Target, cfg.Rounds, cfg.Budget,
		cfg.Alpha)
	for i := range items {
		fmt.Fprintf(h, "%q\n", fmt.Sprint(items[i]))
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// estimate returns the maximum number of requests of an alignment, without repairs: judgements, and
// proposals of rules.
func estimate(items []Item, rounds int) (judgements, proposals int) {
	p := newPlan(items)
	const perRound = 6 // versions that a round tries
	judgements = len(p.random) + len(p.picked)
	splits := []fold{p.whole}
	if p.crossed() {
		splits = append(splits, p.folds...)
	}
	for _, f := range splits {
		judgements += rounds*perRound*len(f.choose) + (rounds-1)*len(f.learn)
		proposals += rounds
	}
	for _, f := range p.folds {
		judgements += len(f.test)
	}
	return judgements + len(p.whole.learn), proposals
}

// alignment is the state of an alignment.
type alignment struct {
	*learner
	plan *plan
	out  *report.Alignment
	// after holds the versions with which the folds are tested.
	after []version
	// held holds the columns of the test; nil without one.
	held *columns
	// final is the version of the rubric; proposed is the version to show: final, or the last one tried.
	final, proposed version
}

// Run aligns a rubric. out holds what is known besides the labels: ids, judge, model. The error is
// the bench's, or a *BudgetError.
func Run(ctx context.Context, items []Item, parent *rubrics.Rubric, b bench, out *report.Alignment, cfg Config,
) (*Aligned, error) {
	r := &alignment{learner: &learner{cfg: &cfg, items: items, parent: parent, bench: b,
		noExamples: usableExamples(parent)}, plan: newPlan(items), out: out}
	r.describe()
	if r.noExamples != "" {
		out.Notes = append(out.Notes, words.Warning(words.NoAlignExamples, r.noExamples))
	}
	if least := len(items) + r.reserve; cfg.Budget > 0 && cfg.Budget < least {
		return nil, &BudgetError{cfg.Budget, least}
	}
	if err := r.learnAll(ctx); err != nil {
		return nil, err
	}
	if err := r.test(ctx); err != nil {
		return nil, err
	}
	return r.result()
}

// describe fills in what is known before anything is sent.
func (r *alignment) describe() {
	o, p := r.out, r.plan
	o.Schema, o.Rubric, o.Parent = report.AlignmentSchema, r.parent.Name, r.parent.SHA
	o.Target, o.Alpha = r.cfg.Target, r.cfg.Alpha
	o.Labels, o.Picked, o.Limit = len(p.random), len(p.picked), r.cfg.Budget
	tasks := map[string]bool{}
	for _, i := range p.random {
		tasks[r.items[i].Task] = true
		if !r.items[i].Pass {
			o.Fails++
		}
	}
	o.Tasks, o.Learn, o.Select = len(tasks), len(p.whole.learn), len(p.whole.choose)
	for _, f := range p.folds {
		o.Test += len(f.test)
	}
	r.reserve = o.Test
	if p.crossed() {
		o.Folds = len(p.folds)
	} else {
		r.reserve *= 2 // for both rubrics
	}
	o.Steps, o.Guidelines, o.Examples, o.Notes = []report.AlignmentStep{}, []report.AlignmentGuideline{}, []string{},
		[]report.Warning{}
}

// learnAll makes the rubric and, for cross-fitting, the rubric of each fold.
func (r *alignment) learnAll(ctx context.Context) (err error) {
	var tried version
	if r.final, tried, err = r.learn(ctx, "whole", r.plan.whole); err != nil {
		return err
	}
	r.out.Steps = append(r.out.Steps, r.steps...)
	if r.proposed = r.final; r.final.isParent() {
		r.proposed = tried
		return nil
	}
	if !r.plan.crossed() {
		r.after = []version{r.final}
		return nil
	}
	for k, f := range r.plan.folds {
		best, _, err := r.learn(ctx, fmt.Sprintf("fold %d", k+1), f)
		if err != nil {
			return err
		}
		r.after = append(r.after, best)
	}
	return nil
}

// test judges the held-out labels by both rubrics, once, and decides.
func (r *alignment) test(ctx context.Context) error {
	if r.final.isParent() {
		r.out.Why = words.NothingToTest
		return r.learnedOnly(ctx)
	}
	if err := r.mark(); err != nil {
		return err
	}
	var of []int
	var before, after []float64
	for k, f := range r.plan.folds {
		b, _, err := r.verdicts(ctx, version{}, f.test)
		if err != nil {
			return err
		}
		a, _, err := r.verdicts(ctx, r.after[k], f.test)
		if err != nil {
			return err
		}
		of, before, after = append(of, f.test...), append(before, b...), append(after, a...)
	}
	c := columnsOf(r.items, of, before, after)
	r.held = c
	if err := r.compare(c); err != nil {
		return err
	}
	if r.decide(before, after); r.out.Proven {
		return nil
	}
	return r.learnedOnly(ctx)
}

// compare computes the rates before and after, and the paired change.
func (r *alignment) compare(c *columns) (err error) {
	o := r.out
	if o.Before, err = c.ratesOf(c.before, r.cfg.Alpha); err == nil {
		o.After, err = c.ratesOf(c.after, r.cfg.Alpha)
	}
	if err == nil {
		o.Change, err = c.change(r.cfg.Alpha)
	}
	if err != nil {
		return fmt.Errorf("align %s: %w", r.parent.Name, err)
	}
	return nil
}

// decide decides whether the change is a gain.
func (r *alignment) decide(before, after []float64) {
	o, change := r.out, r.out.Change.Target(r.cfg.Target)
	switch {
	case lacks(before, after):
		o.Why = fmt.Sprintf(words.FewerAnswers, answered(after), answered(before), len(after))
	case !change.HasInterval():
		o.Why = fmt.Sprintf(words.NoAlignInterval, words.Why(change))
	case *change.Low > 0:
		o.Proven = true
	case *change.High < 0:
		o.Why = words.AlignedWorse
	default:
		o.Why = words.MayBeChance
	}
}

// learnedOnly measures a proposal without a proven gain on the labels from which it was made, if
// the budget allows it. A proposal that is better only there has memorised the labels.
func (r *alignment) learnedOnly(ctx context.Context) error {
	f := r.plan.whole
	r.reserve = 0
	if r.proposed.isParent() || !r.affords(len(f.learn)) {
		return nil
	}
	before, _, err := r.verdicts(ctx, version{}, f.learn)
	if err != nil {
		return err
	}
	after, _, err := r.verdicts(ctx, r.proposed, f.learn)
	if err != nil {
		return err
	}
	r.out.Learned, err = columnsOf(r.items, f.learn, before, after).change(r.cfg.Alpha)
	return err
}

// mark records that the labels are used now, and counts the earlier alignments that used the held-out ones.
func (r *alignment) mark() error {
	uses, err := labels.Uses(r.cfg.Used)
	if err != nil {
		return err
	}
	tested := map[labels.UsedFor]bool{} // without the purpose
	use := labels.Use{Align: r.out.ID, Rubric: r.parent.Name, When: r.cfg.Now}
	for _, f := range r.plan.folds {
		for _, i := range f.test {
			tested[r.items[i].used("")] = true
		}
	}
	for _, i := range slices.Concat(r.plan.random, r.plan.picked) {
		u := r.items[i].used(labels.Learned)
		switch held := tested[r.items[i].used("")]; {
		case held && r.plan.crossed():
			u.For = labels.Both
		case held:
			u.For = labels.Tested
		}
		use.Items = append(use.Items, u)
	}
	for _, u := range uses {
		seen := func(i labels.UsedFor) bool {
			i.For = ""
			return tested[i]
		}
		if u.Align != r.out.ID && slices.ContainsFunc(u.Items, seen) {
			r.out.Seen++
		}
	}
	return labels.AddUse(r.cfg.Used, use)
}

// used returns the record of a use of an item's label.
func (i *Item) used(purpose string) labels.UsedFor {
	return labels.UsedFor{ConversationID: i.Conversation, CallIndex: i.Call, Turn: i.Turn, For: purpose}
}

// result describes the proposal and writes its files.
func (r *alignment) result() (*Aligned, error) {
	o, v := r.out, r.proposed
	o.Requests = r.bench.Requests()
	a := &Aligned{Report: o}
	r.mayMeasure(a)
	if v.isParent() {
		return a, nil
	}
	o.Guidelines, o.Retrieve = r.reported(v.guidelines), v.retrieve
	for _, i := range v.examples {
		o.Examples = append(o.Examples, r.items[i].name())
	}
	f := r.plan.whole
	record := r.record(v).With("aligned", aligned(r.parent.SHA, r.marks(f)))
	child, err := rubrics.Parse(record.JSON())
	if err != nil {
		return nil, fmt.Errorf("the proposal cannot be read as a rubric: %w", err)
	}
	o.Child = child.SHA
	parent, err := value.ParseString(r.parent.Source())
	if err != nil {
		return nil, err
	}
	text := yamlOf(record, r.cites(v))
	a.Rubric = append(r.provenance(filepath.Base(r.cfg.Used)), text...)
	a.Diff = diff(r.parent.Name+".yaml", r.parent.Name+".aligned.yaml", yamlOf(parent, nil), text)
	return a, nil
}
