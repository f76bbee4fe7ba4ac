package deterministic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/jsregex"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// ParameterValidation grades each call's arguments by the share of checks that they pass.
var ParameterValidation = Scorer{
	Name: "parameter_validation",
	Facts: score.Facts{
		Meaning: score.Meaning{
			Measures: score.Form,
			Evidence: score.Evidence{Pass: score.Weak, Fail: score.Strong},
		},
		Needs:   score.NeedsTools,
		OfCalls: true,
	},
	rule: func() Rule { return new(validation) },
}

// validation implements parameter_validation: the share of checks on the parameters of each call
// that pass. The score is in [0, 1].
type validation struct {
	family
	// closed says that no tool accepts undeclared parameters.
	closed bool
	// compiled holds the patterns of schemas, and patterns limits the time that they take.
	compiled cache[*jsregex.Regexp]
	patterns *jsregex.Budget
}

// share makes the patterns of all schemas spend one budget.
func (s *validation) share(patterns *jsregex.Budget) { s.patterns = patterns }

func (s *validation) settings() []Setting {
	return s.readSettings(toggle("strict", &s.closed, false,
		"a parameter that the tool does not declare fails, whatever its schema allows"))
}

// checks holds the counts for one call.
type checks struct {
	total, passed int
	score         float64
	problems      []string
	// undeclared lists the arguments that an open schema allows without naming them.
	undeclared []string
}

// Score implements Rule.
func (s *validation) Score(in Input) (Result, error) {
	if err := checkTools(in.Tools); err != nil {
		if s.compat != "" {
			return yesNo(false, "no tool definitions"), nil
		}
		return Result{}, err
	}
	tools := readTools(in.Tools)
	if s.compat == "" {
		calls, err := madeCalls(in)
		if err != nil {
			return Result{}, err
		}
		return s.of(calls, tools)
	}
	actual := readCompat(in.Actual)
	if !actual.single {
		return yesNo(false, "no single call that can be read"), nil
	}
	return s.of(actual.calls, tools)
}

func (s *validation) log(v *view) []outcome {
	return v.eachCall(func(c *transcript.Call, tools []transcript.Tool) (Result, error) {
		return s.of([]*transcript.Call{c}, tools)
	})
}

func (s *validation) of(calls []*transcript.Call, tools []transcript.Tool) (Result, error) {
	if !slices.ContainsFunc(calls, func(c *transcript.Call) bool { return !s.unreadable(c) }) {
		return yesNo(false, "no call that can be read"), nil
	}
	var all checks
	sum := 0.0
	for _, c := range calls {
		c, err := s.check(c, tools)
		if err != nil {
			return Result{}, err
		}
		sum += c.score
		all.total += c.total
		all.passed += c.passed
		all.problems = append(all.problems, c.problems...)
		all.undeclared = append(all.undeclared, c.undeclared...)
	}
	reason := "all " + strconv.Itoa(all.total) + " checks passed"
	if len(all.problems) > 0 {
		reason = joined(all.problems, "; ")
	}
	if len(all.undeclared) > 0 {
		reason += "; not declared, and allowed by the open schema: " + braced(all.undeclared)
	}
	return scored(value.Round4(sum/float64(len(calls))), reason,
		field("checks", all.total), field("checks_passed", all.passed)), nil
}

// check validates one call.
func (s *validation) check(c *transcript.Call, tools []transcript.Tool) (checks, error) {
	if s.unreadable(c) {
		return checks{problems: []string{"a call cannot be read"}}, nil
	}
	t := transcript.FindTool(tools, c.Name)
	if t == nil {
		return checks{problems: []string{fmt.Sprintf("function '%s' is not defined", c.Name)}}, nil
	}
	if c.Malformed && s.compat == "" {
		return checks{problems: []string{fmt.Sprintf("the arguments of '%s' cannot be read as an object", c.Name)}}, nil
	}
	d, err := s.declaredBy(t, c.Arguments)
	if err != nil {
		return checks{}, err
	}
	out := checks{total: len(d.names)}
	for _, problem := range d.problems {
		if problem != "" {
			out.problems = append(out.problems, problem)
		} else {
			out.passed++
		}
	}
	if !s.ignoreExtra {
		for name := range c.Arguments.Members() {
			switch {
			case d.excluded[name]:
				out.total++
				out.problems = append(out.problems, fmt.Sprintf("unexpected parameter '%s'", name))
			case !d.has(name):
				out.undeclared = append(out.undeclared, name)
			}
		}
	}
	out.score = 1
	if out.total > 0 {
		out.score = value.Round4(float64(out.passed) / float64(out.total))
	}
	return out, nil
}

// hasType tests the type: a single name must fit, or one name of a list. Without a name there is no
// test.
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

// isType tests one type name; an unknown name means a string.
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
