// Package stat owns what every statistic is made of: columns of values in which some are
// missing, the clusters their items belong to, the random stream of the bootstraps, the
// number that comes out, which may be undefined and then says why, and the probability
// distributions: normal, Student t, chi-square, beta, F, binomial and hypergeometric.
//
// It keeps the conventions of package agreement: NaN is missing, at least 0.5 is a pass,
// quantiles are type 7, variances divide by n-1. No function changes the columns it is
// given.
//
// Distributions have a relative error near 1e-12 over the ranges a report meets (degrees
// of freedom and counts up to about 1e9), never panic, and return NaN, and nothing but
// NaN, for arguments outside a function's domain; callers turn that into an undefined
// value. Their tails are computed from C. Loader's deviance form of the binomial
// probability ("Fast and Accurate Computation of Binomial Probabilities", 2000), because
// differences of log-gamma values lose nine digits at a million items.
package stat
