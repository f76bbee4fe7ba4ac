package capability

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/llmtest"
)

// TestCheck: one request says whether a stored finding still holds.
func TestCheck(t *testing.T) {
	before := Capabilities{
		Model: "m", Kind: llm.KindOllama, Version: "0.17.4", Transport: llm.JSONSchema, Thinking: None,
		ContextTokens: 4096,
		Fields:        []FieldChange{{Field: "seed"}}, Overlong: Truncated, Window: 4096, Longest: 9011,
	}
	good := llmtest.Text("yes")
	for _, tt := range []struct {
		name    string
		reply   llmtest.Reply
		version string
		window  int
		holds   bool
		kind    llm.ErrorKind
	}{
		{"as it was", good, "0.17.4", 4096, true, ""},
		{"the window was raised", good, "0.17.4", 16384, true, ""},
		{"another version", good, "0.18.0", 4096, false, ""},
		{"a request is refused", llmtest.Fail(400, "what is stream?"), "0.17.4", 4096, false, ""},
		{"it thinks now", counted(64), "0.17.4", 4096, false, ""},
		{"the model is gone", llmtest.Fail(404, "no model"), "0.17.4", 4096, false, llm.KindNotFound},
	} {
		s := serve(t, llmtest.Always(tt.reply))
		s.Side("/api/version", llmtest.Reply{Body: fmt.Sprintf(`{"version":%q}`, tt.version)})
		s.Side("/api/ps", llmtest.Reply{Body: fmt.Sprintf(`{"models":[{"name":"m","context_length":%d}]}`, tt.window)})
		before.Endpoint = s.URL
		now, holds, err := Check(t.Context(), client.Endpoint{BaseURL: s.URL, MaxAttempts: 1}, &before,
			client.Config{}, ProbeConfig{Request: llm.Request{Seed: new(int64(7))}})
		if holds != tt.holds || (err != nil) != (tt.kind != "") || err != nil && asError(t, err).Kind != tt.kind {
			t.Errorf("%s: %v, %v", tt.name, holds, err)
		}
		wantLongest := map[bool]int{true: before.Longest}[tt.window == before.ContextTokens] // another window is not measured yet
		if holds && (now.Longest != wantLongest || (now.Overlong == Truncated) != (wantLongest > 0)) {
			t.Errorf("%s: a prompt of %d tokens was %s", tt.name, now.Longest, now.Overlong)
		}
		if holds && (now.Context() != tt.window || now.Transport != llm.JSONSchema || before.ContextTokens != 4096) {
			t.Errorf("%s: %+v", tt.name, now)
		}
		if s.Requests() != 1 || s.Calls()[0].Members["seed"] != nil {
			t.Errorf("%s: %d requests, %s", tt.name, s.Requests(), s.Calls()[0].Body)
		}
	}
}

// TestFieldsThatARefusalNames: what is left out, what goes by another name, and what stays
// because it was not the cause.
func TestFieldsThatARefusalNames(t *testing.T) {
	all := llm.Request{TopP: new(1.0), Seed: new(int64(7))}
	for _, tt := range []struct {
		name    string
		refuses func(c llmtest.Call) string
		want    string
		seed    Finding
	}{
		{"a seed", func(c llmtest.Call) string {
			return map[bool]string{true: "Unknown parameter: 'seed'. (req_12)"}[c.Members["seed"] != nil]
		}, "seed:", Refused},
		{"the limit's newer name", func(c llmtest.Call) string {
			return map[bool]string{true: "max_tokens: Extra inputs are not permitted"}[c.Members["max_tokens"] != nil]
		}, "max_tokens:max_completion_tokens", No},
		{"a list of what may be set is no refusal of it", func(c llmtest.Call) string {
			return map[bool]string{true: fmt.Sprintf("response_format is unsupported, take temperature, "+
				"seed, max_tokens (request %d)", c.N)}[c.Members["response_format"] != nil]
		}, "", No},
		{"a value that is too large keeps its name", func(c llmtest.Call) string {
			return map[bool]string{true: "max_tokens: 9 > 4, which is the maximum"}[c.Members["tools"] == nil]
		}, "", No},
	} {
		s := serve(t, func(c llmtest.Call) llmtest.Reply {
			if why := tt.refuses(c); why != "" {
				return llmtest.Fail(400, why)
			}
			return server{ranges: true}.handle(c)
		})
		got, err := Probe(t.Context(), client.Endpoint{BaseURL: s.URL}, "m", client.Config{},
			ProbeConfig{Request: all})
		if got == nil {
			t.Fatal(err)
		}
		var fields []string
		for _, f := range got.Fields {
			fields = append(fields, f.Field+":"+f.SentAs)
		}
		if strings.Join(fields, " ") != tt.want || got.Transport == "" || tt.seed == Refused && got.Seed != Refused {
			t.Errorf("%s: %v, %+v", tt.name, err, got)
		}
	}
}

