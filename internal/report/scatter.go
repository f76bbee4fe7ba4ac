package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/crosstab"
)

// Scatter sets the values of one judge's rubric against those of one reference,
// conversation by conversation; calls are reduced to their mean.
type Scatter struct {
	Judge     string     `json:"judge"`
	Rubric    string     `json:"rubric"`
	Reference Instrument `json:"reference"`
	// N conversations are scored by both.
	N int `json:"n"`
	// The axes: the reference's values lie in XMin..XMax, the judge's in YMin..YMax.
	XMin float64 `json:"x_min"`
	XMax float64 `json:"x_max"`
	YMin float64 `json:"y_min"`
	YMax float64 `json:"y_max"`
	// Spearman is the rank correlation of the two.
	Spearman Estimate `json:"spearman"`
	// Pass is the lower end of the rubric's pass band, nil where it has none.
	Pass *float64 `json:"pass,omitempty"`
	// Grid is 0 where Points are the values themselves; else they are the middles of
	// the cells of a grid with so many columns and rows, and cells without a
	// conversation are left out.
	Grid   int            `json:"grid,omitempty"`
	Points []ScatterPoint `json:"points"`
}

// ScatterPoint is a place where N conversations lie.
type ScatterPoint struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	N int     `json:"n"`
}

const (
	// maxPoints is how many different points are listed before a grid takes their
	// place, gridCells the columns and rows of the grid.
	maxPoints = 300
	gridCells = 24
	// scattersEach and maxScatters bound the pairs of one judge and of a report.
	scattersEach = 4
	maxScatters  = 12
)

// scatters draws each judge's headline rubric against the references whose values
// are graded, before those with only two.
func (b *matcher) scatters(r *Report) error {
	for _, judge := range r.Judges() {
		row, ok := r.Headline(judge, "")
		if !ok {
			continue
		}
		var of []Scatter
		for _, sr := range b.mainSeries(isJudge) {
			if sr.Judge == judge && sr.Title() == row.Rubric {
				for _, ref := range b.mainSeries(isReference) {
					s, err := b.scatter(sr, ref)
					if err != nil {
						return fmt.Errorf("scatter of %s against %s: %w", sr.Title(), ref.Title(), err)
					}
					if s.N > 0 {
						of = append(of, s)
					}
				}
				break
			}
		}
		graded := func(s Scatter) int {
			for _, p := range s.Points {
				if p.X != s.XMin && p.X != s.XMax {
					return 0
				}
			}
			return 1
		}
		slices.SortStableFunc(of, func(x, y Scatter) int {
			return cmp.Or(cmp.Compare(graded(x), graded(y)), cmp.Compare(r.Rank(x.Reference), r.Rank(y.Reference)))
		})
		of = of[:min(len(of), scattersEach, maxScatters-len(r.Scatters))]
		r.Scatters = append(r.Scatters, of...)
	}
	return nil
}

// scatter draws one pair; N is 0 where there is nothing to draw.
func (b *matcher) scatter(judge, ref *series) (Scatter, error) {
	if b.circular(judge, ref) {
		return Scatter{}, nil
	}
	s := Scatter{Judge: judge.Judge, Rubric: judge.Title(), Reference: ref.Instrument}
	if judge.Level == CallLevel {
		judge = b.reduced(judge, ReduceMean)
	}
	if ref.Level == CallLevel {
		ref = b.reduced(ref, ReduceMean)
	}
	var values crosstab.Table // of the reference, the judge
	pairing{b.table, ConversationLevel, judge, ref}.both(func(j, r observation) { values.Add(r.Value, j.Value) })
	if s.N = values.N(); s.N == 0 {
		return Scatter{}, nil
	}
	s.Spearman = point(values.Spearman())
	s.XMin, s.XMax, s.YMin, s.YMax = 0, 1, 0, 1
	if rubric, ok := b.scale[judge.Name]; ok && judge.Metric == "" {
		if rubric.Min < rubric.Max {
			s.YMin, s.YMax = rubric.Min, rubric.Max
		}
		s.Pass = rubric.Low
	}
	for _, c := range values.Cells() {
		s.XMin, s.XMax = min(s.XMin, c.X), max(s.XMax, c.X)
		s.YMin, s.YMax = min(s.YMin, c.Y), max(s.YMax, c.Y)
	}
	fill(&s, &values)
	return s, nil
}

// fill counts the points, on a grid where they are too many.
func fill(s *Scatter, values *crosstab.Table) {
	const fine = 10_000
	counts := count2D(s, values, fine)
	if len(counts) > maxPoints {
		s.Grid = gridCells
		counts = count2D(s, values, gridCells)
	}
	for at, n := range counts {
		p := ScatterPoint{N: n}
		if s.Grid > 0 {
			p.X = s.XMin + (float64(at[0])+0.5)/gridCells*(s.XMax-s.XMin)
			p.Y = s.YMin + (float64(at[1])+0.5)/gridCells*(s.YMax-s.YMin)
		} else {
			p.X = s.XMin + float64(at[0])/fine*(s.XMax-s.XMin)
			p.Y = s.YMin + float64(at[1])/fine*(s.YMax-s.YMin)
		}
		p.X, p.Y = *rounded(p.X), *rounded(p.Y)
		s.Points = append(s.Points, p)
	}
	slices.SortFunc(s.Points, func(a, b ScatterPoint) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
}

// count2D counts points by their place on a grid. The fine grid has its points on the
// lines, so that round values stay round; the coarse one between them.
func count2D(s *Scatter, values *crosstab.Table, cells int) map[[2]int]int {
	counts := map[[2]int]int{}
	at := func(v, low, high float64) int {
		share := (v - low) / (high - low)
		if cells == gridCells {
			return min(int(share*float64(cells)), cells-1)
		}
		return int(math.Round(share * float64(cells)))
	}
	for _, c := range values.Cells() {
		counts[[2]int{at(c.X, s.XMin, s.XMax), at(c.Y, s.YMin, s.YMax)}] += c.N
	}
	return counts
}
