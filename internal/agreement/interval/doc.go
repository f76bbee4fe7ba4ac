// Package interval owns how far chance alone could have moved a result: intervals of
// rates, standard errors of means that know their clusters, the cluster bootstrap of any
// statistic, tests of one difference or of one per tool, p-values corrected for their
// number, and what a design can detect. A result never depends on the number of processors.
package interval
