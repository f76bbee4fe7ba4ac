package capability

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/internal/value"
)

// TestBytesPerToken: the ratio of a prompt's bytes to the server's count of tokens, less 8 for each message; a count that
// is missing, implausible, or that of a prompt which fills the window, is not used.
func TestBytesPerToken(t *testing.T) {
	for _, tt := range []struct {
		name      string
		messages  []int // bytes
		schema    int   // bytes
		transport llm.Transport
		context   int
		tokens    *int
		want      float64
	}{
		{"100 tokens", []int{400}, 200, llm.JSONSchema, 0, new(108), 4},
		{"two messages", []int{150, 250}, 0, llm.PromptOnly, 0, new(116), 4},
		{"tools are part of the prompt", []int{400}, 200, llm.Tools, 0, new(108), 6},
		{"two decimals", []int{1000}, 0, llm.PromptOnly, 0, new(308), 3.33},
		{"no count", []int{400}, 0, llm.PromptOnly, 0, nil, 0},
		{"more than 6", []int{601}, 0, llm.PromptOnly, 0, new(108), 0},
		{"one", []int{100}, 0, llm.PromptOnly, 0, new(108), 1},
		{"less than one", []int{99}, 0, llm.PromptOnly, 0, new(108), 0},
		{"a single token", []int{4}, 0, llm.PromptOnly, 0, new(9), 4},
		{"no token", []int{4}, 0, llm.PromptOnly, 0, new(8), 0},
		{"the window is full", []int{400}, 0, llm.PromptOnly, 116, new(108), 0},
		{"the window is not full", []int{400}, 0, llm.PromptOnly, 117, new(108), 4},
	} {
		r := llm.Request{Transport: tt.transport, Schema: llm.Schema{JSON: make([]byte, tt.schema)}}
		for _, n := range tt.messages {
			r.Messages = append(r.Messages, llm.Message{Role: "user", Content: strings.Repeat("x", n)})
		}
		p := &probe{caps: &Capabilities{ContextTokens: tt.context}}
		p.countBytes(&r, &llm.Response{Usage: llm.Usage{Prompt: tt.tokens}})
		if got := p.caps.BytesPerToken; got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestHiddenThinking: a model thought if the server counted it, or if the whole limit went without an answer.
func TestHiddenThinking(t *testing.T) {
	for _, tt := range []struct {
		name                  string
		finish, content, tool string
		reasoning, completion *int
		want                  bool
	}{
		{"counted", "stop", "yes", "", new(1), new(9), true},
		{"none counted", "stop", "yes", "", new(0), new(64), false},
		{"the whole limit", "length", "", "", nil, new(64), true},
		{"the whole limit, and zero counted", "length", "", "", new(0), new(64), true},
		{"less than the limit", "length", "", "", nil, new(63), false},
		{"not counted", "length", "", "", nil, nil, false},
		{"a long answer", "length", "yes", "", nil, new(64), false},
		{"a long call", "length", "", "{", nil, new(64), false},
		{"an empty answer", "stop", "", "", nil, new(64), false},
	} {
		res := &llm.Response{FinishReason: tt.finish, Content: tt.content, ToolArguments: tt.tool,
			Usage: llm.Usage{Reasoning: tt.reasoning, Completion: tt.completion}}
		if got := hiddenThinking(res, 64); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// TestRefusalOfARequest: only an error about this request is a refusal of what it asks for.
func TestRefusalOfARequest(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
		long bool
	}{
		{nil, "", false}, {errors.New("no"), "", false},
		{&llm.Error{Kind: llm.KindBadRequest, Message: "no"}, "no", false},
		{&llm.Error{Kind: llm.KindBadRequest, Message: "no", Fatal: true}, "", false},
		{&llm.Error{Kind: llm.KindServer, Message: "no"}, "", false},
		{&llm.Error{Kind: llm.KindOverflow, Message: "no"}, "", true},
		{&llm.Error{Kind: llm.KindTimeout, Message: "no"}, "", true},
		{&llm.Error{Kind: llm.KindRefused, Message: "no"}, "", true},
		{&llm.Error{Kind: llm.KindTimeout, Message: "no", Fatal: true}, "", false},
	} {
		if got, long := refusal(tt.err), tooLong(tt.err); got != tt.want || long != tt.long {
			t.Errorf("%#v: refusal %q, too long %v", tt.err, got, long)
		}
	}
}

// TestRefusedField: the member that a refusal names, if it was sent; of the limit only if its name is unknown.
func TestRefusedField(t *testing.T) {
	const renamed = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
	field := func(name string) []llm.Field { return []llm.Field{{Name: name, Value: json.RawMessage("1")}} }
	for _, tt := range []struct {
		name string
		kind llm.Kind
		sent llm.Request
		said string
		want string
	}{
		{"a temperature", "", llm.Request{Temperature: new(0.0)}, "Temperature is not supported", "temperature"},
		{"none was sent", "", llm.Request{}, "temperature is not supported", ""},
		{"the user's own", "", llm.Request{Temperature: new(0.0), Extra: field("temperature")}, "temperature is not supported", ""},
		{"both", "", llm.Request{Temperature: new(0.0), TopP: new(1.0)}, "temperature and top_p: set one", "top_p"},
		{"one of both", "", llm.Request{Temperature: new(0.0), TopP: new(1.0)}, "temperature must be 1", "temperature"},
		{"the other of both", "", llm.Request{Temperature: new(0.0), TopP: new(1.0)}, "top_p must be 1", "top_p"},
		{"both, and one was sent", "", llm.Request{Temperature: new(0.0)}, "temperature and top_p: set one", "temperature"},
		{"the limit's value", "", llm.Request{MaxTokens: 64}, "max_tokens must be at most 32", ""},
		{"the limit's name", "", llm.Request{MaxTokens: 1}, renamed, "max_tokens"},
		{"no limit", "", llm.Request{}, renamed, ""},
		{"the newer name", llm.KindOpenAI, llm.Request{MaxTokens: 64}, "unknown: max_completion_tokens", "max_completion_tokens"},
		{"the chosen name", "", llm.Request{MaxTokens: 64, LimitName: llm.NewLimit}, "unknown: max_completion_tokens",
			"max_completion_tokens"},
		{"two members", "", llm.Request{TopP: new(1.0), Seed: new(int64(1))}, "seed and top_p are unknown", "seed"},
		{"another word", "", llm.Request{Seed: new(int64(1))}, "seeds are unknown", ""},
		{"a size", "", llm.Request{Seed: new(int64(1))}, "size{seed}", "seed"},
	} {
		p := &probe{caps: &Capabilities{Kind: tt.kind}}
		if got := p.refusedField(&tt.sent, nameWords(tt.said)); got != tt.want {
			t.Errorf("%s: %q is about %q, want %q", tt.name, tt.said, got, tt.want)
		}
	}
	const unknown = "unsupported supported unknown unrecognized unexpected permitted deprecated unavailable extra"
	for word := range strings.FieldsSeq(unknown) {
		p := &probe{caps: &Capabilities{}}
		if got := p.refusedField(&llm.Request{MaxTokens: 64}, nameWords("max_tokens: "+word)); got != llm.OldLimit {
			t.Errorf("%s: is about %q", word, got)
		}
	}
	p, sent := &probe{caps: &Capabilities{}}, llm.Request{MaxTokens: 64}
	first := p.adjust(&sent, renamed)
	p.caps.Adapt(&sent)
	second := p.adjust(&sent, "unknown: max_completion_tokens")
	if !first || second || sent.LimitName != llm.NewLimit || len(p.caps.Fields) != 1 {
		t.Errorf("a server that knows neither name: %v, %v, %+v", first, second, p.caps.Fields)
	}
	if words := strings.Join(nameWords("Size: max_tokens>9"), " "); words != "size max_tokens" {
		t.Errorf("words %q", words)
	}
	for _, tt := range []struct {
		a, b string
		want bool
	}{{"no seed (req_1)", "No seed (req_2)", true}, {"no seed", "no top_p", false}, {"", "no", false}} {
		if got := same(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q are the same: %v", tt.a, tt.b, got)
		}
	}
}

// TestListOfModels: what a server's list of models says of the model, and of its context.
func TestListOfModels(t *testing.T) {
	long := `{"data":[` + strings.TrimSuffix(strings.Repeat(`{"id":"x"},`, 51), ",") + `]}`
	for list, want := range map[string]Capabilities{
		`{"data":[{"id":"a"},{"id":"m","meta":{"n_ctx":4096}}]}`:        {ModelListed: Yes, Models: []string{"a", "m"}, ContextTokens: 4096},
		`{"data":[{"id":"m","max_model_len":1,"meta":{"n_ctx":4096}}]}`: {ModelListed: Yes, Models: []string{"m"}, ContextTokens: 1},
		`{"data":[{"id":"m:latest","max_model_len":0}]}`:                {ModelListed: Yes, Models: []string{"m:latest"}},
		`{"data":[{"id":"m2","max_model_len":4096}]}`:                   {ModelListed: No, Models: []string{"m2"}},
		long:             {ModelListed: No, Models: strings.Fields(strings.Repeat("x ", 50))},
		`{"data":null}`:  {ModelListed: No},
		`{"object":"x"}`: {ModelListed: No},
		`{"data":"x"}`:   {ModelListed: Unknown},
		`[{"data":[]}]`:  {ModelListed: Unknown},
		`null`:           {ModelListed: Unknown},
	} {
		p := &probe{caps: &Capabilities{Model: "m", ModelListed: Unknown}}
		v, err := value.ParseString(list)
		if err != nil {
			t.Fatal(err)
		}
		p.readModels(v)
		want.Model, p.caps.ContextSource = "m", ""
		if d := cmp.Diff(&want, p.caps); d != "" {
			t.Errorf("%.60s: %s", list, d)
		}
	}
	for text, want := range map[string]int{
		`5`: 5, `0`: 0, `-1`: 0, `"5"`: 0, `null`: 0, `1099511627776`: 0, `1099511627775`: 1<<40 - 1,
	} {
		v, _ := value.ParseString(text)
		if got := whole(v); got != want {
			t.Errorf("%s is the count %d, want %d", text, got, want)
		}
	}
	good := client.Side{Status: 200, Body: []byte(`{"a":1}`)}
	for _, bad := range []client.Side{{Status: 404, Body: good.Body}, {Status: 200, Body: good.Body, Err: &llm.Error{}},
		{Status: 200, Body: []byte(`{`)}} {
		if !read(good).Has("a") || !read(bad).IsNull() {
			t.Errorf("%+v was read", bad)
		}
	}
}

// TestHosted: OpenAI's own service is hosted, and so is unknown software under a public name with TLS.
func TestHosted(t *testing.T) {
	for _, tt := range []struct {
		kind llm.Kind
		url  string
		want bool
	}{
		{llm.KindUnknown, "https://api.example.com/v1", true}, {llm.KindUnknown, "http://api.example.com/v1", false},
		{llm.KindVLLM, "https://api.example.com/v1", false}, {llm.KindOpenAI, "http://proxy/v1", true},
		{llm.KindUnknown, "https://10.0.0.1/v1", false}, {llm.KindUnknown, "https://[::1]/v1", false},
		{llm.KindUnknown, "https://gpu/v1", false}, {llm.KindUnknown, "https://gpu.lan/v1", false},
		{llm.KindUnknown, "https://gpu.LOCAL/v1", false}, {llm.KindUnknown, "https://a.internal/v1", false},
		{llm.KindUnknown, "https://a.localhost/v1", false},
	} {
		p := &probe{caps: &Capabilities{Kind: tt.kind, Endpoint: tt.url}}
		if got := p.hosted(); got != tt.want {
			t.Errorf("%s at %s is hosted: %v", tt.kind, tt.url, got)
		}
	}
	for kind, want := range map[llm.Kind]bool{llm.KindOllama: true, llm.KindLMStudio: true, llm.KindVLLM: false, llm.KindLlamaCPP: false} {
		if got := (&Capabilities{Kind: kind}).loadsLate(); got != want {
			t.Errorf("%s loads late: %v", kind, got)
		}
	}
	for text, want := range map[string]string{"</think>yes": "yes", "<think>a</think>b</think> yes": " yes", "yes": "yes"} {
		if got := answerText(&llm.Response{Content: text}, llm.JSONSchema); got != want {
			t.Errorf("the answer in %q is %q", text, got)
		}
	}
}

// TestWindowAfterLoading: the window that Ollama has once the model is loaded replaces the one before.
func TestWindowAfterLoading(t *testing.T) {
	loaded := `{"models":[{"name":"m","context_length":8192}]}`
	s := serve(t, server{ranges: true}.handle)
	s.Side("/api/version", llmtest.Reply{Body: `{"version":"0.17.4"}`})
	s.Side("/api/ps", llmtest.Reply{Body: loaded})
	for kind, want := range map[llm.Kind]int{llm.KindOllama: 8192, llm.KindVLLM: 4096} {
		p, err := newProbe(client.Endpoint{BaseURL: s.URL}, &Capabilities{Model: "m", Kind: kind, ContextTokens: 4096},
			client.Config{}, ProbeConfig{})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.askLoaded(t.Context()); err != nil || p.caps.ContextTokens != want {
			t.Errorf("%s: a window of %d, %v", kind, p.caps.ContextTokens, err)
		}
		p.c.Close()
	}
}

// TestProbeKeepsOutOfTheJournal: what a probe asks is no judgement, and an earlier answer tells nothing about the server.
func TestProbeKeepsOutOfTheJournal(t *testing.T) {
	j, err := journal.Open(filepath.Join(t.TempDir(), "exchanges.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	s := llmtest.Start(server{}.handle)
	ep, cfg := client.Endpoint{BaseURL: s.URL}, client.Config{Journal: j}
	caps, err := Probe(t.Context(), ep, "m", cfg, ProbeConfig{Quick: true})
	if err != nil || j.Stats().Records != 0 {
		t.Errorf("%+v, %v", j.Stats(), err)
	}
	counter, err := NewCounter(ep, caps, cfg, ProbeConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer counter.Close()
	before := caps.Requests
	n, err := counter.Tokens(t.Context(), "how many tokens?")
	if last := s.Calls()[len(s.Calls())-1]; err != nil || n != len(last.Body)/4 || string(last.Members["max_tokens"]) != "1" ||
		caps.Requests != before+1 || last.Last() != "how many tokens?" || j.Stats().Records != 0 {
		t.Errorf("%d tokens of %s, %v", n, last.Body, err)
	}
	uncounted := serve(t, llmtest.Always(llmtest.Reply{Body: `{"choices":[{"message":{"content":"yes"}}]}`}))
	other, err := NewCounter(client.Endpoint{BaseURL: uncounted.URL}, caps, cfg, ProbeConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if n, err := other.Tokens(t.Context(), "hi"); n != 0 || err != nil {
		t.Errorf("of a server that does not count: %d, %v", n, err)
	}
	s.Close()
	if n, err := counter.Tokens(t.Context(), "hi"); n != 0 || err == nil {
		t.Errorf("of a server that is gone: %d, %v", n, err)
	}
	if _, err := NewCounter(client.Endpoint{}, caps, cfg, ProbeConfig{}); err == nil {
		t.Error("a counter without an endpoint")
	}
}
