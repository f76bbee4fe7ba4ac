package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/judgekit/judge/internal/llm"
)

// wire is the Sender over HTTP: go-openai's client makes the request, the wire adds what
// its types cannot express, keeps the reply as it came, and bounds its size.
type wire struct {
	config    openai.ClientConfig
	transport http.RoundTripper
	auth      Secret // value of the Authorization header; go-openai would keep the key as plain text
	headers   []Param
	query     []Param
	maxReply  int64
	redact    redactor
}

// Send implements llm.Sender.
func (w *wire) Send(ctx context.Context, p *llm.Prepared) (llm.RawReply, error) {
	request, more := chat(p, strings.Contains(w.config.BaseURL, "//api.openai.com/"))
	t := &trip{wire: w, more: more, limit: replyLimit(p.Request, w.maxReply)}
	config := w.config
	config.HTTPClient = t
	// What go-openai makes of the reply does not matter: live and replayed answers are
	// read from the raw reply alike.
	_, err := openai.NewClientWithConfig(config).CreateChatCompletion(ctx, request)
	switch {
	case !t.begun:
		return t.reply, &llm.Error{Kind: llm.KindBadRequest, Message: err.Error()}
	case t.reply.Status != 0 && t.reply.Status/100 != 2: // whatever became of the rest of its body
		e := llm.StatusError(t.reply.Status, t.reply.Body)
		e.RetryAfter = t.retryAfter
		return t.reply, e
	case t.err != nil:
		e := unanswered(t.err)
		e.Status, e.RetryAfter = t.reply.Status, t.retryAfter
		return t.reply, e
	}
	return t.reply, nil
}

// trip is one request on its way, the HTTP side of go-openai's client.
type trip struct {
	*wire
	more       members
	limit      int64
	begun      bool
	reply      llm.RawReply
	retryAfter time.Duration
	err        error // no whole reply came
}

// Do implements openai.HTTPDoer. Redirects are not followed: a redirected POST would
// become a GET, or would carry the key to another host.
func (t *trip) Do(req *http.Request) (res *http.Response, err error) {
	t.begun = true
	defer func() { t.err = err }()
	if err := t.more.appendTo(req); err != nil {
		return nil, err
	}
	t.authorize(req)
	if res, err = t.transport.RoundTrip(req); err != nil {
		return nil, err
	}
	defer res.Body.Close()
	t.reply.Status, t.reply.Headers = res.StatusCode, t.selected(res.Header)
	t.retryAfter = retryAfter(res.Header.Get("Retry-After"), time.Now())
	if t.reply.Body, err = t.read(res, t.limit); err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(t.reply.Body))
	return res, nil
}

// members are members of a JSON object, each with a comma before it.
type members []byte

func (m *members) add(name string, value any) {
	key, _ := json.Marshal(name)
	text, err := json.Marshal(value)
	if err != nil {
		return // the fingerprint has refused what is no JSON
	}
	*m = append(append(append(append(*m, ','), key...), ':'), text...)
}

// appendTo appends the members to the object that is the body of a request.
func (m members) appendTo(req *http.Request) error {
	body := bytes.NewBuffer(make([]byte, 0, int(max(req.ContentLength, 0))+len(m)+bytes.MinRead))
	if _, err := body.ReadFrom(req.Body); err != nil {
		return err
	}
	whole := append(append(bytes.TrimSuffix(body.Bytes(), []byte("}")), m...), '}')
	req.ContentLength = int64(len(whole))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(whole)), nil }
	req.Body, _ = req.GetBody()
	return nil
}

// chat is a request in go-openai's type, and what that cannot express: server-specific
// members, and settings that go-openai would drop, round or refuse to send. hosted says
// that it goes to OpenAI's own service.
func chat(p *llm.Prepared, hosted bool) (openai.ChatCompletionRequest, members) {
	r := p.Request
	out := openai.ChatCompletionRequest{Model: r.Model, Messages: make([]openai.ChatCompletionMessage, len(r.Messages))}
	for i, m := range r.Messages {
		out.Messages[i] = openai.ChatCompletionMessage{Role: m.Role, Content: m.Content}
	}
	format(&out, p)
	plain, more := out, members(nil)
	limit := limitName(p, hosted)
	settings(&out, &more, r, limit, true)
	if openai.NewReasoningValidator().Validate(out) != nil {
		// It goes by the model's name. What is asked for is sent; the server decides.
		out, more = plain, nil
		settings(&out, &more, r, limit, false)
	}
	if p.Kind == llm.KindLlamaCPP {
		llamaCPP(&more, p)
	}
	for _, f := range r.Extra {
		if !f.LeavesOut() {
			more.add(f.Name, f.Value)
		}
	}
	return out, more
}

