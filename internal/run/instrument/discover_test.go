package instrument

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// toolsOnly refuses response formats and objects without fixed keys, and thinks.
func toolsOnly(c llmtest.Call) llmtest.Reply {
	body := string(c.Body)
	if strings.Contains(body, `"response_format"`) || strings.Contains(body, `"additionalProperties":true`) {
		return llmtest.Fail(400, "this schema is not supported")
	}
	_, rest, _ := strings.Cut(body, `"key_`)
	key, _, _ := strings.Cut(rest, `"`)
	return llmtest.Chat(llmtest.ChatMessage{ToolName: "probe", ToolArgs: `{"key_` + key + `":"v","b":1,"a":true}`, Reasoning: "hm"})
}

func judgeAt(base string) Judge {
	return Judge{Config: judges.Config{Model: "fake-model"}, Endpoint: client.Endpoint{BaseURL: base, MaxAttempts: 1, APIKey: client.NewSecret("sk-do-not-show-me")}}
}

func TestPrepare(t *testing.T) {
	s := llmtest.Start(toolsOnly)
	defer s.Close()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	store := &Store{Dir: t.TempDir(), Now: func() time.Time { return now }}
	probed := Profile{
		Judge: "fake-model", Model: "fake-model", Endpoint: s.URL, Kind: llm.KindUnknown, Transport: llm.Tools,
		CorrectionAsText: true, Reasoning: true, Source: profileProbed,
	}
	stored, given := probed, probed
	stored.Source = profileStored
	given.Transport, given.TransportGiven = llm.JSONObject, true
	givenLater := given
	givenLater.Source = profileStored
	steps := []struct {
		name     string
		edit     func(*Judge)
		want     *Profile
		requests int // 2 stands for a probe, 1 for the check of what was kept
	}{
		{"a transport that was given takes the place of the one found", func(j *Judge) { j.Config.Transport = llm.JSONObject }, &given, 2},
		{"also of the one that was kept", func(j *Judge) { j.Config.Transport = llm.JSONObject }, &givenLater, 1},
		{"what was kept is what was found", func(*Judge) {}, &stored, 1},
		{"a day later it is probed", func(*Judge) { now = now.Add(MaxAge) }, &probed, 2},
		{"the second goes by what was kept", func(*Judge) {}, &stored, 1},
		{"a day later it is probed again", func(*Judge) { now = now.Add(MaxAge) }, &probed, 2},
		{"a damaged file counts as none", func(*Judge) {
			j := judgeAt(s.URL)
			if err := os.WriteFile(store.Path(s.URL, "fake-model", j.Settings()), []byte(`{"schema":`), 0o600); err != nil {
				t.Fatal(err)
			}
		}, &probed, 2},
		{"another model is another profile", func(j *Judge) { j.Config.Name, j.Config.Model = "fake-model", "other" }, nil, 2},
		{"the baseline is known", func(j *Judge) { j.Baseline = true }, nil, 0},
	}
	for _, step := range steps {
		p := []Judge{judgeAt(s.URL)}
		step.edit(&p[0])
		before := s.Requests()
		if err := Discover(t.Context(), p, nil, nil, store, nil); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		j := &p[0]
		if asked := s.Requests() - before; min(asked, 2) != step.requests || asked > 8 {
			t.Errorf("%s: %d requests", step.name, asked)
		}
		if step.want == nil {
			continue
		}
		if diff := cmp.Diff(step.want, j.Profile); diff != "" {
			t.Errorf("%s: %s", step.name, diff)
		}
		if j.Config.Transport != step.want.Transport || j.Config.CorrectionAsText != step.want.CorrectionAsText || j.Config.Reasoning != step.want.Reasoning {
			t.Errorf("%s: the judge asks by %+v", step.name, j.Config)
		}
		if data, err := os.ReadFile(store.Path(s.URL, "fake-model", p[0].Settings())); err == nil && strings.Contains(string(data), "do-not-show") {
			t.Errorf("%s: the key is in the profile", step.name)
		}
	}
}

