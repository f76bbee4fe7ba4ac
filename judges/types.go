package judges

import (
	"net/http"
	"time"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// The types of other rooms that users of the package need a name for.
type (
	// Conversation is one logged conversation, Call one of its tool calls.
	Conversation = transcript.Conversation
	// Call is one tool call.
	Call = transcript.Call
	// Turn is one message of a conversation.
	Turn = transcript.Message
	// Tool is one entry of a tool inventory.
	Tool = transcript.Tool
	// Value is a JSON value.
	Value = value.Value
	// Score is one line of a score stream.
	Score = score.Score
	// Flag is something noticed about a score.
	Flag = score.Flag
	// Secret is a text that no formatter, encoder or logger shows; see NewSecret.
	Secret = client.Secret
	// Param is one header, or one parameter of the query: Name and Value, a Secret.
	// Plain says that the value need not be blotted out where a server repeats it.
	Param = client.Param
	// Client answers chat requests (Do) until its Close; it is a Completer.
	Client = client.Client
	// Request is one chat completion: Model, Messages, Schema, Temperature and so on.
	// Nil pointers are not sent.
	Request = llm.Request
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
	// Baseline is a running rule-based judge, BaselineModel its model name.
	Baseline = baseline.Server
	// VerdictMode is how a score becomes a verdict: "interval" or "bands".
	VerdictMode = answer.Mode
	// PanelRule is how a panel's scores become one.
	PanelRule = answer.PanelRule
)

// The steps of the ladder, from the strictest to none.
const (
	JSONSchema = llm.JSONSchema // response_format json_schema
	Tools      = llm.Tools      // one function that must be called
	JSONObject = llm.JSONObject // response_format json_object
	PromptOnly = llm.PromptOnly // nothing but the messages
)

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
	// Concurrency is the largest number of requests in flight; 0 means 4 for a client of
	// its own, and the judge's Concurrency for Open.
	Concurrency int
	// Timeout bounds one attempt; 0 means five minutes. MaxAttempts bounds the attempts
	// of a request; 0 means 5. RequestsPerMinute spaces attempts; 0 means no limit.
	Timeout           time.Duration
	MaxAttempts       int
	RequestsPerMinute float64
	// Outage is how long a server that stops answering is waited for; 0 means ten
	// minutes, negative not at all.
	Outage time.Duration
	// Transport makes the HTTP requests; nil means one that keeps connections and heeds
	// the proxy variables of the environment.
	Transport http.RoundTripper
}

// NewSecret hides a key. "" is no key.
func NewSecret(key string) Secret { return client.NewSecret(key) }

// NewClient returns a client for an endpoint. It sends nothing.
func NewClient(e Endpoint) (*Client, error) { return e.client(PromptVersion) }

func (e Endpoint) client(promptVersion string) (*Client, error) {
	setDefault(&e.Outage, client.DefaultOutage)
	return client.New(client.Endpoint{
		BaseURL: e.BaseURL, APIKey: e.APIKey, Headers: e.Headers, Query: e.Query,
		Concurrency: e.Concurrency, Timeout: e.Timeout, MaxAttempts: e.MaxAttempts, RequestsPerMinute: e.RequestsPerMinute,
	}, client.Config{Kind: e.Kind, Transport: e.Transport, PromptVersion: promptVersion, Outage: e.Outage})
}

// Open returns a judge that asks at an endpoint, with a client of its own that has
// room for the judge's concurrency.
func Open(e Endpoint, cfg Config) (*Judge, error) {
	if e.Concurrency == 0 {
		e.Concurrency = cfg.withDefaults().Concurrency
	}
	c, err := e.client(cfg.Prompt.Version())
	if err != nil {
		return nil, err
	}
	return New(c, cfg)
}

// BaselineModel is the model name that the baseline answers to.
const BaselineModel = baseline.Model

// StartBaseline starts the built-in judge that grades by published rules and is no
// language model: the floor that a real judge has to beat. It listens on loopback
// until its Close.
func StartBaseline() (*Baseline, error) { return baseline.Start() }

// ParseJSON reads one JSON value, for building conversations by hand.
func ParseJSON(text string) (Value, error) { return value.ParseString(text) }
