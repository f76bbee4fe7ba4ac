package judges

import (
	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

// Score returns the result as a line of the score stream, without what differs between two runs
// that got the same replies.
func (r *Result) Score() Score {
	s := Score{
		ConversationID: r.ConversationID, Turn: r.Turn, CallID: r.CallID, Tool: r.Tool,
		Name: r.Rubric, Source: score.Judge, Judge: r.Judge, RubricSHA: r.RubricSHA,
		Status: score.Scored, Value: r.Output, Label: r.Verdict, Category: r.Category,
		Explanation: r.Explanation, Evidence: r.Evidence, Confidence: r.Confidence, Correction: r.Correction,
		Flags: r.Flags, Details: r.details(),
	}
	if r.CallIndex >= 0 {
		s.CallIndex = new(r.CallIndex)
	}
	if r.Scope != rubrics.ScopeCall {
		s.Scope = string(r.Scope)
	}
	if s.Flags == nil {
		s.Flags = []Flag{}
	}
	switch r.Verdict {
	case Pass, Fail:
		passed := r.Verdict == Pass
		s.Passed = &passed
	case NoBand:
		s.Label = ""
	case NotApplicable:
		s.Status, s.Category = score.NotApplicable, ""
	case NoVerdict:
		s.Status, s.Value, s.Label = score.Unscored, nil, ""
		s.Error = &score.Failure{Kind: r.ErrorKind, Message: r.ErrorDetail}
	}
	return s
}

func (r *Result) details() value.Value {
	d := object{}
	d.add("score_method", string(r.Method))
	d.add("transport", string(r.Transport))
	d.add("fingerprint", r.Fingerprint)
	if r.Verdict != NoVerdict {
		r.addScored(&d)
	}
	if r.Answer.Len() > 0 {
		d.add("answer", r.Answer)
	}
	d.add("escalate", r.Escalate)
	d.add("repairs", r.Repairs)
	d.add("context_truncated", r.ContextTruncated)
	if s := r.Shortened; s != (Shortened{}) {
		d.add("shortened", value.Pairs("tools", s.Tools, "results_cut", s.Results,
			"examples_left_out", s.Examples, "messages", s.Messages))
	}
	if r.Samples != nil {
		d.add("samples", list(r.Samples, func(f *float64) any { return f }))
	}
	if r.Sampling != nil {
		d.add("sampling", consistency(r.Sampling))
	}
	if t := r.Token; t != nil {
		d.add("token", value.Pairs("coverage", t.Coverage, "variance", t.Variance, "entropy", t.Entropy,
			"pass_probability", t.PassProbability))
	}
	if r.Segments != nil {
		d.add("segments", list(r.Segments, func(s Segment) any { return s.value() }))
	}
	if r.Panel != nil {
		d.add("panel", r.Panel.value())
	}
	if r.Climb != nil {
		d.add("cascade", r.Climb.value())
	}
	usage := object{}
	usage.addKnown("prompt", r.Usage.Prompt)
	usage.addKnown("completion", r.Usage.Completion)
	usage.addKnown("reasoning", r.Usage.Reasoning)
	if len(usage) > 0 {
		d.add("tokens", value.OfObject(usage...))
	}
	return value.OfObject(d...)
}

func (r *Result) addScored(d *object) {
	d.add("borderline", r.NearThreshold)
	d.add("low_confidence", r.LowConfidence)
	d.add("confidence_source", r.ConfidenceSource)
	sources := object{}
	for _, c := range r.confidences {
		sources.add(c.source, c.value)
	}
	d.add("confidences", value.OfObject(sources...))
	c := &r.Checks
	d.add("grounding", c.Grounding)
	d.add("quotes", c.Quotes)
	d.add("quotes_grounded", c.GroundedQuotes)
	d.add("correction_form", c.CorrectionForm)
	if !c.Effective.IsNull() {
		d.add("corrected_call", c.Effective)
	}
	if c.MatchesExpected != nil {
		d.add("correction_matches_expected", *c.MatchesExpected)
	}
	if c.Effect != "" {
		d.add("correction_effect", c.Effect)
	}
	if c.Constructive != nil {
		d.add("constructive_score", *c.Constructive)
	}
}

func consistency(c *answer.Consistency) value.Value {
	d := object{}
	d.add("valid", c.Valid)
	d.add("failed", c.Failed)
	for _, x := range []struct {
		key string
		of  stat.Opt
	}{{"majority", c.Majority}, {"median", c.Median}, {"variance", c.Variance}, {"pass_share", c.PassShare}} {
		if x.of.Valid {
			d.add(x.key, x.of.Value)
		}
	}
	d.add("tie", c.MajorityIsATie)
	return value.OfObject(d...)
}

// object is a JSON object under construction.
type object []value.Member

func (o *object) add(key string, v any) { *o = append(*o, value.Member{Key: key, Value: value.Of(v)}) }

func (o *object) addKnown(key string, n *int) {
	if n != nil {
		o.add(key, *n)
	}
}

func list[T any](elements []T, f func(T) any) value.Value {
	out := make([]value.Value, len(elements))
	for i, e := range elements {
		out[i] = value.Of(f(e))
	}
	return value.OfList(out...)
}
