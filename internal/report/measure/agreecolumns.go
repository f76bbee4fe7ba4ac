package measure

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// side is one column as the statistics take it: NaN is missing; a kind that the
// column does not have is nil.
type side struct {
	name     string
	verdict  []float64 // 1 pass, 0 fail
	value    []float64 // numbers
	category []float64 // labels of the declared scale
	graded   bool      // some value is neither 0 nor 1
	missing  int
}

// kinds are the columns of a side in the order of work.kinds.
func (s *side) kinds() [3][]float64 { return [...][]float64{s.category, s.verdict, s.value} }

// any is the kind of a side that says which rows have something.
func (s *side) any() []float64 {
	switch {
	case s.category != nil:
		return s.category
	case s.verdict != nil:
		return s.verdict
	}
	return s.value
}

// agreeInputs are the columns of a table by their roles.
type agreeInputs struct {
	tab        *inputTable
	cfg        AgreeConfig
	words      dictionary
	gold       *side
	judges     []*side
	confidence []*side
	people     []*side
	cluster    []int // nil without a cluster column
	clusters   int
	by         []*inputColumn
	unplaced   int // rows without a cluster
	columns    []report.TableColumn
}

// wanted are the columns that a configuration asks for.
func (c *AgreeConfig) wanted(words *dictionary) (out []wanted) {
	for _, one := range []struct {
		role     string
		patterns []string
	}{
		{"gold", []string{c.Gold}}, {"person", c.People}, {"judge", c.Judges}, {"confidence", c.Confidence},
		{"by", c.By}, {"cluster", []string{c.Cluster}},
	} {
		for _, pattern := range one.patterns {
			w := wanted{role: one.role, pattern: pattern, text: one.role == "by" || one.role == "cluster"}
			if !w.text && w.role != "confidence" {
				w.rewrite = words.rewrite()
			}
			if pattern != "" {
				out = append(out, w)
			}
		}
	}
	return out
}

// newInputs reads the columns that c asks for and gives them their meaning.
func newInputs(name string, in io.Reader, c AgreeConfig) (*agreeInputs, error) {
	x := &agreeInputs{cfg: c, words: newDictionary(&c)}
	keep := slices.Concat(c.Categories, c.Positive)
	for _, m := range c.Map {
		if m.Verdict != "missing" {
			keep = append(keep, m.Words...)
		}
	}
	x.tab = newInputTable(name, c.Format, c.Missing, keep)
	x.tab.wanted = c.wanted(&x.words)
	if err := x.tab.read(in, c.Rows); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if x.tab.Rows == 0 {
		return nil, fmt.Errorf("%s: no rows: want a table with a header and at least one row", name)
	}
	for n, w := range x.tab.wanted {
		found := x.tab.matched[n]
		if !slices.Contains([]string{"judge", "confidence", "person"}, w.role) && len(found) != 1 {
			return nil, fmt.Errorf("%s: %s %q matches %d columns, want one", name, w.role, w.pattern, len(found))
		}
		for _, col := range found {
			if err := x.place(col); err != nil {
				return nil, err
			}
		}
	}
	if err := x.verdictsOnly(); err != nil {
		return nil, err
	}
	if x.gold == nil && len(x.people) > 1 {
		x.gold = x.majority()
	}
	return x, x.agree()
}

// place gives a column the role that it was asked for.
func (x *agreeInputs) place(col *inputColumn) (err error) {
	var s *side
	switch col.role {
	case "gold":
		cut := x.cfg.Threshold
		if x.cfg.GoldThreshold != nil {
			cut = x.cfg.GoldThreshold
		}
		x.gold, err = x.rating(col, cut)
	case "person":
		if s, err = x.rating(col, cmp.Or(x.cfg.GoldThreshold, x.cfg.Threshold)); err == nil {
			x.people = append(x.people, s)
		}
	case "judge":
		same := func(s *side) bool { return s.name == col.name }
		if x.gold != nil && same(x.gold) || slices.ContainsFunc(slices.Concat(x.judges, x.people), same) {
			return nil // patterns overlap
		}
		if s, err = x.rating(col, x.cfg.Threshold); err == nil {
			x.judges = append(x.judges, s)
		}
	case "confidence":
		s = &side{name: col.name}
		of := func(w word) (float64, bool) { return w.number, w.number >= 0 && w.number <= 1 }
		s.value, s.missing, err = x.interpret(col, false, of, "is no number from 0 to 1", asMissing)
		x.confidence = append(x.confidence, s)
	case "by":
		x.by = append(x.by, col)
	case "cluster":
		x.placeCluster(col)
	}
	return err
}

