// Package document owns what a report is made of and how it looks. A report is a list of
// sections, a section a list of a few kinds of parts; text, Markdown and the HTML page
// each render the kinds, so that they say the same. What is made of them is the same
// bytes for the same document, and words that come from a log or a table are shown, never
// obeyed: control and direction characters are made visible, and markup is escaped.
package document

import (
	"html/template"
	"strconv"
	"strings"
)

// Document is a report of any command.
type Document struct {
	// Title stands over Markdown and the page, ID in the title of the page's window.
	Title, ID string
	// About is a line below the title of the page, Foot the last line of Markdown.
	About, Foot string
	Sections    []Section
}

// Section is a titled list of parts; one without parts is not shown.
type Section struct {
	// ID is the anchor on the page, Name its short name in the navigation; a section
	// without an ID stands in no navigation.
	ID, Name string
	Title    string
	// PageOnly sections are left to the page.
	PageOnly bool
	// Last sections end the text, whose end is what a terminal shows.
	Last  bool
	Parts []Part
}

// Add puts parts at the end of the section.
func (s *Section) Add(parts ...Part) { s.Parts = append(s.Parts, parts...) }

// Note adds a sentence.
func (s *Section) Note(text string) { s.Add(Sentence{Text: text}) }

// Part is one of Heading, Sentence, List, *Table and Figure.
type Part interface {
	text(*textWriter)
	markdown(*markdownWriter)
	page() pagePart
}

// Heading names the parts that follow.
type Heading struct{ Text string }

// Sentence is a paragraph.
type Sentence struct {
	Text string
	// Strong sentences must be read before the numbers below them.
	Strong bool
}

// List is a list of items; text and Markdown show the first Most of them (0: all).
type List struct {
	Items []Item
	Most  int
	// More says where the others are.
	More string
	// Lead is the summary of the whole report.
	Lead bool
}

// Item is an entry of a list: a line, and for long ones what unfolds below it.
type Item struct {
	Title, Words string
	Lines        []string
	// Page stands on the page in place of Lines.
	Page template.HTML
	// Late entries stay closed on paper.
	Late bool
}

// Items are plain entries.
func Items(lines []string) []Item {
	out := make([]Item, len(lines))
	for i, line := range lines {
		out[i].Title = line
	}
	return out
}

// Figure is a drawing, for the page only: its numbers stand in a table too.
type Figure struct{ HTML template.HTML }

// Table has a row for each thing that its first column names.
type Table struct {
	Heads []string
	// Kinds has a letter for each column: l for words, r for a bare number, e for a number
	// with its interval, i for one whose interval text leaves out for want of room, R for
	// a number that text leaves out, b for a bar, which only the page draws.
	Kinds string
	Rows  []Row
	// Most is how many rows text and Markdown show, 0 for 40; the page shows 500.
	Most int
	// Fold is the line below which the page folds the table away, "" for none.
	Fold string
}

// Row is a row, or the heading of the rows that follow.
type Row struct {
	Group string
	Cells []Cell
	// PageOnly rows are left to the page, Faint ones are set apart there.
	PageOnly, Faint bool
}

// Cell is a text, or a number with its interval.
type Cell struct {
	Text, Ends string
	// Bar is what a bar shows, in 0..1.
	Bar *Bar
}

// Bar is a share with the ends of its interval, nil for none.
type Bar struct {
	Value     float64
	Low, High *float64
	Class     string
}

// Words is a cell of text.
func Words(text string) Cell { return Cell{Text: text} }

// Int is a cell with a count.
func Int(n int) Cell { return Cell{Text: strconv.Itoa(n)} }

// String is the number with its interval.
func (c Cell) String() string {
	if c.Ends == "" {
		return c.Text
	}
	return c.Text + " " + c.Ends
}

// Add puts a row at the end; cells that it lacks are empty.
func (t *Table) Add(cells ...Cell) *Row {
	for len(cells) < len(t.Heads) {
		cells = append(cells, Cell{})
	}
	for i := range cells {
		if strings.IndexByte("rR", t.Kinds[i]) >= 0 {
			cells[i].Ends = ""
		}
	}
	t.Rows = append(t.Rows, Row{Cells: cells})
	return &t.Rows[len(t.Rows)-1]
}

// Group starts a group of rows, unless it goes on.
func (t *Table) Group(name string) {
	for i := len(t.Rows) - 1; i >= 0; i-- {
		switch t.Rows[i].Group {
		case name:
			return
		case "":
			continue
		}
		break
	}
	t.Rows = append(t.Rows, Row{Group: name})
}

func (t *Table) grouped() bool {
	for _, row := range t.Rows {
		if row.Group != "" {
			return true
		}
	}
	return false
}

const (
	maxRows     = 40
	maxPageRows = 500
)

// shown are the rows for text and Markdown; left counts the others.
func (t *Table) shown() (rows []Row, left int) {
	most := t.Most
	if most == 0 {
		most = maxRows
	}
	for _, row := range t.Rows {
		switch {
		case row.Group != "" && len(rows) > 0 && rows[len(rows)-1].Group != "":
			rows[len(rows)-1] = row
		case row.Group != "" || !row.PageOnly && len(rows) < most:
			rows = append(rows, row)
		default:
			left++
		}
	}
	if n := len(rows); n > 0 && rows[n-1].Group != "" {
		rows = rows[:n-1]
	}
	return rows, left
}
