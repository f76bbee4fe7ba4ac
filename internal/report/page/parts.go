package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/judgekit/judge/internal/report/document"
)

const (
	// maxCell bounds the cells of a table, in characters, maxRows its rows.
	maxCell = 300
	maxRows = 500
)

// kindOf is the type of a part, as document.Heading.
func kindOf(p document.Part) string { return fmt.Sprintf("%T", p) }

// shownRows are the rows that the page shows; More says how many it does not.
func shownRows(t *document.Table) (shown struct {
	Rows []document.Row
	More string
}) {
	shown.Rows, shown.More = t.Shown(maxRows)
	return shown
}

// cellClass is the class of the cells of a column.
func cellClass(t *document.Table, column int) string {
	switch t.Kinds[column] {
	case 'r', 'R':
		return "n"
	case 'e', 'i':
		return "e"
	case 'b':
		return "drawn"
	}
	return "t"
}

// headClass is the class of the head of a column: heads over numbers may break, and the
// first column is names whatever its kind.
func headClass(t *document.Table, column int) string {
	if column == 0 {
		return "t"
	}
	if class := cellClass(t, column); class != "n" {
		return class
	}
	return "n r"
}

// verdictClass colours a line that begins with its verdict.
func verdictClass(line string) string {
	word, _, _ := strings.Cut(line, " ")
	return map[string]string{"pass": pass, "passes": pass, "FAIL": fail, "fails": fail}[word]
}

// units is a share as a length of a drawing in which 1 is full units long.
func units(full, share float64) float64 { return tenth(full * min(1, max(0, share))) }

// tenth rounds a length to one decimal.
func tenth(f float64) float64 { return math.Round(10*f) / 10 }

// drawnPlot is a plot whose square begins at 52, 26 and is 240 units wide and high.
type drawnPlot struct {
	document.Plot
	XTicks, YTicks []tick
	Dots           []dot
}

type tick struct {
	At    float64
	Label string
}

type dot struct{ X, Y, R float64 }

func drawPlot(p document.Plot) drawnPlot {
	const left, bottom, side = 52.0, 266.0, 240.0
	d := drawnPlot{Plot: p}
	for _, v := range []float64{0, 0.25, 0.5, 0.75, 1} {
		d.XTicks = append(d.XTicks, tick{left + side*v, document.Short(v)})
		d.YTicks = append(d.YTicks, tick{bottom - side*v, document.Short(v)})
	}
	all := 0
	for _, at := range p.Points {
		all += at.N
	}
	for _, at := range p.Points {
		radius := 2.5 + 9*math.Sqrt(float64(at.N)/float64(all))
		d.Dots = append(d.Dots, dot{tenth(left + side*at.X), tenth(bottom - side*at.Y), tenth(radius)})
	}
	return d
}
