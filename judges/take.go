package judges

import (
	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/verdict"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/judges/internal/reply"
	"github.com/judgekit/judge/judges/internal/result"
	"github.com/judgekit/judge/rubrics"
)

// take makes the score out of the samples.
func take(r *Result, in *instrument, taken []sample) {
	best := &taken[0]
	scores := make([]float64, len(taken))
	for i := range taken {
		scores[i] = statistic.Missing()
		if o := taken[i].reading.Output; taken[i].reading.OK() && o != nil {
			scores[i] = *o
			r.Samples = append(r.Samples, o)
		} else {
			r.Samples = append(r.Samples, nil)
		}
	}
	if r.Method != SelfConsistency {
		r.Samples = nil
		takeAnswer(r, best)
		if r.Method == TokenWeighted {
			best.weight, best.whyNot = reply.Weigh(in.rubric, best.content, best.logprobs), "no usable probabilities at the score token"
		}
		if r.Method == TokenWeighted || r.Method == B0 {
			takeToken(r, in, best)
		}
		result.Decide(r, in.rubric, in.mode)
		return
	}
	got := verdict.SelfConsistency(scores, in.rubric.Output.Low, in.rubric.Output.High)
	r.Sampling = result.NewSampling(&got)
	for i := range taken {
		if got.Majority.Valid && scores[i] == got.Majority.Value {
			best = &taken[i]
			break
		}
	}
	takeAnswer(r, best)
	if !got.Majority.Valid {
		result.Decide(r, in.rubric, in.mode)
		return
	}
	if got.ConfidenceLabel.Valid {
		r.Confidence, r.ConfidenceSource = got.ConfidenceLabel.Pointer(), "sample"
	}
	r.Output = got.Majority.Pointer()
	result.Decide(r, in.rubric, in.mode)
	r.Output = got.Mean.Pointer()
}

// takeAnswer takes over what a sample's answer says, or why there is none.
func takeAnswer(r *Result, s *sample) {
	for _, f := range s.reading.Flags {
		result.Raise(r, f.Code, f.Severity, f.Detail)
	}
	if !s.reading.OK() {
		r.ErrorKind, r.ErrorDetail = s.reading.Kind, s.reading.Detail
		return
	}
	a := s.reading.Answer
	r.Output = s.reading.Output
	r.Explanation = a.Field(rubrics.KeyExplanation).Text()
	r.Evidence = a.Field(rubrics.KeyEvidence).Text()
	r.Correction = a.Field(rubrics.KeyCorrection)
	if f, ok := a.Field(rubrics.KeyConfidence).Float64(); ok {
		r.Confidence, r.ConfidenceSource = &f, "verbalised"
	}
}

// takeToken replaces the parsed number by the weighted one where the reply allows
// it; else the method falls back to parsed and says so.
func takeToken(r *Result, in *instrument, s *sample) {
	if r.Output == nil {
		return
	}
	t := s.weight
	if t == nil {
		r.Method = Parsed
		result.Raise(r, FlagNoTokenScore, 1, s.whyNot+"; the written number counts")
		return
	}
	r.Token = t
	r.Output = &t.Score
	p := t.PassProbability
	if !in.rubric.Output.PassBand().Contains(t.Score) {
		p = 1 - p
	}
	r.Confidence, r.ConfidenceSource = &p, "token"
}

func addUsage(sum *llm.Usage, u llm.Usage) {
	for _, p := range []struct {
		to   **int
		from *int
	}{{&sum.Prompt, u.Prompt}, {&sum.Completion, u.Completion}, {&sum.Reasoning, u.Reasoning}, {&sum.Cached, u.Cached}} {
		if p.from == nil {
			continue
		}
		n := *p.from
		if *p.to != nil {
			n += **p.to
		}
		*p.to = &n
	}
}
