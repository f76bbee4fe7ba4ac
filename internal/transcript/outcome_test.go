package transcript

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/judgekit/judge/internal/value"
)

// TestFailure: a call failed if it was refused, or else if its result says so: by its flag before its content.
func TestFailure(t *testing.T) {
	failing := value.Pairs("ok", false)
	for name, tt := range map[string]struct {
		call   Call
		result Message
		by     string
		failed bool
	}{
		"refused":            {Call{Refused: true, Result: -1}, Message{}, "refused", true},
		"no result":          {Call{Result: -1}, Message{Content: "Error: x"}, "", false},
		"a result elsewhere": {Call{Result: 1}, Message{Content: "Error: x"}, "", false},
		"flagged":            {Call{}, Message{IsError: true, Content: "fine"}, "flag", true},
		"it succeeded":       {Call{}, Message{Succeeded: true, Content: "Error: x", Output: failing}, "", false},
		"an object":          {Call{}, Message{Content: `{"ok":false}`, Output: failing}, "flag", true},
		"an object's text":   {Call{}, Message{Content: "Error: x", Output: value.Pairs("ok", true)}, "", false},
		"a text":             {Call{}, Message{Content: "Error: x"}, "error_text", true},
		"a good text":        {Call{}, Message{Content: "fine"}, "", false},
	} {
		c := &Conversation{Messages: []Message{tt.result}}
		if by, failed := c.Failure(&tt.call); by != tt.by || failed != tt.failed {
			t.Errorf("%s: %q %v", name, by, failed)
		}
	}
}

// TestOnlyInText: a conversation whose calls are all in its text says how they can be read; a real call ends that.
func TestOnlyInText(t *testing.T) {
	note := func(kinds ...string) (list []Note) {
		for _, k := range kinds {
			list = append(list, Note{Kind: k})
		}
		return list
	}
	read, unread := Call{Proposed: true}, Call{Proposed: true, Malformed: true}
	for name, tt := range map[string]struct {
		calls []Call
		notes []Note
		want  string
	}{
		"nothing":                   {nil, nil, ""},
		"another note":              {nil, note(ResultInTextKind), ""},
		"a text like a call":        {nil, note(CallInText), CallInText},
		"an unreadable one":         {nil, note(UnreadableInText), UnreadableInText},
		"both":                      {nil, note(UnreadableInText, CallInText), CallInText},
		"both, the other way round": {nil, note(CallInText, UnreadableInText), CallInText},
		"a call":                    {[]Call{{}}, note(CallInText), ""},
		"an unreadable call":        {[]Call{{Malformed: true}}, note(CallInText), ""},
		"a call that was read":      {[]Call{read}, note(CallInText), ""},
		"one that was not":          {[]Call{unread}, nil, UnreadableInText},
		"one of each":               {[]Call{unread, read}, nil, ""},
		"the user's":                {[]Call{{Executor: "user"}}, note(CallInText), CallInText},
		"of the context":            {[]Call{{Context: true}}, note(CallInText), CallInText},
	} {
		c := &Conversation{Calls: tt.calls, Notes: tt.notes}
		if got := c.OnlyInText(); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if ran := slices.ContainsFunc(tt.notes, func(n Note) bool { return n.Kind == ResultInTextKind }); c.RanInText() != ran {
			t.Errorf("%s: ran %v", name, c.RanInText())
		}
	}
}

// TestExpectedOfAgent: what the user should do is not expected of the agent, unless it works alone.
func TestExpectedOfAgent(t *testing.T) {
	expected := &Expected{Calls: []ExpectedCall{{Name: "a"}, {Name: "b", Requestor: "user"},
		{Name: "c", Requestor: "assistant"}}}
	for name, tt := range map[string]struct {
		c    Conversation
		want []int
	}{
		"with a user":        {Conversation{Expected: expected, Messages: []Message{{Role: User}}}, []int{0, 2}},
		"with a user's call": {Conversation{Expected: expected, Calls: []Call{{Executor: "user"}}}, []int{0, 2}},
		"alone":              {Conversation{Expected: expected, Messages: []Message{{Role: System}}}, []int{0, 1, 2}},
		"nothing":            {Conversation{}, nil},
	} {
		if got := tt.c.ExpectedOfAgent(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestCrashed: a run without a reference whose log holds an error crashed.
func TestCrashed(t *testing.T) {
	broke := value.Pairs("info", value.Pairs("error", "x"))
	if !(&Conversation{Extra: broke}).Crashed() || (&Conversation{Extra: broke, Expected: &Expected{}}).Crashed() ||
		(&Conversation{Extra: value.Pairs("info", value.Pairs("reward", 1))}).Crashed() {
		t.Error("which runs crashed")
	}
}

// TestErrorTexts: an error names the file, then the field if one is wrong, then what to do.
func TestErrorTexts(t *testing.T) {
	format := &FormatError{File: "a.json", Message: "no log", Advice: "look again"}
	for err, want := range map[error]string{
		&Problem{Source: Source{File: "a.json", Line: 3}, Message: "bad"}:                       "a.json:3: bad",
		&Problem{Source: Source{File: "a.json", Line: 3}, Field: "messages[1]", Message: "bad"}: "a.json:3: messages[1]: bad",
		format: "a.json: no log: look again",
		&Problem{Source: Source{File: "a.json", Line: 1}, Message: "bad"}:  "a.json:1: bad",
		&Problem{Source: Source{File: "a.json", Index: 2}, Message: "bad"}: "a.json[2]: bad",
		&FormatError{File: "a.json", Message: "no log"}:                    "a.json: no log",
		WithoutAdvice(fmt.Errorf("reading: %w", format)):                   "a.json: no log",
	} {
		if err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if other := errors.New("x"); WithoutAdvice(other) != other {
		t.Error("an error of another type was changed")
	}
}
