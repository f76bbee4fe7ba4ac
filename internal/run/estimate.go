package run

import (
	"context"
	"slices"

	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
)

// Estimate counts what a run would ask.
type Estimate struct {
	Conversations int `json:"conversations"`
	Calls         int `json:"calls"`
	// Judgements is calls × rubrics × judges, without those that only a cascade asks for.
	Judgements int `json:"judgements"`
	// Requests counts the requests if no answer has to be repaired and no two requests are equal.
	// Escalated is the largest number of further requests, if every cascade reaches its last tier.
	Requests  int `json:"requests"`
	Escalated int `json:"requests_if_all_escalate,omitempty"`
	instrument.PromptSize
	// Alone counts what judges that ask several rubrics together would need otherwise; nil if there are
	// none.
	Alone      *AloneEstimate `json:"asked_alone,omitempty"`
	Unreadable int            `json:"unreadable"`
	// Windows say, for each judge whose context size is known, which prompts will not fit.
	Windows []instrument.WindowCheck `json:"windows,omitempty"`
}

// AloneEstimate counts the requests and prompts of a run that asks by one rubric at a time.
type AloneEstimate struct {
	Requests int   `json:"requests"`
	Tokens   int64 `json:"prompt_tokens_estimate"`
}

// Judgements returns how many judgements the run makes. If a log is too large to be parsed before
// the run, the number is estimated from the first conversations, and about is true.
func (s *Spec) Judgements() (n int, about bool) {
	if s.whole() || s.share == 0 {
		return s.estimate.Judgements, false
	}
	return int(float64(s.estimate.Judgements) / s.share), true
}

// whole reports whether the estimate covers all conversations.
func (s *Spec) whole() bool { return s.share == 1 }

// alone returns a copy of the spec whose judges ask by one rubric at a time.
func (s *Spec) alone() *Spec {
	out := *s
	out.Team, out.checks = s.Team.Clone(), nil
	out.estimate.Requests += s.together
	for i := range out.Judges {
		if j := &out.Judges[i]; j.Together() {
			j.Config.Prompt.Layout = judges.RubricFirst
		}
	}
	return &out
}

// Estimate returns what the run would ask, with the sizes of all prompts, including those of judges
// that only cascades ask. For a sample or a shard it reads the logs again, because [Resolve]
// measured the prompts of more conversations.
func (s *Spec) Estimate(ctx context.Context) (Estimate, error) {
	e, checks := s.estimate, s.checks
	if checks == nil || s.Shard.Of > 0 {
		list, err := s.Silent()
		if err != nil {
			return e, &TaskError{err}
		}
		reading := &input.Reading{}
		checks, err = instrument.ScanWindows(ctx, s.source(nil).Again().Conversations(ctx, reading), list)
		if err != nil {
			return e, err
		}
	}
	if slices.ContainsFunc(s.Judges, func(j instrument.Judge) bool { return j.Together() }) {
		alone, err := s.alone().Estimate(ctx)
		if err != nil {
			return e, err
		}
		e.Alone = &AloneEstimate{alone.Requests, alone.Tokens}
	}
	for i := range checks {
		e.PromptSize.Add(checks[i].Size)
		e.Requests += (checks[i].Segments - checks[i].Segmented) * s.Judges[i].Requests()
		if checks[i].ContextTokens > 0 {
			e.Windows = append(e.Windows, checks[i])
		}
	}
	return e, nil
}
