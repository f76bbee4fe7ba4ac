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

// Focus is the call that a disagreement is about: its own, or the one that decided
// the conversation, by the overall rubric where it conflicts, else by the first that
// does. It is nil where the judge judged the conversation as a whole.
func (d *Disagreement) Focus() *int {
	if d.CallIndex != nil {
		return d.CallIndex
	}
	var best *Side
	most := 0.0
	for i := range d.Judgements {
		s := &d.Judgements[i]
		rank := Scope(s.Name, false, true)
		if s.Conflicts {
			rank += 2
		}
		if s.CallIndex != nil && rank > most {
			best, most = s, rank
		}
	}
	if best == nil {
		return nil
	}
	return best.CallIndex
}

// Scope says how much of a call a rubric judges. An overall verdict answers for
// everything; one aspect that passes says nothing about the others. only
// is set where the judge has no other rubric, passed where it passes; 0..1.
func Scope(rubric string, only, passed bool) float64 {
	if only || IsOverall(rubric) {
		return 1
	}
	if passed {
		return 0.3
	}
	return 0.8
}
