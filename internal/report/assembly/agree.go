package assembly

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
)

// agreement compares every judge score with every reference.
func (b *Builder) agreement(r *report.Report) error {
	r.Agreement = []report.AgreementRow{}
	refs := b.references()
	for _, judge := range b.judges() {
		for _, ref := range refs {
			rows, err := b.agreementRows(judge, ref)
			if err != nil {
				return fmt.Errorf("agreement of %s with %s: %w", judge.Title(), ref.Title(), err)
			}
			r.Agreement = append(r.Agreement, rows...)
		}
	}
	return nil
}

// reductions are the ways that calls meet references which speak of conversations.
var reductions = [3]string{report.ReduceMin, report.ReduceMean, report.ReduceShare}

// agreementRows has a row where both speak of the same level, else one for each
// reduction of the calls of one side.
func (b *Builder) agreementRows(judge, ref *series) ([]report.AgreementRow, error) {
	row := report.AgreementRow{Judge: judge.Judge, Rubric: judge.Title(), Reference: ref.Instrument, Level: judge.Level}
	if b.circular(judge, ref) {
		return []report.AgreementRow{refused(row)}, nil
	}
	if b.sharesRules(judge, ref) {
		row.SharedRules = true
		warnRow(&row, "shared_rules", "%s applies the rules of %s itself: that they agree says nothing of its judgement",
			judge.Judge, ref.Title())
	}
	if judge.Level == ref.Level {
		err := b.agreementRow(&row, judge, ref)
		return []report.AgreementRow{row}, err
	}
	var rows []report.AgreementRow
	row.Level = report.ConversationLevel
	for _, how := range reductions {
		one, j, k := row, judge, ref
		one.Warnings = slices.Clone(row.Warnings)
		one.Reduction = how
		if judge.Level == report.CallLevel {
			one.Reduced, j = "judge", b.reduced(judge, how)
		} else {
			one.Reduced, k = "reference", b.reduced(ref, how)
		}
		if err := b.agreementRow(&one, j, k); err != nil {
			return nil, err
		}
		rows = append(rows, one)
	}
	return rows, nil
}

func (b *Builder) agreementRow(row *report.AgreementRow, judge, ref *series) error {
	m := match(b.pairs(judge, ref))
	row.N, row.Conversations, row.Partial = len(m.both), m.conversations, m.partial
	row.MissingJudge, row.MissingRef = m.missingJudge, m.missingRef
	row.OnlyReference, row.OnlyJudge = m.onlyRef, m.onlyJudge
	for _, part := range []func(*report.AgreementRow, *matched) error{
		b.rates, b.coefficients, b.confidences, b.toolPairs,
	} {
		if err := part(row, m); err != nil {
			return err
		}
	}
	if b.isGraded(judge, m) {
		if err := b.grades(row, m); err != nil {
			return err
		}
	}
	warnAgreement(row)
	return nil
}

// rates fills the confusion counts and the rates that follow from them.
func (b *Builder) rates(row *report.AgreementRow, m *matched) error {
	c := confusion(m.decided)
	row.Verdicts = c.N()
	row.Confusion = report.Confusion{BothPass: c.TP, JudgeOnlyPass: c.FP, JudgeOnlyFail: c.FN, BothFail: c.TN}
	err := fillRates(m.decided, b.Alpha, rate[pair]{&row.BaseRate, refPasses}, rate[pair]{&row.JudgeRate, judgePasses},
		rate[pair]{&row.Accuracy, same}, rate[pair]{&row.RecallWrong, found}, rate[pair]{&row.Specificity, kept})
	if err != nil {
		return err
	}
	metrics := c.Metrics()
	row.Balanced, row.MCC = report.Point(metrics.BalancedAccuracy), report.Point(metrics.MCC)
	if n := len(m.sure); n < row.Verdicts {
		row.Abstain = &report.Abstention{N: n, Coverage: share(n, row.Verdicts)}
		err = fillRates(m.sure, b.Alpha, rate[pair]{&row.Abstain.Accuracy, same}, rate[pair]{&row.Abstain.RecallWrong, found})
	}
	return err
}

// coefficients fills the coefficients of agreement.
func (b *Builder) coefficients(row *report.AgreementRow, m *matched) (err error) {
	if row.Kappa, err = b.verdictKappa(m.decided); err != nil {
		return err
	}
	auc, err := truth.ClusteredAUC(asked(m.both, refVerdict), asked(m.both, judgeValue), clusters(m.both), b.Alpha)
	if err != nil {
		return err
	}
	row.AUC = uncertain(auc.AUC, auc.SE, auc.CI)
	verdicts := [][]float64{asked(m.decided, refPasses), asked(m.decided, judgePasses)}
	ac1, err := raters.GwetAC(verdicts, verdictScale, raters.NoWeights, b.Alpha)
	if err != nil {
		return err
	}
	row.AC1 = report.Point(ac1.Coef)
	if len(m.decided) == 0 {
		row.AC1 = report.Estimate{Reason: "no_items"}
	}
	ranks, err := raters.Correlate(asked(m.both, judgeValue), asked(m.both, refValue), b.Alpha)
	row.Spearman = report.Point(ranks.Spearman)
	return err
}

