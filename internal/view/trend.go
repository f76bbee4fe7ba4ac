package view

import (
	"bytes"
	"cmp"
	_ "embed" // the page and its style
	"fmt"
	"html/template"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/value"
)

//go:embed trend.html.tmpl
var trendTemplate string

//go:embed trend.css
var trendStyle []byte

// series is one figure over the runs: a pass rate, or a share of the judge's decisions.
type series struct {
	Name   string
	Points []point
	// First and Last are when the first and the last point's run began; Last is "" on the same
	// day.
	First, Last string
	Width       int
}

// point is a figure of one run; X is where it is drawn.
type point struct {
	Run   int
	Name  string
	Time  string
	Text  string
	Value report.Estimate
	// inputs and instrument say what the run is about: points that differ are not joined.
	inputs, instrument string
	X                  float64
	// Before is the point that it is joined with, nil for none.
	Before *point
}

// trendPage is what the template is given. Silent are runs without a report, and why.
type trendPage struct {
	Series []*series
	Runs   []trendRun
	Silent []string
}

type trendRun struct {
	At         int
	Name, Time string
}

// newTrend reads the reports of runs, which are in the order of their time.
func newTrend(runs []Run) *trendPage {
	page := &trendPage{}
	known := map[string]*series{}
	for at := range runs {
		r := &runs[at]
		began := r.Manifest.Started.Format(time.DateTime)
		page.Runs = append(page.Runs, trendRun{at, r.Name, began})
		rep, err := readReport(r.Dir)
		if err != nil {
			page.Silent = append(page.Silent, fmt.Sprintf("%s: %v", r.Name, err))
			continue
		}
		add := func(name, instrument string, e report.Estimate, n int) {
			if !e.Defined() {
				return
			}
			s := known[name]
			if s == nil {
				s = &series{Name: name}
				known[name], page.Series = s, append(page.Series, s)
			}
			p := point{Run: at, Name: r.Name, Time: began, Text: fmt.Sprintf("%s of %d", e.Percent(true), n), Value: e,
				inputs: r.Manifest.Parts["inputs"] + r.Manifest.Parts["selection"], instrument: instrument}
			s.Points = append(s.Points, p)
		}
		addHeadline(rep, &r.Manifest.Manifest, add)
	}
	for _, s := range page.Series {
		s.draw(len(runs))
	}
	return page
}

func addHeadline(r *report.Report, m *report.Manifest, add func(name, instrument string, e report.Estimate, n int)) {
	for _, rate := range r.Headline.Rates {
		name := fmt.Sprintf("Pass rate of %ss by %s, %s", rate.Level, cmp.Or(rate.Judge, rate.Name), rate.Kind)
		add(name, instrumentOf(m, rate.Judge, rate.Name), rate.Rate, rate.N)
	}
	for _, t := range r.Headline.Trust {
		by := fmt.Sprintf("%s (%ss, against %s)", t.Judge, t.Level, t.Reference.Name)
		if t.Found != nil {
			add("Failures found by "+by, instrumentOf(m, t.Judge, t.Rubric), t.Found.Rate, t.Found.Of)
		}
		if t.Kept != nil {
			add("Right ones passed by "+by, instrumentOf(m, t.Judge, t.Rubric), t.Kept.Rate, t.Kept.Of)
		}
	}
}

// instrumentOf says what a figure was measured with.
func instrumentOf(m *report.Manifest, judge, name string) string {
	if judge == "" {
		return name
	}
	return report.InstrumentHash(*m, judge, name)
}

func readReport(dir string) (*report.Report, error) {
	path := filepath.Join(dir, directory.ReportFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("it has no report yet: judge run --resume %s finishes it", dir)
	}
	defer f.Close()
	return report.ReadJSON(f, path)
}

// The plot of a series, in units of its picture.
const (
	plotLeft, plotTop, plotHeight  = 44.0, 12.0, 150.0
	plotWidth, leastStep, mostStep = 420.0, 22.0, 70.0
)

// height is where a share is drawn.
func height(share float64) float64 {
	return math.Round(10*(plotTop+plotHeight*(1-min(1, max(0, share))))) / 10
}

// draw places the points of a series by their runs, of which there are so many in all.
func (s *series) draw(runs int) {
	step := min(mostStep, max(leastStep, plotWidth/float64(runs)))
	s.Width = max(200, int(plotLeft+step*float64(runs))+10)
	for i := range s.Points {
		p := &s.Points[i]
		p.X = plotLeft + step*(float64(p.Run)+0.5)
		if i == 0 {
			continue
		}
		if before := &s.Points[i-1]; before.inputs == p.inputs && before.instrument == p.instrument {
			p.Before = before
		}
	}
	s.First = s.Points[0].Time[:len(time.DateOnly)]
	if s.Last = s.Points[len(s.Points)-1].Time[:len(time.DateOnly)]; s.Last == s.First {
		s.Last = ""
	}
}

func (s *Server) showTrend(w http.ResponseWriter, _ *http.Request) {
	t, err := template.New("trend").Funcs(template.FuncMap{
		"visible": value.Visible, "height": height, "marks": func() []float64 { return []float64{0, 0.25, 0.5, 0.75, 1} },
		"percent": func(share float64) string { return document.Share(share, 0) }}).Parse(trendTemplate)
	if err == nil {
		var out bytes.Buffer
		if err = t.Execute(&out, newTrend(s.Runs)); err == nil {
			w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; base-uri 'none'; "+
				"form-action 'none'; frame-ancestors 'none'")
			writeHTML(w, out.Bytes())
			return
		}
	}
	http.Error(w, err.Error(), http.StatusInternalServerError)
}

// SortByTime puts runs into the order in which they began.
func SortByTime(runs []Run) {
	slices.SortStableFunc(runs, func(a, b Run) int { return a.Manifest.Started.Compare(b.Manifest.Started) })
}
