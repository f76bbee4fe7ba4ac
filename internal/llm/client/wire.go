package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/dialect"
)

// exchange carries one attempt between Do and the doer below it, through the
// context of the HTTP request.
type exchange struct {
	req      *llm.Request
	messages []byte // the messages as JSON
	kind     llm.Kind
	low      dialect.Lowered // the schema as this kind of server takes it

	sent    []byte // body as sent
	status  int    // 0 until a reply head arrived
	headers map[string]string
	after   string // Retry-After
	raw     []byte // body as received, secrets blotted out
	err     error  // failure while reading the body, or an over-long body
}

type exchangeKey struct{}

// doer is the HTTP side of the go-openai client. The client builds the request
// and its URL; the doer adds what the client cannot express, keeps the body, and
// bounds its size.
type doer struct {
	transport http.RoundTripper
	auth      Secret // value of the Authorization header
	headers   []Param
	query     []Param
	maxReply  int64
	redact    redactor
}

// Do implements openai.HTTPDoer. Redirects are not followed: a redirected POST
// would become a GET, or would carry the key to another host.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	ex, _ := req.Context().Value(exchangeKey{}).(*exchange)
	if ex == nil {
		return nil, fmt.Errorf("doer: request without an exchange")
	}
	if err := ex.complete(req); err != nil {
		return nil, err
	}
	d.authorize(req)
	res, err := d.transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	ex.status, ex.headers, ex.after = res.StatusCode, d.selected(res.Header), res.Header.Get("Retry-After")
	ex.raw, ex.err = d.read(res, replyLimit(ex.req, d.maxReply))
	// The status and body are judged by our own reader, once, for live and
	// replayed answers alike; go-openai gets an empty object to decode.
	res.Body = io.NopCloser(strings.NewReader("{}"))
	return res, ex.err
}

// authorize adds what the endpoint wants to see with every request.
func (d *doer) authorize(req *http.Request) {
	if !d.auth.IsZero() {
		req.Header.Set("Authorization", d.auth.Reveal())
	}
	for _, h := range d.headers {
		req.Header.Set(h.Name, h.Value.Reveal())
	}
	if len(d.query) > 0 {
		q := req.URL.Query()
		for _, p := range d.query {
			q.Set(p.Name, p.Value.Reveal())
		}
		req.URL.RawQuery = q.Encode()
	}
}

