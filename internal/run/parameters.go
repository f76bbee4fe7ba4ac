package run

import (
	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/deterministic/metric"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// The table of tools and parameters has a row for so many of them; a log may invent
// more.
const (
	maxParameterTools = 500
	maxParameters     = 100
)

// graded is what the deterministic side makes of a conversation.
type graded struct {
	scores []score.Score
	// pairs are the calls beside the expected ones, nothing without a reference.
	pairs []metric.Pair
}

// grade scores a conversation and pairs its calls with the expected ones. Too many
// calls to pair are told by expected_call_match; the table leaves them out.
func grade(scores func(*transcript.Conversation) []score.Score) func(*transcript.Conversation) graded {
	return func(c *transcript.Conversation) graded {
		pairs, err := deterministic.Pairs(c)
		if err != nil {
			pairs = nil
		}
		return graded{scores(c), pairs}
	}
}

// parameterTable turns the counts into the rows of the report. A tool without an
// expected call and without parameters is no row: by_tool has it.
func parameterTable(t *metric.Table) []report.ToolParameters {
	var out []report.ToolParameters
	for _, tool := range t.Rows() {
		if tool.Expected == 0 {
			continue
		}
		row := report.ToolParameters{
			Tool: tool.Tool, Expected: tool.Expected, Made: tool.Made, Unexpected: tool.Unexpected,
			Parameters: make([]report.Parameter, len(tool.Parameters)),
		}
		for i, p := range tool.Parameters {
			row.Parameters[i] = report.Parameter{Parameter: p.Parameter, N: p.N, Present: p.Present, Equal: p.Equal, Invented: p.Invented}
			row.Parameters[i].SetRates()
		}
		out = append(out, row)
	}
	return out
}