// counted returns an answer of hidden thought alone.
func counted(n int) llmtest.Reply {
	r := llmtest.Chat(llmtest.ChatMessage{FinishReason: "length", OutputTokens: n})
	return r
}

// TestThinkingAdvice: nothing is advised that takes the schema away or samples a thought
// greedily.
func TestThinkingAdvice(t *testing.T) {
	for _, tt := range []struct {
		kind  llm.Kind
		model string
		want  string
		warm  bool
	}{
		{llm.KindOllama, "qwen3:8b", "reasoning_effort: none", true},
		{llm.KindOllama, "qwen3.5:27b", "leave its thinking on", true},
		{llm.KindOllama, "gemma4:12b-it-q8_0", "leave its thinking on", false},
		{llm.KindOllama, "deepseek-r1:8b", "reasoning_effort: none", false},
		{llm.KindOllama, "granite3.2:8b", "reasoning_effort: none", false},
		{llm.KindVLLM, "google/gemma-4-26B-A4B-it", "leave its thinking on", false},
		{llm.KindVLLM, "Qwen/Qwen3.5-35B-A3B", "{enable_thinking: false}", true},
		{llm.KindVLLM, "deepseek-ai/DeepSeek-V3.1", "{thinking: false}", false},
		{llm.KindSGLang, "ibm-granite/granite-3.2-8b-instruct", "{thinking: false}", false},
		{llm.KindSGLang, "deepseek-ai/DeepSeek-R1", "{enable_thinking: false}", false},
		{llm.KindLlamaCPP, "gemma-4", "{enable_thinking: false}", false},
		{llm.KindUnknown, "gpt-5", "", false},
	} {
		got := noThinking(tt.kind, tt.model)
		temperature, _ := sampling(tt.model)
		if !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") || (temperature != nil) != tt.warm {
			t.Errorf("%s %s: %q, %v", tt.kind, tt.model, got, temperature)
		}
		if strings.Contains(got, "leave") && strings.Contains(got, "extra") {
			t.Errorf("%s %s: %q", tt.kind, tt.model, got)
		}
	}
}

// TestThinkingIsSampled: a Qwen3 model that thinks is asked at a temperature from the
// moment on in which that is known, unless the user gave one.
func TestThinkingIsSampled(t *testing.T) {
	for _, given := range []bool{false, true} {
		s := serve(t, server{separate: true}.handle)
		got, err := Probe(t.Context(), client.Endpoint{BaseURL: s.URL}, "qwen3:8b", client.Config{},
			ProbeConfig{Quick: true, TemperatureGiven: given})
		if err != nil {
			t.Fatal(err)
		}
		last := s.Calls()[len(s.Calls())-1].Members
		want := map[bool]string{false: "0.6 0.95", true: "0 "}[given]
		if sent := string(last["temperature"]) + " " + string(last["top_p"]); sent != want ||
			(got.Temperature == nil) != given {
			t.Errorf("given %v: sent %s, found %v", given, sent, got.Temperature)
		}
	}
}

