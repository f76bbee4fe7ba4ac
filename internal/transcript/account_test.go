package transcript

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestALogWhoseCallsAreNotReadIsAnError(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a key with calls":   {`{"messages":[` + user + `,{"role":"assistant","content":"","toolCalls":[{"name":"f"}]}]}`, `holds "toolCalls"`},
		"a type":             {`{"messages":[` + user + `,{"role":"assistant","content":[{ "type" : "tool-call" }]}]}`, `holds "tool-call"`},
		"an empty key":       {`{"messages":[` + user + `,{"role":"assistant","content":"","tool_calls":[ ],"toolUse":null}]}`, ""},
		"a word in the text": {`{"messages":[{"role":"user","content":"what is \"tool_calls\":[{}] and tool_use?"}]}`, ""},
		"a call beside":      {`{"messages":[` + user + `,{"role":"assistant","toolCalls":[{"name":"f"}]}]}` + "\n" + with(assistant(fn("1", "f", `"{}"`))), ""},
	} {
		var last error
		n := 0
		for _, err := range Open(context.Background(), "x.jsonl", strings.NewReader(c.text), Options{Format: native}).All() {
			n, last = n+1, err
		}
		var f *FormatError
		if errors.As(last, &f) != (c.want != "") || c.want != "" && !strings.Contains(last.Error(), c.want) {
			t.Errorf("%s: %d results, the last %v", name, n, last)
		}
	}
}
