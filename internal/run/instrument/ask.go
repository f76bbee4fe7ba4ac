package instrument

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// Examine asks the judge's endpoint everything: with the settings of the judge's own requests, one
// prompt of its first rubric, and prompts that measure the context up to a number of tokens (0
// means 8192; a negative number sends none). Notes hold the resulting advice.
func (j *Judge) Examine(ctx context.Context, list []*rubrics.Rubric, tokens int) (*capability.Capabilities, error) {
	caps, err := j.ask(ctx, list, capability.ProbeConfig{})
	if err != nil {
		return caps, err
	}
	if tokens >= 0 {
		err = j.measure(ctx, caps, cmp.Or(tokens, 8192))
	}
	switch e, ok := errors.AsType[*llm.Error](err); {
	case err == nil:
	case ok && e.Kind == llm.KindTimeout && !e.Fatal:
		caps.Notes = append(caps.Notes, "the context was not measured: a prompt took too long")
	case ok && e.Kind == llm.KindBadRequest && !e.Fatal: // the server does not take such a question
		if caps.Longest > 0 { // the short prompts were answered
			caps.Overlong = capability.Refused
		}
	default:
		return caps, err
	}
	caps.Notes = append(caps.Notes, caps.Advice(false)...)
	return caps, nil
}

// ask probes the judge's endpoint with the settings of the judge's own requests, and with one
// prompt of its first rubric.
func (j *Judge) ask(ctx context.Context, list []*rubrics.Rubric,
	depth capability.ProbeConfig) (*capability.Capabilities, error) {
	first, err := j.sample(list, judges.Config{})
	if err != nil {
		return nil, err
	}
	depth.Request, depth.Settings = first, j.Settings()
	depth.TemperatureGiven = j.sampled()
	depth.Rubric = func(transport llm.Transport, asText, strict bool) (llm.Request, error) {
		return j.sample(list, judges.Config{Transport: transport, CorrectionAsText: asText, Strict: strict})
	}
	return capability.Probe(ctx, j.single(), j.Config.Model, client.Config{Kind: j.Kind}, depth)
}

// measure measures the context of a server that was probed, and records it. It fails if a request
// fails for a reason other than its length.
func (j *Judge) measure(ctx context.Context, caps *capability.Capabilities, tokens int) error {
	first, err := j.sample(nil, judges.Config{})
	if err != nil {
		return err
	}
	count, err := capability.NewCounter(j.single(), caps, client.Config{Kind: caps.Kind},
		capability.ProbeConfig{Request: first})
	if err != nil {
		return err
	}
	defer count.Close()
	found, err := judges.MeasureWindow(ctx, count.Tokens, tokens)
	caps.Longest, caps.Window = found.Longest, found.Window
	switch {
	case found.Cut:
		caps.Overlong = capability.Truncated
	case found.Refused:
		caps.Overlong = capability.Refused
	}
	return err
}

// stored returns the stored profile, updated to the server's current state; nil if none or
// it no longer holds. A profile without any constraint on answers is not used: the user may have
// followed our advice since.
func (j *Judge) stored(ctx context.Context, store *Store) (*capability.Capabilities, error) {
	caps := store.load(bare(j.Endpoint), j.Config.Model, j.Settings())
	if caps == nil || caps.Transport == llm.JSONObject || caps.Transport == llm.PromptOnly {
		return nil, nil
	}
	first, err := j.sample(nil, judges.Config{})
	if err != nil {
		return nil, err
	}
	now, holds, err := capability.Check(ctx, j.single(), caps, client.Config{Kind: j.Kind},
		capability.ProbeConfig{Request: first, Settings: j.Settings(), TemperatureGiven: true})
	if err != nil || !holds {
		return nil, err
	}
	return now, nil
}

// single returns the judge's endpoint without replicas.
func (j *Judge) single() client.Endpoint {
	e := j.Endpoint
	e.Replicas = nil
	return e
}

// bare returns an endpoint's URL without credentials; "" if it is not a URL.
func bare(e client.Endpoint) string {
	c, err := client.New(e, client.Config{})
	if err != nil {
		return ""
	}
	defer c.Close()
	return c.BaseURL()
}

// Unmeasured reports whether a prompt with its answer, in tokens, may exceed a window that is
// unknown. Hosted services, and servers that refuse long prompts, need not be measured, nor any
// server if the prompt fits the smallest usual window.
func (j *Judge) Unmeasured(tokens int) bool {
	p := j.Profile
	if p == nil || j.Limit().Tokens > 0 || p.MeasuredTokens > 0 || p.Source == profileAssumed {
		return false
	}
	switch p.Kind {
	case llm.KindOllama:
		return tokens > 2048
	case llm.KindUnknown, llm.KindLMStudio:
		return tokens > 4096
	}
	return false
}

