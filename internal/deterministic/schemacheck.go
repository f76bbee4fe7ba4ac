package deterministic

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/jsregex"
	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// SchemaCheck checks whether arguments match the tool's JSON Schema.
var SchemaCheck = Scorer{
	Name: "schema_check",
	Facts: score.Facts{
		Meaning: score.Meaning{
			Measures: score.Form,
			Evidence: score.Evidence{Pass: score.Weak, Fail: score.Strong},
			Layer:    score.SchemaLayer,
		},
		Needs:   score.NeedsTools,
		OfCalls: true,
	},
	rule: func() Rule { return new(schemaCheck) },
}

// schemaCheck implements schema_check: do the arguments of a call satisfy its tool's JSON Schema
// (draft 2020-12)? The score is 1 or 0.
type schemaCheck struct {
	// assertFormat is nil if it is not set: then formats count, except with a preset.
	assertFormat *bool
	preset       string
	schemas      cache[*schema.Schema]
	// patterns limits the time for the schemas' patterns; nil means a budget for each schema.
	patterns *jsregex.Budget
}

// share makes the patterns of all schemas spend one budget.
func (s *schemaCheck) share(patterns *jsregex.Budget) { s.patterns = patterns }

func (s *schemaCheck) settings() []Setting {
	return []Setting{
		{Name: "assert_format", Type: "boolean", Default: "true",
			Summary: "check `format` (false by default with the preset)", read: into(&s.assertFormat, given(readBool))},
		optional("preset", &s.preset, "draft 7, kinds of failure and repairs as in the SPARC program", "sparc_static"),
	}
}

// config returns how to read schemas.
func (s *schemaCheck) config() schema.Config {
	sparc := s.preset != ""
	c := schema.Config{Draft7: sparc, IgnoreFormat: sparc, Patterns: s.patterns}
	if s.assertFormat != nil {
		c.IgnoreFormat = !*s.assertFormat
	}
	return c
}

// Score implements Rule.
func (s *schemaCheck) Score(in Input) (Result, error) {
	// The preset has its own answer: no such function exists.
	if err := checkTools(in.Tools); err != nil && s.preset == "" {
		return Result{}, err
	}
	c, err := madeOne(in)
	if err != nil {
		return Result{}, err
	}
	return s.call(c, readTools(in.Tools))
}

func (s *schemaCheck) log(v *view) []outcome { return v.eachCall(s.call) }

func (s *schemaCheck) call(c *transcript.Call, tools []transcript.Tool) (Result, error) {
	if s.preset != "" {
		return s.static(c, tools)
	}
	violations, err := s.violations(c, tools)
	if err != nil {
		return Result{}, err
	}
	return schemaResult(violations), nil
}

// violations checks one call by the definition with its name.
func (s *schemaCheck) violations(c *transcript.Call, tools []transcript.Tool) ([]schema.Violation, error) {
	if c.Name == "" {
		return []schema.Violation{{Keyword: "call", Message: "is not a single call that can be read"}}, nil
	}
	t := transcript.FindTool(tools, c.Name)
	if t == nil {
		return []schema.Violation{{Keyword: "name", Message: fmt.Sprintf("no tool is called %q", c.Name)}}, nil
	}
	if c.Malformed {
		return []schema.Violation{{Keyword: "arguments", Message: "cannot be read as an object"}}, nil
	}
	return s.validate(t, c.Arguments)
}

// validate checks arguments by a tool's schema; without a schema all are valid.
func (s *schemaCheck) validate(t *transcript.Tool, arguments value.Value) (violations []schema.Violation, err error) {
	if t.Parameters.IsNull() {
		return nil, nil
	}
	rules, err := s.schemas.get(t.Parameters.Raw(), func(text string) (*schema.Schema, error) {
		source, err := value.ParseString(text)
		if err != nil {
			source = t.Parameters
		}
		return schema.Compile(source, s.config())
	})
	if err == nil {
		violations, err = rules.Validate(arguments)
	}
	if err != nil {
		return nil, configError("tools", "the schema of %q: %v", t.Name, err)
	}
	return violations, nil
}

// schemaResult converts violations to a result.
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

// violationList returns violations as objects that begin with the JSON Pointer.
func violationList(violations []schema.Violation) []value.Value {
	list := make([]value.Value, len(violations))
	for i, v := range violations {
		list[i] = value.OfObject(
			field("path", v.Path), field("keyword", v.Keyword), field("message", v.Message))
	}
	return list
}

// The kinds of failure of preset sparc_static.
const (
	nonExistentFunction  = "non_existent_function"
	nonExistentParameter = "non_existent_parameter"
	missingRequired      = "missing_required_parameter"
	incorrectType        = "incorrect_parameter_type"
	disallowedValue      = "allowed_values_violation"
	otherSchemaRule      = "json_schema_validation"
)

