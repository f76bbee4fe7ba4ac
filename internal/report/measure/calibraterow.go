package measure

import (
	"cmp"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// exactEstimate is a cut, which must not be rounded: it has to equal its score.
func exactEstimate(o stat.Opt) report.Estimate {
	if !o.Valid {
		return report.Undefined(o.Reason)
	}
	return report.Estimate{Value: &o.Value}
}

var tooFew = report.Undefined(stat.TooFew)

// estimator fills in the row of one judge under one rubric.
type estimator struct {
	statistics
	*judged
	cfg CalibrateConfig
	row *report.CalibrationRow
}

func calibrateRow(m report.Manifest, j *judged, cfg CalibrateConfig) (report.CalibrationRow, error) {
	row := report.CalibrationRow{
		Judge: j.judge, Rubric: j.rubric, Instrument: report.InstrumentHash(m, j.judge, j.rubric), Label: j.column,
	}
	e := &estimator{statistics{Alpha: cfg.Alpha}, j, cfg, &row}
	e.agree()
	e.people()
	e.cut()
	e.confidence()
	e.passRate()
	if row.N > 0 && row.Conversations < fewConversations {
		row.Warnings = append(row.Warnings, words.Rough)
	}
	return row, e.Err()
}

// compare are the columns of a number that gold says and one of the judge.
func (e *estimator) compare(s selection, gold, judge func(labelledItem) float64) columns {
	return columns{
		statistics: &e.statistics, Gold: s.column(gold), Judge: s.column(judge), Cluster: s.cluster,
	}
}

// agree compares the judge as it is with the labels.
func (e *estimator) agree() {
	s, row := pick(e.items, hasGold), e.row
	c := e.compare(s, goldOf, verdictOf)
	conversations := map[int]bool{}
	for i, it := range s.items {
		if !math.IsNaN(it.verdict) {
			conversations[s.cluster[i]] = true
		}
	}
	row.N, row.Conversations, row.Kappa = len(s.items), len(conversations), c.VerdictKappa()
	row.RecallWrong, row.Specificity = rateEstimate(c.Share(failFound)), rateEstimate(c.Share(passKept))
	both := c.BothRates()
	row.BalancedAccuracy = report.Interval(both.BalancedAccuracy, both.BalancedCI)
	row.AUC = e.compare(s, goldOf, valueOf).AUC()
}

// cut fits a better threshold on one half and tests it on the other.
func (e *estimator) cut() {
	fit, test := pick(e.items, hasGold, inHalf(false)), pick(e.items, hasGold, inHalf(true))
	best, err := truth.BestThreshold(fit.column(goldOf), fit.column(valueOf), truth.Kappa)
	e.Keep(err)
	t := &e.row.Threshold
	*t = report.FittedCut{Best: exactEstimate(best.Threshold), AtDeclared: tooFew, AtBest: tooFew, Gain: tooFew, GainSE: tooFew}
	if !best.Threshold.Valid {
		t.Note = words.NoCut
		return
	}
	moved := func(it labelledItem) float64 { return asNumber(it.value >= best.Threshold.Value) }
	t.AtDeclared = e.compare(test, goldOf, verdictOf).VerdictKappa()
	t.AtBest = e.compare(test, goldOf, moved).VerdictKappa()
	gain, err := raters.KappaDifference(test.column(goldOf), test.column(moved), test.column(verdictOf),
		test.cluster, verdictScale, raters.NoWeights, e.Alpha)
	e.Keep(err)
	t.Gain, t.GainSE = report.Interval(gain.Value, gain.CI), report.Point(gain.SE)
	t.Change = gain.Value.Valid && gain.SE.Valid && gain.Value.Value > gain.SE.Value
	t.Note = words.CutNote(t, slices.Equal(test.column(moved), test.column(verdictOf)))
}

// confidence compares the confidence that the judge states with whether its verdict is the label.
func (e *estimator) confidence() {
	s := pick(e.items, func(it labelledItem) bool {
		return !math.IsNaN(it.gold) && !math.IsNaN(it.verdict) && !math.IsNaN(it.confidence)
	})
	if len(s.items) == 0 {
		return
	}
	right := func(it labelledItem) float64 { return 1 - math.Abs(it.gold-it.verdict) }
	c := e.compare(s, right, func(it labelledItem) float64 { return it.confidence }).Probability()
	e.row.Confidence = &c
}

// passRate corrects the judge's rate by its errors on the labelled conversations.
func (e *estimator) passRate() {
	ppi := e.compare(pick(e.items), goldOf, verdictOf).Correct()
	p := &report.CorrectedRate{Correction: ppi.Correction, LabelledFails: ppi.Fails, WantedWidth: e.cfg.Width}
	if e.row.NoSample = cmp.Or(e.choice, ppi.NoSample(e.judge, "")); e.row.NoSample != "" {
		p.Corrected, p.LabelsOnly = report.NoSample(nil), report.NoSample(p.LabelsOnly.Value)
	}
	for _, w := range ppi.Warnings {
		e.row.Warnings = append(e.row.Warnings, w.Detail)
	}
	if p.Corrected.HasInterval() && ppi.LabeledClusters >= 2 {
		// The width falls with the root of the labelled conversations while their share of
		// the error dominates.
		ratio := (*p.Corrected.High - *p.Corrected.Low) / e.cfg.Width
		further := max(0, int(math.Ceil(float64(ppi.LabeledClusters)*ratio*ratio))-ppi.LabeledClusters)
		p.FurtherConversations = &further
	}
	e.row.PassRate = p
}
