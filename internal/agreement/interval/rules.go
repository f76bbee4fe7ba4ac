package interval

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// The rules by which an interval is refused look at what can be observed, and never at how
// wide the interval came out: it must not rest on too few clusters. They were set by the
// simulation of docs/coverage.md, where intervals cover too little below.
const (
	// FewestDeciding is the least number of clusters in which both raters put an item into the
	// rarer of two classes, for kappa and the Matthews correlation, unless they are a third of all.
	FewestDeciding = 3
	// FewestCompared is the least number of clusters in which gold has the rarer class, for a difference of
	// two judges' coefficients, unless they are a third of all.
	FewestCompared = 6
	// FewestRanked is the least number of clusters that have the rarer class, for an AUC, unless they are a
	// third of all.
	FewestRanked = 10
	// FewestVaried is the least number of clusters that do not have the most common value alone,
	// for means and graded agreement, unless they are a third of all. For Fleiss' kappa
	// and alpha of two classes two raters must share the rarer one in them.
	FewestVaried = 6
)

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

// UnlessFew holds interval and p-value back where too few clusters decide.
func (d Difference) UnlessFew(deciding int) Difference {
	if Few(deciding, FewestCompared, d.Clusters) && d.CI.Low.Valid {
		d.Jackknifed, d.P = d.refuse(stat.FewRare), stat.None(stat.FewRare)
	}
	return d
}