// Measure finds out whether the endpoint has room for this many tokens, and records it in the
// profile. It fails like [judges.MeasureWindow].
func (j *Judge) Measure(ctx context.Context, tokens int) error {
	p := *j.Profile
	known := capability.Capabilities{Model: p.Model, Kind: p.Kind, Fields: p.Fields, Temperature: p.Temperature,
		TopP: p.TopP}
	if err := j.measure(ctx, &known, tokens); err != nil {
		return err
	}
	p.ContextTokens, p.MeasuredTokens, j.Profile = known.Window, tokens, &p
	return nil
}

// MethodError says that an endpoint cannot support a judge's score method.
type MethodError struct{ Cause error }

func (e *MethodError) Error() string { return e.Cause.Error() }

// checkMethod returns an error if the endpoint cannot support the score method. Otherwise every item would be
// paid for and then fall back to the written number. What the probe did not ask is asked here and recorded in
// caps. The error is a *MethodError, or the *llm.Error of an endpoint that cannot answer.
func (j *Judge) checkMethod(ctx context.Context, caps *capability.Capabilities, transport llm.Transport) error {
	if err := j.lacks(caps, transport); err != nil || j.Config.Method != judges.TokenWeighted {
		return err
	}
	if caps.Logprobs == capability.Unknown || caps.Logprobs == "" {
		first, err := j.sample(nil, judges.Config{})
		if err == nil {
			err = capability.AskLogprobs(ctx, j.single(), caps, client.Config{Kind: caps.Kind},
				capability.ProbeConfig{Request: first})
		}
		if err != nil {
			return fmt.Errorf("judge %s: %w", j.Name(), err)
		}
	}
	return j.lacks(caps, transport)
}

// lacks returns a *MethodError if the endpoint is known not to support the judge's score method.
func (j *Judge) lacks(caps *capability.Capabilities, transport llm.Transport) error {
	if j.Config.Method != judges.TokenWeighted {
		return nil
	}
	refuse := func(why string) error {
		return &MethodError{fmt.Errorf("judge %s: score_method %s needs %s", j.Name(), j.Config.Method, why)}
	}
	if transport == llm.Tools {
		return refuse("answers as text, and this endpoint is asked by tools, which carry no log-probabilities; " +
			"set score_method: parsed, or transport: json_object")
	}
	if caps.Logprobs == capability.No || caps.Logprobs == capability.Refused {
		return refuse(fmt.Sprintf("log-probabilities, and %s gives none for %s; set score_method: parsed or "+
			"self_consistency, "+
			"or use a server that gives them (judge doctor shows it under logprobs)", caps.Endpoint, j.Config.Model))
	}
	return nil
}

// sampled reports whether the user chose the sampling, or the judge does not sample greedily anyway.
func (j *Judge) sampled() bool {
	req := llm.Request{Extra: j.Config.Extra}
	return j.Config.Temperature != nil || req.Overrides("temperature") || j.Config.Method == judges.SelfConsistency
}

// sample returns the request that the judge would send about a small call, with the settings of how.
func (j *Judge) sample(list []*rubrics.Rubric, how judges.Config) (llm.Request, error) {
	cfg := j.Config
	cfg.Rubrics, cfg.Modes = list[:min(1, len(list))], nil
	cfg.Transport, cfg.CorrectionAsText, cfg.Strict = how.Transport, how.CorrectionAsText, how.Strict
	if cfg.Method == judges.TokenWeighted {
		cfg.Method = judges.Parsed // checkMethod asks for log-probabilities
	}
	judge, err := judges.New(Silent{}, cfg)
	if err != nil {
		return llm.Request{}, err
	}
	first := judge.Rubrics()[0]
	return judge.Request(first.Name, sampleConversation(), judges.Target{Scope: first.Scope, Turn: 1})
}

// sampleConversation returns a customer's question with the one call that answers it.
func sampleConversation() *transcript.Conversation {
	arguments := value.OfObject(value.Member{Key: "parcel", Value: value.OfString("P-204")})
	parameters, _ := value.ParseString(`{"type":"object","properties":{"parcel":{"type":"string"}},"required":["parcel"]}`)
	return &transcript.Conversation{
		ID: "probe",
		Tools: []transcript.Tool{{Name: "track_parcel", Description: "Tells where a parcel is",
			Parameters: parameters}},
		Messages: []transcript.Message{
			{Role: transcript.User, Content: "Where is parcel P-204?"},
			{Role: transcript.Assistant, Calls: []int{0}},
		},
		Calls: []transcript.Call{{
			ID: "1", Name: "track_parcel", Arguments: arguments, RawArguments: arguments.JSON(), Message: 1, Result: -1,
		}},
	}
}
