package format

import (
	"cmp"
	"strings"

	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// toolCall holds what a span says about one tool call.
type toolCall struct {
	name, id     string
	args, result value.Value
	hasArgs      bool
	hasResult    bool
	// failure says why the call failed; "" if the span does not say that it did.
	failure string
	// failed says that the result is marked as an error.
	failed bool
}

func (s *span) toolCall() toolCall {
	c := toolCall{name: s.attrs.FirstText("gen_ai.tool.name", "tool.name", "tool_call.function.name",
		"traceloop.entity.name", "mcp.tool.name")}
	c.name = cmp.Or(c.name, strings.TrimPrefix(s.field("name").Text(), "execute_tool "))
	id, _ := s.first("gen_ai.tool.call.id", "tool.id", "tool_call.id")
	c.id = id.Text()
	c.args, c.hasArgs = s.first("gen_ai.tool.call.arguments", "gcp.vertex.agent.tool_call_args",
		"tool_call.function.arguments", "input.value", "traceloop.entity.input")
	c.result, c.hasResult = s.first("gen_ai.tool.call.result", "gcp.vertex.agent.tool_response", "output.value",
		"traceloop.entity.output")
	if !c.hasArgs {
		c.fromEvents(s)
	}
	c.args = s.named(c.args)
	if m, wrapped := toolAnswer(c.result); wrapped {
		c.result, c.id, c.failed = m.content, cmp.Or(c.id, m.ResultID), c.failed || m.IsError
	}
	if status := s.attrs.FirstText("gen_ai.tool.status", "tool.status"); status == "error" {
		c.failed = true
	}
	if failed := s.field("error").Text(); failed != "" || s.attrs.Has("error.type") {
		c.failure = cmp.Or(s.text("error.type"), failed)
		if failed != "" && failed != "error" && failed != c.failure {
			c.failure += ": " + failed
		}
	}
	return c
}

// fromEvents reads the arguments and the result from messages that are events of a span.
func (c *toolCall) fromEvents(s *span) {
	take := func(v value.Value, to *value.Value, has *bool) {
		if !v.IsNull() {
			*to, *has = plainContent(v.Decoded()), true
		}
	}
	for _, e := range s.field("events").Elements() {
		a, name := e.Field("attributes"), e.Field("name").Text()
		switch name {
		case "gen_ai.tool.message":
			take(a.Field("content"), &c.args, &c.hasArgs)
		case "gen_ai.choice":
			take(a.Field("message"), &c.result, &c.hasResult)
		}
		asked, _ := found(a.Field("gen_ai.input.messages").Decoded().Head(), "parts[0].arguments")
		take(asked, &c.args, &c.hasArgs)
		told, _ := found(a.Field("gen_ai.output.messages").Decoded().Head(), "parts[0].response", "parts[0].result")
		take(told, &c.result, &c.hasResult)
	}
}

// named returns arguments by name if they are those of a Python function: {args, kwargs}. args are
// named by the tool's parameters.
func (s *span) named(v value.Value) value.Value {
	in := v.Decoded()
	args, named := in.Field("args"), in.Field("kwargs")
	if !args.IsList() || named.Kind() != value.Object {
		return v
	}
	parameters := s.attrs.Field("tool.parameters").Decoded().Inside("properties")
	if args.Len() > parameters.Len() {
		return v
	}
	var all value.Fields
	for i, e := range args.Elements() {
		all.Set(parameters.KeyAt(i), e)
	}
	all.Add(named)
	return value.OfObject(all...)
}

// toolAnswer unwraps a result if a span contains the message to the model, or the server's reply, around it.
func toolAnswer(v value.Value) (m toolMessage, wrapped bool) {
	in := v.Decoded()
	if in.HasAll("lc", "kwargs") {
		in = in.Field("kwargs")
	}
	isMessage := in.Has("content") && in.FirstText("tool_call_id") != ""
	if in.HasAll("name", "response") && rest(in, "id", "name", "response").IsNull() {
		return toolMessage{content: in.Field("response")}, true
	}
	isReply := isParts(in.Field("content")) && rest(in, "content", "isError", "structuredContent", "_meta").IsNull()
	if !isMessage && !isReply {
		return m, false
	}
	m.ResultID, m.ToolName = in.FirstText(resultIDKeys...), in.Field("name").Text()
	m.content = plainContent(in.Field("content"))
	readFlags(&m.Message, in)
	return m, true
}

// addition holds what a tool's span adds to the messages: the result of a call, or the call as well.
type addition struct {
	toolCall
	*span
	// before is the index of the message before which it is inserted.
	before int
	// called says that a message has the call.
	called bool
}

// addCalls adds results and errors that only tool spans contain, and calls that no message has. A
// span below another of the same tool is the same call.
func (t *telemetry) addCalls() {
	answers := t.answers()
	matched, known := map[int]bool{}, map[string]bool{}
	var results, calls []addition
	for _, s := range t.tools {
		c := s.toolCall()
		if t.nested(s, &c) || known[c.id] {
			continue
		}
		known[c.id] = c.id != ""
		call := t.match(&c, matched, answers)
		at, answered := answers[call]
		if call >= 0 {
			matched[call] = true
			if !answered { // so that parallel calls without ids get their own results
				t.Calls[call].ID = cmp.Or(t.Calls[call].ID, c.id, s.field("span_id").Text())
			}
			c.id = t.Calls[call].ID
		}
		switch {
		case answered:
			t.Messages[at].IsError = t.Messages[at].IsError || c.failed || c.failure != ""
		case call < 0 && !c.hasArgs: // without arguments there is nothing to judge
			t.silent++
			t.drop("tool call without content")
		case call < 0:
			c.id = cmp.Or(c.id, s.field("span_id").Text())
			calls = append(calls, addition{toolCall: c, span: s, before: min(s.behind, len(t.Messages))})
		case !c.hasResult && c.failure == "":
			t.drop("tool result without content")
		default:
			results = append(results, addition{toolCall: c, span: s, before: t.behindResults(call), called: true})
		}
	}
	t.insert(append(results, calls...))
}

// nested reports whether a span is below another span of the same call.
func (t *telemetry) nested(s *span, c *toolCall) bool {
	for n := 0; n < maxAbove; n++ {
		above := t.byID[s.field("parent_id").Text()]
		if above == nil || above == s {
			return false
		}
		if above.kind == toolSpan {
			if call := above.toolCall(); call.name == c.name {
				return call.id == "" || c.id == "" || call.id == c.id
			}
		}
		s = above
	}
	return false
}

// answers returns the messages that answer each call, as pair will find them.
func (t *telemetry) answers() map[int]int {
	notes := len(t.Notes)
	t.pair()
	t.Notes = t.Notes[:notes]
	out := map[int]int{}
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Result >= 0 {
			out[i] = c.Result
			t.Messages[c.Result].Result = -1
		}
		c.Result, c.Pairing = -1, ""
	}
	return out
}

