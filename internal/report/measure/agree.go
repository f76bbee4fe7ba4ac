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

// Agree reads a table and compares its columns according to cfg. name is used in errors and in the report.
// Errors name the line or the setting to change; few items, a single class or no variance are not errors.
func Agree(name string, in io.Reader, cfg AgreeConfig) (*report.TableAgreement, error) {
	cfg, err := cfg.resolve()
	if err != nil {
		return nil, err
	}
	x, err := newInputs(name, in, cfg)
	if err != nil {
		return nil, err
	}
	w := &agreeWork{agreeInputs: x, statistics: statistics{Alpha: cfg.Alpha}}
	w.labels, _ = cfg.labels()
	r := w.head()
	for k, a := range x.judges {
		if x.gold != nil {
			r.Pairs = append(r.Pairs, w.compare(x.gold, a, x.confidenceOf(k)))
			continue
		}
		for _, b := range x.judges[k+1:] {
			r.Pairs = append(r.Pairs, w.compare(a, b, nil))
		}
	}
	if x.gold != nil {
		r.Ranking = w.rank(r)
	} else {
		r.Blind = w.blind(r.Pairs)
	}
	r.People = w.likeness()
	r.Panel = w.consensus()
	r.Warnings = w.tableWarnings(r)
	return r, w.Err()
}

// agreeWork compares the columns of a file.
type agreeWork struct {
	*agreeInputs
	statistics
	labels []float64 // of the declared scale
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
		r.Gold = w.gold.Name
	}
	for _, j := range w.judges {
		r.Judges = append(r.Judges, j.Name)
	}
	for k, kind := range w.kinds() {
		if slices.ContainsFunc(w.judges, func(s *side) bool { return s.kinds[k] }) {
			r.Reading.Kinds = append(r.Reading.Kinds, kind.name)
			r.Reading.Scale = cmp.Or(r.Reading.Scale, kind.scale)
		}
	}
	return r
}

// columnKind is a kind of values in a column, with its scale.
type columnKind struct {
	name, scale string
	labels      []float64 // nil for numbers
	of          func(observation) float64
}

// kinds returns the kinds of columns, indexed by categoryKind, verdictKind and numberKind.
func (w *agreeWork) kinds() [3]columnKind {
	return [3]columnKind{
		categoryKind: {"categories", w.cfg.categoryScale(), w.labels, observation.number},
		verdictKind:  {"verdicts", Nominal, verdictScale, observation.verdict},
		numberKind:   {"values", Interval, nil, observation.number},
	}
}

// itemLevel is the level of a table's rows.
const itemLevel = "item"

// matrix returns a number for each side and row, NaN if it is missing, and the cluster of each row.
func (w *agreeWork) matrix(sides []*side, of func(observation) float64) (numbers [][]float64, cluster []int) {
	all := make([]*series, len(sides))
	for i, s := range sides {
		all[i] = s.series
	}
	return w.items.matrix(itemLevel, all, of)
}

// consensus returns the agreement of all judges with each other, if there are at least two: any
// number of raters, with gaps, by the finest kind that all have.
func (w *agreeWork) consensus() *report.ConsensusRow {
	if len(w.judges) < 2 {
		return nil
	}
	out := &report.ConsensusRow{Level: itemLevel}
	for _, j := range w.judges {
		out.Judges = append(out.Judges, j.Name)
	}
	for k, kind := range w.kinds() {
		if !slices.ContainsFunc(w.judges, func(j *side) bool { return !j.kinds[k] }) {
			w.agreeAll(out, kind)
			return out
		}
	}
	return nil
}

// agreeAll adds the coefficients for the judges' values of one kind.
func (w *agreeWork) agreeAll(out *report.ConsensusRow, kind columnKind) {
	ratings, cluster := w.matrix(w.judges, kind.of)
	none := report.Undefined(stat.NotApplicable)
	out.Same, out.Fleiss, out.Gwet, out.Nominal, out.Values = none, none, none, none, none
	for i := range cluster {
		rated := 0
		for _, r := range ratings {
			rated += int(asNumber(!math.IsNaN(r[i])))
		}
		out.N += int(asNumber(rated > 1))
	}
	if kind.labels != nil {
		w.Consensus(out, ratings, cluster, kind.labels)
	}
	if kind.scale != Nominal {
		out.Scale, out.Values = kind.scale, w.alpha(ratings, cluster, kind.scale)
	}
}

// majority returns the verdict of most people. Ties, and items without two people's verdicts, are
// missing. It is gold if no column is named as gold.
func (x *agreeInputs) majority() *side {
	return x.computed(fmt.Sprintf("majority of %d people", len(x.people)), x.people, func(passes, votes float64) float64 {
		return onlyIf(votes > 1 && 2*passes != votes, asNumber(2*passes > votes))
	})
}

// computed returns a side whose verdict in each row is computed from the other sides' passes and votes.
func (x *agreeInputs) computed(name string, voters []*side, of func(passes, votes float64) float64) *side {
	verdicts := make([]float64, len(x.calls))
	for i, row := range x.calls {
		passes, votes := 0.0, 0.0
		for _, s := range voters {
			if v := s.at(row).verdict(); !math.IsNaN(v) {
				passes, votes = passes+v, votes+1
			}
		}
		verdicts[i] = of(passes, votes)
	}
	return newSide(name, verdicts, asVerdict)
}

// likeness compares each judge's agreement with single people to the people's agreement with each other.
func (w *agreeWork) likeness() []report.JudgeLikeness {
	var out []report.JudgeLikeness
	for _, j := range w.judges {
		if len(w.people) < 2 || !j.kinds[verdictKind] {
			continue
		}
		verdicts, cluster := w.matrix(append([]*side{j}, w.people...), observation.verdict)
		like, n := w.Likeness(verdicts[1:], verdicts[0], cluster)
		out = append(out, report.JudgeLikeness{Judge: j.Name, N: n, HumanLikeness: like})
	}
	return out
}

// verdictsOnly returns an error if a person's column does not hold verdicts.
func (x *agreeInputs) verdictsOnly() error {
	if i := slices.IndexFunc(x.people, func(s *side) bool { return !s.kinds[verdictKind] }); i >= 0 {
		return fmt.Errorf("%s: column %s of a person holds numbers: say with --gold-threshold or --threshold which "+
			"pass", x.tab.Name, x.people[i].Name)
	}
	return nil
}
