package judges

import (
	"context"
	"net/http"
	"time"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges/internal/check"
	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/judges/internal/reply"
	"github.com/judgekit/judge/judges/internal/window"
)

// Aliases of types in internal packages, so that users can name them.
type (
	// Conversation is one logged conversation.
	Conversation = transcript.Conversation
	// Score is one line of a score stream.
	Score = score.Score
	// Flag is a remark on a score.
	Flag = score.Flag
	// Secret is a text that no formatter, encoder or logger shows; see NewSecret.
	Secret = client.Secret
	// Param is one header or query parameter, with a Name and a Value, which is a Secret. Plain
	// says that the value may be shown if a server repeats it.
	Param = client.Param
	// Request is one chat completion: Model, Messages, Schema, Temperature and so on.
	// Nil pointers are not sent.
	Request = llm.Request
	// Message is one chat turn of a request: Role and Content.
	Message = llm.Message
	// Response is one answer: Content, Reasoning, FinishReason, Usage, and the body as
	// received in Raw.
	Response = llm.Response
	// Error is the failure of a request, with its Kind, Status, Message and a Hint. Use errors.As
	// to get it from an error.
	Error = llm.Error
	// Kind names server software: "openai", "vllm", "ollama", "llama.cpp", "sglang",
	// "lmstudio", or "unknown".
	Kind = llm.Kind
	// Field is one extra top-level member of a request: a Name, and a Value in JSON. The Value null
	// removes the member with this name.
	Field = llm.Field
	// Transport is a way to ask for structured output, such as JSONSchema.
	Transport = llm.Transport
	// VerdictMode says how a score becomes a verdict: "interval" or "bands".
	VerdictMode = answer.Mode
	// PanelRule says how a panel's scores are joined.
	PanelRule = answer.PanelRule
	// Options are the settings that shape a prompt. The zero value is useful.
	Options = prompt.Options
	// Redaction replaces text that matches patterns before a judge sees it; see NewRedaction.
	Redaction = prompt.Redaction
	// Layout is the order of a prompt's parts: rubric-first, named-rubrics or
	// conversation-first.
	Layout = prompt.Layout
	// Limit says how much room a judge has for a prompt. The zero value means no limit.
	Limit = window.Limit
	// MeasuredWindow is the result of MeasureWindow.
	MeasuredWindow = window.Found
	// Shortened says what was left out of a prompt because there was no room.
	Shortened = window.Shortened
	// Facts holds what is known about a call without any judge; the zero value knows nothing. They
	// are compared with the judge's answer and never shown to it.
	Facts = check.Facts
)

// The transports, from the strictest to the plainest.
const (
	JSONSchema = llm.JSONSchema // response_format json_schema
	Tools      = llm.Tools      // one function that must be called
	JSONObject = llm.JSONObject // response_format json_object
	PromptOnly = llm.PromptOnly // only the messages
)

// The kinds of failure of a judgement. A Score carries the kind in its error. A failure is a
// missing value, never a low one.
const (
	KindTransport          = reply.KindTransport          // no reply after all retries
	KindInvalidReply       = reply.KindInvalidReply       // the body is not a chat completion, after all retries
	KindBadRequest         = reply.KindBadRequest         // the server does not accept the request
	KindRefusedByEndpoint  = reply.KindRefusedByEndpoint  // the endpoint refused this item but answers others
	KindRefused            = reply.KindRefused            // the model or the service declined
	KindTruncated          = reply.KindTruncated          // cut off at the token limit
	KindTruncatedInThought = reply.KindTruncatedInThought // cut off before the answer began
	KindInvalidJSON        = reply.KindInvalidJSON        // the reply has no JSON object
	KindSchemaViolation    = reply.KindSchemaViolation    // the object breaks the rubric's schema
	KindCanary             = reply.KindCanary             // the answer contains the secret word
	KindContext            = reply.KindContext            // the record does not fit the model
	KindContextCut         = reply.KindContextCut         // the server cut the prompt
	KindWhitespaceLoop     = reply.KindWhitespaceLoop     // only blanks until the token limit
)

// The codes of flags that other packages use.
const (
	FlagInjection     = check.FlagInjection // the record seems to address its grader
	FlagIgnoresSchema = check.FlagIgnoresSchema
)

// ErrorKinds returns the kinds of failure that one judge's judgement can have.
func ErrorKinds() []string { return reply.Kinds() }

