package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// TestConversationOnThePage: what the page has of a conversation: a result stands in its call, only tools that are
// called are described, once, and expected arguments say what else is right and what does not count.
func TestConversationOnThePage(t *testing.T) {
	message := func(role transcript.Role, text string, calls ...int) transcript.Message {
		return transcript.Message{Role: role, Content: text, HasContent: true, Calls: calls, Result: -1}
	}
	c := &transcript.Conversation{ID: "c1", Source: transcript.Source{File: "log.jsonl", Line: 3},
		Messages: []transcript.Message{
			message(transcript.User, "pay\u202e 5"), message(transcript.Assistant, "well", -1, 0, 1, 3),
			message(transcript.ToolRole, "no money"), message(transcript.ToolRole, "0123456789abcdefghijXYZ"),
		},
		Calls: []transcript.Call{
			{Index: 0, Name: "pay", Arguments: value.Pairs("amount", 5, "to", "ann"), Message: 1, Result: 2, Executor: "client"},
			{Index: 1, Name: "find", Message: 1, Result: -1, Executor: "user", Malformed: true, Problem: "no\nend", RawArguments: "{"},
			{Index: 2, Name: "find", Message: -1, Result: 4, Executor: "client", Problem: "unused", RawArguments: "{}"},
		},
		Tools: []transcript.Tool{{Name: "send"}, {Name: "pay", Description: "Pays.\nNow.", Parameters: value.Pairs("type", "object")},
			{Name: "pay", Description: "again"}},
		Expected: &transcript.Expected{Outputs: []string{"done", "0123456789abcdef"}, Calls: []transcript.ExpectedCall{
			{Name: "pay", Arguments: value.Pairs("amount", 5, "to", "ann"), Compare: []string{"to"},
				Allowed: value.Pairs("amount", value.OfList(value.OfInt(6), value.OfString("x")))},
			{Name: "find", Arguments: value.Pairs("q", true)},
		}},
	}
	c.Messages[2].IsError, c.Messages[3].ToolName = true, "log"
	got := newConversation(c, nil, textSizes{Text: 20, Argument: 10, Definition: 12})
	want := &Conversation{ID: "c1", Place: "log.jsonl:3",
		Messages: []Message{
			{Role: "user", Text: `pay\u202e 5`, Calls: nil}, {Role: "assistant", Text: "well", Calls: []int{0, 1}},
			{Role: "tool"}, {Role: "tool", Tool: "log", Text: "0123456789abcdefghij…", Cut: 3},
		},
		Calls: []Call{
			{CallText: CallText{"pay", []Argument{{Name: "amount", Text: "5"}, {Name: "to", Text: `"ann"`}}}, Message: 1,
				Result: &Result{Text: "no money", Error: true}},
			{CallText: CallText{"find", []Argument{}}, Message: 1, By: "user", Malformed: "no end", Raw: "{"},
			{CallText: CallText{"find", []Argument{}}, Message: -1},
		},
		Tools: []Tool{{"pay", "Pays.\nNow.", `{"type":"ob…`}},
		Expected: []CallText{
			{"pay", []Argument{{Name: "amount", Text: "5", Allowed: []string{"6", `"x"`}, Ignored: true}, {Name: "to", Text: `"ann"`}}},
			{"find", []Argument{{Name: "q", Text: "true"}}},
		},
		Outputs: []string{"done", "012345678…"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	c.Expected.Calls = nil
	if got := newConversation(c, nil, smallSize); got.Expected != nil || len(got.Outputs) != 2 {
		t.Errorf("without expected calls: %+v", got)
	}
	c.Expected = nil
	if got := NewConversation(c); got.Expected != nil || got.Outputs != nil || got.Messages[3].Cut != 0 {
		t.Errorf("without a reference: %+v", got)
	}
}

// TestLongConversation: what is shown alone is hardly cut; a result may be the first message.
func TestLongConversation(t *testing.T) {
	text := strings.Repeat("x", 100_001)
	got := NewConversation(&transcript.Conversation{Messages: []transcript.Message{{Role: transcript.ToolRole, Content: text, Result: -1}},
		Tools: []transcript.Tool{{Name: "pay", Description: text}},
		Calls: []transcript.Call{{Name: "pay", Arguments: value.Pairs("a", text), Result: 0}}})
	call := got.Calls[0]
	if call.Result == nil || call.Result.Cut != 1 || got.Messages[0].Text != "" {
		t.Errorf("result %v, message of %d characters", call.Result != nil, len(got.Messages[0].Text))
	}
	if n, m := len([]rune(call.Arguments[0].Text)), len([]rune(got.Tools[0].Description)); n != 20_000 || m != 20_000 {
		t.Errorf("%d characters of the argument, %d of the definition", n, m)
	}
}

// TestArgumentsThatAreEqual: numbers written in another way are the same argument.
func TestArgumentsThatAreEqual(t *testing.T) {
	number := func(text string) value.Value {
		return value.OfObject(value.Member{Key: "n", Value: value.OfNumber(text)})
	}
	one, other, two := arguments(number("1.0"), 99), arguments(number("1"), 99), arguments(number("2"), 99)
	want := []Argument{{Name: "n", Text: "1.0", Same: "1"}}
	if diff := cmp.Diff(want, one); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !one[0].equals(other[0]) || !other[0].equals(one[0]) || one[0].equals(two[0]) || one[0].equals(Argument{Name: "m", Text: "1"}) {
		t.Error("1.0 is 1, and neither 2 nor another argument")
	}
	a, b := Call{CallText: CallText{"f", append(one, two...)}}, Call{CallText: CallText{"f", other}}
	if diff := cmp.Diff(two, a.Differing(&b)); diff != "" {
		t.Errorf("differing (-want +got):\n%s", diff)
	}
}

// TestHowUnlikeCallsAre: by the share of arguments that only one of two calls has.
func TestHowUnlikeCallsAre(t *testing.T) {
	call := func(text string) *Call {
		tool, rest, _ := strings.Cut(text, " ")
		c := &Call{CallText: CallText{Tool: tool}}
		for _, field := range strings.Fields(rest) {
			name, text, _ := strings.Cut(field, "=")
			c.Arguments = append(c.Arguments, Argument{Name: name, Text: text})
		}
		return c
	}
	for _, tt := range []struct {
		a, b string
		want float64
	}{
		{"f", "f", 0}, {"f", "g", 2}, {"f x=1", "f x=1", 0}, {"f x=1", "f x=2", 1}, {"f x=1", "f", 1},
		{"f x=1 y=2", "f x=1 y=3", 0.5}, {"f x=1 y=2 z=3", "f x=1", 0.5}, {"f x=1", "g x=1", 2},
	} {
		if got := unlike(call(tt.a), call(tt.b)); got != tt.want {
			t.Errorf("%s and %s: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
	// A million pairs of calls are compared, beyond it calls are paired by position.
	numbered := func(from, to int) (out []Call) {
		for i := from; i < to; i++ {
			out = append(out, Call{CallText: CallText{Tool: fmt.Sprint("f", i)}})
		}
		return out
	}
	if got := Align(numbered(0, 1000), numbered(1, 1001)); got[0] != 1 || got[998] != 999 || got[999] != -1 {
		t.Errorf("a thousand calls: %d, %d, %d", got[0], got[998], got[999])
	}
	got := Align(numbered(0, 1001), append(numbered(0, 2), numbered(3, 1001)...))
	if len(got) != 1000 || got[0] != 0 || got[1] != 1 || got[2] != -1 || got[999] != -1 {
		t.Errorf("more calls: %d, %d, %d, %d of %d", got[0], got[1], got[2], got[999], len(got))
	}
}

// TestTextAroundAQuote: of a text that is too long the beginning stays, and the first quote behind it with 120
// characters on each side.
func TestTextAroundAQuote(t *testing.T) {
	const head, needle = "0123456789abcdefghij", "a needle here"
	dash, plus := strings.Repeat("-", 200), strings.Repeat("·", 200)
	long := strings.Repeat("n", 21)
	for name, tt := range map[string]struct {
		text   string
		quotes []string
		want   string
		cut    int
	}{
		"far from both ends": {head + dash + needle + plus, []string{needle},
			"0123456789…" + dash[:120] + needle + plus[:240] + "…", 10 + 80 + 80},
		"the first in the text": {head + dash + needle + plus + "other words" + plus, []string{needle, "other words"},
			"0123456789…" + dash[:120] + needle + plus[:240] + "…", 10 + 80 + 80 + 11 + 200},
		"the first of two": {head + dash + needle + plus + "other words" + plus, []string{"other words", needle},
			"0123456789…" + dash[:120] + needle + plus[:240] + "…", 10 + 80 + 80 + 11 + 200},
		"near the end":  {head + dash + needle, []string{needle}, "0123456789…" + dash[:120] + needle, 10 + 80},
		"near the head": {head + "." + needle + dash, []string{needle}, "0123456789…abcdefghij." + needle + dash[:120] + "…", 80},
		"in the head":   {head + dash, []string{"0123456789abcdefghij"}, head + "…", 200},
		"a long quote":  {head + dash + long, []string{long}, head + "…", 221},
		"just not long": {head + dash + long[1:], []string{long[1:]}, "0123456789…" + dash[:120] + long[1:], 10 + 80},
		"not there":     {head + dash, []string{"elsewhere"}, head + "…", 200},
		"no quote":      {head + "k", nil, head + "…", 1},
		"short":         {head, []string{needle}, head, 0},
	} {
		got, cut := cutText(tt.text, tt.quotes, 20)
		if got != tt.want || cut != tt.cut {
			t.Errorf("%s: %s, %d left out; want %s, %d", name, got, cut, tt.want, tt.cut)
		}
	}
}
