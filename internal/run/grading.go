package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/deterministic/metric"
	"github.com/judgekit/judge/internal/environment"
	"github.com/judgekit/judge/internal/planted"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// graded is a conversation with its scores and judgements.
type graded struct {
	conversation *transcript.Conversation
	// scores are the deterministic scores.
	scores []score.Score
	// pairs holds the calls beside the expected calls; nil without expected calls.
	pairs   []metric.Pair
	results []judges.Result
}

// grader is the deterministic half of a run: scores, the execution of the calls in an environment,
// and the figures over all conversations. It keeps nothing of the log in memory except what the
// figures need.
type grader struct {
	scorers   *deterministic.Log
	execution *Execution
	asked     []MetricsOf
	// observed holds, by scorer, the scores for which metrics were requested.
	observed map[string][]metric.Observation
	table    *metric.Table
}

// MetricsOf requests figures over all scores of one scorer.
type MetricsOf struct {
	// Scorer is the name under which the scores are reported.
	Scorer string
	// Label names the label with which classifications are compared; "" means the first label of
	// each conversation.
	Label   string
	Metrics []metric.Metric
}

// The table of tools and parameters is limited, because a log may invent any number of names.
const (
	maxParameterTools = 500
	maxParameters     = 100
)

func newGrader(s *Spec) *grader {
	g := &grader{
		scorers: s.scorers, execution: s.Execution, observed: map[string][]metric.Observation{},
		table: metric.NewTable(maxParameterTools, maxParameters),
	}
	for _, m := range s.Metrics {
		if len(m.Metrics) > 0 {
			g.asked = append(g.asked, m)
		}
	}
	return g
}

// grade grades conversations, several at a time, and yields them in order.
func (g *grader) grade(
	ctx context.Context, conversations iter.Seq2[*transcript.Conversation, error],
) iter.Seq2[*graded, error] {
	return input.InOrder(ctx, conversations, runtime.GOMAXPROCS(0), func(c *transcript.Conversation) *graded {
		if g.execution == nil {
			scores, pairs := g.scorers.Grade(c, value.Value{})
			return &graded{conversation: c, scores: scores, pairs: pairs}
		}
		executed := g.execution.score(ctx, c)
		scores, pairs := g.scorers.Grade(c, executed.Details)
		// Keep one row per item: the environment decides, not the states in the log.
		scores = slices.DeleteFunc(scores, func(s score.Score) bool { return s.Name == deterministic.ExecutionCheck.Name })
		return &graded{conversation: c, scores: append(scores, executed), pairs: pairs}
	})
}

// tally adds a conversation to the figures. It is not safe for concurrent use.
func (g *grader) tally(m *graded) {
	for _, p := range m.pairs {
		g.table.Add(p)
	}
	for _, a := range g.asked {
		for i := range m.scores {
			s := &m.scores[i]
			if s.Name != a.Scorer || s.Metric != "" || s.Status == score.NotApplicable {
				continue
			}
			o := metric.Observation{Value: s.Value}
			if l := labelFor(m.conversation, a.Label, s.CallIndex); l != nil && l.Text != "" {
				o.Class = l.Text
			} else if l != nil {
				o.Label = new(l.Value)
			}
			g.observed[a.Scorer] = append(g.observed[a.Scorer], o)
		}
	}
}

// labelFor finds the label of a call, or else of its conversation.
func labelFor(c *transcript.Conversation, name string, call *int) *transcript.Label {
	var whole *transcript.Label
	for i := range c.Labels {
		l := &c.Labels[i]
		switch {
		case name != "" && l.Name != name:
		case l.CallIndex < 0 && whole == nil:
			whole = l
		case call != nil && l.CallIndex == *call:
			return l
		}
	}
	return whole
}

// figures returns the requested metrics over all conversations.
func (g *grader) figures() []report.Metric {
	var out []report.Metric
	for _, a := range g.asked {
		for _, m := range a.Metrics {
			f := m.Compute(g.observed[a.Scorer])
			out = append(out, report.Metric{
				Scorer: a.Scorer, Name: f.Name, Type: f.Type, N: f.N, Value: f.Value, Table: f.Table, Note: f.Note,
			})
		}
	}
	return out
}

