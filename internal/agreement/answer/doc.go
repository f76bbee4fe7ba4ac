// Package answer computes everything that follows from one judge answer: a score from the
// probabilities of its tokens, one score from repeated samples or from a panel of judges, and pass,
// fail, borderline or error from a score. It also checks an answer, without a model, against itself
// and against the record: is the quoted evidence in the record, does the proposed correction differ
// from the judged call, do the rubrics agree with each other.
//
// It promises that a missing answer is never a fail, and that checks change no score: they report
// findings. Inputs may be hostile: recursion, comparison work and number sizes are limited.
package answer
