package assembly

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
	"github.com/judgekit/judge/internal/report/measure"
)

// refused is a row without numbers: the judge saw the facts the reference decides by.
func refused(row report.AgreementRow) report.AgreementRow {
	row.Refused = "circular"
	row.Warnings = []report.Warning{{Code: row.Refused, Text: fmt.Sprintf(
		"%s was shown what %s decides by; they are not compared", row.Judge, row.Reference.Title())}}
	for _, e := range []*report.Estimate{
		&row.BaseRate, &row.JudgeRate, &row.Accuracy, &row.Balanced, &row.RecallWrong, &row.Specificity,
		&row.MCC, &row.Kappa, &row.AC1, &row.Spearman, &row.AUC,
	} {
		e.Reason = row.Refused
	}
	return row
}

// warnings are what a reader must know before using the row's numbers. That a judge has the
// reference's verdict less often than the constant answer is said where the reference is
// evidence in both directions: else there is no accuracy.
func warnings(row *report.AgreementRow) []report.Warning {
	reference := row.Reference.Title()
	out := measure.Warnings{}
	out.Add(row.SharedRules, "shared_rules", "%s applies the rules of %s itself: that they agree says nothing of "+
		"its judgement", row.Judge, reference)
	if row.N == 0 {
		out.Add(true, "no_items", "the two never scored the same %s", row.Level)
		return out
	}
	if row.Verdicts == 0 {
		out.Add(true, "no_verdicts", "one side has no verdicts: only the values are compared")
	} else {
		out.Verdicts(row.Confusion, reference, row.Judge)
	}
	if row.Direction != report.BothDirection {
		out = slices.DeleteFunc(out, func(w report.Warning) bool { return w.Code == "below_constant" })
	}
	out.Add(row.N < fewItems, "few_items", "only %s", document.Count(row.N, "item", "items"))
	if row.Conversations < report.FewConversations {
		out = append(out, report.FewConversationsWarning(row.Conversations))
	}
	wanted := row.N + row.MissingJudge
	out.Add(float64(row.MissingJudge) > report.UnreliableAbove*float64(wanted), "missing",
		"the judge has no score for %d of the %d items that %s scored", row.MissingJudge, wanted, reference)
	out.Add(row.Partial > 0, "partial", "%s reduced from only some of the calls",
		document.Count(row.Partial, "conversation is", "conversations are"))
	return out
}
