package report

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// Detectable says which true changes a run of this size can show at all, with 80 %
// power and before any correction for many tests, in units of the rate or mean that it
// stands beside.
type Detectable struct {
	// FromTarget is against a fixed number, BetweenRuns between two independent runs
	// of this size. The same items twice show smaller ones: see Compare.
	FromTarget  Estimate `json:"from_target"`
	BetweenRuns Estimate `json:"between_runs"`
}

// SmallestChange is the smallest true difference that the mean of these values can show.
func SmallestChange(m interval.ClusterSE, alpha float64) (stat.Opt, error) {
	if !m.SEIID.Valid || !m.Deff.Valid || m.SEIID.Value == 0 {
		return stat.None(stat.ZeroVariance), nil
	}
	n := float64(m.N)
	const power = 0.8
	return interval.DetectableMean(m.SEIID.Value*math.Sqrt(n), n, m.Deff.Value, alpha, power)
}

// DetectableOf says what the mean of what is asked of each item can show.
func DetectableOf[T clustered](all []T, of func(T) float64, alpha float64) (Detectable, error) {
	m, err := SpreadOf(all, of, alpha)
	if err != nil {
		return Detectable{}, err
	}
	d, err := SmallestChange(m, alpha)
	return Detectable{FromTarget: Point(d), BetweenRuns: Point(d.Times(math.Sqrt2))}, err
}
