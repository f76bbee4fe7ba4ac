package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/distribution"
	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
	"github.com/judgekit/judge/internal/report/scoreset"
)

// ComparisonSchema is the version of a comparison as JSON.
const ComparisonSchema = "judge.comparison/v1"

// Comparison is what changed from run A to run B, on the items that both scored.
type Comparison struct {
	Schema string `json:"schema"`
	// Name is what the caller calls run A: its directory.
	Name    string   `json:"name,omitempty"`
	A       Run      `json:"a"`
	B       Run      `json:"b"`
	Alpha   float64  `json:"alpha"`
	Summary []string `json:"summary"`
	// Conversations that both runs have, and those of one alone.
	Shared int `json:"shared_conversations"`
	OnlyA  int `json:"only_a"`
	OnlyB  int `json:"only_b"`
	// Calls says how the calls of shared conversations were paired.
	Calls CallPairs `json:"calls"`
	// Rows has a row per instrument, then for call-level ones a row per tool.
	Rows []ChangeRow `json:"rows"`
	// ByToolConversations has a row per tool for each instrument that speaks of whole
	// conversations, over those that have to do with the tool in either run (see
	// ToolConversations). They are not corrected: they repeat each other's items, and
	// are for those who ask for one of them.
	ByToolConversations []ChangeRow `json:"by_tool_conversations,omitempty"`
	// Parameters has a row for each parameter of a tool that both runs have.
	Parameters []ParameterChange `json:"parameters"`
	Verdicts   Flips             `json:"verdicts"`
	Warnings   []Warning         `json:"warnings"`
}

// CallPairs says how the calls of the conversations that both runs have were paired.
type CallPairs struct {
	// Known says that the runs say what their calls are; without that calls were
	// paired by their position, and the other fields are 0.
	Known bool `json:"known"`
	// Same calls look the same to a judge: the call and everything before it.
	// Moved ones have the same tool and arguments behind other messages.
	Same  int `json:"same"`
	Moved int `json:"moved"`
	// OnlyA and OnlyB count the calls of either run that have no partner.
	OnlyA int `json:"only_a"`
	OnlyB int `json:"only_b"`
	// Unpaired is the share of all calls of both runs that have no partner; where it
	// is above a small share, scores of calls decide as reduced to conversations.
	Unpaired float64 `json:"unpaired"`
}

// ChangeRow is the change of one instrument, over all items or those of one tool.
type ChangeRow struct {
	// Level is that of the items that were paired: conversation where Reduced is set.
	Instrument
	// Reduced says how the calls of a conversation were made one item: "mean" (mean
	// value, share of passing calls) or "min" (lowest value, every call passes); ""
	// where nothing was reduced.
	Reduced string `json:"reduced,omitempty"`
	// Decides says that this row leads the headline and decides gates. Of one
	// instrument either the calls do or their reductions.
	Decides bool `json:"decides"`
	// JudgeB is the judge of run B where it is another one.
	JudgeB        string `json:"judge_b,omitempty"`
	Tool          string `json:"tool,omitempty"`
	Conversations int    `json:"conversations"`
	// LostInB are items that A scored and B did not; GainedInB the other way round.
	LostInB   int    `json:"lost_in_b"`
	GainedInB int    `json:"gained_in_b"`
	Mean      Change `json:"mean"`
	PassRate  Change `json:"pass_rate"`
	// Broken items passed in A and fail in B, Fixed the other way round.
	Broken int `json:"broken"`
	Fixed  int `json:"fixed"`
}

// Primary is the change that a row is judged by: the pass rate where there are
// verdicts, else the mean.
func (r *ChangeRow) Primary() Change {
	if r.PassRate.N > 0 {
		return r.PassRate
	}
	return r.Mean
}

// Change is a paired difference B - A over N items.
type Change struct {
	N     int      `json:"n"`
	A     Estimate `json:"a"`
	B     Estimate `json:"b"`
	Delta Estimate `json:"delta"`
	// P is two-sided from the clustered t statistic; PHolm is corrected for all
	// rows of its kind (all items, or tools).
	P     Estimate `json:"p"`
	PHolm Estimate `json:"p_holm"`
	// Noise says that PHolm does not show a change: print "~".
	Noise bool `json:"noise"`
	// Detectable is the smallest true change that this design would have found
	// with 80 % power, before correction.
	Detectable Estimate `json:"detectable"`
}

