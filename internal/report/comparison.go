package report

import (
	"cmp"
	"math"
	"slices"
)

// ComparisonSchema is the version of the JSON form of a comparison.
const ComparisonSchema = "judge.comparison/v1"

// Comparison says what changed from run A to run B, on the items that both scored.
type Comparison struct {
	Schema string `json:"schema"`
	// Name is the caller's name for run A: its directory.
	Name    string   `json:"name,omitempty"`
	A       Run      `json:"a"`
	B       Run      `json:"b"`
	Alpha   float64  `json:"alpha"`
	Summary []string `json:"summary"`
	// Conversations in both runs, and in only one.
	Shared int `json:"shared_conversations"`
	OnlyA  int `json:"only_a"`
	OnlyB  int `json:"only_b"`
	// Calls says how the calls of shared conversations were paired.
	Calls CallPairs `json:"calls"`
	// Changes lists the conversations that changed, by the score that decides.
	Changes Changes `json:"changes"`
	// FailureGroups lists the groups of failing calls whose number changed, by that score, new
	// groups first.
	FailureGroups []GroupChange `json:"failure_groups"`
	// Rows has a row per instrument, then, for instruments of calls, a row per tool.
	Rows []ChangeRow `json:"rows"`
	// Categories has a row for each category of a rubric that has categories.
	Categories []CategoryChange `json:"categories,omitempty"`
	// ByToolConversations has a row per tool for each instrument of whole conversations, over the
	// conversations that involve the tool in either run. Their p-values are not corrected: the rows
	// share items, and are for readers interested in one tool.
	ByToolConversations []ChangeRow `json:"by_tool_conversations,omitempty"`
	// Parameters has a row for each parameter of a tool that both runs have.
	Parameters []ParameterChange `json:"parameters"`
	Verdicts   Flips             `json:"verdicts"`
	// Probe has a row per judge if both runs are about the same planted log.
	Probe    []ProbeSince `json:"probe,omitempty"`
	Warnings []Warning    `json:"warnings"`
}

// CallPairs says how the calls of the conversations in both runs were paired.
type CallPairs struct {
	// Known says that both runs identify their calls. If it is false, calls were paired by their
	// position, and the other fields are 0.
	Known bool `json:"known"`
	// Same counts calls that look the same to a judge: the call and everything before it. Moved
	// counts calls with the same tool and arguments after other messages.
	Same  int `json:"same"`
	Moved int `json:"moved"`
	// OnlyA and OnlyB count the calls of each run without a partner.
	OnlyA int `json:"only_a"`
	OnlyB int `json:"only_b"`
	// Unpaired is the share of all calls, of both runs, without a partner. Above 0.05, the scores of
	// calls are reduced to conversations before they decide.
	Unpaired float64 `json:"unpaired"`
}

// ChangeRow is the change of one instrument, over all items or those of one tool.
type ChangeRow struct {
	// Instrument.Level is the level of the paired items: conversation if Reduced is set.
	Instrument
	// Reduced says how a conversation's calls became one item: "mean" (mean value, share of passing
	// calls), "min" (lowest value, every call passes), or "" if nothing was reduced.
	Reduced string `json:"reduced,omitempty"`
	// Decides says that this row leads the headline and decides gates. For one instrument, either
	// the calls decide or their reductions.
	Decides bool `json:"decides"`
	// IsPrimary marks the primary endpoint, whose p-value is not corrected.
	IsPrimary bool `json:"primary,omitempty"`
	// JudgeB is the judge of run B if it differs.
	JudgeB        string `json:"judge_b,omitempty"`
	Tool          string `json:"tool,omitempty"`
	Conversations int    `json:"conversations"`
	// LostInB counts items that A scored and B did not, GainedInB the opposite.
	LostInB   int    `json:"lost_in_b"`
	GainedInB int    `json:"gained_in_b"`
	Mean      Change `json:"mean"`
	PassRate  Change `json:"pass_rate"`
	// Youden is the judge's J against Reference in both runs. ByYouden is the difference of the
	// pass rate divided by J, which estimates the agent's true difference. Both are nil without
	// gold at this level.
	Youden    *Estimate `json:"youden,omitempty"`
	Reference string    `json:"reference,omitempty"`
	ByYouden  *Estimate `json:"difference_by_youden,omitempty"`
	// DetectableByYouden is the detectable change of the pass rate divided by J; nil if the
	// difference is not divided.
	DetectableByYouden *float64 `json:"detectable_by_youden,omitempty"`
	// Broken counts items that passed in A and fail in B, Fixed the opposite; for the mean of
	// calls, conversations in which the share of passing calls is smaller, or larger.
	Broken int `json:"broken"`
	Fixed  int `json:"fixed"`
}

