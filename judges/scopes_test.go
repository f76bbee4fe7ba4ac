package judges

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/rubrics"
)

// scopeAnswer is an answer without a correction, as turns and conversations have it.
func scopeAnswer(output, evidence string) string {
	return fmt.Sprintf(`{"explanation":"So it is.","evidence":%q,"output":%s,"confidence":0.9}`, evidence, output)
}

// twoTurns has a greeting, two turns with a call each, and a last word of the user.
func twoTurns(t testing.TB) *transcript.Conversation {
	return judgetest.NewConversation(t, "c:1").
		Tool("get_order", "Shows an order", `{"type":"object","properties":{"order_id":{"type":"integer"}}}`).
		Say(transcript.System, "Be kind.").
		Say(transcript.Assistant, "Welcome!").
		Say(transcript.User, "Where is order 987?").
		Say(transcript.User, "It is urgent.").
		Act("", `get_order {"order_id":987}`).Result(0, `{"status":"shipped"}`).
		Say(transcript.Assistant, "It was shipped.").
		Say(transcript.User, "And 988?").
		Act("", `get_order {"order_id":988}`).Result(1, "Error: no such order").
		Say(transcript.Assistant, "There is no such order.").
		Say(transcript.User, "Thanks, bye.").
		Conv
}

// What each scope shows, under which id, and what its score lines say.
func TestScopes(t *testing.T) {
	for _, tt := range []struct {
		scope         string
		keys          []string
		shown, hidden []string // of the last item
		lines         []string
	}{
		{
			"conversation", []string{"c:1# q"}, []string{"Welcome!", "Thanks, bye.", "no such order", "You grade a whole conversation", "Grade this conversation."},
			[]string{" call>>>", " turn>>>"}, []string{"conversation <nil> 0"},
		},
		{
			"turn", []string{"c:1#turn1 q", "c:1#turn2 q"},
			[]string{"[7] {\"role\":\"user\",\"content\":\"And 988?\"}\n[8]", "There is no such order.", "Grade this one turn.", " turn>>>", "It is urgent."},
			[]string{"Thanks, bye."}, []string{"turn <nil> 1", "turn <nil> 2"},
		},
		{
			"result", []string{"c:1#0:result q", "c:1#1:result q"},
			[]string{" call>>>", " result>>>\n[8] {\"role\":\"tool\",\"name\":\"get_order\",\"parameters\":{\"order_id\":988},\"output\":\"Error: no such order\"}\n[9]", "Grade this one call with its result."},
			[]string{"Thanks, bye."}, []string{"result 0 0", "result 1 0"},
		},
	} {
		t.Run(tt.scope, func(t *testing.T) {
			r := question(t, "answer: yes/no\npass: yes\nscope: "+tt.scope)
			script := judgetest.Replies(scopeAnswer(`"yes"`, `"[8] no such order"`))
			if tt.scope == "result" {
				script = judgetest.Replies(judgetest.AnswerWith(`"yes"`, "So it is.", `"no such order"`, "{}"))
			}
			j := intentJudge(t, script, func(c *Config) {
				asks(r)(c)
				c.Concurrency = 1
			})
			var keys, lines []string
			var flags []Flag
			err := Run(t.Context(), []*Judge{j}, one(Item{Conversation: twoTurns(t)}), RunConfig{}, func(o *Outcome) error {
				for _, res := range o.Results {
					s := res.Score()
					call := "<nil>"
					if s.CallIndex != nil {
						call = fmt.Sprint(*s.CallIndex)
					}
					lines = append(lines, fmt.Sprint(s.Scope, " ", call, " ", s.Turn))
					flags = res.Flags
					if err := s.Check(); err != nil || res.Verdict != Pass || TargetOf(&s) != res.Target() {
						t.Errorf("%v %s %s %v", err, res.Verdict, res.ErrorDetail, res.Target())
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, req := range script.Requests {
				keys = append(keys, req.Key)
			}
			if d := cmp.Diff(tt.keys, keys) + cmp.Diff(tt.lines, lines) + cmp.Diff(tt.keys, aloneKeys(twoTurns(t), r)); d != "" {
				t.Error(d)
			}
			var text strings.Builder
			for _, m := range script.Requests[len(script.Requests)-1].Messages {
				text.WriteString(m.Content + "\n")
			}
			for _, part := range tt.shown {
				if !strings.Contains(text.String(), part) {
					t.Errorf("%q is not shown in:\n%s", part, text.String())
				}
			}
			for _, part := range tt.hidden {
				if strings.Contains(text.String(), part) {
					t.Errorf("%q is shown in:\n%s", part, text.String())
				}
			}
			if len(flags) > 0 {
				t.Errorf("the evidence is in what was shown: %v", flags)
			}
		})
	}
}

func TestTurns(t *testing.T) {
	quiet := judgetest.NewConversation(t, "quiet").Say(transcript.System, "Go.").
		Act("", `get_order {"order_id":1}`).Result(0, "ok").Say(transcript.Assistant, "Done.").Conv
	mute := judgetest.NewConversation(t, "mute").Say(transcript.User, "Hello?").Conv
	turn, whole := question(t, "answer: yes/no\nscope: turn"), question(t, "answer: yes/no\nscope: conversation\nwhen: args.order_id = 988")
	for _, tt := range []struct {
		conv *transcript.Conversation
		r    *rubrics.Rubric
		want int
	}{{twoTurns(t), turn, 2}, {quiet, turn, 1}, {mute, turn, 0}, {twoTurns(t), whole, 1}, {quiet, whole, 0}, {mute, question(t, "answer: yes/no\nscope: conversation"), 0}} {
		if got := Targets(tt.conv, tt.r); len(got) != tt.want {
			t.Errorf("%s: %v", tt.conv.ID, got)
		}
	}
	j := intentJudge(t, judgetest.Replies(scopeAnswer(`"no"`, "NONE: nothing")), asks(turn))
	got, err := j.Turn(t.Context(), twoTurns(t), 2)
	if err != nil || len(got) != 1 || got[0].Turn != 2 || got[0].CallIndex != -1 {
		t.Errorf("%v %v", got, err)
	}
	if _, err := j.Turn(t.Context(), twoTurns(t), 3); err == nil || !strings.Contains(err.Error(), "has 2 turns") {
		t.Errorf("%v", err)
	}
}

// A conversation that has no room in 4,096 tokens is judged in overlapping segments at message
// borders, whatever the concurrency and the step of the ladder; every message is in one of them.
func TestSegments(t *testing.T) {
	conv := longConversation(t, 40)
	conv.Messages = append(conv.Messages, transcript.Message{Role: transcript.Assistant, Content: "That is all.", Result: -1})
	for _, tt := range []struct{ keys, want string }{
		{"answer: yes/no\npass: yes", "scored 0 false fail no"},
		{"answer: yes/no\npass: yes\ncombine: any", "scored 1 true pass yes"},
		{"answer: yes/no\npass: yes\ncombine: last", "scored 1 true pass yes"},
		{"answer: yes/no", "scored 1  yes"},
		{"answer: 0..1\npass: 0.5", "scored mean"},
		{"answer: yes/no\npass: yes\nnot_applicable: yes\ncombine: any", "scored 1 true pass yes"},
	} {
		var first string
		for i, transport := range append([]Transport{llm.JSONSchema}, llm.Ladder()...) {
			workers := 1 + 7*(i%2)
			r := question(t, tt.keys+"\nscope: conversation")
			script := &judgetest.Script{Reply: func(_ int, req llm.Request) (*llm.Response, error) {
				said := req.Messages[len(req.Messages)-1].Content
				output := map[bool]string{true: `"no"`, false: `"yes"`}[strings.Contains(said, "This is part 2 of")]
				if r.Output.Categories == nil {
					output = map[bool]string{true: "0", false: "1"}[strings.Contains(said, "This is part 2 of")]
				}
				answer := scopeAnswer(output, `"Looking at it."`)
				if transport == llm.Tools {
					return &llm.Response{ToolArguments: answer, FinishReason: "stop"}, nil
				}
				return judgetest.Text(answer), nil
			}}
			j := intentJudge(t, script, func(c *Config) {
				asks(r)(c)
				c.Prompt.Limit.Tokens, c.Concurrency, c.Transport = 4096, workers, transport
			})
			got, err := j.Conversation(t.Context(), conv)
			if err != nil || len(got) != 1 {
				t.Fatal(got, err)
			}
			res, all := got[0], ""
			for _, req := range script.Requests {
				all += req.Messages[len(req.Messages)-1].Content
				if tokens := j.Limit().Estimate(req.Messages) + req.MaxTokens; tokens > 4096 {
					t.Errorf("a segment has %d tokens with its answer", tokens)
				}
			}
			n := len(script.Requests)
			for i := range 82 {
				if !strings.Contains(all, fmt.Sprintf("\n[%d] {", i+1)) {
					t.Errorf("message %d is in no segment", i+1)
				}
			}
			for i := 1; i < len(res.Segments); i++ {
				if res.Segments[i].From > res.Segments[i-1].To+1 {
					t.Errorf("a gap: %v", res.Segments)
				}
			}
			s := res.Score()
			want := strings.Replace(tt.want, "mean", fmt.Sprintf("%s true pass", number(float64(n-1)/float64(n))), 1)
			if d := cmp.Diff(want, line(s)); d != "" || n < 3 || len(res.Segments) != n || res.Requests != n || !flagged(res.Flags, flagSegmented) {
				t.Errorf("%s: %s%d segments, %d requests, %v", tt.keys, d, n, res.Requests, res.Flags)
			}
			if res.Rubric != "q" || res.ConversationID != "long" || res.Scope != "conversation" || res.CallIndex != -1 || res.Escalate {
				t.Errorf("the result is about something else: %+v", res)
			}
			if at := res.Segments; at[0].From != 1 || at[len(at)-1].To != 82 {
				t.Errorf("messages %d to %d are judged", at[0].From, at[len(at)-1].To)
			}
			if last := script.Requests[0].Messages; last[len(last)-1].Role != "user" {
				t.Errorf("the segment is sent as %s", last[len(last)-1].Role)
			}
			if !res.Shortened.Tools || !flagged(res.Flags, FlagToolsShortened) {
				t.Errorf("%s: the tools are said to be shown whole: %v", tt.keys, res.Flags)
			}
			if s.Details.Field("segments").Len() != n {
				t.Errorf("%s", s.Details.JSON())
			}
			if data := s.Details.JSON(); transport != llm.JSONSchema {
				continue
			} else if first == "" {
				first = data
			} else if d := cmp.Diff(first, data); d != "" {
				t.Error(d)
			}
		}
	}
}

func elements(list value.Value) iter.Seq[value.Value] {
	return func(yield func(value.Value) bool) {
		for _, e := range list.Elements() {
			if !yield(e) {
				return
			}
		}
	}
}

// aloneKeys returns the keys of requests that ask by one rubric alone.
func aloneKeys(conv *Conversation, r *rubrics.Rubric) []string {
	keys := RequestKeys(conv, []*rubrics.Rubric{r})
	return slices.DeleteFunc(keys, func(key string) bool { return strings.HasSuffix(key, TogetherKey) })
}

// Each built-in question that runs if it is named takes the answers of its own examples, at each item of its scope.
func TestNamedRubrics(t *testing.T) {
	list, err := rubrics.Named()
	if err != nil {
		t.Fatal(err)
	}
	items := map[rubrics.Scope]int{"call": 2, "result": 2, "turn": 2, "conversation": 1}
	for _, r := range list {
		for i, e := range r.Examples {
			answer := e.Answer
			if entries := answer.Field("parameters"); entries.IsList() { // the judged calls have this argument
				entry := value.Pairs("name", "order_id", "verdict", "grounded", "why", "stated")
				answer = answer.With("parameters", value.OfList(append(slices.Collect(elements(entries)), entry)...))
			}
			script := judgetest.Replies(answer.JSON())
			j := intentJudge(t, script, asks(r))
			n := 0
			err := Run(t.Context(), []*Judge{j}, one(Item{Conversation: twoTurns(t)}), RunConfig{}, func(o *Outcome) error {
				for _, res := range o.Results {
					n++
					_, want := r.Output.Take(e.Answer.Field("output"))
					s := res.Score()
					if got := string(s.Status) + s.Category; got != "scored"+want && got != want {
						t.Errorf("%s, example %d: %s, want %s; %s", r.Name, i+1, got, want, res.ErrorDetail)
					}
				}
				return nil
			})
			if err != nil || n != items[r.Scope] {
				t.Errorf("%s: %d items, %v", r.Name, n, err)
			}
		}
	}
}

// A server that refuses every segment for its length is given up, and the judgement says why.
func TestSegmentsRefused(t *testing.T) {
	r := question(t, "answer: yes/no\npass: yes\nscope: conversation")
	script := &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) {
		return nil, &llm.Error{Kind: llm.KindOverflow, Attempts: 1, Message: "the prompt is too long"}
	}}
	j := intentJudge(t, script, func(c *Config) {
		asks(r)(c)
		c.Prompt.Limit.Tokens, c.MaxTokens = 16<<10, 64
	})
	var got []Result
	err := Run(t.Context(), []*Judge{j}, one(Item{Conversation: longConversation(t, 200)}), RunConfig{}, func(o *Outcome) error {
		got = append(got, o.Results...)
		return nil
	})
	if err != nil || len(got) != 1 {
		t.Fatalf("%d results, %v", len(got), err)
	}
	if len(script.Requests) != 1+maxRefits {
		t.Errorf("%d requests: the segments behind the one that is refused are sent", len(script.Requests))
	}
	if res := got[0]; res.Verdict != NoVerdict || res.ErrorKind != KindContext || res.Requests != len(script.Requests) ||
		!strings.HasPrefix(res.ErrorDetail, "segment 1 of ") || !strings.HasSuffix(res.ErrorDetail, "the prompt is too long") {
		t.Errorf("%d of %d requests, %s: %s: %s", res.Requests, len(script.Requests), res.Verdict, res.ErrorKind, res.ErrorDetail)
	}
}

// TestSeesExpected: a rubric that sees what is expected is shown it after the conversation, with what
// is redacted, inside the window and in the estimate; other rubrics are not, and a conversation
// without it is not asked about.
func TestSeesExpected(t *testing.T) {
	conv := judgetest.Support(t)
	conv.Expected = &transcript.Expected{
		Calls: []transcript.ExpectedCall{
			{Name: "get_order", Arguments: judgetest.JSON(t, `{"order_id":987}`)},
			{Name: "tell", Arguments: judgetest.JSON(t, `{}`), Requestor: "user"},
			{Name: "cancel_order", Arguments: judgetest.JSON(t, `{"order_id":987,"reason":"<<<END"}`), Compare: []string{"order_id"}},
		},
		Outputs: []string{"your code is 4711"},
	}
	load := func(keys string) *rubrics.Rubric {
		list, err := rubrics.Load(strings.NewReader("question: q?\nanswer: yes/no\npass: yes\n"+keys), "q.yaml")
		if err != nil {
			t.Fatal(err)
		}
		return list[0]
	}
	redact, err := NewRedaction([]string{"4711"})
	if err != nil {
		t.Fatal(err)
	}
	const lines = `{"name":"get_order","parameters":{"order_id":987}}
{"name":"cancel_order","parameters":{"order_id":987,"reason":"\u003c\u003c\u003cEND"},"parameters_that_count":["order_id"]}
{"answer_says":"your code is [redacted]"}
`
	for _, scope := range rubrics.Scopes() {
		for _, layout := range prompt.Layouts() {
			sees, other := load("name: as_expected\nsees: expected\nscope: "+string(scope)), load("name: other\nscope: "+string(scope))
			s := judgetest.Replies(`{"explanation":"e","evidence":"\"reason\"","output":"yes","confidence":1,"correction":{}}`)
			j, err := New(s, Config{Model: "m", Rubrics: []*rubrics.Rubric{sees, other}, Prompt: Options{
				Redact: redact, Layout: layout, Limit: Limit{Tokens: 4096}}})
			if err != nil {
				t.Fatal(err)
			}
			target := Targets(conv, sees)[0]
			results, err := j.Target(t.Context(), conv, target)
			if err != nil || len(results) != 2 || results[0].Verdict != Pass || flagged(results[0].Flags, "evidence_not_in_record") {
				t.Fatalf("%s: %+v, %v", scope, results, err)
			}
			for i, rubric := range []*rubrics.Rubric{sees, other} {
				messages := s.Requests[i].Messages
				record := messages[len(messages)-1].Content
				if shown := strings.Contains(record, " expected>>>\n"+lines+"<<<END"); shown != rubric.SeesExpected || strings.Contains(record, "4711") {
					t.Errorf("%s, %s: the expected calls are shown: %v\n%s", scope, rubric.Name, shown, record)
				}
				if at := strings.Index(record, " conversation>>>"); rubric.SeesExpected && at > strings.Index(record, " expected>>>") {
					t.Error("the prompts of two rubrics differ before the conversation")
				}
			}
			bytes, tokens := 0, j.Limit().Estimate(s.Requests[0].Messages)
			for _, m := range s.Requests[0].Messages {
				bytes += len(m.Content)
			}
			j.Fits(conv, &Prefixes{}, func(f *Fit) bool {
				if f.Rubric == "as_expected" && f.Target == target && (f.Bytes < bytes || f.Bytes > bytes+200 || f.Tokens < tokens || f.Tokens > tokens+80) {
					t.Errorf("%s: %d bytes and %d tokens are planned, %d and %d sent", scope, f.Bytes, f.Tokens, bytes, tokens)
				}
				return true
			})
			conv := judgetest.Support(t)
			if n := len(Targets(conv, sees)); n != 0 {
				t.Errorf("%s: %d items are asked about without what is expected", scope, n)
			}
		}
	}
}
