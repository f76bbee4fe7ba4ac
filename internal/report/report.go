package report

import "github.com/judgekit/judge/internal/value"

// Schema is the version of report.json.
const Schema = "judge.report/v1"

// Report is everything that is said about a run. The order of the fields is the
// order in report.json; every list has a fixed order.
type Report struct {
	Schema string `json:"schema"`
	Run    Run    `json:"run"`
	// Summary are sentences for people: how far the judge can be trusted, where it
	// disagrees, the agent's pass rate, what is missing.
	Summary []string `json:"summary"`
	Counts  Counts   `json:"counts"`
	// Policy says how verdicts of low confidence enter the rates: "as_is" keeps them.
	Policy string  `json:"policy"`
	Alpha  float64 `json:"alpha"`
	// GoldName is the reference that the user named as the truth, "" for the strongest
	// that there is.
	GoldName string `json:"gold,omitempty"`
	// Scores has a row per rubric and judge, then per scorer and label.
	Scores []ScoreRow `json:"scores"`
	ByTool []ToolRow  `json:"by_tool"`
	// ByToolConversations reads the scores of whole conversations by tool; it is left
	// out where no score says which tools a conversation calls.
	ByToolConversations []ToolConversations `json:"by_tool_conversations,omitempty"`
	// ByParameter holds the calls against the expected ones, parameter by parameter;
	// it is left out where no log has expected calls.
	ByParameter []ToolParameters `json:"by_parameter,omitempty"`
	// Metrics are the figures that the configuration of scorers asked for.
	Metrics []Metric `json:"metrics,omitempty"`
	// Funnel is nil where no scorer of its layers ran.
	Funnel       *Funnel        `json:"funnel"`
	Agreement    []AgreementRow `json:"agreement"`
	Scatters     []Scatter      `json:"scatters,omitempty"`
	JudgeVsJudge []PeerRow      `json:"judge_vs_judge"`
	// Consensus holds all judges of a rubric against each other, and each panel's.
	Consensus []ConsensusRow `json:"consensus"`
	// Noise is what changes when a judge is asked twice.
	Noise         []NoiseRow    `json:"noise"`
	Halo          []Halo        `json:"halo"`
	JudgeChecks   []CheckRow    `json:"judge_checks"`
	Disagreements Disagreements `json:"disagreements"`
	Gates         []GateResult  `json:"gates"`
	// Calibration is nil where none was applied.
	Calibration *Applied `json:"calibration,omitempty"`
	// Comparisons are with the runs that this one is held against, each with run A
	// the earlier one and this run as B; left out where none was named.
	Comparisons []*Comparison `json:"comparisons,omitempty"`
	Warnings    []Warning     `json:"warnings"`
}

// Run says what made the scores.
type Run struct {
	ID      string   `json:"id"`
	Version string   `json:"version,omitempty"`
	Judges  []Judge  `json:"judges"`
	Rubrics []Rubric `json:"rubrics"`
	Scorers []Scorer `json:"scorers"`
	Inputs  []Input  `json:"inputs"`
	// Thresholds are those that verdicts were decided by again.
	Thresholds []string `json:"thresholds,omitempty"`
}

// The levels of a score.
const (
	CallLevel         = "call"
	ConversationLevel = "conversation"
)

// Instrument is what makes one kind of score.
type Instrument struct {
	// Source is judge, deterministic or label.
	Source string `json:"source"`
	// Name is the rubric, scorer or label.
	Name string `json:"name"`
	// Metric names a further number of a scorer, "" for its main score.
	Metric string `json:"metric,omitempty"`
	Judge  string `json:"judge,omitempty"`
	// Level is call or conversation.
	Level string `json:"level"`
	// Purpose is "qa" for scores that are reported apart.
	Purpose string `json:"purpose,omitempty"`
}

// Title names the instrument in one word: name, or name.metric.
func (i Instrument) Title() string {
	if i.Metric == "" {
		return i.Name
	}
	return i.Name + "." + i.Metric
}

// ScoreRow sums up one instrument.
type ScoreRow struct {
	Instrument
	// N is the number of scored items, in Conversations conversations.
	N             int `json:"n"`
	Conversations int `json:"conversations"`
	Unscored      int `json:"unscored"`
	Errors        int `json:"errors"`
	NotApplicable int `json:"not_applicable"`
	// ErrorRate is the share of wanted scores that are missing, Coverage the rest.
	ErrorRate Estimate `json:"error_rate"`
	Coverage  Estimate `json:"coverage"`
	// Unreliable: more than 2 % are missing. What is missing is seldom random.
	Unreliable bool     `json:"unreliable"`
	Mean       Estimate `json:"mean"`
	// PassRate is over the Judged items that have a verdict.
	PassRate Estimate `json:"pass_rate"`
	Judged   int      `json:"verdicts"`
	// Detectable is of the pass rate, of the mean where there are no verdicts.
	Detectable Detectable `json:"detectable"`
	Min        *float64   `json:"min"`
	Max        *float64   `json:"max"`
	Warnings   []Warning  `json:"warnings,omitempty"`
}