// Flips are the items whose verdict changed, broken ones first.
type Flips struct {
	Total int    `json:"total"`
	Items []Flip `json:"items"`
}

// Flip is one changed verdict.
type Flip struct {
	Instrument
	CaseRef
	Broken bool    `json:"broken"`
	A      float64 `json:"a"`
	B      float64 `json:"b"`
}

// CompareConfig tunes a comparison; the zero value takes the defaults.
type CompareConfig struct {
	// Alpha is the error rate of intervals and of "a change", 0 for 0.05.
	Alpha float64
	// Thresholds re-decide the verdicts of both runs.
	Thresholds []Threshold
	// MaxFlips bounds the changed verdicts that are listed, 0 for 200.
	MaxFlips int
	// Notes are warnings of the caller's, about how the runs were paired.
	Notes []Warning
}

// comparer holds what the parts of a comparison share.
type comparer struct {
	CompareConfig
	// set holds the items of both runs.
	set    *scoreset.Set
	a, b   *builder
	places Inputs
	out    *Comparison
}

// Compare pairs two runs by conversation and call and says what changed. Two
// conversations are the same when their ids are, or, where both inputs give an
// Identity, when that is.
func Compare(a, b Inputs, cfg CompareConfig) (*Comparison, error) {
	cfg.Alpha = cmp.Or(cfg.Alpha, 0.05)
	cfg.MaxFlips = cmp.Or(cfg.MaxFlips, 200)
	if a.Identity == nil || b.Identity == nil {
		a.Identity, b.Identity = nil, nil
	}
	c := &comparer{CompareConfig: cfg, places: b, set: scoreset.New()}
	var err error
	if c.a, err = c.read(a); err != nil {
		return nil, fmt.Errorf("compare: run A: %w", err)
	}
	if c.b, err = c.read(b); err != nil {
		return nil, fmt.Errorf("compare: run B: %w", err)
	}
	c.set.Settle()
	c.out = &Comparison{Schema: ComparisonSchema, A: c.a.run(), B: c.b.run(), Alpha: cfg.Alpha, Rows: []ChangeRow{}, Warnings: append([]Warning{}, cfg.Notes...), Verdicts: Flips{Items: []Flip{}}}
	c.overlap()
	pairs := c.pairs()
	c.warnDifferences()
	for _, p := range pairs {
		if err := c.rows(p); err != nil {
			return nil, fmt.Errorf("compare %s: %w", p.a.Title(), err)
		}
	}
	for _, tools := range []bool{false, true} {
		if err := c.correct(tools); err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
	}
	if err := c.parameters(); err != nil {
		return nil, fmt.Errorf("compare parameters: %w", err)
	}
	c.sortFlips()
	c.out.Summary = c.out.summarize()
	return c.out, nil
}

func (c *comparer) read(in Inputs) (*builder, error) {
	if in.Scores == nil {
		return nil, errors.New("no scores given")
	}
	m := in.Manifest
	empty := newTable(c.set)
	empty.called = scoreset.NewColumn(false)
	t, err := readTable(empty, in.identified(), &m, c.Thresholds)
	if err != nil {
		return nil, err
	}
	b := &builder{Config: Config{Thresholds: c.Thresholds}.withDefaults(), in: in, manifest: &m, table: t}
	b.Alpha = c.Alpha
	b.order()
	b.applyThresholds()
	return b, nil
}

// overlap counts the conversations that both runs have.
func (c *comparer) overlap() {
	a, b := c.a.table.conversations, c.b.table.conversations
	c.set.EachConversation(func(item scoreset.Item, _ []scoreset.Item) {
		switch inA, inB := a.At(item).Has(scoreset.Met), b.At(item).Has(scoreset.Met); {
		case inA && inB:
			c.out.Shared++
		case inA:
			c.out.OnlyA++
		case inB:
			c.out.OnlyB++
		}
	})
}

type seriesPair struct{ a, b *series }

