package run

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/judges/probe"
	"github.com/judgekit/judge/rubrics"
)

// ProbeConfig says by which calls judges are probed.
type ProbeConfig struct {
	// Calls says how many calls are drawn of those that are right, and as many of
	// those that are wrong. Every such set is equally likely.
	Calls int
	Seed  int64
	// Gold names the label or scorer that says whether a call is right; "" takes the call's
	// label, or else the match with the expected calls.
	Gold string
	// Discover finds out how the endpoints are asked, once there are calls to ask about; nil
	// takes the judges as they are.
	Discover func(context.Context, []instrument.Judge, []*rubrics.Rubric, []instrument.Profile) error
	// transport replaces the HTTP transport in tests.
	transport http.RoundTripper
}

// ProbeResult holds what probes of judges found.
type ProbeResult struct {
	// Fail and Pass say how many calls were drawn, of FailKnown and PassKnown in the
	// logs.
	Fail      int             `json:"fail"`
	Pass      int             `json:"pass"`
	FailKnown int             `json:"fail_known"`
	PassKnown int             `json:"pass_known"`
	Probes    []*probe.Report `json:"probes"`
	// Requests counts the judgement requests that were answered.
	Requests int `json:"requests"`
}

// NoGoldError says that the logs hold no call with a gold label.
type NoGoldError struct{ Gold string }

func (e *NoGoldError) Error() string {
	if e.Gold != "" {
		return fmt.Sprintf("no call of the logs has a label or score %q; judge logs inspect lists the labels", e.Gold)
	}
	return "the logs do not say which calls are right: they need expected calls, or labels of calls"
}

// Probe measures for each judge and rubric of a task how far text in the log decides what
// the judge answers. Nothing is kept, and no answer is taken from elsewhere. The error is a
// *NoGoldError, that of cfg.Discover, or one of those of Resolve and Execute.
func Probe(ctx context.Context, task Task, cfg ProbeConfig, obs Observer) (*ProbeResult, error) {
	if len(task.Scorers) == 0 {
		task.Scorers = []deterministic.Config{{Type: deterministic.ExpectedCallMatch.Name}}
	}
	for _, r := range task.Rubrics {
		if err := probe.Check(r); err != nil {
			return nil, &TaskError{err}
		}
	}
	s, err := Resolve(ctx, task, "")
	if err != nil {
		return nil, err
	}
	items, out, err := drawGold(ctx, s, cfg, obs)
	if err != nil {
		return nil, err
	}
	team := s.Team.Clone()
	if cfg.Discover != nil {
		if err := cfg.Discover(ctx, team.Judges, team.Rubrics, nil); err != nil {
			return nil, err
		}
	}
	id, _ := s.identify(&team)
	var requests atomic.Int64
	probed := probe.Config{Seed: uint64(cfg.Seed), Judged: func(r *judges.Result) {
		requests.Add(int64(r.Requests))
		if obs.Judged != nil {
			obs.Judged(r)
		}
	}}
	quiet := Observer{Note: obs.Note}
	for i := range team.Judges {
		for _, r := range team.Rubrics {
			in := &Instruments{manifest: &directory.Manifest{}}
			in.manifest.RunID = id
			in.Judges, in.Rubrics = team.Judges[i:i+1], []*rubrics.Rubric{r}
			err := in.connect(ctx, s, &Means{transport: cfg.transport, assumeWindows: true}, &quiet)
			var report *probe.Report
			if err == nil {
				report, err = probe.Measure(ctx, in.list[0], items, probed)
			}
			err = errors.Join(err, in.Close())
			out.Requests = int(requests.Load())
			if err != nil {
				return out, err
			}
			out.Probes = append(out.Probes, report)
		}
	}
	return out, nil
}

// drawGold reads the logs and draws calls with a gold label.
func drawGold(ctx context.Context, s *Spec, cfg ProbeConfig, obs Observer) ([]probe.Item, *ProbeResult, error) {
	fail := input.NewReservoir[probe.Item](cfg.Calls, uint64(cfg.Seed), 1)
	pass := input.NewReservoir[probe.Item](cfg.Calls, uint64(cfg.Seed), 2)
	for c, err := range s.source(obs.Unreadable).Conversations(ctx, &input.Reading{}) {
		if err != nil {
			return nil, nil, err
		}
		gold := goldOf(append(s.scorers.Score(c), labelScores(c, s.Rubrics)...), cfg.Gold)
		for _, call := range judges.AllCalls(c) {
			passes, known := gold[call]
			item := probe.Item{Conversation: c, Call: call, Pass: passes}
			switch {
			case known && passes:
				pass.Offer(item)
			case known:
				fail.Offer(item)
			}
		}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, nil, err
	}
	if len(fail.Kept)+len(pass.Kept) == 0 {
		return nil, nil, &NoGoldError{cfg.Gold}
	}
	out := &ProbeResult{Fail: len(fail.Kept), Pass: len(pass.Kept), FailKnown: fail.Seen, PassKnown: pass.Seen}
	return append(fail.Kept, pass.Kept...), out, nil
}

// goldOf returns the gold label of the calls of a conversation, by index: the last score decides.
func goldOf(scores []score.Score, name string) map[int]bool {
	out := map[int]bool{}
	for i := range scores {
		s := &scores[i]
		wanted := s.Name == name || name == "" && (s.Source == score.Label || s.Name == deterministic.ExpectedCallMatch.Name)
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
