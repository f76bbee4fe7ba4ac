package run

import (
	"context"

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
	// Windows say for each judge whose context is known what will not fit it.
	Windows []instrument.WindowCheck `json:"windows,omitempty"`
}

// Count reads the logs and counts what would be asked, without prompts.
func Count(ctx context.Context, plan *Plan) (Estimate, error) { return estimate(ctx, plan, false) }

// Measure is Count that also renders every prompt, and says what will not fit.
func Measure(ctx context.Context, plan *Plan) (Estimate, error) { return estimate(ctx, plan, true) }

func estimate(ctx context.Context, plan *Plan, prompts bool) (Estimate, error) {
	s := &input.Source{Logs: plan.Logs, Options: plan.Read, Limit: plan.Limit}
	if plan.Sample > 0 {
		if err := s.Pick(ctx, plan.Sample, plan.Seed); err != nil {
			return Estimate{}, err
		}
	}
	var e Estimate
	asked, err := plan.Team().Asked(plan.Rubrics)
	if err != nil {
		return e, err
	}
	reading := &input.Reading{}
	for c, err := range s.Conversations(ctx, reading) {
		if err != nil {
			return e, err
		}
		calls := judges.AllCalls(c)
		e.Conversations++
		e.Calls += len(calls)
		for i, always := range asked {
			n := len(calls) * len(plan.Rubrics)
			if !always {
				e.Escalated += n * plan.Judges[i].Requests()
				continue
			}
			e.Judgements += n
			e.Requests += n * plan.Judges[i].Requests()
		}
	}
	e.Unreadable = reading.Unreadable
	if prompts {
		err = e.measure(ctx, plan, s)
	}
	return e, err
}

// measure adds up the prompts, of judges that only cascades ask too.
func (e *Estimate) measure(ctx context.Context, plan *Plan, s *input.Source) error {
	list, err := plan.silentJudges()
	if err != nil {
		return err
	}
	checks, err := instrument.ScanWindows(ctx, s.Conversations(ctx, &input.Reading{}), list)
	for i := range checks {
		size := checks[i].Size()
		e.PromptBytes += size.Bytes
		e.PromptTokens += size.Tokens
		if size.Largest > e.LargestPrompt {
			e.LargestPrompt, e.LargestTokens, e.LargestPlace = size.Largest, size.LargestTokens, size.Place
		}
		if checks[i].ContextTokens > 0 {
			e.Windows = append(e.Windows, checks[i])
		}
	}
	return err
}
