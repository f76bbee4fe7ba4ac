package columns

import (
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
)

// complete blanks the rows where either is missing.
func complete(a, b []float64) (x, y []float64) {
	x, y = make([]float64, len(a)), make([]float64, len(a))
	for i := range a {
		ok := !math.IsNaN(a[i]) && !math.IsNaN(b[i])
		x[i], y[i] = keepIf(ok, a[i]), keepIf(ok, b[i])
	}
	return x, y
}

// point is a measure without an interval.
func point(name, label string, o stat.Opt, n, clusters int) Measure {
	m := Measure{Name: name, Label: label, N: n, Clusters: clusters}
	m.set(o)
	return m
}

// valueMeasures compares two columns of numbers on one scale.
func (w *work) valueMeasures(p *Pair, a, b *side) error {
	x, y := complete(a.value, b.value)
	n, clusters := w.both(x, y)
	difference := make([]float64, len(x))
	for i := range x {
		difference[i] = y[i] - x[i]
	}
	for _, m := range []struct {
		name, label string
		values      []float64
	}{{"mean_a", "mean of " + a.name, x}, {"mean_b", "mean of " + b.name, y}, {"bias", "bias: " + b.name + " - " + a.name, difference}} {
		one, err := w.mean(m.name, m.label, m.values)
		if err != nil {
			return err
		}
		p.Measures = append(p.Measures, one)
	}
	c, err := raters.AgreeContinuous(y, x, w.cfg.Alpha)
	if err != nil {
		return err
	}
	p.Measures = append(p.Measures,
		point("mae", "mean absolute difference", c.MAE, n, clusters),
		point("rmse", "root mean square difference", c.RMSE, n, clusters),
		point("sd_difference", "sd of the differences", c.SDDiff, n, clusters),
		point("limit_low", "  limits of agreement: low", c.Limits.Low, n, clusters),
		point("limit_high", "  high", c.Limits.High, n, clusters),
		point("ccc", "Lin's concordance", c.CCC, n, clusters))
	if err := w.correlations(p, x, y, n, clusters); err != nil {
		return err
	}
	rows := make([][]float64, 0, n)
	flat := make([]float64, 0, 2*n)
	for i := range x {
		if !math.IsNaN(x[i]) {
			flat = append(flat, x[i], y[i])
			rows = append(rows, flat[len(flat)-2:])
		}
	}
	icc, err := raters.IntraclassCorrelation(rows, w.cfg.Alpha)
	if err != nil {
		return err
	}
	m := point("icc", "intraclass correlation ICC(2,1)", icc.ICC2, n, clusters)
	if !w.clustered {
		m.between(icc.ICC2CI, "F, items independent")
	}
	p.Measures = append(p.Measures, m)
	if p.Matrix != nil {
		return nil // the scale's own alpha is there already
	}
	alpha, err := w.krippendorff([][]float64{x, y}, raters.LevelInterval, w.groups(p))
	alpha.N, alpha.Clusters = n, clusters
	p.Measures = append(p.Measures, alpha)
	return err
}

func (w *work) correlations(p *Pair, x, y []float64, n, clusters int) error {
	c, err := raters.Correlate(x, y, w.cfg.Alpha)
	if err != nil {
		return err
	}
	pearson := point("pearson", "Pearson's r", c.Pearson, n, clusters)
	if !w.clustered {
		pearson.between(c.PearsonCI, "Fisher, items independent")
	}
	p.Measures = append(p.Measures, pearson, point("spearman", "Spearman's rho", c.Spearman, n, clusters), point("kendall_b", "Kendall's tau-b", c.KendallB, n, clusters))
	return nil
}

// most distinct values that alpha, and its bootstrap, take.
const (
	maxAlphaValues     = 10_000
	maxBootstrapValues = 200
)

// krippendorff is alpha of raters × rows with a bootstrap interval over clusters.
func (w *work) krippendorff(ratings [][]float64, level string, groups int) (Measure, error) {
	m := Measure{Name: "alpha", Label: "Krippendorff's alpha, " + level}
	q := countDistinct(ratings)
	if q > maxAlphaValues {
		m.Reason = tooManyValues
		return m, nil
	}
	a, err := raters.ClusteredAlpha(ratings, w.cluster, level, w.cfg.Alpha)
	if err != nil {
		return m, err
	}
	m.set(a.Alpha.Alpha)
	method := "t, linearised, items independent"
	if w.clustered {
		method = "t(G-1), linearised, CR1 by cluster"
	}
	if a.SE.Valid && a.SE.Value > 0 {
		m.between(a.CI, method)
	}
	return m, nil
}

// countDistinct counts distinct values, no further than one more than alpha takes.
func countDistinct(ratings [][]float64) int {
	seen := map[float64]struct{}{}
	for _, row := range ratings {
		for _, f := range row {
			if !math.IsNaN(f) {
				seen[f] = struct{}{}
			}
			if len(seen) > maxAlphaValues {
				return len(seen)
			}
		}
	}
	return len(seen)
}

