package capability

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
)

const (
	// What a ratio may be, in bytes per token: a value outside shows that the server
	// counts something else than the prompt.
	leastRatio, mostRatio = 1.0, 6.0
	// templateTokens are about what a chat template adds to a message.
	templateTokens = 8

	// The settings of a measurement: the sizes of the two short prompts, in bytes; how much
	// longer than needed the long one is; and the share of the expected tokens that says
	// that it was counted in full. A window that the long one just exceeds has room for
	// what is needed.
	shortSize, middleSize = 1024, 4096
	beyondNeed, inFull    = 1.1, 0.97
)

// counted sends a prompt of so many bytes and returns the tokens that the server counts; 0
// if it does not count, or fails.
func (p *probe) counted(ctx context.Context, size int) (int, error) {
	p.caps.Requests++
	res, err := p.c.Do(ctx, p.adapted(llm.Request{MaxTokens: 1, Messages: user("%s", ballast(size))}))
	if err != nil || res.Usage.Prompt == nil {
		return 0, err
	}
	return *res.Usage.Prompt, nil
}

// ballast is a text of so many bytes in which no part repeats another, nor the beginning of
// one of another size: some servers do not count what they have in store.
func ballast(size int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Of %d bytes here all but this line are there to take up room. Say yes.\n", size)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "Line %05d holds the number %05d.\n", i, (i*7919+12345)%99991)
	}
	return b.String()[:size]
}

// window measures the context. A server that takes too long, or no such question at all,
// is not measured.
func (p *probe) window(ctx context.Context) error {
	if p.depth.ContextTokens < 0 {
		return nil
	}
	err := p.measure(ctx, p.depth.ContextTokens)
	switch e, ok := errors.AsType[*llm.Error](err); {
	case !ok || e.Fatal:
		return err
	case e.Kind == llm.KindTimeout:
		p.caps.Notes = append(p.caps.Notes,
			"a prompt took longer than "+p.timeout.String()+"; the context was not measured")
		return nil
	case e.Kind == llm.KindBadRequest:
		if p.caps.Longest > 0 { // the short ones were answered
			p.caps.Overlong = Refused
		}
		return nil
	}
	return err
}

// Context returns the size of the context that prompts must fit, in tokens as far as it
// is known; 0 when it is not. What was measured counts before what the server says, unless
// the two are about the same.
func (c *Capabilities) Context() int {
	if c.Window > 0 && float64(c.Window) < 0.9*float64(c.ContextTokens) || c.ContextTokens == 0 {
		return c.Window
	}
	return c.ContextTokens
}

// loaded asks for the window again: what a server says of a model before a request has
// loaded it is not the window that prompts will have.
func (p *probe) loaded(ctx context.Context) error {
	if p.caps.Kind != llm.KindOllama && p.caps.Kind != llm.KindLMStudio {
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

// measure finds out whether there is room for so many tokens, as far as the server counts
// prompts: two short prompts show how, and one of that length must be counted accordingly.
// The error is that of a request that failed in another way than for its length.
func (p *probe) measure(ctx context.Context, tokens int) error {
	short, err := p.counted(ctx, shortSize)
	if err != nil || short == 0 {
		return p.overlong(err)
	}
	middle, err := p.counted(ctx, middleSize)
	perByte := float64(middle-short) / (middleSize - shortSize)
	if err != nil || perByte < 1/(2*mostRatio) || perByte > 2/leastRatio {
		return p.overlong(err)
	}
	whole := func(tokens float64) (n int, whole bool, err error) {
		size := shortSize + int((tokens-float64(short))/perByte)
		n, err = p.counted(ctx, max(size, shortSize))
		return n, float64(n) >= inFull*tokens, err
	}
	p.caps.Longest = int(beyondNeed * float64(tokens))
	n, full, err := whole(float64(p.caps.Longest))
	if err != nil || full || n == 0 {
		return p.overlong(err)
	}
	p.caps.Overlong, p.caps.Window = Truncated, n
	// Some servers cut to half their window.
	if most, full, err := whole(1.9 * float64(n)); err == nil && full {
		p.caps.Window = most
	}
	return nil
}

// overlong notes a refusal for length, with the window that it names; every other error is
// passed on.
func (p *probe) overlong(err error) error {
	if e, ok := errors.AsType[*llm.Error](err); !ok || e.Kind != llm.KindOverflow {
		return err
	}
	p.caps.Overlong, p.caps.Window = Refused, WindowOf(err)
	return nil
}

// Measure finds out whether a server that does not say its window has room for so many
// tokens. It returns the window if a longer prompt was cut or refused; 0 if it was
// counted in full, or if the server counts none or says no size. The error is that of a
// request that failed in another way than for its length.
func Measure(ctx context.Context, endpoint client.Endpoint, known *Capabilities, cfg client.Config,
	depth ProbeConfig, tokens int) (window int, err error) {
	p, err := newProbe(endpoint, known, cfg, depth)
	if err != nil {
		return 0, err
	}
	defer p.c.Close()
	err = p.measure(ctx, tokens)
	return known.Window, err
}

// named finds the window in what servers say of a prompt that is too long.
var named = regexp.MustCompile(
	`(?i)(?:context length|context size|model length|context window|n_ctx|tokens allowed|must be <=)\D{0,30}?(\d{3,8})` +
		`|(\d{3,8}) (?:tokens? )?maximum|> (\d{3,8}) max`)

// WindowOf returns the window that a refusal of a prompt for its length names, 0 for none.
func WindowOf(err error) int {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Kind != llm.KindOverflow {
		return 0
	}
	m := named.FindStringSubmatch(e.Message)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(cmp.Or(m[1:]...))
	return n
}
