package format

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// ParseToolFile reads an inventory from a file: a list of definitions in any form of parseTools,
// the same under "tools", an MCP tools/list reply, or an OpenAPI 3 document, whose operations
// become tools. If several tools have the same name the first counts, and repeated lists the name.
// Errors say what was found instead, or which tool cannot be read.
func ParseToolFile(v value.Value) (tools []transcript.Tool, repeated []string, err error) {
	list, err := toolList(v)
	if err != nil {
		return nil, nil, err
	}
	all, notes := parseTools(list)
	if len(notes) > 0 {
		return nil, nil, fmt.Errorf("%s: %s", notes[0].Place, notes[0].Detail)
	}
	if len(all) == 0 {
		return nil, nil, errors.New("the list of tools is empty")
	}
	seen := map[string]bool{}
	for _, t := range all {
		if seen[t.Name] {
			repeated = append(repeated, t.Name)
			continue
		}
		seen[t.Name] = true
		tools = append(tools, t)
	}
	return tools, repeated, nil
}

const toolFileForms = "want a list of tool definitions, an OpenAPI 3 document, " +
	"or the reply to an MCP tools/list request"

func toolList(v value.Value) (value.Value, error) {
	if v.IsList() {
		return v, nil
	}
	if v.Kind() != value.Object {
		return v, fmt.Errorf("this is %s; %s", v.Kind().WithArticle(), toolFileForms)
	}
	if v.Has("openapi") {
		if version := v.Field("openapi").Text(); !strings.HasPrefix(version, "3.") {
			return v, fmt.Errorf("this is an OpenAPI document of version %s; version 3 is read", value.Quote(version))
		}
		return openAPITools(v)
	}
	if reply := v.Field("result"); v.Has("jsonrpc") && reply.Kind() == value.Object {
		v = reply
	}
	list := v.Field("tools")
	switch next := v.Field("nextCursor").Text(); {
	case list.IsList() && next != "":
		return v, errors.New("the reply is one page of several (it has a nextCursor): " +
			"put the tools of all pages into one list")
	case list.IsList():
		return list, nil
	case v.Has("swagger"):
		return v, errors.New("this is a Swagger 2 document: convert it to OpenAPI 3")
	case v.Has("jsonrpc") && v.Has("error"):
		return v, fmt.Errorf("this is a JSON-RPC error reply: %s", value.Quote(v.Field("error").JSON()))
	case v.Has("name") || v.Field("function").Has("name"):
		return v, fmt.Errorf("this is one tool definition; put it into a list")
	}
	return v, fmt.Errorf("this is an object with the keys %s; %s", v.KeyList(), toolFileForms)
}

// The limits for unfolding the references in an OpenAPI document.
const (
	maxRefDepth = 24
	maxRefNodes = 100_000
)

// openAPI reads one OpenAPI 3 document. It keeps the first error.
type openAPI struct {
	root  value.Value
	nodes int
	err   error
}

