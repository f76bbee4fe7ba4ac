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

// grade is what the deterministic side makes of a conversation.
type grade struct {
	Scores []score.Score
	// pairs are the calls beside the expected ones, nothing without a reference.
	pairs []metric.Pair
}

// graded is a conversation with its grade.
type graded = input.Mapped[grade]

// grader is the deterministic half of one run.
type grader struct {
	scorers   *deterministic.Log
	execution *Execution
	observed  *observations
	table     *metric.Table
}

// newGrader returns the grader of a run; execution may be nil, and no scorers stand for those
// that fit each conversation. The error says which scorer is wrong.
func newGrader(scorers []deterministic.Config, execution *Execution, metrics []MetricsOf) (*grader, error) {
	log, err := deterministic.ForLog(scorers)
	if err != nil {
		return nil, err
	}
	return &grader{scorers: log, execution: execution, observed: newObservations(metrics), table: metric.NewTable(maxParameterTools, maxParameters)}, nil
}

// Names are the names of the scores, but for that of the execution check.
func (g *grader) Names() []string { return g.scorers.Names() }

// grade grades conversations, several at a time and in their order.
func (g *grader) grade(ctx context.Context, conversations iter.Seq2[*transcript.Conversation, error]) iter.Seq2[graded, error] {
	return input.InOrder(ctx, conversations, runtime.GOMAXPROCS(0), func(c *transcript.Conversation) grade {
		if g.execution == nil {
			scores, pairs := g.scorers.Grade(c, value.Value{})
			return grade{scores, pairs}
		}
		executed := g.execution.score(ctx, c)
		scores, pairs := g.scorers.Grade(c, executed.Details)
		// One row an item: the environment decides, not the states that the log holds.
		scores = slices.DeleteFunc(scores, func(s score.Score) bool { return s.Name == ExecutionCheck })
		return grade{append(scores, executed), pairs}
	})
}

// Tally counts a conversation for the figures. It is not safe for concurrent use.
func (g *grader) Tally(m graded) {
	g.observed.add(m.Conversation, m.Result.Scores)
	for _, p := range m.Result.pairs {
		g.table.Add(p)
	}
}

// Figures are the metrics that were asked for, over all conversations counted.
func (g *grader) Figures() []report.Metric { return g.observed.figures() }

// Parameters says of each tool how often its expected calls and their arguments were made.
func (g *grader) Parameters() []report.ToolParameters { return parameterTable(g.table) }

// labelScores turns the outcomes that the log brings into scores. A label passes from 1
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
