package transcript

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// toolCall is what a span says about one tool call.
type toolCall struct {
	name, id     string
	args, result value.Value
	hasArgs      bool
	hasResult    bool
	// failure is why the call failed, "" where the span does not say that it did.
	failure string
}

func (s *span) toolCall() toolCall {
	c := toolCall{name: firstText(s.attrs, "gen_ai.tool.name", "tool.name", "tool_call.function.name",
		"traceloop.entity.name", "mcp.tool.name")}
	c.name = orWord(c.name, strings.TrimPrefix(s.field("name").Text(), "execute_tool "))
	id, _ := s.first("gen_ai.tool.call.id", "tool.id", "tool_call.id")
	c.id = id.Text()
	c.args, c.hasArgs = s.first("gen_ai.tool.call.arguments", "gcp.vertex.agent.tool_call_args", "input.value",
		"traceloop.entity.input")
	c.result, c.hasResult = s.first("gen_ai.tool.call.result", "gcp.vertex.agent.tool_response", "output.value",
		"traceloop.entity.output")
	if failed := s.field("error").Text(); failed != "" || s.attrs.Has("error.type") {
		c.failure = orWord(s.text("error.type"), failed)
		if failed != "" && failed != "error" && failed != c.failure {
			c.failure += ": " + failed
		}
	}
	return c
}

// addCalls gives calls the results and errors that only tool spans hold, and adds calls
// that no message has. A span below one of the same tool is the same call.
func (t *telemetry) addCalls() {
	answers := t.answers()
	matched := map[int]bool{}
	var missing []int
	for i, s := range t.tools {
		c := s.toolCall()
		if t.nested(s.span, c.name) {
			continue
		}
		call := t.match(&c, matched, answers)
		if call < 0 {
			missing = append(missing, i)
			continue
		}
		matched[call] = true
		t.answer(call, &c, s.span, answers)
	}
	for _, i := range slices.Backward(missing) {
		t.missingCall(t.tools[i])
	}
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
	same := func(c *Call) bool { return s.id != "" && c.ID == s.id }
	var probe Call
	t.view().arguments(&probe, s.args, s.hasArgs)
	sameArgs := func(c *Call) bool {
		return c.Name == s.name && (s.id == "" || c.ID == "") && !c.Malformed && !probe.Malformed &&
			value.Equal(c.Arguments, probe.Arguments)
	}
	open := func(c *Call) bool {
		_, answered := answers[c.Index]
		return c.Name == s.name && (s.id == "" || c.ID == "") && !answered && !s.hasArgs
	}
	for _, fits := range []func(*Call) bool{same, sameArgs, open} {
		for i := range t.Calls {
			if !matched[i] && fits(&t.Calls[i]) {
				return i
			}
		}
	}
	return -1
}

// answer sets the error of a call's result, or adds the result and moves the answers behind it.
func (t *telemetry) answer(call int, c *toolCall, s *span, answers map[int]int) {
	if at, found := answers[call]; found {
		m := &t.Messages[at]
		m.IsError = m.IsError || c.failure != ""
		return
	}
	if !c.hasResult && c.failure == "" {
		t.drop("tool result without content")
		return
	}
	at := t.Calls[call].Message + 1
	for at < len(t.Messages) && t.Messages[at].Role == ToolRole {
		at++
	}
	m, place := t.toolResult(c, t.Calls[call].ID, s)
	t.insert(at, m, place)
	for k, i := range answers {
		answers[k] = i + b2i(i >= at)
	}
	for i := range t.tools {
		t.tools[i].behind += b2i(t.tools[i].behind >= at)
	}
	answers[call] = at
}

// toolResult is the message that a span's result makes.
func (t *telemetry) toolResult(c *toolCall, id string, s *span) (Message, string) {
	m := Message{Role: ToolRole, ResultID: id, ToolName: c.name, IsError: c.failure != ""}
	content := c.result
	if !c.hasResult {
		content = value.OfString(c.failure)
	}
	t.content(&m, content, s.at)
	return m, s.at
}

// insert puts a message between others.
func (t *telemetry) insert(at int, m Message, place string) {
	m.Result = -1
	t.Messages = slices.Insert(t.Messages, at, m)
	t.places = slices.Insert(t.places, at, place)
	for i := range t.Calls {
		if t.Calls[i].Message >= at {
			t.Calls[i].Message++
		}
	}
}

// missingCall adds a call that only its span tells of, with its result. Without arguments
// there is nothing to judge.
func (t *telemetry) missingCall(s tooled) {
	c := s.toolCall()
	if !c.hasArgs {
		t.silent++
		t.drop("tool call without content")
		return
	}
	at := min(s.behind, len(t.Messages))
	t.insert(at, Message{Role: Assistant, Extra: s.ids()}, s.at)
	c.id = orWord(c.id, s.field("span_id").Text())
	call := Call{ID: c.id, Name: c.name, Place: s.at}
	args := c.args
	if text, isText := args.Str(); isText && s.operation() == "tool" && t.structured(text).IsNull() {
		call.freeText(text)
	} else {
		t.arguments(&call, args, true)
	}
	t.call(at, call)
	t.reorder()
	if c.hasResult || c.failure != "" {
		m, place := t.toolResult(&c, c.id, s.span)
		t.insert(at+1, m, place)
	}
}