// confidenceOf is the column with the confidence of the k-th judge, nil for none.
func (x *agreeInputs) confidenceOf(k int) *side {
	if len(x.confidence) == 0 {
		return nil
	}
	return x.confidence[min(k, len(x.confidence)-1)]
}

// placeCluster numbers the clusters. Rows without one are left out of everything: nobody
// can say what they belong to.
func (x *agreeInputs) placeCluster(col *inputColumn) {
	x.cluster = make([]int, x.tab.Rows)
	all := slices.Concat(x.judges, x.confidence, x.people)
	if x.gold != nil {
		all = append(all, x.gold)
	}
	for i, k := range col.code {
		x.cluster[i] = int(k)
		if !col.words[k].missing {
			continue
		}
		x.unplaced++
		for _, s := range all {
			for _, list := range s.kinds() {
				if list != nil {
					list[i] = math.NaN()
				}
			}
		}
	}
	absent := col.each(func(_ int, w word) bool { return w.missing })
	x.clusters = len(col.words) - len(absent)
	x.columns = append(x.columns, report.TableColumn{Name: col.name, Role: "cluster", Missing: x.unplaced, NoValues: absent})
}

// agree checks that the two sides of every comparison have a kind in common.
func (x *agreeInputs) agree() error {
	all := x.judges
	if x.gold != nil {
		all = append([]*side{x.gold}, all...)
	}
	switch {
	case len(all) < 2:
		return fmt.Errorf("%s: only column %s: name a gold column, or a second judge", x.tab.Name, all[0].name)
	case len(x.confidence) > 1 && len(x.confidence) != len(x.judges):
		return fmt.Errorf("%s: %d confidence columns for %d judges: want one for all, or one for each in the "+
			"same order",
			x.tab.Name, len(x.confidence), len(x.judges))
	}
	first := all[0]
	for _, s := range all[1:] {
		common := x.gold != nil && first.verdict != nil && s.value != nil
		for kind, list := range first.kinds() {
			common = common || list != nil && s.kinds()[kind] != nil
		}
		if common {
			continue
		}
		numbers, words := first, s
		if first.value == nil {
			numbers, words = s, first
		}
		return fmt.Errorf("%s: column %s holds numbers and column %s verdicts: say with --threshold which numbers pass",
			x.tab.Name, numbers.name, words.name)
	}
	return nil
}

// rating reads a column of ratings as the configuration says.
func (x *agreeInputs) rating(col *inputColumn, cut *Cut) (*side, error) {
	d := x.dictionaryOf(col)
	switch {
	case len(x.cfg.Categories) > 0:
		return x.categories(col, cut)
	case x.cfg.Scale == Interval || !d.own && col.numbers() && (cut != nil || !col.binary()):
		return x.numbers(col, cut)
	}
	s := &side{name: col.name}
	how := "say which words pass with --positive or --map, declare a scale with --categories, or " + asMissing
	if d.own {
		how = "name it with --map pass=… or --map fail=…, or " + asMissing
	}
	var err error
	s.verdict, s.missing, err = x.interpret(col, true,
		func(w word) (float64, bool) { return d.value(w, cut) }, "is neither pass nor fail", how)
	return s, err
}

const asMissing = "count such words as missing with --unknown missing"

