// Package constraint owns what a rubric's JSON Schema demands of an answer: the
// keywords of JSON Schema (draft 2020-12) over values that keep their digits.
//
// It promises that a keyword is either checked or named by [Read] as one that is not,
// that numbers are compared exactly, and that no pattern and no answer can stall it: a
// pattern that takes too many steps on a text counts as not matched. Schemas have no
// references here; "format" is not checked.
package constraint

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/jsregex"
	"github.com/judgekit/judge/internal/value"
)

// Severity says what it means that a keyword cannot be applied as it stands.
type Severity uint8

// The severities.
const (
	Malformed Severity = iota // the keyword's value is none that it can have
	Unchecked                 // the keyword is one of JSON Schema's that is not checked here
	Unknown                   // the keyword is none of JSON Schema's
)

// Problem is one keyword that cannot be applied.
type Problem struct {
	Severity Severity
	// Path leads to the keyword from the root of the schema.
	Path    []string
	Message string
}

// Schema is a schema that was read. It is immutable and safe for concurrent use.
type Schema struct {
	root     value.Value
	patterns map[string]*jsregex.Regexp
}

// maxDepth bounds how deep a schema is followed.
const maxDepth = 64

// Read takes a schema in, with what is wrong with it in the schema's order. Keywords
// with a malformed value are not applied.
func Read(root value.Value) (*Schema, []Problem) {
	r := &reader{schema: &Schema{root: root, patterns: map[string]*jsregex.Regexp{}}}
	r.walk(nil, root, 0)
	return r.schema, r.problems
}

type reader struct {
	schema   *Schema
	problems []Problem
}

func (r *reader) add(severity Severity, path []string, format string, args ...any) {
	r.problems = append(r.problems, Problem{severity, path, fmt.Sprintf(format, args...)})
}

func (r *reader) walk(path []string, schema value.Value, depth int) {
	if _, ok := schema.BoolVal(); ok {
		return
	}
	switch {
	case schema.Kind() != value.Object:
		r.add(Malformed, path, "a schema is an object, not %s", schema.Kind().WithArticle())
		return
	case depth > maxDepth:
		r.add(Unchecked, path, "the schema is nested deeper than %d levels; what lies below is not checked", maxDepth)
		return
	}
	for key, operand := range schema.Members() {
		here := append(path[:len(path):len(path)], key)
		if !r.subschemas(here, key, operand, depth) {
			r.operand(here, key, operand)
		}
	}
}

// subschemas follows the keywords whose values hold schemas, and reports whether key is
// one of them.
func (r *reader) subschemas(here []string, key string, operand value.Value, depth int) bool {
	switch key {
	case "items", "contains", "not", "if", "then", "else", "propertyNames", "additionalProperties":
		if key == "items" && operand.IsList() {
			r.add(Unchecked, here, "a list of schemas is not checked; use prefixItems")
			return true
		}
		r.walk(here, operand, depth+1)
	case "properties", "patternProperties", "dependentSchemas":
		if operand.Kind() != value.Object {
			r.add(Malformed, here, "must be an object of schemas, not %s", operand.Kind().WithArticle())
			return true
		}
		for name, sub := range operand.Members() {
			at := append(here[:len(here):len(here)], name)
			if key == "patternProperties" {
				r.pattern(at, name)
			}
			r.walk(at, sub, depth+1)
		}
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if !operand.IsList() || operand.Len() == 0 {
			r.add(Malformed, here, "must be a list of schemas")
			return true
		}
		for i, sub := range operand.Elements() {
			r.walk(append(here[:len(here):len(here)], strconv.Itoa(i)), sub, depth+1)
		}
	default:
		return false
	}
	return true
}

// operand checks the value of a keyword that holds no schema.
func (r *reader) operand(here []string, key string, operand value.Value) {
	need := func(ok bool, what string) {
		if !ok {
			r.add(Malformed, here, "must be %s, not %s", what, shown(operand))
		}
	}
	switch key {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		_, finite := operand.Float64()
		need(finite, "a finite number")
	case "multipleOf":
		step, ok := Exact(operand)
		need(ok && step.Sign() > 0, "a number greater than 0")
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		n, ok := operand.Int64()
		need(ok && n >= 0, "a whole number from 0 on")
	case "pattern":
		text, ok := operand.Str()
		need(ok, "a regular expression as text")
		if ok {
			r.pattern(here, text)
		}
	case "type":
		need(len(typeNames(operand)) > 0, "a type or a list of types ("+strings.Join(allTypes[:], ", ")+")")
	case "enum":
		need(operand.IsList() && operand.Len() > 0, "a list of values")
	case "required":
		need(isNames(operand), "a list of names")
	case "uniqueItems":
		_, ok := operand.BoolVal()
		need(ok, "true or false")
	case "dependentRequired":
		ok := operand.Kind() == value.Object
		for _, names := range operand.Members() {
			ok = ok && isNames(names)
		}
		need(ok, "an object of lists of names")
	default:
		r.other(here, key)
	}
}

// other sorts the keywords that are not applied.
func (r *reader) other(here []string, key string) {
	switch key {
	case "title", "description", "default", "examples", "const", "$schema", "$comment", "$id", "$anchor", "$defs", "definitions",
		"deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType", "contentSchema", "threshold_low", "threshold_high":
	case "$ref", "$dynamicRef", "$recursiveRef":
		r.add(Unchecked, here, "references are not followed: no answer is checked against it; write the schema out in this place")
	case "format":
		r.add(Unchecked, here, "formats are not checked in the answer; use a pattern")
	case "unevaluatedProperties", "unevaluatedItems", "additionalItems", "dependencies", "extends", "disallow", "divisibleBy":
		r.add(Unchecked, here, "the keyword is sent but cannot be checked in the answer; remove it, or say it otherwise")
	default:
		r.add(Unknown, here, "the keyword is sent, but JSON Schema knows none of that name")
	}
}

func (r *reader) pattern(here []string, text string) {
	if _, known := r.schema.patterns[text]; known {
		return
	}
	p, err := jsregex.CompileSchema(text)
	if err != nil {
		r.add(Malformed, here, "cannot be read as a regular expression: %v", err)
		return
	}
	r.schema.patterns[text] = p
}

var allTypes = [...]string{"object", "array", "string", "number", "integer", "boolean", "null"}

// typeNames reads the value of "type"; nil when it is none.
func typeNames(operand value.Value) []string {
	var names []string
	if s, ok := operand.Str(); ok {
		names = []string{s}
	}
	for _, t := range operand.Elements() {
		s, _ := t.Str()
		names = append(names, s)
	}
	for _, name := range names {
		known := false
		for _, t := range allTypes {
			known = known || t == name
		}
		if !known {
			return nil
		}
	}
	return names
}

func isNames(list value.Value) bool {
	ok := list.IsList()
	for _, name := range list.Elements() {
		_, isText := name.Str()
		ok = ok && isText
	}
	return ok
}
