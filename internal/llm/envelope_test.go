package llm

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// What is odd around an answer does not cost it, and what cannot be read is named.
func TestEnvelopes(t *testing.T) {
	const (
		message = `"message":{"role":"assistant","content":"ok"}`
		usage   = `"usage":{"prompt_tokens":12,"completion_tokens":3}`
	)
	choices := `"choices":[{"index":0,` + message + `,"finish_reason":"stop"}]`
	whole := `{"model":"m",` + choices + `,` + usage + `}`
	with := func(old, new string) string { return strings.Replace(whole, old, new, 1) }
	for _, tc := range []struct{ name, body, want string }{
		{"plain", whole, "ok stop 12"},
		{"byte order mark", "\ufeff" + whole, "ok stop 12"},
		{"in a list", "[" + whole + "]", "ok stop 12"},
		{"counts as text", with(`12`, `"12"`), "ok stop -"},
		{"counts out of all bounds", with(`12`, `1e300`), "ok stop -"},
		{"usage is a list", with(usage, `"usage":[1]`), "ok stop -"},
		{"usage is text", with(usage, `"usage":"many"`), "ok stop -"},
		{"details are text", with(`3}`, `3,"completion_tokens_details":"x","prompt_tokens_details":7}`), "ok stop 12"},
		{"finish reason is a number", with(`"stop"`, `7`), "ok 7 12"},
		{"finish reason is a number, and no counts", strings.Replace(with(`"stop"`, `7`), usage, `"usage":{"prompt_tokens":0,"completion_tokens":0}`, 1), "ok 7 0"},
		{"other case", `{"Model":"m","Choices":[{"Message":{"Content":"ok"},"Finish_Reason":"stop"}],"Usage":{"Prompt_Tokens":12}}`, "ok stop 12"},
		{"both cases", with(choices, `"CHOICES":[{"message":{"content":"no"}}],`+choices), "ok stop 12"},
		{"a member twice that does not count", with(`"model":"m"`, `"model":"a","model":"m"`), "ok stop 12"},
		{"choices twice", with(choices, choices+`,"choices":[{"message":{"content":"no"}}]`), "invalid_reply"},
		{"content twice", with(`"content":"ok"`, `"content":"ok","content":"no"`), "invalid_reply"},
		{"content twice, escaped", with(`"content":"ok"`, `"\u0063ontent":"no","content":"ok"`), "invalid_reply"},
		{"content in parts", with(`"ok"`, `[{"type":"text","text":"o"},"k"]`), "ok stop 12"},
		{"content is an object", with(`"ok"`, `{"b":1.50,"a":2}`), `{"b":1.50,"a":2} stop 12`},
		{"lone surrogate", with(`"ok"`, `"ok\ud800"`), "ok\ufffdd800 stop 12"},
		{"Latin-1", with(`"ok"`, "\"ok\xe9\""), "ok\ufffde9 stop 12"},
		{"NUL", with(`"ok"`, `"ok\u0000"`), "ok\x00 stop 12"},
		{"log-probabilities are text", with(`"finish_reason"`, `"logprobs":"x","finish_reason"`), "ok stop 12"},
		{"an error beside the answer", with(`"model"`, `"error":{"message":"odd"},"model"`), "ok stop 12"},
		{"an error alone", `{"error":{"message":"odd"}}`, "server"},
		{"an error and no choice", `{"error":{"message":"odd"},"choices":[]}`, "server"},
		{"refusal", with(`"content":"ok"`, `"content":null,"refusal":"no"`), "refused"},
		{"filter", with(`"stop"`, `"content_filter"`), "refused"},
		{"no choices", `{"choices":[]}`, "invalid_reply"},
		{"choices null", `{"choices":null}`, "invalid_reply"},
		{"choices text", `{"choices":"ok"}`, "invalid_reply"},
		{"an answer without an envelope", `{"output":4}`, "invalid_reply"},
		{"list", `[1,2]`, "invalid_reply"},
		{"empty", ``, "invalid_reply"},
		{"HTML", `<html><title>hello</title></html>`, "invalid_reply"},
		{"event stream", "data: " + whole + "\n\ndata: [DONE]\n", "invalid_reply"},
		{"too deep", strings.Repeat("[", 100_000), "invalid_reply"},
		{"too deep inside", with(`"ok"`, strings.Repeat("[", 100_000)), "invalid_reply"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := ""
			r, err := ParseReply([]byte(tc.body))
			var e *Error
			switch {
			case errors.As(err, &e):
				got = string(e.Kind)
			case err != nil:
				t.Fatalf("error is %T", err)
			case r.Usage.Prompt == nil:
				got = fmt.Sprintf("%s %s -", r.Content, r.FinishReason)
			default:
				got = fmt.Sprintf("%s %s %d", r.Content, r.FinishReason, *r.Usage.Prompt)
			}
			if got != tc.want {
				t.Errorf("%q, want %q (%v)", got, tc.want, err)
			}
		})
	}
}
