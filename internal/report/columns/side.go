package columns

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report/columns/table"
)

// side is one column as the statistics take it: NaN is missing; a kind that the
// column does not have is nil.
type side struct {
	name     string
	verdict  []float64 // 1 pass, 0 fail
	value    []float64 // numbers
	category []float64 // labels of the declared scale
	missing  int
}

// inputs are the columns of a table by their roles.
type inputs struct {
	tab        *table.Table
	cfg        Config
	words      dictionary
	gold       *side
	judges     []*side
	confidence []*side
	cluster    []int
	clusters   int
	by         []strataOf
	unplaced   int // rows without a cluster
	columns    []Column
}

// strataOf is a column to split by: of each row the number of its name.
type strataOf struct {
	name  string
	names []string
	of    []int
}

// read reads the columns that c asks for and gives them their meaning.
func read(name string, in io.Reader, c Config) (*inputs, error) {
	x := &inputs{cfg: c, words: newDictionary(&c)}
	opts := table.Options{Format: c.Format, Rows: c.Rows, Missing: c.Missing, Keep: declared(&c)}
	rate := func(pattern string) {
		opts.Columns = append(opts.Columns, table.Wanted{Pattern: pattern, Rewrite: x.words.rewrite()})
	}
	if c.Gold != "" {
		rate(c.Gold)
	}
	for _, j := range c.Judges {
		rate(j)
	}
	for _, j := range c.Confidence {
		opts.Columns = append(opts.Columns, table.Wanted{Pattern: j})
	}
	for _, group := range append(slices.Clone(c.By), c.Cluster) {
		if group != "" {
			opts.Columns = append(opts.Columns, table.Wanted{Pattern: group, Text: true})
		}
	}
	var err error
	if x.tab, err = table.Read(name, in, opts); err != nil {
		return nil, err
	}
	if x.tab.Rows == 0 {
		return nil, fmt.Errorf("%s: no rows: want a table with a header and at least one row", name)
	}
	return x, x.assign()
}

// assign hands the matched columns to their roles, in the order of Options.Columns.
func (x *inputs) assign() error {
	c, next := &x.cfg, 0
	take := func(pattern string) []*table.Column {
		next++
		return x.tab.Columns(next - 1)
	}
	one := func(role, pattern string) (*table.Column, error) {
		found := take(pattern)
		if len(found) != 1 {
			return nil, fmt.Errorf("%s: %s %q matches %d columns, want one", x.tab.Name, role, pattern, len(found))
		}
		return found[0], nil
	}
	if c.Gold != "" {
		col, err := one("gold", c.Gold)
		if err != nil {
			return err
		}
		if x.gold, err = x.side(col, "gold", c.goldCut()); err != nil {
			return err
		}
	}
	for _, pattern := range c.Judges {
		for _, col := range take(pattern) {
			if x.named(col.Name) {
				continue
			}
			s, err := x.side(col, "judge", c.Threshold)
			if err != nil {
				return err
			}
			x.judges = append(x.judges, s)
		}
	}
	for _, pattern := range c.Confidence {
		for _, col := range take(pattern) {
			s, err := x.confident(col)
			if err != nil {
				return err
			}
			x.confidence = append(x.confidence, s)
		}
	}
	for _, name := range c.By {
		col, err := one("by", name)
		if err != nil {
			return err
		}
		x.by = append(x.by, strata(col))
	}
	if c.Cluster != "" {
		col, err := one("cluster", c.Cluster)
		if err != nil {
			return err
		}
		x.place(col)
	}
	return x.agree()
}

// named reports whether a column is already the gold or a judge: patterns overlap.
func (x *inputs) named(name string) bool {
	return x.gold != nil && x.gold.name == name || slices.ContainsFunc(x.judges, func(s *side) bool { return s.name == name })
}

func (c *Config) goldCut() *Cut {
	if c.GoldThreshold != nil {
		return c.GoldThreshold
	}
	return c.Threshold
}

