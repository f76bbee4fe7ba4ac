package assembly

import (
	"fmt"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
)

func refuse(row *report.AgreementRow) {
	none := report.Estimate{Reason: "circular"}
	row.BaseRate, row.JudgeRate, row.Accuracy, row.Balanced = none, none, none, none
	row.RecallWrong, row.Specificity, row.MCC, row.Kappa = none, none, none, none
	row.AC1, row.Spearman, row.AUC = none, none, none
}

const (
	fewItems   = 30
	fewOfClass = 10
	ceiling    = 0.95
)

// warn says what a reader must know before using the row's numbers.
func warn(row *report.AgreementRow) {
	add := func(code, format string, args ...any) {
		row.Warnings = append(row.Warnings, report.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	c := row.Confusion
	right, wrong := c.BothPass+c.JudgeOnlyFail, c.JudgeOnlyPass+c.BothFail
	switch {
	case row.N == 0:
		add("no_items", "the two never scored the same %s", row.Level)
		return
	case row.Verdicts == 0:
		add("no_verdicts", "one side has no verdicts: only the values are compared")
	case right == 0 || wrong == 0:
		add("one_class", "%s calls everything %s: it cannot show whether the judge tells right from wrong", row.Reference.Title(), verdictWord(wrong == 0))
	case min(right, wrong) < fewOfClass:
		few := min(right, wrong)
		add("few_of_one_class", "only %d %s %s", few, verdictWord(right < wrong), map[bool]string{true: "item: its recall rests on this one", false: "items: their recall rests on these"}[few == 1])
	}
	if row.Verdicts > 0 && (c.BothPass+c.JudgeOnlyPass == 0 || c.BothFail+c.JudgeOnlyFail == 0) {
		add("judge_one_class", "the judge gives everything the same verdict, %s", verdictWord(c.BothFail+c.JudgeOnlyFail == 0))
	}
	if row.N < fewItems {
		add("few_items", "only %s", document.Count(row.N, "item", "items"))
	}
	if row.Conversations < report.FewConversations {
		row.Warnings = append(row.Warnings, report.FewConversationsWarning(row.Conversations))
	}
	if rate := row.BaseRate.Value; rate != nil && right > 0 && wrong > 0 && (*rate >= ceiling || *rate <= 1-ceiling) {
		add("ceiling", "base rate %.3f: kappa is low here even for a judge that is nearly always right; read AC1 beside it", *rate)
	}
	if wanted := row.N + row.MissingJudge; float64(row.MissingJudge) > report.UnreliableAbove*float64(wanted) {
		add("missing", "the judge has no score for %d of the %d items that %s scored", row.MissingJudge, wanted, row.Reference.Title())
	}
	if row.Partial > 0 {
		add("partial", "%s reduced from only some of %s calls", document.Count(row.Partial, "conversation is", "conversations are"), map[bool]string{true: "its", false: "their"}[row.Partial == 1])
	}
}

func verdictWord(pass bool) string {
	if pass {
		return "right"
	}
	return "wrong"
}
