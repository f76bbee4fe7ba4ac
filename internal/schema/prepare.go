package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Keywords that extension checks instead of the library.
const (
	replaced   = "x-judge-"
	keyPattern = replaced + "pattern"
	keyType    = replaced + "type"
	keyEnum    = replaced + "enum"
)

// place is a position in a schema.
type place uint8

const (
	data place = iota
	aSchema
	schemas // an object or a list of schemas
)

// places lists the keywords that contain schemas.
var places = map[string]place{
	"not": aSchema, "if": aSchema, "then": aSchema, "else": aSchema, "additionalProperties": aSchema,
	"propertyNames": aSchema, "contains": aSchema, "additionalItems": aSchema, "unevaluatedItems": aSchema,
	"unevaluatedProperties": aSchema, "items": aSchema, "allOf": aSchema, "anyOf": aSchema, "oneOf": aSchema,
	"prefixItems": aSchema, "properties": schemas, "patternProperties": schemas, "$defs": schemas,
	"definitions": schemas, "dependentSchemas": schemas, "dependencies": schemas,
}

// HoldsSchemas reports whether the operand of a keyword is a schema, or contains schemas in a list
// or under names.
func HoldsSchemas(keyword string) bool { return places[keyword] != data }

// Within replaces the schemas in the operand of a keyword by f's results. at is the pointer from
// the operand to each, "" for the operand itself.
func Within(keyword string, operand value.Value, f func(at string, schema value.Value) value.Value) value.Value {
	switch holds := places[keyword]; {
	case operand.IsList() && holds == aSchema:
		elems := make([]value.Value, operand.Len())
		for i, e := range operand.Elements() {
			elems[i] = f("/"+strconv.Itoa(i), e)
		}
		return value.OfList(elems...)
	case holds == aSchema:
		return f("", operand)
	case holds == schemas && operand.Kind() == value.Object:
		members := make([]value.Member, 0, operand.Len())
		for name, m := range operand.Members() {
			members = append(members, value.Member{Key: name, Value: f("/"+value.EscapePointer(name), m)})
		}
		return value.OfObject(members...)
	}
	return operand
}

// rewriter converts a schema to the one for the library: without "$schema" (we choose the draft)
// and content keywords (annotations), with "pattern" where the extension finds it, and with numbers
// that are safe to compute with. It changes keywords only where there is a schema, not in data such
// as "enum" or the names of properties.
type rewriter struct {
	config Config
	parts  int
}

func prepare(source value.Value, config Config) (string, error) {
	if k := source.Kind(); k != value.Object && k != value.Bool {
		return "", fmt.Errorf("schema: it is %s, not an object", k.WithArticle())
	}
	if source.Has("$schema") {
		source = source.Without("$schema")
	}
	r := &rewriter{config: config}
	out, err := r.rewrite(source, aSchema, 0)
	return out.JSON(), err
}

func (r *rewriter) rewrite(v value.Value, at place, depth int) (value.Value, error) {
	if r.parts++; r.parts > maxSchemaNodes {
		return v, fmt.Errorf("schema: it has more than %d parts", maxSchemaNodes)
	}
	if depth > maxDepth {
		return v, fmt.Errorf("schema: it is nested deeper than %d levels", maxDepth)
	}
	inner := data
	if at == schemas {
		inner = aSchema
	}
	var err error
	switch {
	case v.IsNumber():
		return value.OfNumber(safeNumber(v, r.config.Answer)), nil
	case v.IsList():
		elems := make([]value.Value, v.Len())
		for i, e := range v.Elements() {
			if elems[i], err = r.rewrite(e, inner, depth+1); err != nil {
				return v, err
			}
		}
		return value.OfList(elems...), nil
	case v.Kind() != value.Object:
		return v, nil
	}
	members := make([]value.Member, 0, v.Len())
	for key, m := range v.Members() {
		name, its := key, inner
		if at == aSchema {
			if name = r.name(key, m); name == "" {
				continue
			}
			if its = places[key]; its == aSchema && m.IsList() {
				its = schemas
			}
			if key == "enum" && r.config.Draft7 {
				m = distinct(m)
			}
		}
		if m, err = r.rewrite(m, its, depth+1); err != nil {
			return v, err
		}
		members = append(members, value.Member{Key: name, Value: m})
	}
	return value.OfObject(members...), nil
}

