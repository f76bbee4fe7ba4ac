// Traces of DeepEval.
// Written by: deepeval 3.x and 4.x with its integrations (LangChain, LangGraph, CrewAI, OpenAI, OpenAI Agents,
// pydantic-ai, Google ADK, Strands, LlamaIndex): a trace with its spans by type, as Confident AI gets it.
// Read: model calls in the order of their start, with the calls of their replies; tool spans, which give
// results and the calls that no reply has; the tools that a model was offered.
// Lost: spans of agents, retrievers and functions; of a request, what follows the user's last message:
// it repeats the steps of the trace, in many integrations without ids or arguments.

package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var deepEvalTrace = format{
	name: "deepeval-trace",
	mark: "llmSpans and toolSpans",
	detect: of(func(f value.Value) bool {
		return f.Has("baseSpans") || f.Field("llmSpans").IsList() && f.Field("toolSpans").IsList()
	}),
	read: (*draft).readDeepEvalTrace,
}

// readDeepEvalTrace reads the spans of a trace in the order of their start.
func (d *draft) readDeepEvalTrace(v value.Value) error {
	d.ID = v.FirstText("threadId", "uuid")
	d.Extra = foreign(v, "threadId", "uuid", "input", "output", "baseSpans", "agentSpans", "llmSpans", "toolSpans",
		"retrieverSpans", "toolsCalled")
	t := &telemetry{views: views{draft: d, seen: map[string]bool{}}, byID: map[string]*span{}}
	var spans []value.Value
	for _, list := range []string{"llmSpans", "toolSpans"} {
		spans = append(spans, v.Field(list).Slice()...)
	}
	sorting.Stable(spans, func(a, b value.Value) int {
		return strings.Compare(a.Field("startTime").Text(), b.Field("startTime").Text())
	})
	if v.Field("llmSpans").Len() == 0 {
		d.messageOf(transcript.User, v.Field("input"), "input")
	}
	for _, s := range spans {
		if s.Field("type").Text() == "tool" {
			t.deepEvalTool(s)
			continue
		}
		if err := t.deepEvalCall(s); err != nil {
			return err
		}
	}
	if v.Field("llmSpans").Len() == 0 && !v.Field("output").IsNull() {
		if err := d.answer(v.Field("output"), "output"); err != nil {
			return err
		}
	}
	t.addCalls()
	for _, s := range v.Field("toolSpans").Elements() { // Strands' integration does not record arguments
		added := func(c transcript.Call) bool { return c.Place == "span "+s.Field("uuid").Text() }
		if s.Field("input").IsNull() && slices.ContainsFunc(d.Calls, added) {
			d.note("arguments_not_recorded", "span "+s.Field("uuid").Text(), "the trace holds no arguments of the call")
		}
	}
	return nil
}

// deepEvalTool stores a tool span for addCalls.
func (t *telemetry) deepEvalTool(v value.Value) {
	called := v.Field("toolsCalled").Head()
	args, output := v.Field("input").Decoded(), v.Field("output").Decoded()
	if given := called.Field("inputParameters"); given.Len() > 0 || args.IsNull() {
		args = given
	} else if args.Len() == 1 && args.Has("kwargs") { // LlamaIndex's form
		args = args.Field("kwargs")
	} else if args.Len() == 1 && args.Has("args") { // the TypeScript form
		args = t.byPosition(cmp.Or(called.Field("name").Text(), v.Field("name").Text()), args.Field("args"))
	}
	if raw, ok := output.Inside("tool_output").Get("raw_output"); ok {
		output = raw
	}
	name := strings.TrimPrefix(v.Field("name").Text(), "Function tool: ") // the form of OpenAI Agents
	s := &spanRecord{id: v.Field("uuid").Text(), parent: v.Field("parentUuid").Text(), name: name}
	s.tell("execute_tool", args, output)
	if strings.HasPrefix(v.Field("status").Text(), "ERROR") {
		s.failure = cmp.Or(v.Field("error").Text(), "error")
	}
	s.add(func(p part) {
		in, _ := value.ParseString(p.text)
		one := &span{v: in, attrs: in.Field("attributes"), at: "span " + s.id, kind: toolSpan, behind: len(t.Messages)}
		t.byID[s.id], t.tools = one, append(t.tools, one)
	})
}

// byPosition names arguments by the parameters of their tool; a single object is the arguments themselves.
func (t *telemetry) byPosition(tool string, args value.Value) value.Value {
	known := transcript.FindTool(t.Tools, tool)
	if args.Len() == 1 && args.Head().Kind() == value.Object || known == nil {
		return args.Head()
	}
	var named value.Fields
	names := known.ParameterNames()
	for i, name := range names[:min(len(names), args.Len())] {
		named.Set(name, args.At(i))
	}
	return named.Object()
}

// deepEvalCall reads the new part of a model call's request, and its reply.
func (t *telemetry) deepEvalCall(v value.Value) error {
	at := "span " + v.Field("uuid").Text()
	tools := valueAt(v, "metadata.invocation_params.tools").Slice()
	input := v.Field("input").Decoded()
	if request := input.Field("args").Head(); request.Kind() == value.Object { // the TypeScript form
		input, _ = request.First("messages", "input")
		tools = request.Field("tools").Slice()
	}
	if !input.IsList() {
		input = value.OfList(value.Pairs("role", string(transcript.User), "content", input))
	}
	var messages, fresh []value.Value
	for _, m := range input.Elements() {
		switch role, _ := roleOf(m.Field("role").Text()); {
		case m.Field("role").Text() == "Tool Input": // LangChain's
			if tool, err := pycall.ParseLiteral(m.Field("content").Text()); err == nil {
				tools = append(tools, tool)
			}
		case role == transcript.User && m.Has("role"):
			fresh, messages = append(append(fresh, messages...), m), nil
		case role == transcript.ToolRole && m.FirstText("tool_call_id") == "": // it could answer any call
		case role == transcript.System, m.HasAny("tool_call_id", "tool_calls"), m.FirstText("content") != "":
			messages = append(messages, m)
		}
	}
	one := t.view()
	if len(tools) > 0 {
		one.useTools(value.OfList(tools...))
	}
	t.draft.addTools(one.Tools)
	fresh = slices.DeleteFunc(fresh, func(m value.Value) bool {
		known := t.seen[m.JSON()]
		t.seen[m.JSON()] = true
		return known
	})
	if err := t.messageList(value.OfList(fresh...), at+": input"); err != nil {
		return err
	}
	return t.deepEvalReply(v.Field("output"), at+": output")
}

// deepEvalReply reads a reply in the form of its integration.
func (t *telemetry) deepEvalReply(reply value.Value, at string) error {
	if text := reply.Text(); strings.HasPrefix(text, "{'") { // Strands' parts
		if part, err := pycall.ParseLiteral(text); err == nil {
			reply = value.OfList(part)
		}
	}
	if reply = reply.Decoded(); reply.IsNull() {
		return nil
	}
	if reply.IsList() {
		reply = eachOf(reply, func(m value.Value) value.Value {
			switch part := m.Field("content"); {
			case part.Kind() == value.Object: // pydantic-ai's
				return m.With("content", value.OfList(part))
			case reply.Head().Has("role") && !m.Has("role") && isCall(m): // LlamaIndex's, after the message
				return value.Pairs("role", string(transcript.Assistant)).With("tool_calls", value.OfList(m))
			}
			return m
		})
	}
	n := len(t.Messages)
	err := t.answer(reply, at)
	for i := n; i < len(t.Messages); i++ {
		t.Messages[i].Role = transcript.Assistant
	}
	return err
}
