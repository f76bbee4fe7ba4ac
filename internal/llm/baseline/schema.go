package baseline

import (
	"math"
	"strings"
)

// property returns the schema of a parameter, nil when it is not described.
func (g *grader) property(key string) *node {
	if g.tool == nil {
		return nil
	}
	if p := g.tool.schema.get("properties").get(key); p != nil {
		return p
	}
	if g.tool.schema.get("type").is(str) {
		return nil
	}
	return g.tool.schema.get(key) // shorthand: {"order_id":"integer"}
}

// checkSchema is a light check: required, type, enum, unknown members; it goes
// into objects and arrays. What it does not know it lets pass.
func (g *grader) checkSchema(schema, value *node, path string, depth int) {
	if depth > 8 || schema.kind != object {
		return
	}
	props := schema.get("properties")
	if value.is(object) && props.is(object) {
		if req := schema.get("required"); req.is(array) {
			for i := range req.list {
				name := req.list[i].text
				switch v := value.get(name); {
				case v == nil:
					g.fire(missingRequired, "", "required parameter %s is absent", join(path, name))
				case v.is(str) && strings.TrimSpace(v.text) == "":
					g.fire(emptyRequired, "", "required parameter %s is empty", join(path, name))
				}
			}
		}
		closed := schema.get("additionalProperties")
		for i, k := range value.keys {
			p := props.get(k)
			switch {
			case p != nil:
				g.checkSchema(p, &value.list[i], join(path, k), depth+1)
			case closed == nil && depth == 0, closed.is(boolean) && closed.text == "false":
				g.fire(unknownArgument, k, "%s is not a parameter of %s", join(path, k), g.call.name)
			}
		}
		return
	}
	if t := schema.get("type"); t != nil && !typeFits(t, value) {
		if inner, ok := parsePython(value.str()); ok && g.call.python && len(inner.list) > 0 && typeFits(t, &inner) {
			return // a runtime that reads Python literals reads nested ones too
		}
		g.fire(wrongType, quotable(value.text), "%s is %s, the schema says %s", path, kindName(value), typeName(t))
		g.proposeType(t, value, path, depth)
		return
	}
	if enum := schema.get("enum"); enum.is(array) && value.kind != array && value.kind != object {
		for i := range enum.list {
			if sameValue(&enum.list[i], value) {
				return
			}
		}
		g.fire(notInEnum, quotable(value.text), "%s is none of the %d allowed values", path, len(enum.list))
		return
	}
	if items := schema.get("items"); items.is(object) && value.is(array) {
		for i := range value.list {
			g.checkSchema(items, &value.list[i], path, depth+1)
		}
	}
}

// proposeType offers the argument in its right type when only quotes are in the
// way: "5" for 5, and 5 for "5".
func (g *grader) proposeType(t, value *node, path string, depth int) {
	if depth != 1 || g.fix.kind != absent {
		return
	}
	fixed := node{kind: str, text: value.text}
	if value.is(str) {
		n, ok := parse(strings.TrimSpace(value.text))
		if !ok || !typeFits(t, &n) {
			return
		}
		fixed = n
	} else if value.kind != number || typeName(t) != "string" {
		return
	}
	g.fix = node{kind: object, keys: []string{path}, list: []node{fixed}}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func typeFits(t, v *node) bool {
	if t.is(array) {
		for i := range t.list {
			if typeFits(&t.list[i], v) {
				return true
			}
		}
		return len(t.list) == 0
	}
	switch strings.ToLower(t.str()) {
	case "string", "str":
		return v.is(str)
	case "integer", "int", "long":
		f, ok := v.float()
		return ok && f == math.Trunc(f)
	case "number", "float", "double":
		return v.is(number)
	case "boolean", "bool":
		return v.is(boolean)
	case "array", "list", "tuple":
		return v.is(array)
	case "object", "dict":
		return v.is(object)
	case "null":
		return v.is(null)
	}
	return true // a name that JSON Schema does not know
}

func typeName(t *node) string {
	if t.is(array) {
		var names []string
		for i := range t.list {
			names = append(names, t.list[i].text)
		}
		return strings.Join(names, " or ")
	}
	return t.text
}

func kindName(n *node) string {
	return [...]string{"absent", "null", "a boolean", "a number", "a string", "an array", "an object"}[n.kind]
}
