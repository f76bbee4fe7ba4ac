package report

import (
	"github.com/judgekit/judge/internal/score"
)

// Schema is the version of report.json.
const Schema = "judge.report/v1"

// Report is the content of a run's report. The order of the fields is the
// order in report.json; every list has a fixed order.
type Report struct {
	Schema string `json:"schema"`
	Run    Run    `json:"run"`
	// Summary holds sentences for people: how far the judge can be trusted, where it disagrees, the
	// agent's pass rate, what is missing.
	Summary []string `json:"summary"`
	// Headline holds what a report says first.
	Headline Headline `json:"headline"`
	Counts   Counts   `json:"counts"`
	// Stopped lists the judges that were stopped for a rubric, because its first judgements all failed.
	Stopped []Stop  `json:"stopped,omitempty"`
	Alpha   float64 `json:"alpha"`
	// GoldName is the reference that the user named as the truth; "" means the strongest.
	GoldName string `json:"gold,omitempty"`
	// Scores has a row per rubric and judge, then per scorer and label.
	Scores []ScoreRow `json:"scores"`
	ByTool []ToolRow  `json:"by_tool"`
	// ByToolConversations summarizes, for each tool, the scores of the conversations that involve
	// it: they call it, or a scorer misses an expected call to it. Rows of different tools share
	// conversations. It is nil if there are no scores of calls.
	ByToolConversations []ToolRow `json:"by_tool_conversations,omitempty"`
	// ByParameter compares the calls with the expected ones, parameter by parameter; it is left out
	// if no log has expected calls.
	ByParameter []ToolParameters `json:"by_parameter,omitempty"`
	// Metrics holds the figures that the scorers' configuration requested.
	Metrics []Metric `json:"metrics,omitempty"`
	// Funnel is nil if none of its scorers ran.
	Funnel    *Funnel        `json:"funnel"`
	Agreement []AgreementRow `json:"agreement"`
	// Rankings ranks the judges of a rubric, if at least two were compared with gold.
	Rankings     []JudgeRanking `json:"rankings,omitempty"`
	JudgeVsJudge []PeerRow      `json:"judge_vs_judge"`
	// Consensus compares all judges of a rubric, and each panel's members.
	Consensus []ConsensusRow `json:"consensus"`
	// Noise says what changes when a judge is asked twice.
	Noise []NoiseRow `json:"noise"`
	// Halo says how strongly a judge's rubrics influence each other if they are asked together.
	Halo          []HaloRow     `json:"halo,omitempty"`
	JudgeChecks   []CheckRow    `json:"judge_checks"`
	Disagreements Disagreements `json:"disagreements"`
	Failing       Failing       `json:"failing"`
	// FailureGroups groups the calls that Failing counts by why they fail, largest group first.
	FailureGroups []FailureGroup `json:"failure_groups"`
	Gates         []GateResult   `json:"gates"`
	// Corrected holds the judges' rates, corrected by random labels in the log.
	Corrected []LabelCorrection `json:"corrected,omitempty"`
	// PeoplePairs says how each two people who labelled the run agree.
	PeoplePairs []PeoplePair `json:"people_pairs,omitempty"`
	// Probe is nil unless judge probe made the log.
	Probe *Probe `json:"probe,omitempty"`
	// Calibration is nil if none was applied.
	Calibration *Applied `json:"calibration,omitempty"`
	// Comparisons compare with earlier runs, each as run A, and this run as run B; left out if none
	// was named.
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
	// Thresholds lists the thresholds that replaced the run's pass bands in this report.
	Thresholds []string `json:"thresholds,omitempty"`
}

// Warning is a remark that belongs beside a number.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// UnreliableAbove is the share of missing scores above which a row is marked.
const UnreliableAbove = 0.02

// FewConversations is the number of conversations below which intervals are doubtful.
const FewConversations = 10

// The levels of a score.
const (
	CallLevel         = "call"
	ConversationLevel = "conversation"
	// ResultLevel and TurnLevel are for judges who know how a call or a turn ended. Their scores
	// are never paired with scores of calls or conversations.
	ResultLevel = "result"
	TurnLevel   = "turn"
)

// The ways to reduce the calls of a conversation to one score.
const (
	// ReduceMin takes the lowest value; it passes if every call passes.
	ReduceMin = "min"
	// ReduceMean takes the mean value; it passes if the mean is in the pass band.
	ReduceMean = "mean"
	// ReduceShare takes the share of passing calls; it passes if that is at least one half.
	ReduceShare = "share"
)