// format sets the members that ask for structured output.
func format(out *openai.ChatCompletionRequest, p *llm.Prepared) {
	r := p.Request
	var asked *openai.ChatCompletionResponseFormat
	switch r.Transport {
	case llm.JSONSchema:
		asked = &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: r.Schema.Name, Schema: p.Lowered.Schema, Strict: r.Schema.Strict,
			},
		}
	case llm.Tools:
		if !r.Overrides("tools") {
			out.Tools = []openai.Tool{{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
				Name: r.Schema.Name, Description: "Give the answer.", Parameters: p.Lowered.Schema, Strict: r.Schema.Strict,
			}}}
		}
		if !r.Overrides("tool_choice") {
			// "required" and not the function's name: llama.cpp ignores a name.
			out.ToolChoice = "required"
		}
	case llm.JSONObject:
		if !llamaObject(p) {
			asked = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
		}
	}
	if !r.Overrides("response_format") {
		out.ResponseFormat = asked
	}
}

// limitName is the member that bounds the answer. Self-hosted servers know max_tokens,
// and Ollama ignores the newer name; OpenAI's own service refuses the old one for newer
// models.
func limitName(p *llm.Prepared, hosted bool) string {
	if p.LimitName == "" && (p.Kind == llm.KindOpenAI || hosted) {
		return "max_completion_tokens"
	}
	return cmp.Or(p.LimitName, "max_tokens")
}

// settings sets the sampling settings, in go-openai's fields where they have a place for
// the value and typed allows it.
func settings(out *openai.ChatCompletionRequest, more *members, r *llm.Request, limit string, typed bool) {
	decimal := func(name string, field *float32, v *float64) {
		switch {
		case v == nil || r.Overrides(name):
		case typed && *v != 0 && fits(*v):
			*field = float32(*v)
		default:
			more.add(name, *v)
		}
	}
	decimal("temperature", &out.Temperature, r.Temperature)
	decimal("top_p", &out.TopP, r.TopP)
	count := func(name string, field *int, v int) {
		switch {
		case v <= 0 || r.Overrides(name):
		case typed && field != nil:
			*field = v
		default:
			more.add(name, v)
		}
	}
	if r.Seed != nil && !r.Overrides("seed") {
		if out.Seed = new(int(*r.Seed)); int64(*out.Seed) != *r.Seed { // an int of 32 bits
			out.Seed = nil
			more.add("seed", *r.Seed)
		}
	}
	if !r.Overrides("max_tokens") && !r.Overrides("max_completion_tokens") {
		//lint:ignore SA1019 most servers know max_tokens alone
		fields := map[string]*int{"max_tokens": &out.MaxTokens, "max_completion_tokens": &out.MaxCompletionTokens}
		count(limit, fields[limit], r.MaxTokens)
	}
	if r.Logprobs && !r.Overrides("logprobs") {
		if out.LogProbs = typed; !typed {
			more.add("logprobs", true)
		}
	}
	count("top_logprobs", &out.TopLogProbs, r.TopLogprobs)
}

// fits reports whether a number has the same digits with single precision.
func fits(f float64) bool {
	return strconv.FormatFloat(f, 'g', -1, 64) == strconv.FormatFloat(f, 'g', -1, 32)
}

// llamaObject reports a json_object that comes with its schema: llama.cpp does not
// constrain it otherwise.
func llamaObject(p *llm.Prepared) bool {
	return p.Kind == llm.KindLlamaCPP && p.Transport == llm.JSONObject && len(p.Schema.JSON) > 0
}

// llamaCPP neutralises its samplers: its own defaults (top_k 40, min_p 0.05) shape the
// samples even where temperature and top_p are given, and a repeat penalty, which a
// start-up flag may set, distorts digits that stood in the prompt.
func llamaCPP(more *members, p *llm.Prepared) {
	put := func(name string, value any) {
		if !p.Overrides(name) {
			more.add(name, value)
		}
	}
	if llamaObject(p) {
		put("response_format", map[string]any{"type": "json_object", "schema": p.Lowered.Schema})
	}
	put("cache_prompt", true)
	put("repeat_penalty", 1)
	put("min_p", 0)
	put("top_k", 0)
}

// authorize adds what the endpoint wants to see with every request.
func (w *wire) authorize(req *http.Request) {
	if !w.auth.IsZero() {
		req.Header.Set("Authorization", w.auth.Reveal())
	}
	for _, h := range w.headers {
		req.Header.Set(h.Name, h.Value.Reveal())
	}
	if len(w.query) > 0 {
		q := req.URL.Query()
		for _, p := range w.query {
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

func (w *wire) selected(h http.Header) map[string]string {
	out := make(map[string]string, 4)
	for _, name := range kept {
		if v := h.Get(name); v != "" {
			out[strings.ToLower(name)] = w.redact.text(v)
		}
	}
	for name, v := range h {
		if low := strings.ToLower(name); strings.HasPrefix(low, "x-ratelimit-") && len(v) > 0 {
			out[low] = w.redact.text(v[0])
		}
	}
	return out
}
