package report

import (
	"cmp"

	"github.com/judgekit/judge/internal/sorting"
)

// AgreementRow compares one rubric of one judge with one reference, on the items that both scored.
type AgreementRow struct {
	Judge     string     `json:"judge"`
	Rubric    string     `json:"rubric"`
	Reference Instrument `json:"reference"`
	// Level is the level of the compared items. Reduction says how calls became conversations: ""
	// if none were reduced, else min, mean or share; Reduced names the side that was reduced.
	Level     string `json:"level"`
	Reduction string `json:"reduction,omitempty"`
	Reduced   string `json:"reduced,omitempty"`
	// Refused is "circular" if the comparison is meaningless; the row then has no numbers.
	Refused string `json:"refused,omitempty"`
	// SharedRules says that the judge applies the reference's rules itself, so that agreement proves nothing.
	SharedRules bool `json:"shared_rules,omitempty"`
	// Direction says which verdicts of the reference are evidence: pass, fail or both. Only the number
	// for that direction is printed: Specificity for pass, RecallWrong for fail.
	Direction string `json:"direction"`
	// Unprinted says why no table shows the row: another_construct, weak_reference or constant; "" if one does.
	Unprinted string `json:"not_printed,omitempty"`
	// N counts the items that both scored, Verdicts those of them with a verdict on both sides.
	N             int `json:"n"`
	Verdicts      int `json:"verdicts"`
	Conversations int `json:"conversations"`
	// MissingJudge counts items of the reference for which the judge failed to give a score,
	// OnlyReference those that the judge was not asked about.
	MissingJudge  int `json:"missing_judge"`
	MissingRef    int `json:"missing_reference"`
	OnlyReference int `json:"only_reference"`
	OnlyJudge     int `json:"only_judge"`
	// Partial counts reduced conversations with unscored calls.
	Partial   int       `json:"partial,omitempty"`
	BaseRate  Estimate  `json:"base_rate"`
	JudgeRate Estimate  `json:"judge_rate"`
	Confusion Confusion `json:"confusion"`
	Accuracy  Estimate  `json:"accuracy"`
	Balanced  Estimate  `json:"balanced_accuracy"`
	// RecallWrong is the share of wrong calls that the judge fails, Specificity the share of right
	// calls that it passes. Both are undefined if neither side is gold.
	RecallWrong Estimate `json:"recall_wrong"`
	Specificity Estimate `json:"specificity"`
	MCC         Estimate `json:"mcc"`
	// Kappa has a t interval, clustered by conversation.
	Kappa Estimate `json:"kappa"`
	AC1   Estimate `json:"ac1"`
	// Spearman correlates the two values. AUC measures the judge's value against the reference's verdict.
	Spearman   Estimate    `json:"spearman"`
	AUC        Estimate    `json:"auc"`
	Confidence *Confidence `json:"confidence,omitempty"`
	// Graded says whether the two scores are interchangeable. It is nil unless both are on the
	// scale 0..1 and the reference has more than two values.
	Graded *Graded `json:"graded,omitempty"`
	// Ratings compares the answers by category; nil if there are no categories or the verdicts say the
	// same. Applies is nil unless one of the two says for some item that the question does not apply.
	Ratings *Ratings       `json:"ratings,omitempty"`
	Applies *Applicability `json:"applies,omitempty"`
	// Abstain is the agreement without the answers marked for review; nil if none is marked.
	Abstain  *Abstention `json:"abstain,omitempty"`
	ByTool   []ToolPair  `json:"by_tool,omitempty"`
	Warnings []Warning   `json:"warnings,omitempty"`
}

// Ratings compares the categories of two sides.
type Ratings struct {
	Categories []string `json:"categories"`
	Same       Estimate `json:"same_category"`
	// WithinOne and Quadratic are zero on a nominal scale. AC is AC2 with quadratic weights on an
	// ordinal scale, else AC1.
	WithinOne Estimate `json:"within_one,omitzero"`
	Kappa     Estimate `json:"kappa_categories"`
	Quadratic Estimate `json:"kappa_quadratic,omitzero"`
	AC        Estimate `json:"ac_categories"`
	Alpha     Estimate `json:"alpha"`
	// Matrix counts pairs of categories: rows are the reference's, columns the judge's. Recall is, for each
	// category of the reference, the share of items for which the judge gives the same category.
	Matrix [][]int    `json:"matrix"`
	Recall []Estimate `json:"recall,omitempty"`
}

