// Package result owns what a judgement comes to: the result record, its verdict, its
// line in the score stream, and how results of one call stand to each other.
//
// It promises that a failure is a missing value with its kind, and that a score line
// holds nothing that differs between two runs with the same replies.
package result

import (
	"math"
	"time"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/check"
	"github.com/judgekit/judge/judges/internal/reply"
	"github.com/judgekit/judge/rubrics"
)

// The verdicts.
const (
	Pass       = "pass"
	Fail       = "fail"
	Borderline = "borderline" // only in the bands reading
	NoVerdict  = "error"
)

// Result is one judgement: a rubric's score of one call by one judge, or why there
// is none.
type Result struct {
	ConversationID string
	CallIndex      int
	CallID, Tool   string
	Rubric         string
	RubricSHA      string
	// Judge is the judge's name, Fingerprint that of its last request in hex.
	Judge, Fingerprint string
	Transport          llm.Transport
	Method             Method
	// Output is nil where there is no score.
	Output *float64
	// Confidence is nil where the answer has none; ConfidenceSource says where it
	// comes from: "verbalised", "token", "sample" or "panel".
	Confidence       *float64
	ConfidenceSource string
	// Confidences are all that apply, one a source; Confidence is the last of them.
	Confidences []Confidence
	// Verdict is pass, fail, borderline or error.
	Verdict string
	// NearThreshold says that the score is within the margin of the cut,
	// LowConfidence that the confidence is missing or outside its band, Escalate
	// that a stronger judge or a person should look.
	NearThreshold, LowConfidence, Escalate bool
	Explanation, Evidence                  string
	// Correction is as the judge gave it; null for none.
	Correction value.Value
	// Answer holds what the answer says beyond the five keys of every rubric, an object;
	// null for nothing.
	Answer value.Value
	Checks check.Findings
	Flags  []score.Flag
	// Repairs counts the repair requests behind the answer.
	Repairs int
	// Samples are the single scores under self-consistency; nil entries are failures.
	Samples []*float64
	// Sampling describes them.
	Sampling *Sampling
	// Token is set under token weighting.
	Token *reply.TokenWeight
	// Panel is set on the score of a panel, Climb on that of a cascade.
	Panel *PanelDetail
	Climb *ClimbDetail
	// Counted is what the server counted for the last prompt, the zero value where it does
	// not count: whether it cut the prompt only the whole run can tell.
	Counted Count
	// Shortened says what of the record or the examples had no room.
	Shortened Shortened
	// ContextTruncated says that the judge saw a shortened history.
	ContextTruncated bool
	Usage            llm.Usage
	// Requests counts requests answered, Cached those answered without sending, and
	// Latency is the sum over the sent ones. They differ from run to run and do not
	// appear in Score.
	Requests, Cached int
	Latency          time.Duration
	// ErrorKind is "" for a score, else one of the Kind constants.
	ErrorKind, ErrorDetail string
	// Reply is the beginning of the last reply behind a failure, as it came.
	Reply string
}

// Raise adds a flag.
func Raise(r *Result, code string, severity int, detail string) {
	r.Flags = append(r.Flags, score.Flag{Code: code, Severity: severity, Detail: detail})
}

// Decide sets the verdict and what follows from it.
func Decide(r *Result, rubric *rubrics.Rubric, mode answer.Mode) {
	v := decide(r, rubric, mode)
	r.Verdict, r.NearThreshold, r.LowConfidence, r.Escalate = v.Verdict, v.Borderline, v.LowConfidence, v.Escalate
}

// Near decides anew whether the output is near the cut, and keeps the verdict: of
// samples the majority gives the verdict and the mean is the output.
func Near(r *Result, rubric *rubrics.Rubric, mode answer.Mode) {
	v := decide(r, rubric, mode)
	r.NearThreshold = v.Borderline
	r.Escalate = v.Escalate || r.Verdict == Borderline || r.Verdict == NoVerdict
}

func decide(r *Result, rubric *rubrics.Rubric, mode answer.Mode) answer.Verdict {
	output, confidence := math.NaN(), math.NaN()
	if r.Output != nil {
		output = *r.Output
	}
	if r.Confidence != nil {
		confidence = *r.Confidence
	}
	v, err := answer.Decide(output, confidence, answer.Rule{
		Mode: mode, Low: rubric.Output.Low, High: rubric.Output.High,
		ConfidenceLow: rubric.Confidence.Low, ConfidenceHigh: rubric.Confidence.High, Margin: rubric.Output.Margin(),
	})
	if err != nil {
		v = answer.Verdict{Verdict: NoVerdict, Escalate: true}
	}
	return v
}

