// Package schema handles JSON Schema: it checks the arguments of a tool call and the answer of a
// judge against a schema (Compile), and derives schemas from Go types (Reflect).
//
// It promises that nothing is ever fetched (a reference outside the schema is an error), that
// checking takes limited time and depth for any schema and value, that the integers of arguments
// and all numbers of answers are compared as written, and that violations come in a fixed order and
// in words that do not depend on the library. An unusable schema is an error, never a verdict.
package schema

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/judgekit/judge/internal/jsregex"
	"github.com/judgekit/judge/internal/value"
)

// Config says how to read a schema. The zero Config means draft 2020-12 with formats asserted.
type Config struct {
	// Draft7 is for schemas of that draft, checked like in Python: a value with a wrong type is
	// checked further, so that it can violate "type" and "enum" at once. Otherwise a wrong type is
	// a value's only error.
	Draft7 bool
	// IgnoreFormat makes "format" an annotation.
	IgnoreFormat bool
	// Answer is for the answers of models. Numbers are compared as written and not as doubles, and
	// one beyond all doubles has no type; a key that is not required may be null, which is how
	// strict schemas leave out a value; keywords that are not Checked are ignored.
	Answer bool
	// Patterns limits the time for the patterns of all schemas that share it; nil means a budget
	// for this schema alone.
	Patterns *jsregex.Budget
}

// Checked reports whether answers are checked by a keyword, and whether the keyword belongs to JSON
// Schema at all.
func Checked(keyword string) (checked, known bool) {
	switch keyword {
	case "title", "description", "default", "examples", "$schema", "$comment", "$id", "$anchor", "$defs",
		"definitions", "deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType", "contentSchema":
		return true, true // nothing to check
	case "$ref", "$dynamicRef", "$recursiveRef", "format", "unevaluatedProperties", "unevaluatedItems",
		"additionalItems", "dependencies", "extends", "disallow", "divisibleBy":
		return false, true
	}
	return false, false
}

// The limits of what is compiled and checked. A schema or value beyond them is an error, not a
// guess.
const (
	maxSchemaNodes = 20_000
	maxDepth       = 200
	// The steps of one validation: a base number, and a number for each part of the value. A step
	// is one schema applied to one value, or one look at an element or an alternative of an enum.
	baseSteps    = 20_000
	stepsPerPart = 50
	maxSteps     = 1_000_000
)

// errTooMuch means that checking was stopped because it took more steps than any real schema needs.
var errTooMuch = errors.New("schema: checking takes too many steps for a value of this size")

// Violation is one broken rule.
type Violation struct {
	// Path is the JSON Pointer of the wrong value; "" is the whole value.
	Path string
	// Keyword is the broken keyword of the schema, such as "required".
	Keyword string
	// Message says in words what is wrong.
	Message string
	// Rule is the value of the keyword; null if unknown.
	Rule value.Value
	// Keys lists the keys that are missing or not allowed.
	Keys []string
}

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct {
	source value.Value
	config Config
	// idle holds the compiled forms that no validation uses. They are kept, because compiling costs
	// more than many validations; there are never more than validations ran at the same time.
	mu   sync.Mutex
	idle []*instance
}

// instance is one compiled form with its own step counter. The library keeps no state per
// validation, so each concurrent validation has its own form.
type instance struct {
	compiled *jsonschema.Schema
	left     *int
}

// Compile compiles a schema, which is an object or a bool.
func Compile(source value.Value, config Config) (*Schema, error) {
	if config.Patterns == nil {
		config.Patterns = new(jsregex.Budget)
	}
	s := &Schema{source: source, config: config}
	first, err := s.compile()
	if err != nil {
		return nil, err
	}
	s.idle = append(s.idle, first)
	return s, nil
}

// take returns a compiled form that is not in use; give returns it.
func (s *Schema) take() (*instance, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.idle) - 1; last >= 0 {
		in := s.idle[last]
		s.idle = s.idle[:last]
		return in, nil
	}
	return s.compile()
}

func (s *Schema) give(in *instance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, in)
}

