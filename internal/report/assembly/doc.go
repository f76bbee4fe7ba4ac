// Package assembly owns how a report comes to be: it reads the scores of a run, sums them
// up by instrument and tool, applies a calibration, and has the other packages fill the
// document.
//
// It promises that the same scores give the same report whatever their order in the
// stream, that a missing score counts neither as a fail nor as a pass and is always
// counted, and that scores which cannot be used are counted in the report and end
// nothing.
//
// Memory: the scores are held in one table (see package series); what is summed up at one
// time are the scores of one instrument or of one pair. Explanations are read in a second
// pass over the stream, for the disagreements that are shown.
package assembly
