package truth

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// Likeness compares a judge's agreement with single people to the people's agreement with each
// other, on the items that the judge and at least two people decided.
type Likeness struct {
	// Judge is the mean over items of the share of people with the judge's verdict, People the mean
	// of the share of pairs of people with equal verdicts, Difference the mean of Judge - People;
	// all are in [-1, 1], with clustered intervals.
	Judge, People, Difference interval.ClusterSE
}

// HumanLikeness compares verdicts (1 pass, 0 fail, NaN none) of people, one column each, with those
// of a judge. If the judge were another person of the group, the difference would be 0.
func HumanLikeness(people [][]float64, judge []float64, cluster []int, alpha float64) (out Likeness, err error) {
	with, among, gap := make([]float64, len(judge)), make([]float64, len(judge)), make([]float64, len(judge))
	for i := range judge {
		passes, n := 0.0, 0.0
		for _, p := range people {
			if v := p[i]; !math.IsNaN(v) {
				passes, n = passes+v, n+1
			}
		}
		with[i], among[i] = stat.Missing(), stat.Missing()
		if fails := n - passes; n > 1 && !math.IsNaN(judge[i]) {
			with[i] = (judge[i]*passes + (1-judge[i])*fails) / n
			among[i] = (passes*(passes-1) + fails*(fails-1)) / (n * (n - 1))
		}
		gap[i] = with[i] - among[i]
	}
	for _, c := range []struct {
		values []float64
		into   *interval.ClusterSE
	}{{with, &out.Judge}, {among, &out.People}, {gap, &out.Difference}} {
		if *c.into, err = interval.ClusterMean(c.values, cluster, alpha); err != nil {
			return out, err
		}
	}
	return out, nil
}
