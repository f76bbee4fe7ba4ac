package deterministic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// agentevals reproduces the trajectory match of LangChain's agentevals (npm 0.0.7). Both sides are
// lists of chat messages. Results have passed.
type agentevals struct {
	mode, argsMode, edition string
	overrides               map[string]argsMatcher
}

// argsMatcher compares the arguments of two calls: by mode, or by paths when they
// are given.
type argsMatcher struct {
	mode  string
	paths [][]string
}

var argsModes = []string{"exact", "ignore", "subset", "superset"}

func (a *agentevals) settings() []Setting {
	return []Setting{
		choice("trajectory_match_mode", &a.mode, "agentevals", "strict", "unordered", "subset", "superset"),
		choice("tool_args_match_mode", &a.argsMode, "agentevals", argsModes...),
		{Name: "tool_args_match_overrides", Type: "object",
			Summary: "agentevals: tool name to a mode or a list of key paths", read: a.readOverrides},
		choice("edition", &a.edition, "agentevals: the edition of the program", "javascript", "python"),
	}
}

func (a *agentevals) readOverrides(v value.Value) error {
	if v.Kind() != value.Object {
		return fmt.Errorf("is %s, must be an object", v.Kind().WithArticle())
	}
	a.overrides = map[string]argsMatcher{}
	for name, o := range v.Members() {
		mode, _ := o.Str()
		m := argsMatcher{mode: mode}
		if o.IsList() {
			m.paths = [][]string{}
		} else if !slices.Contains(argsModes, mode) {
			return configError("tool_args_match_overrides."+name, "is %.60s, must be %s, or a list of key paths",
				o.JSON(), strings.Join(argsModes, ", "))
		}
		for _, p := range o.Elements() {
			path, ok := p.Str()
			if !ok {
				return configError("tool_args_match_overrides."+name,
					"holds %.60s, must hold key paths such as a.b", p.JSON())
			}
			m.paths = append(m.paths, strings.Split(path, "."))
		}
		a.overrides[name] = m
	}
	return nil
}

// message holds the compared parts of a chat message: its role as JSON, and its calls.
type message struct {
	role     string
	hasCalls bool
	calls    []*transcript.Call
}

func (a *agentevals) score(in Input) (Result, error) {
	expected, err := readMessages("expected", in.Expected)
	if err != nil {
		return Result{}, err
	}
	actual, err := readMessages("actual", in.Actual)
	if err != nil {
		return Result{}, err
	}
	if len(allCalls(actual)) == 0 {
		if err := callsOnlyInText(in); err != nil {
			return Result{}, err
		}
	}
	return a.of(actual, expected)
}

// log uses the reference's chat messages if the log has them, else one message with all expected
// calls, which is enough if roles do not count.
func (a *agentevals) log(v *view) []outcome {
	var expected []message
	if raw := v.c.Expected.Raw; raw.IsList() && raw.Len() > 0 && raw.At(0).Has("role") {
		expected, _ = readMessages("expected", raw)
	} else if a.mode == "strict" {
		return notApplicable("strict compares whole trajectories, and the reference holds calls only")
	} else {
		expected = []message{{calls: v.wanted}}
	}
	actual := make([]message, len(v.c.Messages))
	for i := range actual {
		m := &v.c.Messages[i]
		actual[i].role = value.OfString(string(m.Role)).JSON()
		for _, at := range m.Calls {
			if c := &v.c.Calls[at]; ofAgent(c) {
				actual[i].calls, actual[i].hasCalls = append(actual[i].calls, c), true
			}
		}
	}
	return whole(a.of(actual, expected))
}

// of compares messages with expected ones, whose calls must all be readable.
func (a *agentevals) of(actual, expected []message) (Result, error) {
	for _, c := range allCalls(expected) {
		if !readable(c) {
			return Result{}, configError("expected", "holds a call that cannot be read")
		}
	}
	reason := a.compare(actual, expected)
	if reason == "" {
		return passFail(true, a.mode+" match"), nil
	}
	return passFail(false, "no "+a.mode+" match: "+reason), nil
}

