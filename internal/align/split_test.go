package align

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/rubrics"
)

// labelled makes items of tasks with one to four trials; a third of them fails, and every tenth is picked.
func labelled(n int) []Item {
	var items []Item
	for i := range n {
		items = append(items, Item{Conversation: fmt.Sprint("c", i), Task: fmt.Sprint("t", i*2/5+i%2), Pass: i%3 > 0, Picked: i%10 == 9})
	}
	return items
}

// TestSplits: all trials of a task stand on one side, each random item is tested once at most, picked items
// neither choose nor test, and the parts hold about equal shares of failures.
func TestSplits(t *testing.T) {
	for _, n := range []int{50, 120, 221, 222, 223, 400} { // of 222, 200 are random
		items := labelled(n)
		p := newPlan(items)
		if want := map[bool]int{true: crossFolds, false: 1}[len(p.random) < crossBelow]; len(p.folds) != want {
			t.Errorf("%d items, %d of them random: %d folds, want %d", n, len(p.random), len(p.folds), want)
		}
		if p.crossed() != (len(p.random) < crossBelow) {
			t.Errorf("%d items: %d folds", n, len(p.folds))
		}
		tested := map[int]int{}
		for _, f := range append(slices.Clone(p.folds), p.whole) {
			sides := map[string]string{}
			for side, of := range map[string][]int{"learn": f.learn, "choose": f.choose, "test": f.test} {
				for _, i := range of {
					if before := sides[items[i].Task]; before != "" && before != side {
						t.Errorf("%d items: task %s stands in %s and %s", n, items[i].Task, before, side)
					}
					sides[items[i].Task] = side
					if items[i].Picked && side != "learn" {
						t.Errorf("%d items: picked item %d is in %s", n, i, side)
					}
				}
			}
		}
		for _, f := range append(slices.Clone(p.folds), p.whole) {
			used := map[string]bool{}
			for _, i := range slices.Concat(f.choose, f.test) {
				used[items[i].Task] = true
			}
			for _, i := range p.picked {
				if slices.Contains(f.learn, i) == used[items[i].Task] {
					t.Errorf("%d items: nothing is learned from the picked item %d, or its task chooses or tests too", n, i)
				}
			}
		}
		for _, f := range p.folds {
			for _, i := range f.test {
				tested[i]++
			}
			if all, fails := len(f.test), failures(items, f.test); n >= 120 && (fails < all/5 || fails > all/2) {
				t.Errorf("%d items: %d of %d tested items fail", n, fails, all)
			}
		}
		for i, times := range tested {
			if times != 1 {
				t.Errorf("%d items: item %d is tested %d times", n, i, times)
			}
		}
		if p.crossed() && len(tested) != len(p.random) {
			t.Errorf("%d items: %d of %d are tested", n, len(tested), len(p.random))
		}
	}
}

func failures(items []Item, of []int) (n int) {
	for _, i := range of {
		if !items[i].Pass {
			n++
		}
	}
	return n
}

// TestSplitsFollowFromIDs: the order of the items changes no part.
func TestSplitsFollowFromIDs(t *testing.T) {
	parts := func(items []Item) (out [][]string) {
		for _, f := range newPlan(items).folds {
			var names []string
			for _, i := range f.test {
				names = append(names, items[i].Conversation)
			}
			slices.Sort(names)
			out = append(out, names)
		}
		return out
	}
	items := labelled(90)
	backwards := slices.Clone(items)
	slices.Reverse(backwards)
	if d := cmp.Diff(parts(items), parts(backwards)); d != "" {
		t.Error(d)
	}
}

// TestStratum: tasks with both labels come first, then those that only fail.
func TestStratum(t *testing.T) {
	for of, want := range map[[2]int]int{{1, 2}: 0, {2, 2}: 1, {0, 2}: 2} {
		if got := (&task{fails: of[0], total: of[1]}).stratum(); got != want {
			t.Errorf("%v: %d, want %d", of, got, want)
		}
	}
}

