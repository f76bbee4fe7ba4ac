package format

import "github.com/judgekit/judge/internal/value"

var toolTalk = format{
	name:   "tooltalk",
	mark:   "suites_used and apis_used",
	detect: has("suites_used", "apis_used"),
	read:   (*draft).readToolTalk,
}

// readToolTalk reads a conversation of ToolTalk (Microsoft, 2023): turns of {role, text, apis:
// [{request, response, exception}]}. The calls of a turn come before its text.
func (d *draft) readToolTalk(v value.Value) error {
	d.ID = v.FirstText("conversation_id", "name")
	d.Sample = members(v, "name", "user", "metadata", "apis_used").Object()
	d.Extra = foreign(v, "conversation", "conversation_id", "name", "user", "metadata", "apis_used")
	return (&turns{draft: d}).answersLast(v.Field("conversation"), "conversation")
}
