// Package funnel owns the funnel of the three layers: who passes the schema, the calls
// and the execution, where cases are lost, and on which of them the layers say different
// things.
//
// It promises that the layers are never merged into one number, that a case counts in
// every layer that met it, and that tables may be fed one after the other: what is kept
// is a count for each combination of verdicts and the first cases of it, whatever the
// number of scores.
package funnel
