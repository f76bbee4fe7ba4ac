// Threads of Amp.
// Written by: Amp (Sourcegraph), ~/.local/share/amp/threads/T-*.json and exports: {v, id, messages} with
// Anthropic's parts; the result of a call stands in run. amp --stream-json writes Claude Code's stream.
// Read: 2025 and 2026.
// Lost: the environment, traces, states of messages.

package format

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

var amp = format{
	name: "amp",
	mark: "messages of a thread whose id begins with T-",
	detect: of(func(f value.Value) bool {
		return strings.HasPrefix(f.Field("id").Text(), "T-") && f.Field("messages").IsList()
	}),
	message: func(m value.Value) bool {
		for _, p := range m.Field("content").Elements() {
			if p.HasAll("toolUseID", "run") {
				return true
			}
		}
		return false
	},
	read: (*draft).readAmp,
}

func (d *draft) readAmp(v value.Value) error {
	d.ID = v.Field("id").Text()
	d.Extra = members(v, "title", "created", "agentMode").Object()
	list := eachOf(v.Field("messages"), func(m value.Value) value.Value {
		if !m.Field("content").IsList() {
			return members(m, "role", "content", "text").Object()
		}
		return members(m, "role").Object().With("content", eachOf(m.Field("content"), ampPart))
	})
	return d.messageList(list, "messages")
}

// ampPart converts a result to Anthropic's form.
func ampPart(p value.Value) value.Value {
	run := p.Field("run")
	if run.Kind() != value.Object {
		return p
	}
	content, _ := found(run, "result", "error.message", "error", "reason")
	status := run.Field("status").Text()
	if content.IsNull() {
		content = value.OfString(status)
	}
	return resultItem(p.Field("toolUseID").Text(), content, status == "error" || strings.HasPrefix(status, "rejected"))
}
