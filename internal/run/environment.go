package run

import (
	"context"
	"errors"

	"github.com/judgekit/judge/internal/environment"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// ExecutionCheck is the name of the score that comes from running the logged calls.
const ExecutionCheck = "execution_check"

// Execution runs the logged calls of conversations in an environment.
type Execution struct {
	maker *environment.Maker
	pool  *environment.Pool
	// identity is the configuration with the digests of the files it names.
	identity value.Value
}

// NewExecution makes an execution check out of the environment block of a
// configuration. Nothing is started before it is needed. files lists what the
// block names, so that a change of a file makes another run.
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
	return &Execution{
		maker: maker, pool: environment.NewPool(maker, workers),
		identity: value.OfList(block, value.OfList(digests...)),
	}, nil
}

// Identity is what makes this check another one: its configuration, with digests of the
// files that it names.
func (x *Execution) Identity() value.Value { return x.identity }

// Close stops the environments.
func (x *Execution) Close() { x.pool.Close() }

// score runs one conversation. An environment that fails costs the conversation,
// not the run.
func (x *Execution) score(ctx context.Context, c *transcript.Conversation) score.Score {
	s := score.Score{
		ConversationID: c.ID, Place: c.Source.String(), Name: ExecutionCheck,
		Source: score.Deterministic, Flags: []score.Flag{},
	}
	plan, err := x.maker.Plan(*c)
	if err != nil {
		var config *environment.ConfigError
		kind := "config"
		if !errors.As(err, &config) {
			kind = "input"
		}
		s.Status, s.Error = score.Error, &score.Failure{Kind: kind, Message: err.Error()}
		return s
	}
	out, err := x.pool.Check(ctx, plan)
	if err != nil {
		s.Status, s.Error = score.Error, &score.Failure{Kind: "canceled", Message: err.Error()}
		return s
	}
	s.Status, s.Details = out.Status, out.Object()
	switch {
	case out.Fault != nil:
		s.Status, s.Error = score.Error, &score.Failure{Kind: string(out.Fault.Kind), Message: out.Fault.Detail()}
	case out.Reward == nil:
		s.Status, s.Explanation = score.NotApplicable, "nothing is expected of the state"
	default:
		passed := *out.Reward == 1
		s.Status, s.Value, s.Passed = score.Scored, out.Reward, &passed
		s.Label = "fail"
		if passed {
			s.Label = "pass"
		}
		s.Explanation = reason(&out)
	}
	return s
}
