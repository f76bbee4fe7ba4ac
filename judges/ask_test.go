package judges

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// TestAsk: something else than a judgement is asked for by the same transport, and the object is
// found in whatever is around it.
func TestAsk(t *testing.T) {
	script := judgetest.Replies("<think>hm {}</think>Here: {\"rules\": [\"a\"]}", "no object", `{"rules":["quartz-7"]}`)
	redact, err := NewRedaction([]string{`^4111-\d+$`})
	if err != nil {
		t.Fatal(err)
	}
	j := intentJudge(t, script, func(c *Config) { c.Prompt.Redact, c.Prompt.Canary = redact, "quartz-7" })
	q := Question{Key: "rules", Name: "rules", Schema: value.Pairs("type", "object"), System: "Write rules.", Intro: "Records:",
		Records: []value.Value{value.Pairs("card", "4111-1111", "text", "<|im_start|>")}}
	got, err := j.Ask(context.Background(), q)
	if err != nil || got == nil || got.JSON() != `{"rules":["a"]}` {
		t.Fatalf("%v %v", got, err)
	}
	if got, err = j.Ask(context.Background(), q); got != nil || err != nil {
		t.Errorf("without an object: %v %v", got, err)
	}
	if got, err = j.Ask(context.Background(), q); got != nil || err != nil {
		t.Errorf("with the secret word: %v %v", got, err)
	}
	sent := script.Requests[0].Messages
	if want := "Records:\n{\"card\":\"[redacted]\",\"text\":\"\\u003c|im_start|>\"}\n\nThe answer, as JSON:"; sent[1].Content != want {
		t.Errorf("sent %q, want %q", sent[1].Content, want)
	}
	if !strings.Contains(sent[0].Content, "quartz-7 is secret") {
		t.Errorf("the system message has no canary: %s", sent[0].Content)
	}
	if sent[0].Role != "system" || sent[1].Role != "user" || len(sent) != 2 {
		t.Errorf("sent as %s and %s", sent[0].Role, sent[1].Role)
	}
}

// TestAskedWith: a question is sent with the judge's settings, with room for an answer and for thinking, and with the
// schema unless the prompt alone carries it; a failure of the request is an error.
func TestAskedWith(t *testing.T) {
	q := Question{Key: "rules", Name: "rules", Schema: value.Pairs("type", "object")}
	for _, tt := range []struct {
		set    func(*Config)
		tokens int
		schema string
	}{
		{func(*Config) {}, 2048, `{"type":"object"}`},
		{func(c *Config) { c.Transport = llm.PromptOnly }, 2048, ""},
		{func(c *Config) { c.MaxTokens = 3000 }, 3000, `{"type":"object"}`},
		{func(c *Config) { c.Reasoning = true }, 2048 + 4096, `{"type":"object"}`},
		{func(c *Config) { c.Reasoning, c.Prompt.Limit.Tokens = true, 4096 }, 2048, `{"type":"object"}`},
		{func(c *Config) { c.Reasoning, c.MaxTokens, c.ReasoningTokens = true, 3000, 100 }, 3100, `{"type":"object"}`},
	} {
		s := judgetest.Replies("{}")
		if _, err := intentJudge(t, s, tt.set).Ask(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		req := s.Requests[0]
		if req.MaxTokens != tt.tokens || string(req.Schema.JSON) != tt.schema || *req.TopP != 1 || *req.Temperature != 0 ||
			*req.Seed != 7 {
			t.Errorf("%d tokens, want %d; schema %s, want %s; top_p %v", req.MaxTokens, tt.tokens, req.Schema.JSON, tt.schema,
				*req.TopP)
		}
	}
	down := &llm.Error{Kind: llm.KindServer, Status: 500, Message: "down"}
	s := &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) { return nil, down }}
	if got, err := intentJudge(t, s, nil).Ask(t.Context(), q); !errors.Is(err, down) || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}

// TestLongRecords: texts of a record are shown up to 400 characters, without the blanks around them, and the whole
// record up to 4,000.
func TestLongRecords(t *testing.T) {
	long := strings.Repeat("x", 401)
	texts := func(last int) value.Value {
		list := slices.Repeat([]string{long[1:]}, 9)
		return value.OfStrings(append(list, long[:last])...)
	}
	whole := texts(369) // 4,000 characters as JSON
	for _, tt := range []struct{ record, want value.Value }{
		{value.Pairs("a", value.OfStrings(" b\n", long)), value.Pairs("a", value.OfStrings("b", long[:399]+"…"))},
		{whole, whole},
		{texts(370), value.OfString(texts(370).JSON()[:3999] + "…")},
	} {
		if got := cut(tt.record); got.JSON() != tt.want.JSON() {
			t.Errorf("%s\nis shown as %s", tt.record.JSON(), got.JSON())
		}
	}
}

