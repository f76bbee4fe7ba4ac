package measure

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
)

// comparer holds what the parts of a comparison share.
type comparer struct {
	statistics
	*items
	a, b  *table
	out   *report.Comparison
	flips []flip
	// labels holds people's labels of run A and of run B; nil if there are none.
	labels [2]*Labels
}

// Compare pairs two runs by conversation and call and says what changed, with the alpha,
// thresholds, primary endpoint and notes of a configuration. Two conversations are the same if
// [report.Inputs.Earlier] gives them the same id.
func Compare(a, b report.Inputs, cfg Config) (*report.Comparison, error) {
	c := &comparer{statistics: statistics{Alpha: cmp.Or(cfg.Alpha, 0.05)}, items: newItems(),
		labels: [2]*Labels{cfg.EarlierLabels, cfg.Labels}}
	var err error
	if c.a, err = c.read(&a, runA, cfg.Thresholds); err != nil {
		return nil, fmt.Errorf("compare: run A: %w", err)
	}
	for i := range c.about {
		c.about[i].place = "" // only run B has places
	}
	if c.b, err = c.read(&b, runB, cfg.Thresholds); err != nil {
		return nil, fmt.Errorf("compare: run B: %w", err)
	}
	arrangeTables(c.a, c.b)
	c.out = &report.Comparison{
		Schema: report.ComparisonSchema, Name: a.Name, Calls: b.Calls, A: c.a.header(), B: c.b.header(),
		Alpha: c.Alpha, Rows: []report.ChangeRow{}, Warnings: append([]report.Warning{}, cfg.Notes...),
	}
	c.overlap()
	pairs := c.instruments()
	c.warnDifferences()
	for _, p := range pairs {
		from := len(c.out.Rows)
		c.rows(p)
		c.categoryRows(p)
		for i := range c.out.Rows[from:] {
			c.byYouden(p, &c.out.Rows[from+i])
		}
	}
	if err := c.endpoint(cfg.Primary); err != nil {
		return nil, err
	}
	c.correct()
	c.changes(pairs)
	c.parameters()
	c.out.Probe = probeSince(&c.statistics, c.a, c.b)
	if c.Err() != nil {
		return nil, fmt.Errorf("compare: %w", c.Err())
	}
	c.listFlips()
	c.out.Summary = words.ComparisonSentences(c.out)
	return c.out, nil
}

func (c *comparer) read(in *report.Inputs, run runs, bands []report.Threshold) (*table, error) {
	if in.Scores == nil {
		return nil, errors.New("no scores given")
	}
	if err := report.CheckThresholds(bands, &in.Manifest); err != nil {
		return nil, err
	}
	t := newTable(&in.Manifest, c.items, run, bands)
	return t, t.read(renamed(in))
}

// renamed returns the scores under the names that the other run uses.
func renamed(in *report.Inputs) iter.Seq2[score.Score, error] {
	if in.Earlier == nil {
		return in.Scores()
	}
	return func(yield func(score.Score, error) bool) {
		for s, err := range in.Scores() {
			if err == nil && s.CallIndex == nil {
				s.ConversationID, _ = in.Earlier(s.ConversationID, -1)
			} else if err == nil {
				id, call := in.Earlier(s.ConversationID, *s.CallIndex)
				s.ConversationID, s.CallIndex = id, &call
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// overlap counts the conversations in both runs.
func (c *comparer) overlap() {
	for _, of := range c.about {
		switch of.runs {
		case runA | runB:
			c.out.Shared++
		case runA:
			c.out.OnlyA++
		case runB:
			c.out.OnlyB++
		}
	}
}

// seriesPair holds the series of one instrument in both runs.
type seriesPair struct{ a, b *series }

// instruments pairs the instruments of both runs. If each run has exactly one unmatched judge, they
// are paired too.
func (c *comparer) instruments() []seriesPair {
	judgeA, judgeB := c.successor()
	var out []seriesPair
	people := func(sr *series) bool { return report.IsPeople(sr.Instrument) } // they measure, and are not compared
	for _, x := range dropped(c.a.main(), people) {
		key := x.Instrument
		if judgeA != "" && key.Judge == judgeA {
			key.Judge = judgeB
		}
		if y := c.b.byKey[key]; y != nil {
			out = append(out, seriesPair{x, y})
		} else {
			c.warn(words.OnlyInA, x.Instrument.Words())
		}
	}
	for _, y := range dropped(c.b.main(), people) {
		if !slices.ContainsFunc(out, func(p seriesPair) bool { return p.b == y }) {
			c.warn(words.OnlyInB, y.Instrument.Words())
		}
	}
	return out
}

// successor returns the only judge that is just in run A and the only one that is just in run B; ""
// unless both exist.
func (c *comparer) successor() (judgeA, judgeB string) {
	alone := func(t, other *table) []string {
		var out []string
		for _, sr := range t.judges() {
			in := func(x *series) bool { return x.Judge == sr.Judge }
			if !slices.Contains(out, sr.Judge) && !slices.ContainsFunc(other.judges(), in) {
				out = append(out, sr.Judge)
			}
		}
		return out
	}
	a, b := alone(c.a, c.b), alone(c.b, c.a)
	if len(a) != 1 || len(b) != 1 {
		return "", ""
	}
	c.warn(words.OtherJudge, a[0], b[0])
	return a[0], b[0]
}

func (c *comparer) warn(format string, args ...any) {
	c.out.Warnings = append(c.out.Warnings, words.Warning(format, args...))
}

// warnDifferences adds warnings about other possible causes of a change, such as a different rubric or judge.
func (c *comparer) warnDifferences() {
	a, b := c.a.manifest, c.b.manifest
	if c.out.OnlyA+c.out.OnlyB > 0 {
		c.warn(words.OtherConversations, c.out.Shared, c.out.OnlyA, c.out.OnlyB)
	}
	for _, ra := range a.Rubrics {
		rb, ok := b.Rubric(ra.Name)
		switch {
		case !ok:
		case ra.SHA != rb.SHA:
			c.warn(words.OtherRubric, ra.Name)
		case !sameBound(ra.Low, rb.Low) || !sameBound(ra.High, rb.High):
			c.warn(words.OtherThreshold, ra.Name)
		}
	}
	for _, sa := range a.Scorers {
		if sb := b.Scorer(sa.Name); !sameBound(sa.Low, sb.Low) || !sameBound(sa.High, sb.High) {
			c.warn(words.OtherThreshold, sa.Name)
		}
	}
	for _, ja := range a.Judges {
		at := slices.IndexFunc(b.Judges, func(jb report.Judge) bool { return jb.Name == ja.Name })
		if at < 0 {
			continue
		}
		jb := b.Judges[at]
		if ja.Model != jb.Model {
			c.warn(words.OtherModel, ja.Name, ja.Model, jb.Model)
		}
		if ja.Prompt != jb.Prompt {
			c.warn(words.OtherPrompt, ja.Name)
		}
	}
}

func sameBound(a, b *float64) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }
