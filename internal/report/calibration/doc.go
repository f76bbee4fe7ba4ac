// Package calibration owns what a few hundred hand-made labels turn a judge into:
// a sheet to fill in, and from the filled sheet thresholds, the best of a judge's
// confidences and its map to a chance, the cut from which on the judge may be trusted
// alone, judges against each other, and an estimate of the agent's true pass rate that
// corrects the judge's errors.
//
// It promises that estimates rest on the randomly drawn conversations alone, never
// on items that were picked because judge and reference disagree; that a label speaks
// of its own rubric only, and the label of the whole call of the overall one; that
// thresholds and mappings are fitted on one half of the conversations and reported on
// the other; and that a calibration names the instruments it was made with and refuses
// any other. The sheet holds no judge's verdict, so that whoever labels is not led
// by it.
package calibration
