package raters

import (
	"fmt"
	"math"
	"sort"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// KappaDifference bootstraps κ(reference, a) - κ(reference, b) over clusters:
// does judge a agree with the reference better than judge b. Items with any of
// the three missing are dropped. P is two-sided, by inversion.
func KappaDifference(reference, a, b []float64, cluster []int, labels []float64, w Weighting, cfg interval.Bootstrap) (interval.Resampled, error) {
	kept, index, g, _, err := stat.CompleteClustered(cluster, reference, a, b)
	if err != nil {
		return interval.Resampled{}, err
	}
	q := len(labels)
	weights, err := positionWeights(w, q)
	if err != nil {
		return interval.Resampled{}, err
	}
	first, err := clusterTables(kept[0], kept[1], labels, index, g)
	if err != nil {
		return interval.Resampled{}, err
	}
	second, err := clusterTables(kept[0], kept[2], labels, index, g)
	if err != nil {
		return interval.Resampled{}, err
	}
	kappa := kappaStatistic(q, weights)
	return interval.ResampleDifference(first, second, q*q, kappa, cfg)
}

// AlphaInterval bootstraps Krippendorff's alpha over conversations, not over
// units. ratings is raters × units, cluster names the conversation of each unit.
// At most 200 distinct values: bin graded scores first.
func AlphaInterval(ratings [][]float64, cluster []int, level string, cfg interval.Bootstrap) (interval.Resampled, error) {
	point, err := KrippendorffAlpha(ratings, level)
	if err != nil {
		return interval.Resampled{}, err
	}
	if len(ratings) == 0 || len(ratings[0]) != len(cluster) {
		return interval.Resampled{}, fmt.Errorf("%w: alpha needs one cluster per unit", stat.ErrLengths)
	}
	var values []float64
	for _, row := range ratings {
		values = stat.Distinct(append(values, stat.Present(row)...))
	}
	q := len(values)
	if q > 200 {
		return interval.Resampled{}, fmt.Errorf("%d distinct values are more than 200; bin them first", q)
	}
	if q == 0 {
		none := stat.None(stat.NoItems)
		return interval.Resampled{Estimate: point.Alpha, SE: none, CI: stat.NoInterval(stat.NoItems), P: none}, nil
	}
	totals := coincidences(ratings, cluster, values)
	return interval.ResampleClusters(totals, q*q, alphaStatistic(level, values), cfg)
}

// coincidences are the pairs of values within units, by cluster: clusters × q·q,
// each unit weighing 1/(ratings-1). Clusters without a pairable unit are left out.
func coincidences(ratings [][]float64, cluster []int, values []float64) []float64 {
	q := len(values)
	slot := make(map[int]int)
	var totals []float64
	for i, id := range cluster {
		var places []int
		for _, row := range ratings {
			if !math.IsNaN(row[i]) {
				places = append(places, sort.SearchFloat64s(values, row[i]))
			}
		}
		if len(places) < 2 {
			continue
		}
		c, ok := slot[id]
		if !ok {
			c = len(slot)
			slot[id] = c
			totals = append(totals, make([]float64, q*q)...)
		}
		for x, p := range places {
			for y, r := range places {
				if x != y {
					totals[c*q*q+p*q+r] += 1 / float64(len(places)-1)
				}
			}
		}
	}
	return totals
}

func alphaStatistic(level string, values []float64) interval.Statistic {
	q := len(values)
	return func(o []float64) stat.Opt {
		count := make([]float64, q)
		for c := range q {
			count[c] = stat.Sum(o[c*q : (c+1)*q])
		}
		distance := distanceOf(level, values, count)
		n, do, de := stat.Sum(count), 0.0, 0.0
		for c := range q {
			for k := range q {
				d := distance(c, k)
				do += o[c*q+k] * d
				de += count[c] * count[k] * d
			}
		}
		if de == 0 || n <= 1 {
			return stat.None(stat.ZeroVariance)
		}
		return stat.Some(1 - (n-1)*do/de)
	}
}
