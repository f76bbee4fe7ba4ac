package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/llm"
)

// ModelInfo is one line of a server's list of models.
type ModelInfo struct {
	ID      string `json:"id"`
	OwnedBy string `json:"owned_by"`
	// MaxModelLen is the context in tokens, 0 when not told.
	MaxModelLen int `json:"max_model_len"`
	Meta        struct {
		NCtx      int `json:"n_ctx"`
		NCtxTrain int `json:"n_ctx_train"`
	} `json:"meta"`
}

// Models asks the server for its models, in the server's order.
func (c *Client) Models(ctx context.Context) ([]ModelInfo, error) {
	u, err := c.endpointURL("models")
	if err != nil {
		return nil, err
	}
	got := c.Side(ctx, http.MethodGet, u.String(), nil)
	if got.Err != nil {
		return nil, got.Err
	}
	if got.Status != http.StatusOK {
		e := llm.StatusError(got.Status, got.Body)
		return nil, c.settle(ctx, e, &llm.Request{Model: "(list)"}, 1)
	}
	var list struct {
		Data []ModelInfo `json:"data"`
	}
	if err := json.Unmarshal(got.Body, &list); err != nil {
		return nil, &llm.Error{Kind: llm.KindInvalidReply, Status: 200, Endpoint: c.base, Model: "(list)", Message: "the list of models is not JSON"}
	}
	return list.Data, nil
}

// Side is the reply to a side request.
type Side struct {
	Status int
	Header http.Header
	Body   []byte     // at most 1 MiB; an echoed API key is blotted out
	Err    *llm.Error // no complete reply came
}

// Side performs one small request beside the chat completions, with the key and the
// size cap of the client, without retries and outside the concurrency limit. A body
// that is not empty is sent as JSON.
func (c *Client) Side(ctx context.Context, method, url string, body []byte) Side {
	ctx, cancel := context.WithTimeout(ctx, min(c.endpoint.Timeout, 10*time.Second))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(string(body)))
	if err != nil {
		return Side{Err: &llm.Error{Kind: llm.KindBadRequest, Message: "side request: bad URL"}}
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	c.wire.authorize(req)
	res, err := c.wire.transport.RoundTrip(req)
	if err != nil {
		return c.lost(ctx, err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, min(c.wire.maxReply, 1<<20)))
	if err != nil {
		return c.lost(ctx, err)
	}
	return Side{Status: res.StatusCode, Header: res.Header, Body: c.wire.redact.body(raw)}
}

// lost is the failure of a side request.
func (c *Client) lost(ctx context.Context, err error) Side {
	e := unanswered(err)
	if context.Cause(ctx) != nil {
		e = canceled(ctx)
	}
	return Side{Err: c.label(e, &llm.Request{})}
}

// notFoundAdvice says what to do about a 404. The list of models is asked for
// once per client.
func (c *Client) notFoundAdvice(ctx context.Context, model, message string) string {
	if model == "(list)" {
		return "is the base URL right? most servers want it to end in /v1"
	}
	c.listOnce.Do(func() { c.list, c.listErr = c.Models(context.WithoutCancel(ctx)) })
	advice := "the server has: " + names(c.list)
	switch {
	case c.listErr != nil:
		return "is the base URL right? most servers want it to end in /v1"
	case len(c.list) == 0:
		advice = "the server has no models"
	}
	owned := func(m ModelInfo) bool { return m.OwnedBy == "library" }
	if c.cfg.Kind == llm.KindOllama || strings.Contains(message, "pulling it") || slices.ContainsFunc(c.list, owned) {
		advice = fmt.Sprintf("run `ollama pull %s`, or use another model; %s", llm.OneLine(model), advice)
	}
	return advice
}

func names(models []ModelInfo) string {
	const most = 12
	var ids []string
	for _, m := range models[:min(len(models), most)] {
		ids = append(ids, llm.OneLine(m.ID))
	}
	s := strings.Join(ids, ", ")
	if n := len(models) - most; n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}
