package constraint

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/jsregex"
	"github.com/judgekit/judge/internal/value"
)

// Violation is one way in which a value breaks a schema: the JSON Pointer of the
// offending value, and the rule, which never proposes a value.
type Violation struct{ Pointer, Rule string }

// Check returns how v breaks sub, which is the schema that was read or a part of it;
// nil when it does not. at is the JSON Pointer of v. The key of an object that is not
// required may be null, which says that there is none: strict schemas leave no other way
// to say so.
func (s *Schema) Check(at string, v, sub value.Value) []Violation {
	c := &checker{patterns: s.patterns, nulls: true}
	c.check(at, v, sub, 0)
	return c.found
}

type checker struct {
	patterns map[string]*jsregex.Regexp
	nulls    bool // a key that is not required may be null
	found    []Violation
}

func (c *checker) add(at, format string, args ...any) {
	c.found = append(c.found, Violation{at, fmt.Sprintf(format, args...)})
}

// fits reports whether v breaks nothing of schema. As a condition a schema is taken at
// its word.
func (c *checker) fits(at string, v, schema value.Value, depth int) bool {
	sub := &checker{patterns: c.patterns}
	sub.check(at, v, schema, depth)
	return len(sub.found) == 0
}

func (c *checker) check(at string, v, schema value.Value, depth int) {
	if allowed, ok := schema.BoolVal(); ok && !allowed {
		c.add(at, "no value is allowed here")
	}
	if schema.Kind() != value.Object || depth > maxDepth {
		return
	}
	if !c.kind(at, v, schema.Field("type")) {
		return
	}
	c.choice(at, v, schema)
	c.combined(at, v, schema, depth+1)
	switch {
	case v.IsNumber():
		c.number(at, v, schema)
	case v.Kind() == value.String:
		c.text(at, v.Text(), schema)
	case v.Kind() == value.Object:
		c.object(at, v, schema, depth+1)
	case v.IsList():
		c.elements(at, v, schema, depth+1)
	}
}

func (c *checker) kind(at string, v, want value.Value) bool {
	names := typeNames(want)
	if len(names) == 0 {
		return true
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
		c.add(at, "%q is a string, not of type %s", clip(s, 40), wanted)
	} else {
		c.add(at, "%s is not of type %s", v.Kind().WithArticle(), wanted)
	}
	return false
}

// hasType reports whether v is of a type. 5.0 is an integer.
func hasType(v value.Value, name string) bool {
	switch name {
	case "integer":
		x, ok := Exact(v)
		return ok && x.IsInt()
	case "number":
		_, finite := v.Float64()
		return finite
	case "array":
		return v.IsList()
	}
	return v.Kind().String() == name
}

func (c *checker) choice(at string, v, schema value.Value) {
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
}

// combined applies the keywords that are made of schemas for the same value.
func (c *checker) combined(at string, v, schema value.Value, depth int) {
	for _, part := range schema.Field("allOf").Elements() {
		c.check(at, v, part, depth)
	}
	for _, key := range [...]string{"anyOf", "oneOf"} {
		options := schema.Field(key)
		fitting := 0
		for _, option := range options.Elements() {
			if c.fits(at, v, option, depth) {
				fitting++
			}
		}
		switch {
		case options.Len() > 0 && fitting == 0:
			c.add(at, "the value fits none of the alternatives")
		case key == "oneOf" && fitting > 1:
			c.add(at, "the value fits %d of the alternatives, where only one may fit", fitting)
		}
	}
	if not, ok := schema.Get("not"); ok && c.fits(at, v, not, depth) {
		c.add(at, "the value is one that the schema's \"not\" excludes")
	}
	if condition, ok := schema.Get("if"); ok {
		branch := "else"
		if c.fits(at, v, condition, depth) {
			branch = "then"
		}
		if sub, ok := schema.Get(branch); ok {
			c.check(at, v, sub, depth)
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
	if text, ok := schema.Field("pattern").Str(); ok {
		c.matches(at, s, text)
	}
}

// matches checks a text against a pattern, and reports whether it matches.
func (c *checker) matches(at, s, text string) {
	switch matched, err := c.match(s, text); {
	case err != nil:
		c.add(at, "the text cannot be checked against the pattern %s: %v", clip(text, 80), err)
	case !matched:
		c.add(at, "the text does not match the pattern %s", clip(text, 80))
	}
}

// match passes what cannot be read: Read has named it.
func (c *checker) match(s, text string) (bool, error) {
	p := c.patterns[text]
	if p == nil {
		return true, nil
	}
	return p.MatchString(s)
}

// clip cuts s to n runes at most, so that a hostile answer cannot fill a message.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return string(r[:n]) + "…"
}

// shown spells a scalar, and names the kind of all else.
func shown(v value.Value) string {
	if s, ok := v.Str(); ok {
		return fmt.Sprintf("%q", clip(s, 40))
	}
	if v.IsNumber() {
		return clip(v.Text(), 40)
	}
	return v.Kind().WithArticle()
}
