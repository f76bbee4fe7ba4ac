package instrument

import "github.com/judgekit/judge/judges"

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
