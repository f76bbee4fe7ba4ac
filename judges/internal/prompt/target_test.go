package prompt

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/judges/internal/window"
	"github.com/judgekit/judge/rubrics"
)

// TestTargetNames: the name of an item in keys and its name in a sentence.
func TestTargetNames(t *testing.T) {
	for _, tt := range []struct {
		target   Target
		id, text string
	}{
		{OfCall(3), "3", "call 3"},
		{Target{Scope: rubrics.ScopeCall, Call: 3}, "3", "call 3"},
		{Target{Scope: rubrics.ScopeResult, Call: 3}, "3:result", "call 3 with its result"},
		{Target{Scope: rubrics.ScopeTurn, Turn: 2}, "turn2", "turn 2"},
		{Target{Scope: rubrics.ScopeConversation}, "", ""},
	} {
		if id, text := tt.target.ID(), tt.target.String(); id != tt.id || text != tt.text {
			t.Errorf("%+v: %q, %q, want %q, %q", tt.target, id, text, tt.id, tt.text)
		}
	}
}

// TestTargets: calls that are only history and calls of a simulated user are not judged; a call without a
// result is not judged by its result, and what nobody answered is no conversation to judge.
func TestTargets(t *testing.T) {
	conv := judgetest.NewConversation(t, "c").Say(transcript.User, "hi").
		Act("", "history {}").Result(0, "ok").Act("", "users {}").Result(1, "ok").
		Act("", "own {}").Result(2, "ok").Say(transcript.User, "more").Act("", "open {}").Conv
	conv.Calls[0].Context, conv.Calls[1].Executor = true, "user"
	mute := judgetest.NewConversation(t, "m").Say(transcript.User, "hi").Conv
	for _, tt := range []struct {
		conv  *transcript.Conversation
		scope rubrics.Scope
		want  []string
	}{
		{conv, "", []string{"2", "3"}}, {conv, rubrics.ScopeCall, []string{"2", "3"}},
		{conv, rubrics.ScopeResult, []string{"2:result"}}, {conv, rubrics.ScopeTurn, []string{"turn1", "turn2"}},
		{conv, rubrics.ScopeConversation, []string{""}},
		{mute, rubrics.ScopeConversation, nil}, {mute, rubrics.ScopeTurn, nil},
	} {
		var got []string
		for _, target := range Targets(tt.conv, tt.scope) {
			got = append(got, target.ID())
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s of %s: %q, want %q", tt.scope, tt.conv.ID, got, tt.want)
		}
	}
}

// TestWhatScopesShow: nothing after an item's end is shown, and the lines without which it is not judged are
// its own and, for a call, what the user said last before it. The estimate covers the text.
func TestWhatScopesShow(t *testing.T) {
	v := NewView(judgetest.NewConversation(t, "c").Tool("f", "does it", `{}`).
		Say(transcript.User, "first").Act("", "f {}").Result(0, "r0").Say(transcript.Assistant, "said").
		Say(transcript.User, "second").Act("", "f {}", "f {}").Result(1, "r1").Result(2, "r2").
		Say(transcript.Assistant, "done").Say(transcript.User, "bye").Conv, Options{RunKey: []byte("k")})
	for _, tt := range []struct {
		target Target
		// history is the number of lines before the item, end that of all that are shown.
		history, end int
		must         []int
	}{
		{OfCall(0), 1, 1, []int{0}},
		{OfCall(2), 4, 4, []int{3}},
		{Target{Scope: rubrics.ScopeResult, Call: 0}, 1, 3, []int{1, 0}},
		{Target{Scope: rubrics.ScopeResult, Call: 2}, 4, 7, []int{5, 3}},
		{Target{Scope: rubrics.ScopeTurn, Turn: 1}, 0, 3, []int{0, 1, 2}},
		{Target{Scope: rubrics.ScopeTurn, Turn: 2}, 3, 7, []int{3, 4, 5, 6}},
		{Target{Scope: rubrics.ScopeConversation}, 8, 8, []int{0, 1, 2, 3, 4, 5, 6, 7}},
	} {
		r, _ := v.record(tt.target)
		if r.Before != tt.history || r.Lines != tt.end || !slices.Equal(r.Must, tt.must) {
			t.Errorf("%s: lines up to %d and up to %d, of which %v must be there; want %d, %d, %v",
				tt.target, r.Before, r.Lines, r.Must, tt.history, tt.end, tt.must)
		}
		s := v.Show(tt.target, math.Inf(1), Ending{})
		cost := v.opts.Limit.CostOf(s.Text) + window.MessageTokens
		if spare := s.Tokens - cost; spare < 0 || spare > 45 {
			t.Errorf("%s: %v tokens by estimate, and the text costs %v", tt.target, s.Tokens, cost)
		}
	}
}