// static applies schema_check with preset sparc_static: it returns the kinds of failure, and the
// arguments as they could be repaired.
func (s *schemaCheck) static(c *transcript.Call, tools []transcript.Tool) (Result, error) {
	t := transcript.FindTool(tools, c.Name)
	if c.Name == "" || t == nil {
		return staticResult(nil, []string{nonExistentFunction}, value.Value{}), nil
	}
	violations, err := s.violations(c, tools)
	if err != nil {
		return Result{}, err
	}
	properties := t.Parameters.Field("properties")
	failed := map[string]bool{}
	var unknown []string
	for name := range c.Arguments.Members() {
		if !properties.Has(name) {
			unknown = append(unknown, name)
			failed[nonExistentParameter] = true
		}
	}
	for _, v := range violations {
		failed[staticKind(v)] = true
	}
	corrected := value.Value{}
	if len(unknown) > 0 {
		corrected = c.Arguments.Without(unknown...)
	}
	repaired, ok, err := s.repaired(t, c.Arguments, violations)
	if err != nil {
		return Result{}, err
	}
	if ok {
		corrected = repaired
	}
	return staticResult(violations, slices.Sorted(maps.Keys(failed)), corrected), nil
}

// staticKind returns the kind of failure for a broken rule. A closed object is a rule like any
// other, so an unknown parameter fails two checks.
func staticKind(v schema.Violation) string {
	switch v.Keyword {
	case "required":
		return missingRequired
	case "type":
		return incorrectType
	case "enum":
		return disallowedValue
	}
	return otherSchemaRule
}

func staticResult(violations []schema.Violation, failed []string, corrected value.Value) Result {
	ok := len(failed) == 0
	reason := "no static check failed"
	if !ok {
		reason = "failed: " + strings.Join(failed, ", ")
	}
	if len(violations) > 0 {
		reason += ": " + violationText(violations[0])
	}
	return yesNo(ok, reason,
		field("schema_ok", ok), field("errors", violationList(violations)), field("failed", failed),
		field("corrected_arguments", corrected))
}

// repaired converts the arguments with a wrong type, also inside them; false if none could be
// converted or a type is still wrong. As in the program, the wanted type is the one in the broken
// rule: a rule with several types repairs nothing.
func (s *schemaCheck) repaired(
	t *transcript.Tool, args value.Value, violations []schema.Violation,
) (value.Value, bool, error) {
	changed, out := false, args
	for _, v := range violations {
		first, _, _ := strings.Cut(strings.TrimPrefix(v.Path, "/"), "/")
		if v.Keyword != "type" || v.Path == "" {
			continue
		}
		name := value.UnescapePointer(first)
		if fixed, ok := convert(args.Field(name), v.Rule.Text()); ok {
			out, changed = out.With(name, fixed), true
		}
	}
	if !changed {
		return value.Value{}, false, nil
	}
	left, err := s.validate(t, out)
	if err != nil {
		return value.Value{}, false, err
	}
	still := slices.ContainsFunc(left, func(v schema.Violation) bool { return v.Keyword == "type" })
	return out, !still, nil
}

var integerText = regexp.MustCompile(`^-?[0-9]+$`)

// convert converts a value to the wanted type if that is a known repair.
func convert(v value.Value, wanted string) (value.Value, bool) {
	switch wanted {
	case "string":
		return value.OfString(v.Python()), true
	case "integer":
		return toInteger(v)
	case "number":
		if b, ok := v.BoolVal(); ok {
			return value.OfFloat(boolScore(b)), true
		}
		if f, ok := numericText(v); ok {
			return value.OfFloat(f), true
		}
		return v, v.IsNumber()
	case "boolean":
		return toBoolean(v)
	case "array":
		if v.IsNull() || v.IsList() || v.Kind() == value.Object {
			return v, false
		}
		return value.OfList(v), true
	}
	return v, false
}

// numericText parses a string like Python's float, but only finite numbers.
func numericText(v value.Value) (float64, bool) {
	s, isText := v.Str()
	f, ok := pythonFloat(s)
	return f, isText && ok && !math.IsInf(f, 0) && !math.IsNaN(f)
}

func toInteger(v value.Value) (value.Value, bool) {
	text, isText := v.Str()
	text = value.ASCIIDigits(strings.TrimSpace(text))
	b, isBool := v.BoolVal()
	f, numeric := numericText(v)
	switch {
	case isBool:
		return value.OfInt(int64(boolScore(b))), true
	case isText && integerText.MatchString(text):
		whole, ok := new(big.Int).SetString(text, 10)
		return value.OfBigInt(whole), ok
	case numeric:
		v = value.OfFloat(f)
	}
	whole, ok := v.BigInt()
	if !ok {
		return v, false
	}
	return value.OfBigInt(whole), true
}

func toBoolean(v value.Value) (value.Value, bool) {
	if f, ok := v.Float64(); ok {
		return value.OfBool(f != 0), true
	}
	s, ok := v.Str()
	if !ok {
		return v, false
	}
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "1", "yes", "on":
		return value.OfBool(true), true
	case "false", "0", "no", "off":
		return value.OfBool(false), true
	}
	return v, false
}
