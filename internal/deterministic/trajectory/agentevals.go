package trajectory

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// agentevals is the trajectory match of LangChain's agentevals (npm 0.0.7).
// Settings: trajectory_match_mode (strict, unordered, subset, superset),
// tool_args_match_mode (exact, ignore, subset, superset), tool_args_match_overrides
// (tool name to one of these modes or to a list of key paths), edition (javascript,
// python). Both sides are lists of chat messages. Results have passed.
type agentevals struct {
	mode      string
	args      argsMatcher
	overrides map[string]argsMatcher
	equality  value.Equality
}

// argsMatcher compares the arguments of two calls: by mode, or by paths when they
// are given.
type argsMatcher struct {
	mode  string
	paths [][]string
}

var argsModes = []string{"exact", "ignore", "subset", "superset"}

func newAgentevals(s settings) scorer.Scorer {
	a := &agentevals{
		mode:      s.Word("trajectory_match_mode", "strict", "unordered", "subset", "superset"),
		args:      argsMatcher{mode: s.Word("tool_args_match_mode", argsModes...)},
		overrides: map[string]argsMatcher{},
		equality:  value.Equality{EmptyListIsEmptyObject: true},
	}
	pythonEdition := s.Word("edition", "javascript", "python") == "python"
	if pythonEdition {
		a.equality = python
	}
	overrides := s.Config.Field("tool_args_match_overrides")
	if !overrides.IsNull() && overrides.Kind() != value.Object {
		s.Fail("tool_args_match_overrides", "is a %s, must be an object", overrides.Kind())
	}
	for name, v := range overrides.Members() {
		if v.IsList() && v.Len() == 0 && pythonEdition {
			continue // the Python edition ignores an empty list
		}
		a.overrides[name] = s.override("tool_args_match_overrides."+name, v)
	}
	return a
}

func (s settings) override(at string, v value.Value) argsMatcher {
	if text, ok := v.Str(); ok {
		for _, mode := range argsModes {
			if mode == text {
				return argsMatcher{mode: text}
			}
		}
	}
	if !v.IsList() {
		s.Fail(at, "is %.60s, must be %s, or a list of key paths", v.JSON(), strings.Join(argsModes, ", "))
	}
	m := argsMatcher{paths: [][]string{}}
	for _, p := range v.Elements() {
		path, ok := p.Str()
		if !ok {
			s.Fail(at, "holds %.60s, must hold key paths such as a.b", p.JSON())
		}
		m.paths = append(m.paths, strings.Split(path, "."))
	}
	return m
}

// message is what the comparison sees of a chat message.
type message struct {
	role     value.Value
	hasCalls bool
	calls    []scorer.Call
}

// Score implements scorer.Scorer.
func (a *agentevals) Score(in scorer.Input) (scorer.Result, error) {
	expected, err := readMessages("expected", in.Expected)
	if err != nil {
		return scorer.Result{}, err
	}
	for _, m := range expected {
		for i := range m.calls {
			if !readable(&m.calls[i]) {
				return scorer.Result{}, scorer.Config("expected", "holds a call that cannot be read")
			}
		}
	}
	actual, err := readMessages("actual", in.Actual)
	if err != nil {
		return scorer.Result{}, err
	}
	reason := a.compare(actual, expected)
	if reason == "" {
		return passFail(true, a.mode+" match"), nil
	}
	return passFail(false, "no "+a.mode+" match: "+reason), nil
}

// compare says why the trajectories do not match, "" when they do.
func (a *agentevals) compare(actual, expected []message) string {
	if a.mode == "strict" {
		return a.strict(actual, expected)
	}
	made, wanted := allCalls(actual), allCalls(expected)
	if a.mode != "subset" {
		if miss := a.covers(made, wanted); miss != nil {
			return fmt.Sprintf("expected call of %s is not made", miss.Name)
		}
	}
	if a.mode != "superset" {
		if miss := a.covers(wanted, made); miss != nil {
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
		return nil, scorer.Config(field, "must be a list of chat messages")
	}
	out := make([]message, 0, v.Len())
	for _, m := range v.Elements() {
		calls := m.Field("tool_calls")
		msg := message{role: m.Field("role"), hasCalls: !calls.IsNull()}
		for _, c := range calls.Elements() {
			one, ok := scorer.ReadOne(c)
			if !ok {
				one.Unreadable = true
			}
			msg.calls = append(msg.calls, one)
		}
		out = append(out, msg)
	}
	return out, nil
}

func allCalls(messages []message) []scorer.Call {
	var out []scorer.Call
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
		case !value.Equal(x.role, y.role):
			return fmt.Sprintf("message %d is by %s, expected %s", i, x.role.JSON(), y.role.JSON())
		case x.hasCalls != y.hasCalls || len(x.calls) != len(y.calls):
			return fmt.Sprintf("message %d has %d tool calls, expected %d", i, len(x.calls), len(y.calls))
		}
		used := make([]bool, len(y.calls))
		for j := range x.calls {
			if !a.take(used, y.calls, func(want *scorer.Call) bool { return a.match(&x.calls[j], want) }) {
				return fmt.Sprintf("message %d: call of %q is not expected", i, x.calls[j].Name)
			}
		}
	}
	return ""
}

// take marks the first unused call that fits.
func (a *agentevals) take(used []bool, from []scorer.Call, fits func(*scorer.Call) bool) bool {
	for i := range from {
		if !used[i] && fits(&from[i]) {
			used[i] = true
			return true
		}
	}
	return false
}

// covers gives each call of y the first unused call of x that matches it, and
// returns the first that finds none. It does not go back on a choice.
func (a *agentevals) covers(x, y []scorer.Call) *scorer.Call {
	used := make([]bool, len(x))
	for i := range y {
		if !a.take(used, x, func(candidate *scorer.Call) bool { return a.match(candidate, &y[i]) }) {
			return &y[i]
		}
	}
	return nil
}

// match compares two calls; the order of the sides matters to subset and superset.
func (a *agentevals) match(x, y *scorer.Call) bool {
	if x.Unreadable || y.Unreadable || x.Name != y.Name {
		return false
	}
	m := a.args
	if override, ok := a.overrides[x.Name]; ok {
		m = override
	}
	if m.paths == nil && m.mode == "ignore" {
		return true
	}
	if x.Malformed || y.Malformed {
		return false
	}
	switch {
	case m.paths != nil:
		for _, path := range m.paths {
			if !a.equality.Equal(at(x.Arguments, path), at(y.Arguments, path)) {
				return false
			}
		}
		return true
	case m.mode == "subset":
		return a.within(x.Arguments, y.Arguments)
	case m.mode == "superset":
		return a.within(y.Arguments, x.Arguments)
	}
	return a.equality.Equal(x.Arguments, y.Arguments)
}

// within reports whether every top-level key of x is in y with an equal value.
func (a *agentevals) within(x, y value.Value) bool {
	for key, v := range x.Members() {
		if w, ok := y.Get(key); !ok || !a.equality.Equal(v, w) {
			return false
		}
	}
	return true
}

// at returns the value at a path of keys, null where it leads nowhere: the program
// takes absent and null for the same there.
func at(v value.Value, path []string) value.Value {
	for _, key := range path {
		next, ok := v.Pointer("/" + value.EscapePointer(key))
		if !ok {
			return value.Value{}
		}
		v = next
	}
	return v
}
