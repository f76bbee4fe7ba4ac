// Package measure computes a report from a table of scores or columns: one way to pair items, rank judges and
// warn about weak numbers. Its tables come from the scores of a run (Build), of two runs (Compare), of a run
// and its labels (Calibrate), and from the columns of a file that any tool may have written (Agree). Gates
// decide conditions on the result.
//
// The same scores give the same report, whatever their order in the stream. If an instrument scores an item
// twice, one score counts and the other is counted as a duplicate. A missing score counts neither as a pass nor
// as a fail, and every missing score is counted. A score that cannot be used is counted too, and the report
// goes on. A number that the data do not allow is undefined and has a reason; the first error of a statistic is
// kept and ends the report.
//
// A pair of instruments is compared on the items that both scored; what is missing on either side is counted.
// Instruments that apply the same rules to the same facts are not compared. Every interval is clustered by
// conversation. The layers of the funnel are never merged into one number. All disagreements are counted; the
// ones with the most weight are listed, ties by id.
//
// Two runs are paired item by item, or by conversation if the agent made other calls. Their p-values are
// corrected for the number of rows. Whatever else differs between the runs, such as a model, a prompt or a
// threshold, is reported.
//
// A calibration rests on the randomly drawn conversations alone, never on items that were picked because judge
// and reference disagree. A label is for its own rubric; a label of the whole call is for the overall rubric.
// Thresholds are fitted on one half of the conversations and reported on the other. A calibration names the
// instruments it was made with and refuses all others. The sheet shows no verdict of the judge, so that it does
// not lead the labeller.
//
// The report of a table names the words taken as pass and fail, and the rows that were dropped and why: no
// guess is hidden.
//
// A gate never passes unmeasured: it fails if nothing was measured. If the data cannot decide, it passes and
// says so, unless it is strict.
//
// Memory: a million scores take 24 bytes each with ten instruments and five calls a conversation, and 96 bytes
// with two instruments and one call (BenchmarkTable). A score takes 16 to 32 bytes; a call takes 20, and its
// place in a map if the calls of its conversation come in another order; a conversation takes its id, its place
// and about 110 bytes. Explanations are read in a second pass, for the disagreements that are shown.
package measure
