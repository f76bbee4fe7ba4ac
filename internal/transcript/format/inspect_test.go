package format

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
)

func (s *Summary) inspect(t *testing.T, file, text string) {
	t.Helper()
	if err := s.Read(Open(context.Background(), file, strings.NewReader(text), Options{Format: native.name})); err != nil {
		t.Fatal(err)
	}
}

func TestInspect(t *testing.T) {
	first := with(assistant(fn("1", "f", `"{}"`), fn("2", "g", `"{"`)), result("1", "a"), `{"role":"tool","tool_call_id":"2","content":"Tool call was denied","is_error":true}`) + "\nbroken\n"
	second := `{"id":"n","tools":[{"name":"f"}],"messages":[{"role":"user","content":null}],"expected_calls":[],"labels":{"human":1,"reward":0}}` + "\n" +
		`{"id":"p","messages":[` + user + `],"expected_calls":[{"name":"f"},{"name":"f"}],"labels":{"human":0}}`
	var s Summary
	s.inspect(t, "a.jsonl", first)
	s.inspect(t, "b.jsonl", second)
	want := Summary{
		Files: []FileSummary{{File: "a.jsonl", Format: native.name, Evidence: "--input-format", Conversations: 1, Messages: 4, Calls: 2, Results: 2, Unreadable: 1},
			{File: "b.jsonl", Format: native.name, Evidence: "--input-format", Conversations: 2, Messages: 2}},
		Conversations: 3, Messages: 6, Calls: 2, CallsBy: []transcript.Count{{Name: "client", Count: 2}}, Results: 2, Paired: []transcript.Count{{Name: "id", Count: 2}}, ErrorResults: 1, SeveralCalls: 1,
		WithExpected: 2, Negative: 1, Expected: 2, WithTools: 1, Empty: 1, WithoutContent: 1,
		Tools:  []ToolSummary{{Name: "f", Calls: 1, Listed: true, Material: Material{Positive: 1, Negative: 1}}, {Name: "g", Calls: 1, Malformed: 1, Refused: 1}},
		Labels: []transcript.Count{{Name: "human", Count: 2}, {Name: "reward", Count: 1}},
		Notes: []NoteSummary{{"arguments_not_json", 1, []string{"a.jsonl:1: messages[1].tool_calls[1]"}},
			{"refused_call", 1, []string{"a.jsonl:1: messages[1].tool_calls[1]"}}},
		Unreadable: 1, Problems: []string{"a.jsonl:2: json: unexpected character at byte 0: the record was passed over"},
	}
	for i := range s.Files {
		if s.Files[i].First == nil {
			t.Errorf("%s shows no conversation", s.Files[i].File)
		}
		s.Files[i].First = nil
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	if _, err := json.Marshal(s); err != nil {
		t.Error(err)
	}
}

func TestInspectKeepsTheFirstPlaces(t *testing.T) {
	var s Summary
	s.inspect(t, "a.jsonl", strings.Repeat("broken\n", 1000)+strings.Repeat(with(assistant(fn("1", "f", `"["`)), result("1", ""))+"\n", 50))
	if s.Unreadable != 1000 || len(s.Problems) != maxUnreadable || s.Problems[0][:10] != "a.jsonl:1:" {
		t.Errorf("%d unreadable, %d kept", s.Unreadable, len(s.Problems))
	}
	if n := s.Notes[0]; n.Count != 50 || len(n.Places) != maxPlaces || !strings.HasPrefix(n.Places[0], "a.jsonl:1001:") {
		t.Errorf("%+v", n)
	}
	if err := s.Read(Open(context.Background(), "x", strings.NewReader("PAR1"), Options{})); err == nil {
		t.Error("no error for a Parquet file")
	}
}

func TestInspectShowsTheFirstConversation(t *testing.T) {
	var s Summary
	s.inspect(t, "a.jsonl", `{"messages":[]}`+"\n"+
		with(`{"role":"user","content":"Where\nis it?"}`, assistant(fn("1", "f", `"{\"q\":1}"`)), result("1", "lost"),
			result("9", strings.Repeat("long ", 30)))+"\n"+with(user))
	want := []Glance{{Role: "user", Text: "hi"}, {Role: "user", Text: "Where is it?"}, {Role: "assistant", Calls: []string{`f({"q":1})`}},
		{Role: "tool", Text: "lost", Answers: "f"},
		{Role: "tool", Text: strings.Repeat("long ", 13) + "long…", Answers: "no call"}}
	if diff := cmp.Diff(want, s.Files[0].First); diff != "" {
		t.Error(diff)
	}
}
