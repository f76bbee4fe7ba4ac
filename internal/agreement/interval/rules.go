package interval

import (
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// The rules that refuse an interval depend on what can be observed, never on the width of the
// interval: it must not be based on too few clusters. They were set by the simulation in
// docs/coverage.md: below these limits intervals cover too rarely.
const (
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

// Common gives a coefficient θ of agreement beyond chance a score interval, by way of the share s
// of what raters rate that they have in common: unseen agreement on rare ratings makes it longer.
// Let m be the median of all ratings and d the squared distance of two. Ratings a and b of an item
// have (d(a,m)+d(b,m)-d(a,b))/2 in common, of (d(a,m)+d(b,m)+d(a,b))/2: with two classes, s counts
// the items that both put into the rarer class among those that either does. θ is 1-(1-D)/c, where
// D = 2s/(1+s) is Dice's coefficient for two classes and c what chance leaves. The error of s
// follows from the jackknife of θ with Student's t, and is at least that of independent items.
func (j Jackknifed) Common(
	index []int, weight []float64, ratings func(item int) []float64, d func(a, b float64) float64, alpha float64,
) Jackknifed {
	j, ok := j.known()
	if !ok {
		return j
	}
	var all []float64
	for i := range index {
		all = append(all, ratings(i)...)
	}
	slices.Sort(all)
	median, low := all[len(all)/2], 0.0
	share, whole := make([]float64, len(index)), make([]float64, len(index))
	for i := range index {
		common, of := 0.0, ratings(i)
		for k, a := range of {
			for _, b := range of[:k] {
				both, apart := d(a, median)+d(b, median), d(a, b)
				common, whole[i] = common+both-apart, whole[i]+both+apart
			}
		}
		if share[i] = common / whole[i]; share[i] < 0 {
			low = -1.0 / 3 // the least that two opposite ratings have
		}
		if weight != nil {
			whole[i] *= weight[i]
		}
	}
	m, err := WeightedMean(share, whole, index, alpha)
	if err != nil || !m.SE.Valid || m.Mean.Value > 1-roundingZero {
		return j.refuse(stat.FewRare)
	}
	s := m.Mean.Value
	dice := func(s float64) float64 { return 2 * s / (1 + s) }
	left := (1 - j.Value.Value) / (1 - dice(s))
	se := j.SE.Value / left * (1 + s) * (1 + s) / 2 * stat.CriticalT(alpha, j.Freedom) / stat.Critical(alpha)
	p, n := math.Max(0, (s-low)/(1-low)), m.items
	if se = math.Max(se, m.SEIID.Value) / (1 - low); p > 0 {
		n = math.Max(m.EqualClusters, p*(1-p)/(se*se))
	}
	ci := wilson(p*n, n, stat.Critical(alpha))
	end := func(at stat.Opt) stat.Opt {
		return stat.Some(j.Value.Value + left*(dice(low+(1-low)*at.Value)-dice(s)))
	}
	j.CI = stat.Both(end(ci.Low), end(ci.High))
	return j
}

// Agreeing gives a coefficient the score interval of the mean observed agreement, and treats the agreement by
// chance as known. It has the degrees of freedom of a rate, f; if raters differ in n clusters, 1/f + 1/2n replaces
// 1/f: if n is small, a sample may by chance lack the clusters that make the standard error large.
func (j Jackknifed) Agreeing(observed ClusterSE, chance stat.Opt, n int, alpha float64) Jackknifed {
	j, ok := j.known()
	if !ok {
		return j
	}
	left := 1 - chance.Value
	freedom := 1 / (1/j.OneSided() + 0.5/math.Max(1, float64(n)))
	se := j.SE.Value * left * stat.CriticalT(alpha, freedom) / stat.Critical(alpha)
	ci := ScoreAround(observed.Mean.Value, se, observed.EqualClusters, alpha)
	end := func(at stat.Opt) stat.Opt { return stat.Some((at.Value - chance.Value) / left) }
	j.CI = stat.Both(end(ci.Low), end(ci.High))
	return j
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
