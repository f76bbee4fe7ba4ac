// Package grading owns what the deterministic side makes of the conversations of a run:
// scores, the run of their calls in an environment, the outcomes that the log brings, and
// the figures over the whole data set.
//
// It promises that conversations come in their order however many are scored at once, and
// that nothing of the log stays in memory but what the figures were asked for.
package grading

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

// Grade is what the deterministic side makes of a conversation.
type Grade struct {
	Scores []score.Score
	// pairs are the calls beside the expected ones, nothing without a reference.
	pairs []metric.Pair
}

// Graded is a conversation with its grade.
type Graded = input.Mapped[Grade]

// Grader is the deterministic half of one run.
type Grader struct {
	scorers   *deterministic.Log
	execution *Execution
	observed  *observations
	table     *metric.Table
}

// New returns the grader of a run; execution may be nil, and no scorers stand for those
// that fit each conversation. The error says which scorer is wrong.
func New(scorers []deterministic.Config, execution *Execution, metrics []MetricsOf) (*Grader, error) {
	log, err := deterministic.ForLog(scorers)
	if err != nil {
		return nil, err
	}
	return &Grader{scorers: log, execution: execution, observed: newObservations(metrics), table: metric.NewTable(maxParameterTools, maxParameters)}, nil
}

// Names are the names of the scores, but for that of the execution check.
func (g *Grader) Names() []string { return g.scorers.Names() }

// Grade grades conversations, several at a time and in their order.
func (g *Grader) Grade(ctx context.Context, conversations iter.Seq2[*transcript.Conversation, error]) iter.Seq2[Graded, error] {
	return input.InOrder(ctx, conversations, runtime.GOMAXPROCS(0), func(c *transcript.Conversation) Grade {
		if g.execution == nil {
			scores, pairs := g.scorers.Grade(c, value.Value{})
			return Grade{scores, pairs}
		}
		executed := g.execution.score(ctx, c)
		scores, pairs := g.scorers.Grade(c, executed.Details)
		// One row an item: the environment decides, not the states that the log holds.
		scores = slices.DeleteFunc(scores, func(s score.Score) bool { return s.Name == ExecutionCheck })
		return Grade{append(scores, executed), pairs}
	})
}

// Tally counts a conversation for the figures. It is not safe for concurrent use.
func (g *Grader) Tally(m Graded) {
	g.observed.add(m.Conversation, m.Result.Scores)
	for _, p := range m.Result.pairs {
		g.table.Add(p)
	}
}

// Figures are the metrics that were asked for, over all conversations counted.
func (g *Grader) Figures() []report.Metric { return g.observed.figures() }

// Parameters says of each tool how often its expected calls and their arguments were made.
func (g *Grader) Parameters() []report.ToolParameters { return parameterTable(g.table) }

// LabelScores turns the outcomes that the log brings into scores. A label passes from 1
// on. A recorded answer is on the scale of its rubric: the pass band decides it, and
// where the rubric is none of the list nothing does.
func LabelScores(c *transcript.Conversation, list []*rubrics.Rubric) []score.Score {
	out := make([]score.Score, 0, len(c.Labels))
	for i := range c.Labels {
		l := &c.Labels[i]
		s := score.Score{
			ConversationID: c.ID, Place: c.Source.String(), Name: l.Name, Source: score.Label,
			Status: score.Scored, Label: l.Text, Flags: []score.Flag{},
		}
		if l.CallIndex >= 0 && l.CallIndex < len(c.Calls) {
			call := &c.Calls[l.CallIndex]
			index := l.CallIndex
			s.CallIndex, s.CallID, s.Tool = &index, call.ID, call.Name
		}
		if l.Text != "" {
			// A category has no number; it is kept for those who read the stream.
			s.Status = score.NotApplicable
		} else {
			v := l.Value
			s.Value, s.Passed = &v, labelPasses(l, list)
		}
		out = append(out, s)
	}
	return out
}

func labelPasses(l *transcript.Label, list []*rubrics.Rubric) *bool {
	passed := l.Value >= 1
	rubric, recorded := strings.CutPrefix(l.Name, transcript.Recorded)
	if !recorded {
		return &passed
	}
	for _, r := range list {
		if r.Name == rubric {
			passed = r.Output.PassBand().Contains(l.Value)
			return &passed
		}
	}
	return nil
}
