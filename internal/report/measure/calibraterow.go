package measure

import (
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// exactEstimate returns a threshold. It is not rounded, because it must equal its score.
func exactEstimate(o stat.Opt) report.Estimate {
	if !o.Valid {
		return report.Undefined(o.Reason)
	}
	return report.Estimate{Value: &o.Value}
}

var tooFew = report.Undefined(stat.TooFew)

// estimator computes the row of one judge under one rubric.
type estimator struct {
	*calibrator
	labelledJudge
	all []pair // the judge's decisions, with the labels
	*matched
	row *report.CalibrationRow
	// choice says why the labels are a selection, "" if they are a sample.
	choice string
}

// unweigh makes each label count once, because labels that are a selection represent no other items.
func unweigh(pairs []pair) {
	for i := range pairs {
		pairs[i].weight = 0
	}
}

// row compares a judge with the labels of its rubric.
func (c *calibrator) row(j labelledJudge) (report.CalibrationRow, error) {
	row := report.CalibrationRow{
		Judge: j.Judge, Rubric: j.Name, Level: j.Level, Instrument: report.InstrumentHash(*c.manifest, j.Judge, j.Name), Label: j.column,
	}
	gold, judged := c.gold(j), isDecided
	row.Ratings = c.categoryRatings(&c.statistics, j.series, gold)
	if !c.decides(j.series) {
		judged = isScored
	}
	pairs := c.pairs(j.series, gold)
	row.Applies = c.applicability(pairs)
	all := dropped(pairs, func(p pair) bool { return !p.judge.has(judged) })
	e := &estimator{calibrator: c, labelledJudge: j, all: all, row: &row}
	if e.choice = chosen(progressOf(e.rows, e.Name, e.whole), e.labelledItems(all)); e.choice != "" {
		unweigh(all)
	}
	e.matched = match(all)
	e.agree()
	if !c.decides(j.series) {
		none := report.Undefined(stat.NotApplicable)
		row.Threshold = report.FittedCut{Best: none, AtDeclared: none, AtBest: none, Gain: none, GainSE: none}
		return row, e.Err()
	}
	e.people()
	e.cut()
	row.Confidence = e.confidences(e.matched)
	e.passRate()
	if row.N > 0 && row.Conversations < fewConversations {
		row.Warnings = append(row.Warnings, words.Rough)
	}
	return row, e.Err()
}

// agree compares the judge, unchanged, with the labels.
func (e *estimator) agree() {
	var of report.AgreementRow
	e.count(&of)
	e.rates(&of, e.matched)
	row := e.row
	row.N, row.Conversations, row.Kappa, row.AUC = of.N, of.Conversations, of.Kappa, of.AUC
	row.RecallWrong, row.Specificity, row.BalancedAccuracy = of.RecallWrong, of.Specificity, of.Balanced
}

// inTest reports whether a pair belongs to the test half. Conversations are assigned with another
// salt than when they were drawn, so that the two are independent.
func (e *estimator) inTest(p pair) bool {
	return drawHash(e.cfg.Seed^0x7465737468616c66, e.keyOf(p.of).conv)&1 == 1
}

// cut fits a better threshold on one half and tests it on the other.
func (e *estimator) cut() {
	fit := e.values(dropped(e.both, e.inTest))
	best, err := truth.BestThreshold(fit.Gold, fit.Judge, fit.Weight, truth.Kappa)
	e.Keep(err)
	t := &e.row.Threshold
	*t = report.FittedCut{
		Best: exactEstimate(best.Threshold), AtDeclared: tooFew, AtBest: tooFew, Gain: tooFew, GainSE: tooFew,
	}
	if !best.Threshold.Valid {
		t.Note = words.NoCut
		return
	}
	test := kept(e.both, e.inTest)
	declared := e.verdicts(test)
	moved := e.pairColumns(test, refPasses, func(p pair) float64 {
		return asNumber(p.judge.value >= best.Threshold.Value)
	})
	t.AtDeclared, t.AtBest = declared.VerdictKappa(), moved.VerdictKappa()
	gain, err := raters.KappaDifference(declared.Gold, moved.Judge, declared.Judge, declared.Weight, declared.Cluster, verdictScale,
		raters.NoWeights, e.Alpha)
	e.Keep(err)
	t.Gain, t.GainSE = report.Interval(gain.Value, gain.CI), report.Point(gain.SE)
	t.Change = gain.Value.Valid && gain.SE.Valid && gain.Value.Value > gain.SE.Value
	t.Note = words.CutNote(t, slices.Equal(moved.Judge, declared.Judge))
}

// passRate corrects the judge's rate by its errors on the labelled conversations.
func (e *estimator) passRate() {
	ppi := e.correct(e.all, e.Judge, "", e.cfg.Width, e.choice)
	e.row.NoSample = ppi.NoSample
	if ppi.OneCall {
		e.row.Warnings = append(e.row.Warnings, words.OneCall)
	}
	e.row.PassRate = &ppi.CorrectedRate
	for _, w := range ppi.Warnings {
		e.row.Warnings = append(e.row.Warnings, w.Detail)
	}
}
