package instrument

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/internal/llm/llmtest"
)

// TestExamineContext: a prompt that is cut without an error is distinguished from one that is
// refused, and neither is found at a server with enough context.
func TestExamineContext(t *testing.T) {
	for _, tt := range []struct {
		name            string
		cut, limit      int // cuts prompts to so many tokens; refuses longer ones
		refusal         string
		tokens          int
		want            capability.Finding
		window, longest int
	}{
		{"room for all", 0, 0, "", 8192, capability.Unknown, 0, 9011},
		{"cut at 2048", 2048, 0, "", 8192, capability.Truncated, 2048, 9011},
		{"refused over 2048", 0, 2048, "This model's maximum context length is exceeded", 8192, capability.Refused, 0, 9011},
		{"refused and named", 0, 2048, "maximum context length is 2048 tokens", 8192, capability.Refused, 2048, 9011},
		{"refused in words nobody knows", 0, 2048, "no", 8192, capability.Refused, 0, 9011},
		{"refused always", 0, 1, "no", 8192, capability.Unknown, 0, 0},
		{"asked for the usual", 2048, 0, "", 0, capability.Truncated, 2048, 9011},
		{"not asked", 2048, 0, "", -1, capability.Unknown, 0, 0},
		{"asked for little", 2048, 0, "", 1500, capability.Unknown, 0, 1650},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := llmtest.Start(func(c llmtest.Call) llmtest.Reply {
				tokens := len(c.Body) / 4
				if tt.limit > 0 && tokens > tt.limit && strings.Contains(c.Last(), "take up room") {
					return llmtest.Fail(400, tt.refusal)
				}
				if tt.cut > 0 {
					tokens = min(tokens, tt.cut)
				}
				_, rest, _ := strings.Cut(string(c.Body), `"key_`)
				key, _, _ := strings.Cut(rest, `"`)
				return llmtest.Chat(llmtest.ChatMessage{PromptTokens: tokens,
					Content: `{"key_` + key + `":"v","b":1,"a":true,"output":1}`})
			})
			defer s.Close()
			j := judgeAt(s.URL)
			got, err := j.Examine(t.Context(), nil, tt.tokens)
			if err != nil {
				t.Fatal(err)
			}
			if got.Overlong != tt.want || got.Window != tt.window || got.Longest != tt.longest {
				t.Errorf("overlong %s, window %d, longest %d", got.Overlong, got.Window, got.Longest)
			}
			if noted := strings.Contains(fmt.Sprint(got.Notes), "cut to 2048"); noted != (tt.want == capability.Truncated) {
				t.Errorf("notes %q", got.Notes)
			}
		})
	}
}

// TestExamineFails: a prompt that took too long is told, and the rest of what was found stays; an endpoint that fails
// otherwise meanwhile ends the examination with its reason.
func TestExamineFails(t *testing.T) {
	for status, want := range map[int]llm.ErrorKind{408: "", 401: llm.KindUnauthorized, 500: llm.KindServer} {
		s := llmtest.Start(func(c llmtest.Call) llmtest.Reply {
			if strings.Contains(c.Last(), "take up room") {
				return llmtest.Fail(status, "no")
			}
			return toolsOnly(c)
		})
		j := judgeAt(s.URL)
		got, err := j.Examine(t.Context(), nil, 8192)
		s.Close()
		e, _ := errors.AsType[*llm.Error](err)
		if (e == nil) != (want == "") || e != nil && e.Kind != want {
			t.Errorf("%d: %v, want %s", status, err, want)
		}
		const late = "the context was not measured: a prompt took too long"
		if got == nil || got.Transport != llm.Tools || slices.Contains(got.Notes, late) != (want == "") {
			t.Errorf("%d: %+v", status, got)
		}
	}
}

// TestStoredProfileOfAClosedEndpoint: an endpoint that refuses the key is told although it was probed before.
func TestStoredProfileOfAClosedEndpoint(t *testing.T) {
	s := llmtest.Start(llmtest.Always(llmtest.Fail(401, "no")))
	defer s.Close()
	j := judgeAt(s.URL)
	store := stored(t, capability.Capabilities{Endpoint: s.URL, Model: "fake-model", Settings: j.Settings(),
		Kind: llm.KindUnknown, Transport: llm.Tools})
	got, err := j.stored(t.Context(), store)
	if e, ok := errors.AsType[*llm.Error](err); !ok || e.Kind != llm.KindUnauthorized || got != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestMeasureIsRecorded: the window that was measured stands in the profile with the size that was asked for; a server
// that cannot be asked changes nothing.
func TestMeasureIsRecorded(t *testing.T) {
	cut := llmtest.Start(func(c llmtest.Call) llmtest.Reply {
		return llmtest.Chat(llmtest.ChatMessage{PromptTokens: min(len(c.Body)/4, 2048), Content: "yes"})
	})
	defer cut.Close()
	closed := llmtest.Start(llmtest.Always(llmtest.Fail(401, "no")))
	defer closed.Close()
	j := judgeAt(cut.URL)
	before := &Profile{Model: "fake-model", Kind: llm.KindUnknown, Slots: 3}
	j.Profile = before
	if err := j.Measure(t.Context(), 8192); err != nil || j.Profile.ContextTokens != 2048 ||
		j.Profile.MeasuredTokens != 8192 || j.Profile.Slots != 3 || before.MeasuredTokens != 0 {
		t.Errorf("%v, %+v", err, j.Profile)
	}
	j = judgeAt(closed.URL)
	j.Profile = before
	err := j.Measure(t.Context(), 8192)
	if e, ok := errors.AsType[*llm.Error](err); !ok || e.Kind != llm.KindUnauthorized || j.Profile != before {
		t.Errorf("%v, %+v", err, j.Profile)
	}
	if _, err := j.Examine(t.Context(), nil, 0); err == nil {
		t.Error("an endpoint that refuses the key is examined")
	}
}

// TestWeakProfiles: a stored profile by which nothing constrains the answers is not gone by: the server may know more
// by now.
func TestWeakProfiles(t *testing.T) {
	s := llmtest.Start(toolsOnly)
	defer s.Close()
	for transport, want := range map[llm.Transport]string{
		llm.Tools: profileStored, llm.JSONObject: profileProbed, llm.PromptOnly: profileProbed,
	} {
		j := judgeAt(s.URL)
		store := stored(t, capability.Capabilities{Endpoint: s.URL, Model: "fake-model", Settings: j.Settings(),
			Kind: llm.KindUnknown, Transport: transport})
		list := []Judge{j}
		if err := Discover(t.Context(), list, nil, nil, store, nil); err != nil {
			t.Fatal(err)
		}
		if p := list[0].Profile; p.Source != want || p.Transport != llm.Tools {
			t.Errorf("stored %s: %+v", transport, p)
		}
	}
}
