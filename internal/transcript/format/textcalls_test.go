package format

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// TestResultsInText: with TextCalls a message of the user that begins as results do is the result
// of the call before it, and an answer in the form of a call is a message. Without it each
// message that looks like a call is noted once, and nothing changes.
func TestResultsInText(t *testing.T) {
	say := func(role, text string) string {
		return `{"role":"` + role + `","content":` + value.OfString(text).JSON() + `}`
	}
	for _, tt := range []struct {
		name     string
		messages []string
		with     string
		without  string
		contents []string
		open     string
	}{
		{"API output", []string{say("assistant", "Thought: x\nAction:\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}"), say("user", "API output: {\"b\": 2}"),
			say("assistant", "Thought: done\nAction:\n{\"name\": \"respond\", \"arguments\": {\"content\": \"It is 2.\"}}"), say("user", "thanks")},
			`f({"a":1})@1->2:order call_from_text call_without_id paired_by_order`, "call_in_text result_in_text call_in_text",
			[]string{"user hi", "assistant Thought: x", `tool {"b": 2}`, "assistant It is 2.", "user thanks"}, ""},
		{"the last one ran", []string{say("assistant", `{"name":"f","arguments":{}} or {"name":"g","arguments":{}}`), say("user", "API output: ")},
			`g({})@1->2:order call_from_text call_without_id paired_by_order`, "call_in_text result_in_text", nil, ""},
		{"Observation", []string{say("assistant", "Action: f\nAction Input: x"), say("user", "Observation: y")},
			`f({"input":"x"})@1->2:order call_from_text call_without_id paired_by_order`, "call_in_text result_in_text", []string{"user hi", "assistant ", "tool y"}, ""},
		{"tool_response", []string{say("assistant", `<tool_call>{"name":"f","arguments":{}}</tool_call>`), say("user", "<tool_response>\n7\n</tool_response>")},
			`f({})@1->2:order call_from_text call_without_id paired_by_order`, "call_in_text result_in_text", []string{"user hi", "assistant ", "tool 7"}, ""},
		{"nothing shows that it ran", []string{say("assistant", "<function=f>{}</function>"), say("user", "API output")},
			`f({})@1->-1:none call_from_text`, "call_in_text", []string{"user hi", "assistant <function=f>{}</function>", "user API output"}, ""},
		{"a result without a call", []string{say("assistant", "hello"), say("user", "API output: 7")}, "", "", []string{"user hi", "assistant hello", "user API output: 7"}, ""},
		{"respond with more", []string{say("assistant", `{"name":"respond","arguments":{"content":"x","to":"y"}}`)},
			`respond({"content":"x","to":"y"})@1->-1:none call_from_text`, "call_in_text", nil, ""},
		{"cannot be read", []string{say("assistant", `<tool_call>{"name": f}</tool_call>`)},
			`({})@1!->-1:none call_from_text`, "call_in_text", nil, transcript.UnreadableInText},
		{"the tags of another model", []string{say("assistant", "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f")},
			"unreadable_in_text", "call_in_text", nil, transcript.UnreadableInText},
		{"a list that is cut", []string{say("assistant", "[f(a=1), f(a=")}, "unreadable_in_text", "call_in_text", nil, transcript.UnreadableInText},
		{"none", []string{say("assistant", "Action: None")}, "", "", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, flag := range []bool{true, false} {
				want := map[bool]string{true: tt.with, false: tt.without}[flag]
				got, list := readText(t, "x", with(tt.messages...), Options{Format: native.name, TextCalls: flag})
				if diff := cmp.Diff(strings.TrimSpace("c x:1 "+want), strings.Replace(got[0], "c x:1  ", "c x:1 ", 1)); diff != "" {
					t.Errorf("TextCalls %v: %s", flag, diff)
				}
				open := map[bool]string{true: tt.open}[flag]
				if !flag && tt.without != "" {
					open = transcript.CallInText
				}
				if list[0].OnlyInText() != open {
					t.Errorf("TextCalls %v: only in text: %q, want %q", flag, list[0].OnlyInText(), open)
				}
				var contents []string
				for _, m := range list[0].Messages {
					contents = append(contents, string(m.Role)+" "+m.Content)
				}
				if diff := cmp.Diff(tt.contents, contents); flag && tt.contents != nil && diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestTextCallsOnDemand(t *testing.T) {
	text := with(`{"role":"assistant","content":"Let me.\n<tool_call>\n{\"name\":\"f\",\"arguments\":{\"a\":1}}\n</tool_call> and {\"name\": \"g\", \"parameters\": {}} not {\"name\":\"h\"}"}`,
		assistant(fn("1", "k", `"{}"`)), result("1", ""), `{"role":"assistant","content":"<tool_call>{broken</tool_call>"}`)
	got, list := readText(t, "x", text, Options{Format: native.name, TextCalls: true})
	want := `c x:1 f({"a":1})@1->-1:none g({})@1->-1:none k({})@2->3:id ({})@4!->-1:none call_from_text call_from_text`
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Error(diff)
	}
	for i, c := range list[0].Calls {
		if c.Index != i || c.Proposed != (c.Name != "k") {
			t.Errorf("%+v", c)
		}
	}
	if m := list[0].Messages[3]; m.Result != 2 {
		t.Errorf("the result belongs to call %d", m.Result)
	}
}

// TestWithoutBlock: what is left of a text holds neither a call nor the tags around it,
// whatever blanks stand between them.
func TestWithoutBlock(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"before <tool_call>CALL</tool_call> after", "before\nafter"},
		{"before\n<tool_call>\nCALL\n</tool_call>\nafter", "before\nafter"},
		{"<tool_call>\nCALL \n </tool_call>", ""},
		{"Thought: x\nAction: CALL", "Thought: x"},
		{"nothing here", "nothing here"},
	} {
		if got := withoutBlock(tt.text, "CALL"); got != tt.want {
			t.Errorf("%q becomes %q, want %q", tt.text, got, tt.want)
		}
	}
}
