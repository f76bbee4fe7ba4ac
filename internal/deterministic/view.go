package deterministic

import (
	"strconv"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// view is a conversation in the forms that scorers read, each built once when it is
// asked for.
type view struct {
	c *transcript.Conversation
	// calls are the indexes of the agent's calls that are to be scored: not those
	// of a simulated user, not those that the log gives as history.
	calls    []int
	expected []transcript.ExpectedCall
	// known says that there is a reference for the agent, which may be empty.
	known bool
	// partial says that the reference names the arguments that count; others are
	// free then.
	partial bool
	// listed says that the reference lists allowed values.
	listed bool
	// execution is what running the calls in an environment came to, null where they
	// were not run.
	execution value.Value

	actualList, expectedList, toolList value.Value
	objects                            []value.Value
}

func newView(c *transcript.Conversation) *view {
	v := &view{c: c, known: c.Expected != nil && c.Expected.Calls != nil}
	for i := range c.Calls {
		if c.Calls[i].Executor != "user" && !c.Calls[i].Context {
			v.calls = append(v.calls, i)
		}
	}
	if c.Expected != nil {
		for _, e := range c.Expected.Calls {
			if e.Requestor != "user" {
				v.expected = append(v.expected, e)
				v.partial = v.partial || e.Compare != nil
				v.listed = v.listed || !e.Allowed.IsNull()
			}
		}
		if len(v.expected) == 0 && len(c.Expected.Calls) > 0 {
			// Only the simulated user is expected to call: what the agent should is unknown.
			v.known = false
		}
	}
	return v
}

// callObject returns the i-th scored call as an object.
func (v *view) callObject(i int) value.Value {
	if v.objects == nil {
		v.objects = make([]value.Value, len(v.calls))
	}
	if v.objects[i].IsNull() {
		c := &v.c.Calls[v.calls[i]]
		args := c.Arguments
		if c.Malformed || args.Kind() != value.Object {
			// A list is never read as arguments, so the call stays malformed.
			args = value.OfList()
		}
		v.objects[i] = callObject(c.Name, args)
	}
	return v.objects[i]
}

func callObject(name string, args value.Value) value.Value {
	return value.OfObject(
		value.Member{Key: "name", Value: value.OfString(name)},
		value.Member{Key: "arguments", Value: args})
}

// actual returns all scored calls.
func (v *view) actual() value.Value {
	if v.actualList.IsNull() {
		list := make([]value.Value, len(v.calls))
		for i := range list {
			list[i] = v.callObject(i)
		}
		v.actualList = value.OfList(list...)
	}
	return v.actualList
}

// reference returns the expected calls, null where nothing is known.
func (v *view) reference() value.Value {
	if v.known && v.expectedList.IsNull() {
		list := make([]value.Value, len(v.expected))
		for i := range v.expected {
			list[i] = callObject(v.expected[i].Name, compared(v.expected[i]))
		}
		v.expectedList = value.OfList(list...)
	}
	return v.expectedList
}

// compared returns the arguments of an expected call that count.
func compared(e transcript.ExpectedCall) value.Value {
	if e.Arguments.Kind() != value.Object {
		return value.OfObject()
	}
	if e.Compare == nil {
		return e.Arguments
	}
	var members []value.Member
	for _, key := range e.Compare {
		if arg, ok := e.Arguments.Get(key); ok {
			members = append(members, value.Member{Key: key, Value: arg})
		}
	}
	return value.OfObject(members...)
}

// tools returns the inventory as definitions, null where none is known.
func (v *view) tools() value.Value {
	if v.toolList.IsNull() && len(v.c.Tools) > 0 {
		list := make([]value.Value, len(v.c.Tools))
		for i := range v.c.Tools {
			t := &v.c.Tools[i]
			list[i] = value.OfObject(
				value.Member{Key: "name", Value: value.OfString(t.Name)},
				value.Member{Key: "parameters", Value: t.Parameters})
		}
		v.toolList = value.OfList(list...)
	}
	return v.toolList
}

// toolKnown reports why a call cannot be checked against the inventory, "" where it
// can (a call of a tool that is not in it can: it fails).
func (v *view) toolKnown(call int) string {
	if len(v.c.Tools) == 0 {
		return "the log holds no tool inventory"
	}
	for i := range v.c.Tools {
		if t := &v.c.Tools[i]; t.Name == v.c.Calls[call].Name {
			if t.Parameters.IsNull() {
				return "the parameters of the tool are not known"
			}
			return ""
		}
	}
	return ""
}

// events returns the conversation as tool_calls reads it: every assistant message
// starts a step. Calls get ids of their own, because those of logs recur.
func (v *view) events() value.Value {
	counted := make(map[int]bool, len(v.calls))
	for _, i := range v.calls {
		counted[i] = true
	}
	event := func(kind string, data ...value.Member) value.Value {
		return value.OfObject(
			value.Member{Key: "type", Value: value.OfString(kind)},
			value.Member{Key: "data", Value: value.OfObject(data...)})
	}
	var events []value.Value
	for i := range v.c.Messages {
		m := &v.c.Messages[i]
		if m.Role == transcript.Assistant {
			events = append(events, event("turn_start"))
		}
		for _, at := range m.Calls {
			if !counted[at] {
				continue
			}
			c := &v.c.Calls[at]
			events = append(events, event("tool_call",
				value.Member{Key: "toolName", Value: value.OfString(c.Name)},
				value.Member{Key: "toolCallId", Value: value.OfString(callID(at))},
				value.Member{Key: "arguments", Value: c.Arguments}))
		}
		if m.Role == transcript.ToolRole && m.Result >= 0 && counted[m.Result] {
			events = append(events, event("tool_result",
				value.Member{Key: "toolCallId", Value: value.OfString(callID(m.Result))},
				value.Member{Key: "result", Value: value.OfString(m.Content)}))
		}
	}
	return value.OfObject(value.Member{Key: "events", Value: value.OfList(events...)})
}

func callID(index int) string { return "c" + strconv.Itoa(index) }