// scoreMeasures asks how well a judge's numbers rank what gold passes above what it
// fails and, where they lie in 0..1, what they are worth as probabilities.
func (w *work) scoreMeasures(p *Pair, gold, judge *side) error {
	y, s := complete(gold.verdict, judge.value)
	n, clusters := w.both(y, s)
	if p.Measures.Get("base_rate") == nil {
		base, err := w.rate("base_rate", "base rate: passed by "+gold.name, y)
		if err != nil {
			return err
		}
		p.Measures = append(p.Measures, base)
	}
	auc, err := truth.ROCAUC(y, s, w.cfg.Alpha)
	method := "DeLong, items independent"
	if w.clustered {
		auc, err = truth.ClusteredAUC(y, s, w.cluster, w.cfg.Alpha)
		method = "placement values, CR1 by cluster"
	}
	if err != nil {
		return err
	}
	m := point("auc", "AUC of the score", auc.AUC, n, clusters)
	m.between(auc.CI, method)
	if m.Low != nil && *m.Low == *m.High {
		m.Low, m.High, m.Method = nil, nil, ""
		m.Note = fmt.Sprintf("no inversion among %d x %d pairs", auc.Pos, auc.Neg)
	}
	p.Measures = append(p.Measures, m)
	wrong, doubt := make([]float64, len(y)), make([]float64, len(s))
	for i := range y {
		wrong[i], doubt[i] = 1-y[i], -s[i]
	}
	pr, err := truth.AveragePrecision(wrong, doubt)
	if err != nil {
		return err
	}
	average := point("average_precision_wrong", "average precision for wrong items", pr, n, clusters)
	if n > 0 {
		average.Note = fmt.Sprintf("a score that knows nothing has %.2f", stat.Mean(stat.Present(wrong)))
	}
	p.Measures = append(p.Measures, average)
	best, err := truth.BestThreshold(y, s, truth.Youden)
	if err != nil {
		return err
	}
	cut := point("best_threshold", "threshold with the best sens. + spec.", best.Threshold, n, clusters)
	if best.Value.Valid {
		cut.Note = fmt.Sprintf("J = %.2f on these very items, too good to last", best.Value.Value)
	}
	p.Measures = append(p.Measures, cut)
	if slices.ContainsFunc(s, func(f float64) bool { return f < 0 || f > 1 }) {
		return nil
	}
	return w.probability(p, y, s, "score", "score as probability of a pass")
}

// probability appends Brier score, ECE and overconfidence of probabilities, and
// returns the bins in the pair.
func (w *work) probability(p *Pair, y, prob []float64, name, what string) error {
	n, clusters := w.both(y, prob)
	brier, err := truth.BrierScore(y, prob)
	if err != nil {
		return err
	}
	const bins = 10
	e, err := truth.CalibrationError(prob, y, bins)
	if err != nil {
		return err
	}
	ece := point(name+"_ece", "  ECE, 10 bins (biased upward)", e.ECE, n, clusters)
	if cfg, ok := w.bootstrap(3*bins, w.groups(p)); ok && ece.Value != nil {
		s, err := truth.CalibrationErrorInterval(prob, y, w.cluster, bins, cfg)
		if err != nil {
			return err
		}
		w.resampled(&ece, s, cfg)
	}
	p.Measures = append(p.Measures,
		point(name+"_brier", what+": Brier score", brier.Brier, n, clusters),
		point(name+"_brier_skill", "  skill against the base rate", brier.Skill, n, clusters),
		ece,
		point(name+"_overconfidence", "  overconfidence", e.Overconfidence, n, clusters))
	p.Bins = nil
	for _, b := range e.Bins {
		p.Bins = append(p.Bins, Bin{b.N, *rounded(b.Confidence), *rounded(b.Accuracy)})
	}
	return nil
}

// confidenceMeasures asks whether the judge is surer where gold confirms it.
func (w *work) confidenceMeasures(p *Pair, gold, judge, confidence *side) error {
	v := lay(gold.verdict, judge.verdict, nil)
	right, sure := complete(v.same, confidence.value)
	n, clusters := w.both(right, sure)
	auc, err := truth.ClusteredAUC(right, sure, w.cluster, w.cfg.Alpha)
	if err != nil {
		return err
	}
	m := point("confidence_auc", "AUC of its confidence for being right", auc.AUC, n, clusters)
	method := "placement values, CR1 by item"
	if w.clustered {
		method = "placement values, CR1 by cluster"
	}
	m.between(auc.CI, method)
	p.Measures = append(p.Measures, m)
	return w.probability(p, right, sure, "confidence", "confidence as probability of being right")
}
