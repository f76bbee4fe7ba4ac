package rubrics

import (
	"unicode/utf8"

	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics/internal/constraint"
)

// Violation is one way in which an answer breaks the rubric's schema.
type Violation struct {
	// Pointer is the JSON Pointer of the offending value.
	Pointer string
	// Rule says what is wrong and which rule is broken; it never proposes a value.
	Rule string
}

// String returns "pointer: rule", as "/output: 7 is greater than the maximum 5".
func (v Violation) String() string { return v.Pointer + ": " + v.Rule }

// Check returns how an answer breaks the stored schema, in schema order; nil when
// it is valid. Every property is required and no other key is allowed. An integer
// is any number that equals one (5.0), and a numeric string is no number. A null
// correction is valid: it says that there is none. Every keyword of JSON Schema is
// applied but for those that Lint calls an error.
func (r *Rubric) Check(answer value.Value) []Violation {
	if answer.Kind() != value.Object {
		return []Violation{{"", "the answer is " + answer.Kind().WithArticle() + ", not an object"}}
	}
	var found []Violation
	add := func(list []constraint.Violation) {
		for _, v := range list {
			found = append(found, Violation(v))
		}
	}
	props := r.Schema.Field("properties")
	for _, key := range r.keys {
		at := "/" + value.EscapePointer(key)
		v, ok := answer.Get(key)
		switch {
		case !ok:
			found = append(found, Violation{at, "the required key is missing"})
		case key == KeyCorrection && v.IsNull():
		default:
			add(r.rules.Check(at, v, props.Field(key)))
		}
	}
	for key := range answer.Members() {
		if !props.Has(key) {
			found = append(found, Violation{"/" + value.EscapePointer(clipText(key, 60)), "the key is not allowed"})
		}
	}
	if r.whole.Len() > 0 {
		add(r.rules.Check("", answer, r.whole))
	}
	return found
}

// Ordered reports whether the keys of an answer stand in schema order.
func (r *Rubric) Ordered(answer value.Value) bool {
	next := 0
	for key := range answer.Members() {
		for next < len(r.keys) && r.keys[next] != key {
			next++
		}
		if next == len(r.keys) {
			return false
		}
	}
	return true
}

// clipText cuts s to n runes at most, so that a hostile answer cannot fill a
// message.
func clipText(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return string(r[:n]) + "…"
}
