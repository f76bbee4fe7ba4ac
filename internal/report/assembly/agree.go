package assembly

import (
	"cmp"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
)

// agreement compares every judge score with every reference.
func (b *Builder) agreement(r *report.Report) {
	r.Agreement = []report.AgreementRow{}
	refs := b.references()
	for _, judge := range b.judges() {
		for _, ref := range refs {
			rows := b.agreementRows(judge, ref)
			for i := range rows {
				r.SetDirection(&rows[i])
				warnConstant(&rows[i])
			}
			r.Agreement = append(r.Agreement, rows...)
		}
	}
}

// reductions are the ways that calls are compared with references of conversations.
var reductions = [3]string{report.ReduceMin, report.ReduceMean, report.ReduceShare}

// agreementRows has a row where both are of the same level, else one for each
// reduction of the calls of one side.
func (b *Builder) agreementRows(judge, ref *series) []report.AgreementRow {
	row := report.AgreementRow{Judge: judge.Judge, Rubric: judge.Title(), Reference: ref.Instrument, Level: judge.Level}
	if b.circular(judge, ref) {
		return []report.AgreementRow{refused(row)}
	}
	if b.sharesRules(judge, ref) {
		row.SharedRules = true
		warnRow(&row, "shared_rules", "%s applies the rules of %s itself: that they agree says nothing of "+
			"its judgement",
			judge.Judge, ref.Title())
	}
	if judge.Level == ref.Level {
		return []report.AgreementRow{b.agreementRow(row, judge, ref)}
	}
	var rows []report.AgreementRow
	row.Level = report.ConversationLevel
	for _, row.Reduction = range reductions {
		j, k := judge, ref
		if judge.Level == report.CallLevel {
			row.Reduced, j = "judge", b.reduced(judge, row.Reduction)
		} else {
			row.Reduced, k = "reference", b.reduced(ref, row.Reduction)
		}
		rows = append(rows, b.agreementRow(row, j, k))
	}
	return rows
}

func (b *Builder) agreementRow(row report.AgreementRow, judge, ref *series) report.AgreementRow {
	m := match(b.pairs(judge, ref))
	row.N, row.Conversations, row.Partial = len(m.both), m.conversations, m.partial
	row.MissingJudge, row.MissingRef = m.missingJudge, m.missingRef
	row.OnlyReference, row.OnlyJudge = m.onlyRef, m.onlyJudge
	b.rates(&row, m)
	b.coefficients(&row, m)
	row.Confidence = b.confidences(m)
	if row.Level == report.CallLevel {
		row.ByTool = b.toolPairs(m)
	}
	if b.isGraded(judge, m) {
		row.Graded = b.grades(m)
	}
	row.Warnings = slices.Clone(row.Warnings)
	warnAgreement(&row)
	return row
}

// rates fills the confusion counts and the rates that follow from them.
func (b *Builder) rates(row *report.AgreementRow, m *matched) {
	c := confusion(m.decided)
	row.Verdicts = c.N()
	row.Confusion = counts(c)
	rate := func(all []pair, of func(pair) float64) report.Estimate { return rateOf(&b.statistics, all, of) }
	row.BaseRate, row.JudgeRate = rate(m.decided, refPasses), rate(m.decided, judgePasses)
	row.Accuracy = rate(m.decided, same)
	row.RecallWrong, row.Specificity = rate(m.decided, found), rate(m.decided, kept)
	gold, judged, cluster := asked(m.decided, refPasses), asked(m.decided, judgePasses), clusters(m.decided)
	both, err := truth.BothRates(gold, judged, cluster, b.alpha)
	b.keep(err)
	mcc, err := truth.MCC(gold, judged, cluster, b.alpha)
	b.keep(err)
	row.Balanced, row.MCC = report.Interval(both.BalancedAccuracy, both.BalancedCI), report.Interval(mcc.Value, mcc.CI)
	if n := len(m.sure); n < row.Verdicts {
		row.Abstain = &report.Abstention{
			N: n, Coverage: share(n, row.Verdicts), Accuracy: rate(m.sure, same), RecallWrong: rate(m.sure, found),
		}
	}
}

func counts(c truth.Confusion) report.Confusion {
	return report.Confusion{BothPass: c.TP, JudgeOnlyPass: c.FP, JudgeOnlyFail: c.FN, BothFail: c.TN}
}

