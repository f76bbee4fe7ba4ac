package deterministic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// validation is parameter_validation: how many of the checks on the parameters of
// each call pass. Score in [0, 1].
type validation struct{ family }

func (s *validation) settings() []Setting { return s.readSettings() }

// checks is the outcome for one call.
type checks struct {
	total, passed int
	score         float64
	problems      []string
}

// Score implements Scorer.
func (s *validation) Score(in Input) (Result, error) {
	if err := checkTools(in.Tools); err != nil {
		if s.compat != "" {
			return yesNo(false, "no tool definitions"), nil
		}
		return Result{}, err
	}
	tools := readTools(in.Tools)
	if s.compat == "" {
		calls, _ := readCalls(in.Actual)
		return s.of(calls, tools), nil
	}
	actual := readCompat(in.Actual)
	if !actual.single {
		return yesNo(false, "no single call that can be read"), nil
	}
	return s.of(actual.calls, tools), nil
}

func (s *validation) log(v *view) []outcome {
	return v.eachCall(func(c *transcript.Call, tools []transcript.Tool) (Result, error) {
		return s.of([]*transcript.Call{c}, tools), nil
	})
}

func (s *validation) of(calls []*transcript.Call, tools []transcript.Tool) Result {
	if !slices.ContainsFunc(calls, func(c *transcript.Call) bool { return !s.unreadable(c) }) {
		return yesNo(false, "no call that can be read")
	}
	var all checks
	sum := 0.0
	for _, c := range calls {
		c := s.check(c, tools)
		sum += c.score
		all.total += c.total
		all.passed += c.passed
		all.problems = append(all.problems, c.problems...)
	}
	reason := "all " + strconv.Itoa(all.total) + " checks passed"
	if len(all.problems) > 0 {
		reason = strings.Join(all.problems, "; ")
	}
	return scored(value.Round4(sum/float64(len(calls))), reason,
		field("checks", all.total), field("checks_passed", all.passed))
}

// check validates one call.
func (s *validation) check(c *transcript.Call, tools []transcript.Tool) checks {
	if s.unreadable(c) {
		return checks{problems: []string{"a call cannot be read"}}
	}
	t := transcript.FindTool(tools, c.Name)
	if t == nil {
		return checks{problems: []string{fmt.Sprintf("function '%s' is not defined", c.Name)}}
	}
	if c.Malformed && s.compat == "" {
		return checks{problems: []string{fmt.Sprintf("the arguments of '%s' cannot be read as an object", c.Name)}}
	}
	var out checks
	declared := make([]string, 0, 16)
	eachParameter(t.Parameters, func(name string, definition value.Value, required bool) {
		declared = append(declared, name)
		out.total++
		if problem := s.problem(name, definition, required, c); problem != "" {
			out.problems = append(out.problems, problem)
		} else {
			out.passed++
		}
	})
	if !s.ignoreExtra {
		for name := range c.Arguments.Members() {
			if !slices.Contains(declared, name) {
				out.total++
				out.problems = append(out.problems, fmt.Sprintf("unexpected parameter '%s'", name))
			}
		}
	}
	out.score = 1
	if out.total > 0 {
		out.score = value.Round4(float64(out.passed) / float64(out.total))
	}
	return out
}

// eachParameter goes over the parameters that a schema declares, or a list of parameters.
func eachParameter(declared value.Value, do func(name string, definition value.Value, required bool)) {
	for _, v := range declared.Elements() {
		if name, named := v.Field("name").Str(); named {
			required, given := v.Field("required").BoolVal()
			do(name, v, required || !given)
		}
	}
	required := declared.Field("required")
	for name, v := range declared.Field("properties").Members() {
		is := false
		for _, r := range required.Elements() {
			text, ok := r.Str()
			is = is || ok && text == name
		}
		do(name, v, is)
	}
}

// problem returns what is wrong with one parameter, "" where nothing is.
func (s *validation) problem(name string, definition value.Value, required bool, c *transcript.Call) string {
	v, given := c.Arguments.Get(name)
	types, enum := definition.Field("type"), definition.Field("enum")
	switch {
	case !given && required:
		return fmt.Sprintf("missing required parameter '%s'", name)
	case !given:
		return ""
	case !s.hasType(v, types):
		return fmt.Sprintf("parameter '%s' is a %s, must be %s", name, v.Kind(), schema.TypeNames(types))
	}
	for _, allowed := range enum.Elements() {
		if value.Equal(v, allowed) {
			return ""
		}
	}
	if enum.Len() == 0 || !enum.IsList() {
		return ""
	}
	return fmt.Sprintf("parameter '%s' is %s, must be one of %s", name, v.Python(), enum.Python())
}

// hasType is the type test: one name, or a list of which one must fit. Without a name
// there is no test.
func (s *validation) hasType(v, types value.Value) bool {
	if types.Kind() == value.String {
		types = value.OfList(types)
	}
	tested := false
	for _, e := range types.Elements() {
		if name, ok := e.Str(); ok {
			if s.isType(v, strings.ToLower(name)) {
				return true
			}
			tested = true
		}
	}
	return !tested
}

// isType is the type test of one name; any unknown name means a string.
func (s *validation) isType(v value.Value, name string) bool {
	switch name {
	case "integer":
		return v.Kind() == value.Int || v.Kind() == value.Float && !s.strict
	case "number":
		return v.IsNumber()
	case "boolean":
		return v.Kind() == value.Bool
	case "array":
		return v.Kind() == value.List || v.Kind() == value.Tuple && !s.strict && s.compat == ""
	case "object":
		return v.Kind() == value.Object
	case "null":
		return v.IsNull()
	}
	return v.Kind() == value.String
}