// pairs matches the instruments of both runs. One judge left over on either side
// is taken for the other's successor.
func (c *comparer) pairs() []seriesPair {
	lone := c.successor()
	var out []seriesPair
	for _, x := range c.a.mainSeries(func(*series) bool { return true }) {
		key := x.Instrument
		if lone[0] != "" && key.Judge == lone[0] {
			key.Judge = lone[1]
		}
		if y := c.b.table.all[key]; y != nil {
			out = append(out, seriesPair{x, y})
		} else {
			c.warn("only_a", "%s is in run A alone", instrumentWords(x.Instrument))
		}
	}
	for _, y := range c.b.mainSeries(func(*series) bool { return true }) {
		if !slices.ContainsFunc(out, func(p seriesPair) bool { return p.b == y }) {
			c.warn("only_b", "%s is in run B alone", instrumentWords(y.Instrument))
		}
	}
	return out
}

func instrumentWords(i Instrument) string {
	if i.Judge == "" {
		return i.Title()
	}
	return i.Title() + " by " + i.Judge
}

func (c *comparer) successor() [2]string {
	names := func(b *builder) map[string]bool {
		out := map[string]bool{}
		for _, sr := range b.mainSeries(isJudge) {
			out[sr.Judge] = true
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
	c.out.Warnings = append(c.out.Warnings, Warning{code, fmt.Sprintf(format, args...)})
}

// warnDifferences names what else could be behind a change.
func (c *comparer) warnDifferences() {
	if c.out.OnlyA+c.out.OnlyB > 0 {
		c.warn("conversations", "the sets differ: %d conversations in both, %d in A alone, %d in B alone; only what both scored is compared", c.out.Shared, c.out.OnlyA, c.out.OnlyB)
	}
	for _, ra := range c.a.manifest.Rubrics {
		rb, ok := c.b.manifest.rubric(ra.Name)
		switch {
		case !ok:
		case ra.SHA != rb.SHA:
			c.warn("rubric", "rubric %s has changed between the runs: it is another instrument", ra.Name)
		case !sameBound(ra.Low, rb.Low) || !sameBound(ra.High, rb.High):
			c.warn("threshold", "the thresholds of %s differ between the runs; give --threshold to decide both alike", ra.Name)
		}
	}
	for _, sa := range c.a.manifest.Scorers {
		sb := c.b.manifest.scorer(sa.Name)
		if !sameBound(sa.Low, sb.Low) || !sameBound(sa.High, sb.High) {
			c.warn("threshold", "the thresholds of %s differ between the runs; give --threshold to decide both alike", sa.Name)
		}
	}
	for _, ja := range c.a.manifest.Judges {
		for _, jb := range c.b.manifest.Judges {
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

// rows adds the row of a pair, and its rows by tool.
func (c *comparer) rows(p seriesPair) error {
	whole, tools := newChangeSums(), make([]*changeSums, len(c.set.Tools()))
	pairing{c.a.table, p.a.Level, p.a, p.b}.each(func(a, b observation) {
		whole.add(a, b)
		if p.a.Level != CallLevel || c.a.table.called.At(a.item) != c.b.table.called.At(a.item) {
			return // of two calls of different tools, neither tool can be compared
		}
		tool := a.item.Tool
		if tools[tool] == nil {
			tools[tool] = newChangeSums()
		}
		tools[tool].add(a, b)
	})
	row, err := c.row(p, whole)
	if err != nil {
		return err
	}
	c.flips(p)
	c.out.Rows = append(c.out.Rows, row)
	for t, sums := range tools {
		if sums == nil || sums.mean.n == 0 {
			continue
		}
		one, err := c.row(p, sums)
		if err != nil {
			return err
		}
		one.Tool = cmp.Or(c.set.Tools()[t], "(no tool)")
		c.out.Rows = append(c.out.Rows, one)
	}
	return c.conversationRows(p)
}

// changeSums add up what two runs say of the same items.
type changeSums struct {
	conversations, last int
	lostInB, gainedInB  int
	broken, fixed       int
	mean, rate          pairedSums
}

// pairedSums are the values of both runs and their differences.
type pairedSums struct {
	n       int
	a, b, d uncertainty.ClusterStream
}

func (s *pairedSums) add(a, b float64, cluster int) {
	s.a.Add(a, cluster)
	s.b.Add(b, cluster)
	s.d.Add(b-a, cluster)
	if !math.IsNaN(b - a) {
		s.n++
	}
}

func newChangeSums() *changeSums { return &changeSums{last: -1} }

func (s *changeSums) add(a, b observation) {
	hasA, hasB := a.Has(scoreset.HasValue), b.Has(scoreset.HasValue)
	switch {
	case hasA && !hasB:
		s.lostInB++
		return
	case hasB && !hasA:
		s.gainedInB++
		return
	case !hasA:
		return
	}
	g := a.cluster()
	if g != s.last {
		s.conversations, s.last = s.conversations+1, g
	}
	s.mean.add(a.Value, b.Value, g)
	va, vb := decided(a, b)
	s.rate.add(va, vb, g)
	switch {
	case va == 1 && vb == 0:
		s.broken++
	case va == 0 && vb == 1:
		s.fixed++
	}
}

func (c *comparer) row(p seriesPair, s *changeSums) (ChangeRow, error) {
	row := ChangeRow{
		Instrument: p.a.Instrument, Conversations: s.conversations, LostInB: s.lostInB, GainedInB: s.gainedInB,
		Broken: s.broken, Fixed: s.fixed,
	}
	if p.b.Judge != p.a.Judge {
		row.JudgeB = p.b.Judge
	}
	var err error
	if row.Mean, err = c.change(&s.mean, streamMean); err != nil {
		return row, err
	}
	row.PassRate, err = c.change(&s.rate, streamRate)
	return row, err
}

// change is the paired difference b - a with its clustered t interval and test.
func (c *comparer) change(s *pairedSums, of func(*uncertainty.ClusterStream, float64) (Estimate, error)) (Change, error) {
	out := Change{N: s.n}
	var err error
	if out.A, err = of(&s.a, c.Alpha); err != nil {
		return out, err
	}
	if out.B, err = of(&s.b, c.Alpha); err != nil {
		return out, err
	}
	m, err := s.d.Estimate(c.Alpha)
	if err != nil {
		return out, err
	}
	p, err := pairedP(m)
	if err != nil {
		return out, err
	}
	out.Delta, out.P = interval(m.Mean, m.CI), point(p)
	d, err := detectable(m, c.Alpha)
	out.Detectable = point(d)
	return out, err
}

// pairedP is the two-sided p-value of the clustered t statistic; without any
// difference it is 1. Where all items changed alike there is no variance to divide
// by: then each conversation is one trial of the exact sign test.
func pairedP(m uncertainty.ClusterSE) (statistic.Opt, error) {
	switch {
	case !m.SECR1.Valid:
		return statistic.None(statistic.TooFew), nil
	case m.SECR1.Value == 0 && m.Mean.Value == 0:
		return statistic.Some(1), nil
	case m.SECR1.Value == 0:
		signs, err := uncertainty.McNemarCounts(m.Clusters, 0, m.Clusters)
		return signs.PExact, err
	}
	return statistic.Some(distribution.StudentTwoSided(m.Mean.Value/m.SECR1.Value, float64(m.Clusters-1))), nil
}

// correct adjusts the p-values of all rows of one kind by Holm's method.
func (c *comparer) correct(tools bool) error {
	for _, of := range []func(*ChangeRow) *Change{
		func(r *ChangeRow) *Change { return &r.Mean },
		func(r *ChangeRow) *Change { return &r.PassRate },
	} {
		var changes []*Change
		var p []float64
		for i := range c.out.Rows {
			if row := &c.out.Rows[i]; (row.Tool != "") == tools {
				row.Decides = !tools
				ch := of(row)
				changes = append(changes, ch)
				p = append(p, missingIf(ch.P.Value == nil, deref(ch.P.Value)))
			}
		}
		adjusted, err := uncertainty.AdjustP(p, c.Alpha)
		if err != nil {
			return err
		}
		for i, ch := range changes {
			ch.PHolm = point(adjusted.Holm[i])
			ch.Noise = ch.PHolm.Value == nil || *ch.PHolm.Value > c.Alpha
		}
	}
	return nil
}

func deref(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}
