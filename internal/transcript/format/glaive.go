// Rows of Glaive's data sets of function calls.
// Written by: glaive-function-calling and -v2, and the data sets made of them: {system, chat} with the whole
// conversation in one text, "USER: …", "ASSISTANT: <functioncall> {…}", "FUNCTION RESPONSE: …".
// Read: all turns; functions that the system prompt lists.
// Lost: nothing.

package format

import (
	"regexp"
	"strings"

	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var glaive = format{
	name: "glaive",
	mark: "a chat with USER: and ASSISTANT: in one text",
	detect: of(func(f value.Value) bool {
		chat := f.FirstText("chat", "sample")
		return strings.Contains(chat, "ASSISTANT: ") && strings.Contains(chat, "USER: ")
	}),
	read: (*draft).readGlaive,
}

// glaiveTurns matches the beginning of a turn.
var glaiveTurns = regexp.MustCompile(`(?:^|\n)\s*(SYSTEM|USER|ASSISTANT|FUNCTION RESPONSE): ?`)

func (d *draft) readGlaive(v value.Value) error {
	_, key := v.FirstKey("chat", "sample")
	d.Extra = foreign(v, "system", key, "id", "tools")
	t := turns{draft: d}
	defer t.flush()
	text := v.Field("system").Text() + "\n" + v.Field(key).Text()
	at := glaiveTurns.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		said := strings.TrimSpace(strings.ReplaceAll(text[m[1]:end], "<|endoftext|>", ""))
		if err := t.glaive(text[m[2]:m[3]], said, key+"."+place("turn", i)); err != nil {
			return err
		}
	}
	return nil
}

// glaive reads one turn.
func (t *turns) glaive(speaker, said, at string) error {
	switch speaker {
	case "SYSTEM":
		t.glaiveTools(said)
		return t.message(value.Pairs("role", "system", "content", said), at)
	case "USER":
		return t.message(value.Pairs("role", "user", "content", said), at)
	case "FUNCTION RESPONSE":
		t.part(resultItem("", value.OfString(said), false), at)
		return nil
	}
	text, written, called := strings.Cut(said, "<functioncall>")
	t.begin(transcript.Assistant, at)
	if text = strings.TrimSpace(text); text != "" || !called {
		t.text(value.OfString(text), at)
	}
	if !called {
		return nil
	}
	call, err := pycall.ParseLiteral(strings.TrimSpace(written)) // its arguments are in single quotes
	if err != nil || !isCall(call) {
		t.note("text_call_not_read", at, value.Quote(written))
		t.text(value.OfString(written), at)
		return nil
	}
	t.callPart(call, at)
	return nil
}

// glaiveTools reads the functions that a system prompt lists one after another.
func (t *turns) glaiveTools(prompt string) {
	var tools []value.Value
	for rest := prompt; ; {
		_, after, found := strings.Cut(rest, "{")
		if !found {
			break
		}
		rest = "{" + after
		var extent value.Extent
		n, done := extent.Feed([]byte(rest))
		tool, err := value.ParseString(rest[:n])
		if !done || err != nil || !tool.Has("name") {
			rest = after
			continue
		}
		tools, rest = append(tools, tool), rest[n:]
	}
	if len(tools) > 0 {
		t.useTools(value.OfList(tools...))
	}
}
