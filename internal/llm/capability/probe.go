// Package capability finds out by asking what a server and its model can do.
//
// It owns the questions of a probe, the table of server software, and the advice that follows. It
// promises that a server failure never counts as a missing ability, and that a finding stays
// unknown until it was observed.
package capability

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
)

// Finding is one result of a probe.
type Finding string

// The possible findings. Unknown means not tried, or not decided.
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
	Hidden    Finding = "hidden"    // thinking is counted and not shown
	None      Finding = "none"      // no thinking was seen
)

// step is one step of the transport ladder, as the server handled it.
type step struct {
	Transport llm.Transport `json:"transport"`
	Finding   Finding       `json:"finding"` // yes, refused, ignored or truncated
	Detail    string        `json:"detail,omitempty"`
}

// Capabilities holds what a probe learned about one model at one endpoint.
type Capabilities struct {
	Endpoint  string        `json:"endpoint"`
	Model     string        `json:"model"`
	Kind      llm.Kind      `json:"kind"`
	Version   string        `json:"version,omitempty"`
	Transport llm.Transport `json:"transport"` // the strictest that works, "" when none does
	Ladder    []step        `json:"ladder"`
	// Strict: yes, a hosted service accepts schemas with strict set and then enforces them;
	// requests should set it and ask for the correction as text. Self-hosted servers ignore it:
	// they are not asked, and it stays unknown.
	Strict Finding `json:"strict,omitempty"`
	// ModelListed: the model is in the server's list. Models is the list, cut to 50 names.
	ModelListed Finding  `json:"model_listed"`
	Models      []string `json:"models,omitempty"`
	// KeyOrder: the keys of the answer come in the schema's order.
	KeyOrder Finding `json:"key_order"`
	// IntegerRange, NumberRange: minimum and maximum are enforced for integers, and for other
	// numbers.
	IntegerRange Finding `json:"integer_range"`
	NumberRange  Finding `json:"number_range"`
	// OpenObject: yes, an object without fixed keys can be filled; refused, the server does not
	// accept such a schema; ignored, the object stayed empty although a member was asked for.
	OpenObject Finding `json:"open_object"`
	// Seed: yes, the same seed gives the same text and a different seed a different one; fixed,
	// always the same text; no, the same seed gave different texts.
	Seed Finding `json:"seed"`
	// Logprobs: the server returns token log-probabilities. TopLogprobs counts the alternatives
	// that it returned when 5 were asked for.
	Logprobs    Finding `json:"logprobs"`
	TopLogprobs int     `json:"top_logprobs,omitempty"`
	// ContextTokens is the size of the context, 0 when the server does not say.
	ContextTokens int    `json:"context_tokens,omitempty"`
	ContextSource string `json:"context_source,omitempty"`
	// BytesPerToken is computed from the server's token count for a rubric's prompt; 0 if the
	// server does not count.
	BytesPerToken float64 `json:"bytes_per_token,omitempty"`
	// Slots is the number of requests that llama.cpp works on at once; more have to wait. 0 if the
	// server does not say: Ollama and others have no such number.
	Slots int `json:"slots,omitempty"`
	// Longest is the length, in tokens, of the longest prompt that was sent to measure the context.
	// Overlong says what the server does with prompts that are too long: refused, truncated (cut
	// without an error), or unknown if no prompt was too long. Window is the size, in tokens, at
	// which the prompt was cut or refused; 0 if it was not, or if the size is unknown.
	Longest  int     `json:"longest,omitempty"`
	Overlong Finding `json:"overlong"`
	Window   int     `json:"window,omitempty"`
	// Thinking: none, separate, inline or hidden.
	Thinking Finding `json:"thinking"`
	// Fields lists the members of a request that the server refused, and what we do about each.
	Fields []FieldChange `json:"fields,omitempty"`
	// Temperature and TopP are set if the model is known to repeat itself at temperature 0.
	Temperature *float64 `json:"temperature,omitempty"`
	TopP        *float64 `json:"top_p,omitempty"`
	// RubricPrompt: yes, the prompt of a whole rubric was answered by an object with a score;
	// refused, ignored and truncated say why not. RubricDetail quotes the server.
	RubricPrompt Finding `json:"rubric_prompt,omitempty"`
	RubricDetail string  `json:"rubric_detail,omitempty"`
	// Settings is the caller's name for the settings under which the probe was made.
	Settings string   `json:"settings,omitempty"`
	Notes    []string `json:"notes,omitempty"` // advice for a person
	Requests int      `json:"requests"`        // chat requests made
}