// place numbers the clusters. Rows without one are left out of everything: nobody
// can say what they belong to.
func (x *inputs) place(col *table.Column) {
	x.columns = append(x.columns, x.count(col, "cluster", nil))
	x.cluster, x.clusters = make([]int, col.Len()), len(col.Words())
	for i := range x.cluster {
		k, ok := col.Word(i)
		if !ok {
			x.unplaced++
			for _, s := range x.sides() {
				s.drop(i)
			}
		}
		x.cluster[i] = max(k, 0)
	}
}

func (x *inputs) sides() []*side {
	all := slices.Concat(x.judges, x.confidence)
	if x.gold != nil {
		all = append(all, x.gold)
	}
	return all
}

func (s *side) drop(i int) {
	for _, list := range [][]float64{s.verdict, s.value, s.category} {
		if list != nil {
			list[i] = math.NaN()
		}
	}
}

func strata(col *table.Column) strataOf {
	s := strataOf{name: col.Name, of: make([]int, col.Len())}
	for _, w := range col.Words() {
		s.names = append(s.names, w.Text)
	}
	lost := len(s.names)
	for i := range s.of {
		k, ok := col.Word(i)
		if !ok {
			k = lost
		}
		s.of[i] = k
	}
	if col.Missing() > 0 {
		s.names = append(s.names, "(missing)")
	}
	return s
}

// side reads a column of ratings as the configuration says.
func (x *inputs) side(col *table.Column, role string, cut *Cut) (*side, error) {
	if len(x.cfg.Categories) > 0 {
		return x.categories(col, role, cut)
	}
	d := x.dictionaryOf(col)
	if x.cfg.Scale == Interval || len(col.Words()) == 0 && !d.own && (cut != nil || !binary(col)) {
		return x.numbers(col, role, cut)
	}
	return x.verdicts(col, &d, role, cut)
}

// binary reports whether a column holds no number but 0 and 1.
func binary(col *table.Column) bool {
	for i := range col.Len() {
		if f, ok := col.Number(i); ok && f != 0 && f != 1 {
			return false
		}
	}
	return true
}

func (x *inputs) numbers(col *table.Column, role string, cut *Cut) (*side, error) {
	if words := col.Words(); len(words) > 0 && !x.cfg.UnknownMissing {
		return nil, x.wordError(col, words, "is no number", "count such words as missing with --unknown missing")
	}
	s := &side{name: col.Name, value: make([]float64, col.Len())}
	for i := range s.value {
		s.value[i], _ = col.Number(i)
	}
	// 0 and 1 are verdicts without a threshold, and stay so with one.
	if cut == nil && x.cfg.Scale != Interval && binary(col) || cut != nil && binary(col) && role == "gold" && x.cfg.GoldThreshold == nil {
		s.verdict = slices.Clone(s.value)
	} else if cut != nil {
		s.verdict = make([]float64, col.Len())
		for i, f := range s.value {
			s.verdict[i] = cutAt(cut, f)
		}
	}
	s.missing = col.Missing() + wordsIn(col)
	x.columns = append(x.columns, x.count(col, role, func(string) verdict { return noVerdict }))
	return s, nil
}

func wordsIn(col *table.Column) int {
	n := 0
	for _, w := range col.Words() {
		n += w.Count
	}
	return n
}

func cutAt(cut *Cut, f float64) float64 {
	switch {
	case math.IsNaN(f):
		return f
	case cut.passes(f):
		return 1
	}
	return 0
}

