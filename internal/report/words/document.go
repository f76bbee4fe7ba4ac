// Package words holds every sentence that a person reads in a report, a comparison, a calibration or the
// agreement of columns. It builds a Document from each: a list of sections, each a list of parts of a few
// kinds. Packages render and page lay documents out, so that text, Markdown and the page say the same. It
// computes nothing: the numbers come from the report. testdata/sentences.golden and cases.golden show all sentences.
package words

import (
	"fmt"
	"slices"
	"strings"
)

// Document is the report of a command, as sections of sentences and tables.
type Document struct {
	// Title is the heading in Markdown and on the page. ID comes before it in the page's window
	// title and, for a run, is also below the heading.
	Title, ID string
	// About is a line below the page's title, Foot the last line of Markdown.
	About, Foot string
	Sections    []Section
}

// Section is a list of parts with a title. A section without parts is not shown.
type Section struct {
	// Name is the short name in the page's navigation, which also makes the anchor. A section
	// without a name is not in the navigation.
	Name, Title string
	// Do says what to do about what the section shows. The page of a report and Markdown fold
	// sections that have it.
	Do string
	// PageOnly sections are shown only on the page.
	PageOnly bool
	Parts    []Part
}

// Anchor returns the name in the form in which the page links to it.
func (s Section) Anchor() string { return strings.ReplaceAll(strings.ToLower(s.Name), " ", "-") }

// Add adds parts at the end of the section.
func (s *Section) Add(parts ...Part) { s.Parts = append(s.Parts, parts...) }

// Note adds a sentence, unless it is empty.
func (s *Section) Note(text string) {
	if text != "" {
		s.Add(Sentence{Text: text})
	}
}

// Table adds a table and the sentences that explain it, unless it has no rows.
func (s *Section) Table(t *Table, notes ...string) {
	if len(t.Rows) == 0 {
		return
	}
	s.Add(t)
	for _, n := range notes {
		s.Note(n)
	}
}

// List adds a list, unless it is empty.
func (s *Section) List(l List) {
	if len(l.Items) > 0 {
		s.Add(l)
	}
}

// Part is a Heading, Sentence, List, *Table or Facts; Facts are not for the page.
type Part any

// Heading names the parts that follow.
type Heading struct{ Text string }

// Sentence is a paragraph.
type Sentence struct {
	Text string
	// Strong sentences must be read before the numbers below them.
	Strong bool
}

// Facts are short answers under their names, together at most MaxLines lines of text.
type Facts []Fact

// MaxLines limits the lines of text that facts take, whatever the width.
const MaxLines = 30

// Fact has Lines under a name, then Items as examples. A Block has its name as a heading. Text
// wraps each line to at most Most lines (0 means 2), and to fewer if all facts together would be
// too long. Whole facts, such as commands, are never cut.
type Fact struct {
	Name         string
	Block        bool
	Lines, Items []string
	Most         int
	// Least is the number of lines that a fact keeps if all facts together would be too long; 0 means 1.
	Least int
	Whole bool
	// Bad facts are coloured on a terminal.
	Bad bool
}

// Plain returns the facts as lines, each with its name and without examples.
func (f Facts) Plain() []string {
	var out []string
	for _, fact := range f {
		if len(fact.Lines) == 0 {
			out = append(out, fact.Name)
		}
		for _, line := range fact.Lines {
			out = append(out, fact.Lead()+line)
		}
	}
	return out
}

// Lead returns the name as it is printed before a line: "Missing: ", "Can you trust this judge? ".
func (f *Fact) Lead() string {
	switch {
	case f.Name == "":
		return ""
	case strings.HasSuffix(f.Name, "?"):
		return f.Name + " "
	}
	return f.Name + ": "
}

// List is a list of items. Text and Markdown show the first Most of them (0 means all).
type List struct {
	Items []Item
	Most  int
	// More says where to find the others.
	More string
	// Lead marks the summary of the whole report.
	Lead bool
}

// Item is an entry of a list: a line and, for long entries, more lines below it.
type Item struct {
	Title, Words string
	Lines        []string
}

// Items returns plain entries.
func Items(lines []string) []Item {
	out := make([]Item, len(lines))
	for i, line := range lines {
		out[i].Title = line
	}
	return out
}

// Table has a row for each thing that its first column names.
type Table struct {
	Heads []string
	// Kinds has a letter for each column: l for words, r for a bare number, e for a number with its
	// interval, i for one whose interval text leaves out to save width, R for a number only for the
	// page and Markdown, b for a bar, only for the page.
	Kinds string
	Rows  []Row
	// Most says how many rows text and Markdown show, 0 means 40; the page shows 500.
	Most int
	// PageOnly tables are shown only on the page.
	PageOnly bool
}

// NewTable returns an empty table with a kind and a head for each column.
func NewTable(kinds string, heads ...string) *Table { return &Table{Kinds: kinds, Heads: heads} }

// Row is a row, or a heading for the rows that follow.
type Row struct {
	Group string
	Cells []Cell
	// Faint rows are set apart on the page.
	Faint bool
}

// Cell is a text, or a number with its interval.
type Cell struct {
	Text, Ends string
	// Link says where a row's name leads on the page; "" for nowhere.
	Link string
	// Bar is drawn in a column of bars.
	Bar *Bar
	// Class is the colour of the cell on the page.
	Class string
}

// Bar is a share with the ends of its interval, nil for none, all in 0..1.
type Bar struct {
	Value     float64
	Low, High *float64
	// Class is the colour. A Dot is drawn as a point on a scale with a line at one half.
	Class string
	Dot   bool
}

// String returns the number with its interval.
func (c Cell) String() string { return strings.TrimRight(c.Text+" "+c.Ends, " ") }

// Add adds a row of cells, or of texts and counts, at the end. Missing cells are empty.
func (t *Table) Add(cells ...any) *Row {
	row := make([]Cell, max(len(t.Heads), len(cells)))
	for i, c := range cells {
		if cell, ok := c.(Cell); ok {
			row[i] = cell
		} else {
			row[i].Text = fmt.Sprint(c)
		}
	}
	for i := range row {
		if strings.IndexByte("rR", t.Kinds[i]) >= 0 {
			row[i].Ends = ""
		}
	}
	t.Rows = append(t.Rows, Row{Cells: row})
	return &t.Rows[len(t.Rows)-1]
}

// Group starts a group of rows, unless the current group has this name.
func (t *Table) Group(name string) {
	for _, row := range slices.Backward(t.Rows) {
		if row.Group == name {
			return
		}
		if row.Group != "" {
			break
		}
	}
	t.Rows = append(t.Rows, Row{Group: name})
}

// Shown returns the first rows with their groups, and how many more there are.
func (t *Table) Shown(limit int) (rows []Row, more string) {
	left := 0
	for _, row := range t.Rows {
		switch {
		case row.Group != "" && len(rows) > 0 && rows[len(rows)-1].Group != "":
			rows[len(rows)-1] = row
		case row.Group != "" || len(rows) < limit:
			rows = append(rows, row)
		default:
			left++
		}
	}
	if n := len(rows); n > 0 && rows[n-1].Group != "" {
		rows = rows[:n-1]
	}
	if left > 0 {
		more = Count(left, "more row is", "more rows are") + " in the JSON form"
	}
	return rows, more
}
