// Package judges judges the tool calls of agents by language models: it asks, reads and
// checks the answers, and runs that over a whole log.
//
// Open returns a Judge for a model at an Endpoint; Judge.Call judges one call, and Run a
// stream of conversations with several judges at once. Conversations come from package
// logs, rubrics from package rubrics. The model BaselineModel is a judge of rules that needs
// no endpoint.
//
// The package promises:
//
//   - It sends nothing that a judge must not see: not the call's own result nor anything
//     later, no expected calls, labels, scores or hidden reasoning.
//   - An answer becomes a score only if it matches the rubric's schema. A failure is a
//     missing value with its kind, neither 0 nor fail.
//   - Checks on an answer set flags and never change the score.
//   - Outcomes come in the order of the log, whatever the concurrency.
//
// The package reads no logs and writes no reports.
package judges