const retrieving = `
name: fine
question: Is the call right?
answer: yes/no
pass: yes
retrieve: 2
guidelines: [Refunds need an order number.]
examples:
- {task: t1, conversation_context: [{role: user, content: ship the red bicycle}], tool_call: {name: ship, parameters: {item: bicycle}},
   output: {explanation: e, evidence: "NONE: x", output: yes, confidence: 1}}
- {conversation_context: [{role: user, content: refund the blue bicycle}], tool_call: {name: refund, parameters: {item: bicycle}},
   output: {explanation: e, evidence: "NONE: x", output: no, confidence: 1}}
- {conversation_context: [{role: user, content: refund the lamp}], tool_call: {name: refund, parameters: {item: lamp}},
   output: {explanation: e, evidence: "NONE: x", output: yes, confidence: 1}}
- {conversation_context: [{role: user, content: say hello}], tool_call: {name: greet, parameters: {}},
   output: {explanation: e, evidence: "NONE: x", output: no, confidence: 1}}
`

// TestRetrieve: each call is shown the nearest examples of both kinds, the nearest last, never one
// of its own task, and the guidelines stand in the system message.
func TestRetrieve(t *testing.T) {
	r, err := rubrics.Parse(retrieving)
	if err != nil {
		t.Fatal(err)
	}
	j, err := New(judgetest.Replies(""), Config{Model: "m", Rubrics: []*rubrics.Rubric{r}})
	if err != nil {
		t.Fatal(err)
	}
	largest, smallest := 0, 1<<20
	shown := func(text, tool, args string) (calls []string) {
		conv := judgetest.NewConversation(t, "c").Say("user", text).Act("", tool+" "+args).Conv
		req, err := j.Request("fine", conv, OfCall(0))
		if err != nil {
			t.Fatal(err)
		}
		size := j.Limit().Estimate(req.Messages)
		j.Sizes(conv, func(s Size) {
			largest, smallest = max(largest, size-j.LargestTokens(s)), min(smallest, size-j.LargestTokens(s))
		})
		if !strings.Contains(req.Messages[0].Content, "\n1. Refunds need an order number.") {
			t.Errorf("the guideline is missing: %s", req.Messages[0].Content)
		}
		for _, m := range req.Messages[1 : len(req.Messages)-1] {
			for _, words := range []string{"red bicycle", "blue bicycle", "the lamp", "say hello"} {
				if m.Role == "user" && strings.Contains(m.Content, words) {
					calls = append(calls, words)
				}
			}
		}
		return calls
	}
	for _, c := range []struct{ text, tool, args, want string }{
		{"please refund my lamp", "refund", `{"item":"lamp"}`, "blue bicycle, the lamp"},
		{"refund the old bicycle", "refund", `{"item":"bicycle"}`, "the lamp, blue bicycle"},
		{"refund the blue bicycle", "refund", `{"item":"bicycle"}`, "say hello, the lamp"},  // its own task is left out
		{"ship the red bicycle", "ship", `{"item":"bicycle"}`, "blue bicycle, red bicycle"}, // task t1 is another one
	} {
		if got := strings.Join(shown(c.text, c.tool, c.args), ", "); got != c.want {
			t.Errorf("%s: shown %s, want %s", c.text, got, c.want)
		}
	}
	if largest > 0 || smallest < -60 {
		t.Errorf("prompts are up to %d tokens smaller than is planned, and up to %d larger", -smallest, largest)
	}
	_, err = New(judgetest.Replies(""), Config{Model: "m", Rubrics: []*rubrics.Rubric{r}, Prompt: Options{Layout: "named-rubrics"}})
	if err == nil || !strings.Contains(err.Error(), "retrieve chooses them") {
		t.Errorf("named-rubrics cannot retrieve: %v", err)
	}
}

// TestWith: the judge asks by the other rubric alone, in the same way.
func TestWith(t *testing.T) {
	j := intentJudge(t, judgetest.Replies(judgetest.Answer("4")), func(c *Config) { c.Transport = llm.JSONObject })
	other, err := j.With(judgetest.Rubric(t, rubrics.Overall))
	if err != nil {
		t.Fatal(err)
	}
	req, err := other.Request(rubrics.Overall, judgetest.Support(t), OfCall(1))
	if err != nil || req.Transport != llm.JSONObject || len(other.Rubrics()) != 1 {
		t.Errorf("%v %v", req.Transport, err)
	}
	weighs := intentJudge(t, judgetest.Replies(""), func(c *Config) { c.Method = TokenWeighted })
	const want = "rubric q: score_method token_weighted weighs one token, which does not show not_applicable in full; " +
		"set score_method: parsed"
	if _, err = weighs.With(question(t, "answer: yes/no\nnot_applicable: yes")); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
