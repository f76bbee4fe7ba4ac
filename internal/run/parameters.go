package run

import (
	"github.com/judgekit/judge/internal/deterministic/metric"
	"github.com/judgekit/judge/internal/report"
)

// The table of tools and parameters has a row for so many of them; a log may invent
// more.
const (
	maxParameterTools = 500
	maxParameters     = 100
)

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
