package baseline

import (
	"math"
	"strings"

	"github.com/judgekit/judge/internal/llm/baseline/literal"
)

// property returns the schema of a parameter, nil when it is not described.
func (g *grader) property(key string) *literal.Node {
	if g.tool == nil {
		return nil
	}
	if p := g.tool.schema.Get("properties").Get(key); p != nil {
		return p
	}
	if g.tool.schema.Get("type").Is(literal.String) {
		return nil
	}
	return g.tool.schema.Get(key) // shorthand: {"order_id":"integer"}
}

// checkSchema is a light check: required, type, enum, unknown members; it goes
// into objects and arrays. What it does not know it lets pass.
func (g *grader) checkSchema(schema, value *literal.Node, path string, depth int) {
	if depth > 8 || schema.Kind != literal.Object {
		return
	}
	props := schema.Get("properties")
	if value.Is(literal.Object) && props.Is(literal.Object) {
		if req := schema.Get("required"); req.Is(literal.Array) {
			for i := range req.List {
				name := req.List[i].Text
				switch v := value.Get(name); {
				case v == nil:
					g.fire(missingRequired, "", "required parameter %s is absent", join(path, name))
				case v.Is(literal.String) && strings.TrimSpace(v.Text) == "":
					g.fire(emptyRequired, "", "required parameter %s is empty", join(path, name))
				}
			}
		}
		closed := schema.Get("additionalProperties")
		for i, k := range value.Keys {
			p := props.Get(k)
			switch {
			case p != nil:
				g.checkSchema(p, &value.List[i], join(path, k), depth+1)
			case closed == nil && depth == 0, closed.Is(literal.Boolean) && closed.Text == "false":
				g.fire(unknownArgument, k, "%s is not a parameter of %s", join(path, k), g.call.name)
			}
		}
		return
	}
	if t := schema.Get("type"); t != nil && !typeFits(t, value) {
		if inner, ok := literal.ParsePython(value.Str()); ok && g.call.python && len(inner.List) > 0 && typeFits(t, &inner) {
			return // a runtime that reads Python literals reads nested ones too
		}
		g.fire(wrongType, quotable(value.Text), "%s is %s, the schema says %s", path, kindName(value), typeName(t))
		g.proposeType(t, value, path, depth)
		return
	}
	if enum := schema.Get("enum"); enum.Is(literal.Array) && value.Kind != literal.Array && value.Kind != literal.Object {
		for i := range enum.List {
			if sameValue(&enum.List[i], value) {
				return
			}
		}
		g.fire(notInEnum, quotable(value.Text), "%s is none of the %d allowed values", path, len(enum.List))
		return
	}
	if items := schema.Get("items"); items.Is(literal.Object) && value.Is(literal.Array) {
		for i := range value.List {
			g.checkSchema(items, &value.List[i], path, depth+1)
		}
	}
}

// proposeType offers the argument in its right type when only quotes are in the
// way: "5" for 5, and 5 for "5".
func (g *grader) proposeType(t, value *literal.Node, path string, depth int) {
	if depth != 1 || g.fix.Kind != literal.Absent {
		return
	}
	fixed := literal.Node{Kind: literal.String, Text: value.Text}
	if value.Is(literal.String) {
		n, ok := literal.Parse(strings.TrimSpace(value.Text))
		if !ok || !typeFits(t, &n) {
			return
		}
		fixed = n
	} else if value.Kind != literal.Number || typeName(t) != "string" {
		return
	}
	g.fix = literal.Node{Kind: literal.Object, Keys: []string{path}, List: []literal.Node{fixed}}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func typeFits(t, v *literal.Node) bool {
	if t.Is(literal.Array) {
		for i := range t.List {
			if typeFits(&t.List[i], v) {
				return true
			}
		}
		return len(t.List) == 0
	}
	switch strings.ToLower(t.Str()) {
	case "string", "str":
		return v.Is(literal.String)
	case "integer", "int", "long":
		f, ok := v.Float()
		return ok && f == math.Trunc(f)
	case "number", "float", "double":
		return v.Is(literal.Number)
	case "boolean", "bool":
		return v.Is(literal.Boolean)
	case "array", "list", "tuple":
		return v.Is(literal.Array)
	case "object", "dict":
		return v.Is(literal.Object)
	case "null":
		return v.Is(literal.Null)
	}
	return true // a name that JSON Schema does not know
}

func typeName(t *literal.Node) string {
	if t.Is(literal.Array) {
		var names []string
		for i := range t.List {
			names = append(names, t.List[i].Text)
		}
		return strings.Join(names, " or ")
	}
	return t.Text
}

func kindName(n *literal.Node) string {
	return [...]string{"absent", "null", "a boolean", "a number", "a string", "an array", "an object"}[n.Kind]
}
