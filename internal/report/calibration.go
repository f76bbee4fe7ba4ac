package report

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/labels"
)

// CalibrationSchema is the version of a calibration file.
const CalibrationSchema = "judge.calibration/v1"

// Calibration holds what a filled sheet says about a run's judges.
type Calibration struct {
	Schema string  `json:"schema"`
	RunID  string  `json:"run_id"`
	Alpha  float64 `json:"alpha"`
	Seed   uint64  `json:"seed"`
	// Random and Queue count the filled rows with a judge's score, by sample. Conversations counts the
	// conversations of the random rows, Unmatched the filled rows without a judge's score.
	Random        int `json:"random_labels"`
	Queue         int `json:"queue_labels"`
	Conversations int `json:"random_conversations"`
	Unmatched     int `json:"unmatched_labels"`
	// People lists the people who labelled, if known, and Pairs how each two of them agree.
	People []Labeller   `json:"people,omitempty"`
	Pairs  []PeoplePair `json:"pairs,omitempty"`
	// By names the person whose label was requested to count if several people labelled a call; ""
	// means whoever labelled most.
	By string `json:"by,omitempty"`
	// Labels holds the rows of a sheet's random sample, filled or not. It is empty for
	// labels.jsonl, which is beside the calibration.
	Labels []StoredLabel `json:"labels,omitempty"`
	// Rows has a row per judge and labelled rubric. Of each rubric, the judge that agrees best with
	// the labels is first.
	Rows []CalibrationRow `json:"rows"`
	// Unlabelled lists the rubrics for which the sheet has no column.
	Unlabelled []UnlabelledRubric `json:"unlabelled_rubrics"`
	Warnings   []Warning          `json:"warnings"`
}

// StoredLabel is a row of a sheet: an item of the random sample, with its labels if it was filled
// in.
type StoredLabel struct {
	ConversationID string `json:"conversation_id"`
	// CallIndex is -1 for a turn and for the whole conversation.
	CallIndex int    `json:"call_index"`
	Turn      int    `json:"turn,omitempty"`
	Scope     string `json:"scope,omitempty"`
	// Whole is the label of the item as a whole, ByRubric holds the labels by single rubrics.
	Whole    StoredAnswer            `json:"passed,omitzero"`
	ByRubric map[string]StoredAnswer `json:"by_rubric,omitempty"`
	Note     string                  `json:"note,omitempty"`
	// Rank is the place of the conversation in the random order of Seed; 0 if unknown.
	Rank int    `json:"rank,omitempty"`
	Seed uint64 `json:"seed,omitempty"`
	// PerConversation counts the drawn calls per conversation, 0 means all.
	PerConversation int `json:"calls_per_conversation,omitempty"`
}

// StoredAnswer is a label in a file: true or false if it only says whether the item passes, else an
// object.
type StoredAnswer labels.Answer

// MarshalJSON implements json.Marshaler.
func (a StoredAnswer) MarshalJSON() ([]byte, error) {
	if passed := labels.Answer(a).Verdict(); passed != nil && a.Category == "" {
		return json.Marshal(*passed)
	}
	return json.Marshal(labels.Answer(a))
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *StoredAnswer) UnmarshalJSON(data []byte) error {
	var passed bool
	if json.Unmarshal(data, &passed) == nil {
		*a = StoredAnswer(labels.VerdictAnswer(passed))
		return nil
	}
	var of labels.Answer
	if err := json.Unmarshal(data, &of); err != nil {
		return fmt.Errorf("a label: %w", err)
	}
	*a = StoredAnswer(of)
	return nil
}

// Labeller is a person who labelled.
type Labeller struct {
	Name string `json:"name"`
	// Random counts labels given blind in the random order, Picked those from other queues,
	// Deferred the calls that were looked at and left undecided. Revealed counts labels given after
	// the judge was revealed, which are not used.
	Random   int `json:"random_labels"`
	Picked   int `json:"queue_labels"`
	Deferred int `json:"deferred"`
	Revealed int `json:"revealed"`
	// Used counts the labels that the calibration uses: if two people labelled an item, the label
	// of the first in the list is used.
	Used int `json:"used"`
}

