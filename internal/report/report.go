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
	// Summary are sentences for people: how far the judge can be trusted, where it
	// disagrees, the agent's pass rate, what is missing.
	Summary []string `json:"summary"`
	// Headline holds what a report says first.
	Headline Headline `json:"headline"`
	Counts   Counts   `json:"counts"`
	// Stopped are the judges that were not asked any further by a rubric, since nothing
	// worked.
	Stopped []Stop  `json:"stopped,omitempty"`
	Alpha   float64 `json:"alpha"`
	// GoldName is the reference that the user named as the truth, "" for the strongest
	// that there is.
	GoldName string `json:"gold,omitempty"`
	// Scores has a row per rubric and judge, then per scorer and label.
	Scores []ScoreRow `json:"scores"`
	ByTool []ToolRow  `json:"by_tool"`
	// ByToolConversations sums up, for each tool, the scores of the conversations that have
	// to do with it: a call names it, or a scorer misses an expected call of it. Rows of
	// different tools share conversations. It is nil if no score is of calls.
	ByToolConversations []ToolRow `json:"by_tool_conversations,omitempty"`
	// ByParameter compares the calls with the expected ones, parameter by parameter;
	// it is left out if no log has expected calls.
	ByParameter []ToolParameters `json:"by_parameter,omitempty"`
	// Metrics are the figures that the configuration of scorers asked for.
	Metrics []Metric `json:"metrics,omitempty"`
	// Funnel is nil if no scorer of its layers ran.
	Funnel    *Funnel        `json:"funnel"`
	Agreement []AgreementRow `json:"agreement"`
	// Rankings order the judges of a rubric, where two or more were compared with gold.
	Rankings     []JudgeRanking `json:"rankings,omitempty"`
	JudgeVsJudge []PeerRow      `json:"judge_vs_judge"`
	// Consensus compares all judges of a rubric, and each panel's members.
	Consensus []ConsensusRow `json:"consensus"`
	// Noise holds what changes when a judge is asked twice.
	Noise []NoiseRow `json:"noise"`
	// Halo says how much the rubrics of a judge pull each other if they are asked together.
	Halo          []HaloRow     `json:"halo,omitempty"`
	JudgeChecks   []CheckRow    `json:"judge_checks"`
	Disagreements Disagreements `json:"disagreements"`
	Failing       Failing       `json:"failing"`
	// FailureGroups are the calls that Failing counts by why they fail, the largest group first.
	FailureGroups []FailureGroup `json:"failure_groups"`
	Gates         []GateResult   `json:"gates"`
	// Corrected are the judges' rates corrected by random labels of the log.
	Corrected []LabelCorrection `json:"corrected,omitempty"`
	// PeoplePairs say how each two people agree who labelled the run.
	PeoplePairs []PeoplePair `json:"people_pairs,omitempty"`
	// Probe is nil unless the log was made by judge probe.
	Probe *Probe `json:"probe,omitempty"`
	// Calibration is nil if none was applied.
	Calibration *Applied `json:"calibration,omitempty"`
	// Comparisons are with earlier runs, each of them run A and this run B; left out where
	// none was named.
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
	// Thresholds hold those that verdicts were decided by again.
	Thresholds []string `json:"thresholds,omitempty"`
}

// Warning is a remark that belongs beside a number.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// UnreliableAbove is the share of missing scores from which a row is marked.
const UnreliableAbove = 0.02

// FewConversations is the number of conversations below which intervals are doubtful.
const FewConversations = 10

// The levels of a score.
const (
	CallLevel         = "call"
	ConversationLevel = "conversation"
	// ResultLevel and TurnLevel are those of judges who know how a call or a turn ended. Their
	// scores are paired with no score of calls and conversations.
	ResultLevel = "result"
	TurnLevel   = "turn"
)

// The ways to reduce the calls of a conversation to one score.
const (
	// ReduceMin takes the lowest value; it passes when every call passes.
	ReduceMin = "min"
	// ReduceMean takes the mean value; it passes when the mean is in the pass band.
	ReduceMean = "mean"
	// ReduceShare takes the share of calls that pass; it passes from one half on.
	ReduceShare = "share"
)

// Instrument holds what makes one kind of score.
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
	// Purpose is "qa" for scores that are reported separately.
	Purpose string `json:"purpose,omitempty"`
}

// Title names the instrument in one word: name, or name.metric.
func (i Instrument) Title() string {
	if i.Metric == "" {
		return i.Name
	}
	return i.Name + "." + i.Metric
}

// Words names the instrument in a sentence, with its judge.
func (i Instrument) Words() string {
	if i.Judge == "" {
		return i.Title()
	}
	return i.Title() + " by " + i.Judge
}

