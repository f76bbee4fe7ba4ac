package rubrics

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/value"
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
	broken, err := r.rules.Validate(answer)
	if err != nil {
		return []Violation{{"", "the answer cannot be checked against the rubric's schema: " + err.Error()}}
	}
	var found []Violation
	for _, b := range broken {
		at, _ := answer.Pointer(b.Path)
		if b.Path != "/"+KeyCorrection || !at.IsNull() {
			found = append(found, worded(b, at)...)
		}
	}
	output := "/" + KeyOutput
	score := answer.Field(KeyOutput)
	if !slices.ContainsFunc(found, func(v Violation) bool { return v.Pointer == output }) && !r.Output.keeps(score) {
		words := " lies nearer to a bound than a number can be kept apart from it"
		found = append(found, Violation{output, clipText(score.Text(), 40) + words})
	}
	slices.SortStableFunc(found, func(a, b Violation) int { return r.place(a.Pointer) - r.place(b.Pointer) })
	return found
}

// place orders violations: the properties as they stand in the schema, keys that are
// none of them, and then what concerns the whole answer.
func (r *Rubric) place(pointer string) int {
	if pointer == "" {
		return len(r.keys) + 1
	}
	first, _, _ := strings.Cut(pointer[1:], "/")
	for i, key := range r.keys {
		if value.EscapePointer(key) == first {
			return i
		}
	}
	return len(r.keys)
}

// answerSchema is the stored schema as answers are checked by it.
func (r *Rubric) answerSchema() (*schema.Schema, error) {
	var required []value.Value
	for _, key := range r.keys {
		required = append(required, value.OfString(key))
	}
	source := r.Schema.With("type", value.OfString("object")).With("required", value.OfList(required...))
	return schema.Compile(source.With("additionalProperties", value.OfBool(false)), schema.Config{Answer: true})
}

// keeps reports whether the double nearest to an output lies on the same side of every
// bound as the number that was written: 1e-400 is not 0, 0.69999999999999999999 not 0.7.
func (o Output) keeps(v value.Value) bool {
	text := v.Text()
	if len(text) <= 15 && !strings.ContainsAny(text, "eE") {
		return true // a double keeps 15 digits
	}
	f, _ := v.Float64()
	written, ok := schema.Exact(v)
	if !ok {
		return false
	}
	kept := decimal(f)
	for _, bound := range [...]float64{o.Min, o.Max, o.Low, o.High} {
		if b := decimal(bound); written.Cmp(b) != kept.Cmp(b) {
			return false
		}
	}
	return true
}

// decimal is the shortest decimal that reads back as the finite f.
func decimal(f float64) *big.Rat {
	x, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return x
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
