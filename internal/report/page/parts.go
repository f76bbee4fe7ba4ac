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

// kindOf returns the type of a part, as words.Heading.
func kindOf(p words.Part) string { return fmt.Sprintf("%T", p) }

// shownRows are the rows that the page shows; More says how many it does not.
func shownRows(t *words.Table) (shown struct {
	Rows []words.Row
	More string
}) {
	shown.Rows, shown.More = t.Shown(maxRows)
	return shown
}

// cellClass returns the class of the cells of a column.
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

// headClass returns the class of the head of a column: heads over numbers may break, and the
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

// units returns a share as a length of a drawing in which 1 is full units long.
func units(full, share float64) float64 { return tenth(full * min(1, max(0, share))) }

// tenth rounds a length to one decimal.
func tenth(f float64) float64 { return math.Round(10*f) / 10 }
