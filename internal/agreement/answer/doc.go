// Package answer owns what is derived from one judge answer: a score from the probabilities of
// its tokens, one score from repeated samples or from a panel of judges, pass, fail,
// borderline or error from a score; and the checks of an answer against itself and
// against the record it was given, without a model: is the quoted evidence in the record,
// does the proposed correction differ from the judged call, do the rubrics agree with
// each other.
//
// It promises that a missing answer is never a fail, and that checks change no score:
// they report findings. Inputs may be hostile: recursion, comparison work and number
// sizes are bounded.
package answer
