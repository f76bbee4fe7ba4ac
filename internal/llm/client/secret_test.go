package client

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestRedactorSeesThroughEscapes: a key that a server spells with escapes is gone from
// the text, and from what the text says when it is decoded, at every depth.
func TestRedactorSeesThroughEscapes(t *testing.T) {
	const key = "sk-canary/0123.456789"
	r := newRedactor(key)
	spelled := func(from, to int, form string) string {
		var b strings.Builder
		for i, c := range []byte(key) {
			if i >= from && i < to {
				fmt.Fprintf(&b, form, c)
			} else {
				b.WriteByte(c)
			}
		}
		return b.String()
	}
	for _, tt := range []struct {
		text  string
		depth int
	}{
		{key, 1}, {spelled(0, len(key), `\u%04x`), 1}, {spelled(0, len(key), `\u%04X`), 1}, {spelled(3, 5, `\u%04x`), 1},
		{spelled(0, 2, `\\u%04x`), 2}, {spelled(0, len(key), `\\\\u%04x`), 3}, {spelled(0, len(key), `\u005cu%04x`), 2},
		{strings.ReplaceAll(key, "/", `\/`), 1}, {strings.ReplaceAll(key, "/", `\\\/`), 2}, {spelled(1, 4, `\\x%02x`), 1},
	} {
		got := string(r.body([]byte(`{"content":"a ` + tt.text + ` b"}`)))
		if want := `{"content":"a [redacted] b"}`; got != want {
			t.Errorf("%s: got %s", tt.text, got)
		}
		if r.text("x "+tt.text) != "x [redacted]" {
			t.Errorf("%s stays in a text", tt.text)
		}
		var v struct{ Content string }
		if err := json.Unmarshal([]byte(got), &v); err != nil {
			t.Errorf("%s: the rest is no JSON any more: %v", tt.text, err)
		}
	}
	for _, innocent := range []string{`{"content":"sk-canary/0123"}`, `{"a":"\u0073k-other\\u0061 \\x41"}`, "", `\`} {
		if got := string(r.body([]byte(innocent))); got != innocent {
			t.Errorf("%s became %s", innocent, got)
		}
	}
}

func BenchmarkRedact(b *testing.B) {
	r := newRedactor("sk-canary-0123456789-abcdefghijklmnopqrstuvwxyz")
	body := []byte(strings.Repeat(`the customer said \"caf\u00e9\" and no more; `, 200))
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		r.body(body)
	}
}
