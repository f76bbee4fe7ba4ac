package judges

import (
	"github.com/judgekit/judge/internal/agreement/verdict"
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
	// Endpoint says where a model answers, Client talks to it.
	Endpoint = client.Endpoint
	// ClientConfig configures a Client; the zero value is usable.
	ClientConfig = client.Config
	// Client answers chat requests; it is a Completer.
	Client = client.Client
	// Request and Response are what a Completer takes and gives.
	Request = llm.Request
	// Response is one answer.
	Response = llm.Response
	// Field is one extra member of a request.
	Field = llm.Field
	// Transport is a step of the structured-output ladder.
	Transport = llm.Transport
	// Baseline is a running rule-based judge, BaselineModel its model name.
	Baseline = baseline.Server
	// VerdictMode is how a score becomes a verdict.
	VerdictMode = verdict.Mode
	// PanelRule is how a panel's scores become one.
	PanelRule = verdict.PanelRule
)

// NewClient returns a client for an endpoint. It sends nothing. An empty prompt
// version becomes PromptVersion; an endpoint that stops answering is waited for, for
// ten minutes unless cfg says otherwise.
func NewClient(e Endpoint, cfg ClientConfig) (*Client, error) {
	setDefault(&cfg.PromptVersion, PromptVersion)
	setDefault(&cfg.Outage, client.DefaultOutage)
	return client.New(e, cfg)
}

// Open returns a judge that asks at an endpoint, with a client of its own that has
// room for the judge's concurrency.
func Open(e Endpoint, cfg Config) (*Judge, error) {
	if e.Concurrency == 0 {
		e.Concurrency = cfg.withDefaults().Concurrency
	}
	c, err := NewClient(e, ClientConfig{PromptVersion: cfg.Prompt.Version()})
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