// CategoryChange is the change of one category's share, with the same paired test as other rates.
// Its p-value is corrected for the categories of its rubric.
type CategoryChange struct {
	Instrument
	JudgeB   string `json:"judge_b,omitempty"`
	Category string `json:"category"`
	Share    Change `json:"share"`
}

// Primary returns the change by which a row is judged: of the pass rate if there are verdicts, else
// of the mean.
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
	// Freedom is the number of degrees of freedom of Delta's t interval and of P.
	Freedom float64 `json:"freedom"`
	// Constant says that every item has the same value in both runs. No change could have been
	// found, and the row is not counted in corrections.
	Constant bool `json:"constant,omitempty"`
	// P is two-sided, from the clustered t statistic. PHolm is corrected for the CorrectedFor rows
	// of the same kind (all items or tools, deciding or not); the primary endpoint is not
	// corrected.
	P            Estimate `json:"p"`
	PHolm        Estimate `json:"p_holm"`
	CorrectedFor int      `json:"corrected_for,omitempty"`
	// Noise says that PHolm does not show a change: print "~".
	Noise bool `json:"noise"`
	// Detectable is the smallest change of this score that these items would have shown with 80 %
	// power, after correction; for a judge, the change that the judge sees.
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
	// Reduced is "min" for a conversation whose calls were reduced: in only one run every call
	// passes. A and B are then the lowest values.
	Reduced string `json:"reduced,omitempty"`
	CaseRef
	Broken bool    `json:"broken"`
	A      float64 `json:"a"`
	B      float64 `json:"b"`
}

// ParameterChange is the change of one parameter of one tool: the share of calls that have it with
// the expected value, among all calls of each run in which it was expected.
type ParameterChange struct {
	Tool      string `json:"tool"`
	Parameter string `json:"parameter"`
	// NA and NB count the calls in which the parameter was expected. A and B are the shares, Delta
	// is B - A. There is neither interval nor test, because the calls are not known by
	// conversation: decide by the rows of scores.
	NA    int      `json:"n_a"`
	NB    int      `json:"n_b"`
	A     Estimate `json:"a"`
	B     Estimate `json:"b"`
	Delta Estimate `json:"delta"`
}

// Difference returns the change by which the row is judged, for display: a difference of shares is
// clipped to -1..1.
func (r *ChangeRow) Difference() Estimate {
	if r.PassRate.N > 0 {
		return r.PassRate.Delta.Clipped(-1, 1)
	}
	return r.Mean.Delta
}

// Size returns the absolute change; 0 if it is undefined.
func (r *ChangeRow) Size() float64 {
	if delta := r.Primary().Delta.Value; delta != nil {
		return math.Abs(*delta)
	}
	return 0
}

// DividedByYouden reports whether the judge's J is known well enough to divide by it.
func (r *ChangeRow) DividedByYouden() bool { return r.ByYouden != nil && r.ByYouden.HasInterval() }

// TrueDifference returns the change on the agent's scale: a judge's difference divided by its J if
// J was measured, else the difference that the judge sees, which is smaller.
func (r *ChangeRow) TrueDifference() Estimate {
	if r.DividedByYouden() {
		return *r.ByYouden
	}
	return r.Primary().Delta
}

// TrueDetectable returns the smallest change that these items would have shown, on the scale of
// TrueDifference; its interval comes from the interval of J.
func (r *ChangeRow) TrueDetectable() Estimate {
	seen := r.Primary().Detectable
	if !r.DividedByYouden() || !seen.Defined() {
		return seen
	}
	j := r.Youden
	return Estimate{Value: Rounded(*seen.Value / *j.Value), Low: Rounded(*seen.Value / *j.High),
		High: Rounded(*seen.Value / *j.Low)}
}

// The outcomes of a change. Unclear means that the difference may be noise.
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

// Endpoint returns the row of the primary endpoint; nil if none.
func (c *Comparison) Endpoint() *ChangeRow {
	if i := slices.IndexFunc(c.Rows, func(r ChangeRow) bool { return r.IsPrimary }); i >= 0 {
		return &c.Rows[i]
	}
	return nil
}

// Leading returns the main row of a comparison: the primary endpoint, or without one the deciding
// row with the clearest change, a drop before a rise; nil if nothing was compared.
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

// ByConversation reports whether the scores of calls are reduced to conversations before they
// decide.
func (c *Comparison) ByConversation() bool {
	return slices.ContainsFunc(c.Rows, func(r ChangeRow) bool { return r.Decides && r.Reduced != "" })
}
