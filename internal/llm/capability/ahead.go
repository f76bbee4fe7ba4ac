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

// ahead holds requests that were sent before it was their question's turn, by their bodies.
type ahead struct {
	replies map[string]*reply
	sending sync.WaitGroup
}

// reply holds the outcome of a request; it is complete when done is closed.
type reply struct {
	done   chan struct{}
	cancel context.CancelFunc
	res    *llm.Response
	err    error
}

// sendAhead sends at once what all questions will ask if each finds what it hopes for. It is called
// before the server is identified and again after that: what is the same for that kind of server is
// not sent twice, and what is not is given up. A question that asks something else after all sends
// its own request.
func (p *probe) sendAhead(ctx context.Context) {
	before := p.ahead.replies
	p.ahead.replies = map[string]*reply{}
	for _, r := range p.expected() {
		r = p.adapted(r)
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

// begin sends a request and waits for nothing.
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

// expected returns the first request of each question if the one before it finds what it hopes for.
func (p *probe) expected() []llm.Request {
	list := []llm.Request{p.stepRequest(llm.JSONSchema, false)}
	transport, strict := cmp.Or(p.depth.Transport, llm.JSONSchema), p.hosted()
	if strict {
		list = append(list, p.stepRequest(llm.JSONSchema, true))
	} else {
		list = append(list, openRequest(llm.JSONSchema))
	}
	if p.depth.Rubric != nil {
		strict = strict && transport == llm.JSONSchema
		if r, err := p.depth.Rubric(transport, strict, strict); err == nil {
			list = append(list, r)
		}
	}
	for i := range list {
		list[i].MaxTokens = cmp.Or(list[i].MaxTokens, probeTokens)
	}
	return list
}

// prepare returns a request as it is sent to a kind of server, with its body; nil if it cannot be.
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

// sameSchema reports whether every kind of server is sent the same schema: another one may end a
// server of the wrong kind.
func (p *probe) sameSchema(r *llm.Request, prepared *llm.Prepared) bool {
	return !slices.ContainsFunc(servers[:], func(s software) bool {
		other, _ := p.prepare(r, s.kind)
		return other == nil || !bytes.Equal(other.Sent, prepared.Sent)
	})
}

// do sends a request, or takes the reply of the same one that was sent ahead, once.
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
