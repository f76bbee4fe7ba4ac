package scorer

import "github.com/judgekit/judge/internal/value"

// skippedTypes are the elements of a list that are no calls.
func skippedType(kind string) bool {
	switch kind {
	case "message", "function_call_output", "reasoning", "text", "thinking",
		"tool_result", "output_text", "input_text":
		return true
	}
	return false
}

// reader reads lists. names makes a string element the name of a call, as in
// traces; otherwise a string element is read as text.
type reader struct{ names bool }

// isMessage reports whether v holds calls as a message does, rather than being one.
func isMessage(v value.Value) bool {
	if v.Field("tool_calls").IsList() {
		return true
	}
	return v.Has("role") && v.Field("content").IsList() && readObject(v).Unreadable
}

// object appends what an object on its own holds: the calls of a message, or one
// call. A nameless object that speaks in a role is read like a message of a list.
func (r reader) object(calls []Call, v value.Value) []Call {
	if list := v.Field("tool_calls"); list.IsList() {
		return r.list(calls, list)
	}
	c := readObject(v)
	if !c.Unreadable || !v.Has("role") {
		return append(calls, c)
	}
	if content := v.Field("content"); content.IsList() {
		return blocks(calls, content)
	}
	return r.element(calls, v)
}

// list appends the calls of a list.
func (r reader) list(calls []Call, v value.Value) []Call {
	if calls == nil && v.Len() > 0 {
		calls = make([]Call, 0, v.Len())
	}
	for _, e := range v.Elements() {
		calls = r.element(calls, e)
	}
	return calls
}

// element appends the calls of one element of a list.
func (r reader) element(calls []Call, v value.Value) []Call {
	switch v.Kind() {
	case value.String:
		return append(calls, r.text(v.Text()))
	case value.Object:
	default:
		return append(calls, unreadable())
	}
	if kind, ok := v.Field("type").Str(); ok && skippedType(kind) {
		return calls
	}
	toolCalls, hasToolCalls := v.Get("tool_calls")
	if v.Has("role") {
		content := v.Field("content")
		switch {
		case content.IsList():
			before := len(calls)
			calls = blocks(calls, content)
			// A message may hold its text as parts and its calls apart.
			if len(calls) > before || toolCalls.Len() == 0 {
				return calls
			}
		case toolCalls.Len() == 0:
			return legacy(calls, v)
		}
	}
	switch {
	case !hasToolCalls || toolCalls.IsNull():
		return append(calls, readObject(v))
	case toolCalls.IsList():
		return r.list(calls, toolCalls)
	}
	return append(calls, unreadable())
}

// legacy appends the call of a message of the time before "tool_calls", if it has
// one; every other message without calls is skipped.
func legacy(calls []Call, v value.Value) []Call {
	for _, key := range wrapperKeys {
		if v.Field(key).Kind() == value.Object {
			return append(calls, readObject(v))
		}
	}
	return calls
}

// blocks appends the calls among the content blocks of a message.
func blocks(calls []Call, content value.Value) []Call {
	for _, block := range content.Elements() {
		switch kind, _ := block.Field("type").Str(); kind {
		case "tool_use", "tool_call":
			calls = append(calls, readObject(block))
		}
	}
	return calls
}

// text reads a string that must be exactly one call.
func (r reader) text(s string) Call {
	if r.names {
		return Call{Name: s, Arguments: value.OfObject()}
	}
	if found := readText(s); len(found.Calls) == 1 {
		return found.Calls[0]
	}
	return unreadable()
}

func unreadable() Call { return Call{Arguments: value.OfObject(), Unreadable: true} }

// Trace reads the calls of a trace: a list of names, any list that Read takes, a
// list of events, or an object that holds such a list under "items" (Open
// Responses: only items of type function_call), "messages" or "events" (only
// tool_call events, the name under data.toolName). A string is a name only as an
// element of a list.
func Trace(v value.Value) Reading {
	switch v.Kind() {
	case value.Object:
		if items := v.Field("items"); items.IsList() {
			return Reading{Calls: responseItems(items), Parsed: true}
		}
		if messages := v.Field("messages"); messages.IsList() {
			return Reading{Calls: reader{names: true}.list(nil, messages), Parsed: true}
		}
		if events := v.Field("events"); events.IsList() {
			return Reading{Calls: eventCalls(events), Parsed: true}
		}
		return Reading{Calls: reader{names: true}.object(nil, v), Parsed: true}
	case value.List, value.Tuple:
		if isEventList(v) {
			return Reading{Calls: eventCalls(v), Parsed: true}
		}
		return Reading{Calls: reader{names: true}.list(nil, v), Parsed: true}
	case value.String:
		if inner, ok := parseJSON(v.Text()); ok && inner.Kind() != value.String {
			return Trace(inner)
		}
	}
	return Read(v)
}

// responseItems reads Open Responses items: names, and objects of type
// function_call; everything else is no call.
func responseItems(items value.Value) []Call {
	var calls []Call
	for _, item := range items.Elements() {
		if s, ok := item.Str(); ok {
			calls = append(calls, Call{Name: s, Arguments: value.OfObject()})
			continue
		}
		if kind, _ := item.Field("type").Str(); kind == "function_call" {
			calls = append(calls, readObject(item))
		}
	}
	return calls
}

// isEventList reports whether a bare list holds events.
func isEventList(v value.Value) bool {
	for _, e := range v.Elements() {
		kind, _ := e.Field("type").Str()
		if kind == "tool_call" && e.Field("data").Has("toolName") {
			return true
		}
	}
	return false
}

// eventCalls reads tool_call events; other events are no calls.
func eventCalls(events value.Value) []Call {
	var calls []Call
	for _, e := range events.Elements() {
		if s, ok := e.Str(); ok {
			calls = append(calls, Call{Name: s, Arguments: value.OfObject()})
			continue
		}
		if kind, _ := e.Field("type").Str(); kind != "tool_call" {
			continue
		}
		data := e.Field("data")
		name, ok := data.Field("toolName").Str()
		if !ok || name == "" {
			calls = append(calls, unreadable())
			continue
		}
		c := Call{Name: name, Arguments: value.OfObject()}
		if args, given := data.Get("arguments"); given {
			c.Arguments, c.Malformed = readArguments(args)
		}
		calls = append(calls, c)
	}
	return calls
}
