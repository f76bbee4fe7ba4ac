package judges

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

// scripted is a Completer that answers with what a function decides.
type scripted struct {
	mu    sync.Mutex
	reqs  []llm.Request
	reply func(n int, req llm.Request) (*llm.Response, error)
}

func (s *scripted) Do(ctx context.Context, req llm.Request) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, &llm.Error{Kind: llm.KindCanceled, Message: err.Error()}
	}
	s.mu.Lock()
	n := len(s.reqs)
	s.reqs = append(s.reqs, req)
	s.mu.Unlock()
	return s.reply(n, req)
}

func text(content string) *llm.Response {
	return &llm.Response{Content: content, FinishReason: "stop"}
}

// replies answers with the given texts in turn, the last one for ever.
func replies(texts ...string) *scripted {
	return &scripted{reply: func(n int, _ llm.Request) (*llm.Response, error) {
		return text(texts[min(n, len(texts)-1)]), nil
	}}
}

func builtin(t testing.TB, name string) *rubrics.Rubric {
	t.Helper()
	list, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no rubric %s", name)
	return nil
}

func parse(t testing.TB, s string) value.Value {
	t.Helper()
	v, err := value.ParseString(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// answerText is a valid answer with the given output.
func answerText(output string) string {
	return fmt.Sprintf(`{"explanation":"The call fits the request.","evidence":"\"cancel order 987\"","output":%s,"confidence":0.9,"correction":{}}`, output)
}

// builder makes a conversation in a few words.
type builder struct {
	t    testing.TB
	conv *transcript.Conversation
}

func newConversation(t testing.TB, id string) *builder {
	return &builder{t, &transcript.Conversation{ID: id}}
}

func (b *builder) tool(name, desc, schema string) *builder {
	b.conv.Tools = append(b.conv.Tools, transcript.Tool{Name: name, Description: desc, Parameters: parse(b.t, schema)})
	return b
}

func (b *builder) say(role transcript.Role, content string) *builder {
	b.conv.Messages = append(b.conv.Messages, transcript.Message{Role: role, Content: content, HasContent: true, Result: -1})
	return b
}

// act adds a message of the agent with calls "name {json}".
func (b *builder) act(content string, calls ...string) *builder {
	m := transcript.Message{Role: transcript.Assistant, Content: content, HasContent: content != "", Result: -1}
	for _, c := range calls {
		name, args, _ := strings.Cut(c, " ")
		call := transcript.Call{Index: len(b.conv.Calls), Name: name, RawArguments: args, Message: len(b.conv.Messages), Result: -1, Executor: "client"}
		v, err := value.ParseString(args)
		if err != nil || v.Kind() != value.Object {
			call.Malformed, call.Arguments = true, value.OfObject()
		} else {
			call.Arguments = v
		}
		m.Calls = append(m.Calls, call.Index)
		b.conv.Calls = append(b.conv.Calls, call)
	}
	b.conv.Messages = append(b.conv.Messages, m)
	return b
}

// result answers call i.
func (b *builder) result(i int, content string) *builder {
	m := transcript.Message{Role: transcript.ToolRole, Content: content, HasContent: true, Result: i, ToolName: b.conv.Calls[i].Name}
	if v, err := value.ParseString(content); err == nil && (v.Kind() == value.Object || v.IsList()) {
		m.Output = v
	}
	b.conv.Calls[i].Result = len(b.conv.Messages)
	b.conv.Messages = append(b.conv.Messages, m)
	return b
}

// support is a small conversation with three calls.
func support(t testing.TB) *transcript.Conversation {
	return newConversation(t, "c1").
		tool("get_order", "Shows an order", `{"type":"object","properties":{"order_id":{"type":"integer"}},"required":["order_id"]}`).
		tool("cancel_order", "Cancels an order", `{"type":"object","properties":{"order_id":{"type":"integer"},"reason":{"type":"string"}},"required":["order_id"]}`).
		say(transcript.System, "Be kind.").
		say(transcript.User, "Please cancel order 987.").
		act("Let me look.", `get_order {"order_id":987.50,"z":1,"a":2}`).
		result(0, `{"status":"pending","total":1.50}`).
		act("", `cancel_order {"order_id":987}`, `get_order {"order_id":12}`).
		result(1, "done").
		result(2, "Error: no such order").
		say(transcript.Assistant, "It is cancelled.").
		conv
}

func live(t testing.TB, conv *transcript.Conversation, call int) string {
	t.Helper()
	return newView(conv, Options{}.withDefaults()).message(call).text
}

// discard answers always the same and keeps nothing.
type discard struct{ resp *llm.Response }

func (d discard) Do(context.Context, llm.Request) (*llm.Response, error) { return d.resp, nil }
