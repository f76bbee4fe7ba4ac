package judges

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/agreement/stat"
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
	// NotApplicable says that the question does not apply, NoBand that there is a score and the
	// rubric does not say which scores pass.
	NotApplicable = rubrics.NotApplicable
	NoBand        = "none"
)

// Method says how a score is taken from a judge. Scores of different methods are different
// instruments.
type Method string

// The methods: first those of a single judge, then those of scores that were made from
// other scores.
const (
	// Parsed takes the number in the answer. It is the default.
	Parsed Method = "parsed"
	// TokenWeighted weighs the labels of an integer scale by the probabilities of
	// the score token. If that is not possible the parsed number counts, and the
	// result's method says so.
	TokenWeighted Method = "token_weighted"
	// SelfConsistency takes several samples at a temperature above 0: the mean is
	// the score, the majority gives the verdict.
	SelfConsistency Method = "self_consistency"
	PanelMethod     Method = "panel"
	CascadeMethod   Method = "cascade"
)

// Kinds of failure that are not those of a reply: too few members of a panel answered, a
// judgement was not asked for because the first StopAfter by its rubric had failed, and
// the rule-based baseline has no rule for the rubric.
const (
	KindNoQuorum = "no_quorum"
	KindStopped  = "stopped"
	KindNoRule   = "no_rule"
)

// The codes of the flags that judging itself sets; the checks of answers have their own.
const (
	FlagContextTruncated = "context_truncated" // of a shortened history
	FlagToolsShortened   = "tools_shortened"
	FlagResultsCut       = "tool_results_cut"
	FlagExamplesLeftOut  = "examples_left_out"
	FlagSelfPreference   = "self_preference" // the judge is the agent's own model, or of its family

	flagNoTokenScore  = "token_score_undefined" // the wanted token weighting was not possible
	flagRepairChanged = "repair_changed_score"
	flagRedacted      = "record_redacted"             // the judge saw the record without what patterns match
	flagWideGap       = "overall_far_from_components" // of an overall score
)

// Result is one judgement: a rubric's score of one call, turn or conversation by one judge (Output, Verdict,
// Explanation, Evidence, Confidence, Correction, Flags), or the reason why it has no
// score (Output is nil, ErrorKind and ErrorDetail give the reason). If the question does not apply,
// Output is nil and Verdict is NotApplicable.
type Result struct {
	ConversationID string
	// Scope says what was judged. CallIndex is the call, -1 for scopes turn and conversation; Turn
	// counts from 1 for scope turn.
	Scope        rubrics.Scope
	CallIndex    int
	Turn         int
	CallID, Tool string
	Rubric       string
	RubricSHA    string
	// Judge is the judge's name, Fingerprint that of its last request in hex.
	Judge, Fingerprint string
	Transport          Transport
	Method             Method
	// Output is nil if there is no score. Category is the answer of a rubric that has categories,
	// or NotApplicable.
	Output   *float64
	Category string
	// Confidence is nil if the answer has none; ConfidenceSource says where it
	// comes from: "verbalised", "token", "sample" or "panel".
	Confidence       *float64
	ConfidenceSource string
	// confidences are all that apply, one a source; Confidence is the last of them.
	confidences []confidence
	// Verdict is pass, fail, borderline, error, not_applicable, or none for a rubric without pass.
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
	// Checks hold what the checks of the answer say besides flags.
	Checks check.Findings
	Flags  []Flag
	// Repairs counts the repair requests before the answer.
	Repairs int
	// Samples are the single scores under self-consistency; nil entries are failures.
	// Sampling describes them.
	Samples  []*float64
	Sampling *answer.Consistency
	// Token is the distribution at the score token under token weighting.
	Token *reply.TokenWeight
	// Panel is set on the score of a panel, Climb on that of a cascade.
	Panel *PanelDetail
	Climb *ClimbDetail
	// Segments are the answers about the parts of a turn or conversation that had no room as a whole.
	Segments []Segment
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
	// Reply is the beginning of the last reply after a failure, as it came.
	Reply string
}

// confidence is one confidence, 0..1, with its source.
type confidence struct {
	source string
	value  float64
}

// Joint reports whether a result was made from other results, without requests.
func (r *Result) Joint() bool { return r.Panel != nil || r.Climb != nil }

func (r *Result) raise(code string, severity int, format string, args ...any) {
	r.Flags = append(r.Flags, Flag{Code: code, Severity: severity, Detail: fmt.Sprintf(format, args...)})
}

// setConfidence notes a confidence. The last one set is the result's own; the others
// stay beside it, so that a calibration can choose.
func (r *Result) setConfidence(source string, p float64) {
	r.Confidence, r.ConfidenceSource = &p, source
	r.confidences = append(r.confidences, confidence{source, p})
}

func (r *Result) escalateSevere() { r.Escalate = r.Escalate || severe(r.Flags) }

func severe(flags []Flag) bool {
	return slices.ContainsFunc(flags, func(f score.Flag) bool { return f.Severity >= 2 })
}

func (in *instrument) decide(r *Result) {
	v := in.verdict(r.Output, r.Confidence)
	if r.Category == NotApplicable {
		v.Verdict, v.Escalate = NotApplicable, v.LowConfidence
	}
	r.Verdict, r.NearThreshold, r.LowConfidence, r.Escalate = v.Verdict, v.Borderline, v.LowConfidence, v.Escalate
}

// decideNear decides again whether the output is near the cut, and keeps the verdict: of
// samples the majority gives the verdict and the mean is the output.
func (in *instrument) decideNear(r *Result) {
	v := in.verdict(r.Output, r.Confidence)
	r.NearThreshold = v.Borderline
	r.Escalate = v.Escalate || r.Verdict == Borderline || r.Verdict == NoVerdict
}

