// Package report owns the types of report.json, of a comparison, of a calibration and of the
// manifest, and how they are read and written. Package measure makes them, words says in
// sentences what they hold, and render and page write them in every format.
//
// It promises that an undefined number is null with a reason, never 0 or NaN; that
// numbers are rounded, so that they are the same on every machine; that every list has a
// fixed order; and that a file of another version is refused. It computes no statistic
// itself: all of them come from internal/agreement, and every interval is clustered by
// conversation, since the calls of one conversation are not independent.
//
// A wrong call is one that the reference fails. Recall of wrong calls is the share of the
// wrong calls that the judge fails too; specificity is the share of the right calls that the
// judge passes. The base rate is the share of right calls.
package report
