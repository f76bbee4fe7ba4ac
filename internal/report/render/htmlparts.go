package render

import (
	"fmt"
	"math"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

func round1(f float64) float64 { return math.Round(10*f) / 10 }

// whiskers is the drawing of kappas with their intervals.
type whiskers struct {
	Width, Height, Floor, Base float64
	Ticks                      []tick
	Rows                       []whisker
	Table                      []report.AgreementRow
}

type tick struct {
	X     float64
	Label string
	Zero  bool
}

type whisker struct {
	Label        string
	Y, TextY     float64
	X, Low, High float64
	Interval     bool
}

const (
	maxWhiskers  = 60
	whiskerLeft  = 430.0
	whiskerRight = 800.0
	whiskerRow   = 22.0
)

func whiskersOf(r *report.Report) *whiskers {
	var rows []report.AgreementRow
	least := 0.0
	for _, a := range r.Agreement {
		if a.Reduction == report.ReduceMean || a.Reduction == report.ReduceShare || !a.Kappa.Defined() || len(rows) == maxWhiskers {
			continue
		}
		rows = append(rows, a)
		least = min(least, *a.Kappa.Value)
		if a.Kappa.Low != nil {
			least = min(least, *a.Kappa.Low)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	const step = 0.2
	least = max(-1, math.Floor(least/step)*step)
	x := func(k float64) float64 {
		return round1(whiskerLeft + (min(1, max(least, k))-least)/(1-least)*(whiskerRight-whiskerLeft))
	}
	w := &whiskers{Width: whiskerRight + 30, Table: r.Agreement}
	for i, a := range rows {
		y := 24 + whiskerRow*float64(i)
		label := a.Rubric + " · " + a.Judge + " · " + a.Reference.Title()
		row := whisker{Label: shorten(label, 62), Y: y, TextY: y + 4, X: x(*a.Kappa.Value), Interval: a.Kappa.HasInterval()}
		if row.Interval {
			row.Low, row.High = x(*a.Kappa.Low), x(*a.Kappa.High)
		}
		w.Rows = append(w.Rows, row)
	}
	w.Floor = 24 + whiskerRow*float64(len(rows)) - 8
	w.Base, w.Height = w.Floor+16, w.Floor+24
	for i := math.Round(least / step); i <= 5; i++ {
		w.Ticks = append(w.Ticks, tick{X: x(i * step), Label: fmt.Sprintf("%.1f", i*step+0), Zero: i == 0})
	}
	if len(w.Table) > 500 {
		w.Table = w.Table[:500]
	}
	return w
}

// reliability is the diagram of one judge's confidence.
type reliability struct {
	Title  string
	Points []dot
	Lines  []string
}

type dot struct{ X, Y, R float64 }

func reliabilityOf(r *report.Report) []reliability {
	var out []reliability
	for _, judge := range r.Judges() {
		row, ok := r.Headline(judge, report.CallLevel)
		if !ok || row.Confidence == nil {
			continue
		}
		c := row.Confidence
		d := reliability{Title: fmt.Sprintf("%s by %s against %s", shorten(row.Rubric, 60), shorten(judge, 40), shorten(row.Reference.Title(), 60))}
		for _, b := range c.Bins {
			d.Points = append(d.Points, dot{X: round1(60 + 300*b.Confidence), Y: round1(220 - 200*b.Accuracy), R: round1(3 + 9*math.Sqrt(float64(b.N)/float64(c.N)))})
		}
		d.Lines = []string{
			fmt.Sprintf("n = %d verdicts", c.N), "AUC " + mean(c.AUC) + " (0.5: confidence says nothing)",
			"ECE " + number(c.ECE), "Brier " + number(c.Brier), "overconfidence " + number(c.Overconfidence),
		}
		out = append(out, d)
	}
	return out
}

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

// htmlDisagreement is one entry of the queue.
type htmlDisagreement struct {
	Rank         int
	Where, Words string
	Sides        []htmlSide
}

type htmlSide struct {
	Who, Verdict, Class, Numbers      string
	Explanation, Evidence, Correction string
}

// The page is bounded: each text, and all of them together, in characters. What
// does not fit is counted, not dropped in silence.
const (
	maxHTMLText  = 1500
	maxHTMLTexts = 1_500_000
)

func htmlDisagreements(r *report.Report) (out []htmlDisagreement, unlisted int) {
	spent := 0
	for i, d := range r.Disagreements.Items {
		if spent > maxHTMLTexts {
			return out, r.Disagreements.Total - i
		}
		h := htmlDisagreement{Rank: d.Rank, Where: whereabouts(d), Words: cut(verdictLine(d), 300)}
		for _, s := range d.Judgements {
			h.Sides = append(h.Sides, htmlSideOf(s, d.Judge))
		}
		for _, s := range d.References {
			h.Sides = append(h.Sides, htmlSideOf(s, ""))
		}
		for _, s := range h.Sides {
			const markup = 200
			spent += markup + len(s.Explanation) + len(s.Evidence) + len(s.Correction)
		}
		out = append(out, h)
	}
	return out, r.Disagreements.Total - len(out)
}

func htmlSideOf(s report.Side, judge string) htmlSide {
	h := htmlSide{Who: cut(s.Name, 120), Numbers: sideValue(s) + confidenceWords(s), Explanation: cut(s.Explanation, maxHTMLText), Evidence: cut(s.Evidence, maxHTMLText)}
	if judge != "" {
		h.Who += " by " + cut(judge, 80)
	}
	if s.CallIndex != nil {
		h.Numbers += fmt.Sprintf(", decided by call %d", *s.CallIndex)
	}
	if s.Passed != nil {
		h.Verdict, h.Class = "fails", "fail"
		if *s.Passed {
			h.Verdict, h.Class = "passes", "pass"
		}
	}
	if len(s.Flags) > 0 {
		h.Numbers += ", flags: " + cut(strings.Join(s.Flags, ", "), 200)
	}
	if !s.Correction.IsNull() && s.Correction.Len() > 0 {
		h.Correction = cut(s.Correction.JSON(), maxHTMLText)
	}
	return h
}
