package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// toolCall holds what a span says about one tool call.
type toolCall struct {
	name, id     string
	args, result value.Value
	hasArgs      bool
	hasResult    bool
	// failure says why the call failed, "" if the span does not say that it did.
	failure string
}

func (s *span) toolCall() toolCall {
	c := toolCall{name: s.attrs.FirstText("gen_ai.tool.name", "tool.name", "tool_call.function.name",
		"traceloop.entity.name", "mcp.tool.name")}
	c.name = cmp.Or(c.name, strings.TrimPrefix(s.field("name").Text(), "execute_tool "))
	id, _ := s.first("gen_ai.tool.call.id", "tool.id", "tool_call.id")
	c.id = id.Text()
	c.args, c.hasArgs = s.first("gen_ai.tool.call.arguments", "gcp.vertex.agent.tool_call_args", "input.value",
		"traceloop.entity.input")
	c.result, c.hasResult = s.first("gen_ai.tool.call.result", "gcp.vertex.agent.tool_response", "output.value",
		"traceloop.entity.output")
	if failed := s.field("error").Text(); failed != "" || s.attrs.Has("error.type") {
		c.failure = cmp.Or(s.text("error.type"), failed)
		if failed != "" && failed != "error" && failed != c.failure {
			c.failure += ": " + failed
		}
	}
	return c
}

// addition holds what a tool's span adds to the messages: the result of a call, or the call too.
type addition struct {
	toolCall
	*span
	// before is the message before which it comes.
	before int
	// called says that a message has the call.
	called bool
}

// addCalls gives calls the results and errors that only tool spans hold, and adds calls
// that no message has. A span below one of the same tool is the same call.
func (t *telemetry) addCalls() {
	answers := t.answers()
	matched := map[int]bool{}
	var results, calls []addition
	for _, s := range t.tools {
		c := s.toolCall()
		if t.nested(s, c.name) {
			continue
		}
		call := t.match(&c, matched, answers)
		at, answered := answers[call]
		if call >= 0 {
			matched[call] = true
			c.id = t.Calls[call].ID
		}
		switch {
		case answered:
			t.Messages[at].IsError = t.Messages[at].IsError || c.failure != ""
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

func (t *telemetry) nested(s *span, name string) bool {
	for n := 0; n < maxAbove; n++ {
		above := t.byID[s.field("parent_id").Text()]
		if above == nil || above == s {
			return false
		}
		if above.kind() == toolSpan && above.toolCall().name == name {
			return true
		}
		s = above
	}
	return false
}

// answers are the messages that answer each call, as pair will find them.
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

// match finds the call that a span ran: by id; else by name and arguments; else the first of
// the name without an answer. -1 for none.
func (t *telemetry) match(s *toolCall, matched map[int]bool, answers map[int]int) int {
	same := func(c *transcript.Call) bool { return s.id != "" && c.ID == s.id }
	var probe transcript.Call
	t.view().arguments(&probe, s.args, s.hasArgs)
	sameArgs := func(c *transcript.Call) bool {
		return c.Name == s.name && (s.id == "" || c.ID == "") && !c.Malformed && !probe.Malformed &&
			value.Equal(c.Arguments, probe.Arguments)
	}
	open := func(c *transcript.Call) bool {
		_, answered := answers[c.Index]
		return c.Name == s.name && (s.id == "" || c.ID == "") && !answered && !s.hasArgs
	}
	for _, fits := range []func(*transcript.Call) bool{same, sameArgs, open} {
		for i := range t.Calls {
			if !matched[i] && fits(&t.Calls[i]) {
				return i
			}
		}
	}
	return -1
}

// behindResults is the number of messages up to a call and the results that follow it.
func (t *telemetry) behindResults(call int) int {
	at := t.Calls[call].Message + 1
	for at < len(t.Messages) && t.Messages[at].Role == transcript.ToolRole {
		at++
	}
	return at
}

// insert puts additions between the messages.
func (t *telemetry) insert(all []addition) {
	slices.SortStableFunc(all, func(a, b addition) int { return a.before - b.before })
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
		t.result(transcript.Message{ResultID: a.id, ToolName: a.name, IsError: a.failure != ""}, content, a.span.at)
	}
}