// PeoplePair is the agreement of two people on the items of the random sample that both labelled
// without seeing a judge.
type PeoplePair struct {
	A             string   `json:"a"`
	B             string   `json:"b"`
	N             int      `json:"n"`
	Conversations int      `json:"conversations"`
	Agreed        int      `json:"agreed"`
	Kappa         Estimate `json:"kappa"`
	// NotApplicable counts the items, not included in N, for which at least one of them says that
	// the question does not apply.
	NotApplicable     int `json:"not_applicable,omitempty"`
	BothNotApplicable int `json:"both_not_applicable,omitempty"`
}

// Warn adds a warning, unless it is there already.
func (c *Calibration) Warn(w Warning) {
	if !slices.Contains(c.Warnings, w) {
		c.Warnings = append(c.Warnings, w)
	}
}

// Applied is a calibration with the rows of the run to which it was applied.
type Applied struct {
	Calibration
	// OfThisRun says that the labels belong to the reported run. Only then are there corrected pass
	// rates.
	OfThisRun bool `json:"of_this_run"`
}

// UnlabelledRubric is a rubric without labels of its own, with advice.
type UnlabelledRubric struct {
	Rubric string `json:"rubric"`
	Note   string `json:"note"`
}

// CalibrationRow is one judge on one rubric.
type CalibrationRow struct {
	Judge  string `json:"judge"`
	Rubric string `json:"rubric"`
	// Level is the level of the items; older files have "" for calls.
	Level string `json:"level,omitempty"`
	// Instrument is the hash of judge, model, prompt, rubric and pass band to which the calibration
	// applies.
	Instrument string `json:"instrument"`
	// Label is the sheet's column with the labels.
	Label string `json:"label"`
	// N counts the labelled items of the random sample that the judge scored.
	N             int      `json:"n"`
	Conversations int      `json:"conversations"`
	Kappa         Estimate `json:"kappa"`
	// RecallWrong is the share of wrong calls that the judge fails, Specificity the share of right
	// calls that it passes, BalancedAccuracy their mean.
	RecallWrong      Estimate  `json:"recall_wrong"`
	Specificity      Estimate  `json:"specificity"`
	BalancedAccuracy Estimate  `json:"balanced_accuracy"`
	AUC              Estimate  `json:"auc"`
	Threshold        FittedCut `json:"threshold"`
	// Ratings compares the answers by category; nil if the verdicts say the same. Applies compares
	// whether the question applies; nil if both sides always say that it does.
	Ratings *Ratings       `json:"ratings,omitempty"`
	Applies *Applicability `json:"applies,omitempty"`
	// Confidence compares the judge's stated confidence with the labels; nil if it states none.
	Confidence *Confidence `json:"confidence,omitempty"`
	// People compares the judge's agreement with single people to their agreement with each other;
	// nil unless several people labelled the same items.
	People *HumanLikeness `json:"people,omitempty"`
	// NoSample says why the labelled conversations are not a random sample; "" if they may be one.
	// If it is set, there is no corrected pass rate.
	NoSample string `json:"no_sample,omitempty"`
	// PassRate is nil if the labels belong to another run than the reported one, and for a rubric without verdicts.
	PassRate *CorrectedRate `json:"pass_rate"`
	// CutInUse is the fitted threshold that the report uses; nil if it uses the declared pass band.
	CutInUse *float64 `json:"cut_in_use,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Decides reports whether the answers to the rubric have verdicts.
func (r *CalibrationRow) Decides() bool { return r.Threshold.Best.Reason != string(stat.NotApplicable) }

// FittedCut is a threshold fitted on one half of the labels; the kappas are measured on the other
// half.
type FittedCut struct {
	Best Estimate `json:"best"`
	// AtDeclared and AtBest are kappa with the declared and with the best threshold. Gain is their
	// difference with its interval, GainSE its standard error.
	AtDeclared Estimate `json:"kappa_at_declared"`
	AtBest     Estimate `json:"kappa_at_best"`
	Gain       Estimate `json:"gain"`
	GainSE     Estimate `json:"gain_se"`
	// Change says that the gain exceeds its standard error: only then we advise another threshold.
	// Note says so in words.
	Change bool   `json:"change"`
	Note   string `json:"note"`
}

// LabelCorrection is a judge's rate corrected by people's labels of the run, or by a label in the
// log for a random sample of its conversations.
type LabelCorrection struct {
	Judge  string `json:"judge"`
	Rubric string `json:"rubric"`
	Label  string `json:"label"`
	Level  string `json:"level"`
	// N counts the items with a verdict of the judge, Labels those of them that have a label too,
	// in Labelled conversations.
	N        int `json:"n"`
	Labels   int `json:"labels"`
	Labelled int `json:"labelled_conversations"`
	CorrectedRate
	// NoSample says why the labels turned out not to be a random sample; "" if they may be one.
	NoSample string `json:"no_sample,omitempty"`
}

// UnlikeBelow is the p-value below which the judge's rates on labelled and unlabelled conversations
// count as different.
const UnlikeBelow = 0.01

// CorrectedRate is a judge's pass rate, corrected by labels.
type CorrectedRate struct {
	// Corrected is the judge's rate minus its error according to the labels (by PPI++, over
	// conversations). Naive is the judge's own rate, LabelsOnly the labels'.
	Corrected  Estimate `json:"corrected"`
	Naive      Estimate `json:"naive"`
	LabelsOnly Estimate `json:"labels_only"`
	// Bias is the judge's rate minus the labels' rate on the labelled items: the rectifier of PPI with
	// the opposite sign.
	Bias Estimate `json:"bias"`
	// LabelledFails counts the labelled items that are wrong. If they are too few, Corrected has no
	// interval.
	LabelledFails int `json:"labelled_fails"`
	// FurtherConversations is the number of conversations that must still be labelled to make the interval of
	// Corrected WantedWidth wide; nil if unknown.
	WantedWidth          float64     `json:"wanted_width"`
	FurtherConversations *truth.More `json:"further_conversations"`
	// OneCall says that each labelled conversation has one label, and that some of them have more calls: if
	// long conversations fail more often, the interval of Corrected is too short.
	OneCall bool `json:"one_call,omitempty"`
}

// WantedWidth is the default width of a pass rate's interval, for which further labels are counted.
const WantedWidth = 0.1

// FurtherLabels converts FurtherConversations to labels, from the number of labels in the
// conversations labelled so far; nil if unknown.
func (c *CorrectedRate) FurtherLabels(labels, conversations int) *truth.More {
	if c.FurtherConversations == nil || conversations == 0 {
		return nil
	}
	of := func(n int) int { return (n*labels + conversations - 1) / conversations }
	return &truth.More{About: of(c.FurtherConversations.About), Least: of(c.FurtherConversations.Least),
		Most: of(c.FurtherConversations.Most)}
}

// LabelsToCorrect returns about how many more labels are needed until Corrected has an interval:
// byRarer until there are [truth.FewestPPI] of the rarer class, 0 if none of it so far,
// and byConversations until there are enough conversations.
func (c *CorrectedRate) LabelsToCorrect(labels, conversations int) (byRarer, byConversations int) {
	if rarer := min(c.LabelledFails, labels-c.LabelledFails); rarer > 0 {
		byRarer = ((truth.FewestPPI-rarer)*labels + rarer - 1) / rarer
	}
	return max(0, byRarer), max(0, ((truth.FewestLabelled-conversations)*labels+conversations-1)/max(1, conversations))
}
