package deterministic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// family is the configuration that the function-call scorers share.
type family struct {
	strict, ignoreExtra, inOrder bool
	// compat reproduces the futureagi program.
	compat   bool
	equality value.Equality
}

func readFamily(o *scorer.Settings) family {
	f := family{
		strict:      o.Flag("strict_type_check", false),
		ignoreExtra: o.Flag("ignore_extra_params", false),
		inOrder:     o.Flag("order_matters", false),
		compat:      o.Word("compat", "", "futureagi") == "futureagi",
	}
	f.equality = value.Equality{StrictKinds: f.strict, IntsAsFloats: f.compat, TupleIsOwnKind: f.compat}
	return f
}

// side is one side of a comparison as a scorer reads it.
type side struct {
	calls []scorer.Call
	// single says that there is exactly one call (under compat: that does not stand in a
	// list).
	single bool
}

// pairScorer is a scorer of the calls made against the expected ones.
type pairScorer interface {
	sideOf(calls []scorer.Call) side
	reference(calls []scorer.Call) (side, error)
	pair(actual, expected side) (scorer.Result, error)
}

// pairForms scores the forms of a case.
func (f family) pairForms(in scorer.Input, pair func(actual, expected side) (scorer.Result, error)) (scorer.Result, error) {
	expected, err := f.readExpected(in.Expected)
	if err != nil {
		return scorer.Result{}, err
	}
	return pair(f.readActual(in.Actual), expected)
}

// readActual reads what the agent did.
func (f family) readActual(v value.Value) side {
	if f.compat {
		return readCompat(v)
	}
	return f.sideOf(scorer.Read(v).Calls)
}

// readExpected reads the reference, which must be there and complete.
func (f family) readExpected(v value.Value) (side, error) {
	if f.compat {
		return readCompat(v), nil
	}
	if v.IsNull() {
		return side{}, scorer.Config("expected", "is missing: give the calls that should be made, [] for none")
	}
	r := scorer.Read(v)
	if !r.Complete() {
		return side{}, scorer.Config("expected", "cannot be read as calls: %.80s", v.JSON())
	}
	return f.sideOf(r.Calls), nil
}

// sideOf is the side of calls that are read already.
func (f family) sideOf(calls []scorer.Call) side {
	if f.compat {
		return compatCalls(calls)
	}
	return side{calls, len(calls) == 1}
}

// reference is the side of the expected calls of a conversation, which must be complete.
func (f family) reference(calls []scorer.Call) (side, error) {
	if !f.compat && slices.ContainsFunc(calls, func(c scorer.Call) bool { return c.Unreadable }) {
		return side{}, scorer.Config("expected", "cannot be read as calls: %.80s", callForms(calls).JSON())
	}
	return f.sideOf(calls), nil
}

// equal compares two argument values.
func (f family) equal(a, b value.Value) bool {
	if !f.compat {
		return f.equality.Equal(a, b)
	}
	switch {
	case a.Kind() == value.Tuple && b.Kind() == value.Tuple:
		// Inside a tuple the program leaves the comparison to Python.
		return value.Equality{BoolIsNumber: true, TupleIsOwnKind: true}.Equal(a, b)
	case a.Kind() == value.List && b.Kind() == value.List:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !f.equal(a.At(i), b.At(i)) {
				return false
			}
		}
		return true
	case a.Kind() == value.Object && b.Kind() == value.Object:
		if a.Len() != b.Len() {
			return false
		}
		for key, inner := range a.Members() {
			if other, ok := b.Get(key); !ok || !f.equal(inner, other) {
				return false
			}
		}
		return true
	}
	return f.equality.Equal(a, b)
}

// argumentEqual reports whether argument key has the expected value.
func (f family) argumentEqual(actual, expected *scorer.Call, key string, got, want value.Value) bool {
	return !slices.Contains(actual.Opaque, key) && !slices.Contains(expected.Opaque, key) && f.equal(got, want)
}

// shares are the three parts of a pair's score, each in [0, 1].
type shares struct{ name, params, values float64 }

