// Package contradiction owns the checks of one judge answer against itself and
// against the record it was given, without a model: is the quoted evidence in
// the record, does the proposed correction differ from the judged call, do the
// rubrics agree with each other. It changes no score; it reports findings.
//
// Inputs may be hostile: recursion, comparison work and number sizes are bounded.
package contradiction
