package run

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/judges/probe"
	"github.com/judgekit/judge/rubrics"
)

// ProbeConfig says which calls are drawn.
type ProbeConfig struct {
	// Calls is how many calls are drawn of those that deserve to pass, and as many of
	// those that deserve to fail.
	Calls int
	Seed  int64
	// Gold names the label or scorer that says what a call deserves; "" takes a
	// label of the call where there is one, else expected_call_match.
	Gold string
}

// ProbeResult is what probes of judges found.
type ProbeResult struct {
	// Fail and Pass are how many calls were drawn, of FailKnown and PassKnown in the
	// logs.
	Fail      int             `json:"fail"`
	Pass      int             `json:"pass"`
	FailKnown int             `json:"fail_known"`
	PassKnown int             `json:"pass_known"`
	Probes    []*probe.Report `json:"probes"`
	// Requests counts the judgement requests that were answered.
	Requests int `json:"requests"`
}

// NoGoldError says that the logs hold no call of which it is known what it deserves.
type NoGoldError struct{ Gold string }

// Error implements error.
func (e *NoGoldError) Error() string {
	if e.Gold != "" {
		return fmt.Sprintf("no call of the logs has a label or score %q; judge logs inspect lists the labels", e.Gold)
	}
	return "the logs say of no call whether it is right: they need expected calls, or labels of calls"
}

// Probe measures for each judge and rubric of a plan how far the judge lets itself be
// told what to answer. Nothing is kept. The error is a *NoGoldError, or one of those
// of Execute.
func Probe(ctx context.Context, plan *Plan, cfg ProbeConfig, obs Observer) (*ProbeResult, error) {
	hashes, err := input.Hash(plan.Logs)
	if err != nil {
		return nil, err
	}
	items, out, err := drawGold(ctx, plan, cfg, obs)
	if err != nil {
		return nil, err
	}
	id := plan.RunID(hashes)
	counted := func(r *judges.Result) {
		if obs.Judged != nil {
			obs.Judged(r)
		}
	}
	for i := range plan.Judges {
		for _, r := range plan.Rubrics {
			one := *plan
			one.Judges, one.Rubrics = plan.Judges[i:i+1], []*rubrics.Rubric{r}
			report, requests, err := probeOne(ctx, &one, id, items, cfg.Seed, counted, obs.Note)
			out.Requests += requests
			if err != nil {
				return out, err
			}
			out.Probes = append(out.Probes, report)
		}
	}
	return out, nil
}

func probeOne(ctx context.Context, plan *Plan, id string, items []probe.Item, seed int64, judged func(*judges.Result), note func(string)) (*probe.Report, int, error) {
	if note == nil {
		note = func(string) {}
	}
	list, stop, err := plan.Unrecorded(id, note)
	if err != nil {
		return nil, 0, err
	}
	defer stop()
	requests := make(chan int, 1)
	requests <- 0
	report, err := probe.Measure(ctx, list[0], items, probe.Config{Seed: uint64(seed), Judged: func(r *judges.Result) {
		n := <-requests
		requests <- n + r.Requests
		judged(r)
	}})
	return report, <-requests, err
}

// reservoir keeps n of what it is offered, every set equally likely.
type reservoir struct {
	n, seen int
	kept    []probe.Item
	rng     *rand.Rand
}

func (r *reservoir) offer(item probe.Item) {
	r.seen++
	if len(r.kept) < r.n {
		r.kept = append(r.kept, item)
	} else if at := r.rng.IntN(r.seen); at < r.n {
		r.kept[at] = item
	}
}

// drawGold reads the logs and draws calls of which it is known what they deserve.
func drawGold(ctx context.Context, plan *Plan, cfg ProbeConfig, obs Observer) ([]probe.Item, *ProbeResult, error) {
	scorers := plan.Scorers
	if len(scorers) == 0 {
		scorers = []deterministic.Config{{Type: deterministic.ExpectedCallMatch}}
	}
	log, err := deterministic.ForLog(scorers)
	if err != nil {
		return nil, nil, &PlanError{Cause: err}
	}
	pools := map[bool]*reservoir{}
	for _, pass := range []bool{false, true} {
		stream := uint64(1)
		if pass {
			stream = 2
		}
		pools[pass] = &reservoir{n: cfg.Calls, rng: rand.New(rand.NewPCG(uint64(cfg.Seed), stream))}
	}
	s := &input.Source{Logs: plan.Logs, Options: plan.Read, Limit: plan.Limit, Problem: obs.Unreadable}
	for c, err := range s.Conversations(ctx, &input.Reading{}) {
		if err != nil {
			return nil, nil, err
		}
		gold := goldOf(append(log.Score(c), labelScores(c, plan.Rubrics)...), cfg.Gold)
		for _, call := range judges.AllCalls(c) {
			if pass, ok := gold[call]; ok {
				pools[pass].offer(probe.Item{Conversation: c, Call: call, Pass: pass})
			}
		}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, nil, err
	}
	fail, pass := pools[false], pools[true]
	if len(fail.kept)+len(pass.kept) == 0 {
		return nil, nil, &NoGoldError{cfg.Gold}
	}
	out := &ProbeResult{Fail: len(fail.kept), Pass: len(pass.kept), FailKnown: fail.seen, PassKnown: pass.seen}
	return append(fail.kept, pass.kept...), out, nil
}

// goldOf says what the calls of a conversation deserve, by index: the last score decides.
func goldOf(scores []score.Score, name string) map[int]bool {
	out := map[int]bool{}
	for i := range scores {
		s := &scores[i]
		wanted := s.Name == name || name == "" && (s.Source == score.Label || s.Name == deterministic.ExpectedCallMatch)
		switch {
		case !wanted || s.CallIndex == nil || s.Status != score.Scored:
		case s.Passed != nil:
			out[*s.CallIndex] = *s.Passed
		case s.Source != score.Label:
			out[*s.CallIndex] = s.Value != nil && *s.Value >= 1
		}
	}
	return out
}