// TestToolLines: a line of a call tells how it ended, if the text of its result does not say so.
func TestToolLines(t *testing.T) {
	null := value.Value{}
	for want, change := range map[string]func(*transcript.Call, *transcript.Message){
		`{"name":"f","parameters":{"x":1},"output":"ok"}`: func(*transcript.Call, *transcript.Message) {},
		`{"name":"f","parameters":{"x":1},"output":"no","status":"refused"}`: func(
			c *transcript.Call, m *transcript.Message) {
			c.Refused, m.IsError, m.Content = true, true, "no"
		},
		`{"name":"f","parameters":{"x":1},"output":"no","status":"error"}`: func(_ *transcript.Call, m *transcript.Message) {
			m.IsError, m.Content = true, "no"
		},
		`{"name":"f","parameters":{"x":1},"output":"Error: no such order","status":"ok"}`: func(
			_ *transcript.Call, m *transcript.Message) {
			m.Succeeded, m.Content = true, "Error: no such order"
		},
		`{"name":"f","parameters":{"x":1},"output":"fine"}`: func(_ *transcript.Call, m *transcript.Message) {
			m.Succeeded, m.Content = true, "fine"
		},
		`{"name":"f","parameters":{},"output":"ok"}`: func(c *transcript.Call, _ *transcript.Message) {
			c.Arguments = null
		},
		`{"name":"f","caller":"user","parameters":{"x":1},"output":"ok"}`: func(
			c *transcript.Call, _ *transcript.Message) {
			c.Executor = "user"
		},
		`{"name":"f","parameters":{"x":1},"status":"no_result"}`: func(c *transcript.Call, m *transcript.Message) {
			c.Result, m.Role, m.Content = -1, transcript.System, ""
		},
		`{"name":"f","parameters":{"x":1},"status":"not_run"}`: func(c *transcript.Call, m *transcript.Message) {
			c.Result, c.Proposed, m.Role = -1, true, transcript.System
		},
		`{"name":"other","output":"ok"}`: func(_ *transcript.Call, m *transcript.Message) { m.Result = 7 },
	} {
		conv := judgetest.NewConversation(t, "c").Act("", `f {"x":1}`).Result(0, "ok").Act("", "g {}").Conv
		conv.Messages[1].ToolName = "other" // the call knows better
		change(&conv.Calls[0], &conv.Messages[1])
		text := live(t, conv, 1)
		if want = `[1] {"role":"tool",` + want[1:] + "\n"; !strings.Contains(text, want) {
			t.Errorf("no line %s in\n%s", want, text)
		}
	}
}

// TestMessagesWithoutText: an empty message is a line as well, and a call that a message names without its being
// there is left out.
func TestMessagesWithoutText(t *testing.T) {
	conv := judgetest.NewConversation(t, "c").Say(transcript.User, "").Act("", "f {}", "g {}").Act("", "h {}").Conv
	conv.Messages[1].Calls = []int{0, 99, 1}
	conv.Calls[2].Message = 99
	want := "[1] {\"role\":\"user\",\"content\":\"\"}\n<<<END N conversation>>>\n<<<RECORD N proposed>>>\n" +
		`{"name":"g","parameters":{},"status":"proposed"}` + "\n<<<END"
	v := NewView(conv, Options{code: "N"})
	if got := v.Show(OfCall(0), math.Inf(1), Ending{}).Text; !strings.Contains(got, want) {
		t.Error(got)
	}
	if got := v.Show(OfCall(2), math.Inf(1), Ending{}).Text; strings.Contains(got, "[1]") {
		t.Errorf("a call of no message has a history:\n%s", got)
	}
}

// TestWhatTheChecksRead: the texts of a call, of the calls beside it and of a tool, as they are in the log.
func TestWhatTheChecksRead(t *testing.T) {
	v := NewView(judgetest.NewConversation(t, "c").
		Tool("f", "Find <it>", `{"description":7,"properties":{"x":{"type":"string","description":"what"}}}`).
		Say(transcript.User, "a^b").Act("", `f {"x": "<a>"}`, `g {broken`).Conv, Options{Marker: "^"})
	turn := Target{Scope: rubrics.ScopeTurn, Turn: 1}
	for _, d := range []string{
		cmp.Diff([]string{"f", `{"x":"<a>"}`, "g", "{broken"}, v.CallTexts(OfCall(0))),
		cmp.Diff(`{"name":"f","parameters":{"x":"\u003ca>"}}`+
			`{"name":"g","parameters":"{broken","unparsed":true,"status":"proposed"}`+"\n", v.Call(OfCall(0))),
		cmp.Diff([]string(nil), v.CallTexts(turn)), cmp.Diff("", v.Call(turn)),
		cmp.Diff([]string{"f", "Find <it>", "what"}, ToolTexts(&v.Conversation().Tools[0])),
		cmp.Diff(`{"name":"f","description":"Find^\u003cit>","parameters":{"description":7,"properties":`+
			`{"x":{"type":"string","description":"what"}}}}`+"\n", v.Tools()),
		cmp.Diff("a b", v.Unmark("a^b")), cmp.Diff("a^b", NewView(v.Conversation(), Options{}).Unmark("a^b")),
	} {
		if d != "" {
			t.Error(d)
		}
	}
}
