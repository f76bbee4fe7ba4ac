package deterministic

import (
	"fmt"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// schemaCheck is schema_check: do the arguments of a call satisfy its tool's JSON
// Schema (draft 2020-12)? Score 1 or 0.
type schemaCheck struct {
	config  schema.Config
	schemas cache[compiled]
	sparc   bool
}

// newSchemaCheck reads assert_format (true) and preset (sparc_static: draft 7 with
// formats ignored unless asked for, the kinds of failure, and repairs).
func newSchemaCheck(config value.Value) (scorer.Scorer, error) {
	o := scorer.ReadSettings(config)
	s := &schemaCheck{sparc: o.Word("preset", "", "sparc_static") == "sparc_static"}
	s.config.IgnoreFormat = !o.Flag("assert_format", !s.sparc)
	if s.sparc {
		s.config.Draft = schema.Draft7
		s.config.EveryKeyword = true
	}
	return s, o.Err
}

// Score implements scorer.Scorer.
func (s *schemaCheck) Score(in scorer.Input) (scorer.Result, error) {
	c, _ := scorer.ReadOne(in.Actual)
	return s.call(&c, readTools(in.Tools))
}

func (s *schemaCheck) call(c *scorer.Call, tools inventory) (scorer.Result, error) {
	if s.sparc {
		return s.static(c, tools)
	}
	violations, err := s.violations(c, tools)
	if err != nil {
		return scorer.Result{}, err
	}
	return schemaResult(violations), nil
}

// violations checks one call by the definition of its name.
func (s *schemaCheck) violations(c *scorer.Call, tools inventory) ([]schema.Violation, error) {
	if c.Unreadable {
		return []schema.Violation{{Keyword: "call", Message: "is no single call that can be read"}}, nil
	}
	t := tools.find(c.Name)
	if t == nil {
		return []schema.Violation{{Keyword: "name", Message: fmt.Sprintf("no tool is called %q", c.Name)}}, nil
	}
	if c.Malformed {
		return []schema.Violation{{Keyword: "arguments", Message: "cannot be read as an object"}}, nil
	}
	return s.validate(t, c.Arguments)
}

// validate checks arguments by the schema of a tool; without one it takes any.
func (s *schemaCheck) validate(t *transcript.Tool, arguments value.Value) (violations []schema.Violation, err error) {
	if t.Parameters.IsNull() {
		return nil, nil
	}
	found := s.schemas.get(t.Parameters.Raw(), func(text string) compiled {
		source, err := value.ParseString(text)
		if err != nil {
			source = t.Parameters
		}
		rules, err := schema.Compile(source, s.config)
		return compiled{rules, err}
	})
	if err = found.err; err == nil {
		violations, err = found.schema.Validate(arguments)
	}
	if err != nil {
		return nil, scorer.Config("tools", "the schema of %q: %v", t.Name, err)
	}
	return violations, nil
}

// compiled is the outcome of compiling a schema.
type compiled struct {
	schema *schema.Schema
	err    error
}

// schemaResult turns violations into a result.
func schemaResult(violations []schema.Violation) scorer.Result {
	ok := len(violations) == 0
	reason := "the arguments satisfy the schema"
	if !ok {
		reason = "the arguments do not satisfy the schema: " + sayViolation(violations[0])
		if n := len(violations) - 1; n > 0 {
			reason += fmt.Sprintf(" (and %d more)", n)
		}
	}
	return yesNo(ok, reason,
		value.Member{Key: "schema_ok", Value: value.OfBool(ok)},
		value.Member{Key: "errors", Value: violationList(violations)})
}

func sayViolation(v schema.Violation) string {
	if v.Path == "" {
		return v.Message
	}
	return v.Path + " " + v.Message
}

// violationList writes violations as objects with the JSON Pointer first.
func violationList(violations []schema.Violation) value.Value {
	list := make([]value.Value, len(violations))
	for i, v := range violations {
		list[i] = value.OfObject(
			value.Member{Key: "path", Value: value.OfString(v.Path)},
			value.Member{Key: "keyword", Value: value.OfString(v.Keyword)},
			value.Member{Key: "message", Value: value.OfString(v.Message)})
	}
	return value.OfList(list...)
}
