package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestStatusErrorKinds: what is wrong with one record is not taken for trouble with
// the server, nor for a lack of ability: it is not tried again and ends no run.
func TestStatusErrorKinds(t *testing.T) {
	openAI := func(message, code string) string {
		return fmt.Sprintf(`{"error":{"message":%q,"type":"invalid_request_error","param":"prompt","code":%q}}`, message, code)
	}
	text := func(message string) string { return fmt.Sprintf(`{"error":%q}`, message) }
	flat := func(message string) string {
		return fmt.Sprintf(`{"object":"error","message":%q,"type":"BadRequestError","param":null,"code":400}`, message)
	}
	const azure = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry."
	for _, tt := range []struct {
		name   string
		status int
		body   string
		want   ErrorKind
	}{
		{"filter by code", 400, openAI("blocked", "content_filter"), KindRefused},
		{"filter by text", 400, openAI(azure, ""), KindRefused},
		{"filter in a flat body", 400, flat(azure), KindRefused},
		{"filter by a hosted image policy", 400, openAI("Your request was rejected",
			"content_policy_violation"), KindRefused},
		{"output filter", 400, openAI("Output blocked by content filtering policy", ""), KindRefused},
		{"a gateway's moderation is no refusal of the key", 403,
			openAI("m requires moderation and your input was flagged for hate", "403"), KindRefused},
		{"a service's 500", 500, openAI("PROHIBITED_CONTENT", ""), KindRefused},
		{"a refusal of the key is one", 401, openAI("no", "content_filter"), KindUnauthorized},
		{"the key, all the same", 403, openAI("no access", ""), KindUnauthorized},
		{"rate limits stay", 429, openAI("slow down", "content_filter"), KindRateLimited},

		{"LM Studio, GGUF", 400, text("Trying to keep the first 6402 tokens when context the overflows. " +
			"However, the model is loaded with context length of only 4096 tokens, which is not enough."),
			KindOverflow},
		{"LM Studio, older", 400, text("The number of tokens to keep from the initial prompt is greater than " +
			"the context length. Try to load the model with a larger context length."), KindOverflow},
		{"LM Studio in a 200", 200, text("Trying to keep the first 6402 tokens when context the overflows."),
			KindOverflow},
		{"Gemini", 400, openAI("The input token count (1200000) exceeds the maximum number of tokens allowed "+
			"(1048576).", ""), KindOverflow},
		{"Gemini, in a list", 400, "[" + openAI("The input token count (1200000) exceeds the maximum number "+
			"of tokens allowed (1048576).", "") + "]", KindOverflow},
		{"SGLang", 400,
			flat("The input (5000 tokens) is longer than the model's context length (4096 tokens)."), KindOverflow},
		{"SGLang, with the answer", 400, flat("Requested token count exceeds the model's maximum context " +
			"length of 4096 tokens."), KindOverflow},
		{"vLLM", 400, `{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.","type":"BadRequestError","param":"input_tokens","code":400}}`, KindOverflow},
		{"vLLM's engine", 400, flat("The decoder prompt (length 5000) is longer than the maximum model " +
			"length of 4096."), KindOverflow},
		{"llama.cpp", 400, `{"error":{"code":400,"message":"the request does not fit","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}`, KindOverflow},
		{"Ollama", 400, text("the input length exceeds the context length"), KindOverflow},
		{"Ollama's 500", 500, text("the input length exceeds the context length"), KindOverflow},
		{"OpenAI", 400, openAI("too long", "context_length_exceeded"), KindOverflow},

		{"a setting", 400, openAI("temperature is not supported", "unsupported_value"), KindBadRequest},
		{"a schema", 400, openAI("maxLength 5000 is greater than allowed", "invalid_schema"), KindBadRequest},
		{"trouble", 500, text("boom"), KindServer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := StatusError(tt.status, []byte(tt.body))
			if tt.status == 200 {
				_, err := ParseReply([]byte(tt.body))
				e, _ = err.(*Error)
			}
			if e == nil || e.Kind != tt.want {
				t.Fatalf("%v, want %s", e, tt.want)
			}
			if (tt.want == KindRefused || tt.want == KindOverflow) && (e.Retryable || e.Fatal || e.Message == "") {
				t.Errorf("%+v", e)
			}
		})
	}
}

