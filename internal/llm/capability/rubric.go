package capability

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/llm"
)

// rubric sends a prompt of the run, under its schema, as the run will: what a server
// takes of a small schema it may refuse of a whole one. A refusal has the correction
// asked for as text, and then leads one rung down.
func (p *probe) rubric(ctx context.Context) error {
	if p.depth.Rubric == nil {
		return nil
	}
	for {
		transport := cmp.Or(p.depth.Transport, p.caps.Transport)
		if transport == "" {
			return nil
		}
		r, err := p.depth.Rubric(transport, p.caps.CorrectionAsText(), p.caps.Strict == Yes && transport == llm.JSONSchema)
		if err != nil {
			return fmt.Errorf("probe: %w", err)
		}
		res, refusal, err := p.ask(ctx, r)
		switch {
		case tooLong(err):
			p.context(WindowOf(err), "an error")
			p.caps.RubricPrompt, p.caps.RubricDetail = Truncated, err.Error()
			return nil
		case err != nil:
			return err
		case res != nil:
			p.count(&r, res)
			p.readRubric(res, transport)
			return nil
		}
		p.caps.RubricPrompt, p.caps.RubricDetail = Refused, refusal
		takesSchema := transport == llm.JSONSchema || transport == llm.Tools
		switch {
		case p.caps.Strict == Yes && transport == llm.JSONSchema:
			p.caps.Strict = Refused
		case takesSchema && !p.caps.CorrectionAsText():
			p.caps.OpenObject = Refused
		case p.depth.Transport != "":
			return nil // the user's choice, from which a run goes down by itself
		default:
			if err := p.below(ctx, transport, refusal); err != nil {
				return err
			}
		}
	}
}

// tooLong reports whether a prompt did not fit, or could not be read in time, or a
// filter stopped it: that says nothing about how to ask.
func tooLong(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && !e.Fatal && (e.Kind == llm.KindOverflow || e.Kind == llm.KindTimeout || e.Kind == llm.KindRefused)
}

// readRubric notes what came of a rubric's prompt. An answer that does not count is the
// model's doing and demotes nothing.
func (p *probe) readRubric(res *llm.Response, transport llm.Transport) {
	text := res.Content
	if transport == llm.Tools {
		text = res.ToolArguments
	}
	keys, ok := objectKeys(afterThought(text))
	p.caps.RubricPrompt, p.caps.RubricDetail = Yes, ""
	if ok && slices.Contains(keys, "output") {
		return
	}
	p.caps.RubricPrompt, p.caps.RubricDetail = Ignored, "the answer was "+llm.OneLine(clipped(text))
	if res.FinishReason == "length" {
		p.caps.RubricPrompt = Truncated
	}
}

// below goes on with the ladder under a transport that refused a rubric.
func (p *probe) below(ctx context.Context, transport llm.Transport, refusal string) error {
	last := &p.caps.Ladder[len(p.caps.Ladder)-1]
	last.Finding, last.Detail = Refused, "a rubric's prompt: "+refusal
	p.caps.Transport, p.caps.OpenObject = "", Unknown
	rungs := llm.Ladder()
	rungs = rungs[slices.Index(rungs, transport)+1:]
	if len(rungs) == 0 {
		return p.unusable()
	}
	if err := p.descend(ctx, rungs); err != nil {
		return err
	}
	return p.openObject(ctx)
}
