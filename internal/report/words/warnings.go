package words

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

// Warning returns the warning of a format "code: sentence" with its arguments filled in: the code is
// for programs, the sentence for people.
func Warning(format string, args ...any) report.Warning {
	code, text, _ := strings.Cut(fmt.Sprintf(format, args...), ": ")
	return report.Warning{Code: code, Text: text}
}

// Warnings about a judge, or a column, against its reference.
const (
	OneClass  = "one_class: %s has one class only: it cannot show whether %s separates right from wrong"
	FewFails  = "few_of_one_class: %s fails only %d of the items: the share of them that is found rests on these"
	FewPasses = "few_of_one_class: %s passes only %d of the items: the share of them that is kept rests on these"
	Constant  = "constant: %s is the same everywhere"
	// BelowConstant takes how often the judge agrees, then how often a constant verdict would.
	BelowConstant = "below_constant: %s agrees with %s on %d items, and a judge that always says %s on %d: " +
		"read Youden's J, not the share of equal verdicts"
	JudgeOneClass = "judge_one_class: %s gives every item the same verdict"
	Ceiling       = "ceiling: %.0f %% of the items are of one class: kappa is small whatever the judge does, " +
		"read AC1 and the counts beside it"
	Circular         = "circular: %s by %s was shown what %s decides by; they are not compared"
	SharedRules      = "shared_rules: %s applies the rules of %s itself: that they agree says nothing of its judgement"
	NeverTogether    = "no_items: the two never scored the same %s"
	NoVerdicts       = "no_verdicts: one side has no verdicts: only the values are compared"
	NoThreshold      = "no_threshold: %s holds numbers and no threshold says which pass: there are no verdicts to compare"
	FewItems         = "few_items: only %s"
	FewConversations = "few_conversations: only %s: the interval is a guess"
	FewClusters      = "few_clusters: only %d clusters: intervals rest on the t distribution alone, " +
		"and percentile intervals are too short"
	NotJudged     = "missing: the judge has no score for %d of the %d items that %s scored"
	PartlyReduced = "partial: reduced from only some of its calls: %s"
)

// Warnings about a table of columns.
const (
	NoCommonRow = "no_items: no row has both %s and %s"
	MissingRows = "missing: %d of %d rows lack %s (%d) or %s (%d) and are left out"
	NoClusters  = "no_clusters: no cluster column: the intervals assume independent rows, " +
		"and are too short if several rows are of one conversation"
	RowsWithoutCluster = "no_cluster: rows that have no %[2]s and are left out: %[1]d"
	UnreadableRows     = "unreadable: rows that could not be read and are left out: %d"
	DifferentItems     = "different_items: the judges answered different items: compare them by the differences on common " +
		"items, not by their rows"
	TwoJudges = "two_judges: there are only two judges: nothing shows which of them is right when they differ; " +
		"add a third, or labels"
	OneFamily = "one_family: all judges are of one model family, %s: they share mistakes, which look like agreement; " +
		"add a judge of another family"
	Opposed = "opposed: %s tends to say the opposite of the other judges: is its column the other way round, " +
		"or are the others wrong together?"
)

// Warnings about a run.
const (
	UnknownGold        = "gold: no judge was compared with %s, which was named as gold; known are %s"
	UnknownCompareWith = "compare_with: no judge was compared with %s, which rubric %s names in compare_with; " +
		"known are %s"
	Unreliable = "unreliable: %s: %d of %d judgements are missing; what is missing is seldom random, " +
		"so read its numbers with care"
	BadLines   = "bad_lines: lines of the score stream that could not be read and are left out: %d"
	Duplicates = "duplicates: the same instrument scored items more than once, and one score of each is kept; " +
		"repeated scores: %d"
	IsBaseline = "baseline: %s is the built-in rule-based baseline, not a language model"
	PartOfRun  = "partial: %s: this report covers only a part of the run, and no gate is decided; " +
		"judge run --resume completes it"
	MixedTransports = "mixed_transports: judge %s: answers came by more than one transport (%s): the endpoint took a " +
		"stricter one for some items only, and the two kinds of scores should not be mixed; fix one with transport: in " +
		"the configuration and judge again, or split them by details.transport of %s"
)

