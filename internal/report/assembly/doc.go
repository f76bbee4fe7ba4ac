// Package assembly owns how a report comes to be: it reads the scores of a run, sums them
// up by instrument and tool, applies a calibration, and has the other rooms fill the
// document.
//
// It promises that the same scores give the same report whatever their order in the
// stream, that a missing score counts neither as a fail nor as a pass and is always
// counted, and that scores which cannot be used are counted in the report and end
// nothing.
//
// Memory: without a judge scores are summed up as they come, and a hash of each
// conversation is all that grows. With judges a score takes a byte or two (see room
// scoreset) and a comparison goes over the scores as they stand there, twice for its
// intervals; explanations are read in a second pass over the stream, for the
// disagreements that are shown.
package assembly
