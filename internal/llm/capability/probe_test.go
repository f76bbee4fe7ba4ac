package capability

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/llmtest"
)

func serve(t testing.TB, h llmtest.Handler) *llmtest.Server {
	t.Helper()
	s := llmtest.Start(h)
	t.Cleanup(s.Close)
	return s
}

func connect(t testing.TB, ep client.Endpoint, cfg client.Config) *client.Client {
	t.Helper()
	c, err := client.New(ep, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// asError returns the failure of a request.
func asError(t testing.TB, err error) *llm.Error {
	t.Helper()
	e, ok := err.(*llm.Error)
	if !ok {
		t.Fatalf("%T: %v", err, err)
	}
	return e
}

// server is a fake with chosen abilities.
type server struct {
	refuses  map[llm.Transport]llmtest.Reply // these transports are answered with an error
	ignores  map[llm.Transport]bool          // these transports have no effect
	sorted   bool                            // keys in alphabetical order
	ranges   bool
	seeds    bool
	logprobs bool
	inline   bool
	separate bool
	// closed leaves open objects empty, delay is taken by one answer at a time.
	closed bool
	delay  time.Duration
}

func (s server) handle(c llmtest.Call) llmtest.Reply {
	transport, schema := llm.PromptOnly, json.RawMessage(nil)
	var format struct {
		Type       string
		JSONSchema struct{ Schema json.RawMessage } `json:"json_schema"`
	}
	var tools []struct {
		Function struct{ Parameters json.RawMessage }
	}
	if json.Unmarshal(c.Members["response_format"], &format) == nil {
		transport, schema = llm.Transport(format.Type), format.JSONSchema.Schema
	} else if json.Unmarshal(c.Members["tools"], &tools) == nil && len(tools) > 0 {
		transport, schema = llm.Tools, tools[0].Function.Parameters
	}
	if r, ok := s.refuses[transport]; ok {
		return r
	}
	if _, in, ok := strings.Cut(c.Last(), "nothing else: "); ok && schema == nil {
		schema = json.RawMessage(in) // an obedient model
	}
	text := "Sure! Here you are."
	if schema != nil && !s.ignores[transport] {
		text = s.instance(schema)
	} else if strings.Contains(c.Last(), "random words") {
		text = fmt.Sprint("words ", c.N)
		if s.seeds {
			text = "words " + string(c.Members["seed"])
		}
	}
	return s.dress(c, transport, text)
}

func (s server) dress(c llmtest.Call, transport llm.Transport, text string) llmtest.Reply {
	m := llmtest.ChatMessage{Content: text}
	if transport == llm.Tools && !s.ignores[llm.Tools] {
		m = llmtest.ChatMessage{ToolName: "probe", ToolArgs: text}
	}
	m.PromptTokens = len(c.Body) / 4
	if s.inline {
		m.Content = "<think>so {</think>\n" + m.Content
	}
	if s.separate {
		m.Reasoning, m.ReasoningAs = "hm", "reasoning_content"
		var limit int
		if _ = json.Unmarshal(c.Members["max_tokens"], &limit); limit < thinkingTokens {
			m.Content, m.FinishReason = "", "length"
		}
	}
	r := llmtest.Chat(m)
	if s.logprobs && c.Members["logprobs"] != nil {
		r.Body = strings.Replace(r.Body, `"finish_reason"`, `"logprobs":{"content":[{"token":"a","logprob":-1,"top_logprobs":[{"token":"a","logprob":-1},{"token":"b","logprob":-2}]}]},"finish_reason"`, 1)
	}
	return r.After(s.delay)
}

func (s server) instance(schema json.RawMessage) string {
	if strings.Contains(string(schema), `"o"`) {
		if s.closed {
			return `{"o":{}}`
		}
		return `{"o":{"colour":"red"}}`
	}
	if strings.Contains(string(schema), `"x"`) {
		if strings.Contains(string(schema), "integer") {
			return `{"x":10}`
		}
		if s.ranges {
			return `{"x":0.5}`
		}
		return `{"x":7500}`
	}
	_, rest, _ := strings.Cut(string(schema), `"key_`)
	key, _, _ := strings.Cut(rest, `"`)
	if s.sorted {
		return `{"a":true,"b":1,"key_` + key + `":"v"}`
	}
	return `{"key_` + key + `":"v","b":1,"a":true}`
}

func TestProbe(t *testing.T) {
	no := llmtest.Fail(400, "response_format is not supported")
	tests := []struct {
		name string
		fake server
		side map[string]string
		want Capabilities
		path []Finding
	}{
		{"vLLM, everything", server{ranges: true, seeds: true, logprobs: true},
			map[string]string{"/version": `{"version":"0.12.0"}`, "/v1/models": `{"data":[{"id":"m","owned_by":"vllm","max_model_len":32768}]}`},
			Capabilities{Kind: llm.KindVLLM, Version: "0.12.0", Transport: llm.JSONSchema, KeyOrder: Yes,
				NumberRange: Yes, Seed: Yes, Logprobs: Yes, TopLogprobs: 2,
				ContextTokens: 32768, ContextSource: "/v1/models", Thinking: None, ModelListed: Yes,
				Models: []string{"m"}}, []Finding{Yes}},
		{"llama.cpp", server{seeds: true, logprobs: true},
			map[string]string{"/props": `{"default_generation_settings":{"n_ctx":4096},"total_slots":6,"build_info":"b10587"}`},
			Capabilities{Slots: 6, Kind: llm.KindLlamaCPP, Version: "b10587", Transport: llm.JSONSchema,
				KeyOrder: Yes, NumberRange: No, Seed: Yes, Logprobs: Yes, TopLogprobs: 2,
				ContextTokens: 4096, ContextSource: "/props", Thinking: None, ModelListed: No,
				Models: []string{"fake-model"}}, []Finding{Yes}},
		{"llama.cpp, slots counted", server{seeds: true, logprobs: true},
			map[string]string{"/props": `{"default_generation_settings":{"n_ctx":4096},"build_info":"b1"}`, "/slots": `[{"id":0},{"id":1}]`},
			Capabilities{Slots: 2, Kind: llm.KindLlamaCPP, Version: "b1", Transport: llm.JSONSchema,
				KeyOrder: Yes, NumberRange: No, Seed: Yes, Logprobs: Yes, TopLogprobs: 2,
				ContextTokens: 4096, ContextSource: "/props", Thinking: None, ModelListed: No,
				Models: []string{"fake-model"}}, []Finding{Yes}},
		{"Ollama, loaded, thinking apart, keys sorted", server{sorted: true, ranges: true, separate: true},
			map[string]string{"/api/version": `{"version":"0.17.4"}`, "/api/ps": `{"models":[{"name":"m:latest","context_length":8192}]}`, "/v1/models": `{"data":null}`},
			Capabilities{Kind: llm.KindOllama, Version: "0.17.4", Transport: llm.JSONSchema, KeyOrder: No,
				NumberRange: Yes, Seed: No, Logprobs: No,
				ContextTokens: 8192, ContextSource: "/api/ps, loaded", Thinking: Separate, ModelListed: No},
			[]Finding{Yes}},
		{"LM Studio refuses json_object, ignores the rest", server{
			refuses: map[llm.Transport]llmtest.Reply{llm.JSONObject: llmtest.StringError(400,
				"'response_format.type' must be 'json_schema' or 'text'")},
			ignores: map[llm.Transport]bool{llm.JSONSchema: true, llm.Tools: true}},
			map[string]string{"/api/v0/models": `{"data":[{"id":"m","max_context_length":9000,"loaded_context_length":5000}]}`},
			Capabilities{Kind: llm.KindLMStudio, Transport: llm.PromptOnly, KeyOrder: Yes, NumberRange: Unknown,
				Seed: No, Logprobs: No,
				ContextTokens: 5000, ContextSource: "/api/v0/models, loaded", Thinking: None, ModelListed: No,
				Models: []string{"fake-model"}},
			[]Finding{Ignored, Ignored, Refused, Yes}},
		{"tools only, thinking inline, SGLang",
			server{refuses: map[llm.Transport]llmtest.Reply{llm.JSONSchema: no}, inline: true, ranges: true},
			map[string]string{"/get_model_info": `{"model_path":"x"}`},
			Capabilities{Kind: llm.KindSGLang, Transport: llm.Tools, KeyOrder: Yes, NumberRange: Yes, Seed: No,
				Logprobs: No, Thinking: Inline,
				ModelListed: No, Models: []string{"fake-model"}}, []Finding{Refused, Yes}},
		{"501 and a bad-schema 500 demote", server{refuses: map[llm.Transport]llmtest.Reply{
			llm.JSONSchema: llmtest.Fail(501, "no"), llm.Tools: llmtest.Fail(500, "failed to parse grammar")}}, nil,
			Capabilities{Kind: llm.KindUnknown, Transport: llm.JSONObject, KeyOrder: Yes, NumberRange: Unknown,
				Seed: No, Logprobs: No, Thinking: None,
				ModelListed: No, Models: []string{"fake-model"}}, []Finding{Refused, Refused, Yes}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.fake.handle)
			for path, body := range tt.side {
				s.Side(path, llmtest.Reply{Body: body})
			}
			got, err := Probe(t.Context(), client.Endpoint{BaseURL: s.URL}, "m", client.Config{}, ProbeConfig{})
			if err != nil {
				t.Fatal(err)
			}
			if n := s.Requests(); n > got.Requests || n < got.Requests-1 { // one sent ahead may not have left
				t.Errorf("%d requests reported, %d made", got.Requests, s.Requests())
			}
			var path []Finding
			for _, step := range got.Ladder {
				path = append(path, step.Finding)
			}
			if diff := cmp.Diff(tt.path, path); diff != "" {
				t.Error(diff)
			}
			tt.want.Endpoint, tt.want.Model = s.URL, "m"
			tt.want.Overlong, tt.want.IntegerRange, tt.want.OpenObject, tt.want.Strict = Unknown, Unknown,
				Unknown, Unknown
			if tt.want.NumberRange != Unknown {
				tt.want.IntegerRange, tt.want.OpenObject = Yes, Yes
			}
			if diff := cmp.Diff(&tt.want, got, cmpopts.IgnoreFields(Capabilities{}, "Ladder", "Notes",
				"Requests", "Longest")); diff != "" {
				t.Error(diff)
			}
			if _, err := json.Marshal(got); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestProbeQuick: what a run asks before it starts is little, and tells about open
// objects.
func TestProbeQuick(t *testing.T) {
	refuse := func(c llmtest.Call) llmtest.Reply {
		if strings.Contains(string(c.Body), `"additionalProperties":true`) {
			return llmtest.Fail(400, "additionalProperties must be false")
		}
		return server{}.handle(c)
	}
	for _, tt := range []struct {
		name     string
		handler  llmtest.Handler
		want     Finding
		requests int
	}{
		{"open", server{}.handle, Yes, 2},
		{"closed", server{closed: true}.handle, Ignored, 3},
		{"refused", refuse, Refused, 2},
	} {
		s := serve(t, tt.handler)
		got, err := Probe(t.Context(), client.Endpoint{BaseURL: s.URL}, "m", client.Config{}, ProbeConfig{Quick: true})
		if err != nil || got.OpenObject != tt.want || s.Requests() != tt.requests ||
			got.CorrectionAsText() != (tt.want != Yes) {
			t.Errorf("%s: open object %s after %d requests, %v", tt.name, got.OpenObject, s.Requests(), err)
		}
	}
}

// TestProbeDoesNotDemote: trouble with the server is no lack of ability.
func TestProbeDoesNotDemote(t *testing.T) {
	ok := server{ranges: true, seeds: true}
	passing := func(c llmtest.Call) llmtest.Reply {
		switch c.N {
		case 0:
			return llmtest.RateLimit(0)
		case 1:
			return llmtest.Fail(503, "loading")
		}
		return ok.handle(c)
	}
	s := serve(t, passing)
	got, err := Probe(t.Context(), client.Endpoint{BaseURL: s.URL}, "m", client.Config{FirstBackoff: 1}, ProbeConfig{})
	if err != nil || got.Transport != llm.JSONSchema || len(got.Ladder) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, r := range []llmtest.Reply{llmtest.RateLimit(-1), llmtest.Fail(500, "boom"), llmtest.Reset(),
		llmtest.Fail(401, "no"), llmtest.Fail(404, "no model")} {
		s := serve(t, llmtest.Always(r))
		got, err := Probe(t.Context(), client.Endpoint{BaseURL: s.URL, MaxAttempts: 2}, "m",
			client.Config{FirstBackoff: 1}, ProbeConfig{})
		if err == nil || len(got.Ladder) != 0 || got.Transport != "" {
			t.Errorf("status %d: %+v, %v", r.Status, got, err)
		}
	}
}