// Warnings about two runs.
const (
	OnlyInA            = "only_a: only run A has %s"
	OnlyInB            = "only_b: only run B has %s"
	OtherJudge         = "judges: the judges differ: %s in run A, %s in run B; the judge may be what changed"
	OtherModel         = "judges: judge %s is model %s in run A and %s in run B"
	OtherPrompt        = "prompt: the prompts of judge %s differ between the runs"
	OtherRubric        = "rubric: rubric %s has changed between the runs: it measures something else"
	OtherThreshold     = "threshold: the thresholds of %s differ between the runs; give --threshold to decide both alike"
	OtherConversations = "conversations: the sets differ: %d conversations in both, %d in A alone, %d in B alone; " +
		"only what both scored is compared"
	PairedByID = "paired_by_id: %s no %s: conversations are paired by their ids, " +
		"and nothing shows that those with one id are the same"
	PairedByContent = "paired_by_content: paired by content, since run B has another id, and named as in run A: %s"
	PairedByTask    = "paired_by_task: paired as attempts at the same task, and named as in run A: %s"
	AmbiguousTasks  = "ambiguous_tasks: %s of run B not paired: several of a run are attempts at the same task, " +
		"and nothing says which belongs to which"
	OtherReference = "other_reference: %s of run B not paired: a task of run A has the same id and other expected calls"
	// CallsDiffer ends with the number of conversations.
	CallsDiffer = "calls_differ: conversations of both runs: %d identical calls, %d identical calls after different " +
		"messages, %d only in run A and %d only in run B (%s changed)"
	Unfinished   = "unfinished: run %s is %s: only what it scored is compared"
	DecidedAlike = "decided_alike: the thresholds differed; those of run B decide the verdicts of both runs: %s"
	NoBaseline   = "no_baseline: gate on %s: no comparison with the baseline: %v"
)

// Warnings about labels.
const (
	NoSuchLabel    = "no_label: labels in judge.yaml names %s as a random sample, and no conversation has it"
	NoRandomSample = "no_random_sample: no filled row is of the random sample: nothing can be estimated from picked items"
	Unmatched      = "unmatched: labels of what this run did not judge: %d"
	FewLabelled    = "few_conversations: labelled conversations: %d; intervals need about %d"
	// NoSample takes one of the reasons below.
	NoSample            = "no_sample: %s"
	CalibratedElsewhere = "calibrated_elsewhere: the calibration rests on labels of run %s, which are no sample of this " +
		"one: no corrected pass rate can be given"
	FittedHere = "tuned_here: the threshold of %s by %s was fitted on labels of this very run: " +
		"its agreement with labels of these calls is too good"
	LabelsNotUsed      = "labels_not_used: lines of labels that are not used: %d, the first: %s"
	TwoLabelSources    = "two_label_sources: labels.jsonl has %d labels, the calibrated sheet %d: the larger set is used"
	OlderCalibration   = "older_calibration: calibrated with %d labels, and there are %d now: run judge calibrate again"
	CalibrationNotUsed = "calibration_not_used: the run's calibration is not used: %v"
)

// Remarks on the row of one judge.
const (
	Rough   = "few labelled conversations: every number here is rough"
	OneCall = "one call of each conversation is labelled: if long conversations fail more often, the range of the pass rate " +
		"is too short, it held the rate in 78 to 92 of 100 simulated samples; label two calls of each"
	NoCut = "the half for fitting has too few labels, or only passes or only fails: the declared threshold stays"
)

// The reasons why labels are not a random sample.
const (
	UnorderedSheet = "%d of the %d conversations of the sheet have no label, and it does not say in which " +
		"random order they stand: the labelled ones may have been picked" + noRate
	SeveralOrders        = "the labels are of several random orders: together they are not a random sample" + noRate
	SkippedConversations = "of the first %d conversations of the random order %d have no label: the others are picked, " +
		"not a random sample" + noRate
	SkippedCalls = "%d of the %d calls of the labelled conversations have no label: the others are picked, " +
		"not a random sample" + noRate
	noRate = "; no corrected rate is given"
)

// UnlikeRates returns the reason if a judge passes another share of the labelled calls than of the
// others; label is the label of the log, "" for people's labels.
func UnlikeRates(judge, label string, labelled, others, p float64) string {
	with := "labelled conversations"
	if label != "" {
		with = "conversations with " + label
	}
	return fmt.Sprintf("%s passes %.1f %% of what it judged in the %s and %.1f %% of the others (p %s): "+
		"the labelled ones are not a random sample", judge, 100*labelled, with, 100*others, P(&p)) + noRate
}

// CallsInText says that n messages of the agent look like calls but were not read as calls.
func CallsInText(n int) string {
	const what = "written as text and not read as"
	const where = "--include-text-calls reads what it can (docs/logs.md, Calls in texts)"
	if n == 1 {
		return "1 message of the agent looks like a call " + what + " one: " + where
	}
	return fmt.Sprintf("%d messages of the agent look like calls %s calls: %s", n, what, where)
}

// ReferenceConflicts says that the rewards of n simulations used another reference than the one of
// their task in the file.
func ReferenceConflicts(n int) string {
	return Count(n, "conversation was", "conversations were") + " rewarded by other actions than the task has in " +
		"tasks[]: the file numbers its tasks differently, and the conversations' own actions are the reference"
}