// name returns the keyword under which the library or the extension gets a keyword; "" if it is
// left out.
func (r *rewriter) name(key string, v value.Value) string {
	_, known := Checked(key)
	switch {
	case r.config.Answer && (known || key == "items" && v.IsList()):
		return ""
	case key == "contentEncoding" || key == "contentMediaType" || key == "contentSchema":
		return ""
	case key == "pattern" && v.Kind() == value.String:
		return keyPattern
	case key == "type" && r.config.Draft7 && typeNamesKnown(v):
		return keyType
	case key == "enum" && v.IsList() && v.Len() == 0:
		return keyEnum
	}
	return key
}

// distinct drops the repeated values of an enum: the library's draft 7 refuses a schema with them,
// and they mean nothing.
func distinct(list value.Value) value.Value {
	if !list.IsList() {
		return list
	}
	seen := make(map[string]bool, list.Len())
	var kept []value.Value
	for _, e := range list.Elements() {
		if key := e.Canonical(); !seen[key] {
			seen[key] = true
			kept = append(kept, e)
		}
	}
	return value.OfList(kept...)
}

var typeNames = []string{"null", "boolean", "integer", "number", "string", "array", "object"}

func typeNamesKnown(v value.Value) bool {
	for _, name := range v.Elements() {
		if !slices.Contains(typeNames, name.Text()) {
			return false
		}
	}
	return v.IsList() && v.Len() > 0 || slices.Contains(typeNames, v.Text())
}

// maxDigits limits the integers that are compared exactly. The library converts every number to a
// fraction; a number with a million digits, or 1e999999999, would stall it.
const maxDigits = 4000

// beyond replaces numbers that are too large for a double.
const beyond = "1e309"

// safeNumber returns the text of a number that is safe to compute with. If exact is set and
// [value.Value.Exact] is known, it is the original text; else an integer unchanged, and a float as
// the shortest decimal of its double. A number beyond doubles becomes larger than all others if
// exact is set or it has more than maxDigits digits; else it is unchanged.
func safeNumber(v value.Value, exact bool) string {
	text := v.Text()
	if !exact && v.Kind() == value.Int && len(text) <= maxDigits {
		return text
	}
	sign := ""
	if text[0] == '-' {
		sign = "-"
	}
	f, finite := v.Float64()
	if exact {
		if _, written := v.Exact(); written {
			return text
		}
		if finite && f == 0 {
			return sign + "1e-400"
		}
	}
	switch {
	case !exact && v.Kind() == value.Int:
		return sign + "1e" + strconv.Itoa(maxDigits)
	case !finite && exact:
		return sign + beyond
	case !finite && tooLong(text):
		return sign + "1e" + strconv.Itoa(maxDigits)
	case !finite:
		return text
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// tooLong reports whether a number, written out, has more than maxDigits digits.
func tooLong(text string) bool {
	_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	n, err := strconv.Atoi(exponent)
	return len(text) > maxDigits || exponent != "" && (err != nil || n > maxDigits)
}

// plain converts a value to the form for the library, and adds the number of its parts to parts. ok
// is false if it is nested deeper than limit, or has more than maxSteps parts.
func plain(v value.Value, exact bool, limit int, parts *int) (out any, ok bool) {
	*parts++
	if limit < 0 || *parts > maxSteps {
		return nil, false
	}
	switch v.Kind() {
	case value.Bool:
		b, _ := v.BoolVal()
		return b, true
	case value.Int, value.Float:
		return json.Number(safeNumber(v, exact)), true
	case value.String:
		return v.Text(), true
	case value.List, value.Tuple:
		list := make([]any, v.Len())
		for i := range list {
			if list[i], ok = plain(v.At(i), exact, limit-1, parts); !ok {
				return nil, false
			}
		}
		return list, true
	case value.Object:
		object := make(map[string]any, v.Len())
		for i := range v.Len() {
			inner, ok := plain(v.At(i), exact, limit-1, parts)
			if !ok {
				return nil, false
			}
			object[v.KeyAt(i)] = inner
		}
		return object, true
	}
	return nil, true
}
