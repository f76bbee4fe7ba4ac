package capability

import (
	"context"
	"fmt"
	"math/bits"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/value"
)

// software describes one kind of server: how to recognise it, and what its user can set.
type software struct {
	kind llm.Kind
	// path is a side path that only this kind has, and mark is a member of its reply. version is
	// the member with the version, in the reply of versionPath.
	path, mark           string
	versionPath, version string
	// context says how to give the server a context of %[1]d tokens, schemas how to make it enforce
	// schemas.
	context, schemas string
	// noThinking says how to switch a model's thinking off.
	noThinking string
}

const switchTemplate = "{chat_template_kwargs: {enable_thinking: false}}"

// servers lists the kinds of servers in the order in which they are tried. The last one matches
// every server.
var servers = [...]software{
	{
		kind: llm.KindOllama, path: "api/version", mark: "version", version: "version",
		context: "set OLLAMA_CONTEXT_LENGTH=%[1]d for `ollama serve`, or PARAMETER num_ctx %[1]d in the model's " +
			"Modelfile (requests to /v1 cannot set it)",
		schemas:    "Ollama enforces schemas from 0.5 on when it runs the model itself; its cloud models do not",
		noThinking: "{reasoning_effort: none}",
	},
	{
		kind: llm.KindLlamaCPP, path: "props", mark: "default_generation_settings", version: "build_info",
		context:    "start llama-server with -c %[1]d for each slot of -np, which share it",
		schemas:    "Start llama-server with --jinja; json_object alone is not constrained",
		noThinking: switchTemplate,
	},
	{
		kind: llm.KindSGLang, path: "get_model_info", mark: "model_path", versionPath: "get_server_info",
		version:    "version",
		context:    "start SGLang with --context-length %[1]d, and without --allow-auto-truncate",
		schemas:    "Start SGLang with --grammar-backend xgrammar",
		noThinking: switchTemplate,
	},
	{
		kind: llm.KindVLLM, path: "version", mark: "version", version: "version",
		context:    "start vLLM with --max-model-len %[1]d",
		schemas:    "Start vLLM with --structured-outputs-config '{\"backend\":\"xgrammar\"}'",
		noThinking: switchTemplate,
	},
	{
		kind: llm.KindLMStudio, path: "api/v0/models", mark: "data",
		context: "set the context length to %[1]d in the model's load settings of LM Studio",
	},
	{
		context: "raise the server's context to %[1]d tokens, or choose a model with a longer one",
		schemas: "A server with response_format json_schema is safer (Ollama, llama.cpp, vLLM, SGLang, LM Studio)",
	},
}

// about returns what a user can set on a kind of server. Missing advice about schemas comes from
// the last, general entry.
func about(kind llm.Kind) software {
	other := servers[len(servers)-1]
	for _, s := range servers {
		if s.kind == kind {
			if s.schemas == "" {
				s.schemas = other.schemas
			}
			return s
		}
	}
	return other
}

// RaiseContext says how to give a kind of server a context of at least this many tokens, rounded up
// to a power of two.
func RaiseContext(kind llm.Kind, tokens int) string {
	return fmt.Sprintf(about(kind).context, 1<<bits.Len(uint(max(tokens, 2)-1)))
}

// identify finds out what software the server is, from its list of models and from side paths that
// only one kind has. It asks all of them at once. No failure is fatal here: an unknown server is
// still probed.
func (p *probe) identify(ctx context.Context) {
	if isOpenAI(p.caps.Endpoint) {
		p.caps.Kind = llm.KindOpenAI
	}
	var listed client.Side
	var marks [len(servers)]value.Value
	var asking sync.WaitGroup
	asking.Go(func() { listed = p.side(ctx, http.MethodGet, "v1/models", nil) })
	for i, s := range servers {
		if s.path != "" && p.caps.Kind != llm.KindOpenAI {
			asking.Go(func() { marks[i] = p.get(ctx, s.path) })
		}
	}
	asking.Wait()
	if listed.Err != nil {
		return
	}
	p.readModels(read(listed))
	header := strings.ToLower(listed.Header.Get("Server"))
	if p.caps.Kind == llm.KindOpenAI {
		return
	}
	for i, s := range servers[:len(servers)-1] {
		m := marks[i]
		if !m.Has(s.mark) && !strings.Contains(header, string(s.kind)) {
			continue
		}
		p.caps.Kind = s.kind
		p.readContext(ctx, m)
		if s.versionPath != "" {
			m = p.get(ctx, s.versionPath)
		}
		p.caps.Version = m.Field(s.version).Text()
		return
	}
}

// describe returns what the server reports about itself now.
func (p *probe) describe(ctx context.Context) *Capabilities {
	q := *p
	q.caps = &Capabilities{Endpoint: p.caps.Endpoint, Model: p.caps.Model, Kind: llm.KindUnknown}
	q.identify(ctx)
	return q.caps
}

func isOpenAI(base string) bool {
	u, err := url.Parse(base)
	return err == nil && u.Hostname() == "api.openai.com"
}

func (p *probe) url() *url.URL {
	u, err := url.Parse(p.caps.Endpoint)
	if err != nil {
		return &url.URL{}
	}
	return u
}

// side sends a side request; path replaces /v1 at the end of the base URL.
func (p *probe) side(ctx context.Context, method, path string, body []byte) client.Side {
	u := p.url()
	if rest, ok := strings.CutPrefix(path, "v1/"); ok {
		path = rest
	} else {
		u.Path = strings.TrimSuffix(u.Path, "/v1")
	}
	return p.c.Side(ctx, method, u.JoinPath(path).String(), body)
}

// get returns the JSON at a side path; null if there is no good reply.
func (p *probe) get(ctx context.Context, path string) value.Value {
	return read(p.side(ctx, http.MethodGet, path, nil))
}

