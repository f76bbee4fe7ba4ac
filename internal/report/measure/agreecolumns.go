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
	"github.com/judgekit/judge/internal/sorting"
)

// The kinds of values in a column, finest first.
const (
	categoryKind = iota // labels of the declared scale
	verdictKind         // passes and fails
	numberKind
)

// side is a column as a series: a cell holds a category or number, or else the verdict as 1 or 0.
type side struct {
	*series
	kinds   [3]bool // by the constants above
	graded  bool    // some number is neither 0 nor 1
	missing int
}

// newSide returns a side with a value for each row, NaN if it is missing. verdict converts a value
// to a verdict; it is nil if the column has no verdicts.
func newSide(name string, values []float64, verdict func(float64) float64) *side {
	column := report.Instrument{Name: name, Level: itemLevel}
	s := &side{series: &series{Instrument: column, cells: make(cellList, len(values))}}
	s.kinds[verdictKind] = verdict != nil
	for row, v := range values {
		decided := math.NaN()
		if verdict != nil {
			decided = verdict(v)
		}
		s.cells[row] = cellOf(v, decided)
		s.missing += int(asNumber(math.IsNaN(v)))
	}
	return s
}

// asVerdict returns a value that is already a verdict.
func asVerdict(v float64) float64 { return v }

// agreeInputs holds the columns of a table by their roles, and its rows as items.
type agreeInputs struct {
	*items
	tab        *inputTable
	cfg        AgreeConfig
	words      dictionary
	gold       *side
	judges     []*side
	confidence []*side
	people     []*side
	cluster    *inputColumn // nil if none
	clusters   int
	by         []*inputColumn
	unplaced   int // rows without a cluster
	columns    []report.TableColumn
}

// wanted returns the columns that a configuration names.
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

// newInputs reads the columns that c names and interprets them.
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
	x.arrange()
	if x.gold == nil && len(x.people) > 1 {
		x.gold = x.majority()
	}
	return x, x.checkKinds()
}

// arrange makes an item of each row and sorts the items by cluster; the call of an item is its row.
// Without a cluster column each row is a cluster. Rows without a cluster lose their values.
func (x *agreeInputs) arrange() {
	x.items = &items{calls: make([]item, x.tab.Rows)}
	for row := range x.calls {
		cluster := row
		if x.cluster != nil {
			cluster = int(x.cluster.code[row])
		}
		x.calls[row] = item{conversation: uint32(cluster), call: int32(row)}
	}
	sorting.Stable(x.calls, func(a, b item) int { return cmp.Compare(a.conversation, b.conversation) })
	numbers := make([]uint32, len(x.calls))
	for i := range x.calls {
		c := &x.calls[i]
		c.number = uint32(i)
		numbers[c.call] = c.number
	}
	for _, s := range x.sides() {
		for row := range s.cells {
			if !x.placed(row) {
				s.cells[row] = cellOf(math.NaN(), math.NaN())
			}
		}
		s.cells = s.cells.renumbered(numbers)
	}
}

// placed reports whether a row has a cluster; always true without a cluster column.
func (x *agreeInputs) placed(row int) bool {
	return x.cluster == nil || !x.cluster.words[x.cluster.code[row]].missing
}

// sides returns all columns of ratings and confidence.
func (x *agreeInputs) sides() []*side {
	all := slices.Concat(x.people, x.judges, x.confidence)
	if x.gold != nil {
		all = append(all, x.gold)
	}
	return all
}

// place stores a column in the role for which it was read.
func (x *agreeInputs) place(col *inputColumn) (err error) {
	var s *side
	same := func(s *side) bool { return s.Name == col.name }
	switch col.role {
	case "gold":
		cut := x.cfg.Threshold
		if x.cfg.GoldThreshold != nil {
			cut = x.cfg.GoldThreshold
		}
		x.gold, err = x.rating(col, cut)
	case "person":
		if slices.ContainsFunc(x.people, same) {
			return nil // several patterns match it
		}
		if s, err = x.rating(col, cmp.Or(x.cfg.GoldThreshold, x.cfg.Threshold)); err == nil {
			x.people = append(x.people, s)
		}
	case "judge":
		if x.gold != nil && same(x.gold) || slices.ContainsFunc(slices.Concat(x.judges, x.people), same) {
			return nil // several patterns match it
		}
		if s, err = x.rating(col, x.cfg.Threshold); err == nil {
			x.judges = append(x.judges, s)
		}
	case "confidence":
		var values []float64
		of := func(w word) (float64, bool) { return w.number, w.number >= 0 && w.number <= 1 }
		values, err = x.interpret(col, false, of, "is not a number from 0 to 1", asMissing)
		x.confidence = append(x.confidence, newSide(col.name, values, nil))
	case "by":
		x.by = append(x.by, col)
	case "cluster":
		x.placeCluster(col)
	}
	return err
}

// confidenceOf returns the column with the k-th judge's confidence; nil if none.
func (x *agreeInputs) confidenceOf(k int) *side {
	if len(x.confidence) == 0 {
		return nil
	}
	return x.confidence[min(k, len(x.confidence)-1)]
}

