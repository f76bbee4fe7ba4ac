package columns

import (
	"io"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
)

// Compare reads a table and compares its columns as cfg says. name is used in errors
// and in the report. Errors name the line or the setting that has to change; few
// items, one class or no variance are no errors.
func Compare(name string, in io.Reader, cfg Config) (*Report, error) {
	cfg, err := cfg.settle()
	if err != nil {
		return nil, err
	}
	x, err := newInputs(name, in, cfg)
	if err != nil {
		return nil, err
	}
	w := &work{inputs: x, rows: x.tab.Rows, cluster: x.cluster}
	w.labels, _ = cfg.labels()
	r := w.head()
	if x.gold != nil {
		for k, judge := range x.judges {
			var sure *side
			if n := len(x.confidence); n > 0 {
				sure = x.confidence[min(k, n-1)]
			}
			r.Pairs = append(r.Pairs, w.pair(x.gold, judge, sure))
		}
		r.Ranking = w.rank(r)
	} else {
		for k, a := range x.judges {
			for _, b := range x.judges[k+1:] {
				r.Pairs = append(r.Pairs, w.pair(a, b, nil))
			}
		}
	}
	if x.gold == nil {
		r.Blind = w.blind()
	}
	r.People = w.likeness()
	r.Panel = w.panel()
	r.Warnings = w.tableWarnings(r)
	return r, w.err
}

// work computes measures over rows of a table; each stratum has a copy with its rows.
type work struct {
	*inputs
	rows    int
	cluster []int // nil for independent rows
	labels  []float64
	err     error // the first of any statistic
}

// check keeps the first error.
func (w *work) check(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *work) head() *Report {
	c := &w.cfg
	r := &Report{
		Schema: schema, Cluster: c.Cluster, Clusters: w.clusters, By: c.By,
		Alpha: c.Alpha, Columns: w.columns, Pairs: []Pair{},
		Table: w.tab.Table,
		Reading: Reading{
			Categories: c.Categories, Threshold: c.Threshold.String(), GoldCut: c.GoldThreshold.String(),
		},
	}
	if w.gold != nil {
		r.Gold = w.gold.name
	}
	has := map[string]bool{}
	for _, j := range w.judges {
		r.Judges = append(r.Judges, j.name)
		for kind, list := range j.kinds() {
			has[kind] = has[kind] || list != nil
		}
	}
	for _, kind := range []struct{ name, scale string }{
		{"verdicts", Nominal}, {"categories", c.categoryScale()}, {"values", Interval},
	} {
		if !has[kind.name] {
			continue
		}
		r.Reading.Kinds = append(r.Reading.Kinds, kind.name)
		if kind.name == "categories" || r.Reading.Scale == "" {
			r.Reading.Scale = kind.scale
		}
	}
	return r
}

// pair compares two sides by everything that both have.
func (w *work) pair(a, b, confidence *side) Pair {
	p := Pair{A: a.name, B: b.name, MissingA: a.missing, MissingB: b.missing}
	w.measure(&p, a, b)
	if confidence != nil && a.verdict != nil && b.verdict != nil {
		w.confidenceMeasures(&p, a, b, confidence)
	}
	for _, s := range w.by {
		p.Strata = append(p.Strata, w.splitBy(s, a, b))
	}
	p.Warnings = w.pairWarnings(&p, a, b)
	return p
}

// measure fills in what follows from the kinds of two sides.
func (w *work) measure(p *Pair, a, b *side) {
	p.size = w.count(complete(a.any(), b.any()))
	graded := func(s *side) bool {
		return slices.ContainsFunc(s.value, func(f float64) bool { return !math.IsNaN(f) && f != 0 && f != 1 })
	}
	if a.category != nil && b.category != nil {
		w.categoryMeasures(p, a, b)
	}
	if a.verdict != nil && b.verdict != nil {
		w.verdictMeasures(p, a, b)
	}
	if a.value != nil && b.value != nil && (graded(a) || a.verdict == nil && graded(b)) {
		w.valueMeasures(p, a, b)
	}
	if w.gold != nil && a.verdict != nil && graded(b) {
		w.scoreMeasures(p, a, b)
	}
}

// complete blanks the rows where either is missing.
func complete(a, b []float64) (x, y []float64) {
	x = each(a, b, func(a, b float64) float64 { return when(!math.IsNaN(b), a) })
	return x, each(x, b, func(a, b float64) float64 { return when(!math.IsNaN(a), b) })
}

// each is of(a, b) row by row.
func each(a, b []float64, of func(a, b float64) float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = of(a[i], b[i])
	}
	return out
}

// count counts the rows on which both are present, and their clusters.
func (w *work) count(x, y []float64) (sz size) {
	seen, last := map[int]bool{}, -1
	for i := range x {
		if math.IsNaN(x[i]) || math.IsNaN(y[i]) {
			continue
		}
		sz.N++
		if w.cluster != nil && w.cluster[i] != last {
			last = w.cluster[i]
			seen[last] = true
		}
	}
	sz.Clusters = len(seen)
	return sz
}

// method names how an interval was made, without and with clusters.
func (w *work) method(alone, clustered string) string {
	if w.cluster == nil {
		return alone
	}
	return clustered
}

// add appends a measure.
func (p *Pair) add(m Measure) { p.Measures = append(p.Measures, m) }

// point is a measure without an interval.
func point(name, label string, o stat.Opt, sz size) Measure {
	return Measure{Name: name, Label: label, Estimate: report.Point(o), size: sz}
}

// rate is a share of 0s and 1s with the score interval of the effective number of items.
func (w *work) rate(name, label string, values []float64) Measure {
	m, c := w.average(name, label, values)
	m.Share = true
	m.set(c.Mean, c.Wilson, w.method("Wilson, items independent", "Wilson on effective n, by cluster"))
	return m
}

// mean is a mean with its t interval.
func (w *work) mean(name, label string, values []float64) Measure {
	m, c := w.average(name, label, values)
	m.set(c.Mean, c.MeanCI, w.method("t, items independent", "t(G-1), CR1 by cluster"))
	return m
}

// gap is a mean of differences, which are as often above 0 as below, with its t interval.
func (w *work) gap(name, label string, values []float64) Measure {
	m, c := w.average(name, label, values)
	m.set(c.Mean, c.CI, w.method("t, items independent", "t(G-1), CR1 by cluster"))
	return m
}

func (w *work) average(name, label string, values []float64) (Measure, interval.ClusterSE) {
	c, err := interval.ClusterMean(values, w.cluster, w.cfg.Alpha)
	w.check(err)
	m := Measure{Name: name, Label: label, size: size{N: c.N}}
	if w.cluster != nil {
		m.Clusters = c.Clusters
	}
	if m.Clusters == 1 {
		m.Note = "one cluster says nothing about others"
	}
	return m, c
}
