// Package state compares JSON states: what changed between two states, and how a final state
// differs from the wanted one, given the state from which both started.
//
// It promises that a difference is named by a JSON Pointer (RFC 6901) and by its kind (a missing
// change, a wrong value, a change that nobody asked for), that the order of differences depends
// only on the states, and that, if the states share structure, the work grows with the differences
// and not with the size of the states.
package state

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Kind says what a difference means.
type Kind string

// The kinds. Without a start state a value only in the final state is
// Unexpected, one only in the expected state is Missing, and any other
// difference is Wrong.
const (
	// Missing: the expected state differs from the start here, the final state does not.
	missing Kind = "missing"
	// Wrong: both differ from the start here, in different ways.
	wrong Kind = "wrong"
	// Unexpected: only the final state differs from the start here (pollution).
	Unexpected Kind = "unexpected"
)

// Change is one difference between two states: the expected and the final one of a run, or those
// before and after something.
type Change struct {
	// Path is the JSON Pointer of the value.
	Path string
	Kind Kind
	// Start, Expected and Final are the values at Path, or nil. Of two states before and after
	// something, Expected is the first, Final the second.
	Start, Expected, Final *value.Value
	// Element names the element of a keyed or set-like array, such as "item_id=42"; "" elsewhere.
	Element string
	// Call is the index of the call that wrote the final value; -1 if unknown.
	Call int
	// ExpectedCall is the index of the expected call that leads to the expected value; -1 if
	// unknown.
	ExpectedCall int
}

// Op returns "added", "removed" or "changed".
func (c Change) Op() string { return c.op("added", "removed", "changed") }

// op returns one of the three words, depending on the change of the value.
func (c Change) op(added, removed, changed string) string {
	switch {
	case c.Expected == nil:
		return added
	case c.Final == nil:
		return removed
	}
	return changed
}

// Object returns c as a JSON object: path, kind, op ("added", "removed" or "changed"),
// start, expected, final (those that exist), element, call, expected_call (where known).
func (c Change) Object() value.Value {
	o := value.Pairs("path", c.Path, "kind", string(c.Kind), "op", c.Op())
	add := func(key string, known bool, v any) {
		if known {
			o = o.With(key, value.Of(v))
		}
	}
	add("start", c.Start != nil, c.Start)
	add("expected", c.Expected != nil, c.Expected)
	add("final", c.Final != nil, c.Final)
	add("element", c.Element != "", c.Element)
	add("call", c.Call >= 0, c.Call)
	add("expected_call", c.ExpectedCall >= 0, c.ExpectedCall)
	return o
}

// Operation returns c as an operation of RFC 6902, with the previous value under "old".
func (c Change) Operation() value.Value {
	o := value.Pairs("op", c.op("add", "remove", "replace"), "path", c.Path)
	if c.Final != nil {
		o = o.With("value", *c.Final)
	}
	if c.Expected != nil {
		o = o.With("old", *c.Expected)
	}
	return o
}

// Overlaps reports whether one of the pointers a and b is the other, or leads to
// something inside it.
func Overlaps(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return strings.HasPrefix(b, a) && (len(a) == len(b) || b[len(a)] == '/')
}
