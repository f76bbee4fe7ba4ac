package judges

import (
	"github.com/judgekit/judge/judges/internal/check"
	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/judges/internal/reply"
	"github.com/judgekit/judge/judges/internal/result"
	"github.com/judgekit/judge/judges/internal/team"
	"github.com/judgekit/judge/rubrics"
)

// What the rooms below own and users of the package need a name for.
type (
	// Options are the settings that shape a prompt. The zero value is useful.
	// ExamplesInSystem puts the examples into the system message, Canary is a word that
	// voids an answer that repeats it, Marker turns datamarking on, MaxRecordBytes and
	// KeepLast bound the record, Redact replaces what patterns match in it.
	Options = prompt.Options
	// Redaction replaces what patterns match in what a judge is shown; see NewRedaction.
	Redaction = prompt.Redaction
	// Limit is what a judge has room for. The zero value has no limit.
	Limit = prompt.Limit
	// Shortened says what a judge did not see because it had no room.
	Shortened = result.Shortened
	// Count is what a server counted for one prompt.
	Count = result.Count
	// Message is one chat turn of a request: Role and Content.
	Message = prompt.Message
	// Facts are what is known about a call without any judge; the zero value knows
	// nothing. They are held against the judge's answer and never shown to it.
	Facts = check.Facts
	// Result is one judgement: a rubric's score of one call by one judge (Output,
	// Verdict, Explanation, Evidence, Confidence, Correction, Flags), or why there is none
	// (Output is nil, and ErrorKind and ErrorDetail say why).
	Result = result.Result
	// Confidence is one confidence with its source: "verbalised", "token", "sample" or
	// "panel".
	Confidence = result.Confidence
	// Method is how a score is taken from a judge.
	Method = result.Method
	// Sampling describes the samples of a judgement under self-consistency.
	Sampling = result.Sampling
	// PanelDetail says how a panel's score came about, PanelMember what one member
	// said.
	PanelDetail = result.PanelDetail
	// PanelMember is one member of a panel with its answer.
	PanelMember = result.PanelMember
	// ClimbDetail is the way of one judgement through a cascade.
	ClimbDetail = result.ClimbDetail
	// ClimbTier is what one tier said, and why that was not enough.
	ClimbTier = result.ClimbTier
	// Reason is why a cascade does not rest with a tier's answer.
	Reason = result.Reason
	// Panel says how the scores of several judges become one. The zero value takes the
	// median and wants answers from half of the members.
	Panel = team.Panel
	// Cascade asks cheap judges first: what one tier leaves open goes to the next one.
	Cascade = team.Cascade
	// TokenWeight is the distribution over a scale's labels at the score token.
	TokenWeight = reply.TokenWeight
	// Findings are what the checks of one answer say besides flags.
	Findings = check.Findings
)

// The kinds of failure that a judgement can end with; Score carries them in its
// error. A failure is a missing value, never a low one.
const (
	KindTransport          = reply.KindTransport          // no reply, after all retries
	KindInvalidReply       = reply.KindInvalidReply       // a body that is no chat completion, after all retries
	KindBadRequest         = reply.KindBadRequest         // the server does not take the request
	KindRefusedByEndpoint  = reply.KindRefusedByEndpoint  // the endpoint refused this item, and answers others
	KindRefused            = reply.KindRefused            // the model or the service declined
	KindTruncated          = reply.KindTruncated          // cut at the token limit
	KindTruncatedInThought = reply.KindTruncatedInThought // cut before the answer began
	KindInvalidJSON        = reply.KindInvalidJSON        // no JSON object in the reply
	KindSchemaViolation    = reply.KindSchemaViolation    // an object that breaks the rubric's schema
	KindCanary             = reply.KindCanary             // the secret word is in the answer
	KindContext            = reply.KindContext            // the record does not fit the model
	KindContextCut         = reply.KindContextCut         // the server cut the prompt
	KindWhitespaceLoop     = reply.KindWhitespaceLoop     // blanks up to the token limit
)

// ErrorKinds returns the kinds by which a single judge's judgement can fail.
func ErrorKinds() []string { return reply.Kinds() }

// KindNoQuorum is the failure of a panel of which too few members answered.
const KindNoQuorum = result.KindNoQuorum

