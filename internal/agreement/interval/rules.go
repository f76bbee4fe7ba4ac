package interval

import (
	"github.com/judgekit/judge/internal/agreement/stat"
)

// The rules by which an interval is refused look at what can be observed, and never at how
// wide the interval came out. They were set by the simulation of docs/coverage.md: where one
// of them holds an interval back, it covered less than .93 at 100 clusters, or .91 at 30.
const (
	// FewestShared is the least number of items that two raters both put into the rarer of two
	// classes, for kappa and the Matthews correlation; FewestInPanel that of items that two of
	// several do, for Fleiss' kappa and alpha.
	FewestShared  = 5
	FewestInPanel = 8
	// FewestRanked is the least number of items of the rarer class for an AUC.
	FewestRanked = 40
	// FewestCompared is the least number of items of the rarer class for a difference of two
	// judges' coefficients.
	FewestCompared = 15
	// leastVaried is the share of values that must differ from the most common one for the t
	// interval of a mean over fewer than manyClusters clusters.
	leastVaried  = 0.3
	manyClusters = 200
	fewClusters  = 50
	// leastEven is the share of effective clusters, (Σn)²/Σn² of all clusters, below which
	// their unequal sizes count.
	leastEven = 0.6
)

// Uneven reports whether clusters, fewer than 200, are so unequal that they count as fewer
// than 0.6 of their number by (Σn)²/Σn².
func Uneven(index []int, clusters int) bool {
	return clusters < manyClusters && effectiveClusters(index, clusters) < leastEven*float64(clusters)
}

// OneSided reports whether the ratings of items are too much the same for a coefficient of
// graded agreement: three quarters of them over few clusters, or two thirds over uneven ones.
func OneSided(ratings []float64, index []int, clusters int) bool {
	return clusters < fewClusters && mostlyOne(ratings, 0.75) || Uneven(index, clusters) && mostlyOne(ratings, 0.65)
}

// Rarer reports whether the rarer class has few items for uneven clusters: less than 15 % of all.
func Rarer(rarer, all int, index []int, clusters int) bool {
	return 100*rarer < 15*all && Uneven(index, clusters)
}

// For holds the interval back for a reason of the data.
func (j Jackknifed) For(holds bool, r stat.Reason) Jackknifed {
	if holds && j.CI.Low.Valid {
		return j.refuse(r)
	}
	return j
}

// Unless holds the interval of a jackknife back where there are too few items of a kind.
func (j Jackknifed) Unless(few bool) Jackknifed {
	if few && j.CI.Low.Valid {
		return j.refuse(stat.FewRare)
	}
	return j
}

// Unless holds interval and p-value back where there are too few items of a kind.
func (d Difference) Unless(few bool) Difference {
	if few && d.CI.Low.Valid {
		d.Jackknifed, d.P = d.refuse(stat.FewRare), stat.None(stat.FewRare)
	}
	return d
}

// effectiveClusters is the number of equal clusters whose sizes would vary a sum as much.
func effectiveClusters(index []int, clusters int) float64 {
	sizes := make([]float64, clusters)
	for _, c := range index {
		sizes[c]++
	}
	n := float64(len(index))
	return n * n / stat.SumSquares(sizes, 0)
}

// mostlyOne reports whether so large a share of the values, more than half, are the same:
// the only candidate is the one that survives a vote of all (Boyer and Moore 1981).
func mostlyOne(v []float64, share float64) bool {
	candidate, lead := 0.0, 0
	for _, x := range v {
		switch {
		case lead == 0:
			candidate, lead = x, 1
		case x == candidate:
			lead++
		default:
			lead--
		}
	}
	same := 0.0
	for _, x := range v {
		if x == candidate {
			same++
		}
	}
	return same > share*float64(len(v))
}
