// Package bfcl reproduces the checker of the Berkeley Function-Calling Leaderboard, for Python,
// Java and JavaScript.
//
// It promises exactly the leaderboard's verdicts and error types, including its quirks.
package bfcl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Checker describes how calls are checked.
type Checker struct {
	// Category is simple, multiple, parallel, parallel_multiple, irrelevance, relevance, or a name
	// that contains one of these.
	Category string
	// Language is python, java or javascript. It decides the type names of the tools; for java and
	// javascript, arguments are source text.
	Language string
	// Assignment pairs parallel calls optimally, instead of in the leaderboard's way.
	Assignment bool
	// DotToUnderscore says that tool names were offered with "_" instead of ".".
	DotToUnderscore bool
	// Tools holds the offered tools. OnlyTool says that there was a single tool, which was not in a
	// list.
	Tools    []transcript.Tool
	OnlyTool bool
}

// Failure says why a call is invalid: the leaderboard's error type, and a text for people. The zero
// Failure means that the call is valid.
type Failure struct{ Type, Detail string }

func failed(kind, format string, args ...any) Failure {
	return Failure{kind, fmt.Sprintf(format, args...)}
}

// InputError says which part of the expected side or the tools is unusable.
type InputError struct{ Field, Message string }

// Error implements error.
func (e *InputError) Error() string { return e.Field + ": " + e.Message }

func invalid(field, format string, args ...any) error {
	return &InputError{field, fmt.Sprintf(format, args...)}
}

// ReadAnswers reads [{name: {parameter: [allowed values]}}]; an object with several names holds a
// call for each. An element of another form has no allowed values; like the leaderboard, Check
// reports it when it reaches it.
func ReadAnswers(expected value.Value) ([]transcript.ExpectedCall, error) {
	var out []transcript.ExpectedCall
	switch {
	case expected.Kind() == value.Object:
		for name, params := range expected.Members() {
			out = append(out, transcript.ExpectedCall{Name: name, Allowed: params})
		}
	case expected.IsList():
		for _, e := range expected.Elements() {
			var a transcript.ExpectedCall
			if e.Kind() == value.Object && e.Len() > 0 {
				a.Name = e.KeyAt(0)
			}
			if e.Kind() == value.Object && e.Len() == 1 {
				a.Allowed = e.At(0)
			}
			out = append(out, a)
		}
	default:
		return nil, invalid("expected", "must be a list of {name: {parameter: [allowed values]}}")
	}
	return out, nil
}

func checkAnswer(want *transcript.ExpectedCall) error {
	whole := want.Allowed.Kind() == value.Object
	for _, allowed := range want.Allowed.Members() {
		whole = whole && allowed.IsList()
	}
	if !whole {
		return invalid("expected", "must hold {name: {parameter: [allowed values]}}, and %q does not", want.Name)
	}
	return nil
}

// Read reads a model's answer: its text, or the decoded list [{name: {parameter: value}}].
func (c *Checker) Read(actual value.Value) ([]*transcript.Call, Failure) {
	switch actual.Kind() {
	case value.Null:
		return nil, failed("ast_decoder:decoder_failed", "there is no output")
	case value.String:
		calls, err := c.readText(actual.Text())
		if err != nil {
			return nil, failed("ast_decoder:decoder_failed", "%v", err)
		}
		return calls, Failure{}
	}
	calls := make([]*transcript.Call, 0, actual.Len())
	for _, e := range actual.Elements() {
		if e.Kind() != value.Object || e.Len() != 1 || e.At(0).Kind() != value.Object {
			break
		}
		calls = append(calls, &transcript.Call{Name: e.KeyAt(0), Arguments: e.At(0)})
	}
	if !actual.IsList() || len(calls) != actual.Len() {
		return nil, failed("ast_decoder:decoder_wrong_output_format", "the output is not a list of {name: {arguments}}")
	}
	return calls, Failure{}
}

func (c *Checker) readText(text string) ([]*transcript.Call, error) {
	// If no call is right, the leaderboard decodes Python, whatever the language.
	if l := languages[c.Language]; l.argument != nil && !strings.Contains(c.Category, "relevance") {
		call, err := l.readCall(text)
		return []*transcript.Call{call}, err
	}
	found, err := pycall.Parse(text, pycall.BFCL)
	calls := make([]*transcript.Call, len(found))
	for i := range found {
		calls[i] = &transcript.Call{Name: found[i].Name, Arguments: found[i].Arguments}
	}
	return calls, err
}

