package measure

import (
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
)

// compare compares two sides by every kind that both have, over all rows and in each stratum; a is
// the reference.
func (w *agreeWork) compare(a, b, sure *side) report.ColumnPair {
	m := match(w.pairs(b.series, a.series))
	p := w.pairNumbers(m, a, b, sure)
	for _, col := range w.by {
		p.Splits = append(p.Splits, w.splitBy(col, m.both, a, b, sure))
	}
	p.Warnings = w.pairWarnings(&p, a, b)
	return p
}

// pairNumbers computes the numbers of some pairs.
func (w *agreeWork) pairNumbers(m *matched, a, b, sure *side) (p report.ColumnPair) {
	p.Judge, p.Level, p.Direction = b.Name, itemLevel, report.BothDirection
	p.Reference = report.Instrument{Name: a.Name, Level: itemLevel}
	m.count(&p.AgreementRow)
	p.MissingJudge, p.MissingRef = b.missing, a.missing
	w.verdictNumbers(&p, w.verdicts(m.decided))
	p.AUC, p.Spearman = report.Undefined(stat.NotApplicable), report.Undefined(stat.NotApplicable)
	both := func(kind int) bool { return a.kinds[kind] && b.kinds[kind] }
	switch {
	case both(numberKind) && (a.graded || !a.kinds[verdictKind] && b.graded):
		w.valueNumbers(&p, w.values(m.both))
	case both(categoryKind) && !both(numberKind) && w.cfg.categoryScale() == Ordinal:
		p.Spearman = report.Point(w.values(m.both).Correlation().Spearman)
	}
	if both(categoryKind) {
		p.Ratings = w.ratings(w.values(m.both), w.cfg.Categories, w.labels, w.cfg.categoryScale())
	}
	if w.gold != nil && a.kinds[verdictKind] && b.graded {
		w.score(&p, w.pairColumns(m.both, refVerdict, judgeValue))
	}
	if sure != nil && both(verdictKind) {
		claimed := func(x pair) float64 { return sure.at(x.of).number() }
		p.Confidence = new(w.pairColumns(m.decided, same, claimed).Probability())
	}
	return p
}

// noGold is the reason why there is no recall between two judges.
const noGold = "no_gold"

// verdictNumbers compares two columns of verdicts. Without gold, neither side counts as right.
func (w *agreeWork) verdictNumbers(p *report.ColumnPair, c columns) {
	c.Verdicts(&p.AgreementRow)
	if w.gold == nil {
		p.RecallWrong, p.Specificity = report.Estimate{Reason: noGold}, report.Estimate{Reason: noGold}
		return
	}
	both := c.BothRates()
	p.Youden = report.Interval(both.Youden, both.YoudenInterval)
	p.PrecisionFail = rateEstimate(c.Share(func(gold, judge float64) float64 { return onlyIf(judge == 0, 1-gold) }))
	p.PrecisionPass = rateEstimate(c.Share(func(gold, judge float64) float64 { return onlyIf(judge == 1, gold) }))
}

// valueNumbers compares two columns of numbers on the same scale.
func (w *agreeWork) valueNumbers(p *report.ColumnPair, c columns) {
	both, ranks, ratings := c.Continuous(), c.Correlation(), [][]float64{c.Gold, c.Judge}
	icc := w.ICC(ratings, c.Cluster).ICC2
	p.Graded, p.Spearman = c.Graded(), report.Point(ranks.Spearman)
	p.Numbers = &report.Numbers{
		MeanReference: meanEstimate(c.Share(goldSays)), MeanJudge: meanEstimate(c.Share(judgeSays)),
		SD: report.Point(both.SDDiff), LimitLow: report.Point(both.Limits.Low), LimitHigh: report.Point(both.Limits.High),
		Pearson: report.Interval(ranks.Pearson.Value, ranks.Pearson.CI), KendallB: report.Point(ranks.KendallB),
		ICC: report.Interval(icc.Value, icc.CI), Alpha: w.alpha(ratings, c.Cluster, raters.LevelInterval),
	}
}

// score measures how well a judge's numbers separate gold's passes from its fails and, if they are
// in 0..1, how good they are as probabilities.
func (w *agreeWork) score(p *report.ColumnPair, c columns) {
	wrong := c.Each(func(gold, _ float64) float64 { return 1 - gold })
	average, err := truth.AveragePrecision(wrong, c.Each(func(_, score float64) float64 { return -score }))
	w.Keep(err)
	best, err := truth.BestThreshold(c.Gold, c.Judge, c.Weight, truth.Youden)
	w.Keep(err)
	p.BaseRate, p.AUC = rateEstimate(c.Share(goldSays)), c.AUC()
	p.Score = &report.ScoreQuality{
		AveragePrecision: report.Point(average), Best: report.Point(best.Threshold), BestYouden: report.Point(best.Value),
	}
	if !slices.ContainsFunc(c.Judge, func(f float64) bool { return f < 0 || f > 1 }) {
		p.Score.Probability = new(c.Probability())
	}
}
