package instrument

import (
	"context"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/judges"
)

// Limit is what the judge's model has room for: by the user's word, else by the
// profile.
func (j *Judge) Limit() judges.Limit {
	l := judges.Limit{Tokens: j.ContextTokens}
	if j.Profile != nil {
		if l.Tokens == 0 {
			l.Tokens = j.Profile.ContextTokens
		}
		l.BytesPerToken = j.Profile.BytesPerToken
	}
	return l
}

// Untold reports whether a prompt with its answer of so many tokens may be more than the
// endpoint takes, which does not tell its window. Services and servers that refuse what is
// too long need not be asked, nor any about what fits the smallest usual window.
func (j *Judge) Untold(tokens int) bool {
	p := j.Profile
	if p == nil || j.Limit().Tokens > 0 || p.MeasuredTokens > 0 {
		return false
	}
	switch p.Kind {
	case llm.KindOllama:
		return tokens > 2048
	case llm.KindUnknown, llm.KindLMStudio:
		return tokens > 4096
	}
	return false
}

// Measure finds out whether the endpoint has room for so many tokens, and notes it in the
// profile. The error is that of [capability.Measure].
func (j *Judge) Measure(ctx context.Context, tokens int) error {
	first, err := j.sample(nil, judges.Config{})
	if err != nil {
		return err
	}
	p := *j.Profile
	known := capability.Capabilities{Model: p.Model, Kind: p.Kind, Fields: p.Fields, Temperature: p.Temperature, TopP: p.TopP}
	p.ContextTokens, err = capability.Measure(ctx, j.Endpoint, &known, client.Config{Kind: p.Kind}, capability.ProbeConfig{Request: first}, tokens)
	if err == nil {
		p.MeasuredTokens, j.Profile = tokens, &p
	}
	return err
}

// Requests is how many requests one judgement takes.
func (j *Judge) Requests() int {
	switch {
	case j.Config.Method != judges.SelfConsistency:
		return 1
	case j.Config.Samples > 0:
		return j.Config.Samples
	}
	return judges.DefaultSamples
}

// waiting is how many judgements may wait for their next attempt, as after a 429 that
// names a second, before that leaves a slot idle.
const waiting = 32

// Workers is how many judgements are at work for so many requests in flight. The
// client sees to it that no more requests are sent.
func Workers(slots int) int { return slots + max(waiting, slots/2) }
