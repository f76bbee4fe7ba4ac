package deterministic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// validation is parameter_validation: how many of the checks on the parameters of
// each call pass. Score in [0, 1].
type validation struct {
	family
	declared cache[[]parameter]
}

func newValidation(config value.Value) (scorer.Scorer, error) {
	o := scorer.ReadSettings(config)
	return &validation{family: readFamily(o)}, o.Err
}

// checks is the outcome for one call.
type checks struct {
	total, passed int
	score         float64
	problems      []string
}

// Score implements scorer.Scorer.
func (s *validation) Score(in scorer.Input) (scorer.Result, error) {
	if err := checkTools(in.Tools); err != nil {
		if s.compat {
			return yesNo(false, "no tool definitions"), nil
		}
		return scorer.Result{}, err
	}
	return s.of(s.readActual(in.Actual), readTools(in.Tools)), nil
}

// call checks one call of a conversation.
func (s *validation) call(c *scorer.Call, tools inventory) (scorer.Result, error) {
	one := *c
	if s.compat {
		one.Malformed, one.Unreadable = false, false
	}
	return s.of(side{calls: []scorer.Call{one}, single: true}, tools), nil
}

func (s *validation) of(actual side, tools inventory) scorer.Result {
	if s.compat && !actual.single {
		return yesNo(false, "no single call that can be read")
	}
	if !slices.ContainsFunc(actual.calls, func(c scorer.Call) bool { return !c.Unreadable }) {
		return yesNo(false, "no call that can be read")
	}
	var all checks
	sum := 0.0
	for i := range actual.calls {
		c := s.check(&actual.calls[i], tools)
		sum += c.score
		all.total += c.total
		all.passed += c.passed
		all.problems = append(all.problems, c.problems...)
	}
	score := value.Round4(sum / float64(len(actual.calls)))
	reason := "all " + strconv.Itoa(all.total) + " checks passed"
	if len(all.problems) > 0 {
		reason = strings.Join(all.problems, "; ")
	}
	return scorer.Result{Score: &score, Reason: reason, Fields: []value.Member{
		{Key: "checks", Value: value.OfInt(int64(all.total))},
		{Key: "checks_passed", Value: value.OfInt(int64(all.passed))},
	}}
}

// check validates one call.
func (s *validation) check(c *scorer.Call, tools inventory) checks {
	if c.Unreadable {
		return checks{problems: []string{"a call cannot be read"}}
	}
	t := tools.find(c.Name)
	if t == nil {
		return checks{problems: []string{fmt.Sprintf("function '%s' is not defined", c.Name)}}
	}
	if c.Malformed {
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
func (s *validation) problem(p parameter, c *scorer.Call) string {
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
		return v.Kind() == value.List || v.Kind() == value.Tuple && !s.strict && !s.compat
	case "object":
		return v.Kind() == value.Object
	case "null":
		return v.IsNull()
	}
	return v.Kind() == value.String
}