// isGraded reports whether the pairs are scores on 0..1 of which the reference's are more
// than verdicts.
func (b *Builder) isGraded(judge *series, m *matched) bool {
	if r, ok := b.scale[judge.Name]; ok && (r.Integer || r.Min != 0 || r.Max != 1) {
		return false
	}
	between := false
	for _, p := range m.both {
		if min(p.judge.value, p.ref.value) < 0 || max(p.judge.value, p.ref.value) > 1 {
			return false
		}
		between = between || p.ref.value > 0 && p.ref.value < 1
	}
	return between
}

// grades compares the values of both as numbers on one scale.
func (b *Builder) grades(row *report.AgreementRow, m *matched) error {
	g, err := raters.AgreeContinuous(asked(m.both, judgeValue), asked(m.both, refValue), b.Alpha)
	if err != nil {
		return err
	}
	row.Graded = &report.Graded{MAE: report.Point(g.MAE), RMSE: report.Point(g.RMSE), CCC: report.Point(g.CCC)}
	difference := func(p pair) float64 { return p.judge.value - p.ref.value }
	row.Graded.Bias, err = report.MeanOf(m.both, difference, b.Alpha)
	return err
}

// confidences asks whether the judge is surer where the reference confirms it.
func (b *Builder) confidences(row *report.AgreementRow, m *matched) error {
	// Only verdicts with a confidence count.
	decided := without(m.decided, func(p pair) bool { return p.judge.steps == noConfidence })
	if len(decided) == 0 {
		return nil
	}
	sure, right := asked(decided, confidenceOf), asked(decided, same)
	const bins = 10
	auc, err := truth.ROCAUC(right, sure, b.Alpha)
	if err != nil {
		return err
	}
	brier, err := truth.BrierScore(right, sure)
	if err != nil {
		return err
	}
	ece, err := truth.CalibrationError(sure, right, bins)
	if err != nil {
		return err
	}
	row.Confidence = &report.Confidence{
		N: len(decided), AUC: report.Point(auc.AUC), Brier: report.Point(brier.Brier),
		ECE: report.Point(ece.ECE), Overconfidence: report.Point(ece.Overconfidence),
	}
	for _, bin := range ece.Bins {
		row.Confidence.Bins = append(row.Confidence.Bins, report.Bin{
			N: bin.N, Confidence: *report.Rounded(bin.Confidence), Accuracy: *report.Rounded(bin.Accuracy),
		})
	}
	return nil
}

// toolPairs lists the rows of tools where both sides speak of calls: those with the
// most items first, by name where equal; beyond Config.MaxTools tools share a row.
func (b *Builder) toolPairs(row *report.AgreementRow, m *matched) error {
	if row.Level != report.CallLevel {
		return nil
	}
	tools := byTool(b.items, m.decided, func(p pair) item { return p.judge.of })
	var order []int
	for t, of := range tools {
		if len(of) > 0 {
			order = append(order, t)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(len(tools[y]), len(tools[x])) })
	var rest []pair
	for i, t := range order {
		if i >= b.MaxTools {
			rest = append(rest, tools[t]...)
		} else if err := b.toolPair(row, b.tools.list[t], tools[t]); err != nil {
			return err
		}
	}
	if len(rest) > 0 {
		if err := b.toolPair(row, report.OtherTools, rest); err != nil {
			return err
		}
	}
	slices.SortStableFunc(row.ByTool, func(x, y report.ToolPair) int {
		return cmp.Or(cmp.Compare(y.N, x.N), cmp.Compare(x.Tool, y.Tool))
	})
	return nil
}

// toolPair adds the row of a tool. Few items have no interval: it would say more of
// the formula than of the tool.
func (b *Builder) toolPair(row *report.AgreementRow, tool string, decided []pair) (err error) {
	c := confusion(decided)
	out := report.ToolPair{Tool: tool, N: c.N(), Small: c.N() < b.SmallN, JudgeOnlyPass: c.FP, JudgeOnlyFail: c.FN}
	if out.Kappa, err = b.verdictKappa(decided); err != nil {
		return err
	}
	if out.Agreement, err = report.RateOf(decided, same, b.Alpha); err != nil {
		return err
	}
	if out.Small {
		out.Kappa, out.Agreement = out.Kappa.WithoutInterval(), out.Agreement.WithoutInterval()
	}
	m := c.Metrics()
	out.BaseRate, out.JudgeRate = report.Point(m.Prevalence), report.Point(m.PredictedRate)
	row.ByTool = append(row.ByTool, out)
	return nil
}
