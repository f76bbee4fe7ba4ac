package transcript

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/value"
)

func parse(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestWriteOpenAI: what the API knows is written, and nothing of what the user's side called or nobody did.
func TestWriteOpenAI(t *testing.T) {
	const image, odd = `[{"type":"image_url","image_url":{"url":"data:,"}}]`, `[{"type":"image_url"},{"type":"video"}]`
	c := &Conversation{
		Messages: []Message{
			{Role: System, Content: "Be kind."},
			{Role: User, Content: "Look.", Parts: parse(t, image)},
			{Role: Assistant, Calls: []int{0, 1}},
			{Role: ToolRole, Content: "lost", Result: 0},
			{Role: ToolRole, Content: "of nobody", Result: -1},
			{Role: User, Content: "And this?", Parts: parse(t, odd), Calls: []int{2}},
			{Role: ToolRole, Content: "of the user's", Result: 2},
			{Role: Assistant, Content: "It was lost.", Calls: []int{3}},
			{Role: Assistant, Content: "I look again.", Parts: parse(t, image), Calls: []int{4, 5, 6}},
			{Role: User, Content: "Thanks."},
			{Role: Assistant},
			{Role: Assistant, Calls: []int{7}},
		},
		Calls: []Call{
			{ID: "a", Name: "find", RawArguments: `{"n": 1}`},
			{Index: 1, Name: "now", Malformed: true},
			{Index: 2, ID: "u", Name: "restart", Executor: "user"},
			{Index: 3, ID: "p", Name: "find", Proposed: true},
			{Index: 4, ID: "b", Name: "find", RawArguments: `{}`},
			{Index: 5, ID: "c", Name: "find", RawArguments: `{"n":`, Malformed: true},
			{Index: 6, ID: "d", Name: "note", Custom: true},
			{Index: 7, ID: "e", Name: "now", RawArguments: `{}`},
		},
		Tools: []Tool{{Name: "find", Description: "Finds.", Parameters: parse(t, `{"type":"object"}`)}},
	}
	want := strings.Join([]string{
		`{"messages":[{"role":"system","content":"Be kind."}`,
		`{"role":"user","content":` + image + `}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"find","arguments":"{\"n\": 1}"}}`,
		`{"id":"call_1","type":"function","function":{"name":"now","arguments":"{}"}}]}`,
		`{"role":"tool","content":"lost","tool_call_id":"a"}`,
		`{"role":"user","content":"And this?"}`,
		`{"role":"assistant","content":"It was lost."}`,
		`{"role":"assistant","content":"I look again.","tool_calls":[{"id":"b","type":"function","function":{"name":"find","arguments":"{}"}}`,
		`{"id":"c","type":"function","function":{"name":"find","arguments":"{\"n\":"}}`,
		`{"id":"d","type":"custom","custom":{"name":"note","input":""}}]}`,
		`{"role":"user","content":"Thanks."}`, `{"role":"assistant","content":""}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"e","type":"function","function":{"name":"now","arguments":"{}"}}]}]`,
		`"tools":[{"type":"function","function":{"name":"find","description":"Finds.","parameters":{"type":"object"}}}]}`,
	}, ",") + "\n"
	var out strings.Builder
	if err := WriteOpenAI(&out, c); err != nil || out.String() != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out.String(), want)
	}
	out.Reset()
	c = &Conversation{Messages: []Message{{Role: User, Content: "Hi."}}}
	want = `{"messages":[{"role":"user","content":"Hi."}]}` + "\n"
	if err := WriteOpenAI(&out, c); err != nil || out.String() != want {
		t.Errorf("without tools: %v %s, want %s", err, out.String(), want)
	}
	pipe, end := io.Pipe()
	pipe.Close()
	if err := WriteOpenAI(end, c); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("nobody reads: %v", err)
	}
}

