package calibration

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

var verdicts = []float64{0, 1}

// resamples is the size of the bootstraps here.
const resamples = 2000

func (c Config) bootstrap() interval.Bootstrap {
	return interval.Bootstrap{Alpha: c.Alpha, Resamples: resamples, Seed: c.Seed}
}

// between is a value with its interval. An interval without width is none: the data
// show no variation, which is not the same as to be sure.
func between(o stat.Opt, iv stat.Interval) report.Estimate {
	const nothing = 1e-9 // rounding in sums leaves a little
	if iv.Low.Valid && iv.High.Valid && iv.High.Value-iv.Low.Value < nothing {
		iv = stat.Interval{}
	}
	return report.Interval(o, iv)
}

func point(o stat.Opt) report.Estimate { return report.Interval(o, stat.Interval{}) }

// exact is a cut, which must not be rounded: it has to meet the score it stands for.
func exact(o stat.Opt) report.Estimate {
	e := point(o)
	if e.Value != nil {
		e.Value = &o.Value
	}
	return e
}

var tooFew = report.Estimate{Reason: string(stat.TooFew)}

func calibrate(m report.Manifest, j *judged, cfg Config) (report.CalibrationRow, error) {
	res := report.CalibrationRow{
		Judge: j.judge, Rubric: j.rubric, Instrument: report.InstrumentHash(m, j.judge, j.rubric),
		Label: j.column,
	}
	all := columnsOf(j.items, labelled)
	for _, part := range []func() error{
		func() error { return agree(&res, all, cfg) },
		func() error { return cut(&res, j.items, cfg) },
		func() error { return mapConfidence(&res, j, cfg) },
		func() error { return trust(&res, j, cfg) },
		func() error { return passRate(&res, j.items, all, cfg) },
	} {
		if err := part(); err != nil {
			return res, err
		}
	}
	if res.N > 0 && res.Conversations < 20 {
		res.Warnings = append(res.Warnings, "few labelled conversations: every number here is rough")
	}
	return res, nil
}

// agree compares the judge as it is with the labels.
func agree(res *report.CalibrationRow, c columns, cfg Config) error {
	res.N = len(c.gold)
	k, err := raters.ClusteredKappa(c.gold, c.verdict, c.cluster, verdicts, raters.NoWeights, interval.Bootstrap{Alpha: cfg.Alpha})
	if err != nil {
		return err
	}
	res.Conversations, res.Kappa = k.Clusters, between(k.Kappa.Kappa, k.CRCI)
	caught, kept := make([]float64, res.N), make([]float64, res.N)
	for i, g := range c.gold {
		caught[i], kept[i] = math.NaN(), math.NaN()
		if g == 0 {
			caught[i] = 1 - c.verdict[i]
		} else {
			kept[i] = c.verdict[i]
		}
	}
	if res.RecallWrong, err = report.Rate(caught, c.cluster, cfg.Alpha); err != nil {
		return err
	}
	if res.Specificity, err = report.Rate(kept, c.cluster, cfg.Alpha); err != nil {
		return err
	}
	balanced, err := truth.ConfusionInterval(c.gold, c.verdict, c.cluster,
		func(m truth.BinaryMetrics) stat.Opt { return m.BalancedAccuracy }, cfg.bootstrap())
	if err != nil {
		return err
	}
	res.BalancedAccuracy = between(balanced.Estimate, balanced.CI)
	auc, err := truth.ClusteredAUC(c.gold, c.value, c.cluster, cfg.Alpha)
	res.AUC = between(auc.AUC, auc.CI)
	return err
}

