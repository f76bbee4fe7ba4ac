package report

import (
	"fmt"

	"github.com/judgekit/judge/internal/score"
)

// Funnel shows how many cases pass each of three layers. The layers are side by side and never
// merged into one number.
type Funnel struct {
	// Source is the type of the scorer that decides all layers; "separate" if there are several
	// scorers.
	Source string  `json:"source"`
	Cases  int     `json:"cases"`
	Layers []Layer `json:"layers"`
	// Alternatives counts cases whose calls differ from the expected ones and still lead to the
	// right state; Misleading counts cases with the expected calls and the wrong state. Both are
	// nil if one of the two layers is missing.
	Alternatives *Crossing `json:"alternatives"`
	Misleading   *Crossing `json:"misleading"`
}

// Crossing counts cases on which two layers disagree, and names the first of them.
type Crossing struct {
	Count int       `json:"count"`
	Cases []CaseRef `json:"cases"`
}

// Layer is one layer of the funnel: schema, ast or execution.
type Layer struct {
	Layer string `json:"layer"`
	// N counts the cases with a verdict in this layer; Rate is the pass rate over all of them.
	N      int      `json:"n"`
	Passed int      `json:"passed"`
	Rate   Estimate `json:"rate"`
	// Reached counts the cases that failed no earlier layer and have a verdict here; Lost counts
	// those of them that fail here.
	Reached int       `json:"reached"`
	Lost    int       `json:"lost"`
	ByTool  []Loss    `json:"lost_by_tool"`
	Cases   []CaseRef `json:"lost_cases"`
}

// Loss counts the cases of a tool that a layer loses.
type Loss struct {
	Tool  string `json:"tool"`
	Count int    `json:"count"`
}

// CaseRef refers to a call, to a turn (Turn counts from 1) or to a conversation.
type CaseRef struct {
	ConversationID string `json:"conversation_id"`
	CallIndex      *int   `json:"call_index"`
	Turn           int    `json:"turn,omitempty"`
	Tool           string `json:"tool,omitempty"`
	Place          string `json:"place,omitempty"`
}

// LevelOf returns the level of a score.
func LevelOf(s *score.Score) string {
	switch {
	case s.Scope == score.ScopeResult:
		return ResultLevel
	case s.Scope == score.ScopeTurn:
		return TurnLevel
	case s.CallIndex == nil:
		return ConversationLevel
	}
	return CallLevel
}

// ItemName returns the name that judge show uses for the call, turn or conversation: c1:3, c1:turn2
// or c1.
func (c CaseRef) ItemName() string {
	switch {
	case c.Turn > 0:
		return fmt.Sprintf("%s:turn%d", c.ConversationID, c.Turn)
	case c.CallIndex == nil:
		return c.ConversationID
	}
	return fmt.Sprintf("%s:%d", c.ConversationID, *c.CallIndex)
}

// Call returns the number of the call; -1 for a conversation.
func (c CaseRef) Call() int {
	if c.CallIndex == nil {
		return -1
	}
	return *c.CallIndex
}
