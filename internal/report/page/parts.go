package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/judgekit/judge/internal/report/words"
)

const (
	// maxCell bounds the cells of a table, in characters, maxRows its rows.
	maxCell = 300
	maxRows = 500
)

// kindOf is the type of a part, as words.Heading.
func kindOf(p words.Part) string { return fmt.Sprintf("%T", p) }

// shownRows are the rows that the page shows; More says how many it does not.
func shownRows(t *words.Table) (shown struct {
	Rows []words.Row
	More string
}) {
	shown.Rows, shown.More = t.Shown(maxRows)
	return shown
}

// cellClass is the class of the cells of a column.
func cellClass(t *words.Table, column int) string {
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
func headClass(t *words.Table, column int) string {
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

// along is a position on a line that begins at from.
func along(from, length, share float64) float64 { return tenth(from + length*share) }

// radius returns the radius of a dot that stands for n things in a plot.
func radius(p words.Plot, n int) float64 {
	all := 0
	for _, at := range p.Points {
		all += at.N
	}
	return tenth(2.5 + 9*math.Sqrt(float64(n)/float64(all)))
}

// quarters returns the marks of a scale from 0 to 1.
func quarters() []float64 { return []float64{0, 0.25, 0.5, 0.75, 1} }
