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
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
)

// CanaryPrompt is one of the growing prompts.
type CanaryPrompt struct {
	Bytes int `json:"bytes"`
	// Expected is the number of tokens by the measure of the smallest prompt,
	// Reported what the server counted, 0 where it refused or did not count.
	Expected int `json:"expected_tokens"`
	Reported int `json:"reported_tokens"`
}

// whole reports whether the prompt came through whole.
func (p CanaryPrompt) whole() bool {
	return p.Reported > 0 && float64(p.Reported) >= wholeShare*float64(p.Expected)
}

const (
	// wholeShare of the tokens that were expected must be counted for a prompt that came
	// through whole.
	wholeShare = 0.85
	// What a ratio may be, in bytes per token: what lies outside says that the server
	// counts something else than the prompt.
	leastRatio, mostRatio = 1.0, 6.0
	// templateTokens are about what a chat template adds to a message.
	templateTokens = 8

	// What [Measure] goes by: the sizes of the two short prompts, in bytes; how much
	// longer than needed the long one is; and the share of the expected tokens that says
	// that it was counted in full. A window that the long one just exceeds has room for
	// what is needed.
	shortSize, middleSize = 1024, 4096
	beyondNeed, inFull    = 1.1, 0.97
)

// counted sends a prompt of so many bytes and returns the tokens that the server counts; 0
// where it does not count, or fails.
func (p *probe) counted(ctx context.Context, size int) (int, error) {
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

// canary sends growing prompts and looks whether the count of tokens grows with
// them: some servers cut a prompt that is too long, and say nothing.
func (p *probe) canary(ctx context.Context) error {
	perByte := 0.0
	for size := 2048; p.depth.CanaryTokens > 0; size *= 2 {
		sent := CanaryPrompt{Bytes: size, Expected: int(perByte * float64(size))}
		if sent.Expected > p.depth.CanaryTokens {
			return nil
		}
		start := time.Now()
		p.caps.Requests++
		n, err := p.counted(ctx, size)
		var e *llm.Error
		failed := errors.As(err, &e) && !e.Fatal
		switch {
		case failed && (e.Kind == llm.KindOverflow || e.Kind == llm.KindBadRequest && perByte > 0):
			p.caps.Canary = append(p.caps.Canary, sent)
			p.caps.Overlong, p.caps.Window = Refused, p.caps.ContextTokens
			return nil
		case failed && e.Kind == llm.KindTimeout:
			p.caps.Notes = append(p.caps.Notes, fmt.Sprintf(
				"a prompt of %d bytes took longer than %v; the context was not measured further", size, p.endpoint.Timeout))
			return nil
		case failed && e.Kind == llm.KindBadRequest:
			return nil // the server answers no such question at all
		case err != nil || n == 0: // a server that does not count cannot be measured
			return err
		}
		if sent.Reported = n; perByte == 0 {
			perByte, sent.Expected = float64(n)/float64(size), n
		}
		p.caps.Canary = append(p.caps.Canary, sent)
		if !sent.whole() {
			p.caps.Overlong, p.caps.Window = Truncated, n
			return nil
		}
		if time.Since(start) > 20*time.Second {
			return nil // the next one would take at least twice as long
		}
	}
	return nil
}

// Context returns the size of the context that prompts must fit, in tokens as far as it
// is known; 0 when it is not. What was measured counts before what the server says,
// unless a prompt of that size or a longer one came through whole: some servers, as
// Ollama 0.32, cut an over-long prompt to half their window.
func (c *Capabilities) Context() int {
	longest := 0 // of the prompts that came through whole
	for _, p := range c.Canary {
		if p.whole() {
			longest = max(longest, p.Reported)
		}
	}
	switch n := len(c.Canary); {
	case c.Window > 0 && c.Window >= longest:
		return c.Window
	case c.Overlong == Truncated && n > 0:
		return min(c.ContextTokens, c.Canary[n-1].Expected)
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
	// Two digits: the ratio stands in messages and in run.json.
	ratio := math.Round(100*float64(bytes)/float64(max(tokens, 1))) / 100
	if tokens > 0 && ratio >= leastRatio && ratio <= mostRatio {
		p.caps.BytesPerToken = ratio
	}
}

// Measure finds out whether a server that does not say its window has room for so many
// tokens, as far as it counts prompts: two short prompts show how, and one of that length
// must be counted accordingly. It returns the window where the long one was cut or
// refused; 0 where it was counted in full, or where the server counts none or says no size.
// The error is that of a request that failed in another way.
func Measure(ctx context.Context, endpoint client.Endpoint, known *Capabilities, cfg client.Config, depth ProbeConfig, tokens int) (window int, err error) {
	p, err := newProbe(endpoint, known.Model, cfg, depth)
	if err != nil {
		return 0, err
	}
	defer func() { p.c.Close() }()
	p.caps = known
	short, err := p.counted(ctx, shortSize)
	if err != nil || short == 0 {
		return refusedWindow(err)
	}
	middle, err := p.counted(ctx, middleSize)
	perByte := float64(middle-short) / (middleSize - shortSize)
	if err != nil || perByte < 1/(2*mostRatio) || perByte > 2/leastRatio {
		return refusedWindow(err)
	}
	whole := func(tokens float64) (n int, whole bool, err error) {
		size := shortSize + int((tokens-float64(short))/perByte)
		n, err = p.counted(ctx, max(size, shortSize))
		return n, float64(n) >= inFull*tokens, err
	}
	long, full, err := whole(beyondNeed * float64(tokens))
	if err != nil || full || long == 0 {
		return refusedWindow(err)
	}
	// Some servers cut to half their window.
	if most, full, err := whole(1.9 * float64(long)); err == nil && full {
		return most, nil
	}
	return long, nil
}

// refusedWindow is the window that a refusal for length names; every other error is passed
// on.
func refusedWindow(err error) (int, error) {
	var e *llm.Error
	if errors.As(err, &e) && e.Kind == llm.KindOverflow {
		return WindowOf(err), nil
	}
	return 0, err
}

// named finds the window in what servers say of a prompt that is too long.
var named = regexp.MustCompile(`(?i)(?:context length|context size|model length|context window|n_ctx|tokens allowed|must be <=)\D{0,30}?(\d{3,8})` +
	`|(\d{3,8}) (?:tokens? )?maximum|> (\d{3,8}) max`)

// WindowOf returns the window that a refusal of a prompt for its length names, 0 for none.
func WindowOf(err error) int {
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindOverflow {
		return 0
	}
	m := named.FindStringSubmatch(e.Message)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(cmp.Or(m[1:]...))
	return n
}
