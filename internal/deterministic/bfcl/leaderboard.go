package bfcl

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/value"
)

// leaderboard is the checker of the Berkeley Function-Calling Leaderboard.
type leaderboard struct {
	category        string
	language        *language
	assignment      bool
	dotToUnderscore bool
}

func newLeaderboard(o *scorer.Settings) *leaderboard {
	l := &leaderboard{
		category:        "simple",
		language:        languages[o.Word("language", "python", "java", "javascript")],
		assignment:      o.Word("matching", "greedy", "assignment") == "assignment",
		dotToUnderscore: o.Flag("dot_to_underscore", false),
	}
	if v, given := o.Get("category"); given {
		if l.category = v.Text(); v.Kind() != value.String {
			o.Fail("category", "is %.60s, must be a name such as simple or parallel_multiple", v.JSON())
		}
	}
	return l
}

// failure is why a call is not valid: the leaderboard's error type and words for
// people. The zero failure is none.
type failure struct {
	kind, detail string
}

func failed(kind, format string, args ...any) failure {
	return failure{kind, fmt.Sprintf(format, args...)}
}

// Score implements scorer.Scorer. Actual is the model's text, or the decoded list
// [{name: {parameter: value}}]; Expected is [{name: {parameter: [allowed values]}}].
func (l *leaderboard) Score(in scorer.Input) (scorer.Result, error) {
	f, err := l.check(in)
	if err != nil {
		return scorer.Result{}, err
	}
	valid, kind, reason := f.kind == "", value.Value{}, f.detail
	if valid {
		reason = "valid"
	} else {
		kind = value.OfString(f.kind)
		reason = f.kind + ": " + reason
	}
	return result(valid, reason,
		value.Member{Key: "valid", Value: value.OfBool(valid)},
		value.Member{Key: "error_type", Value: kind}), nil
}

func (l *leaderboard) check(in scorer.Input) (failure, error) {
	calls, f := l.decode(in.Actual)
	made := f.kind == "" && calls.Len() > 0
	switch {
	case strings.Contains(l.category, "irrelevance"):
		if made {
			return failed("irrelevance_error:decoder_success", "a call was made where none is right"), nil
		}
		return failure{}, nil
	case strings.Contains(l.category, "relevance"):
		if !made {
			return failed("relevance_error:decoder_failed", "no call was made where one is right"), nil
		}
		return failure{}, nil
	}
	expected, err := references(in.Expected)
	if err != nil {
		return failure{}, err
	}
	if in.Tools.Len() == 0 {
		return failure{}, scorer.Config("tools", "must be a list of {name, parameters: {properties, required}}")
	}
	if f.kind != "" {
		return f, nil
	}
	tools, err := readTools(in.Tools)
	if err != nil {
		return f, err
	}
	c := &checker{tools: tools, single: in.Tools.Kind() == value.Object, language: l.language, dotToUnderscore: l.dotToUnderscore}
	switch {
	case strings.Contains(l.category, "parallel"):
		return l.parallel(c, calls, expected)
	case strings.Contains(l.category, "multiple"):
		return c.multiple(calls, expected)
	}
	return c.simple(calls, expected)
}

// decode returns the list of calls that the model made.
func (l *leaderboard) decode(actual value.Value) (value.Value, failure) {
	switch actual.Kind() {
	case value.Null:
		return actual, failed("ast_decoder:decoder_failed", "there is no output")
	case value.String:
		read := pythonCalls
		// No call is right: the leaderboard decodes that as Python.
		if l.language.readCall != nil && !strings.Contains(l.category, "relevance") {
			read = l.language.readCall
		}
		calls, err := read(actual.Text())
		if err != nil {
			return calls, failed("ast_decoder:decoder_failed", "%v", err)
		}
		return calls, failure{}
	}
	wrong := failed("ast_decoder:decoder_wrong_output_format", "the output is no list of {name: {arguments}}")
	if !actual.IsList() {
		return actual, wrong
	}
	for _, c := range actual.Elements() {
		if c.Kind() != value.Object || c.Len() != 1 || c.At(0).Kind() != value.Object {
			return actual, wrong
		}
	}
	return actual, failure{}
}

// pythonCalls reads Python call text as a list of {name: {argument: value}}.
func pythonCalls(text string) (value.Value, error) {
	calls, err := pycall.Parse(text, pycall.BFCL)
	list := make([]value.Value, len(calls))
	for i, c := range calls {
		list[i] = value.OfObject(value.Member{Key: c.Name, Value: c.Arguments})
	}
	return value.OfList(list...), err
}

// references returns the expected calls as a list of {name: {parameter: [allowed
// values]}}; an object with several names holds a call under each. What is in an element
// is looked at when it is its turn, as the leaderboard does.
func references(expected value.Value) (value.Value, error) {
	if expected.Kind() == value.Object {
		var list []value.Value
		for name, params := range expected.Members() {
			list = append(list, value.OfObject(value.Member{Key: name, Value: params}))
		}
		return value.OfList(list...), nil
	}
	if !expected.IsList() {
		return expected, scorer.Config("expected", "must be a list of {name: {parameter: [allowed values]}}")
	}
	return expected, nil
}

