package assembly

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/judgekit/judge/internal/report"
)

func TestScatterFoldsIntoAGrid(t *testing.T) {
	var s report.Scatter
	s.XMax, s.YMin, s.YMax = 1, 1, 5
	var values []pair
	for i := range 5000 {
		values = append(values, point(float64(i%101)/100, 1+4*float64(i%97)/96))
	}
	fillPoints(&s, values)
	total := 0
	for i, p := range s.Points {
		total += p.N
		if p.X < 0 || p.X > 1 || p.Y < 1 || p.Y > 5 {
			t.Errorf("point %+v lies outside", p)
		}
		if i > 0 && (s.Points[i-1].X > p.X || s.Points[i-1].X == p.X && s.Points[i-1].Y >= p.Y) {
			t.Errorf("point %d is out of order", i)
		}
	}
	if s.Grid != gridCells || total != 5000 || len(s.Points) > gridCells*gridCells {
		t.Errorf("grid %d, %d conversations in %d cells", s.Grid, total, len(s.Points))
	}
	few := report.Scatter{XMax: 1, YMin: 1, YMax: 5}
	var four []pair
	for _, p := range [][2]float64{{0, 1}, {1, 5}, {1, 5}, {0.5, 3.75}} {
		four = append(four, point(p[0], p[1]))
	}
	fillPoints(&few, four)
	want := []report.ScatterPoint{{X: 0, Y: 1, N: 1}, {X: 0.5, Y: 3.75, N: 1}, {X: 1, Y: 5, N: 2}}
	if diff := cmp.Diff(want, few.Points); diff != "" || few.Grid != 0 {
		t.Errorf("grid %d (-want +got):\n%s", few.Grid, diff)
	}
}

// point is what a reference and a judge say of one conversation.
func point(ref, judge float64) pair {
	return pair{judge: observation{cell: cell{value: judge}}, ref: observation{cell: cell{value: ref}}}
}
