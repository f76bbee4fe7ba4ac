package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/report/document"
	"github.com/judgekit/judge/internal/value"
)

// The directions of a disagreement.
const (
	JudgePasses = "judge_passes"
	JudgeFails  = "judge_fails"
)

// Disagreements are the strongest conflicts between judges and references.
type Disagreements struct {
	// Total counts all, also those that are not listed.
	Total int            `json:"total"`
	Items []Disagreement `json:"items"`
	// All names every one of them, the strongest first; it is known while a report is
	// built, and not in its file.
	All []CaseRef `json:"-"`
}

// Disagreement is one call or conversation on which a judge and at least one
// reference decide differently.
type Disagreement struct {
	Rank int `json:"rank"`
	// Weight is high where a judge that is sure of itself contradicts a reference
	// that is strong evidence in this direction.
	Weight float64 `json:"weight"`
	Level  string  `json:"level"`
	CaseRef
	CallID string `json:"call_id,omitempty"`
	Judge  string `json:"judge"`
	// Direction is judge_passes or judge_fails (the references say otherwise).
	Direction string `json:"direction"`
	// Judgements has the overall rubric first, References those that contradict the judge.
	Judgements []Side `json:"judgements"`
	References []Side `json:"references"`
	// SidesWithJudge names the references that decide as the judge does. Where one of
	// them is the stronger evidence, the call is likely a valid alternative to the expected
	// one.
	SidesWithJudge []string `json:"sides_with_judge,omitempty"`
	// Record is the part of the log, nil where it was not attached.
	Record *Record `json:"record,omitempty"`
}

// Side is what one instrument says in a disagreement.
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

// fact counts the disagreements and names the first.
func (d *Disagreements) fact() document.Fact {
	if d.Total == 0 {
		return document.Fact{}
	}
	out := document.Fact{Name: "disagreements", Lines: []string{fmt.Sprintf(
		"%d calls or conversations that a judge and a scorer or label decide differently, the strongest first", d.Total)}}
	for i := range d.Items[:min(listed, len(d.Items))] {
		one := &d.Items[i]
		judge, refs := "fails", "passes"
		if one.Direction == JudgePasses {
			judge, refs = refs, judge
		}
		var names []string
		for _, s := range one.References {
			if s.Conflicts {
				names = append(names, document.Shorten(s.Name, 60))
			}
		}
		at := one.CaseRef
		at.CallIndex = one.Focus()
		out.Items = append(out.Items, fmt.Sprintf("%s: %s %s it, %s %s it", at.where(),
			document.Shorten(one.Judge, 60), judge, cmp.Or(strings.Join(names[:min(1, len(names))], ""), "a reference"), refs))
	}
	return out
}