// parameters counts how often each tool's expected calls and their arguments were made. A tool
// without an expected call has no row here, only in by_tool.
func (g *grader) parameters() []report.ToolParameters {
	var out []report.ToolParameters
	for _, tool := range g.table.Rows() {
		if tool.Expected == 0 {
			continue
		}
		row := report.ToolParameters{
			Tool: tool.Tool, Expected: tool.Expected, Made: tool.Made, Unexpected: tool.Unexpected,
			Parameters: make([]report.Parameter, len(tool.Parameters)),
		}
		for i, p := range tool.Parameters {
			row.Parameters[i] = report.Parameter{
				Parameter: p.Parameter, N: p.N, Present: p.Present, Equal: p.Equal, Invented: p.Invented,
			}
			row.Parameters[i].SetRates()
		}
		out = append(out, row)
	}
	return out
}

// labelScores turns the outcomes in the log into scores. A label passes if it is at least 1. A
// recorded answer is on the scale of its rubric, whose pass band decides; if the rubric is not in
// the list, there is no verdict.
func labelScores(c *transcript.Conversation, list []*rubrics.Rubric) []score.Score {
	out := make([]score.Score, 0, len(c.Labels))
	for i := range c.Labels {
		l := &c.Labels[i]
		s := score.Score{
			ConversationID: c.ID, Place: c.Source.String(), Name: l.Name, Source: score.Label,
			Status: score.Scored, Label: l.Text, Flags: []score.Flag{},
		}
		if l.CallIndex >= 0 && l.CallIndex < len(c.Calls) {
			call := &c.Calls[l.CallIndex]
			s.CallIndex, s.CallID, s.Tool = new(l.CallIndex), call.ID, call.Name
		}
		if l.Text != "" {
			// A category has no number; it is kept for readers of the stream.
			s.Status = score.NotApplicable
		} else {
			s.Value, s.Passed = new(l.Value), labelPasses(l, list)
		}
		if l.Name == planted.Label {
			s.Details = c.Extra.Field(planted.Label)
		}
		out = append(out, s)
	}
	return out
}

func labelPasses(l *transcript.Label, list []*rubrics.Rubric) *bool {
	rubric, recorded := strings.CutPrefix(l.Name, transcript.Recorded)
	if !recorded {
		return new(l.Value >= 1)
	}
	for _, r := range list {
		if r.Name == rubric && r.Output.Categories == nil && !r.Output.NoPass {
			return new(r.Output.PassBand().Contains(l.Value))
		}
	}
	return nil
}

// Execution runs the logged calls of conversations in an environment.
type Execution struct {
	maker *environment.Maker
	pool  *environment.Pool
	// identity is the configuration, with the digests of the files that it names.
	identity value.Value
}

// NewExecution returns the execution check that the environment block of a configuration describes.
// It starts nothing before it is needed. The content of the named files is part of the run's
// identity, so that a changed file makes another run.
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

// score runs the calls of one conversation. If the environment fails, this conversation gets an error
// instead of a score; the run goes on.
func (x *Execution) score(ctx context.Context, c *transcript.Conversation) score.Score {
	s := score.Score{
		ConversationID: c.ID, Place: c.Source.String(), Name: deterministic.ExecutionCheck.Name,
		Source: score.Deterministic, Flags: []score.Flag{},
	}
	fail := func(kind, message string) score.Score {
		s.Status, s.Error = score.Error, &score.Failure{Kind: kind, Message: message}
		return s
	}
	if c.RanInText() {
		s.Status, s.Error = score.Unscored, &score.Failure{Kind: transcript.CallInText, Message: "calls that ran stand " +
			"only in the agent's texts, which were not read: --include-text-calls runs them"}
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
	case out.Reward == nil && plan.Unfinished && c.Crashed():
		s.Status, s.Explanation = score.NotApplicable, "the run crashed before its task was named: τ-bench counts it as 0"
		s.Details = s.Details.With(score.CountedAs, value.OfInt(0))
		return s
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

// maxNamedChanges limits how many differences a reason names; the details hold all.
const maxNamedChanges = 3

// reason says in words why an execution check passed or failed.
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
