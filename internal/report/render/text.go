package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/value"
)

// textWriter writes a document for a terminal.
type textWriter struct {
	strings.Builder
	color bool
	width int
	// indent says how far the section's lists are indented.
	indent int
}

// writeText writes a document for a terminal. If a table is too wide, its cells are wrapped;
// numbers are never cut.
func writeText(w io.Writer, d *words.Document, cfg Config) error {
	const usual, least = 100, 60
	t := &textWriter{color: cfg.Color, width: max(cmp.Or(cfg.Width, usual), least)}
	for _, s := range d.Sections {
		if !s.PageOnly && len(s.Parts) > 0 {
			t.section(s)
		}
	}
	if _, err := io.WriteString(w, t.String()); err != nil {
		return fmt.Errorf("write text: %w", err)
	}
	return nil
}

func (t *textWriter) section(s words.Section) {
	t.indent = 0
	if s.Title != "" {
		t.indent = 1
		if t.Len() > 0 {
			t.WriteByte('\n')
		}
		t.WriteString(t.bold(s.Title, false) + "\n")
	}
	t.note(2, s.Do)
	for _, p := range s.Parts {
		switch p := p.(type) {
		case words.Heading:
			t.note(1, p.Text)
		case words.Sentence:
			t.note(2, p.Text)
		case words.List:
			t.list(p)
		case *words.Table:
			t.table(p)
		case words.Facts:
			t.facts(p)
		}
	}
}

// facts writes short answers. If they do not fit, each gets fewer lines, until all fit.
func (t *textWriter) facts(all words.Facts) {
	const tightest = 6
	var lines []string
	for less := 0; less <= tightest; less++ {
		if lines = t.factLines(all, less); len(lines) <= words.MaxLines {
			break
		}
	}
	for _, line := range lines {
		t.WriteString(line + "\n")
	}
}

// factLines returns the lines of facts. If less is 1 or more, there are no empty lines; from 2 on,
// each answer has less-1 fewer lines than allowed.
func (t *textWriter) factLines(all words.Facts, less int) []string {
	const usual = 2
	var out []string
	fewer, block := max(0, less-1), false
	for _, f := range all {
		if less == 0 && len(out) > 0 && (block || f.Block) {
			out = append(out, "")
		}
		block = f.Block
		lead, indent := t.bold(f.Lead(), f.Bad), strings.Repeat(" ", len(f.Lead()))
		if f.Block {
			for _, line := range Wrap(f.Name, t.width, usual) {
				out = append(out, t.bold(line, f.Bad))
			}
			lead, indent = "  ", "  "
		}
		most := max(1, f.Least, cmp.Or(f.Most, usual)-fewer)
		for _, line := range firstLines(&f, max(1, maxAnswers-fewer)) {
			parts := []string{value.Visible(line)}
			if !f.Whole {
				parts = Wrap(line, t.width-len(indent), most)
			}
			for _, part := range parts {
				out = append(out, strings.TrimRight(lead+part, " "))
				lead = indent
			}
		}
	}
	return out
}

// bold returns visible words in bold on a terminal, in red for bad news.
func (t *textWriter) bold(words string, bad bool) string {
	switch {
	case !t.color || words == "":
		return value.Visible(words)
	case bad:
		return text.Colors{text.Bold, text.FgRed}.Sprint(value.Visible(words))
	}
	return text.Bold.Sprint(value.Visible(words))
}

// Wrap wraps visible words into at most most lines; if words are cut, the last line ends with ….
func Wrap(words string, width, most int) []string {
	lines := wrap(value.Visible(strings.Join(strings.Fields(words), " ")), width)
	if len(lines) > most {
		lines[most-1] = text.Snip(lines[most-1]+" "+lines[most], width, "…")
		lines = lines[:most]
	}
	return lines
}

// note writes a paragraph, wrapped and indented.
func (t *textWriter) note(indent int, words string) {
	pad := strings.Repeat(" ", indent)
	for _, line := range wrap(value.Visible(words), t.width-indent) {
		t.WriteString(pad + line + "\n")
	}
}

func (t *textWriter) list(l words.List) {
	items, left := shownItems(l)
	for _, item := range items {
		t.note(t.indent, item.Title)
		for _, line := range append([]string{item.Words}, item.Lines...) {
			t.note(5, line)
		}
	}
	t.note(t.indent, left)
}

// shownItems returns the items of a list that text and Markdown show, and how many more there are.
func shownItems(l words.List) (items []words.Item, left string) {
	if l.Most == 0 || len(l.Items) <= l.Most {
		return l.Items, ""
	}
	return l.Items[:l.Most], fmt.Sprintf("%d more %s", len(l.Items)-l.Most, l.More)
}

