package format

import (
	"cmp"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// spanReader reads the messages of one model call, in the form of any convention.
type spanReader struct {
	*draft
	span *span
}

// read tries the forms of the conventions, newest first. The first with messages wins.
func (r *spanReader) read() {
	for _, form := range []func(){r.genAI, r.openInference, r.numbered, r.texts, r.events, r.exchanged, r.values} {
		if form(); len(r.Messages) > 0 {
			return
		}
	}
}

// attribute returns an attribute of the span, or of one of its events.
func (r *spanReader) attribute(key string) value.Value {
	if v, ok := r.span.attrs.Get(key); ok {
		return v
	}
	for _, e := range r.span.field("events").Elements() {
		if v, ok := e.Field("attributes").Get(key); ok {
			return v
		}
	}
	return value.Value{}
}

// list returns a list, which may be JSON text, or a single element as a list of one.
func (r *spanReader) list(key string) value.Value {
	v := r.attribute(key)
	s, isText := v.Str()
	if isText {
		v = r.structured(s)
	}
	switch {
	case v.Kind() == value.Object:
		return value.OfList(v)
	case isText && !v.IsList():
		r.note("messages_not_read", r.span.at+": "+key, "this must be a list and is "+value.Quote(s))
	}
	return v
}

// instructions returns the parts of a system prompt, which may be a text, or JSON in a text.
func (r *spanReader) instructions() value.Value {
	text, isText := r.attribute("gen_ai.system_instructions").Str()
	if !isText || !r.structured(text).IsNull() {
		return r.list("gen_ai.system_instructions")
	}
	if inner, err := value.ParseString(text); err == nil && inner.Kind() == value.String {
		text = inner.Text()
	}
	return value.OfList(textOf(text))
}

// each reads the elements of a list as messages, and notes those that cannot be read.
func (r *spanReader) each(list value.Value, at string) {
	for i, v := range list.Elements() {
		at := r.span.at + ": " + place(at, i)
		if err := r.otelMessage(v, at); err != nil {
			r.note("message_not_read", at, problemOf(err, r.Source).Message)
			r.drop("message that cannot be read")
		}
	}
}

// output marks the messages after the first n as the span's answer.
func (r *spanReader) output(n int) {
	for i := n; i < len(r.Messages); i++ {
		if m := &r.Messages[i]; m.Role == transcript.Assistant {
			for key, v := range r.span.ids().Members() {
				m.Extra = m.Extra.With(key, v)
			}
		}
	}
}

// genAI reads the attributes used since version 1.37.
func (r *spanReader) genAI() {
	if parts := r.instructions(); parts.Len() > 0 {
		m := value.Pairs("role", value.OfString("system")).With("parts", parts)
		r.each(value.OfList(m), "gen_ai.system_instructions")
	}
	r.each(r.list("gen_ai.input.messages"), "gen_ai.input.messages")
	n := len(r.Messages)
	r.each(eachOf(r.list("gen_ai.output.messages"), func(m value.Value) value.Value {
		if m.Kind() != value.Object || m.HasAny(roleKeys...) {
			return m
		}
		return m.With("role", value.OfString(string(transcript.Assistant)))
	}), "gen_ai.output.messages")
	r.output(n)
}

// flattened reads messages that are flattened under two attributes, the input's and the output's;
// message converts one to a usual form.
func (r *spanReader) flattened(input, output string, message func(v value.Value) value.Value) {
	n := 0
	for i, key := range []string{input, output} {
		n = len(r.Messages)
		r.each(eachOf(unflatten(r.span.attrs, key), func(v value.Value) value.Value {
			if v = message(v); v.Field("role").Text() == "" {
				v = v.With("role", value.OfString(string([]transcript.Role{transcript.User, transcript.Assistant}[i])))
			}
			return v
		}), key)
	}
	r.output(n)
}

// openInference reads OpenInference's attributes.
func (r *spanReader) openInference() {
	r.flattened("llm.input_messages", "llm.output_messages", inferenceMessage)
}

// inferenceMessage unwraps an OpenInference message, its calls and its parts. It removes calls that
// its parts repeat.
func inferenceMessage(v value.Value) value.Value {
	v = v.Inside("message")
	calls := eachOf(v.Field("tool_calls"), func(c value.Value) value.Value { return c.Inside("tool_call") })
	var parts []value.Value
	for _, p := range v.Field("contents").Elements() {
		if p = p.Inside("message_content"); calls.Len() == 0 || p.Field("type").Text() != "tool_use" {
			parts = append(parts, p)
		}
	}
	out := v.Without("contents", "function_call_name", "function_call_arguments_json").With("tool_calls", calls)
	if parts != nil {
		out = out.With("content", value.OfList(parts...))
	}
	if name := v.Field("function_call_name").Text(); name != "" {
		out = out.With("function_call", callOf(name, v.Field("function_call_arguments_json")))
	}
	return out
}

// numbered reads gen_ai.prompt.0.role and the like, as OpenLLMetry wrote them.
func (r *spanReader) numbered() {
	r.flattened("gen_ai.prompt", "gen_ai.completion", func(v value.Value) value.Value {
		v = calledInContent(v)
		if parts := r.structured(v.Field("content").Text()); isParts(parts) {
			v = v.With("content", parts)
		}
		return v
	})
}

// calledInContent reads a message whose content is a JSON list of calls, as Koog writes it.
func calledInContent(m value.Value) value.Value {
	calls := m.Field("content").Decoded()
	if !calls.IsList() || !calls.Head().Field("function").HasAll("name", "arguments") {
		return m
	}
	role := value.OfString(string(transcript.Assistant))
	return m.Without("content").With("role", role).With("tool_calls", calls)
}

// texts reads gen_ai.prompt and gen_ai.completion if they are a text, or messages as JSON text.
func (r *spanReader) texts() {
	n := 0
	for i, key := range []string{"gen_ai.prompt", "gen_ai.completion"} {
		n = len(r.Messages)
		text, _ := r.attribute(key).Str()
		if list := r.structured(text); list.Head().Has("role") {
			r.each(list, key)
		} else {
			r.say([]transcript.Role{transcript.User, transcript.Assistant}[i], text, r.span.at+": "+key)
		}
	}
	r.output(n)
}

// The attributes of the common form: an original request and its reply, a list of scores, and what
// a trace says about itself.
const (
	requestKey = "judge.request"
	replyKey   = "judge.reply"
	scoresKey  = "judge.scores"
	infoKey    = "judge.info"
)

// observed returns the attributes of a step whose kind, input and output are known.
func observed(operation, session string, input, output, tools value.Value) value.Value {
	var attrs value.Fields
	attrs.Text("gen_ai.operation.name", operation)
	attrs.Text("session.id", session)
	if operation == "execute_tool" {
		attrs.Set("gen_ai.tool.call.arguments", input)
		attrs.Set("gen_ai.tool.call.result", output)
	} else {
		attrs.Set(requestKey, input)
		attrs.Set(replyKey, output)
		attrs.Set("gen_ai.tool.definitions", tools)
	}
	return value.OfObject(attrs...)
}

// exchanged reads an original request and its reply.
func (r *spanReader) exchanged() {
	request, reply := under("input", r.span.attrs.Field(requestKey)), under("output", r.span.attrs.Field(replyKey))
	if request.IsNull() && reply.IsNull() {
		return
	}
	if request.Has("role") {
		request = value.Pairs("messages", value.OfList(request)) // the request is one message
	}
	if reply.Kind() == value.Object && reply.HasAny(roleKeys...) {
		reply = value.Pairs("message", reply) // the reply is the message itself
	}
	for _, half := range [][2]value.Value{{request, {}}, {{}, reply}} {
		n := len(r.Messages)
		if err := r.exchange(half[0], half[1]); err != nil {
			problem := problemOf(err, r.Source)
			r.note("message_not_read", r.span.at+": "+problem.Field, problem.Message)
			r.drop("message that cannot be read")
		}
		if !half[1].IsNull() {
			r.output(n)
		}
	}
}

// values reads the messages in the input of a span, and its output.
func (r *spanReader) values() {
	in, _ := r.span.first("input.value", "traceloop.entity.input")
	out, _ := r.span.first("output.value", "traceloop.entity.output")
	list, _ := findList(under("messages", in.Decoded()), "messages", "inputs.messages")
	if list.Head().IsList() {
		list = list.Head()
	}
	if roleWord(list.Head(), list.Head()) == "" {
		return
	}
	r.span.attrs = r.span.attrs.With(requestKey, list).With(replyKey, out.Decoded())
	r.exchanged()
}

// eventRole returns the role of an event's message; "" for other events.
func eventRole(name string) string {
	switch name {
	case "gen_ai.system.message", "gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message":
		return strings.TrimSuffix(strings.TrimPrefix(name, "gen_ai."), ".message")
	case "gen_ai.choice":
		return string(transcript.Assistant)
	}
	return ""
}

// events reads one message from each event, as in the conventions 1.28 to 1.36.
func (r *spanReader) events() {
	for i, e := range r.span.field("events").Elements() {
		name := e.Field("name").Text()
		role := eventRole(name)
		if role == "" {
			continue
		}
		n := len(r.Messages)
		r.each(value.OfList(eventMessage(e, role)), name+" "+place("events", i))
		if name == "gen_ai.choice" {
			r.output(n)
		}
	}
}

// eventMessage returns an event's message in the form of OpenAI chat.
func eventMessage(e value.Value, role string) value.Value {
	body := e.Field("body").Decoded()
	if body.Kind() != value.Object {
		body = e.Field("attributes")
	}
	if inner, ok := body.First("message", "gen_ai.event.content"); ok {
		if inner = inner.Decoded().Inside("message"); inner.Kind() == value.Object {
			body = inner
		}
	}
	o := value.Fields{{Key: "role", Value: value.OfString(cmp.Or(body.Field("role").Text(), role))}}
	content, _ := body.First("content", "message")
	if parts := content.Decoded(); areParts(parts, role) {
		content = parts
	}
	o.Set("content", content)
	if calls := body.Field("tool_calls").Decoded(); calls.Kind() != value.String {
		o.Set("tool_calls", calls)
	}
	if role == string(transcript.ToolRole) {
		id, _ := body.First("id", "tool_call_id")
		o.Set("tool_call_id", id)
		o.Set("name", body.Field("name"))
	}
	return value.OfObject(o...)
}

// areParts reports whether an event's JSON content is the parts of a message with this role. A
// tool's result may be any list.
func areParts(list value.Value, role string) bool {
	for _, p := range list.Elements() {
		kind, _ := kindOf(p)
		if p.Kind() != value.Object || kind == otherPart || kind != resultPart && role == string(transcript.ToolRole) {
			return false
		}
	}
	return list.Len() > 0
}

// tools reads the request's inventory, in any form.
func (r *spanReader) tools() {
	list := r.list("gen_ai.tool.definitions")
	if list.Len() == 0 {
		list = eachOf(unflatten(r.span.attrs, "llm.tools"), func(t value.Value) value.Value {
			return t.Field("tool").Field("json_schema")
		})
	}
	if list.Len() == 0 {
		list = eachOf(unflatten(r.span.attrs, "llm.request.functions"), func(f value.Value) value.Value {
			return f.With("parameters", f.Field("parameters").Decoded())
		})
	}
	if list.Len() > 0 {
		r.useTools(list)
	}
}
