package classification

import (
	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
)

// ConfusionInterval bootstraps one measure of a binary prediction against binary gold
// over clusters; see [Confusion.Metrics] for the measures.
func ConfusionInterval(gold, predicted []float64, cluster []int, measure func(BinaryMetrics) statistic.Opt, cfg uncertainty.Bootstrap) (uncertainty.Resampled, error) {
	kept, index, g, _, err := statistic.CompleteClustered(cluster, gold, predicted)
	if err != nil {
		return uncertainty.Resampled{}, err
	}
	return uncertainty.ResampleClusters(confusionTotals(kept[0], kept[1], index, g), 4, confusionStatistic(measure), cfg)
}

func confusionTotals(gold, predicted []float64, index []int, g int) []float64 {
	totals := make([]float64, 4*g)
	for i, c := range index {
		cell := 0
		if statistic.IsPass(gold[i]) {
			cell += 2
		}
		if statistic.IsPass(predicted[i]) {
			cell++
		}
		totals[4*c+cell]++
	}
	return totals
}

func confusionStatistic(measure func(BinaryMetrics) statistic.Opt) uncertainty.Statistic {
	return func(s []float64) statistic.Opt {
		m, err := Confusion{TN: int(s[0]), FP: int(s[1]), FN: int(s[2]), TP: int(s[3])}.Metrics()
		if err != nil {
			return statistic.None(statistic.NotApplicable)
		}
		return measure(m)
	}
}