// TestSpanOf: a trace and a span are there together or not at all, of a call or of the conversation.
func TestSpanOf(t *testing.T) {
	const trace, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	ids := func(trace, span string) value.Value {
		return value.Pairs("trace_id", trace, "span_id", span, "response_id", "r1")
	}
	for _, tt := range []struct {
		name, trace, span string
		want              SpanRef
	}{
		{"both", trace, span, SpanRef{Trace: trace, Span: span}},
		{"capitals", strings.ToUpper(trace), strings.ToUpper(span), SpanRef{Trace: trace, Span: span}},
		{"no span", trace, "", SpanRef{}},
		{"no trace", "", span, SpanRef{}},
		{"zeros", strings.Repeat("0", 32), span, SpanRef{}},
		{"too short", trace[1:], span, SpanRef{}},
		{"no digits", trace, "g" + span[1:], SpanRef{}},
	} {
		c := &Conversation{Messages: []Message{{Extra: ids(tt.trace, tt.span)}}, Calls: []Call{{}},
			Extra: value.Pairs("gen_ai_conversation_id", "c1", "trace_id", trace, "span_id", span)}
		tt.want.Response, tt.want.Conversation = "r1", "c1"
		if got := c.SpanOf(0); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
		for _, i := range []int{-1, 1} {
			if got, want := c.SpanOf(i), (SpanRef{Trace: trace, Span: span, Conversation: "c1"}); got != want {
				t.Errorf("the conversation's: %+v, want %+v", got, want)
			}
		}
	}
}