// verdict reads an output and a confidence, nil for none.
func (in *instrument) verdict(output, confidence *float64) answer.Verdict {
	number := func(f *float64) float64 {
		if f == nil {
			return stat.Missing()
		}
		return *f
	}
	scale, sure := in.rubric.Output, in.rubric.Confidence
	v, err := answer.Decide(number(output), number(confidence), answer.Rule{
		Mode: in.mode, Low: scale.Low, High: scale.High, Margin: scale.Margin(),
		ConfidenceLow: sure.Low, ConfidenceHigh: sure.High,
	})
	if err != nil {
		return answer.Verdict{Verdict: NoVerdict, Escalate: true}
	}
	if scale.NoPass && output != nil {
		v.Verdict, v.Borderline = NoBand, false
	}
	if confidence == nil && !in.rubric.Asks(rubrics.KeyConfidence) {
		v.LowConfidence = false
	}
	v.Escalate = v.Borderline || v.LowConfidence || v.Verdict == NoVerdict
	return v
}

// acrossRubrics compares one judge's scores of one call by the built-in rubrics and flags
// the overall score.
func acrossRubrics(results []Result) {
	var overall *Result
	s := answer.RubricScores{Intent: math.NaN(), Completeness: math.NaN(), Prerequisite: math.NaN(),
		Overall: math.NaN()}
	of := map[string]*float64{
		rubrics.Intent: &s.Intent, rubrics.Completeness: &s.Completeness,
		rubrics.Prerequisite: &s.Prerequisite, rubrics.Overall: &s.Overall,
	}
	for i := range results {
		r := &results[i]
		if at := of[r.Rubric]; at != nil && r.Output != nil {
			*at = *r.Output
			if r.Rubric == rubrics.Overall {
				overall = r
			}
		}
	}
	if overall == nil {
		return
	}
	got := answer.CheckRubrics(s)
	for _, code := range got.Violations {
		overall.raise(code, 1, "")
	}
	if got.WideGap {
		overall.raise(flagWideGap, 1, "overall minus the mean of its components is %.2f", *got.Gap)
	}
}

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
	var notApplicable []*sampling
	for i, s := range samples {
		var output *float64
		scores[i] = stat.Missing()
		if s.reading.OK() && s.reading.Output != nil {
			output = s.reading.Output
			scores[i] = *output
		} else if s.reading.OK() {
			notApplicable = append(notApplicable, s)
		}
		r.Samples = append(r.Samples, output)
	}
	got := answer.SelfConsistency(scores, in.rubric.Output.Low, in.rubric.Output.High)
	r.Sampling = &got
	if most := len(notApplicable) > got.Valid; most || !got.Majority.Valid {
		r.takeAnswer(append(notApplicable, samples[0])[0])
		in.decide(r)
		return
	}
	r.takeAnswer(samples[slices.Index(scores, got.Majority.Value)])
	if got.Valid >= minSamples && (!in.rubric.Output.NoPass || r.Category != "") {
		r.setConfidence("sample", in.agreeing(r, samples)/float64(got.Valid))
	}
	in.decide(r)
	if o := in.rubric.Output; o.NoPass && o.Categories != nil {
		return // categories have no mean
	}
	r.Output = got.Mean.Pointer()
	in.decideNear(r)
}

// agreeing counts the samples with the result's verdict, or with its category if nothing passes.
func (in *instrument) agreeing(r *Result, samples []*sampling) (same float64) {
	verdict := in.verdict(r.Output, nil).Verdict
	for _, s := range samples {
		got := &s.reading
		if !got.OK() || got.Output == nil || verdict == NoBand && got.Category != r.Category {
			continue
		}
		if in.verdict(got.Output, nil).Verdict == verdict {
			same++
		}
	}
	return same
}

// takeAnswer takes over what a sample's answer says, or why no answer came.
func (r *Result) takeAnswer(s *sampling) {
	r.Flags = append(r.Flags, s.reading.Flags...)
	if !s.reading.OK() {
		r.ErrorKind, r.ErrorDetail, r.Reply = s.reading.Kind, s.reading.Detail, s.said()
		return
	}
	a := s.reading.Answer
	r.Output, r.Category = s.reading.Output, s.reading.Category
	r.Explanation = a.Field(rubrics.KeyExplanation).Text()
	r.Evidence = a.Field(rubrics.KeyEvidence).Text()
	r.Correction = a.Field(rubrics.KeyCorrection)
	r.Answer = a.Without(rubrics.Keys()...)
	if f, ok := a.Field(rubrics.KeyConfidence).Float64(); ok {
		r.setConfidence("verbalised", f)
	}
}

// takeToken replaces the parsed number by the weighted one if the reply allows
// it; else the method falls back to parsed and says so. A category stays as it was written, and
// its probability is the confidence.
func (in *instrument) takeToken(r *Result, s *sampling) {
	t := reply.Weigh(in.rubric, s.response.Content, s.reading.At, s.response.Logprobs)
	if t == nil {
		r.Method = Parsed
		r.raise(flagNoTokenScore, 1, "no usable probabilities at the score token; the written number counts")
		return
	}
	o, p := in.rubric.Output, t.PassProbability
	if r.Token = t; o.Categories == nil {
		r.Output = &t.Score
	}
	if !o.NoPass && !o.PassBand().Contains(*r.Output) {
		p = 1 - p
	}
	r.setConfidence("token", p)
}
