package measure

import (
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
)

// compare compares two sides by every kind that both have, in all rows and in each stratum; a is the
// reference.
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
		p.Ratings = w.ratings(w.values(m.both))
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

// noGold is why there is no recall between two judges.
const noGold = "no_gold"

// verdictNumbers compares two columns of verdicts. Without gold neither side is right.
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

// ratings compares two columns over the declared scale.
func (w *agreeWork) ratings(c columns) *report.Ratings {
	out := &report.Ratings{Matrix: make([][]int, len(w.labels))}
	for k := range out.Matrix {
		out.Matrix[k] = make([]int, len(w.labels))
	}
	place := func(f float64) int { return slices.Index(w.labels, f) }
	within := func(most int) report.Estimate {
		return rateEstimate(c.Share(func(a, b float64) float64 {
			i, k := place(a), place(b)
			return onlyIf(i >= 0, asNumber(max(i-k, k-i) <= most))
		}))
	}
	for i, label := range c.Gold {
		if at := place(label); at >= 0 {
			out.Matrix[at][place(c.Judge[i])]++
		}
	}
	weights, level := raters.NoWeights, w.cfg.categoryScale()
	out.Same, out.Kappa = within(0), c.Kappa(w.labels, raters.NoWeights)
	if level == Ordinal {
		weights = raters.Quadratic
		out.WithinOne, out.Quadratic = within(1), c.Kappa(w.labels, raters.Quadratic)
	}
	out.AC, out.Alpha = c.AC(w.labels, weights), w.alpha([][]float64{c.Gold, c.Judge}, c.Cluster, level)
	return out
}

// valueNumbers compares two columns of numbers on one scale.
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

// score measures how well a judge's numbers rank what gold passes above what it fails and,
// if they are in 0..1, how good they are as probabilities.
func (w *agreeWork) score(p *report.ColumnPair, c columns) {
	wrong := c.Each(func(gold, _ float64) float64 { return 1 - gold })
	average, err := truth.AveragePrecision(wrong, c.Each(func(_, score float64) float64 { return -score }))
	w.Keep(err)
	best, err := truth.BestThreshold(c.Gold, c.Judge, truth.Youden)
	w.Keep(err)
	p.BaseRate, p.AUC = rateEstimate(c.Share(goldSays)), c.AUC()
	p.Score = &report.ScoreQuality{
		AveragePrecision: report.Point(average), Best: report.Point(best.Threshold), BestYouden: report.Point(best.Value),
	}
	if !slices.ContainsFunc(c.Judge, func(f float64) bool { return f < 0 || f > 1 }) {
		p.Score.Probability = new(c.Probability())
	}
}
