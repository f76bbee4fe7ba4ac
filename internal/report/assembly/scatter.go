package assembly

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
)

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
func (b *builder) scatters(r *report.Report) error {
	for _, judge := range r.Judges() {
		row, ok := r.Headline(judge, "")
		if !ok {
			continue
		}
		var of []report.Scatter
		for _, sr := range b.Main(series.IsJudge) {
			if sr.Judge == judge && sr.Title() == row.Rubric {
				for _, ref := range b.Main(series.IsReference) {
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
		graded := func(s report.Scatter) int {
			for _, p := range s.Points {
				if p.X != s.XMin && p.X != s.XMax {
					return 0
				}
			}
			return 1
		}
		slices.SortStableFunc(of, func(x, y report.Scatter) int {
			return cmp.Or(cmp.Compare(graded(x), graded(y)), cmp.Compare(r.Rank(x.Reference), r.Rank(y.Reference)))
		})
		of = of[:min(len(of), scattersEach, maxScatters-len(r.Scatters))]
		r.Scatters = append(r.Scatters, of...)
	}
	return nil
}

// scatter draws one pair; N is 0 where there is nothing to draw.
func (b *builder) scatter(judge, ref *series.Series) (report.Scatter, error) {
	if b.Circular(judge, ref) {
		return report.Scatter{}, nil
	}
	s := report.Scatter{Judge: judge.Judge, Rubric: judge.Title(), Reference: ref.Instrument}
	if judge.Level == report.CallLevel {
		judge = b.Reduced(judge, report.ReduceMean)
	}
	if ref.Level == report.CallLevel {
		ref = b.Reduced(ref, report.ReduceMean)
	}
	all := pairsOf(series.Pairing{Items: b.Table.Items, Level: report.ConversationLevel, Judge: judge, Ref: ref}).both
	if s.N = len(all); s.N == 0 {
		return report.Scatter{}, nil
	}
	ranks, err := raters.Correlate(column(all, refValue), column(all, judgeValue), b.Alpha)
	if err != nil {
		return s, err
	}
	s.Spearman = report.Point(ranks.Spearman)
	s.XMin, s.XMax, s.YMin, s.YMax = 0, 1, 0, 1
	if rubric, ok := b.Scale[judge.Name]; ok && judge.Metric == "" {
		if rubric.Min < rubric.Max {
			s.YMin, s.YMax = rubric.Min, rubric.Max
		}
		s.Pass = rubric.Low
	}
	for _, p := range all {
		s.XMin, s.XMax = min(s.XMin, p.Ref.Value), max(s.XMax, p.Ref.Value)
		s.YMin, s.YMax = min(s.YMin, p.Judge.Value), max(s.YMax, p.Judge.Value)
	}
	fillPoints(&s, all)
	return s, nil
}

// fillPoints counts the points, on a grid where they are too many.
func fillPoints(s *report.Scatter, all []series.Pair) {
	const fine = 10_000
	counts := count2D(s, all, fine)
	if len(counts) > maxPoints {
		s.Grid = gridCells
		counts = count2D(s, all, gridCells)
	}
	for at, n := range counts {
		p := report.ScatterPoint{N: n}
		if s.Grid > 0 {
			p.X = s.XMin + (float64(at[0])+0.5)/gridCells*(s.XMax-s.XMin)
			p.Y = s.YMin + (float64(at[1])+0.5)/gridCells*(s.YMax-s.YMin)
		} else {
			p.X = s.XMin + float64(at[0])/fine*(s.XMax-s.XMin)
			p.Y = s.YMin + float64(at[1])/fine*(s.YMax-s.YMin)
		}
		p.X, p.Y = *report.Rounded(p.X), *report.Rounded(p.Y)
		s.Points = append(s.Points, p)
	}
	slices.SortFunc(s.Points, func(a, b report.ScatterPoint) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
}

// count2D counts points by their place on a grid. The fine grid has its points on the
// lines, so that round values stay round; the coarse one between them.
func count2D(s *report.Scatter, all []series.Pair, cells int) map[[2]int]int {
	counts := map[[2]int]int{}
	at := func(v, low, high float64) int {
		share := (v - low) / (high - low)
		if cells == gridCells {
			return min(int(share*float64(cells)), cells-1)
		}
		return int(math.Round(share * float64(cells)))
	}
	for _, p := range all {
		counts[[2]int{at(p.Ref.Value, s.XMin, s.XMax), at(p.Judge.Value, s.YMin, s.YMax)}]++
	}
	return counts
}
