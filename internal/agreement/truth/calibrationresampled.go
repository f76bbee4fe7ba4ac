package truth

import (
	"fmt"
	"math"
	"sort"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// CalibrationErrorInterval bootstraps the expected calibration error over
// clusters, with the bins fixed at those of the whole sample.
func CalibrationErrorInterval(confidence, correct []float64, cluster []int, bins int, strategy BinStrategy, cfg interval.Bootstrap) (interval.Resampled, error) {
	if _, err := CalibrationError(nil, nil, bins, strategy); err != nil {
		return interval.Resampled{}, err
	}
	kept, index, g, _, err := stat.CompleteClustered(cluster, confidence, correct)
	if err != nil {
		return interval.Resampled{}, err
	}
	if bins > 1000 {
		return interval.Resampled{}, fmt.Errorf("bins must be at most 1000 here, got %d", bins)
	}
	totals := make([]float64, g*3*bins)
	if g > 0 {
		edges := interiorEdges(kept[0], bins, strategy)
		for i, p := range kept[0] {
			at := (index[i]*bins + sort.SearchFloat64s(edges, p)) * 3
			totals[at]++
			totals[at+1] += p
			if stat.IsPass(kept[1][i]) {
				totals[at+2]++
			}
		}
	}
	return interval.ResampleClusters(totals, 3*bins, func(s []float64) stat.Opt {
		n, gap := 0.0, 0.0
		for b := 0; b < len(s); b += 3 {
			n += s[b]
			gap += math.Abs(s[b+1] - s[b+2])
		}
		return stat.Ratio(gap, n, stat.NoItems)
	}, cfg)
}