// TestAskLogprobs: log-probabilities are known to come or not to come only from an answer that was not all thought.
func TestAskLogprobs(t *testing.T) {
	with := server{logprobs: true}
	for name, tt := range map[string]struct {
		handle llmtest.Handler
		want   Finding
		top    int
	}{
		"come":           {with.handle, Yes, 2},
		"one, and ended": {func(c llmtest.Call) llmtest.Reply { return ended(with.handle(c)) }, Yes, 2},
		"do not come":    {server{}.handle, No, 0},
		"all thought":    {llmtest.Always(counted(64)), Unknown, 0},
		"refused":        {llmtest.Always(llmtest.Fail(400, "logprobs are not supported")), Refused, 0},
	} {
		s := serve(t, tt.handle)
		known := &Capabilities{Model: "m"}
		err := AskLogprobs(t.Context(), client.Endpoint{BaseURL: s.URL, MaxAttempts: 1}, known, client.Config{}, ProbeConfig{})
		if err != nil || known.Logprobs != tt.want || known.TopLogprobs != tt.top {
			t.Errorf("%s: %s, the best %d; %v", name, known.Logprobs, known.TopLogprobs, err)
		}
		if got := sent(s, "logprobs", "top_logprobs"); got != "true 5" {
			t.Errorf("%s: sent %s", name, got)
		}
	}
	s := serve(t, llmtest.Always(llmtest.Fail(401, "no")))
	for _, base := range []string{s.URL, ""} {
		known, endpoint := Capabilities{Model: "m"}, client.Endpoint{BaseURL: base}
		if err := AskLogprobs(t.Context(), endpoint, &known, client.Config{}, ProbeConfig{}); err == nil {
			t.Errorf("at %q: no error, %s", base, known.Logprobs)
		}
		if _, holds, err := Check(t.Context(), endpoint, &known, client.Config{}, ProbeConfig{}); err == nil || holds {
			t.Errorf("at %q: a finding holds: %v, %v", base, holds, err)
		}
		if _, err := Probe(t.Context(), endpoint, "m", client.Config{}, ProbeConfig{}); err == nil {
			t.Errorf("at %q: probed without an error", base)
		}
	}
}

// ended returns an answer that ran into its limit.
func ended(r llmtest.Reply) llmtest.Reply {
	r.Body = strings.Replace(r.Body, `"finish_reason":"stop"`, `"finish_reason":"length"`, 1)
	return r
}

