package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/judgekit/judge/internal/report/columns"
	"github.com/judgekit/judge/internal/value"
)

const (
	defaultWidth = 100
	leastWidth   = 60
	leastCell    = 12
	leastFirst   = 20
	maxCell      = 60
)

// Text writes the report for a terminal.
func Text(w io.Writer, r *columns.Report, cfg Config) error {
	width := cfg.Width
	if width == 0 {
		width = defaultWidth
	}
	width = max(width, leastWidth)
	var b strings.Builder
	for i, one := range newPage(r, cfg).blocks {
		switch {
		case one.heading != "":
			if i > 0 {
				b.WriteByte('\n')
			}
			line := visible(one.heading)
			if cfg.Color {
				line = text.Bold.Sprint(line)
			}
			b.WriteString(line + "\n")
		case one.note != "":
			for _, line := range wrap(visible(one.note), width-2) {
				b.WriteString("  " + line + "\n")
			}
		default:
			one.grid.write(&b, width-2)
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write text: %w", err)
	}
	return nil
}

// write lays a table out. Where a line is too wide the last column is wrapped, and
// if that is not enough the first one is cut.
func (g *grid) write(b *strings.Builder, width int) {
	rows := make([][]string, 0, len(g.rows)+1)
	for _, row := range append([][]string{g.header}, g.rows...) {
		cells := make([]string, len(row))
		for k, cell := range row {
			cells[k] = cut(visible(cell), maxCell)
			if k == len(row)-1 {
				cells[k] = visible(cell)
			}
		}
		rows = append(rows, cells)
	}
	widths := make([]int, len(g.header))
	for _, row := range rows {
		for k, cell := range row {
			widths[k] = max(widths[k], text.StringWidth(cell))
		}
	}
	g.squeeze(widths, rows, width)
	for n, row := range rows {
		g.writeRow(b, row, widths)
		if n == 0 {
			total := 2 * (len(widths) - 1)
			for _, w := range widths {
				total += w
			}
			b.WriteString("  " + strings.Repeat("-", total) + "\n")
		}
	}
}

// squeeze makes columns narrower until a line fits, as far as that goes: first the
// headers over numbers are broken, then the last, the first and the other columns.
func (g *grid) squeeze(widths []int, rows [][]string, width int) {
	last := len(widths) - 1
	excess := 2*last - width
	for _, w := range widths {
		excess += w
	}
	for _, k := range g.right {
		if excess <= 0 {
			return
		}
		least := 0
		for _, word := range strings.Fields(rows[0][k]) {
			least = max(least, text.StringWidth(word))
		}
		for _, row := range rows[1:] {
			least = max(least, text.StringWidth(row[k]))
		}
		excess -= widths[k] - least
		widths[k] = least
	}
	order := []int{last, 0}
	for k := 1; k < last; k++ {
		order = append(order, k)
	}
	for _, k := range order {
		if slices.Contains(g.right, k) || excess <= 0 {
			continue
		}
		least := leastCell
		if k == 0 {
			least = leastFirst
		}
		give := min(excess, max(0, widths[k]-least))
		widths[k] -= give
		excess -= give
	}
}

// writeRow writes a row of cells, wrapped where they are wider than their column.
func (g *grid) writeRow(b *strings.Builder, row []string, widths []int) {
	cells, height := make([][]string, len(row)), 1
	for k, cell := range row {
		if text.StringWidth(cell) <= widths[k] {
			cells[k] = []string{cell}
		} else {
			cells[k] = wrap(cell, widths[k])
		}
		height = max(height, len(cells[k]))
	}
	for n := range height {
		var line strings.Builder
		for k := range row {
			cell := ""
			if n < len(cells[k]) {
				cell = cells[k][n]
			}
			pad := strings.Repeat(" ", max(0, widths[k]-text.StringWidth(cell)))
			if k > 0 {
				line.WriteString("  ")
			}
			if slices.Contains(g.right, k) {
				line.WriteString(pad + cell)
			} else {
				line.WriteString(cell + pad)
			}
		}
		b.WriteString("  " + strings.TrimRight(line.String(), " ") + "\n")
	}
}

// wrap breaks words into lines; a longer word is broken.
func wrap(words string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(words) {
		for text.StringWidth(word) > width {
			head := text.Trim(word, width)
			if head == "" || line != "" {
				lines, line = append(lines, line), ""
				if head == "" {
					break
				}
				continue
			}
			lines, word = append(lines, head), word[len(head):]
		}
		switch {
		case line == "":
			line = word
		case text.StringWidth(line)+1+text.StringWidth(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// visible makes text safe to show on one line.
func visible(s string) string { return value.Visible(s) }
