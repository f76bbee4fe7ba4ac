package environment

import (
	"context"
	"errors"
	"fmt"
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
// gives its text back, "no" fails. It notes what it is asked to do, and breaks at what at names.
type memory struct {
	st   value.Value
	did  []string
	done map[string]int
	at   string
}

func inMemory() *environment {
	return &environment{runner: &memory{}, limits: Limits{}.withDefaults(), track: true}
}

// does notes an operation; "reset 2" in at breaks the second reset.
func (m *memory) does(op string) error {
	if m.done == nil {
		m.done = map[string]int{}
	}
	m.done[op]++
	m.did = append(m.did, op)
	if m.at == fmt.Sprint(op, " ", m.done[op]) {
		return faultf(protocol, op, "told to break")
	}
	return nil
}

func (m *memory) start(context.Context) error { return m.does("start") }
func (m *memory) readOnly(string) bool        { return false }
func (m *memory) stop(atOnce bool)            { m.did = append(m.did, fmt.Sprint("stop ", atOnce)) }

func (m *memory) reset(_ context.Context, st value.Value) error {
	m.st = st
	return m.does("reset")
}

func (m *memory) call(_ context.Context, name string, args value.Value) (res Result, _ error) {
	if err := m.does(name + args.JSON()); err != nil {
		return res, err
	}
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
	return m.st, m.does("snapshot")
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
		{"one output of two", Plan{Outputs: []string{"Ann", "Bob"}, Replies: []string{"Bob", "Bob"}, CheckOutputs: true}, score.Scored, "-", "-", "no", "0.0"},
		{"no outputs are known", Plan{WantCalls: []Call{}, Replies: []string{"x"}, CheckOutputs: true}, score.Scored, "yes", "yes", "-", "1.0"},
		{"a run that did not end by itself", Plan{WantState: &want, Calls: []Call{set(0, "a", "2")}, Unfinished: true}, score.Scored, "yes", "yes", "-", "0.0"},
		{"the second of two assertions", Plan{Assertions: []Assertion{{"/a", "eq", value.OfInt(3)}, {"/a", "eq", value.OfInt(1)}}}, score.Scored, "no", "-", "-", "0.0"},
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
	if got := patchOf(o.Expected).JSON(); got != `[{"op":"replace","path":"/a","value":2,"old":1},{"op":"remove","path":"/b","old":1}]` {
		t.Error(got)
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
	if err != nil || o.Status != score.Error || o.Fault.Kind != configFault || o.Fault.Error() != `environment call gone: config: the environment has no tool "gone", which the expected calls need (name it under reads if it changes nothing)` {
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

// TestDecodedCall: a call is first run with its strings decoded. Where the log has another result, everything is
// run again from the start, and this call as it was written; a fault on the way is the conversation's.
func TestDecodedCall(t *testing.T) {
	const (
		before  = `set{"key":"a","value":5}`
		decoded = `say{"text":[1]}`
		written = `say{"text":"[1]"}`
	)
	asWritten := []string{"start", "reset", "snapshot", before, "snapshot", decoded, "snapshot",
		"reset", "snapshot", before, "snapshot", written, "snapshot", "snapshot"}
	for _, tt := range []struct {
		name, logged, at string
		did              []string
		fault            string
	}{
		{"the log has the result", "[1]", "", []string{"start", "reset", "snapshot", before, "snapshot", decoded, "snapshot", "snapshot"}, ""},
		{"the log has another", "other", "", asWritten, ""},
		{"the decoded call breaks", "other", decoded + " 1", append(asWritten[:6:6], "stop true"), "environment " + decoded},
		{"the second reset breaks", "other", "reset 2", append(asWritten[:8:8], "stop true"), "environment reset"},
		{"the state cannot be read again", "other", "snapshot 4", append(asWritten[:9:9], "stop true"), "environment snapshot"},
		{"the call before breaks", "other", before + " 2", append(asWritten[:10:10], "stop true"), "environment " + before},
		{"the call as written breaks", "other", written + " 1", append(asWritten[:12:12], "stop true"), "environment " + written},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &memory{at: tt.at}
			c := call(t, 4, "say", `{"text":"[1]"}`)
			c.Decoded, c.Logged = objectOf(t, `{"text":[1]}`), &transcript.Message{Content: tt.logged}
			env := &environment{runner: m, limits: Limits{}.withDefaults(), track: true}
			o, err := execute(t.Context(), env, Plan{Start: objectOf(t, `{"a":1}`),
				Calls: []Call{call(t, 2, "set", `{"key":"a","value":5}`), c}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.did, m.did); diff != "" {
				t.Error(diff)
			}
			if tt.fault == "" {
				if o.Fault != nil || len(o.Effects) != 2 || o.Compared != 1 {
					t.Errorf("%+v", o)
				}
				return
			}
			if want := tt.fault + ": protocol: told to break"; o.Fault == nil || o.Fault.Error() != want {
				t.Errorf("%v, want %s", o.Fault, want)
			}
			if len(o.Effects) != 1 || o.Effects[0].Index != 2 {
				t.Errorf("effects %+v", o.Effects)
			}
		})
	}
}

// TestDecodedCallStays: a call that ran decoded is run the same way when a later one has to be run as written.
func TestDecodedCallStays(t *testing.T) {
	decodes := func(i int, logged string) Call {
		c := call(t, i, "say", fmt.Sprintf(`{"text":"[%d]"}`, i))
		c.Decoded = objectOf(t, fmt.Sprintf(`{"text":[%d]}`, i))
		c.Logged = &transcript.Message{Content: logged}
		return c
	}
	m := &memory{}
	calls := []Call{decodes(1, "[1]"), decodes(2, "other")}
	env := &environment{runner: m, limits: Limits{}.withDefaults()}
	if o, err := execute(t.Context(), env, Plan{Start: objectOf(t, `{}`), Calls: calls}); err != nil || o.Fault != nil {
		t.Fatal(err, o.Fault)
	}
	want := []string{"start", "reset", "snapshot", `say{"text":[1]}`, `say{"text":[2]}`,
		"reset", "snapshot", `say{"text":[1]}`, `say{"text":"[2]"}`, "snapshot"}
	if diff := cmp.Diff(want, m.did); diff != "" {
		t.Error(diff)
	}
	if calls[0].Arguments.JSON() != `{"text":"[1]"}` {
		t.Errorf("the plan's call was changed to %s", calls[0].Arguments.JSON())
	}
}

// TestFaultKeepsWhatIsKnown: a conversation whose environment fails has no verdict, and keeps what ran and what was
// left out.
func TestFaultKeepsWhatIsKnown(t *testing.T) {
	set, skipped := call(t, 0, "set", `{"key":"a","value":2}`), []Skip{{3, "refused"}}
	for _, tt := range []struct {
		name, at                   string
		want                       []Call
		effects, expected, skipped int
	}{
		{"at its start", "start 1", []Call{set}, 0, 0, 1},
		{"at the first reset", "reset 1", []Call{set}, 0, 0, 1},
		{"at the first look", "snapshot 1", nil, 0, 0, 1},
		{"at an expected call", `set{"key":"a","value":2} 1`, []Call{set}, 0, 0, 1},
		{"at the state after the expected calls", "snapshot 3", []Call{set}, 0, 1, 1},
		{"at a logged call", `set{"key":"a","value":2} 2`, []Call{set}, 0, 1, 1},
		{"at the last look", "snapshot 6", []Call{set}, 1, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := &environment{runner: &memory{at: tt.at}, limits: Limits{}.withDefaults(), track: true}
			plan := Plan{Start: objectOf(t, `{"a":1}`), WantCalls: tt.want, Calls: []Call{set}, Skipped: skipped}
			o, err := execute(t.Context(), env, plan)
			if err != nil {
				t.Fatal(err)
			}
			if o.Status != score.Error || o.Fault == nil || o.Fault.Message != "told to break" || o.Reward != nil {
				t.Errorf("%+v", o)
			}
			got := []int{len(o.Effects), len(o.ExpectedEffects), len(o.Skipped)}
			if want := []int{tt.effects, tt.expected, tt.skipped}; !slices.Equal(got, want) {
				t.Errorf("effects, expected effects and skipped calls %d, want %d", got, want)
			}
			plan.Start = objectOf(t, `{"a":1,"b":1}`)
			again, err := execute(t.Context(), env, plan)
			if err != nil || again.Fault != nil || again.Final[0].Path != "/a" || len(again.Final) != 1 {
				t.Errorf("the next conversation: %+v, %v", again, err)
			}
		})
	}
}

// TestDrift: which results differ from the log's, and what is told of them.
func TestDrift(t *testing.T) {
	logged := func(i int, name, args, content string, failed bool) Call {
		c := call(t, i, name, args)
		c.Logged, c.Failed = &transcript.Message{Content: content}, failed
		return c
	}
	long := strings.Repeat("x", 401)
	o, err := execute(t.Context(), inMemory(), Plan{Start: objectOf(t, `{}`), Skipped: []Skip{{9, "user"}}, Calls: []Call{
		logged(0, "say", `{"text":"a"}`, "a", false),
		logged(1, "say", `{"text":"a"}`, "b", false),
		logged(2, "no", `{}`, "it may not be", true),
		logged(3, "no", `{}`, "fine", false),
		logged(4, "say", `{"text":"fine"}`, "it failed", true),
		call(t, 5, "say", `{"text":"x"}`),
		logged(6, "gone", `{}`, "fine", false),
		logged(7, "say", `{"text":["`+long+`"]}`, long, false),
	}})
	if err != nil {
		t.Fatal(err)
	}
	cut := strings.Repeat("x", 397)
	want := []Drift{
		{Call: 1, Name: "say", Logged: "b", Got: "a"},
		{Call: 3, Name: "no", Logged: "fine", Got: "not allowed"},
		{Call: 4, Name: "say", Logged: "it failed", Got: "fine"},
		{Call: 6, Name: "gone", Logged: "fine", Got: "unknown tool", Unknown: true},
		{Call: 7, Name: "say", Logged: cut + "xx…", Got: "['" + cut + "…"},
	}
	if diff := cmp.Diff(want, o.Drift); diff != "" || o.Compared != 7 {
		t.Errorf("%d compared, %s", o.Compared, diff)
	}
	if diff := cmp.Diff([]Skip{{9, "user"}}, o.Skipped); diff != "" {
		t.Error(diff)
	}
	if got := o.Object().Field("drift").At(3).JSON(); got !=
		`{"call":6,"name":"gone","logged":"fine","got":"unknown tool","unknown_tool":true}` {
		t.Error(got)
	}
}

func TestAssertions(t *testing.T) {
	final := objectOf(t, `{"n":5,"f":1.50,"s":"shipped on 2025-03-01","d":"2025-03-01","l":[1,{"a":2}],"o":{"k":null},"t":true,"p":{"5":1}}`)
	for _, tt := range []struct {
		path, op, value string
		want            bool
	}{
		{"/n", "lt", "5", false}, {"/n", "le", "4", false}, {"/n", "le", "6", true}, {"/n", "gt", "4", true}, {"/n", "gt", "6", false}, {"/n", "ge", "5", true}, {"/n", "ge", "6", false},
		{"/d", "lt", `"2025-03-01"`, false}, {"/d", "le", `"2025-03-01"`, true}, {"/d", "le", `"2025-02-01"`, false}, {"/d", "gt", `"2025-02-01"`, true},
		{"/l", "len", "3", false}, {"/t", "len", "0", false}, {"/n", "ne", "6", true}, {"/n", "gt", `"1"`, false}, {"/t", "lt", `"z"`, false},
		{"/n", "eq", "5.0", true}, {"/n", "ne", "5", false}, {"/n", "lt", "6", true}, {"/n", "le", "5", true}, {"/n", "gt", "5", false}, {"/n", "ge", "4", true},
		{"/f", "eq", "1.5", true}, {"/d", "lt", `"2025-04-01"`, true}, {"/d", "gt", "3", false}, {"/t", "eq", "1", false}, {"/l", "lt", "3", false},
		{"/n", "lt", `"z"`, false}, {"/l", "lt", `"z"`, false},
		{"/d", "ge", `"2025-03-01"`, true}, {"/d", "gt", `"2025-03-01"`, false},
		{"/n", "eq", "4", false}, {"/d", "eq", `"2025-02-01"`, false}, {"/s", "gt", "3", false}, {"/p", "contains", "5", false},
		{"/o/k", "exists", "", true}, {"/o/z", "exists", "", false}, {"/o/z", "absent", "", true}, {"/o/k", "absent", "", false}, {"/o/z", "ne", "1", false},
		{"/l", "contains", `{"a":2}`, true}, {"/l", "contains", `3`, false}, {"/s", "contains", `"shipped"`, true}, {"/o", "contains", `"k"`, true}, {"/n", "contains", `"5"`, false},
		{"/s", "contains", `"lost"`, false}, {"/s", "contains", `5`, false}, {"/o", "contains", `"z"`, false}, {"/o", "contains", `5`, false},
		{"/s", "matches", `"^shipped on \\d{4}"`, true}, {"/s", "matches", `"lost"`, false}, {"/n", "matches", `"5"`, false},
		{"/l", "len", "2", true}, {"/s", "len", "21", true}, {"/o", "len", "1", true}, {"/n", "len", "0", false}, {"", "len", "8", true}, {"/l/1/a", "eq", "2", true},
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
		{`"{\"a\":1}"`, false, `{"a":2}`, false}, {`"{"`, false, `{}`, false}, {`{}`, false, `not`, false}, {`"5"`, false, `5.0`, true},
		{`"not found"`, true, `Error: gone`, false}, {`"a"`, false, `Error: a`, false},
		{`""`, true, `Error: `, true}, {`"not found"`, true, `x`, false}, {`"[1]"`, false, `[1`, false}, {`"None"`, false, `x`, false}, {`"'a'"`, false, `a`, false},
		{`null`, false, `"x"`, false}, {`"x"`, false, `null`, false}, {`"x"`, false, `"x"`, false},
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

// TestSameParsedResult: a result that the log's reader has parsed already is compared with that.
func TestSameParsedResult(t *testing.T) {
	logged := &transcript.Message{Content: "as the log shows it", Output: objectOf(t, `{"a":1}`)}
	for got, want := range map[string]bool{`{"a":1.0}`: true, `{"a":2}`: false, `"{\"a\":1}"`: true, `"text"`: false} {
		if same := identical(Result{Value: objectOf(t, got)}, logged); same != want {
			t.Errorf("%s: %v", got, same)
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
		{Config{AssertionsAt: "/bad"}, `/bad[0]: op: must be one of eq, ne, lt, le, gt, ge, exists, absent, contains, matches, len, not "equals"`},
		{Config{AssertionsAt: "/begin"}, `/begin: want a list, got object`},
	} {
		if _, err := plan(tt.config); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// planOf returns the plan of a conversation in an environment that runs a program.
func planOf(t *testing.T, c Config, conv transcript.Conversation) Plan {
	t.Helper()
	c.Type, c.Command = commandKind, []string{"x"}
	m, err := New(Deps{}, c)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Plan(conv)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPlanOfExpectedCalls: which expected calls lead to the wanted state; "-" if it is not known.
func TestPlanOfExpectedCalls(t *testing.T) {
	user := []transcript.Message{{Role: transcript.User, Content: "Hi", HasContent: true}}
	agents, users := transcript.ExpectedCall{Name: "old", Arguments: objectOf(t, `{"a":1}`)}, transcript.ExpectedCall{Name: "tap", Requestor: "user"}
	for _, tt := range []struct {
		name     string
		messages []transcript.Message
		replay   Replay
		expected *transcript.Expected
		want     string
	}{
		{"nothing is known", user, Replay{}, nil, "-"},
		{"only outputs are known", user, Replay{}, &transcript.Expected{Outputs: []string{"x"}}, "-"},
		{"no call is right", user, Replay{}, &transcript.Expected{Calls: []transcript.ExpectedCall{}}, ""},
		{"nothing may change", user, Replay{}, &transcript.Expected{Raw: value.OfList()}, ""},
		{"no call is expected, and no other may be made", user, Replay{}, &transcript.Expected{Only: true}, ""},
		{"the agent's and the user's", user, Replay{}, &transcript.Expected{Calls: []transcript.ExpectedCall{users, agents}}, `1 new {"a":1}`},
		{"the user's calls run too", user, Replay{User: true}, &transcript.Expected{Calls: []transcript.ExpectedCall{users, agents}}, `0 tap null, 1 new {"a":1}`},
		{"nobody but the agent", nil, Replay{}, &transcript.Expected{Calls: []transcript.ExpectedCall{users, agents}}, `0 tap null, 1 new {"a":1}`},
		{"only the user is expected to act", user, Replay{}, &transcript.Expected{Calls: []transcript.ExpectedCall{users}}, "-"},
	} {
		p := planOf(t, Config{Replay: tt.replay, Tools: []Variable{{"old", "older"}, {"old", "new"}}},
			transcript.Conversation{Messages: tt.messages, Expected: tt.expected})
		var calls []string
		for _, c := range p.WantCalls {
			calls = append(calls, fmt.Sprintf("%d %s %s", c.Index, c.Name, c.Arguments.JSON()))
		}
		got := strings.Join(calls, ", ")
		if p.WantCalls == nil {
			got = "-"
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestPlanRuns: each kind of call that is not run by default runs if it is asked for, and no other.
func TestPlanRuns(t *testing.T) {
	conv := transcript.Conversation{
		Messages: []transcript.Message{{Role: transcript.ToolRole, Content: "fine"}, {Role: transcript.ToolRole, Content: "bad", IsError: true}},
		Calls: []transcript.Call{
			{Index: 0, Name: "x", Result: 0}, {Index: 1, Name: "x", Refused: true, Result: 1}, {Index: 2, Name: "x", Result: -1},
			{Index: 3, Name: "x", Executor: "user", Result: 0}, {Index: 4, Name: "x", Malformed: true, Result: 0},
			{Index: 5, Name: "x", Proposed: true, Result: -1}, {Index: 6, Name: "x", Result: 1},
			{Index: 7, Name: "x", Refused: true, Result: -1}, {Index: 8, Name: "x", Result: 2},
		},
	}
	for _, tt := range []struct {
		name   string
		replay Replay
		want   []int
	}{
		{"by default", Replay{}, []int{0, 6, 8}},
		{"refused", Replay{Refused: true}, []int{0, 1, 6, 8}},
		{"unanswered", Replay{Unanswered: true}, []int{0, 2, 5, 6, 8}},
		{"refused and unanswered", Replay{Refused: true, Unanswered: true}, []int{0, 1, 2, 5, 6, 7, 8}},
		{"the user's", Replay{User: true}, []int{0, 3, 6, 8}},
		{"malformed", Replay{Malformed: true}, []int{0, 4, 6, 8}},
		{"without failed ones", Replay{SkipFailed: true}, []int{0, 8}},
		{"refused, without failed ones", Replay{Refused: true, SkipFailed: true}, []int{0, 1, 8}},
	} {
		p := planOf(t, Config{Replay: tt.replay}, conv)
		var ran []int
		for _, c := range p.Calls {
			ran = append(ran, c.Index)
			if failed := c.Index == 1 || c.Index == 6; c.Failed != failed || (c.Logged == nil) != (conv.Calls[c.Index].Result < 0 || c.Index == 8) {
				t.Errorf("%s: call %d: failed %v, logged %v", tt.name, c.Index, c.Failed, c.Logged)
			}
		}
		if !slices.Equal(ran, tt.want) || len(ran)+len(p.Skipped) != len(conv.Calls) {
			t.Errorf("%s: %d run, want %d; skipped %v", tt.name, ran, tt.want, p.Skipped)
		}
	}
}

// TestPlanDecodes: where strings of arguments are decoded at once, and where only to try.
func TestPlanDecodes(t *testing.T) {
	const args = `{"l":"[1]","o":"{'a': True}","t":"text","e":"","n":5,"x":"[1","s":"[2]","d":"5","y":"true"}`
	const decoded = `{"l":[1],"o":{"a":true},"t":"text","e":"","n":5,"x":"[1","s":"[2]","d":"5","y":"true"}`
	for _, tt := range []struct {
		name    string
		preset  string
		always  *bool
		args    string
		result  int
		ran     string
		instead string
	}{
		{"by default", "", nil, args, 0, args, "null"},
		{"always", "", new(true), args, 0, decoded, "null"},
		{"never", tauBench, new(false), args, 0, args, "null"},
		{"tau_bench tries", tauBench, nil, args, 0, args, decoded},
		{"tau_bench, always", tauBench, new(true), args, 0, decoded, "null"},
		{"nothing to compare with", tauBench, nil, args, -1, args, "null"},
		{"nothing to decode", tauBench, nil, `{"t":"text"}`, 0, `{"t":"text"}`, "null"},
	} {
		p := planOf(t, Config{Preset: tt.preset, Replay: Replay{DecodeStrings: tt.always, Unanswered: true}}, transcript.Conversation{
			Messages: []transcript.Message{{Role: transcript.ToolRole, Content: "fine"}},
			Tools:    []transcript.Tool{{Name: "f", Parameters: objectOf(t, `{"properties":{"s":{"type":"string"},"l":{"type":"array"}}}`)}},
			Calls:    []transcript.Call{{Name: "f", Arguments: objectOf(t, tt.args), Result: tt.result}},
		})
		if c := p.Calls[0]; c.Arguments.JSON() != tt.ran || c.Decoded.JSON() != tt.instead {
			t.Errorf("%s: %s, or decoded %s", tt.name, c.Arguments.JSON(), c.Decoded.JSON())
		}
	}
}

// TestPlanOfPresets: what counts with and without τ-bench's preset.
func TestPlanOfPresets(t *testing.T) {
	conv := func(extra string) transcript.Conversation {
		return transcript.Conversation{Extra: objectOf(t, extra), Expected: &transcript.Expected{Outputs: []string{"o"}}, Messages: []transcript.Message{
			{Role: transcript.User, Content: "u", HasContent: true}, {Role: transcript.Assistant, Content: "a", HasContent: true},
			{Role: transcript.Assistant}, {Role: transcript.ToolRole, Content: "t", HasContent: true},
			{Role: transcript.Assistant, Content: "ran", HasContent: true, Calls: []int{0, 1}},
		}, Calls: []transcript.Call{{Proposed: true, Result: -1}, {Result: 3}}}
	}
	for _, tt := range []struct {
		preset     string
		outputs    bool
		extra      string
		counts     bool
		unfinished bool
	}{
		{"", false, `{"terminated":false}`, false, false},
		{"", true, `{"terminated":false}`, true, false},
		{tauBench, false, `{"terminated":false}`, true, true},
		{tauBench, false, `{"terminated":true}`, true, false},
		{tauBench, false, `{}`, true, false},
	} {
		p := planOf(t, Config{Preset: tt.preset, Outputs: tt.outputs}, conv(tt.extra))
		var replies []string
		if tt.counts {
			replies = []string{"a"}
		}
		if p.CheckOutputs != tt.counts || p.Unfinished != tt.unfinished || !slices.Equal(p.Replies, replies) || !slices.Equal(p.Outputs, []string{"o"}) {
			t.Errorf("%+v: %+v", tt, p)
		}
	}
}

// TestPlanOfStates: the state that is wanted, and the assertions of the config before the conversation's own.
func TestPlanOfStates(t *testing.T) {
	deps := Deps{ReadFile: func(string) ([]byte, error) { return []byte(`{"file":1}`), nil }}
	conv := transcript.Conversation{ID: "c", Extra: objectOf(t, `{"must":[{"path":"/z","op":"exists"}]}`),
		Expected: &transcript.Expected{Calls: []transcript.ExpectedCall{{Name: "x"}}}}
	base := Config{Type: commandKind, Command: []string{"x"}, Reads: []string{"r"}, State: "s", AssertionsAt: "/must",
		Assertions: []Assertion{{Path: "/a", Op: "exists"}}, Ignore: []string{"/i"}}
	for _, tt := range []struct {
		expected   Expected
		at         string
		state      string
		calls      int
		assertions string
	}{
		{Expected{}, "/must", "-", 1, "/a /z"},
		{Expected{From: wantCalls}, "/none", "-", 1, "/a"},
		{Expected{From: wantNothing}, "/must", "-", 0, "/a /z"},
		{Expected{From: wantState, File: "f"}, "/must", `{"file":1}`, 0, "/a /z"},
	} {
		c := base
		c.Expected, c.AssertionsAt = tt.expected, tt.at
		m, err := New(deps, c)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Plan(conv)
		if err != nil {
			t.Fatal(err)
		}
		state, paths := "-", []string{}
		if p.WantState != nil {
			state = p.WantState.JSON()
		}
		for _, a := range p.Assertions {
			paths = append(paths, a.Path)
		}
		if state != tt.state || len(p.WantCalls) != tt.calls || strings.Join(paths, " ") != tt.assertions {
			t.Errorf("%+v: state %s, %d calls, assertions %q", tt, state, len(p.WantCalls), paths)
		}
		if p.Start.JSON() != `{"file":1}` || !slices.Equal(p.Reads, []string{"r"}) || len(p.Compare.Ignore) != 1 {
			t.Errorf("%+v", p)
		}
	}
	if len(base.Assertions) != 1 {
		t.Errorf("the config's assertions grew: %v", base.Assertions)
	}
	m, err := New(deps, Config{Type: commandKind, Command: []string{"x"}, Expected: Expected{From: wantState, At: "/gone"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Plan(conv); err == nil || err.Error() != "expected.at: conversation c holds nothing at /gone" {
		t.Error(err)
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

// TestObject: the details of a score, whole: of an outcome with everything, and of one with nothing.
func TestObject(t *testing.T) {
	yes, no, reward := true, false, 0.0
	one, two := value.OfInt(1), value.OfInt(2)
	change := state.Change{Path: "/a", Kind: "wrong", Start: &one, Expected: &one, Final: &two, Call: 3, ExpectedCall: -1}
	o := Outcome{
		ExecOK: &no, StateOK: &no, OutputsOK: &yes, Reward: &reward, Unfinished: true, Pollution: 4, Compared: 5,
		Diff: []state.Change{change}, Final: []state.Change{{Path: "/a", Expected: &one, Final: &two}},
		Expected:        []state.Change{{Path: "/b", Final: &two}, {Path: "/c", Expected: &one}},
		Effects:         []Effect{{Index: 3, Name: "set", Result: Result{Tracked: true, Effects: []state.Change{{Path: "/a", Expected: &one, Final: &two}}}}},
		ExpectedEffects: []Effect{{Index: 0, Name: "get", Result: Result{Tracked: true}}},
		Drift:           []Drift{{Call: 3, Name: "set", Logged: "a", Got: "b"}},
		Assertions:      []AssertionResult{{Assertion{"/a", "eq", one}, false, &two}, {Assertion{"/z", "absent", value.Value{}}, true, nil}},
		Outputs:         []OutputResult{{"Ann", true}, {"Bob", false}},
		Skipped:         []Skip{{7, "user"}},
	}
	want := `{"exec_ok":false,"state_ok":false,"outputs_ok":true,"reward":0.0,"terminated":false,"pollution":4,` +
		`"counts":{"diff":1,"patch":1,"expected_patch":2,"effects":1,"drift":1},` +
		`"diff":[{"path":"/a","kind":"wrong","op":"changed","start":1,"expected":1,"final":2,"call":3}],` +
		`"patch":[{"op":"replace","path":"/a","value":2,"old":1}],` +
		`"expected_patch":[{"op":"add","path":"/b","value":2},{"op":"remove","path":"/c","old":1}],` +
		`"effects":[{"call":3,"name":"set","patch":[{"op":"replace","path":"/a","value":2,"old":1}]}],` +
		`"expected_effects":[{"call":0,"name":"get","patch":[]}],"compared":5,` +
		`"drift":[{"call":3,"name":"set","logged":"a","got":"b","unknown_tool":false}],` +
		`"assertions":[{"path":"/a","op":"eq","value":1,"ok":false,"found":2},{"path":"/z","op":"absent","value":null,"ok":true}],` +
		`"outputs":{"Ann":true,"Bob":false},"skipped":[{"call":7,"reason":"user"}]}`
	if diff := cmp.Diff(want, o.Object().JSON()); diff != "" {
		t.Error(diff)
	}
	none := Outcome{Fault: &Fault{Kind: crash, Op: "reset", Message: "gone", Stderr: []string{"x"}}}
	want = `{"exec_ok":null,"state_ok":null,"outputs_ok":null,"reward":null,"terminated":null,"pollution":0,` +
		`"counts":{"diff":0,"patch":0,"expected_patch":0,"effects":0,"drift":0},"diff":[],"patch":[],"expected_patch":[],` +
		`"effects":[],"expected_effects":[],"compared":0,"drift":[],"assertions":[],"outputs":{},"skipped":[],` +
		`"fault":{"kind":"crash","message":"environment reset: crash: gone","stderr":["x"]}}`
	if diff := cmp.Diff(want, none.Object().JSON()); diff != "" {
		t.Error(diff)
	}
	many := Outcome{Skipped: make([]Skip, 201)}
	if n := many.Object().Field("skipped").Len(); n != 200 {
		t.Errorf("%d of 201 entries are listed", n)
	}
	long := Effect{Result: Result{Value: value.OfString(strings.Repeat("x", 401)), IsError: true}}
	if got := long.object().Field("error").Text(); got != strings.Repeat("x", 399)+"…" {
		t.Errorf("a long error is told as %d bytes", len(got))
	}
}
