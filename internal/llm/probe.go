package llm

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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
	Transport Transport `json:"transport"`
	Finding   Finding   `json:"finding"` // yes, refused, ignored or truncated
	Detail    string    `json:"detail,omitempty"`
}

// Capabilities is what a probe learned about one model at one endpoint.
type Capabilities struct {
	Endpoint  string    `json:"endpoint"`
	Model     string    `json:"model"`
	Kind      Kind      `json:"kind"`
	Version   string    `json:"version,omitempty"`
	Transport Transport `json:"transport"` // the strictest that works
	Ladder    []Step    `json:"ladder"`
	// ModelListed: the model is in the server's list. Models is the list, cut
	// to 50 names.
	ModelListed Finding  `json:"model_listed"`
	Models      []string `json:"models,omitempty"`
	// KeyOrder: the answer's keys come in the schema's order.
	KeyOrder Finding `json:"key_order"`
	// NumberRange: minimum and maximum of a number are enforced.
	NumberRange Finding `json:"number_range"`
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
	// Thinking: none, separate or inline.
	Thinking Finding  `json:"thinking"`
	Notes    []string `json:"notes,omitempty"` // advice for a person
	Requests int      `json:"requests"`        // chat requests made
}

// Probe asks a server a few tiny questions to learn what it can do. It goes down
// the ladder of transports until one yields a required key that no model can
// guess. Only an answer without the key, or a refusal of the request, leads to
// the next rung: rate limits, server errors and broken connections are retried,
// and when they persist the probe fails with an [*Error], beside what it learned
// so far. A journal in cfg is not used.
func Probe(ctx context.Context, endpoint Endpoint, model string, cfg Config) (*Capabilities, error) {
	cfg.Journal = nil
	c, err := New(endpoint, cfg)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	p := &probe{c: c, caps: &Capabilities{
		Endpoint: c.base, Model: model, Kind: KindUnknown, ModelListed: Unknown, KeyOrder: Unknown,
		NumberRange: Unknown, Seed: Unknown, Logprobs: Unknown, Thinking: None,
	}}
	p.identify(ctx)
	if cfg.Kind == "" || cfg.Kind == KindUnknown {
		c.cfg.Kind = p.caps.Kind
	}
	for _, step := range []func(context.Context) error{p.ladder, p.numberRange, p.seeds, p.logprobs} {
		if err := step(ctx); err != nil {
			return p.caps, err
		}
	}
	p.advise()
	return p.caps, nil
}

type probe struct {
	c    *Client
	caps *Capabilities
}

const (
	probeTokens    = 256
	thinkingTokens = 4096
)

// ask sends one probe. A nil response with a nil error is a refusal, whose text
// is returned.
func (p *probe) ask(ctx context.Context, r Request) (res *Response, refusal string, err error) {
	r.Model, r.Key = p.caps.Model, "probe"
	if r.Temperature == nil {
		r.Temperature = new(0.0)
	}
	r.MaxTokens = probeTokens
	if p.caps.Thinking != None {
		r.MaxTokens = thinkingTokens
	}
	res, err = p.send(ctx, r)
	if err == nil && res.FinishReason == "length" && r.MaxTokens < thinkingTokens && p.caps.Thinking != None {
		r.MaxTokens = thinkingTokens // the thought took all there was
		res, err = p.send(ctx, r)
	}
	var e *Error
	if errors.As(err, &e) && e.Kind == KindBadRequest && !e.Fatal {
		return nil, e.Message, nil
	}
	return res, "", err
}