// numbers reads numbers, and the verdicts that follow from them.
func (x *agreeInputs) numbers(col *inputColumn, cut *Cut) (s *side, err error) {
	s = &side{name: col.name, graded: !col.binary()}
	if s.value, s.missing, err = x.interpret(col, false, numberIn, "is no number", asMissing); err != nil {
		return nil, err
	}
	// 0 and 1 are verdicts without a threshold, and stay so with one.
	binary := col.binary() && (cut == nil && x.cfg.Scale != Interval ||
		cut != nil && col.role == "gold" && x.cfg.GoldThreshold == nil)
	switch {
	case binary:
		s.verdict = slices.Clone(s.value)
	case cut != nil:
		s.verdict = cut.verdicts(s.value)
	}
	return s, nil
}

func numberIn(w word) (float64, bool) { return w.number, !math.IsNaN(w.number) }

// categories reads the labels of the declared scale: their own numbers where all are
// numbers, else their places 0, 1, 2 …
func (x *agreeInputs) categories(col *inputColumn, cut *Cut) (s *side, err error) {
	labels, numeric := x.cfg.labels()
	of := func(w word) (float64, bool) {
		for k, category := range x.cfg.Categories {
			if f, err := strconv.ParseFloat(category, 64); category == w.Word || err == nil && f == w.number {
				return labels[k], true
			}
		}
		return math.NaN(), false
	}
	s = &side{name: col.name}
	what := "is outside the declared categories " + strings.Join(x.cfg.Categories, ", ")
	if s.category, s.missing, err = x.interpret(col, false, of, what, "declare it, or "+asMissing); err != nil {
		return nil, err
	}
	if numeric {
		s.value, s.graded = s.category, !col.binary()
		if cut != nil {
			s.verdict = cut.verdicts(s.value)
		}
	}
	return s, nil
}

// interpret gives every cell a number, NaN for none, counts those, and notes what is in
// the column, in verdicts the words of each side. Words that are not declared are an error
// that says how to declare them, unless they count as missing.
func (x *agreeInputs) interpret(
	col *inputColumn, verdicts bool, of func(word) (value float64, declared bool), what, how string,
) (values []float64, missing int, err error) {
	var undeclared []word
	meaning := make([]float64, len(col.words))
	out := report.TableColumn{Name: col.name, Role: col.role}
	for k, w := range col.words {
		v, ok := of(w)
		if !ok && !w.missing && len(undeclared) < maxWords {
			undeclared = append(undeclared, w)
		}
		if meaning[k] = onlyIf(ok && !w.missing, v); math.IsNaN(meaning[k]) {
			out.Missing += w.Count
		}
		if !math.IsNaN(w.number) {
			out.Numbers += w.Count
		}
	}
	values = make([]float64, len(col.code))
	for i, k := range col.code {
		values[i] = meaning[k]
	}
	list := func(keep func(v float64) bool) []report.WordCount {
		return col.each(func(k int, w word) bool { return !w.missing && keep(meaning[k]) })
	}
	out.NoValues, out.Unknown = col.each(func(_ int, w word) bool { return w.missing }), list(math.IsNaN)
	if verdicts {
		out.Pass = list(func(v float64) bool { return v == 1 })
		out.Fail = list(func(v float64) bool { return v == 0 })
	}
	x.columns = append(x.columns, out)
	if len(undeclared) > 0 && !x.cfg.UnknownMissing {
		err = x.wordError(col, undeclared, what, how)
	}
	return values, out.Missing, err
}

// wordError names words without a meaning, the first with its line.
func (x *agreeInputs) wordError(col *inputColumn, list []word, what, how string) error {
	first := slices.MinFunc(list, func(a, b word) int { return a.Line - b.Line })
	var others []string
	for _, w := range list {
		if w.Word != first.Word {
			others = append(others, fmt.Sprintf("%.40q", w.Word))
		}
	}
	also := ""
	if slices.Sort(others); len(others) > 0 {
		const most = 8
		also = "; also " + words.Some(others, most)
	}
	return fmt.Errorf("%s: column %s: %.60q %s (%d times)%s: %s",
		x.tab.at(first.Line), col.name, first.Word, what, first.Count, also, how)
}
