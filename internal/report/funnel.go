package report

import (
	"fmt"

	"github.com/judgekit/judge/internal/report/document"
)

// maxNamedCrossings bounds how many cases of a crossing are named in a sentence.
const maxNamedCrossings = 5

// Words says in sentences on how many cases AST and execution differ, and names the
// first; nothing where a layer is missing or they never do.
func (f *Funnel) Words() []string {
	var out []string
	for _, part := range []struct {
		c    *Crossing
		says string
	}{
		{f.Alternatives, "reach the right state by other calls than the expected ones (valid alternatives)"},
		{f.Misleading, "make the expected calls and end in the wrong state"},
	} {
		if part.c == nil || part.c.Count == 0 {
			continue
		}
		text := fmt.Sprintf("%s %s:", document.Count(part.c.Count, "case", "cases"), part.says)
		for i, c := range part.c.Cases {
			if i == maxNamedCrossings {
				text += ", …"
				break
			}
			if i > 0 {
				text += ","
			}
			text += " " + c.ConversationID
		}
		out = append(out, text)
	}
	return out
}

// Funnel shows who passes the three layers, side by side; they are never merged
// into one number.
type Funnel struct {
	// Source is three_layer, or separate for scorers that ran one by one.
	Source string  `json:"source"`
	Cases  int     `json:"cases"`
	Layers []Layer `json:"layers"`
	// Alternatives are cases whose calls are not the expected ones and lead to the
	// right state all the same; Misleading ones have the expected calls and the wrong
	// state. Both are nil where one of the two layers is missing.
	Alternatives *Crossing `json:"alternatives"`
	Misleading   *Crossing `json:"misleading"`
}

// Crossing counts cases on which two layers say different things, and names the
// first of them.
type Crossing struct {
	Count int       `json:"count"`
	Cases []CaseRef `json:"cases"`
}

// Layer is one layer of the funnel: schema, ast or execution.
type Layer struct {
	Layer string `json:"layer"`
	// N is the number of cases with a verdict in this layer, Rate over all of them.
	N      int      `json:"n"`
	Passed int      `json:"passed"`
	Rate   Estimate `json:"rate"`
	// Reached is the number of cases that failed no earlier layer and have a
	// verdict here, Lost of them fail here.
	Reached int       `json:"reached"`
	Lost    int       `json:"lost"`
	ByTool  []Loss    `json:"lost_by_tool"`
	Cases   []CaseRef `json:"lost_cases"`
}

// Loss is how many cases of a tool a layer loses.
type Loss struct {
	Tool  string `json:"tool"`
	Count int    `json:"count"`
}

// CaseRef leads to a call or a conversation.
type CaseRef struct {
	ConversationID string `json:"conversation_id"`
	CallIndex      *int   `json:"call_index"`
	Tool           string `json:"tool,omitempty"`
	Place          string `json:"place,omitempty"`
}

// Call is the number of the call, -1 for a conversation.
func (c CaseRef) Call() int {
	if c.CallIndex == nil {
		return -1
	}
	return *c.CallIndex
}
