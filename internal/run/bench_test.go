package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// benchLog has three conversations of two calls each.
func benchLog(read *atomic.Int64) input.Log {
	var b strings.Builder
	for i := range 3 {
		fmt.Fprintf(&b, `{"id":"c%d","messages":[{"role":"user","content":"Cancel order %d."},{"role":"assistant",`+
			`"tool_calls":[{"id":"t","type":"function","function":{"name":"find","arguments":"{\"id\":%d}"}}]},`+
			`{"role":"assistant","tool_calls":[{"id":"u","type":"function","function":{"name":"cancel",`+
			`"arguments":"{\"id\":%d}"}}]}]}`+"\n", i, i, i, i)
	}
	return textLog("bench.jsonl", b.String(), read)
}

// benchAnswers answers about order n and the call of a tool with a number of its own, and a question with its rules.
func benchAnswers(c llmtest.Call) llmtest.Reply {
	asked := c.Messages[len(c.Messages)-1].Content
	if strings.Contains(asked, "The answer, as JSON:") {
		return llmtest.Chat(llmtest.ChatMessage{Content: `{"rules":["a"]}`})
	}
	output := 1
	for i := range 3 {
		if strings.Contains(asked, fmt.Sprintf("Cancel order %d", i)) {
			output += i
		}
	}
	if _, call, _ := strings.Cut(asked, " call>>>"); strings.Contains(call, `"cancel"`) {
		output += 2
	}
	answer := fmt.Sprintf(`{"explanation":"e","evidence":"NONE: nothing","output":%d,"confidence":1,"correction":{}}`, output)
	return llmtest.Chat(llmtest.ChatMessage{Content: answer, PromptTokens: len(c.Body) / 4})
}