// answer is one expected call: the allowed values of each parameter.
type answer struct {
	name   string
	params value.Value
}

func readAnswer(expected value.Value, i int) (answer, error) {
	if i >= expected.Len() {
		return answer{}, scorer.Config("expected", "holds no call; use category irrelevance where no call is right")
	}
	field := fmt.Sprintf("expected[%d]", i)
	e := expected.At(i)
	if e.Kind() != value.Object || e.Len() != 1 || e.At(0).Kind() != value.Object {
		return answer{}, scorer.Config(field, "must be {name: {parameter: [allowed values]}}")
	}
	for param, allowed := range e.At(0).Members() {
		if !allowed.IsList() {
			return answer{}, scorer.Config(field+"."+param, "must be a list of allowed values")
		}
	}
	return answer{e.KeyAt(0), e.At(0)}, nil
}

// tool is what the checker needs of a definition.
type tool struct {
	name       string
	properties value.Value
	required   []string
}

func readTools(tools value.Value) ([]tool, error) {
	if tools.Kind() == value.Object {
		tools = value.OfList(tools)
	}
	out := make([]tool, 0, tools.Len())
	for i, v := range tools.Elements() {
		if wrapped := v.Field("function"); wrapped.Kind() == value.Object {
			v = wrapped
		}
		name, ok := v.Field("name").Str()
		if !ok {
			return nil, scorer.Config(fmt.Sprintf("tools[%d].name", i), "must be a string")
		}
		parameters := v.Field("parameters")
		t := tool{name: name, properties: parameters.Field("properties")}
		for _, r := range parameters.Field("required").Elements() {
			param, ok := r.Str()
			if !ok {
				return nil, scorer.Config(fmt.Sprintf("tools[%d].parameters.required", i), "must be a list of names")
			}
			t.required = append(t.required, param)
		}
		out = append(out, t)
	}
	return out, nil
}

// simple wants exactly one call, and holds it against the first tool and the first
// expected call whatever their names.
func (c *checker) simple(calls, expected value.Value) (failure, error) {
	if calls.Len() != 1 {
		return failed("simple_function_checker:wrong_count", "%d calls, expected 1", calls.Len()), nil
	}
	want, err := readAnswer(expected, 0)
	if err != nil {
		return failure{}, err
	}
	return c.call(&c.tools[0], calls.At(0), want)
}

func (c *checker) multiple(calls, expected value.Value) (failure, error) {
	if calls.Len() != expected.Len() {
		return failed("multiple_function_checker:wrong_count", "%d calls, expected %d", calls.Len(), expected.Len()), nil
	}
	want, err := readAnswer(expected, 0)
	if err != nil {
		return failure{}, err
	}
	t, _ := c.find(expected, 0)
	if t == nil {
		return failure{}, scorer.Config("tools", "have no definition of %q, which is expected", want.name)
	}
	return c.call(t, calls.At(0), want)
}

// parallel wants each expected call once, in any order. Greedy gives every expected
// call the first free call that passes; assignment moves earlier choices where that
// frees one.
func (l *leaderboard) parallel(c *checker, calls, expected value.Value) (failure, error) {
	const prefix = "parallel_function_checker_no_order:"
	if calls.Len() != expected.Len() {
		return failed(prefix+"wrong_count", "%d calls, expected %d", calls.Len(), expected.Len()), nil
	}
	m := matching{takenBy: make([]int, calls.Len()), passes: func(i, j int) (failure, error) {
		t, _ := c.find(expected, i)
		want, err := readAnswer(expected, i)
		if err != nil {
			return failure{}, err
		}
		return c.call(t, calls.At(j), want)
	}}
	for j := range m.takenBy {
		m.takenBy[j] = -1
	}
	for i := range expected.Len() {
		if t, name := c.find(expected, i); t == nil {
			return failed(prefix+"cannot_find_description", "no tool has the expected name %q", name), nil
		}
		found, err := m.place(i, make([]bool, calls.Len()), l.assignment)
		if err != nil {
			return failure{}, err
		}
		if !found {
			return failed(prefix+"cannot_find_match", "no call matches expected call %d: %s", i, m.last), nil
		}
	}
	return failure{}, nil
}

// matching pairs expected calls with calls.
type matching struct {
	takenBy []int // call -> expected call, -1 while free
	passes  func(expected, call int) (failure, error)
	last    string // the last failure seen, for the reason
}

// place finds a call for expected call i. With move set it may take one that is
// taken, if that one's owner finds another (an augmenting path).
func (m *matching) place(i int, tried []bool, move bool) (bool, error) {
	for j := range m.takenBy {
		if tried[j] || m.takenBy[j] >= 0 && !move {
			continue
		}
		f, err := m.passes(i, j)
		if err != nil {
			return false, err
		}
		if f.kind != "" {
			m.last = f.detail
			continue
		}
		tried[j] = true
		if m.takenBy[j] >= 0 {
			free, err := m.place(m.takenBy[j], tried, move)
			if err != nil || !free {
				if err != nil {
					return false, err
				}
				continue
			}
		}
		m.takenBy[j] = i
		return true, nil
	}
	return false, nil
}
