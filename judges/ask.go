package judges

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/reply"
	"github.com/judgekit/judge/rubrics"
)

// With returns a judge that asks as this one does, by another rubric.
func (j *Judge) With(r *rubrics.Rubric) (*Judge, error) {
	cfg := j.cfg
	cfg.Transport, cfg.Rubrics = j.standing(), []*rubrics.Rubric{r}
	if err := cfg.askable(r); err != nil {
		return nil, fmt.Errorf("rubric %s: %w", r.Name, err)
	}
	return newJudge(j.complete, cfg), nil
}

// askTokens is the room for an answer to Ask, beside the judge's for thinking.
const askTokens = 2048

// Ask asks the judge's model for something else than a judgement, with the judge's own settings: an
// object of a JSON Schema under a name. key names the request in the journal. It returns nil if
// there is no object in the reply; the error is that of the request.
func (j *Judge) Ask(ctx context.Context, key, name string, messages []Message, schema value.Value,
) (*value.Value, error) {
	one, cfg := 1.0, &j.cfg
	tokens := max(askTokens, cfg.MaxTokens)
	if cfg.Reasoning {
		tokens += cfg.ReasoningTokens
	}
	req := Request{
		Model: cfg.Model, Messages: messages, Transport: j.standing(), Temperature: cfg.Temperature, TopP: &one,
		Seed: &cfg.Seed, MaxTokens: tokens, LimitName: cfg.LimitName, Extra: cfg.Extra, Key: key, Group: key,
	}
	if req.Transport != llm.PromptOnly {
		req.Schema = llm.NewSchema(name, json.RawMessage(schema.JSON()), cfg.Strict)
	}
	resp, err := j.complete.Do(ctx, req)
	if err != nil {
		return nil, err
	}
	if v, ok := reply.Object(resp); ok {
		return &v, nil
	}
	return nil, nil
}
