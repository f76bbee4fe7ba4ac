package format

import (
	"slices"

	"github.com/judgekit/judge/internal/value"
)

var apiBank = format{
	name: "api-bank",
	mark: "lines with a role and a text, or an api_name",
	detect: loosely(of(func(f value.Value) bool {
		return f.HasAll("role", "api_name") || f.HasAll("role", "text") && !f.HasAny(rowKeys...) && f.Len() == 2
	})),
	bare:  func(f value.Value) bool { return f.Has("role") },
	read:  (*draft).readLines,
	parts: wholeFile,
}

var messageLines = format{
	name: "message-lines",
	mark: "one message a line",
	detect: func(p *probe) confidence {
		f := p.first
		fits := !p.whole.IsList() && f.HasAll("role", "content") && f.FirstText(rowKeys...) == "" && !f.Has("messages")
		roleless := slices.ContainsFunc(p.records, func(v value.Value) bool { return !v.HasAny(roleKeys...) })
		if roleless && isEventLog(p) > no {
			return no // what has no role is an event
		}
		return min(sureIf(fits), likely)
	},
	read:  (*draft).readLines,
	parts: wholeFile,
}

// readLines reads a file of messages without the id of a conversation, one a line: it is one
// conversation. So are the dialogues of API-Bank (2023), whose lines of the role API hold a call
// ({api_name, param_dict}) and its result.
func (d *draft) readLines(list value.Value) error {
	d.ID = baseName(d.Source.File)
	return d.messageList(list, "")
}
