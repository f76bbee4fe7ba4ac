package columns

import (
	"fmt"
	"io"
	"math"
	"slices"

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