func (p *probe) send(ctx context.Context, r Request) (*Response, error) {
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

func user(format string, args ...any) []Message {
	return []Message{{Role: "user", Content: fmt.Sprintf(format, args...)}}
}

// ladder finds the strictest transport that works, and the order of keys in it.
func (p *probe) ladder(ctx context.Context) error {
	for _, transport := range Ladder() {
		key := secretKey()
		schema := fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"string","maxLength":20},"b":{"type":"integer","minimum":0,"maximum":10},"a":{"type":"boolean"}},`+
			`"required":[%q,"b","a"],"additionalProperties":false}`, key, key)
		r := Request{Transport: transport, Messages: user("Answer with one short JSON object.")}
		switch transport {
		case JSONSchema, Tools:
			// The schema is not in the prompt: only a server that uses it knows the key.
			r.Schema = Schema{Name: "probe", JSON: json.RawMessage(schema)}
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
		if step.Finding == Yes || transport == PromptOnly {
			p.caps.Transport = transport
			return nil
		}
	}
	return nil
}

// judge says whether an answer shows that the transport was honoured.
func (p *probe) judge(res *Response, transport Transport, key string) (Finding, string) {
	text := res.Content
	if transport == Tools {
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
	detail := "the answer was " + oneLine(clipped(text))
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

// constrained reports whether the transport takes a schema.
func (p *probe) constrained() bool {
	return p.caps.Transport == JSONSchema || p.caps.Transport == Tools
}

const rangeSchema = `{"type":"object","properties":{"x":{"type":"number","minimum":0,"maximum":1}},"required":["x"],"additionalProperties":false}`

// numberRange asks for a number out of its range: a server that enforces ranges
// cannot give it.
func (p *probe) numberRange(ctx context.Context) error {
	if !p.constrained() {
		return nil
	}
	for seed := range int64(3) {
		res, _, err := p.ask(ctx, Request{
			Transport: p.caps.Transport, Schema: Schema{Name: "probe", JSON: json.RawMessage(rangeSchema)},
			Temperature: new(1.0), Seed: new(seed), Messages: user(`Answer exactly {"x": 7500}`),
		})
		if err != nil {
			return err
		}
		if res == nil {
			return nil
		}
		text := res.Content
		if p.caps.Transport == Tools {
			text = res.ToolArguments
		}
		var got struct {
			X *float64 `json:"x"`
		}
		if json.Unmarshal([]byte(afterThought(text)), &got) != nil || got.X == nil {
			continue
		}
		if *got.X < 0 || *got.X > 1 {
			p.caps.NumberRange = No
			return nil
		}
		p.caps.NumberRange = Yes
	}
	return nil
}

// seeds compares three answers: two with the same seed, one with another.
func (p *probe) seeds(ctx context.Context) error {
	var texts [3]string
	for i, seed := range []int64{11, 11, 12} {
		res, _, err := p.ask(ctx, Request{Temperature: new(1.0), Seed: new(seed), Messages: user("Write ten random words.")})
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
	res, _, err := p.ask(ctx, Request{Logprobs: true, TopLogprobs: 5, Messages: user("Say yes.")})
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

// advise turns findings into sentences for a person.
func (p *probe) advise() {
	note := func(format string, args ...any) { p.caps.Notes = append(p.caps.Notes, fmt.Sprintf(format, args...)) }
	switch p.caps.Transport {
	case JSONObject, PromptOnly:
		note("no transport enforces a schema here; expect repairs, or use a server with json_schema")
	case Tools:
		note("json_schema does not work here; answers travel as tool calls")
	}
	if p.constrained() && p.caps.NumberRange == No {
		note("ranges of numbers are not enforced; answers out of range will be repaired")
	}
	if p.caps.Thinking != None {
		note("the model thinks before it answers; give it at least %d more tokens", thinkingTokens)
	}
	if p.caps.ContextTokens > 0 && p.caps.ContextTokens <= 4096 {
		note("the context holds %d tokens; longer records are cut or refused, so raise it (Ollama: num_ctx, llama.cpp: -c, vLLM: --max-model-len)", p.caps.ContextTokens)
	}
	if p.caps.Kind == KindOllama && p.caps.ContextTokens == 0 {
		note("the context size is not told; Ollama cuts over-long prompts without an error, so set num_ctx")
	}
	if p.caps.ModelListed == No {
		note("the model is not in the server's list, and it answered all the same")
	}
}
