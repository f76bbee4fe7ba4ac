package render

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page and its style
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

//go:embed report.css
var styleSheet string

//go:embed report.html.tmpl
var pageTemplate string

// HTML writes the report as one file that loads nothing: no script at all, the one
// style sheet named by its hash in the content security policy, and everything
// from logs escaped by html/template with direction characters made visible.
func HTML(w io.Writer, r *report.Report) error {
	t, err := pageParts()
	if err != nil {
		return fmt.Errorf("read page template: %w", err)
	}
	return writePage(w, t, htmlOf(r))
}

// pageParts is the template of a report, with the parts that other pages share.
func pageParts() (*template.Template, error) {
	return template.New("report").Funcs(template.FuncMap{
		"visible": visible, "percent": percent, "mean": meanText, "rate": rateText, "kappa": kappaText, "number": number, "plot": plot, "funnel": funnelTitle,
		"losses": func(l []report.Loss) string { return lossWords(l, 5) },
		"metric": metricValue,
		"flags":  func(f []report.FlagRate) string { return allFlags(f) },
		"bar":    func(e report.Estimate) bar { return barOf(e, "bar") },
		"lines":  visibleLines,
		"breaks": breaks,
		"short":  func(text string) string { return shorten(text, 16) },
		"word":   func(line string) string { word, _, _ := strings.Cut(line, " "); return word },
		"rest":   func(line string) string { _, rest, _ := strings.Cut(line, " "); return strings.TrimSpace(rest) },
	}).Parse(pageTemplate)
}

func writePage(w io.Writer, t *template.Template, data any) error {
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return fmt.Errorf("render html report: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write html report: %w", err)
	}
	return nil
}

// breaks cuts a name behind the signs at which it may be broken into lines, and what
// is longer than a column at any place.
func breaks(name string) []string {
	const longest = 24
	var out []string
	at, runes := 0, 0
	name = shorten(name, 160)
	for i, r := range name {
		if runes == longest {
			out = append(out, name[at:i])
			at, runes = i, 0
		}
		runes++
		if strings.ContainsRune("_./-", r) {
			out = append(out, name[at:i+1])
			at, runes = i+1, 0
		}
	}
	return append(out, name[at:])
}

// unitOf names what n items of a level are.
func unitOf(level string, n int) string {
	if n == 1 {
		return level
	}
	return level + "s"
}

// whiskerPlot is one group of whiskers with the scale of all.
type whiskerPlot struct {
	Ticks []tick
	Rows  []whisker
}

func plot(w *whiskers, g whiskerGroup) whiskerPlot { return whiskerPlot{w.Ticks, g.Rows} }

