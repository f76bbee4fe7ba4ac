package rubrics

import (
	"fmt"
	"strings"
	"unicode/utf8"

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
// correction is valid: it says that there is none.
func (r *Rubric) Check(answer value.Value) []Violation {
	if answer.Kind() != value.Object {
		return []Violation{{"", "the answer is " + kindWord(answer) + ", not an object"}}
	}
	c := &checker{}
	props := r.Schema.Field("properties")
	for _, key := range r.keys {
		at := "/" + value.EscapePointer(key)
		v, ok := answer.Get(key)
		switch {
		case !ok:
			c.add(at, "the required key is missing")
		case key == KeyCorrection && v.IsNull():
		default:
			c.check(at, v, props.Field(key), 0)
		}
	}
	for key := range answer.Members() {
		if !props.Has(key) {
			c.add("/"+value.EscapePointer(clipText(key, 60)), "the key is not allowed")
		}
	}
	return c.found
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

// maxDepth bounds how deep a schema is followed; schemas have no references, so
// only a hostile one is deeper.
const maxDepth = 64

type checker struct{ found []Violation }

func (c *checker) add(at, format string, args ...any) {
	c.found = append(c.found, Violation{at, fmt.Sprintf(format, args...)})
}

// check applies the keywords that rubric schemas use; the linter names others.
func (c *checker) check(at string, v, schema value.Value, depth int) {
	if schema.Kind() != value.Object || depth > maxDepth {
		return
	}
	if !c.kind(at, v, schema.Field("type")) {
		return
	}
	c.choice(at, v, schema, depth)
	switch {
	case v.IsNumber():
		c.number(at, v, schema)
	case v.Kind() == value.String:
		c.text(at, v.Text(), schema)
	case v.Kind() == value.Object:
		c.object(at, v, schema, depth)
	case v.IsList():
		c.elements(at, v, schema, depth)
	}
}

func (c *checker) kind(at string, v, want value.Value) bool {
	if want.IsNull() {
		return true
	}
	var names []string
	if s, ok := want.Str(); ok {
		names = []string{s}
	}
	for _, t := range want.Elements() {
		names = append(names, t.Text())
	}
	for _, name := range names {
		if hasType(v, name) {
			return true
		}
	}
	wanted := strings.Join(names, " or ")
	if v.IsNumber() {
		c.add(at, "%s is not of type %s", v.Text(), wanted)
	} else if s, ok := v.Str(); ok {
		c.add(at, "%q is a string, not of type %s", clipText(s, 40), wanted)
	} else {
		c.add(at, "%s is not of type %s", kindWord(v), wanted)
	}
	return false
}

func hasType(v value.Value, name string) bool {
	switch name {
	case "integer":
		if !v.IsNumber() {
			return false
		}
		_, whole := v.BigInt()
		return whole
	case "number":
		_, finite := v.Float64()
		return finite
	case "array":
		return v.IsList()
	}
	return v.Kind().String() == name
}

func (c *checker) choice(at string, v, schema value.Value, depth int) {
	if enum := schema.Field("enum"); enum.IsList() {
		found := false
		for _, e := range enum.Elements() {
			found = found || value.Equal(e, v)
		}
		if !found {
			c.add(at, "the value is none of the allowed ones")
		}
	}
	if want, ok := schema.Get("const"); ok && !value.Equal(want, v) {
		c.add(at, "the value is not the constant of the schema")
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		options := schema.Field(key)
		if !options.IsList() {
			continue
		}
		fits := false
		for _, option := range options.Elements() {
			sub := &checker{}
			sub.check(at, v, option, depth+1)
			fits = fits || len(sub.found) == 0
		}
		if !fits {
			c.add(at, "the value fits none of the alternatives")
		}
	}
}

func (c *checker) number(at string, v, schema value.Value) {
	limits := []struct {
		key, words string
		bad        func(cmp int) bool
	}{
		{"minimum", "less than the minimum", func(x int) bool { return x < 0 }},
		{"maximum", "greater than the maximum", func(x int) bool { return x > 0 }},
		{"exclusiveMinimum", "not greater than", func(x int) bool { return x <= 0 }},
		{"exclusiveMaximum", "not less than", func(x int) bool { return x >= 0 }},
	}
	for _, l := range limits {
		bound := schema.Field(l.key)
		if order, ok := value.Compare(v, bound); ok && l.bad(order) {
			c.add(at, "%s is %s %s", clipText(v.Text(), 40), l.words, bound.Text())
		}
	}
}

func (c *checker) text(at, s string, schema value.Value) {
	n := int64(utf8.RuneCountInString(s))
	if limit, ok := schema.Field("maxLength").Int64(); ok && n > limit {
		c.add(at, "the text has %d characters, more than %d", n, limit)
	}
	if limit, ok := schema.Field("minLength").Int64(); ok && n < limit {
		c.add(at, "the text has %d characters, fewer than %d", n, limit)
	}
}

func (c *checker) object(at string, v, schema value.Value, depth int) {
	props, extra := schema.Field("properties"), schema.Field("additionalProperties")
	for _, name := range schema.Field("required").Elements() {
		if !v.Has(name.Text()) {
			c.add(at+"/"+value.EscapePointer(name.Text()), "the required key is missing")
		}
	}
	for key, m := range v.Members() {
		here := at + "/" + value.EscapePointer(clipText(key, 60))
		sub, known := props.Get(key)
		closed, isBool := extra.BoolVal()
		switch {
		case known:
			c.check(here, m, sub, depth+1)
		case isBool && !closed:
			c.add(here, "the key is not allowed")
		case extra.Kind() == value.Object:
			c.check(here, m, extra, depth+1)
		}
	}
}

func (c *checker) elements(at string, v, schema value.Value, depth int) {
	if limit, ok := schema.Field("maxItems").Int64(); ok && int64(v.Len()) > limit {
		c.add(at, "the list has %d elements, more than %d", v.Len(), limit)
	}
	if limit, ok := schema.Field("minItems").Int64(); ok && int64(v.Len()) < limit {
		c.add(at, "the list has %d elements, fewer than %d", v.Len(), limit)
	}
	items := schema.Field("items")
	for i, e := range v.Elements() {
		c.check(fmt.Sprintf("%s/%d", at, i), e, items, depth+1)
	}
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
