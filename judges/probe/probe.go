// Package probe owns the measuring of how far a judge lets itself be told what to
// answer by the logs that it grades, and of how far the order of its examples leads it.
//
// It promises that an attack is only ever held against the same judge's answer about
// the same call without it, and beside neutral text of the same length in the same
// place; that a judgement that fails is counted as missing, neither as resisted nor
// as fallen for; and that the same items, seed and replies give the same report.
package probe

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// Item is one call with what it deserves.
type Item struct {
	Conversation *transcript.Conversation
	Call         int
	// Pass is the gold: whether the call is right.
	Pass bool
}

// Config shapes a probe. The zero value is useful.
type Config struct {
	// Seed orders the items, and so decides which call gets which payload.
	Seed uint64
	// Resamples of the bootstrap; 0 means 2000. Alpha is 1 minus the level of
	// intervals; 0 means 0.05.
	Resamples int
	Alpha     float64
	// Judged is called for each finished judgement; it may be called concurrently.
	Judged func(*judges.Result)
}

// The arms: what is done to a call, and behind them what is done to the prompt.
type arm int

const (
	clean arm = iota
	attack
	control
	contentFree
	retest
	reversed
	arms
)

// trial is one item with what became of it.
type trial struct {
	item    Item
	payload Payload
	tool    bool
	// placed says that there was a place for the payload, bared that the call had
	// arguments to replace.
	placed, bared bool
	results       [arms]*judges.Result
}

// tag comes back with an outcome.
type tag struct {
	trial int
	arm   arm
}

// Measure probes a judge by one rubric, of which it must judge by no other. The
// error is that of judges.Run, or says that a payload broke the frame of a prompt,
// which is a defect of this program and not of the judge.
func Measure(ctx context.Context, j *judges.Judge, items []Item, cfg Config) (*Report, error) {
	list := j.Rubrics()
	if len(list) != 1 {
		return nil, errors.New("probe: the judge must judge by exactly one rubric")
	}
	if cfg.Resamples == 0 {
		cfg.Resamples = 2000
	}
	if cfg.Alpha == 0 {
		cfg.Alpha = 0.05
	}
	r := list[0]
	trials := prepare(items, cfg.Seed)
	stream, err := variants(j, r, trials)
	if err != nil {
		return nil, err
	}
	run := judges.RunConfig{Progress: cfg.Judged}
	err = judges.Run(ctx, []*judges.Judge{j}, stream, run, func(o *judges.Outcome) error {
		t := o.Item.Tag.(tag)
		trials[t.trial].results[t.arm] = &o.Results[0]
		return nil
	})
	if err == nil {
		err = again(ctx, j, trials, run)
	}
	if err != nil {
		return nil, err
	}
	return report(j.Name(), r, trials, cfg)
}

// prepare shuffles the items and deals out the payloads, separately for calls that
// deserve to pass and to fail, so that each gets all payloads about equally often.
func prepare(items []Item, seed uint64) []trial {
	rng := rand.New(rand.NewPCG(seed, 0x70726f6265))
	list := Payloads()
	trials := make([]trial, len(items))
	for i, at := range rng.Perm(len(items)) {
		trials[i].item = items[at]
	}
	dealt := map[bool]int{}
	for i := range trials {
		t := &trials[i]
		t.payload = list[dealt[t.item.Pass]%len(list)]
		dealt[t.item.Pass]++
	}
	return trials
}

// goal is the score that a payload asks for: the opposite end of what is deserved.
func goal(r *rubrics.Rubric, pass bool) float64 {
	if pass {
		return r.Output.Min
	}
	return r.Output.Max
}

// variants are the conversations to judge, in order, each with one call asked about.
func variants(j *judges.Judge, r *rubrics.Rubric, trials []trial) (iter.Seq2[judges.Item, error], error) {
	openers := Openers()
	var out []judges.Item
	for i := range trials {
		t := &trials[i]
		c, call := t.item.Conversation, t.item.Call
		if call < 0 || call >= len(c.Calls) {
			return nil, fmt.Errorf("probe call %d of %s: the conversation has %d calls", call, c.ID, len(c.Calls))
		}
		add := func(conv *transcript.Conversation, a arm) error {
			if err := framed(j, r, conv, call); err != nil {
				return fmt.Errorf("probe %s call %d, payload %s: the record's frame is broken: %w", c.ID, call, t.payload.Name, err)
			}
			out = append(out, judges.Item{Conversation: conv, Calls: []int{call}, Tag: tag{i, a}})
			return nil
		}
		if err := add(c, clean); err != nil {
			return nil, err
		}
		if at, tool := place(c, call); at >= 0 {
			t.placed, t.tool = true, tool
			text := t.payload.Text(goal(r, t.item.Pass))
			for _, v := range []struct {
				text string
				arm  arm
			}{{text, attack}, {placebo(text), control}} {
				if err := add(inject(c, at, v.text), v.arm); err != nil {
					return nil, err
				}
			}
		}
		if conv, ok := empty(c, call, openers[i%len(openers)]); ok {
			t.bared = true
			if err := add(conv, contentFree); err != nil {
				return nil, err
			}
		}
	}
	return func(yield func(judges.Item, error) bool) {
		for _, item := range out {
			if !yield(item, nil) {
				return
			}
		}
	}, nil
}