// Relevance checks the categories that only ask whether a call was made. ok is false
// for the other categories.
func (c *Checker) Relevance(made bool) (f Failure, ok bool) {
	switch {
	case strings.Contains(c.Category, "irrelevance"):
		if made {
			f = failed("irrelevance_error:decoder_success", "a call was made where none is right")
		}
		return f, true
	case strings.Contains(c.Category, "relevance"):
		if !made {
			f = failed("relevance_error:decoder_failed", "no call was made although one is right")
		}
		return f, true
	}
	return f, false
}

// Check compares calls with the expected ones. The error is an *InputError.
func (c *Checker) Check(calls []*transcript.Call, expected []transcript.ExpectedCall) (Failure, error) {
	switch {
	case strings.Contains(c.Category, "parallel"):
		return c.parallel(calls, expected)
	case strings.Contains(c.Category, "multiple"):
		return c.multiple(calls, expected)
	case len(calls) != 1:
		return failed(simpleChecker+"wrong_count", "%d calls, expected 1", len(calls)), nil
	case len(expected) == 0:
		return Failure{}, noAnswer()
	}
	// The first tool and the first expected call are compared, whatever their names.
	return c.call(&c.Tools[0], calls[0], &expected[0])
}

func noAnswer() error {
	return invalid("expected", "holds no call; use category irrelevance where no call is right")
}

func (c *Checker) multiple(calls []*transcript.Call, expected []transcript.ExpectedCall) (Failure, error) {
	switch {
	case len(calls) != len(expected):
		return failed("multiple_function_checker:wrong_count", "%d calls, expected %d", len(calls), len(expected)), nil
	case len(expected) == 0:
		return Failure{}, noAnswer()
	}
	if err := checkAnswer(&expected[0]); err != nil {
		return Failure{}, err
	}
	t := c.find(expected[0].Name)
	if t == nil {
		return Failure{}, invalid("tools", "have no definition of %q, which is expected", expected[0].Name)
	}
	return c.call(t, calls[0], &expected[0])
}

// parallel requires each expected call once, in any order. The leaderboard gives every expected
// call the first free call that passes; with Assignment, earlier choices are revised if that frees
// a call.
func (c *Checker) parallel(calls []*transcript.Call, expected []transcript.ExpectedCall) (Failure, error) {
	const prefix = "parallel_function_checker_no_order:"
	if len(calls) != len(expected) {
		return failed(prefix+"wrong_count", "%d calls, expected %d", len(calls), len(expected)), nil
	}
	takenBy := slices.Repeat([]int{-1}, len(calls))
	last := "" // the last failure seen, for the reason
	var place func(i int, tried []bool) (bool, error)
	place = func(i int, tried []bool) (bool, error) {
		for j := range calls {
			if tried[j] || takenBy[j] >= 0 && !c.Assignment {
				continue
			}
			f, err := c.call(c.find(expected[i].Name), calls[j], &expected[i])
			if err != nil {
				return false, err
			}
			if f.Type != "" {
				last = f.Detail
				continue
			}
			tried[j] = true
			free := takenBy[j] < 0
			if !free {
				if free, err = place(takenBy[j], tried); err != nil {
					return false, err
				}
			}
			if free {
				takenBy[j] = i
				return true, nil
			}
		}
		return false, nil
	}
	for i := range expected {
		if c.find(expected[i].Name) == nil {
			return failed(prefix+"cannot_find_description", "no tool has the expected name %q", expected[i].Name), nil
		}
		found, err := place(i, make([]bool, len(calls)))
		if err != nil {
			return Failure{}, err
		}
		if !found {
			return failed(prefix+"cannot_find_match", "no call matches expected call %d: %s", i, last), nil
		}
	}
	return Failure{}, nil
}

// Shown returns a value for a reason, cut to a readable length.
func Shown(v value.Value) string {
	const most = 120
	if s, ok := v.Str(); ok && len(s) > 5*most {
		v = value.OfString(s[:5*most])
	}
	text := []rune(v.Shown(5 * most))
	if len(text) > most {
		return string(text[:most]) + "..."
	}
	return string(text)
}
