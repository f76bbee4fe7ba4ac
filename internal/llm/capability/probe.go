package capability

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
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
	Transport llm.Transport `json:"transport"` // the strictest that works
	Ladder    []Step        `json:"ladder"`
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
	// whether open objects pass. It makes two requests to a server that takes
	// schemas, and never more than eight.
	Quick bool
	// CanaryTokens bounds the prompts that measure the context; 0 means 8192,
	// negative leaves them out.
	CanaryTokens int
}

// Probe asks a server a few tiny questions to learn what it can do. It goes down
// the ladder of transports until one yields a required key that no model can
// guess. Only an answer without the key, or a refusal of the request, leads to
// the next rung: rate limits, server errors and broken connections are retried,
// and when they persist the probe fails with an [*Error], beside what it learned
// so far. A journal in cfg is not used.
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
		Overlong: Unknown, Parallel: Unknown, Thinking: None,
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
	steps := []func(context.Context) error{p.ladder, p.openObject}
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
	r.Model, r.Key = p.caps.Model, "probe"
	if r.Temperature == nil {
		r.Temperature = new(0.0)
	}
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

func (p *probe) send(ctx context.Context, r llm.Request) (*llm.Response, error) {
	p.caps.Requests++
	res, err := p.c.Do(ctx, r)
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

// secretKey is a property name that cannot be guessed.
func secretKey() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return "key_" + hex.EncodeToString(b[:])
}

func user(format string, args ...any) []llm.Message {
	return []llm.Message{{Role: "user", Content: fmt.Sprintf(format, args...)}}
}

// ladder finds the strictest transport that works, and the order of keys in it.
func (p *probe) ladder(ctx context.Context) error {
	for _, transport := range llm.Ladder() {
		key := secretKey()
		schema := fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"string","maxLength":20},"b":{"type":"integer","minimum":0,"maximum":10},"a":{"type":"boolean"}},`+
			`"required":[%q,"b","a"],"additionalProperties":false}`, key, key)
		r := llm.Request{Transport: transport, Messages: user("Answer with one short JSON object.")}
		switch transport {
		case llm.JSONSchema, llm.Tools:
			// The schema is not in the prompt: only a server that uses it knows the key.
			r.Schema = llm.Schema{Name: "probe", JSON: json.RawMessage(schema)}
		default:
			r.Messages = user("Answer with one JSON object that fits this schema, and nothing else: %s", schema)
		}
		res, refusal, err := p.ask(ctx, r)
		if err != nil {
			return err
		}
		step := Step{Transport: transport, Finding: Refused, Detail: refusal}
		if res != nil {
			step.Finding, step.Detail = p.judge(res, transport, key)
		}
		p.caps.Ladder = append(p.caps.Ladder, step)
		if step.Finding == Yes || transport == llm.PromptOnly {
			p.caps.Transport = transport
			return nil
		}
	}
	return nil
}

// judge says whether an answer shows that the transport was honoured.
func (p *probe) judge(res *llm.Response, transport llm.Transport, key string) (Finding, string) {
	text := res.Content
	if transport == llm.Tools {
		text = res.ToolArguments
	}
	keys, ok := objectKeys(afterThought(text))
	if has(keys, key) && ok {
		p.caps.KeyOrder = No
		if len(keys) == 3 && keys[0] == key && keys[1] == "b" {
			p.caps.KeyOrder = Yes
		}
		return Yes, ""
	}
	detail := "the answer was " + llm.OneLine(clipped(text))
	if text == "" {
		detail = "the answer was empty"
	}
	if res.FinishReason == "length" {
		return Truncated, detail
	}
	return Ignored, detail
}

func clipped(s string) string { return s[:min(len(s), 120)] }

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// afterThought cuts an inline thought off.
func afterThought(s string) string {
	if i := strings.LastIndex(s, "</think>"); i >= 0 {
		return s[i+len("</think>"):]
	}
	return s
}

// objectKeys returns the keys of a text that is one JSON object, in order.
func objectKeys(s string) ([]string, bool) {
	dec := json.NewDecoder(strings.NewReader(s))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	var keys []string
	for dec.More() {
		t, err := dec.Token()
		key, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			return nil, false
		}
		keys = append(keys, key)
	}
	_, err := dec.Token()
	return keys, err == nil && len(bytes.TrimSpace([]byte(s[dec.InputOffset():]))) == 0
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
