package run

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
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

// TestPrepareResumed: a resumed run goes by the profile of its directory, which is
// part of its identity.
func TestPrepareResumed(t *testing.T) {
	s := llmtest.Start(toolsOnly)
	dir := t.TempDir()
	p := shortPlan(t, s.URL, "fake-model", shortLog(1, ""))
	if err := discover(t.Context(), &p, dir, false, nil, nil); err != nil {
		t.Fatal(err)
	}
	first, err := executeSetup(t.Context(), p, dir, false, Observer{})
	if err != nil {
		t.Fatal(err)
	}
	s.Close() // so that nothing can be asked
	again := shortPlan(t, s.URL, "fake-model", shortLog(1, ""))
	if id, _ := again.identify(nil); id == func() string { id, _ := p.identify(nil); return id }() {
		t.Error("the transport is no part of the identity")
	}
	if err := discover(t.Context(), &again, dir, true, nil, nil); err != nil {
		t.Fatal(err)
	}
	second, err := executeSetup(t.Context(), again, dir, true, Observer{})
	if err != nil || second.Manifest.RunID != first.Manifest.RunID {
		t.Errorf("resumed as %v, %v", second, err)
	}
	if diff := cmp.Diff(first.Manifest.Profiles, second.Manifest.Profiles); diff != "" {
		t.Error(diff)
	}
}

// strictOnly answers under json_schema, and only where schemas are strict: closed, with
// every key required.
func strictOnly(c llmtest.Call) llmtest.Reply {
	var format struct {
		Schema struct {
			Strict bool
			Schema struct {
				Properties           map[string]any
				Required             []string
				AdditionalProperties *bool
			}
		} `json:"json_schema"`
	}
	s := &format.Schema
	if c.Members["response_format"] == nil {
		return llmtest.Text("yes")
	}
	if json.Unmarshal(c.Members["response_format"], &format) != nil || !s.Strict {
		return llmtest.Fail(400, "strict must be true")
	}
	if open := s.Schema.AdditionalProperties; open == nil || *open || len(s.Schema.Required) != len(s.Schema.Properties) {
		return llmtest.Fail(400, "additionalProperties must be false, and every key required")
	}
	return llmtest.Chat(llmtest.ChatMessage{
		Content: `{"explanation":"e","evidence":"NONE: nothing","output":1,"confidence":1,"correction":""}`, PromptTokens: len(c.Body) / 4,
	})
}

// stored keeps a finding as an earlier probe of the endpoint would have.
func stored(t testing.TB, caps capability.Capabilities) *instrument.Store {
	t.Helper()
	store := &instrument.Store{Dir: t.TempDir()}
	if err := store.Save(&caps); err != nil {
		t.Fatal(err)
	}
	return store
}

// TestStrict: where a hosted service takes strict schemas, that is how a run asks it,
// from the first request to the resumed ones, and run.json says so.
func TestStrict(t *testing.T) {
	s := llmtest.Start(strictOnly)
	defer s.Close()
	for _, tt := range []struct {
		finding capability.Finding
		want    bool
	}{{capability.Yes, true}, {capability.Refused, false}} {
		asked := shortPlan(t, s.URL, "m", shortLog(1, ""))
		store := stored(t, capability.Capabilities{Endpoint: s.URL, Model: "m", Settings: asked.Judges[0].Settings(), Kind: llm.KindUnknown, Transport: llm.JSONSchema, Strict: tt.finding, Thinking: capability.None})
		dir := t.TempDir()
		p := shortPlan(t, s.URL, "m", shortLog(2, ""))
		plain, _ := p.identify(nil)
		if err := discover(t.Context(), &p, dir, false, store, nil); err != nil {
			t.Fatal(err)
		}
		if id, _ := p.identify(nil); tt.want && id == plain {
			t.Error("strict is no part of the identity")
		}
		out, err := executeSetup(t.Context(), p, dir, false, Observer{})
		if err != nil {
			t.Fatal(err)
		}
		if all := out.Scored == out.Wanted; all != tt.want || out.Manifest.Profiles[0].Strict != tt.want {
			t.Errorf("strict %s: %d of %d scored, profile %+v", tt.finding, out.Scored, out.Wanted, out.Manifest.Profiles[0])
		}
		again := shortPlan(t, s.URL, "m", shortLog(2, ""))
		if err := discover(t.Context(), &again, dir, true, nil, nil); err != nil || again.Judges[0].Config.Strict != tt.want {
			t.Errorf("strict %s: resumed with %v, %v", tt.finding, again.Judges[0].Config.Strict, err)
		}
	}
}

// discover finds out how each judge's endpoint has to be asked, as judge run does.
func discover(ctx context.Context, p *setup, dir string, resume bool, store *instrument.Store, note func(string)) error {
	var kept []instrument.Profile
	if resume {
		m, err := directory.ReadManifest(dir)
		if err != nil {
			return err
		}
		kept = m.Profiles
	}
	return instrument.Discover(ctx, p.Judges, p.Rubrics, kept, store, note)
}
