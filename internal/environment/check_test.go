package environment

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/state"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// memory runs tools in this process: the tool "set" sets a key, "drop" removes one, "say"
// gives its text back, "no" fails.
type memory struct{ st value.Value }

func inMemory() *environment {
	return &environment{runner: &memory{}, limits: Limits{}.withDefaults(), track: true}
}

func (m *memory) start(context.Context) error { return nil }
func (m *memory) readOnly(string) bool        { return false }
func (m *memory) stop(bool)                   {}

func (m *memory) reset(_ context.Context, st value.Value) error {
	m.st = st
	return nil
}

func (m *memory) call(_ context.Context, name string, args value.Value) (res Result, _ error) {
	switch name {
	case "set":
		m.st = m.st.With(args.Field("key").Text(), args.Field("value"))
	case "drop":
		m.st = m.st.Without(args.Field("key").Text())
	case "say":
		res.Value = args.Field("text")
	case "no":
		res.Value, res.IsError = value.OfString("not allowed"), true
	case "gone":
		res.Value, res.IsError, res.Unknown = value.OfString("unknown tool"), true, true
	case "break":
		return res, faultf(crash, "call break", "it broke")
	}
	return res, nil
}

func (m *memory) snapshot(context.Context) (value.Value, error) {
	return m.st, nil
}

func call(t testing.TB, i int, name, args string) Call {
	return Call{Index: i, Name: name, Arguments: objectOf(t, args)}
}

func verdict(b *bool) string {
	switch {
	case b == nil:
		return "-"
	case *b:
		return "yes"
	}
	return "no"
}

