package document

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/judgekit/judge/internal/value"
)

// Config tunes the text; the zero value is plain text for 100 columns.
type Config struct {
	// Color allows bold headings, for terminals only.
	Color bool
	// Width is the number of columns, 0 for 100. Less than 60 counts as 60.
	Width int
}

const (
	defaultWidth = 100
	leastWidth   = 60
	leastCell    = 12
	leastFirst   = 20
	maxCell      = 60
)

// textWriter writes the parts for a terminal.
type textWriter struct {
	strings.Builder
	Config
	// indent is that of a list in the section.
	indent int
}

// WriteText writes the document for a terminal. Where a table is too wide its cells are
// wrapped; numbers are never cut.
func (d *Document) WriteText(w io.Writer, cfg Config) error {
	if cfg.Width == 0 {
		cfg.Width = defaultWidth
	}
	cfg.Width = max(cfg.Width, leastWidth)
	t := &textWriter{Config: cfg}
	for _, last := range []bool{false, true} {
		for _, s := range d.Sections {
			if s.Last == last && !s.PageOnly && len(s.Parts) > 0 {
				t.section(s)
			}
		}
	}
	if _, err := io.WriteString(w, t.String()); err != nil {
		return fmt.Errorf("write text: %w", err)
	}
	return nil
}

func (t *textWriter) section(s Section) {
	t.indent = 0
	if s.Title != "" {
		t.indent = 1
		if t.Len() > 0 {
			t.WriteByte('\n')
		}
		title := value.Visible(s.Title)
		if t.Color {
			title = text.Bold.Sprint(title)
		}
		t.WriteString(title + "\n")
	}
	for _, p := range s.Parts {
		p.text(t)
	}
}

// note writes a paragraph, wrapped and indented.
func (t *textWriter) note(indent int, words string) {
	pad := strings.Repeat(" ", indent)
	for _, line := range wrap(value.Visible(words), t.Width-indent) {
		t.WriteString(pad + line + "\n")
	}
}

func (h Heading) text(t *textWriter) { t.note(1, h.Text) }

func (s Sentence) text(t *textWriter) { t.note(2, s.Text) }

func (Figure) text(*textWriter) {}

func (l List) text(t *textWriter) {
	items, left := l.shown()
	for _, item := range items {
		t.note(t.indent, item.Title)
		for _, line := range append([]string{item.Words}, item.Lines...) {
			t.note(5, line)
		}
	}
	if left != "" {
		t.note(t.indent, left)
	}
}

// shown are the items for text and Markdown; left says how many there are more.
func (l List) shown() (items []Item, left string) {
	if l.Most == 0 || len(l.Items) <= l.Most {
		return l.Items, ""
	}
	return l.Items[:l.Most], fmt.Sprintf("%d more %s", len(l.Items)-l.Most, l.More)
}

