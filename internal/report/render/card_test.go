package render

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
)

// TestParseCase: what people write for an item of a run, also where an id has colons.
func TestParseCase(t *testing.T) {
	for text, want := range map[string]Case{
		"c1": {ID: "c1", Call: -1}, "c1:3": {ID: "c1", Call: 3}, "c1:0": {ID: "c1"}, "c1:3:result": {ID: "c1", Call: 3, Result: true},
		"c1:turn2": {ID: "c1", Call: -1, Turn: 2}, "c1:3:tone": {ID: "c1", Call: 3, Rubric: "tone"},
		"c1:3:result:tone": {ID: "c1", Call: 3, Result: true, Rubric: "tone"}, "c1:turn2:tone": {ID: "c1", Call: -1, Turn: 2, Rubric: "tone"},
		"a:b": {ID: "a:b", Call: -1}, "a:b:3": {ID: "a:b", Call: 3}, ":3": {ID: ":3", Call: -1}, "x:3": {ID: "x", Call: 3}, "c1:-1": {ID: "c1:-1", Call: -1},
		"c1:turn0": {ID: "c1:turn0", Call: -1}, "c1:turn2:result": {ID: "c1", Call: -1, Turn: 2, Rubric: "result"}, "c1:turn": {ID: "c1:turn", Call: -1},
		"c1:result": {ID: "c1:result", Call: -1}, "": {Call: -1}, ":3:tone": {ID: ":3:tone", Call: -1}, "c1:3:": {ID: "c1", Call: 3},
		"c1:turn1": {ID: "c1", Call: -1, Turn: 1}, "c1:1:2": {ID: "c1:1", Call: 2},
	} {
		if diff := cmp.Diff(&want, ParseCase(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// TestWants: which scores belong to a call, a turn, a result or a rubric.
func TestWants(t *testing.T) {
	scores := []score.Score{
		{Name: "x", CallIndex: new(0)}, {Name: "y", CallIndex: new(1)}, {Name: "x", CallIndex: new(1), Scope: score.ScopeResult},
		{Name: "x", Turn: 1, Scope: score.ScopeTurn}, {Name: "y", Turn: 2, Scope: score.ScopeTurn}, {Name: "x"},
	}
	for text, want := range map[string]string{
		"c": "012345", "c:0": "0", "c:1": "12", "c:1:result": "2", "c:1:y": "1", "c:1:x": "2", "c:turn1": "3", "c:turn2": "4", "c:turn2:x": "",
	} {
		c, got := ParseCase(text), ""
		for i := range scores {
			if c.Wants(&scores[i]) {
				got += fmt.Sprint(i)
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// caseOf returns a case of a conversation with three calls: of the first much was said, the second failed, and the
// arguments of the third cannot be read.
func caseOf(t *testing.T, item string) *Case {
	t.Helper()
	const line = `{"id":"c1","messages":[{"role":"system","content":"You help."},{"role":"user","content":"Pay 5 to Ann"},` +
		`{"role":"assistant","content":"I will","tool_calls":[{"id":"k0","type":"function","function":{"name":"pay","arguments":"{\"sum\":5,\"to\":\"Ann\",\"extra\":true}"}},` +
		`{"id":"k1","type":"function","function":{"name":"get","arguments":"{\"id\":1}"}}]},` +
		`{"role":"tool","tool_call_id":"k0","content":"paid"},{"role":"tool","tool_call_id":"k1","content":"not found","is_error":true},` +
		`{"role":"user","content":"And now?"},{"role":"assistant","content":null,"tool_calls":[{"id":"k2","type":"function","function":{"name":"pay","arguments":"{\"sum\""}}]}],` +
		`"tools":[{"type":"function","function":{"name":"get","description":"Gets","parameters":{"type":"object"}}},{"type":"function","function":{"name":"pay","description":"Pays a sum","parameters":{"type":"object"}}}],` +
		`"expected_calls":[{"name":"pay","arguments":{"sum":6,"to":"Ann","when":"now"}},{"name":"find","arguments":{"id":1}}]}`
	in := format.Open(t.Context(), "log.jsonl", strings.NewReader(line), format.Options{})
	defer in.Close()
	conv, err := in.Next()
	if err != nil {
		t.Fatal(err)
	}
	c := ParseCase(item)
	c.Conversation = conv
	add := func(s score.Score, passed *bool) {
		s.ConversationID, s.Place, s.Passed = "c1", "log.jsonl:1", passed
		if passed != nil {
			s.Value = new(map[bool]float64{true: 1, false: 0}[*passed])
		}
		if s.Status == "" {
			s.Status = score.Scored
		}
		c.Scores = append(c.Scores, s)
	}
	yes, no, zero, one := new(true), new(false), new(0), new(1)
	judge := score.Score{CallIndex: zero, Tool: "pay", Source: score.Judge, Judge: "j", Explanation: "The sum is 5.", Evidence: `"Pay 5"`}
	scorer := score.Score{CallIndex: zero, Tool: "pay", Source: score.Deterministic}
	first, second, match, failed, odd, result := judge, judge, scorer, judge, scorer, judge
	first.Name, first.Confidence, first.Correction = "tone", new(0.5), value.Pairs("sum", 6)
	first.Flags = []score.Flag{{Code: "odd", Severity: 2, Detail: "it is"}, {Code: "bare", Severity: 1}}
	first.Details = value.Pairs("answer", value.Pairs("why", "because", "n", 3))
	second.Name = "overall_call_correctness"
	match.Name, match.Details = "match", value.Pairs("expected_index", 0)
	failed.Name, failed.Status, failed.Error, failed.Explanation = "late", score.Unscored, &score.Failure{Kind: "timeout", Message: "no answer\x1b"}, ""
	failed.Evidence = ""
	odd.Name, odd.Status = "other", score.NotApplicable
	result.Name, result.Scope, result.Category, result.Explanation = "helps", score.ScopeResult, "good", "It helps."
	add(match, no)
	add(odd, nil)
	odd.Name = "other2"
	add(odd, nil)
	add(first, yes)
	add(second, no)
	add(failed, nil)
	add(result, yes)
	add(score.Score{CallIndex: one, Tool: "get", Name: "match", Source: score.Deterministic, Details: value.Pairs("expected_index", 1)}, yes)
	add(score.Score{Name: "whole", Source: score.Label, Label: "fine"}, yes)
	add(score.Score{Name: "none", Source: score.Label, Status: score.NotApplicable}, nil)
	add(score.Score{Turn: 1, Scope: score.ScopeTurn, Name: "polite", Source: score.Judge, Judge: "j"}, yes)
	add(score.Score{Turn: 2, Scope: score.ScopeTurn, Name: "polite", Source: score.Judge, Judge: "j"}, no)
	c.Scores[1].Place = "elsewhere:1"
	return c
}

// TestCards: what is shown of a call, a turn, a conversation, or of one rubric's score.
func TestCards(t *testing.T) {
	for item, want := range map[string]string{
		"c1:0": `conversation c1 (log.jsonl:1)
call 0 pay: FAILED by match, overall_call_correctness by j; passed by 2; scores missing: 1

  user            Pay 5 to Ann
  arguments       sum 5 <- expected 6
                  to "Ann"
                  extra true <- not expected
                  when is missing <- expected "now"
  result          paid

overall_call_correctness by j: 0 fail
  explanation: The sum is 5.
  evidence: "Pay 5"

tone by j: 1 pass
  explanation: the same as above
  why: because
  n: 3
  confidence: 0.5
  correction: {"sum":6}
  flag (severity 2): odd: it is
  flag (severity 1): bare

late by j: unscored: timeout: no answer\u001b

helps by j, with its result: good pass
  explanation: It helps.
  evidence: "Pay 5"

match: 0 fail

other: not_applicable

other2: not_applicable

whole, of the conversation: 1 fine

before it (2 messages)
  [0] system      You help.
  [1] user        Pay 5 to Ann
`,
		"c1:1": `conversation c1 (log.jsonl:1)
call 1 get: passed by all 1

  user            Pay 5 to Ann
  arguments       id 1
  expected        a call of find
  result          error: not found

match: 1 pass

whole, of the conversation: 1 fine

before it (2 messages)
  [0] system      You help.
  [1] user        Pay 5 to Ann
`,
		"c1:2": `conversation c1 (log.jsonl:1)
call 2 pay: no score passes or fails it

  user            And now?
  arguments       {"sum"
                  cannot be read: the arguments are no JSON
                  (json: text ends early at byte 6:
                  unexpected EOF): "{\"sum\""
  expected        no expected call was paired with this one;
                  expected are pay, find
  result          the log has none

whole, of the conversation: 1 fine

before it (6 messages)
  [0] system      You help.
  [1] user        Pay 5 to Ann
  [2] assistant   I will
  [2] assistant   call 0 pay(sum: 5, to: "Ann", extra: true)
                  result: paid
  [2] assistant   call 1 get(id: 1)
                  result: not found
  [5] user        And now?
`,
		"c1:9": `conversation c1 (log.jsonl:1)
call 9 : no score passes or fails it

whole, of the conversation: 1 fine
`,
		"c1:3": `conversation c1 (log.jsonl:1)
call 3 : no score passes or fails it

whole, of the conversation: 1 fine
`,
		"c1": `conversation c1 (log.jsonl:1)

polite by j, of turn 1: 1 pass

polite by j, of turn 2: 0 fail

whole, of the conversation: 1 fine

  [0] system      You help.
  [1] user        Pay 5 to Ann
  [2] assistant   I will
  [2] assistant   call 0 pay(sum: 5, to: "Ann", extra: true)
                  FAILED by match, overall_call_correctness
                  by j; passed by 2; scores missing: 1
                  result: paid
  [2] assistant   call 1 get(id: 1)
                  passed by all 1
                  result: not found
  [5] user        And now?
  [6] assistant   call 2 pay({"sum")
                  no score passes or fails it
`,
		"c1:turn2": `conversation c1 (log.jsonl:1)

polite by j, of turn 2: 0 fail

  [0] system      You help.
  [1] user        Pay 5 to Ann
  [2] assistant   I will
  [2] assistant   call 0 pay(sum: 5, to: "Ann", extra: true)
                  FAILED by match, overall_call_correctness
                  by j; passed by 2; scores missing: 1
                  result: paid
  [2] assistant   call 1 get(id: 1)
                  passed by all 1
                  result: not found
  [5] user        And now?
  [6] assistant   call 2 pay({"sum")
                  no score passes or fails it
`,
		"c1:0:result": `conversation c1 (log.jsonl:1)
call 0 pay: FAILED by match, overall_call_correctness by j; passed by 2; scores missing: 1

  user            Pay 5 to Ann
  arguments       sum 5 <- expected 6
                  to "Ann"
                  extra true <- not expected
                  when is missing <- expected "now"
  result          paid

helps by j, with its result: good pass
  explanation: It helps.
  evidence: "Pay 5"

whole, of the conversation: 1 fine

before it (2 messages)
  [0] system      You help.
  [1] user        Pay 5 to Ann
`,
		"c1:0:tone": `conversation c1 (log.jsonl:1)
call 0 pay: FAILED by match, overall_call_correctness by j; passed by 2; scores missing: 1

  user            Pay 5 to Ann
  arguments       sum 5 <- expected 6
                  to "Ann"
                  extra true <- not expected
                  when is missing <- expected "now"
  result          paid

tone by j: 1 pass
  explanation: The sum is 5.
  evidence: "Pay 5"
  why: because
  n: 3
  confidence: 0.5
  correction: {"sum":6}
  flag (severity 2): odd: it is
  flag (severity 1): bare

before it (2 messages)
  [0] system      You help.
  [1] user        Pay 5 to Ann
`,
	} {
		if diff := cmp.Diff(want, caseOf(t, item).Card(60)); diff != "" {
			t.Errorf("%s: %s", item, diff)
		}
	}
}

// TestCardWithoutRecord: what was said of a call is shown also where its log is gone.
func TestCardWithoutRecord(t *testing.T) {
	c := caseOf(t, "c1:0")
	c.Conversation, c.LogProblem = nil, "it is gone\x1b"
	const want = `conversation c1 (log.jsonl:1)
the record cannot be shown: it is gone\u001b
call 0 pay: FAILED by match, overall_call_correctness by j; passed by 2; scores missing: 1

overall_call_correctness by j: 0 fail
  explanation: The sum is 5.
  evidence: "Pay 5"

tone by j: 1 pass
  explanation: the same as above
  why: because
  n: 3
  confidence: 0.5
  correction: {"sum":6}
  flag (severity 2): odd: it is
  flag (severity 1): bare

late by j: unscored: timeout: no answer\u001b

helps by j, with its result: good pass
  explanation: It helps.
  evidence: "Pay 5"

match: 0 fail

other: not_applicable

other2: not_applicable

whole, of the conversation: 1 fine
`
	if diff := cmp.Diff(want, c.Card(0)); diff != "" {
		t.Error(diff)
	}
	if err := c.WriteBlind(io.Discard); err == nil || err.Error() != "the record cannot be shown: it is gone\x1b" {
		t.Error(err)
	}
	var out bytes.Buffer
	c.Scores = nil
	if err := c.WriteRecord(&out); err != nil || out.String() != "\nrecord:\n\nscores:\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// TestRecords: the whole record of a case with its scores, and what a person sees who labels it.
func TestRecords(t *testing.T) {
	for item, want := range map[string][2]string{
		"c1:1": {`
record:
  [0] system: You help.
  [1] user: Pay 5 to Ann
  [2] assistant: I will
  [2] call 0: pay({"sum":5,"to":"Ann","extra":true})
> [2] call 1: get({"id":1})
  result, which no judge saw: not found

scores:
{"conversation_id":"c1","call_index":1,"tool":"get","place":"log.jsonl:1","name":"match","source":"deterministic","status":"scored","value":1,"passed":true,"correction":null,"flags":[],"details":{"expected_index":1},"error":null}
`, `conversation c1 (log.jsonl:1)
  tool get: Gets {"type":"object"}
  [0] system: You help.
  [1] user: Pay 5 to Ann
  [2] assistant: I will
  [2] call 0: pay({"sum":5,"to":"Ann","extra":true})
> [2] call 1: get({"id":1})
  result: not found
`},
		"c1": {`
record:
  [0] system: You help.
  [1] user: Pay 5 to Ann
  [2] assistant: I will
  [2] call 0: pay({"sum":5,"to":"Ann","extra":true})
  [2] call 1: get({"id":1})
  [3] tool: paid
  [4] tool: not found
  [5] user: And now?
  [6] call 2: pay({"sum")

scores:
{"conversation_id":"c1","call_index":1,"tool":"get","place":"log.jsonl:1","name":"match","source":"deterministic","status":"scored","value":1,"passed":true,"correction":null,"flags":[],"details":{"expected_index":1},"error":null}
{"conversation_id":"c1","call_index":null,"place":"log.jsonl:1","name":"whole","source":"label","status":"scored","value":1,"passed":true,"label":"fine","correction":null,"flags":[],"details":null,"error":null}
`, `conversation c1 (log.jsonl:1)
  [0] system: You help.
  [1] user: Pay 5 to Ann
  [2] assistant: I will
  [2] call 0: pay({"sum":5,"to":"Ann","extra":true})
  [2] call 1: get({"id":1})
  [3] tool: paid
  [4] tool: not found
  [5] user: And now?
  [6] call 2: pay({"sum")
`},
	} {
		c := caseOf(t, item)
		c.Scores = c.Scores[7:9]
		var record, blind bytes.Buffer
		if err := errors.Join(c.WriteRecord(&record), c.WriteBlind(&blind)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, [2]string{record.String(), blind.String()}); diff != "" {
			t.Errorf("%s: %s", item, diff)
		}
		if err := c.WriteRecord(full); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("a full disk: %v", err)
		}
	}
	var first bytes.Buffer
	if err := caseOf(t, "c1:0").WriteBlind(&first); err != nil || first.String() != "conversation c1 (log.jsonl:1)\n  tool pay: Pays a sum {\"type\":\"object\"}\n"+
		"  [0] system: You help.\n  [1] user: Pay 5 to Ann\n  [2] assistant: I will\n> [2] call 0: pay({\"sum\":5,\"to\":\"Ann\",\"extra\":true})\n"+
		"  [2] call 1: get({\"id\":1})\n  result: paid\n" {
		t.Errorf("%v %s", err, first.String())
	}
	c := caseOf(t, "c1:3")
	if err := c.WriteBlind(io.Discard); err == nil || err.Error() != "c1 has 3 calls, counted from 0" {
		t.Error(err)
	}
	var out bytes.Buffer
	c.Scores = nil
	c.Conversation.Messages[0].Content = ""
	if err := c.WriteRecord(&out); err != nil || !strings.HasPrefix(out.String(), "\nrecord:\n  [1] user: Pay 5 to Ann\n") ||
		!strings.Contains(out.String(), "\n  [6] call 2: pay({\"sum\")\n") {
		t.Errorf("%v %s", err, out.String())
	}
	out.Reset()
	c = caseOf(t, "c1:1")
	c.Conversation.Tools = nil
	if err := c.WriteBlind(&out); err != nil || !strings.Contains(out.String(), "\n  tool get: the log has no definition of it\n") {
		t.Errorf("%v %s", err, out.String())
	}
}

// TestExpectedCalls: what the log expects beside a call.
func TestExpectedCalls(t *testing.T) {
	for _, tt := range []struct {
		change func(*Case)
		want   string
	}{
		{func(c *Case) { c.Conversation.Expected = nil },
			"  arguments       sum 5\n                  to \"Ann\"\n                  extra true\n  expected        the log does not say\n"},
		{func(c *Case) {
			c.Scores[0].Details = value.Value{}
			c.Conversation.Expected.Calls = slices.Repeat([]transcript.ExpectedCall{{Name: "f"}}, 9)
		}, "  expected        no expected call was paired with this one;\n                  expected are f, f, f, f, f, f, f, f, 1\n                  more\n"},
		{func(c *Case) { c.Conversation.Expected.Calls = []transcript.ExpectedCall{} }, "  expected        no call at all\n"},
		{func(c *Case) { c.Scores[0].Details = value.Pairs("expected_index", 2) },
			"  expected        no expected call was paired with this one;\n                  expected are pay, find\n"},
		{func(c *Case) { c.Scores[0].Details = value.Pairs("expected_index", -1) },
			"  expected        no expected call was paired with this one;\n                  expected are pay, find\n"},
		{func(c *Case) { c.Scores[0].Details = value.Pairs("expected_index", 1) }, "  expected        a call of find\n"},
		{func(c *Case) { c.Conversation.Expected.Calls[0].Compare = []string{"to"} },
			"  arguments       sum 5\n                  to \"Ann\"\n                  extra true <- not expected\n  result"},
		{func(c *Case) {
			c.Conversation.Expected.Calls[0].Arguments = value.Pairs("sum", 5, "to", "Ann", "extra", true)
		}, "  arguments       sum 5\n                  to \"Ann\"\n                  extra true\n  result"},
		{func(c *Case) {
			c.Conversation.Expected.Calls[0].Allowed = value.Pairs("sum", []value.Value{value.OfInt(6), value.OfInt(5)},
				"to", []value.Value{value.OfString("Ann")}, "extra", []value.Value{value.OfBool(true)}, "when", []value.Value{value.OfString("now"), value.OfString("")})
		}, "  arguments       sum 5\n                  to \"Ann\"\n                  extra true <- not expected\n  result"},
	} {
		c := caseOf(t, "c1:0")
		tt.change(c)
		if got := c.Card(60); !strings.Contains(got, tt.want) {
			t.Errorf("no %q in\n%s", tt.want, got)
		}
	}
}

// TestCardsOfOddCases: what is shown where something is missing, twice there, or in an unusual place.
func TestCardsOfOddCases(t *testing.T) {
	const before = "\nbefore it ("
	for _, tt := range []struct {
		name, item string
		change     func(*Case)
		want       string
		not        string
	}{
		{"no record", "c1", func(c *Case) { c.Conversation = nil }, "\nwhole, of the conversation: 1 fine\n", "[0]"},
		{"one rubric's scores", "c1", func(c *Case) { c.Rubric = "whole" }, "(log.jsonl:1)\n\nwhole, of the conversation: 1 fine\n\n  [0]", "polite"},
		{"the scores of turns by their rubric", "c1", func(c *Case) { c.Rubric = "polite" }, "of turn 1: 1 pass\n\npolite by j, of turn 2: 0 fail\n\n  [0]", "whole"},
		{"no calls", "c1:0", func(c *Case) {
			c.Conversation.Calls = nil
			c.Conversation.Messages = c.Conversation.Messages[:2]
		}, "call 0 pay: FAILED", "[0]"},
		{"the first message", "c1:0", func(c *Case) { c.Conversation.Calls[0].Message = 0 }, "\nmatch: 0 fail\n", before},
		{"the second message", "c1:0", func(c *Case) { c.Conversation.Calls[0].Message = 1 }, before + "1 message)\n  [0] system      You help.\n", "[1]"},
		{"calls before the first", "c1:0", func(c *Case) { c.Conversation.Calls[0].Message = 6 }, "call 1 get(id: 1)\n                  result: not found\n", "passed by all 1"},
		{"one fails it", "c1:0", func(c *Case) { c.Scores[4].Passed = new(true) }, "FAILED by match; passed by 3; scores missing: 1\n", ""},
		{"five fail it", "c1:0", func(c *Case) { c.Scores = append(c.Scores, c.Scores[0], c.Scores[0], c.Scores[0]) },
			"FAILED by match, overall_call_correctness by j, match, match, 1 more; passed by 2", ""},
		{"the agent spoke last", "c1:2", func(c *Case) { c.Conversation.Messages[5].Role = transcript.Assistant }, "  user            Pay 5 to Ann\n", ""},
		{"the user said nothing", "c1:2", func(c *Case) { c.Conversation.Messages[5].Content = "" }, "  user            Pay 5 to Ann\n", ""},
		{"other evidence", "c1:0", func(c *Case) { c.Scores[3].Evidence = "more" }, "tone by j: 1 pass\n  explanation: The sum is 5.\n  evidence: more\n", "the same as above"},
		{"another explanation", "c1:0", func(c *Case) { c.Scores[3].Explanation = "more" }, "tone by j: 1 pass\n  explanation: more\n  evidence: \"Pay 5\"\n", "the same as above"},
		{"the same reasons", "c1:0", func(*Case) {}, "tone by j: 1 pass\n  explanation: the same as above\n  why: because\n", ""},
		{"a value alone", "c1:0", func(c *Case) { c.Scores[0].Value, c.Scores[0].Passed = new(0.25), nil }, "\nmatch: 0.25\n", ""},
		{"a long reason", "c1:0", func(c *Case) { c.Scores[0].Explanation = strings.Repeat("1234567 ", 12) },
			"\n  explanation: 1234567 1234567 1234567 1234567 1234567\n    1234567 1234567 1234567 1234567 1234567 1234567 1234567\n", ""},
		{"a judge of the conversation", "c1:0", func(c *Case) {
			c.Scores = append([]score.Score{{Name: "general", Source: score.Judge, Judge: "j", Value: new(1.0), Status: score.Scored}}, c.Scores...)
		}, "\nother2: not_applicable\n\ngeneral by j, of the conversation: 1\n", ""},
	} {
		c := caseOf(t, tt.item)
		tt.change(c)
		if got := c.Card(60); !strings.Contains(got, tt.want) || tt.not != "" && strings.Contains(got, tt.not) {
			t.Errorf("%s: no %q, or %q, in\n%s", tt.name, tt.want, tt.not, got)
		}
	}
	if c := caseOf(t, "c1:2"); c.Card(10) != c.Card(60) || c.Card(0) != c.Card(100) || c.Card(60) == c.Card(100) {
		t.Error("the least and the usual width are others")
	}
}

// TestPromptAndExchanges: a prompt, and the replies about a case: their text, or what the server sent.
func TestPromptAndExchanges(t *testing.T) {
	var out bytes.Buffer
	WritePrompt(&out, " to j", []llm.Message{{Role: "system", Content: "Judge."}, {Role: "user", Content: "a\nb"}})
	WritePrompt(&out, "", nil)
	want := "\nprompt as sent to j:\n--- system\nJudge.\n--- user\na\nb\n\nprompt as sent:\nit was not sent\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	const good = `{"choices":[{"message":{"role":"assistant","content":"It fails\u001b.","reasoning_content":"I think"},"finish_reason":"stop"}]}`
	const empty = `{"choices":[{"message":{"role":"assistant","content":""},"finish_reason":"length"}]}`
	list := []*journal.Entry{
		{Model: "m", Endpoint: "http://x", Transport: "json_schema", Attempts: 2, FinishReason: "stop", Raw: []byte(good)},
		{Model: "m", Endpoint: "http://x", Transport: "json_schema", Attempts: 1, FinishReason: "length", Raw: []byte(empty)},
		{Model: "m", Endpoint: "http://x", Attempts: 3, Error: &llm.Error{Kind: "timeout", Message: "no answer"}, Raw: []byte("<html>\x1b")},
	}
	const first, second, third = "\nexchange 1: m at http://x, transport json_schema, attempts 2, finish stop\n",
		"\nexchange 2: m at http://x, transport json_schema, attempts 1, finish length\n  raw reply: " + empty + "\n",
		"\nexchange 3: m at http://x, transport , attempts 3, finish \n  timeout: no answer\n  raw reply: <html>\\u001b\n"
	for raw, want := range map[bool]string{
		false: first + "  raw reply, without its envelope: It fails\\u001b.\n  reasoning: I think\n" + second + third,
		true:  first + "  raw reply: " + good + "\n  reasoning: I think\n" + second + third,
	} {
		out.Reset()
		WriteExchanges(&out, list, raw)
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("raw %v: %s", raw, diff)
		}
	}
}
