package run

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/deterministic/metric"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

// graded is a conversation with what the deterministic side makes of it.
type graded struct {
	conversation *transcript.Conversation
	scores       []score.Score
	// pairs are the calls beside the expected ones, nothing without a reference.
	pairs []metric.Pair
}

// grader is the deterministic half of one run: scores, the run of the calls in an
// environment, and the figures over all conversations. Nothing of the log stays in memory
// but what the figures were asked for.
type grader struct {
	scorers   *deterministic.Log
	execution *Execution
	asked     []MetricsOf
	// observed are the scores that metrics were asked for, by scorer.
	observed map[string][]metric.Observation
	table    *metric.Table
}

// MetricsOf asks for figures over all scores of one scorer.
type MetricsOf struct {
	// Scorer is the name under which the scores are reported.
	Scorer string
	// Label is what classifications are held against; "" means the first label of
	// each conversation.
	Label   string
	Metrics []metric.Metric
}

// The table of tools and parameters has a row for so many of them; a log may invent
// more.
const (
	maxParameterTools = 500
	maxParameters     = 100
)

// grader is the deterministic half of the plan, whose thresholds are taken with it. The
// error is a *PlanError.
func (p *Plan) grader(note func(string)) (*grader, error) {
	log, err := p.scorers()
	if err != nil {
		return nil, err
	}
	g := &grader{
		scorers: log, execution: p.Execution, observed: map[string][]metric.Observation{},
		table: metric.NewTable(maxParameterTools, maxParameters),
	}
	for _, m := range p.Metrics {
		if len(m.Metrics) > 0 {
			g.asked = append(g.asked, m)
		}
	}
	return g, p.takeThresholds(log.Names(), note)
}

// grade grades conversations, several at a time and in their order.
func (g *grader) grade(
	ctx context.Context, conversations iter.Seq2[*transcript.Conversation, error],
) iter.Seq2[graded, error] {
	return input.InOrder(ctx, conversations, runtime.GOMAXPROCS(0), func(c *transcript.Conversation) graded {
		if g.execution == nil {
			scores, pairs := g.scorers.Grade(c, value.Value{})
			return graded{c, scores, pairs}
		}
		executed := g.execution.score(ctx, c)
		scores, pairs := g.scorers.Grade(c, executed.Details)
		// One row an item: the environment decides, not the states that the log holds.
		scores = slices.DeleteFunc(scores, func(s score.Score) bool { return s.Name == executionCheck })
		return graded{c, append(scores, executed), pairs}
	})
}

// tally counts a conversation for the figures. It is not safe for concurrent use.
func (g *grader) tally(m graded) {
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

// figures are the metrics that were asked for, over all conversations counted.
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

// parameters says of each tool how often its expected calls and their arguments were made.
// A tool without an expected call is no row: by_tool has it.
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

// labelScores turns the outcomes in the log into scores. A label passes from 1
// on. A recorded answer is on the scale of its rubric: the pass band decides it, and
// where the rubric is none of the list nothing does.
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
			// A category has no number; it is kept for those who read the stream.
			s.Status = score.NotApplicable
		} else {
			s.Value, s.Passed = new(l.Value), labelPasses(l, list)
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
		if r.Name == rubric {
			return new(r.Output.PassBand().Contains(l.Value))
		}
	}
	return nil
}

// usesReference says which kinds of scorers look at the expected calls of the log or
// at what follows from them; the others look at the calls alone. No judge of a run is
// shown expected calls, scores or labels, so that only a judge that applies a scorer's
// rules itself shares anything with it.
func usesReference(kind string) bool {
	switch strings.ReplaceAll(kind, "-", "_") {
	case "parameter_validation", "schema_check", "error_recovery", "tool_efficiency", "tool_calls", "rubric_verdict":
		return false
	}
	return true
}
