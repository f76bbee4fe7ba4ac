package capability

import (
	"context"
	"math"
	"sync"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
)

const (
	// minRatio and maxRatio limit the plausible bytes per token: a value outside shows that the
	// server counts something other than the prompt.
	minRatio, maxRatio = 1.0, 6.0
	// templateTokens is about what a chat template adds to a message.
	templateTokens = 8
)

// Counter asks a server that was probed before how many tokens a prompt has. It is safe for
// concurrent use.
type Counter struct {
	p  *probe
	mu sync.Mutex // guards the number of requests
}

// NewCounter returns a counter that sends requests in the way that known describes, and counts them
// there. It must be closed.
func NewCounter(endpoint client.Endpoint, known *Capabilities, cfg client.Config, depth ProbeConfig) (*Counter, error) {
	p, err := newProbe(endpoint, known, cfg, depth)
	return &Counter{p: p}, err
}

// Tokens sends a prompt and returns the server's token count; 0 if the server does not count.
func (c *Counter) Tokens(ctx context.Context, text string) (int, error) {
	c.mu.Lock()
	c.p.caps.Requests++
	c.mu.Unlock()
	res, err := c.p.c.Do(ctx, c.p.withRunSettings(llm.Request{MaxTokens: 1, Messages: user("%s", text)}))
	if err != nil || res.Usage.Prompt == nil {
		return 0, err
	}
	return *res.Usage.Prompt, nil
}

// Close closes the connections.
func (c *Counter) Close() { c.p.c.Close() }

// Context returns the context size, in tokens, that prompts must fit; 0 if it is unknown. That is
// the size that the server states, unless it states none or a measurement found one more than a
// tenth smaller.
func (c *Capabilities) Context() int {
	if c.Window > 0 && float64(c.Window) < 0.9*float64(c.ContextTokens) || c.ContextTokens == 0 {
		return c.Window
	}
	return c.ContextTokens
}

// loadsLate reports whether the server loads a model only on its first request, and knows the
// window only then.
func (c *Capabilities) loadsLate() bool {
	return c.Kind == llm.KindOllama || c.Kind == llm.KindLMStudio
}

// askLoaded asks for the window again. Before a request has loaded the model, a server may report
// another window than the one that prompts will have.
func (p *probe) askLoaded(ctx context.Context) error {
	if !p.caps.loadsLate() {
		return nil
	}
	if now := p.describe(ctx); now.ContextTokens > 0 {
		p.caps.ContextTokens, p.caps.ContextSource = now.ContextTokens, now.ContextSource
	}
	return nil
}

// countBytes records the bytes per token of a rubric's prompt. A prompt that fills the window was
// cut and tells nothing.
func (p *probe) countBytes(r *llm.Request, res *llm.Response) {
	n := res.Usage.Prompt
	if n == nil || p.caps.ContextTokens > 0 && *n >= p.caps.ContextTokens-templateTokens {
		return
	}
	bytes := 0
	for i := range r.Messages {
		bytes += len(r.Messages[i].Content)
	}
	if r.Transport == llm.Tools {
		bytes += len(r.Schema.JSON)
	}
	tokens := *n - templateTokens*len(r.Messages)
	// Two decimals are enough: the ratio is printed in messages and in run.json.
	ratio := math.Round(100*float64(bytes)/float64(max(tokens, 1))) / 100
	if tokens > 0 && ratio >= minRatio && ratio <= maxRatio {
		p.caps.BytesPerToken = ratio
	}
}
