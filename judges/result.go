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
	// NotApplicable says that the question does not apply. NoBand says that there is a score, but
	// the rubric does not say which scores pass.
	NotApplicable = rubrics.NotApplicable
	NoBand        = "none"
)

// Method says how a score was obtained from a judge. Scores of different methods are not
// comparable.
type Method string

// The methods: first those of a single judge, then those that combine other scores.
const (
	// Parsed takes the number in the answer. It is the default.
	Parsed Method = "parsed"
	// TokenWeighted weighs the labels of an integer scale by their probabilities at the score
	// token. If that is impossible, the parsed number counts, and the result's method says so.
	TokenWeighted Method = "token_weighted"
	// SelfConsistency takes several samples at a temperature above 0. Their mean is the score,
	// their majority gives the verdict.
	SelfConsistency Method = "self_consistency"
	PanelMethod     Method = "panel"
	CascadeMethod   Method = "cascade"
)

// The kinds of failure that do not come from a reply: too few members of a panel answered; the
// judge was stopped for the rubric after its first StopAfter judgements had failed; the rule-based
// baseline has no rule for the rubric.
const (
	KindNoQuorum = "no_quorum"
	KindStopped  = "stopped"
	KindNoRule   = "no_rule"
)

// The codes of the flags that judging sets. The checks of answers have their own.
const (
	FlagContextTruncated = "context_truncated" // the judge saw a shortened history
	FlagToolsShortened   = "tools_shortened"
	FlagResultsCut       = "tool_results_cut"
	FlagExamplesLeftOut  = "examples_left_out"
	FlagSelfPreference   = "self_preference" // the judge is the agent's own model, or of its family

	flagNoTokenScore  = "token_score_undefined" // the wanted token weighting was not possible
	flagRepairChanged = "repair_changed_score"
	flagRedacted      = "record_redacted"             // the judge saw a redacted record
	flagWideGap       = "overall_far_from_components" // the overall score is far from the mean of the others
)

// Result is one judgement: a rubric's score for one call, turn or conversation by one judge
// (Output, Verdict, Explanation, Evidence, Confidence, Correction, Flags), or the reason why there
// is no score (Output is nil, ErrorKind and ErrorDetail). If the question does not apply, Output is
// nil and Verdict is NotApplicable.
type Result struct {
	ConversationID string
	// Scope is the kind of item. CallIndex is the call, -1 for scopes turn and conversation; Turn
	// counts from 1 for scope turn.
	Scope        rubrics.Scope
	CallIndex    int
	Turn         int
	CallID, Tool string
	Rubric       string
	RubricSHA    string
	// Judge is the judge's name, Fingerprint the fingerprint of its last request in hex.
	Judge, Fingerprint string
	Transport          Transport
	Method             Method
	// Output is nil if there is no score. Category is the answer if the rubric has categories, or
	// NotApplicable.
	Output   *float64
	Category string
	// Confidence is nil if the answer has none. ConfidenceSource is "verbalised", "token", "sample"
	// or "panel".
	Confidence       *float64
	ConfidenceSource string
	// confidences holds one confidence per source; Confidence is the last one.
	confidences []confidence
	// Verdict is pass, fail, borderline, error, not_applicable, or none if the rubric has no pass.
	Verdict string
	// NearThreshold: the score is within the margin of the cut. LowConfidence: the confidence is
	// missing or outside its band. Escalate: a stronger judge or a person should look.
	NearThreshold, LowConfidence, Escalate bool
	Explanation, Evidence                  string
	// Correction is the correction as the judge wrote it; null if none.
	Correction value.Value
	// Answer is an object with the members of the answer beyond the five that every rubric has;
	// null if none.
	Answer value.Value
	// Checks holds the results of the checks besides flags.
	Checks check.Findings
	Flags  []Flag
	// Repairs counts the repair requests before the answer.
	Repairs int
	// Samples holds the single scores of self-consistency; nil entries are failures. Sampling
	// describes them.
	Samples  []*float64
	Sampling *answer.Consistency
	// Token is the distribution at the score token, for token weighting.
	Token *reply.TokenWeight
	// Panel is set for a panel's score, Climb for a cascade's.
	Panel *PanelDetail
	Climb *ClimbDetail
	// Segments holds the answers about the parts of a turn or conversation that did not fit as a
	// whole.
	Segments []Segment
	// Shortened says what was left out of the record or the examples.
	Shortened Shortened
	// ContextTruncated says that the judge saw a shortened history.
	ContextTruncated bool
	Usage            llm.Usage
	// Requests counts answered requests, Cached those that were answered without sending, and
	// Latency adds up the sent ones. They differ between runs and are not part of Score.
	Requests, Cached int
	Latency          time.Duration
	// ErrorKind is "" if there is a score, else a Kind constant.
	ErrorKind, ErrorDetail string
	// Reply is the beginning of the last reply, unchanged, if the judgement failed.
	Reply string
}

// confidence is a confidence, 0..1, with its source.
type confidence struct {
	source string
	value  float64
}

// Joint reports whether a result was computed from other results, without requests.
func (r *Result) Joint() bool { return r.Panel != nil || r.Climb != nil }

func (r *Result) raise(code string, severity int, format string, args ...any) {
	r.Flags = append(r.Flags, Flag{Code: code, Severity: severity, Detail: fmt.Sprintf(format, args...)})
}

// setConfidence adds a confidence. The last one added is the result's own; the others are kept, so
// that a calibration can choose.
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

// decideNear updates NearThreshold and Escalate without changing the verdict: with samples, the
// majority gives the verdict and the mean is the output.
func (in *instrument) decideNear(r *Result) {
	v := in.verdict(r.Output, r.Confidence)
	r.NearThreshold = v.Borderline
	r.Escalate = v.Escalate || r.Verdict == Borderline || r.Verdict == NoVerdict
}

// verdict returns the verdict for an output and a confidence (nil for none).
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

// acrossRubrics compares one judge's scores of one call by the built-in rubrics, and flags the
// overall score if they contradict it.
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

// minSamples is the number of samples from which their agreement is meaningful.
const minSamples = 5

// takeSamples sets the score to the mean of the samples. The verdict and the text come from the
// first sample with the most frequent score.
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

// agreeing counts the samples with the result's verdict, or with its category if the rubric has no
// pass.
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

// takeAnswer copies a sample's answer, or the reason why it is missing.
func (r *Result) takeAnswer(s *sampling) {
	r.Flags = append(r.Flags, s.reading.Flags...)
	if !s.reading.OK() {
		r.ErrorKind, r.ErrorDetail, r.Reply = s.reading.Kind, s.reading.Detail, s.replyExcerpt()
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

// takeToken replaces the parsed number by the weighted one if the reply allows it; else the method
// becomes parsed, and a flag says so. A category stays as it was written, and its probability
// becomes the confidence.
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