// cut looks for a better threshold on one half and tries it on the other.
func cut(res *report.CalibrationRow, list []item, cfg Config) error {
	fit, test := columnsOf(list, inHalf(false)), columnsOf(list, inHalf(true))
	best, err := truth.BestThreshold(fit.gold, fit.value, truth.Kappa)
	if err != nil {
		return err
	}
	t := &res.Threshold
	t.Best = exact(best.Threshold)
	t.AtDeclared, t.AtBest, t.Gain, t.GainSE = tooFew, tooFew, tooFew, tooFew
	if !best.Threshold.Valid {
		t.Note = "the half that fits has too few labels, or of one kind only: the declared threshold stays"
		return nil
	}
	moved := decided(test.value, best.Threshold.Value)
	boot := interval.Bootstrap{Alpha: cfg.Alpha}
	declared, err := raters.ClusteredKappa(test.gold, test.verdict, test.cluster, verdicts, raters.NoWeights, boot)
	if err != nil {
		return err
	}
	at, err := raters.ClusteredKappa(test.gold, moved, test.cluster, verdicts, raters.NoWeights, boot)
	if err != nil {
		return err
	}
	t.AtDeclared, t.AtBest = between(declared.Kappa.Kappa, declared.CRCI), between(at.Kappa.Kappa, at.CRCI)
	gain, err := raters.KappaDifference(test.gold, moved, test.verdict, test.cluster, verdicts, raters.NoWeights, cfg.bootstrap())
	if err != nil {
		return err
	}
	t.Gain, t.GainSE = between(gain.Estimate, gain.CI), point(gain.SE)
	t.Change = gain.Estimate.Valid && gain.SE.Valid && gain.Estimate.Value > gain.SE.Value
	t.Note = noteOf(t, slices.Equal(moved, test.verdict))
	return nil
}

// noteOf says what became of the fitted cut by the one-standard-error rule.
func noteOf(t *report.FittedCut, same bool) string {
	switch {
	case same:
		return fmt.Sprintf("passing from %g decides the other half as the declared threshold does, which stays", *t.Best.Value)
	case !t.Gain.Defined() || !t.GainSE.Defined():
		return fmt.Sprintf("the other half cannot tell whether passing from %g is better: the declared threshold stays", *t.Best.Value)
	case t.Change:
		return fmt.Sprintf("passing from %g: on the other half kappa rises by %.2f, more than its standard error of %.2f", *t.Best.Value, *t.Gain.Value, *t.GainSE.Value)
	}
	return fmt.Sprintf("passing from %g changes kappa on the other half by %+.2f, not more than its standard error of %.2f: the declared threshold stays", *t.Best.Value, *t.Gain.Value, *t.GainSE.Value)
}

// decided are verdicts by a cut.
func decided(values []float64, cut float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = indicator(v >= cut)
	}
	return out
}

// inUse is an item's verdict as the calibration will decide it.
func inUse(t report.FittedCut, it item) float64 {
	if t.Change && t.Best.Value != nil {
		return indicator(it.value >= *t.Best.Value)
	}
	return it.verdict
}

// passRate corrects the judge's rate by its errors on the labelled conversations.
func passRate(res *report.CalibrationRow, list []item, gold columns, cfg Config) error {
	drawn := map[string]bool{}
	for _, it := range list {
		if labelled(it) {
			drawn[it.conv] = true
		}
	}
	whole := columnsOf(list, func(item) bool { return true })
	rest := columnsOf(list, func(it item) bool { return !drawn[it.conv] })
	p := &report.CorrectedRate{WantedWidth: cfg.Width}
	res.PassRate = p
	var err error
	if p.Naive, err = report.Rate(whole.verdict, whole.cluster, cfg.Alpha); err != nil {
		return err
	}
	if p.LabelsOnly, err = report.Rate(gold.gold, gold.cluster, cfg.Alpha); err != nil {
		return err
	}
	ppi, err := truth.PPIClustered(gold.gold, gold.verdict, gold.cluster, rest.verdict, rest.cluster, truth.AutoLambda, cfg.Alpha)
	if err != nil {
		return err
	}
	p.Corrected = between(ppi.Estimate, ppi.CI)
	p.Bias = point(ppi.Rectifier).Times(-1)
	for _, w := range ppi.Warnings {
		res.Warnings = append(res.Warnings, w.Detail)
	}
	p.FurtherConversations = further(p.Corrected, ppi.LabeledClusters, cfg.Width)
	return nil
}

// further is about how many more conversations must be labelled: the width falls
// with the root of the labelled conversations while their share of the error
// dominates.
func further(now report.Estimate, labelled int, wanted float64) *int {
	if !now.HasInterval() || labelled < 2 {
		return nil
	}
	ratio := (*now.High - *now.Low) / wanted
	need := int(math.Ceil(float64(labelled)*ratio*ratio)) - labelled
	need = max(0, need)
	return &need
}