// match finds the call that a span ran: by id, else by name and arguments, else the first
// unanswered call with the name; -1 if none.
func (t *telemetry) match(s *toolCall, matched map[int]bool, answers map[int]int) int {
	same := func(c *transcript.Call) bool { return s.id != "" && c.ID == s.id }
	var probe transcript.Call
	t.view().arguments(&probe, s.args, s.hasArgs)
	alike := func(c *transcript.Call) bool {
		return c.Name == s.name && (s.id == "" || c.ID == "") && !c.Malformed && !probe.Malformed && s.hasArgs
	}
	sameArgs := func(c *transcript.Call) bool { return alike(c) && value.Equal(c.Arguments, probe.Arguments) }
	moreArgs := func(c *transcript.Call) bool { // the program added defaults, or wrapped the arguments
		return alike(c) && (contains(probe.Arguments, c.Arguments) ||
			probe.Arguments.Len() == 1 && value.Equal(c.Arguments, probe.Arguments.At(0)))
	}
	open := func(c *transcript.Call) bool {
		_, answered := answers[c.Index]
		return c.Name == s.name && (s.id == "" || c.ID == "") && !answered && probe.Arguments.Len() == 0
	}
	for _, fits := range []func(*transcript.Call) bool{same, sameArgs, moreArgs, open} {
		for i := range t.Calls {
			if !matched[i] && fits(&t.Calls[i]) {
				return i
			}
		}
	}
	return -1
}

// contains reports whether an object has all members of another non-empty one.
func contains(v, part value.Value) bool {
	for key, e := range part.Members() {
		if !value.Equal(v.Field(key), e) {
			return false
		}
	}
	return part.Len() > 0
}

// behindResults returns the number of messages up to a call and its results.
func (t *telemetry) behindResults(call int) int {
	at := t.Calls[call].Message + 1
	for at < len(t.Messages) && t.Messages[at].Role == transcript.ToolRole {
		at++
	}
	return at
}

// insert inserts additions between the messages.
func (t *telemetry) insert(all []addition) {
	sorting.Stable(all, func(a, b addition) int { return a.before - b.before })
	messages, places := t.Messages, t.places
	t.Messages, t.places = nil, nil
	for i := 0; i <= len(messages); i++ {
		for len(all) > 0 && all[0].before == i {
			t.addition(&all[0])
			all = all[1:]
		}
		if i < len(messages) {
			at := t.message(messages[i], places[i])
			for _, k := range messages[i].Calls {
				t.Calls[k].Message = at
			}
		}
	}
	t.reorder()
}

// addition adds a call that no message has, and its result.
func (t *telemetry) addition(a *addition) {
	if !a.called {
		call := transcript.Call{ID: a.id, Name: a.name, Place: a.span.at}
		if text, isText := a.args.Str(); isText && a.operation() == "tool" && t.structured(text).IsNull() {
			call.FreeText(text)
		} else {
			t.arguments(&call, a.args, true)
		}
		t.call(t.message(transcript.Message{Role: transcript.Assistant, Extra: a.ids()}, a.span.at), call)
	}
	content := a.result
	if !a.hasResult {
		content = value.OfString(a.failure)
	}
	if a.hasResult || a.failure != "" {
		m := transcript.Message{ResultID: a.id, ToolName: a.name, IsError: a.failed || a.failure != ""}
		t.result(m, content, a.span.at)
	}
}
