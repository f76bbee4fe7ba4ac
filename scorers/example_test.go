package scorers_test

import (
	"fmt"

	"github.com/judgekit/judge/scorers"
)

type args = map[string]any

func show(r scorers.Result, err error) scorers.Result {
	switch {
	case err != nil:
		fmt.Println("error:", err)
	case r.Score == nil:
		fmt.Println("no score:", r.Reason)
	default:
		fmt.Printf("%.2f: %s\n", *r.Score, r.Reason)
	}
	return r
}

func ExampleCoverage() {
	r := show(scorers.Coverage([]string{"search", "lookup"}, scorers.Config{"function_calls": []string{"search", "calculator"}}))
	fmt.Println(r.Fields["required_calls_coverage"], r.Fields["num_unrequired_calls"])
	// Output:
	// 0.00: 1 of 2 required calls made, missing "calculator"
	// 0.5 1
}

func ExampleAccuracy() {
	actual := []scorers.Call{{Name: "get_weather", Arguments: args{"city": "NYC", "units": "metric"}}}
	expected := []scorers.Call{{Name: "get_weather", Arguments: args{"city": "NYC", "units": "imperial"}}}
	show(scorers.Accuracy(actual, expected, nil))
	show(scorers.Accuracy(actual, expected, scorers.Config{"order_maters": true}))
	// Output:
	// 0.85: name: 100%, params: 100%, values: 50%
	// error: function_call_accuracy: order_maters: function_call_accuracy has no such setting; did you mean order_matters?
}

func ExampleExactMatch() {
	show(scorers.ExactMatch("transfer(to='bob')", "transfer(to='bob', amount=5)", nil))
	show(scorers.ExactMatch([]scorers.Call{}, []scorers.Call{}, nil))
	show(scorers.ExactMatch("transfer(to='bob')", nil, nil))
	// Output:
	// 0.00: Parameter mismatch: missing: {amount}
	// 1.00: no call expected, none made
	// error: function_call_exact_match: expected: is missing: give the calls that should be made, [] for none
}

func ExampleToolCalls() {
	event := func(kind string, data args) args { return args{"type": kind, "data": data} }
	events := []args{
		event("turn_start", args{}),
		event("tool_call", args{"toolName": "validate", "toolCallId": "1", "arguments": args{}}),
		event("tool_result", args{"toolCallId": "1", "result": "ok"}),
		event("tool_call", args{"toolName": "view", "toolCallId": "2", "arguments": args{"path": "/repo/.env"}}),
		event("tool_result", args{"toolCallId": "2", "result": "KEY="}),
	}
	r := show(scorers.ToolCalls(events, scorers.Config{
		"required":   []any{"validate"},
		"disallowed": []any{args{"name": "view", "path": `\.env$`}},
	}))
	fmt.Println(*r.Passed, r.Fields["violated"])
	// Output:
	// 0.00: violated: disallowed[0] {"name":"view","path":"\\.env$"} by call 1 (view)
	// false [0]
}

func ExampleSchema() {
	tools := []scorers.Tool{{Name: "cancel_order", Parameters: args{
		"type": "object", "properties": args{"order_id": args{"type": "string"}}, "required": []string{"order_id"},
	}}}
	show(scorers.Schema(scorers.Call{Name: "cancel_order", Arguments: args{"order_id": 42}}, tools, nil))
	show(scorers.Schema(scorers.Call{Name: "cancel_order", Arguments: args{"order_id": "42"}}, tools, nil))
	// Output:
	// 0.00: the arguments do not satisfy the schema: /order_id is an integer, must be string
	// 1.00: the arguments satisfy the schema
}

func ExampleAST() {
	show(scorers.AST("f(n='1.0')", "f(n=1)", nil))
	show(scorers.AST("f(n='1.0')", "f(n=1)", scorers.Config{"stringify": true}))
	// Output:
	// 0.00: the arguments of f differ: n is '1.0', expected 1
	// 1.00: the calls are equivalent
}

func ExampleLayers() {
	tools := []scorers.Tool{{Name: "f", Parameters: args{"type": "object"}}}
	r := show(scorers.Layers("nothing", scorers.Call{Name: "f"}, tools, nil))
	r = show(scorers.Layers(scorers.Call{Name: "f"}, args{"call": scorers.Call{Name: "f"}, "state": args{"x": 1}}, tools, nil))
	fmt.Println(r.Fields["schema_ok"], r.Fields["ast_ok"], r.Fields["exec_ok"])
	// Output:
	// error: three_layer: actual: is a string, must be an object with call, or a call
	// no score: schema passed, ast passed, execution unknown
	// true true <nil>
}
