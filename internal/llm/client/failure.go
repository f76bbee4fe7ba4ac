package client

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/llm"
)

func (c *Client) label(e *llm.Error, req *llm.Request) *llm.Error {
	e.Model, e.Endpoint = req.Model, c.base
	return e
}

// journalError returns the error for an answer that the journal could not store.
func (c *Client) journalError(err error, req *llm.Request) *llm.Error {
	return c.label(&llm.Error{Kind: llm.KindJournal, Message: err.Error(), Fatal: true,
		Hint: "free space on the disk and resume the run"}, req)
}

// asError turns any error into an *llm.Error.
func asError(err error) *llm.Error {
	var e *llm.Error
	if errors.As(err, &e) {
		return e
	}
	return &llm.Error{Kind: llm.KindTransport, Message: fmt.Sprint(err)}
}

// canceled returns the error for a request whose caller has stopped waiting.
func canceled(ctx context.Context) *llm.Error {
	return &llm.Error{Kind: llm.KindCanceled, Message: context.Cause(ctx).Error(), Cause: ctx.Err()}
}

// withAdvice completes the error of a request after its last attempt, with advice.
func (c *Client) withAdvice(e *llm.Error, req *llm.Request, attempts int) *llm.Error {
	own := *e // many requests share the error of an outage
	own.Attempts, own.Message = attempts, e.Message
	switch {
	case !own.Fatal:
	case own.Kind == llm.KindNotFound:
		own.Hint = c.notFoundAdvice(req.Model, own.Message)
	case own.Kind != llm.KindUnauthorized:
	case len(c.endpoint.Headers)+len(c.endpoint.Query) > 0:
		own.Hint = "check the environment variables that headers, query and api_key_env name"
	case c.endpoint.APIKey.IsZero():
		own.Hint = fmt.Sprintf("no key was sent; set %s", c.endpoint.KeyEnv)
	default:
		own.Hint = fmt.Sprintf("the key in %s was refused; set it to one that may use this model", c.endpoint.KeyEnv)
	}
	return c.label(&own, req)
}

// notFoundAdvice says what to do about a 404.
func (c *Client) notFoundAdvice(model, message string) string {
	list, err := c.list()
	if err != nil {
		return wrongBase
	}
	advice, ollama := "the server has no models", c.cfg.Kind == llm.KindOllama ||
		strings.Contains(message, "pulling it")
	if len(list) > 0 {
		advice = "the server has: " + names(list)
		for i := range list {
			ollama = ollama || list[i].OwnedBy == "library"
		}
	}
	if ollama {
		advice = fmt.Sprintf("run `ollama pull %s`, or use another model; %s", llm.OneLine(model), advice)
	}
	return advice
}
