package view

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
)

// figure is one number of a run: a pass rate, or a share of right decisions of a judge.
type figure struct {
	name string
	// instrument names the judge, label or scorer that measured it.
	instrument string
	rate       report.Estimate
	n          int
}

// series is one figure over the runs, with a row for each run that has it.
type series struct {
	name string
	*words.Table
	// about names the judge and rubric that the last row measured, last its run.
	about string
	last  *Run
}

// trend draws the figures of runs, sorted by time, and lists the runs.
func trend(runs []Run) *words.Document {
	var all []*series
	list := words.NewTable("lll", "run", "began", "")
	for at := range runs {
		r := &runs[at]
		began := r.Manifest.Started.Format(time.DateTime)
		name := words.Cell{Text: r.Name, Link: fmt.Sprintf("/%d/", at)}
		rep, err := directory.ReadReport(r.Dir)
		if err != nil {
			list.Add(name, began, err.Error())
			continue
		}
		list.Add(name, began)
		for _, f := range figures(rep, &r.Manifest.Manifest) {
			k := slices.IndexFunc(all, func(s *series) bool { return s.name == f.name })
			if k < 0 {
				k = len(all)
				all = append(all, &series{name: f.name,
					Table: words.NewTable("llber", "run", "began", "0 to 100 %", "value", "n")})
			}
			all[k].add(name, began, f, r)
		}
	}
	d := &words.Document{Title: "Runs over time"}
	for _, s := range all {
		d.Sections = append(d.Sections, words.Section{Name: s.name, Parts: []words.Part{s.Table}})
	}
	d.Sections = append(d.Sections, words.Section{Name: "Runs", Parts: []words.Part{list}})
	return d
}

// add appends the figure of a run, after a line that says why if it is not comparable with the row before.
func (s *series) add(run words.Cell, began string, f figure, of *Run) {
	switch {
	case s.last == nil:
	case s.about != f.instrument:
		s.Rows = append(s.Rows, words.Row{Group: words.PageTexts()["otherInstrument"]})
	case !joined(s.last, of):
		s.Rows = append(s.Rows, words.Row{Group: words.PageTexts()["otherTasks"]})
	}
	s.about, s.last = f.instrument, of
	e := f.rate
	dot := words.Cell{Bar: &words.Bar{Value: *e.Value, Low: e.Low, High: e.High, Class: "dot", Dot: true}}
	s.Add(run, began, dot, words.Percent(e, 1), f.n)
}

// joined reports whether two runs are of the same logs, or have conversations of the same tasks.
func joined(a, b *Run) bool {
	same := func(part string) bool { return a.Manifest.Parts[part] == b.Manifest.Parts[part] }
	if same("inputs") && same("selection") {
		return true
	}
	partners, err := directory.Pair(a.Dir, b.Dir)
	return err == nil && partners.Shared() > 0
}

// figures returns the rates of the headline that have a value.
func figures(r *report.Report, m *report.Manifest) []figure {
	var out []figure
	add := func(name, judge, by string, e report.Estimate, n int) {
		instrument := by
		if judge != "" {
			instrument = report.InstrumentHash(*m, judge, by)
		}
		if e.Defined() {
			out = append(out, figure{name, instrument, e, n})
		}
	}
	for _, rate := range r.Headline.Rates {
		kind := rate.Kind
		if kind == report.RawRateKind {
			kind = "not corrected for its mistakes"
		}
		name := fmt.Sprintf("Pass rate of %ss by %s, %s", rate.Level, cmp.Or(rate.Judge, rate.Name), kind)
		add(name, rate.Judge, rate.Name, rate.Rate, rate.N)
	}
	if d := r.Decider(); d != nil && d.Source == string(score.Deterministic) {
		add(fmt.Sprintf("Pass rate of %ss by %s, scorer", d.Level, d.Title()), "", d.Name, d.PassRate, d.Judged)
	}
	for _, t := range r.Headline.Trust {
		by := fmt.Sprintf("%s (%ss, against %s)", t.Judge, t.Level, t.Reference.Name)
		if t.Found != nil {
			add("Failures found by "+by, t.Judge, t.Rubric, t.Found.Rate, t.Found.Of)
		}
		if t.Kept != nil {
			add("Right ones passed by "+by, t.Judge, t.Rubric, t.Kept.Rate, t.Kept.Of)
		}
	}
	return out
}

func (s *Server) showTrend(w http.ResponseWriter, _ *http.Request) {
	writePage(w, page.Content{Document: trend(s.Runs), Style: text("trend.css")})
}

// SortByTime sorts runs by when they began.
func SortByTime(runs []Run) {
	sorting.Stable(runs, func(a, b Run) int { return a.Manifest.Started.Compare(b.Manifest.Started) })
}
