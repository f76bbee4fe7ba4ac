package deterministic

var specCoverage = Spec{
	Name: "function_call_coverage", Level: "conversation",
	Says:    "which required functions were called, in any order or in order, and how many calls nobody required",
	Actual:  "a trace: a list of names, calls in any form, messages, Open Responses items under `items`, or events under `events`",
	Outputs: "all_required_calls_made, required_calls_coverage, num_required_calls_made, num_required_calls_not_made, num_unrequired_calls, num_required_calls_total, not_called",
	Logs:    "the names of the agent's calls; without settings the required ones are those of the expected calls, or `sample.function_calls`",
	Settings: []Setting{
		{Name: "function_calls", Type: "array or string", Says: "required: a list of names, or a template of one such as `{{ sample.function_calls }}`"},
		choice("mode", "must the required calls be made in this order", "any_order", "in_order"),
		choice("multiplicity", "must a name that is listed twice be called twice", "at_least_once", "multiset"),
		{Name: "sample", Type: "object", Says: "the data row of templates; on logs that of the conversation"},
	},
}

var specAccuracy = Spec{
	Name: "function_call_accuracy", Level: "conversation",
	Says:   "40 % name, 30 % parameters present, 30 % values equal, over the best one-to-one assignment of calls to expected calls",
	Actual: callsForm, Expected: expectedForm,
	Outputs: "one call each: name_score, params_score, values_score; several: matched, expected_count, actual_count, missing, extra; both: not_called (expected tools that no call has)",
	Logs:    pairLogs,
	Settings: familySettings(
		choice("matching", "`reuse` lets one call serve several expected ones", "assignment", "reuse"),
		choice("extra_call_penalty", "`precision` lowers the score by the share of calls that are too many", "none", "precision")),
}

var specExactMatch = Spec{
	Name: "function_call_exact_match", Level: "conversation",
	Says:   "the calls are exactly the expected ones, and if not, what differs",
	Actual: callsForm, Expected: expectedForm, Logs: pairLogs,
	Settings: readSettings(orderSetting()),
}

var specValidation = Spec{
	Name: "parameter_validation", Level: "call",
	Says:   "each argument against the tool's declared parameters: presence, type, enum",
	Actual: callsForm, Tools: toolsForm + "; or `{name, parameters: [{name, type, required, enum}]}`",
	Outputs: "checks, checks_passed", Logs: callLogs,
	Settings: readSettings(orderSetting()),
}

var specNameMatch = Spec{
	Name: "function_name_match", Level: "conversation",
	Says:   "one call, the right name",
	Actual: callsForm, Expected: expectedForm,
	Logs:     "applies where one call is expected",
	Settings: readSettings(orderSetting()),
}

var specToolCalls = Spec{
	Name: "tool_calls", Level: "conversation",
	Says:    "required, disallowed and ordered calls by regular expressions on names, arguments and results, with steps, counts and a final call",
	Actual:  "`{events: [{type: turn_start | tool_call | tool_result, data}]}`",
	Outputs: "missing, violated, sequence_matched",
	Logs:    "every assistant message starts a step",
	Settings: []Setting{
		{Name: "required", Type: "array", Says: "names, or entries `{name, command, path, args, result, min_count, final, at_step, before_step}` with JavaScript patterns"},
		{Name: "disallowed", Type: "array", Says: "names, or entries `{name, command, path, args, result}`"},
		{Name: "sequence", Type: "array", Says: "names, or entries `{name, command, path, args}`, in this order"},
		toggle("include_incomplete", "calls without a result count too"),
	},
}

var specSchemaCheck = Spec{
	Name: "schema_check", Level: "call",
	Says:   "the arguments against the tool's JSON Schema, draft 2020-12",
	Actual: "one call in any form", Tools: toolsForm,
	Outputs: "schema_ok, errors (path, keyword, message); with the preset failed, corrected_arguments", Logs: callLogs,
	Settings: []Setting{
		{Name: "assert_format", Type: "boolean", Default: "true", Says: "check `format` (false by default with the preset)"},
		optional("preset", "draft 7, kinds of failure and repairs as in the SPARC program", "sparc_static"),
	},
}

