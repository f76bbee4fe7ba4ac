package format

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// maxShorthand limits the nesting of "list[list[…]]".
const maxShorthand = 16

// shorthand converts the description of one parameter to a JSON Schema. It is a type word
// ("integer", "list[string]", "optional[date]", "dict[string, float]", "a|b", "enum[a, b]",
// "string?", "string (optional)"), a list of allowed values, or an object with a type and further
// keywords. Unknown words allow anything and are kept as the description.
func shorthand(def value.Value) (schema value.Value, optional bool) {
	switch def.Kind() {
	case value.String:
		return word(def.Text(), 0)
	case value.List:
		return value.Pairs("enum", def), false
	case value.Object:
		return typedParameter(def)
	}
	return value.OfObject(), false
}

// typedParameter reads {"type": …, "required": bool, …}; other keywords are kept.
func typedParameter(def value.Value) (schema value.Value, optional bool) {
	if required, ok := def.Field("required").BoolVal(); ok {
		optional, def = !required, def.Without("required")
	}
	if without, ok := def.Field("optional").BoolVal(); ok {
		optional, def = without, def.Without("optional")
	}
	optional = optional || def.Has("default")
	text, ok := def.Field("type").Str()
	if !ok || typeWords[text] == text {
		return def, optional
	}
	schema, without := word(text, 0)
	for k, v := range def.Without("type").Members() {
		schema = schema.With(k, v)
	}
	return schema, optional || without
}

// typeWords lists the words for types in the languages that logs come from.
var typeWords = map[string]string{
	"string": "string", "str": "string", "text": "string", "char": "string",
	"integer": "integer", "int": "integer", "long": "integer",
	"number": "number", "float": "number", "double": "number", "decimal": "number",
	"boolean": "boolean", "bool": "boolean",
	"array": "array", "list": "array", "tuple": "array", "set": "array", "sequence": "array",
	"object": "object", "dict": "object", "map": "object", "dictionary": "object", "mapping": "object",
	"null": "null", "none": "null",
}

// formatWords lists words for texts with a certain format.
var formatWords = map[string]string{
	"date": "date", "datetime": "date-time", "date-time": "date-time", "time": "time",
	"email": "email", "uri": "uri", "url": "uri", "uuid": "uuid",
}

// word parses one shorthand type.
func word(text string, depth int) (schema value.Value, optional bool) {
	s := strings.TrimSpace(text)
	for _, mark := range []string{"?", "(optional)", ", optional"} {
		if len(s) >= len(mark) && strings.EqualFold(s[len(s)-len(mark):], mark) {
			s, optional = strings.TrimSpace(s[:len(s)-len(mark)]), true
		}
	}
	if before, rest, found := strings.Cut(s, " "); found && strings.EqualFold(before, "optional") {
		s, optional = strings.TrimSpace(rest), true
	}
	if before, _, found := strings.Cut(s, "="); found {
		s, optional = strings.TrimSpace(before), true
	}
	if t, ok := typeWords[strings.ToLower(s)]; ok {
		return value.Pairs("type", t), optional
	}
	if f, ok := formatWords[strings.ToLower(s)]; ok {
		return value.Pairs("type", "string").With("format", value.OfString(f)), optional
	}
	if depth < maxShorthand {
		if alternatives := splitTop(s, '|'); len(alternatives) > 1 {
			schema, without := union(alternatives, depth+1)
			return schema, optional || without
		}
		if head, inner, generic := generics(s); generic {
			schema, without := genericType(strings.ToLower(head), inner, depth+1)
			if !schema.IsNull() {
				return schema, optional || without
			}
		}
	}
	return value.Pairs("description", text), optional
}

// generics splits "list[string]" (also "list<string>" and "string[]") into its parts.
func generics(s string) (head, inner string, ok bool) {
	if before, found := strings.CutSuffix(s, "[]"); found {
		return "list", before, true
	}
	i := strings.IndexAny(s, "[<(")
	if i <= 0 || len(s) < i+2 || !strings.ContainsRune("]>)", rune(s[len(s)-1])) {
		return "", "", false
	}
	return strings.TrimSpace(s[:i]), s[i+1 : len(s)-1], true
}

func genericType(head, inner string, depth int) (schema value.Value, optional bool) {
	switch head {
	case "optional":
		schema, _ = word(inner, depth)
		return schema, true
	case "list", "array", "set", "sequence", "tuple":
		items, _ := word(inner, depth)
		return value.Pairs("type", "array").With("items", items), false
	case "dict", "map", "mapping", "object":
		schema = value.Pairs("type", "object")
		if parts := splitTop(inner, ','); len(parts) == 2 {
			of, _ := word(parts[1], depth)
			schema = schema.With("additionalProperties", of)
		}
		return schema, false
	case "enum", "literal", "choice", "oneof":
		return enum(splitTop(inner, ',')), false
	case "union":
		return union(splitTop(inner, ','), depth)
	}
	return value.Value{}, false
}

// union parses alternatives: types if all are types, else allowed words. A null among types makes
// the parameter optional.
func union(parts []string, depth int) (schema value.Value, optional bool) {
	types := make([]value.Value, len(parts))
	for i, p := range parts {
		types[i], _ = word(p, depth)
		if !types[i].HasAny("type", "anyOf", "enum") {
			return enum(parts), optional
		}
		optional = optional || types[i].Field("type").Text() == "null"
	}
	return value.Pairs("anyOf", value.OfList(types...)), optional
}

// enum parses a list of allowed values; a part that is not JSON is a word.
func enum(parts []string) value.Value {
	values := make([]value.Value, len(parts))
	for i, p := range parts {
		v, err := value.ParseString(p)
		if err != nil {
			v = value.OfString(strings.Trim(p, `'`))
		}
		values[i] = v
	}
	return value.Pairs("enum", value.OfList(values...))
}

// splitTop splits at separators outside all brackets.
func splitTop(s string, sep byte) []string {
	var parts []string
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[', '<', '(', '{':
			depth++
		case ']', '>', ')', '}':
			depth--
		case sep:
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(s[start:]))
}
