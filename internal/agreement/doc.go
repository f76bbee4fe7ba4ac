// Package agreement owns the conventions of all statistics and the golden cases that test
// them. The statistics say how far a judge can be trusted and what the agent's quality is,
// and are in the packages below, typed for Go callers:
//
//   - stat: values that may be undefined, columns, clusters, distributions
//   - interval: intervals, clustered errors, tests
//   - raters: agreement beyond chance, correlation
//   - truth: a judge against binary gold, calibration, estimates from few labels
//   - answer: from the answers on one item to a verdict; an answer against itself and its sources
//
// Numbers in, numbers and warnings out: they read no files, know no models, have
// no clock, and import none of net, os, time.
//
// Conventions, kept by every function of these packages:
//
//   - A missing input is NaN in a []float64 (stat.Missing). Functions of two
//     or more columns drop an item when any of its values is missing and say how
//     many they dropped; nothing is imputed.
//   - A binary column holds 1 (pass, the positive class) and 0; values of at
//     least 0.5 count as 1.
//   - An undefined output is a stat.Opt without a value and with a
//     stat.Reason; it is never 0, 1, NaN or an infinity.
//   - Errors are for input that has no meaning: columns of different
//     lengths, a rating outside the declared scale, an alpha outside (0,1).
//     Few items, one class, or no variance are not errors.
//   - alpha is the error rate of an interval, 0.05 for 95 %. Intervals of
//     bounded quantities are clipped only if the documentation says so.
//   - Quantiles are type 7 (linear between order statistics). Variances divide
//     by n-1 unless the documentation says n.
//   - Nothing is drawn at random: the same input gives the same result.
package agreement
