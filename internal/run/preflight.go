package run

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/run/window"
	"github.com/judgekit/judge/judges"
)

// firstReplies is how many replies correct the estimate of tokens.
const firstReplies = 20

// limited reports whether the context of any judge is known.
func (p *Plan) limited() bool {
	return slices.ContainsFunc(p.Judges, func(j instrument.Judge) bool { return j.Limit().Tokens > 0 })
}

// windows are the judges as far as their prompts have to fit, rendered for a run.
func (p *Plan) windows(runID string) []window.Judge {
	out := make([]window.Judge, len(p.Judges))
	identity := instrument.PromptOptions(runID)
	for i := range p.Judges {
		j := &p.Judges[i]
		opts := j.Config.Prompt
		opts.RunKey, opts.Canary = identity.RunKey, identity.Canary
		out[i] = window.Judge{Name: j.Name(), Kind: j.Kind, Limit: j.Limit(), Prompt: opts}
	}
	return out
}

// preflight says before any judgement which items will not fit their judge. Where the
// estimate could be wrong about that, the first items of the log are judged first and
// their replies correct it. What is kept back afterwards follows from the log and
// those replies, whatever the concurrency; run.json keeps the ratio, so that a resumed
// run decides the same.
func (e *execution) preflight(ctx context.Context, list []asker) error {
	checks, err := e.scan(ctx)
	if err != nil || len(checks) == 0 {
		return err
	}
	for i := range checks {
		for _, line := range checks[i].Lines() {
			e.obs.note(line)
		}
	}
	corrected, err := e.correct(ctx, list, checks)
	if err != nil {
		return err
	}
	if corrected {
		before := checks
		if checks, err = e.scan(ctx); err != nil {
			return err
		}
		for i := range checks {
			if line := window.Change(&before[i], &checks[i]); line != "" {
				e.obs.note(line)
			}
		}
	}
	e.out.Manifest.Windows = checks
	return e.save()
}

// scan looks at every prompt of the run.
func (e *execution) scan(ctx context.Context) ([]window.Check, error) {
	if !e.plan.limited() {
		return nil, nil
	}
	list := e.plan.windows(e.out.Manifest.RunID)
	again := e.source.Again()
	return window.Scan(again.Conversations(ctx, &input.Reading{}), list, e.plan.Rubrics)
}

// correct asks for the first replies of each judge whose window is nearly met, and
// corrects its limit by their usage figures. It reports whether any limit changed.
func (e *execution) correct(ctx context.Context, list []asker, checks []window.Check) (bool, error) {
	always, err := e.plan.Team().Asked(e.plan.Rubrics)
	if err != nil {
		return false, err
	}
	changed := false
	for i := range e.plan.Judges {
		j := &e.plan.Judges[i]
		at := slices.IndexFunc(checks, func(k window.Check) bool { return k.Judge == j.Name() })
		known := j.Profile != nil && j.Profile.BytesPerToken > 0
		// With Fresh the replies would be asked for a second time by the run itself.
		if at < 0 || !checks[at].Near() || !always[i] || known || e.plan.Fresh {
			continue
		}
		bytes, tokens, err := e.firstUsage(ctx, list[i], j.Limit())
		if err != nil {
			return false, err
		}
		l, ok := j.Limit().Corrected(bytes, tokens)
		if !ok {
			continue
		}
		changed = true
		list[i].guard.Correct(l)
		e.keepRatio(j, l.BytesPerToken)
	}
	return changed, nil
}

// keepRatio notes a corrected ratio in the judge's profile, here and in run.json.
func (e *execution) keepRatio(j *instrument.Judge, ratio float64) {
	p := j.Correct(ratio)
	m := e.out.Manifest
	if at := slices.IndexFunc(m.Profiles, func(q instrument.Profile) bool { return q.Judge == p.Judge }); at >= 0 {
		m.Profiles[at] = p
	} else {
		m.Profiles = append(m.Profiles, p)
	}
}

// firstUsage asks for the first judgements of the log that are sent, and returns the
// bytes and tokens of their prompts. The replies go into the journal, from where the
// run takes them. A request that fails tells nothing: the run meets its failure again.
func (e *execution) firstUsage(ctx context.Context, a asker, limit window.Limit) (bytes, tokens int64, err error) {
	requests, err := e.firstRequests(ctx, a.judge, limit)
	if err != nil {
		return 0, 0, err
	}
	replies := make([]*llm.Response, len(requests))
	var g errgroup.Group
	g.SetLimit(firstReplies) // the client sees to it that fewer are sent
	for i := range requests {
		g.Go(func() error {
			res, err := a.guard.Do(ctx, requests[i])
			if err == nil {
				replies[i] = res
			} else if fatal(err) {
				return err
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return 0, 0, err
	}
	if err := context.Cause(ctx); err != nil {
		return 0, 0, err
	}
	for i, res := range replies {
		if res == nil {
			continue
		}
		if !res.Cached {
			// The run will find the reply in the journal, but this process sent for it.
			e.work.Sent++
			e.work.FromJournal--
		}
		size := window.PromptBytes(requests[i].Messages)
		if n := res.Usage.Prompt; n != nil && !limit.Suspicious(size, *n) {
			bytes, tokens = bytes+int64(size), tokens+int64(*n)
		}
	}
	return bytes, tokens, nil
}

// firstRequests are the requests of the first judgements that fit by estimate, in the
// order of the log, its calls and the rubrics; where none fits, of the first that are
// sent all the same.
func (e *execution) firstRequests(ctx context.Context, j *judges.Judge, limit window.Limit) ([]llm.Request, error) {
	var fits, tight []llm.Request
	again := e.source.Again()
	for c, err := range again.Conversations(ctx, &input.Reading{}) {
		if err != nil {
			return nil, err
		}
		for _, call := range judges.AllCalls(c) {
			for _, r := range e.plan.Rubrics {
				req, err := j.Request(r.Name, c, call)
				if err != nil {
					return nil, err
				}
				switch size := window.PromptBytes(req.Messages); {
				case !limit.Over(size):
					fits = append(fits, req)
				case !limit.Held(size) && len(tight) < firstReplies:
					tight = append(tight, req)
				}
				if len(fits) == firstReplies {
					return fits, nil
				}
			}
		}
	}
	if len(fits) == 0 {
		return tight, nil
	}
	return fits, nil
}

// keptBack takes the requests that were kept back out of the counts: a judgement
// counts each that it wanted to make.
func (e *execution) keptBack(list []asker) {
	held := 0
	for i := range list {
		held += list[i].guard.Held()
	}
	c := &e.out.Manifest.Counts
	c.Requests = max(0, c.Requests-held)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.work.Sent, e.work.FromJournal = max(0, e.work.Sent-held), max(0, e.work.FromJournal)
}
