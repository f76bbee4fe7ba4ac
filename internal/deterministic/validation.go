package deterministic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// validation is parameter_validation: how many of the checks on the parameters of
// each call pass. Score in [0, 1].
type validation struct {
	family
	declared cache[[]parameter]
}

func (*validation) spec() Spec {
	return Spec{
		Name: "parameter_validation", Level: "call",
		Says:   "each argument against the tool's declared parameters: presence, type, enum",
		Actual: callsForm, Tools: toolsForm + "; or `{name, parameters: [{name, type, required, enum}]}`",
		Outputs: "checks, checks_passed", Logs: callLogs,
	}
}

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
	return v.eachCall(func(c *transcript.Call, tools inventory) (Result, error) {
		return s.of([]*transcript.Call{c}, tools), nil
	})
}

func (s *validation) of(calls []*transcript.Call, tools inventory) Result {
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
		intField("checks", all.total), intField("checks_passed", all.passed))
}

// check validates one call.
func (s *validation) check(c *transcript.Call, tools inventory) checks {
	if s.unreadable(c) {
		return checks{problems: []string{"a call cannot be read"}}
	}
	t := tools.find(c.Name)
	if t == nil {
		return checks{problems: []string{fmt.Sprintf("function '%s' is not defined", c.Name)}}
	}
	if c.Malformed && s.compat == "" {
		return checks{problems: []string{fmt.Sprintf("the arguments of '%s' cannot be read as an object", c.Name)}}
	}
	var out checks
	declared := s.parameters(t.Parameters)
	for _, p := range declared {
		out.total++
		if problem := s.problem(p, c); problem != "" {
			out.problems = append(out.problems, problem)
		} else {
			out.passed++
		}
	}
	if !s.ignoreExtra {
		for name := range c.Arguments.Members() {
			if !declares(declared, name) {
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

// parameters are those that a schema declares.
func (s *validation) parameters(schema value.Value) []parameter {
	if schema.IsNull() {
		return nil
	}
	return s.declared.get(schema.Raw(), func(text string) []parameter {
		copied, err := value.ParseString(text)
		if err != nil {
			copied = schema
		}
		return parametersOf(copied)
	})
}

func declares(declared []parameter, name string) bool {
	for i := range declared {
		if declared[i].name == name {
			return true
		}
	}
	return false
}

// problem returns what is wrong with one parameter, "" where nothing is.
func (s *validation) problem(p parameter, c *transcript.Call) string {
	v, given := c.Arguments.Get(p.name)
	switch {
	case !given && p.required:
		return fmt.Sprintf("missing required parameter '%s'", p.name)
	case !given:
		return ""
	case !s.hasType(v, p.types):
		return fmt.Sprintf("parameter '%s' is a %s, must be %s", p.name, v.Kind(), strings.Join(p.types, " or "))
	}
	if !p.enum.IsList() || p.enum.Len() == 0 {
		return ""
	}
	for _, allowed := range p.enum.Elements() {
		if value.Equal(v, allowed) {
			return ""
		}
	}
	return fmt.Sprintf("parameter '%s' is %s, must be one of %s", p.name, v.Python(), p.enum.Python())
}

func (s *validation) hasType(v value.Value, types []string) bool {
	if len(types) == 0 {
		return true
	}
	for _, name := range types {
		if s.isType(v, strings.ToLower(name)) {
			return true
		}
	}
	return false
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

// parameter is one declared parameter.
type parameter struct {
	name     string
	required bool
	// types are the names of the allowed types; none means no type test.
	types []string
	// enum are the allowed values; none means that all are.
	enum value.Value
}

// parametersOf returns the parameters that a schema declares, or a list of parameters.
func parametersOf(declared value.Value) []parameter {
	var out []parameter
	if declared.IsList() {
		for _, v := range declared.Elements() {
			name, named := v.Field("name").Str()
			if !named {
				continue
			}
			required, given := v.Field("required").BoolVal()
			out = append(out, parameter{name, required || !given, typesOf(v), v.Field("enum")})
		}
		return out
	}
	required := map[string]bool{}
	for _, v := range declared.Field("required").Elements() {
		if name, ok := v.Str(); ok {
			required[name] = true
		}
	}
	for name, v := range declared.Field("properties").Members() {
		out = append(out, parameter{name, required[name], typesOf(v), v.Field("enum")})
	}
	return out
}

func typesOf(v value.Value) []string {
	t := v.Field("type")
	if name, ok := t.Str(); ok {
		return []string{name}
	}
	var names []string
	for _, e := range t.Elements() {
		if name, ok := e.Str(); ok {
			names = append(names, name)
		}
	}
	return names
}