// A message that does not say what is wrong gets the name of the field beside it.
func TestStatusErrorNamesTheField(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{`{"error":{"message":"invalid value","param":"response_format","code":400}}`, "invalid value (response_format)"},
		{`{"error":{"message":"response_format is not known","param":"response_format"}}`, "response_format is not known"},
		{`{"error":{"message":"invalid value","param":null}}`, "invalid value"},
	} {
		if got := StatusError(400, []byte(tt.body)).Message; got != tt.want {
			t.Errorf("%s: message %q, want %q", tt.body, got, tt.want)
		}
	}
}

// TestStatuses: what is tried again, what ends a run, and what a person reads of it.
func TestStatuses(t *testing.T) {
	const quota = `{"error":{"message":"You exceeded your quota","type":"insufficient_quota","code":"insufficient_quota"}}`
	schema := `{"error":{"message":"failed to parse grammar"}}`
	// page returns a page whose title ends after n bytes.
	page := func(n int) string {
		const title = "<title>X</title"
		return "<html>" + strings.Repeat(" ", n-len("<html>")-len(title)) + title + ">"
	}
	for _, tt := range []struct {
		status           int
		body             string
		kind             ErrorKind
		retryable, fatal bool
		message, hint    string
	}{
		{206, "x", KindBadRequest, false, false, "x", ""},
		{300, "x", KindBadRequest, false, true, "x", "base URL"},
		{301, "", KindBadRequest, false, true, "Moved Permanently", "base URL"},
		{399, "x", KindBadRequest, false, true, "x", "base URL"},
		{400, "x", KindBadRequest, false, false, "x", ""},
		{400, "\ufeff" + `{"error":{"message":"m"}}`, KindBadRequest, false, false, "m", ""},
		{400, "content_filter", KindRefused, false, false, "content_filter",
			"the service's content filter stopped this record; other records are not affected"},
		{401, "", KindUnauthorized, false, true, "Unauthorized", ""},
		{402, "", KindPayment, false, true, "Payment Required", "credit"},
		{404, "", KindNotFound, false, true, "Not Found", ""},
		{404, "prompt is too long", KindNotFound, false, true, "prompt is too long", ""},
		{408, "", KindTimeout, true, false, "Request Timeout", ""},
		{413, "", KindOverflow, false, false, "Request Entity Too Large", "context"},
		{418, "", KindServer, true, false, "I'm a teapot", ""},
		{418, "prompt is too long", KindOverflow, false, false, "prompt is too long", "context"},
		{425, "", KindServer, true, false, "Too Early", ""},
		{429, "", KindRateLimited, true, false, "Too Many Requests", ""},
		{429, quota, KindPayment, false, true, "You exceeded your quota", "credit"},
		{429, "prompt is too long", KindRateLimited, true, false, "prompt is too long", ""},
		{500, schema, KindBadRequest, false, false, "failed to parse grammar", ""},
		{500, `{"error":"invalid state"}`, KindServer, true, false, "invalid state", ""},
		{500, `{"error":"the schema"}`, KindServer, true, false, "the schema", ""},
		{503, schema, KindServer, true, false, "failed to parse grammar", ""},
		{501, "", KindBadRequest, false, false, "Not Implemented", ""},
		{400, quota, KindBadRequest, false, false, "You exceeded your quota", ""},

		{400, `{"error":{"message":"content_","type":"filter"}}`, KindBadRequest, false, false, "content_", ""},
		{400, `{"error":{"message":"m","type":"content_","code":"filter"}}`, KindBadRequest, false, false, "m", ""},
		{400, `{"error":{"message":"m","code":"content_","param":"filter"}}`, KindBadRequest, false, false, "m (filter)", ""},

		{400, `{"detail":"no such field"}`, KindBadRequest, false, false, "no such field", ""},
		{400, `{"detail":[{"loc":["body"]}]}`, KindBadRequest, false, false, `[{"loc":["body"]}]`, ""},
		{400, `{"error":{"code":7}}`, KindBadRequest, false, false, `{"code":7}`, ""},
		{400, `{"error":true}`, KindBadRequest, false, false, "true", ""},
		{400, `[{"error":{"message":"m"}}]`, KindBadRequest, false, false, "m", ""},
		{400, `"m"`, KindBadRequest, false, false, `"m"`, ""},
		{400, `{"error":false,"message":"m"}`, KindBadRequest, false, false, "m", ""},
		{502, "<html><TITLE>Bad Gateway</TITLE><h1>x</h1></html>", KindServer, true, false, "HTML page: Bad Gateway", ""},
		{502, "<html><h1>Oops</h1></html>", KindServer, true, false, "HTML page: Oops", ""},
		{502, "<html><title></title><h1>X</h1></html>", KindServer, true, false, "HTML page: X", ""},
		{502, "<html><title>İç hata</title></html>", KindServer, true, false, "<html><title>İç hata</title></html>", ""},
		{502, "<html><subtitle>Y</subtitle><title>X</title></html>", KindServer, true, false, "HTML page: X", ""},
		{502, page(4096), KindServer, true, false, "HTML page: X", ""},
		{502, page(4097), KindServer, true, false, "HTML page", ""},
		{502, "<html>x</html>", KindServer, true, false, "HTML page", ""},
		{502, "<p>no page</p>", KindServer, true, false, "<p>no page</p>", ""},
	} {
		e := StatusError(tt.status, []byte(tt.body))
		if e.Status != tt.status || e.Kind != tt.kind || e.Retryable != tt.retryable || e.Fatal != tt.fatal || e.Message != tt.message ||
			!strings.Contains(e.Hint, tt.hint) || tt.hint == "" && e.Hint != "" {
			t.Errorf("%d %s: %+v", tt.status, tt.body, e)
		}
	}
	for code, want := range map[string]ErrorKind{
		"399": KindServer, "400": KindBadRequest, "429": KindRateLimited, "599": KindServer, "600": KindServer, `"x"`: KindServer,
	} {
		_, err := ParseReply([]byte(`{"error":{"message":"m","code":` + code + `}}`))
		if e, ok := err.(*Error); !ok || e.Kind != want || e.Status != 200 {
			t.Errorf("an error of code %s in a 200: %+v", code, err)
		}
	}
}

