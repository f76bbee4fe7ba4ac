package columns

import (
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
)

var verdictScale = []float64{0, 1}

// share is a rate over the rows of two columns of verdicts; of is NaN where a row does
// not count.
type share struct {
	name, label string
	of          func(a, b float64) float64
}

// when is v where the condition holds.
func when(holds bool, v float64) float64 {
	if holds {
		return v
	}
	return math.NaN()
}

// verdictMeasures compares two columns of verdicts.
func (w *work) verdictMeasures(p *Pair, a, b *side) {
	x, y := complete(a.verdict, b.verdict)
	counts := confusion(x, y)
	p.Confusion = &report.Confusion{
		BothPass: counts.TP, JudgeOnlyPass: counts.FP, JudgeOnlyFail: counts.FN, BothFail: counts.TN,
	}
	shares := []share{
		{"base_rate", "base rate: passed by " + a.name, func(a, b float64) float64 { return a }},
		{"judge_rate", "passed by " + b.name, func(a, b float64) float64 { return b }},
		{"agreement", "same verdict", same},
	}
	if w.gold != nil {
		shares = append(shares,
			share{"recall_wrong", "recall of wrong items", func(a, b float64) float64 { return when(a == 0, 1-b) }},
			share{"specificity", "specificity: right items passed",
				func(a, b float64) float64 { return when(a == 1, b) }},
			share{"precision_fail", "precision of its fails", func(a, b float64) float64 { return when(b == 0, 1-a) }},
			share{"precision_pass", "precision of its passes", func(a, b float64) float64 { return when(b == 1, a) }})
	}
	for _, s := range shares {
		p.add(w.rate(s.name, s.label, each(x, y, s.of)))
	}
	sz := w.count(x, y)
	if w.gold != nil {
		w.bothClasses(p, x, y, sz)
	}
	if constant(y) {
		p.certain("judge_rate", "recall_wrong", "specificity", byYouden, "balanced_accuracy")
	}
	w.kappa(p, x, y, verdictScale, raters.NoWeights, "kappa", "Cohen's kappa")
	p.add(w.gwet("ac1", "Gwet's AC1", [][]float64{x, y}, verdictScale, raters.NoWeights, sz))
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
func (w *work) bothClasses(p *Pair, gold, judge []float64, sz size) {
	both, err := truth.BothRates(gold, judge, w.cluster, w.cfg.Alpha)
	w.check(err)
	balanced := Measure{Name: "balanced_accuracy", Label: "balanced accuracy", size: sz}
	balanced.set(both.BalancedAccuracy, both.BalancedCI,
		w.method("MOVER of Wilson, items independent", "MOVER of Wilson on effective n, by cluster"))
	balanced.Share = true
	mcc, err := truth.MCC(gold, judge, w.cluster, w.cfg.Alpha)
	w.check(err)
	youden := Measure{Name: byYouden, Label: "Youden's J: both recalls less 1", size: sz}
	youden.set(both.Youden, both.YoudenInterval, balanced.Method)
	p.add(youden)
	p.add(balanced)
	p.add(w.jackknifed("mcc", "Matthews correlation (MCC)", mcc, sz))
}

func confusion(a, b []float64) (c truth.Confusion) {
	for i := range a {
		switch [2]float64{a[i], b[i]} {
		case [2]float64{1, 1}:
			c.TP++
		case [2]float64{1, 0}:
			c.FN++
		case [2]float64{0, 1}:
			c.FP++
		case [2]float64{0, 0}:
			c.TN++
		}
	}
	return c
}

// kappa appends Cohen's kappa.
func (w *work) kappa(p *Pair, a, b, labels []float64, weights raters.Weighting, name, label string) {
	k, err := raters.CohenKappa(a, b, w.cluster, labels, weights, w.cfg.Alpha)
	w.check(err)
	p.add(w.jackknifed(name, label, k.Jackknifed, w.count(a, b)))
}

// jackknifed is a coefficient with the one interval that all coefficients have.
func (w *work) jackknifed(name, label string, j interval.Jackknifed, sz size) Measure {
	m := Measure{Name: name, Label: label, size: sz}
	m.set(j.Value, j.CI, w.method("jackknife, Fisher z, items independent", "jackknife by cluster, Fisher z, t(G-1)"))
	return m
}

// gwet is Gwet's coefficient.
func (w *work) gwet(
	name, label string, ratings [][]float64, labels []float64, weights raters.Weighting, sz size,
) Measure {
	g, err := raters.GwetAC(ratings, w.cluster, labels, weights, w.cfg.Alpha)
	w.check(err)
	return w.jackknifed(name, label, g.Jackknifed, sz)
}

// categoryMeasures compares two columns over the declared scale.
func (w *work) categoryMeasures(p *Pair, a, b *side) {
	x, y := complete(a.category, b.category)
	sz := w.count(x, y)
	p.Matrix = make([][]int, len(w.labels))
	for k := range p.Matrix {
		p.Matrix[k] = make([]int, len(w.labels))
	}
	place := func(f float64) int { return slices.Index(w.labels, f) }
	apart := each(x, y, func(a, b float64) float64 {
		if math.IsNaN(a) {
			return a
		}
		p.Matrix[place(a)][place(b)]++
		return math.Abs(float64(place(a) - place(b)))
	})
	within := func(most float64) []float64 {
		return each(apart, apart, func(d, _ float64) float64 {
			return when(!math.IsNaN(d), map[bool]float64{true: 1}[d <= most])
		})
	}
	p.add(w.rate("same_category", "same category", within(0)))
	weights, name, label, level := raters.NoWeights, "ac1_categories", "Gwet's AC1", raters.LevelNominal
	ordinal := w.cfg.categoryScale() == Ordinal
	if ordinal {
		weights, name, label, level = raters.Quadratic, "ac2", "Gwet's AC2, quadratic weights", raters.LevelOrdinal
		p.add(w.rate("within_one", "at most one category apart", within(1)))
		w.kappa(p, x, y, w.labels, raters.Quadratic, "kappa_quadratic", "Cohen's kappa, quadratic weights")
	}
	w.kappa(p, x, y, w.labels, raters.NoWeights, "kappa_categories", "Cohen's kappa, unweighted")
	p.add(w.gwet(name, label, [][]float64{x, y}, w.labels, weights, sz))
	p.add(w.alpha([][]float64{x, y}, level, sz))
	if ordinal && (a.value == nil || b.value == nil) {
		w.correlations(p, x, y, sz)
	}
}

// valueMeasures compares two columns of numbers on one scale.
func (w *work) valueMeasures(p *Pair, a, b *side) {
	x, y := complete(a.value, b.value)
	sz := w.count(x, y)
	p.add(w.mean("mean_a", "mean of "+a.name, x))
	p.add(w.mean("mean_b", "mean of "+b.name, y))
	p.add(w.gap("bias", "bias: "+b.name+" - "+a.name, each(x, y, func(a, b float64) float64 { return b - a })))
	c, err := raters.AgreeContinuous(y, x, w.cfg.Alpha)
	w.check(err)
	for _, m := range []struct {
		name, label string
		value       stat.Opt
	}{
		{"mae", "mean absolute difference", c.MAE},
		{"rmse", "root mean square difference", c.RMSE},
		{"sd_difference", "sd of the differences", c.SDDiff},
		{"limit_low", "  limits of agreement: low", c.Limits.Low},
		{"limit_high", "  high", c.Limits.High},
		{"ccc", "Lin's concordance", c.CCC},
	} {
		p.add(point(m.name, m.label, m.value, sz))
	}
	w.correlations(p, x, y, sz)
	icc, _ := w.icc([][]float64{x, y}, sz)
	p.add(icc)
	if p.Matrix == nil { // else the scale's own alpha is there already
		p.add(w.alpha([][]float64{x, y}, raters.LevelInterval, sz))
	}
}

func (w *work) correlations(p *Pair, x, y []float64, sz size) {
	c, err := raters.Correlate(x, y, w.cluster, w.cfg.Alpha)
	w.check(err)
	p.add(w.jackknifed("pearson", "Pearson's r", c.Pearson, sz))
	p.add(point("spearman", "Spearman's rho", c.Spearman, sz))
	p.add(point("kendall_b", "Kendall's tau-b", c.KendallB, sz))
}

// icc is the intraclass correlation of raters × rows, of one and of the mean of all.
func (w *work) icc(ratings [][]float64, sz size) (one, mean Measure) {
	icc, err := raters.IntraclassCorrelation(ratings, w.cluster, w.cfg.Alpha)
	w.check(err)
	return w.jackknifed("icc", "intraclass correlation ICC(2,1)", icc.ICC2, sz),
		point("icc_k", "  of the mean of all raters ICC(2,k)", icc.ICC2K, sz)
}

// maxAlphaValues is how many different values alpha takes.
const maxAlphaValues = 10_000

// alpha is Krippendorff's alpha of raters × rows.
func (w *work) alpha(ratings [][]float64, level string, sz size) Measure {
	label := "Krippendorff's alpha, " + level
	if len(stat.Distinct(stat.Present(slices.Concat(ratings...)))) > maxAlphaValues {
		m := Measure{Name: "alpha", Label: label, size: sz}
		m.Estimate, m.Note = report.Undefined(stat.NotApplicable), "too many different values"
		return m
	}
	a, err := raters.ClusteredAlpha(ratings, w.cluster, level, w.cfg.Alpha)
	w.check(err)
	return w.jackknifed("alpha", label, a.Jackknifed, sz)
}

// scoreMeasures measures how well a judge's numbers rank what gold passes above what it
// fails and, where they are in 0..1, how good they are as probabilities.
func (w *work) scoreMeasures(p *Pair, gold, judge *side) {
	y, s := complete(gold.verdict, judge.value)
	sz := w.count(y, s)
	if p.Measures.get("base_rate") == nil {
		p.add(w.rate("base_rate", "base rate: passed by "+gold.name, y))
	}
	p.add(w.auc("auc", "AUC of the score", y, s))
	wrong := each(y, s, func(y, _ float64) float64 { return 1 - y })
	doubt := each(y, s, func(_, s float64) float64 { return -s })
	average, err := truth.AveragePrecision(wrong, doubt)
	w.check(err)
	m := point("average_precision_wrong", "average precision for wrong items", average, sz)
	if sz.N > 0 {
		m.Note = fmt.Sprintf("a score that knows nothing has %.2f", stat.Mean(stat.Present(wrong)))
	}
	p.add(m)
	best, err := truth.BestThreshold(y, s, truth.Youden)
	w.check(err)
	m = point("best_threshold", "threshold with the best sens. + spec.", best.Threshold, sz)
	if best.Value.Valid {
		m.Note = fmt.Sprintf("J = %.2f on these very items, too good to last", best.Value.Value)
	}
	p.add(m)
	if !slices.ContainsFunc(s, func(f float64) bool { return f < 0 || f > 1 }) {
		w.probability(p, y, s, "score", "score as probability of a pass")
	}
}

// auc is the area under the ROC curve.
func (w *work) auc(name, label string, y, score []float64) Measure {
	sz := w.count(complete(y, score))
	m := Measure{Name: name, Label: label, size: sz}
	a, err := truth.ClusteredAUC(y, score, w.cluster, w.cfg.Alpha)
	w.check(err)
	m.set(a.AUC, a.CI, w.method("logit of placement values, items independent", "logit of placement values, by cluster, t"))
	if m.Defined() && *m.Value == 1 {
		m.Note = fmt.Sprintf("no inversion among %d x %d pairs", a.Pos, a.Neg)
	}
	return m
}

// probability appends Brier score, ECE and overconfidence of probabilities, and
// puts the bins into the pair.
func (w *work) probability(p *Pair, y, prob []float64, name, what string) {
	sz := w.count(y, prob)
	brier, err := truth.BrierScore(y, prob)
	w.check(err)
	const bins = 10
	e, err := truth.CalibrationError(prob, y, bins)
	w.check(err)
	p.add(point(name+"_brier", what+": Brier score", brier.Brier, sz))
	p.add(point(name+"_brier_skill", "  skill against the base rate", brier.Skill, sz))
	p.add(point(name+"_ece", "  ECE, 10 bins (biased upward)", e.ECE, sz))
	p.add(point(name+"_overconfidence", "  overconfidence", e.Overconfidence, sz))
	p.Bins = nil
	for _, b := range e.Bins {
		bin := report.Bin{N: b.N, Confidence: *report.Rounded(b.Confidence), Accuracy: *report.Rounded(b.Accuracy)}
		p.Bins = append(p.Bins, bin)
	}
}

// confidenceMeasures compares confidence with whether gold confirms the verdict.
func (w *work) confidenceMeasures(p *Pair, gold, judge, confidence *side) {
	right, sure := complete(each(gold.verdict, judge.verdict, same), confidence.value)
	p.add(w.auc("confidence_auc", "AUC of its confidence for being right", right, sure))
	w.probability(p, right, sure, "confidence", "confidence as probability of being right")
}
