package render

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

// toolTable sets a judge's pass rates by tool beside the reference's.
type toolTable struct {
	Title, Judge, Reference string
	// Gold says what the reference's word is worth.
	Gold string
	Rows []toolLine
	More int
	// Open tables are shown at once, the others unfold.
	Open bool
}

type toolLine struct {
	Tool                      string
	Calls, OnlyPass, OnlyFail int
	Small                     bool
	Bars                      []bar
	Agree, Kappa              report.Estimate
}

const (
	maxHTMLTools      = 60
	maxHTMLToolTables = 12
)

// toolsOf shows the headline comparison of each judge that has one.
func toolsOf(r *report.Report) []toolTable {
	var out []toolTable
	for _, judge := range r.Judges() {
		row, ok := r.Headline(judge, report.CallLevel)
		if !ok || len(row.ByTool) == 0 || len(out) == maxHTMLToolTables {
			continue
		}
		t := toolTable{
			Judge: judge, Reference: row.Reference.Title(), Open: len(out) == 0,
			Title: fmt.Sprintf("%s by %s against %s", shorten(row.Rubric, 60), shorten(judge, 40), shorten(row.Reference.Title(), 60)),
			Gold:  shorten(row.Reference.Title(), 60) + ", " + r.Standing(row.Reference).Words(),
		}
		for i, p := range row.ByTool {
			if i == maxHTMLTools {
				t.More = len(row.ByTool) - maxHTMLTools
				break
			}
			t.Rows = append(t.Rows, toolLine{
				Tool: shorten(p.Tool, 120), Calls: p.N, OnlyPass: p.JudgeOnlyPass, OnlyFail: p.JudgeOnlyFail, Small: p.Small,
				Bars: []bar{barOf(p.JudgeRate, "bar"), barOf(p.BaseRate, "bar2")}, Agree: p.Agreement, Kappa: p.Kappa.Clipped(-1, 1),
			})
		}
		out = append(out, t)
	}
	return out
}

// estimateText is an estimate whose parts stay whole where a line breaks.
type estimateText struct{ Value, Range string }

func meanText(e report.Estimate) estimateText {
	return estimateParts(mean(e))
}

func rateText(e report.Estimate) estimateText {
	return estimateParts(rate(e))
}

func kappaText(e report.Estimate) estimateText {
	return estimateParts(mean(e.Clipped(-1, 1)))
}

func estimateParts(text string) estimateText {
	value, ends, ok := strings.Cut(text, " [")
	if !ok {
		return estimateText{Value: value}
	}
	return estimateText{Value: value, Range: "[" + ends}
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
