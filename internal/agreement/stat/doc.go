// Package stat owns what every statistic is made of: columns of values in which some are
// missing, the clusters their items belong to, the number that comes out, which may be
// undefined and then says why, and the probability distributions: normal, Student t, beta,
// binomial.
//
// It keeps the conventions of package agreement: NaN is missing, at least 0.5 is a pass,
// quantiles are type 7, variances divide by n-1. No function changes the columns it is
// given.
//
// Distributions rest on the incomplete beta function of gonum: a relative error near
// 1e-11 for counts and degrees of freedom up to some thousand, near 1e-6 at a million.
// They are NaN for arguments outside a function's domain; callers turn that into an
// undefined value.
package stat
