package assembly

import (
	"fmt"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
)

func warnRow(row *report.AgreementRow, code, format string, args ...any) {
	row.Warnings = append(row.Warnings, report.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}

// refused is a row without numbers: the judge saw the facts the reference decides by.
func refused(row report.AgreementRow) report.AgreementRow {
	row.Refused = "circular"
	warnRow(&row, "circular", "%s was shown what %s decides by; they are not compared", row.Judge,
		row.Reference.Title())
	for _, e := range []*report.Estimate{
		&row.BaseRate, &row.JudgeRate, &row.Accuracy, &row.Balanced, &row.RecallWrong, &row.Specificity,
		&row.MCC, &row.Kappa, &row.AC1, &row.Spearman, &row.AUC,
	} {
		e.Reason = row.Refused
	}
	return row
}

const (
	fewOfClass = 10
	ceiling    = 0.95
)

// warnConstant tells a judge whose accuracy is below that of the constant answer; of a
// reference that is evidence in one direction there is no accuracy.
func warnConstant(row *report.AgreementRow) {
	c := row.Confusion
	right, wrong := c.BothPass+c.JudgeOnlyFail, c.JudgeOnlyPass+c.BothFail
	if row.Direction == report.BothDirection && row.BelowConstant() {
		always := map[bool]string{true: "pass", false: "fail"}[right >= wrong]
		warnRow(row, "below_constant", "the judge has the reference's verdict on %d of %d items, and whoever always says "+
			"%s has it on %d", c.BothPass+c.BothFail, row.Verdicts, always, max(right, wrong))
	}
}

// warnAgreement warns of what a reader must know before using the row's numbers.
func warnAgreement(row *report.AgreementRow) {
	c := row.Confusion
	right, wrong := c.BothPass+c.JudgeOnlyFail, c.JudgeOnlyPass+c.BothFail
	judgePass, judgeFail := c.BothPass+c.JudgeOnlyPass, c.BothFail+c.JudgeOnlyFail
	switch few := min(right, wrong); {
	case row.N == 0:
		warnRow(row, "no_items", "the two never scored the same %s", row.Level)
		return
	case row.Verdicts == 0:
		warnRow(row, "no_verdicts", "one side has no verdicts: only the values are compared")
	case few == 0:
		warnRow(row, "one_class", "%s calls everything %s: it cannot show whether the judge separates right from wrong",
			row.Reference.Title(), verdictWord(wrong == 0))
	case few == 1:
		warnRow(row, "few_of_one_class", "only 1 %s item: its recall rests on this one", verdictWord(right < wrong))
	case few < fewOfClass:
		warnRow(row, "few_of_one_class", "only %d %s items: their recall rests on these", few,
			verdictWord(right < wrong))
	}
	if row.Verdicts > 0 && min(judgePass, judgeFail) == 0 {
		warnRow(row, "judge_one_class", "the judge gives everything the same verdict, %s", verdictWord(judgeFail == 0))
	}
	if row.N < fewItems {
		warnRow(row, "few_items", "only %s", document.Count(row.N, "item", "items"))
	}
	if row.Conversations < report.FewConversations {
		row.Warnings = append(row.Warnings, report.FewConversationsWarning(row.Conversations))
	}
	if rate := row.BaseRate.Value; rate != nil && min(right, wrong) > 0 && (*rate >= ceiling || *rate <= 1-ceiling) {
		warnRow(row, "ceiling", "base rate %.3f: kappa is low here even for a judge that is nearly always "+
			"right; read AC1 beside it", *rate)
	}
	if wanted := row.N + row.MissingJudge; float64(row.MissingJudge) > report.UnreliableAbove*float64(wanted) {
		warnRow(row, "missing", "the judge has no score for %d of the %d items that %s scored",
			row.MissingJudge, wanted, row.Reference.Title())
	}
	if row.Partial > 0 {
		warnRow(row, "partial", "%s reduced from only some of the calls",
			document.Count(row.Partial, "conversation is", "conversations are"))
	}
}

func verdictWord(pass bool) string {
	if pass {
		return "right"
	}
	return "wrong"
}
