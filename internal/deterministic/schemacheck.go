package deterministic

import (
	"fmt"

	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// schemaCheck is schema_check: do the arguments of a call satisfy its tool's JSON
// Schema (draft 2020-12)? Score 1 or 0.
type schemaCheck struct {
	// assertFormat is nil where it is not set: formats count then, but with a preset.
	assertFormat *bool
	preset       string
	schemas      cache[compiled]
}

func (s *schemaCheck) settings() []Setting {
	return []Setting{
		{Name: "assert_format", Type: "boolean", Default: "true",
			Summary: "check `format` (false by default with the preset)",
			read: func(v value.Value) error {
				b, err := readBool(v)
				s.assertFormat = &b
				return err
			}},
		optional("preset", &s.preset, "draft 7, kinds of failure and repairs as in the SPARC program", "sparc_static"),
	}
}

// config is how schemas are understood.
func (s *schemaCheck) config() schema.Config {
	sparc := s.preset != ""
	c := schema.Config{Draft7: sparc, IgnoreFormat: sparc}
	if s.assertFormat != nil {
		c.IgnoreFormat = !*s.assertFormat
	}
	return c
}

// Score implements Scorer.
func (s *schemaCheck) Score(in Input) (Result, error) {
	return s.call(readOne(in.Actual), readTools(in.Tools))
}

func (s *schemaCheck) log(v *view) []outcome { return v.eachCall(s.call) }

func (s *schemaCheck) call(c *transcript.Call, tools inventory) (Result, error) {
	if s.preset != "" {
		return s.static(c, tools)
	}
	violations, err := s.violations(c, tools)
	if err != nil {
		return Result{}, err
	}
	return schemaResult(violations), nil
}

// violations checks one call by the definition of its name.
func (s *schemaCheck) violations(c *transcript.Call, tools inventory) ([]schema.Violation, error) {
	if c.Name == "" {
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
		rules, err := schema.Compile(source, s.config())
		return compiled{rules, err}
	})
	if err = found.err; err == nil {
		violations, err = found.schema.Validate(arguments)
	}
	if err != nil {
		return nil, configError("tools", "the schema of %q: %v", t.Name, err)
	}
	return violations, nil
}

// compiled is the outcome of compiling a schema.
type compiled struct {
	schema *schema.Schema
	err    error
}

// schemaResult turns violations into a result.
func schemaResult(violations []schema.Violation) Result {
	ok := len(violations) == 0
	reason := "the arguments satisfy the schema"
	if !ok {
		reason = "the arguments do not satisfy the schema: " + violationText(violations[0])
		if n := len(violations) - 1; n > 0 {
			reason += fmt.Sprintf(" (and %d more)", n)
		}
	}
	return yesNo(ok, reason,
		field("schema_ok", ok), field("errors", violationList(violations)))
}

func violationText(v schema.Violation) string {
	if v.Path == "" {
		return v.Message
	}
	return v.Path + " " + v.Message
}

// violationList writes violations as objects with the JSON Pointer first.
func violationList(violations []schema.Violation) []value.Value {
	list := make([]value.Value, len(violations))
	for i, v := range violations {
		list[i] = value.OfObject(
			field("path", v.Path), field("keyword", v.Keyword), field("message", v.Message))
	}
	return list
}
