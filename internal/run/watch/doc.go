// Package watch watches logs that grow: it finds the new and quiet conversations in a folder,
// remembers what was taken from them, counts what was judged on each day, and raises an alarm if
// more calls fail than before.
//
// It promises that a call is judged only once, even if its log grows, moves, is cut or is read
// twice; that nothing is lost if the process or the disk fails at any moment; and that, without a
// change, there is a false alarm on at most one of a hundred days.
package watch