// Instrument identifies what makes one kind of score.
type Instrument struct {
	// Source is judge, deterministic or label.
	Source string `json:"source"`
	// Name is the rubric, scorer or label.
	Name string `json:"name"`
	// Metric names a further number of a scorer; "" is its main score.
	Metric string `json:"metric,omitempty"`
	Judge  string `json:"judge,omitempty"`
	// Level is call or conversation.
	Level string `json:"level"`
	// Purpose is "qa" for scores that are reported separately.
	Purpose string `json:"purpose,omitempty"`
}

// Title returns the instrument's name in one word: name, or name.metric.
func (i Instrument) Title() string {
	if i.Metric == "" {
		return i.Name
	}
	return i.Name + "." + i.Metric
}

// Words returns the instrument's name in a sentence, with its judge.
func (i Instrument) Words() string {
	if i.Judge == "" {
		return i.Title()
	}
	return i.Title() + " by " + i.Judge
}

// ScoreRow summarizes one instrument.
type ScoreRow struct {
	Instrument
	// N counts the scored items, in Conversations conversations.
	N             int `json:"n"`
	Conversations int `json:"conversations"`
	Unscored      int `json:"unscored"`
	Errors        int `json:"errors"`
	NotApplicable int `json:"not_applicable"`
	// Applies counts the answers according to which the question applies; nil if the question applies
	// in all of them, and for scorers.
	Applies *Counted `json:"applies,omitempty"`
	// Categories says how often each category was the answer, in the order of the rubric.
	Categories []CategoryShare `json:"categories,omitempty"`
	// CountedZero counts the NotApplicable items that the log's benchmark counts as 0 (runs of
	// τ-bench that crashed before their task was named). MeanWithZeros is the mean over them and
	// the scored items; nil if none.
	CountedZero   int      `json:"counted_zero,omitempty"`
	MeanWithZeros *float64 `json:"mean_with_zeros,omitempty"`
	// ErrorRate is the share of wanted scores that are missing; Coverage is the rest.
	ErrorRate Estimate `json:"error_rate"`
	Coverage  Estimate `json:"coverage"`
	// Unreliable: more than 2 % are missing, and missing scores are rarely random.
	Unreliable bool     `json:"unreliable"`
	Mean       Estimate `json:"mean"`
	// PassRate is over the Judged items, which have a verdict.
	PassRate Estimate `json:"pass_rate"`
	Judged   int      `json:"verdicts"`
	// Detectable is about the pass rate or, without verdicts, about the mean.
	Detectable Detectable `json:"detectable"`
	Min        *float64   `json:"min"`
	Max        *float64   `json:"max"`
	Warnings   []Warning  `json:"warnings,omitempty"`
}

// CategoryShare says how often a category is the answer: N times, and as a share of all scored
// items.
type CategoryShare struct {
	Category string   `json:"category"`
	N        int      `json:"n"`
	Share    Estimate `json:"share"`
}

// Detectable says which true changes a run of this size can show, with 80 % power and before any
// correction for multiple tests, in the units of its rate or mean.
type Detectable struct {
	// FromTarget is for a comparison with a fixed number, BetweenRuns for two independent runs of
	// this size. With the same items twice, smaller changes show: see Compare.
	FromTarget  Estimate `json:"from_target"`
	BetweenRuns Estimate `json:"between_runs"`
}

// BoundedMean returns a row's mean. Its interval is clipped to the possible values if they are
// known: the scale of a rubric, and 0 to 1 for scorers and for labels that are verdicts.
func (r *Report) BoundedMean(s *ScoreRow) Estimate {
	if s.N == 0 || s.Min == nil || s.Max == nil {
		return s.Mean
	}
	low, high, known := 0.0, 1.0, false
	switch score.Source(s.Source) {
	case score.Deterministic:
		known = true
	case score.Label:
		known = s.PassRate.Defined() && *s.PassRate.Value == *s.Mean.Value
	case score.Judge:
		rubric, _ := r.Run.Named().Rubric(s.Name)
		low, high, known = rubric.Min, rubric.Max, s.Metric == "" && rubric.Min < rubric.Max
	}
	if known && low <= *s.Min && *s.Max <= high {
		return s.Mean.Clipped(low, high)
	}
	return s.Mean
}

// ToolRow summarizes the calls of one tool, or the conversations that involve it, for every
// instrument of that level.
type ToolRow struct {
	Tool string `json:"tool"`
	// Calls or Conversations is the largest number of items of any instrument.
	Calls         int `json:"calls,omitempty"`
	Conversations int `json:"conversations,omitempty"`
	// Folded is the number of further tools in this row.
	Folded int         `json:"folded,omitempty"`
	Small  bool        `json:"small"`
	Scores []ToolScore `json:"scores"`
}

