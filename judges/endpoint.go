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

// The types of other packages that users of this one need a name for.
type (
	// Conversation is one logged conversation.
	Conversation = transcript.Conversation
	// Score is one line of a score stream.
	Score = score.Score
	// Flag is something noticed about a score.
	Flag = score.Flag
	// Secret is a text that no formatter, encoder or logger shows; see NewSecret.
	Secret = client.Secret
	// Param is one header, or one parameter of the query: Name and Value, a Secret.
	// Plain says that the value need not be hidden if a server repeats it.
	Param = client.Param
	// Request is one chat completion: Model, Messages, Schema, Temperature and so on.
	// Nil pointers are not sent.
	Request = llm.Request
	// Message is one chat turn of a request: Role and Content.
	Message = llm.Message
	// Response is one answer: Content, Reasoning, FinishReason, Usage, and the body as
	// received in Raw.
	Response = llm.Response
	// Error is the failure of a request, with its Kind, Status, Message and a Hint. Take
	// it out of an error by errors.As.
	Error = llm.Error
	// Kind names server software: "openai", "vllm", "ollama", "llama.cpp", "sglang",
	// "lmstudio", or "unknown".
	Kind = llm.Kind
	// Field is one extra top-level member of a request: Name, and Value as JSON. A Value
	// of null leaves out the member of that name.
	Field = llm.Field
	// Transport is a step of the structured-output ladder: JSONSchema and its like.
	Transport = llm.Transport
	// VerdictMode says how a score becomes a verdict: "interval" or "bands".
	VerdictMode = answer.Mode
	// PanelRule says how a panel's scores become one.
	PanelRule = answer.PanelRule
	// Options are the settings that shape a prompt. The zero value is useful.
	Options = prompt.Options
	// Redaction replaces what patterns match in what a judge is shown; see NewRedaction.
	Redaction = prompt.Redaction
	// Layout is the order of a prompt's parts: rubric-first, named-rubrics or
	// conversation-first.
	Layout = prompt.Layout
	// Limit holds what a judge has room for. The zero value has no limit.
	Limit = window.Limit
	// MeasuredWindow says what the prompts of MeasureWindow showed.
	MeasuredWindow = window.Found
	// Shortened says what a judge did not see because it had no room.
	Shortened = window.Shortened
	// Facts hold what is known about a call without any judge; the zero value knows
	// nothing. They are held against the judge's answer and never shown to it.
	Facts = check.Facts
)

// The steps of the ladder, from the strictest to none.
const (
	JSONSchema = llm.JSONSchema // response_format json_schema
	Tools      = llm.Tools      // one function that must be called
	JSONObject = llm.JSONObject // response_format json_object
	PromptOnly = llm.PromptOnly // nothing but the messages
)

// The kinds of failure that a judgement can end with; Score carries them in its
// error. A failure is a missing value, never a low one.
const (
	KindTransport          = reply.KindTransport          // no reply, after all retries
	KindInvalidReply       = reply.KindInvalidReply       // a body that is not a chat completion, after all retries
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

// The codes of flags that other packages look for.
const (
	FlagInjection     = check.FlagInjection // the record seems to address its grader
	FlagIgnoresSchema = check.FlagIgnoresSchema
)

// ErrorKinds returns the kinds by which a single judge's judgement can fail.
func ErrorKinds() []string { return reply.Kinds() }

// PromptVersion names the wording and the layout of the prompts. Any change of
// either is a new version: it is part of the request fingerprint.
const PromptVersion = prompt.Version

// Defaults of Options; the marker is that of datamarking once it is turned on.
const (
	DefaultMarker         = prompt.DefaultMarker
	DefaultMaxRecordBytes = prompt.DefaultMaxRecordBytes
	DefaultKeepLast       = prompt.DefaultKeepLast
)

// MeasureWindow finds out whether a server has room for that many tokens, by prompts whose tokens
// ask returns as the server counts them.
func MeasureWindow(
	ctx context.Context, ask func(ctx context.Context, prompt string) (int, error), tokens int,
) (MeasuredWindow, error) {
	return window.Measure(ctx, ask, tokens)
}

// NewRedaction compiles patterns in the syntax of Go's regexp.
func NewRedaction(patterns []string) (*Redaction, error) { return prompt.NewRedaction(patterns) }

// CheckMarker says why a text is no marker for datamarking; nil for "", which turns
// it off.
func CheckMarker(marker string) error { return prompt.CheckMarker(marker) }

// Endpoint says where a model answers, how to log in there, and how hard the server may
// be pushed. Only BaseURL is needed.
type Endpoint struct {
	// BaseURL is the prefix before /chat/completions, such as http://127.0.0.1:11434/v1.
	BaseURL string
	// APIKey is sent as a bearer token: NewSecret(os.Getenv("OPENAI_API_KEY")).
	APIKey Secret
	// Headers and Query go with every request, as gateways want them. A header takes the
	// place of one that would have been sent.
	Headers, Query []Param
	// Kind is the server's software, as far as it is known: a few fields of requests
	// depend on it. "" is unknown.
	Kind Kind
	// Concurrency is the largest number of requests in flight; 0 means the judge's.
	Concurrency int
	// Timeout bounds one attempt; 0 means five minutes. MaxAttempts bounds the attempts
	// of a request; 0 means 5. RequestsPerMinute spaces attempts; 0 means no limit.
	Timeout           time.Duration
	MaxAttempts       int
	RequestsPerMinute float64
	// Outage says how long a server that stops answering is waited for; 0 means ten
	// minutes, negative not at all.
	Outage time.Duration
	// Transport makes the HTTP requests; nil means one that keeps connections and uses
	// the proxy variables of the environment.
	Transport http.RoundTripper
}

// RubricFirst is the usual layout. Together asks by all rubrics of a scope in one request; see
// docs/scale.md.
const (
	RubricFirst = prompt.RubricFirst
	Together    = prompt.Together
)

// Layouts returns the layouts of prompts about one rubric, the usual one first.
func Layouts() []Layout { return prompt.Layouts() }

// NewSecret hides a key. "" is no key.
func NewSecret(key string) Secret { return client.NewSecret(key) }

// Open returns a judge that asks at an endpoint, with a client of its own that has
// room for the judge's concurrency. The model BaselineModel without a BaseURL needs none.
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

// BaselineModel names the built-in judge that grades by published rules instead of a language
// model: what a real judge has to beat. It needs no endpoint.
const BaselineModel = baseline.Model

// Answers reports whether a model is asked by a rubric at all: the baseline only by those
// that it has rules for, any other model by each.
func Answers(model, rubric string) bool { return model != BaselineModel || baseline.HasRules(rubric) }
