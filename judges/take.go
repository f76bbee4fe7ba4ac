package judges

import (
	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/agreement/stat"
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
		scores[i] = stat.Missing()
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
			best.weight, best.whyNot = reply.Weigh(in.rubric, best.content, best.reading.At, best.logprobs), "no usable probabilities at the score token"
			takeToken(r, in, best)
		}
		result.Decide(r, in.rubric, in.mode)
		return
	}
	got := answer.SelfConsistency(scores, in.rubric.Output.Low, in.rubric.Output.High)
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
	r.Output = got.Majority.Pointer()
	if got.Valid >= minSamples {
		result.SetConfidence(r, result.Sample, agreeing(r, in))
	}
	result.Decide(r, in.rubric, in.mode)
	r.Output = got.Mean.Pointer()
	result.Near(r, in.rubric, in.mode)
}

// minSamples is from how many samples on their agreement says something.
const minSamples = 5

// agreeing is the share of valid samples with the verdict of the result's output.
func agreeing(r *Result, in *instrument) float64 {
	verdictOf := func(output *float64) string {
		one := Result{Output: output}
		result.Decide(&one, in.rubric, in.mode)
		return one.Verdict
	}
	majority := verdictOf(r.Output)
	same, valid := 0, 0
	for _, o := range r.Samples {
		if o == nil {
			continue
		}
		valid++
		if verdictOf(o) == majority {
			same++
		}
	}
	return float64(same) / float64(valid)
}

// takeAnswer takes over what a sample's answer says, or why there is none.
func takeAnswer(r *Result, s *sample) {
	for _, f := range s.reading.Flags {
		result.Raise(r, f.Code, f.Severity, f.Detail)
	}
	if !s.reading.OK() {
		r.ErrorKind, r.ErrorDetail, r.Reply = s.reading.Kind, s.reading.Detail, s.reply
		return
	}
	a := s.reading.Answer
	r.Output = s.reading.Output
	r.Explanation = a.Field(rubrics.KeyExplanation).Text()
	r.Evidence = a.Field(rubrics.KeyEvidence).Text()
	r.Correction = a.Field(rubrics.KeyCorrection)
	r.Answer = a.Without(rubrics.Keys()...)
	if f, ok := a.Field(rubrics.KeyConfidence).Float64(); ok {
		result.SetConfidence(r, result.Verbalised, f)
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
	result.SetConfidence(r, result.Token, p)
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
