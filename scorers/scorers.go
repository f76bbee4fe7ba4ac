// Package scorers scores tool calls without a model: the deterministic scorers of the
// judge command as functions over plain Go values, for the tests of an agent.
//
//	r, err := scorers.ExactMatch(agent.Calls, []scorers.Call{{"get_weather", map[string]any{"city": "Rome"}}}, nil)
//	if err != nil || !*r.Passed {
//		t.Error(r.Reason, err)
//	}
//
// Inputs are Calls, or anything that encoding/json writes in one of the forms that
// docs/scorers.md lists for the scorer: OpenAI, Anthropic or Gemini calls, messages with
// calls, JSON text (a string or json.RawMessage), Python call text such as "f(a=1)".
// A Config holds the settings of the scorer by their names there; nil means the defaults.
//
// The same input always gives the same result, and an error is never a score: it says that
// the scorer was set up wrongly, that a side is missing, or that a text looks like a call and
// cannot be read. A nil []Call made no call, nil alone is a missing side. Functions are safe for
// concurrent use. Numbers keep their digits; a float64 without a fraction is written as an
// int, so use json.RawMessage("5.0") if that matters.
package scorers

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/value"
)

// Call is one tool call, made or expected.
type Call struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// Tool is one tool that was offered to the agent. Parameters is a JSON Schema.
type Tool struct {
	Name       string `json:"name"`
	Parameters any    `json:"parameters"`
}

// Config holds settings of a scorer by name, such as {"order_matters": true}. An unknown
// name is an error that says the nearest known one.
type Config map[string]any

// Result is a scorer's answer.
type Result struct {
	// Score is in [0, 1]; nil if the scorer has an answer but no number.
	Score *float64
	// Passed is the scorer's own verdict, or else means that the score is 1; nil where
	// there is no score.
	Passed *bool
	// Reason describes in words why the score is what it is.
	Reason string
	// Fields are the further outputs of the scorer, as encoding/json decodes them.
	Fields map[string]any
}

// Coverage reports whether the functions of config["function_calls"] were called. trace is
// a list of names, or calls.
func Coverage(trace any, config Config) (Result, error) {
	return run("function_call_coverage", input{actual: trace}, config)
}

// Accuracy weighs names (40 %), parameters (30 %) and values (30 %) over the best
// assignment of the calls to the expected ones.
func Accuracy(actual, expected any, config Config) (Result, error) {
	return run("function_call_accuracy", input{actual: actual, expected: expected}, config)
}

// ExactMatch reports whether the calls are exactly the expected ones, and else what differs.
func ExactMatch(actual, expected any, config Config) (Result, error) {
	return run("function_call_exact_match", input{actual: actual, expected: expected}, config)
}

// NameMatch reports whether one call has the expected name.
func NameMatch(actual, expected any, config Config) (Result, error) {
	return run("function_name_match", input{actual: actual, expected: expected}, config)
}

// ExpectedCalls reports for each call whether it is an expected one.
func ExpectedCalls(actual, expected any, config Config) (Result, error) {
	return run(deterministic.ExpectedCallMatch.Name, input{actual: actual, expected: expected}, config)
}

// Relevance reports whether a call was made if one is right, and none if none is:
// expected is then an empty list.
func Relevance(actual, expected any) (Result, error) {
	return run("call_relevance", input{actual: actual, expected: expected}, nil)
}

// Parameters checks each argument against the tool's parameters: presence, type, enum.
func Parameters(actual, tools any, config Config) (Result, error) {
	return run("parameter_validation", input{actual: actual, tools: tools}, config)
}

// Schema checks the arguments of one call against the tool's JSON Schema.
func Schema(call, tools any, config Config) (Result, error) {
	return run("schema_check", input{actual: call, tools: tools}, config)
}

// AST reports whether the calls are equivalent to the expected ones by value.
func AST(actual, expected any, config Config) (Result, error) {
	return run("ast_equivalence", input{actual: actual, expected: expected}, config)
}

// BFCL is AST by the checker of the Berkeley leaderboard: expected is a list of
// {name: {parameter: [allowed values]}}, tools have the leaderboard's type names.
func BFCL(actual, expected, tools any, config Config) (Result, error) {
	with := Config{"mode": "bfcl"}
	for name, v := range config {
		with[name] = v
	}
	return run("ast_equivalence", input{actual: actual, expected: expected, tools: tools}, with)
}

// ToolCalls grades events by the required, disallowed and sequence entries of config. An
// event is {"type": "turn_start" | "tool_call" | "tool_result", "data": {…}}.
func ToolCalls(events any, config Config) (Result, error) {
	return run("tool_calls", input{actual: map[string]any{"events": events}}, config)
}

// State reports whether the final state is the expected one, and where they differ.
func State(final, expected any, config Config) (Result, error) {
	in := input{actual: map[string]any{"final_state": final}, expected: map[string]any{"state": expected}}
	return run("execution_check", in, config)
}

// Layers gives the verdicts schema_ok, ast_ok and exec_ok, which are never merged: there
// is no score. The sides are calls, or {"call", "final_state"} and {"call", "state"}.
func Layers(actual, expected, tools any, config Config) (Result, error) {
	return run("three_layer", input{actual: actual, expected: expected, tools: tools}, config)
}

// Trajectory compares trajectories as the program does that config["preset"] names.
func Trajectory(actual, expected any, config Config) (Result, error) {
	return run("trajectory_match", input{actual: actual, expected: expected}, config)
}

// Recovery describes what the agent did after tools failed. messages are chat messages.
func Recovery(messages any) (Result, error) {
	return run("error_recovery", input{actual: messages}, nil)
}

// Efficiency says which calls were wasted, each with its rule. messages are chat messages
// with tool results; tools may be nil.
func Efficiency(messages, tools any, config Config) (Result, error) {
	return run("tool_efficiency", input{actual: messages, tools: tools}, config)
}

// Verdict describes the verdict of a judge's reply under the rubric of config["metric"].
func Verdict(reply any, config Config) (Result, error) {
	return run("rubric_verdict", input{actual: reply}, config)
}

// Score scores by the scorer of a name, as docs/scorers.md lists them: those without a function
// of their own here, or one that a configuration names. A side that the scorer does not look at
// may be nil.
func Score(name string, actual, expected, tools any, config Config) (Result, error) {
	return run(name, input{actual, expected, tools}, config)
}

type input struct{ actual, expected, tools any }

func run(name string, in input, config Config) (Result, error) {
	var parts [4]value.Value
	names := [...]string{"actual", "expected", "tools", "config"}
	if v := reflect.ValueOf(in.actual); v.Kind() == reflect.Slice && v.IsNil() {
		in.actual = []Call{} // an agent that made no call; nil alone is a missing side
	}
	for i, part := range []any{in.actual, in.expected, in.tools, config} {
		text, err := json.Marshal(part)
		if err == nil {
			parts[i], err = value.Parse(text)
		}
		if err != nil {
			return Result{}, fmt.Errorf("%s: %s: %w", name, names[i], err)
		}
	}
	s, err := deterministic.New(name, parts[3])
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", name, err)
	}
	found, err := s.Score(deterministic.Input{Actual: parts[0], Expected: parts[1], Tools: parts[2]})
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", name, err)
	}
	if found.Passed == nil && found.Score != nil {
		passed := *found.Score == 1
		found.Passed = &passed
	}
	fields := map[string]any{}
	err = json.Unmarshal([]byte(value.OfObject(found.Fields...).JSON()), &fields)
	return Result{Score: found.Score, Passed: found.Passed, Reason: found.Reason, Fields: fields}, err
}
