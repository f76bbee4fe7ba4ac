// Package watch owns the watching of logs that grow: which conversations of a folder are new and quiet,
// what was taken of them already, what was judged on each day, and when more calls fail than before.
//
// It promises that a call is given out once, however its log grows, moves, is cut or is read twice, that
// nothing is lost when the process or the disk fails at any moment, and that an alarm is false on at most
// one of a hundred days without a change.
package watch