// ToolScore is one instrument's row for a tool.
type ToolScore struct {
	Instrument
	N        int      `json:"n"`
	Missing  int      `json:"missing"`
	Mean     Estimate `json:"mean"`
	PassRate Estimate `json:"pass_rate"`
	// EffectiveN is the number of independent items with the same information as the verdicts, at
	// most N: items of one conversation are alike. It is undefined in a single conversation.
	EffectiveN Estimate `json:"effective_n"`
}

// OtherTools is the name of the row of folded tools; no function can have this name.
const OtherTools = "(other tools)"

// ToolParameters compares one tool's calls with the expected ones, parameter by parameter.
type ToolParameters struct {
	Tool string `json:"tool"`
	// Expected counts the expected calls, Made those that were paired with a call of this tool,
	// Unexpected the calls without an expected one.
	Expected   int         `json:"expected"`
	Made       int         `json:"made"`
	Unexpected int         `json:"unexpected"`
	Parameters []Parameter `json:"parameters"`
}

// Parameter is one parameter of a tool.
type Parameter struct {
	Parameter string `json:"parameter"`
	// N counts the calls in which the parameter was expected, Present those that have it, Equal
	// those that have it with the expected value. Invented counts the calls that have it although
	// it was not expected.
	N        int `json:"n"`
	Present  int `json:"present"`
	Equal    int `json:"equal"`
	Invented int `json:"invented"`
	// PresenceRate is Present/N and ValueRate Equal/N, null if N is 0.
	PresenceRate *float64 `json:"presence_rate"`
	ValueRate    *float64 `json:"value_rate"`
}

// SetRates computes the rates from the counts.
func (p *Parameter) SetRates() {
	p.PresenceRate, p.ValueRate = nil, nil
	if p.N > 0 {
		p.PresenceRate, p.ValueRate = Rounded(float64(p.Present)/float64(p.N)), Rounded(float64(p.Equal)/float64(p.N))
	}
}

// Wrong counts the calls without the parameter's expected value, and those that have the parameter
// although it was not expected.
func (p *Parameter) Wrong() int { return p.N - p.Equal + p.Invented }

// GateResult is the result of one condition.
type GateResult struct {
	Score string `json:"score"`
	Judge string `json:"judge,omitempty"`
	Level string `json:"level,omitempty"`
	Tool  string `json:"tool,omitempty"`
	// Category is the answer whose share max_rate limits.
	Category string `json:"category,omitempty"`
	// Reduced says how calls became conversations, as in ChangeRow.
	Reduced string `json:"reduced,omitempty"`
	// Reference is the reference against which kappa was measured.
	Reference string `json:"reference,omitempty"`
	Against   string `json:"against,omitempty"`
	// Measure is min_pass_rate, min_mean, min_kappa, min_coverage, max_drop, max_rate, min_found or regression.
	Measure string   `json:"measure"`
	Bound   float64  `json:"bound"`
	Got     Estimate `json:"got"`
	N       int      `json:"n"`
	Strict  bool     `json:"strict"`
	Passed  bool     `json:"passed"`
	// P is the p-value that decided about a change against the baseline run, or about a tool's rate
	// whose interval misses the bound. It is corrected by Holm's method for the number of Tools. It is
	// nil if the number itself or the interval decided.
	P     *float64 `json:"p_holm,omitempty"`
	Tools int      `json:"corrected_for,omitempty"`
	// Reason is set if the numbers did not decide. not_measured, baseline_judge and no_baseline
	// fail; undecided passes, because no interval shows that the bound is missed.
	Reason string `json:"reason,omitempty"`
	// Line is the line to print.
	Line string `json:"line"`
}

// The measures of a gate, for GateResult.Measure.
const (
	MeasureMinPassRate = "min_pass_rate"
	MeasureMinMean     = "min_mean"
	MeasureMinCoverage = "min_coverage"
	MeasureMinKappa    = "min_kappa"
	MeasureMaxDrop     = "max_drop"
	MeasureMaxRate     = "max_rate"
	MeasureMinFound    = "min_found"
)

// The reasons of results that no number decided.
const (
	GateNotMeasured   = "not_measured"
	GateBaselineJudge = "baseline_judge"
	GateNoBaseline    = "no_baseline"
	GateUndecided     = "undecided"
)

// The reasons in GateResult.Got why there is nothing to measure, besides those of estimates.
const (
	GateNoItems     = "no_items"
	GateNoSuchScore = "no_such_score"
	GateNoSuchJudge = "no_such_judge"
	GateNoSuchTool  = "no_such_tool"
	GateNoToolCalls = "no_calls"
	GateNoReference = "no_such_reference"
	GateCircular    = "circular"
	GateSharedRules = "shared_rules"
	GateByWhole     = "by_conversation"
	GateReportedQA  = "qa"
	GateNoGold      = "no_gold"

	GateNoSuchCategory = "no_such_category"
)
