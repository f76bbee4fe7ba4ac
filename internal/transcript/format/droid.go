// Factory's Droid.
// Written by: droid, one session a file under ~/.factory/sessions: lines of Anthropic messages below a line of
// type session_start. The stream of droid exec is an event log (events.go).
// Read: 0.2x and later (2025 and 2026).
// Lost: lines of other types.

package format

var droid = format{
	name: "droid",
	mark: "a line of type session_start before messages",
	detect: func(p *probe) confidence {
		isHeader := p.first.Field("type").Text() == "session_start" && p.first.HasAll("id", "cwd")
		return sureIf(isHeader && of(piMessage)(p) > no)
	},
	read:  (*draft).readPiSession,
	parts: wholeFile,
}