// coefficients fills the coefficients of agreement.
func (b *Builder) coefficients(row *report.AgreementRow, m *matched) {
	row.Kappa = b.verdictKappa(m.decided)
	auc, err := truth.ClusteredAUC(asked(m.both, refVerdict), asked(m.both, judgeValue), clusters(m.both), b.alpha)
	b.keep(err)
	row.AUC = report.Interval(auc.AUC, auc.CI)
	verdicts := [][]float64{asked(m.decided, refPasses), asked(m.decided, judgePasses)}
	ac1, err := raters.GwetAC(verdicts, clusters(m.decided), verdictScale, raters.NoWeights, b.alpha)
	b.keep(err)
	row.AC1 = report.Interval(ac1.Value, ac1.CI)
	if len(m.decided) == 0 {
		row.AC1 = report.Undefined(stat.NoItems)
	}
	row.Spearman = report.Point(b.correlation(m.both).Spearman)
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
func (b *Builder) grades(m *matched) *report.Graded {
	g, err := raters.AgreeContinuous(asked(m.both, judgeValue), asked(m.both, refValue), b.alpha)
	b.keep(err)
	return &report.Graded{
		Bias: gapOf(&b.statistics, m.both, func(p pair) float64 { return p.judge.value - p.ref.value }),
		MAE:  report.Point(g.MAE), RMSE: report.Point(g.RMSE), CCC: report.Point(g.CCC),
	}
}

// confidences compares confidence with whether the reference confirms it; nil where
// the judge gives none.
func (b *Builder) confidences(m *matched) *report.Confidence {
	decided := without(m.decided, func(p pair) bool { return p.judge.steps == noConfidence })
	if len(decided) == 0 {
		return nil
	}
	sure, right := asked(decided, confidenceOf), asked(decided, same)
	const bins = 10
	auc, err := truth.ClusteredAUC(right, sure, clusters(decided), b.alpha)
	b.keep(err)
	brier, err := truth.BrierScore(right, sure)
	b.keep(err)
	ece, err := truth.CalibrationError(sure, right, bins)
	b.keep(err)
	out := &report.Confidence{
		N: len(decided), AUC: report.Interval(auc.AUC, auc.CI), Brier: report.Point(brier.Brier),
		ECE: report.Point(ece.ECE), Overconfidence: report.Point(ece.Overconfidence),
	}
	for _, bin := range ece.Bins {
		out.Bins = append(out.Bins, report.Bin{
			N: bin.N, Confidence: *report.Rounded(bin.Confidence), Accuracy: *report.Rounded(bin.Accuracy),
		})
	}
	return out
}

// toolPairs has a row for each tool, those with the most items first, by name where
// equal; tools beyond maxTools share a row.
func (b *Builder) toolPairs(m *matched) []report.ToolPair {
	type tool struct {
		name    string
		decided []pair
	}
	var tools []tool
	for t, of := range b.byTool(m.decided) {
		if len(of) > 0 {
			tools = append(tools, tool{b.tools.list[t], of})
		}
	}
	order := func(x, y tool) int {
		return cmp.Or(cmp.Compare(len(y.decided), len(x.decided)), cmp.Compare(x.name, y.name))
	}
	slices.SortFunc(tools, order)
	if len(tools) > maxTools {
		rest := tool{name: report.OtherTools}
		for _, t := range tools[maxTools:] {
			rest.decided = append(rest.decided, t.decided...)
		}
		tools = append(tools[:maxTools], rest)
		slices.SortFunc(tools, order)
	}
	var out []report.ToolPair
	for _, t := range tools {
		out = append(out, b.toolPair(t.name, t.decided))
	}
	b.contrast(m.decided, out)
	return out
}

// contrast tests whether the two agree on each tool as on all others.
func (b *Builder) contrast(decided []pair, tools []report.ToolPair) {
	p := make([]*float64, len(tools))
	for i, t := range tools {
		if t.Small || t.Tool == report.OtherTools || len(tools) < 2 {
			continue
		}
		group := make([]bool, len(decided))
		for k, x := range decided {
			group[k] = b.tools.list[x.judge.of.tool] == t.Tool
		}
		one, err := interval.Contrast(asked(decided, same), group, clusters(decided))
		b.keep(err)
		if one.Valid {
			p[i] = &one.Value
		}
	}
	for i, adjusted := range b.holm(p) {
		tools[i].P = report.Point(adjusted).Value
	}
}

// toolPair is the row of a tool. Few items get no interval: it would depend on the
// formula more than on the tool.
func (b *Builder) toolPair(tool string, decided []pair) report.ToolPair {
	c := confusion(decided)
	m := c.Metrics()
	row := report.ToolPair{
		Tool: tool, N: c.N(), Small: c.N() < fewItems, Confusion: counts(c),
		BaseRate: report.Point(m.Prevalence), JudgeRate: report.Point(m.PredictedRate),
		Agreement: rateOf(&b.statistics, decided, same), Kappa: b.verdictKappa(decided),
	}
	if row.Small {
		row.Kappa, row.Agreement = row.Kappa.WithoutInterval(), row.Agreement.WithoutInterval()
	}
	return row
}
