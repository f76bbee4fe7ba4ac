package interval

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// The rules by which an interval is refused look at what can be observed, and never at how
// wide the interval came out: it must not rest on too few clusters. They were set by the
// simulation of docs/coverage.md, where intervals cover too little below.
const (
	// FewestShared is the least number of clusters that decide kappa or the Matthews correlation of two classes
	// ([Deciding]), unless they are a third of all.
	FewestShared = 3
	// FewestDeciding is the same number for the other coefficients. Their intervals are longer if few clusters
	// decide ([Jackknifed.Decided]).
	FewestDeciding = 2
	// FewestCompared is the least number of clusters in which gold has the rarer class, for a difference of
	// two judges' coefficients, unless they are a third of all.
	FewestCompared = 5
	// FewestRanked is the least number of clusters in which an item of the rarer class has another score than
	// the one most common in it, for an AUC, unless they are a third of all.
	FewestRanked = 3
	// FewestVaried is the least number of clusters that do not have the most common value alone,
	// for means and graded agreement, unless they are a third of all.
	FewestVaried = 6
)

// Deciding returns the number of clusters in which two values of an item are in the lower half of the range of
// all values, or in the upper half, whichever are fewer: those in which two raters found the rarer thing. Of two
// classes the halves are the classes.
func Deciding(index []int, clusters int, values func(item int) []float64) int {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range index {
		for _, v := range values(i) {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	half := func(upper bool) int {
		return Holding(index, clusters, func(i int) bool {
			n := 0
			for _, v := range values(i) {
				if (v > (low+high)/2) == upper {
					n++
				}
			}
			return n > 1
		})
	}
	return min(half(false), half(true))
}

// Shared is [Jackknifed.Fisher] of a coefficient of two classes that n clusters decide, which has no interval if they
// are fewer than [FewestShared] and than a third of all.
func (j Jackknifed) Shared(n int, alpha float64) Jackknifed {
	return j.Fisher(alpha).Unless(Few(n, FewestShared, j.Clusters), stat.FewRare)
}

// Decided is [Jackknifed.Fisher] of a coefficient that n clusters decide, which has no interval if they are fewer
// than [FewestDeciding] and than a third of all. The degrees of freedom f are fewer, 1/f + 1/2n in place of 1/f:
// if few of the clusters that decide are in a sample, its standard error is too small by chance.
func (j Jackknifed) Decided(n int, alpha float64) Jackknifed {
	j.Freedom = 1 / (1/j.Freedom + 0.5/math.Max(1, float64(n)))
	return j.Fisher(alpha).Unless(Few(n, FewestDeciding, j.Clusters), stat.FewRare)
}

// Holding returns the number of clusters that have an item of a kind.
func Holding(index []int, clusters int, kind func(item int) bool) int {
	has, n := make([]bool, clusters), 0
	for i, c := range index {
		if !has[c] && kind(i) {
			has[c] = true
			n++
		}
	}
	return n
}

// Varied returns the number of clusters in which some of the columns' values (NaN: none) is not
// the most common one.
func Varied(index []int, clusters int, columns ...[]float64) int {
	counts, common := map[float64]int{}, math.NaN()
	for _, column := range columns {
		for _, x := range column {
			if counts[x]++; math.IsNaN(common) || counts[x] > counts[common] {
				common = x
			}
		}
	}
	return Holding(index, clusters, func(item int) bool {
		for _, column := range columns {
			if x := column[item]; x != common && !math.IsNaN(x) {
				return true
			}
		}
		return false
	})
}

// Few reports whether n of the clusters are too few: fewer than the least number and than a third of all.
func Few(some, least, clusters int) bool { return some < least && 3*some < clusters }

// Unless holds the interval of a jackknife back for a reason of the data.
func (j Jackknifed) Unless(holds bool, r stat.Reason) Jackknifed {
	if holds && j.CI.Low.Valid {
		return j.refuse(r)
	}
	return j
}
