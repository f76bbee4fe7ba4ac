package schema

import (
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/value"
)

// article names the kind of a value with its article.
func article(v value.Value) string {
	switch v.Kind() {
	case value.Null:
		return "null"
	case value.Int:
		return "an integer"
	case value.Object:
		return "an object"
	case value.List, value.Tuple:
		return "an array"
	}
	return "a " + v.Kind().String()
}

func typeNames(rule value.Value) string {
	if name, ok := rule.Str(); ok {
		return name
	}
	var names []string
	for _, e := range rule.Elements() {
		names = append(names, e.Text())
	}
	return strings.Join(names, " or ")
}

// missing lists the required keys that v lacks, in the schema's order.
func missing(required, v value.Value) []string {
	var names []string
	for _, e := range required.Elements() {
		if !v.Has(e.Text()) {
			names = append(names, e.Text())
		}
	}
	return names
}

// undeclared lists the keys of v that are no property, in v's order.
func undeclared(properties, v value.Value) []string {
	var names []string
	for key := range v.Members() {
		if !properties.Has(key) {
			names = append(names, key)
		}
	}
	return names
}

// quoteAll quotes names and joins them.
func quoteAll(names []string) string {
	var b []byte
	for i, name := range names {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = value.AppendQuoted(b, name)
	}
	return clip(string(b))
}

func length(v value.Value) int {
	if s, ok := v.Str(); ok {
		return utf8.RuneCountInString(s)
	}
	return v.Len()
}

// clip shortens a text of a log that goes into a message.
func clip(s string) string { return value.Excerpt(s, 120) }
