package deterministic

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// The many forms in which cases write calls down are read here: OpenAI tool calls and
// messages, Responses items, Anthropic blocks, Gemini parts, JSON text, lists of these,
// Python call strings, and the traces of the coverage scorer. Reading never fails and
// never loses a call: what is in the place of a call and cannot be read comes out
// as one unreadable call, without a name and malformed, which is counted and matches
// nothing. Arguments that cannot be read come out as {} of a malformed call.

func unreadableCall() *transcript.Call {
	return &transcript.Call{Arguments: value.OfObject(), Malformed: true}
}

func namedCall(name string) *transcript.Call {
	return &transcript.Call{Name: name, Arguments: value.OfObject()}
}

// readable reports whether the call can equal anything.
func readable(c *transcript.Call) bool { return c.Name != "" && !c.Malformed }

// readCalls reads calls from an object (one call, or a message with "tool_calls"), a list of calls
// or messages, or a string with JSON or a Python call. null means no call. parsed is false if v has
// no form of a call, such as a plain-language answer.
func readCalls(v value.Value) (calls []*transcript.Call, parsed bool) {
	switch v.Kind() {
	case value.Null:
		return nil, true
	case value.Object:
		return reader{}.object(nil, v), true
	case value.List, value.Tuple:
		return reader{}.list(nil, v), true
	case value.String:
		return readText(v.Text())
	}
	return nil, false
}

// readReference reads expected calls, which must all be readable.
func readReference(field string, v value.Value) ([]*transcript.Call, error) {
	if v.IsNull() {
		return nil, configError(field, "is missing: give the calls that should be made, [] for none")
	}
	calls, parsed := readCalls(v)
	if tooMany(calls) {
		return nil, tooManyError(field)
	}
	if !parsed || slices.ContainsFunc(calls, func(c *transcript.Call) bool { return !readable(c) }) {
		return nil, configError(field, "cannot be read as calls: %.80s", v.JSON())
	}
	return calls, nil
}

// readOne reads exactly one call. It returns an unreadable call if there is no call, if there are
// several, or if the call cannot be parsed.
func readOne(v value.Value) *transcript.Call {
	if calls, _ := readCalls(v); len(calls) == 1 {
		return calls[0]
	}
	return unreadableCall()
}

// readText reads a string: JSON of any form, else a Python call.
func readText(s string) (calls []*transcript.Call, parsed bool) {
	if v, ok := parseJSON(s); ok {
		switch v.Kind() {
		case value.Object, value.List, value.String:
			return readCalls(v)
		}
		return nil, true
	}
	if !strings.Contains(s, "(") {
		return nil, false
	}
	found, err := pycall.Parse(s, pycall.Plain)
	for _, c := range found {
		calls = append(calls, &transcript.Call{Name: c.Name, Arguments: c.Arguments})
	}
	return calls, err == nil
}

// parseJSON parses s after checking its first byte: most texts are not JSON, and an error costs
// more than a parse.
func parseJSON(s string) (value.Value, bool) {
	t := strings.TrimLeft(s, " \t\r\n")
	if t == "" || !strings.ContainsRune(`{["-0123456789tfn`, rune(t[0])) {
		return value.Value{}, false
	}
	v, err := value.ParseString(s)
	return v, err == nil
}

// wrapperKeys are keys whose object is the call (OpenAI, Gemini, OpenAI before tools).
var wrapperKeys = [...]string{"function", "functionCall", "function_call"}

// wrapped returns the object under the first wrapper key that has one.
func wrapped(v value.Value) (value.Value, bool) {
	for _, key := range wrapperKeys {
		if inner := v.Field(key); inner.Kind() == value.Object {
			return inner, true
		}
	}
	return v, false
}

// readObject reads an object that is one call.
func readObject(v value.Value) *transcript.Call {
	for inside := true; inside; {
		v, inside = wrapped(v)
	}
	name, _ := v.First(transcript.NameKeys[:]...)
	c := unreadableCall()
	text, ok := name.Str()
	if !ok || text == "" {
		return c
	}
	c.Name, c.Malformed = text, false
	for _, key := range transcript.ArgumentKeys {
		if args, ok := v.Get(key); ok {
			readArguments(c, args)
			break
		}
	}
	return c
}

// readArguments reads the value of the arguments of a call.
func readArguments(c *transcript.Call, v value.Value) {
	if text, isText := v.Str(); isText {
		var ok bool
		if v, ok = parseJSON(text); !ok {
			c.Malformed = strings.TrimSpace(text) != ""
			return
		}
	}
	switch v.Kind() {
	case value.Object:
		c.Arguments = v
	case value.Null:
	default:
		c.Malformed = true
	}
}

// reader reads lists. names makes a string element the name of a call, as in traces; otherwise it
// is read as text.
type reader struct{ names bool }

// object appends the calls of a single object: those of a message, or one call. A nameless object
// with a role is read like a message in a list.
func (r reader) object(calls []*transcript.Call, v value.Value) []*transcript.Call {
	if list := callsOf(v); list.IsList() {
		return r.list(calls, list)
	}
	c := readObject(v)
	if c.Name != "" || !v.Has("role") {
		return append(calls, c)
	}
	if content := v.Field("content"); content.IsList() {
		return blocks(calls, content)
	}
	return r.element(calls, v)
}

