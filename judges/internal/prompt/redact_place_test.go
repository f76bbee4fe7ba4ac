package prompt

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

const secret = "ann@example.com"

// onePlace returns a conversation of one tool, one call and its result, in which nothing
// matches before a test puts an address into one place.
func onePlace() *transcript.Conversation {
	object := value.OfObject(value.Member{Key: "a", Value: value.OfString("b")})
	return &transcript.Conversation{
		ID:    "c",
		Tools: []transcript.Tool{{Name: "find", Description: "finds", Parameters: object, Raw: object}},
		Messages: []transcript.Message{
			{Role: transcript.System, Content: "be kind", Result: -1},
			{Role: transcript.User, Content: "please", Result: -1},
			{Role: transcript.Assistant, Content: "yes", Calls: []int{0}, Result: -1},
			{Role: transcript.ToolRole, Content: "found", ToolName: "find", Result: 0},
			{Role: transcript.Assistant, Calls: []int{1}, Result: -1},
		},
		Calls: []transcript.Call{
			{Name: "find", Arguments: object, RawArguments: object.JSON(), Message: 2, Result: 3},
			{Name: "find", Arguments: object, RawArguments: object.JSON(), Message: 4, Result: -1},
		},
	}
}

// everything returns what a view shows or hands to the checks, and every text of its
// conversation that a later stage could show.
func everything(v *View) string {
	var b strings.Builder
	c := v.Conversation()
	for i := range c.Tools {
		t := &c.Tools[i]
		fmt.Fprintln(&b, t.Name, t.Description, t.Parameters.JSON(), t.Raw.JSON())
	}
	for i := range c.Messages {
		m := &c.Messages[i]
		fmt.Fprintln(&b, m.Content, m.ToolName, m.Output.JSON(), m.Parts.JSON())
	}
	for i := range c.Calls {
		call := &c.Calls[i]
		fmt.Fprintln(&b, call.Name, call.RawArguments, call.Arguments.JSON())
		fmt.Fprintln(&b, v.Show(OfCall(i), math.Inf(1), Ending{}).Text, v.Call(OfCall(i)), v.CallTexts(OfCall(i)))
	}
	for i := range v.Lines() {
		fmt.Fprintln(&b, v.Lines()[i].Texts())
	}
	if c.Expected != nil {
		fmt.Fprintf(&b, "%q\n", c.Expected.Outputs)
		for _, call := range c.Expected.Calls {
			fmt.Fprintln(&b, call.Name, call.Arguments.JSON(), call.Allowed.JSON(), call.Compare)
		}
	}
	return b.String() + v.Tools() + v.Expected()
}

// TestRedactionOfOneMatch puts an address into one place of a conversation at a time. It is
// never shown, whichever place that is, and the log's own conversation keeps it.
func TestRedactionOfOneMatch(t *testing.T) {
	text := value.OfString("is " + secret)
	member := func(key string, v value.Value) value.Value { return value.OfObject(value.Member{Key: key, Value: v}) }
	arguments := func(v value.Value) func(c *transcript.Conversation) {
		return func(c *transcript.Conversation) { c.Calls[0].Arguments, c.Calls[0].RawArguments = v, v.JSON() }
	}
	expected := func(call transcript.ExpectedCall, outputs ...string) func(c *transcript.Conversation) {
		return func(c *transcript.Conversation) {
			c.Expected = &transcript.Expected{Calls: []transcript.ExpectedCall{call}, Outputs: outputs}
		}
	}
	tests := map[string]struct {
		put func(c *transcript.Conversation)
		// again says that the log has the same in another form, in which it is counted.
		again bool
	}{
		"tool name":                 {put: func(c *transcript.Conversation) { c.Tools[0].Name = secret }},
		"tool description":          {put: func(c *transcript.Conversation) { c.Tools[0].Description = "as " + secret }},
		"tool parameters":           {put: func(c *transcript.Conversation) { c.Tools[0].Parameters = member("d", text) }},
		"tool as logged":            {put: func(c *transcript.Conversation) { c.Tools[0].Raw = member("d", text) }, again: true},
		"system prompt":             {put: func(c *transcript.Conversation) { c.Messages[0].Content = "for " + secret }},
		"user":                      {put: func(c *transcript.Conversation) { c.Messages[1].Content = secret + "!" }},
		"assistant":                 {put: func(c *transcript.Conversation) { c.Messages[2].Content = "dear " + secret }},
		"result":                    {put: func(c *transcript.Conversation) { c.Messages[3].Content = secret }},
		"result's tool name":        {put: func(c *transcript.Conversation) { c.Messages[3].ToolName = secret }},
		"result as value":           {put: func(c *transcript.Conversation) { c.Messages[3].Output = member("mail", text) }, again: true},
		"result in parts":           {put: func(c *transcript.Conversation) { c.Messages[3].Parts = value.OfList(text) }, again: true},
		"call name":                 {put: func(c *transcript.Conversation) { c.Calls[0].Name = secret }},
		"argument":                  {put: arguments(member("to", text))},
		"argument's name":           {put: arguments(member(secret, value.OfBool(true)))},
		"argument in a list":        {put: arguments(member("to", value.OfList(member("x", value.OfList(text)))))},
		"argument in a tuple":       {put: arguments(member("to", value.OfTuple(text)))},
		"argument that is a number": {put: arguments(member("card", value.OfInt(4111111111111111)))},
		"unreadable arguments": {put: func(c *transcript.Conversation) {
			c.Calls[0].Malformed, c.Calls[0].Arguments, c.Calls[0].RawArguments = true, value.Value{}, `{"to": `+secret
		}},
		"call without a result": {put: func(c *transcript.Conversation) {
			c.Calls[1].Arguments = member("to", text)
			c.Calls[1].RawArguments = c.Calls[1].Arguments.JSON()
		}},
		"tool in both of its forms": {put: func(c *transcript.Conversation) {
			c.Tools[0].Parameters, c.Tools[0].Raw = member("d", text), member("d", text)
		}},
		"expected call":            {put: expected(transcript.ExpectedCall{Name: secret}), again: true},
		"expected argument":        {put: expected(transcript.ExpectedCall{Arguments: member("to", text)}), again: true},
		"expected argument's name": {put: expected(transcript.ExpectedCall{Compare: []string{secret}}), again: true},
		"value that is expected too": {
			put: expected(transcript.ExpectedCall{Allowed: member("to", value.OfList(text))}), again: true,
		},
		"expected answer": {put: expected(transcript.ExpectedCall{}, "dear "+secret), again: true},
	}
	r, err := NewRedaction([]string{`\b4[0-9]{15}\b`, `[a-z]+@example\.com`})
	if err != nil {
		t.Fatal(err)
	}
	shows := func(v *View) bool {
		all := everything(v)
		return strings.Contains(all, "@example") || strings.Contains(all, "4111")
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			conv := onePlace()
			tt.put(conv)
			if !shows(NewView(conv, Options{RunKey: []byte("k")})) {
				t.Fatal("without redaction nothing is shown: the test would prove nothing")
			}
			v := NewView(conv, Options{RunKey: []byte("k"), Redact: r})
			if all := everything(v); shows(v) || !strings.Contains(all, redacted) {
				t.Errorf("it is shown:\n%s", all)
			}
			want := 1
			if tt.again {
				want = 0
			}
			if v.Redacted != want {
				t.Errorf("%d matches are counted, want %d", v.Redacted, want)
			}
			if !shows(NewView(conv, Options{RunKey: []byte("k")})) {
				t.Error("the log's own conversation is changed")
			}
		})
	}
}

