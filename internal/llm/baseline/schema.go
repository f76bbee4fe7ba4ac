package baseline

import (
	"math"
	"strings"

	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/value"
)

// property returns the schema of a parameter, null if it is not described.
func (g *grader) property(key string) value.Value {
	if g.tool == nil {
		return value.Value{}
	}
	if p, ok := g.tool.schema.Field("properties").Get(key); ok {
		return p
	}
	if g.tool.schema.Field("type").Kind() == value.String {
		return value.Value{}
	}
	return g.tool.schema.Field(key) // shorthand: {"order_id":"integer"}
}

// checkSchema checks required members, types, enums and unknown members, also inside objects and
// arrays. It ignores all other keywords and is not a full validator: the schemas in logs are often
// not JSON Schema (shorthand, Python type names), and each finding needs a rule and a correction.
func (g *grader) checkSchema(want, v value.Value, path string, depth int) {
	if depth > 8 || want.Kind() != value.Object {
		return
	}
	if v.Kind() == value.Object && want.Field("properties").Kind() == value.Object {
		g.checkMembers(want, v, path, depth)
		return
	}
	if t, ok := want.Get("type"); ok && !typeFits(t, v) {
		inner, err := pycall.ParseLiteral(v.Text())
		if err == nil && g.call.python && inner.Len() > 0 && typeFits(t, inner) {
			return // a runtime that reads Python literals reads nested ones too
		}
		g.fire(wrongType, quotable(v.Text()), "%s is %s, the schema says %s",
			path, v.Kind().WithArticle(), schema.TypeNames(t))
		g.proposeType(t, v, path, depth)
		return
	}
	enum := want.Field("enum")
	scalar := !v.IsList() && v.Kind() != value.Object
	if enum.IsList() && scalar && !some(enum, func(e value.Value) bool { return value.Equal(e, v) }) {
		g.fire(notInEnum, quotable(v.Text()), "%s is not one of the %d allowed values", path, enum.Len())
		return
	}
	for _, e := range v.Elements() {
		g.checkSchema(want.Field("items"), e, path, depth+1)
	}
}

// some reports whether f is true for any element of a list.
func some(list value.Value, f func(value.Value) bool) bool {
	for _, e := range list.Elements() {
		if f(e) {
			return true
		}
	}
	return false
}

func (g *grader) checkMembers(want, v value.Value, path string, depth int) {
	for _, required := range want.Field("required").Elements() {
		name := required.Text()
		switch m, ok := v.Get(name); {
		case !ok:
			g.fire(missingRequired, "", "required parameter %s is absent", join(path, name))
		case m.Kind() == value.String && strings.TrimSpace(m.Text()) == "":
			g.fire(emptyRequired, "", "required parameter %s is empty", join(path, name))
		}
	}
	closed, given := want.Get("additionalProperties")
	for k, m := range v.Members() {
		p, known := want.Field("properties").Get(k)
		switch {
		case known:
			g.checkSchema(p, m, join(path, k), depth+1)
		case !given && depth == 0, closed.Text() == "false":
			g.fire(unknownArgument, k, "%s is not a parameter of %s", join(path, k), g.call.name)
		}
	}
}

// proposeType proposes a correction if the argument differs from the right type only by its quotes:
// 5 for "5", or "5" for 5.
func (g *grader) proposeType(t, v value.Value, path string, depth int) {
	if depth != 1 || !g.fix.IsNull() {
		return
	}
	fixed := value.OfString(v.Text())
	if v.Kind() == value.String {
		n, err := value.ParseString(strings.TrimSpace(v.Text()))
		if err != nil || !typeFits(t, n) {
			return
		}
		fixed = n
	} else if !v.IsNumber() || schema.TypeNames(t) != "string" {
		return
	}
	g.fix = value.OfObject(value.Member{Key: path, Value: fixed})
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func typeFits(t, v value.Value) bool {
	if t.IsList() {
		return t.Len() == 0 || some(t, func(one value.Value) bool { return typeFits(one, v) })
	}
	switch strings.ToLower(t.Text()) {
	case "string", "str":
		return v.Kind() == value.String
	case "integer", "int", "long":
		f, ok := v.Float64()
		return ok && f == math.Trunc(f)
	case "number", "float", "double":
		return v.IsNumber()
	case "boolean", "bool":
		return v.Kind() == value.Bool
	case "array", "list", "tuple":
		return v.IsList()
	case "object", "dict":
		return v.Kind() == value.Object
	case "null":
		return v.IsNull()
	}
	return true // a name that JSON Schema does not know
}
