package capability

import (
	"cmp"
	"context"
	"errors"
	"math"
	"regexp"
	"strconv"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
)

// loaded asks for the window again: what a server tells of a model before a request has
// loaded it is not the window that prompts will have.
func (p *probe) loaded(ctx context.Context) error {
	if p.caps.Kind != llm.KindOllama && p.caps.Kind != llm.KindLMStudio {
		return nil
	}
	before, notes := p.caps, p.caps.Notes
	p.caps = &Capabilities{Endpoint: before.Endpoint, Model: before.Model, Kind: llm.KindUnknown}
	p.identify(ctx)
	told := p.caps
	p.caps = before
	if p.caps.Notes = notes; told.ContextTokens > 0 {
		p.caps.ContextTokens, p.caps.ContextSource = told.ContextTokens, told.ContextSource
	}
	return nil
}

// What a ratio may be, in bytes per token: what lies outside says that the server counts
// something else than the prompt.
const (
	leastRatio = 1.0
	mostRatio  = 6.0
	// templateTokens are about what a chat template adds to a message.
	templateTokens = 8
)

// count notes how many bytes of a rubric's prompt the server counts as a token. A prompt
// that fills the window was cut, and tells nothing.
func (p *probe) count(r *llm.Request, res *llm.Response) {
	if res.Usage.Prompt == nil || p.caps.ContextTokens > 0 && *res.Usage.Prompt >= p.caps.ContextTokens-templateTokens {
		return
	}
	bytes := 0
	for i := range r.Messages {
		bytes += len(r.Messages[i].Content)
	}
	if r.Transport == llm.Tools {
		bytes += len(r.Schema.JSON)
	}
	tokens := *res.Usage.Prompt - templateTokens*len(r.Messages)
	// Two digits: the ratio stands in messages and in run.json.
	if ratio := math.Round(100*float64(bytes)/float64(max(tokens, 1))) / 100; tokens > 0 && ratio >= leastRatio && ratio <= mostRatio {
		p.caps.BytesPerToken = ratio
	}
}

// What a measure of the window goes by: the sizes of the two short prompts, in bytes; how
// much longer than needed the long one is; and the share of the expected tokens that says
// that it was counted in full. A window that the long one just exceeds has room for what is
// needed.
const (
	shortSize, middleSize = 1024, 4096
	beyondNeed, inFull    = 1.1, 0.97
)

// Measure finds out whether a server that does not tell its window has room for so many
// tokens, as far as it counts prompts: two short prompts say how, and one of that length
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
	count := func(size int) (int, error) {
		res, err := p.c.Do(ctx, p.dressed(llm.Request{MaxTokens: 1, Messages: user("%s", ballast(size))}))
		if err != nil || res.Usage.Prompt == nil {
			return 0, err
		}
		return *res.Usage.Prompt, nil
	}
	short, err := count(shortSize)
	if err != nil || short == 0 {
		return WindowOf(err), other(err)
	}
	middle, err := count(middleSize)
	perByte := float64(middle-short) / (middleSize - shortSize)
	if err != nil || perByte < 1/(2*mostRatio) || perByte > 2/leastRatio {
		return WindowOf(err), other(err)
	}
	whole := func(tokens float64) (counted int, whole bool, err error) {
		size := shortSize + int((tokens-float64(short))/perByte)
		counted, err = count(max(size, shortSize))
		return counted, float64(counted) >= inFull*tokens, err
	}
	long, full, err := whole(beyondNeed * float64(tokens))
	if err != nil || full || long == 0 {
		return WindowOf(err), other(err)
	}
	// Some servers cut to half their window.
	if most, full, err := whole(1.9 * float64(long)); err == nil && full {
		return most, nil
	}
	return long, nil
}

// other is an error that is no refusal for length.
func other(err error) error {
	var e *llm.Error
	if errors.As(err, &e) && e.Kind == llm.KindOverflow {
		return nil
	}
	return err
}

// told finds the window in what servers say of a prompt that is too long.
var told = regexp.MustCompile(`(?i)(?:context length|context size|model length|context window|n_ctx|tokens allowed|must be <=)\D{0,30}?(\d{3,8})` +
	`|(\d{3,8}) (?:tokens? )?maximum|> (\d{3,8}) max`)

// WindowOf returns the window that a refusal of a prompt for its length names, 0 for none.
func WindowOf(err error) int {
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindOverflow {
		return 0
	}
	m := told.FindStringSubmatch(e.Message)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(cmp.Or(m[1:]...))
	return n
}
