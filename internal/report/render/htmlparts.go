package render

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

// toolTable sets the judges' pass rates by tool beside the reference's.
type toolTable struct {
	Legend []string
	Heads  []string
	Rows   []toolLine
	More   int
}

type toolLine struct {
	Tool                      string
	Calls, OnlyPass, OnlyFail int
	Small                     bool
	Bars                      []bar
	Agree                     string
}

const maxHTMLTools = 60

// toolsOf shows the headline comparison of the first judge that has one.
func toolsOf(r *report.Report) *toolTable {
	for _, judge := range r.Judges() {
		row, ok := r.Headline(judge, report.CallLevel)
		if !ok || len(row.ByTool) == 0 {
			continue
		}
		t := &toolTable{Heads: []string{judge, row.Reference.Title()}, Legend: []string{
			row.Rubric + " by " + judge + " beside " + row.Reference.Title() + ", on the calls that both decided. Fewer than 30 calls are marked."}}
		for i, p := range row.ByTool {
			if i == maxHTMLTools {
				t.More = len(row.ByTool) - maxHTMLTools
				break
			}
			t.Rows = append(t.Rows, toolLine{
				Tool: shorten(p.Tool, 120), Calls: p.N, OnlyPass: p.JudgeOnlyPass, OnlyFail: p.JudgeOnlyFail, Small: p.Small,
				Bars: []bar{barOf(p.JudgeRate, "bar"), barOf(p.BaseRate, "bar2")}, Agree: percent(p.Agreement),
			})
		}
		return t
	}
	return nil
}

func allFlags(flags []report.FlagRate) string {
	const most = 8
	var out []string
	for i, f := range flags {
		if i == most {
			out = append(out, fmt.Sprintf("and %d more kinds", len(flags)-most))
			break
		}
		out = append(out, fmt.Sprintf("%s %d", shorten(f.Code, 60), f.Count))
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}
