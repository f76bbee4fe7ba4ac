package assembly

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/report"
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
func (b *Builder) scatters(r *report.Report) error {
	refs, judges := b.references(), b.judges()
	for _, judge := range r.Judges() {
		row, _ := r.Headline(judge, "")
		at := slices.IndexFunc(judges, func(sr *series) bool { return sr.Judge == judge && sr.Title() == row.Rubric })
		if at < 0 {
			continue
		}
		var of []report.Scatter
		for _, ref := range refs {
			s, err := b.scatter(judges[at], ref)
			if err != nil {
				return fmt.Errorf("scatter of %s against %s: %w", row.Rubric, ref.Title(), err)
			}
			if s.N > 0 {
				of = append(of, s)
			}
		}
		twoValues := func(s report.Scatter) float64 {
			between := func(p report.ScatterPoint) bool { return p.X != s.XMin && p.X != s.XMax }
			return oneIf(!slices.ContainsFunc(s.Points, between))
		}
		slices.SortStableFunc(of, func(x, y report.Scatter) int {
			return cmp.Or(cmp.Compare(twoValues(x), twoValues(y)), cmp.Compare(r.Rank(x.Reference), r.Rank(y.Reference)))
		})
		of = of[:min(len(of), scattersEach, maxScatters-len(r.Scatters))]
		r.Scatters = append(r.Scatters, of...)
	}
	return nil
}

// scatter draws one pair; N is 0 where there is nothing to draw.
func (b *Builder) scatter(judge, ref *series) (s report.Scatter, err error) {
	if b.circular(judge, ref) {
		return s, nil
	}
	s = report.Scatter{Judge: judge.Judge, Rubric: judge.Title(), Reference: ref.Instrument, XMax: 1, YMax: 1}
	if judge.Level == report.CallLevel {
		judge = b.reduced(judge, report.ReduceMean)
	}
	if ref.Level == report.CallLevel {
		ref = b.reduced(ref, report.ReduceMean)
	}
	all := without(b.pairs(judge, ref), func(p pair) bool { return !p.scored() })
	if s.N = len(all); s.N == 0 {
		return s, nil
	}
	ranks, err := raters.Correlate(asked(all, refValue), asked(all, judgeValue), b.Alpha)
	if err != nil {
		return s, err
	}
	s.Spearman = report.Point(ranks.Spearman)
	if rubric, ok := b.scale[judge.Name]; ok && judge.Metric == "" {
		if rubric.Min < rubric.Max {
			s.YMin, s.YMax = rubric.Min, rubric.Max
		}
		s.Pass = rubric.Low
	}
	for _, p := range all {
		s.XMin, s.XMax = min(s.XMin, p.ref.value), max(s.XMax, p.ref.value)
		s.YMin, s.YMax = min(s.YMin, p.judge.value), max(s.YMax, p.judge.value)
	}
	if math.IsInf(s.XMax-s.XMin, 0) || math.IsInf(s.YMax-s.YMin, 0) {
		return report.Scatter{}, nil // no frame holds them
	}
	fillPoints(&s, all)
	return s, nil
}

// fillPoints counts the points, on a grid where they are too many. The fine grid has its
// points on the lines, so that round values stay round; the coarse one between them.
func fillPoints(s *report.Scatter, all []pair) {
	const fine = 10_000
	round := func(share float64) float64 { return math.Round(share*fine) / fine }
	counts := countPoints(s, all, round)
	if len(counts) > maxPoints {
		s.Grid = gridCells
		counts = countPoints(s, all, func(share float64) float64 {
			return (min(math.Floor(share*gridCells), gridCells-1) + 0.5) / gridCells
		})
	}
	for at, n := range counts {
		x, y := s.XMin+at[0]*(s.XMax-s.XMin), s.YMin+at[1]*(s.YMax-s.YMin)
		s.Points = append(s.Points, report.ScatterPoint{X: *report.Rounded(x), Y: *report.Rounded(y), N: n})
	}
	slices.SortFunc(s.Points, func(a, b report.ScatterPoint) int {
		return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y))
	})
}

// countPoints counts points by their place in the frame, in shares of its sides that are
// put on a grid.
func countPoints(s *report.Scatter, all []pair, grid func(share float64) float64) map[[2]float64]int {
	counts := map[[2]float64]int{}
	for _, p := range all {
		x := grid((p.ref.value - s.XMin) / (s.XMax - s.XMin))
		y := grid((p.judge.value - s.YMin) / (s.YMax - s.YMin))
		counts[[2]float64{x, y}]++
	}
	return counts
}
