package value

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "grüße 日本 ✓ ❤️": "grüße 日本 ✓ ❤️", "a\nb\r\tc": "a b  c",
		"\x1b[31mred\x1b]8;;http://x\x07": `\u001b[31mred\u001b]8;;http://x\u0007`,
		"\u202e\u2066\u200b\ufeff":        `\u202e\u2066\u200b\ufeff`, "\u009b1m": `\u009b1m`,
		"\u3164\u115f\uffa0\u2800": `\u3164\u115f\uffa0\u2800`, "\U000e0041": `\U000e0041`, "\xff": "\ufffd",
		"😀~ \u007f\u009f\u00a0": `😀~ \u007f\u009f` + "\u00a0", "a\u00adb\u00ae👩\u200d🚀": "a\u00adb\u00ae👩\u200d🚀",
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := VisibleLine("a\nb\t"); got != `a\nb ` {
		t.Errorf("%q", got)
	}
	if got := VisibleLines("a\x1b\r\nb\t"); got != "a\\u001b\nb " {
		t.Errorf("%q", got)
	}
}

func TestVisibleJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": "grüße ❤️"}`:        `{"a": "grüße ❤️"}`,
		"\"~\u007f\u0080\"":        `"~\u007f\u0080"`,
		"[\n \"" + "\u202ex\"]":    "[\n \"\\u202ex\"]",
		"\"" + "\U000e0041" + "\"": `"\udb40\udc41"`,
	} {
		got := string(VisibleJSON([]byte(in)))
		if got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		a, errA := ParseString(in)
		b, errB := ParseString(got)
		if errA != nil || errB != nil || !Equal(a, b) {
			t.Errorf("%q means something else: %v %v", got, errA, errB)
		}
	}
}

// TestVisibleJSONWriter cuts a text at every byte, and passes on the error of the writer.
func TestVisibleJSONWriter(t *testing.T) {
	r, closed := io.Pipe()
	r.Close()
	if _, err := VisibleJSONWriter(closed).Write([]byte("1")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a closed pipe: %v", err)
	}
	var start strings.Builder
	w := VisibleJSONWriter(&start)
	for _, part := range []string{"\xf3", "\xa0\x81", "\x81\xe2", "\x80", "\xaeé"} { // no JSON, but it begins with half a character
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if got := start.String(); got != `\udb40\udc41\u202eé` {
		t.Errorf("in pieces: %s", got)
	}
	const text = "{\"a\": \"gr\u00fc\u00dfe \u202e\u009b\U000e0041 \u2764\"}\n"
	want := string(VisibleJSON([]byte(text)))
	for cut := range len(text) {
		var b strings.Builder
		w := VisibleJSONWriter(&b)
		for _, part := range []string{text[:cut], text[cut:]} {
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if b.String() != want {
			t.Errorf("cut at %d: %q, want %q", cut, b.String(), want)
		}
	}
}
