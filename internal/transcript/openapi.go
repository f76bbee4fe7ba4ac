package transcript

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Bounds of what the references of an OpenAPI document may unfold to.
const (
	maxRefDepth = 24
	maxRefNodes = 100_000
)

// openAPI reads one OpenAPI 3 document.
type openAPI struct {
	root  value.Value
	nodes int
	err   error
}

// openAPITools returns a list of {name, description, parameters}, one for each operation
// in the document's order.
func openAPITools(root value.Value) (value.Value, error) {
	d := &openAPI{root: root}
	var tools []value.Value
	for path, item := range root.Field("paths").Members() {
		item = d.resolve(item)
		for method, op := range item.Members() {
			switch method {
			case "get", "put", "post", "delete", "options", "head", "patch", "trace":
				tools = append(tools, d.tool(path, method, item, op))
			}
		}
	}
	switch {
	case d.err != nil:
		return root, d.err
	case len(tools) == 0:
		return root, errors.New("the OpenAPI document has no operation under paths")
	}
	return value.OfList(tools...), nil
}

// tool is one operation: its id (else method and path), and its parameters and JSON body
// in one schema.
func (d *openAPI) tool(path, method string, item, op value.Value) value.Value {
	name := op.Field("operationId").Text()
	if name == "" {
		name = method + "_" + strings.Join(strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("/{}.", r) }), "_")
	}
	var p properties
	for _, list := range []value.Value{op.Field("parameters"), item.Field("parameters")} {
		for _, param := range list.Elements() {
			d.parameter(&p, d.resolve(param))
		}
	}
	d.body(&p, d.resolve(op.Field("requestBody")))
	text := strings.TrimSpace(joinLines(op.Field("summary").Text(), op.Field("description").Text()))
	return value.OfObject(
		value.Member{Key: "name", Value: value.OfString(name)},
		value.Member{Key: "description", Value: value.OfString(text)},
		value.Member{Key: "parameters", Value: p.schema()},
	)
}

func (d *openAPI) parameter(p *properties, param value.Value) {
	name, in := param.Field("name").Text(), param.Field("in").Text()
	if name == "" || in == "header" && slices.Contains([]string{"accept", "authorization", "content-type"}, strings.ToLower(name)) {
		return
	}
	schema := param.Field("schema")
	for _, media := range param.Field("content").Members() {
		schema = media.Field("schema")
	}
	schema = d.inline(schema, nil)
	if text, ok := param.Field("description").Str(); ok && !schema.Has("description") {
		schema = schema.With("description", value.OfString(text))
	}
	required, _ := param.Field("required").BoolVal()
	p.add(name, schema, required || in == "path")
}

// body adds the properties of a JSON body. A body that is no object of known properties
// stands under "body".
func (d *openAPI) body(p *properties, body value.Value) {
	required, _ := body.Field("required").BoolVal()
	for kind, media := range body.Field("content").Members() {
		if !strings.Contains(kind, "json") && kind != "*/*" && kind != "application/*" {
			continue
		}
		schema := d.inline(media.Field("schema"), nil)
		var b properties
		if !b.take(schema) {
			p.add("body", schema, required)
			return
		}
		for _, m := range b.members {
			p.add(m.Key, m.Value, required && slices.ContainsFunc(b.required, func(r value.Value) bool { return r.Text() == m.Key }))
		}
		return
	}
}

// take takes over the properties of an object schema and of all that it is composed of;
// false where it is something else.
func (p *properties) take(schema value.Value) bool {
	if schema.Has("oneOf") || schema.Has("anyOf") {
		return false
	}
	for _, part := range schema.Field("allOf").Elements() {
		if !p.take(part) {
			return false
		}
	}
	props := schema.Field("properties")
	if props.Kind() != value.Object && !schema.Field("allOf").IsList() {
		return false
	}
	for name, prop := range props.Members() {
		if readOnly, _ := prop.Field("readOnly").BoolVal(); !readOnly {
			p.add(name, prop, false)
		}
	}
	for _, name := range schema.Field("required").Elements() {
		p.required = append(p.required, name)
	}
	return true
}

// resolve follows references inside the document.
func (d *openAPI) resolve(v value.Value) value.Value {
	for range maxRefDepth {
		ref, ok := v.Field("$ref").Str()
		if !ok {
			return v
		}
		v = d.lookup(ref)
	}
	return d.fail("the reference %s leads in a circle", v.Field("$ref").Text())
}

func (d *openAPI) fail(format string, args ...any) value.Value {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
	return value.OfObject()
}

func (d *openAPI) lookup(ref string) value.Value {
	pointer, inside := strings.CutPrefix(ref, "#/")
	if !inside {
		return d.fail("the reference %s leads out of the document: bundle it into one file", quote(ref))
	}
	v := d.root
	for step := range strings.SplitSeq(pointer, "/") {
		next, ok := v.Get(strings.NewReplacer("~1", "/", "~0", "~", "%7B", "{", "%7D", "}").Replace(step))
		if !ok {
			return d.fail("the reference %s leads nowhere", quote(ref))
		}
		v = next
	}
	return v
}

// inline writes a schema out without references, in the keywords of JSON Schema. A
// schema inside itself allows anything.
func (d *openAPI) inline(v value.Value, open []string) value.Value {
	if d.nodes++; d.nodes > maxRefNodes {
		return d.fail("the schemas unfold to more than %d parts", maxRefNodes)
	}
	if ref, ok := v.Field("$ref").Str(); ok {
		if slices.Contains(open, ref) || len(open) >= maxRefDepth {
			return value.OfObject()
		}
		return d.inline(d.lookup(ref), append(open[:len(open):len(open)], ref))
	}
	switch {
	case v.IsList():
		out := make([]value.Value, 0, v.Len())
		for _, e := range v.Elements() {
			out = append(out, d.inline(e, open))
		}
		return value.OfList(out...)
	case v.Kind() != value.Object:
		return v
	}
	members := make([]value.Member, 0, v.Len())
	for key, m := range v.Members() {
		switch key {
		case "example", "examples", "default", "enum", "const":
		case "properties":
			m = d.named(m, open)
		default:
			m = d.inline(m, open)
		}
		members = append(members, value.Member{Key: key, Value: m})
	}
	return jsonSchema(value.OfObject(members...))
}

// named inlines the schemas under the names of properties, which may be called like
// keywords.
func (d *openAPI) named(props value.Value, open []string) value.Value {
	var members []value.Member
	for name, schema := range props.Members() {
		members = append(members, value.Member{Key: name, Value: d.inline(schema, open)})
	}
	return value.OfObject(members...)
}

// jsonSchema turns the keywords of OpenAPI 3.0 that JSON Schema has not into its own.
func jsonSchema(v value.Value) value.Value {
	if yes, ok := v.Field("nullable").BoolVal(); ok {
		v = v.Without("nullable")
		if t, isText := v.Field("type").Str(); yes && isText {
			v = v.With("type", value.OfList(value.OfString(t), value.OfString("null")))
			if list := v.Field("enum"); list.IsList() {
				v = v.With("enum", value.OfList(append(elements(list), value.Value{})...))
			}
		}
	}
	for _, pair := range [][2]string{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}} {
		if yes, ok := v.Field(pair[0]).BoolVal(); ok {
			bound := v.Field(pair[1])
			if v = v.Without(pair[0]); yes && bound.IsNumber() {
				v = v.Without(pair[1]).With(pair[0], bound)
			}
		}
	}
	return v
}

func elements(list value.Value) []value.Value {
	out := make([]value.Value, 0, list.Len()+1)
	for _, e := range list.Elements() {
		out = append(out, e)
	}
	return out
}
