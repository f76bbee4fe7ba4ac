package capability

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
)

// Finding is one answer of a probe.
type Finding string

// What a probe can find. Unknown means not tried, or not decided.
const (
	Unknown   Finding = "unknown"
	Yes       Finding = "yes"
	No        Finding = "no"
	Refused   Finding = "refused"   // the server answered with an error
	Ignored   Finding = "ignored"   // the server answered as if it had not been asked
	Truncated Finding = "truncated" // the answer was cut off
	Fixed     Finding = "fixed"     // the same text whatever the seed
	Separate  Finding = "separate"  // thinking comes in a field of its own
	Inline    Finding = "inline"    // thinking comes inside the content
	None      Finding = "none"      // no thinking was seen
)

// Step is one rung of the transport ladder as the server took it.
type Step struct {
	Transport llm.Transport `json:"transport"`
	Finding   Finding       `json:"finding"` // yes, refused, ignored or truncated
	Detail    string        `json:"detail,omitempty"`
}

// Capabilities is what a probe learned about one model at one endpoint.
type Capabilities struct {
	Endpoint  string        `json:"endpoint"`
	Model     string        `json:"model"`
	Kind      llm.Kind      `json:"kind"`
	Version   string        `json:"version,omitempty"`
	Transport llm.Transport `json:"transport"` // the strictest that works, "" when none does
	Ladder    []Step        `json:"ladder"`
	// Strict: yes, a hosted service takes schemas with strict set, and then enforces
	// them; requests should be put so, with the correction as text. Not asked, and
	// unknown, of self-hosted servers, which ignore it.
	Strict Finding `json:"strict,omitempty"`
	// ModelListed: the model is in the server's list. Models is the list, cut
	// to 50 names.
	ModelListed Finding  `json:"model_listed"`
	Models      []string `json:"models,omitempty"`
	// KeyOrder: the answer's keys come in the schema's order.
	KeyOrder Finding `json:"key_order"`
	// IntegerRange and NumberRange: minimum and maximum are enforced for integers
	// and for other numbers.
	IntegerRange Finding `json:"integer_range"`
	NumberRange  Finding `json:"number_range"`
	// OpenObject: yes, an object without fixed keys can be filled; refused, the
	// server does not take such a schema; ignored, the object stayed empty though a
	// member was asked for.
	OpenObject Finding `json:"open_object"`
	// Seed: yes, the same seed gives the same text and another seed another;
	// fixed, always the same text; no, the same seed gave different texts.
	Seed Finding `json:"seed"`
	// Logprobs: token log-probabilities come when asked for; TopLogprobs is how
	// many alternatives came of 5.
	Logprobs    Finding `json:"logprobs"`
	TopLogprobs int     `json:"top_logprobs,omitempty"`
	// ContextTokens is the size of the context, 0 when the server does not tell.
	ContextTokens int    `json:"context_tokens,omitempty"`
	ContextSource string `json:"context_source,omitempty"`
	// Slots is how many requests llama.cpp works on at once; more wait in line. 0 where
	// the server does not tell: Ollama and others have no such number.
	Slots int `json:"slots,omitempty"`
	// Canary has one entry for each of the growing prompts that measured the context;
	// Overlong says what became of one that was too long: refused, truncated (cut
	// without a word), or unknown where none was. Window is where it was cut or
	// refused, in tokens, 0 when all went through.
	Canary   []CanaryPrompt `json:"canary,omitempty"`
	Overlong Finding        `json:"overlong"`
	Window   int            `json:"window,omitempty"`
	// Parallel: yes, requests sent together end sooner than one after the other.
	// Speedup is by how much.
	Parallel Finding `json:"parallel"`
	Speedup  float64 `json:"speedup,omitempty"`
	// Thinking: none, separate or inline.
	Thinking Finding  `json:"thinking"`
	Notes    []string `json:"notes,omitempty"` // advice for a person
	Requests int      `json:"requests"`        // chat requests made
}

// ProbeConfig says how much a probe asks. The zero value asks for everything.
type ProbeConfig struct {
	// Quick asks only what decides how a run puts its requests: the transport and
	// whether open objects pass, or for a hosted service strict schemas. It makes two
	// requests to a server that takes schemas, and never more than nine.
	Quick bool
	// Transport is the one that the user chose, if any. Then a model that answers, but
	// not as the ladder asks, is none the worse for it: Transport stays "" in what was
	// found, without an error.
	Transport llm.Transport
	// Temperature is that of the run's requests, where it is not 0: some models refuse
	// all but one value. Extra are further members of the run's requests.
	Temperature *float64
	Extra       []llm.Field
	// CanaryTokens bounds the prompts that measure the context; 0 means 8192,
	// negative leaves them out.
	CanaryTokens int
}

