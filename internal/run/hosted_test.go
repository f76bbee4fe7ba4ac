package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// hosted is what services do that no self-hosted server does.
type hosted struct {
	oneSampling bool // refuses temperature beside top_p
	noSchema    bool // refuses response_format
	newLimit    bool // refuses max_tokens, and every temperature but 1
	noSeed      bool
	thought     int // hidden tokens before an answer
}

func (h hosted) handle(c llmtest.Call) llmtest.Reply {
	has := func(name string) bool { return c.Members[name] != nil }
	limit := 0
	for _, name := range []string{"max_tokens", "max_completion_tokens"} {
		_ = json.Unmarshal(c.Members[name], &limit)
	}
	switch {
	case h.oneSampling && has("temperature") && has("top_p"):
		return llmtest.Fail(400, "`temperature` and `top_p` cannot both be specified for this model. Please use only one.")
	case h.noSchema && has("response_format"):
		return llmtest.Fail(400, "response_format: Extra inputs are not permitted")
	case h.newLimit && has("max_tokens"):
		return llmtest.Fail(400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	case h.newLimit && has("temperature") && string(c.Members["temperature"]) != "1":
		return llmtest.Fail(400, "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.")
	case h.noSeed && has("seed"):
		return llmtest.Fail(422, "Unrecognized request argument supplied: seed")
	case h.thought >= limit && h.thought > 0:
		return thinking(llmtest.Chat(llmtest.ChatMessage{FinishReason: "length", OutputTokens: limit, PromptTokens: len(c.Body) / 4}), limit)
	}
	m := llmtest.ChatMessage{Content: "Yes.", PromptTokens: len(c.Body) / 4, OutputTokens: h.thought + 40}
	if has("response_format") || has("tools") {
		m.Content = hostedAnswer(c)
	}
	if has("tools") {
		m.ToolName, m.ToolArgs = "answer", m.Content
	}
	return thinking(llmtest.Chat(m), h.thought)
}

// thinking adds the tokens of a hidden thought to a reply's usage.
func thinking(r llmtest.Reply, thought int) llmtest.Reply {
	if thought > 0 {
		r.Body = strings.Replace(r.Body, `"total_tokens"`, fmt.Sprintf(`"completion_tokens_details":{"reasoning_tokens":%d},"total_tokens"`, thought), 1)
	}
	return r
}

// hostedAnswer returns what a schema asks for: the best grade.
func hostedAnswer(c llmtest.Call) string {
	body := string(c.Body)
	if _, rest, ok := strings.Cut(body, `"key_`); ok {
		key, _, _ := strings.Cut(rest, `"`)
		return `{"key_` + key + `":"v","b":1,"a":true}`
	}
	if c.SchemaName() == "probe" {
		return `{"o":{"colour":"red"}}`
	}
	output, correction := 1, `{}`
	if strings.Contains(body, `"maximum":5`) {
		output = 5
	}
	if strings.Contains(body, `"correction":{"type":"string"`) {
		correction = `""`
	}
	return fmt.Sprintf(`{"explanation":"fits","evidence":"NONE: nothing speaks against it","output":%d,"confidence":0.9,"correction":%s}`, output, correction)
}

// tally is what became of a run's judgements. A probe sends three at once: where one of them is refused or needs
// more room, the other two were in vain.
type tally struct{ Scored, Flagged, Void, Sent, Probed int }

// hostedRun judges five calls by the four rubrics.
func hostedRun(t *testing.T, endpoint client.Endpoint, cfg judges.Config, s *llmtest.Server) (tally, *Outcome, string) {
	t.Helper()
	list, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Model = "fake-model"
	p := setup{Task: Task{Inputs: Inputs{Logs: []input.Log{shortLog(5, "")}},
		Team: instrument.Team{Rubrics: list, Judges: []instrument.Judge{{Config: cfg, Endpoint: endpoint}}}}}
	dir := t.TempDir()
	if err := discover(t.Context(), &p, dir, false, nil, nil); err != nil {
		t.Fatal(err)
	}
	probed := s.Requests()
	out, err := executeSetup(t.Context(), p, dir, false, Observer{})
	if err != nil {
		t.Fatal(err)
	}
	got := tally{Scored: out.Scored, Probed: probed, Sent: s.Requests() - probed}
	for _, sc := range judgements(t, dir) {
		if len(sc.Flags) > 0 {
			got.Flagged++
		}
		if sc.Value == nil {
			got.Void++
		}
	}
	return got, out, dir
}

// TestHosted: a service that refuses what others want is found out before the run, and
// then every judgement costs one request.
func TestHosted(t *testing.T) {
	// With room for a thought a judgement may exceed the window of a server that tells none.
	const measuring = 3
	for _, tt := range []struct {
		name   string
		server hosted
		cfg    judges.Config
		want   tally
		fields string
		by     llm.Transport
	}{
		{"like Claude", hosted{oneSampling: true, noSchema: true}, judges.Config{}, tally{Scored: 20, Sent: 20, Probed: 7}, "top_p:", llm.Tools},
		{"like GPT-5", hosted{newLimit: true, thought: 2000}, judges.Config{}, tally{Scored: 20, Sent: 20 + measuring, Probed: 8},
			"max_tokens:max_completion_tokens temperature:", llm.JSONSchema},
		{"without seeds", hosted{noSeed: true}, judges.Config{}, tally{Scored: 20, Sent: 20, Probed: 6}, "seed:", llm.JSONSchema},
		{"samples differ though no seed goes out", hosted{noSeed: true}, judges.Config{Method: judges.SelfConsistency, Samples: 3},
			tally{Scored: 20, Sent: 60, Probed: 6}, "seed:", llm.JSONSchema},
		{"a hidden thought", hosted{thought: 900}, judges.Config{}, tally{Scored: 20, Sent: 20 + measuring, Probed: 6}, "", llm.JSONSchema},
		{"nothing refused", hosted{}, judges.Config{}, tally{Scored: 20, Sent: 20, Probed: 3}, "", llm.JSONSchema},
		{"left out by the user", hosted{oneSampling: true}, judges.Config{Extra: []llm.Field{{Name: "temperature", Value: json.RawMessage("null")}}},
			tally{Scored: 20, Sent: 20, Probed: 3}, "", llm.JSONSchema},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.Start(tt.server.handle)
			defer s.Close()
			got, out, _ := hostedRun(t, client.Endpoint{BaseURL: s.URL, MaxAttempts: 1}, tt.cfg, s)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			profile := out.Manifest.Profiles[0]
			var fields []string
			for _, f := range profile.Fields {
				fields = append(fields, f.Field+":"+f.SentAs)
			}
			if strings.Join(fields, " ") != tt.fields || profile.Transport != tt.by || profile.Reasoning != (tt.server.thought > 0) {
				t.Errorf("profile %+v", profile)
			}
		})
	}
}