// ScoreRow summarizes one instrument.
type ScoreRow struct {
	Instrument
	// N is the number of scored items, in Conversations conversations.
	N             int `json:"n"`
	Conversations int `json:"conversations"`
	Unscored      int `json:"unscored"`
	Errors        int `json:"errors"`
	NotApplicable int `json:"not_applicable"`
	// Applies counts the answers that say that the question applies; nil if all do, and for scorers.
	Applies *Counted `json:"applies,omitempty"`
	// Categories say how often each was the answer, in the order of the rubric.
	Categories []CategoryShare `json:"categories,omitempty"`
	// CountedZero hold those of NotApplicable that the benchmark of the log counts as 0 (runs
	// of τ-bench that crashed before their task was named), MeanWithZeros the mean over them
	// and the scored items; null without any.
	CountedZero   int      `json:"counted_zero,omitempty"`
	MeanWithZeros *float64 `json:"mean_with_zeros,omitempty"`
	// ErrorRate is the share of wanted scores that are missing, Coverage the rest.
	ErrorRate Estimate `json:"error_rate"`
	Coverage  Estimate `json:"coverage"`
	// Unreliable: more than 2 % are missing. What is missing is seldom random.
	Unreliable bool     `json:"unreliable"`
	Mean       Estimate `json:"mean"`
	// PassRate is over the Judged items that have a verdict.
	PassRate Estimate `json:"pass_rate"`
	Judged   int      `json:"verdicts"`
	// Detectable is of the pass rate, of the mean if there are no verdicts.
	Detectable Detectable `json:"detectable"`
	Min        *float64   `json:"min"`
	Max        *float64   `json:"max"`
	Warnings   []Warning  `json:"warnings,omitempty"`
}

// CategoryShare says how often a category is the answer: N times, as a share of all that are scored.
type CategoryShare struct {
	Category string   `json:"category"`
	N        int      `json:"n"`
	Share    Estimate `json:"share"`
}

// Detectable says which true changes a run of this size can show at all, with 80 %
// power and before any correction for many tests, in units of the rate or mean that it
// stands beside.
type Detectable struct {
	// FromTarget is against a fixed number, BetweenRuns between two independent runs
	// of this size. The same items twice show smaller ones: see Compare.
	FromTarget  Estimate `json:"from_target"`
	BetweenRuns Estimate `json:"between_runs"`
}

// BoundedMean returns a row's mean with its interval clipped to what its values can be, where
// that is known: the scale of a rubric, and 0 to 1 for scorers and for labels that are
// verdicts.
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

// ToolRow summarizes the calls of one tool, or the conversations that involve it, for
// every instrument of that level.
type ToolRow struct {
	Tool string `json:"tool"`
	// Calls or Conversations is the largest number of items of any one instrument.
	Calls         int `json:"calls,omitempty"`
	Conversations int `json:"conversations,omitempty"`
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
	// EffectiveN is the number of independent items that the verdicts amount to, at most N:
	// items of one conversation are alike. Undefined in a single conversation.
	EffectiveN Estimate `json:"effective_n"`
}

// OtherTools is the name of the row of folded tools; no function can be called so.
const OtherTools = "(other tools)"

// ToolParameters says, of one tool, how its calls meet the expected ones, parameter
// by parameter: which tool goes wrong, and where.
type ToolParameters struct {
	Tool string `json:"tool"`
	// Expected counts the expected calls, Made those that some call of this tool was
	// paired with, Unexpected the calls without an expected one.
	Expected   int         `json:"expected"`
	Made       int         `json:"made"`
	Unexpected int         `json:"unexpected"`
	Parameters []Parameter `json:"parameters"`
}

// Parameter is one parameter of a tool.
type Parameter struct {
	Parameter string `json:"parameter"`
	// N counts the calls made in which the parameter was expected, Present those that
	// have it, Equal those that have it with the expected value, Invented the calls
	// that have it though it was not expected.
	N        int `json:"n"`
	Present  int `json:"present"`
	Equal    int `json:"equal"`
	Invented int `json:"invented"`
	// PresenceRate is Present/N and ValueRate Equal/N, null where N is 0.
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

// Wrong counts the calls without the parameter's expected value, and those that have it
// though it was not expected.
func (p *Parameter) Wrong() int { return p.N - p.Equal + p.Invented }

// GateResult is the result of one condition.
type GateResult struct {
	Score string `json:"score"`
	Judge string `json:"judge,omitempty"`
	Level string `json:"level,omitempty"`
	Tool  string `json:"tool,omitempty"`
	// Category is the answer whose share max_rate bounds.
	Category string `json:"category,omitempty"`
	// Reduced says how calls became conversations, as in ChangeRow.
	Reduced string `json:"reduced,omitempty"`
	// Reference holds what kappa was measured against.
	Reference string `json:"reference,omitempty"`
	Against   string `json:"against,omitempty"`
	// Measure is min_pass_rate, min_mean, min_kappa, min_coverage, max_drop or max_rate.
	Measure string   `json:"measure"`
	Bound   float64  `json:"bound"`
	Got     Estimate `json:"got"`
	N       int      `json:"n"`
	Strict  bool     `json:"strict"`
	Passed  bool     `json:"passed"`
	// P is the p-value that decided a change against the baseline run, or a tool's rate
	// whose interval misses the bound; corrected by Holm's method for as many Tools. It
	// is nil if the point or the interval decided.
	P     *float64 `json:"p_holm,omitempty"`
	Tools int      `json:"corrected_for,omitempty"`
	// Reason is set if the numbers did not decide: not_measured, baseline_judge and
	// no_baseline fail; undecided passes, since no interval says that the bound is missed.
	Reason string `json:"reason,omitempty"`
	// Line holds what is printed.
	Line string `json:"line"`
}

// What a gate measures, as GateResult.Measure.
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

// The reasons of GateResult.Got why there is nothing to measure, beside those of estimates.
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
