// Package report owns what is said about a run: it joins the scores of judges,
// deterministic scorers and labels, compares them, and ranks where they disagree. The
// sub-package render turns a Report into text, JSON, Markdown, HTML, CSV or JUnit XML,
// gate decides what must come of it.
//
// It promises that the same scores give the same report whatever their order in
// the stream; that a missing score counts neither as a fail nor as a pass and is
// always counted; that an undefined number is null with a reason, never 0 or NaN;
// and that every interval is clustered by conversation, since the calls of one
// conversation are not independent. It computes no statistic itself: all of them
// come from package agreement.
//
// Words: a wrong call is one that the reference fails. Recall of wrong calls is the
// share of the wrong calls that the judge fails too; specificity is the share of
// the right calls that the judge passes. The base rate is the share of right calls.
//
// Memory: without a judge scores are summed up as they come, and a hash of each
// conversation is all that grows. With judges a score takes a byte or two (see room
// scoreset) and a comparison goes over the scores as they stand there, twice for its
// intervals; explanations are read in a second pass over the stream, for the
// disagreements that are shown.
package report
