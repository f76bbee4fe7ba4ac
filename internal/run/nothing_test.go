package run

import (
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

// TestNothingToJudge: the message says what was read, in which format, and the next step for what was found.
func TestNothingToJudge(t *testing.T) {
	logs := func(names ...string) (out []report.Input) {
		for _, name := range names {
			out = append(out, report.Input{Path: name})
		}
		return out
	}
	read := []report.Input{{Path: "a.jsonl", Format: "openai"}}
	notes := func(kind string) *input.Reading {
		return &input.Reading{Conversations: 1, Inputs: read, Notes: map[string]int{kind: 2},
			NotePlaces: map[string]string{kind: "a.jsonl:3"}}
	}
	const nothing, counted = "nothing to judge or score in ", ": no tool call and no expected_calls in "
	const look = "; judge logs inspect shows what was read"
	const one = nothing + "a.jsonl (read as openai)" + counted + "1 conversation with 1 message; "
	const reply = "the records hold the model's reply beside the messages, under response, and it is not read: " +
		"append its message to messages"
	for name, tt := range map[string]struct {
		found finding
		want  string
	}{
		"an empty log": {finding{reading: &input.Reading{Inputs: logs("a")}}, nothing + "a: the log is empty"},
		"empty logs":   {finding{reading: &input.Reading{Inputs: logs("a", "b")}}, nothing + "a, b: the logs are empty"},
		"three logs": {finding{reading: &input.Reading{Inputs: logs("a", "b", "c"), Conversations: 2}, messages: 5},
			nothing + "a, b, c" + counted + "2 conversations with 5 messages" + look + "; conversations in which no call is " +
				"right say so with expected_calls: []"},
		"five logs": {finding{reading: &input.Reading{Inputs: logs("a", "b", "c", "d", "e")}},
			nothing + "a, b, c, and 2 more: the logs are empty"},
		"nothing readable": {finding{reading: &input.Reading{Inputs: read, Unreadable: 3,
			Problems: []string{"a.jsonl:1: no"}}},
			nothing + "a.jsonl (read as openai); not readable: 3 records, the first: a.jsonl:1: no" + look +
				", and --input-format says how to read it"},
		"calls in texts": {finding{reading: notes(transcript.CallInText), messages: 1}, one + "2 messages with a call only " +
			"in the agent's text (a.jsonl:3): --include-text-calls takes what is written for a call"},
		"parts": {finding{reading: notes("part_not_text"), messages: 1}, one + "2 message parts of a type that is not read " +
			"(a.jsonl:3): write the calls as tool_calls"},
		"roles": {finding{reading: notes("unknown_role"), messages: 1}, one + "2 messages with a role that is not read " +
			"(a.jsonl:3): write the calls as tool_calls of assistant messages"},
		"replies before roles": {finding{reading: notes("unknown_role"), messages: 1, replies: 1}, one + reply},
		"calls in texts before replies": {finding{reading: notes(transcript.CallInText), messages: 1, replies: 1},
			one + "2 messages with a call only in the agent's text (a.jsonl:3): --include-text-calls takes what is written " +
				"for a call"},
		"replies": {finding{reading: &input.Reading{Conversations: 1, Inputs: read}, messages: 1, replies: 1}, one + reply},
	} {
		err := tt.found.err()
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s:\ngot  %v\nwant %s", name, err, tt.want)
		}
	}
}

// TestSomethingToJudge: a call, expected calls (even none) or a score is something; messages alone are not.
func TestSomethingToJudge(t *testing.T) {
	message := transcript.Message{Role: transcript.User, Content: "hello"}
	choices := value.OfObject(value.Member{Key: "choices", Value: value.OfList()})
	response := value.OfObject(value.Member{Key: "response", Value: choices})
	scored := func(status score.Status) func(*transcript.Conversation) []score.Score {
		return func(*transcript.Conversation) []score.Score { return []score.Score{{Status: status}} }
	}
	for name, tt := range map[string]struct {
		c         transcript.Conversation
		status    score.Status
		something bool
		replies   int
	}{
		"messages":       {transcript.Conversation{Messages: []transcript.Message{message}}, score.NotApplicable, false, 0},
		"a score":        {transcript.Conversation{Messages: []transcript.Message{message}}, score.Scored, true, 0},
		"expected calls": {transcript.Conversation{Expected: &transcript.Expected{}}, score.NotApplicable, true, 0},
		"a reply":        {transcript.Conversation{Extra: response}, score.NotApplicable, false, 1},
	} {
		f := &finding{reading: &input.Reading{}}
		f.add(&tt.c, nil, scored(tt.status))
		if f.something != tt.something || f.replies != tt.replies || f.messages != len(tt.c.Messages) {
			t.Errorf("%s: %+v", name, f)
		}
		// Whatever comes after it, something stays something.
		if f.add(&transcript.Conversation{}, nil, scored(score.NotApplicable)); f.something != tt.something {
			t.Errorf("%s, and another conversation: %+v", name, f)
		}
	}
}

// TestSomethingToAsk: a conversation without calls is something if a rubric asks about it.
func TestSomethingToAsk(t *testing.T) {
	for scope, want := range map[string]bool{"call": false, "conversation": true} {
		r, err := rubrics.Parse("name: r\nquestion: q?\nanswer: yes/no\npass: yes\nscope: " + scope + "\n")
		if err != nil {
			t.Fatal(err)
		}
		c := &transcript.Conversation{Messages: []transcript.Message{{Role: transcript.User, Content: "hello"},
			{Role: transcript.Assistant, Content: "hello"}}}
		f := &finding{reading: &input.Reading{}}
		f.add(c, []*rubrics.Rubric{r}, func(*transcript.Conversation) []score.Score { return nil })
		if f.something != want {
			t.Errorf("a rubric of a %s: %v", scope, f.something)
		}
	}
}