// placeCluster stores the column of clusters. Rows without a cluster are left out of everything,
// because nobody knows where they belong.
func (x *agreeInputs) placeCluster(col *inputColumn) {
	x.cluster = col
	for row := range col.code {
		x.unplaced += int(asNumber(!x.placed(row)))
	}
	absent := col.each(func(_ int, w word) bool { return w.missing })
	x.clusters = len(col.words) - len(absent)
	column := report.TableColumn{Name: col.name, Role: "cluster", Missing: x.unplaced, NoValues: absent}
	x.columns = append(x.columns, column)
}

// checkKinds returns an error unless the two sides of every comparison have a kind in common.
func (x *agreeInputs) checkKinds() error {
	all := x.judges
	if x.gold != nil {
		all = append([]*side{x.gold}, all...)
	}
	switch {
	case len(x.people) == 1:
		return fmt.Errorf("%s: only column %s: name the columns of two people at least", x.tab.Name, x.people[0].Name)
	case len(all) < 2:
		return fmt.Errorf("%s: only column %s: name a gold column, or a second judge", x.tab.Name, all[0].Name)
	case len(x.confidence) > 1 && len(x.confidence) != len(x.judges):
		return fmt.Errorf("%s: %d confidence columns for %d judges: want one for all, or one for each in the same order",
			x.tab.Name, len(x.confidence), len(x.judges))
	}
	first := all[0]
	for _, s := range all[1:] {
		common := x.gold != nil && s.kinds[numberKind]
		for kind, has := range first.kinds {
			common = common || has && s.kinds[kind]
		}
		if common {
			continue
		}
		numbers, words := first, s
		if !first.kinds[numberKind] {
			numbers, words = s, first
		}
		return fmt.Errorf("%s: column %s holds numbers and column %s verdicts: say with --threshold which numbers pass",
			x.tab.Name, numbers.Name, words.Name)
	}
	return nil
}

// rating reads a column of ratings according to the configuration.
func (x *agreeInputs) rating(col *inputColumn, cut *Cut) (*side, error) {
	d := x.dictionaryOf(col)
	switch {
	case len(x.cfg.Categories) > 0:
		return x.categories(col, cut)
	case x.cfg.Scale == Interval || !d.own && col.numbers() && (cut != nil || !col.binary()):
		return x.numbers(col, cut)
	}
	how := "say which words pass with --positive or --map, declare a scale with --categories, or " + asMissing
	if d.own {
		how = "name it with --map pass=… or --map fail=…, or " + asMissing
	}
	values, err := x.interpret(col, true,
		func(w word) (float64, bool) { return d.value(w, cut) }, "is neither pass nor fail", how)
	return newSide(col.name, values, asVerdict), err
}

const asMissing = "count such words as missing with --unknown missing"

// numbers reads numbers, and their verdicts.
func (x *agreeInputs) numbers(col *inputColumn, cut *Cut) (*side, error) {
	values, err := x.interpret(col, false, numberIn, "is not a number", asMissing)
	if err != nil {
		return nil, err
	}
	verdict := cut.decider()
	if cut != nil && col.binary() && col.role != "judge" && x.cfg.GoldThreshold == nil {
		// The threshold is for the judges' numbers; 0 and 1 of gold and of people stay verdicts.
		verdict = asVerdict
	}
	s := newSide(col.name, values, verdict)
	s.kinds[numberKind], s.graded = true, !col.binary()
	return s, nil
}

func numberIn(w word) (float64, bool) { return w.number, !math.IsNaN(w.number) }

// categories reads labels of the declared scale: as their own numbers if all are numbers, else as
// their indexes 0, 1, 2 …
func (x *agreeInputs) categories(col *inputColumn, cut *Cut) (*side, error) {
	labels, numeric := x.cfg.labels()
	of := func(w word) (float64, bool) {
		for k, category := range x.cfg.Categories {
			if f, err := strconv.ParseFloat(category, 64); category == w.Word || err == nil && f == w.number {
				return labels[k], true
			}
		}
		return math.NaN(), false
	}
	what := "is outside the declared categories " + strings.Join(x.cfg.Categories, ", ")
	values, err := x.interpret(col, false, of, what, "declare it, or "+asMissing)
	if err != nil {
		return nil, err
	}
	if !numeric {
		cut = nil
	}
	s := newSide(col.name, values, cut.decider())
	s.kinds[categoryKind], s.kinds[numberKind], s.graded = true, numeric, numeric && !col.binary()
	return s, nil
}

// interpret converts every cell to a number, NaN if it is missing, and counts what is in the
// column; for verdicts it lists the words of each side. Undeclared words are an error that says how
// to declare them, unless they count as missing.
func (x *agreeInputs) interpret(
	col *inputColumn, verdicts bool, of func(word) (value float64, declared bool), what, how string,
) (values []float64, err error) {
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
	return values, err
}

// wordError returns an error with the words that have no meaning, the first with its line.
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