// EscalateSevere escalates an answer that contradicts itself or the facts.
func EscalateSevere(r *Result) {
	for _, f := range r.Flags {
		r.Escalate = r.Escalate || f.Severity >= 2
	}
}

// Score returns the result as a line of the score stream. What differs between two
// runs with the same replies is left out.
func (r *Result) Score() score.Score {
	index := r.CallIndex
	s := score.Score{
		ConversationID: r.ConversationID, CallIndex: &index, CallID: r.CallID, Tool: r.Tool,
		Name: r.Rubric, Source: score.Judge, Judge: r.Judge, RubricSHA: r.RubricSHA,
		Status: score.Scored, Value: r.Output, Label: r.Verdict,
		Explanation: r.Explanation, Evidence: r.Evidence, Confidence: r.Confidence, Correction: r.Correction,
		Flags: r.Flags, Details: r.details(),
	}
	if s.Flags == nil {
		s.Flags = []score.Flag{}
	}
	switch r.Verdict {
	case Pass, Fail:
		passed := r.Verdict == Pass
		s.Passed = &passed
	case NoVerdict:
		s.Status, s.Value, s.Label = score.Unscored, nil, ""
		s.Error = &score.Failure{Kind: r.ErrorKind, Message: r.ErrorDetail}
	}
	return s
}

// details are the parts of a result that the score line has no field for.
func (r *Result) details() value.Value {
	d := details{}
	d.add("score_method", value.OfString(string(r.Method)))
	d.add("transport", value.OfString(string(r.Transport)))
	d.add("fingerprint", value.OfString(r.Fingerprint))
	if r.Output != nil {
		d.add("borderline", value.OfBool(r.NearThreshold))
		d.add("low_confidence", value.OfBool(r.LowConfidence))
		d.add("confidence_source", value.OfString(r.ConfidenceSource))
		d.add("confidences", confidences(r.Confidences))
		d.add("grounding", value.OfString(r.Checks.Grounding))
		d.add("quotes", value.OfInt(int64(r.Checks.Quotes)))
		d.add("quotes_grounded", value.OfInt(int64(r.Checks.GroundedQuotes)))
		d.add("correction_form", value.OfString(r.Checks.CorrectionForm))
		if !r.Checks.Effective.IsNull() {
			d.add("corrected_call", r.Checks.Effective)
		}
		if m := r.Checks.MatchesExpected; m != nil {
			d.add("correction_matches_expected", value.OfBool(*m))
		}
		if r.Checks.Effect != "" {
			d.add("correction_effect", value.OfString(r.Checks.Effect))
		}
		if c := r.Checks.Constructive; c != nil {
			d.add("constructive_score", value.OfFloat(*c))
		}
	}
	if r.Answer.Len() > 0 {
		d.add("answer", r.Answer)
	}
	d.add("escalate", value.OfBool(r.Escalate))
	d.add("repairs", value.OfInt(int64(r.Repairs)))
	d.add("context_truncated", value.OfBool(r.ContextTruncated))
	if r.Shortened != (Shortened{}) {
		d.add("shortened", r.Shortened.value())
	}
	if r.Samples != nil {
		d.add("samples", numbers(r.Samples))
	}
	if r.Sampling != nil {
		d.add("sampling", r.Sampling.value())
	}
	if r.Token != nil {
		d.add("token", r.Token.Value())
	}
	if r.Panel != nil {
		d.add("panel", r.Panel.value())
	}
	if r.Climb != nil {
		d.add("cascade", r.Climb.value())
	}
	usage := details{}
	usage.count("prompt", r.Usage.Prompt)
	usage.count("completion", r.Usage.Completion)
	usage.count("reasoning", r.Usage.Reasoning)
	if len(usage.members) > 0 {
		d.add("tokens", value.OfObject(usage.members...))
	}
	return value.OfObject(d.members...)
}

type details struct{ members []value.Member }

func (d *details) add(key string, v value.Value) {
	d.members = append(d.members, value.Member{Key: key, Value: v})
}

func (d *details) count(key string, n *int) {
	if n != nil {
		d.add(key, value.OfInt(int64(*n)))
	}
}

func numbers(list []*float64) value.Value {
	out := make([]value.Value, len(list))
	for i, f := range list {
		if f != nil {
			out[i] = value.OfFloat(*f)
		}
	}
	return value.OfList(out...)
}
