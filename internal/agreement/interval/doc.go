// Package interval computes the sampling error of results: intervals of rates, cluster-robust
// standard errors of means and, by the jackknife, of any statistic, tests of a difference, and
// p-values corrected for their number. It also decides when there are too few clusters for an
// interval.
package interval
