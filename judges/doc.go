// Package judges owns the judging of tool calls by language models: it asks, reads,
// checks, and runs that over a whole log. It is the public face of its rooms, which
// hold what is pure: what a judge is asked (prompt), how its answer is read (reply),
// what can be held against the answer without a model (check), what a judgement
// comes to (result), and what several judges make together (team).
//
// It promises, beside what those rooms promise:
//
//   - Nothing a judge must not see is sent: not the call's own result nor anything
//     later, no expected calls, labels, scores or hidden reasoning.
//   - An answer is a score only when it keeps the rubric's schema. What failed is a
//     missing value with its kind, neither 0 nor fail.
//   - Checks on an answer set flags and never change the score.
//   - Outcomes come in the order of the log, whatever the concurrency.
//
// The package reads no logs and writes no reports.
package judges
