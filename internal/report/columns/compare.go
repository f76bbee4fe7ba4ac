package columns

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
)

// Compare reads a table and compares its columns as cfg says. name stands in errors
// and in the report. Errors name the line or the setting that has to change; few
// items, one class or no variance are no errors.
func Compare(name string, in io.Reader, cfg Config) (*Report, error) {
	cfg, err := cfg.settle()
	if err != nil {
		return nil, err
	}
	x, err := read(name, in, cfg)
	if err != nil {
		return nil, err
	}
	w := newWork(x)
	r := w.head()
	if x.gold != nil {
		for k, judge := range x.judges {
			p, err := w.pair(x.gold, judge, w.confidenceOf(k))
			if err != nil {
				return nil, fmt.Errorf("%s against %s: %w", judge.name, x.gold.name, err)
			}
			r.Pairs = append(r.Pairs, p)
		}
		if r.Against, err = w.against(); err != nil {
			return nil, err
		}
	} else {
		for k, a := range x.judges {
			for _, b := range x.judges[k+1:] {
				p, err := w.pair(a, b, nil)
				if err != nil {
					return nil, fmt.Errorf("%s with %s: %w", b.name, a.name, err)
				}
				r.Pairs = append(r.Pairs, p)
			}
		}
	}
	if r.Panel, err = w.panel(); err != nil {
		return nil, err
	}
	r.Resamples = w.used
	w.warnAll(r)
	return r, nil
}

// work computes measures over the columns of one table.
type work struct {
	*inputs
	cfg       Config // like cluster a copy: strata have their own
	cluster   []int
	clustered bool
	labels    []float64 // of the declared categories
	used      int       // most resamples that were drawn
	skipped   bool      // a bootstrap was left out for its cost
}

func newWork(x *inputs) *work {
	w := &work{inputs: x, cfg: x.cfg, cluster: x.cluster, clustered: x.cluster != nil}
	w.labels, _ = labelsOf(x.cfg.Categories)
	if !w.clustered {
		w.cluster = make([]int, x.tab.Rows)
		for i := range w.cluster {
			w.cluster[i] = i
		}
	}
	return w
}

func (w *work) head() *Report {
	x := w.inputs
	r := &Report{
		Schema: Schema, Cluster: x.cfg.Cluster, Clusters: x.clusters, By: x.cfg.By,
		Alpha: x.cfg.Alpha, Seed: x.cfg.Seed, Columns: x.columns, Pairs: []Pair{}, Warnings: []Warning{},
		Table: Table{Name: x.tab.Name, Format: string(x.tab.Format), Rows: x.tab.Rows, Unreadable: x.tab.Unreadable},
	}
	for _, p := range x.tab.Problems {
		r.Table.Problems = append(r.Table.Problems, x.tab.At(p.Line)+": "+p.Text)
	}
	if x.gold != nil {
		r.Gold = x.gold.name
	}
	for _, j := range x.judges {
		r.Judges = append(r.Judges, j.name)
	}
	r.Reading = w.reading()
	return r
}

func (w *work) reading() Reading {
	c := &w.cfg
	out := Reading{Categories: c.Categories}
	has := func(f func(*side) []float64) bool {
		return slices.ContainsFunc(w.judges, func(s *side) bool { return f(s) != nil })
	}
	if has(func(s *side) []float64 { return s.verdict }) {
		out.Kinds, out.Scale = append(out.Kinds, "verdicts"), Nominal
	}
	if has(func(s *side) []float64 { return s.category }) {
		out.Kinds, out.Scale = append(out.Kinds, "categories"), w.scale()
	}
	if has(func(s *side) []float64 { return s.value }) {
		out.Kinds = append(out.Kinds, "values")
		if out.Scale == "" {
			out.Scale = Interval
		}
	}
	if c.Threshold != nil {
		out.Threshold = c.Threshold.String()
	}
	if c.GoldThreshold != nil {
		out.GoldCut = c.GoldThreshold.String()
	}
	return out
}

// scale is that of the declared categories: as declared, else ordinal where all are
// numbers.
func (w *work) scale() string {
	if w.cfg.Scale != "" {
		return w.cfg.Scale
	}
	if _, numeric := labelsOf(w.cfg.Categories); numeric {
		return Ordinal
	}
	return Nominal
}

func (w *work) confidenceOf(k int) *side {
	switch len(w.confidence) {
	case 0:
		return nil
	case 1:
		return w.confidence[0]
	}
	return w.confidence[k]
}

