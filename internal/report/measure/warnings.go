package measure

import (
	"fmt"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// warningList gathers remarks.
type warningList []report.Warning

// Add adds a remark if it holds.
func (w *warningList) Add(holds bool, code, format string, args ...any) {
	if holds {
		*w = append(*w, report.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
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
	fewer, more, said, always := min(right, wrong), max(right, wrong), "failed", "pass"
	if right < wrong {
		said, always = "passed", "fail"
	}
	w.Add(fewer == 0, "one_class", "%s has one class only: it cannot show whether %s separates right from wrong",
		gold, judge)
	w.Add(fewer > 0 && fewer < fewOfClass, "few_of_one_class", "only %s %s by %s: their recall rests on these",
		words.Count(fewer, "item is", "items are"), said, gold)
	w.Add(fewer > 0 && c.BothPass+c.BothFail < more, "below_constant",
		"%s has %s's verdict on %d items, and whoever always says %s has it on %d: read Youden's J, not the share of "+
			"equal verdicts", judge, gold, c.BothPass+c.BothFail, always, more)
	w.Add(c.BothPass+c.JudgeOnlyPass == 0 || c.BothFail+c.JudgeOnlyFail == 0, "judge_one_class",
		"%s gives every item the same verdict", judge)
	share := 1 - float64(fewer)/float64(right+wrong)
	w.Add(fewer > 0 && share >= ceiling, "ceiling",
		"%.0f %% of the items are of one class: kappa is small whatever the judge does, read AC1 and the counts beside it",
		100*share)
}
