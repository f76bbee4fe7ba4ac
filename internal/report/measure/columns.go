package measure

import (
	"cmp"
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// columns holds two numbers per item: Gold is the reference's, Judge the judge's. If neither side
// is the reference, Gold is the first. Items without both numbers do not count.
type columns struct {
	*statistics
	Gold, Judge []float64
	Cluster     []int // nil: every item is a cluster
	// Weight is the number of items that each item represents; nil means one.
	Weight []float64
}

// Each returns of(gold, judge) for each item.
func (c columns) Each(of func(gold, judge float64) float64) []float64 {
	out := make([]float64, len(c.Gold))
	for i := range out {
		out[i] = of(c.Gold[i], c.Judge[i])
	}
	return out
}

// Len counts the items with both numbers.
func (c columns) Len() (n int) {
	for i, gold := range c.Gold {
		n += int(asNumber(!math.IsNaN(gold) && !math.IsNaN(c.Judge[i])))
	}
	return n
}

// Share returns the mean of of(gold, judge).
func (c columns) Share(of func(gold, judge float64) float64) interval.ClusterSE {
	return c.spread(c.Each(of), c.Weight, c.Cluster)
}

// Functions of one item's verdicts, 1 for a pass and 0 for a fail, for Share.

// goldSays returns gold's verdict.
func goldSays(gold, _ float64) float64 { return gold }

// judgeSays returns the judge's verdict.
func judgeSays(_, judge float64) float64 { return judge }

// bothAgree returns 1 if the verdicts are equal, else 0.
func bothAgree(gold, judge float64) float64 { return 1 - math.Abs(gold-judge) }

// failFound returns 1 if gold and the judge fail, 0 if only gold does. Other items do not count.
func failFound(gold, judge float64) float64 { return onlyIf(gold == 0, 1-judge) }

// passKept returns 1 if gold and the judge pass, 0 if only gold does. Other items do not count.
func passKept(gold, judge float64) float64 { return onlyIf(gold == 1, judge) }

// onlyIf returns v if the condition is true, else NaN, which means missing.
func onlyIf(holds bool, v float64) float64 {
	if holds {
		return v
	}
	return math.NaN()
}

// asNumber returns 1 if b holds, else 0.
func asNumber(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Counts counts the pairs of verdicts.
func (c columns) Counts() (out report.Confusion) {
	for i, gold := range c.Gold {
		switch [2]float64{gold, c.Judge[i]} {
		case [2]float64{1, 1}:
			out.BothPass++
		case [2]float64{1, 0}:
			out.JudgeOnlyFail++
		case [2]float64{0, 1}:
			out.JudgeOnlyPass++
		case [2]float64{0, 0}:
			out.BothFail++
		}
	}
	return out
}

// Verdicts adds the measures computed from the verdicts of both sides.
func (c columns) Verdicts(row *report.AgreementRow) {
	rate := func(of func(gold, judge float64) float64) report.Estimate { return rateEstimate(c.Share(of)) }
	row.BaseRate, row.JudgeRate, row.Accuracy = rate(goldSays), rate(judgeSays), rate(bothAgree)
	row.RecallWrong, row.Specificity = rate(failFound), rate(passKept)
	both := c.BothRates()
	row.Balanced, row.MCC = report.Interval(both.BalancedAccuracy, both.BalancedCI), c.MCC()
	row.Kappa, row.AC1 = c.VerdictKappa(), c.AC(verdictScale, raters.NoWeights)
	n := &row.Confusion
	*n = c.Counts()
	if row.Verdicts = n.BothPass + n.BothFail + n.JudgeOnlyPass + n.JudgeOnlyFail; row.Verdicts == 0 {
		row.AC1 = report.Undefined(stat.NoItems)
	}
}

// Graded compares numbers on the same scale.
func (c columns) Graded() *report.Graded {
	g := c.Continuous()
	return &report.Graded{
		Bias: gapEstimate(c.Bias()), MAE: report.Point(g.MAE), RMSE: report.Point(g.RMSE), CCC: report.Point(g.CCC),
	}
}

// BothRates returns the recalls of verdicts, balanced accuracy and J.
func (c columns) BothRates() truth.TwoRates {
	both, err := truth.BothRates(c.Gold, c.Judge, c.Weight, c.Cluster, c.Alpha)
	c.Keep(err)
	return both
}

// MCC returns the Matthews correlation of verdicts.
func (c columns) MCC() report.Estimate {
	mcc, err := truth.MCC(c.Gold, c.Judge, c.Weight, c.Cluster, c.Alpha)
	c.Keep(err)
	return report.Interval(mcc.Value, mcc.CI)
}

// VerdictKappa returns Cohen's kappa of verdicts.
func (c columns) VerdictKappa() report.Estimate { return c.Kappa(verdictScale, raters.NoWeights) }

// Kappa returns Cohen's kappa over a scale.
func (c columns) Kappa(scale []float64, w raters.Weighting) report.Estimate {
	k, err := raters.CohenKappa(c.Gold, c.Judge, c.Weight, c.Cluster, scale, w, c.Alpha)
	c.Keep(err)
	return report.Interval(k.Value, k.CI)
}

// AC returns Gwet's coefficient over a scale.
func (c columns) AC(scale []float64, w raters.Weighting) report.Estimate {
	return c.Gwet([][]float64{c.Gold, c.Judge}, c.Weight, c.Cluster, scale, w)
}

// AUC returns the area under the ROC curve of the judge's numbers against gold's verdicts.
func (c columns) AUC() report.Estimate {
	auc, err := truth.ClusteredAUC(c.Gold, c.Judge, c.Weight, c.Cluster, c.Alpha)
	c.Keep(err)
	return report.Interval(auc.AUC, auc.CI)
}

// Correlation returns the correlations of two columns of numbers.
func (c columns) Correlation() raters.Correlation {
	out, err := raters.Correlate(c.Gold, c.Judge, c.Cluster, c.Alpha)
	c.Keep(err)
	return out
}

// Continuous compares two columns of numbers on the same scale. Differences are the judge's number
// minus gold's.
func (c columns) Continuous() raters.Continuous {
	out, err := raters.AgreeContinuous(c.Judge, c.Gold, c.Alpha)
	c.Keep(err)
	return out
}

// Bias returns the mean of the judge's number minus gold's.
func (c columns) Bias() interval.ClusterSE {
	return c.Share(func(gold, judge float64) float64 { return judge - gold })
}

// Probability says how good the judge's numbers are as probabilities that gold is 1.
func (c columns) Probability() report.Confidence {
	brier, err := truth.BrierScore(c.Gold, c.Judge, c.Weight)
	c.Keep(err)
	above, err := truth.Overconfidence(c.Gold, c.Judge, c.Weight)
	c.Keep(err)
	return report.Confidence{N: c.Len(), AUC: c.AUC(), Brier: report.Point(brier), Overconfidence: report.Point(above)}
}

// sample holds the judge's verdicts on all items, with gold for labelled items: what the labels say
// about the share that passes.
type sample struct {
	truth.PPICluster
	report.CorrectedRate
	// Labelled and Others are the judge's rates on the items of clusters with and without a label;
	// Unlike is the p-value of their difference.
	Labelled, Others interval.ClusterSE
	Unlike           stat.Opt
	// NoSample says why the labels are not a random sample; "" if they are.
	NoSample string
}

// correct corrects the rate of a judge by labels for some of the items that it decided. choice says why the labels
// are a selection, which corrects nothing; "" if they follow the random order. width is the width of the interval
// for which further labels are counted; label names the label of the log, "" for people's.
func (s *statistics) correct(decided []pair, judge, label string, width float64, choice string) sample {
	out := s.pairColumns(decided, refVerdict, judgeVerdict).Correct()
	out.LabelledFails, out.WantedWidth = out.Fails, width
	if out.NoSample = cmp.Or(choice, out.unlikeRest(judge, label)); out.NoSample != "" {
		labels := float64(out.Passes + out.Fails) // a selection stands for nothing else
		out.Corrected = report.NoSample(nil)
		out.LabelsOnly = report.NoSample(report.Point(stat.Ratio(float64(out.Passes), labels, stat.NoItems)).Value)
	}
	if further, ok := out.Further(width); ok && out.Corrected.HasInterval() {
		out.FurtherConversations = &further
	}
	return out
}

// Correct corrects the rate of the judge's verdicts by gold, which some clusters have. In a cluster
// with gold, items without gold are left out; weights compensate for them.
func (c columns) Correct() sample {
	labelled := map[int]bool{}
	for i, gold := range c.Gold {
		if !math.IsNaN(gold) {
			labelled[c.Cluster[i]] = true
		}
	}
	in, out := c, c
	in.Gold, in.Judge, in.Weight, in.Cluster, out.Judge, out.Cluster = nil, nil, nil, nil, nil, nil
	first, rest := make([]float64, len(c.Judge)), make([]float64, len(c.Judge))
	weight := stat.Weights(c.Weight, len(c.Gold))
	for i, said := range c.Judge {
		drawn := labelled[c.Cluster[i]]
		first[i], rest[i] = onlyIf(drawn, said), onlyIf(!drawn, said)
		switch {
		case !drawn:
			out.Judge, out.Cluster = append(out.Judge, said), append(out.Cluster, c.Cluster[i])
		case !math.IsNaN(c.Gold[i]):
			in.Gold, in.Judge = append(in.Gold, c.Gold[i]), append(in.Judge, said)
			in.Cluster, in.Weight = append(in.Cluster, c.Cluster[i]), append(in.Weight, weight[i])
		}
	}
	s := sample{Labelled: c.Spread(first, c.Cluster), Others: c.Spread(rest, c.Cluster)}
	s.OneCall = len(in.Gold) == len(labelled) && len(in.Gold)+len(out.Judge) < len(c.Judge)
	var err error
	s.PPICluster, err = truth.PPIClustered(in.Gold, in.Judge, in.Weight, in.Cluster, out.Judge,
		out.Cluster, truth.AutoLambda, c.Alpha)
	c.Keep(err)
	s.Corrected, s.Bias = report.Interval(s.Estimate, s.CI), report.Point(s.Rectifier.Times(-1))
	s.Naive, s.LabelsOnly = c.Rate(c.Judge, c.Cluster), rateEstimate(in.Share(goldSays))
	s.Unlike = interval.Welch(s.Labelled, s.Others)
	return s
}

// unlikeRest says that the judge passes another share of the labelled clusters than of the others;
// "" if chance explains it. label is the label of the log, "" for people's.
func (s *sample) unlikeRest(judge, label string) string {
	if !s.Unlike.Valid || s.Unlike.Value >= report.UnlikeBelow {
		return ""
	}
	return words.UnlikeRates(judge, label, s.Labelled.Mean.Value, s.Others.Mean.Value, s.Unlike.Value)
}