// TestErrorsInAnAnswer: a 200 without an answer is the error that its body reports, or else no reply, whose
// message shows the beginning of the body.
func TestErrorsInAnAnswer(t *testing.T) {
	const foreign = "the body is not a chat completion: "
	for body, want := range map[string]Error{
		`{"object":"error","message":"m"}`: {Kind: KindServer, Message: "m"},
		`{"object":"error","detail":"m"}`:  {Kind: KindServer, Message: "m"},
		`{"message":"m","type":"t"}`:       {Kind: KindServer, Message: "m"},
		`{"message":"m","code":"429"}`:     {Kind: KindRateLimited, Message: "m"},
		`{"error":true}`:                   {Kind: KindServer, Message: "true"},
		`{"message":"m"}`:                  {Kind: KindInvalidReply, Message: foreign + `{"message":"m"}`},
		`{"detail":"m"}`:                   {Kind: KindInvalidReply, Message: foreign + `{"detail":"m"}`},
		`{"error":false}`:                  {Kind: KindInvalidReply, Message: foreign + `{"error":false}`},
		`{"choices":"x"}`:                  {Kind: KindInvalidReply, Message: foreign + `{"choices":"x"}`},
		strings.Repeat("x", 201):           {Kind: KindInvalidReply, Message: foreign + strings.Repeat("x", 200)},
		`{"choices":[]}`:                   {Kind: KindInvalidReply, Message: "the reply has no choices"},
		`{"choices":[{}],"choices":[{}]}`:  {Kind: KindInvalidReply, Message: "the reply holds /choices more than once"},
		`{"choices":[{"message":{"refusal":"no"},"finish_reason":"content_filter"}]}`: {Kind: KindRefused,
			Message: "the server's filter ended the answer: finish_reason content_filter no"},
		`{"choices":[{"message":{"refusal":"no"}}]}`: {Kind: KindRefused, Message: "the server declined to answer: no"},
	} {
		_, err := ParseReply([]byte(body))
		e, ok := err.(*Error)
		if !ok || e.Kind != want.Kind || e.Message != want.Message || e.Status != 200 {
			t.Errorf("%s: %+v", body, err)
		} else if strings.Contains(e.Message, foreign) != strings.Contains(e.Hint, "base URL") {
			t.Errorf("%s: hint %q", body, e.Hint)
		}
	}
}

