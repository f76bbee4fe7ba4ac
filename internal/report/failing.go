package report

import (
	"cmp"

	"github.com/judgekit/judge/internal/score"
)

// Failing describes the calls that fail, and their tools. If there are no verdicts on calls, it
// describes whole conversations and has no tools.
type Failing struct {
	// By is the instrument that decides, see Decider; its name is "" if nothing has verdicts.
	By Instrument `json:"by"`
	// N counts the verdicts, Total the fails among them.
	N     int           `json:"n"`
	Total int           `json:"total"`
	Tools []FailingTool `json:"tools"`
	// Groups counts the groups of the failing items; FailureGroups lists the largest.
	Groups int `json:"groups"`
	// Items lists the first failing items: those that most other scores fail too, then those with
	// the judge's highest confidence.
	Items []FailingItem `json:"items"`
}

// FailingTool is a tool with Failing of its N calls failing. The worst tool is first, by the lower
// end of the interval of the failing share.
type FailingTool struct {
	Tool    string `json:"tool"`
	N       int    `json:"n"`
	Failing int    `json:"failing"`
}

// FailingItem is one call that fails. Sides holds the score that decided, then the other scores
// that fail the call.
type FailingItem struct {
	CaseRef
	CallID string `json:"call_id,omitempty"`
	Sides  []Side `json:"sides"`
}

// Decider returns the row that says which calls fail: the leading row of calls, else that of
// conversations; nil if nothing has verdicts.
func (r *Report) Decider() *ScoreRow {
	return cmp.Or(r.Leading(CallLevel), r.Leading(ConversationLevel))
}

// Leading returns the row whose verdicts count for the items of a level: the overall or first
// rubric of the first panel or judge; without a judge, the strongest reference; nil if nothing
// decides such items.
func (r *Report) Leading(level string) *ScoreRow {
	return cmp.Or(r.DecidingRow(r.leadingJudge(), level), r.Strongest(level))
}

// leadingJudge returns the first panel, or else the first judge, with scores; "" if none.
func (r *Report) leadingJudge() string {
	m := &Manifest{}
	for _, name := range r.Judges() {
		m.Judges = append(m.Judges, r.Run.Named().Judge(name))
	}
	return m.LeadingJudge()
}

// LeadingJudge returns the first panel, or else the first judge; "" if none.
func (m *Manifest) LeadingJudge() string {
	for _, j := range m.Judges {
		if len(j.Members) > 0 {
			return j.Name
		}
	}
	if len(m.Judges) == 0 {
		return ""
	}
	return m.Judges[0].Name
}

// ScoredBy returns the source of the scores that people label: judges, or scorers in a run without
// a judge.
func (m *Manifest) ScoredBy() score.Source {
	if len(m.Judges) == 0 {
		return score.Deterministic
	}
	return score.Judge
}

// DecidingRow returns the row of a judge's overall rubric at a level, else of its first rubric; nil
// if the row has no verdicts.
func (r *Report) DecidingRow(judge, level string) *ScoreRow {
	var best *ScoreRow
	for i := range r.Scores {
		s := &r.Scores[i]
		of := s.Source == string(score.Judge) && s.Judge == judge && s.Level == level
		if !of || s.Metric != "" || s.Purpose != "" || !s.PassRate.Defined() {
			continue
		}
		if best == nil || CompareOverall(s.Name, best.Name) < 0 {
			best = s
		}
	}
	return best
}
