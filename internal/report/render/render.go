// Package render writes reports, comparisons and calibrations as text, Markdown and pages, and for
// other programs as CSV, JUnit, Parquet and OpenTelemetry events. It is pure: the same report gives
// the same bytes.
package render

import (
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

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

// Formats are all formats, in the order in which help lists them.
func Formats() []Format {
	return []Format{TextFormat, JSONFormat, MarkdownFormat, HTMLFormat, JUnitFormat, csvFormat}
}

// Config tunes text and Markdown; the zero value gives plain text of the short answers.
type Config struct {
	// Color allows bold headings, for terminals only.
	Color bool
	// Width is the number of columns of text, 0 for 100. Less than 60 counts as 60.
	Width int
	// Details asks for every table in text; Markdown has them folded.
	Details bool
	// Run is the run directory as commands name it, "" for none.
	Run string
	// Scores starts a pass over the scores of the run, for the cases of JUnit; nil leaves
	// them out.
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
		return Page(w, r, nil)
	}
	return Document(w, r, func() *words.Document { return reportDocument(r, f, cfg) }, f, cfg)
}

// Comparison writes c to w as text, json, markdown or html.
func Comparison(w io.Writer, c *report.Comparison, f Format, cfg Config) error {
	d := func() *words.Document { return comparisonDocument(c, cfg.Details || f != TextFormat) }
	return Document(w, c, d, f, cfg)
}

// Calibration writes c to w as text, json, markdown or html.
func Calibration(w io.Writer, c *report.Calibration, f Format, cfg Config) error {
	d := func() *words.Document { return calibrationDocument(c, cfg.Details || f != TextFormat) }
	return Document(w, c, d, f, cfg)
}

// Document writes what as JSON, or d, the document that says it, as text, markdown or html.
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
	return fmt.Errorf("format %q is none that can be written", f)
}

// reportDocument is what text and Markdown say of a run: the short answers, and behind them,
// where they are asked for or folded, everything.
func reportDocument(r *report.Report, f Format, cfg Config) *words.Document {
	d := &words.Document{
		Title: "Judge report", ID: r.Run.ID, About: about(r),
		Foot: fmt.Sprintf("Intervals: %s, clustered by conversation. "+
			"Verdicts as they are, whatever the judge's confidence.", level(r)),
		Sections: []words.Section{{Parts: []words.Part{r.Facts(cfg.Run)}}},
	}
	if f == TextFormat && !cfg.Details {
		return d
	}
	d.Sections = append(d.Sections, gatesSection(r), disagreementSection(r))
	d.Sections = append(d.Sections, detailSections(r)...)
	return d
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

func summary(sentences []string) words.Section {
	s := words.Section{Name: "In words"}
	s.List(words.List{Items: words.Items(sentences), Lead: true})
	return s
}

func gatesSection(r *report.Report) words.Section {
	const most = 15
	s := words.Section{Name: "Gates", Title: "Gates"}
	var failed, passed []string
	for _, g := range r.Gates {
		if g.Passed {
			passed = append(passed, g.Line)
		} else {
			failed = append(failed, g.Line)
		}
	}
	s.List(words.List{Items: words.Items(append(failed, passed...)), Most: most, More: "are in report.json"})
	return s
}

// section is a table with the sentences that explain it, empty where it has no rows.
func section(name, title string, t *words.Table, notes ...string) words.Section {
	s := words.Section{Name: name, Title: title}
	s.Table(t, notes...)
	return s
}

// firstJudges are the judges that have tables and drawings of their own.
func firstJudges(r *report.Report) []string {
	const most = 12
	judges := r.Judges()
	return judges[:min(most, len(judges))]
}

func level(r *report.Report) string { return words.Short(100*(1-r.Alpha)) + " %" }

// shorten keeps the builders readable.
func shorten(text string, n int) string { return words.Shorten(text, n) }

// mean is an estimate with two decimals.
func mean(e report.Estimate) words.Cell { return words.Number(e.Value, e.Low, e.High, 2) }

// kappa is mean with the interval clipped to what a kappa can be.
func kappa(e report.Estimate) words.Cell { return mean(e.Clipped(-1, 1)) }

// withoutInterval says why some numbers of a table have no interval, "" where all have one.
func withoutInterval(list ...report.Estimate) string {
	var why []string
	for _, e := range list {
		if e.Defined() && !e.HasInterval() && e.Reason != "" && !slices.Contains(why, e.Why()) {
			why = append(why, e.Why())
		}
	}
	if why == nil {
		return ""
	}
	return "no range for a number that stands alone: " + strings.Join(why, "; ")
}

// rate is an estimate of a share, whole one without decimals.
func rate(e report.Estimate) words.Cell { return words.Percent(e.Value, e.Low, e.High, 1) }

func whole(e report.Estimate) words.Cell { return words.Percent(e.Value, e.Low, e.High, 0) }

func points(e report.Estimate) string {
	if !e.Defined() {
		return words.None
	}
	return words.Fixed(100**e.Value, 1) + " points"
}

// difference is mean, with more digits where two decimals would show nothing of a small scale.
func difference(e report.Estimate) words.Cell {
	const digits = 4
	if e.Defined() && *e.Value != 0 && math.Abs(*e.Value) < 0.005 {
		return words.Number(e.Value, e.Low, e.High, digits)
	}
	return mean(e)
}

// signed prints a difference with its sign.
func signed(e report.Estimate) words.Cell {
	c := difference(e)
	if e.Defined() && *e.Value > 0 {
		c.Text = "+" + c.Text
	}
	return c
}

// bar draws a share.
func bar(e report.Estimate, class string) words.Cell {
	if !e.Defined() {
		return words.Cell{}
	}
	return words.Cell{Bar: &words.Bar{Value: *e.Value, Low: e.Low, High: e.High, Class: class}}
}

// by names a rubric and its judge.
func by(rubric, judge string) string { return shorten(rubric, 60) + " by " + shorten(judge, 40) }

// ofN is "60.0 % of 12".
func ofN(value string, n int) string {
	if n == 0 {
		return words.None
	}
	return fmt.Sprintf("%s of %d", value, n)
}
