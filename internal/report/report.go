package report

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
	// Stopped are the judges that were not asked any further by a rubric, since nothing
	// worked.
	Stopped []Stop `json:"stopped,omitempty"`
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

// OtherTools is the name of the row of folded tools; no function can be called so.
const OtherTools = "(other tools)"

// ToolConversations reads the scores of whole conversations by tool: it sums up the
// conversations that have to do with one tool. A conversation that uses several tools
// counts for each of them, so that rows of different tools share conversations.
//
// A conversation has to do with the tools that its calls name, as far as any score
// speaks of those calls, and with the tools of expected calls that
// function_call_accuracy found missing.
type ToolConversations struct {
	Tool          string      `json:"tool"`
	Conversations int         `json:"conversations"`
	Small         bool        `json:"small"`
	Scores        []ToolScore `json:"scores"`
}

// The ways to reduce the calls of a conversation to one score.
const (
	// ReduceMin takes the lowest value; it passes when every call passes.
	ReduceMin = "min"
	// ReduceMean takes the mean value; it passes when the mean is in the pass band.
	ReduceMean = "mean"
	// ReduceShare takes the share of calls that pass; it passes from one half on.
	ReduceShare = "share"
)
