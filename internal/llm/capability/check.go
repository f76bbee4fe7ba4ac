package capability

import (
	"context"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
)

// checkTokens bound the answer of a check, which nobody reads.
const checkTokens = 64

// Check asks a server that was examined before by one small request, put as it was
// found to like it, which loads the model; then what it tells about itself. It returns
// what is known now, and whether that still holds: another software or version, or a
// request that is now refused, means that the server has to be examined anew. A window
// or a number of slots that changed are taken over. The error is that of [Probe].
func Check(ctx context.Context, endpoint client.Endpoint, before *Capabilities, cfg client.Config, depth ProbeConfig) (now *Capabilities, holds bool, err error) {
	p, err := newProbe(endpoint, before.Model, cfg, depth)
	if err != nil {
		return nil, false, err
	}
	defer func() { p.c.Close() }()
	adapted := *before
	p.caps = &adapted
	if err := p.put(before.Kind); err != nil {
		return nil, false, err
	}
	res, err := p.send(ctx, llm.Request{MaxTokens: checkTokens, Messages: user("Say yes.")})
	if refused(err) != "" {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	told := &Capabilities{Endpoint: before.Endpoint, Model: before.Model, Kind: llm.KindUnknown}
	p.caps = told
	p.identify(ctx)
	if told.Kind != before.Kind || told.Version != before.Version || thoughtUnseen(res, checkTokens) && before.Thinking == None {
		return nil, false, nil
	}
	if told.Slots > 0 {
		adapted.Slots = told.Slots
	}
	if told.ContextTokens > 0 && told.ContextTokens != before.ContextTokens {
		adapted.ContextTokens, adapted.ContextSource = told.ContextTokens, told.ContextSource
		adapted.Canary, adapted.Overlong, adapted.Window = nil, Unknown, 0
	}
	return &adapted, true, nil
}
