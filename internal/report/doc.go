// Package report defines the types of report.json, of a comparison, of a calibration and of the
// manifest, and reads and writes them. Package measure computes them, words expresses them in
// sentences, and render and page write them in every format.
//
// It promises that an undefined number is null with a reason, never 0 or NaN; that numbers are
// rounded, so that they are the same on every machine; that every list has a fixed order; and that
// a file of another version is refused. It computes no statistics: they all come from
// internal/agreement, and every interval is clustered by conversation, because the calls of one
// conversation are not independent.
//
// A wrong call is a call that the reference fails. Recall of wrong calls is the share of the wrong
// calls that the judge fails too; specificity is the share of the right calls that the judge
// passes. The base rate is the share of right calls.
package report