// wrap breaks words into lines of at most width columns; a longer word is broken.
func wrap(words string, width int) []string {
	words = strings.Join(strings.Fields(words), " ")
	if words == "" {
		return nil
	}
	lines := strings.Split(text.WrapSoft(words, width), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

func (t *textWriter) table(tab *words.Table) {
	shown, more := shownRows(tab)
	if len(shown) > 0 {
		l := layOut(tab, shown, t.width-2)
		l.line(&t.Builder, l.head)
		t.WriteString("  " + strings.Repeat("-", l.width()) + "\n")
		for i, row := range shown {
			if row.Group != "" {
				t.WriteString("  " + words.Shorten(row.Group, t.width-4) + "\n")
				continue
			}
			l.line(&t.Builder, l.rows[i])
		}
	}
	t.note(2, more)
}

// layout is a table that is fitted into the width. Its rows are the table's, an empty one where a
// group begins, with only the columns that text shows.
type layout struct {
	head   []string
	rows   [][]string
	right  []bool
	widths []int
}

func layOut(t *words.Table, shown []words.Row, width int) *layout {
	l := &layout{}
	for _, kind := range t.Kinds {
		if inText(kind) {
			l.right = append(l.right, kind == 'r' || kind == 'i')
		}
	}
	l.widths = make([]int, len(l.right))
	l.head = l.cells(t, t.Heads)
	indent := ""
	if grouped(t) {
		indent = "  "
	}
	for _, row := range shown {
		texts := make([]string, len(row.Cells))
		for i, c := range row.Cells {
			texts[i] = c.String()
			if t.Kinds[i] == 'i' {
				texts[i] = c.Text
			}
		}
		if row.Group == "" {
			texts[0] = indent + texts[0]
		}
		l.rows = append(l.rows, l.cells(t, texts))
	}
	l.squeeze(width)
	return l
}

// inText reports whether text shows this kind of column.
func inText(kind rune) bool { return !strings.ContainsRune("Rb", kind) }

// cells returns the shown texts. All except those of the last column are cut if they are long.
func (l *layout) cells(t *words.Table, texts []string) []string {
	const longest = 60
	var out []string
	for i, cell := range texts {
		if !inText(rune(t.Kinds[i])) {
			continue
		}
		if i < len(texts)-1 {
			cell = words.Shorten(cell, longest)
		}
		cell = value.Visible(cell)
		l.widths[len(out)] = max(l.widths[len(out)], text.StringWidth(cell))
		out = append(out, cell)
	}
	return out
}

func (l *layout) width() int {
	total := 2 * (len(l.widths) - 1)
	for _, w := range l.widths {
		total += w
	}
	return total
}

// squeeze makes columns narrower until a line fits, as far as possible: first it breaks the headers
// over numbers, then it narrows the last, the first and the other columns.
func (l *layout) squeeze(width int) {
	const minFirst, minCell = 20, 12
	excess := l.width() - width
	for k, right := range l.right {
		if right && excess > 0 {
			least := l.least(k)
			excess -= l.widths[k] - least
			l.widths[k] = least
		}
	}
	last := len(l.widths) - 1
	for i := range l.widths {
		k, least := i-1, minCell
		switch i {
		case 0:
			k = last
		case 1:
			k, least = 0, minFirst
		}
		if !l.right[k] {
			give := max(0, min(excess, l.widths[k]-least))
			l.widths[k] -= give
			excess -= give
		}
	}
}

// least returns the width of a column of numbers under a broken header.
func (l *layout) least(k int) int {
	least := 0
	for _, word := range strings.Fields(l.head[k]) {
		least = max(least, text.StringWidth(word))
	}
	for _, row := range l.rows {
		if k < len(row) {
			least = max(least, text.StringWidth(row[k]))
		}
	}
	return least
}

// line writes a row of cells and wraps those that are wider than their column.
func (l *layout) line(b *strings.Builder, row []string) {
	cells, height := make([][]string, len(row)), 1
	for k, cell := range row {
		cells[k] = []string{cell}
		if text.StringWidth(cell) > l.widths[k] {
			cells[k] = wrapIndented(cell, l.widths[k])
		}
		height = max(height, len(cells[k]))
	}
	for n := range height {
		line := ""
		for k, lines := range cells {
			cell, align := "", text.AlignLeft
			if n < len(lines) {
				cell = lines[n]
			}
			if l.right[k] {
				align = text.AlignRight
			}
			line += "  " + align.Apply(cell, l.widths[k])
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// wrapIndented wraps a cell and keeps its indent.
func wrapIndented(cell string, width int) []string {
	rest := strings.TrimLeft(cell, " ")
	indent := cell[:len(cell)-len(rest)]
	lines := wrap(rest, width-len(indent))
	for i := range lines {
		lines[i] = indent + lines[i]
	}
	return lines
}

// maxAnswers limits the lines of a fact in text and Markdown.
const maxAnswers = 6

// firstLines returns the first lines and items of a fact, and how many more there are.
func firstLines(f *words.Fact, most int) []string {
	all := slices.Concat(f.Lines, f.Items)
	if left := len(all) - most; left > 0 && !f.Whole {
		return append(all[:most], fmt.Sprintf("%d more", left))
	}
	return all
}

// shownRows returns the rows of a table that text and Markdown show, and how many more there are.
func shownRows(t *words.Table) (rows []words.Row, more string) {
	const usual = 40
	if t.PageOnly {
		return nil, ""
	}
	return t.Shown(cmp.Or(t.Most, usual))
}

// grouped reports whether the rows of a table are in groups.
func grouped(t *words.Table) bool {
	return slices.ContainsFunc(t.Rows, func(r words.Row) bool { return r.Group != "" })
}
