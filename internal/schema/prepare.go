package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// The keywords that the library's own handling is replaced for; extension reads
// them.
const (
	keyPattern = "x-judge-pattern"
	keyType    = "x-judge-type"
	keyEnum    = "x-judge-empty-enum"
)

// rewriter turns a schema into the text that is handed to the library: without
// "$schema" (the draft is ours to choose) and content keywords (annotations), and
// with "pattern" where the extension finds it. Keywords are only touched where a
// schema stands, not in data such as "enum" or the names of properties.
type rewriter struct {
	config Config
	nodes  int
}

func prepare(source value.Value, config Config) (string, error) {
	if k := source.Kind(); k != value.Object && k != value.Bool {
		return "", fmt.Errorf("schema: it is a %s, not an object", k)
	}
	r := &rewriter{config: config}
	out, err := r.schema(source.Without(schemaKey(source)...), 0)
	if err != nil {
		return "", err
	}
	if source.Kind() == value.Bool {
		return source.Text(), nil
	}
	return out.JSON(), nil
}

func schemaKey(v value.Value) []string {
	if v.Has("$schema") {
		return []string{"$schema"}
	}
	return nil
}

// schema rewrites a value that stands where a schema stands.
func (r *rewriter) schema(v value.Value, depth int) (value.Value, error) {
	if err := r.count(depth); err != nil {
		return v, err
	}
	if v.Kind() != value.Object {
		return r.data(v, depth)
	}
	members := make([]value.Member, 0, v.Len()+1)
	for key, inner := range v.Members() {
		out, err := r.keyword(key, inner, depth)
		if err != nil {
			return v, err
		}
		name := key
		switch _, known := Checked(key); {
		case r.config.Answer && (known || key == "items" && inner.IsList()):
			continue
		case key == "contentEncoding" || key == "contentMediaType" || key == "contentSchema":
			continue
		case key == "pattern" && inner.Kind() == value.String:
			name = keyPattern
		case key == "type" && r.config.EveryKeyword && typeNamesKnown(inner):
			name = keyType
		case key == "enum" && inner.IsList() && inner.Len() == 0:
			name = keyEnum
		}
		members = append(members, value.Member{Key: name, Value: out})
	}
	return value.OfObject(members...), nil
}

// keyword rewrites the value of one keyword by what stands there.
func (r *rewriter) keyword(key string, v value.Value, depth int) (value.Value, error) {
	switch key {
	case "not", "if", "then", "else", "additionalProperties", "propertyNames", "contains",
		"additionalItems", "unevaluatedItems", "unevaluatedProperties":
		return r.schema(v, depth+1)
	case "items", "allOf", "anyOf", "oneOf", "prefixItems":
		if !v.IsList() {
			return r.schema(v, depth+1)
		}
		return r.each(v, depth+1, r.schema)
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		if v.Kind() == value.Object {
			return r.each(v, depth+1, r.schema)
		}
	case "enum":
		if r.config.Draft == Draft7 && v.IsList() {
			v = distinct(v)
		}
	}
	return r.data(v, depth+1)
}

