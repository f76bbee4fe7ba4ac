// Sessions of Anthropic's managed agents.
//
// Written by: logs of the client's methods, [method, payload] a line, or the events of a
// session, one a line.
// Read: client.beta.sessions of 2026-07. A file is one session. Of events that are sent and
// come back in the stream, those of the stream are read.
// Lost: events of states and of spans, which are counted; toolsets, whose tools have no names
// there.

package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

func isManagedAgent(v, f value.Value) bool {
	method, ok := f.Str()
	return v.Len() == 2 && ok && strings.Contains(method, ".sessions.") || isSessionEvent(f)
}

func isSessionEvent(v value.Value) bool {
	kind, _, dotted := strings.Cut(v.Field("type").Text(), ".")
	return dotted && (kind == "agent" || kind == "user" || kind == "session" || kind == "span") && v.Has("processed_at")
}

// sessionParts takes the session and its events, in their order.
func sessionParts(v value.Value, add func(part)) {
	payload := v
	if v.IsList() && v.Len() == 2 {
		payload = v.At(1)
	}
	if payload.Has("agent") || isSessionEvent(payload) {
		add(part{trace: "session", text: payload.Raw()})
	}
}

func (d *draft) readManagedAgent(list value.Value) error {
	for i, e := range list.Elements() {
		at := d.place("events", i)
		kind := e.Field("type").Text()
		switch {
		case e.Has("agent"):
			d.session(e)
		case kind == "user.message" || kind == "agent.message":
			d.messageOf(map[string]Role{"user.message": User, "agent.message": Assistant}[kind], e.Field("content"), at)
		case kind == "agent.thinking":
			m := &d.Messages[d.messageOf(Assistant, e.Field("content"), at)]
			m.Content, m.Reasoning, m.HasContent, m.Parts = "", joinLines(m.Reasoning, m.Content), false, value.Value{}
		case strings.HasSuffix(kind, "tool_use"):
			c := Call{Place: at, ID: e.Field("id").Text(), Name: e.Field("name").Text(), Executor: "server"}
			if kind == "agent.custom_tool_use" {
				c.Executor = "client"
			}
			d.callWith(d.message(Message{Role: Assistant}, at), c, e, "input")
		case strings.HasSuffix(kind, "tool_result"):
			m := Message{ResultID: firstText(e, "tool_use_id", "custom_tool_use_id", "mcp_tool_use_id")}
			m.flag(e.Field("is_error"))
			d.result(m, e.Field("content"), at)
		default:
			d.drop("event " + kind)
		}
	}
	return nil
}

// session reads what the agent was created with.
func (d *draft) session(v value.Value) {
	d.ID = v.Field("id").Text()
	agent := v.Field("agent")
	d.say(System, agent.Field("system").Text(), "agent.system")
	var named []value.Value
	for _, t := range agent.Field("tools").Elements() {
		if t.Has("name") {
			named = append(named, t)
		} else {
			d.drop("toolset")
		}
	}
	if named != nil {
		d.useTools(value.OfList(named...))
	}
}
