// Package disagreement owns the list of calls and conversations on which a judge and a
// reference decide differently: what each such conflict weighs, which come first, and
// the texts beside them.
//
// It promises that all are counted and the weightiest listed; that ties are broken by id,
// so that the list does not depend on the order of the stream; that a reference whose
// word is weak in a direction raises no conflict there; and that texts are read in a
// second pass, clipped, for those that are shown alone.
package disagreement
