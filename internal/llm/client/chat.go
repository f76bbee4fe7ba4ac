package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	openai "github.com/sashabaranov/go-openai"

	"github.com/judgekit/judge/internal/llm"
)

// members are members of a JSON object, each with a comma before it.
type members []byte

func (m *members) add(name string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		return // the fingerprint has refused what is no JSON
	}
	m.addText(name, text)
}

func (m *members) addText(name string, text ...[]byte) {
	key, _ := json.Marshal(name)
	*m = append(append(append(*m, ','), key...), ':')
	for _, part := range text {
		*m = append(*m, part...)
	}
}

// complete adds messages and further members to the body of a request that go-openai made
// without messages: it would encode each of them twice. The body stays one reader of memory,
// which the transport sends with the head in one write.
func complete(req *http.Request, messages []llm.Message, more members) error {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	text, err := json.Marshal(messages)
	if err != nil {
		return err
	}
	head, tail, _ := bytes.Cut(body, []byte(`"messages":null`))
	whole := slices.Concat(head, []byte(`"messages":`), text, bytes.TrimSuffix(tail, []byte("}")), more, []byte("}"))
	req.ContentLength = int64(len(whole))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(whole)), nil }
	req.Body, _ = req.GetBody()
	return nil
}

// chat returns a request in go-openai's type, without its messages, and what that type cannot
// express: server-specific members, and settings that go-openai would drop, round or refuse to
// send. hosted says that it goes to OpenAI's own service.
func chat(p *llm.Prepared, hosted bool) (openai.ChatCompletionRequest, members) {
	r := p.Request
	out := openai.ChatCompletionRequest{Model: r.Model}
	var more members
	format(&out, &more, p)
	plain, begun := out, more[:len(more):len(more)]
	limit := limitName(p, hosted)
	settings(&out, &more, r, limit, true)
	if openai.NewReasoningValidator().Validate(out) != nil {
		// It checks the model's name. What is asked for is sent; the server decides.
		out, more = plain, begun
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

// format sets the members that ask for structured output. go-openai would read and compact
// the schema of response_format with each request.
func format(out *openai.ChatCompletionRequest, more *members, p *llm.Prepared) {
	r := p.Request
	switch {
	case r.Overrides("response_format"):
	case r.Transport == llm.JSONSchema:
		name, _ := json.Marshal(r.Schema.Name)
		more.addText("response_format", []byte(`{"type":"json_schema","json_schema":{"name":`), name,
			[]byte(`,"schema":`), p.Sent, fmt.Appendf(nil, `,"strict":%t}}`, r.Schema.Strict))
	case r.Transport == llm.JSONObject && !p.SchemaBesideObject():
		out.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONObject,
		}
	}
	if r.Transport != llm.Tools {
		return
	}
	if !r.Overrides("tools") {
		out.Tools = []openai.Tool{{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: r.Schema.Name, Description: "Give the answer.", Parameters: p.Sent, Strict: r.Schema.Strict,
		}}}
	}
	if !r.Overrides("tool_choice") {
		// "required" and not the function's name: llama.cpp ignores a name.
		out.ToolChoice = "required"
	}
}

// limitName returns the member that bounds the answer. Self-hosted servers know max_tokens,
// and Ollama ignores the newer name; OpenAI's own service refuses the old one for newer
// models.
func limitName(p *llm.Prepared, hosted bool) string {
	if p.LimitName == "" && (p.Kind == llm.KindOpenAI || hosted) {
		return llm.NewLimit
	}
	return cmp.Or(p.LimitName, llm.OldLimit)
}

// settings sets the sampling settings, in go-openai's fields if they can hold the value and typed
// allows it.
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
	count := func(name string, field *int, v int) {
		switch {
		case v <= 0 || r.Overrides(name):
		case typed:
			*field = v
		default:
			more.add(name, v)
		}
	}
	decimal("temperature", &out.Temperature, r.Temperature)
	decimal("top_p", &out.TopP, r.TopP)
	if r.Seed != nil && !r.Overrides("seed") {
		if out.Seed = new(int(*r.Seed)); int64(*out.Seed) != *r.Seed { // an int of 32 bits
			out.Seed = nil
			more.add("seed", *r.Seed)
		}
	}
	if !r.Overrides(llm.OldLimit) && !r.Overrides(llm.NewLimit) {
		field := &out.MaxTokens //lint:ignore SA1019 most servers know max_tokens alone
		if limit == llm.NewLimit {
			field = &out.MaxCompletionTokens
		}
		count(limit, field, r.MaxTokens)
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

// llamaCPP neutralises its samplers: its own defaults (top_k 40, min_p 0.05) shape the
// samples even where temperature and top_p are given, and a repeat penalty, which a
// start-up flag may set, distorts digits of the prompt.
func llamaCPP(more *members, p *llm.Prepared) {
	put := func(name string, value any) {
		if !p.Overrides(name) {
			more.add(name, value)
		}
	}
	if p.SchemaBesideObject() {
		put("response_format", map[string]any{"type": "json_object", "schema": p.Sent})
	}
	put("cache_prompt", true)
	put("repeat_penalty", 1)
	put("min_p", 0)
	put("top_k", 0)
}
