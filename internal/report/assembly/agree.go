package assembly

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
)

// agreement compares every judge score with every reference.
func (b *builder) agreement(r *report.Report) error {
	r.Agreement = []report.AgreementRow{}
	for _, judge := range b.Main(series.IsJudge) {
		for _, ref := range b.Main(series.IsReference) {
			rows, err := b.agreePair(judge, ref)
			if err != nil {
				return fmt.Errorf("agreement of %s with %s: %w", judge.Title(), ref.Title(), err)
			}
			r.Agreement = append(r.Agreement, rows...)
		}
	}
	return nil
}

func (b *builder) agreePair(judge, ref *series.Series) ([]report.AgreementRow, error) {
	row := report.AgreementRow{Judge: judge.Judge, Rubric: judge.Title(), Reference: ref.Instrument, Level: judge.Level}
	if b.Circular(judge, ref) {
		row.Refused = "circular"
		row.Warnings = []report.Warning{{Code: "circular", Text: fmt.Sprintf("%s was shown what %s decides by; they are not compared", judge.Judge, ref.Title())}}
		refuse(&row)
		return []report.AgreementRow{row}, nil
	}
	if b.SharesRules(judge, ref) {
		row.SharedRules = true
		row.Warnings = []report.Warning{{Code: "shared_rules", Text: fmt.Sprintf("%s applies the rules of %s itself: that they agree says nothing of its judgement", judge.Judge, ref.Title())}}
	}
	if judge.Level == ref.Level {
		err := b.agreeRow(&row, series.Pairing{Items: b.Table.Items, Level: row.Level, Judge: judge, Ref: ref})
		return []report.AgreementRow{row}, err
	}
	var rows []report.AgreementRow
	row.Level = report.ConversationLevel
	for _, how := range reductions {
		one, j, k := row, judge, ref
		one.Warnings = slices.Clone(row.Warnings)
		one.Reduction = how
		if judge.Level == report.CallLevel {
			one.Reduced, j = "judge", b.Reduced(judge, how)
		} else {
			one.Reduced, k = "reference", b.Reduced(ref, how)
		}
		if err := b.agreeRow(&one, series.Pairing{Items: b.Table.Items, Level: row.Level, Judge: j, Ref: k}); err != nil {
			return nil, err
		}
		rows = append(rows, one)
	}
	return rows, nil
}

func (b *builder) agreeRow(row *report.AgreementRow, p series.Pairing) error {
	s := pairsOf(p)
	row.N, row.Conversations, row.Partial = len(s.both), s.conversations, s.partial
	row.MissingJudge, row.MissingRef = s.missingJudge, s.missingRef
	row.OnlyReference, row.OnlyJudge = s.onlyRef, s.onlyJudge
	for _, part := range []func(*report.AgreementRow, *pairs) error{b.rates, b.coefficients, b.confidence, b.toolPairs} {
		if err := part(row, s); err != nil {
			return err
		}
	}
	if b.graded(p.Judge, s) {
		if err := b.grades(row, s); err != nil {
			return err
		}
	}
	warn(row)
	return nil
}

// rates fills the confusion counts and the rates that follow from them.
func (b *builder) rates(row *report.AgreementRow, s *pairs) error {
	c := confusion(s.decided)
	row.Verdicts = c.N()
	row.Confusion = report.Confusion{BothPass: c.TP, JudgeOnlyPass: c.FP, JudgeOnlyFail: c.FN, BothFail: c.TN}
	for _, r := range []struct {
		into *report.Estimate
		of   func(series.Pair) float64
	}{{&row.BaseRate, refPasses}, {&row.JudgeRate, judgePasses}, {&row.Accuracy, same}, {&row.RecallWrong, caught}, {&row.Specificity, kept}} {
		var err error
		if *r.into, err = report.RateOf(s.decided, r.of, b.Alpha); err != nil {
			return err
		}
	}
	m, err := c.Metrics()
	row.Balanced, row.MCC = report.Point(m.BalancedAccuracy), report.Point(m.MCC)
	if n := len(s.sure); err == nil && n < row.Verdicts {
		row.Abstain = &report.Abstention{N: n, Coverage: report.Point(stat.Ratio(float64(n), float64(row.Verdicts), stat.NoItems))}
		if row.Abstain.Accuracy, err = report.RateOf(s.sure, same, b.Alpha); err == nil {
			row.Abstain.RecallWrong, err = report.RateOf(s.sure, caught, b.Alpha)
		}
	}
	return err
}