// pair compares two sides by everything that both have.
func (w *work) pair(a, b *side, confidence *side) (Pair, error) {
	p := Pair{A: a.name, B: b.name, MissingA: a.missing, MissingB: b.missing, Warnings: []Warning{}}
	parts := []func(*Pair, *side, *side) error{}
	if a.category != nil && b.category != nil {
		parts = append(parts, w.categoryMeasures)
	}
	if a.verdict != nil && b.verdict != nil {
		parts = append(parts, w.verdictMeasures)
	}
	if a.value != nil && b.value != nil && !(a.verdict != nil && binaryValues(a.value)) && !binaryBoth(a, b) {
		parts = append(parts, w.valueMeasures)
	}
	if w.gold != nil && a.verdict != nil && b.value != nil && !binaryValues(b.value) {
		parts = append(parts, w.scoreMeasures)
	}
	p.N, p.Clusters = w.both(anyOf(a), anyOf(b))
	for _, part := range parts {
		if err := part(&p, a, b); err != nil {
			return p, err
		}
	}
	if confidence != nil && a.verdict != nil && b.verdict != nil {
		if err := w.confidenceMeasures(&p, a, b, confidence); err != nil {
			return p, err
		}
	}
	for _, s := range w.by {
		split, err := w.split(s, a, b)
		if err != nil {
			return p, err
		}
		p.Strata = append(p.Strata, split)
	}
	w.warn(&p, a, b)
	return p, nil
}

func binaryBoth(a, b *side) bool { return binaryValues(a.value) && binaryValues(b.value) }

func binaryValues(v []float64) bool {
	return !slices.ContainsFunc(v, func(f float64) bool { return !math.IsNaN(f) && f != 0 && f != 1 })
}

// anyOf is the kind of a side that says which rows have something.
func anyOf(s *side) []float64 {
	switch {
	case s.category != nil:
		return s.category
	case s.verdict != nil:
		return s.verdict
	}
	return s.value
}

// both counts the rows on which both are present, and their clusters (0 without a
// cluster column).
func (w *work) both(a, b []float64) (n, clusters int) {
	return w.where(func(i int) bool { return !math.IsNaN(a[i]) && !math.IsNaN(b[i]) })
}

func (w *work) where(keep func(int) bool) (n, clusters int) {
	var seen []bool
	if w.clustered {
		seen = make([]bool, w.clusters)
	}
	for i := range w.tab.Rows {
		if !keep(i) {
			continue
		}
		n++
		if seen != nil && !seen[w.cluster[i]] {
			seen[w.cluster[i]] = true
			clusters++
		}
	}
	return n, clusters
}

// rate is a share with the score interval of its effective number of items.
func (w *work) rate(name, label string, values []float64) (Measure, error) {
	m := Measure{Name: name, Label: label, Percent: true}
	c, err := interval.ClusterMean(values, w.cluster, w.cfg.Alpha)
	if err != nil {
		return m, err
	}
	m.N = c.N
	m.set(c.Mean)
	method := "Wilson, items independent"
	if w.clustered {
		m.Clusters, method = c.Clusters, "Wilson on effective n, by cluster"
	}
	m.between(c.Wilson, method)
	if w.clustered && c.Clusters < 2 && m.Value != nil {
		m.Note = "one cluster says nothing about others"
	}
	return m, nil
}

// mean is a mean with its t interval.
func (w *work) mean(name, label string, values []float64) (Measure, error) {
	m := Measure{Name: name, Label: label}
	c, err := interval.ClusterMean(values, w.cluster, w.cfg.Alpha)
	if err != nil {
		return m, err
	}
	m.N = c.N
	m.set(c.Mean)
	method := "t, items independent"
	if w.clustered {
		m.Clusters, method = c.Clusters, "t(G-1), CR1 by cluster"
	}
	m.between(c.CI, method)
	return m, nil
}

const (
	// budget bounds the additions of one bootstrap that nobody asked for.
	budget = 4e9
	// explicitBudget bounds those of one that was asked for, and its memory.
	explicitBudget = 4e12
	maxCells       = 50e6
	// fewestClusters is where percentile intervals stop meaning anything.
	fewestClusters = 5
)

// bootstrap is the configuration for a statistic of the given number of sums per
// cluster, and whether there is to be an interval.
func (w *work) bootstrap(width, clusters int) (interval.Bootstrap, bool) {
	cfg := interval.Bootstrap{Resamples: w.cfg.Resamples, Seed: w.cfg.Seed, Alpha: w.cfg.Alpha}
	cost := float64(width) * float64(clusters)
	switch {
	case cfg.Resamples < 0 || clusters < fewestClusters:
		return interval.Bootstrap{Alpha: w.cfg.Alpha}, false
	case cfg.Resamples == 0:
		cfg.Resamples = autoResamples
		if cost*autoResamples > budget || cost > maxCells {
			w.skipped = true
			return interval.Bootstrap{Alpha: w.cfg.Alpha}, false
		}
	case cost*float64(cfg.Resamples) > explicitBudget || cost > maxCells:
		w.skipped = true
		return interval.Bootstrap{Alpha: w.cfg.Alpha}, false
	}
	w.used = max(w.used, cfg.Resamples)
	return cfg, true
}

// groups is how many clusters a bootstrap of p would draw.
func (w *work) groups(p *Pair) int {
	if w.clustered {
		return p.Clusters
	}
	return p.N
}

func (w *work) resampled(m *Measure, s interval.Resampled, cfg interval.Bootstrap) {
	of := "items"
	if w.clustered {
		of = "clusters"
	}
	m.between(s.CI, fmt.Sprintf("bootstrap of %s, %d resamples", of, cfg.Resamples))
	if left := cfg.Resamples - s.Used; left > 0 && m.Low != nil {
		m.Note = fmt.Sprintf("undefined in %d resamples", left)
	}
}
