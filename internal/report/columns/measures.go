package columns

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
)

// verdictMeasures compares two columns of verdicts.
func (w *work) verdictMeasures(p *Pair, a, b *side) {
	c := w.both(a.verdict, b.verdict)
	p.Confusion = new(c.Counts())
	share := func(name, label string, of func(gold, judge float64) float64) {
		p.add(w.rate(name, label, c.Share(of)))
	}
	share("base_rate", "base rate: passed by "+a.name, measure.Base)
	share("judge_rate", "passed by "+b.name, measure.Said)
	share("agreement", "same verdict", measure.Same)
	sz := sizeOf(c)
	if w.gold != nil {
		share("recall_wrong", "recall of wrong items", measure.Found)
		share("specificity", "specificity: right items passed", measure.Kept)
		share("precision_fail", "precision of its fails", func(a, b float64) float64 { return measure.When(b == 0, 1-a) })
		share("precision_pass", "precision of its passes", func(a, b float64) float64 { return measure.When(b == 1, a) })
		w.bothClasses(p, c, sz)
	}
	if constant(c.Judge) {
		p.certain("judge_rate", "recall_wrong", "specificity", byYouden, "balanced_accuracy")
	}
	p.add(w.jackknifed("kappa", "Cohen's kappa", c.VerdictKappa(), sz))
	p.add(w.jackknifed("ac1", "Gwet's AC1", c.AC(measure.VerdictScale, raters.NoWeights), sz))
}

// certain takes the intervals of what follows from a judge's one verdict alone.
func (p *Pair) certain(names ...string) {
	for i := range p.Measures {
		if m := &p.Measures[i]; slices.Contains(names, m.Name) {
			m.Estimate, m.Method = m.WithoutInterval(), ""
		}
	}
}

// bothClasses appends the measures that weigh right and wrong items alike.
func (w *work) bothClasses(p *Pair, c measure.Columns, sz size) {
	both := c.BothRates()
	p.add(w.ranged(byYouden, "Youden's J: both recalls less 1",
		report.Interval(both.Youden, both.YoudenInterval), sz, byMover))
	balanced := w.ranged("balanced_accuracy", "balanced accuracy",
		report.Interval(both.BalancedAccuracy, both.BalancedCI), sz, byMover)
	balanced.Share = true
	p.add(balanced)
	p.add(w.jackknifed("mcc", "Matthews correlation (MCC)", c.MCC(), sz))
}

// categoryMeasures compares two columns over the declared scale.
func (w *work) categoryMeasures(p *Pair, a, b *side) {
	c := w.both(a.category, b.category)
	sz := sizeOf(c)
	p.Matrix = make([][]int, len(w.labels))
	for k := range p.Matrix {
		p.Matrix[k] = make([]int, len(w.labels))
	}
	place := func(f float64) int { return slices.Index(w.labels, f) }
	within := func(most int) func(a, b float64) float64 {
		return func(a, b float64) float64 {
			i, k := place(a), place(b)
			return measure.When(i >= 0, measure.One(max(i-k, k-i) <= most))
		}
	}
	for i, label := range c.Gold {
		if at := place(label); at >= 0 {
			p.Matrix[at][place(c.Judge[i])]++
		}
	}
	p.add(w.rate("same_category", "same category", c.Share(within(0))))
	weights, name, label, level := raters.NoWeights, "ac1_categories", "Gwet's AC1", raters.LevelNominal
	ordinal := w.cfg.categoryScale() == Ordinal
	if ordinal {
		weights, name, label, level = raters.Quadratic, "ac2", "Gwet's AC2, quadratic weights", raters.LevelOrdinal
		p.add(w.rate("within_one", "at most one category apart", c.Share(within(1))))
		p.add(w.jackknifed("kappa_quadratic", "Cohen's kappa, quadratic weights", c.Kappa(w.labels, raters.Quadratic), sz))
	}
	p.add(w.jackknifed("kappa_categories", "Cohen's kappa, unweighted", c.Kappa(w.labels, raters.NoWeights), sz))
	p.add(w.jackknifed(name, label, c.AC(w.labels, weights), sz))
	p.add(w.alpha([][]float64{c.Gold, c.Judge}, level, sz))
	if ordinal && (a.value == nil || b.value == nil) {
		w.correlations(p, c, sz)
	}
}

// valueMeasures compares two columns of numbers on one scale.
func (w *work) valueMeasures(p *Pair, a, b *side) {
	c := w.both(a.value, b.value)
	sz := sizeOf(c)
	mean := func(name, label string, m interval.ClusterSE) {
		p.add(w.average(name, label, measure.Mean(m), m, byScore))
	}
	mean("mean_a", "mean of "+a.name, c.Share(measure.Base))
	mean("mean_b", "mean of "+b.name, c.Share(measure.Said))
	bias := c.Bias()
	p.add(w.average("bias", "bias: "+b.name+" - "+a.name, measure.Gap(bias), bias, byT))
	both := c.Continuous()
	for _, m := range []struct {
		name, label string
		value       stat.Opt
	}{
		{"mae", "mean absolute difference", both.MAE},
		{"rmse", "root mean square difference", both.RMSE},
		{"sd_difference", "sd of the differences", both.SDDiff},
		{"limit_low", "  limits of agreement: low", both.Limits.Low},
		{"limit_high", "  high", both.Limits.High},
		{"ccc", "Lin's concordance", both.CCC},
	} {
		p.add(point(m.name, m.label, m.value, sz))
	}
	w.correlations(p, c, sz)
	ratings := [][]float64{c.Gold, c.Judge}
	icc, _ := w.icc(ratings, sz)
	p.add(icc)
	if p.Matrix == nil { // else the scale's own alpha is there already
		p.add(w.alpha(ratings, raters.LevelInterval, sz))
	}
}