// TestPrepareSendsSchemas: a schema is sent where the server constrains answers by it.
func TestPrepareSendsSchemas(t *testing.T) {
	for _, tt := range []struct {
		kind      Kind
		transport Transport
		schema    string
		sent      bool
	}{
		{KindVLLM, JSONSchema, `{"type":"object"}`, true}, {KindVLLM, Tools, `{"type":"object"}`, true},
		{KindVLLM, JSONObject, `{"type":"object"}`, false}, {KindVLLM, PromptOnly, `{"type":"object"}`, false},
		{KindLlamaCPP, PromptOnly, `{"type":"object"}`, false},
		{KindLlamaCPP, JSONObject, `{"type":"object"}`, true}, {KindLlamaCPP, JSONObject, ``, false},
	} {
		r := Request{Model: "m", Transport: tt.transport, MaxTokens: 5, Messages: []Message{{"user", "hi"}},
			Schema: Schema{Name: "answer", JSON: json.RawMessage(tt.schema)}}
		p, err := r.Prepare(tt.kind, "v1")
		if err != nil || (p.Sent != nil) != tt.sent {
			t.Errorf("%s to %s with %q: %+v, %v", tt.transport, tt.kind, tt.schema, p, err)
		}
		if beside := tt.sent && tt.kind == KindLlamaCPP; p.SchemaBesideObject() != beside {
			t.Errorf("%s to %s with %q: the schema beside json_object: %v", tt.transport, tt.kind, tt.schema, !beside)
		}
	}
}

// TestRequestsThatNobodyAnswers: a request that lacks something, or sets what must not be set, names it before it is sent.
func TestRequestsThatNobodyAnswers(t *testing.T) {
	field := func(name string) Field { return Field{Name: name, Value: json.RawMessage("1")} }
	for want, change := range map[string]func(*Request){
		"":                                        func(*Request) {},
		"model: is empty":                         func(r *Request) { r.Model = "" },
		"messages: the list is empty":             func(r *Request) { r.Messages = nil },
		"messages: message 2 has no content":      func(r *Request) { r.Messages = append(r.Messages, Message{Role: "user"}) },
		"schema: transport tools needs one":       func(r *Request) { r.Transport = Tools },
		"schema: transport tools needs one, with": func(r *Request) { r.Transport, r.Schema.Name = Tools, "answer" },
		"schema: transport json_schema needs":     func(r *Request) { r.Transport, r.Schema.JSON = JSONSchema, json.RawMessage("{}") },
		`extra: member "stream" cannot be set`:    func(r *Request) { r.Extra = []Field{field("stream")} },
		`extra: member "" cannot be set`:          func(r *Request) { r.Extra = []Field{field("")} },
		`extra: member "top_k" occurs twice`:      func(r *Request) { r.Extra = []Field{field("top_k"), field("min_p"), field("top_k")} },
		`extra: member "messages" cannot be set`:  func(r *Request) { r.Extra = []Field{field("messages")} },
		`extra: member "model" cannot be set`:     func(r *Request) { r.Extra = []Field{field("model")} },
		`extra: member "n" cannot be set`:         func(r *Request) { r.Extra = []Field{field("n")} },
	} {
		r := Request{Model: "m", Transport: PromptOnly, MaxTokens: 5, Messages: []Message{{"user", "hi"}}}
		change(&r)
		_, err := r.Prepare(KindVLLM, "v1")
		var e *Error
		if (want == "") != (err == nil) || err != nil && (!errors.As(err, &e) || e.Kind != KindBadRequest || !strings.Contains(e.Message, "request "+want)) {
			t.Errorf("%q: %v", want, err)
		}
	}
	r := Request{Model: "m", Messages: []Message{{"user", "hi"}}, Temperature: new(math.NaN())}
	var e *Error
	if _, err := r.Prepare(KindVLLM, "v1"); !errors.As(err, &e) || e.Kind != KindBadRequest ||
		e.Message != "fingerprint: json: unsupported value: NaN" {
		t.Errorf("a temperature that is no number: %v", err)
	}
	for value, want := range map[string]bool{"null": true, " null\n": true, `"null"`: false, "0": false} {
		if got := (Field{Name: "seed", Value: json.RawMessage(value)}).LeavesOut(); got != want {
			t.Errorf("%s leaves a member out: %v", value, got)
		}
	}
	if !slices.Equal(Ladder(), []Transport{"json_schema", "tools", "json_object", "prompt_only"}) {
		t.Errorf("the ladder is %s", Ladder())
	}
	r.Temperature, r.Extra = nil, []Field{field("top_k"), field("min_p")}
	if _, err := r.Prepare(KindVLLM, "v1"); err != nil {
		t.Errorf("two extra members: %v", err)
	}
	if r.Extra = []Field{field("top_k")}; !r.Overrides("top_k") || r.Overrides("min_p") {
		t.Error("a request overrides what its extra members name")
	}
}

