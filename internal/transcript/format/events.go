// Logs of people's own programs: one event a record.
// Written by: whoever writes a line for each message, call and result, or a table with a row for each; hooks of
// coding agents (PreToolUse, PostToolUse).
// Read: events that say by a type, kind, event or role what they are (eventWords), with the fields under any
// usual name, in the event or in one object inside of it; a row with columns for a tool's name, its arguments
// and its result is a call. Calls and results are paired by id, else by order. Events with a session's or a
// conversation's id belong to that one; else the file is one conversation.
// Lost: events of other types, which are counted.

package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var eventLog = format{
	name:   "event-log",
	mark:   "events, some of them calls of tools",
	detect: isEventLog,
	read:   (*draft).readEvents,
	parts:  eventParts,
}

// eventKind says what an event reports.
type eventKind int

const (
	otherEvent eventKind = iota
	headerEvent
	systemEvent
	userEvent
	agentEvent
	thoughtEvent
	callEvent
	resultEvent
)

// eventWords lists the words for events, in lower case and only letters. Longer words may contain
// them: "tool.call_started". The first match decides.
var eventWords = []struct {
	kind eventKind
	// whole lists complete words; other words begin with one of the first parts and end with one of the second.
	whole []string
	parts [2][]string
}{
	{resultEvent, []string{"result", "return", "returned", "returns", "observation", "tool", "toolmessage", "posttooluse", "posttoolusefailure"}, [2][]string{
		{"tool", "function", "action", "call"},
		{"result", "output", "response", "end", "ended", "finished", "complete", "completed", "return", "returned", "error",
			"failed", "done"}}},
	{callEvent, []string{"call", "action", "pretooluse"}, [2][]string{{"tool", "function", "action"},
		{"call", "called", "calls", "use", "start", "started", "request", "requested", "invocation", "invoke", "execution"}}},
	{headerEvent, []string{"session", "header", "init", "start", "meta", "metadata", "config"},
		[2][]string{{"session", "run", "conversation", "thread"}, {"start", "started", "begin", "created", "meta", "init"}}},
	{systemEvent, []string{"system", "systemprompt", "instructions"}, [2][]string{{"system"}, {"message", "prompt"}}},
	{userEvent, []string{"user", "human", "customer", "prompt", "question", "input", "userpromptsubmit"}, [2][]string{
		{"user", "human", "customer"},
		{"message", "input", "prompt", "turn", "text", "query"}}},
	{agentEvent, []string{"assistant", "agent", "ai", "bot", "model", "reply", "response", "answer", "output", "completion"},
		[2][]string{{"assistant", "agent", "ai", "bot", "model", "llm", "final"},
			{"message", "response", "reply", "answer", "output", "text", "turn", "completion"}}},
	{thoughtEvent, []string{"thinking", "thought", "reasoning"}, [2][]string{}},
}

// kindOfWord returns the kind of an event with this type.
func kindOfWord(word string) eventKind {
	word = letters(word)
	if rest, found := strings.CutPrefix(word, "on"); found { // a callback's name: on_tool_start
		word = rest
	}
	begins := func(p string) bool { return strings.HasPrefix(word, p) }
	ends := func(p string) bool { return strings.HasSuffix(word, p) }
	for _, w := range eventWords {
		of := slices.ContainsFunc(w.parts[0], begins) && slices.ContainsFunc(w.parts[1], ends)
		if of || slices.Contains(w.whole, word) {
			return w.kind
		}
	}
	return otherEvent
}

// The names of events' fields, besides those in words.go.
var (
	eventWordKeys = []string{"type", "kind", "event", "ev", "event_type", "eventType", "hook_event_name", "role", "actor",
		"author", "from", "step"}
	eventInnerKeys = []string{"data", "payload", "event", "body", "item", "message", "tool_call", "call", "tool", "action",
		"content"}
	eventTextKeys = []string{"content", "text", "message", "msg", "value", "body", "prompt", "response", "answer", "reply",
		"output", "question", "input", "parts"}
	eventSessionKeys = append(slices.Clone(rowKeys), "session", "sessionID", "sid", "conversation",
		"convo", "convo_id", "thread", "chat", "episode")
	userTextKeys  = []string{"user_text", "user_message", "user_input", "user", "question", "prompt", "query"}
	agentTextKeys = []string{"reply", "assistant_text", "assistant_message", "last_assistant_message", "assistant",
		"agent_text", "response", "answer"}
)