// TestAppendNative: what a reader needs to get the same conversation back is written, and nothing else.
func TestAppendNative(t *testing.T) {
	with := func(call Call) *Conversation {
		return &Conversation{ID: "c", Messages: []Message{{Role: Assistant, Calls: []int{0}}}, Calls: []Call{call}}
	}
	for _, tt := range []struct {
		name string
		of   *Conversation
		want string
	}{
		{"nothing", &Conversation{ID: "c"}, `{"id":"c","messages":[]}`},
		{"an empty text, and results that say whether they succeeded", &Conversation{ID: "c", Messages: []Message{
			{Role: User, HasContent: true}, {Role: ToolRole, ResultID: "1", ToolName: "f", Succeeded: true},
			{Role: ToolRole, IsError: true}}},
			`{"id":"c","messages":[{"role":"user","content":""},` +
				`{"role":"tool","content":null,"name":"f","tool_call_id":"1","is_error":false},{"role":"tool","content":null,"is_error":true}]}`},
		{"no expected call is another reference than none", &Conversation{ID: "c", Expected: &Expected{Calls: []ExpectedCall{}}},
			`{"id":"c","messages":[],"expected_calls":[]}`},
		{"expected outputs alone", &Conversation{ID: "c", Expected: &Expected{Outputs: []string{"4 days"}}},
			`{"id":"c","messages":[],"expected_outputs":["4 days"]}`},
		{"no arguments", with(Call{Name: "f", Malformed: true, Problem: NoArguments}),
			`{"id":"c","messages":[{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"f"}}]}]}`},
		{"empty arguments of another kind", with(Call{Name: "f", Malformed: true, Problem: "empty"}),
			`{"id":"c","messages":[{"role":"assistant","content":null,"tool_calls":[{"type":"function",` +
				`"function":{"name":"f","arguments":""}}]}]}`},
		{"of the user, before the log begins",
			with(Call{ID: "1", Name: "f", RawArguments: "{}", Executor: "user", Context: true}),
			`{"id":"c","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function",` +
				`"function":{"name":"f","arguments":"{}"},"requestor":"user","context":true}]}]}`},
		{"of the agent", with(Call{Name: "f", RawArguments: "{}", Executor: "assistant"}),
			`{"id":"c","messages":[{"role":"assistant","content":null,"tool_calls":[{"type":"function",` +
				`"function":{"name":"f","arguments":"{}"}}]}]}`},
		{"in the text", with(Call{Name: "f", RawArguments: "{}", Proposed: true}),
			`{"id":"c","messages":[{"role":"assistant","content":null}]}`},
		{"labels", &Conversation{ID: "c", Labels: []Label{{Name: "a", Value: 1, CallIndex: -1}, {Name: "b", Value: 0.5, CallIndex: -1},
			{Name: "c", Text: "good", CallIndex: -1}}}, `{"id":"c","messages":[],"labels":{"a":1,"b":0.5,"c":"good"}}`},
		{"a label of the first call", &Conversation{ID: "c", Labels: []Label{{Name: "a", Value: 1, CallIndex: 0}, {Name: "b", CallIndex: -1}}},
			`{"id":"c","messages":[],"labels":[{"name":"a","value":1,"call_index":0},{"name":"b","value":0}]}`},
		{"expected calls", &Conversation{ID: "c", Expected: &Expected{Only: true, Calls: []ExpectedCall{
			{Name: "f", Arguments: parse(t, `{"n":1.0}`), Compare: []string{"n"}, Requestor: "user"},
			{Name: "g", Allowed: parse(t, `{"n":[1,2]}`)}}}},
			`{"id":"c","messages":[],"expected_calls":[{"name":"f","arguments":{"n":1.0},"compare_args":["n"],"requestor":"user"},` +
				`{"g":{"n":[1,2]}}],"only_expected_calls":true}`},
		{"an expected call beside which others may be right", &Conversation{ID: "c", Expected: &Expected{
			Calls: []ExpectedCall{{Name: "f", Arguments: parse(t, `{}`)}}}},
			`{"id":"c","messages":[],"expected_calls":[{"name":"f","arguments":{}}]}`},
		{"an empty list says itself that no other call is right",
			&Conversation{ID: "c", Expected: &Expected{Only: true, Calls: []ExpectedCall{}}},
			`{"id":"c","messages":[],"expected_calls":[]}`},
		{"tools, as they stand in the log", &Conversation{ID: "c", Tools: []Tool{{Name: "f", Raw: parse(t, `{"n":1.0,"name":"f"}`)}}},
			`{"id":"c","messages":[],"tools":[{"n":1.0,"name":"f"}]}`},
		{"two labels of a name", &Conversation{ID: "c", Labels: []Label{{Name: "a", Value: 1, CallIndex: -1}, {Name: "a", CallIndex: -1}}},
			`{"id":"c","messages":[],"labels":[{"name":"a","value":1},{"name":"a","value":0}]}`},
	} {
		if got := strings.TrimSuffix(string(AppendNative(nil, tt.of)), "\n"); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestHashes: a hash covers tools, messages and reference, and no name of the conversation; that of a call covers what
// stands before the call.
func TestHashes(t *testing.T) {
	of := func(change func(*Conversation)) (content string, call string) {
		c := &Conversation{ID: "a", Tools: []Tool{{Raw: parse(t, `{"name":"f","b":1.0}`)}},
			Messages: []Message{{Role: User, Content: "go", HasContent: true}, {Role: Assistant, Calls: []int{0}},
				{Role: User, Content: "thanks", HasContent: true}},
			Calls: []Call{{Name: "f", RawArguments: "{}"}}}
		change(c)
		content, calls := c.Hashes()
		return content, calls[0]
	}
	content, call := of(func(*Conversation) {})
	for _, tt := range []struct {
		name              string
		change            func(*Conversation)
		sameAll, sameCall bool
	}{
		{"another id", func(c *Conversation) { c.ID = "b" }, true, true},
		{"an equal number and another order", func(c *Conversation) { c.Tools[0].Raw = parse(t, `{"b":1,"name":"f"}`) }, true, true},
		{"another tool", func(c *Conversation) { c.Tools[0].Raw = parse(t, `{"name":"f","b":2}`) }, false, false},
		{"no tool", func(c *Conversation) { c.Tools = nil }, false, false},
		{"another word before the call", func(c *Conversation) { c.Messages[0].Content = "stop" }, false, false},
		{"another word after it", func(c *Conversation) { c.Messages[2].Content = "no" }, false, true},
		{"other arguments", func(c *Conversation) { c.Calls[0].RawArguments = "{ }" }, false, false},
		{"a reference", func(c *Conversation) { c.Expected = &Expected{Calls: []ExpectedCall{}} }, false, true},
	} {
		if all, one := of(tt.change); (all == content) != tt.sameAll || (one == call) != tt.sameCall {
			t.Errorf("%s: same conversation %v, same call %v; want %v, %v", tt.name, all == content, one == call, tt.sameAll, tt.sameCall)
		}
	}
}

func TestFreeText(t *testing.T) {
	var c Call
	c.FreeText("*** Begin Patch")
	if !c.Custom || c.RawArguments != "*** Begin Patch" || c.Arguments.JSON() != `{"input":"*** Begin Patch"}` {
		t.Errorf("%+v", c)
	}
}
