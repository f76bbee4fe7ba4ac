package instrument

import (
	"github.com/judgekit/judge/internal/run/window"
	"github.com/judgekit/judge/judges"
)

// Limit is what the judge's model has room for: by the user's word, else by the
// profile.
func (j *Judge) Limit() window.Limit {
	l := window.Limit{Tokens: j.ContextTokens, Answer: j.answerTokens()}
	if j.Profile != nil {
		if l.Tokens == 0 {
			l.Tokens = j.Profile.ContextTokens
		}
		l.BytesPerToken = j.Profile.BytesPerToken
	}
	return l
}

// answerTokens is the budget of an answer, as a judge has it.
func (j *Judge) answerTokens() int {
	n := j.Config.MaxTokens
	if n == 0 {
		n = judges.DefaultMaxTokens
	}
	switch {
	case j.Config.Reasoning && j.Config.ReasoningTokens > 0:
		n += j.Config.ReasoningTokens
	case j.Config.Reasoning:
		n += judges.DefaultReasoningTokens
	}
	return n
}

// Correct notes the bytes of a token, as the first replies count them, in the judge's
// profile, and returns that.
func (j *Judge) Correct(ratio float64) Profile {
	p := Profile{Judge: j.Name(), Model: j.Config.Model, Kind: j.kind(), Transport: j.Config.Transport, Source: profileGiven}
	if j.Profile != nil {
		p = *j.Profile
	}
	p.BytesPerToken = ratio
	j.Profile = &p
	return p
}

// Requests is how many requests one judgement takes.
func (j *Judge) Requests() int {
	switch j.Config.Method {
	case judges.SelfConsistency:
		if j.Config.Samples > 0 {
			return j.Config.Samples
		}
		return judges.DefaultSamples
	case judges.B0:
		return 2
	}
	return 1
}

// waiting is how many judgements may wait for their next attempt, as after a 429 that
// names a second, before that leaves a slot idle.
const waiting = 32

// Workers is how many judgements are at work for so many requests in flight. The
// client sees to it that no more requests are sent.
func Workers(slots int) int { return slots + max(waiting, slots/2) }
