package document

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page and its style
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

//go:embed page.css
var styleSheet string

//go:embed page.html.tmpl
var pageTemplate string

// WritePage writes the document as one file that loads nothing: no script at all, the
// one style sheet named by its hash in the content security policy, and every text
// escaped by html/template with direction characters made visible.
func (d *Document) WritePage(w io.Writer) error {
	t, err := template.New("page").Funcs(Funcs()).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("read page template: %w", err)
	}
	page := struct {
		*Document
		CSS      template.CSS
		Policy   string
		Sections []pageSection
	}{d, template.CSS(styleSheet), Policy(), nil}
	for _, s := range d.Sections {
		if len(s.Parts) > 0 {
			page.Sections = append(page.Sections, pageSectionOf(s))
		}
	}
	var out bytes.Buffer
	if err := t.Execute(&out, page); err != nil {
		return fmt.Errorf("render html page: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write html page: %w", err)
	}
	return nil
}

// Funcs are what the templates of the page and of its figures call.
func Funcs() template.FuncMap {
	return template.FuncMap{"visible": value.Visible, "breaks": breaks, "bar": drawBar, "verdict": verdictClass}
}

// Policy allows the one style sheet and nothing else.
func Policy() string {
	sum := sha256.Sum256([]byte(styleSheet))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

type pageSection struct {
	Section
	Parts []pagePart
}

// pagePart is one part for the template; one field is set.
type pagePart struct {
	Heading  string
	Sentence *Sentence
	List     *List
	Figure   template.HTML
	Table    *pageTable
}

func pageSectionOf(s Section) pageSection {
	out := pageSection{Section: s}
	for _, p := range s.Parts {
		out.Parts = append(out.Parts, p.page())
	}
	return out
}

func (h Heading) page() pagePart  { return pagePart{Heading: h.Text} }
func (s Sentence) page() pagePart { return pagePart{Sentence: &s} }
func (f Figure) page() pagePart   { return pagePart{Figure: f.HTML} }
func (l List) page() pagePart     { return pagePart{List: &l} }

// pageTable is a table for the template.
type pageTable struct {
	Columns []pageColumn
	Rows    []pageRow
	Fold    string
	More    string
}

type pageColumn struct{ Text, Class string }

type pageRow struct {
	Row
	Name string
	Rest []pageCell
}

type pageCell struct {
	Cell
	Class string
}

func (t *Table) page() pagePart {
	p := &pageTable{Fold: t.Fold}
	for i, head := range t.Heads {
		p.Columns = append(p.Columns, pageColumn{head, cellClass(rune(t.Kinds[i]), true)})
	}
	for i, row := range t.Rows {
		if i == maxPageRows {
			p.More = moreRows(len(t.Rows) - i)
			break
		}
		line := pageRow{Row: row}
		for k, c := range row.Cells {
			if k == 0 {
				line.Name = Shorten(c.Text, maxPageCell)
				continue
			}
			c.Text = Shorten(c.Text, maxPageCell)
			line.Rest = append(line.Rest, pageCell{c, cellClass(rune(t.Kinds[k]), false)})
		}
		p.Rows = append(p.Rows, line)
	}
	return pagePart{Table: p}
}

const maxPageCell = 300

// cellClass is the class of the cells of a column; the heads over numbers are broken.
func cellClass(kind rune, head bool) string {
	switch kind {
	case 'r', 'R':
		if head {
			return "n r"
		}
		return "n"
	case 'e', 'i':
		return "e"
	case 'b':
		return "drawn"
	}
	return "t"
}

// verdictClass colours a line that begins with its verdict.
func verdictClass(line string) string {
	switch {
	case strings.HasPrefix(line, "PASS "):
		return "pass"
	case strings.HasPrefix(line, "FAIL "):
		return "fail"
	}
	return ""
}

// drawnBar is a bar of 120 units.
type drawnBar struct {
	Class            string
	Width, Low, High float64
	Interval         bool
}

func drawBar(b *Bar) drawnBar {
	units := func(f float64) float64 { return math.Round(1200*f) / 10 }
	d := drawnBar{Class: b.Class, Width: units(b.Value), Interval: b.Low != nil && b.High != nil}
	if d.Interval {
		d.Low, d.High = units(*b.Low), units(*b.High)
	}
	return d
}

// breaks cuts a name behind the signs at which it may be broken into lines, and what is
// longer than a column at any place.
func breaks(name string) []string {
	const longest = 24
	var out []string
	at, runes := 0, 0
	name = Shorten(name, maxPageCell)
	for i, r := range name {
		if runes == longest {
			out = append(out, name[at:i])
			at, runes = i, 0
		}
		runes++
		switch {
		case r == ' ':
			runes = 0
		case strings.ContainsRune("_./-", r):
			out = append(out, name[at:i+1])
			at, runes = i+1, 0
		}
	}
	return append(out, name[at:])
}
