package report

import (
	"cmp"
	"math"
	"slices"
)

// ComparisonSchema is the version of a comparison as JSON.
const ComparisonSchema = "judge.comparison/v1"

// Comparison holds what changed from run A to run B, on the items that both scored.
type Comparison struct {
	Schema string `json:"schema"`
	// Name holds what the caller calls run A: its directory.
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
	// Changes are the conversations that changed, by the score that decides.
	Changes Changes `json:"changes"`
	// FailureGroups are the groups of failing calls by that score whose number changed, new ones first.
	FailureGroups []GroupChange `json:"failure_groups"`
	// Rows has a row per instrument, then for call-level ones a row per tool.
	Rows []ChangeRow `json:"rows"`
	// Categories has a row for each category of a rubric that has categories.
	Categories []CategoryChange `json:"categories,omitempty"`
	// ByToolConversations has a row per tool for each instrument of whole conversations,
	// over those that have to do with the tool in either run, as in a report. They are not
	// corrected: they repeat each other's items, and are for those who ask for one of them.
	ByToolConversations []ChangeRow `json:"by_tool_conversations,omitempty"`
	// Parameters has a row for each parameter of a tool that both runs have.
	Parameters []ParameterChange `json:"parameters"`
	Verdicts   Flips             `json:"verdicts"`
	// Probe has a row for each judge if both runs are of one planted log.
	Probe    []ProbeSince `json:"probe,omitempty"`
	Warnings []Warning    `json:"warnings"`
}

// CallPairs says how the calls of the conversations that both runs have were paired.
type CallPairs struct {
	// Known says that the runs say what their calls are; without that calls were
	// paired by their position, and the other fields are 0.
	Known bool `json:"known"`
	// Same calls look the same to a judge: the call and everything before it.
	// Moved ones have the same tool and arguments after other messages.
	Same  int `json:"same"`
	Moved int `json:"moved"`
	// OnlyA and OnlyB count the calls of either run that have no partner.
	OnlyA int `json:"only_a"`
	OnlyB int `json:"only_b"`
	// Unpaired is the share of all calls of both runs that have no partner; if it
	// is above a small share, scores of calls decide as reduced to conversations.
	Unpaired float64 `json:"unpaired"`
}

// ChangeRow is the change of one instrument, over all items or those of one tool.
type ChangeRow struct {
	// Instrument.Level is the level of the items that were paired: conversation if Reduced is set.
	Instrument
	// Reduced says how the calls of a conversation were made one item: "mean" (mean
	// value, share of passing calls) or "min" (lowest value, every call passes); ""
	// if nothing was reduced.
	Reduced string `json:"reduced,omitempty"`
	// Decides says that this row leads the headline and decides gates. Of one
	// instrument either the calls do or their reductions.
	Decides bool `json:"decides"`
	// IsPrimary marks the primary endpoint, whose p-value is not corrected.
	IsPrimary bool `json:"primary,omitempty"`
	// JudgeB is the judge of run B if it is another one.
	JudgeB        string `json:"judge_b,omitempty"`
	Tool          string `json:"tool,omitempty"`
	Conversations int    `json:"conversations"`
	// LostInB are items that A scored and B did not; GainedInB the other way round.
	LostInB   int    `json:"lost_in_b"`
	GainedInB int    `json:"gained_in_b"`
	Mean      Change `json:"mean"`
	PassRate  Change `json:"pass_rate"`
	// Youden is the judge's J against Reference in both runs, and ByYouden the difference of
	// the pass rate divided by it, which is the agent's; nil if there is no gold at this level.
	Youden    *Estimate `json:"youden,omitempty"`
	Reference string    `json:"reference,omitempty"`
	ByYouden  *Estimate `json:"difference_by_youden,omitempty"`
	// DetectableByYouden is the detectable change of the pass rate divided by J; nil if the
	// difference is not divided.
	DetectableByYouden *float64 `json:"detectable_by_youden,omitempty"`
	// Broken items passed in A and fail in B, Fixed the other way round; with the mean
	// of calls, conversations of whose calls a smaller or a larger share passes.
	Broken int `json:"broken"`
	Fixed  int `json:"fixed"`
}

// CategoryChange is the change of the share of one category, with the paired test of other rates; its p
// is corrected for the categories of its rubric.
type CategoryChange struct {
	Instrument
	JudgeB   string `json:"judge_b,omitempty"`
	Category string `json:"category"`
	Share    Change `json:"share"`
}