// TestPrepareFails: an endpoint that cannot answer is told before anything is
// judged, and the user's own word about thinking stands.
func TestPrepareFails(t *testing.T) {
	for _, tt := range []struct {
		reply llmtest.Reply
		want  llm.ErrorKind
	}{
		{llmtest.Fail(401, "no"), llm.KindUnauthorized},
		{llmtest.Fail(404, "no such model"), llm.KindNotFound},
		{llmtest.Reset(), llm.KindTransport},
	} {
		s := llmtest.Start(llmtest.Always(tt.reply))
		store := &Store{Dir: t.TempDir()}
		p := []Judge{judgeAt(s.URL)}
		err := Discover(t.Context(), p, nil, nil, store, nil)
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != tt.want || strings.Contains(err.Error(), "do-not-show") {
			t.Errorf("%v, want kind %s", err, tt.want)
		}
		if _, err := os.Stat(store.Path(s.URL, "fake-model", p[0].Settings())); err == nil {
			t.Error("a probe that failed was kept")
		}
		s.Close()
	}
	s := llmtest.Start(toolsOnly)
	defer s.Close()
	p := []Judge{judgeAt(s.URL)}
	p[0].ReasoningGiven = true
	if err := Discover(t.Context(), p, nil, nil, nil, nil); err != nil || p[0].Config.Reasoning {
		t.Errorf("reasoning %v, %v", p[0].Config.Reasoning, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p = []Judge{judgeAt(s.URL)}
	if err := Discover(ctx, p, nil, nil, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestDiscoverAsksReplicas: replicas are asked while the endpoint cannot be reached, in their order, and not about what
// an endpoint refuses; the profile is that of the one that answers.
func TestDiscoverAsksReplicas(t *testing.T) {
	gone, refuses, answers := llmtest.Start(llmtest.Always(llmtest.Reset())), llmtest.Start(llmtest.Always(llmtest.Fail(401, "no"))), llmtest.Start(toolsOnly)
	for _, s := range []*llmtest.Server{gone, refuses, answers} {
		defer s.Close()
	}
	for _, tt := range []struct {
		first    string
		replicas []string
		asked    int // replicas that are asked
		fails    bool
	}{
		{gone.URL, []string{answers.URL}, 1, false},
		{gone.URL, []string{gone.URL, answers.URL, refuses.URL}, 2, false},
		{gone.URL, []string{refuses.URL, answers.URL}, 1, true},
		{refuses.URL, []string{answers.URL}, 0, true},
		{answers.URL, []string{refuses.URL}, 0, false},
	} {
		var notes []string
		p := []Judge{judgeAt(tt.first)}
		p[0].Endpoint.Replicas = tt.replicas
		err := Discover(t.Context(), p, nil, nil, nil, func(s string) { notes = append(notes, s) })
		asked := 0
		for _, n := range notes {
			if strings.Contains(n, "asking the replica") {
				asked++
			}
		}
		if (err != nil) != tt.fails || asked != tt.asked || !tt.fails && p[0].Profile.Transport != llm.Tools {
			t.Errorf("%s and %v: %d replicas asked, %v; %q", tt.first, tt.replicas, asked, err, notes)
		}
	}
}

// FuzzProfile: whatever lies in the cache, loading it fails without harm, or gives a
// profile that a run can follow.
func FuzzProfile(f *testing.F) {
	f.Add([]byte(`{"schema":"judge.profile/v2","time":"2026-11-21T12:00:00Z","capabilities":{"endpoint":"http://h/v1","model":"m","transport":"tools"}}`))
	f.Add([]byte(`{"schema":"judge.profile/v2","capabilities":null}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		store := &Store{Dir: t.TempDir(), Now: func() time.Time { return time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC) }}
		if err := os.WriteFile(store.Path("http://h/v1", "m", ""), data, 0o600); err != nil {
			t.Fatal(err)
		}
		c := store.load("http://h/v1", "m", "")
		if c == nil {
			return
		}
		j := judgeAt("http://h/v1")
		p := j.profile(c, profileStored, nil)
		j.follow(p)
		if j.Config.Transport == "" || c.Model != "m" {
			t.Errorf("%+v", p)
		}
		if _, err := json.Marshal(p); err != nil {
			t.Error(err)
		}
	})
}

// stored keeps a finding as an earlier probe of the endpoint would have.
func stored(t testing.TB, caps capability.Capabilities) *Store {
	t.Helper()
	store := &Store{Dir: t.TempDir()}
	if err := store.Save(&caps); err != nil {
		t.Fatal(err)
	}
	return store
}

// TestAssume: without a request a judge is asked as it was found to be, else by schemas or by what the user chose.
func TestAssume(t *testing.T) {
	kept := Profile{Judge: "kept", Transport: llm.Tools, Strict: true, Answers: true, Reasoning: true}
	list := []Judge{judgeAt("http://a/v1"), judgeAt("http://b/v1"), judgeAt("http://c/v1"), {Baseline: true}}
	list[0].Config.Name, list[1].Config.Name = "kept", "given"
	list[1].Config.Transport, list[1].Kind = llm.PromptOnly, llm.KindOllama
	if err := Assume(list, nil, []Profile{kept}, &Store{Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"tools true true true", "prompt_only false false false", "json_schema false false false", " false false false"} {
		c := list[i].Config
		if got := fmt.Sprint(c.Transport, " ", c.Strict, " ", c.Answers, " ", c.Reasoning); got != want {
			t.Errorf("judge %d is asked by %s, want %s", i, got, want)
		}
	}
	if list[0].Profile.Source != kept.Source || list[1].Profile.Source != profileAssumed || list[1].Profile.Kind != llm.KindOllama ||
		list[2].Profile.Source != profileAssumed || list[3].Profile != nil {
		t.Errorf("%+v", list)
	}
}

// TestSample: the small call is asked about as the judge would ask, whatever the scope of its rubrics, and without
// log-probabilities, which are asked for on their own.
func TestSample(t *testing.T) {
	for _, scope := range rubrics.Scopes() {
		r, err := rubrics.Load(strings.NewReader("name: q\nquestion: q?\nanswer: yes/no\npass: yes\nscope: "+string(scope)), "q.yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range []judges.Method{judges.Parsed, judges.SelfConsistency, judges.TokenWeighted} {
			j := judgeAt("http://a/v1")
			j.Config.Method = method
			req, err := j.sample(r, judges.Config{Transport: llm.Tools})
			if err != nil || req.Transport != llm.Tools || req.Logprobs || req.Model != "fake-model" || len(req.Messages) == 0 {
				t.Errorf("%s, %s: %v, %+v", scope, method, err, req)
			}
		}
	}
}

// TestSlots: a judge sends no more at once than the server works on, unless the user
// says how many, and tells it in one line.
func TestSlots(t *testing.T) {
	for _, tt := range []struct {
		name        string
		slots       int
		concurrency int
		given       bool
		want        int
		told        bool
	}{
		{"more than slots", 2, 8, false, 2, true},
		{"the default is more", 2, 0, false, 2, true},
		{"fewer than slots", 16, 8, false, 8, false},
		{"not told", 0, 8, false, 8, false},
		{"the user's word", 2, 8, true, 8, false},
	} {
		s := llmtest.Start(llmtest.Always(llmtest.Text("yes")))
		defer s.Close()
		s.Side("/props", llmtest.Reply{Body: fmt.Sprintf(`{"default_generation_settings":{},"total_slots":%d}`, tt.slots)})
		j := judgeAt(s.URL)
		store := stored(t, capability.Capabilities{Endpoint: s.URL, Model: "fake-model", Settings: j.Settings(), Kind: llm.KindLlamaCPP, Transport: llm.JSONSchema, Slots: tt.slots, Thinking: capability.None})
		for _, recall := range []bool{false, true} {
			p := []Judge{judgeAt(s.URL)}
			p[0].Endpoint.Concurrency, p[0].ConcurrencyGiven = tt.concurrency, tt.given
			var lines []string
			if recall {
				Recall(p, nil, nil, store)
			} else if err := Discover(t.Context(), p, nil, nil, store, func(line string) { lines = append(lines, line) }); err != nil {
				t.Fatal(err)
			}
			if got := p[0].Endpoint.Concurrency; got != tt.want || p[0].Profile.Slots != tt.slots {
				t.Errorf("%s: %d in flight, %+v", tt.name, got, p[0].Profile)
			}
			if told := len(lines) == 1 && strings.Contains(lines[0], "requests in flight: 2"); told != (tt.told && !recall) {
				t.Errorf("%s: %q", tt.name, lines)
			}
		}
	}
}

// TestUnenforced: the profile names what of each rubric only the check of an answer
// enforces, in the form in which it is asked for.
func TestUnenforced(t *testing.T) {
	list, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name      string
		kind      llm.Kind
		transport llm.Transport
		strict    capability.Finding
		want      string
	}{
		{"hosted, strict", llm.KindOpenAI, llm.JSONSchema, capability.Yes, "/properties/explanation/maxLength: not sent"},
		{"hosted, not strict", llm.KindOpenAI, llm.JSONSchema, capability.No, ""},
		{"no bounds of numbers", llm.KindOllama, llm.Tools, capability.Unknown, "/properties/confidence/minimum: sent, and not enforced there"},
		{"no schema is sent", llm.KindOllama, llm.PromptOnly, capability.Unknown, ""},
	} {
		j := judgeAt("http://h/v1")
		p := j.profile(&capability.Capabilities{Kind: tt.kind, Transport: tt.transport, Strict: tt.strict}, profileStored, list)
		if tt.want == "" {
			if p.Unenforced != nil {
				t.Errorf("%s: %+v", tt.name, p.Unenforced)
			}
			continue
		}
		if len(p.Unenforced) != len(list) || p.Unenforced[0].Rubric != list[0].Name || !slices.Contains(p.Unenforced[0].Demands, tt.want) {
			t.Errorf("%s: %+v", tt.name, p.Unenforced)
		}
	}
}

// TestKeptProfiles: a resumed run goes by the profile that it kept, sends no request, and looks into no store; the
// built-in judge has none.
func TestKeptProfiles(t *testing.T) {
	s := llmtest.Start(toolsOnly)
	defer s.Close()
	j := judgeAt(s.URL)
	store := stored(t, capability.Capabilities{Endpoint: s.URL, Model: "fake-model", Settings: j.Settings(),
		Kind: llm.KindUnknown, Transport: llm.Tools})
	kept := []Profile{{Judge: "fake-model", Transport: llm.JSONObject, Kind: llm.KindVLLM}}
	for name, find := range map[string]func([]Judge) error{
		"recall":   func(list []Judge) error { return Recall(list, nil, kept, store) },
		"discover": func(list []Judge) error { return Discover(t.Context(), list, nil, kept, store, nil) },
	} {
		list := []Judge{judgeAt(s.URL), {Baseline: true, Config: judges.Config{Model: "fake-model"}}}
		if err := find(list); err != nil || list[0].Config.Transport != llm.JSONObject || list[0].Kind != llm.KindVLLM ||
			list[1].Profile != nil || s.Requests() != 0 {
			t.Errorf("%s: %v, asked by %s after %d requests; %+v", name, err, list[0].Config.Transport, s.Requests(), list[1])
		}
	}
	list := []Judge{judgeAt(s.URL), judgeAt("http://127.0.0.1:1/v1")}
	err := Recall(list, nil, nil, store)
	if err != nil || list[0].Profile.Transport != llm.Tools || list[1].Profile != nil {
		t.Errorf("%v, %+v", err, list)
	}
}

// TestSamplingOfAProfile: sampling that a model was found to need is used unless the user chose another; what the
// server refuses is left out.
func TestSamplingOfAProfile(t *testing.T) {
	p := Profile{Temperature: new(0.6), TopP: new(0.95), Fields: []capability.FieldChange{
		{Field: "seed"}, {Field: "max_tokens", SentAs: "max_completion_tokens"},
	}}
	for _, tt := range []struct {
		config judges.Config
		want   string
	}{
		{judges.Config{}, "seed=null temperature=0.6 top_p=0.95"}, {judges.Config{Temperature: new(0.0)}, "seed=null"},
		{judges.Config{Extra: []llm.Field{{Name: "top_p", Value: []byte("0.5")}}}, "top_p=0.5 seed=null temperature=0.6"},
	} {
		j := Judge{Config: tt.config}
		j.follow(p)
		var got []string
		for _, f := range j.Config.Extra {
			got = append(got, f.Name+"="+string(f.Value))
		}
		if strings.Join(got, " ") != tt.want || j.Config.LimitName != "max_completion_tokens" {
			t.Errorf("%q, the limit is sent as %s, want %s", got, j.Config.LimitName, tt.want)
		}
	}
}

// TestNotes: what is asked, and what the user could do about the answers, is told under the judge's name; so is a
// profile that cannot be kept, which fails nothing.
func TestNotes(t *testing.T) {
	s := llmtest.Start(toolsOnly)
	defer s.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, lost := range map[string]bool{t.TempDir(): false, "": false, file: true} {
		var notes []string
		list := []Judge{judgeAt(s.URL)}
		note := func(line string) { notes = append(notes, line) }
		if err := Discover(t.Context(), list, nil, nil, &Store{Dir: dir}, note); err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(notes, func(line string) bool {
			return strings.HasPrefix(line, "the profile of fake-model could not be kept: ")
		})
		if told != lost || notes[0] != "judge fake-model: asking the server what it supports" {
			t.Errorf("stored in %q: %q", dir, notes)
		}
		if !slices.ContainsFunc(notes, func(line string) bool {
			return strings.HasPrefix(line, "judge fake-model: the model thinks before it answers: ")
		}) {
			t.Errorf("it is not told that the model thinks: %q", notes)
		}
	}
}

// TestProfilesThatDoNotHold: a stored profile of another form, endpoint or time is none.
func TestProfilesThatDoNotHold(t *testing.T) {
	now := time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)
	store := &Store{Dir: t.TempDir(), Now: func() time.Time { return now }}
	const at, model, settings = "http://h/v1", "m", "s"
	const caps = `{"endpoint":"http://h/v1","model":"m","settings":"s","transport":"tools"}`
	entry := func(schema, time, caps string) string {
		return fmt.Sprintf(`{"schema":%q,"time":%q,"capabilities":%s}`, schema, time, caps)
	}
	const v2, fresh = "judge.profile/v2", "2026-11-21T12:00:00Z"
	for _, tt := range []struct {
		text string
		want bool
	}{
		{entry(v2, fresh, caps), true}, {entry("judge.profile/v1", fresh, caps), false}, {entry(v2, fresh, "null"), false},
		{entry(v2, "2026-11-21T13:00:00Z", caps), true}, {entry(v2, "2026-11-21T13:00:01Z", caps), false},
		{entry(v2, "2026-11-20T13:00:01Z", caps), true}, {entry(v2, "2026-11-20T13:00:00Z", caps), false},
		{entry(v2, fresh, strings.Replace(caps, "http://h", "http://i", 1)), false},
		{entry(v2, fresh, strings.Replace(caps, `"m"`, `"n"`, 1)), false},
		{entry(v2, fresh, strings.Replace(caps, `"s"`, `"r"`, 1)), false},
		{entry(v2, fresh, strings.Replace(caps, `"tools"`, `"telepathy"`, 1)), false}, {"{", false},
		{entry(v2, fresh, strings.Replace(caps, `"tools"`, `"tools","slots":"x"`, 1)), false},
	} {
		if err := os.WriteFile(store.Path(at, model, settings), []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := store.load(at, model, settings); (got != nil) != tt.want {
			t.Errorf("%s: %+v", tt.text, got)
		}
	}
	for name, none := range map[string]string{
		"no store": (*Store)(nil).Path(at, model, settings), "no directory": (&Store{}).Path(at, model, settings),
		"no address": store.Path("", model, settings),
	} {
		if none != "" {
			t.Errorf("%s: %s", name, none)
		}
	}
}

// TestSave: a profile is written whole or not at all, to a file of its own for each endpoint, model and settings; where
// nothing is kept, nothing is written.
func TestSave(t *testing.T) {
	now := time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)
	store := &Store{Dir: filepath.Join(t.TempDir(), "new", "profiles"), Now: func() time.Time { return now }}
	caps := &capability.Capabilities{Endpoint: "http://h/v1", Model: "m", Settings: "s", Transport: llm.Tools}
	names := func() (list []string) {
		entries, _ := os.ReadDir(store.Dir)
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list
	}
	if err := store.Save(&capability.Capabilities{Endpoint: "http://h/v1"}); err == nil ||
		err.Error() != "the probe did not finish" || len(names()) > 0 {
		t.Errorf("%v, %q", err, names())
	}
	for _, none := range []*Store{nil, {}} {
		if err := none.Save(caps); err != nil {
			t.Error(err)
		}
	}
	if err := store.Save(caps); err != nil {
		t.Fatal(err)
	}
	path := store.Path("http://h/v1", "m", "s")
	data, err := os.ReadFile(path)
	start := "{\n  \"schema\": \"judge.profile/v2\",\n  \"time\": \"2026-11-21T13:00:00Z\",\n  \"capabilities\": {\n"
	if err != nil || !strings.HasPrefix(string(data), start) || !slices.Equal(names(), []string{filepath.Base(path)}) {
		t.Errorf("%s, %q, %v", data, names(), err)
	}
	if !regexp.MustCompile(`^[0-9a-f]{24}\.json$`).MatchString(filepath.Base(path)) {
		t.Errorf("the file is %s", path)
	}
	for _, other := range [][3]string{{"http://h/v1", "ms", ""}, {"http://h/v1m", "", "s"}, {"http://h/v1", "m", "t"}} {
		if store.Path(other[0], other[1], other[2]) == path {
			t.Errorf("%q is kept in the same file", other)
		}
	}
	if got := store.load("http://h/v1", "m", "s"); got == nil || got.Transport != llm.Tools {
		t.Errorf("%+v", got)
	}
	occupied := *caps
	occupied.Model = "occupied"
	if err := os.MkdirAll(filepath.Join(store.Path("http://h/v1", "occupied", "s"), "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := store.Save(&occupied); err == nil || len(names()) != 2 {
		t.Errorf("%v, %q", err, names())
	}
	below := &Store{Dir: filepath.Join(path, "below"), Now: store.Now}
	if err := below.Save(caps); err == nil || !strings.Contains(err.Error(), "mkdir") {
		t.Errorf("saved below a file: %v", err)
	}
}
