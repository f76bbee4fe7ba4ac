package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

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
	// Broken items passed in A and fail in B, Fixed the other way round; with the mean
	// of calls, conversations of whose calls a smaller or a larger share passes.
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
	// rows of its kind (all items or tools, those that decide or those that do not).
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
	// Reduced is "min" for a conversation whose calls were reduced: every call passes
	// in one run alone; A and B are then the lowest values.
	Reduced string `json:"reduced,omitempty"`
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
	// Name is what the comparison calls run A.
	Name string
	// Calls says how the inputs' Identity and Call pair the calls.
	Calls CallPairs
	// Notes are warnings of the caller's, about how the runs were paired.
	Notes []Warning
}

// comparer holds what the parts of a comparison share.
type comparer struct {
	CompareConfig
	// set holds the items of both runs.
	set    *scoreset.Set
	a, b   *held
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
	c.out = &Comparison{Schema: ComparisonSchema, Name: cfg.Name, Calls: cfg.Calls, A: c.a.header(), B: c.b.header(), Alpha: cfg.Alpha, Rows: []ChangeRow{}, Warnings: append([]Warning{}, cfg.Notes...), Verdicts: Flips{Items: []Flip{}}}
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

func (c *comparer) read(in Inputs) (*held, error) {
	if in.Scores == nil {
		return nil, errors.New("no scores given")
	}
	m := in.Manifest
	empty := newTable(c.set)
	empty.called = scoreset.NewColumn(false)
	t, err := readTable(empty, identified(in), &m, c.Thresholds)
	if err != nil {
		return nil, err
	}
	h := &held{in: in, manifest: &m, table: t, thresholds: c.Thresholds}
	h.arrange()
	return h, nil
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
	for _, x := range c.a.mainSeries(c.a.compared) {
		key := x.Instrument
		if lone[0] != "" && key.Judge == lone[0] {
			key.Judge = lone[1]
		}
		if y := c.b.table.all[key]; y != nil {
			out = append(out, seriesPair{x, y})
		} else {
			c.warn("only_a", "%s is in run A alone", x.Instrument.Words())
		}
	}
	for _, y := range c.b.mainSeries(c.b.compared) {
		if !slices.ContainsFunc(out, func(p seriesPair) bool { return p.b == y }) {
			c.warn("only_b", "%s is in run B alone", y.Instrument.Words())
		}
	}
	return out
}

func (c *comparer) successor() [2]string {
	names := func(b *held) map[string]bool {
		out := map[string]bool{}
		for _, sr := range b.mainSeries(isJudge) {
			if b.compared(sr) {
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
	c.out.Warnings = append(c.out.Warnings, Warning{code, fmt.Sprintf(format, args...)})
}

// warnDifferences names what else could be behind a change.
func (c *comparer) warnDifferences() {
	if c.out.OnlyA+c.out.OnlyB > 0 {
		c.warn("conversations", "the sets differ: %d conversations in both, %d in A alone, %d in B alone; only what both scored is compared", c.out.Shared, c.out.OnlyA, c.out.OnlyB)
	}
	for _, ra := range c.a.manifest.Rubrics {
		rb, ok := c.b.manifest.Rubric(ra.Name)
		switch {
		case !ok:
		case ra.SHA != rb.SHA:
			c.warn("rubric", "rubric %s has changed between the runs: it is another instrument", ra.Name)
		case !sameBound(ra.Low, rb.Low) || !sameBound(ra.High, rb.High):
			c.warn("threshold", "the thresholds of %s differ between the runs; give --threshold to decide both alike", ra.Name)
		}
	}
	for _, sa := range c.a.manifest.Scorers {
		sb := c.b.manifest.Scorer(sa.Name)
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
