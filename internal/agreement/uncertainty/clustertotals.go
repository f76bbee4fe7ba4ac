package uncertainty

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/statistic"
)

// ClusterTotals sums values over clusters that come one after the other, for standard
// errors that respect clusters. The zero value is ready.
type ClusterTotals struct {
	clusters int
	squares  compensated
	open     bool
	cluster  int
	sum      compensated
}

// Add takes the influence of one item; NaN is left out. The items of one cluster must
// follow one another.
func (t *ClusterTotals) Add(influence float64, cluster int) {
	if math.IsNaN(influence) {
		return
	}
	if t.open && cluster != t.cluster {
		t.close()
	}
	t.open, t.cluster = true, cluster
	t.sum.add(influence)
}

func (t *ClusterTotals) close() {
	if !t.open {
		return
	}
	s := t.sum.value()
	t.clusters++
	t.squares.addProduct(s, s)
	t.open, t.sum = false, compensated{}
}

// SE is √(G/(G-1)·Σ(sum of a cluster)²), the CR1 standard error of an estimate whose
// items have these influences; it is undefined for fewer than two clusters.
func (t *ClusterTotals) SE() statistic.Opt {
	done := *t
	done.close()
	if done.clusters < 2 {
		return statistic.None(statistic.TooFew)
	}
	g := float64(done.clusters)
	return statistic.Some(math.Sqrt(math.Max(0, done.squares.value()) * g / (g - 1)))
}

// Interval is estimate ± t(G-1)·SE, not clipped.
func (t *ClusterTotals) Interval(estimate statistic.Opt, alpha float64) (statistic.Interval, error) {
	if err := statistic.CheckAlpha(alpha); err != nil {
		return statistic.Interval{}, err
	}
	done := *t
	done.close()
	return statistic.Around(estimate, done.SE().Times(statistic.CriticalT(alpha, math.Max(1, float64(done.clusters-1))))), nil
}