// openAPITools returns a list of {name, description, parameters}, one per operation, in the document's order.
func openAPITools(root value.Value) (value.Value, error) {
	d := &openAPI{root: root}
	methods := []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}
	var tools []value.Value
	for path, item := range root.Field("paths").Members() {
		if ref, ok := item.Field("$ref").Str(); ok {
			item = d.lookup(ref)
		}
		for method, op := range item.Members() {
			if slices.Contains(methods, method) {
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

// tool returns one operation: its id (else method and path), and one schema for its parameters and JSON body.
func (d *openAPI) tool(path, method string, item, op value.Value) value.Value {
	words := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("/{}.", r) })
	name := cmp.Or(op.Field("operationId").Text(), method+"_"+strings.Join(words, "_"))
	var p properties
	for _, list := range []value.Value{op.Field("parameters"), item.Field("parameters")} {
		for _, param := range d.inline(list, nil).Elements() {
			p.parameter(param)
		}
	}
	p.body(d.inline(op.Field("requestBody"), nil))
	text := strings.TrimSpace(op.Field("summary").Text() + "\n" + op.Field("description").Text())
	return value.Pairs("name", value.OfString(name)).
		With("description", value.OfString(text)).
		With("parameters", p.schema())
}

func (p *properties) parameter(param value.Value) {
	name, in := param.Field("name").Text(), param.Field("in").Text()
	headers := []string{"accept", "authorization", "content-type"}
	if name == "" || in == "header" && slices.Contains(headers, strings.ToLower(name)) {
		return
	}
	schema := param.Field("schema")
	for _, media := range param.Field("content").Members() {
		schema = media.Field("schema")
	}
	if text, ok := param.Field("description").Str(); ok && !schema.Has("description") {
		schema = schema.With("description", value.OfString(text))
	}
	required, _ := param.Field("required").BoolVal()
	p.add(name, schema, required || in == "path")
}

// body adds the properties of a JSON body. A body that is not an object with known properties is
// added as "body".
func (p *properties) body(body value.Value) {
	required, _ := body.Field("required").BoolVal()
	for kind, media := range body.Field("content").Members() {
		if !strings.Contains(kind, "json") && kind != "*/*" && kind != "application/*" {
			continue
		}
		var b properties
		if !b.take(media.Field("schema")) {
			p.add("body", media.Field("schema"), required)
			return
		}
		for _, m := range b.members {
			p.add(m.Key, m.Value, required && slices.Contains(b.required, m.Key))
		}
		return
	}
}

// take adds the properties of an object schema and of all schemas that it is composed of; false if
// it is something else.
func (p *properties) take(schema value.Value) bool {
	if schema.HasAny("oneOf", "anyOf") {
		return false
	}
	parts := schema.Field("allOf")
	for _, part := range parts.Elements() {
		if !p.take(part) {
			return false
		}
	}
	props := schema.Field("properties")
	if props.Kind() != value.Object && !parts.IsList() {
		return false
	}
	for name, prop := range props.Members() {
		if readOnly, _ := prop.Field("readOnly").BoolVal(); !readOnly {
			p.add(name, prop, false)
		}
	}
	for _, name := range schema.Field("required").Elements() {
		p.required = append(p.required, name.Text())
	}
	return true
}

func (d *openAPI) fail(format string, args ...any) value.Value {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
	return value.OfObject()
}

func (d *openAPI) lookup(ref string) value.Value {
	pointer, inside := strings.CutPrefix(ref, "#")
	if !inside {
		return d.fail("the reference %s leads out of the document: bundle it into one file", value.Quote(ref))
	}
	v, ok := d.root.Pointer(strings.NewReplacer("%7B", "{", "%7D", "}").Replace(pointer))
	if !ok {
		return d.fail("the reference %s leads nowhere", value.Quote(ref))
	}
	return v
}

// inline returns a part of the document without references, with its schemas converted to JSON
// Schema. A recursive schema allows anything.
func (d *openAPI) inline(v value.Value, open []string) value.Value {
	if d.nodes++; d.nodes > maxRefNodes {
		return d.fail("the schemas unfold to more than %d parts", maxRefNodes)
	}
	if ref, ok := v.Field("$ref").Str(); ok {
		if slices.Contains(open, ref) || len(open) >= maxRefDepth {
			return value.OfObject()
		}
		return d.inline(d.lookup(ref), append(slices.Clip(open), ref))
	}
	return jsonSchema(v.Each(func(key string, e value.Value) value.Value {
		switch key {
		case "example", "examples", "default", "enum", "const":
			return e
		case "properties": // their names may equal keywords
			return e.Each(func(_ string, schema value.Value) value.Value { return d.inline(schema, open) })
		}
		return d.inline(e, open)
	}))
}

// jsonSchema replaces OpenAPI 3.0 keywords that JSON Schema does not have.
func jsonSchema(v value.Value) value.Value {
	if yes, ok := v.Field("nullable").BoolVal(); ok {
		v = v.Without("nullable")
		if t, isText := v.Field("type").Str(); yes && isText {
			v = v.With("type", value.OfList(value.OfString(t), value.OfString("null")))
			if list := v.Field("enum"); list.IsList() {
				v = v.With("enum", value.OfList(append(list.Slice(), value.Value{})...))
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
