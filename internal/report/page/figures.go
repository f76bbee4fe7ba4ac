package page

import (
	"fmt"

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

func histograms(all Distributions) []histogram {
	var out []histogram
	for i := range all {
		out = append(out, drawHistogram(&all[i]))
	}
	return out
}

func drawHistogram(d *Distribution) histogram {
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
	at := map[[2]string]int{}
	for g, gold := range r.Gold() {
		m.Heads = append(m.Heads, tick{matrixNames + float64(g)*matrixCellW, document.Shorten(gold.Title(), 20)})
		for i := range r.Agreement {
			a := &r.Agreement[i]
			strict := a.Reduction == "" || a.Reduction == report.ReduceMin
			if a.Reference != gold || !strict || a.Unprinted != "" {
				continue
			}
			key := [2]string{a.Rubric, a.Judge}
			k, ok := at[key]
			if !ok {
				if k = len(m.Rows); k >= matrixRows {
					continue
				}
				at[key] = k
				m.Rows = append(m.Rows, matrixRow{Rubric: document.Shorten(a.Rubric, 34),
					Judge: document.Shorten("by "+a.Judge, 34), Y: matrixTop + float64(k)*matrixCellH})
			}
			m.Rows[k].Cells = append(m.Rows[k].Cells, newMatrixCell(a, g))
		}
	}
	m.Width = matrixNames + matrixCellW*float64(len(m.Heads))
	m.Height = matrixTop + matrixCellH*float64(len(m.Rows))
	if len(m.Rows) == 0 {
		return nil
	}
	return m
}

func newMatrixCell(a *report.AgreementRow, column int) matrixCell {
	c := matrixCell{X: matrixNames + float64(column)*matrixCellW, Class: "none", Text: document.None,
		Small: document.Shorten(a.Kappa.Why(), 22)}
	switch {
	case a.Refused != "":
		c.Small = a.Refused
	case a.Kappa.Defined():
		c.Text, c.Small = document.Fixed(*a.Kappa.Value, 2), fmt.Sprintf("n %d", a.Verdicts)
		c.Class = kappaClass(*a.Kappa.Value)
	}
	return c
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