func TestCheckForms(t *testing.T) {
	set := func(i int, k, v string) Call { return call(t, i, "set", `{"key":"`+k+`","value":`+v+`}`) }
	want := objectOf(t, `{"a":2}`)
	for _, tt := range []struct {
		name                         string
		plan                         Plan
		status                       score.Status
		exec, state, outputs, reward string
	}{
		{"nothing is expected", Plan{Calls: []Call{set(0, "a", "2")}}, score.NotApplicable, "-", "-", "-", "-"},
		{"a given state, reached", Plan{WantState: &want, Calls: []Call{set(0, "a", "2")}}, score.Scored, "yes", "yes", "-", "1.0"},
		{"a given state, missed", Plan{WantState: &want}, score.Scored, "no", "no", "-", "0.0"},
		{"the state of other calls, reached another way", Plan{WantCalls: []Call{set(0, "a", "2")}, Calls: []Call{set(0, "a", "7"), set(1, "a", "2.0")}}, score.Scored, "yes", "yes", "-", "1.0"},
		{"no call is right, and none changed anything", Plan{WantCalls: []Call{}, Calls: []Call{call(t, 0, "say", `{"text":"x"}`)}}, score.Scored, "yes", "yes", "-", "1.0"},
		{"no call is right, one changed something", Plan{WantCalls: []Call{}, Calls: []Call{set(0, "b", "1")}}, score.Scored, "no", "no", "-", "0.0"},
		{"assertions alone", Plan{Calls: []Call{set(0, "b", "1")}, Assertions: []Assertion{{"/b", "ge", value.OfInt(1)}}}, score.Scored, "yes", "-", "-", "1.0"},
		{"assertions beside a state", Plan{WantCalls: []Call{}, Assertions: []Assertion{{"/a", "eq", value.OfInt(3)}}}, score.Scored, "no", "yes", "-", "0.0"},
		{"outputs count where they are asked for", Plan{WantCalls: []Call{}, Outputs: []string{"54.04"}, Replies: []string{"It costs 54.05."}, CheckOutputs: true}, score.Scored, "yes", "yes", "no", "0.0"},
		{"outputs alone", Plan{Outputs: []string{"Jane"}, Replies: []string{"JANE, hello"}, CheckOutputs: true}, score.Scored, "-", "-", "yes", "1.0"},
		{"outputs that nobody asked for", Plan{WantCalls: []Call{}, Outputs: []string{"x"}}, score.Scored, "yes", "yes", "-", "1.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.plan.Start = objectOf(t, `{"a":1}`)
			o, err := execute(context.Background(), inMemory(), tt.plan)
			if err != nil {
				t.Fatal(err)
			}
			reward := "-"
			if o.Reward != nil {
				reward = value.OfFloat(*o.Reward).JSON()
			}
			got := []string{string(o.Status), verdict(o.ExecOK), verdict(o.StateOK), verdict(o.OutputsOK), reward}
			if diff := cmp.Diff([]string{string(tt.status), tt.exec, tt.state, tt.outputs, tt.reward}, got); diff != "" {
				t.Error(diff)
			}
			if _, err := value.ParseString(o.Object().JSON()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCheckNamesTheCalls(t *testing.T) {
	o, err := execute(context.Background(), inMemory(), Plan{
		Start:     objectOf(t, `{"a":1,"b":1,"c":{"x":1}}`),
		WantCalls: []Call{call(t, 0, "set", `{"key":"a","value":2}`), call(t, 1, "drop", `{"key":"b"}`)},
		Calls: []Call{
			call(t, 3, "set", `{"key":"a","value":5}`), call(t, 5, "set", `{"key":"c","value":{"x":2}}`),
			call(t, 7, "set", `{"key":"a","value":6}`), call(t, 8, "no", `{}`),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range o.Diff {
		got = append(got, d.Object().JSON())
	}
	want := []string{
		`{"path":"/a","kind":"wrong","op":"changed","start":1,"expected":2,"final":6,"call":7,"expected_call":0}`,
		`{"path":"/b","kind":"missing","op":"added","start":1,"final":1,"expected_call":1}`,
		`{"path":"/c/x","kind":"unexpected","op":"changed","start":1,"expected":1,"final":2,"call":5}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if o.Pollution != 1 || len(o.Effects) != 4 || !o.Effects[3].Result.IsError {
		t.Errorf("%+v", o)
	}
	if got := patchOf(o.Final).JSON(); got != `[{"op":"replace","path":"/a","value":6,"old":1},{"op":"replace","path":"/c/x","value":2,"old":1}]` {
		t.Error(got)
	}
}

// TestFirstCallAsWritten: a call that is run once more as it was written is the cause of what
// it changed, also where no call came before it.
func TestFirstCallAsWritten(t *testing.T) {
	first := call(t, 2, "set", `{"key":"a","value":"[5]"}`)
	first.Decoded, first.Logged = objectOf(t, `{"key":"a","value":[5]}`), &transcript.Message{Content: "something else"}
	o, err := execute(context.Background(), inMemory(), Plan{Start: objectOf(t, `{"a":1}`), WantCalls: []Call{}, Calls: []Call{first}})
	if err != nil {
		t.Fatal(err)
	}
	if !o.Effects[0].Result.Tracked || o.Diff[0].Call != 2 {
		t.Errorf("tracked %v, by call %d", o.Effects[0].Result.Tracked, o.Diff[0].Call)
	}
}

func TestCheckFault(t *testing.T) {
	o, err := execute(context.Background(), inMemory(), Plan{Start: objectOf(t, `{}`), WantCalls: []Call{}, Calls: []Call{call(t, 0, "break", `{}`)}})
	if err != nil || o.Status != score.Error || o.Fault.Kind != crash || o.ExecOK != nil {
		t.Errorf("%v %+v", err, o)
	}
	lacking := Plan{Start: objectOf(t, `{}`), WantCalls: []Call{call(t, 0, "gone", `{}`)}}
	o, err = execute(context.Background(), inMemory(), lacking)
	if err != nil || o.Status != score.Error || o.Fault.Kind != configFault || !strings.Contains(o.Fault.Error(), `no tool "gone"`) {
		t.Errorf("%v %+v", err, o)
	}
	lacking.Reads = []string{"gone"}
	if o, err = execute(context.Background(), inMemory(), lacking); err != nil || o.Status != score.Scored {
		t.Errorf("%v %+v", err, o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := execute(ctx, inMemory(), Plan{Start: objectOf(t, `{}`), WantCalls: []Call{}, Calls: []Call{call(t, 0, "say", `{}`)}}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended gives %v", err)
	}
}

func TestAssertions(t *testing.T) {
	final := objectOf(t, `{"n":5,"f":1.50,"s":"shipped on 2025-03-01","d":"2025-03-01","l":[1,{"a":2}],"o":{"k":null},"t":true}`)
	for _, tt := range []struct {
		path, op, value string
		want            bool
	}{
		{"/n", "eq", "5.0", true}, {"/n", "ne", "5", false}, {"/n", "lt", "6", true}, {"/n", "le", "5", true}, {"/n", "gt", "5", false}, {"/n", "ge", "4", true},
		{"/f", "eq", "1.5", true}, {"/d", "lt", `"2025-04-01"`, true}, {"/d", "gt", "3", false}, {"/t", "eq", "1", false}, {"/l", "lt", "3", false},
		{"/n", "lt", `"z"`, false}, {"/l", "lt", `"z"`, false},
		{"/d", "ge", `"2025-03-01"`, true}, {"/d", "gt", `"2025-03-01"`, false},
		{"/o/k", "exists", "", true}, {"/o/z", "exists", "", false}, {"/o/z", "absent", "", true}, {"/o/k", "absent", "", false}, {"/o/z", "ne", "1", false},
		{"/l", "contains", `{"a":2}`, true}, {"/l", "contains", `3`, false}, {"/s", "contains", `"shipped"`, true}, {"/o", "contains", `"k"`, true}, {"/n", "contains", `"5"`, false},
		{"/s", "contains", `"lost"`, false}, {"/s", "contains", `5`, false}, {"/o", "contains", `"z"`, false}, {"/o", "contains", `5`, false},
		{"/s", "matches", `"^shipped on \\d{4}"`, true}, {"/s", "matches", `"lost"`, false}, {"/n", "matches", `"5"`, false},
		{"/l", "len", "2", true}, {"/s", "len", "21", true}, {"/o", "len", "1", true}, {"/n", "len", "0", false}, {"", "len", "7", true}, {"/l/1/a", "eq", "2", true},
	} {
		a := Assertion{Path: tt.path, Op: tt.op}
		if tt.value != "" {
			v, err := value.ParseString(tt.value)
			if err != nil {
				t.Fatal(err)
			}
			a.Value = v
		}
		if err := a.validate(); err != nil {
			t.Errorf("%+v: %v", a, err)
		}
		if got := assertAll(final, []Assertion{a})[0].OK; got != tt.want {
			t.Errorf("%s %s %s: %v", tt.path, tt.op, tt.value, got)
		}
	}
}

func TestOutputsRule(t *testing.T) {
	got := findOutputs([]string{"1,054.5", "1054.5", "", "ANNA"}, []string{"That is $1,054.50.", "Bye Anna"})
	want := []OutputResult{{"1,054.5", false}, {"1054.5", true}, {"", true}, {"ANNA", true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSameResult(t *testing.T) {
	for _, tt := range []struct {
		got    string
		failed bool
		logged string
		want   bool
	}{
		{`{"a":1,"b":[1.0]}`, false, `{"b": [1], "a": 1}`, true}, {`{"a":1}`, false, `{"a": 2}`, false},
		{`"plain"`, false, `plain`, true}, {`"plain"`, false, `other`, false}, {`null`, false, ``, true},
		{`null`, false, `x`, false}, {`""`, false, ``, true}, {`5`, false, ``, false}, {`null`, false, `None`, true},
		{`7908.85`, false, `7908.85`, true}, {`"{\"a\":1}"`, false, `{"a": 1.0}`, true}, {`true`, false, `True`, true},
		{`"not found"`, true, `Error: not found`, true}, {`"not found"`, true, `not found`, true}, {`"not found"`, true, `{"a":1}`, false}, {`[1]`, false, `Error: x`, false},
	} {
		v, err := value.ParseString(tt.got)
		if err != nil {
			t.Fatal(err)
		}
		if got := identical(Result{Value: v, IsError: tt.failed}, &transcript.Message{Content: tt.logged}); got != tt.want {
			t.Errorf("%s and %q: %v", tt.got, tt.logged, got)
		}
	}
}

// TestPlan says which logged calls are run.
func TestPlan(t *testing.T) {
	conv := transcript.Conversation{
		ID:       "c",
		Messages: []transcript.Message{{Role: transcript.Assistant, Content: "Hi", HasContent: true}, {Role: transcript.ToolRole, Content: "fine"}, {Role: transcript.ToolRole, Content: "bad", IsError: true}, {Role: transcript.Assistant, Content: "calling", HasContent: true, Calls: []int{0}}, {Role: transcript.Assistant, Content: "only text", HasContent: true, Calls: []int{5}}},
		Tools:    []transcript.Tool{{Name: "say", Parameters: objectOf(t, `{"properties":{"text":{"type":"string"}}}`)}},
		Calls: []transcript.Call{
			{Index: 0, Name: "old_say", Arguments: objectOf(t, `{"ids":"['1', '2']","text":"[1]"}`), Result: 1},
			{Index: 1, Name: "x", Refused: true, Result: 1}, {Index: 2, Name: "x", Result: -1},
			{Index: 3, Name: "x", Executor: "user", Result: 1}, {Index: 4, Name: "x", Malformed: true, Result: 1},
			{Index: 5, Name: "x", Proposed: true, Result: -1}, {Index: 6, Name: "x", Result: 2},
		},
		Expected: &transcript.Expected{Calls: []transcript.ExpectedCall{{Name: "old_say"}, {Name: "tap", Requestor: "user"}}, Outputs: []string{"o"}},
		Extra:    objectOf(t, `{"begin":{"z":1},"end":{"z":2},"must":[{"path":"/z","op":"eq","value":2}],"bad":[{"path":"/z","op":"equals"}]}`),
	}
	plan := func(c Config) (Plan, error) {
		c.Type, c.Command = commandKind, []string{"x"}
		m, err := New(Deps{}, c)
		if err != nil {
			t.Fatal(err)
		}
		return m.Plan(conv)
	}
	indexes := func(p Plan) (out []int) {
		for _, c := range p.Calls {
			out = append(out, c.Index)
		}
		return out
	}
	p, err := plan(Config{StateAt: "/begin", Outputs: true, AssertionsAt: "/must", Tools: []Variable{{"old_say", "say"}}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0, 6}, indexes(p)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Skip{{1, "refused"}, {2, "unanswered"}, {3, "user"}, {4, "malformed"}, {5, "proposed"}}, p.Skipped); diff != "" {
		t.Error(diff)
	}
	if p.Start.JSON() != `{"z":1}` || p.Calls[0].Name != "say" || len(p.WantCalls) != 1 || len(p.Assertions) != 1 || !slices.Equal(p.Replies, []string{"Hi", "only text"}) || p.Calls[0].Logged.Content != "fine" {
		t.Errorf("%+v", p)
	}
	p, err = plan(Config{Expected: Expected{From: wantState, At: "/end"}, Replay: Replay{Refused: true, Unanswered: true, User: true, Malformed: true, SkipFailed: true, DecodeStrings: new(true)}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 3, 4, 5}, indexes(p)); diff != "" {
		t.Error(diff)
	}
	if p.WantCalls != nil || p.WantState == nil || p.WantState.JSON() != `{"z":2}` || p.Calls[0].Arguments.JSON() != `{"ids":["1","2"],"text":[1]}` {
		t.Errorf("%+v", p)
	}
	for _, tt := range []struct {
		config Config
		want   string
	}{
		{Config{StateAt: "/none"}, "state_at: conversation c holds nothing at /none"},
		{Config{AssertionsAt: "/bad"}, `/bad[0]: op: must be one of eq`},
	} {
		if _, err := plan(tt.config); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// patchOf returns operations as an RFC 6902 document.
func patchOf(changes []state.Change) value.Value {
	return listOf(changes, state.Change.Operation)
}

// TestObjectNamesErrors: the details of a call say with what error its tool answered, and what it changed as far as that is tracked.
func TestObjectNamesErrors(t *testing.T) {
	o := Outcome{Effects: []Effect{
		{Index: 0, Name: "ok", Result: Result{Value: value.OfString("fine"), Tracked: true}},
		{Index: 2, Name: "bad", Result: Result{Value: value.OfString("no such berth"), IsError: true}},
	}}
	const want = `[{"call":0,"name":"ok","patch":[]},{"call":2,"name":"bad","error":"no such berth","patch":null}]`
	if got := o.Object().Field("effects").JSON(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
