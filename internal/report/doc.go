// Package report owns the document about a run: the types of report.json and of the
// comparison, the manifest and the calibration, how they are read and written, and what
// they say of themselves in words. Rooms beside it make it: series holds the scores,
// agreement, disagreement and funnel fill their parts, assembly builds the whole and
// comparison holds two runs against each other. Others use it: render turns a Report into
// text, JSON, Markdown, HTML, CSV or JUnit XML, gate decides what must come of it.
//
// It promises that an undefined number is null with a reason, never 0 or NaN; that
// numbers are rounded, so that they are the same on every machine; that every list has a
// fixed order; and that a file of another version is refused. It computes no statistic
// itself: all of them come from internal/agreement, and every interval is clustered by
// conversation, since the calls of one conversation are not independent.
//
// Words: a wrong call is one that the reference fails. Recall of wrong calls is the
// share of the wrong calls that the judge fails too; specificity is the share of
// the right calls that the judge passes. The base rate is the share of right calls.
package report
