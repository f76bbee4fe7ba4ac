package prompt

import (
	"math"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
)

const redactLog = `{"id":"c","messages":[
 {"role":"user","content":"I am\nann@example.com, card 4111111111111111 \"ann@example.com\""},
 {"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"find","arguments":"{\"by\":{\"ann@example.com\":[\"x ann@example.com\"]},\"card\":4111111111111111,\"n\":12.50}"}}]},
 {"role":"tool","tool_call_id":"1","content":"{\"mail\":\"ann@example.com\"}"},
 {"role":"assistant","content":null,"tool_calls":[{"id":"2","type":"function","function":{"name":"send","arguments":"{\"to\": ann@example.com"}}]}],
 "tools":[{"type":"function","function":{"name":"find","description":"as ann@example.com does","parameters":{"type":"object","properties":{"by":{"type":"object","description":"not ann@example.com"}}}}}]}`

// TestRedaction: nothing that a pattern matches is rendered, wherever it stood; all else
// is as before, and the conversation itself is not changed.
func TestRedaction(t *testing.T) {
	var conv *transcript.Conversation
	for c, err := range format.Open(t.Context(), "log.jsonl", strings.NewReader(strings.ReplaceAll(redactLog, "\n", "")), format.Options{}).All() {
		if err != nil {
			t.Fatal(err)
		}
		conv = c
	}
	r, err := NewRedaction([]string{`\b[a-z]+@example\.com\b`, `\b4[0-9]{15}\b`})
	if err != nil {
		t.Fatal(err)
	}
	key := []byte("k")
	plain, v := NewView(conv, Options{RunKey: key}), NewView(conv, Options{RunKey: key, Redact: r})
	for call := range conv.Calls {
		text := v.Show(OfCall(call), math.Inf(1), Ending{}).Text
		if strings.Contains(text, "example.com") || strings.Contains(text, "4111") {
			t.Errorf("call %d shows what was to be redacted:\n%s", call, text)
		}
		want := strings.NewReplacer("ann@example.com", redacted, `card 4111111111111111`, "card "+redacted, "4111111111111111", `"`+redacted+`"`).Replace(plain.Show(OfCall(call), math.Inf(1), Ending{}).Text)
		if text != want {
			t.Errorf("call %d:\n%s\nwant\n%s", call, text, want)
		}
	}
	if v.Redacted != 10 || !strings.Contains(conv.Messages[0].Content, "ann@example.com") || !strings.Contains(conv.Calls[0].RawArguments, "4111") {
		t.Errorf("%d replaced, and the conversation is now %+v", v.Redacted, conv.Calls[0])
	}
	other, err := NewRedaction([]string{"nowhere"})
	if err != nil {
		t.Fatal(err)
	}
	if same, n := other.apply(conv); same != conv || n != 0 {
		t.Error("a conversation without a match is copied")
	}
	for _, bad := range []string{"(", "a*"} {
		if _, err := NewRedaction([]string{bad}); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
