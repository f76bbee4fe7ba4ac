// Package calibration owns what a few hundred hand-made labels turn a judge into:
// a sheet to fill in, and from the filled sheet thresholds, a mapped confidence, a
// ranking of judges, and an estimate of the agent's true pass rate that corrects
// the judge's errors.
//
// It promises that estimates rest on the randomly drawn conversations alone, never
// on items that were picked because judge and reference disagree; that thresholds
// and mappings are fitted on one half of the conversations and reported on the
// other; and that a calibration names the instruments it was made with and refuses
// any other. The sheet holds no judge's verdict, so that whoever labels is not led
// by it.
package calibration
