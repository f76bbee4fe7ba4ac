package judges

import (
	"github.com/judgekit/judge/judges/internal/check"
	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/judges/internal/reply"
	"github.com/judgekit/judge/rubrics"
)

// What the rooms below own and users of the package need a name for.
type (
	// Options are the settings that shape a prompt. The zero value is useful.
	Options = prompt.Options
	// Message is one chat turn of a request.
	Message = prompt.Message
	// Facts are what is known about a call without any judge; the zero value knows
	// nothing. They are held against the judge's answer and never shown to it.
	Facts = check.Facts
	// TokenWeight is the distribution over a scale's labels at the score token.
	TokenWeight = reply.TokenWeight
	// Findings are what the checks of one answer say besides flags.
	Findings = check.Findings
)

// The kinds of failure that a judgement can end with; Score carries them in its
// error. A failure is a missing value, never a low one.
const (
	KindTransport          = reply.KindTransport          // no reply, after all retries
	KindRefused            = reply.KindRefused            // the model or the service declined
	KindTruncated          = reply.KindTruncated          // cut at the token limit
	KindTruncatedInThought = reply.KindTruncatedInThought // cut before the answer began
	KindInvalidJSON        = reply.KindInvalidJSON        // no JSON object in the reply
	KindSchemaViolation    = reply.KindSchemaViolation    // an object that breaks the rubric's schema
	KindCanary             = reply.KindCanary             // the secret word is in the answer
	KindContextAlarm       = reply.KindContextAlarm       // the server seems to have cut the prompt
	KindContextOverflow    = reply.KindContextOverflow    // the record does not fit the model
	KindWhitespaceLoop     = reply.KindWhitespaceLoop     // blanks up to the token limit
)

// PromptVersion names the wording and the layout of the prompts. Any change of
// either is a new version: it is part of the request fingerprint.
const PromptVersion = prompt.Version

// Defaults of Options.
const (
	DefaultMaxRecordBytes = prompt.DefaultMaxRecordBytes
	DefaultKeepLast       = prompt.DefaultKeepLast
)

// Prompt returns the messages that ask a judge for the rubric's score of one call:
// the system message, the few-shot pairs, and the record. It is a pure function.
// callIndex must be an index into conv.Calls.
func Prompt(r *rubrics.Rubric, conv *Conversation, callIndex int, o Options) ([]Message, error) {
	return prompt.Build(r, conv, callIndex, o)
}

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
	FlagRepairChanged    = "repair_changed_score"
	FlagContextTruncated = "context_truncated"
)