// Primary returns the change that a row is judged by: the pass rate if there are
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
	// Freedom are the degrees of freedom of Delta's t interval and of P.
	Freedom float64 `json:"freedom"`
	// Constant says that every item has the same value in both runs: no change could have
	// been found, and it counts in no correction.
	Constant bool `json:"constant,omitempty"`
	// P is two-sided from the clustered t statistic; PHolm is corrected for the CorrectedFor
	// rows of its kind (all items or tools, those that decide or those that do not), of the
	// primary endpoint for none.
	P            Estimate `json:"p"`
	PHolm        Estimate `json:"p_holm"`
	CorrectedFor int      `json:"corrected_for,omitempty"`
	// Noise says that PHolm does not show a change: print "~".
	Noise bool `json:"noise"`
	// Detectable is the smallest change of this score that the design would have found with
	// 80 % power, after correction; of a judge as the judge sees it.
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

// ParameterChange holds what changed in one parameter of one tool: the share of calls
// that have it with the expected value, over all calls of each run in which it was
// expected.
type ParameterChange struct {
	Tool      string `json:"tool"`
	Parameter string `json:"parameter"`
	// NA and NB count the calls in which it was expected; A and B are the shares, Delta is
	// B - A. Without the conversations of the calls there is neither interval nor test: the
	// rows by score are the ones to decide by.
	NA    int      `json:"n_a"`
	NB    int      `json:"n_b"`
	A     Estimate `json:"a"`
	B     Estimate `json:"b"`
	Delta Estimate `json:"delta"`
}

// Difference returns the change that the row is judged by, for display: that of a share does
// not reach beyond what shares can.
func (r *ChangeRow) Difference() Estimate {
	if r.PassRate.N > 0 {
		return r.PassRate.Delta.Clipped(-1, 1)
	}
	return r.Mean.Delta
}

// Size returns the size of the change, 0 if it is undefined.
func (r *ChangeRow) Size() float64 {
	if delta := r.Primary().Delta.Value; delta != nil {
		return math.Abs(*delta)
	}
	return 0
}

// DividedByYouden reports whether the judge's J is known well enough to divide by.
func (r *ChangeRow) DividedByYouden() bool { return r.ByYouden != nil && r.ByYouden.HasInterval() }

// TrueDifference returns the change on the agent's scale: a judge's difference divided by its J if
// that was measured, else as the judge sees it, which is less.
func (r *ChangeRow) TrueDifference() Estimate {
	if r.DividedByYouden() {
		return *r.ByYouden
	}
	return r.Primary().Delta
}

// TrueDetectable returns the smallest change that these items would have shown, on the scale of
// TrueDifference; its interval is that of the judge's J.
func (r *ChangeRow) TrueDetectable() Estimate {
	seen := r.Primary().Detectable
	if !r.DividedByYouden() || !seen.Defined() {
		return seen
	}
	j := r.Youden
	return Estimate{Value: Rounded(*seen.Value / *j.Value), Low: Rounded(*seen.Value / *j.High),
		High: Rounded(*seen.Value / *j.Low)}
}

// The outcomes of a change. Unclear is a difference that may be noise.
const (
	Better      = "better"
	Worse       = "worse"
	Unclear     = "~"
	NotCompared = "–"
)

// Outcome returns the direction of the change.
func (ch Change) Outcome() string {
	switch {
	case ch.N == 0 || ch.Delta.Value == nil:
		return NotCompared
	case ch.Noise || *ch.Delta.Value == 0:
		return Unclear
	case *ch.Delta.Value < 0:
		return Worse
	}
	return Better
}

// Endpoint returns the row of the primary endpoint, or nil.
func (c *Comparison) Endpoint() *ChangeRow {
	if i := slices.IndexFunc(c.Rows, func(r ChangeRow) bool { return r.IsPrimary }); i >= 0 {
		return &c.Rows[i]
	}
	return nil
}

// Leading returns the row that a comparison is about: the primary endpoint, or without one the deciding row
// with the clearest change, a drop before a rise; nil if nothing was compared.
func (c *Comparison) Leading() *ChangeRow {
	if r := c.Endpoint(); r != nil {
		return r
	}
	rank := map[string]int{Worse: 0, Better: 1, Unclear: 2}
	var best *ChangeRow
	for i := range c.Rows {
		r := &c.Rows[i]
		if !r.Decides || r.Tool != "" || r.PassRate.N == 0 || r.Reduced == ReduceMin {
			continue
		}
		clearer := best == nil || cmp.Or(cmp.Compare(rank[r.Primary().Outcome()], rank[best.Primary().Outcome()]),
			cmp.Compare(best.Broken, r.Broken), cmp.Compare(best.Fixed, r.Fixed)) < 0
		if clearer {
			best = r
		}
	}
	return best
}

// ByConversation reports whether the scores of calls decide as reduced to conversations.
func (c *Comparison) ByConversation() bool {
	return slices.ContainsFunc(c.Rows, func(r ChangeRow) bool { return r.Decides && r.Reduced != "" })
}
