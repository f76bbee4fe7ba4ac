package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/judgekit/judge/internal/report"
)

// grid is a table of the report that every format for people shows alike.
type grid struct {
	// ID and Title head the section that the grid belongs to; a grid without them
	// continues the section before, under Sub.
	ID, Title, Sub string
	// Before and After are sentences around the table.
	Before, After []string
	// Heads are the columns, the first one names the row. Align has one of l, r and e
	// for each: text, number, and a number with its interval.
	Heads []string
	Align string
	Rows  []gridRow
}

// gridRow is a row, or the heading of those that follow.
type gridRow struct {
	Group string
	Cells []string
}

func (g *grid) add(cells ...string) { g.Rows = append(g.Rows, gridRow{Cells: cells}) }

// group starts a group of rows, unless it goes on.
func (g *grid) group(name string) {
	for _, row := range slices.Backward(g.Rows) {
		if row.Group == name {
			return
		}
		if row.Group != "" {
			break
		}
	}
	g.Rows = append(g.Rows, gridRow{Group: name})
}

// empty reports whether there is nothing to show.
func (g *grid) empty() bool { return len(g.Rows)+len(g.Before)+len(g.After) == 0 }

// maxGridRows bounds a grid in text and Markdown.
const maxGridRows = 40

// shown are the rows for text and Markdown; left counts the others.
func (g *grid) shown() (rows []gridRow, left int) {
	for _, row := range g.Rows {
		switch {
		case len(rows) < maxGridRows:
			rows = append(rows, row)
		case row.Group == "":
			left++
		}
	}
	if n := len(rows); n > 0 && rows[n-1].Group != "" {
		rows = rows[:n-1]
	}
	return rows, left
}

func (p *textPage) grids(grids []grid) {
	for _, g := range grids {
		p.grid(g)
	}
}

func (p *textPage) grid(g grid) {
	if g.empty() {
		return
	}
	if g.Title != "" {
		p.heading("%s", g.Title)
	}
	if g.Sub != "" {
		p.note(1, g.Sub)
	}
	for _, line := range g.Before {
		p.note(2, line)
	}
	shown, left := g.shown()
	var rows []table.Row
	for _, r := range shown {
		if r.Group != "" {
			rows = append(rows, table.Row{shorten(r.Group, 60)})
			continue
		}
		row := make(table.Row, len(r.Cells))
		for i, cell := range r.Cells {
			row[i] = shorten(cell, 40)
		}
		row[0] = "  " + shorten(r.Cells[0], 38)
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		header := make(table.Row, len(g.Heads))
		var right []int
		for i, h := range g.Heads {
			header[i] = h
			if g.Align[i] == 'r' {
				right = append(right, i+1)
			}
		}
		header[0] = ""
		p.table(header, rows, right...)
	}
	for _, line := range g.After {
		p.note(2, line)
	}
	if left > 0 {
		p.note(2, fmt.Sprintf("%d more rows are in report.json", left))
	}
}

func (p *page) grids(grids []grid) {
	for _, g := range grids {
		p.grid(g)
	}
}

func (p *page) grid(g grid) {
	if g.empty() {
		return
	}
	if g.Title != "" {
		p.printf("\n### %s\n", escapeMarkdown(g.Title))
	}
	if g.Sub != "" {
		p.printf("\n#### %s\n", escapeMarkdown(g.Sub))
	}
	for _, line := range g.Before {
		p.printf("\n%s\n", escapeMarkdown(line))
	}
	shown, left := g.shown()
	var rows [][]string
	group := ""
	heads, align := g.Heads, strings.ReplaceAll(g.Align, "e", "r")
	grouped := slices.ContainsFunc(shown, func(r gridRow) bool { return r.Group != "" })
	for _, r := range shown {
		if r.Group != "" {
			group = r.Group
			continue
		}
		cells := make([]string, 0, len(r.Cells)+1)
		if grouped {
			cells = append(cells, shorten(group, 60))
		}
		for _, cell := range r.Cells {
			cells = append(cells, shorten(cell, 120))
		}
		rows = append(rows, cells)
	}
	if grouped {
		heads, align = append([]string{""}, heads...), "l"+align
	}
	p.table("", align, heads, rows)
	for _, line := range g.After {
		p.printf("\n%s\n", escapeMarkdown(line))
	}
	if left > 0 {
		p.printf("\n%d more rows are in report.json.\n", left)
	}
}

// htmlGrid is a grid of the page.
type htmlGrid struct {
	Sub           string
	Before, After []string
	Columns       []htmlColumn
	Lines         []htmlGridLine
	Left          int
	// Wide is the number of columns.
	Wide int
}

type htmlColumn struct{ Text, Class string }

type htmlGridLine struct {
	Group, Name string
	Cells       []htmlGridCell
}

type htmlGridCell struct {
	Class string
	estimateText
}

// maxHTMLGridRows bounds a grid of the page.
const maxHTMLGridRows = 300

func htmlGridOf(g grid) htmlGrid {
	h := htmlGrid{Sub: g.Sub, Before: g.Before, After: g.After, Wide: len(g.Heads)}
	for i, head := range g.Heads {
		h.Columns = append(h.Columns, htmlColumn{head, gridClass(g.Align[i], "n r")})
	}
	for i, row := range g.Rows {
		if i == maxHTMLGridRows {
			h.Left = len(g.Rows) - i
			break
		}
		line := htmlGridLine{Group: row.Group}
		for k, cell := range row.Cells {
			if k == 0 {
				line.Name = cell
				continue
			}
			c := htmlGridCell{Class: gridClass(g.Align[k], "n"), estimateText: estimateText{Value: shorten(cell, 300)}}
			if c.Class == "e" {
				c.estimateText = estimateParts(cell)
			}
			line.Cells = append(line.Cells, c)
		}
		h.Lines = append(h.Lines, line)
	}
	return h
}

// gridClass is the class of a cell of a column; number is that of numbers.
func gridClass(align byte, number string) string {
	switch align {
	case 'r':
		return number
	case 'e':
		return "e"
	}
	return "t"
}

// gridSection are the grids of one section of the page.
type gridSection struct {
	ID, Title string
	Grids     []htmlGrid
}

// gridSections puts grids into sections.
func gridSections(grids []grid) []gridSection {
	var out []gridSection
	for _, g := range grids {
		if g.empty() {
			continue
		}
		if n := len(out); g.ID != "" && (n == 0 || out[n-1].ID != g.ID) {
			out = append(out, gridSection{ID: g.ID, Title: g.Title})
		} else if n == 0 {
			continue
		}
		last := &out[len(out)-1]
		last.Grids = append(last.Grids, htmlGridOf(g))
	}
	return out
}

// signed prints a difference with its sign.
func signed(e report.Estimate) string {
	text := mean(e)
	if e.Defined() && *e.Value > 0 && text != "0.00" && !strings.HasPrefix(text, "0.00 ") {
		return "+" + text
	}
	return text
}
