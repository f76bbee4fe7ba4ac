// Package distribution owns the probability distributions that the statistics
// of package agreement rest on: normal, Student t, chi-square, beta, F,
// binomial and hypergeometric.
//
// It promises a relative error near 1e-12 over the ranges a report meets
// (degrees of freedom and counts up to about 1e9), never panics, and returns
// NaN, and nothing but NaN, for arguments outside a function's domain; callers
// turn that into an undefined value.
//
// The tails are computed from C. Loader's deviance form of the binomial
// probability ("Fast and Accurate Computation of Binomial Probabilities",
// 2000), because differences of log-gamma values lose nine digits at a million
// items.
package distribution