// distinct drops the repeated values of an enum: the library's draft 7 refuses a
// schema for them, and they mean nothing.
func distinct(list value.Value) value.Value {
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

// data copies a value that is no schema, with numbers that are safe to compute
// with.
func (r *rewriter) data(v value.Value, depth int) (value.Value, error) {
	if err := r.count(depth); err != nil {
		return v, err
	}
	if v.IsNumber() {
		return value.OfNumber(safeNumber(v, r.config.Answer)), nil
	}
	if v.IsList() || v.Kind() == value.Object {
		return r.each(v, depth+1, r.data)
	}
	return v, nil
}

type rewrite func(v value.Value, depth int) (value.Value, error)

// each rewrites the elements of a list, or the values of an object.
func (r *rewriter) each(v value.Value, depth int, part rewrite) (value.Value, error) {
	members := make([]value.Member, v.Len())
	for i := range members {
		out, err := part(v.At(i), depth)
		if err != nil {
			return v, err
		}
		members[i].Value = out
		if v.Kind() == value.Object {
			members[i].Key = v.KeyAt(i)
		}
	}
	if v.Kind() == value.Object {
		return value.OfObject(members...), nil
	}
	elems := make([]value.Value, len(members))
	for i := range members {
		elems[i] = members[i].Value
	}
	return value.OfList(elems...), nil
}

func (r *rewriter) count(depth int) error {
	r.nodes++
	if r.nodes > maxSchemaNodes {
		return fmt.Errorf("schema: it has more than %d parts", maxSchemaNodes)
	}
	if depth > maxDepth {
		return errors.New("schema: it is nested deeper than " + strconv.Itoa(maxDepth) + " levels")
	}
	return nil
}

func typeNamesKnown(v value.Value) bool {
	if name, ok := v.Str(); ok {
		switch name {
		case "null", "boolean", "integer", "number", "string", "array", "object":
			return true
		}
		return false
	}
	if !v.IsList() || v.Len() == 0 {
		return false
	}
	for _, e := range v.Elements() {
		if e.Kind() != value.String || !typeNamesKnown(e) {
			return false
		}
	}
	return true
}

// maxDigits bounds the integers that are compared exactly. The library turns every
// number into a fraction; a number of a million digits, or 1e999999999, would
// stall it.
const maxDigits = 4000

// Exact returns the exact value of a number as it is written, so that 0.3 is a
// multiple of 0.1. ok is false for what is no finite number, is written at too great
// length, or is too near to 0 for a double.
func Exact(v value.Value) (x *big.Rat, ok bool) {
	f, finite := v.Float64()
	text := v.Text()
	if !finite || len(text) > maxExact {
		return nil, false
	}
	if f == 0 { // written out, 1e-999999 would fill the memory
		mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
		return new(big.Rat), !strings.ContainsAny(mantissa, "123456789")
	}
	return new(big.Rat).SetString(text)
}

// maxExact bounds the text of a number that is taken to a fraction as it is written.
const maxExact = 400

// beyond stands for numbers that no double can hold.
const beyond = "1e309"

// safeNumber returns the text of a number that is safe to compute with: as it is
// written where exact says so and Exact can tell, else an integer as it is and a float
// as the shortest decimal of its double. Beyond the range of doubles, and beyond
// maxDigits, it is a number larger than all others.
func safeNumber(v value.Value, exact bool) string {
	text := v.Text()
	sign := ""
	if text[0] == '-' {
		sign = "-"
	}
	f, finite := v.Float64()
	_, written := Exact(v)
	switch {
	case exact && written, !exact && v.Kind() == value.Int && len(text) <= maxDigits:
		return text
	case exact && finite && f == 0:
		return sign + "1e-400"
	case !exact && v.Kind() == value.Int:
		return sign + "1e" + strconv.Itoa(maxDigits)
	case !finite:
		return sign + beyond
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// plain turns a value into the form that the library reads.
func plain(v value.Value, exact bool) any {
	switch v.Kind() {
	case value.Bool:
		b, _ := v.BoolVal()
		return b
	case value.Int, value.Float:
		return json.Number(safeNumber(v, exact))
	case value.String:
		return v.Text()
	case value.List, value.Tuple:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plain(v.At(i), exact)
		}
		return list
	case value.Object:
		object := make(map[string]any, v.Len())
		for key, inner := range v.Members() {
			object[key] = plain(inner, exact)
		}
		return object
	}
	return nil
}

// measure adds the number of parts of v to parts, and reports whether v is nested
// at most limit levels deep.
func measure(v value.Value, limit int, parts *int) bool {
	*parts++
	if limit < 0 {
		return false
	}
	for i := range v.Len() {
		if !measure(v.At(i), limit-1, parts) {
			return false
		}
	}
	return true
}