// The verdicts.
const (
	Pass       = result.Pass
	Fail       = result.Fail
	Borderline = result.Borderline // only in the bands reading
	NoVerdict  = result.NoVerdict
)

// The methods. Scores of different methods are different instruments.
const (
	// Parsed takes the number in the answer. It is the default.
	Parsed = result.Parsed
	// TokenWeighted weighs the labels of an integer scale by the probabilities of the
	// score token. Where that is not possible the parsed number stands, and the
	// result's method says so.
	TokenWeighted = result.TokenWeighted
	// SelfConsistency takes several samples at a temperature above 0: the mean is the
	// score, the majority gives the verdict.
	SelfConsistency = result.SelfConsistency
	// PanelMethod is the method of a score that several judges made together,
	// CascadeMethod of one that stands at the end of a cascade.
	PanelMethod   = result.PanelMethod
	CascadeMethod = result.CascadeMethod
)

// Methods returns the methods of a single judge.
func Methods() []Method { return result.Methods() }

// The rules of a panel beyond the median, mean, majority and the weighted ones by name.
const (
	// AnyNegative takes the strictest member's score, Weighted the weighted vote on a
	// binary scale and the weighted mean on any other.
	AnyNegative = team.AnyNegative
	Weighted    = team.Weighted
)

// The reasons of a cascade to go on, in the order in which they are told.
const (
	OnBorderline    = result.OnBorderline
	OnLowConfidence = result.OnLowConfidence
	OnError         = result.OnError
	OnContradiction = result.OnContradiction
)

// Reasons returns all reasons.
func Reasons() []Reason { return result.Reasons() }

// PromptVersion names the wording and the layout of the prompts. Any change of
// either is a new version: it is part of the request fingerprint.
const PromptVersion = prompt.Version

// Defaults of Options; the marker is that of datamarking once it is turned on.
const (
	DefaultMarker         = prompt.DefaultMarker
	DefaultMaxRecordBytes = prompt.DefaultMaxRecordBytes
	DefaultKeepLast       = prompt.DefaultKeepLast
)

// Prompt returns the messages that ask a judge for the rubric's score of one call:
// the system message, the few-shot pairs, and the record. It is a pure function.
// callIndex must be an index into conv.Calls.
func Prompt(r *rubrics.Rubric, conv *Conversation, callIndex int, o Options) ([]Message, error) {
	return prompt.Build(r, conv, callIndex, o)
}

// NewRedaction compiles patterns in the syntax of Go's regexp.
func NewRedaction(patterns []string) (*Redaction, error) { return prompt.NewRedaction(patterns) }

// CheckMarker says why a text is no marker for datamarking; nil for "", which turns
// it off.
func CheckMarker(marker string) error { return prompt.CheckMarker(marker) }

// The codes of the flags that the checks set.
const (
	FlagUngrounded        = check.FlagUngrounded
	FlagPartial           = check.FlagPartial
	FlagNoQuotes          = check.FlagNoQuotes
	FlagFalseAbsence      = check.FlagFalseAbsence
	FlagPolarity          = check.FlagPolarity
	FlagInjection         = check.FlagInjection
	FlagEcho              = check.FlagEcho
	FlagPhantom           = check.FlagPhantom
	FlagIgnoresSchema     = check.FlagIgnoresSchema
	FlagMissedRequired    = check.FlagMissedRequired
	FlagMissedFailedCall  = check.FlagMissedFailedCall
	FlagCorrectionInvalid = check.FlagCorrectionInvalid
)

// The codes of the flags that judging itself sets.
const (
	FlagNoTokenScore     = "token_score_undefined" // the wanted token weighting could not be had
	FlagRepairChanged    = "repair_changed_score"
	FlagRedacted         = "record_redacted" // the judge saw the record without what patterns match
	FlagContextTruncated = result.FlagContextTruncated
	FlagToolsShortened   = result.FlagToolsShortened
	FlagResultsCut       = result.FlagResultsCut
	FlagExamplesLeftOut  = result.FlagExamplesLeftOut
	FlagSelfPreference   = result.FlagSelfPreference // the judge is the agent's own model, or of its family
	FlagWideGap          = result.FlagWideGap
)
