package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/judgekit/judge/internal/report/words"
)

const (
	// maxCell limits a table cell, in characters; maxRows limits a table's rows.
	maxCell = 300
	maxRows = 500
)

// kindOf returns the type of a part, for example words.Heading.
func kindOf(p words.Part) string { return fmt.Sprintf("%T", p) }

// shownRows returns the rows that the page shows; More counts the others.
func shownRows(t *words.Table) (shown struct {
	Rows []words.Row
	More string
}) {
	shown.Rows, shown.More = t.Shown(maxRows)
	return shown
}

// cellClass returns the CSS class of a column's cells.
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

// headClass returns the CSS class of a column's head. Heads over numbers may wrap; the first column
// holds names, whatever its kind.
func headClass(t *words.Table, column int) string {
	if column == 0 {
		return "t"
	}
	if class := cellClass(t, column); class != "n" {
		return class
	}
	return "n r"
}

// verdictClass returns the CSS class for a line that begins with its verdict.
func verdictClass(line string) string {
	word, _, _ := strings.Cut(line, " ")
	return map[string]string{"pass": pass, "passes": pass, "FAIL": fail, "fails": fail}[word]
}

// units converts a share in 0..1 to a length in 0..full, in the units of a drawing.
func units(full, share float64) float64 { return tenth(full * min(1, max(0, share))) }

// tenth rounds a length to one decimal.
func tenth(f float64) float64 { return math.Round(10*f) / 10 }