// wrap breaks words into lines of at most width columns; a longer word is broken.
func wrap(words string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(words) {
		for text.StringWidth(word) > width {
			head := text.Trim(word, width)
			if line != "" {
				lines, line = append(lines, line), ""
			}
			if head == "" { // not even its first character fits
				break
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
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// layout is a table that is being fitted into the width.
type layout struct {
	rows   [][]string
	right  []bool
	widths []int
}

func (t *Table) text(w *textWriter) {
	shown, left := t.shown()
	if len(shown) > 0 {
		t.layOut(w, shown)
	}
	if left > 0 {
		w.note(2, moreRows(left))
	}
}

func moreRows(n int) string { return Count(n, "more row is", "more rows are") + " in the JSON form" }

func (t *Table) layOut(w *textWriter, shown []Row) {
	l := layout{}
	indent := ""
	if t.grouped() {
		indent = "  "
	}
	l.add(t.Heads, t.Kinds)
	for _, row := range shown {
		if row.Group == "" {
			l.add(t.cells(row, indent), t.Kinds)
		}
	}
	for _, kind := range t.Kinds {
		if !wide(kind) {
			l.right = append(l.right, kind == 'r' || kind == 'i')
		}
	}
	l.squeeze(w.Width - 2)
	next := 0
	write := func() {
		l.row(&w.Builder, l.rows[next])
		next++
	}
	write()
	w.WriteString("  " + strings.Repeat("-", l.width()) + "\n")
	for _, row := range shown {
		if row.Group == "" {
			write()
			continue
		}
		w.WriteString("  " + Shorten(row.Group, w.Width-4) + "\n")
	}
}

// wide reports the kinds of columns that text leaves out.
func wide(kind rune) bool { return kind == 'R' || kind == 'b' }

// cells are the texts of a row, the interval with its number.
func (t *Table) cells(row Row, indent string) []string {
	out := make([]string, len(row.Cells))
	for i, c := range row.Cells {
		out[i] = c.String()
		if t.Kinds[i] == 'i' {
			out[i] = c.Text
		}
	}
	out[0] = indent + out[0]
	return out
}

// add takes the cells that text shows. All but the last are cut where they are long.
func (l *layout) add(cells []string, kinds string) {
	var row []string
	for i, cell := range cells {
		if wide(rune(kinds[i])) {
			continue
		}
		if i < len(cells)-1 {
			cell = Shorten(cell, maxCell)
		}
		row = append(row, value.Visible(cell))
	}
	for len(l.widths) < len(row) {
		l.widths = append(l.widths, 0)
	}
	for k, cell := range row {
		l.widths[k] = max(l.widths[k], text.StringWidth(cell))
	}
	l.rows = append(l.rows, row)
}

func (l *layout) width() int {
	total := 2 * (len(l.widths) - 1)
	for _, w := range l.widths {
		total += w
	}
	return total
}

// squeeze makes columns narrower until a line fits, as far as that goes: first the
// headers over numbers are broken, then the last, the first and the other columns.
func (l *layout) squeeze(width int) {
	last := len(l.widths) - 1
	excess := l.width() - width
	for k, right := range l.right {
		if excess <= 0 {
			return
		}
		if right {
			least := l.least(k)
			excess -= l.widths[k] - least
			l.widths[k] = least
		}
	}
	order := []int{last, 0}
	for k := 1; k < last; k++ {
		order = append(order, k)
	}
	for _, k := range order {
		if l.right[k] || excess <= 0 {
			continue
		}
		least := leastCell
		if k == 0 {
			least = leastFirst
		}
		give := min(excess, max(0, l.widths[k]-least))
		l.widths[k] -= give
		excess -= give
	}
}

// least is the width of a column of numbers under a broken header.
func (l *layout) least(k int) int {
	least := 0
	for _, word := range strings.Fields(l.rows[0][k]) {
		least = max(least, text.StringWidth(word))
	}
	for _, row := range l.rows[1:] {
		least = max(least, text.StringWidth(row[k]))
	}
	return least
}

// row writes a row of cells, wrapped where they are wider than their column.
func (l *layout) row(b *strings.Builder, row []string) {
	cells, height := make([][]string, len(row)), 1
	for k, cell := range row {
		cells[k] = []string{cell}
		if text.StringWidth(cell) > l.widths[k] {
			cells[k] = wrapIndented(cell, l.widths[k])
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
			pad := strings.Repeat(" ", max(0, l.widths[k]-text.StringWidth(cell)))
			if k > 0 {
				line.WriteString("  ")
			}
			if l.right[k] {
				cell, pad = pad, cell
			}
			line.WriteString(cell + pad)
		}
		b.WriteString("  " + strings.TrimRight(line.String(), " ") + "\n")
	}
}

// wrapIndented wraps a cell and keeps its indent.
func wrapIndented(cell string, width int) []string {
	rest := strings.TrimLeft(cell, " ")
	indent := cell[:len(cell)-len(rest)]
	lines := wrap(rest, width-len(indent))
	return slices.Collect(func(yield func(string) bool) {
		for _, line := range lines {
			if !yield(indent + line) {
				return
			}
		}
	})
}