// TestRedactionOfEscapedText: what a pattern matches is found where a text holds it in escapes, and what
// stands around it stays.
func TestRedactionOfEscapedText(t *testing.T) {
	r, err := NewRedaction([]string{`Müller`, `[a-z]+@example\.com`})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"to": "ann\u0040example.com", "n": 1}`:   `{"to": "[redacted]", "n": 1}`,
		`{"x": "{\"to\": \"M\\u00fcller\"}"}`:      `{"x": "{\"to\": \"[redacted]\"}"}`,
		`https://x.test/?to=ann%40example.com&n=1`: `https://x.test/?to=[redacted]&n=1`,
		`<a>ann&#64;example.com</a> &amp; more`:    `<a>[redacted]</a> &amp; more`,
		`{"name": "M\u00fcl`:                       `{"name": "M\u00fcl`,
		`\nann@example.com\n`:                      `[redacted]\n`,
		`ann@example.com, Müller and C:\temp 5 %`:  `[redacted], [redacted] and C:\temp 5 %`,
		`ann@example.comMüllerMüller`:              `[redacted][redacted][redacted]`,
	} {
		w := &redacting{patterns: r.patterns}
		if got := w.text(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestRedactionByOnePattern: one pattern is enough; what it does not match stays as it was written, and a
// conversation without redaction has nothing to count. A run can name the patterns.
func TestRedactionByOnePattern(t *testing.T) {
	conv := onePlace()
	conv.Calls[0].RawArguments = `{ "a" : "b" }`
	conv.Calls[1].RawArguments = `{ "a" : "` + secret + `" }`
	conv.Calls[1].Arguments = value.OfObject(value.Member{Key: "a", Value: value.OfString(secret)})
	r, err := NewRedaction([]string{`[a-z]+@example\.com`})
	if err != nil {
		t.Fatal(err)
	}
	v := NewView(conv, Options{Redact: r})
	calls := v.Conversation().Calls
	if v.Redacted != 1 || calls[0].RawArguments != `{ "a" : "b" }` || calls[1].RawArguments != `{"a":"[redacted]"}` {
		t.Errorf("%d matches; the arguments are %s and %s", v.Redacted, calls[0].RawArguments, calls[1].RawArguments)
	}
	var none *Redaction
	if n := NewView(conv, Options{}).Redacted; n != 0 || none.Patterns() != nil {
		t.Errorf("%d matches of no pattern; %q", n, none.Patterns())
	}
	if got := r.Patterns(); len(got) != 1 || got[0] != `[a-z]+@example\.com` {
		t.Errorf("patterns %q", got)
	}
	record := value.OfList(value.OfString("<b> "+secret), value.OfInt(7))
	if got, same := Inert(r.Value(record)), Inert(none.Value(record)); got != `["\u003cb> [redacted]",7]` ||
		same != `["\u003cb> ann@example.com",7]` {
		t.Errorf("%s, and without redaction %s", got, same)
	}
}
