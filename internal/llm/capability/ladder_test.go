package capability

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
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
