package columns

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
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
	w := &work{inputs: x, Statistics: &measure.Statistics{Alpha: cfg.Alpha}, rows: x.tab.Rows, cluster: x.cluster}
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
	return r, w.Err()
}

// work computes measures over rows of a table; each stratum has a copy with its rows.
type work struct {
	*inputs
	*measure.Statistics
	rows    int
	cluster []int // nil for independent rows
	labels  []float64
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
	p.size = sizeOf(w.both(a.any(), b.any()))
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

// both are two columns, blank in the rows where either is missing.
func (w *work) both(gold, judge []float64) measure.Columns {
	c := measure.Columns{Statistics: w.Statistics, Gold: gold, Judge: judge, Cluster: w.cluster}
	x := c.Each(func(gold, judge float64) float64 { return measure.When(!math.IsNaN(judge), gold) })
	c.Judge = c.Each(func(gold, judge float64) float64 { return measure.When(!math.IsNaN(gold), judge) })
	c.Gold = x
	return c
}

// sizeOf counts the rows of columns that have both, and their clusters.
func sizeOf(c measure.Columns) (sz size) {
	seen, last := map[int]bool{}, -1
	for i := range c.Gold {
		if math.IsNaN(c.Gold[i]) || math.IsNaN(c.Judge[i]) {
			continue
		}
		sz.N++
		if c.Cluster != nil && c.Cluster[i] != last {
			last = c.Cluster[i]
			seen[last] = true
		}
	}
	sz.Clusters = len(seen)
	return sz
}

// add appends a measure.
func (p *Pair) add(m Measure) { p.Measures = append(p.Measures, m) }

// point is a measure without an interval.
func point(name, label string, o stat.Opt, sz size) Measure {
	return Measure{Name: name, Label: label, Estimate: report.Point(o), size: sz}
}

// method names how an interval is made, of independent items and by cluster.
type method [2]string

var (
	byWilson    = method{"Wilson, items independent", "Wilson on effective n, by cluster"}
	byT         = method{"t, items independent", "jackknife by cluster, t"}
	byScore     = method{"score interval, items independent", "score interval on effective n, by cluster"}
	byMover     = method{"MOVER of Wilson, items independent", "MOVER of Wilson on effective n, by cluster"}
	byJackknife = method{"jackknife, Fisher z, items independent", "jackknife by cluster, Fisher z, t"}
	byLogit     = method{"logit of placement values, items independent", "logit of placement values, by cluster, t"}
)

// ranged is a measure with its interval. One without width is dropped: the data show no
// variation, which is not certainty.
func (w *work) ranged(name, label string, e report.Estimate, sz size, how method) Measure {
	m := Measure{Name: name, Label: label, Estimate: e, size: sz}
	if e.HasInterval() && *e.Low == *e.High {
		m.Estimate = report.Estimate{Value: e.Value, Reason: string(stat.ZeroVariance)}
	}
	if m.HasInterval() {
		m.Method = how[int(measure.One(w.cluster != nil))]
	}
	return m
}

// jackknifed is a coefficient with the one interval that all coefficients have.
func (w *work) jackknifed(name, label string, e report.Estimate, sz size) Measure {
	return w.ranged(name, label, e, sz, byJackknife)
}

// rate is a share of 0s and 1s.
func (w *work) rate(name, label string, c interval.ClusterSE) Measure {
	m := w.average(name, label, measure.Rate(c), c, byWilson)
	m.Share = true
	return m
}

// average is a mean with its interval, of which c is the spread.
func (w *work) average(name, label string, e report.Estimate, c interval.ClusterSE, how method) Measure {
	m := w.ranged(name, label, e, size{N: c.N}, how)
	if w.cluster != nil {
		m.Clusters = c.Clusters
	}
	if m.Clusters == 1 {
		m.Note = "one cluster says nothing about others"
	}
	return m
}

// panel measures the agreement of all judges among themselves, where there are two or
// more: any number of raters, with gaps, by the finest kind that all have.
func (w *work) panel() *Panel {
	if len(w.judges) < 2 {
		return nil
	}
	out := &Panel{}
	for _, j := range w.judges {
		out.Raters = append(out.Raters, j.name)
	}
	for _, kind := range []struct {
		name, level string
		labels      []float64
	}{
		{"categories", w.cfg.categoryScale(), w.labels},
		{"verdicts", raters.LevelNominal, measure.VerdictScale},
		{"values", raters.LevelInterval, nil},
	} {
		var ratings [][]float64
		for _, j := range w.judges {
			if list := j.kinds()[kind.name]; list != nil {
				ratings = append(ratings, list)
			}
		}
		if len(ratings) == len(w.judges) {
			out.Measures = w.panelMeasures(ratings, kind.level, kind.labels)
			return out
		}
	}
	return nil
}

func (w *work) panelMeasures(ratings [][]float64, level string, labels []float64) Measures {
	rated := func(least int) size {
		enough := make([]float64, w.rows)
		for i := range enough {
			present := 0
			for _, r := range ratings {
				present += int(measure.One(!math.IsNaN(r[i])))
			}
			enough[i] = measure.When(present >= least, 1)
		}
		return sizeOf(w.both(enough, enough))
	}
	sz := rated(2)
	alpha := w.alpha(ratings, level, sz)
	if labels == nil {
		one, mean := w.icc(ratings, rated(len(ratings)))
		return Measures{alpha, one, mean}
	}
	weights, name := raters.NoWeights, "Gwet's AC1"
	if level == Ordinal {
		weights, name = raters.Quadratic, "Gwet's AC2, quadratic weights"
	}
	fleiss := w.Fleiss(ratings, w.cluster, labels)
	both := point("pairwise_agreement", "two judges agree", fleiss.PA, sz)
	both.Share = true
	return Measures{
		alpha, both, w.jackknifed("fleiss", "Fleiss' kappa", report.Interval(fleiss.Value, fleiss.CI), sz),
		w.jackknifed("gwet", name, w.Gwet(ratings, w.cluster, labels, weights), sz),
	}
}

// majority is the verdict of most people, a tie and an item without two of them missing: gold
// where no column of it is named.
func (x *inputs) majority() *side {
	passes, votes := tally(x.people, x.tab.Rows)
	return computed(fmt.Sprintf("majority of %d people", len(x.people)), x.tab.Rows, func(i int) float64 {
		return measure.When(votes[i] > 1 && 2*passes[i] != votes[i], measure.One(2*passes[i] > votes[i]))
	})
}

// likeness compares each judge's agreement with single people with these people's agreement
// with each other.
func (w *work) likeness() []Likeness {
	var out []Likeness
	labels := make([][]float64, len(w.people))
	for i, p := range w.people {
		labels[i] = p.verdict
	}
	for _, j := range w.judges {
		if len(labels) < 2 || j.verdict == nil {
			continue
		}
		l := w.Likeness(labels, j.verdict, w.cluster)
		out = append(out, Likeness{Judge: j.name, size: size{l.Difference.N, l.Difference.Clusters},
			HumanLikeness: report.HumanLikenessOf(l)})
		if w.cluster == nil {
			out[len(out)-1].Clusters = 0
		}
	}
	return out
}

// verdictsOnly checks that people's columns hold verdicts.
func (x *inputs) verdictsOnly() error {
	if i := slices.IndexFunc(x.people, func(s *side) bool { return s.verdict == nil }); i >= 0 {
		return fmt.Errorf("%s: column %s of a person holds numbers: say with --gold-threshold or --threshold which "+
			"pass", x.tab.Name, x.people[i].name)
	}
	return nil
}
