// Package interval owns the sampling error of results: intervals of rates, cluster-robust
// standard errors of means and, by the jackknife, of any statistic, when an interval is refused,
// tests of a difference, and p-values corrected for their number.
package interval