// Applicability compares two sides' answers to whether a question applies.
type Applicability struct {
	// N counts the items that both answered, Both those to which the question applies according to both.
	N             int      `json:"n"`
	Both          int      `json:"both"`
	OnlyJudge     int      `json:"only_judge"`
	OnlyReference int      `json:"only_reference"`
	Neither       int      `json:"neither"`
	Same          Estimate `json:"same"`
	Kappa         Estimate `json:"kappa"`
}

// Graded compares two scores on the scale 0..1 as numbers.
type Graded struct {
	// Bias is the mean of the judge's score minus the reference's.
	Bias Estimate `json:"bias"`
	MAE  Estimate `json:"mae"`
	RMSE Estimate `json:"rmse"`
	// CCC is Lin's concordance. Unlike a correlation, it falls if one side is always higher.
	CCC Estimate `json:"ccc"`
}

// Abstention is the agreement on the answers not marked for review.
type Abstention struct {
	// N counts the remaining answers, Coverage is their share.
	N           int      `json:"n"`
	Coverage    Estimate `json:"coverage"`
	Accuracy    Estimate `json:"accuracy"`
	RecallWrong Estimate `json:"recall_wrong"`
}

// Confusion counts pairs of verdicts. "wrong" and "right" are the reference's verdicts.
type Confusion struct {
	BothPass      int `json:"both_pass"`
	JudgeOnlyPass int `json:"judge_only_pass"`
	JudgeOnlyFail int `json:"judge_only_fail"`
	BothFail      int `json:"both_fail"`
}

// Confidence says how well the judge's stated confidence predicts that the reference confirms its verdict.
type Confidence struct {
	N int `json:"n"`
	// AUC is the probability that a confirmed verdict has a higher confidence than an unconfirmed one.
	AUC Estimate `json:"auc"`
	// Brier is the mean squared error of the confidence as a probability of being right, 0 to 1.
	Brier Estimate `json:"brier"`
	// Overconfidence is the mean confidence minus the share of confirmed verdicts.
	Overconfidence Estimate `json:"overconfidence"`
}

// ToolPair is the comparison restricted to the calls of one tool.
type ToolPair struct {
	Tool      string   `json:"tool"`
	N         int      `json:"n"`
	Small     bool     `json:"small"`
	BaseRate  Estimate `json:"base_rate"`
	JudgeRate Estimate `json:"judge_rate"`
	Agreement Estimate `json:"agreement"`
	Kappa     Estimate `json:"kappa"`
	Confusion
	// P is the p-value of the hypothesis that the two agree on this tool as often as on the others; it
	// is computed by conversation and corrected for the number of tools by Holm's method. It is nil for
	// few calls. If no P is at most the report's Alpha, no difference between tools is shown.
	P *float64 `json:"p_holm_other_tools,omitempty"`
}

// BelowConstant reports whether the judge agrees with the reference less often than a judge that
// always gives the reference's more frequent verdict.
func (row *AgreementRow) BelowConstant() bool {
	c := row.Confusion
	right, wrong := c.BothPass+c.JudgeOnlyFail, c.JudgeOnlyPass+c.BothFail
	return min(right, wrong) > 0 && c.BothPass+c.BothFail < max(right, wrong)
}

// StandOut returns the tools on which the two agree less than on the others, least agreement first. A
// tool counts only if its corrected P is at most alpha.
func (row *AgreementRow) StandOut(alpha float64) []ToolPair {
	var out []ToolPair
	for _, t := range row.ByTool {
		below := t.Agreement.Defined() && row.Accuracy.Defined() && *t.Agreement.Value < *row.Accuracy.Value
		if t.P != nil && *t.P <= alpha && below {
			out = append(out, t)
		}
	}
	sorting.Stable(out, func(x, y ToolPair) int { return cmp.Compare(*x.Agreement.Value, *y.Agreement.Value) })
	return out
}

// ConsensusRow is the agreement of several judges on one rubric, whether they are right or wrong.
type ConsensusRow struct {
	Rubric string `json:"rubric"`
	Level  string `json:"level"`
	// Panel is the panel whose members are compared; "" for all judges of the run.
	Panel  string   `json:"panel,omitempty"`
	Judges []string `json:"judges"`
	// N counts the items with at least two verdicts.
	N int `json:"n"`
	// Same is the share of pairs of judges that give an item the same verdict. Of the verdicts,
	// Fleiss is the generalised kappa, Gwet is AC1, which rare fails do not lower, and Nominal is
	// Krippendorff's alpha. Values is the alpha of the scores at the level Scale (ordinal or
	// interval); it is undefined if scores are outside the rubric's scale.
	Same    Estimate `json:"pairwise_agreement"`
	Fleiss  Estimate `json:"fleiss_kappa"`
	Gwet    Estimate `json:"ac1"`
	Nominal Estimate `json:"alpha_verdicts"`
	Values  Estimate `json:"alpha_values"`
	Scale   string   `json:"scale,omitempty"`
}

