// Package interval owns the sampling error of results: intervals of
// rates, cluster-robust standard errors of means, the cluster bootstrap of any
// statistic, tests of one difference or of one per tool, p-values corrected for their
// number, and what a design can detect. A result never depends on the number of processors.
package interval
