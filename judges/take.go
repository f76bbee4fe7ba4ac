package judges

import (
	"slices"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/judges/internal/reply"
	"github.com/judgekit/judge/rubrics"
)

func (in *instrument) take(r *Result, samples []*sampling) {
	if r.Method == SelfConsistency {
		in.takeSamples(r, samples)
		return
	}
	s := samples[0]
	r.takeAnswer(s)
	if r.Method == TokenWeighted && r.Output != nil {
		in.takeToken(r, s)
	}
	in.decide(r)
}

// minSamples is from how many samples on their agreement is meaningful.
const minSamples = 5

// takeSamples takes the mean as the score, the majority for the verdict and the text of
// the first sample with it.
func (in *instrument) takeSamples(r *Result, samples []*sampling) {
	scores := make([]float64, len(samples))
	for i, s := range samples {
		var output *float64
		scores[i] = stat.Missing()
		if s.reading.OK() && s.reading.Output != nil {
			output = s.reading.Output
			scores[i] = *output
		}
		r.Samples = append(r.Samples, output)
	}
	got := answer.SelfConsistency(scores, in.rubric.Output.Low, in.rubric.Output.High)
	r.Sampling = &got
	if !got.Majority.Valid {
		r.takeAnswer(samples[0])
		in.decide(r)
		return
	}
	r.takeAnswer(samples[slices.Index(scores, got.Majority.Value)])
	if got.Valid >= minSamples {
		r.setConfidence("sample", in.agreeing(r.Output, r.Samples)/float64(got.Valid))
	}
	in.decide(r)
	r.Output = got.Mean.Pointer()
	in.decideNear(r)
}

func (in *instrument) agreeing(output *float64, samples []*float64) float64 {
	verdict := in.verdict(output, nil).Verdict
	same := 0
	for _, s := range samples {
		if s != nil && in.verdict(s, nil).Verdict == verdict {
			same++
		}
	}
	return float64(same)
}

// takeAnswer takes over what a sample's answer says, or why there is none.
func (r *Result) takeAnswer(s *sampling) {
	r.Flags = append(r.Flags, s.reading.Flags...)
	if !s.reading.OK() {
		r.ErrorKind, r.ErrorDetail, r.Reply = s.reading.Kind, s.reading.Detail, s.said()
		return
	}
	a := s.reading.Answer
	r.Output = s.reading.Output
	r.Explanation = a.Field(rubrics.KeyExplanation).Text()
	r.Evidence = a.Field(rubrics.KeyEvidence).Text()
	r.Correction = a.Field(rubrics.KeyCorrection)
	r.Answer = a.Without(rubrics.Keys()...)
	if f, ok := a.Field(rubrics.KeyConfidence).Float64(); ok {
		r.setConfidence("verbalised", f)
	}
}

// takeToken replaces the parsed number by the weighted one where the reply allows
// it; else the method falls back to parsed and says so.
func (in *instrument) takeToken(r *Result, s *sampling) {
	t := reply.Weigh(in.rubric, s.response.Content, s.reading.At, s.response.Logprobs)
	if t == nil {
		r.Method = Parsed
		r.raise(flagNoTokenScore, 1, "no usable probabilities at the score token; the written number counts")
		return
	}
	r.Token, r.Output = t, &t.Score
	p := t.PassProbability
	if !in.rubric.Output.PassBand().Contains(t.Score) {
		p = 1 - p
	}
	r.setConfidence("token", p)
}
