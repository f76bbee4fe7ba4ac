package client

import (
	"sync"
	"time"

	"github.com/judgekit/judge/internal/llm"
)

// pacer spaces attempts evenly in time, by their number and by their tokens.
type pacer struct {
	perRequest, perToken time.Duration // 0 for no limit

	mu             sync.Mutex
	request, token time.Time // the earliest start of the next attempt
	answer         float64   // mean tokens per answer
	answers        float64
}

func newPacer(e Endpoint) pacer {
	return pacer{perRequest: every(e.RequestsPerMinute), perToken: every(e.TokensPerMinute)}
}

func every(perMinute float64) time.Duration {
	if perMinute <= 0 {
		return 0
	}
	return time.Duration(float64(time.Minute) / perMinute)
}

// turn reserves a start for an attempt and returns the wait until then.
func (p *pacer) turn(req *llm.Request, now time.Time) time.Duration {
	if p.perRequest == 0 && p.perToken == 0 {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	start := later(later(now, p.request), p.token)
	p.request = start.Add(p.perRequest)
	p.token = start.Add(time.Duration(p.estimate(req) * float64(p.perToken)))
	return start.Sub(now)
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// firstAnswer is the assumed number of tokens per answer before there is an answer.
const firstAnswer = 200

// estimate estimates the tokens of a request and its answer, at four bytes per token of the prompt.
func (p *pacer) estimate(req *llm.Request) float64 {
	bytes := 0
	for i := range req.Messages {
		bytes += len(req.Messages[i].Content)
	}
	if p.answers == 0 {
		return float64(bytes)/4 + firstAnswer
	}
	return float64(bytes)/4 + p.answer
}

// correct replaces the estimate for a request by the server's count.
func (p *pacer) correct(req *llm.Request, u llm.Usage) {
	if p.perToken == 0 || u.Prompt == nil || u.Completion == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	used := float64(*u.Prompt + *u.Completion)
	p.token = p.token.Add(time.Duration((used - p.estimate(req)) * float64(p.perToken)))
	p.answers = min(p.answers+1, 64)
	p.answer += (float64(*u.Completion) - p.answer) / p.answers
}

// limiting names the limit that attempts are waiting for; "" if none.
func (p *pacer) limiting(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.perToken > 0 && p.token.After(now) && p.token.After(p.request):
		return "tokens per minute"
	case p.perRequest > 0 && p.request.After(now):
		return "requests per minute"
	}
	return ""
}