// TestThoughtBuysRoom: a model that thinks only about the harder questions is met by the
// run, not by the probe; its answer gets room, and is no failure.
func TestThoughtBuysRoom(t *testing.T) {
	easy, hard := hosted{}, hosted{thought: 3000}
	s := llmtest.Start(func(c llmtest.Call) llmtest.Reply {
		if strings.Contains(c.Last(), "Cancel order 3") {
			return hard.handle(c)
		}
		return easy.handle(c)
	})
	defer s.Close()
	got, _, _ := hostedRun(t, client.Endpoint{BaseURL: s.URL, MaxAttempts: 1}, judges.Config{}, s)
	if diff := cmp.Diff(tally{Scored: 20, Sent: 24, Probed: 3}, got); diff != "" {
		t.Error(diff)
	}
}

// TestGateway: a service behind a gateway, with a version in the query and its keys in
// headers; no file of the run, nor its errors, hold any of them.
func TestGateway(t *testing.T) {
	const key, token = "azure-planted-0123456789", "gate-planted-0123456789"
	s := llmtest.Start(hosted{newLimit: true}.handle)
	defer s.Close()
	to, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	back := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: to.Scheme, Host: to.Host})
	closed := false
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, ok := strings.CutPrefix(r.URL.Path, "/openai/deployments/judge/")
		if !ok || r.URL.Query().Get("api-version") != "2024-10-21" || r.Header.Get("Api-Key") != key || r.Header.Get("X-Gate") != "Token "+token || closed {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"who are you? %s %s"}}`, r.Header.Get("Api-Key"), r.Header.Get("X-Gate"))
			return
		}
		w.Header().Set("X-Request-Id", key)
		r.URL.Path, r.Host = "/v1/"+path, to.Host
		back.ServeHTTP(w, r)
	}))
	defer gate.Close()
	endpoint := client.Endpoint{
		BaseURL: gate.URL + "/openai/deployments/judge", MaxAttempts: 1,
		Headers: []client.Param{{Name: "api-key", Value: client.NewSecret(key)}, {Name: "X-Gate", Value: client.NewSecret("Token " + token)}},
		Query:   []client.Param{{Name: "api-version", Value: client.NewSecret("2024-10-21"), Plain: true}},
	}
	got, out, dir := hostedRun(t, endpoint, judges.Config{}, s)
	if diff := cmp.Diff(tally{Scored: 20, Sent: 20, Probed: 7}, got); diff != "" {
		t.Error(diff)
	}
	if out.Manifest.Profiles[0].Endpoint != endpoint.BaseURL {
		t.Errorf("%+v", out.Manifest.Profiles[0])
	}
	files := 0
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte("planted")) {
			t.Errorf("%s holds a key", path)
		}
		return err
	})
	if err != nil || files < 5 {
		t.Errorf("%d files, %v", files, err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, directory.ExchangesFile)); !bytes.Contains(data, []byte("[redacted]")) {
		t.Error("nothing was blotted out, so nothing was tested")
	}
	closed = true
	p := shortPlan(t, endpoint.BaseURL, "fake-model", shortLog(1, ""))
	p.Judges[0].Endpoint = endpoint
	err = discover(t.Context(), &p, t.TempDir(), false, nil, nil)
	if err == nil || strings.Contains(err.Error(), "planted") || !strings.Contains(err.Error(), "[redacted]") {
		t.Errorf("%v", err)
	}
}