// ToolRow sums up the calls of one tool, for every call-level instrument.
type ToolRow struct {
	Tool string `json:"tool"`
	// Calls is the largest number of calls that any one instrument met.
	Calls int `json:"calls"`
	// Folded is the number of further tools that are summed up in this row.
	Folded int         `json:"folded,omitempty"`
	Small  bool        `json:"small"`
	Scores []ToolScore `json:"scores"`
}

// ToolScore is one instrument's row of a tool.
type ToolScore struct {
	Instrument
	N        int      `json:"n"`
	Missing  int      `json:"missing"`
	Mean     Estimate `json:"mean"`
	PassRate Estimate `json:"pass_rate"`
}

// Funnel shows who passes the three layers, side by side; they are never merged
// into one number.
type Funnel struct {
	// Source is three_layer, or separate for scorers that ran one by one.
	Source string  `json:"source"`
	Cases  int     `json:"cases"`
	Layers []Layer `json:"layers"`
	// Alternatives are cases whose calls are not the expected ones and lead to the
	// right state all the same; Misleading ones have the expected calls and the wrong
	// state. Both are nil where one of the two layers is missing.
	Alternatives *Crossing `json:"alternatives"`
	Misleading   *Crossing `json:"misleading"`
}

// Crossing counts cases on which two layers say different things, and names the
// first of them.
type Crossing struct {
	Count int       `json:"count"`
	Cases []CaseRef `json:"cases"`
}

// Layer is one layer of the funnel: schema, ast or execution.
type Layer struct {
	Layer string `json:"layer"`
	// N is the number of cases with a verdict in this layer, Rate over all of them.
	N      int      `json:"n"`
	Passed int      `json:"passed"`
	Rate   Estimate `json:"rate"`
	// Reached is the number of cases that failed no earlier layer and have a
	// verdict here, Lost of them fail here.
	Reached int       `json:"reached"`
	Lost    int       `json:"lost"`
	ByTool  []Loss    `json:"lost_by_tool"`
	Cases   []CaseRef `json:"lost_cases"`
}

// Loss is how many cases of a tool a layer loses.
type Loss struct {
	Tool  string `json:"tool"`
	Count int    `json:"count"`
}

// CaseRef leads to a call or a conversation.
type CaseRef struct {
	ConversationID string `json:"conversation_id"`
	CallIndex      *int   `json:"call_index"`
	Tool           string `json:"tool,omitempty"`
	Place          string `json:"place,omitempty"`
}

// Call is the number of the call, -1 for a conversation.
func (c CaseRef) Call() int {
	if c.CallIndex == nil {
		return -1
	}
	return *c.CallIndex
}

// Disagreements are the most telling conflicts between judges and references.
type Disagreements struct {
	// Total counts all, Shown those listed.
	Total int            `json:"total"`
	Shown int            `json:"shown"`
	Items []Disagreement `json:"items"`
}

// Disagreement is one call or conversation on which a judge and at least one
// reference decide differently.
type Disagreement struct {
	Rank int `json:"rank"`
	// Weight is high where a judge that is sure of itself contradicts a reference
	// whose word is strong in this direction.
	Weight         float64 `json:"weight"`
	Level          string  `json:"level"`
	ConversationID string  `json:"conversation_id"`
	CallIndex      *int    `json:"call_index"`
	CallID         string  `json:"call_id,omitempty"`
	Tool           string  `json:"tool,omitempty"`
	Place          string  `json:"place,omitempty"`
	Judge          string  `json:"judge"`
	// Direction is judge_passes or judge_fails (the references say otherwise).
	Direction  string `json:"direction"`
	Judgements []Side `json:"judgements"`
	References []Side `json:"references"`
	// SidesWithJudge names the references that decide as the judge does. Where one of
	// them has the stronger word, the call is likely a valid alternative to the expected
	// one.
	SidesWithJudge []string `json:"sides_with_judge,omitempty"`
	// Record is the part of the log, nil where nobody attached it.
	Record *Record `json:"record,omitempty"`
}

// Side is one instrument's word on a disagreement.
type Side struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	// CallIndex is the call that decided a conversation, where calls were reduced.
	CallIndex   *int        `json:"call_index,omitempty"`
	Value       *float64    `json:"value"`
	Passed      *bool       `json:"passed"`
	Conflicts   bool        `json:"conflicts"`
	Confidence  *float64    `json:"confidence,omitempty"`
	Explanation string      `json:"explanation,omitempty"`
	Evidence    string      `json:"evidence,omitempty"`
	Correction  value.Value `json:"correction"`
	Flags       []string    `json:"flags,omitempty"`
}