// verdicts reads words, and numbers as the words they are spelled with.
func (x *inputs) verdicts(col *table.Column, d *dictionary, role string, cut *Cut) (*side, error) {
	meaning := make([]verdict, len(col.Words()))
	var unknown []table.Word
	for k, w := range col.Words() {
		if meaning[k] = d.verdict(w.Text); meaning[k] == noVerdict {
			unknown = append(unknown, w)
		}
	}
	s := &side{name: col.Name, verdict: make([]float64, col.Len())}
	numbers := map[float64]*WordCount{}
	for i := range s.verdict {
		s.verdict[i] = math.NaN()
		if k, ok := col.Word(i); ok {
			s.verdict[i] = meaning[k].value()
		} else if f, ok := col.Number(i); ok {
			s.verdict[i] = d.number(f, cut)
			if numbers[f] == nil && len(numbers) < 100 {
				numbers[f] = &WordCount{Word: spell(f), Line: x.tab.Line(i)}
			}
			if w := numbers[f]; w != nil {
				w.Count++
			}
		}
		if math.IsNaN(s.verdict[i]) {
			s.missing++
		}
	}
	list := x.count(col, role, d.verdict)
	for _, w := range numbers {
		switch v := d.number(mustParse(w.Word), cut); {
		case v == 1:
			list.Pass = append(list.Pass, *w)
		case v == 0:
			list.Fail = append(list.Fail, *w)
		default:
			list.Unknown = append(list.Unknown, *w)
			if d.verdict(w.Word) != missing {
				unknown = append(unknown, table.Word{Text: w.Word, Count: w.Count, Line: w.Line})
			}
		}
	}
	for _, words := range [][]WordCount{list.Pass, list.Fail, list.Unknown} {
		sortWords(words)
	}
	if len(unknown) > 0 && !x.cfg.UnknownMissing {
		what, how := "is neither pass nor fail", "name it with --map pass=… or --map fail=…, or count such words as missing with --unknown missing"
		if !d.own {
			how = "say which words pass with --positive or --map, declare a scale with --categories, or count such words as missing with --unknown missing"
		}
		return nil, x.wordError(col, unknown, what, how)
	}
	x.columns = append(x.columns, list)
	return s, nil
}