var specAST = Spec{
	Name: "ast_equivalence", Level: "conversation",
	Says:   "the calls are equivalent to the expected ones, one to one: by value, by JSON text, or by the checker of the Berkeley leaderboard",
	Actual: callsForm + "; with mode bfcl the model's text, or `[{name: {parameter: value}}]`",
	Expected: expectedForm + "; with mode bfcl `[{name: {parameter: [allowed values]}}]`, or these in one object, " +
		"where an allowed `\"\"` says that the parameter may be left out",
	Tools:   "with mode bfcl `[{name, parameters: {properties, required}}]` with the leaderboard's type names",
	Outputs: "equivalent; with mode bfcl valid, error_type",
	Logs:    pairLogs + "; mode bfcl needs expected calls that list allowed values, and finds the category by itself",
	Settings: []Setting{
		choice("mode", "how calls are compared", "normalized", "json", "bfcl"),
		toggle("strip_whitespace", "normalized: blanks at both ends of string values do not count"),
		toggle("stringify", "normalized: strings that read as JSON numbers are numbers, all other values are compared as trimmed text"),
		{Name: "category", Type: "string", Default: `"simple"`, Says: "bfcl: simple, multiple, parallel, parallel_multiple, irrelevance, relevance, or a name that contains one of them"},
		choice("matching", "bfcl, parallel calls: the leaderboard's own way, or the best pairing", "greedy", "assignment"),
		toggle("dot_to_underscore", "bfcl: tools were offered with `_` for `.` in their names"),
		choice("language", "bfcl: the type names of the tools; arguments of Java and JavaScript are source text", "python", "java", "javascript"),
	},
}

var specExecution = Spec{
	Name: "execution_check", Level: "conversation",
	Says:     "the final state is the expected one; with an [environment](environments.md) the calls are really run",
	Actual:   "`{final_state}` or `{exec_error: true}`; with the preset also `responses` and `terminated`",
	Expected: "`{state}`; with the preset also `outputs`",
	Outputs:  "exec_ok, diff (path, op); with the preset reward, state_ok, outputs",
	Logs:     "`final_state` and `expected_state` of the log, or the environment",
	Settings: []Setting{optional("preset", "states are compared as text, and outputs must have been said, as in that benchmark", "tau_bench")},
}

var specThreeLayer = Spec{
	Name: "three_layer", Level: "conversation",
	Says:     "schema, equivalence and execution as three verdicts that are never merged",
	Actual:   "`{call, final_state}`, `{call, exec_error: true}`, `{call}`, or a call; `call: null` says that none was made",
	Expected: "`{call, state}`, or a call; `call: null` says that none is right",
	Tools:    toolsForm,
	Outputs:  "schema_ok, ast_ok, exec_ok (true, false or null), errors, diff",
	Logs:     "at most one call against at most one; the third verdict is that of the environment, or of `final_state` and `expected_state` in the log",
	Settings: []Setting{
		choice("ast_mode", "how calls are compared", "normalized", "json"),
		{Name: "assert_format", Type: "boolean", Default: "true", Says: "check `format` of the schema"},
		toggle("strip_whitespace", "normalized: blanks at both ends of string values do not count"),
		toggle("stringify", "normalized: as in ast_equivalence"),
	},
}