// ProbeConfig says how much a probe asks. The zero value asks everything.
type ProbeConfig struct {
	// Quick asks only what a run needs to form its requests: the transport, and whether open
	// objects pass (for a hosted service: strict schemas). It makes two requests, at the same time,
	// to a server that accepts schemas, and never more than eleven.
	Quick bool
	// Transport is the transport that the user chose, if any. Then a model is accepted even if it
	// answers but none of the transports gets the right JSON from it: the Transport found stays "",
	// without an error.
	Transport llm.Transport
	// Request has the settings of the run's requests: sampling and extra members. A nil temperature
	// means 0.
	Request llm.Request
	// TemperatureGiven says that the user chose the temperature.
	TemperatureGiven bool
	// Settings is the caller's name for these settings.
	Settings string
	// Rubric returns one of the run's requests, with a whole rubric's prompt; nil skips that
	// question.
	Rubric func(transport llm.Transport, correctionAsText, strict bool) (llm.Request, error)
}

const (
	probeTokens    = 256
	thinkingTokens = 4096
	// The timeouts of a probe are shorter than a run's, because a person waits for it. The first
	// request may have to load the model.
	probeTimeout  = 3 * time.Minute
	probeAttempts = 3
	// checkTokens limits the answer of a check, which nobody reads.
	checkTokens = 64
)

// Probe asks a server a few short questions to learn what it can do. It tries the transports from
// the strictest to the plainest until one returns a required key that no model can guess. Only an
// answer without the key, or a refusal of the request, leads to the next transport: rate limits,
// server errors and broken connections are retried, and if they persist the probe fails with an
// [*llm.Error], and returns what it learned so far. It also fails if not even the plainest request
// works: the error quotes the server and says what to set, Transport stays "", and the result
// should not be kept. A journal in cfg is not used.
func Probe(ctx context.Context, endpoint client.Endpoint, model string, cfg client.Config,
	depth ProbeConfig) (*Capabilities, error) {
	caps := &Capabilities{
		Model: model, Kind: llm.KindUnknown, ModelListed: Unknown, KeyOrder: Unknown, IntegerRange: Unknown,
		NumberRange: Unknown, OpenObject: Unknown, Seed: Unknown, Logprobs: Unknown, Overlong: Unknown, Thinking: None,
		Strict: Unknown, Settings: depth.Settings,
	}
	if isOpenAI(endpoint.BaseURL) {
		caps.Kind = llm.KindOpenAI
	}
	p, err := newProbe(endpoint, caps, cfg, depth)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		p.ahead.sending.Wait()
	}()
	defer p.c.Close()
	p.sendAhead(ctx)
	p.identify(ctx)
	if err := p.connect(endpoint, cfg); err != nil { // again, for the kind of server that it is
		return nil, err
	}
	defer p.c.Close()
	p.sendAhead(ctx)
	ladder := func(ctx context.Context) error { return p.descend(ctx, llm.Ladder()) }
	questions := []func(context.Context) error{ladder, p.strict, p.openObject, p.rubric, p.askLoaded}
	if !depth.Quick {
		questions = append(questions, p.ranges, p.seeds, p.logprobs)
	}
	for _, ask := range questions {
		if err := ask(ctx); err != nil {
			return caps, err
		}
	}
	return caps, nil
}