// TestBench: a bench has the wanted conversations, asks its first judge about each item once, in this process and the
// next, gives the results in the order of the items, and asks its last judge questions.
func TestBench(t *testing.T) {
	s := llmtest.Start(benchAnswers)
	defer s.Close()
	var read atomic.Int64
	p := shortPlan(t, s.URL, "first", benchLog(&read))
	p.Judges[0].Config.Transport = judges.JSONSchema
	last := p.Judges[0]
	last.Config.Model = "last"
	p.Judges = append(p.Judges, last)
	item := func(id string, call int) BenchItem {
		return BenchItem{id, judges.Target{Scope: p.Rubrics[0].Scope, Call: call}}
	}
	dir := t.TempDir()
	wanted := func(id string) bool { return id != "c1" }
	open := func() *Bench {
		spec, err := Resolve(t.Context(), p.Task, "")
		if err != nil {
			t.Fatal(err)
		}
		var judged atomic.Int64
		b, err := NewBench(t.Context(), spec, wanted, Observer{Judged: func(*judges.Result) { judged.Add(1) }})
		if err != nil {
			t.Fatal(err)
		}
		if b.Conversation("c0") == nil || b.Conversation("c1") != nil {
			t.Error("the bench has other conversations than are wanted")
		}
		upper := map[string]string{"C0": "c0", "C2": "c2"}
		if d := cmp.Diff(upper, b.IDs(strings.ToUpper)); d != "" {
			t.Error(d)
		}
		tokens, err := b.Tokens(p.Rubrics[0], []BenchItem{item("c0", 0), item("c2", 1)})
		if list := []BenchItem{item("c0", 0)}; err != nil || tokens < 300 {
			t.Errorf("%d tokens, %v", tokens, err)
		} else if one, err := b.Tokens(p.Rubrics[0], list); err != nil || one < tokens/3 || one > tokens/2 {
			t.Errorf("%d tokens of %d, %v", one, tokens, err)
		}
		if err := b.Open(t.Context(), dir, "run1", Means{assumeWindows: true}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if judged.Load() != 4 {
				t.Errorf("told about %d judgements", judged.Load())
			}
		})
		return b
	}
	for _, sent := range []int{5, 0} {
		before := s.Requests()
		b := open()
		got, err := b.Judge(t.Context(), p.Rubrics[0], []BenchItem{item("c2", 1), item("c0", 0), item("c2", 0)})
		if err != nil {
			t.Fatal(err)
		}
		again, err := b.Judge(t.Context(), p.Rubrics[0], []BenchItem{item("c0", 0), item("c0", 1)})
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, r := range append(got, again...) {
			said += fmt.Sprintf(" %s:%d=%v", r.ConversationID, r.CallIndex, *r.Output)
		}
		if said != " c2:1=5 c0:0=1 c2:0=3 c0:0=1 c0:1=3" || b.Requests() != 4 {
			t.Errorf("%s after %d requests", said, b.Requests())
		}
		if none, err := b.Judge(t.Context(), p.Rubrics[0], nil); len(none) != 0 || err != nil {
			t.Errorf("%v, %v", none, err)
		}
		q := judges.Question{Key: "rules", Name: "rules", Schema: value.Pairs("type", "object"), System: "Write rules."}
		v, err := b.Ask(t.Context(), q)
		if err != nil || v == nil || v.JSON() != `{"rules":["a"]}` || b.Requests() != 5 {
			t.Errorf("%v, %v after %d requests", v, err, b.Requests())
		}
		if n := s.Requests() - before; n != sent {
			t.Errorf("%d requests were sent, want %d", n, sent)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	models := map[string]int{}
	for _, c := range s.Calls() {
		var model string
		if err := json.Unmarshal(c.Members["model"], &model); err != nil {
			t.Fatal(err)
		}
		models[model]++
	}
	if d := cmp.Diff(map[string]int{"first": 4, "last": 1}, models); d != "" {
		t.Error(d)
	}
}

// TestBenchFails: what keeps a bench from asking is an error; an endpoint that fails one question is no answer, and what
// is wrong with every request ends the work.
func TestBenchFails(t *testing.T) {
	status := 500
	s := llmtest.Start(func(llmtest.Call) llmtest.Reply { return llmtest.Fail(status, "out of order") })
	defer s.Close()
	var read atomic.Int64
	p := shortPlan(t, s.URL, "m", benchLog(&read))
	p.Judges[0].Config.Transport, p.Judges[0].Endpoint.MaxAttempts = judges.JSONSchema, 1
	p.Judges[0].Config.Method = judges.TokenWeighted
	spec, err := Resolve(t.Context(), p.Task, "")
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	all := func(string) bool { return true }
	b, err := NewBench(t.Context(), spec, all, Observer{Note: func(line string) { notes = append(notes, line) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Open(t.Context(), t.TempDir(), "run1", Means{assumeWindows: true}); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	items := []BenchItem{{"c0", judges.OfCall(0)}}
	other, err := rubrics.Parse("name: q\nquestion: q?\nanswer: yes/no\npass: yes\nnot_applicable: yes\n")
	if err != nil {
		t.Fatal(err)
	}
	var task *TaskError
	if _, err := b.Judge(t.Context(), other, items); !errors.As(err, &task) || !strings.Contains(err.Error(), "weighs one token") {
		t.Errorf("a rubric that the judge cannot use: %v", err)
	}
	q := judges.Question{Key: "rules", Name: "rules", Schema: value.Pairs("type", "object")}
	if v, err := b.Ask(t.Context(), q); v != nil || err != nil || len(notes) != 1 || !strings.Contains(notes[0], "out of order") {
		t.Errorf("%v, %v, %q", v, err, notes)
	}
	status = 401
	q.Key = "more"
	var fatal *llm.Error
	if v, err := b.Ask(t.Context(), q); v != nil || !errors.As(err, &fatal) || !fatal.Fatal {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := b.Judge(t.Context(), p.Rubrics[0], items); !errors.As(err, &fatal) || !fatal.Fatal {
		t.Errorf("%v", err)
	}
	if err := b.Open(t.Context(), t.TempDir()+"/none", "run1", Means{}); err == nil {
		t.Error("a bench without a folder for its journal is opened")
	}
}