// TestOneLine: a server's text is one line of a message that hides nothing.
func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{"a\x00b": "a b", " two\r\n\tlines ": "two lines", "\x1b[31mred": "[31mred", "plain": "plain"} {
		if got := OneLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestErrorText: an error says in one line what was asked, what came back, how often, and what helps.
func TestErrorText(t *testing.T) {
	for want, e := range map[string]Error{
		"bad request": {Kind: KindBadRequest},
		"chat m at http://x/v1: rate limited (HTTP 429): later (after 2 attempts); wait a minute": {
			Kind: KindRateLimited, Status: 429, Message: "later", Attempts: 2, Hint: "wait a minute", Model: "m", Endpoint: "http://x/v1"},
		"timeout: 5m": {Kind: KindTimeout, Message: "5m", Attempts: 1, Model: "m"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if !errors.Is(&Error{Kind: KindCanceled, Cause: context.Canceled}, context.Canceled) {
		t.Error("a cancelled request does not say so")
	}
}

// TestSchemaOfManyRequests: a schema that is read once is sent as one that is read each time, and each kind of
// server gets its own form of it.
func TestSchemaOfManyRequests(t *testing.T) {
	text := json.RawMessage(`{"type": "object", "properties": {"x": {"type": "number", "minimum": 0}}}`)
	many := NewSchema("answer", text, false)
	for _, kind := range []Kind{KindVLLM, KindOllama, KindVLLM, KindOllama} {
		want := Schema{Name: "answer", JSON: text}
		if got, want := many.sentTo(kind), want.sentTo(kind); string(got) != string(want) || strings.Contains(string(got), " ") {
			t.Errorf("%s gets %s, want %s", kind, got, want)
		}
	}
	request := Request{Model: "m", Transport: Tools, Messages: []Message{{"user", "hi"}}}
	fingerprint := func(s Schema) (Fingerprint, error) {
		request.Schema = s
		return FingerprintOf(&request, KindVLLM, "v1")
	}
	once, err := fingerprint(Schema{Name: "answer", JSON: text})
	if again, err2 := fingerprint(many); again != once || errors.Join(err, err2) != nil {
		t.Errorf("%s, %v; read once: %s, %v", once, err, again, err2)
	}
	for _, broken := range []Schema{{Name: "answer", JSON: text[1:]}, NewSchema("answer", text[1:], false)} {
		if fp, err := fingerprint(broken); err == nil || !strings.HasPrefix(err.Error(), "fingerprint: json: ") {
			t.Errorf("a schema that is not JSON has the fingerprint %s", fp)
		}
	}
}
