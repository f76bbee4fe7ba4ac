package render

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/report"
)

func round1(f float64) float64 { return math.Round(10*f) / 10 }

// heat is the table of kappas: rubrics by references.
type heat struct {
	Columns []string
	Rows    []heatRow
	Scale   []heatCell
	// More says what did not fit.
	More string
}

type heatRow struct {
	Name  string
	Cells []heatCell
}

type heatCell struct{ Class, Text, Small string }

// maxHeat bounds rows and columns of the heat map.
const maxHeat = 60

// heatScale are the classes of kappa by their lower ends.
var heatScale = []heatCell{
	{"k0", "below 0", ""}, {"k1", "0 to 0.2", ""}, {"k2", "0.2 to 0.4", ""}, {"k3", "0.4 to 0.6", ""}, {"k4", "0.6 to 0.8", ""}, {"k5", "from 0.8", ""},
}

// strictRow reports whether a row is drawn: of the three ways to reduce calls to
// conversations only the strictest is.
func strictRow(a report.AgreementRow) bool {
	return a.Reduction != report.ReduceMean && a.Reduction != report.ReduceShare
}

func heatOf(r *report.Report) *heat {
	h := &heat{Scale: heatScale}
	column := map[string]int{}
	row := map[string]int{}
	for _, a := range r.Agreement {
		if !strictRow(a) {
			continue
		}
		ref := a.Reference.Title()
		if a.Reduction != "" {
			ref += " §"
		}
		c, ok := column[ref]
		if !ok {
			c = len(h.Columns)
			column[ref] = c
			h.Columns = append(h.Columns, shorten(ref, 80))
		}
		name := a.Rubric + ", " + a.Judge
		n, ok := row[name]
		if !ok {
			n = len(h.Rows)
			row[name] = n
			h.Rows = append(h.Rows, heatRow{Name: shorten(a.Rubric, 60) + ", " + shorten(a.Judge, 40)})
		}
		cells := &h.Rows[n].Cells
		for len(*cells) <= c {
			*cells = append(*cells, heatCell{Class: "none", Text: "–"})
		}
		(*cells)[c] = heatCellOf(a)
	}
	if len(h.Rows) == 0 {
		return nil
	}
	if len(h.Rows) > maxHeat || len(h.Columns) > maxHeat {
		h.More = fmt.Sprintf("%d rubrics by %d references were compared; the first %d of each are drawn, all are in report.json.", len(h.Rows), len(h.Columns), maxHeat)
	}
	h.Columns = h.Columns[:min(len(h.Columns), maxHeat)]
	h.Rows = h.Rows[:min(len(h.Rows), maxHeat)]
	for i := range h.Rows {
		cells := h.Rows[i].Cells
		for len(cells) < len(h.Columns) {
			cells = append(cells, heatCell{Class: "none", Text: "–"})
		}
		h.Rows[i].Cells = cells[:len(h.Columns)]
	}
	return h
}

func heatCellOf(a report.AgreementRow) heatCell {
	switch {
	case a.Refused != "":
		return heatCell{"none", "refused", a.Refused}
	case !a.Kappa.Defined():
		return heatCell{"none", "–", a.Kappa.Reason}
	}
	k := *a.Kappa.Value
	class := 0
	for _, from := range []float64{0, 0.2, 0.4, 0.6, 0.8} {
		if k >= from {
			class++
		}
	}
	small := fmt.Sprintf("n %d", a.Verdicts)
	if a.SharedRules {
		small += ", shared rules"
	}
	return heatCell{fmt.Sprintf("k%d", class), number(a.Kappa), small}
}

// whiskers is the drawing of kappas with their intervals.
type whiskers struct {
	Width, Height, Floor, Base, TextX float64
	Ticks                             []tick
	Rows                              []whisker
	// Notes explain the marks; More counts the rows that are not drawn.
	Notes []string
	More  int
	Table []tableRow
	// Untold counts the rows that are not in the table.
	Untold int
}

type tick struct {
	X     float64
	Label string
	Zero  bool
}

// whisker is a row of the drawing; one with a Group is a heading.
type whisker struct {
	Group, Label, Words string
	Y, TextY            float64
	X, Low, High        float64
	Interval, Hollow    bool
}

// tableRow is a row of the table behind the drawing.
type tableRow struct {
	report.AgreementRow
	Marks string
}

const (
	maxWhiskers  = 60
	maxTableRows = 500
	whiskerLeft  = 270.0
	whiskerRight = 590.0
	whiskerRow   = 21.0
	whiskerTop   = 14.0
)

func whiskersOf(r *report.Report) *whiskers {
	var rows []report.AgreementRow
	w := &whiskers{Width: 830, TextX: whiskerRight + 20}
	least := 0.0
	for _, a := range r.Agreement {
		if !strictRow(a) || !a.Kappa.Defined() {
			continue
		}
		if len(rows) == maxWhiskers {
			w.More++
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
	marks := map[string]string{}
	y, group := whiskerTop, ""
	for _, a := range rows {
		if g := a.Rubric + " by " + a.Judge; g != group {
			group = g
			y += 4
			w.Rows = append(w.Rows, whisker{Group: shorten(a.Rubric, 60) + " by " + shorten(a.Judge, 40), TextY: y + 4})
			y += whiskerRow
		}
		label := shorten(a.Reference.Title(), 30) + warningMarks(a, marks)
		if a.Reduction != "" {
			label += " §"
		}
		row := whisker{Label: label, Words: fmt.Sprintf("%s  n %d", mean(a.Kappa.Clipped(-1, 1)), a.Verdicts),
			Y: y, TextY: y + 4, X: x(*a.Kappa.Value), Interval: a.Kappa.HasInterval(), Hollow: a.SharedRules}
		if row.Interval {
			row.Low, row.High = x(*a.Kappa.Low), x(*a.Kappa.High)
		}
		w.Rows = append(w.Rows, row)
		y += whiskerRow
	}
	w.Floor = y - 8
	w.Base, w.Height = w.Floor+16, w.Floor+24
	for i := math.Round(least / step); i <= 5; i++ {
		w.Ticks = append(w.Ticks, tick{X: x(i * step), Label: fmt.Sprintf("%.1f", i*step+0), Zero: i == 0})
	}
	w.table(r, marks)
	for _, m := range markOrder {
		if why, ok := marks[m.mark]; ok {
			w.Notes = append(w.Notes, m.mark+" "+why)
		}
	}
	return w
}

func (w *whiskers) table(r *report.Report, marks map[string]string) {
	for i, a := range r.Agreement {
		if i == maxTableRows {
			w.Untold = len(r.Agreement) - maxTableRows
			break
		}
		w.Table = append(w.Table, tableRow{a, warningMarks(a, marks)})
	}
}
