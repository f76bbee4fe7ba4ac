package capability

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
)

// ahead holds requests that were sent before their question came up, by their bodies.
type ahead struct {
	replies map[string]*reply
	sending sync.WaitGroup
}

// reply is the outcome of a request. It is complete when done is closed.
type reply struct {
	done   chan struct{}
	cancel context.CancelFunc
	res    *llm.Response
	err    error
}

// sendAhead sends, all at once, the requests that a quick probe is expected to need, guessing that
// each question succeeds. It is called before the server is identified and again afterwards:
// requests that are the same for that kind of server are not sent twice, the others are cancelled.
// A question that turns out to ask something else sends its own request.
func (p *probe) sendAhead(ctx context.Context) {
	before := p.ahead.replies
	p.ahead.replies = map[string]*reply{}
	for _, r := range p.expected() {
		r = p.withRunSettings(r)
		prepared, body := p.prepare(&r, p.caps.Kind)
		sent := before[body]
		if sent == nil && (prepared == nil || p.caps.Kind == llm.KindUnknown && !p.sameSchema(&r, prepared)) {
			continue
		}
		if delete(before, body); sent == nil {
			sent = p.begin(ctx, r)
		}
		p.ahead.replies[body] = sent
	}
	for _, other := range before {
		other.cancel()
	}
}

// begin sends a request without waiting for the reply.
func (p *probe) begin(ctx context.Context, r llm.Request) *reply {
	p.caps.Requests++
	sent, c := &reply{done: make(chan struct{})}, p.c
	ctx, sent.cancel = context.WithCancel(ctx)
	p.ahead.sending.Go(func() {
		sent.res, sent.err = c.Do(ctx, r)
		close(sent.done)
	})
	return sent
}

// expected returns the first request of each question of a quick probe, guessing that all succeed.
func (p *probe) expected() []llm.Request {
	list := []llm.Request{p.stepRequest(llm.JSONSchema, false)}
	transport, strict := cmp.Or(p.depth.Transport, llm.JSONSchema), p.hosted()
	if strict {
		list = append(list, p.stepRequest(llm.JSONSchema, true))
	} else {
		list = append(list, openRequest(llm.JSONSchema))
	}
	if p.depth.Rubric != nil {
		if r, err := p.depth.Rubric(transport, strict, strict && transport == llm.JSONSchema); err == nil {
			list = append(list, r)
		}
	}
	for i := range list {
		list[i].MaxTokens = cmp.Or(list[i].MaxTokens, probeTokens)
	}
	return list
}

// prepare returns a request as it is sent to a kind of server, with its body; nil if it cannot be
// prepared.
func (p *probe) prepare(r *llm.Request, kind llm.Kind) (*llm.Prepared, string) {
	prepared, err := r.Prepare(kind, "")
	if err != nil {
		return nil, ""
	}
	body, err := client.Body(prepared, p.caps.Endpoint)
	if err != nil {
		return nil, ""
	}
	return prepared, string(body)
}

// sameSchema reports whether the schema is the same for every kind of server. A different schema
// might crash a server of the wrong kind.
func (p *probe) sameSchema(r *llm.Request, prepared *llm.Prepared) bool {
	return !slices.ContainsFunc(servers[:], func(s software) bool {
		other, _ := p.prepare(r, s.kind)
		return other == nil || !bytes.Equal(other.Sent, prepared.Sent)
	})
}

// do returns the reply to a request. If the same request was sent ahead, it takes that reply, once.
func (p *probe) do(ctx context.Context, r llm.Request) (*llm.Response, error) {
	if len(p.ahead.replies) > 0 {
		_, body := p.prepare(&r, p.caps.Kind)
		if sent := p.ahead.replies[body]; sent != nil {
			delete(p.ahead.replies, body)
			defer sent.cancel()
			<-sent.done
			return sent.res, sent.err
		}
	}
	p.caps.Requests++
	return p.c.Do(ctx, r)
}
