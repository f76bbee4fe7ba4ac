// Package render writes reports, comparisons and calibrations as text, Markdown and pages and, for
// other programs, as CSV, JUnit, Parquet and OpenTelemetry events. It is pure: the same report
// gives the same bytes.
package render

import (
	"fmt"
	"io"
	"iter"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
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
	csvFormat      Format = "csv"
)

// Formats returns all formats, in the order in which help lists them.
func Formats() []Format {
	return []Format{TextFormat, JSONFormat, MarkdownFormat, HTMLFormat, JUnitFormat, csvFormat}
}

// Config holds the settings for text and Markdown; the zero value means plain text with only the
// short answers.
type Config struct {
	// Color allows bold headings, for terminals only.
	Color bool
	// Width is the number of columns of text; 0 means 100, and less than 60 counts as 60.
	Width int
	// Details includes every table in text; Markdown always has them, folded.
	Details bool
	// Run is the run directory as commands name it; "" if none.
	Run string
	// Scores starts a pass over the run's scores, for the cases of JUnit; if it is nil they are
	// left out.
	Scores func() iter.Seq2[score.Score, error]
}

// Report writes r to w in the format.
func Report(w io.Writer, r *report.Report, f Format, cfg Config) error {
	switch f {
	case JUnitFormat:
		return writeJUnit(w, r, cfg.Scores)
	case csvFormat:
		return writeCSV(w, r)
	case HTMLFormat:
		return page.Write(w, PageContent(r, nil))
	}
	return Document(w, r, func() *words.Document { return words.Run(r, f != TextFormat || cfg.Details, cfg.Run) }, f, cfg)
}

// Comparison writes c to w as text, json, markdown or html.
func Comparison(w io.Writer, c *report.Comparison, f Format, cfg Config) error {
	d := func() *words.Document { return words.Comparison(c, cfg.Details || f != TextFormat, cfg.Run) }
	return Document(w, c, d, f, cfg)
}

// Calibration writes c to w as text, json, markdown or html.
func Calibration(w io.Writer, c *report.Calibration, f Format, cfg Config) error {
	d := func() *words.Document { return words.Calibration(c, cfg.Details || f != TextFormat) }
	return Document(w, c, d, f, cfg)
}

// Alignment writes a to w as text, json, markdown or html.
func Alignment(w io.Writer, a *report.Alignment, f Format, cfg Config) error {
	return Document(w, a, func() *words.Document { return words.Alignment(a, cfg.Details || f != TextFormat) }, f, cfg)
}

// Document writes what as JSON, or else the document d as text, markdown or html.
func Document(w io.Writer, what any, d func() *words.Document, f Format, cfg Config) error {
	switch f {
	case JSONFormat:
		return report.WriteJSON(w, what)
	case TextFormat:
		return writeText(w, d(), cfg)
	case MarkdownFormat:
		return writeMarkdown(w, d())
	case HTMLFormat:
		return page.WriteDocument(w, d())
	}
	return fmt.Errorf("format %q cannot be written", f)
}

// Columns writes the agreement of a table's columns to w as text, json, markdown or html.
func Columns(w io.Writer, r *report.TableAgreement, f Format, cfg Config) error {
	return Document(w, r, func() *words.Document { return words.Columns(r, cfg.Details) }, f, cfg)
}

// Page writes a report as a page. data is the data of its run; if it is nil, because the run's
// scores are not available, the page has no table of calls.
func Page(w io.Writer, r *report.Report, data *page.Data) error {
	return page.Write(w, PageContent(r, data))
}

// PageContent returns the content that Page writes.
func PageContent(r *report.Report, data *page.Data) page.Content {
	return page.Content{Document: words.Page(r), Report: r, Data: data}
}
