// Sessions of Anthropic's managed agents.
// Written by: logs of the client's methods, [method, payload] a line, or the events of a session, one a line.
// Read: client.beta.sessions of 2026-07. A file is one session. Of events that are sent and come back in the
// stream, those of the stream are read.
// Lost: events of states and of spans, which are counted; toolsets, whose tools have no names there.

package format

import (
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var managedAgents = format{
	name:   "anthropic-managed-agents",
	mark:   "methods or events of sessions",
	detect: isManagedAgent,
	bare:   func(f value.Value) bool { return f.Kind() == value.String },
	read:   (*draft).readManagedAgent,
	parts:  sessionParts,
}

func isManagedAgent(p *probe) confidence {
	method, ok := p.first.Str()
	return max(of(isSessionEvent)(p), sureIf(p.whole.Len() == 2 && ok && strings.Contains(method, ".sessions.")))
}

func isSessionEvent(v value.Value) bool {
	kind, _, dotted := strings.Cut(v.Field("type").Text(), ".")
	return dotted && (kind == "agent" || kind == "user" || kind == "session" || kind == "span") && v.Has("processed_at")
}

// sessionParts adds the session and its events in order.
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
	t := turns{draft: d}
	defer t.flush()
	for i, e := range list.Elements() {
		if e.Has("agent") {
			d.session(e)
			continue
		}
		kind := e.Field("type").Text()
		who, what, _ := strings.Cut(kind, ".")
		switch {
		case kind == "agent.tool_use":
			what = "server_tool_use"
		case strings.HasPrefix(what, "custom_tool_"):
			what = strings.TrimPrefix(what, "custom_")
		case strings.HasSuffix(what, "tool_use"), strings.HasSuffix(what, "tool_result"), kind == "agent.thinking":
		case kind == "user.message" || kind == "agent.message":
			e = e.With("role", value.OfString(who))
		default:
			d.drop("event " + kind)
			continue
		}
		if err := t.message(e.With("type", value.OfString(what)), d.place("events", i)); err != nil {
			return err
		}
	}
	return nil
}

// session reads what the agent was created with.
func (d *draft) session(v value.Value) {
	d.ID = v.Field("id").Text()
	agent := v.Field("agent")
	d.say(transcript.System, agent.Field("system").Text(), "agent.system")
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