// eventFields returns an event with the fields of its inner object moved up. If an event names its
// call itself, its inner object is only what it was made from.
func eventFields(v value.Value) value.Value {
	if v.HasAny(resultIDKeys...) && v.FirstText("toolName", "tool_name") != "" {
		return v.Without("payload", "data", "raw")
	}
	for _, key := range eventInnerKeys {
		inner := v.Field(key).Decoded()
		if key == "content" && kindOfWord(v.FirstText(eventWordKeys...)) == resultEvent && !inner.HasAny(bothResultKeys...) {
			break // it is the result
		}
		if inner.Kind() == value.Object {
			out := v.Without(key)
			for name, field := range inner.Members() {
				out = out.With(name, field)
			}
			return out
		}
	}
	return v
}

// kindOfEvent returns the kind of an event, by its first known word, and its fields.
func kindOfEvent(v value.Value) (eventKind, value.Value) {
	fields := eventFields(v)
	for _, in := range []value.Value{v, fields} {
		for _, key := range eventWordKeys {
			word, _ := in.Field(key).Str()
			if kind := kindOfWord(word); kind != otherEvent {
				return kind, fields
			}
		}
	}
	return otherEvent, fields
}

// letters returns the letters of a word, in lower case.
func letters(word string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(word[:min(len(word), 40)]))
}

// isEventLog looks for a call, by its type or its columns, among records that are events.
func isEventLog(p *probe) confidence {
	calls, others, best := 0, 0, general
	for _, v := range p.records {
		switch kind, fields := kindOfEvent(v); {
		case v.Has("role") && (kind == agentEvent && isRowCall(v) || kind == callEvent && isCall(v)):
			best = likely // a chat's message would have the call in a list
			calls++
		case kind == callEvent && nested(fields).FirstText(callNameKeys...) != "", isRowCall(fields):
			calls++
		case kind > headerEvent:
			others++
		}
	}
	several := len(p.records) > 1 || !firstOf(p.first, userTextKeys).IsNull()
	return min(sureIf(calls > 0 && several && 2*(calls+others) >= len(p.records)-1), best)
}

// isRowCall reports whether a row has columns for a tool's name and its arguments.
func isRowCall(v value.Value) bool {
	return v.FirstText("tool_name", "toolName", "tool", "function_name") != "" && !firstOf(v, argumentKeys).IsNull()
}

func eventParts(v value.Value, add func(part)) {
	id := v.FirstText(eventSessionKeys...)
	if id == "" {
		id = eventFields(v).FirstText(eventSessionKeys...)
	}
	add(part{conversation: id, text: v.Raw()})
}

// readEvents reads the events of one conversation.
func (d *draft) readEvents(list value.Value) error {
	r := eventReader{turns: turns{draft: d}, called: map[string]bool{}, waiting: map[string]bool{}}
	defer r.flush()
	byType := false // the type says when the user speaks, so a message without a role is the agent's
	for i, v := range list.Elements() {
		kind, fields := kindOfEvent(v)
		byType = byType || kind == userEvent && !v.HasAny(roleKeys...)
		if kind == otherEvent && byType && fields.Field("type").Text() == "message" && !fields.HasAny(roleKeys...) {
			kind = agentEvent
		}
		if data, key := v.FirstKey("data", "payload", "body"); kind == resultEvent && data.Kind() == value.Object &&
			firstOf(fields, resultKeys).IsNull() { // the object is the result itself
			fields = v.Without(key).With("result", data)
		}
		d.ID = cmp.Or(d.ID, fields.FirstText(eventSessionKeys...))
		if err := r.event(kind, fields, indexed(i)); err != nil {
			return err
		}
	}
	return nil
}

// eventReader turns events into messages.
type eventReader struct {
	turns
	// session is the id in the header. called holds the ids of the calls so far, waiting what was
	// called without an id and has no result yet.
	session         string
	called, waiting map[string]bool
	// listed says that the last calls were in a message's list and had no ids.
	listed bool
}

// knows reports whether the call with an id was read already; without an id, whether a list
// contained the last call.
func (r *eventReader) knows(id string) bool { return r.called[id] || id == "" && r.listed }

