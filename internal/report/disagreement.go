package report

import (
	"github.com/judgekit/judge/internal/value"
)

// The directions of a disagreement.
const (
	JudgePasses = "judge_passes"
	JudgeFails  = "judge_fails"
)

// Disagreements lists the strongest conflicts between judges and references.
type Disagreements struct {
	// Total counts all disagreements, even those that are not listed; Calls counts those about
	// calls, and the rest are about whole conversations.
	Total int            `json:"total"`
	Calls int            `json:"calls"`
	Items []Disagreement `json:"items"`
	// All identifies all disagreements, strongest first. It is set while a report is built, and is
	// not part of its file.
	All []Opposed `json:"-"`
}

// Opposed is an item that a judge decides one way (Passes) and its reference the other way.
type Opposed struct {
	CaseRef
	Judge     string
	Passes    bool
	Reference string
}

// Disagreement is a call or conversation on which a judge's deciding rubric and its reference
// decide differently. The reference is the strongest one of the same level with a verdict on the
// item. An item counts as one disagreement, however many judges contradict the reference.
type Disagreement struct {
	Rank int `json:"rank"`
	// Weight is high if a confident judge contradicts a reference that is strong evidence in this
	// direction.
	Weight float64 `json:"weight"`
	Level  string  `json:"level"`
	CaseRef
	CallID string `json:"call_id,omitempty"`
	Judge  string `json:"judge"`
	// OtherJudges names the judges that decide as Judge does.
	OtherJudges []string `json:"other_judges,omitempty"`
	// Direction is judge_passes or judge_fails; the reference says the opposite.
	Direction string `json:"direction"`
	// Judgements are the judge's, the overall rubric first; References are the item's, the deciding
	// one first. Conflicts marks the two that contradict each other. If the judge passes a
	// conversation, there is also a score of its first call that a reference fails, with its
	// CallIndex.
	Judgements []Side `json:"judgements"`
	References []Side `json:"references"`
	// SidesWithJudge names the references that decide as the judge does. If one of them is stronger
	// evidence, the call is probably a valid alternative to the expected one.
	SidesWithJudge []string `json:"sides_with_judge,omitempty"`
}

// Side holds what one instrument says in a disagreement.
type Side struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	// CallIndex is the call that decided a conversation, if calls were reduced.
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

// By returns the name of the reference that contradicts the judge.
func (d *Disagreement) By() string {
	for i := range d.References {
		if d.References[i].Conflicts {
			return d.References[i].Name
		}
	}
	return "the reference"
}

// Scope returns how much of a call a rubric judges, 0..1. An overall verdict covers everything; if
// one aspect passes, that says nothing about the others. only says that the judge has no other
// rubric, passed that the rubric passes.
func Scope(rubric string, only, passed bool) float64 {
	if only || IsOverall(rubric) {
		return 1
	}
	if passed {
		return 0.3
	}
	return 0.8
}
