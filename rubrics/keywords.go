package rubrics

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/jsregex"
	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/value"
)

// severity says what it means that a keyword cannot be applied as it stands.
type severity uint8

const (
	malformed severity = iota // the keyword's value is none that it can have
	unchecked                 // the keyword is one of JSON Schema's that no answer is checked by
	unknown                   // the keyword is none of JSON Schema's
)

// doubt is one keyword that cannot be applied.
type doubt struct {
	severity severity
	// path leads to the keyword from the root of the schema.
	path    []string
	message string
}

// maxSchemaDepth bounds how deep the schema of an answer may be nested.
const maxSchemaDepth = 64

// keywordReader names what of a schema cannot be applied, in the schema's order.
type keywordReader struct{ doubts []doubt }

func (r *keywordReader) add(s severity, path []string, format string, args ...any) {
	r.doubts = append(r.doubts, doubt{s, path, fmt.Sprintf(format, args...)})
}

func (r *keywordReader) walk(path []string, s value.Value, depth int) {
	if _, ok := s.BoolVal(); ok {
		return
	}
	switch {
	case s.Kind() != value.Object:
		r.add(malformed, path, "a schema is an object, not %s", s.Kind().WithArticle())
		return
	case depth > maxSchemaDepth:
		r.add(malformed, path, "the schema is nested deeper than %d levels", maxSchemaDepth)
		return
	}
	for key, operand := range s.Members() {
		here := append(path[:len(path):len(path)], key)
		if !r.subschemas(here, key, operand, depth+1) {
			r.operand(here, key, operand)
		}
	}
}

// subschemas follows the keywords whose values hold schemas, and reports whether key is
// one of them.
func (r *keywordReader) subschemas(here []string, key string, operand value.Value, depth int) bool {
	switch key {
	case "items", "contains", "not", "if", "then", "else", "propertyNames", "additionalProperties":
		if key == "items" && operand.IsList() {
			r.add(unchecked, here, "a list of schemas is not checked; use prefixItems")
			return true
		}
		r.walk(here, operand, depth)
	case "properties", "patternProperties", "dependentSchemas":
		if operand.Kind() != value.Object {
			r.add(malformed, here, "must be an object of schemas, not %s", operand.Kind().WithArticle())
		}
		for name, sub := range operand.Members() {
			at := append(here[:len(here):len(here)], name)
			if key == "patternProperties" {
				r.pattern(at, name)
			}
			r.walk(at, sub, depth)
		}
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if !operand.IsList() || operand.Len() == 0 {
			r.add(malformed, here, "must be a list of schemas")
		}
		for i, sub := range operand.Elements() {
			r.walk(append(here[:len(here):len(here)], strconv.Itoa(i)), sub, depth)
		}
	default:
		return false
	}
	return true
}

// operand checks the value of a keyword that holds no schema.
func (r *keywordReader) operand(here []string, key string, operand value.Value) {
	need := func(ok bool, what string) {
		if !ok {
			r.add(malformed, here, "must be %s, not %s", what, brief(operand))
		}
	}
	f, finite := operand.Float64()
	switch key {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		need(finite, "a finite number")
	case "multipleOf":
		need(finite && f > 0, "a number greater than 0")
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
		need(isType(operand), "a type or a list of types ("+strings.Join(allTypes[:], ", ")+")")
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
func (r *keywordReader) other(here []string, key string) {
	checked, known := schema.Checked(key)
	switch {
	case checked || key == "const" || key == "threshold_low" || key == "threshold_high":
	case strings.HasSuffix(strings.ToLower(key), "ref") && known:
		r.add(unchecked, here,
			"references are not followed: no answer is checked against it; write the schema out in this place")
	case key == "format":
		r.add(unchecked, here, "formats are not checked in the answer; use a pattern")
	case known:
		r.add(unchecked, here, "the keyword is sent but cannot be checked in the answer; remove it, or say it otherwise")
	default:
		r.add(unknown, here, "the keyword is sent, but JSON Schema knows none of that name")
	}
}

func (r *keywordReader) pattern(here []string, text string) {
	if _, err := jsregex.CompileSchema(text); err != nil {
		r.add(malformed, here, "cannot be read as a regular expression: %v", err)
	}
}

var allTypes = [...]string{"object", "array", "string", "number", "integer", "boolean", "null"}

// isType reports whether the value of "type" is a type or a list of types.
func isType(operand value.Value) bool {
	if operand.IsList() {
		ok := operand.Len() > 0
		for _, t := range operand.Elements() {
			ok = ok && !t.IsList() && isType(t)
		}
		return ok
	}
	name, ok := operand.Str()
	return ok && slices.Contains(allTypes[:], name)
}

func isNames(list value.Value) bool {
	ok := list.IsList()
	for _, name := range list.Elements() {
		_, isText := name.Str()
		ok = ok && isText
	}
	return ok
}

// brief writes a scalar, and names the kind of all else.
func brief(v value.Value) string {
	if s, ok := v.Str(); ok {
		return fmt.Sprintf("%q", clipText(s, 40))
	}
	if v.IsNumber() {
		return clipText(v.Text(), 40)
	}
	return v.Kind().WithArticle()
}
