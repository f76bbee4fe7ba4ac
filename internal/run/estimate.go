package run

import (
	"context"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
)

// Estimate is what a run would ask for.
type Estimate struct {
	Conversations int `json:"conversations"`
	Calls         int `json:"calls"`
	// Judgements is calls × rubrics × judges, without those that only a cascade asks
	// for.
	Judgements int `json:"judgements"`
	// Requests is how many requests they take when no answer has to be repaired and
	// none is the same as another; Escalated how many more there are at most, when
	// every cascade is climbed to its end.
	Requests  int `json:"requests"`
	Escalated int `json:"requests_if_all_escalate,omitempty"`
	// The size of all prompts is 0 where it was not asked for.
	instrument.PromptSize
	Unreadable int `json:"unreadable"`
	// Windows say for each judge whose context is known what will not fit it.
	Windows []instrument.WindowCheck `json:"windows,omitempty"`
}

// Count reads the logs and counts what would be asked, without prompts.
func Count(ctx context.Context, plan *Plan) (Estimate, error) {
	list, err := plan.silent()
	if err != nil {
		return Estimate{}, err
	}
	return plan.survey(ctx, list, func(*transcript.Conversation) {})
}

// Measure is Count that also renders every prompt, of judges that only cascades ask too,
// and says what will not fit.
func Measure(ctx context.Context, plan *Plan) (Estimate, error) {
	list, err := plan.silent()
	if err != nil {
		return Estimate{}, err
	}
	checks := instrument.NewWindowChecks(list)
	e, err := plan.survey(ctx, list, func(c *transcript.Conversation) {
		for i := range list {
			checks[i].Look(ctx, c)
		}
	})
	if err != nil {
		return e, err
	}
	for i := range checks {
		e.PromptSize.Add(checks[i].Size)
		if checks[i].ContextTokens > 0 {
			e.Windows = append(e.Windows, checks[i])
		}
	}
	return e, nil
}

// silent are the judges of the plan, which only render.
func (p *Plan) silent() ([]*judges.Judge, error) {
	list := make([]*judges.Judge, len(p.Judges))
	for i := range p.Judges {
		var err error
		if list[i], err = judges.New(instrument.Silent{}, p.config(i, "estimate")); err != nil {
			return nil, &PlanError{err}
		}
	}
	return list, nil
}

// survey reads the logs, counts what the judges would be asked, and calls each for every
// conversation.
func (p *Plan) survey(ctx context.Context, list []*judges.Judge, each func(*transcript.Conversation),
) (e Estimate, err error) {
	asked, err := judges.Asked(list, p.Team().RunConfig())
	if err != nil {
		return e, err
	}
	s, err := p.source(ctx, nil, nil)
	if err != nil {
		return e, err
	}
	reading := &input.Reading{}
	for c, err := range s.Conversations(ctx, reading) {
		if err != nil {
			return e, err
		}
		calls := judges.AllCalls(c)
		e.Calls += len(calls)
		for i, always := range asked {
			n := len(calls) * (len(p.Rubrics) - len(p.withoutRule(i)))
			if !always {
				e.Escalated += n * p.Judges[i].Requests()
				continue
			}
			e.Judgements += len(calls) * len(p.Rubrics)
			e.Requests += n * p.Judges[i].Requests()
		}
		each(c)
		if ctx.Err() != nil {
			return e, context.Cause(ctx)
		}
	}
	e.Conversations, e.Unreadable = reading.Conversations, reading.Unreadable
	return e, nil
}

// preflight says before any judgement what of the prompts has no room, and keeps it in
// run.json.
func (e *execution) preflight(ctx context.Context, list []*judges.Judge) error {
	if input.Large(e.plan.Logs) {
		return nil // it would hold up the first request; each judgement is shortened all the same
	}
	limited := slices.DeleteFunc(slices.Clone(list), func(j *judges.Judge) bool { return j.Limit().Tokens == 0 })
	if len(limited) == 0 {
		return nil
	}
	checks, err := instrument.ScanWindows(ctx, e.source.Again().Conversations(ctx, &input.Reading{}), limited)
	if err != nil {
		return err
	}
	for i := range checks {
		for _, line := range checks[i].Lines() {
			e.obs.note("%s", line)
		}
	}
	e.out.Manifest.Windows = checks
	return e.save()
}

// measuredConversations are those of large logs whose prompts say how long prompts get.
const measuredConversations = 1000

// measure finds out the windows that matter and that no server reports, before any
// judgement, by prompts as long as the longest that is planned.
func (e *execution) measure(ctx context.Context) error {
	p := e.plan
	if !slices.ContainsFunc(p.Judges, func(j instrument.Judge) bool { return j.Unmeasured(math.MaxInt) }) {
		return nil
	}
	all := e.source.Whole()
	if input.Large(p.Logs) && all.Limit == 0 {
		all.Limit = measuredConversations
	}
	list, err := p.silent()
	if err != nil {
		return err
	}
	checks, err := instrument.ScanWindows(ctx, all.Conversations(ctx, &input.Reading{}), list)
	if err != nil {
		return err
	}
	for i := range checks {
		j, need := &p.Judges[i], checks[i].LargestTokens+checks[i].AnswerTokens
		if !j.Unmeasured(need) {
			continue
		}
		switch err := j.Measure(ctx, need); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			e.obs.note("judge %s: how long prompts may be was not found out: %v", j.Name(), err)
		case j.Profile.ContextTokens > 0:
			e.obs.note("judge %s: a prompt as long as the longest was cut or refused; the endpoint has a "+
				"context of %d tokens",
				j.Name(), j.Profile.ContextTokens)
		}
	}
	e.out.Manifest.Profiles = p.profiles()
	return e.save()
}