// read returns the JSON of a good reply; null for any other reply.
func read(got client.Side) value.Value {
	if got.Err != nil || got.Status != http.StatusOK {
		return value.Value{}
	}
	v, _ := value.Parse(got.Body) // an invalid body tells us nothing
	return v
}

// whole returns a number as a count; 0 for every other value.
func whole(v value.Value) int {
	if f, ok := v.Float64(); ok && f > 0 && f < 1<<40 {
		return int(f)
	}
	return 0
}

// isModel reports whether a name in the server's list is the probed model.
func (p *probe) isModel(name string) bool {
	return name == p.caps.Model || name == p.caps.Model+":latest"
}

// context records a context size. The first source that has one wins.
func (p *probe) context(tokens int, source string) {
	if tokens > 0 && p.caps.ContextTokens == 0 {
		p.caps.ContextTokens, p.caps.ContextSource = tokens, source
	}
}

func (p *probe) readModels(listed value.Value) {
	data := listed.Field("data")
	if listed.Kind() != value.Object || !data.IsList() && !data.IsNull() {
		return
	}
	p.caps.ModelListed = No
	for i, m := range data.Elements() {
		id := m.Field("id").Text()
		if i < 50 {
			p.caps.Models = append(p.caps.Models, llm.OneLine(id))
		}
		if p.isModel(id) {
			p.caps.ModelListed = Yes
			p.context(whole(m.Field("max_model_len")), "/v1/models")
			p.context(whole(m.Field("meta").Field("n_ctx")), "/v1/models")
		}
	}
}

// readContext reads the context size, and the slots of llama.cpp. m is the reply by which the
// server was recognised.
func (p *probe) readContext(ctx context.Context, m value.Value) {
	switch p.caps.Kind {
	case llm.KindOllama:
		p.ollamaContext(ctx)
	case llm.KindLlamaCPP:
		p.context(whole(m.Field("default_generation_settings").Field("n_ctx")), "/props")
		p.caps.Slots = whole(m.Field("total_slots"))
		if p.caps.Slots == 0 {
			for range p.get(ctx, "slots").Elements() {
				p.caps.Slots++
			}
		}
	case llm.KindLMStudio:
		for _, l := range m.Field("data").Elements() {
			if l.Field("id").Text() == p.caps.Model {
				p.context(whole(l.Field("loaded_context_length")), "/api/v0/models, loaded")
				p.context(whole(l.Field("max_context_length")), "/api/v0/models, largest")
			}
		}
	}
}

// ollamaContext prefers the context of the loaded model, which is the one that prompts must fit, to
// the configured one.
func (p *probe) ollamaContext(ctx context.Context) {
	for _, m := range p.get(ctx, "api/ps").Field("models").Elements() {
		if p.isModel(m.Field("name").Text()) {
			p.context(whole(m.Field("context_length")), "/api/ps, loaded")
		}
	}
	if p.caps.ContextTokens > 0 {
		return
	}
	body := value.OfObject(value.Member{Key: "model", Value: value.OfString(p.caps.Model)}).JSON()
	shown := read(p.side(ctx, http.MethodPost, "api/show", []byte(body)))
	for line := range strings.Lines(shown.Field("parameters").Text()) {
		n := 0
		if _, err := fmt.Sscanf(line, "num_ctx %d", &n); err == nil {
			p.context(n, "num_ctx of the model")
		}
	}
}

// hosted guesses whether the endpoint is a hosted service: OpenAI's own, or software that is not
// known as self-hosted, under a public name with TLS.
func (p *probe) hosted() bool {
	u := p.url()
	if p.caps.Kind != llm.KindUnknown || u.Scheme != "https" {
		return p.caps.Kind == llm.KindOpenAI
	}
	host := strings.ToLower(u.Hostname())
	if _, err := netip.ParseAddr(host); err == nil {
		return false
	}
	at := strings.LastIndex(host, ".")
	switch host[at+1:] {
	case "local", "internal", "lan", "localhost":
		return false
	}
	return at >= 0
}

// Families of models, recognised by the names that servers and people use.
var (
	qwen3     = regexp.MustCompile(`(?i)qwen[-_ ]?3`)
	qwenLater = regexp.MustCompile(`(?i)qwen[-_ ]?3\.[5-9]`)
	gemma     = regexp.MustCompile(`(?i)gemma`)
	// byThinking matches models that are switched by "thinking"; all others use "enable_thinking".
	byThinking = regexp.MustCompile(`(?i)granite|deepseek.*v?3[.-][12]`)
)

// sampling returns the settings that a thinking model needs; nil if temperature 0 works. Qwen's
// model cards forbid greedy decoding of a thought, because the model then repeats itself.
func sampling(model string) (temperature, topP *float64) {
	if qwen3.MatchString(model) {
		return new(0.6), new(0.95)
	}
	return nil, nil
}

// dropsSchema reports whether a server ignores the schema if the model's thinking is switched off:
// it waits for the end of a thought that never comes.
func dropsSchema(kind llm.Kind, model string) bool {
	switch kind {
	case llm.KindOllama:
		return qwenLater.MatchString(model) || gemma.MatchString(model)
	case llm.KindVLLM:
		return gemma.MatchString(model)
	}
	return false
}

// noThinking says how to switch off a model's thinking, or advises against it if the server would
// then ignore the schema.
func noThinking(kind llm.Kind, model string) string {
	how := about(kind).noThinking
	switch {
	case how == "":
		return ""
	case dropsSchema(kind, model):
		return "; leave its thinking on: this server drops the schema of this family without it"
	case how == switchTemplate && byThinking.MatchString(model):
		how = "{chat_template_kwargs: {thinking: false}}"
	}
	return ", or switch thinking off with extra: " + how + " in judge.yaml"
}
