package run

import (
	"context"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
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
	// PromptBytes is the text of all prompts; a token is three to four bytes of
	// English. It is 0 where it was not asked for.
	PromptBytes  int64 `json:"prompt_bytes"`
	PromptTokens int64 `json:"prompt_tokens_estimate"`
	// LargestPrompt is in bytes, LargestTokens an estimate, LargestPlace its item.
	LargestPrompt int    `json:"largest_prompt_bytes"`
	LargestTokens int    `json:"largest_prompt_tokens_estimate"`
	LargestPlace  string `json:"largest_prompt_at,omitempty"`
	Unreadable    int    `json:"unreadable"`
	// Forecasts say for each judge what its requests may take.
	Forecasts []Forecast `json:"forecasts,omitempty"`
	// Windows say for each judge whose context is known what will not fit it.
	Windows []instrument.WindowCheck `json:"windows,omitempty"`
}

// Count reads the logs and counts what would be asked, without prompts.
func Count(ctx context.Context, plan *Plan) (Estimate, error) {
	s, err := plan.source(ctx, nil, nil)
	if err != nil {
		return Estimate{}, err
	}
	return plan.count(ctx, s)
}

func (p *Plan) count(ctx context.Context, s *input.Source) (e Estimate, err error) {
	asked, err := p.Team().Asked(p.Rubrics)
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
			n := len(calls) * len(p.Rubrics)
			if !always {
				e.Escalated += n * p.Judges[i].Requests()
				continue
			}
			e.Judgements += n
			e.Requests += n * p.Judges[i].Requests()
		}
	}
	e.Conversations, e.Unreadable = reading.Conversations, reading.Unreadable
	return e, nil
}

// Measure is Count that also renders every prompt, of judges that only cascades ask too,
// says what will not fit, and forecasts tokens, time and money. dir is the run directory
// that is taken up again, "" for none.
func Measure(ctx context.Context, plan *Plan, dir string) (Estimate, error) {
	s, err := plan.source(ctx, nil, nil)
	if err != nil {
		return Estimate{}, err
	}
	e, err := plan.count(ctx, s)
	if err != nil {
		return e, err
	}
	checks, err := plan.renderAll(ctx, s)
	for i := range checks {
		size := checks[i].Size
		e.PromptBytes += size.Bytes
		e.PromptTokens += size.Tokens
		if size.Largest > e.LargestPrompt {
			e.LargestPrompt, e.LargestTokens, e.LargestPlace = size.Largest, size.LargestTokens, size.Place
		}
		if checks[i].ContextTokens > 0 {
			e.Windows = append(e.Windows, checks[i])
		}
	}
	if err == nil {
		e.Forecasts, err = plan.forecasts(ctx, s, dir)
	}
	return e, err
}

// renderAll looks at the prompts of all judges of the plan, without their endpoints.
func (p *Plan) renderAll(ctx context.Context, s *input.Source) ([]instrument.WindowCheck, error) {
	list := make([]*judges.Judge, len(p.Judges))
	for i := range p.Judges {
		var err error
		if list[i], err = judges.New(instrument.Silent{}, p.config(i, "estimate")); err != nil {
			return nil, &PlanError{err}
		}
	}
	return instrument.ScanWindows(ctx, s.Conversations(ctx, &input.Reading{}), list)
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
	checks, err := p.renderAll(ctx, all)
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