// compare scores one actual call against one expected call.
func (f family) compare(actual, expected *scorer.Call) shares {
	if actual.Unreadable {
		return shares{}
	}
	var s shares
	if actual.Name == expected.Name {
		s.name = 1
	}
	if actual.Malformed {
		return s
	}
	n := expected.Arguments.Len()
	if n == 0 {
		s.values = 1
		if actual.Arguments.Len() == 0 || f.ignoreExtra {
			s.params = 1
		}
		return s
	}
	present, equal := 0, 0
	for i := range n {
		key := expected.Arguments.KeyAt(i)
		got, ok := actual.Arguments.Get(key)
		if !ok {
			continue
		}
		present++
		if f.argumentEqual(actual, expected, key, got, expected.Arguments.At(i)) {
			equal++
		}
	}
	s.params = float64(present) / float64(n)
	s.values = float64(equal) / float64(n)
	return s
}

// exact reports whether the actual call is the expected one.
func (f family) exact(actual, expected *scorer.Call) bool {
	return f.wholly(f.compare(actual, expected), actual, expected)
}

// wholly reports whether the shares of a pair are those of the expected call itself.
func (f family) wholly(s shares, actual, expected *scorer.Call) bool {
	return s == shares{1, 1, 1} && (f.ignoreExtra || actual.Arguments.Len() == expected.Arguments.Len())
}

// explain says what sets the actual call apart from the expected one, "" where nothing
// does.
func (f family) explain(actual, expected *scorer.Call) string {
	if actual.Unreadable {
		return "the call cannot be read"
	}
	var parts []string
	if actual.Name != expected.Name {
		parts = append(parts, fmt.Sprintf("Function name mismatch: got '%s', expected '%s'", actual.Name, expected.Name))
	}
	if actual.Malformed {
		return strings.Join(append(parts, "the arguments cannot be read as an object"), "; ")
	}
	missing, extra, unequal := f.differences(actual, expected)
	var keys []string
	if len(missing) > 0 {
		keys = append(keys, "missing: "+braced(missing))
	}
	if len(extra) > 0 {
		keys = append(keys, "extra: "+braced(extra))
	}
	if len(keys) > 0 {
		parts = append(parts, "Parameter mismatch: "+strings.Join(keys, ", "))
	}
	if unequal >= 0 {
		key := expected.Arguments.KeyAt(unequal)
		parts = append(parts, fmt.Sprintf("Value mismatch for '%s': got %s, expected %s",
			key, actual.Arguments.Field(key).Repr(), expected.Arguments.Field(key).Repr()))
	}
	return strings.Join(parts, "; ")
}

// differences returns the keys that are missing and extra, and the index of the
// first expected argument whose value is unequal, -1 where all are equal.
func (f family) differences(actual, expected *scorer.Call) (missing, extra []string, unequal int) {
	unequal = -1
	for i := range expected.Arguments.Len() {
		key := expected.Arguments.KeyAt(i)
		got, ok := actual.Arguments.Get(key)
		switch {
		case !ok:
			missing = append(missing, key)
		case unequal < 0 && !f.argumentEqual(actual, expected, key, got, expected.Arguments.At(i)):
			unequal = i
		}
	}
	if f.ignoreExtra {
		return missing, nil, unequal
	}
	for i := range actual.Arguments.Len() {
		if key := actual.Arguments.KeyAt(i); !expected.Arguments.Has(key) {
			extra = append(extra, key)
		}
	}
	return missing, extra, unequal
}

// braced writes names sorted by code point in braces, unquoted.
func braced(names []string) string {
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	return "{" + strings.Join(sorted, ", ") + "}"
}

// quoted writes names in JSON quotes, joined by commas.
func quoted(names []string) string {
	var b []byte
	for i, name := range names {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = value.AppendQuoted(b, name)
	}
	return string(b)
}

// callNames lists the names of calls for a result; an unreadable call is null.
func callNames(calls []scorer.Call, keep func(int) bool) value.Value {
	var names []value.Value
	for i := range calls {
		if !keep(i) {
			continue
		}
		if calls[i].Unreadable {
			names = append(names, value.Value{})
		} else {
			names = append(names, value.OfString(calls[i].Name))
		}
	}
	return value.OfList(names...)
}
