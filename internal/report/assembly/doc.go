// Package assembly builds a report and a comparison of two runs: it holds the
// scores of a run in one table in memory, summarizes them by instrument and tool, applies a
// calibration, and fills the document: the rows of scores and tools, instruments compared
// with each other (judges with references, other judges and their retests), the funnel of
// the three layers, the items on which a judge and a reference decide differently, and what
// changed from one run to another.
//
// It promises that the same scores give the same report whatever their order in the
// stream; that of one instrument's scores for an item one counts and the others are counted
// as duplicates; that a missing score counts neither as a fail nor as a pass and is always
// counted; and that unusable scores are counted and do not end the report.
//
// Instruments that apply the same rules to the same facts are not compared. An item counts only
// where both sides scored it, and what is missing on either side is counted apart. Every
// interval is clustered by conversation. The layers of the funnel are never merged into one
// number. Of disagreements all are counted and those with most weight listed, ties by id.
//
// Two runs are paired item by item, or by conversation where the agent made other calls.
// Their p-values are corrected for the number of rows, and whatever else differs between
// the runs, such as a model, a prompt or a threshold, is reported.
//
// Memory: at a million scores one takes 24 bytes with ten instruments and five calls a
// conversation, and 96 with two instruments and one call (BenchmarkTable). A score takes 16
// to 32 bytes, a call 20, and its place in a map where the calls of its conversation come in
// another order; a conversation its id, its place and about 110. Explanations are read in a
// second pass, for the disagreements that are shown.
package assembly
