// Package judgetest holds what the tests of judging share: a scripted endpoint, a builder for
// conversations, and answers that match a rubric's schema. No program imports it.
package judgetest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

// Script is an endpoint that answers by a function, and keeps the requests in order of arrival.
type Script struct {
	mu       sync.Mutex
	Requests []llm.Request
	// Reply gets the number of the request, from 0. It may be called concurrently.
	Reply func(n int, req llm.Request) (*llm.Response, error)
}

// Do keeps the request and answers it.
func (s *Script) Do(ctx context.Context, req llm.Request) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, &llm.Error{Kind: llm.KindCanceled, Message: err.Error()}
	}
	s.mu.Lock()
	n := len(s.Requests)
	s.Requests = append(s.Requests, req)
	s.mu.Unlock()
	return s.Reply(n, req)
}

// Replies returns an endpoint that answers with the given texts in turn, then always with the last
// one.
func Replies(texts ...string) *Script {
	return &Script{Reply: func(n int, _ llm.Request) (*llm.Response, error) {
		return Text(texts[min(n, len(texts)-1)]), nil
	}}
}

// Constant is an endpoint that always gives the same answer and keeps nothing.
type Constant struct{ Response *llm.Response }

// Do returns the answer.
func (c Constant) Do(context.Context, llm.Request) (*llm.Response, error) { return c.Response, nil }

// Text returns a finished reply with this content.
func Text(content string) *llm.Response {
	return &llm.Response{Content: content, FinishReason: "stop"}
}

// Answer returns a valid answer about Support with this output, which is inserted unchanged.
func Answer(output string) string {
	return AnswerWith(output, "The call fits the request.", `"cancel order 987"`, "{}")
}

// AnswerWith returns an answer whose output and correction are inserted unchanged.
func AnswerWith(output, explanation, evidence, correction string) string {
	quoted := func(s string) string { return string(value.AppendQuoted(nil, s)) }
	return fmt.Sprintf(`{"explanation":%s,"evidence":%s,"output":%s,"confidence":0.9,"correction":%s}`,
		quoted(explanation), quoted(evidence), output, correction)
}

// Rubrics returns the built-in rubrics.
func Rubrics(t testing.TB) []*rubrics.Rubric {
	t.Helper()
	list, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Rubric returns the built-in rubric with this name.
func Rubric(t testing.TB, name string) *rubrics.Rubric {
	t.Helper()
	for _, r := range Rubrics(t) {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no rubric %s", name)
	return nil
}

// JSON parses a value.
func JSON(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// builder builds a conversation.
type builder struct {
	t    testing.TB
	Conv *transcript.Conversation
}

// NewConversation starts building a conversation.
func NewConversation(t testing.TB, id string) *builder {
	return &builder{t, &transcript.Conversation{ID: id}}
}

// Tool adds a tool with its JSON Schema.
func (b *builder) Tool(name, description, schema string) *builder {
	tool := transcript.Tool{Name: name, Description: description, Parameters: JSON(b.t, schema)}
	b.Conv.Tools = append(b.Conv.Tools, tool)
	return b
}

// Say adds a message without calls.
func (b *builder) Say(role transcript.Role, content string) *builder {
	m := transcript.Message{Role: role, Content: content, HasContent: true, Result: -1}
	b.Conv.Messages = append(b.Conv.Messages, m)
	return b
}

// Act adds a message of the agent with calls, each written as "name {json}".
func (b *builder) Act(content string, calls ...string) *builder {
	m := transcript.Message{Role: transcript.Assistant, Content: content, HasContent: content != "", Result: -1}
	for _, c := range calls {
		name, args, _ := strings.Cut(c, " ")
		call := transcript.Call{
			Index: len(b.Conv.Calls), Name: name, RawArguments: args, Message: len(b.Conv.Messages), Result: -1,
			Executor: "client",
		}
		v, err := value.ParseString(args)
		if err != nil || v.Kind() != value.Object {
			call.Malformed, call.Arguments = true, value.OfObject()
		} else {
			call.Arguments = v
		}
		m.Calls = append(m.Calls, call.Index)
		b.Conv.Calls = append(b.Conv.Calls, call)
	}
	b.Conv.Messages = append(b.Conv.Messages, m)
	return b
}

// Result adds the result of call i.
func (b *builder) Result(i int, content string) *builder {
	m := transcript.Message{Role: transcript.ToolRole, Content: content, HasContent: true, Result: i}
	m.ToolName = b.Conv.Calls[i].Name
	if v, err := value.ParseString(content); err == nil && (v.Kind() == value.Object || v.IsList()) {
		m.Output = v
	}
	b.Conv.Calls[i].Result = len(b.Conv.Messages)
	b.Conv.Messages = append(b.Conv.Messages, m)
	return b
}

// Support returns a small conversation with three calls.
func Support(t testing.TB) *transcript.Conversation {
	const id = `{"type":"object","properties":{"order_id":{"type":"integer"}},"required":["order_id"]}`
	withReason := strings.Replace(id, `}},`, `},"reason":{"type":"string"}},`, 1)
	return NewConversation(t, "c1").
		Tool("get_order", "Shows an order", id).
		Tool("cancel_order", "Cancels an order", withReason).
		Say(transcript.System, "Be kind.").
		Say(transcript.User, "Please cancel order 987.").
		Act("Let me look.", `get_order {"order_id":987.50,"z":1,"a":2}`).
		Result(0, `{"status":"pending","total":1.50}`).
		Act("", `cancel_order {"order_id":987}`, `get_order {"order_id":12}`).
		Result(1, "done").
		Result(2, "Error: no such order").
		Say(transcript.Assistant, "It is cancelled.").
		Conv
}
