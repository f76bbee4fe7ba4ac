package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// readCall reads a call of any framework: its id, name and arguments may be in the part or
// in an object inside of it.
func (t *turns) readCall(p value.Value, at string) Call {
	in := nested(p)
	c := Call{Place: at, ID: firstText(in, callIDKeys...), Name: firstText(in, callNameKeys...)}
	if c.ID == "" {
		c.ID = firstText(p, callIDKeys...)
	}
	kind := p.Field("type").Text()
	if name, isPart := strings.CutPrefix(kind, "tool-"); isPart && c.Name == "" && partKinds[kind] == otherPart {
		c.Name = name
	}
	if c.Name == "" && in.Has("code") {
		c.Name = "code_execution"
	}
	if ranByProvider(p) || c.Name == "code_execution" && in.Has("language") {
		c.Executor = "server"
	}
	if kind == "custom_tool_call" || kind == "custom" {
		c.freeText(firstText(in, argumentKeys...))
		return c
	}
	args, given := first(in, argumentKeys...)
	if args.IsNull() && in.Has("rawInput") {
		args = in.Field("rawInput")
	}
	t.arguments(&c, args, given)
	return c
}

// ranByProvider reports whether the part says that the model's provider ran the tool.
func ranByProvider(p value.Value) bool {
	if by, _ := p.Field("providerExecuted").BoolVal(); by {
		return true
	}
	kind := firstText(p, "part_kind", "type")
	return strings.HasPrefix(kind, "server_") || strings.HasPrefix(kind, "mcp_") || strings.HasPrefix(kind, "builtin-")
}

// readResult reads a result of any framework.
func (t *turns) readResult(p value.Value, at string) toolMessage {
	in := p
	if n := nested(p); n.Kind() == value.Object && !p.Has("content") && !p.Has("output") && !p.Has("response") {
		in = n
	}
	m := toolMessage{at: at}
	m.ResultID, m.ToolName = firstText(in, resultIDKeys...), firstText(in, callNameKeys...)
	m.content = t.output(&m.Message, in)
	m.flags(in)
	if p.Field("part_kind").Text() == "retry-prompt" {
		m.IsError = true
	}
	return m
}

// output finds the content of a result.
func (t *turns) output(m *Message, in value.Value) value.Value {
	for _, key := range resultKeys {
		v := in.Field(key)
		if v.IsNull() {
			continue
		}
		if kind := v.Field("type").Text(); kind != "" && hasAny(v, "value", "reason") { // Vercel's typed output
			m.IsError = strings.HasPrefix(kind, "error") || kind == "execution-denied"
			v, _ = first(v, "value", "reason")
		}
		if key == "result" && hasAll(v, "api_name", "output") { // API-Bank keeps the request beside the output
			m.flags(v)
			if failure := v.Field("exception"); !failure.IsNull() {
				return failure
			}
			return v.Field("output")
		}
		return plainContent(v)
	}
	return value.Value{}
}

// plainContent takes a text or JSON value out of a list of one part ({text} or {json}) that
// has no type.
func plainContent(v value.Value) value.Value {
	if !v.IsList() || v.Len() == 0 {
		return v
	}
	texts := make([]value.Value, 0, v.Len())
	for _, p := range v.Elements() {
		switch {
		case p.Kind() != value.Object || p.Has("type") || p.Len() != 1:
			return v
		case p.Has("json") && v.Len() == 1:
			return p.Field("json")
		case !p.Has("text"):
			return v
		}
		texts = append(texts, textOf(p.Field("text").Text()))
	}
	return value.OfList(texts...)
}

// flags reads what a result says about its success.
func (m *Message) flags(v value.Value) {
	for _, key := range []string{"is_error", "isError"} {
		if v.Has(key) {
			m.flag(v.Field(key))
		}
	}
	switch strings.ToLower(firstText(v, "status", "state", "outcome")) {
	case "error", "output-error", "failed", "failure", "denied", "output-denied", "outcome_failed":
		m.IsError, m.Succeeded = true, false
	case "success", "output-available", "outcome_ok":
		m.Succeeded = !m.IsError
	}
	for _, key := range []string{"errorText", "exception", "error"} {
		failure, given := v.Get(key)
		switch {
		case !given:
		case failure.IsNull():
			m.Succeeded = !m.IsError
		case failure.Text() != "false" && failure.Text() != "":
			m.IsError, m.Succeeded = true, false
		case failure.Kind() == value.Object || failure.IsList():
			m.IsError, m.Succeeded = true, false
		}
	}
}

// hasResultParts reports whether the content of a message of the tool role is a list of
// results, not the content of one.
func hasResultParts(v value.Value) bool {
	content, _ := first(v, contentKeys...)
	if inner := content.Field("parts"); inner.IsList() {
		content = inner
	}
	for _, p := range content.Elements() {
		if kind, _ := kindOf(p); kind == resultPart && p.Kind() == value.Object {
			return true
		}
	}
	return false
}

// partContent is the text of a text part.
func partContent(p value.Value) value.Value {
	if p.Kind() != value.Object {
		return p
	}
	v, _ := first(p, "text", "content", "refusal", "value")
	return v
}

// thoughtText is the text of a part that is hidden reasoning.
func thoughtText(p value.Value) string {
	p = inside(p, "reasoningText")
	if s := firstText(p, "text", "thinking", "content", "reasoning"); s != "" {
		return s
	}
	all := ""
	for _, key := range []string{"summary", "content"} {
		for _, part := range p.Field(key).Elements() {
			all = joinLines(all, part.Field("text").Text())
		}
	}
	return all
}
