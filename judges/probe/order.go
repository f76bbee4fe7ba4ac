package probe

import (
	"context"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/judges"
)

// maxOrderTrials bounds the calls that are judged again for ExampleOrder: they are the
// first of a random order.
const maxOrderTrials = 40

// ExampleOrder is what the order of the rubric's examples does to a judge's answers. A
// judge that changes its verdicts more often when they stand in reverse order than when
// nothing is changed at all is led by their order.
type ExampleOrder struct {
	// Calls is how many were judged three times; 0 where the rubric has less than two
	// examples. Unscored counts judgements among the three that failed.
	Calls    int `json:"calls"`
	Unscored int `json:"unscored"`
	// Reversed is the share of calls whose verdict changes with the examples in reverse
	// order, Retest the share whose verdict changes when the same is asked again.
	Reversed Rate `json:"reversed_flips"`
	Retest   Rate `json:"retest_flips"`
	// Difference is the first minus the second, Shift the mean of the scores with
	// examples reversed minus those without.
	Difference Interval `json:"reversed_minus_retest"`
	Shift      Interval `json:"score_shift"`
	// AboveRetest says that the first share is higher than the second.
	AboveRetest bool `json:"above_retest"`
}

// again judges calls a second time as they are, and then with the rubric's examples in
// reverse order. Each pass begins when the one before has ended: equal requests that are
// under way at once share one answer.
func again(ctx context.Context, j *judges.Judge, trials []trial, run judges.RunConfig) error {
	if len(j.Rubrics()[0].Examples) < 2 {
		return nil
	}
	trials = trials[:min(len(trials), maxOrderTrials)]
	for _, pass := range []struct {
		judge *judges.Judge
		arm   arm
	}{{j, retest}, {j.ExamplesReversed(), reversed}} {
		items := func(yield func(judges.Item, error) bool) {
			for i := range trials {
				t := &trials[i].item
				if !yield(judges.Item{Conversation: t.Conversation, Calls: []int{t.Call}, Tag: i}, nil) {
					return
				}
			}
		}
		err := judges.Run(ctx, []*judges.Judge{pass.judge}, items, run, func(o *judges.Outcome) error {
			trials[o.Item.Tag.(int)].results[pass.arm] = &o.Results[0]
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *ExampleOrder) fill(trials []trial, cfg Config) error {
	var flips, scores [arms][]float64
	var ids []string
	for i := range trials {
		t := &trials[i]
		if t.results[reversed] == nil {
			continue
		}
		e.Calls++
		ids = append(ids, t.item.Conversation.ID)
		first := t.results[clean]
		for _, k := range []arm{clean, retest, reversed} {
			res := t.results[k]
			score, flip := stat.Missing(), stat.Missing()
			if res.Output == nil {
				e.Unscored++
			} else {
				score = *res.Output
				if first.Output != nil {
					flip = 0
					if res.Verdict != first.Verdict {
						flip = 1
					}
				}
			}
			flips[k], scores[k] = append(flips[k], flip), append(scores[k], score)
		}
	}
	for _, x := range []struct {
		out *Rate
		arm arm
	}{{&e.Reversed, reversed}, {&e.Retest, retest}} {
		k, n := count(flips[x.arm])
		var err error
		if *x.out, err = rate(k, n, cfg.Alpha); err != nil {
			return err
		}
	}
	if a, b := e.Reversed.Share, e.Retest.Share; a != nil && b != nil {
		e.AboveRetest = *a > *b
	}
	cluster := stat.ClusterIDs(ids)
	var err error
	if e.Difference, err = shift(flips[reversed], flips[retest], cluster, cfg); err != nil {
		return err
	}
	e.Shift, err = shift(scores[reversed], scores[clean], cluster, cfg)
	return err
}
