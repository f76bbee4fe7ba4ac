package page

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
)

// histogram is a distribution as bars in a field of 240 by 80 units.
type histogram struct {
	Name, Words string
	Bars        []column
	Ticks       []tick
}

// column is a bar of fails with the passes and the others on it.
type column struct {
	X, Width float64
	Parts    []columnPart
}

type columnPart struct {
	Y, Height float64
	Class     string
}

func drawHistogram(d Distribution) histogram {
	const width, height = 240.0, 80.0
	h := histogram{Name: d.Name, Words: document.Count(d.N, "score", "scores") + ": "}
	most := 0
	for _, b := range d.Bins {
		most = max(most, b.all())
	}
	step := width / float64(len(d.Bins))
	fails, passes := 0, 0
	for i, b := range d.Bins {
		c := column{X: tenth(float64(i)*step + 1), Width: tenth(step - 2)}
		y := height
		for _, part := range []struct {
			n     int
			class string
		}{{b.Fails, "bad"}, {b.Passes, "good"}, {b.Others, "other"}} {
			tall := height * float64(part.n) / float64(max(1, most))
			y -= tall
			if part.n > 0 {
				c.Parts = append(c.Parts, columnPart{tenth(y), tenth(tall), part.class})
			}
		}
		fails, passes = fails+b.Fails, passes+b.Passes
		h.Bars = append(h.Bars, c)
	}
	h.Words += fmt.Sprintf("%d fail, %d pass", fails, passes)
	h.Ticks = []tick{{0, document.Short(d.Low)}, {width / 2, document.Short((d.Low + d.High) / 2)},
		{width, document.Short(d.High)}}
	return h
}

// matrix is kappa of each rubric against the references that are taken as gold.
type matrix struct {
	Heads         []tick
	Rows          []matrixRow
	Width, Height float64
}

type matrixRow struct {
	Rubric, Judge string
	Y             float64
	Cells         []matrixCell
}

type matrixCell struct {
	X           float64
	Text, Small string
	Class       string
}

// The sizes of a matrix, in units.
const (
	matrixNames = 230.0
	matrixCellW = 130.0
	matrixCellH = 44.0
	matrixTop   = 34.0
	matrixRows  = 24
)

// newMatrix is nil where no judge was compared with gold.
func newMatrix(r *report.Report) *matrix {
	m := &matrix{}
	for _, gold := range r.Gold() {
		if r.Direction(gold) == report.BothDirection {
			m.add(r, gold)
		}
	}
	m.Width = matrixNames + matrixCellW*float64(len(m.Heads))
	m.Height = matrixTop + matrixCellH*float64(len(m.Rows))
	if len(m.Rows) == 0 {
		return nil
	}
	return m
}

// add adds the column of a reference.
func (m *matrix) add(r *report.Report, gold report.Instrument) {
	x := matrixNames + matrixCellW*float64(len(m.Heads))
	m.Heads = append(m.Heads, tick{x, document.Shorten(gold.Title(), 20)})
	for i := range r.Agreement {
		a := &r.Agreement[i]
		strict := a.Reduction == "" || a.Reduction == report.ReduceMin
		if a.Reference != gold || !strict || a.Unprinted != "" {
			continue
		}
		if row := m.row(a); row != nil {
			row.Cells = append(row.Cells, newMatrixCell(a, x))
		}
	}
}

// row is the row of a rubric and its judge, nil where there are too many.
func (m *matrix) row(a *report.AgreementRow) *matrixRow {
	rubric, by := document.Shorten(a.Rubric, 34), document.Shorten("by "+a.Judge, 34)
	at := slices.IndexFunc(m.Rows, func(row matrixRow) bool { return row.Rubric == rubric && row.Judge == by })
	if at < 0 && len(m.Rows) < matrixRows {
		at = len(m.Rows)
		m.Rows = append(m.Rows, matrixRow{Rubric: rubric, Judge: by, Y: matrixTop + float64(at)*matrixCellH})
	}
	if at < 0 {
		return nil
	}
	return &m.Rows[at]
}

func newMatrixCell(a *report.AgreementRow, x float64) matrixCell {
	c := matrixCell{X: x, Class: "none", Text: document.None,
		Small: document.Shorten(a.Kappa.Why(), 22)}
	switch {
	case a.Refused != "":
		c.Small = a.Refused
	case a.Kappa.Defined():
		c.Text, c.Small = document.Fixed(*a.Kappa.Value, 2), fmt.Sprintf("n %d", a.Verdicts)
		c.Class = kappaClass(*a.Kappa.Value)
		if uncertain(a) {
			c.Class += " weak"
		}
	}
	return c
}

// uncertain reports whether a kappa says too little for full colour: few items, or an
// interval with 0 inside.
func uncertain(a *report.AgreementRow) bool {
	const few = 30
	if a.Kappa.HasInterval() {
		return a.Verdicts < few || *a.Kappa.Low <= 0 && *a.Kappa.High >= 0
	}
	return a.Verdicts < few || *a.Kappa.Value <= 0
}

// kappaClass is the colour of a kappa.
func kappaClass(kappa float64) string {
	n := 0
	for _, from := range []float64{0, 0.2, 0.4, 0.6, 0.8} {
		if kappa >= from {
			n++
		}
	}
	return fmt.Sprint("k", n)
}
