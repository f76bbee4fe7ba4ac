// Package verdict owns how answers on one item become a verdict: a score from
// the probabilities of its tokens, one score from repeated samples or from a
// panel of judges, and pass, fail, borderline or error from a score. A missing
// answer is never a fail.
package verdict
