package instrument

import (
	"context"
	"errors"
	"fmt"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/judges"
)

// MethodError says that an endpoint cannot serve a judge's score method.
type MethodError struct{ Cause error }

// Error implements error.
func (e *MethodError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *MethodError) Unwrap() error { return e.Cause }

// needsLogprobs reports whether the judge's score comes from token probabilities.
func (j *Judge) needsLogprobs() bool { return j.Config.Method == judges.TokenWeighted }

// checkMethod refuses a score method that the endpoint cannot serve: every item would
// be paid for and fall back to the written number. What the probe did not ask is asked
// here and noted in caps. The error is a *MethodError, or the *llm.Error of an endpoint
// that cannot answer.
func (j *Judge) checkMethod(ctx context.Context, caps *capability.Capabilities, transport llm.Transport) error {
	if !j.needsLogprobs() {
		return nil
	}
	if transport == llm.Tools {
		return &MethodError{fmt.Errorf("judge %s: score_method %s needs answers as text, and this endpoint is asked by tools, which carry no log-probabilities; set score_method: parsed, or transport: json_object", j.Name(), j.Config.Method)}
	}
	if caps.Logprobs == capability.Unknown || caps.Logprobs == "" {
		found, err := j.askLogprobs(ctx, caps)
		if err != nil {
			return fmt.Errorf("judge %s: %w", j.Name(), err)
		}
		caps.Logprobs = found
	}
	if caps.Logprobs == capability.No || caps.Logprobs == capability.Refused {
		return &MethodError{fmt.Errorf("judge %s: score_method %s needs log-probabilities, and %s gives none for %s; set score_method: parsed or self_consistency, or use a server that gives them (judge doctor shows it under logprobs)", j.Name(), j.Config.Method, caps.Endpoint, j.Config.Model)}
	}
	return nil
}

// askLogprobs asks whether log-probabilities come.
func (j *Judge) askLogprobs(ctx context.Context, caps *capability.Capabilities) (capability.Finding, error) {
	const room = 64 // tokens; a thought may come first
	c, err := client.New(j.Endpoint, client.Config{Kind: caps.Kind})
	if err != nil {
		return capability.Unknown, err
	}
	defer c.Close()
	zero := 0.0
	req := llm.Request{
		Model: j.Config.Model, Key: "probe", Logprobs: true, TopLogprobs: 5, MaxTokens: room, Temperature: &zero, Extra: j.Config.Extra,
		Messages: []llm.Message{{Role: "user", Content: "Say yes."}},
	}
	caps.Adapt(&req)
	res, err := c.Do(ctx, req)
	var e *llm.Error
	switch {
	case errors.As(err, &e) && e.Kind == llm.KindBadRequest && !e.Fatal:
		return capability.Refused, nil
	case err != nil:
		return capability.Unknown, err
	case len(res.Logprobs) > 0:
		return capability.Yes, nil
	case res.FinishReason == "length":
		return capability.Unknown, nil // it thought, and that may come without them
	}
	return capability.No, nil
}
