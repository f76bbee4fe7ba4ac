// Package agreement owns the statistics that say how far a judge can be
// trusted and what the agent's quality is: comparisons of judge, deterministic
// and human scores, their intervals under clustering, and the checks of one
// judge answer against itself. Numbers in, numbers and warnings out: it reads
// no files, knows no models, has no clock, and imports none of net, os, time.
//
// Conventions, kept by every function here:
//
//   - A missing input is NaN in a []float64 ([statistic.Missing]). Functions of two or
//     more columns drop an item when any of its values is missing and say how
//     many they dropped; nothing is imputed.
//   - A binary column holds 1 (pass, the positive class) and 0; values of at
//     least 0.5 count as 1.
//   - An undefined output is an [statistic.Opt] without a value and with a [statistic.Reason]; it is
//     never 0, 1, NaN or an infinity.
//   - Errors are for input that has no reading at all: columns of different
//     lengths, a rating outside the declared scale, an alpha outside (0,1).
//     Few items, one class, or no variance are not errors.
//   - alpha is the error rate of an interval, 0.05 for 95 %. Intervals of
//     bounded quantities are clipped only where the documentation says so.
//   - Quantiles are type 7 (linear between order statistics). Variances divide
//     by n-1 unless the documentation says n.
//   - The result does not depend on the number of processors: bootstrap
//     resample b always draws from the same part of the same random stream.
//
// The functions are typed for Go callers; [Evaluate] offers the same functions
// by name over JSON.
package agreement
