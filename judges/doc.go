// Package judges owns the judging of tool calls by language models: what a judge is
// asked (pure), how its answer is read (pure), what can be held against the answer
// without a model (pure), and one concurrent file that runs it all over a log.
//
// It promises:
//
//   - A prompt is a function of rubric, record and options, byte for byte, and
//     within one conversation it only grows at the end, so that prefix caches work.
//   - Nothing a judge must not see is rendered: not the call's own result nor
//     anything later, no expected calls, labels, scores or hidden reasoning.
//   - Logged text cannot leave its frame: one JSON value a line between markers
//     that the log's author cannot guess, with control text neutralised.
//   - An answer is a score only when it keeps the rubric's schema. What is out of
//     range is not clamped, what is cut short is not completed, and what failed is
//     a missing value with its kind, neither 0 nor fail.
//   - Checks on an answer set flags and never change the score.
//
// The package reads no logs and writes no reports.
package judges
