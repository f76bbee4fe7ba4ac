package report

import (
	"slices"

	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/score"
)

// Headline holds the three things that a report says first: the agent's pass rate, how far each
// judge can be trusted, and how much there is to read.
type Headline struct {
	// Rates holds the agent's pass rate according to people's labels of the run, each judge, and
	// each label of the log. Rates of different levels must not be compared.
	Rates []HeadlineRate `json:"pass_rates"`
	// Trust says for each judge how many fails it finds and how many passes it keeps. Judges that
	// no reference can measure are left out.
	Trust []HeadlineTrust `json:"trust"`
	// Disagreements are the items on which a judge and a reference decide differently.
	Disagreements int `json:"disagreements"`
}

// The kinds of a HeadlineRate.
const (
	// CorrectedRateKind marks a judge's rate corrected by labels of a random sample.
	CorrectedRateKind = "corrected"
	// RawRateKind marks a judge's own rate. Its interval does not include the judge's mistakes.
	RawRateKind = "raw"
	// LabelRateKind marks the rate by a label of the log, or by people's labels of the run.
	LabelRateKind = "label"
)

// HeadlineRate is one pass rate of the agent.
type HeadlineRate struct {
	// Kind is corrected, raw or label.
	Kind string `json:"kind"`
	// Name is the rubric or the label; Judge is the judge, "" for a label.
	Name  string `json:"name"`
	Judge string `json:"judge,omitempty"`
	// Level is the level of the items: call or conversation.
	Level string `json:"level"`
	// Rate is over N items, in [0, 1]. Its interval is clustered by conversation.
	Rate Estimate `json:"rate"`
	N    int      `json:"n"`
	// Raw is the judge's own rate: beside a corrected rate over the same items, and beside the rate
	// of people's labels over all items, if there is only one judge; else nil.
	Raw *Estimate `json:"raw,omitempty"`
	// Labels counts the items that people labelled, if the rate is based on them; Labelled counts
	// the labelled conversations that correct a rate.
	Labels   int `json:"labels,omitempty"`
	Labelled int `json:"labelled_conversations,omitempty"`
	// FurtherLabels is the number of additional labels that would make the interval of a corrected rate
	// [WantedWidth] wide or, for the rate of people's labels, how many are needed until the judge's
	// verdicts can be corrected; nil if unknown.
	FurtherLabels *truth.More `json:"further_labels,omitempty"`
	// OneCall is copied from [CorrectedRate].
	OneCall bool `json:"one_call,omitempty"`
}

// HeadlineTrust says how a judge decides the items that its best reference decides.
type HeadlineTrust struct {
	Judge     string     `json:"judge"`
	Rubric    string     `json:"rubric"`
	Reference Instrument `json:"reference"`
	// Level is the level of the compared items; Reduced says that a conversation passes if all its
	// calls do.
	Level   string `json:"level"`
	Reduced bool   `json:"reduced,omitempty"`
	// Direction is the direction of the reference: pass, fail or both. Found is nil for pass, Kept
	// for fail.
	Direction string `json:"direction"`
	// Found counts the reference's fails that the judge fails too, Kept the reference's passes that
	// the judge passes.
	Found *Counted `json:"found,omitempty"`
	Kept  *Counted `json:"kept,omitempty"`
	// BelowConstant says that the judge agrees with the reference less often than a judge that
	// always gives the more frequent verdict. It is set only for a reference that is evidence in
	// both directions.
	BelowConstant bool `json:"below_constant,omitempty"`
}

// Counted is Count out of Of items, with the share and its interval, clustered by conversation.
type Counted struct {
	Count int      `json:"count"`
	Of    int      `json:"of"`
	Rate  Estimate `json:"rate"`
}

// Rest returns how many items are not counted.
func (c *Counted) Rest() int { return c.Of - c.Count }

// FewLabels is the number of items that a reference needs to lead the headline.
const FewLabels = 10

// CanLead reports whether a row can lead the headline: the user named its reference, or the reference
// has passes and fails on at least FewLabels items and the judge does not apply its rules itself.
func (r *Report) CanLead(row *AgreementRow) bool {
	c := row.Confusion
	both := c.BothPass+c.JudgeOnlyFail > 0 && c.BothFail+c.JudgeOnlyPass > 0
	return r.IsNamed(row.Reference) || both && row.Verdicts >= FewLabels && !row.SharedRules
}

// Trust returns the counts of a row, for the direction in which its reference is evidence.
func (row *AgreementRow) Trust() HeadlineTrust {
	c := row.Confusion
	t := HeadlineTrust{
		Judge: row.Judge, Rubric: row.Rubric, Reference: row.Reference, Level: row.Level,
		Reduced: row.Reduction != "", Direction: row.Direction,
		BelowConstant: row.Direction == BothDirection && row.BelowConstant(),
	}
	if row.Direction != PassDirection {
		t.Found = &Counted{c.BothFail, c.BothFail + c.JudgeOnlyPass, row.RecallWrong}
	}
	if row.Direction != FailDirection {
		t.Kept = &Counted{c.BothPass, c.BothPass + c.JudgeOnlyFail, row.Specificity}
	}
	return t
}

// Judges returns the names of all judges with scores, in report order.
func (r *Report) Judges() []string {
	var out []string
	for _, s := range r.Scores {
		if s.Source == string(score.Judge) && !slices.Contains(out, s.Judge) {
			out = append(out, s.Judge)
		}
	}
	return out
}

// IsWhole reports whether a rubric is about a call as a whole.
func (r *Report) IsWhole(rubric string) bool {
	return IsOverall(rubric) || len(r.Run.Rubrics) == 1
}