// TestOutputFor: examples pass and fail as clearly as the scale allows.
func TestOutputFor(t *testing.T) {
	for want, o := range map[string]rubrics.Output{
		`"yes" "no"`: {Categories: []string{"no", "yes"}, Pass: []string{"yes"}},
		`5.0 1.0`:    {Min: 1, Max: 5, Low: 3, High: 5},
		`2.0 5.0`:    {Min: 1, Max: 5, Low: 1, High: 2},
		`4.0 1.0`:    {Min: 1, Max: 5, Low: 3, High: 4},
	} {
		if got := outputFor(o, true).JSON() + " " + outputFor(o, false).JSON(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestNothingToAlign: a rubric by which nothing passes is refused, before the logs are read.
func TestNothingToAlign(t *testing.T) {
	list, err := rubrics.Load(strings.NewReader("name: tone\nquestion: Which tone?\nanswer: [kind, rude]"), "tone.yaml")
	if err != nil {
		t.Fatal(err)
	}
	task := &run.Task{}
	task.Rubrics = list
	if _, _, err := NewJob(t.Context(), task, Labelled{}, Config{}, run.Observer{}); err == nil || !strings.Contains(err.Error(), "rubric tone: nothing passes or fails") {
		t.Errorf("%v", err)
	}
}

// TestGain: what a proposal gains is measured by what the alignment is to better: J, or kappa.
func TestGain(t *testing.T) {
	c := &columns{}
	for i := range 40 { // ten labels fail; before, two of them are found, after, eight, and three passes are lost
		pass := i >= 10
		verdict := func(found, lost int) float64 {
			if i < found || pass && i < 10+lost {
				return 0
			}
			return 1
		}
		c.take(pass, verdict(2, 0), verdict(8, 3))
		c.cluster = append(c.cluster, i)
	}
	rates := func(verdicts []float64) *report.AlignmentRates {
		r, err := c.ratesOf(verdicts, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	passes := &columns{}
	for i := range 40 {
		passes.take(true, 0, 1)
		passes.cluster = append(passes.cluster, i)
	}
	l := &learner{cfg: &Config{Target: report.YoudenTarget, Alpha: 0.05}}
	if gain, margin := l.gain(passes); !math.IsNaN(gain) || margin != minMargin {
		t.Errorf("without a label that fails: a gain of %v, margin %v", gain, margin)
	}
	before, after := rates(c.before), rates(c.after)
	for target, want := range map[string][2]float64{ // the gain, and half its standard error
		report.YoudenTarget: {*after.Youden.Value - *before.Youden.Value, 0.08947},
		report.KappaTarget:  {*after.Kappa.Value - *before.Kappa.Value, 0.10479},
	} {
		l := &learner{cfg: &Config{Target: target, Alpha: 0.05}}
		if gain, margin := l.gain(c); !(math.Abs(gain-want[0]) <= 0.006) || !(math.Abs(margin-want[1]) <= 1e-5) {
			t.Errorf("%s: a gain of %v, margin %v; want %v", target, gain, margin, want)
		}
		// In one task alone nothing is known of the error.
		one := &columns{gold: []float64{0, 1}, before: []float64{1, 1}, after: []float64{0, 1}, cluster: []int{0, 0}}
		if gain, margin := l.gain(one); gain != 1 || margin != minMargin {
			t.Errorf("%s in one task: a gain of %v, margin %v", target, gain, margin)
		}
	}
}

// TestItemsOf: an alignment learns from the labels of what its rubric judges, and of nothing else.
func TestItemsOf(t *testing.T) {
	answer := func(label string) labels.Answer { return labels.Answer{Label: label} }
	row := func(call, turn int, scope, label string) measure.LabelRow {
		return measure.LabelRow{ConversationID: "c", CallIndex: call, Turn: turn, Scope: scope, Sample: measure.RandomSample,
			ByRubric: map[string]labels.Answer{"r": answer(label), "other": answer(labels.Pass)}}
	}
	rows := []measure.LabelRow{row(0, 0, "", labels.Fail), row(1, 0, labels.Result, labels.Pass), row(-1, 2, labels.Turn, labels.Fail),
		row(-1, 0, "", labels.Pass), row(2, 0, "", labels.Defer), row(3, 0, "", labels.Pass)}
	rows[5].Sample = "queue"
	for scope, want := range map[rubrics.Scope]string{
		"": "[0 0 false false 3 0 true true]", rubrics.ScopeCall: "[0 0 false false 3 0 true true]", rubrics.ScopeResult: "[1 0 true false]",
		rubrics.ScopeTurn: "[-1 2 false false]", rubrics.ScopeConversation: "[-1 0 true false]",
	} {
		var got []any
		for _, i := range itemsOf(rows, &rubrics.Rubric{Name: "r", Scope: scope}, false) {
			got = append(got, i.Call, i.Turn, i.Pass, i.Picked)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("scope %q: %v, want %s", scope, got, want)
		}
	}
}