const location = "mem:///schema.json"

// compile creates another compiled form.
func (s *Schema) compile() (made *instance, err error) {
	text, err := prepare(s.source, s.config)
	if err != nil {
		return nil, err
	}
	// The library asserts kinds that only the metaschema guarantees; a reference to
	// a place that the metaschema does not cover breaks that.
	defer func() {
		if r := recover(); r != nil {
			made, err = nil, fmt.Errorf("schema: it cannot be used: %v", r)
		}
	}()
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	if s.config.Draft7 {
		c.Draft = jsonschema.Draft7
	}
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("schema: %s is not in the schema and nothing is fetched", url)
	}
	c.AssertFormat = !s.config.IgnoreFormat
	c.Formats = formatChecks(s.config.IgnoreFormat)
	left := maxSteps
	c.RegisterExtension("judge", nil, extension{s.config, &left})
	if err := c.AddResource(location, strings.NewReader(text)); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	compiled, err := c.Compile(location)
	if err != nil {
		return nil, compileError(err)
	}
	return &instance{compiled, &left}, nil
}

// InvalidError means that a keyword of a schema has an invalid value.
type InvalidError struct {
	// Path is the JSON Pointer of the value in the schema, Rule the metaschema's keyword that it
	// breaks.
	Path, Rule string
}

func (e *InvalidError) Error() string {
	return fmt.Sprintf("schema: not valid at %s: %s", cmp.Or(e.Path, "the top"), e.Rule)
}

// compileError says what is wrong with a schema.
func compileError(err error) error {
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		leaf := firstLeaf(invalid)
		return &InvalidError{decodePath(leaf.InstanceLocation), lastKeyword(leaf.KeywordLocation)}
	}
	if loop := (jsonschema.InfiniteLoopError)(""); errors.As(err, &loop) {
		return errLoop
	}
	var cause *jsonschema.SchemaError
	if errors.As(err, &cause) && cause.Err != nil {
		err = cause.Err
	}
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "jsonschema: "), "schema: ")
	return errors.New("schema: " + strings.ReplaceAll(text, location, ""))
}

// firstLeaf returns the innermost cause that comes first by its places; the library lists
// causes in the order of a map.
func firstLeaf(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return e
	}
	leaves := make([]*jsonschema.ValidationError, len(e.Causes))
	for i, cause := range e.Causes {
		leaves[i] = firstLeaf(cause)
	}
	return slices.MinFunc(leaves, func(a, b *jsonschema.ValidationError) int {
		return cmp.Or(cmp.Compare(a.InstanceLocation, b.InstanceLocation),
			cmp.Compare(a.KeywordLocation, b.KeywordLocation))
	})
}

// Validate returns the rules that v breaks, sorted by path, keyword and message; nothing if v is
// valid. It returns an error if the schema could not be applied (a reference that loops,
// errTooMuch).
func (s *Schema) Validate(v value.Value) ([]Violation, error) {
	parts := 0
	object, ok := plain(v, s.config.Answer, maxDepth, &parts)
	if parts > maxSteps {
		return nil, errTooMuch
	}
	if !ok {
		return []Violation{{Keyword: "depth", Message: fmt.Sprintf("is nested deeper than %d levels", maxDepth)}}, nil
	}
	in, err := s.take()
	if err != nil {
		return nil, err
	}
	defer s.give(in)
	*in.left = min(maxSteps, baseSteps+stepsPerPart*parts)
	if err = in.validate(object); err == nil {
		return nil, nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil, err
	}
	return s.violations(invalid, v), nil
}

// validate runs the library, and converts a panic (such as the step limit) to an error.
func (in *instance) validate(v any) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stopped:
			err = r.err
		default:
			err = fmt.Errorf("schema: it cannot be used: %v", r)
		}
	}()
	err = in.compiled.Validate(v)
	if loop := (jsonschema.InfiniteLoopError)(""); errors.As(err, &loop) {
		return errLoop
	}
	return err
}

var errLoop = errors.New("schema: a $ref leads back to itself")