var specTrajectory = Spec{
	Name: "trajectory_match", Level: "conversation",
	Says:     "the trajectory against an expected one, as other programs compute it",
	Actual:   "calls in any form; agentevals: messages; adk: `{invocations: [[call]]}`",
	Expected: "calls in any form; agentevals: messages; adk: `{invocations: [[call]]}`; azure: `{names, parameters}`; tau2_actions: `[{name, arguments, compare_args}]`",
	Outputs:  "adk: per_invocation; azure: precision, recall, f1; tau2_actions: action_matches, missing",
	Logs:     pairLogs + ", in the form of the preset",
	Settings: []Setting{
		{Name: "preset", Type: "string", Says: "required: the program", Words: []string{
			"agentevals", "adk", "ragas_tool_call_accuracy", "ragas_tool_call_f1", "deepeval", "azure", "tau2_actions"}},
		choice("trajectory_match_mode", "agentevals", "strict", "unordered", "subset", "superset"),
		choice("tool_args_match_mode", "agentevals", "exact", "ignore", "subset", "superset"),
		{Name: "tool_args_match_overrides", Type: "object", Says: "agentevals: tool name to a mode or a list of key paths"},
		choice("edition", "agentevals: the edition of the program", "javascript", "python"),
		choice("match_type", "adk", "EXACT", "IN_ORDER", "ANY_ORDER"),
		toggle("ignore_args", "adk: names only"),
		{Name: "threshold", Type: "number", Says: "least score that passes; adk 1, deepeval 0.5 by default"},
		{Name: "strict_order", Type: "boolean", Default: "true", Says: "ragas_tool_call_accuracy"},
		{Name: "evaluation_params", Type: "array", Says: "deepeval: input_parameters, output"},
		toggle("should_exact_match", "deepeval"),
		toggle("should_consider_ordering", "deepeval"),
		toggle("strict_mode", "deepeval"),
		choice("matching_mode", "azure", "exact_match", "in_order_match", "any_order_match"),
	},
}

var specRubricVerdict = Spec{
	Name: "rubric_verdict", Level: "reply",
	Says:    "what a judge's reply comes to under a rubric's thresholds",
	Actual:  "the reply: an object, or JSON text of one",
	Outputs: "important, correct, issue, normalized, schema_valid",
	Logs:    "never: it reads a judge's reply",
	Settings: []Setting{{Name: "metric", Type: "string", Says: "required: the rubric", Words: []string{
		"function_intent_alignment", "parameter_completeness_consistency", "prerequisite_satisfaction", "overall_call_correctness"}}},
}

var specRelevance = Spec{
	Name: CallRelevance, Level: "conversation",
	Says:   "negative cases: calls where none is right, none where some are",
	Actual: callsForm, Expected: expectedForm,
	Outputs: "case (relevance or irrelevance), calls_made", Logs: pairLogs,
}

var specRecovery = Spec{
	Name: ErrorRecovery, Level: "conversation",
	Says:    "what the agent did after a tool failed: the same call again, a changed one, going on as if it had worked",
	Actual:  "messages with calls and tool results",
	Outputs: "failures, counts, events, tools (those that were called)", Logs: "calls and tool results",
}

var specEfficiency = Spec{
	Name: ToolEfficiency, Level: "conversation",
	Says: "how many calls were wasted: 1 − wasted / all. A call is wasted when an equal call before it succeeded (`repeated_after_success`), " +
		"when it repeats an equal call and none failed since (`repeated`), or when it reads and none of the values of its result (strings of 4 characters and more, " +
		"numbers of 3 digits and more) stands in a later argument or text of the agent (`unused_result`)",
	Actual:  "messages with calls and results",
	Outputs: "calls, wasted (call_index, message_index, tool, rule, of), by_tool (calls, wasted, value), failed_calls, failed_share",
	Logs:    "calls, tool results and the agent's texts",
	Settings: []Setting{
		{Name: "reads", Type: "array", Says: "the tools that only read; without it those that the inventory marks (`readOnlyHint`) or whose name begins with get, find, list, search and the like"},
	},
}

var specExpectedMatch = Spec{
	Name: ExpectedCallMatch, Level: "call",
	Says:   "this call is one of the expected ones with all arguments equal: the call-level counterpart of a judge's verdict",
	Actual: callsForm, Expected: expectedForm,
	Outputs: "calls (expected_index, pair_score, exact)", Logs: pairLogs,
	Settings: familySettings(),
}
