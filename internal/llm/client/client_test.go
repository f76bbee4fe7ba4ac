package client

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/llm/llmtest"
)

const plantedKey = `sk-planted-"quoted"/0123456789`

func request(content string) llm.Request {
	return llm.Request{
		Model: "fake-model", Transport: llm.JSONSchema, Temperature: new(0.0), MaxTokens: 64, Key: "item-1",
		Messages: []llm.Message{{Role: "system", Content: "grade"}, {Role: "user", Content: content}},
		Schema:   llm.Schema{Name: "answer", JSON: json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}}}`)},
	}
}

func client(t testing.TB, ep Endpoint, cfg Config) *Client {
	t.Helper()
	c, err := New(ep, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func serve(t testing.TB, h llmtest.Handler) *llmtest.Server {
	t.Helper()
	s := llmtest.Start(h)
	t.Cleanup(s.Close)
	return s
}

func openJournal(t testing.TB) *journal.Journal {
	t.Helper()
	j, err := journal.Open(filepath.Join(t.TempDir(), "exchanges.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// TestWire states, per request, the exact bytes that reach the server.
func TestWire(t *testing.T) {
	schema := `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}}}`
	tests := []struct {
		name string
		kind llm.Kind
		edit func(*llm.Request)
		want string
	}{
		{"temperature 0 and the schema's key order travel", "", func(*llm.Request) {},
			`{"model":"fake-model","messages":[{"role":"system","content":"grade"},{"role":"user","content":"hi"}],"max_tokens":64,"stream":false,` +
				`"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":` + schema + `,"strict":false}},` +
				`"temperature":0}`},
		{"look-alikes and signs that HTML escapes travel", "", func(r *llm.Request) {
			r.Messages = []llm.Message{{Role: "user", Content: `{"role":"user"}}<b>&`}}
			r.Transport, r.Schema = llm.PromptOnly, llm.Schema{}
		}, `{"model":"fake-model","messages":[{"role":"user","content":"{\"role\":\"user\"}}\u003cb\u003e\u0026"}],"max_tokens":64,"stream":false,"temperature":0}`},
		{"nothing set, nothing sent", "", func(r *llm.Request) {
			*r = llm.Request{Model: "m", Messages: []llm.Message{{Role: "user", Content: "hi"}}}
		}, `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":false}`},
		{"all settings, extras in their order, an override", "", func(r *llm.Request) {
			r.Transport, r.Schema = llm.JSONObject, llm.Schema{}
			r.TopP, r.Seed, r.Logprobs, r.TopLogprobs = new(1.0), new(int64(0)), true, 5
			r.Extra = []llm.Field{{Name: "top_k", Value: json.RawMessage("0")}, {Name: "temperature", Value: json.RawMessage("1e-7")}, {Name: "chat_template_kwargs", Value: json.RawMessage(`{"b":1,"a":2}`)}}
		}, `{"model":"fake-model","messages":[{"role":"system","content":"grade"},{"role":"user","content":"hi"}],"max_tokens":64,"top_p":1,"stream":false,` +
			`"response_format":{"type":"json_object"},"seed":0,"logprobs":true,"top_logprobs":5,` +
			`"top_k":0,"temperature":1e-7,"chat_template_kwargs":{"b":1,"a":2}}`},
		{"tools", "", func(r *llm.Request) { r.Transport = llm.Tools },
			`{"model":"fake-model","messages":[{"role":"system","content":"grade"},{"role":"user","content":"hi"}],"max_tokens":64,"stream":false,` +
				`"tools":[{"function":{"name":"answer","description":"Give the answer.","parameters":` + schema + `},"type":"function"}],"tool_choice":"required","temperature":0}`},
		{"reasoning models pass go-openai's own checks", "", func(r *llm.Request) {
			r.Model, r.Logprobs, r.Transport, r.Schema = "o1-local", true, llm.PromptOnly, llm.Schema{}
		}, `{"model":"o1-local","messages":[{"role":"system","content":"grade"},{"role":"user","content":"hi"}],"stream":false,` +
			`"temperature":0,"max_tokens":64,"logprobs":true}`},
		{"numbers keep their digits", "", func(r *llm.Request) {
			r.Transport, r.Temperature, r.TopP = llm.PromptOnly, new(0.7), new(0.123456789012)
		}, `{"model":"fake-model","messages":[{"role":"system","content":"grade"},{"role":"user","content":"hi"}],"max_tokens":64,"temperature":0.7,` +
			`"stream":false,"top_p":0.123456789012}`},
		{"a model that go-openai lets nobody sample", "", func(r *llm.Request) {
			r.Model, r.Transport, r.Temperature, r.TopP = "gpt-5-local", llm.PromptOnly, new(0.5), new(1.0)
		}, `{"model":"gpt-5-local","messages":[{"role":"system","content":"grade"},{"role":"user","content":"hi"}],"stream":false,` +
			`"temperature":0.5,"top_p":1,"max_tokens":64}`},
		{"the hosted service's name for the token limit", llm.KindOpenAI,
			func(r *llm.Request) { r.Transport = llm.PromptOnly },
			`{"model":"fake-model","messages":[{"role":"system","content":"grade"},{"role":"user","content":"hi"}],"max_completion_tokens":64,` +
				`"stream":false,"temperature":0}`},
		{"what is null is left out, the limit goes by the name that was found", "", func(r *llm.Request) {
			r.Transport, r.TopP, r.Seed, r.LimitName = llm.PromptOnly, new(1.0), new(int64(7)), "max_completion_tokens"
			r.Extra = []llm.Field{{Name: "temperature", Value: json.RawMessage("null")},
				{Name: "seed", Value: json.RawMessage(" null ")}, {Name: "x", Value: json.RawMessage("1")}}
		}, `{"model":"fake-model","messages":[{"role":"system","content":"grade"},{"role":"user","content":"hi"}],"max_completion_tokens":64,` +
			`"top_p":1,"stream":false,"x":1}`},
		{"no limit at all", llm.KindOpenAI, func(r *llm.Request) {
			r.Transport, r.Extra = llm.PromptOnly, []llm.Field{{Name: "max_tokens", Value: json.RawMessage("null")}}
		}, `{"model":"fake-model","messages":[{"role":"system","content":"grade"},{"role":"user","content":"hi"}],"stream":false,"temperature":0}`},
		{"tools of the user's own", "", func(r *llm.Request) {
			r.Transport, r.Extra = llm.Tools, []llm.Field{{Name: "tools", Value: json.RawMessage("[1]")},
				{Name: "tool_choice", Value: json.RawMessage(`"auto"`)}}
		}, `{"model":"fake-model","messages":[{"role":"system","content":"grade"},{"role":"user","content":"hi"}],"max_tokens":64,"stream":false,` +
			`"temperature":0,"tools":[1],"tool_choice":"auto"}`},
		{"a format, a limit and alternatives of the user's own", "", func(r *llm.Request) {
			r.Logprobs, r.TopLogprobs, r.Extra = true, 5, []llm.Field{{Name: "response_format", Value: json.RawMessage("{}")},
				{Name: "max_completion_tokens", Value: json.RawMessage("9")}, {Name: "logprobs", Value: json.RawMessage("false")},
				{Name: "top_logprobs", Value: json.RawMessage("null")}}
		}, `{"model":"fake-model","messages":[{"role":"system","content":"grade"},{"role":"user","content":"hi"}],"stream":false,` +
			`"temperature":0,"response_format":{},"max_completion_tokens":9,"logprobs":false}`},
		{"llama.cpp needs the schema beside json_object", llm.KindLlamaCPP,
			func(r *llm.Request) { r.Transport = llm.JSONObject },
			`{"model":"fake-model","messages":[{"role":"system","content":"grade"},{"role":"user","content":"hi"}],"max_tokens":64,"stream":false,` +
				`"temperature":0,"response_format":{"schema":` + schema + `,"type":"json_object"},` +
				`"cache_prompt":true,"repeat_penalty":1,"min_p":0,"top_k":0}`},
		{"llama.cpp's samplers are neutral unless asked otherwise", llm.KindLlamaCPP, func(r *llm.Request) {
			r.Transport, r.Extra = llm.PromptOnly, []llm.Field{{Name: "top_k", Value: json.RawMessage("5")}}
		}, `{"model":"fake-model","messages":[{"role":"system","content":"grade"},{"role":"user","content":"hi"}],"max_tokens":64,"stream":false,` +
			`"temperature":0,"cache_prompt":true,"repeat_penalty":1,"min_p":0,"top_k":5}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, llmtest.Always(llmtest.Text("{}")))
			c := client(t, Endpoint{BaseURL: s.URL}, Config{Kind: tt.kind})
			r := request("hi")
			tt.edit(&r)
			if _, err := c.Do(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(s.Calls()[0].Body)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNewRefusesEndpoints(t *testing.T) {
	for _, tt := range []struct {
		ep   Endpoint
		want string
	}{
		{Endpoint{}, "base_url: is empty"},
		{Endpoint{BaseURL: "  "}, "base_url: is empty"},
		{Endpoint{BaseURL: "localhost:1/v1"}, "scheme"},
		{Endpoint{BaseURL: "ftp://h/v1"}, "scheme"},
		{Endpoint{BaseURL: "http:///v1"}, "no host"},
		{Endpoint{BaseURL: "http://h/v1?key=sekret-value"}, "query"},
		{Endpoint{BaseURL: "http://u:sekret-value@h:x/v1"}, "not a URL"},
		{Endpoint{BaseURL: "http://h", Concurrency: -1}, "concurrency"},
		{Endpoint{BaseURL: "http://h", RequestsPerMinute: -1}, "requests_per_minute: -1 is not a rate"},
		{Endpoint{BaseURL: "http://h", TokensPerMinute: math.NaN()}, "tokens_per_minute: NaN is not a rate"},
		{Endpoint{BaseURL: "http://h", Timeout: -1}, "timeout: -1ns is negative"},
		{Endpoint{BaseURL: "http://h", MaxAttempts: -1}, "max_attempts: -1 is negative"},
		{Endpoint{BaseURL: "http://u:sekret@h", Replicas: []string{"http://i", "http://u:sekret@h"}}, "http://h is named twice"},
		{Endpoint{BaseURL: "http://h", Replicas: []string{"ftp://i"}}, `scheme "ftp" is not http or https`},
		{Endpoint{BaseURL: "h:1/v1"}, "h:1/v1 has no scheme; did you mean http://h:1/v1?"},
		{Endpoint{BaseURL: "u:sekret@h/v1"}, "scheme"},
		{Endpoint{BaseURL: "h/v1?key=sekret"}, `scheme "" is not http or https`},
		{Endpoint{BaseURL: "/v1"}, `scheme "" is not http or https`},
		{Endpoint{BaseURL: "http://h#x"}, "must not hold a query or a fragment"},
		{Endpoint{BaseURL: "http://h", Headers: []Param{{Name: "a b"}}}, `"a b" is not a header name`},
		{Endpoint{BaseURL: "http://h", Headers: []Param{{}}}, `"" is not a header name`},
		{Endpoint{BaseURL: "http://h", Headers: []Param{{Name: "Content-Length"}}}, "Content-Length cannot be set"},
		{Endpoint{BaseURL: "http://h", Headers: []Param{{Name: "x", Value: NewSecret("sekret\n")}}}, "the value of x has a line break"},
		{Endpoint{BaseURL: "http://h", Query: []Param{{}}}, "a parameter has no name"},
	} {
		_, err := New(tt.ep, Config{})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "sekret") {
			t.Errorf("New(%q): %v, want %q and no secret", tt.ep.BaseURL, err, tt.want)
		}
	}
	c, err := New(Endpoint{BaseURL: "https://u:p@h/v1/", Replicas: []string{"http://i"}}, Config{})
	if err != nil || c.BaseURL() != "https://h/v1" || c.Concurrency() != 4 {
		t.Errorf("%v, %v", c, err)
	}
}

func TestRequestRefused(t *testing.T) {
	s := serve(t, llmtest.Always(llmtest.Text("{}")))
	c := client(t, Endpoint{BaseURL: s.URL}, Config{})
	for name, edit := range map[string]func(*llm.Request){
		"no model":      func(r *llm.Request) { r.Model = "" },
		"no messages":   func(r *llm.Request) { r.Messages = nil },
		"no content":    func(r *llm.Request) { r.Messages[0].Content = "" },
		"no schema":     func(r *llm.Request) { r.Schema = llm.Schema{} },
		"broken schema": func(r *llm.Request) { r.Schema.JSON = json.RawMessage("{") },
		"reserved extra": func(r *llm.Request) {
			r.Extra = []llm.Field{{Name: "stream",
				Value: json.RawMessage("true")}}
		},
		"broken extra": func(r *llm.Request) { r.Extra = []llm.Field{{Name: "x", Value: json.RawMessage("1,2")}} },
		"duplicate extra": func(r *llm.Request) {
			r.Extra = []llm.Field{{Name: "x", Value: json.RawMessage("1")}, {Name: "x", Value: json.RawMessage("2")}}
		},
		"infinite setting": func(r *llm.Request) { r.Temperature = new(inf()) },
	} {
		r := request("hi")
		edit(&r)
		_, err := c.Do(t.Context(), r)
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindBadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := s.Requests(); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func inf() float64 { zero := 0.0; return 1 / zero }

// TestErrors states what each kind of failure becomes, and how many requests it costs.
func TestErrors(t *testing.T) {
	tests := []struct {
		name  string
		reply llmtest.Reply
		want  llm.Error
		tries int
		text  string
	}{
		{"401", llmtest.Fail(401, "who?"), llm.Error{Kind: llm.KindUnauthorized, Status: 401, Fatal: true}, 1,
			"set MY_KEY"},
		{"401 as vLLM says it", llmtest.StringError(401, "Unauthorized"),
			llm.Error{Kind: llm.KindUnauthorized, Status: 401, Fatal: true}, 1, "Unauthorized"},
		{"402", llmtest.Fail(402, "pay first"), llm.Error{Kind: llm.KindPayment, Status: 402, Fatal: true}, 1,
			"credit"},
		{"418", llmtest.Fail(418, "a teapot"), llm.Error{Kind: llm.KindServer, Status: 418, Retryable: true}, 2,
			"teapot"},
		{"403", llmtest.Fail(403, "no"), llm.Error{Kind: llm.KindUnauthorized, Status: 403, Fatal: true}, 1, "MY_KEY"},
		{"404 model", llmtest.Fail(404, "model 'x' not found"),
			llm.Error{Kind: llm.KindNotFound, Status: 404, Fatal: true}, 1, "the server has: fake-model"},
		{"404 Ollama", llmtest.Fail(404, `model "fake-model" not found, try pulling it first`), llm.Error{Kind: llm.KindNotFound, Status: 404, Fatal: true}, 1, "ollama pull fake-model"},
		{"400", llmtest.Fail(400, "bad field"), llm.Error{Kind: llm.KindBadRequest, Status: 400}, 1, "bad field"},
		{"400 flat", llmtest.FlatError(400, "bad field"), llm.Error{Kind: llm.KindBadRequest, Status: 400}, 1,
			"bad field"},
		{"422", llmtest.Fail(422, "x"), llm.Error{Kind: llm.KindBadRequest, Status: 422}, 1, ""},
		{"overflow vLLM", llmtest.Fail(400, "This model's maximum context length is 4096 tokens. However, "+
			"you requested 9"), llm.Error{Kind: llm.KindOverflow, Status: 400}, 1, "context"},
		{"overflow SGLang", llmtest.FlatError(400,
			"The input (9 tokens) is longer than the model's context length (8 tokens)."),
			llm.Error{Kind: llm.KindOverflow, Status: 400}, 1, ""},
		{"overflow LM Studio", llmtest.StringError(400,
			"number of tokens to keep from the initial prompt is greater than the context length"),
			llm.Error{Kind: llm.KindOverflow, Status: 400}, 1, ""},
		{"overflow Ollama", llmtest.StringError(400, "the input length exceeds the context length"),
			llm.Error{Kind: llm.KindOverflow, Status: 400}, 1, ""},
		{"429 quota", llmtest.Reply{Status: 429, Body: `{"error":{"message":"You exceeded","type":"x","code":"insufficient_quota"}}`}, llm.Error{Kind: llm.KindPayment, Status: 429, Fatal: true}, 1, "credit"},
		{"429", llmtest.RateLimit(0), llm.Error{Kind: llm.KindRateLimited, Status: 429, Retryable: true}, 2,
			"after 2 attempts"},
		{"408", llmtest.Fail(408, "slow"), llm.Error{Kind: llm.KindTimeout, Status: 408, Retryable: true}, 2, ""},
		{"500", llmtest.Fail(500, "boom"), llm.Error{Kind: llm.KindServer, Status: 500, Retryable: true}, 2, "boom"},
		{"500 bad schema", llmtest.Fail(500, "invalid JSON schema in format"),
			llm.Error{Kind: llm.KindBadRequest, Status: 500}, 1, ""},
		{"501", llmtest.Fail(501, "nope"), llm.Error{Kind: llm.KindBadRequest, Status: 501}, 1, ""},
		{"502 page", llmtest.HTMLError(502), llm.Error{Kind: llm.KindServer, Status: 502, Retryable: true}, 2,
			"HTML page: 502 Bad Gateway"},
		{"503", llmtest.Fail(503, "Loading model"), llm.Error{Kind: llm.KindServer, Status: 503,
			Retryable: true}, 2, ""},
		{"302", llmtest.Reply{Status: 302, Header: map[string]string{"Location": "http://other/"}},
			llm.Error{Kind: llm.KindBadRequest, Status: 302, Fatal: true}, 1, "redirects"},
		{"error in 200", llmtest.Fail(200, "engine died"), llm.Error{Kind: llm.KindServer, Status: 200,
			Retryable: true}, 2, "engine died"},
		{"string error in 200", llmtest.StringError(200, "engine died"),
			llm.Error{Kind: llm.KindServer, Status: 200, Retryable: true}, 2, "engine died"},
		{"coded error in 200", coded200(), llm.Error{Kind: llm.KindBadRequest, Status: 200}, 1, "no"},
		{"no choices", llmtest.NoChoices(), llm.Error{Kind: llm.KindInvalidReply, Status: 200, Retryable: true},
			2, "no choices"},
		{"broken JSON", llmtest.BrokenJSON(), llm.Error{Kind: llm.KindInvalidReply, Status: 200,
			Retryable: true}, 2, ""},
		{"page in 200", llmtest.HTMLError(200), llm.Error{Kind: llm.KindInvalidReply, Status: 200,
			Retryable: true}, 2, "OpenAI-compatible"},
		{"cut body", llmtest.CutBody("{}"), llm.Error{Kind: llm.KindTransport, Status: 200, Retryable: true}, 2,
			"middle of the reply"},
		{"reset", llmtest.Reset(), llm.Error{Kind: llm.KindTransport, Retryable: true}, 2, ""},
		{"hang", llmtest.Hang(), llm.Error{Kind: llm.KindTimeout, Retryable: true}, 2, "timeout"},
		{"too large", llmtest.Text(strings.Repeat("x", 5000)), llm.Error{Kind: llm.KindTooLarge, Status: 200},
			1, "4096 bytes"},
		{"refusal", llmtest.Reply{Body: `{"choices":[{"message":{"content":null,"refusal":"I will not"},"finish_reason":"stop"}]}`}, llm.Error{Kind: llm.KindRefused, Status: 200}, 1, "I will not"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, llmtest.Always(tt.reply))
			timeout := map[bool]time.Duration{true: 150 * time.Millisecond}[tt.name == "hang"] // others answer at once
			c := client(t, Endpoint{BaseURL: s.URL, MaxAttempts: 2, Timeout: timeout, KeyEnv: "MY_KEY"}, Config{})
			c.replicas[0].wire.maxReply = 4096
			_, err := c.Do(t.Context(), request("hi"))
			var e *llm.Error
			if !errors.As(err, &e) {
				t.Fatalf("error is %T: %v", err, err)
			}
			got := llm.Error{Kind: e.Kind, Status: e.Status, Retryable: e.Retryable, Fatal: e.Fatal}
			if got.Kind != tt.want.Kind || got.Status != tt.want.Status || got.Retryable != tt.want.Retryable ||
				got.Fatal != tt.want.Fatal {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if e.Attempts != tt.tries || s.Requests() != tt.tries {
				t.Errorf("attempts %d, requests %d, want %d", e.Attempts, s.Requests(), tt.tries)
			}
			if !strings.Contains(err.Error(), tt.text) || strings.Contains(err.Error(), "\n") {
				t.Errorf("message %q lacks %q, or has a line break", err, tt.text)
			}
		})
	}
}

func TestConnectionRefusedIsFatalUntilAnswered(t *testing.T) {
	s := llmtest.Start(llmtest.Always(llmtest.Text("{}")))
	fresh := client(t, Endpoint{BaseURL: s.URL, MaxAttempts: 1}, Config{})
	used := client(t, Endpoint{BaseURL: s.URL, MaxAttempts: 1}, Config{})
	if _, err := used.Do(t.Context(), request("hi")); err != nil {
		t.Fatal(err)
	}
	s.Close()
	for c, fatal := range map[*Client]bool{fresh: true, used: false} {
		_, err := c.Do(t.Context(), request("hi"))
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindTransport || !e.Retryable || e.Fatal != fatal {
			t.Errorf("got %#v, want fatal %v", err, fatal)
		}
	}
}

// TestKeyNeverLeaks plants keys wherever a server can echo them, in every escaping.
func TestKeyNeverLeaks(t *testing.T) {
	for _, key := range []string{plantedKey, "8bytes+/", `planted\by+hand/0123456789==`} {
		testKeyNeverLeaks(t, key)
	}
}

func testKeyNeverLeaks(t *testing.T, plantedKey string) {
	forms := []string{plantedKey, inJSON(plantedKey), inJSON(inJSON(plantedKey)), html.EscapeString(plantedKey), allEntities(plantedKey, "&#%d;"),
		url.QueryEscape(plantedKey), base64.StdEncoding.EncodeToString([]byte(plantedKey)), strings.ToUpper(plantedKey)}
	all := strings.Join(forms, " ")
	echo := func(status int) llmtest.Handler {
		return func(c llmtest.Call) llmtest.Reply {
			auth := c.Header.Get("Authorization")
			if auth != "Bearer "+plantedKey {
				return llmtest.Fail(400, "no key arrived")
			}
			r := llmtest.Fail(status, "you sent "+auth+" "+all)
			if status == 200 {
				r = llmtest.Chat(llmtest.ChatMessage{Content: auth + " " + all, Reasoning: all})
			}
			r.Header = map[string]string{"X-Request-Id": auth, "X-Ratelimit-Note": all, "Server": plantedKey}
			return r
		}
	}
	for _, status := range []int{200, 400, 401, 404, 500} {
		s := serve(t, echo(status))
		s.Side("/v1/models", llmtest.Reply{Body: `{"data":[{"id":"` + strings.ReplaceAll(plantedKey, `"`, `\"`) + `"}]}`})
		path := filepath.Join(t.TempDir(), "exchanges.jsonl")
		j, jerr := journal.Open(path)
		if jerr != nil {
			t.Fatal(jerr)
		}
		t.Cleanup(func() { _ = j.Close() })
		ep := Endpoint{BaseURL: s.URL, APIKey: NewSecret(plantedKey), MaxAttempts: 1}
		c := client(t, ep, Config{Journal: j})
		res, err := c.Do(t.Context(), request("hi"))
		var shown string
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			for _, v := range []any{ep, &ep, ep.APIKey, c, c.endpoint, c.replicas[0].wire.auth, c.replicas[0].wire.redact, res, err} {
				shown += fmt.Sprintf(verb, v)
			}
		}
		if b, jerr := json.Marshal(ep); jerr == nil {
			shown += string(b)
		}
		for e, jerr := range journal.Containing(path, nil) {
			if jerr != nil {
				t.Fatal(jerr)
			}
			shown += fmt.Sprintf("%s %+v %v", e.Raw, e.Error, e.Headers)
		}
		file, jerr := os.ReadFile(path)
		if jerr != nil {
			t.Fatal(jerr)
		}
		shown += string(file)
		for _, form := range append(forms, fmt.Sprintf("%x", plantedKey), "0123456789") {
			if i := strings.Index(shown, form); i >= 0 {
				t.Errorf("status %d: %q is shown in …%s", status, form, shown[max(0, i-200):i])
			}
		}
		if !strings.Contains(shown, redacted) {
			t.Errorf("status %d: nothing was redacted, so nothing was tested", status)
		}
	}
}

// TestGatewayParams: headers and query go with every request, side requests too, and
// what is hidden of them is shown nowhere; what is plain stays in answers.
func TestGatewayParams(t *testing.T) {
	const token, code = "tok-planted-0123456789", "code-planted-987654321"
	var seen []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen,
			r.URL.Path+"?"+r.URL.RawQuery+" "+r.Header.Get("X-Gateway")+" "+r.Header.Get("Authorization"))
		w.Header().Set("X-Request-Id", r.Header.Get("X-Gateway"))
		if strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprintf(w, `{"data":[{"id":%q}]}`, token)
			return
		}
		fmt.Fprintf(w, `{"choices":[{"message":{"content":"%s %s 2024-10-21"}}]}`, token, code)
	}))
	defer s.Close()
	ep := Endpoint{
		BaseURL: s.URL + "/deployments/m", APIKey: NewSecret("sk-not-sent-0123"),
		Headers: []Param{{Name: "X-Gateway", Value: NewSecret("Token " + token)},
			{Name: "Authorization", Value: NewSecret("Bearer own-0123456789")}},
		Query: []Param{{Name: "api-version", Value: NewSecret("2024-10-21"), Plain: true},
			{Name: "code", Value: NewSecret(code)}},
	}
	c := client(t, ep, Config{})
	res, err := c.Do(t.Context(), request("hi"))
	if err != nil || res.Content != "[redacted] [redacted] 2024-10-21" {
		t.Fatalf("%+v, %v", res, err)
	}
	models, err := c.Models(t.Context())
	if err != nil || models[0].ID != redacted {
		t.Errorf("%v, %v", models, err)
	}
	want := func(path string) string {
		return "/deployments/m/" + path + "?api-version=2024-10-21&code=" + code + " Token " + token +
			" Bearer own-0123456789"
	}
	if diff := cmp.Diff([]string{want("chat/completions"), want("models")}, seen); diff != "" {
		t.Error(diff)
	}
	if shown := fmt.Sprintf("%v %+v %#v %v %+v", ep, ep, ep, c, res); strings.Contains(shown, "planted") {
		t.Error(shown)
	}
	for _, bad := range []Endpoint{
		{BaseURL: s.URL, Headers: []Param{{Name: "X-Token", Value: NewSecret("tok-planted\nX: y")}}},
		{BaseURL: s.URL, Headers: []Param{{Name: "Content-Type", Value: NewSecret("planted")}}},
		{BaseURL: s.URL, Headers: []Param{{Name: "X Y", Value: NewSecret("planted")}}},
		{BaseURL: s.URL, Query: []Param{{Value: NewSecret("planted")}}},
	} {
		if _, err := New(bad, Config{}); err == nil || strings.Contains(err.Error(), "planted") {
			t.Errorf("%v", err)
		}
	}
}

func TestBasicAuthFromURL(t *testing.T) {
	s := serve(t, func(c llmtest.Call) llmtest.Reply { return llmtest.Fail(400, c.Header.Get("Authorization")) })
	// The server echoes the credentials, which must be redacted.
	c := client(t, Endpoint{BaseURL: strings.Replace(s.URL, "http://", "http://me:sekret-value@", 1)}, Config{})
	_, err := c.Do(t.Context(), request("hi"))
	if err == nil || !strings.Contains(err.Error(), "Basic "+redacted) ||
		strings.Contains(err.Error(), "sekret") || strings.Contains(c.BaseURL(), "me:") {
		t.Errorf("%v, base %s", err, c.BaseURL())
	}
}

func TestCallerCancels(t *testing.T) {
	s := serve(t, llmtest.Always(llmtest.Hang()))
	c := client(t, Endpoint{BaseURL: s.URL, Concurrency: 1}, Config{Journal: openJournal(t)})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	for i := range 4 { // one in flight, two in line, one sharing a flight
		wg.Go(func() {
			_, err := c.Do(ctx, request(fmt.Sprint("hi", i%3)))
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != llm.KindCanceled || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
		})
	}
	wg.Wait()
	if n := s.Requests(); n > 3 {
		t.Errorf("%d requests", n)
	}
}

func TestConcurrencyIsBounded(t *testing.T) {
	s := serve(t, llmtest.Always(llmtest.Text("{}").After(10*time.Millisecond)))
	c := client(t, Endpoint{BaseURL: s.URL, Concurrency: 3}, Config{})
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			if _, err := c.Do(t.Context(), request(fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if p := s.Peak(); p != 3 {
		t.Errorf("peak %d, want 3", p)
	}
}

func coded200() llmtest.Reply {
	r := llmtest.FlatError(400, "no")
	r.Status = 200
	return r
}

// TestReachable: a broken connection may be tried again once the endpoint has answered, and until then
// means what it meant.
func TestReachable(t *testing.T) {
	for _, answered := range []bool{true, false} {
		c := client(t, Endpoint{BaseURL: "http://127.0.0.1:1"}, Config{})
		c.answered.Store(answered)
		e := &llm.Error{Kind: llm.KindTransport, Fatal: true}
		if c.reachable(c.replicas[0], e); e.Retryable != answered || e.Fatal == answered {
			t.Errorf("answered %v: %+v", answered, e)
		}
	}
}

// TestBody: the body of a request is what the client sends, without sending it.
func TestBody(t *testing.T) {
	s := llmtest.Start(llmtest.Always(llmtest.Text("{}")))
	defer s.Close()
	req := request("hi")
	if _, err := client(t, Endpoint{BaseURL: s.URL}, Config{}).Do(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	p, err := req.Prepare(llm.KindUnknown, "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Body(p, s.URL)
	if err != nil || string(got) != string(s.Calls()[len(s.Calls())-1].Body) {
		t.Errorf("%s, %v", got, err)
	}
}

// TestConfig: settings that are not set or make no sense are the default ones; a journal for reading is refused.
func TestConfig(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{
		0: 500 * time.Millisecond, -1: 500 * time.Millisecond, 1: 1, 30 * time.Second: 30 * time.Second, 31 * time.Second: 500 * time.Millisecond,
	} {
		c := client(t, Endpoint{BaseURL: "http://u:sekret@h/v1"}, Config{FirstBackoff: given})
		if c.cfg.FirstBackoff != want || c.cfg.Kind != llm.KindUnknown || c.endpoint.BaseURL != "http://h/v1" {
			t.Errorf("a first wait of %v is one of %v at most", given, c.cfg.FirstBackoff)
		}
		if got := fmt.Sprintf("%+v", c); got != "client.Client(http://h/v1)" {
			t.Error(got)
		}
	}
	want := Endpoint{Concurrency: 4, Timeout: 5 * time.Minute, MaxAttempts: 5, KeyEnv: "OPENAI_API_KEY"}
	if diff := cmp.Diff(want, Endpoint{}.withDefaults(), cmp.AllowUnexported(Secret{})); diff != "" {
		t.Error(diff)
	}
	path := filepath.Join(t.TempDir(), "exchanges.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := New(Endpoint{BaseURL: "http://h"}, Config{Journal: j}); err == nil || err.Error() != "client journal: is open for reading only" {
		t.Error(err)
	}
}

// TestAuthorization: a key is sent as a bearer token, before the credentials of a base URL, which are sent as they are;
// and only to what is inside the base URL.
func TestAuthorization(t *testing.T) {
	me := url.UserPassword("me", "sekret")
	for want, got := range map[string]Secret{
		"Bearer k": authorization(NewSecret("k"), me), "Basic bWU6c2VrcmV0": authorization(Secret{}, me),
		"": authorization(Secret{}, nil),
	} {
		if got.Reveal() != want {
			t.Errorf("%q, want %q", got.Reveal(), want)
		}
	}
	for _, tt := range []struct {
		base, path string
		want       bool
	}{
		{"", "/x", true}, {"/", "/x", true}, {"/v1", "/x", true}, {"/v1/", "/x", true}, {"/a", "/a", true}, {"/a/", "/a/b", true},
		{"/a", "/ab", false}, {"/a", "/b", false}, {"/a/v1", "/a/v1/models", true}, {"/a/v1", "/v1/models", false},
	} {
		w := wire{}
		w.config.BaseURL = "http://h" + tt.base
		if got := w.owns(&url.URL{Path: tt.path}); got != tt.want {
			t.Errorf("%s owns %s: %v", tt.base, tt.path, got)
		}
	}
	w := wire{}
	if w.config.BaseURL = "http://h:x"; w.owns(&url.URL{}) {
		t.Error("what is no URL owns one")
	}
}

// TestKeptHeaders: headers that say who answered, and what the limits are, are kept; others, and empty ones, are not.
func TestKeptHeaders(t *testing.T) {
	got := selectHeaders(http.Header{
		"Content-Type": {"a", "b"}, "Date": {"d"}, "Server": {"s"}, "Via": {"v"}, "Retry-After": {"1"}, "X-Request-Id": {"x"},
		"Request-Id": {"r"}, "Openai-Version": {"1"}, "Openai-Processing-Ms": {"2"}, "Openai-Model": {"m"}, "X-Powered-By": {"p"},
		"Cf-Ray": {"c"}, "X-Ratelimit-Limit": {"9"}, "X-Ratelimit-Reset": {""}, "Set-Cookie": {"no"}, "X-Empty": {}, "Etag": {"e"},
	})
	want := map[string]string{
		"content-type": "a", "date": "d", "server": "s", "via": "v", "retry-after": "1", "x-request-id": "x",
		"request-id": "r", "openai-version": "1", "openai-processing-ms": "2", "openai-model": "m", "x-powered-by": "p",
		"cf-ray": "c", "x-ratelimit-limit": "9",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := selectHeaders(http.Header{"Date": {}}); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
