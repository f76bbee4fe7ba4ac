package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/llm"
)

// ModelInfo is one entry of a server's list of models.
type ModelInfo struct {
	ID      string `json:"id"`
	OwnedBy string `json:"owned_by"`
	// MaxModelLen is the context size in tokens; 0 if the server does not say.
	MaxModelLen int `json:"max_model_len"`
	Meta        struct {
		NCtx int `json:"n_ctx"`
	} `json:"meta"`
}

const wrongBase = "is the base URL right? most servers want it to end in /v1"

// Models returns the server's list of models, in its order.
func (c *Client) Models(ctx context.Context) ([]ModelInfo, error) {
	return c.models(ctx, c.replicas[0])
}

func (c *Client) models(ctx context.Context, r *replica) ([]ModelInfo, error) {
	got := r.side(ctx, c.endpoint.Timeout, http.MethodGet, r.base+"/models", nil)
	listing := &llm.Request{Model: "(list)"}
	if got.Err != nil {
		return nil, c.label(got.Err, listing)
	}
	if got.Status != http.StatusOK {
		e := llm.StatusError(got.Status, got.Body)
		if e.Kind == llm.KindNotFound {
			e.Hint = wrongBase
			return nil, c.label(e, listing)
		}
		return nil, c.withAdvice(e, listing, 1)
	}
	var list struct {
		Data []ModelInfo `json:"data"`
	}
	if err := json.Unmarshal(got.Body, &list); err != nil {
		e := &llm.Error{Kind: llm.KindInvalidReply, Status: 200, Message: "the list of models is not JSON"}
		return nil, c.label(e, listing)
	}
	return list.Data, nil
}

// Side is the reply to a side request.
type Side struct {
	Status int
	Header http.Header
	Body   []byte     // at most 1 MiB, or 64 KiB of an error; an echoed API key is replaced
	Err    *llm.Error // no complete reply arrived
}

// Side sends one small request that is not a chat completion, with the key and the size limit of
// the client, without retries and outside the concurrency limit. A body is sent as JSON.
func (c *Client) Side(ctx context.Context, method, url string, body []byte) Side {
	return c.replicas[0].side(ctx, c.endpoint.Timeout, method, url, body)
}

func (r *replica) side(ctx context.Context, timeout time.Duration, method, url string, body []byte) Side {
	failed := func(e *llm.Error) Side {
		e.Endpoint = r.base
		return Side{Err: e}
	}
	if r.wire == nil {
		return failed(&llm.Error{Kind: llm.KindBadRequest, Message: "nothing but chat completions is sent this way"})
	}
	ctx, cancel := context.WithTimeout(ctx, min(timeout, 10*time.Second))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return failed(&llm.Error{Kind: llm.KindBadRequest, Message: "side request: bad URL"})
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	res, got, err := r.wire.roundTrip(req, min(r.wire.maxReply, 1<<20))
	if err != nil {
		e := unanswered(err)
		if context.Cause(ctx) != nil {
			e = canceled(ctx)
		}
		return failed(e)
	}
	return Side{Status: res.StatusCode, Header: res.Header, Body: got}
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
