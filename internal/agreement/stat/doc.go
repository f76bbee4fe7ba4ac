// Package stat holds the basics of all statistics: columns of values with missing ones, the
// clusters of their items, numbers that may be undefined with a reason, and the probability
// distributions normal, Student t, beta and binomial.
//
// It follows the conventions of package agreement: NaN is missing, at least 0.5 is a pass,
// quantiles are type 7, variances divide by n-1. No function changes the columns it gets.
//
// Distributions use gonum's incomplete beta function: the relative error is near 1e-11 for counts
// and degrees of freedom up to some thousand, near 1e-6 at a million. They return NaN for arguments
// outside a function's domain; callers turn that into an undefined value.
package stat