// Probe asks a server a few tiny questions to learn what it can do. It goes down
// the ladder of transports until one yields a required key that no model can
// guess. Only an answer without the key, or a refusal of the request, leads to
// the next rung: rate limits, server errors and broken connections are retried,
// and when they persist the probe fails with an [*llm.Error], beside what it learned
// so far. So it does where no rung holds, not even the plainest request: the error
// quotes the server and says what to set, the Transport stays "", and nothing of it
// should be kept. A journal in cfg is not used.
func Probe(ctx context.Context, endpoint client.Endpoint, model string, cfg client.Config, depth ProbeConfig) (*Capabilities, error) {
	cfg.Journal = nil
	if endpoint.Timeout == 0 || endpoint.Timeout > probeTimeout {
		endpoint.Timeout = probeTimeout
	}
	if endpoint.MaxAttempts == 0 || endpoint.MaxAttempts > probeAttempts {
		endpoint.MaxAttempts = probeAttempts
	}
	if depth.CanaryTokens == 0 {
		depth.CanaryTokens = defaultCanary
	}
	c, err := client.New(endpoint, cfg)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	p := &probe{c: c, timeout: endpoint.Timeout, depth: depth, caps: &Capabilities{
		Endpoint: c.BaseURL(), Model: model, Kind: llm.KindUnknown, ModelListed: Unknown, KeyOrder: Unknown,
		IntegerRange: Unknown, NumberRange: Unknown, OpenObject: Unknown, Seed: Unknown, Logprobs: Unknown,
		Overlong: Unknown, Parallel: Unknown, Thinking: None, Strict: Unknown,
	}}
	p.identify(ctx)
	if cfg.Kind == "" || cfg.Kind == llm.KindUnknown {
		// From here on requests are put as this kind of server likes them.
		cfg.Kind = p.caps.Kind
		if p.c, err = client.New(endpoint, cfg); err != nil {
			return nil, err
		}
		defer p.c.Close()
	}
	steps := []func(context.Context) error{p.ladder, p.strict, p.openObject}
	if !depth.Quick {
		steps = append(steps, p.ranges, p.seeds, p.logprobs, p.parallel, p.canary)
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return p.caps, err
		}
	}
	p.advise()
	return p.caps, nil
}

type probe struct {
	c       *client.Client
	timeout time.Duration // of one attempt
	depth   ProbeConfig
	caps    *Capabilities
}

const (
	probeTokens    = 256
	thinkingTokens = 4096
	defaultCanary  = 8192
	// A probe is for a person who waits: it is not as patient as a run. The first
	// request may have to load the model.
	probeTimeout  = 3 * time.Minute
	probeAttempts = 3
)

// ask sends one probe. A nil response with a nil error is a refusal, whose text
// is returned.
func (p *probe) ask(ctx context.Context, r llm.Request) (res *llm.Response, refusal string, err error) {
	if r.MaxTokens == 0 {
		r.MaxTokens = probeTokens
	}
	if p.caps.Thinking != None {
		r.MaxTokens = thinkingTokens
	}
	res, err = p.send(ctx, r)
	if err == nil && res.FinishReason == "length" && r.MaxTokens < thinkingTokens && p.caps.Thinking != None {
		r.MaxTokens = thinkingTokens // the thought took all there was
		res, err = p.send(ctx, r)
	}
	var e *llm.Error
	if errors.As(err, &e) && e.Kind == llm.KindBadRequest && !e.Fatal {
		return nil, e.Message, nil
	}
	return res, "", err
}

// dressed is a request with what all requests of a probe have in common.
func (p *probe) dressed(r llm.Request) llm.Request {
	r.Model, r.Key, r.Extra = p.caps.Model, "probe", p.depth.Extra
	switch {
	case r.Temperature != nil:
	case p.depth.Temperature != nil:
		r.Temperature = p.depth.Temperature
	default:
		r.Temperature = new(0.0)
	}
	return r
}

func (p *probe) send(ctx context.Context, r llm.Request) (*llm.Response, error) {
	p.caps.Requests++
	res, err := p.c.Do(ctx, p.dressed(r))
	if err != nil {
		return nil, err
	}
	switch {
	case res.Reasoning != "":
		p.caps.Thinking = Separate
	case p.caps.Thinking == None && (strings.Contains(res.Content, "<think>") || strings.Contains(res.Content, "</think>")):
		p.caps.Thinking = Inline
	}
	return res, nil
}

// seeds compares three answers: two with the same seed, one with another.
func (p *probe) seeds(ctx context.Context) error {
	var texts [3]string
	for i, seed := range []int64{11, 11, 12} {
		res, _, err := p.ask(ctx, llm.Request{Temperature: new(1.0), Seed: new(seed), Messages: user("Write ten random words.")})
		if err != nil {
			return err
		}
		if res == nil {
			p.caps.Seed = Refused
			return nil
		}
		texts[i] = res.Content
	}
	switch {
	case texts[0] != texts[1]:
		p.caps.Seed = No
	case texts[0] == texts[2]:
		p.caps.Seed = Fixed
	default:
		p.caps.Seed = Yes
	}
	return nil
}

func (p *probe) logprobs(ctx context.Context) error {
	res, _, err := p.ask(ctx, llm.Request{Logprobs: true, TopLogprobs: 5, Messages: user("Say yes.")})
	if err != nil {
		return err
	}
	p.caps.Logprobs = No
	if res == nil {
		p.caps.Logprobs = Refused
		return nil
	}
	if len(res.Logprobs) > 0 {
		p.caps.Logprobs = Yes
		p.caps.TopLogprobs = len(res.Logprobs[0].Top)
	}
	return nil
}