// PromptVersion is the version of the prompts. It changes with any change of their words or layout,
// and is part of the request fingerprint.
const PromptVersion = prompt.Version

// The defaults of Options. The default marker is used if datamarking is turned on without one.
const (
	DefaultMarker         = prompt.DefaultMarker
	DefaultMaxRecordBytes = prompt.DefaultMaxRecordBytes
	DefaultKeepLast       = prompt.DefaultKeepLast
)

// MeasureWindow finds out whether a server has room for this many tokens. ask sends a prompt and
// returns the server's token count.
func MeasureWindow(
	ctx context.Context, ask func(ctx context.Context, prompt string) (int, error), tokens int,
) (MeasuredWindow, error) {
	return window.Measure(ctx, ask, tokens)
}

// NewRedaction compiles patterns, which use the syntax of Go's regexp.
func NewRedaction(patterns []string) (*Redaction, error) { return prompt.NewRedaction(patterns) }

// CheckMarker returns an error if a text cannot be a marker for datamarking. "" is allowed and
// turns datamarking off.
func CheckMarker(marker string) error { return prompt.CheckMarker(marker) }

// Endpoint says where a model is served, how to log in there, and how many requests it may get.
// Only BaseURL is required.
type Endpoint struct {
	// BaseURL is the URL before /chat/completions, such as http://127.0.0.1:11434/v1.
	BaseURL string
	// APIKey is sent as a bearer token: NewSecret(os.Getenv("OPENAI_API_KEY")).
	APIKey Secret
	// Headers and Query are added to every request, as some gateways require. A header replaces the
	// one that would be sent.
	Headers, Query []Param
	// Kind is the server software, if known; "" means unknown. A few fields of requests depend on
	// it.
	Kind Kind
	// Concurrency limits the requests in flight; 0 means the judge's own limit.
	Concurrency int
	// Timeout limits one attempt; 0 means five minutes. MaxAttempts limits the attempts per
	// request; 0 means 5. RequestsPerMinute spaces attempts evenly; 0 means no limit.
	Timeout           time.Duration
	MaxAttempts       int
	RequestsPerMinute float64
	// Outage says how long to wait for a server that stops answering; 0 means ten minutes, a
	// negative value not at all.
	Outage time.Duration
	// Transport sends the HTTP requests; nil means a transport that keeps connections open and uses
	// the proxy variables of the environment.
	Transport http.RoundTripper
}

// RubricFirst is the default layout. Together asks by all rubrics of a scope in one request; see
// docs/scale.md.
const (
	RubricFirst = prompt.RubricFirst
	Together    = prompt.Together
)

// Layouts returns the layouts for prompts with one rubric, the default first.
func Layouts() []Layout { return prompt.Layouts() }

// NewSecret hides a key. "" means no key.
func NewSecret(key string) Secret { return client.NewSecret(key) }

// Open returns a judge for an endpoint. The judge has a client of its own, with the judge's
// concurrency. The model BaselineModel needs no endpoint: leave BaseURL empty.
func Open(e Endpoint, cfg Config) (*Judge, error) {
	setDefault(&e.Concurrency, cfg.withDefaults().Concurrency)
	setDefault(&e.Outage, client.DefaultOutage)
	config := client.Config{Kind: e.Kind, Transport: e.Transport, PromptVersion: cfg.Prompt.Version(), Outage: e.Outage}
	if cfg.Model == BaselineModel && e.BaseURL == "" {
		e.BaseURL, config.Sender = BaselineModel, baseline.Sender{}
	}
	c, err := client.New(client.Endpoint{
		BaseURL: e.BaseURL, APIKey: e.APIKey, Headers: e.Headers, Query: e.Query, Concurrency: e.Concurrency,
		Timeout: e.Timeout, MaxAttempts: e.MaxAttempts, RequestsPerMinute: e.RequestsPerMinute,
	}, config)
	if err != nil {
		return nil, err
	}
	return New(c, cfg)
}

// BaselineModel is the name of the built-in judge, which grades by published rules instead of a
// language model. A real judge should be better than it. It needs no endpoint.
const BaselineModel = baseline.Model

// Answers reports whether a model can judge by a rubric. The baseline can if it has rules for the
// rubric; every other model can.
func Answers(model, rubric string) bool { return model != BaselineModel || baseline.HasRules(rubric) }
