package agreement

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
)

// agreement compares every judge score with every reference.
func (b *matcher) agreement(r *report.Report) error {
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

func (b *matcher) agreePair(judge, ref *series.Series) ([]report.AgreementRow, error) {
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
		err := b.agreeRow(&row, series.Pairing{Table: b.Table, Level: row.Level, Judge: judge, Ref: ref})
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
		if err := b.agreeRow(&one, series.Pairing{Table: b.Table, Level: row.Level, Judge: j, Ref: k}); err != nil {
			return nil, err
		}
		rows = append(rows, one)
	}
	return rows, nil
}

func (b *matcher) agreeRow(row *report.AgreementRow, p series.Pairing) error {
	s := sumsOf(p)
	row.N, row.Conversations, row.Partial = s.n, s.conversations, s.partial
	row.MissingJudge, row.MissingRef = s.missingJudge, s.missingRef
	row.OnlyReference, row.OnlyJudge = s.onlyRef, s.onlyJudge
	for _, part := range []func() error{
		func() error { return b.rates(row, s) },
		func() error { return b.coefficients(row, p, s) },
		func() error { return b.confidence(row, s) },
	} {
		if err := part(); err != nil {
			return err
		}
	}
	warn(row)
	return nil
}

// rates fills the confusion counts and the rates that follow from them.
func (b *matcher) rates(row *report.AgreementRow, s *pairSums) error {
	c := s.verdicts
	row.Verdicts = c.N()
	row.Confusion = report.Confusion{BothPass: c.TP, JudgeOnlyPass: c.FP, JudgeOnlyFail: c.FN, BothFail: c.TN}
	for _, r := range []struct {
		into   *report.Estimate
		values *uncertainty.ClusterStream
	}{{&row.BaseRate, &s.base}, {&row.JudgeRate, &s.passed}, {&row.Accuracy, &s.same}, {&row.RecallWrong, &s.caught}, {&row.Specificity, &s.kept}} {
		var err error
		if *r.into, err = report.RateOf(r.values, b.Alpha); err != nil {
			return err
		}
	}
	m, err := c.Metrics()
	row.Balanced, row.MCC = report.Point(m.BalancedAccuracy), report.Point(m.MCC)
	if n := s.sureSame.N(); err == nil && n < row.Verdicts {
		row.Abstain = &report.Abstention{N: n, Coverage: report.Point(statistic.Ratio(float64(n), float64(row.Verdicts), statistic.NoItems))}
		if row.Abstain.Accuracy, err = report.RateOf(&s.sureSame, b.Alpha); err == nil {
			row.Abstain.RecallWrong, err = report.RateOf(&s.sureCaught, b.Alpha)
		}
	}
	return err
}

// coefficients fills kappa and AUC and compares tool by tool, which takes a second
// pass for the intervals, and fills what the counts give beside them.
func (b *matcher) coefficients(row *report.AgreementRow, p series.Pairing, s *pairSums) error {
	kappa, err := raters.CountedKappa(verdictTable(s.verdicts), 2, raters.NoWeights, b.Alpha)
	if err != nil {
		return err
	}
	fold, tools, tables, err := b.toolTables(row, s)
	if err != nil {
		return err
	}
	auc := s.ranked.AUC()
	totals := clusteredOf(p, &kappa, &auc, fold, tables)
	if row.Kappa, err = b.uncertain(kappa.Kappa.Kappa, &totals.kappa); err != nil {
		return err
	}
	if row.AUC, err = b.uncertain(auc.AUC, &totals.auc); err != nil {
		return err
	}
	row.AUC = row.AUC.Clipped(0, 1)
	row.AC1, row.Spearman = report.Point(s.verdicts.AC1()), report.Point(s.values.Spearman())
	if b.graded(p.Judge, s) {
		g := s.values.Graded()
		row.Graded = &report.Graded{Bias: report.Point(g.Bias), MAE: report.Point(g.MAE), RMSE: report.Point(g.RMSE), CCC: report.Point(g.CCC)}
		m, err := s.bias.Estimate(b.Alpha)
		if err != nil {
			return err
		}
		row.Graded.Bias = report.Interval(m.Mean, m.CI)
	}
	return b.toolPairs(row, tools, totals.rows)
}

// graded reports whether the pairs are scores on 0..1 of which the reference's are more
// than verdicts.
func (b *matcher) graded(judge *series.Series, s *pairSums) bool {
	if r, ok := b.Scale[judge.Name]; ok && (r.Integer || r.Min != 0 || r.Max != 1) {
		return false
	}
	between := false
	for _, c := range s.values.Cells() {
		if min(c.X, c.Y) < 0 || max(c.X, c.Y) > 1 {
			return false
		}
		between = between || c.Y > 0 && c.Y < 1
	}
	return between
}

// uncertain is an estimate with its interval by cluster. A standard error of 0 comes
// from a table without disagreement, or from a judge with one verdict: it is no
// certainty, and there is no interval then.
func (b *matcher) uncertain(estimate statistic.Opt, totals *uncertainty.ClusterTotals) (report.Estimate, error) {
	if se := totals.SE(); se.Valid && se.Value < zeroError {
		return report.Point(estimate), nil
	}
	iv, err := totals.Interval(estimate, b.Alpha)
	return report.Interval(estimate, iv), err
}

// zeroError is what rounding leaves of a standard error of 0.
const zeroError = 1e-12

// confidence asks whether the judge is surer where the reference confirms it.
func (b *matcher) confidence(row *report.AgreementRow, s *pairSums) error {
	if s.sure.N() == 0 {
		return nil
	}
	const bins = 10
	auc := s.sure.AUC()
	ece, err := s.sure.Calibration(bins)
	if err != nil {
		return err
	}
	out := &report.Confidence{N: s.sure.N(), AUC: report.Point(auc.AUC), Brier: report.Point(s.sure.Brier()), ECE: report.Point(ece.ECE), Overconfidence: report.Point(ece.Overconfidence)}
	for _, bin := range ece.Bins {
		out.Bins = append(out.Bins, report.Bin{N: bin.N, Confidence: *report.Rounded(bin.Confidence), Accuracy: *report.Rounded(bin.Accuracy)})
	}
	row.Confidence = out
	return nil
}
