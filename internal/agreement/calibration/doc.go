// Package calibration owns the question whether a stated probability or
// confidence means what it says: Brier score and its parts, expected calibration
// error, maps from scores to probabilities (isotonic, Platt), and the confidence
// from which on verdicts may be trusted.
package calibration