// NoiseRow says what changes if a judge is asked the same question twice.
type NoiseRow struct {
	Judge  string `json:"judge"`
	Rubric string `json:"rubric"`
	Level  string `json:"level"`
	// Together says that one of the two times all rubrics of a scope were asked in one request, and
	// the other time each alone.
	Together      bool `json:"together,omitempty"`
	N             int  `json:"n"`
	Conversations int  `json:"conversations"`
	// Repeated is the share of items with the same score, Flips the share of items whose verdict changed.
	Repeated Estimate `json:"repeated"`
	Flips    Estimate `json:"flip_rate"`
	// WithinSD is the standard deviation of a score around its item's own mean, in units of the
	// rubric; ICC is ICC(1,1).
	WithinSD Estimate `json:"within_sd"`
	ICC      Estimate `json:"icc"`
	Kappa    Estimate `json:"kappa"`
	// Floor is the smallest difference of two runs' means over these items that is more than noise: 2·WithinSD/√N.
	Floor Estimate `json:"floor"`
}

// HaloRow says how strongly the scores of one judge by two rubrics are correlated: the rank correlation if each
// rubric is asked alone, and if both are asked in one request, on the same items.
type HaloRow struct {
	Judge    string   `json:"judge"`
	Level    string   `json:"level"`
	A        string   `json:"a"`
	B        string   `json:"b"`
	N        int      `json:"n"`
	Alone    Estimate `json:"alone"`
	Together Estimate `json:"together"`
	// More is Together minus Alone.
	More Estimate `json:"more"`
}

// PeerRow compares two judges on one rubric; neither is the reference.
type PeerRow struct {
	Rubric        string   `json:"rubric"`
	Level         string   `json:"level"`
	A             string   `json:"a"`
	B             string   `json:"b"`
	N             int      `json:"n"`
	Conversations int      `json:"conversations"`
	MissingA      int      `json:"missing_a"`
	MissingB      int      `json:"missing_b"`
	RateA         Estimate `json:"pass_rate_a"`
	RateB         Estimate `json:"pass_rate_b"`
	Agreement     Estimate `json:"agreement"`
	Kappa         Estimate `json:"kappa"`
	AC1           Estimate `json:"ac1"`
	// WeightedKappa is quadratic, over the whole scale of a rubric with integers.
	WeightedKappa Estimate  `json:"weighted_kappa"`
	Spearman      Estimate  `json:"spearman"`
	KendallB      Estimate  `json:"kendall_tau_b"`
	OnlyAPasses   int       `json:"only_a_passes"`
	OnlyBPasses   int       `json:"only_b_passes"`
	Warnings      []Warning `json:"warnings,omitempty"`
}

// JudgeRanking sorts the judges of an overall rubric by Youden's J against gold, best first.
type JudgeRanking struct {
	Rubric    string     `json:"rubric"`
	Level     string     `json:"level"`
	Reference Instrument `json:"reference"`
	// Reduced says that a conversation passes if all its calls do.
	Reduced bool          `json:"reduced,omitempty"`
	Judges  []RankedJudge `json:"judges"`
}

// RankedJudge is one judge of a ranking, measured on the N items that it and the reference decided.
type RankedJudge struct {
	Judge string `json:"judge"`
	N     int    `json:"n"`
	// Youden ranks judges with verdicts. Kappa ranks judges with categories; nil for verdicts.
	Youden Estimate  `json:"youden"`
	Kappa  *Estimate `json:"kappa,omitempty"`
	// Behind is the judge's difference from the best judge, so mostly negative, on the items that
	// both judged, clustered. The best judge has none.
	Behind Estimate `json:"difference_from_best"`
	// P is two-sided; Holm is P corrected for the number of judges. nil if undefined.
	P    *float64 `json:"p"`
	Holm *float64 `json:"p_holm"`
}

// Quality returns the number by which the judge is ranked. An undefined one is lower than all others.
func (j RankedJudge) Quality() float64 {
	of := j.Youden
	if j.Kappa != nil {
		of = *j.Kappa
	}
	return of.OrLowest()
}
