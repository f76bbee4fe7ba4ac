package deterministic

import (
	"slices"
	"strconv"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// view is a conversation as scorers read it; what costs something is made once.
type view struct {
	c *transcript.Conversation
	// calls are the indexes of the agent's calls that are to be scored: not those
	// of a simulated user, not those that the log gives as history. made are these calls.
	calls []int
	made  []scorer.Call
	// expected is the reference for the agent, wanted the same with the arguments that
	// count.
	expected []transcript.ExpectedCall
	wanted   []scorer.Call
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
	// tools is the inventory.
	tools inventory

	happening *happened
	matched   *matched
}

// matched are the matches of one way of pairing.
type matched struct {
	by      accuracy
	matches []callMatch
	err     error
}

func newView(c *transcript.Conversation, execution value.Value) *view {
	v := &view{c: c, execution: execution, tools: c.Tools, known: c.Expected != nil && c.Expected.Calls != nil}
	v.calls, v.made = make([]int, 0, len(c.Calls)), make([]scorer.Call, 0, len(c.Calls))
	for i := range c.Calls {
		if c.Calls[i].Executor != "user" && !c.Calls[i].Context {
			v.calls, v.made = append(v.calls, i), append(v.made, typed(&c.Calls[i]))
		}
	}
	if c.Expected != nil {
		v.readReference(c.Expected.Calls)
	}
	return v
}

// typed is a call of a log as scorers read it. A call without a name is none that can be
// read.
func typed(c *transcript.Call) scorer.Call {
	out := scorer.Call{Name: c.Name, Arguments: c.Arguments, Unreadable: c.Name == ""}
	if out.Malformed = c.Malformed || c.Arguments.Kind() != value.Object; out.Malformed {
		out.Arguments = value.OfObject()
	}
	return out
}

func (v *view) readReference(calls []transcript.ExpectedCall) {
	v.expected = make([]transcript.ExpectedCall, 0, len(calls))
	v.wanted = make([]scorer.Call, 0, len(calls))
	for i := range calls {
		e := &calls[i]
		if e.Requestor == "user" {
			continue
		}
		v.expected = append(v.expected, *e)
		v.wanted = append(v.wanted, scorer.Call{Name: e.Name, Arguments: compared(e), Unreadable: e.Name == ""})
		v.partial = v.partial || e.Compare != nil
		v.listed = v.listed || !e.Allowed.IsNull()
	}
	if len(v.expected) == 0 && len(calls) > 0 {
		// Only the simulated user is expected to call: what the agent should is unknown.
		v.known = false
	}
}

// compared returns the arguments of an expected call that count.
func compared(e *transcript.ExpectedCall) value.Value {
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

// matches pairs the calls with the expected ones.
func (v *view) matches(m *expectedMatch) ([]callMatch, error) {
	if v.matched == nil || v.matched.by != m.accuracy {
		v.matched = &matched{by: m.accuracy}
		expected, err := m.reference(v.wanted)
		if err == nil {
			v.matched.matches, err = m.matches(m.sideOf(v.made), expected)
		}
		v.matched.err = err
	}
	return v.matched.matches, v.matched.err
}

// toolKnown reports why a call cannot be checked against the inventory, "" where it
// can (a call of a tool that is not in it can: it fails).
func (v *view) toolKnown(call int) string {
	if len(v.tools) == 0 {
		return "the log holds no tool inventory"
	}
	if t := v.tools.find(v.c.Calls[call].Name); t != nil && t.Parameters.IsNull() {
		return "the parameters of the tool are not known"
	}
	return ""
}

// scored says whether a call of the conversation is one that is to be scored.
func (v *view) scored(call int) bool {
	_, found := slices.BinarySearch(v.calls, call)
	return found
}

// events returns the conversation as tool_calls reads it: every assistant message
// starts a step. Calls get ids of their own, because those of logs recur.
func (v *view) events() value.Value {
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
			if !v.scored(at) {
				continue
			}
			c := &v.c.Calls[at]
			events = append(events, event("tool_call",
				value.Member{Key: "toolName", Value: value.OfString(c.Name)},
				value.Member{Key: "toolCallId", Value: value.OfString(callID(at))},
				value.Member{Key: "arguments", Value: c.Arguments}))
		}
		if m.Role == transcript.ToolRole && m.Result >= 0 && v.scored(m.Result) {
			events = append(events, event("tool_result",
				value.Member{Key: "toolCallId", Value: value.OfString(callID(m.Result))},
				value.Member{Key: "result", Value: value.OfString(m.Content)}))
		}
	}
	return value.OfObject(value.Member{Key: "events", Value: value.OfList(events...)})
}

func callID(index int) string { return "c" + strconv.Itoa(index) }