// authorization is the header for a key, or for the credentials in a base URL.
func authorization(key Secret, user *url.Userinfo) Secret {
	switch {
	case !key.IsZero():
		return NewSecret("Bearer " + key.Reveal())
	case user != nil:
		password, _ := user.Password()
		return NewSecret("Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	return Secret{}
}

// kept are the headers worth keeping; rate-limit headers come on top.
var kept = []string{
	"Content-Type", "Date", "Server", "Via", "Retry-After", "X-Request-Id", "Request-Id", "Openai-Version",
	"Openai-Processing-Ms", "Openai-Model", "X-Powered-By", "Cf-Ray",
}

func (d *doer) selected(h http.Header) map[string]string {
	out := make(map[string]string, 4)
	for _, name := range kept {
		if v := h.Get(name); v != "" {
			out[strings.ToLower(name)] = d.redact.text(v)
		}
	}
	for name, v := range h {
		if low := strings.ToLower(name); strings.HasPrefix(low, "x-ratelimit-") && len(v) > 0 {
			out[low] = d.redact.text(v[0])
		}
	}
	return out
}

// placeholder stands for the messages in what go-openai marshals. It cannot
// occur in the model's name before it: quotes in a string are escaped.
const placeholder = `"messages":[{"role":"user","content":"-"}]`

// complete rewrites the body that go-openai marshalled: it puts in the messages,
// which go-openai would send without their content when that is empty, and the
// members that its omitempty tags would drop or that it does not know.
func (ex *exchange) complete(req *http.Request) error {
	if req.Body == nil {
		return nil
	}
	short, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	head, tail, found := bytes.Cut(bytes.TrimSpace(short), []byte(placeholder))
	tail, closed := bytes.CutSuffix(tail, []byte("}"))
	if !found || !closed {
		return fmt.Errorf("request body: go-openai wrote an unknown form")
	}
	const name = `"messages":`
	more := ex.members(req.URL.Host)
	body := make([]byte, 0, len(head)+len(name)+len(ex.messages)+len(tail)+len(more)+1)
	for _, part := range [][]byte{head, []byte(name), ex.messages, tail, more, []byte("}")} {
		body = append(body, part...)
	}
	ex.sent = body
	req.Body = io.NopCloser(bytes.NewReader(body))
	req.ContentLength = int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return nil
}

// members spells the scalar settings and the extra fields, each with a leading
// comma.
func (ex *exchange) members(host string) []byte {
	r, kind, b := ex.req, ex.kind, []byte(nil)
	put := func(name string, value any) {
		if r.Overrides(name) {
			return
		}
		text, err := json.Marshal(value)
		if err != nil {
			return // validate and the fingerprint have refused non-finite numbers
		}
		b = fmt.Appendf(b, ",%q:%s", name, text)
	}
	if r.Temperature != nil {
		put("temperature", *r.Temperature)
	}
	if r.TopP != nil {
		put("top_p", *r.TopP)
	}
	if r.Seed != nil {
		put("seed", *r.Seed)
	}
	if r.MaxTokens > 0 && !r.Overrides("max_tokens") && !r.Overrides("max_completion_tokens") {
		// Self-hosted servers know max_tokens, and Ollama ignores the newer
		// name; OpenAI's own service refuses the old one for newer models.
		name := cmp.Or(r.LimitName, "max_tokens")
		if r.LimitName == "" && (kind == llm.KindOpenAI || host == "api.openai.com") {
			name = "max_completion_tokens"
		}
		put(name, r.MaxTokens)
	}
	if r.Logprobs {
		put("logprobs", true)
		if r.TopLogprobs > 0 {
			put("top_logprobs", r.TopLogprobs)
		}
	}
	if kind == llm.KindLlamaCPP && r.Transport == llm.JSONObject && len(r.Schema.JSON) > 0 {
		// llama.cpp does not constrain json_object unless a schema comes along.
		put("response_format", map[string]any{"type": "json_object", "schema": ex.low.Schema})
	}
	if kind == llm.KindLlamaCPP {
		// Its own defaults (top_k 40, min_p 0.05) shape the samples even where
		// temperature and top_p are given, and a repeat penalty, which a start-up
		// flag may set, distorts digits that stood in the prompt.
		put("cache_prompt", true)
		put("repeat_penalty", 1)
		put("min_p", 0)
		put("top_k", 0)
	}
	for _, f := range r.Extra {
		if f.LeavesOut() {
			continue
		}
		name, _ := json.Marshal(f.Name)
		b = append(append(append(append(b, ','), name...), ':'), f.Value...)
	}
	return b
}

// openAI is the part of the request that go-openai marshals and checks.
func (ex *exchange) openAI() openai.ChatCompletionRequest {
	r := ex.req
	out := openai.ChatCompletionRequest{
		Model: r.Model, Messages: []openai.ChatCompletionMessage{{Role: "user", Content: "-"}}, // the placeholder
	}
	format := func(f openai.ChatCompletionResponseFormat) {
		if !r.Overrides("response_format") {
			out.ResponseFormat = &f
		}
	}
	switch r.Transport {
	case llm.JSONSchema:
		format(openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: r.Schema.Name, Schema: ex.low.Schema, Strict: r.Schema.Strict,
			},
		})
	case llm.Tools:
		if !r.Overrides("tools") {
			out.Tools = []openai.Tool{{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
				Name: r.Schema.Name, Description: "Give the answer.", Parameters: ex.low.Schema, Strict: r.Schema.Strict,
			}}}
		}
		if !r.Overrides("tool_choice") {
			// "required" and not the function's name: llama.cpp ignores a name.
			out.ToolChoice = "required"
		}
	case llm.JSONObject:
		if ex.kind != llm.KindLlamaCPP || len(r.Schema.JSON) == 0 {
			format(openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject})
		}
	}
	return out
}

// withExchange hangs ex on the context for the doer.
func withExchange(ctx context.Context, ex *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, ex)
}