func spell(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func mustParse(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return f
}

// number is the verdict of a number in a column of verdicts: the words may
// name it, else the threshold decides, else 0 and 1 are fail and pass.
func (d *dictionary) number(f float64, cut *Cut) float64 {
	if v := d.verdict(spell(f)); v != noVerdict && (d.own || cut == nil) {
		return v.value()
	}
	if cut != nil {
		return cutAt(cut, f)
	}
	return math.NaN()
}

// categories reads the labels of the declared scale: their own numbers where all are
// numbers, else their places 0, 1, 2 …
func (x *inputs) categories(col *table.Column, role string, cut *Cut) (*side, error) {
	labels, numeric := labelsOf(x.cfg.Categories)
	s := &side{name: col.Name, category: make([]float64, col.Len())}
	place := make([]float64, len(col.Words()))
	var unknown []table.Word
	for k, w := range col.Words() {
		at := slices.Index(x.cfg.Categories, w.Text)
		if place[k] = math.NaN(); at >= 0 {
			place[k] = labels[at]
		} else {
			unknown = append(unknown, w)
		}
	}
	strange := map[float64]int{}
	for i := range s.category {
		s.category[i] = math.NaN()
		if k, ok := col.Word(i); ok {
			s.category[i] = place[k]
		} else if f, ok := col.Number(i); ok {
			at := slices.IndexFunc(x.cfg.Categories, func(w string) bool { return mustParse(w) == f })
			if at >= 0 {
				s.category[i] = labels[at]
			} else if k, seen := strange[f]; seen {
				unknown[k].Count++
			} else if len(strange) < 100 {
				strange[f] = len(unknown)
				unknown = append(unknown, table.Word{Text: spell(f), Count: 1, Line: x.tab.Line(i)})
			}
		}
		if math.IsNaN(s.category[i]) {
			s.missing++
		}
	}
	if len(unknown) > 0 && !x.cfg.UnknownMissing {
		return nil, x.wordError(col, unknown, "is outside the declared categories "+strings.Join(x.cfg.Categories, ", "), "declare it, or count such words as missing with --unknown missing")
	}
	if numeric {
		s.value = s.category
		if cut != nil {
			s.verdict = make([]float64, col.Len())
			for i, f := range s.value {
				s.verdict[i] = cutAt(cut, f)
			}
		}
	}
	list := x.count(col, role, nil)
	for _, w := range unknown {
		list.Unknown = append(list.Unknown, WordCount{w.Text, w.Count, w.Line})
	}
	sortWords(list.Unknown)
	x.columns = append(x.columns, list)
	return s, nil
}

func labelsOf(categories []string) (labels []float64, numeric bool) {
	numeric = !slices.ContainsFunc(categories, func(w string) bool { return math.IsNaN(mustParse(w)) || math.IsInf(mustParse(w), 0) })
	for k, w := range categories {
		if numeric {
			labels = append(labels, mustParse(w))
		} else {
			labels = append(labels, float64(k))
		}
	}
	return labels, numeric
}

// confident reads a confidence: numbers in 0..1.
func (x *inputs) confident(col *table.Column) (*side, error) {
	if words := col.Words(); len(words) > 0 && !x.cfg.UnknownMissing {
		return nil, x.wordError(col, words, "is no number", "count such words as missing with --unknown missing")
	}
	s := &side{name: col.Name, value: make([]float64, col.Len()), missing: col.Missing() + wordsIn(col)}
	for i := range s.value {
		f, ok := col.Number(i)
		if ok && (f < 0 || f > 1) {
			return nil, fmt.Errorf("%s: confidence %s: %g is outside 0..1", x.tab.Place(i), col.Name, f)
		}
		s.value[i] = f
	}
	x.columns = append(x.columns, x.count(col, "confidence", nil))
	return s, nil
}

// wordError names words without a meaning, the first with its line.
func (x *inputs) wordError(col *table.Column, words []table.Word, what, how string) error {
	first, others := words[0], ""
	for _, w := range words {
		if w.Line < first.Line {
			first = w
		}
	}
	if n := len(words) - 1; n > 0 {
		var list []string
		for _, w := range words {
			if w != first && len(list) < 8 {
				list = append(list, fmt.Sprintf("%.40q", w.Text))
			}
		}
		slices.Sort(list)
		others = "; also " + strings.Join(list, ", ")
		if n > len(list) {
			others += fmt.Sprintf(" and %d more", n-len(list))
		}
	}
	return fmt.Errorf("%s: column %s: %.60q %s (%d times)%s: %s", x.tab.At(first.Line), col.Name, first.Text, what, first.Count, others, how)
}

// count lists the words of a column by their meaning.
func (x *inputs) count(col *table.Column, role string, meaning func(string) verdict) Column {
	out := Column{Name: col.Name, Role: role, Numbers: col.Numbers(), Missing: col.Missing()}
	for _, w := range col.MissingWords() {
		out.NoValues = append(out.NoValues, WordCount{w.Text, w.Count, w.Line})
	}
	sortWords(out.NoValues)
	if meaning == nil {
		return out
	}
	for _, w := range col.Words() {
		one := WordCount{w.Text, w.Count, w.Line}
		switch meaning(w.Text) {
		case pass:
			out.Pass = append(out.Pass, one)
		case fail:
			out.Fail = append(out.Fail, one)
		default:
			out.Unknown = append(out.Unknown, one)
			out.Missing += w.Count
		}
	}
	return out
}

// sortWords puts the commonest first.
func sortWords(words []WordCount) {
	slices.SortFunc(words, func(a, b WordCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Word, b.Word))
	})
}

// agree checks that the two sides of every comparison have a kind in common.
func (x *inputs) agree() error {
	all := x.judges
	if x.gold != nil {
		all = append([]*side{x.gold}, all...)
	}
	switch {
	case len(all) < 2:
		return fmt.Errorf("%s: only column %s: name a gold column, or a second judge", x.tab.Name, all[0].name)
	case len(x.confidence) > 1 && len(x.confidence) != len(x.judges):
		return fmt.Errorf("%s: %d confidence columns for %d judges: want one for all, or one for each in the same order", x.tab.Name, len(x.confidence), len(x.judges))
	}
	for _, s := range all[1:] {
		first := all[0]
		scored := x.gold != nil && first.verdict != nil && s.value != nil
		if first.verdict != nil && s.verdict != nil || first.value != nil && s.value != nil || first.category != nil && s.category != nil || scored {
			continue
		}
		numbers, words := first, s
		if first.value == nil {
			numbers, words = s, first
		}
		return fmt.Errorf("%s: column %s holds numbers and column %s verdicts: say with --threshold which numbers pass", x.tab.Name, numbers.name, words.name)
	}
	return nil
}
