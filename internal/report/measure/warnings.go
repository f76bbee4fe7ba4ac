package measure

import (
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// warningList gathers remarks.
type warningList []report.Warning

// Add adds a remark if it holds.
func (w *warningList) Add(holds bool, format string, args ...any) {
	if holds {
		*w = append(*w, words.Warning(format, args...))
	}
}

const (
	// fewItems is the number below which items are few.
	fewItems   = 30
	fewOfClass = 10
	ceiling    = 0.95
)

// Verdicts adds what a reader must know before using the numbers of verdicts of a judge and
// what it is compared with.
func (w *warningList) Verdicts(c report.Confusion, gold, judge string) {
	right, wrong := c.BothPass+c.JudgeOnlyFail, c.JudgeOnlyPass+c.BothFail
	fewer, more, few, common := min(right, wrong), max(right, wrong), words.FewFails, "pass"
	if right < wrong {
		few, common = words.FewPasses, "fail"
	}
	same := c.BothPass + c.BothFail
	w.Add(fewer == 0, words.OneClass, gold, judge)
	w.Add(fewer > 0 && fewer < fewOfClass, few, gold, fewer)
	w.Add(fewer > 0 && same < more, words.BelowConstant, judge, gold, same, common, more)
	w.Add(c.BothPass+c.JudgeOnlyPass == 0 || c.BothFail+c.JudgeOnlyFail == 0, words.JudgeOneClass, judge)
	share := 1 - float64(fewer)/float64(right+wrong)
	w.Add(fewer > 0 && share >= ceiling, words.Ceiling, 100*share)
}