func (w *work) correlations(p *Pair, c measure.Columns, sz size) {
	all := c.Correlation()
	p.add(w.jackknifed("pearson", "Pearson's r", report.Interval(all.Pearson.Value, all.Pearson.CI), sz))
	p.add(point("spearman", "Spearman's rho", all.Spearman, sz))
	p.add(point("kendall_b", "Kendall's tau-b", all.KendallB, sz))
}

// icc is the intraclass correlation of raters × rows, of one and of the mean of all.
func (w *work) icc(ratings [][]float64, sz size) (one, mean Measure) {
	icc := w.ICC(ratings, w.cluster)
	e := report.Interval(icc.ICC2.Value, icc.ICC2.CI)
	return w.jackknifed("icc", "intraclass correlation ICC(2,1)", e, sz),
		point("icc_k", "  of the mean of all raters ICC(2,k)", icc.ICC2K, sz)
}

// maxAlphaValues is how many different values alpha takes.
const maxAlphaValues = 10_000

// alpha is Krippendorff's alpha of raters × rows.
func (w *work) alpha(ratings [][]float64, level string, sz size) Measure {
	m := Measure{Name: "alpha", Label: "Krippendorff's alpha, " + level, size: sz}
	if len(stat.Distinct(stat.Present(slices.Concat(ratings...)))) > maxAlphaValues {
		m.Estimate, m.Note = report.Undefined(stat.NotApplicable), "too many different values"
		return m
	}
	return w.jackknifed(m.Name, m.Label, w.Krippendorff(ratings, w.cluster, level), sz)
}

// scoreMeasures measures how well a judge's numbers rank what gold passes above what it
// fails and, where they are in 0..1, how good they are as probabilities.
func (w *work) scoreMeasures(p *Pair, gold, judge *side) {
	c := w.both(gold.verdict, judge.value)
	sz := sizeOf(c)
	if p.Measures.get("base_rate") == nil {
		p.add(w.rate("base_rate", "base rate: passed by "+gold.name, c.Share(measure.Base)))
	}
	p.add(w.auc("auc", "AUC of the score", c))
	wrong := c.Each(func(gold, _ float64) float64 { return 1 - gold })
	average, err := truth.AveragePrecision(wrong, c.Each(func(_, score float64) float64 { return -score }))
	w.Keep(err)
	m := point("average_precision_wrong", "average precision for wrong items", average, sz)
	if sz.N > 0 {
		m.Note = fmt.Sprintf("a score that knows nothing has %.2f", stat.Mean(stat.Present(wrong)))
	}
	p.add(m)
	best, err := truth.BestThreshold(c.Gold, c.Judge, truth.Youden)
	w.Keep(err)
	m = point("best_threshold", "threshold with the best sens. + spec.", best.Threshold, sz)
	if best.Value.Valid {
		m.Note = fmt.Sprintf("J = %.2f on these very items, too good to last", best.Value.Value)
	}
	p.add(m)
	if !slices.ContainsFunc(c.Judge, func(f float64) bool { return f < 0 || f > 1 }) {
		p.probability(c, "score", "score as probability of a pass")
	}
}

// auc is the area under the ROC curve.
func (w *work) auc(name, label string, c measure.Columns) Measure {
	m := w.ranged(name, label, c.AUC(), sizeOf(c), byLogit)
	if m.Defined() && *m.Value == 1 {
		right := int(stat.Sum(stat.Present(c.Gold)))
		m.Note = fmt.Sprintf("no inversion among %d x %d pairs", right, m.N-right)
	}
	return m
}

// probability appends Brier score, ECE and overconfidence of probabilities, and
// puts the bins into the pair.
func (p *Pair) probability(c measure.Columns, name, what string) {
	prob, skill := c.Probability()
	add := func(suffix, label string, e report.Estimate) {
		p.add(Measure{Name: name + suffix, Label: label, Estimate: e, size: sizeOf(c)})
	}
	add("_brier", what+": Brier score", prob.Brier)
	add("_brier_skill", "  skill against the base rate", report.Point(skill))
	add("_ece", "  ECE, 10 bins (biased upward)", prob.ECE)
	add("_overconfidence", "  overconfidence", prob.Overconfidence)
	p.Bins = prob.Bins
}

// confidenceMeasures compares confidence with whether gold confirms the verdict.
func (w *work) confidenceMeasures(p *Pair, gold, judge, confidence *side) {
	c := w.both(w.both(gold.verdict, judge.verdict).Each(measure.Same), confidence.value)
	p.add(w.auc("confidence_auc", "AUC of its confidence for being right", c))
	p.probability(c, "confidence", "confidence as probability of being right")
}