func (r *eventReader) event(kind eventKind, v value.Value, at string) error {
	switch kind {
	case headerEvent:
		return r.header(v, at)
	case thoughtEvent:
		return r.message(value.Pairs("type", "reasoning").With("text", firstOf(v, eventTextKeys)), at)
	case callEvent:
		r.calls(v, at)
		return nil
	case resultEvent:
		if id := v.FirstText(callIDKeys...); isRowCall(v) && !r.knows(id) && !r.waiting[whatIsAsked(v)] {
			r.calls(v, at)
			return nil
		}
		return r.message(r.result(v), at)
	case otherEvent:
		return r.row(v, at)
	}
	m := value.Pairs("role", string(roleOfEvent(kind))).With("content", firstOf(v, eventTextKeys))
	for _, c := range slices.Concat(members(v, callListKeys...), members(v, reasoningKeys...)) {
		m = m.With(c.Key, c.Value)
		for _, call := range c.Value.Elements() {
			id := call.FirstText(callIDKeys...)
			r.called[id], r.listed = id != "", id == ""
		}
	}
	if m.Len() == 2 && m.Field("content").IsNull() && !isRowCall(v) {
		r.drop("event without a text")
		return nil
	}
	if err := r.message(m, at); err != nil || !isRowCall(v) {
		return err
	}
	r.calls(v, at)
	return nil
}

// roleOfEvent returns the role of the speaker in an event.
func roleOfEvent(kind eventKind) transcript.Role {
	switch kind {
	case resultEvent:
		return transcript.ToolRole
	case systemEvent, headerEvent:
		return transcript.System
	case userEvent:
		return transcript.User
	}
	return transcript.Assistant
}

// header reads what the first line says about the session.
func (r *eventReader) header(v value.Value, at string) error {
	id := v.FirstText(conversationKeys...)
	if r.session != "" && id != "" && id != r.session {
		return wrong(at, "a second session begins here and no event names its session: give each a file of its own, or "+
			"each event a session_id")
	}
	r.session = cmp.Or(r.session, id)
	r.ID = cmp.Or(r.ID, id)
	if tools, _ := found(v, toolPaths...); tools.IsList() && len(r.Tools) == 0 {
		r.useTools(tools)
	}
	r.say(transcript.System, v.FirstText(systemPaths...), at)
	return nil
}

// calls reads the call of an event, unless a message already contained it.
func (r *eventReader) calls(v value.Value, at string) {
	if id := v.FirstText("cid"); id != "" && !v.HasAny(callIDKeys...) {
		v = v.With("call_id", value.OfString(id))
	}
	if id := v.FirstText(callIDKeys...); !r.called[id] {
		if r.called[id], r.listed = id != "", false; id == "" && !v.HasAny(bothResultKeys...) {
			r.waiting[whatIsAsked(v)] = true
		}
		r.agent(at)
		r.callPart(v.Without("role").With("type", value.OfString("tool_call")), at)
	}
}

// whatIsAsked returns the tool and the arguments of an event.
func whatIsAsked(v value.Value) string {
	args, _ := v.First(argumentKeys...)
	return v.FirstText(callNameKeys...) + args.JSON()
}

// result converts a result to a tool's message. It may name its call under any key.
func (r *eventReader) result(v value.Value) value.Value {
	m := v.Without(slices.Concat(eventSessionKeys, eventWordKeys)...).With("role", value.OfString("tool"))
	if isRowCall(v) { // it repeats the arguments
		delete(r.waiting, whatIsAsked(v))
		m = m.Without(argumentKeys...)
	}
	if r.knows(v.FirstText(resultIDKeys...)) {
		return m
	}
	for _, field := range v.Members() {
		if id := field.Text(); id != "" && len(id) < 100 && r.called[id] {
			return m.With("tool_call_id", field)
		}
	}
	return m
}

// row reads a row of a table: the user's text, a call with its result, the agent's answer.
func (r *eventReader) row(v value.Value, at string) error {
	said := func(in value.Value, role string, keys []string) error {
		text := firstOf(in, keys)
		if text.IsNull() {
			return nil
		}
		return r.message(value.Pairs("role", role).With("content", text), at)
	}
	if firstOf(v, slices.Concat(userTextKeys, agentTextKeys)).IsNull() && !isRowCall(v) {
		r.drop("event " + v.FirstText(eventWordKeys...))
		r.passOver(v, at)
		return nil
	}
	if err := said(v, "user", userTextKeys); err != nil {
		return err
	}
	if !isRowCall(v) {
		return said(v, "assistant", agentTextKeys)
	}
	// A response is the agent's if the row has another result of the tool.
	if call := v.Without("response"); call.HasAny(bothResultKeys...) {
		r.calls(call, at)
	} else {
		r.calls(v, at)
		v = call
	}
	return said(v, "assistant", agentTextKeys)
}

// firstOf returns the first non-empty value under the keys.
func firstOf(v value.Value, keys []string) value.Value {
	for _, key := range keys {
		if e := v.Field(key); !e.IsNull() && (e.Kind() != value.String || e.Text() != "") {
			return e
		}
	}
	return value.Value{}
}
