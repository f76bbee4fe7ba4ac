package report

import (
	"github.com/judgekit/judge/internal/value"
)

// The directions of a disagreement.
const (
	JudgePasses = "judge_passes"
	JudgeFails  = "judge_fails"
)

// Disagreements are the strongest conflicts between judges and references.
type Disagreements struct {
	// Total counts all, also those that are not listed; Calls of them are calls, the others
	// whole conversations.
	Total int            `json:"total"`
	Calls int            `json:"calls"`
	Items []Disagreement `json:"items"`
	// All names every one of them, the strongest first; it is known while a report is
	// built, and not in its file.
	All []Opposed `json:"-"`
}

// Opposed is an item on which a judge decides Passes and its reference the opposite.
type Opposed struct {
	CaseRef
	Judge     string
	Passes    bool
	Reference string
}

// Disagreement is one call or conversation on which a judge's deciding rubric and its own
// reference decide differently: the strongest reference of the same level that has a verdict
// there. An item is one disagreement, however many judges contradict the reference.
type Disagreement struct {
	Rank int `json:"rank"`
	// Weight is high if a judge that is sure of itself contradicts a reference
	// that is strong evidence in this direction.
	Weight float64 `json:"weight"`
	Level  string  `json:"level"`
	CaseRef
	CallID string `json:"call_id,omitempty"`
	Judge  string `json:"judge"`
	// OtherJudges decide as Judge does.
	OtherJudges []string `json:"other_judges,omitempty"`
	// Direction is judge_passes or judge_fails (the reference says otherwise).
	Direction string `json:"direction"`
	// Judgements are all of the judge's, the overall rubric first, References all of the item, the
	// deciding one first. The two that contradict each other are marked by Conflicts. Of a
	// conversation that the judge passes there is also a score of its first call that a
	// reference fails, with its CallIndex.
	Judgements []Side `json:"judgements"`
	References []Side `json:"references"`
	// SidesWithJudge names the references that decide as the judge does. If one of
	// them is the stronger evidence, the call is likely a valid alternative to the expected
	// one.
	SidesWithJudge []string `json:"sides_with_judge,omitempty"`
}

// Side holds what one instrument says in a disagreement.
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

// By names the reference that contradicts the judge.
func (d *Disagreement) By() string {
	for i := range d.References {
		if d.References[i].Conflicts {
			return d.References[i].Name
		}
	}
	return "the reference"
}

// Scope says how much of a call a rubric judges. An overall verdict answers for
// everything; one aspect that passes says nothing about the others. only
// is set if the judge has no other rubric, passed if it passes; 0..1.
func Scope(rubric string, only, passed bool) float64 {
	if only || IsOverall(rubric) {
		return 1
	}
	if passed {
		return 0.3
	}
	return 0.8
}