// compare says why the trajectories do not match; "" if they do.
func (a *agentevals) compare(actual, expected []message) string {
	if a.mode == "strict" {
		return a.strict(actual, expected)
	}
	made, wanted := allCalls(actual), allCalls(expected)
	if a.mode != "subset" {
		if miss := a.missed(made, wanted); miss != nil {
			return fmt.Sprintf("expected call of %s is not made", miss.Name)
		}
	}
	if a.mode != "superset" {
		if miss := a.missed(wanted, made); miss != nil {
			return fmt.Sprintf("call of %q is not expected", miss.Name)
		}
	}
	return ""
}

// readMessages reads a list of messages, or an object with one under "messages".
func readMessages(field string, v value.Value) ([]message, error) {
	if inner, ok := v.Get("messages"); ok {
		v = inner
	}
	if !v.IsList() {
		return nil, configError(field, "must be a list of chat messages")
	}
	out := make([]message, 0, v.Len())
	for _, m := range v.Elements() {
		calls := m.Field("tool_calls")
		msg := message{role: m.Field("role").JSON(), hasCalls: !calls.IsNull()}
		for _, c := range calls.Elements() {
			msg.calls = append(msg.calls, readOne(c))
		}
		out = append(out, msg)
	}
	return out, nil
}

func allCalls(messages []message) []*transcript.Call {
	var out []*transcript.Call
	for _, m := range messages {
		out = append(out, m.calls...)
	}
	return out
}

func (a *agentevals) strict(actual, expected []message) string {
	if len(actual) != len(expected) {
		return fmt.Sprintf("%d messages, expected %d", len(actual), len(expected))
	}
	for i := range expected {
		x, y := &actual[i], &expected[i]
		switch {
		case x.role != y.role:
			return fmt.Sprintf("message %d is by %s, expected %s", i, x.role, y.role)
		case x.hasCalls != y.hasCalls || len(x.calls) != len(y.calls):
			return fmt.Sprintf("message %d has %d tool calls, expected %d", i, len(x.calls), len(y.calls))
		}
		fits := func(made, wanted int) bool { return a.match(x.calls[made], y.calls[wanted]) }
		if missed := greedy(len(x.calls), len(y.calls), fits); missed >= 0 {
			return fmt.Sprintf("message %d: call of %q is not expected", i, x.calls[missed].Name)
		}
	}
	return ""
}

// missed gives each call of y the first unused matching call of x, without revising earlier
// choices. It returns the first call that finds none.
func (a *agentevals) missed(x, y []*transcript.Call) *transcript.Call {
	if i := greedy(len(y), len(x), func(i, j int) bool { return a.match(x[j], y[i]) }); i >= 0 {
		return y[i]
	}
	return nil
}

// match compares two calls; the order of the sides matters for subset and superset.
func (a *agentevals) match(x, y *transcript.Call) bool {
	if x.Name != y.Name {
		return false
	}
	equality := value.Equality{EmptyListIsEmptyObject: true}
	if a.edition == "python" {
		equality = python
	}
	m := argsMatcher{mode: a.argsMode}
	override, ok := a.overrides[x.Name]
	// The Python edition ignores an empty list.
	if empty := override.paths != nil && len(override.paths) == 0; ok && !(empty && a.edition == "python") {
		m = override
	}
	switch {
	case m.mode == "ignore":
		return true
	case x.Malformed || y.Malformed:
		return false
	case m.paths != nil:
		for _, path := range m.paths {
			if !equality.Equal(valueAt(x.Arguments, path), valueAt(y.Arguments, path)) {
				return false
			}
		}
		return true
	case m.mode == "subset":
		return within(equality, x.Arguments, y.Arguments)
	case m.mode == "superset":
		return within(equality, y.Arguments, x.Arguments)
	}
	return equality.Equal(x.Arguments, y.Arguments)
}

// within reports whether every top-level key of x is in y with an equal value.
func within(e value.Equality, x, y value.Value) bool {
	for key, v := range x.Members() {
		if w, ok := y.Get(key); !ok || !e.Equal(v, w) {
			return false
		}
	}
	return true
}

// valueAt returns the value at a path of keys; null if it does not exist. The program treats absent
// and null alike there.
func valueAt(v value.Value, path []string) value.Value {
	for _, key := range path {
		next, ok := v.Pointer("/" + value.EscapePointer(key))
		if !ok {
			return value.Value{}
		}
		v = next
	}
	return v
}
