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

// members holds members of a JSON object as text, each with a leading comma.
type members []byte

func (m *members) add(name string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		return // invalid JSON never comes here: the fingerprint has refused it
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

// complete adds the messages and further members to a body that go-openai built without messages:
// it would encode each of them twice. The body stays one in-memory reader, which the transport
// sends in one write with the header.
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

// chat converts a request to go-openai's type, without its messages. It also returns the members
// that this type cannot express: server-specific ones, and settings that go-openai would drop,
// round or refuse. hosted says that the request goes to OpenAI's own service.
func chat(p *llm.Prepared, hosted bool) (openai.ChatCompletionRequest, members) {
	r := p.Request
	out := openai.ChatCompletionRequest{Model: r.Model}
	var more members
	format(&out, &more, p)
	plain, begun := out, more[:len(more):len(more)]
	limit := limitName(p, hosted)
	settings(&out, &more, r, limit, true)
	if openai.NewReasoningValidator().Validate(out) != nil {
		// go-openai checks the settings by the model's name. We send what was asked for; the server
		// decides.
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

// format sets the members that ask for structured output. It writes the schema itself, because
// go-openai would parse and compact it for every request.
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
		// "required", not the function's name: llama.cpp ignores a name.
		out.ToolChoice = "required"
	}
}

// limitName returns the name of the member that limits the answer. Self-hosted servers know
// max_tokens, and Ollama ignores the newer name; OpenAI's own service refuses the old one for newer
// models.
func limitName(p *llm.Prepared, hosted bool) string {
	if p.LimitName == "" && (p.Kind == llm.KindOpenAI || hosted) {
		return llm.NewLimit
	}
	return cmp.Or(p.LimitName, llm.OldLimit)
}

// settings adds the sampling settings: as go-openai's fields if these can hold the value and typed
// is set, else as further members.
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
		if out.Seed = new(int(*r.Seed)); int64(*out.Seed) != *r.Seed { // on 32-bit systems an int may be too small
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

// fits reports whether a number keeps its digits in single precision.
func fits(f float64) bool {
	return strconv.FormatFloat(f, 'g', -1, 64) == strconv.FormatFloat(f, 'g', -1, 32)
}

// llamaCPP switches off llama.cpp's own samplers: its defaults (top_k 40, min_p 0.05) act even if
// temperature and top_p are sent, and a repeat penalty, which a start-up flag may set, distorts
// digits of the prompt.
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
