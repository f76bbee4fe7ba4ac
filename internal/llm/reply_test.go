package llm

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm/llmtest"
)

func TestParseReply(t *testing.T) {
	tests := []struct {
		name, body string
		want       Response
	}{
		{"plain", `{"model":"m","system_fingerprint":"fp","choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`,
			Response{Content: "x", FinishReason: "stop", Model: "m", Usage: Usage{Prompt: new(3), Completion: new(4)}}},
		{"new reasoning field, null content", `{"choices":[{"message":{"content":null,"reasoning":"r"},"finish_reason":"length"}]}`,
			Response{Reasoning: "r", FinishReason: "length"}},
		{"old reasoning field", `{"choices":[{"message":{"content":"","reasoning":null,"reasoning_content":"r"},"finish_reason":"stop"}]}`,
			Response{Reasoning: "r", FinishReason: "stop"}},
		{"content in parts", `{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},"finish_reason":"stop"}]}`,
			Response{Content: "ab", FinishReason: "stop"}},
		{"repetition guard: no finish reason, zero usage", `{"choices":[{"message":{"content":"x"},"finish_reason":null}],"usage":{"prompt_tokens":0,"completion_tokens":0}}`,
			Response{Content: "x", FinishReason: FinishRepetition, Usage: Usage{Prompt: new(0), Completion: new(0)}}},
		{"no finish reason, some usage", `{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":0,"completion_tokens":2}}`,
			Response{Content: "x", Usage: Usage{Prompt: new(0), Completion: new(2)}}},
		{"no finish reason, no usage", `{"choices":[{"message":{"content":"x"}}]}`, Response{Content: "x"}},
		{"no finish reason, a prompt", `{"choices":[{"message":{"content":"x"}}],` +
			`"usage":{"prompt_tokens":2,"completion_tokens":0}}`,
			Response{Content: "x", Usage: Usage{Prompt: new(2), Completion: new(0)}}},
		{"an answer beside a refusal", `{"choices":[{"message":{"content":"x","refusal":"no"},"finish_reason":"stop"}]}`,
			Response{Content: "x", Refusal: "no", FinishReason: "stop"}},
		{"a call beside a refusal", `{"choices":[{"message":{"refusal":"no",` +
			`"tool_calls":[{"function":{"arguments":"{}"}}]},"finish_reason":"stop"}]}`,
			Response{ToolArguments: "{}", Arguments: []string{"{}"}, Refusal: "no", FinishReason: "stop"}},
		{"content is a number", `{"choices":[{"message":{"content":7},"finish_reason":"stop"}]}`, Response{FinishReason: "stop"}},
		{"zero usage, stop", `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":0,"completion_tokens":0}}`,
			Response{Content: "x", FinishReason: "stop", Usage: Usage{Prompt: new(0), Completion: new(0)}}},
		{"tool calls; arguments as an object too", `{"choices":[{"message":{"tool_calls":[{"function":{"arguments":{"b":1,"a":2}}},{"function":{"arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
			Response{ToolArguments: `{"b":1,"a":2}`, Arguments: []string{`{"b":1,"a":2}`, `{}`}, FinishReason: "tool_calls"}},
		{"detailed usage", `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":8,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":5}}}`,
			Response{Content: "x", FinishReason: "stop", Usage: Usage{Prompt: new(9), Completion: new(8),
				Cached: new(0), Reasoning: new(5)}}},
		{"SGLang's place for reasoning tokens; null details", `{"choices":[{"message":{"content":"x"},"finish_reason":"abort"}],"usage":{"prompt_tokens":9,"completion_tokens":8,"reasoning_tokens":2,"prompt_tokens_details":null}}`,
			Response{Content: "x", FinishReason: "length", FinishSent: "abort",
				Usage: Usage{Prompt: new(9), Completion: new(8), Reasoning: new(2)}}},
		{"usage just below the absurd", `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1099511627775,"completion_tokens":1099511627776}}`,
			Response{Content: "x", FinishReason: "stop", Usage: Usage{Prompt: new(1<<40 - 1)}}},
		{"absurd usage", `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":-1,"completion_tokens":1e300}}`,
			Response{Content: "x", FinishReason: "stop"}},
		{"logprobs", `{"choices":[{"message":{"content":"5é"},"finish_reason":"stop","logprobs":{"content":[` +
			`{"token":"5","logprob":-0.1,"bytes":[53],"top_logprobs":[{"token":"5","logprob":-0.1,"bytes":[53]},{"token":"4","logprob":-9999,"bytes":null}]},` +
			`{"token":"\ufffd","logprob":-1e308,"bytes":[195,169],"top_logprobs":[]},{"token":"x","logprob":0,"bytes":[256]},` +
			`{"token":"y","logprob":0,"bytes":[-1]},{"token":"z","logprob":0,"bytes":[0,255]},` +
			`{"token":"","logprob":0,"bytes":[]},{"token":"w","logprob":0,"bytes":["5"]}]}}]}`,
			Response{Content: "5é", FinishReason: "stop", Logprobs: []Token{
				{TokenAlternative{"5", -0.1, []byte("5")}, []TokenAlternative{{"5", -0.1, []byte("5")},
					{"4", -9999, nil}}},
				{TokenAlternative{"\ufffd", -math.MaxFloat32, []byte("é")}, nil},
				{TokenAlternative{"x", 0, nil}, nil}, {TokenAlternative{"y", 0, nil}, nil},
				{TokenAlternative{"z", 0, []byte{0, 255}}, nil},
				{TokenAlternative{"", 0, []byte{}}, nil}, {TokenAlternative{"w", 0, nil}, nil}}}},
		{"null logprobs", `{"choices":[{"message":{"content":"x"},"finish_reason":"stop","logprobs":null}]}`, Response{Content: "x", FinishReason: "stop"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseReply([]byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Raw = []byte(tt.body)
			if diff := cmp.Diff(&tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNoReply: a body without a list of choices is no answer.
func TestNoReply(t *testing.T) {
	const choice = `{"message":{"content":"x"},"finish_reason":"stop"}`
	for _, body := range []string{``, `[]`, `{}`, `{"choices":[]}`, `{"choices":null}`, `{"choices":{"0":` + choice + `}}`, `{"choices":"x"}`, `{"choices":[` + choice + `]`} {
		var e *Error
		if res, err := ParseReply([]byte(body)); !errors.As(err, &e) || e.Kind != KindInvalidReply {
			t.Errorf("%s: %+v, %v", body, res, err)
		}
	}
}

// TestParseReplyEnds: what stands in an answer does not hide that it was stopped.
func TestParseReplyEnds(t *testing.T) {
	const whole, half = `{"output":5,"explanation":"fine"}`, `{"output":5,"expl`
	for _, tt := range []struct{ finish, refused, reason string }{
		{"content_filter", "content_filter", ""}, {"content_filter: PROHIBITED_CONTENT", "PROHIBITED_CONTENT",
			""}, {"SAFETY", "SAFETY", ""}, {"refusal", "refusal", ""},
		{"abort", "", "length"}, {"model_length", "", "length"}, {"max_tokens", "", "length"}, {"error", "", "length"},
		{"length", "", "length"}, {"stop", "", "stop"}, {"tool_calls", "", "tool_calls"},
	} {
		for _, m := range []llmtest.ChatMessage{
			{Content: whole}, {Content: half}, {}, {ToolName: "f", ToolArgs: whole}, {ToolName: "f", ToolArgs: half},
		} {
			m.FinishReason = tt.finish
			res, err := ParseReply([]byte(llmtest.Chat(m).Body))
			if tt.refused != "" {
				e, ok := err.(*Error)
				if !ok || e.Kind != KindRefused || e.Retryable || e.Fatal || !strings.Contains(e.Message, tt.refused) {
					t.Errorf("%s after %q%q: %+v, %v", tt.finish, m.Content, m.ToolArgs, res, err)
				}
				continue
			}
			if err != nil || res.FinishReason != tt.reason ||
				(res.FinishSent != "") != (tt.finish != tt.reason) || res.Content != m.Content && m.ToolName == "" {
				t.Errorf("%s after %q%q: %+v, %v", tt.finish, m.Content, m.ToolArgs, res, err)
			}
		}
	}
}

func FuzzParseReply(f *testing.F) {
	for _, r := range []llmtest.Reply{llmtest.Text("x"),
		llmtest.Chat(llmtest.ChatMessage{ToolName: "f", ToolArgs: "{}"}), llmtest.NoChoices(),
		llmtest.FlatError(400, "x"), llmtest.HTMLError(200)} {
		f.Add([]byte(r.Body))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		res, err := ParseReply(raw)
		if err != nil {
			if e, ok := err.(*Error); !ok || e.Status != 200 || len(e.Message) > 2*maxMessage {
				t.Fatalf("%#v", err)
			}
			return
		}
		if _, err := json.Marshal(res); err != nil {
			t.Fatal(err) // NaN or Inf got through
		}
	})
}

// TestFingerprint: what could change the answer changes the fingerprint, and
// nothing else does.
func TestFingerprint(t *testing.T) {
	of := func(edit func(*Request), kind Kind, version string) string {
		t.Helper()
		r := Request{
			Model: "fake-model", Transport: JSONSchema, Temperature: new(0.0), MaxTokens: 64, Key: "item-1",
			Messages: []Message{{"system", "grade"}, {"user", "hi"}},
			Schema:   Schema{Name: "answer", JSON: json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}}}`)},
		}
		edit(&r)
		fp, err := FingerprintOf(&r, kind, version)
		if err != nil {
			t.Fatal(err)
		}
		return fp.String()
	}
	base := of(func(*Request) {}, KindVLLM, "v1")
	// Stored answers are found by this hash: it may not change.
	if want := "59dd26123809a1a9a0e4b4e4faeac444ff17d1e1412a3f30f4ccf908e24e9398"; base != want {
		t.Errorf("the fingerprint of a fixed request is %s, was %s: every stored answer is lost", base, want)
	}
	volatile := func(texts ...string) string {
		return of(func(r *Request) {
			r.Volatile = texts
			r.Messages[1].Content = "a " + texts[0] + " b " + texts[1] + " c " + texts[0]
		}, KindVLLM, "v1")
	}
	if volatile("xx", "yyy") != volatile("yy", "x") {
		t.Error("a volatile text changes the fingerprint")
	}
	after := func(text string) string {
		return of(func(r *Request) { r.Volatile, r.Messages[1].Content = []string{"", "xx"}, "a xx"+text }, KindVLLM, "v1")
	}
	if after(" b") == after(" c") {
		t.Error("what comes after a volatile text does not change the fingerprint")
	}
	first := func(text, after string) string {
		return of(func(r *Request) { r.Volatile, r.Messages[1].Content = []string{text}, text+after }, KindVLLM, "v1")
	}
	if first("xx", " b") != first("y", " b") || first("xx", " b") == first("xx", " c") {
		t.Error("a volatile text at the beginning counts, or what comes after it does not")
	}
	same := map[string]string{
		"key":          of(func(r *Request) { r.Key = "other" }, KindVLLM, "v1"),
		"schema space": of(func(r *Request) { r.Schema.JSON = append([]byte("  "), r.Schema.JSON...) }, KindVLLM, "v1"),
	}
	for name, fp := range same {
		if fp != base {
			t.Errorf("%s changes the fingerprint", name)
		}
	}
	different := map[string]string{
		"kind":     of(func(*Request) {}, KindOllama, "v1"),
		"version":  of(func(*Request) {}, KindVLLM, "v2"),
		"model":    of(func(r *Request) { r.Model += "x" }, KindVLLM, "v1"),
		"volatile": volatile("xx", "yyy"),
		"which": of(func(r *Request) {
			r.Volatile, r.Messages[1].Content = []string{"x", "y"},
				"a y b y c x"
		}, KindVLLM, "v1"),
		"boundary": of(func(r *Request) { r.Messages = []Message{{"system", "gradeu"}, {"ser", "hi"}} },
			KindVLLM, "v1"),
		"content":        of(func(r *Request) { r.Messages[1].Content = "ho" }, KindVLLM, "v1"),
		"one letter":     of(func(r *Request) { r.Messages[1].Content = "x" }, KindVLLM, "v1"),
		"another letter": of(func(r *Request) { r.Messages[1].Content = "y" }, KindVLLM, "v1"),
		"long":           of(func(r *Request) { r.Messages[1].Content = strings.Repeat("x", 1024) + "x" }, KindVLLM, "v1"),
		"long, its end":  of(func(r *Request) { r.Messages[1].Content = strings.Repeat("x", 1024) + "y" }, KindVLLM, "v1"),
		"role":           of(func(r *Request) { r.Messages[1].Role = "assistant" }, KindVLLM, "v1"),
		"order": of(func(r *Request) { r.Messages[0], r.Messages[1] = r.Messages[1], r.Messages[0] },
			KindVLLM, "v1"),
		"temperature":  of(func(r *Request) { r.Temperature = nil }, KindVLLM, "v1"),
		"top_p":        of(func(r *Request) { r.TopP = new(1.0) }, KindVLLM, "v1"),
		"seed":         of(func(r *Request) { r.Seed = new(int64(0)) }, KindVLLM, "v1"),
		"max_tokens":   of(func(r *Request) { r.MaxTokens = 65 }, KindVLLM, "v1"),
		"logprobs":     of(func(r *Request) { r.Logprobs = true }, KindVLLM, "v1"),
		"transport":    of(func(r *Request) { r.Transport = Tools }, KindVLLM, "v1"),
		"schema name":  of(func(r *Request) { r.Schema.Name = "x" }, KindVLLM, "v1"),
		"strict":       of(func(r *Request) { r.Schema.Strict = true }, KindVLLM, "v1"),
		"schema order": of(func(r *Request) { r.Schema.JSON = json.RawMessage(`{"properties":{},"type":"object"}`) }, KindVLLM, "v1"),
		"extra":        of(func(r *Request) { r.Extra = []Field{{"top_k", json.RawMessage("0")}} }, KindVLLM, "v1"),
	}
	seen := map[string]string{base: "base"}
	for name, fp := range different {
		if other, ok := seen[fp]; ok {
			t.Errorf("%s and %s share a fingerprint", name, other)
		}
		seen[fp] = name
	}
	a := of(func(r *Request) { r.Extra = []Field{{"a", json.RawMessage("1")}, {"b", json.RawMessage("2")}} }, "", "")
	b := of(func(r *Request) { r.Extra = []Field{{"b", json.RawMessage("2")}, {"a", json.RawMessage("1")}} },
		KindUnknown, "")
	if a != b {
		t.Error("the order of extra members, or an empty kind, changes the fingerprint")
	}
	var fp Fingerprint
	if err := fp.UnmarshalText([]byte(base)); err != nil || fp.String() != base {
		t.Errorf("%v, %v", fp, err)
	}
	if text, err := fp.MarshalText(); err != nil || string(text) != base {
		t.Errorf("%s, %v", text, err)
	}
	for text, want := range map[string]string{
		base[2:]: "62 characters, want 64", base + "00": "66 characters, want 64", "zz" + base[2:]: "encoding/hex: invalid byte: U+007A 'z'",
	} {
		if err := fp.UnmarshalText([]byte(text)); err == nil || err.Error() != "fingerprint: "+want {
			t.Errorf("%s: %v", text, err)
		}
	}
}