// policy allows the one style sheet and nothing else.
func policy() string {
	sum := sha256.Sum256([]byte(styleSheet))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

// htmlPage is what the template shows.
type htmlPage struct {
	*report.Report
	CSS         template.CSS
	Policy      string
	Level       string
	Gold        []string
	Sections    []section
	Heat        *heat
	Whiskers    *whiskers
	Scatters    []scatter
	Reliability []reliability
	Scores      []scoreLine
	Tools       []toolTable
	Parameters  *htmlParameters
	// The grids stand between the drawings.
	First, AfterValues, AfterScores, AfterTools, Peers, Answers []gridSection
	Checks                                                      []report.CheckRow
	Missing                                                     []countBar
	Notes                                                       []countBar
	PerCall                                                     string
	Disagreements                                               []htmlDisagreement
	Total                                                       int
	Shown                                                       int
	Unlisted                                                    int
}

type section struct{ ID, Title string }

func htmlOf(r *report.Report) htmlPage {
	rows := comparedRows(r)
	p := htmlPage{
		Report: r, CSS: template.CSS(styleSheet), Policy: policy(), Level: level(r), Gold: r.GoldWords(),
		Heat: heatOf(r, rows), Whiskers: whiskersOf(r, rows), Scatters: scattersOf(r), Reliability: reliabilityOf(r), Scores: scoreLines(r), Tools: toolsOf(r), Parameters: parametersOf(r),
		Checks: r.JudgeChecks, Missing: countBars(r.Counts.Unscored), Notes: countBars(r.Counts.Notes),
	}
	p.Disagreements, p.Unlisted = htmlDisagreements(r)
	if n := r.Counts.Calls; n > 0 {
		p.PerCall = fmt.Sprintf("%.1f", float64(r.Counts.PromptTokens+r.Counts.CompletionTokens)/float64(n))
	}
	p.Total, p.Shown = r.Disagreements.Total, len(p.Disagreements)
	p.First = gridSections(append(comparisonGrids(r), appliedGrids(r.Calibration)...))
	p.AfterValues, p.AfterScores = gridSections(gradedGrids(r)), gridSections(append(sizeGrids(r), policyGrids(r)...))
	p.AfterTools, p.Answers = gridSections(toolConversationGrids(r)), gridSections(answerGrids(r))
	p.Peers = gridSections(append(peerGrids(r), noiseGrids(r)...))
	p.list()
	return p
}

// list names the sections that are there, in their order.
func (p *htmlPage) list() {
	add := func(id, title string, there bool) {
		if there {
			p.Sections = append(p.Sections, section{id, title})
		}
	}
	grids := func(of []gridSection) {
		for _, s := range of {
			add(s.ID, gridNames[s.ID], true)
		}
	}
	add("summary", "In words", true)
	add("gates", "Gates", len(p.Gates) > 0)
	for _, s := range p.First {
		name := gridNames[s.ID]
		if name == "" {
			name = "Change"
		}
		add(s.ID, name, true)
	}
	add("agreement", "Agreement", p.Heat != nil)
	add("kappa", "Kappa", p.Whiskers != nil)
	add("values", "Values", len(p.Scatters) > 0)
	add("confidence", "Confidence", len(p.Reliability) > 0)
	grids(p.AfterValues)
	add("scores", "Scores", true)
	grids(p.AfterScores)
	add("tools", "Tools", len(p.Tools) > 0)
	grids(p.AfterTools)
	add("parameters", "Parameters", p.Parameters != nil)
	add("funnel", "Funnel", p.Funnel != nil)
	add("metrics", "Metrics", len(p.Metrics) > 0)
	grids(p.Peers)
	add("failures", "Failures", true)
	grids(p.Answers)
	add("disagreements", "Disagreements", true)
	add("cost", "Cost", true)
	add("instruments", "Instruments", true)
}

// gridNames are the short names of the sections of grids.
var gridNames = map[string]string{
	"calibration": "Calibration", "graded": "Graded", "size": "Size", "policies": "Second looks", "toolconversations": "Tools of conversations",
	"judges": "Judges", "noise": "Noise", "answers": "Quotes",
}

// scoreLine is a row of the score table; Group is set on the first of a group.
type scoreLine struct {
	Group   string
	Name    string
	Row     report.ScoreRow
	Unit    string
	Bar     bar
	Missing string
}

func scoreLines(r *report.Report) []scoreLine {
	var out []scoreLine
	last := ""
	for _, s := range r.Scores {
		s.Mean = shownMean(r, &s)
		line := scoreLine{Name: shown(r, s.Instrument), Row: s, Unit: unitOf(s.Level, s.N), Bar: barOf(s.PassRate, "bar")}
		if g := groupOf(s); g != last {
			line.Group, last = g, g
		}
		if n := s.Unscored + s.Errors; n > 0 {
			line.Missing = fmt.Sprintf("%d (%s)", n, s.ErrorRate.Percent(false))
			if s.Unreliable {
				line.Missing += ", unreliable"
			}
		}
		out = append(out, line)
	}
	return out
}

// bar is a share drawn as a bar of 120 units.
type bar struct {
	Defined, Interval bool
	Width, Low, High  float64
	Text, Class       string
}

const barWidth = 120

func barOf(e report.Estimate, class string) bar {
	if !e.Defined() {
		return bar{Text: "–"}
	}
	b := bar{Defined: true, Width: round1(barWidth * *e.Value), Text: e.Percent(false), Class: class, Interval: e.HasInterval()}
	if b.Interval {
		b.Low, b.High = round1(barWidth**e.Low), round1(barWidth**e.High)
	}
	return b
}
