package truth

import (
	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// ConfusionInterval bootstraps one measure of a binary prediction against binary gold
// over clusters; see [Confusion.Metrics] for the measures.
func ConfusionInterval(gold, predicted []float64, cluster []int, measure func(BinaryMetrics) stat.Opt, cfg interval.Bootstrap) (interval.Resampled, error) {
	kept, index, g, _, err := stat.CompleteClustered(cluster, gold, predicted)
	if err != nil {
		return interval.Resampled{}, err
	}
	return interval.ResampleClusters(confusionTotals(kept[0], kept[1], index, g), 4, confusionStatistic(measure), cfg)
}

func confusionTotals(gold, predicted []float64, index []int, g int) []float64 {
	totals := make([]float64, 4*g)
	for i, c := range index {
		cell := 0
		if stat.IsPass(gold[i]) {
			cell += 2
		}
		if stat.IsPass(predicted[i]) {
			cell++
		}
		totals[4*c+cell]++
	}
	return totals
}

func confusionStatistic(measure func(BinaryMetrics) stat.Opt) interval.Statistic {
	return func(s []float64) stat.Opt {
		m, err := Confusion{TN: int(s[0]), FP: int(s[1]), FN: int(s[2]), TP: int(s[3])}.Metrics()
		if err != nil {
			return stat.None(stat.NotApplicable)
		}
		return measure(m)
	}
}