// verdicts is the scale of a pass or a fail.
var verdicts = []float64{0, 1}

// coefficients fills the coefficients of agreement.
func (b *builder) coefficients(row *report.AgreementRow, s *pairs) (err error) {
	if row.Kappa, err = b.kappa(s.decided, refPasses, judgePasses, verdicts, raters.NoWeights); err != nil {
		return err
	}
	auc, err := truth.ClusteredAUC(column(s.both, refVerdict), column(s.both, judgeValue), clusters(s.both), b.Alpha)
	if err != nil {
		return err
	}
	row.AUC = uncertain(auc.AUC, auc.SE, auc.CI)
	ac1, err := raters.GwetAC([][]float64{column(s.decided, refPasses), column(s.decided, judgePasses)}, verdicts, raters.NoWeights, b.Alpha)
	if err != nil {
		return err
	}
	ranks, err := raters.Correlate(column(s.both, judgeValue), column(s.both, refValue), b.Alpha)
	row.AC1, row.Spearman = report.Point(ac1.Coef), report.Point(ranks.Spearman)
	if len(s.decided) == 0 {
		row.AC1 = report.Undefined(stat.NoItems)
	}
	return err
}

// kappa is Cohen's kappa with its interval by conversation.
func (b *builder) kappa(all []series.Pair, x, y func(series.Pair) float64, scale []float64, w raters.Weighting) (report.Estimate, error) {
	k, err := raters.ClusteredKappa(column(all, x), column(all, y), clusters(all), scale, w, interval.Bootstrap{Alpha: b.Alpha})
	return uncertain(k.Kappa.Kappa, k.SECluster, k.CRCI), err
}

// grades compares the values of both as numbers on one scale.
func (b *builder) grades(row *report.AgreementRow, s *pairs) error {
	g, err := raters.AgreeContinuous(column(s.both, judgeValue), column(s.both, refValue), b.Alpha)
	if err != nil {
		return err
	}
	row.Graded = &report.Graded{MAE: report.Point(g.MAE), RMSE: report.Point(g.RMSE), CCC: report.Point(g.CCC)}
	row.Graded.Bias, err = report.MeanOf(s.both, difference, b.Alpha)
	return err
}

// graded reports whether the pairs are scores on 0..1 of which the reference's are more
// than verdicts.
func (b *builder) graded(judge *series.Series, s *pairs) bool {
	if r, ok := b.Scale[judge.Name]; ok && (r.Integer || r.Min != 0 || r.Max != 1) {
		return false
	}
	between := false
	for _, p := range s.both {
		if min(p.Judge.Value, p.Ref.Value) < 0 || max(p.Judge.Value, p.Ref.Value) > 1 {
			return false
		}
		between = between || p.Ref.Value > 0 && p.Ref.Value < 1
	}
	return between
}

// uncertain is an estimate with its interval by cluster. A standard error of 0 comes
// from a table without disagreement, or from a judge with one verdict: it is no
// certainty, and there is no interval then.
func uncertain(estimate, se stat.Opt, iv stat.Interval) report.Estimate {
	if se.Valid && se.Value < zeroError {
		return report.Point(estimate)
	}
	return report.Interval(estimate, iv)
}

// zeroError is what rounding leaves of a standard error of 0.
const zeroError = 1e-12

// confidence asks whether the judge is surer where the reference confirms it.
func (b *builder) confidence(row *report.AgreementRow, s *pairs) error {
	sure, right := column(s.decided, confidenceOf), column(s.decided, same)
	n := len(stat.Present(sure))
	if n == 0 {
		return nil
	}
	const bins = 10
	auc, err := truth.ROCAUC(right, sure, b.Alpha)
	if err != nil {
		return err
	}
	brier, err := truth.BrierScore(right, sure)
	if err != nil {
		return err
	}
	ece, err := truth.CalibrationError(sure, right, bins, truth.UniformBins)
	if err != nil {
		return err
	}
	out := &report.Confidence{N: n, AUC: report.Point(auc.AUC), Brier: report.Point(brier.Brier), ECE: report.Point(ece.ECE), Overconfidence: report.Point(ece.Overconfidence)}
	for _, bin := range ece.Bins {
		out.Bins = append(out.Bins, report.Bin{N: bin.N, Confidence: *report.Rounded(bin.Confidence), Accuracy: *report.Rounded(bin.Accuracy)})
	}
	row.Confidence = out
	return nil
}
