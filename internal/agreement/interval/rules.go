package interval

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// The rules that refuse an interval depend on what can be observed, never on the width of the
// interval: it must not be based on too few clusters. They were set by the simulation in
// docs/coverage.md: below these limits intervals cover too rarely.
const (
	// FewestShared is the smallest number of deciding clusters ([Deciding]) for kappa or the
	// Matthews correlation of two classes, unless they are a third of all.
	FewestShared = 3
	// FewestDeciding is the same number for the other coefficients. Their intervals are longer if
	// few clusters decide ([Jackknifed.Decided]).
	FewestDeciding = 2
	// FewestCompared is the smallest number of clusters in which gold has the rarer class, for a
	// difference of two judges' coefficients, unless they are a third of all.
	FewestCompared = 5
	// FewestRanked is, for an AUC, the smallest number of clusters in which an item of the rarer
	// class has a score other than that class's most common one, unless they are a third of all.
	FewestRanked = 3
	// FewestVaried is, for means and graded agreement, the smallest number of clusters that have a
	// value other than the most common one, unless they are a third of all.
	FewestVaried = 6
)

// Deciding returns the number of clusters in which both values of some item are in the lower half
// of the range of all values, or in the upper half, whichever number is smaller: the clusters in
// which two raters found the rarer thing. Of two classes, each half is a class.
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

// Shared is like [Jackknifed.Fisher], for a coefficient of two classes that n clusters decide.
// There is no interval if n is less than [FewestShared] and less than a third of all.
func (j Jackknifed) Shared(n int, alpha float64) Jackknifed {
	return j.Fisher(alpha).Unless(Few(n, FewestShared, j.Clusters), stat.FewRare)
}

// Decided is like [Jackknifed.Fisher], for a coefficient that n clusters decide. There is no
// interval if n is less than [FewestDeciding] and less than a third of all. The degrees of freedom
// f are reduced, to 1/f + 1/2n instead of 1/f: if a sample has few deciding clusters, its standard
// error is too small by chance.
func (j Jackknifed) Decided(n int, alpha float64) Jackknifed {
	j.Freedom = 1 / (1/j.Freedom + 0.5/math.Max(1, float64(n)))
	return j.Fisher(alpha).Unless(Few(n, FewestDeciding, j.Clusters), stat.FewRare)
}

// Holding returns the number of clusters with an item of a kind.
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

// Varied returns the number of clusters with a value in the columns (NaN means none) that is not
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

// Few reports whether some of the clusters are too few: less than least and less than a third of
// all.
func Few(some, least, clusters int) bool { return some < least && 3*some < clusters }

// Unless removes the interval of a jackknife, with a reason, if the condition is true.
func (j Jackknifed) Unless(holds bool, r stat.Reason) Jackknifed {
	if holds && j.CI.Low.Valid {
		return j.refuse(r)
	}
	return j
}
