// Factory's Droid.
//
// Written by: droid, one session a file under ~/.factory/sessions: lines of Anthropic messages below a
// line of type session_start. The stream of droid exec is an event log (events.go).
// Read: 0.2x and later (2025 and 2026).
// Lost: lines of other types.

package format

import "github.com/judgekit/judge/internal/value"

var droid = format{
	name: "droid",
	mark: "a line of type session_start before messages",
	detect: of(func(f value.Value) bool {
		return f.Field("type").Text() == "session_start" && f.HasAll("id", "cwd")
	}),
	read:  (*draft).readPiSession,
	parts: wholeFile,
}