// TestAdvice: each finding that a user can do something about is said, and nothing else.
func TestAdvice(t *testing.T) {
	sure := Capabilities{Transport: llm.JSONSchema, Thinking: None, ContextTokens: 32768}
	for _, tt := range []struct {
		name  string
		found func(c *Capabilities)
		given bool
		want  string
	}{
		{"all is well", func(*Capabilities) {}, false, ""},
		{"no schema", func(c *Capabilities) { c.Transport = llm.PromptOnly }, false, "no transport enforces a schema"},
		{"objects without one", func(c *Capabilities) { c.Transport = llm.JSONObject }, false, "no transport enforces a schema"},
		{"it was chosen", func(c *Capabilities) { c.Transport = llm.JSONObject }, true, ""},
		{"tools", func(c *Capabilities) { c.Transport = llm.Tools }, false, "answers travel as tool calls"},
		{"tools, chosen", func(c *Capabilities) { c.Transport = llm.Tools }, true, ""},
		{"strict", func(c *Capabilities) { c.Strict = Yes }, false, "strict schemas work here"},
		{"numbers", func(c *Capabilities) { c.NumberRange = No }, false, "ranges of numbers"},
		{"integers", func(c *Capabilities) { c.IntegerRange = No }, false, "ranges of numbers"},
		{"open objects refused", func(c *Capabilities) { c.OpenObject = Refused }, false, "the correction is asked for as text"},
		{"open objects empty", func(c *Capabilities) { c.OpenObject = Ignored }, false, "the correction is asked for as text"},
		{"keys", func(c *Capabilities) { c.KeyOrder = No }, false, "another order than the schema's"},
		{"thinks", func(c *Capabilities) { c.Thinking = Inline }, false, "the model thinks before it answers"},
		{"rubric refused", func(c *Capabilities) { c.RubricPrompt = Refused }, false, "prompt was refused"},
		{"rubric cut", func(c *Capabilities) { c.RubricPrompt = Truncated }, false, "not answered to its end"},
		{"rubric ignored", func(c *Capabilities) { c.RubricPrompt = Ignored }, false, "got no object with a score"},
		{"prompts are cut", func(c *Capabilities) { c.Overlong, c.Longest, c.Window = Truncated, 9000, 4096 }, false, "was cut to 4096 without an error"},
		{"small window", func(c *Capabilities) { c.ContextTokens = 2048 }, false, "the context holds 2048 tokens"},
		{"unknown window", func(c *Capabilities) { c.ContextTokens = 0 }, false, ""},
		{"unknown window of Ollama", func(c *Capabilities) { c.Kind, c.ContextTokens = llm.KindOllama, 0 }, false, "Ollama cuts over-long prompts"},
		{"seed", func(c *Capabilities) { c.Seed = No }, false, "the same seed gave different texts"},
		{"model", func(c *Capabilities) { c.ModelListed = No }, false, "not in the server's list"},
	} {
		c := sure
		tt.found(&c)
		got := c.Advice(tt.given)
		if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestAdviceOfServers: what a server can set is said in its own words, and in general ones of others.
func TestAdviceOfServers(t *testing.T) {
	for kind, want := range map[llm.Kind]string{
		llm.KindOllama: "Ollama enforces schemas", llm.KindLlamaCPP: "--jinja", llm.KindSGLang: "Start SGLang", llm.KindVLLM: "Start vLLM",
		llm.KindLMStudio: "is safer", llm.KindUnknown: "is safer",
	} {
		c := Capabilities{Kind: kind, Transport: llm.PromptOnly, Thinking: None, ContextTokens: 32768}
		if got := c.Advice(false); len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// TestOllamaWindow: of a model that is not loaded the window is the one that it is set to.
func TestOllamaWindow(t *testing.T) {
	for _, tt := range []struct {
		loaded, shown string
		want          int
	}{
		{`{"models":[]}`, `{"parameters":"temperature 0.6\nnum_ctx 16384\nstop x"}`, 16384},
		{`{"models":[{"name":"m:latest","context_length":8192}]}`, `{"parameters":"num_ctx 16384"}`, 8192},
		{`{"models":[{"name":"other","context_length":8192}]}`, `{"parameters":"stop x"}`, 0},
	} {
		s := serve(t, llmtest.Always(llmtest.Text("yes")))
		s.Side("/api/version", llmtest.Reply{Body: `{"version":"0.17.4"}`})
		s.Side("/api/ps", llmtest.Reply{Body: tt.loaded})
		s.Side("/api/show", llmtest.Reply{Body: tt.shown})
		before := Capabilities{Model: "m", Kind: llm.KindOllama, Version: "0.17.4", Transport: llm.JSONSchema, Thinking: None}
		now, holds, err := Check(t.Context(), client.Endpoint{BaseURL: s.URL, MaxAttempts: 1}, &before, client.Config{}, ProbeConfig{})
		if err != nil || !holds || now.ContextTokens != tt.want {
			t.Errorf("%s, %s: holds %v, %v, %+v", tt.loaded, tt.shown, holds, err, now)
		}
	}
}

// TestProbeWaitsNoLonger: a probe waits for an answer no longer than the endpoint's own time limit.
func TestProbeWaitsNoLonger(t *testing.T) {
	s := serve(t, server{delay: 20 * time.Second}.handle)
	began := time.Now()
	_, err := Probe(t.Context(), client.Endpoint{BaseURL: s.URL, MaxAttempts: 1, Timeout: 100 * time.Millisecond}, "m", client.Config{}, ProbeConfig{Quick: true})
	if err == nil || asError(t, err).Kind != llm.KindTimeout || time.Since(began) > 10*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}
