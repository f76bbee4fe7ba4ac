package rubrics

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/sorting"
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

// Check returns how an answer breaks the stored schema, in schema order; nil when it is valid.
// Every property is required and no other key is allowed. An integer is any number that equals one
// (5.0), and a numeric string is no number. A null correction is valid: it says that nothing is to
// be corrected. Every keyword of JSON Schema is applied, except those that Lint reports as an
// error.
func (r *Rubric) Check(answer value.Value) []Violation {
	if answer.Kind() != value.Object {
		return []Violation{{"", "the answer is " + answer.Kind().WithArticle() + ", not an object"}}
	}
	broken, err := r.rules.Validate(answer)
	if err != nil {
		return []Violation{{"", "the answer cannot be checked against the rubric's schema: " + err.Error()}}
	}
	var found []Violation
	notApplicable := r.Output.IsNotApplicable(answer.Field(KeyOutput))
	for _, b := range broken {
		if notApplicable && strings.HasPrefix(b.Path+"/", "/"+KeyOutput+"/") {
			continue
		}
		at, _ := answer.Pointer(b.Path)
		if b.Path != "/"+KeyCorrection || !at.IsNull() {
			found = append(found, describeBroken(b, at)...)
		}
	}
	const output = "/" + KeyOutput
	score := answer.Field(KeyOutput)
	valid := !slices.ContainsFunc(found, func(v Violation) bool { return v.Pointer == output })
	if valid && score.IsNumber() && !r.Output.keeps(score) {
		words := " is nearer to a bound than a number can be distinguished from it"
		found = append(found, Violation{output, value.Excerpt(score.Text(), 40) + words})
	}
	if worst, _ := r.Worst(answer); valid && r.list != "" && !notApplicable && score.Text() != worst {
		found = append(found, Violation{output, "does not follow from the verdicts in " + r.list})
	}
	sorting.Stable(found, func(a, b Violation) int { return r.place(a.Pointer) - r.place(b.Pointer) })
	return found
}

// place returns the rank of a violation in a list: first come the properties in the schema's order,
// then unknown keys, then violations of the whole answer.
func (r *Rubric) place(pointer string) int {
	if pointer == "" {
		return len(r.keys) + 1
	}
	if i := slices.Index(r.keys, steps(pointer)[0]); i >= 0 {
		return i
	}
	return len(r.keys)
}

// keeps reports whether the nearest double of an output is on the same side of every bound as the
// number that was written: 1e-400 is not 0, 0.69999999999999999999 is not 0.7.
func (o Output) keeps(v value.Value) bool {
	text := v.Text()
	if len(text) <= 15 && !strings.ContainsAny(text, "eE") {
		return true // a double keeps 15 digits
	}
	f, _ := v.Float64()
	written, ok := v.Exact()
	if !ok {
		return false
	}
	kept, _ := value.OfFloat(f).Exact()
	for _, bound := range [...]float64{o.Min, o.Max, o.Low, o.High} {
		if b, _ := value.OfFloat(bound).Exact(); written.Cmp(b) != kept.Cmp(b) {
			return false
		}
	}
	return true
}

// Ordered reports whether the keys of an answer are in schema order.
func (r *Rubric) Ordered(answer value.Value) bool {
	last := -1
	for key := range answer.Members() {
		at := slices.Index(r.keys, key)
		if at <= last {
			return false
		}
		last = at
	}
	return true
}

// ruleWords maps a keyword to the words that say which rule a value breaks: %v is the value, %n its
// length, %r what the rule demands.
var ruleWords = map[string]string{
	"type":             "%v is not of type %r",
	"minimum":          "%v is less than the minimum %r",
	"maximum":          "%v is greater than the maximum %r",
	"exclusiveMinimum": "%v is not greater than %r",
	"exclusiveMaximum": "%v is not less than %r",
	"multipleOf":       "%v is not a multiple of %r",
	"minLength":        "the text has %n characters, fewer than %r",
	"maxLength":        "the text has %n characters, more than %r",
	"minItems":         "the list has %n elements, fewer than %r",
	"maxItems":         "the list has %n elements, more than %r",
	"minProperties":    "there are %n keys, fewer than %r",
	"maxProperties":    "there are %n keys, more than %r",
	"pattern":          "the text does not match the pattern %r",
	"enum":             "the value is not one of the allowed ones",
	"const":            "the value is not the constant of the schema",
	"uniqueItems":      "an element occurs twice, where each may occur once",
	"not":              `the value is one that the schema's "not" excludes`,
	"contains":         `too few or too many elements fit "contains"`,
	"propertyNames":    "the key's name is not one that the schema allows",
	"false":            "no value is allowed here",
}

// describeBroken describes a broken rule for a judge: where it is broken and which rule, never a
// value that would be right. Each missing or unknown key is a violation with its own pointer.
func describeBroken(b schema.Violation, v value.Value) []Violation {
	words, known := ruleWords[b.Keyword]
	if !known {
		words = "the value " + b.Message
	}
	switch b.Keyword {
	case "required":
		words = "the required key is missing"
	case "dependentRequired":
		words = "the key is missing, which another key requires"
	case "additionalProperties":
		words = "the key is not allowed"
	}
	if len(b.Keys) == 0 {
		return []Violation{{b.Path, fillIn(words, b, v)}}
	}
	var found []Violation
	for _, key := range b.Keys {
		found = append(found, Violation{b.Path + "/" + value.EscapePointer(value.Excerpt(key, 60)), words})
	}
	return found
}

// fillIn puts the value and the rule into the words of a rule.
func fillIn(words string, b schema.Violation, v value.Value) string {
	shown := v.Kind().WithArticle()
	if s, ok := v.Str(); ok {
		shown = fmt.Sprintf("%q", value.Excerpt(s, 40))
		if b.Keyword == "type" {
			shown += " is a string,"
			words = strings.Replace(words, " is", "", 1)
		}
	} else if v.IsNumber() {
		shown = value.Excerpt(v.Text(), 40)
	}
	rule := cmp.Or(b.Rule.Text(), schema.TypeNames(b.Rule))
	return strings.NewReplacer("%v", shown, "%n", strconv.Itoa(v.Length()), "%r", value.Excerpt(rule, 80)).Replace(words)
}
