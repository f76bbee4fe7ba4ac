package capability

import (
	"cmp"
	"context"
	"errors"
	"math"
	"regexp"
	"strconv"

	"github.com/judgekit/judge/internal/llm"
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