// list appends the calls of a list.
func (r reader) list(calls []*transcript.Call, v value.Value) []*transcript.Call {
	const long = 10_000 // in lists this long most calls are repeats
	raw, from, to, different := "", 0, 0, 0
	for _, e := range v.Elements() {
		if v.Len() > long && e.Kind() == value.Object {
			if e.Raw() == raw {
				calls = append(calls, calls[from:to]...)
				continue
			}
			raw = e.Raw()
		}
		from = len(calls)
		calls = r.element(calls, e)
		to = len(calls)
		if different += to - from; different > maxDifferentCalls || tooMany(calls) {
			return append(calls[:from], beyondCalls)
		}
	}
	return calls
}

// maxDifferentCalls limits the calls of a case, because a call takes more memory than its text.
const maxDifferentCalls = 100_000

// beyondCalls is added at the end of a list, for all calls beyond the limit.
var beyondCalls = unreadableCall()

func tooMany(calls []*transcript.Call) bool {
	return len(calls) > 0 && calls[len(calls)-1] == beyondCalls
}

func tooManyError(field string) error {
	return configError(field, "holds more than %d different calls: too many to score", maxDifferentCalls)
}

// skipped lists the types of elements that are not calls.
var skipped = []string{
	"message", "function_call_output", "reasoning", "text", "thinking", "tool_result", "output_text", "input_text",
}

// element appends the calls in one element of a list.
func (r reader) element(calls []*transcript.Call, v value.Value) []*transcript.Call {
	switch v.Kind() {
	case value.String:
		if r.names {
			return append(calls, namedCall(v.Text()))
		}
		return append(calls, readOne(v))
	case value.Object:
	default:
		return append(calls, unreadableCall())
	}
	if slices.Contains(skipped, typeOf(v)) {
		return calls
	}
	toolCalls := callsOf(v)
	if v.Has("role") {
		content := v.Field("content")
		switch {
		case content.IsList():
			before := len(calls)
			calls = blocks(calls, content)
			// A message may have its text as parts and its calls separately.
			if len(calls) > before || toolCalls.Len() == 0 {
				return calls
			}
		case toolCalls.IsNull() || toolCalls.IsList() && toolCalls.Len() == 0:
			// A message from before "tool_calls" may have a call.
			if _, ok := wrapped(v); ok {
				return append(calls, readObject(v))
			}
			if !v.Field("function_call").IsNull() {
				return append(calls, unreadableCall())
			}
			return calls
		}
	}
	switch {
	case toolCalls.IsNull():
		return append(calls, readObject(v))
	case toolCalls.IsList():
		return r.list(calls, toolCalls)
	}
	return append(calls, unreadableCall())
}

// callsOf returns the calls of a message, which are JSON text in tables.
func callsOf(message value.Value) value.Value {
	calls := message.Field("tool_calls")
	switch text, isText := calls.Str(); {
	case !isText:
	case strings.TrimSpace(text) == "":
		return value.Value{}
	default:
		if inner, ok := parseJSON(text); ok {
			return inner
		}
	}
	return calls
}

// blocks appends the calls in the content blocks of a message.
func blocks(calls []*transcript.Call, content value.Value) []*transcript.Call {
	for _, block := range content.Elements() {
		if kind := typeOf(block); kind == "tool_use" || kind == "tool_call" {
			calls = append(calls, readObject(block))
		}
	}
	return calls
}

func typeOf(v value.Value) string {
	kind, _ := v.Field("type").Str()
	return kind
}

// readTrace reads the calls of a trace: a list of names, any list that readCalls accepts, a list of
// events, or an object with such a list under "items" (Open Responses: only items of type
// function_call), "messages" or "events" (only tool_call events, with the name under
// data.toolName). A string is a name only as an element of a list.
func readTrace(v value.Value) []*transcript.Call {
	switch v.Kind() {
	case value.Object:
		if items := v.Field("items"); items.IsList() {
			return traceItems(items, "function_call", readObject)
		}
		if messages := v.Field("messages"); messages.IsList() {
			return reader{names: true}.list(nil, messages)
		}
		if events := v.Field("events"); events.IsList() {
			return traceItems(events, "tool_call", readEvent)
		}
		return reader{names: true}.object(nil, v)
	case value.List, value.Tuple:
		for _, e := range v.Elements() {
			if typeOf(e) == "tool_call" && e.Field("data").Has("toolName") {
				return traceItems(v, "tool_call", readEvent)
			}
		}
		return reader{names: true}.list(nil, v)
	case value.String:
		if inner, ok := parseJSON(v.Text()); ok && inner.Kind() != value.String {
			return readTrace(inner)
		}
	}
	calls, _ := readCalls(v)
	return calls
}

// traceItems reads the names and the items of one type; everything else is not a call.
func traceItems(items value.Value, kind string, read func(value.Value) *transcript.Call) []*transcript.Call {
	var calls []*transcript.Call
	for _, item := range items.Elements() {
		if name, ok := item.Str(); ok {
			calls = append(calls, namedCall(name))
		} else if typeOf(item) == kind {
			calls = append(calls, read(item))
		}
	}
	return calls
}

// readEvent reads a tool_call event.
func readEvent(e value.Value) *transcript.Call {
	data := e.Field("data")
	return readObject(value.OfObject(field("name", data.Field("toolName")), field("arguments", data.Field("arguments"))))
}
