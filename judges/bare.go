package judges

import (
	"context"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/judges/internal/reply"
)

// bare asks once more for the number alone and weighs its token. A nil weight says
// that there is none to be had; why names the reason. It is asked once: a number
// that is not usable costs the method, not the judgement. Only a reply that leaks the
// secret word voids the judgement.
func (s *sampling) bare(ctx context.Context, live string, examples int) (w *reply.TokenWeight, why string, err error) {
	labels := reply.Labels(s.in.rubric.Output)
	switch {
	case labels == nil:
		return nil, "the scale has no labels of one character", nil
	case s.transport == llm.Tools:
		return nil, "answers as tool calls carry no probabilities", nil
	}
	req := s.request(append(s.in.bare.Messages[examples], Message{Role: "user", Content: prompt.BareLive(live)}))
	req.Logprobs, req.TopLogprobs = true, s.j.alternatives()
	if s.transport == llm.JSONSchema {
		req.Schema = s.in.bareSchema
	}
	resp, err := s.j.complete.Do(ctx, req)
	for s.fewerAlternatives(err, req.TopLogprobs) {
		req.TopLogprobs = s.j.alternatives()
		resp, err = s.j.complete.Do(ctx, req)
	}
	if err != nil {
		first := s.out.reading
		_, err = s.failed(ctx, err)
		why = "the request for the number alone failed: " + s.out.reading.Detail
		s.out.reading = first
		return nil, why, err
	}
	s.out.requests++
	if resp.Cached {
		s.out.cached++
	} else {
		s.out.latency += resp.Latency
	}
	addUsage(&s.out.usage, resp.Usage)
	number := reply.ReadNumber(s.in.rubric, resp, s.j.cfg.Prompt.Canary)
	switch {
	case number.Kind == KindCanary:
		s.out.reading.Fail(number.Kind, number.Detail)
		return nil, "", nil
	case !number.OK():
		return nil, "the answer without explanation does not count: " + number.Detail, nil
	}
	if w = reply.Weigh(s.in.rubric, resp.Content, number.At, resp.Logprobs); w == nil {
		return nil, "no usable probabilities at the score token", nil
	}
	return w, "", nil
}
