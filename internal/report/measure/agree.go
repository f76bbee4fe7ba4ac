package measure

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
)

// Agree reads a table and compares its columns as cfg says. name is used in errors
// and in the report. Errors name the line or the setting that has to change; few
// items, one class or no variance are no errors.
func Agree(name string, in io.Reader, cfg AgreeConfig) (*report.TableAgreement, error) {
	cfg, err := cfg.settle()
	if err != nil {
		return nil, err
	}
	x, err := newInputs(name, in, cfg)
	if err != nil {
		return nil, err
	}
	w := &agreeWork{agreeInputs: x, statistics: &statistics{Alpha: cfg.Alpha}, rows: x.tab.Rows, cluster: x.cluster}
	w.labels, _ = cfg.labels()
	r := w.head()
	for k, a := range x.judges {
		if x.gold != nil {
			r.Pairs = append(r.Pairs, w.pair(x.gold, a, x.confidenceOf(k)))
			continue
		}
		for _, b := range x.judges[k+1:] {
			r.Pairs = append(r.Pairs, w.pair(a, b, nil))
		}
	}
	if x.gold != nil {
		r.Ranking = w.rank(r)
	} else {
		r.Blind = w.blind()
	}
	r.People = w.likeness()
	r.Panel = w.consensus()
	r.Warnings = w.tableWarnings(r)
	return r, w.Err()
}

// agreeWork computes numbers over rows of a table; each stratum has a copy with its rows.
type agreeWork struct {
	*agreeInputs
	*statistics
	rows    int
	cluster []int // nil for independent rows
	labels  []float64
}

func (w *agreeWork) head() *report.TableAgreement {
	c := &w.cfg
	r := &report.TableAgreement{
		Schema: report.TableAgreementSchema, Cluster: c.Cluster, Clusters: w.clusters, By: c.By,
		Alpha: c.Alpha, Columns: w.columns, Pairs: []report.ColumnPair{},
		Table: w.tab.TableSource,
		Reading: report.TableReading{
			Categories: c.Categories, Threshold: c.Threshold.String(), GoldCut: c.GoldThreshold.String(),
		},
	}
	if w.gold != nil {
		r.Gold = w.gold.name
	}
	for _, j := range w.judges {
		r.Judges = append(r.Judges, j.name)
	}
	for k, kind := range w.kinds() {
		if slices.ContainsFunc(w.judges, func(s *side) bool { return s.kinds()[k] != nil }) {
			r.Reading.Kinds = append(r.Reading.Kinds, kind.name)
			r.Reading.Scale = cmp.Or(r.Reading.Scale, kind.scale)
		}
	}
	return r
}

// columnKind is what a column can hold, with its scale.
type columnKind struct {
	name, scale string
	labels      []float64 // nil for numbers
}

// kinds are the kinds of columns, the finest first.
func (w *agreeWork) kinds() []columnKind {
	return []columnKind{
		{"categories", w.cfg.categoryScale(), w.labels}, {"verdicts", Nominal, verdictScale},
		{"values", Interval, nil},
	}
}

// pair compares two sides by everything that both have, a as the reference.
func (w *agreeWork) pair(a, b, sure *side) report.ColumnPair {
	p := w.numbers(a, b, sure)
	for _, col := range w.by {
		p.Splits = append(p.Splits, w.splitBy(col, a, b, sure))
	}
	p.Warnings = w.pairWarnings(&p, a, b)
	return p
}

// numbers are those of a pair.
func (w *agreeWork) numbers(a, b, sure *side) (p report.ColumnPair) {
	p.Judge, p.Level, p.Direction = b.name, itemLevel, report.BothDirection
	p.Reference = report.Instrument{Name: a.name, Level: itemLevel}
	p.MissingJudge, p.MissingRef = b.missing, a.missing
	p.N, p.Conversations = w.size(w.both(a.any(), b.any()))
	w.verdicts(&p, w.both(a.verdict, b.verdict))
	p.AUC, p.Spearman = report.Undefined(stat.NotApplicable), report.Undefined(stat.NotApplicable)
	numeric := a.value != nil && b.value != nil
	switch {
	case numeric && (a.graded || a.verdict == nil && b.graded):
		w.values(&p, w.both(a.value, b.value))
	case a.category != nil && b.category != nil && !numeric && w.cfg.categoryScale() == Ordinal:
		p.Spearman = report.Point(w.both(a.category, b.category).Correlation().Spearman)
	}
	if a.category != nil && b.category != nil {
		p.Ratings = w.ratings(w.both(a.category, b.category))
	}
	if w.gold != nil && a.verdict != nil && b.graded {
		w.score(&p, w.both(a.verdict, b.value))
	}
	if sure != nil && a.verdict != nil && b.verdict != nil {
		c := w.both(w.both(a.verdict, b.verdict).Each(bothAgree), sure.value)
		p.Confidence = new(c.Probability())
	}
	return p
}

