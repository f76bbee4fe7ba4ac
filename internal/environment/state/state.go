// Package state owns the comparison of JSON states: what changed between two
// states, and how a final state differs from the one that was wanted, seen from
// the state that both started in.
//
// It promises that a difference is named by a JSON Pointer (RFC 6901) and by its
// kind (a change that is missing, a value that is wrong, a change that nobody
// asked for), that the order of differences depends on the states alone, and that
// the work grows with what differs, not with the size of the states, where the
// states share structure.
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
	// Missing: the expected state differs from the start here and the final state
	// does not.
	missing Kind = "missing"
	// Wrong: both differ from the start here, in different ways.
	wrong Kind = "wrong"
	// Unexpected: only the final state differs from the start here (pollution).
	Unexpected Kind = "unexpected"
)

// Change is one difference between two states: the expected one and the final one of a
// run, or those before and after something.
type Change struct {
	// Path is the JSON Pointer of the value.
	Path string
	Kind Kind
	// Start, Expected and Final are the values at Path; nil where there is none. Before
	// something is Expected, after it Final.
	Start, Expected, Final *value.Value
	// Element names the element of a keyed or set-like array, as "item_id=42"; ""
	// elsewhere.
	Element string
	// Call is the index of the call that left the final value here, -1 where no
	// call is known to have touched it.
	Call int
	// ExpectedCall is the index of the expected call that leads to the expected
	// value, -1 where none is known.
	ExpectedCall int
}

// op is the word for the change of a value.
func (c Change) op(added, removed, changed string) value.Value {
	switch {
	case c.Expected == nil:
		return value.OfString(added)
	case c.Final == nil:
		return value.OfString(removed)
	}
	return value.OfString(changed)
}

// Object returns c as a JSON object: path, kind, op ("added", "removed" or "changed"),
// start, expected, final (those that exist), element, call, expected_call (where known).
func (c Change) Object() value.Value {
	members := []value.Member{
		{Key: "path", Value: value.OfString(c.Path)},
		{Key: "kind", Value: value.OfString(string(c.Kind))},
		{Key: "op", Value: c.op("added", "removed", "changed")},
	}
	add := func(key string, v *value.Value) {
		if v != nil {
			members = append(members, value.Member{Key: key, Value: *v})
		}
	}
	add("start", c.Start)
	add("expected", c.Expected)
	add("final", c.Final)
	if c.Element != "" {
		members = append(members, value.Member{Key: "element", Value: value.OfString(c.Element)})
	}
	if c.Call >= 0 {
		members = append(members, value.Member{Key: "call", Value: value.OfInt(int64(c.Call))})
	}
	if c.ExpectedCall >= 0 {
		members = append(members, value.Member{Key: "expected_call", Value: value.OfInt(int64(c.ExpectedCall))})
	}
	return value.OfObject(members...)
}

// Operation returns c as an operation of RFC 6902, with the value that was there beside it
// under "old".
func (c Change) Operation() value.Value {
	o := value.OfObject(
		value.Member{Key: "op", Value: c.op("add", "remove", "replace")},
		value.Member{Key: "path", Value: value.OfString(c.Path)},
	)
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
