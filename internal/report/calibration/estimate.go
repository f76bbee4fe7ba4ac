package calibration

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/calibration"
	"github.com/judgekit/judge/internal/agreement/classification"
	"github.com/judgekit/judge/internal/agreement/quality"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
	"github.com/judgekit/judge/internal/report"
)

var verdicts = []float64{0, 1}

// resamples is the size of the bootstraps here.
const resamples = 2000

func calibrate(m report.Manifest, key instrument, list []item, cfg Config) (report.CalibrationRow, error) {
	res := report.CalibrationRow{Judge: key.judge, Rubric: key.rubric, Instrument: report.InstrumentHash(m, key.judge, key.rubric)}
	all := columnsOf(list, labelled)
	for _, part := range []func() error{
		func() error { return agree(&res, all, cfg) },
		func() error { return cut(&res, list, cfg) },
		func() error { return mapConfidence(&res, list) },
		func() error { return passRate(&res, list, all, cfg) },
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
	k, err := raters.ClusteredKappa(c.gold, c.verdict, c.cluster, verdicts, raters.NoWeights, uncertainty.Bootstrap{Alpha: cfg.Alpha})
	if err != nil {
		return err
	}
	res.Conversations, res.Kappa = k.Clusters, report.Interval(k.Kappa.Kappa, k.CRCI)
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
	auc, err := classification.ROCAUC(c.gold, c.value, cfg.Alpha)
	res.AUC = report.Interval(auc.AUC, auc.CI)
	return err
}

// cut looks for a better threshold on one half and tries it on the other.
func cut(res *report.CalibrationRow, list []item, cfg Config) error {
	fit := columnsOf(list, func(it item) bool { return labelled(it) && !it.test })
	test := columnsOf(list, func(it item) bool { return labelled(it) && it.test })
	best, err := classification.BestThreshold(fit.gold, fit.value, classification.ThresholdSearch{Objective: classification.ObjectiveKappa})
	if err != nil {
		return err
	}
	t := &res.Threshold
	t.Best = report.Interval(best.Threshold, statistic.Interval{})
	none := report.Estimate{Reason: string(statistic.TooFew)}
	t.AtDeclared, t.AtBest, t.Gain = none, none, none
	if !best.Threshold.Valid {
		return nil
	}
	moved := make([]float64, len(test.value))
	for i, v := range test.value {
		moved[i] = truth(v >= best.Threshold.Value)
	}
	boot := uncertainty.Bootstrap{Alpha: cfg.Alpha}
	declared, err := raters.ClusteredKappa(test.gold, test.verdict, test.cluster, verdicts, raters.NoWeights, boot)
	if err != nil {
		return err
	}
	at, err := raters.ClusteredKappa(test.gold, moved, test.cluster, verdicts, raters.NoWeights, boot)
	if err != nil {
		return err
	}
	t.AtDeclared, t.AtBest = report.Interval(declared.Kappa.Kappa, declared.CRCI), report.Interval(at.Kappa.Kappa, at.CRCI)
	boot.Resamples, boot.Seed = resamples, cfg.Seed
	gain, err := raters.KappaDifference(test.gold, moved, test.verdict, test.cluster, verdicts, raters.NoWeights, boot)
	if err != nil {
		return err
	}
	t.Gain = report.Interval(gain.Estimate, gain.CI)
	t.Change = gain.Estimate.Valid && gain.SE.Valid && gain.Estimate.Value > gain.SE.Value
	return nil
}

// mapConfidence fits confidence to "the verdict was right" on one half and tries
// it on the other.
func mapConfidence(res *report.CalibrationRow, list []item) error {
	half := func(test bool) (conf, right []float64) {
		c := columnsOf(list, func(it item) bool {
			return labelled(it) && it.test == test && !math.IsNaN(it.confidence) && !math.IsNaN(it.verdict)
		})
		right = make([]float64, len(c.gold))
		for i := range right {
			right[i] = 1 - math.Abs(c.gold[i]-c.verdict[i])
		}
		return c.confidence, right
	}
	conf, right := half(false)
	fit, err := calibration.FitPlatt(conf, right)
	if err != nil {
		return err
	}
	out := &res.Confidence
	none := report.Estimate{Reason: string(statistic.TooFew)}
	out.A, out.B = report.Interval(fit.A, statistic.Interval{}), report.Interval(fit.B, statistic.Interval{})
	out.BrierRaw, out.BrierMapped = none, none
	conf, right = half(true)
	if !fit.A.Valid || !fit.B.Valid || len(conf) == 0 {
		return nil
	}
	mapped := make([]float64, len(conf))
	for i, p := range conf {
		mapped[i] = 1 / (1 + math.Exp(fit.A.Value*p+fit.B.Value))
	}
	raw, err := calibration.BrierScore(right, conf)
	if err != nil {
		return err
	}
	after, err := calibration.BrierScore(right, mapped)
	out.BrierRaw, out.BrierMapped = report.Interval(raw.Brier, statistic.Interval{}), report.Interval(after.Brier, statistic.Interval{})
	out.Use = raw.Brier.Valid && after.Brier.Valid && after.Brier.Value < raw.Brier.Value && fit.A.Value < 0
	return err
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
	p := &res.PassRate
	p.WantedWidth = cfg.Width
	var err error
	if p.Naive, err = report.Rate(whole.verdict, whole.cluster, cfg.Alpha); err != nil {
		return err
	}
	if p.LabelsOnly, err = report.Rate(gold.gold, gold.cluster, cfg.Alpha); err != nil {
		return err
	}
	ppi, err := quality.PPIClustered(gold.gold, gold.verdict, gold.cluster, rest.verdict, rest.cluster, quality.AutoLambda, cfg.Alpha)
	if err != nil {
		return err
	}
	p.Corrected = report.Interval(ppi.Estimate, ppi.CI)
	p.Bias = report.Interval(ppi.Rectifier, statistic.Interval{}).Negated()
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
