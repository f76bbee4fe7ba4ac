package llm

import (
	"github.com/judgekit/judge/internal/value"
)

// close makes an object's schema one that strict services take: no keys but those that
// are named, and all of them required. What could be missing may be null instead. v is
// the schema as it was, low as it has become.
func (l *lowering) close(at string, v, low value.Value) value.Value {
	if !isObject(v) {
		return low
	}
	if open, ok := v.Field("additionalProperties").BoolVal(); !ok || open {
		l.note(at, "additionalProperties", "sent as false")
	}
	var props []value.Member
	var names []value.Value
	for name, sub := range low.Field("properties").Members() {
		if !requires(v, name) {
			sub = nullable(sub)
			l.changed = true
		}
		props = append(props, value.Member{Key: name, Value: sub})
		names = append(names, value.OfString(name))
	}
	if !low.Has("properties") || !low.Has("required") {
		l.changed = true
	}
	low = low.With("properties", value.OfObject(props...))
	low = low.With("required", value.OfList(names...))
	return low.With("additionalProperties", value.OfBool(false))
}

// isObject reports whether a schema is one of objects.
func isObject(v value.Value) bool {
	t := v.Field("type")
	for _, name := range t.Elements() {
		if name.Text() == "object" {
			return true
		}
	}
	return t.Text() == "object" || t.IsNull() && v.Has("properties")
}

func requires(schema value.Value, name string) bool {
	for _, r := range schema.Field("required").Elements() {
		if r.Text() == name {
			return true
		}
	}
	return false
}

// nullable is a schema that also takes null.
func nullable(schema value.Value) value.Value {
	null := value.OfString("null")
	t := schema.Field("type")
	var types []value.Value
	if _, ok := t.Str(); ok {
		types = append(types, t)
	}
	for _, name := range t.Elements() {
		if name.Text() == "null" {
			return schema
		}
		types = append(types, name)
	}
	if len(types) == 0 || schema.Has("const") || schema.Has("anyOf") {
		only := value.OfObject(value.Member{Key: "type", Value: null})
		return value.OfObject(value.Member{Key: "anyOf", Value: value.OfList(schema, only)})
	}
	schema = schema.With("type", value.OfList(append(types, null)...))
	if enum := schema.Field("enum"); enum.IsList() {
		var all []value.Value
		for _, e := range enum.Elements() {
			all = append(all, e)
		}
		schema = schema.With("enum", value.OfList(append(all, value.Value{})...))
	}
	return schema
}
