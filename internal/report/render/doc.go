// Package render owns how a report looks: one file for each format. Renderers are
// pure: the same report gives the same bytes, there is no clock in them, and every
// word that comes from a log is shown as text, never obeyed: control and
// direction characters are made visible, and markup is escaped.
package render

import (
	"fmt"
	"io"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/value"
)

// Format is the name of an output format.
type Format string

// The formats.
const (
	TextFormat     Format = "text"
	JSONFormat     Format = "json"
	MarkdownFormat Format = "markdown"
	HTMLFormat     Format = "html"
	JUnitFormat    Format = "junit"
	CSVFormat      Format = "csv"
)

// Formats are all formats, in the order in which help lists them.
func Formats() []Format {
	return []Format{TextFormat, JSONFormat, MarkdownFormat, HTMLFormat, JUnitFormat, CSVFormat}
}

// Config tunes the text format; the zero value is plain text for 100 columns.
type Config struct {
	// Color allows bold headings, for terminals only.
	Color bool
	// Width is the number of columns, 0 for 100. Less than 60 counts as 60.
	Width int
	// Disagreements is how many are listed in text and Markdown, 0 for 10.
	Disagreements int
}

func (c Config) withDefaults() Config {
	if c.Width == 0 {
		c.Width = 100
	}
	c.Width = max(c.Width, 60)
	if c.Disagreements == 0 {
		c.Disagreements = 10
	}
	return c
}

// Report writes r to w in the format.
func Report(w io.Writer, r *report.Report, f Format, cfg Config) error {
	switch f {
	case TextFormat:
		return Text(w, r, cfg)
	case JSONFormat:
		return r.WriteJSON(w)
	case MarkdownFormat:
		return Markdown(w, r, cfg)
	case HTMLFormat:
		return HTML(w, r)
	case JUnitFormat:
		return JUnit(w, r)
	case CSVFormat:
		return CSV(w, r)
	}
	return fmt.Errorf("format %q is none of text, json, markdown, html, junit, csv", f)
}

// errWriter keeps the first error of a row of writes.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) put(text string) {
	if e.err == nil {
		_, e.err = io.WriteString(e.w, text)
	}
}

func (e *errWriter) printf(format string, args ...any) { e.put(fmt.Sprintf(format, args...)) }

// visible makes text safe to show on one line, visibleLines on its lines.
func visible(text string) string { return value.Visible(text) }

func visibleLines(text string) string { return value.VisibleLines(text) }

// cut shortens visible text to n characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	last, count := 0, 0
	for i := range text {
		if count == n {
			return text[:last] + "…"
		}
		last = i
		count++
	}
	return text
}

// shorten is visible text of at most n characters. What lies behind them is not
// looked at: a name in a log can be a megabyte long.
func shorten(text string, n int) string {
	count := 0
	for i := range text {
		if count > n {
			text = text[:i]
			break
		}
		count++
	}
	return cut(visible(text), n)
}
