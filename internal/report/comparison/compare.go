package comparison

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
)

// Config tunes a comparison; the zero value takes the defaults.
type Config struct {
	// Alpha is the error rate of intervals and of "a change", 0 for 0.05.
	Alpha float64
	// Thresholds re-decide the verdicts of both runs.
	Thresholds []report.Threshold
	// MaxFlips bounds the changed verdicts that are listed, 0 for 200.
	MaxFlips int
	// Name is what the comparison calls run A.
	Name string
	// Calls says how the inputs' Identity and Call pair the calls.
	Calls report.CallPairs
	// Notes are warnings of the caller's, about how the runs were paired.
	Notes []report.Warning
}

// comparer holds what the parts of a comparison share.
type comparer struct {
	Config
	// items are those of both runs.
	items  *series.Items
	a, b   *series.Run
	places report.Inputs
	out    *report.Comparison
}

// Compare pairs two runs by conversation and call and says what changed. Two
// conversations are the same when their ids are, or, where both inputs give an
// Identity, when that is.
func Compare(a, b report.Inputs, cfg Config) (*report.Comparison, error) {
	cfg.Alpha = cmp.Or(cfg.Alpha, 0.05)
	cfg.MaxFlips = cmp.Or(cfg.MaxFlips, 200)
	if a.Identity == nil || b.Identity == nil {
		a.Identity, b.Identity = nil, nil
	}
	c := &comparer{Config: cfg, places: b, items: series.NewItems()}
	var err error
	if c.a, err = c.read(a); err != nil {
		return nil, fmt.Errorf("compare: run A: %w", err)
	}
	if c.b, err = c.read(b); err != nil {
		return nil, fmt.Errorf("compare: run B: %w", err)
	}
	series.Settle(c.a.Table, c.b.Table)
	c.a.Arrange()
	c.b.Arrange()
	c.out = &report.Comparison{Schema: report.ComparisonSchema, Name: cfg.Name, Calls: cfg.Calls, A: c.a.Header(), B: c.b.Header(), Alpha: cfg.Alpha, Rows: []report.ChangeRow{}, Warnings: append([]report.Warning{}, cfg.Notes...), Verdicts: report.Flips{Items: []report.Flip{}}}
	c.overlap()
	pairs := c.pairs()
	c.warnDifferences()
	for _, p := range pairs {
		if err := c.rows(p); err != nil {
			return nil, fmt.Errorf("compare %s: %w", p.a.Title(), err)
		}
	}
	for _, tools := range []bool{false, true} {
		for _, decides := range []bool{true, false} {
			if err := c.correct(tools, decides); err != nil {
				return nil, fmt.Errorf("compare: %w", err)
			}
		}
	}
	if err := c.parameters(); err != nil {
		return nil, fmt.Errorf("compare parameters: %w", err)
	}
	c.sortFlips()
	c.out.Summary = c.out.Sentences()
	return c.out, nil
}

func (c *comparer) read(in report.Inputs) (*series.Run, error) {
	if in.Scores == nil {
		return nil, errors.New("no scores given")
	}
	m := in.Manifest
	t := series.NewCompared(c.items)
	if err := t.Read(identified(in), &m, c.Thresholds); err != nil {
		return nil, err
	}
	return &series.Run{In: in, Manifest: &m, Table: t, Bands: c.Thresholds}, nil
}

// overlap counts the conversations that both runs have.
func (c *comparer) overlap() {
	for i := range uint32(c.items.Conversations()) {
		switch inA, inB := c.a.Table.Has(i), c.b.Table.Has(i); {
		case inA && inB:
			c.out.Shared++
		case inA:
			c.out.OnlyA++
		case inB:
			c.out.OnlyB++
		}
	}
}

type seriesPair struct{ a, b *series.Series }

// itemsOf are the items of a pair, run A in the place of the judge.
func (c *comparer) itemsOf(p seriesPair) []series.Pair {
	return series.Pairing{Items: c.items, Level: p.a.Level, Judge: p.a, Ref: p.b}.Pairs()
}

// pairs matches the instruments of both runs. One judge left over on either side
// is taken for the other's successor.
func (c *comparer) pairs() []seriesPair {
	lone := c.successor()
	var out []seriesPair
	for _, x := range c.a.Main(c.a.Compared) {
		key := x.Instrument
		if lone[0] != "" && key.Judge == lone[0] {
			key.Judge = lone[1]
		}
		if y := c.b.Table.All[key]; y != nil {
			out = append(out, seriesPair{x, y})
		} else {
			c.warn("only_a", "%s is in run A alone", x.Instrument.Words())
		}
	}
	for _, y := range c.b.Main(c.b.Compared) {
		if !slices.ContainsFunc(out, func(p seriesPair) bool { return p.b == y }) {
			c.warn("only_b", "%s is in run B alone", y.Instrument.Words())
		}
	}
	return out
}

func (c *comparer) successor() [2]string {
	names := func(b *series.Run) map[string]bool {
		out := map[string]bool{}
		for _, sr := range b.Main(series.IsJudge) {
			if b.Compared(sr) {
				out[sr.Judge] = true
			}
		}
		return out
	}
	a, b := names(c.a), names(c.b)
	var onlyA, onlyB []string
	for n := range a {
		if !b[n] {
			onlyA = append(onlyA, n)
		}
	}
	for n := range b {
		if !a[n] {
			onlyB = append(onlyB, n)
		}
	}
	if len(onlyA) != 1 || len(onlyB) != 1 {
		return [2]string{}
	}
	c.warn("judges", "the judges differ: %s in run A, %s in run B; what changed may be the instrument", onlyA[0], onlyB[0])
	return [2]string{onlyA[0], onlyB[0]}
}

func (c *comparer) warn(code, format string, args ...any) {
	c.out.Warnings = append(c.out.Warnings, report.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}

// warnDifferences names what else could be behind a change.
func (c *comparer) warnDifferences() {
	if c.out.OnlyA+c.out.OnlyB > 0 {
		c.warn("conversations", "the sets differ: %d conversations in both, %d in A alone, %d in B alone; only what both scored is compared", c.out.Shared, c.out.OnlyA, c.out.OnlyB)
	}
	for _, ra := range c.a.Manifest.Rubrics {
		rb, ok := c.b.Manifest.Rubric(ra.Name)
		switch {
		case !ok:
		case ra.SHA != rb.SHA:
			c.warn("rubric", "rubric %s has changed between the runs: it is another instrument", ra.Name)
		case !sameBound(ra.Low, rb.Low) || !sameBound(ra.High, rb.High):
			c.warn("threshold", "the thresholds of %s differ between the runs; give --threshold to decide both alike", ra.Name)
		}
	}
	for _, sa := range c.a.Manifest.Scorers {
		sb := c.b.Manifest.Scorer(sa.Name)
		if !sameBound(sa.Low, sb.Low) || !sameBound(sa.High, sb.High) {
			c.warn("threshold", "the thresholds of %s differ between the runs; give --threshold to decide both alike", sa.Name)
		}
	}
	for _, ja := range c.a.Manifest.Judges {
		for _, jb := range c.b.Manifest.Judges {
			if ja.Name != jb.Name {
				continue
			}
			if ja.Model != jb.Model {
				c.warn("judges", "judge %s is model %s in run A and %s in run B", ja.Name, ja.Model, jb.Model)
			}
			if ja.Prompt != jb.Prompt {
				c.warn("prompt", "the prompts of judge %s differ between the runs", ja.Name)
			}
		}
	}
}

func sameBound(a, b *float64) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }
