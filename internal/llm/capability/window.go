package capability

import (
	"context"
	"math"
	"sync"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
)

const (
	// leastRatio and mostRatio bound the bytes per token: a value outside shows that the server
	// counts something other than the prompt.
	leastRatio, mostRatio = 1.0, 6.0
	// templateTokens are about what a chat template adds to a message.
	templateTokens = 8
)

// Counter asks a server that was examined before how many tokens it counts. It is safe for
// concurrent use.
type Counter struct {
	p  *probe
	mu sync.Mutex // of the number of requests
}

// NewCounter makes a counter that asks as the findings in known say, and counts its requests
// there. It must be closed.
func NewCounter(endpoint client.Endpoint, known *Capabilities, cfg client.Config, depth ProbeConfig) (*Counter, error) {
	p, err := newProbe(endpoint, known, cfg, depth)
	return &Counter{p: p}, err
}

// Tokens sends a prompt and returns the tokens that the server counts; 0 if it does not count.
func (c *Counter) Tokens(ctx context.Context, text string) (int, error) {
	c.mu.Lock()
	c.p.caps.Requests++
	c.mu.Unlock()
	res, err := c.p.c.Do(ctx, c.p.adapted(llm.Request{MaxTokens: 1, Messages: user("%s", text)}))
	if err != nil || res.Usage.Prompt == nil {
		return 0, err
	}
	return *res.Usage.Prompt, nil
}

// Close closes the connections.
func (c *Counter) Close() { c.p.c.Close() }

// Context returns the size of the context that prompts must fit, in tokens as far as it
// is known; 0 when it is not. What was measured counts before what the server says, unless
// the two are about the same.
func (c *Capabilities) Context() int {
	if c.Window > 0 && float64(c.Window) < 0.9*float64(c.ContextTokens) || c.ContextTokens == 0 {
		return c.Window
	}
	return c.ContextTokens
}

// loadsLate reports whether the server loads a model only when it gets a request, and knows its
// window only then.
func (c *Capabilities) loadsLate() bool {
	return c.Kind == llm.KindOllama || c.Kind == llm.KindLMStudio
}

// loaded asks for the window again: before a request has loaded the model, a server may give another
// window than the one that prompts will have.
func (p *probe) loaded(ctx context.Context) error {
	if !p.caps.loadsLate() {
		return nil
	}
	if now := p.described(ctx); now.ContextTokens > 0 {
		p.caps.ContextTokens, p.caps.ContextSource = now.ContextTokens, now.ContextSource
	}
	return nil
}

// countBytes notes how many bytes of a rubric's prompt the server counts as a token. A
// prompt that fills the window was cut, and shows nothing.
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
	// Two digits: the ratio is printed in messages and in run.json.
	ratio := math.Round(100*float64(bytes)/float64(max(tokens, 1))) / 100
	if tokens > 0 && ratio >= leastRatio && ratio <= mostRatio {
		p.caps.BytesPerToken = ratio
	}
}
