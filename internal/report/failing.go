package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
)

// Failing are the calls that fail, and the tools that they are of. Where no verdict is of
// calls it is of whole conversations, and has no tools.
type Failing struct {
	// By is what decides, see Decider; its name is "" where nothing has verdicts.
	By Instrument `json:"by"`
	// N is the number of verdicts, Total that of the fails among them.
	N     int           `json:"n"`
	Total int           `json:"total"`
	Tools []FailingTool `json:"tools"`
	// Items are the first of them: those that most other scores fail too, then those that
	// the judge is most confident of.
	Items []FailingItem `json:"items"`
}

// FailingTool is a tool with Failing of its N calls failing, the worst first: by the lower
// end of the interval of the share that fails.
type FailingTool struct {
	Tool    string `json:"tool"`
	N       int    `json:"n"`
	Failing int    `json:"failing"`
}

// FailingItem is one call that fails. Sides are what decided, then the other scores of
// the call that fail it.
type FailingItem struct {
	CaseRef
	CallID string `json:"call_id,omitempty"`
	Sides  []Side `json:"sides"`
}

// Decider is the row that says which calls fail: what leads calls, else what leads
// conversations. It is nil where nothing has verdicts.
func (r *Report) Decider() *ScoreRow {
	return cmp.Or(r.Leading(CallLevel), r.Leading(ConversationLevel))
}

// Leading is the row whose verdict stands for an item of a level: of the first panel or judge,
// its overall or first rubric; without a judge the strongest reference. It is nil where
// nothing decides such items.
func (r *Report) Leading(level string) *ScoreRow {
	return cmp.Or(r.DecidingRow(r.leadingJudge(), level), r.strongest(level))
}

// leadingJudge is the first panel, or else the first judge, "" for none.
func (r *Report) leadingJudge() string {
	judges := r.Judges()
	for _, j := range judges {
		if len(r.Run.named().Judge(j).Members) > 0 {
			return j
		}
	}
	if len(judges) == 0 {
		return ""
	}
	return judges[0]
}

// DecidingRow is the row of a judge's overall rubric at a level, else of its first one, nil
// if it has no verdicts.
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

// toolWords name the tools with the largest share of failing calls.
func (f *Failing) toolWords() []string {
	const most = 4
	var out []string
	for i, t := range f.Tools {
		text := fmt.Sprintf("%s %d of %d", words.Shorten(t.Tool, 40), t.Failing, t.N)
		if i == 0 {
			text += " fail"
		}
		out = append(out, text)
	}
	if left := len(out) - most; left > 0 {
		out = append(out[:most], fmt.Sprintf("%d more", left))
	}
	if len(out) == 0 {
		return nil
	}
	return []string{strings.Join(out, " · ")}
}

// fact counts what fails and names the first.
func (f *Failing) fact() words.Fact {
	if f.N == 0 {
		return words.Fact{}
	}
	out := words.Fact{Name: "failing calls"}
	if f.By.Level == ConversationLevel {
		out.Name = "failures"
	}
	by := words.Shorten(cmp.Or(f.By.Judge, f.By.Title()), 60)
	of := words.Count(f.N, f.By.Level, f.By.Level+"s")
	if f.Total == 0 {
		out.Lines = []string{fmt.Sprintf("none of %s, decided by %s", of, by)}
		return out
	}
	out.Lines = []string{fmt.Sprintf("%d of %s, decided by %s; first those that other scores fail too", f.Total, of, by)}
	for _, item := range f.first(listed) {
		out.Items = append(out.Items, item.where()+": "+item.why())
	}
	return out
}

// first are the first items, of another tool each as far as there are any.
func (f *Failing) first(most int) []FailingItem {
	var out, again []FailingItem
	for _, item := range f.Items {
		known := func(x FailingItem) bool { return x.Tool == item.Tool }
		if slices.ContainsFunc(out, known) {
			again = append(again, item)
		} else {
			out = append(out, item)
		}
	}
	out = append(out, again...)
	return out[:min(most, len(out))]
}

// why is the reason of the first side that gives one, else the names of all.
func (f *FailingItem) why() string {
	const most = 300
	var names []string
	for _, s := range f.Sides {
		if s.Explanation != "" {
			return words.Shorten(s.Explanation, most)
		}
		names = append(names, s.Name)
	}
	return "failed by " + words.Some(names, listed)
}