// Check asks a server that was probed before whether the findings still hold. It sends one small
// request, adapted to the findings, which loads the model, and reads what the server says about
// itself. It returns the updated findings and whether they still hold: after a change of software
// or version, or a refusal, the server has to be probed again. A changed window or number of slots
// is taken over. It fails like [Probe].
func Check(ctx context.Context, endpoint client.Endpoint, before *Capabilities, cfg client.Config,
	depth ProbeConfig) (now *Capabilities, holds bool, err error) {
	adapted := *before
	p, err := newProbe(endpoint, &adapted, cfg, depth)
	if err != nil {
		return nil, false, err
	}
	defer p.c.Close()
	var server *Capabilities
	var describing sync.WaitGroup
	if !before.loadsLate() {
		describing.Go(func() { server = p.describe(ctx) })
	}
	res, err := p.send(ctx, llm.Request{MaxTokens: checkTokens, Messages: user("Say yes.")})
	describing.Wait()
	switch {
	case refusal(err) != "":
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	if server == nil {
		server = p.describe(ctx)
	}
	if server.Kind != before.Kind || server.Version != before.Version ||
		hiddenThinking(res, checkTokens) && before.Thinking == None {
		return nil, false, nil
	}
	if server.Slots > 0 {
		adapted.Slots = server.Slots
	}
	if server.ContextTokens > 0 && server.ContextTokens != before.ContextTokens {
		adapted.ContextTokens, adapted.ContextSource = server.ContextTokens, server.ContextSource
		adapted.Longest, adapted.Overlong, adapted.Window = 0, Unknown, 0
	}
	return &adapted, true, nil
}

type probe struct {
	c     *client.Client
	depth ProbeConfig
	caps  *Capabilities
	tried []string // fields that were changed, or whose change did not help
	key   string   // the key that the server is asked for; it cannot be guessed
	ahead *ahead
}

// newProbe returns a probe that starts from known findings and adds to them. The kind of server is
// the known one, unless the caller names one.
func newProbe(endpoint client.Endpoint, known *Capabilities, cfg client.Config, depth ProbeConfig) (*probe, error) {
	var random [6]byte
	_, _ = rand.Read(random[:]) // never fails
	p := &probe{depth: depth, caps: known, key: "key_" + hex.EncodeToString(random[:]), ahead: &ahead{}}
	return p, p.connect(endpoint, cfg)
}

// connect creates the client.
func (p *probe) connect(endpoint client.Endpoint, cfg client.Config) (err error) {
	cfg.Journal = nil
	if cfg.Kind == "" || cfg.Kind == llm.KindUnknown {
		cfg.Kind = p.caps.Kind
	}
	if endpoint.Timeout == 0 || endpoint.Timeout > probeTimeout {
		endpoint.Timeout = probeTimeout
	}
	if endpoint.MaxAttempts == 0 || endpoint.MaxAttempts > probeAttempts {
		endpoint.MaxAttempts = probeAttempts
	}
	if p.c, err = client.New(endpoint, cfg); err == nil {
		p.caps.Endpoint = p.c.BaseURL()
	}
	return err
}

// ask sends one question, without the fields that the server refuses by name. If both the response
// and the error are nil, the server refused the request, and the string holds its words.
func (p *probe) ask(ctx context.Context, r llm.Request) (res *llm.Response, refused string, err error) {
	r.MaxTokens = cmp.Or(r.MaxTokens, probeTokens)
	for before := ""; ; before = refused {
		res, err = p.sendLonger(ctx, r)
		if refused = refusal(err); refused == "" {
			return res, "", err
		}
		if before != "" && same(before, refused) {
			// The refusal lists all fields, or is about something else: the change did not help.
			p.caps.Fields = p.caps.Fields[:len(p.caps.Fields)-1]
			return nil, refused, nil
		}
		sent := p.withRunSettings(r)
		if !p.adjust(&sent, refused) {
			return nil, refused, nil
		}
	}
}

// refusal returns the server's words if it refused this request; "" for every other outcome.
func refusal(err error) string {
	if e, ok := errors.AsType[*llm.Error](err); ok && e.Kind == llm.KindBadRequest && !e.Fatal {
		return e.Message
	}
	return ""
}

// sendLonger sends a request, and sends it again with a larger limit if thinking used up the first.
// If the model is known to think, it uses the larger limit at once.
func (p *probe) sendLonger(ctx context.Context, r llm.Request) (*llm.Response, error) {
	if p.caps.Thinking == None {
		res, err := p.send(ctx, r)
		if err != nil || res.FinishReason != "length" || p.caps.Thinking == None {
			return res, err
		}
	}
	r.MaxTokens += thinkingTokens
	return p.send(ctx, r)
}

// withRunSettings returns a request with the settings that all requests of the run share.
func (p *probe) withRunSettings(r llm.Request) llm.Request {
	run := &p.depth.Request
	r.Model, r.Key, r.Extra = p.caps.Model, "probe", run.Extra
	r.Temperature = cmp.Or(r.Temperature, run.Temperature, new(0.0))
	r.TopP, r.Seed = cmp.Or(r.TopP, run.TopP), cmp.Or(r.Seed, run.Seed)
	p.caps.Adapt(&r)
	return r
}

func (p *probe) send(ctx context.Context, r llm.Request) (*llm.Response, error) {
	res, err := p.do(ctx, p.withRunSettings(r))
	if err != nil {
		return nil, err
	}
	before := p.caps.Thinking
	switch {
	case res.Reasoning != "":
		p.caps.Thinking = Separate
	case before != None:
	case strings.Contains(res.Content, "<think>") || strings.Contains(res.Content, "</think>"):
		p.caps.Thinking = Inline
	case hiddenThinking(res, r.MaxTokens):
		p.caps.Thinking = Hidden
	}
	if before == None && p.caps.Thinking != None && !p.depth.TemperatureGiven {
		p.caps.Temperature, p.caps.TopP = sampling(p.caps.Model)
	}
	return res, nil
}

// hiddenThinking reports whether a model thought without showing it: the server counted the tokens,
// or the whole limit was used up without any text.
func hiddenThinking(res *llm.Response, limit int) bool {
	u := &res.Usage
	if u.Reasoning != nil && *u.Reasoning > 0 {
		return true
	}
	return res.FinishReason == "length" && res.Content == "" && res.ToolArguments == "" &&
		u.Completion != nil && *u.Completion >= limit
}
