package run

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/judges"
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
	store := &ProfileStore{Dir: t.TempDir(), Now: func() time.Time { return now }}
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
		requests bool
	}{
		{"a transport that was given takes the place of the one found", func(j *Judge) { j.Config.Transport = llm.JSONObject }, &given, true},
		{"also of the one that was kept", func(j *Judge) { j.Config.Transport = llm.JSONObject }, &givenLater, false},
		{"what was kept is what was found", func(*Judge) {}, &stored, false},
		{"a day later it is probed", func(*Judge) { now = now.Add(ProfileMaxAge) }, &probed, true},
		{"the second goes by what was kept", func(*Judge) {}, &stored, false},
		{"a day later it is probed again", func(*Judge) { now = now.Add(ProfileMaxAge) }, &probed, true},
		{"a damaged file counts as none", func(*Judge) {
			if err := os.WriteFile(store.Path(s.URL, "fake-model"), []byte(`{"schema":`), 0o600); err != nil {
				t.Fatal(err)
			}
		}, &probed, true},
		{"another model is another profile", func(j *Judge) { j.Config.Name, j.Config.Model = "fake-model", "other" }, nil, true},
		{"the baseline is known", func(j *Judge) { j.Baseline = true }, nil, false},
	}
	for _, step := range steps {
		p := Plan{Judges: []Judge{judgeAt(s.URL)}}
		step.edit(&p.Judges[0])
		before := s.Requests()
		if err := Prepare(t.Context(), &p, "", false, store, nil); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		j := &p.Judges[0]
		if asked := s.Requests() - before; (asked > 0) != step.requests || asked > 8 {
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
		if data, err := os.ReadFile(store.Path(s.URL, "fake-model")); err == nil && strings.Contains(string(data), "do-not-show") {
			t.Errorf("%s: the key is in the profile", step.name)
		}
	}
}

// TestPrepareResumed: a resumed run goes by the profile of its directory, which is
// part of its identity.
func TestPrepareResumed(t *testing.T) {
	s := llmtest.Start(toolsOnly)
	dir := t.TempDir()
	p := shortPlan(t, s.URL, "fake-model", shortLog(1, ""))
	if err := Prepare(t.Context(), &p, dir, false, nil, nil); err != nil {
		t.Fatal(err)
	}
	first, err := Execute(t.Context(), p, dir, false, Observer{})
	if err != nil {
		t.Fatal(err)
	}
	s.Close() // so that nothing can be asked
	again := shortPlan(t, s.URL, "fake-model", shortLog(1, ""))
	if id, _ := again.identify(nil); id == func() string { id, _ := p.identify(nil); return id }() {
		t.Error("the transport is no part of the identity")
	}
	if err := Prepare(t.Context(), &again, dir, true, nil, nil); err != nil {
		t.Fatal(err)
	}
	second, err := Execute(t.Context(), again, dir, true, Observer{})
	if err != nil || second.Manifest.RunID != first.Manifest.RunID {
		t.Errorf("resumed as %v, %v", second, err)
	}
	if diff := cmp.Diff(first.Manifest.Profiles, second.Manifest.Profiles); diff != "" {
		t.Error(diff)
	}
}

// TestContextOf: a window that was measured counts before one that was told, but a
// server that cuts to half its window has the window that it tells.
func TestContextOf(t *testing.T) {
	whole := capability.CanaryPrompt{Expected: 2200, Reported: 2200}
	for _, tt := range []struct {
		name string
		caps capability.Capabilities
		want int
	}{
		{"nothing known", capability.Capabilities{}, 0},
		{"told", capability.Capabilities{ContextTokens: 8192}, 8192},
		{"cut at a size that was not told", capability.Capabilities{Overlong: capability.Truncated, Window: 4096, Canary: []capability.CanaryPrompt{whole, {Expected: 4400, Reported: 4096}}}, 4096},
		{"cut below what was told", capability.Capabilities{ContextTokens: 32768, Overlong: capability.Truncated, Window: 4096, Canary: []capability.CanaryPrompt{whole, {Expected: 4400, Reported: 4096}}}, 4096},
		{"cut to half", capability.Capabilities{ContextTokens: 4096, Overlong: capability.Truncated, Window: 2050, Canary: []capability.CanaryPrompt{whole, {Expected: 4400, Reported: 2050}}}, 4096},
		{"cut to half of what was not told", capability.Capabilities{Overlong: capability.Truncated, Window: 2050, Canary: []capability.CanaryPrompt{whole, {Expected: 4400, Reported: 2050}}}, 0},
		{"refused", capability.Capabilities{ContextTokens: 4096, Overlong: capability.Refused, Window: 4096, Canary: []capability.CanaryPrompt{whole, {Expected: 4400}}}, 4096},
	} {
		if got := contextOf(&tt.caps); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
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
		store := &ProfileStore{Dir: t.TempDir()}
		p := Plan{Judges: []Judge{judgeAt(s.URL)}}
		err := Prepare(t.Context(), &p, "", false, store, nil)
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != tt.want || strings.Contains(err.Error(), "do-not-show") {
			t.Errorf("%v, want kind %s", err, tt.want)
		}
		if _, err := os.Stat(store.Path(s.URL, "fake-model")); err == nil {
			t.Error("a probe that failed was kept")
		}
		s.Close()
	}
	s := llmtest.Start(toolsOnly)
	defer s.Close()
	p := Plan{Judges: []Judge{judgeAt(s.URL)}}
	p.Judges[0].ReasoningGiven = true
	if err := Prepare(t.Context(), &p, "", false, nil, nil); err != nil || p.Judges[0].Config.Reasoning {
		t.Errorf("reasoning %v, %v", p.Judges[0].Config.Reasoning, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p = Plan{Judges: []Judge{judgeAt(s.URL)}}
	if err := Prepare(ctx, &p, "", false, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// FuzzProfile: whatever lies in the cache, loading it fails without harm, or gives a
// profile that a run can follow.
func FuzzProfile(f *testing.F) {
	f.Add([]byte(`{"schema":"judge.profile/v1","time":"2026-11-21T12:00:00Z","capabilities":{"endpoint":"http://h/v1","model":"m","transport":"tools"}}`))
	f.Add([]byte(`{"schema":"judge.profile/v1","capabilities":null}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		store := &ProfileStore{Dir: t.TempDir(), Now: func() time.Time { return time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC) }}
		if err := os.WriteFile(store.Path("http://h/v1", "m"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		c, ok := store.Load("http://h/v1", "m")
		if !ok {
			return
		}
		j := judgeAt("http://h/v1")
		p := j.profile(c, profileStored)
		j.follow(p)
		if j.Config.Transport == "" || c.Model != "m" {
			t.Errorf("%+v", p)
		}
		if _, err := json.Marshal(p); err != nil {
			t.Error(err)
		}
	})
}
