package run

import (
	"context"

	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/run/window"
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
	// PromptBytes is the text of all prompts; a token is three to four bytes of
	// English. It is 0 where it was not asked for.
	PromptBytes  int64 `json:"prompt_bytes"`
	PromptTokens int64 `json:"prompt_tokens_estimate"`
	// LargestPrompt is in bytes, LargestPlace its item.
	LargestPrompt int    `json:"largest_prompt_bytes"`
	LargestPlace  string `json:"largest_prompt_at,omitempty"`
	Unreadable    int    `json:"unreadable"`
	// Windows say for each judge whose context is known what will not fit it.
	Windows []window.Check `json:"windows,omitempty"`
}

func tokens(bytes int64) int64 { return int64(float64(bytes) / window.BytesPerToken) }

// LargestTokens estimates the tokens of the largest prompt.
func (e *Estimate) LargestTokens() int64 { return tokens(int64(e.LargestPrompt)) }

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
		if prompts {
			if err := e.measure(plan, c, calls); err != nil {
				return e, err
			}
		}
	}
	e.Unreadable = reading.Unreadable
	e.PromptTokens = tokens(e.PromptBytes)
	if prompts && plan.limited() {
		e.Windows, err = window.Scan(s.Conversations(ctx, &input.Reading{}), plan.windows("estimate"), plan.Rubrics)
	}
	return e, err
}

func (e *Estimate) measure(plan *Plan, c *transcript.Conversation, calls []int) error {
	for i := range plan.Judges {
		opts := plan.Judges[i].Config.Prompt
		opts.RunKey = instrument.PromptOptions("estimate").RunKey
		for _, r := range plan.Rubrics {
			for _, call := range calls {
				messages, err := judges.Prompt(r, c, call, opts)
				if err != nil {
					return err
				}
				size := 0
				for _, m := range messages {
					size += len(m.Content)
				}
				e.PromptBytes += int64(size)
				if size > e.LargestPrompt {
					e.LargestPrompt, e.LargestPlace = size, c.Source.String()
				}
			}
		}
	}
	return nil
}
