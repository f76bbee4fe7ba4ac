package capability

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/llmtest"
)

// TestProbeUnusable: an endpoint on which no rung of the ladder holds is not usable; the
// error quotes the server, and says what to set.
func TestProbeUnusable(t *testing.T) {
	all := func(r llmtest.Reply) llmtest.Handler { return llmtest.Always(r) }
	for _, tt := range []struct {
		name          string
		handle        llmtest.Handler
		kind          llm.ErrorKind
		message, hint string
		last          Finding
		requests      int // of two probes, each with one that was sent ahead in vain
	}{
		{"a setting", all(llmtest.Fail(400, "temperature is not supported")), llm.KindBadRequest,
			"temperature is not supported", "temperature in judge.yaml", Refused, 12},
		{"a setting in quotes", all(llmtest.Fail(400,
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")), llm.KindBadRequest,
			"'max_tokens' is not supported", "max_completion_tokens: 1024", Refused, 12},
		{"anything else", all(llmtest.StringError(422, "upstreams are not seeded")), llm.KindBadRequest,
			"upstreams are not seeded", "what the message names", Refused, 10},
		{"a model that chats", all(llmtest.Text("Sure! Here you are.")), llm.KindInvalidReply,
			"Sure! Here you are.", "use a model that follows instructions", Ignored, 10},
		{"a model without end", all(llmtest.Length("and so on and")), llm.KindInvalidReply,
			"and so on and", "without end", Truncated, 10},
	} {
		for _, quick := range []bool{true, false} {
			s := serve(t, tt.handle)
			got, err := Probe(t.Context(), client.Endpoint{BaseURL: s.URL}, "m", client.Config{},
				ProbeConfig{Quick: quick})
			e, ok := err.(*llm.Error)
			if !ok || e.Kind != tt.kind || !strings.Contains(e.Message, tt.message) ||
				!strings.Contains(e.Hint, tt.hint) || e.Model != "m" || e.Endpoint != s.URL {
				t.Errorf("%s: %v", tt.name, err)
			}
			chosen, err := Probe(t.Context(), client.Endpoint{BaseURL: s.URL}, "m", client.Config{},
				ProbeConfig{Quick: true, Transport: llm.Tools})
			if (err != nil) != (tt.last == Refused) || chosen == nil || chosen.Transport != "" {
				t.Errorf("%s: %+v, %v with a transport of the user's", tt.name, chosen, err)
			}
			if got == nil || got.Transport != "" || len(got.Ladder) != 4 || got.Ladder[3].Finding != tt.last ||
				got.Requests+chosen.Requests != tt.requests || s.Requests() > tt.requests {
				t.Errorf("%s: %+v after %d requests", tt.name, got, s.Requests())
			}
		}
	}
}

// TestProbeSettings: a model that takes only one temperature can be probed with it.
func TestProbeSettings(t *testing.T) {
	picky := func(c llmtest.Call) llmtest.Reply {
		if string(c.Members["temperature"]) != "1" || c.Members["max_tokens"] != nil ||
			string(c.Members["max_completion_tokens"]) != "900" {
			return llmtest.Fail(400, "temperature must be 1")
		}
		return server{ranges: true}.handle(c)
	}
	extra := []llm.Field{{Name: "max_completion_tokens", Value: json.RawMessage("900")}}
	for _, quick := range []bool{true, false} {
		s := serve(t, picky)
		got, err := Probe(t.Context(), client.Endpoint{BaseURL: s.URL}, "m", client.Config{},
			ProbeConfig{Quick: quick, Request: llm.Request{Temperature: new(1.0), Extra: extra}})
		if err != nil || got.Transport != llm.JSONSchema || got.OpenObject != Yes {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// elsewhere sends every request to the fake server, whatever its URL.
type elsewhere struct{ to string }

func (e elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	u, err := url.Parse(e.to)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = u.Scheme, u.Host
	return http.DefaultTransport.RoundTrip(r)
}

// TestProbeStrict: a hosted service is asked whether it takes strict schemas, and a
// server of one's own is not.
func TestProbeStrict(t *testing.T) {
	isStrict := func(c llmtest.Call) bool {
		return strings.Contains(string(c.Members["response_format"]), `"strict":true`)
	}
	takes := server{ranges: true}.handle
	refuses := func(c llmtest.Call) llmtest.Reply {
		if isStrict(c) {
			return llmtest.Fail(400, "strict is not supported")
		}
		return takes(c)
	}
	chats := func(c llmtest.Call) llmtest.Reply {
		if isStrict(c) {
			return llmtest.Text("Sure!")
		}
		return takes(c)
	}
	for _, tt := range []struct {
		name, base string
		handle     llmtest.Handler
		kind       llm.Kind
		want       Finding
		asText     bool
		requests   int
	}{
		{"OpenAI", "https://api.openai.com/v1", takes, llm.KindOpenAI, Yes, true, 2},
		{"another service", "https://models.example.com/v1", takes, llm.KindUnknown, Yes, true, 2},
		{"refused", "https://models.example.com/v1", refuses, llm.KindUnknown, Refused, false, 3},
		{"ignored", "https://models.example.com/v1", chats, llm.KindUnknown, Ignored, false, 3},
		{"no TLS", "http://models.example.com/v1", takes, llm.KindUnknown, Unknown, false, 2},
		{"an address", "https://10.0.0.7/v1", takes, llm.KindUnknown, Unknown, false, 2},
		{"a machine next door", "https://gpu.local/v1", takes, llm.KindUnknown, Unknown, false, 2},
		{"a plain name", "https://gpu/v1", takes, llm.KindUnknown, Unknown, false, 2},
	} {
		s := serve(t, tt.handle)
		got, err := Probe(t.Context(), client.Endpoint{BaseURL: tt.base}, "m",
			client.Config{Transport: elsewhere{s.URL}}, ProbeConfig{Quick: true})
		if err != nil || got.Kind != tt.kind || got.Strict != tt.want || got.CorrectionAsText() != tt.asText ||
			s.Requests() != tt.requests || got.Transport != llm.JSONSchema {
			t.Errorf("%s: %+v after %d requests, %v", tt.name, got, s.Requests(), err)
		}
		if tt.want != Yes {
			continue
		}
		s = serve(t, tt.handle)
		got, err = Probe(t.Context(), client.Endpoint{BaseURL: tt.base}, "m",
			client.Config{Transport: elsewhere{s.URL}}, ProbeConfig{})
		if err != nil || got.NumberRange != Yes || !strings.Contains(strings.Join(got.Advice(false), " "),
			"strict schemas work") {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
}

// TestProbeRubric: the prompt of a whole rubric is asked in the form that was found, and what comes back says whether
// that form holds: a refusal leads to the next one, an answer that is only bad or too long does not.
func TestProbeRubric(t *testing.T) {
	const ask = "GRADE THIS"
	const refused, tooMuch = "the schema is too large", "This model's maximum context length is 4096 tokens"
	isRubric := func(c llmtest.Call) bool { return strings.Contains(string(c.Members["messages"]), ask) }
	format := func(c llmtest.Call) string {
		switch f := string(c.Members["response_format"]); {
		case strings.Contains(f, `"strict":true`):
			return "strict"
		case strings.Contains(f, "json_schema"):
			return "schema"
		case c.Members["tools"] != nil:
			return "tools"
		case f != "":
			return "object"
		}
		return "plain"
	}
	const local, hosted = "http://gpu/v1", "https://models.example.com/v1"
	for name, tt := range map[string]struct {
		base      string
		chosen    llm.Transport
		reply     func(format string, asText bool) llmtest.Reply
		want      Finding
		transport llm.Transport
		asked     string // the formats of the rubric's requests in their order
	}{
		"answered":           {local, "", func(string, bool) llmtest.Reply { return llmtest.Text(`{"output":5}`) }, Yes, llm.JSONSchema, "schema"},
		"answered, strictly": {hosted, "", func(string, bool) llmtest.Reply { return llmtest.Text(`{"output":5}`) }, Yes, llm.JSONSchema, "strict"},
		"chatted":            {local, "", func(string, bool) llmtest.Reply { return llmtest.Text("Sure!") }, Ignored, llm.JSONSchema, "schema"},
		"stopped": {local, "", func(string, bool) llmtest.Reply {
			return llmtest.Chat(llmtest.ChatMessage{Content: `{"expl`, FinishReason: "length"})
		}, Truncated, llm.JSONSchema, "schema"},
		"too long": {local, "", func(string, bool) llmtest.Reply { return llmtest.Fail(400, tooMuch) }, Truncated, llm.JSONSchema, "schema"},
		"strict refused": {hosted, "", func(format string, _ bool) llmtest.Reply {
			if format == "strict" {
				return llmtest.Fail(400, refused)
			}
			return llmtest.Text(`{"output":5}`)
		}, Yes, llm.JSONSchema, "strict schema"},
		"only the correction as text": {local, "", func(_ string, asText bool) llmtest.Reply {
			if !asText {
				return llmtest.Fail(400, refused)
			}
			return llmtest.Text(`{"output":5}`)
		}, Yes, llm.JSONSchema, "schema schema"},
		"another transport": {local, "", func(format string, _ bool) llmtest.Reply {
			if format == "schema" {
				return llmtest.Fail(400, refused)
			}
			return llmtest.Chat(llmtest.ChatMessage{ToolName: "rubric", ToolArgs: `{"output":5}`})
		}, Yes, llm.Tools, "schema schema tools"},
		"the user's own transport": {local, llm.JSONObject, func(string, bool) llmtest.Reply { return llmtest.Fail(400, refused) }, Refused, llm.JSONSchema, "object"},
	} {
		var mu sync.Mutex
		var asked []string
		s := serve(t, func(c llmtest.Call) llmtest.Reply {
			if !isRubric(c) {
				return server{ranges: true}.handle(c)
			}
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, format(c))
			return tt.reply(format(c), strings.Contains(string(c.Members["messages"]), "as text"))
		})
		got, err := Probe(t.Context(), client.Endpoint{BaseURL: tt.base, MaxAttempts: 1}, "m", client.Config{Transport: elsewhere{s.URL}}, ProbeConfig{
			Quick: true, Transport: tt.chosen,
			Rubric: func(transport llm.Transport, asText, strict bool) (llm.Request, error) {
				text := map[bool]string{true: ask + " as text"}[asText]
				return llm.Request{Model: "m", Transport: transport, Messages: []llm.Message{{Role: "user", Content: cmp.Or(text, ask)}},
					Schema: llm.Schema{Name: "rubric", JSON: json.RawMessage(`{"type":"object","properties":{"output":{"type":"integer"}}}`), Strict: strict}}, nil
			},
		})
		if err != nil || got.RubricPrompt != tt.want || got.Transport != tt.transport || strings.Join(asked, " ") != tt.asked {
			t.Errorf("%s: %v, %s (%s), by %s, asked as %v: %v", name, got.RubricPrompt, got.RubricDetail, tt.want, got.Transport, asked, err)
		}
	}
}
