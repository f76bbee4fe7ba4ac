package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
)

// limited reports whether the context of any judge is known.
func (p *Plan) limited() bool {
	return slices.ContainsFunc(p.Judges, func(j instrument.Judge) bool { return j.Limit().Tokens > 0 })
}

// preflight says before any judgement what of the prompts has no room, and keeps it in
// run.json.
func (e *execution) preflight(ctx context.Context, list []*judges.Judge) error {
	if !e.plan.limited() {
		return nil
	}
	var limited []instrument.Scanned
	for i, j := range list {
		if j.Limit().Tokens > 0 {
			limited = append(limited, instrument.Scanned{Judge: j, Kind: e.plan.Judges[i].Kind})
		}
	}
	checks, err := instrument.ScanWindows(ctx, e.source.Again().Conversations(ctx, &input.Reading{}), limited)
	if err != nil {
		return err
	}
	for i := range checks {
		for _, line := range checks[i].Lines() {
			e.obs.note(line)
		}
	}
	e.out.Manifest.Windows = checks
	return e.save()
}

// measure finds out the windows that matter and that nobody tells, before any judgement,
// by prompts as long as the longest that is planned.
func (e *execution) measure(ctx context.Context) error {
	if !slices.ContainsFunc(e.plan.Judges, func(j instrument.Judge) bool { return j.Untold(math.MaxInt) }) {
		return nil
	}
	list, err := e.plan.silentJudges()
	if err != nil {
		return &PlanError{err}
	}
	checks, err := instrument.ScanWindows(ctx, e.source.Again().Conversations(ctx, &input.Reading{}), list)
	if err != nil {
		return err
	}
	for i := range checks {
		j, need := &e.plan.Judges[i], checks[i].LargestTokens+checks[i].AnswerTokens
		if !j.Untold(need) {
			continue
		}
		switch err := j.Measure(ctx, need); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			e.obs.note(fmt.Sprintf("judge %s: how long prompts may be was not found out: %v", j.Name(), err))
		case j.Profile.ContextTokens > 0:
			e.obs.note(fmt.Sprintf("judge %s: a prompt as long as the longest was cut or refused; the endpoint has a context of %d tokens",
				j.Name(), j.Profile.ContextTokens))
		}
	}
	e.out.Manifest.Profiles = e.plan.profiles()
	return e.save()
}

// silent is an endpoint for judges that only render.
type silent struct{}

// Do implements judges.Completer.
func (silent) Do(context.Context, llm.Request) (*llm.Response, error) {
	return nil, errors.New("nothing is sent")
}

// silentJudges are the judges of the plan without their endpoints.
func (p *Plan) silentJudges() ([]instrument.Scanned, error) {
	out := make([]instrument.Scanned, len(p.Judges))
	for i := range p.Judges {
		j, err := judges.New(silent{}, p.config(i, "estimate"))
		if err != nil {
			return nil, err
		}
		out[i] = instrument.Scanned{Judge: j, Kind: p.Judges[i].Kind}
	}
	return out, nil
}
