// Package assembly owns how a report comes to be: it reads the scores of a run, sums them
// up by instrument and tool, applies a calibration, and fills the document: the rows of
// scores and tools, instruments held against each other (judges against references, each
// other and their retests), the funnel of the three layers, and the items on which a
// judge and a reference decide differently.
//
// It promises that the same scores give the same report whatever their order in the
// stream, that a missing score counts neither as a fail nor as a pass and is always
// counted, and that scores which cannot be used are counted in the report and end
// nothing.
//
// Nothing is compared that looks at the same facts by the same rules. An item counts only
// where both sides scored it, and what is missing on either side is counted beside. Every
// interval is clustered by conversation. The layers of the funnel are never merged into one
// number. Of disagreements all are counted and the weightiest listed, ties by id; a
// reference that shows little in a direction raises no conflict there.
//
// Memory: the scores are held in one table (see package series); what is summed up at one
// time are the scores of one instrument or of one pair. Explanations are read in a second
// pass over the stream, for the disagreements that are shown.
package assembly
