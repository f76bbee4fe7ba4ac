// Package render owns what is said of a run, a comparison of runs and a calibration: it
// makes a document of each, which package document shows as text, Markdown or a page, and
// writes the tables for other programs, CSV and JUnit. It is pure: the same report gives
// the same bytes.
package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
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

// Config tunes the text format.
type Config = document.Config

// Report writes r to w in the format.
func Report(w io.Writer, r *report.Report, f Format, cfg Config) error {
	switch f {
	case JSONFormat:
		return r.WriteJSON(w)
	case JUnitFormat:
		return JUnit(w, r)
	case CSVFormat:
		return CSV(w, r)
	case TextFormat, MarkdownFormat, HTMLFormat:
		d, err := reportDocument(r, f == HTMLFormat)
		if err != nil {
			return err
		}
		return write(w, d, f, cfg)
	}
	return fmt.Errorf("format %q is none of text, json, markdown, html, junit, csv", f)
}

// Comparison writes c to w as text, json, markdown or html.
func Comparison(w io.Writer, c *report.Comparison, f Format, cfg Config) error {
	switch f {
	case JSONFormat:
		return c.WriteJSON(w)
	case TextFormat, MarkdownFormat, HTMLFormat:
		return write(w, comparisonDocument(c), f, cfg)
	}
	return fmt.Errorf("format %q is none of text, json, markdown, html", f)
}

// Calibration writes c to w as text or json.
func Calibration(w io.Writer, c *report.Calibration, f Format, cfg Config) error {
	switch f {
	case JSONFormat:
		return c.WriteJSON(w)
	case TextFormat:
		return write(w, calibrationDocument(c), f, cfg)
	}
	return fmt.Errorf("format %q is none of text, json", f)
}

func write(w io.Writer, d *document.Document, f Format, cfg Config) error {
	switch f {
	case MarkdownFormat:
		return d.WriteMarkdown(w)
	case HTMLFormat:
		return d.WritePage(w)
	}
	return d.WriteText(w, cfg)
}

// reportDocument is what is said of a run; the drawings are made for the page only.
func reportDocument(r *report.Report, page bool) (*document.Document, error) {
	d := &document.Document{
		Title: "Judge report", ID: r.Run.ID, About: about(r),
		Foot: fmt.Sprintf("Intervals: %s, clustered by conversation. Verdicts as they are, whatever the judge's confidence.", level(r)),
	}
	f := &figures{page: page}
	d.Sections = slices.Concat(
		[]document.Section{gatesSection(r), summary(r.Summary)}, comparisonSections(r),
		[]document.Section{
			appliedSection(r.Calibration), agreementSection(r, f), scatterSection(r, f), confidenceSection(r, f), gradedSection(r),
			scoresSection(r), sizeSection(r), policySection(r), toolsSection(r), parameterSection(r),
			funnelSection(r), metricsSection(r), peerSection(r), noiseSection(r), checksSection(r), failuresSection(r),
			answerSection(r), disagreementSection(r, f), costSection(r), instrumentSection(r),
		})
	return d, f.err
}

func about(r *report.Report) string {
	parts := []string{"Run " + r.Run.ID}
	if r.Run.Version != "" {
		parts = append(parts, "judge "+r.Run.Version)
	}
	for _, j := range r.Run.Judges {
		name := "judge " + j.Name
		if j.Baseline {
			name += " (built-in rules, not a language model)"
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, " · ")
}

func summary(sentences []string) document.Section {
	return document.Section{ID: "summary", Name: "In words", Parts: list(document.List{Items: document.Items(sentences), Lead: true})}
}

// list is the list as the parts of a section, none where it is empty.
func list(l document.List) []document.Part {
	if len(l.Items) == 0 {
		return nil
	}
	return []document.Part{l}
}

func gatesSection(r *report.Report) document.Section {
	var lines []string
	for _, g := range r.Gates {
		lines = append(lines, g.Line)
	}
	return document.Section{ID: "gates", Name: "Gates", Title: "Gates", Last: true, Parts: list(document.List{Items: document.Items(lines)})}
}

// table is the table with sentences behind it as the parts of a section, none where it
// has no rows.
func table(t *document.Table, notes ...string) []document.Part {
	if len(t.Rows) == 0 {
		return nil
	}
	parts := []document.Part{t}
	for _, n := range notes {
		parts = append(parts, document.Sentence{Text: n})
	}
	return parts
}

func level(r *report.Report) string { return fmt.Sprintf("%.4g %%", 100*(1-r.Alpha)) }

// shorten, words and num keep the builders readable.
func shorten(text string, n int) string { return document.Shorten(text, n) }

func words(text string) document.Cell { return document.Words(text) }

func num(n int) document.Cell { return document.Int(n) }

// mean is an estimate with two decimals.
func mean(e report.Estimate) document.Cell { return document.Number(e.Value, e.Low, e.High, 2) }

// kappa is mean with the interval clipped to what a kappa can be.
func kappa(e report.Estimate) document.Cell { return mean(e.Clipped(-1, 1)) }

// rate is an estimate of a share, whole one without decimals.
func rate(e report.Estimate) document.Cell { return document.Percent(e.Value, e.Low, e.High, 1) }

func whole(e report.Estimate) document.Cell { return document.Percent(e.Value, e.Low, e.High, 0) }

// small prints a number that may be far below 1.
func small(e report.Estimate) document.Cell {
	if !e.Defined() {
		return words(document.None)
	}
	return words(fmt.Sprintf("%.3g", *e.Value))
}

func points(e report.Estimate) document.Cell {
	if !e.Defined() {
		return words(document.None)
	}
	return words(document.Fixed(100**e.Value, 1) + " points")
}

// signed prints a difference with its sign.
func signed(e report.Estimate) document.Cell {
	c := mean(e)
	if e.Defined() && *e.Value > 0 && c.Text != "0.00" {
		c.Text = "+" + c.Text
	}
	return c
}

// bar draws a share.
func bar(e report.Estimate, class string) document.Cell {
	if !e.Defined() {
		return document.Cell{}
	}
	return document.Cell{Bar: &document.Bar{Value: *e.Value, Low: e.Low, High: e.High, Class: class}}
}

// by names a rubric and its judge.
func by(rubric, judge string) string { return shorten(rubric, 60) + " by " + shorten(judge, 40) }

// ofN is "60.0 % of 12".
func ofN(c document.Cell, n int) document.Cell {
	if n == 0 {
		return words(document.None)
	}
	return words(fmt.Sprintf("%s of %d", c, n))
}
