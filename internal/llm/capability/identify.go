package capability

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
)

// identify finds out what software answers, from its list of models and from
// the side paths that only one kind of server has. Nothing here is fatal: an
// unknown server is still probed.
func (p *probe) identify(ctx context.Context) {
	u, err := url.Parse(p.c.BaseURL())
	if err != nil {
		return
	}
	listed := p.c.Side(ctx, http.MethodGet, u.JoinPath("models").String(), nil)
	if listed.Err != nil {
		return // nothing there: each further path would wait as long
	}
	p.readModels(listed)
	root := *u
	root.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/v1")
	side := func(path string) map[string]json.RawMessage {
		got := p.c.Side(ctx, http.MethodGet, root.JoinPath(path).String(), nil)
		var members map[string]json.RawMessage
		if got.Err != nil || got.Status != http.StatusOK || json.Unmarshal(got.Body, &members) != nil {
			return nil
		}
		return members
	}
	server := strings.ToLower(listed.Header.Get("Server"))
	switch {
	case u.Hostname() == "api.openai.com":
		p.caps.Kind = llm.KindOpenAI
	case strings.HasPrefix(server, "baseline-rules"):
		p.caps.Kind = llm.KindBaseline
		_, p.caps.Version, _ = strings.Cut(server, "/")
	default:
		p.sidePaths(ctx, &root, server, side)
	}
}

func (p *probe) sidePaths(ctx context.Context, root *url.URL, server string, side func(string) map[string]json.RawMessage) {
	if m := side("api/version"); m["version"] != nil {
		p.caps.Kind, p.caps.Version = llm.KindOllama, scalar(m["version"])
		p.ollamaContext(ctx, root, side)
		return
	}
	if m := side("props"); strings.Contains(server, "llama.cpp") || m["default_generation_settings"] != nil {
		p.caps.Kind, p.caps.Version = llm.KindLlamaCPP, scalar(m["build_info"])
		var settings struct {
			NCtx int `json:"n_ctx"`
		}
		if json.Unmarshal(m["default_generation_settings"], &settings) == nil {
			p.context(settings.NCtx, "/props")
		}
		p.slots(ctx, root, m["total_slots"])
		return
	}
	if m := side("get_model_info"); m["model_path"] != nil {
		p.caps.Kind = llm.KindSGLang
		p.caps.Version = scalar(side("get_server_info")["version"])
		return
	}
	if m := side("version"); m["version"] != nil {
		p.caps.Kind, p.caps.Version = llm.KindVLLM, scalar(m["version"])
		return
	}
	if m := side("api/v0/models"); m["data"] != nil {
		p.caps.Kind = llm.KindLMStudio
		var list []struct {
			ID     string `json:"id"`
			Loaded int    `json:"loaded_context_length"`
			Max    int    `json:"max_context_length"`
		}
		_ = json.Unmarshal(m["data"], &list)
		for _, l := range list {
			if l.ID == p.caps.Model {
				p.context(l.Loaded, "/api/v0/models, loaded")
				p.context(l.Max, "/api/v0/models, largest")
			}
		}
	}
}

// slots notes how many requests llama.cpp works on at once, from /props, else by
// counting /slots, which may be switched off.
func (p *probe) slots(ctx context.Context, root *url.URL, total json.RawMessage) {
	var n int
	if json.Unmarshal(total, &n) != nil || n <= 0 {
		var list []json.RawMessage
		got := p.c.Side(ctx, http.MethodGet, root.JoinPath("slots").String(), nil)
		if got.Err != nil || got.Status != http.StatusOK || json.Unmarshal(got.Body, &list) != nil {
			return
		}
		n = len(list)
	}
	p.caps.Slots = n
}

// context notes a context size; the first source that tells one is kept.
func (p *probe) context(tokens int, source string) {
	if tokens > 0 && p.caps.ContextTokens == 0 {
		p.caps.ContextTokens, p.caps.ContextSource = tokens, source
	}
}

func (p *probe) readModels(listed client.Side) {
	if listed.Err != nil || listed.Status != http.StatusOK {
		return
	}
	var list struct {
		Data []client.ModelInfo `json:"data"`
	}
	if json.Unmarshal(listed.Body, &list) != nil {
		return
	}
	p.caps.ModelListed = No
	for i, m := range list.Data {
		if i < 50 {
			p.caps.Models = append(p.caps.Models, llm.OneLine(m.ID))
		}
		if m.ID == p.caps.Model || m.ID == p.caps.Model+":latest" {
			p.caps.ModelListed = Yes
			p.context(m.MaxModelLen, "/v1/models")
			p.context(m.Meta.NCtx, "/v1/models")
		}
	}
}

// ollamaContext prefers the context of the loaded model, which is what a prompt
// must fit, and falls back to the one it was trained with.
func (p *probe) ollamaContext(ctx context.Context, root *url.URL, side func(string) map[string]json.RawMessage) {
	var running []struct {
		Name    string `json:"name"`
		Context int    `json:"context_length"`
	}
	_ = json.Unmarshal(side("api/ps")["models"], &running)
	for _, m := range running {
		if m.Name == p.caps.Model || m.Name == p.caps.Model+":latest" {
			p.context(m.Context, "/api/ps, loaded")
		}
	}
	if p.caps.ContextTokens > 0 {
		return
	}
	body, err := json.Marshal(map[string]string{"model": p.caps.Model})
	if err != nil {
		return
	}
	got := p.c.Side(ctx, http.MethodPost, root.JoinPath("api/show").String(), body)
	var show struct {
		Parameters string                     `json:"parameters"`
		Info       map[string]json.RawMessage `json:"model_info"`
	}
	if got.Err != nil || got.Status != http.StatusOK || json.Unmarshal(got.Body, &show) != nil {
		return
	}
	for line := range strings.Lines(show.Parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			var n int
			_ = json.Unmarshal([]byte(f[1]), &n)
			p.context(n, "num_ctx of the model")
		}
	}
}

// scalar spells a JSON string without its quotes, null as "", all else as is.
func scalar(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
