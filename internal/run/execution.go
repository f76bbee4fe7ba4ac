package run

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/environment"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// executionCheck is the name of the score that comes from running the logged calls.
const executionCheck = "execution_check"

// Execution runs the logged calls of conversations in an environment.
type Execution struct {
	maker *environment.Maker
	pool  *environment.Pool
	// identity is the configuration with the digests of the files it names.
	identity value.Value
}

// NewExecution makes an execution check out of the environment block of a
// configuration. Nothing is started before it is needed. The files that the block names
// are part of the run's identity, so that a change of one makes another run.
func NewExecution(block value.Value, deps environment.Deps, workers int) (*Execution, error) {
	cfg, err := environment.ParseConfig(block)
	if err != nil {
		return nil, err
	}
	var digests []value.Value
	read := deps.ReadFile
	deps.ReadFile = func(name string) ([]byte, error) {
		data, err := read(name)
		if err == nil {
			digests = append(digests, value.OfString(digest(value.OfString(string(data)))))
		}
		return data, err
	}
	maker, err := environment.New(deps, cfg)
	if err != nil {
		return nil, err
	}
	identity := value.OfList(block, value.OfList(digests...))
	return &Execution{maker: maker, pool: environment.NewPool(maker, workers), identity: identity}, nil
}

// Close stops the environments.
func (x *Execution) Close() { x.pool.Close() }

// score runs one conversation. An environment that fails voids the conversation,
// not the run.
func (x *Execution) score(ctx context.Context, c *transcript.Conversation) score.Score {
	s := score.Score{
		ConversationID: c.ID, Place: c.Source.String(), Name: executionCheck,
		Source: score.Deterministic, Flags: []score.Flag{},
	}
	fail := func(kind, message string) score.Score {
		s.Status, s.Error = score.Error, &score.Failure{Kind: kind, Message: message}
		return s
	}
	plan, err := x.maker.Plan(*c)
	if _, ok := errors.AsType[*environment.ConfigError](err); ok {
		return fail("config", err.Error())
	}
	if err != nil {
		return fail("input", err.Error())
	}
	out, err := x.pool.Check(ctx, plan)
	if err != nil {
		return fail("canceled", err.Error())
	}
	s.Status, s.Details = out.Status, out.Object()
	switch {
	case out.Fault != nil:
		return fail(string(out.Fault.Kind), out.Fault.Detail())
	case out.Reward == nil:
		s.Status, s.Explanation = score.NotApplicable, "nothing is expected of the state"
		return s
	}
	passed := *out.Reward == 1
	s.Status, s.Value, s.Passed, s.Label = score.Scored, out.Reward, &passed, "fail"
	if passed {
		s.Label = "pass"
	}
	s.Explanation = reason(&out)
	return s
}

// maxNamedChanges bounds how many differences a reason names; the details hold all.
const maxNamedChanges = 3

// reason says in words why an execution check came out as it did.
func reason(o *environment.Outcome) string {
	var parts []string
	if *o.Reward == 1 {
		parts = append(parts, "the final state is the expected one")
	}
	for i, c := range o.Diff {
		if i == maxNamedChanges {
			parts = append(parts, fmt.Sprintf("%d more differences", len(o.Diff)-i))
			break
		}
		text := fmt.Sprintf("%s %s", c.Kind, c.Path)
		if c.Call >= 0 {
			text += fmt.Sprintf(" (call %d)", c.Call)
		}
		parts = append(parts, text)
	}
	for _, a := range o.Assertions {
		if !a.OK {
			parts = append(parts, fmt.Sprintf("assertion on %s does not hold", a.Path))
		}
	}
	for _, out := range o.Outputs {
		if !out.Found {
			parts = append(parts, fmt.Sprintf("the user did not get the text %q", out.Text))
		}
	}
	if o.Unfinished {
		parts = append(parts, "the run did not end by itself")
	}
	if n := len(o.Drift); n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d results differ from the log: the sandbox is not what the "+
			"log was made in",
			n, o.Compared))
	}
	return strings.Join(parts, "; ")
}
