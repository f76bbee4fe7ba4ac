package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

func round1(f float64) float64 { return math.Round(10*f) / 10 }

// heat is the table of kappas: rubrics by references, the shorter side across.
type heat struct {
	Corner string
	Heads  []heatHead
	Rows   []heatRow
	Scale  []heatCell
	// More says what did not fit.
	More string
}

// heatHead names a row or a column; Small are further lines.
type heatHead struct {
	Name  string
	Small []string
}

type heatRow struct {
	Head  heatHead
	Cells []heatCell
}

type heatCell struct {
	Class, Text string
	Small       []string
}

// maxHeat bounds rows and columns of the heat map.
const maxHeat = 60

// heatScale are the classes of kappa by their lower ends.
var heatScale = []heatCell{
	{Class: "k0", Text: "below 0"}, {Class: "k1", Text: "0 to 0.2"}, {Class: "k2", Text: "0.2 to 0.4"}, {Class: "k3", Text: "0.4 to 0.6"}, {Class: "k4", Text: "0.6 to 0.8"}, {Class: "k5", Text: "from 0.8"},
}

func heatOf(r *report.Report, rows []compared) *heat {
	var rubrics, refs []heatHead
	rubric, ref := map[string]int{}, map[referenceKey]int{}
	cells := map[[2]int]heatCell{}
	for _, c := range rows {
		name := c.Rubric + ", " + c.Judge
		n, ok := rubric[name]
		if !ok {
			n = len(rubrics)
			rubric[name] = n
			head := heatHead{Name: shorten(c.Rubric, 60)}
			if len(r.Judges()) > 1 {
				head.Small = []string{shorten(c.Judge, 40)}
			}
			rubrics = append(rubrics, head)
		}
		k := keyOf(c.AgreementRow)
		m, ok := ref[k]
		if !ok {
			m = len(refs)
			ref[k] = m
			refs = append(refs, referenceHead(r, c))
		}
		cells[[2]int{n, m}] = heatCellOf(c.AgreementRow)
	}
	h := &heat{Scale: heatScale, Corner: "reference", Heads: rubrics}
	down, at := refs, func(row, column int) [2]int { return [2]int{column, row} }
	if len(rubrics) > len(refs) {
		h.Corner, h.Heads, down = "rubric", refs, rubrics
		at = func(row, column int) [2]int { return [2]int{row, column} }
	}
	if max(len(rubrics), len(refs)) > maxHeat {
		h.More = fmt.Sprintf("%d rubrics by %d references were compared; the first %d of each are drawn, all are in report.json.", len(rubrics), len(refs), maxHeat)
	}
	h.Heads = h.Heads[:min(len(h.Heads), maxHeat)]
	for i, head := range down[:min(len(down), maxHeat)] {
		row := heatRow{Head: head}
		for j := range h.Heads {
			cell, ok := cells[at(i, j)]
			if !ok {
				cell = heatCell{Class: "none", Text: "–"}
			}
			row.Cells = append(row.Cells, cell)
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}

// referenceHead names a reference, those with the same numbers, and its evidence strength.
func referenceHead(r *report.Report, c compared) heatHead {
	h := heatHead{Name: referenceName(c.AgreementRow, 80)}
	for i, name := range c.Same {
		if i == 3 {
			h.Small = append(h.Small, fmt.Sprintf("= %d more", len(c.Same)-i))
			break
		}
		h.Small = append(h.Small, "= "+shorten(name, 60))
	}
	s := r.Standing(c.Reference)
	word := s.Passes
	if s.Passes != s.Fails {
		word = s.Passes + " pass, " + s.Fails + " fail"
	}
	return heatHead{h.Name, append(h.Small, word)}
}

func heatCellOf(a report.AgreementRow) heatCell {
	switch {
	case a.Refused != "":
		return heatCell{"none", "refused", []string{a.Refused}}
	case !a.Kappa.Defined():
		return heatCell{"none", "–", []string{a.Kappa.Why()}}
	}
	k := *a.Kappa.Value
	class := 0
	for _, from := range []float64{0, 0.2, 0.4, 0.6, 0.8} {
		if k >= from {
			class++
		}
	}
	cell := heatCell{Class: "k" + strconv.Itoa(class), Text: mean(a.Kappa).Text, Small: []string{fmt.Sprintf("n %d", a.Verdicts)}}
	if faint(a) {
		cell.Class += " weak"
	}
	if a.SharedRules {
		cell.Small = append(cell.Small, "shared rules")
	}
	return cell
}

// faint reports whether a kappa says too little for full colour: few items, or an
// interval with 0 inside.
func faint(a report.AgreementRow) bool {
	const few = 30
	if a.Verdicts < few {
		return true
	}
	if a.Kappa.HasInterval() {
		return *a.Kappa.Low <= 0 && *a.Kappa.High >= 0
	}
	return *a.Kappa.Value <= 0
}

// whiskers is the drawing of kappas with their intervals, a group for each rubric of
// each judge.
type whiskers struct {
	Ticks  []tick
	Groups []whiskerGroup
	// More counts the rows that are not drawn.
	More int
}

// tick is a line of the scale; places are in per cent of the width.
type tick struct {
	At    float64
	Label string
	Zero  bool
}

type whiskerGroup struct {
	Title string
	// Open groups are drawn at once, the others unfold.
	Open bool
	Rows []whisker
}

// whisker is a row of the drawing.
type whisker struct {
	Label, Words     string
	At, Low, High    float64
	Interval, Hollow bool
}

// maxWhiskers bounds the rows of the drawing.
const maxWhiskers = 120

func whiskersOf(all []compared) *whiskers {
	w := &whiskers{}
	var rows []compared
	least := 0.0
	for _, c := range all {
		if !c.Kappa.Defined() {
			continue
		}
		if len(rows) == maxWhiskers {
			w.More++
			continue
		}
		rows = append(rows, c)
		least = min(least, *c.Kappa.Value)
		if c.Kappa.Low != nil {
			least = min(least, *c.Kappa.Low)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	const step = 0.25
	least = max(-1, math.Floor(least/step)*step)
	const margin = 4.0 // so that the last label is not cut
	x := func(k float64) float64 {
		return round1(margin + (min(1, max(least, k))-least)/(1-least)*(100-2*margin))
	}
	marks := map[string]string{}
	for _, c := range rows {
		w.add(whiskerOf(c, x, marks), c)
	}
	w.unfold()
	for i := math.Round(least / step); i <= 4; i++ {
		t := tick{At: x(i * step), Zero: i == 0}
		if int(i)%2 == 0 {
			t.Label = fmt.Sprintf("%.1f", i*step+0)
		}
		w.Ticks = append(w.Ticks, t)
	}
	return w
}

func whiskerOf(c compared, x func(float64) float64, marks map[string]string) whisker {
	label := shorten(c.Reference.Title(), 60) + warningMarks(c.AgreementRow, marks)
	if len(c.Same) > 0 {
		label += "⁼"
	}
	if c.Reduction != "" {
		label += " §"
	}
	out := whisker{Label: label, Words: fmt.Sprintf("%s, n %d", kappa(c.Kappa), c.Verdicts),
		At: x(*c.Kappa.Value), Interval: c.Kappa.HasInterval(), Hollow: c.SharedRules}
	if out.Interval {
		out.Low, out.High = x(*c.Kappa.Low), x(*c.Kappa.High)
	}
	if doubt := c.Doubt(); doubt != "" {
		out.Words += ", " + doubt
	}
	return out
}

func (w *whiskers) add(row whisker, c compared) {
	title := by(c.Rubric, c.Judge)
	if n := len(w.Groups); n == 0 || w.Groups[n-1].Title != title {
		w.Groups = append(w.Groups, whiskerGroup{Title: title, Open: strings.HasPrefix(c.Rubric, "overall")})
	}
	last := &w.Groups[len(w.Groups)-1]
	last.Rows = append(last.Rows, row)
}

// unfold opens all groups where none is the overall verdict.
func (w *whiskers) unfold() {
	for _, g := range w.Groups {
		if g.Open {
			return
		}
	}
	for i := range w.Groups {
		w.Groups[i].Open = true
	}
}
