// Package statistic owns what every statistic is made of: columns of values in
// which some are missing, the clusters their items belong to, the random stream
// of the bootstraps, and the number that comes out, which may be undefined and
// then says why. It knows no single statistic.
//
// The conventions of package agreement are kept here: NaN is missing, at least
// 0.5 is a pass, quantiles are type 7, variances divide by n-1. No function
// changes the columns it is given.
package statistic