// itemLevel is the level of rows.
const itemLevel = "item"

// both are two columns, blank in the rows where either is missing; nil is missing everywhere.
func (w *agreeWork) both(gold, judge []float64) columns {
	c := columns{statistics: w.statistics, Gold: make([]float64, w.rows), Judge: make([]float64, w.rows),
		Cluster: w.cluster}
	for i := range w.rows {
		c.Gold[i], c.Judge[i] = math.NaN(), math.NaN()
		if gold != nil && judge != nil && !math.IsNaN(gold[i]) && !math.IsNaN(judge[i]) {
			c.Gold[i], c.Judge[i] = gold[i], judge[i]
		}
	}
	return c
}

// size counts the rows that both have, and their clusters: each row is one without a cluster
// column.
func (w *agreeWork) size(c columns) (n, clusters int) {
	seen := map[int]bool{}
	for i, x := range c.Gold {
		if !math.IsNaN(x) {
			n++
			if c.Cluster != nil {
				seen[c.Cluster[i]] = true
			}
		}
	}
	if c.Cluster == nil {
		return n, n
	}
	return n, len(seen)
}

// consensus is the agreement of all judges among themselves, where there are two or more: any
// number of raters, with gaps, by the finest kind that all have.
func (w *agreeWork) consensus() *report.ConsensusRow {
	if len(w.judges) < 2 {
		return nil
	}
	out := &report.ConsensusRow{Level: itemLevel}
	for _, j := range w.judges {
		out.Judges = append(out.Judges, j.name)
	}
	for k, kind := range w.kinds() {
		var ratings [][]float64
		for _, j := range w.judges {
			if list := j.kinds()[k]; list != nil {
				ratings = append(ratings, list)
			}
		}
		if len(ratings) == len(w.judges) {
			w.agreeAll(out, ratings, kind)
			return out
		}
	}
	return nil
}

// agreeAll fills in the coefficients of raters × rows.
func (w *agreeWork) agreeAll(out *report.ConsensusRow, ratings [][]float64, kind columnKind) {
	none := report.Undefined(stat.NotApplicable)
	out.Same, out.Fleiss, out.Gwet, out.Nominal, out.Values = none, none, none, none, none
	for i := range w.rows {
		rated := 0
		for _, r := range ratings {
			rated += int(asNumber(!math.IsNaN(r[i])))
		}
		out.N += int(asNumber(rated > 1))
	}
	if kind.labels != nil {
		w.Consensus(out, ratings, w.cluster, kind.labels)
	}
	if kind.scale != Nominal {
		out.Scale, out.Values = kind.scale, w.alpha(ratings, kind.scale)
	}
}

// maxAlphaValues is how many different values alpha takes.
const maxAlphaValues = 10_000

// alpha is Krippendorff's alpha of raters × rows.
func (w *agreeWork) alpha(ratings [][]float64, level string) report.Estimate {
	if len(stat.Distinct(stat.Present(slices.Concat(ratings...)))) > maxAlphaValues {
		return report.Estimate{Reason: "too_many_values"}
	}
	return w.Krippendorff(ratings, w.cluster, level)
}

// majority is the verdict of most people, a tie and an item without two of them missing: gold
// if no column of it is named.
func (x *agreeInputs) majority() *side {
	passes, votes := countVotes(x.people, x.tab.Rows)
	return computed(fmt.Sprintf("majority of %d people", len(x.people)), x.tab.Rows, func(i int) float64 {
		return onlyIf(votes[i] > 1 && 2*passes[i] != votes[i], asNumber(2*passes[i] > votes[i]))
	})
}

// likeness compares each judge's agreement with single people with these people's agreement
// with each other.
func (w *agreeWork) likeness() []report.JudgeLikeness {
	var out []report.JudgeLikeness
	labels := make([][]float64, len(w.people))
	for i, p := range w.people {
		labels[i] = p.verdict
	}
	for _, j := range w.judges {
		if len(labels) < 2 || j.verdict == nil {
			continue
		}
		like, n := w.Likeness(labels, j.verdict, w.cluster)
		out = append(out, report.JudgeLikeness{Judge: j.name, N: n, HumanLikeness: like})
	}
	return out
}

// verdictsOnly checks that people's columns hold verdicts.
func (x *agreeInputs) verdictsOnly() error {
	if i := slices.IndexFunc(x.people, func(s *side) bool { return s.verdict == nil }); i >= 0 {
		return fmt.Errorf("%s: column %s of a person holds numbers: say with --gold-threshold or --threshold which "+
			"pass", x.tab.Name, x.people[i].name)
	}
	return nil
}
