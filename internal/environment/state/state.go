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

// The kinds. Without a start state a value that stands only in the final state is
// Unexpected, one that stands only in the expected state is Missing, and any other
// difference is Wrong.
const (
	// Missing: the expected state differs from the start here and the final state
	// does not.
	Missing Kind = "missing"
	// Wrong: both differ from the start here, in different ways.
	Wrong Kind = "wrong"
	// Unexpected: only the final state differs from the start here (pollution).
	Unexpected Kind = "unexpected"
)

// Change is one difference between the expected and the final state.
type Change struct {
	// Path is the JSON Pointer of the value.
	Path string
	Kind Kind
	// Op is how the final state differs from the expected one: "added", "removed"
	// or "changed".
	Op string
	// Start, Expected and Final are the values at Path; nil where there is none.
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

// The operations of Change.Op.
const (
	Added   = "added"
	Removed = "removed"
	Changed = "changed"
)

// Object returns c as a JSON object: path, kind, op, start, expected, final (those
// that exist), element, call, expected_call (where known).
func (c Change) Object() value.Value {
	members := []value.Member{
		{Key: "path", Value: value.OfString(c.Path)},
		{Key: "kind", Value: value.OfString(string(c.Kind))},
		{Key: "op", Value: value.OfString(c.Op)},
	}
	for _, side := range []struct {
		key string
		v   *value.Value
	}{{"start", c.Start}, {"expected", c.Expected}, {"final", c.Final}} {
		if side.v != nil {
			members = append(members, value.Member{Key: side.key, Value: *side.v})
		}
	}
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

// Op is one operation of an RFC 6902 patch: "add", "remove" or "replace".
type Op struct {
	Op   string
	Path string
	// Value is the new value; meaningless for "remove".
	Value value.Value
	// Old is the value that was there; meaningless for "add".
	Old value.Value
}

// The operations of Op.Op.
const (
	add     = "add"
	Remove  = "remove"
	Replace = "replace"
)

// Object returns o as an RFC 6902 operation; with old set, the value that was
// there stands beside it under "old".
func (o Op) Object(old bool) value.Value {
	members := []value.Member{{Key: "op", Value: value.OfString(o.Op)}, {Key: "path", Value: value.OfString(o.Path)}}
	if o.Op != Remove {
		members = append(members, value.Member{Key: "value", Value: o.Value})
	}
	if old && o.Op != add {
		members = append(members, value.Member{Key: "old", Value: o.Old})
	}
	return value.OfObject(members...)
}

// Overlaps reports whether one of the pointers a and b is the other, or leads to
// something inside it.
func Overlaps(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return strings.HasPrefix(b, a) && (len(a) == len(b) || b[len(a)] == '/')
}
