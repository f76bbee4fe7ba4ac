package deterministic

import (
	"errors"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/value"
)

// preset is one case of trajectory_match; config leaves the preset out.
type presetCase struct{ name, config, actual, expected, want string }

func runPreset(t *testing.T, preset string, cases []presetCase) {
	t.Helper()
	for _, tc := range cases {
		c := value.OfObject(
			value.Member{Key: "config", Value: parse(t, tc.config).With("preset", value.OfString(preset))},
			value.Member{Key: "actual", Value: parse(t, tc.actual)},
			value.Member{Key: "expected", Value: parse(t, tc.expected)},
			value.Member{Key: "want", Value: parse(t, tc.want)})
		checkCase(t, tc.name, newTrajectory, c)
	}
}

// chat builds messages: "u", "t" and "s" are roles alone; "a" is an assistant
// message, and "a f{..} g{..}" one with calls. "a-" has "tool_calls": null, "a[]" an
// empty list.
func chat(script string) string {
	var out []string
	for word := range strings.SplitSeq(script, ";") {
		word = strings.TrimSpace(word)
		switch word {
		case "":
			continue
		case "u":
			out = append(out, `{"role":"user","content":"q"}`)
			continue
		case "t":
			out = append(out, `{"role":"tool","content":"r"}`)
			continue
		case "a":
			out = append(out, `{"role":"assistant","content":"x"}`)
			continue
		case "a-":
			out = append(out, `{"role":"assistant","content":"y","tool_calls":null}`)
			continue
		case "a[]":
			out = append(out, `{"role":"assistant","tool_calls":[]}`)
			continue
		}
		var calls []string
		for c := range strings.FieldsSeq(word) {
			if name, args, ok := strings.Cut(c, "{"); ok {
				calls = append(calls, `{"function":{"name":"`+name+`","arguments":`+value.OfString("{"+args).JSON()+`}}`)
			}
		}
		out = append(out, `{"role":"assistant","content":"","tool_calls":[`+strings.Join(calls, ",")+`]}`)
	}
	return "[" + strings.Join(out, ",") + "]"
}

func TestAgentevals(t *testing.T) {
	const yes, no = `{"passed":true,"score":1}`, `{"passed":false,"score":0}`
	mode := func(m, extra string) string { return `{"trajectory_match_mode":"` + m + `"` + extra + `}` }
	args := func(m string) string { return `,"tool_args_match_mode":"` + m + `"` }
	runPreset(t, "agentevals", []presetCase{
		{"strict is the default; content is not compared", `{}`, chat(`u;a f{"x":1};t;a`), chat(`u;a f{"x":1};t;a`), yes},
		{"strict: number of messages", `{}`, chat(`u;a f{};t`), chat(`u;a f{};t;a`), no},
		{"strict: role", `{}`, chat(`u;a`), chat(`u;t`), no},
		{"strict: null is absent", `{}`, chat(`u;a-`), chat(`u;a`), yes},
		{"strict: an empty list is present", `{}`, chat(`u;a[]`), chat(`u;a`), no},
		{"strict: empty lists", `{}`, chat(`a[]`), chat(`a[]`), yes},
		{"strict: number of calls in a message", `{}`, chat(`a f{} f{}`), chat(`a f{}`), no},
		{"strict: any order within a message", `{}`, chat(`a f{"x":1} g{}`), chat(`a g{} f{"x":1}`), yes},
		{"strict: not across messages", `{}`, chat(`a f{};a g{}`), chat(`a g{};a f{}`), no},
		{"strict: arguments", `{}`, chat(`a f{"x":1}`), chat(`a f{"x":2}`), no},
		{"strict: name", `{}`, chat(`a f{}`), chat(`a g{}`), no},
		{"strict: each expected call once", `{}`, chat(`a f{} f{}`), chat(`a f{} g{}`), no},
		{"strict: ignore", mode("strict", args("ignore")), chat(`a f{"x":1}`), chat(`a f{"y":2}`), yes},
		{"strict: subset is of the actual in the expected", mode("strict", args("subset")), chat(`a f{"x":1}`), chat(`a f{"x":1,"y":2}`), yes},
		{"strict: subset the other way", mode("strict", args("subset")), chat(`a f{"x":1,"y":2}`), chat(`a f{"x":1}`), no},
		{"strict: superset", mode("strict", args("superset")), chat(`a f{"x":1,"y":2}`), chat(`a f{"x":1}`), yes},
		{"strict: greedy within a message", mode("strict", args("subset")), chat(`a f{} f{"x":1}`), chat(`a f{"x":1} f{}`), no},
		{"messages under a key", `{}`, `{"messages":` + chat(`u`) + `}`, chat(`u`), yes},

		{"deep equality: null", `{}`, chat(`a f{"x":null}`), chat(`a f{"x":null}`), yes},
		{"deep equality: null is not absent", `{}`, chat(`a f{"x":null}`), chat(`a f{}`), no},
		{"deep equality: numbers by value", `{}`, chat(`a f{"x":1.0}`), chat(`a f{"x":1}`), yes},
		{"deep equality: a bool is no number", `{}`, chat(`a f{"x":true}`), chat(`a f{"x":1}`), no},
		{"python: a bool is a number", `{"edition":"python"}`, chat(`a f{"x":true}`), chat(`a f{"x":1}`), yes},
		{"deep equality: empty list and empty object", `{}`, chat(`a f{"x":[]}`), chat(`a f{"x":{}}`), yes},
		{"python: empty list and empty object differ", `{"edition":"python"}`, chat(`a f{"x":[]}`), chat(`a f{"x":{}}`), no},
		{"deep equality: list order", `{}`, chat(`a f{"x":[1,2]}`), chat(`a f{"x":[2,1]}`), no},
		{"deep equality: key order", `{}`, chat(`a f{"x":{"a":1,"b":2}}`), chat(`a f{"x":{"b":2,"a":1}}`), yes},

		{"superset: more calls", mode("superset", ""), chat(`a f{} g{}`), chat(`a g{}`), yes},
		{"superset: a call is missing", mode("superset", ""), chat(`a f{}`), chat(`a f{};a g{}`), no},
		{"superset: each call serves once", mode("superset", ""), chat(`a f{}`), chat(`a f{} f{}`), no},
		{"superset: across messages, roles ignored", mode("superset", ""), chat(`a f{} g{}`), chat(`u;a g{};t;a f{}`), yes},
		{"superset: arguments subset", mode("superset", args("subset")), chat(`a f{"x":1}`), chat(`a f{"x":1,"y":2}`), yes},
		{"superset: greedy, no backtracking", mode("superset", args("superset")), chat(`a f{"x":1,"y":2} f{"x":1}`), chat(`a f{"x":1} f{"y":2}`), no},
		{"subset: fewer calls", mode("subset", ""), chat(`a g{}`), chat(`a f{} g{}`), yes},
		{"subset: an unexpected call", mode("subset", ""), chat(`a f{} h{}`), chat(`a f{} g{}`), no},
		{"subset sees the expected arguments first", mode("subset", args("subset")), chat(`a f{"x":1,"y":2}`), chat(`a f{"x":1}`), yes},
		{"subset with subset, the other way", mode("subset", args("subset")), chat(`a f{"x":1}`), chat(`a f{"x":1,"y":2}`), no},
		{"unordered", mode("unordered", ""), chat(`a f{};a g{}`), chat(`a g{} f{}`), yes},
		{"unordered: more calls", mode("unordered", ""), chat(`a f{} g{}`), chat(`a f{}`), no},
		{"unordered: fewer calls", mode("unordered", ""), chat(`a f{}`), chat(`a f{} g{}`), no},
		{"unordered with subset holds both ways", mode("unordered", args("subset")), chat(`a f{"x":1}`), chat(`a f{"x":1,"y":2}`), no},
		{"unordered with superset holds both ways", mode("unordered", args("superset")), chat(`a f{"x":1,"y":2}`), chat(`a f{"x":1}`), no},
		{"no calls: unordered", mode("unordered", ""), chat(`u;a`), chat(`u`), yes},
		{"no calls: subset", mode("subset", ""), chat(``), chat(`u`), yes},
		{"no calls: superset", mode("superset", ""), chat(`a`), chat(`u`), yes},

		{"override by mode", `{"tool_args_match_overrides":{"f":"ignore"}}`, chat(`a f{"x":1} g{"x":1}`), chat(`a f{"x":2} g{"x":1}`), yes},
		{"override only for its tool", `{"tool_args_match_overrides":{"f":"ignore"}}`, chat(`a g{"x":1}`), chat(`a g{"x":2}`), no},
		{"override replaces ignore", `{"tool_args_match_mode":"ignore","tool_args_match_overrides":{"f":"exact"}}`, chat(`a f{"x":1}`), chat(`a f{"x":2}`), no},
		{"paths", `{"tool_args_match_overrides":{"f":["a.b","c"]}}`, chat(`a f{"a":{"b":1,"z":1},"c":2}`), chat(`a f{"a":{"b":1,"z":2},"c":2,"d":1}`), yes},
		{"paths differ", `{"tool_args_match_overrides":{"f":["a.b"]}}`, chat(`a f{"a":{"b":1}}`), chat(`a f{"a":{"b":2}}`), no},
		{"absent equals absent", `{"tool_args_match_overrides":{"f":["q.r"]}}`, chat(`a f{"a":1}`), chat(`a f{"a":2}`), yes},
		{"absent is not a value", `{"tool_args_match_overrides":{"f":["q"]}}`, chat(`a f{"q":1}`), chat(`a f{}`), no},
		{"path through a number", `{"tool_args_match_overrides":{"f":["a.b"]}}`, chat(`a f{"a":1}`), chat(`a f{"a":{"b":1}}`), no},
		{"an empty list of paths compares nothing", `{"tool_args_match_overrides":{"f":[]}}`, chat(`a f{"x":1}`), chat(`a f{"x":2}`), yes},
		{"python ignores an empty list of paths", `{"edition":"python","tool_args_match_overrides":{"f":[]}}`, chat(`a f{"x":1}`), chat(`a f{"x":2}`), no},
		{"arguments that are no JSON match nothing", `{}`, `[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{x"}}]}]`, chat(`a f{}`), no},
		{"unless arguments are ignored", `{"tool_args_match_mode":"ignore"}`, `[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{x"}}]}]`, chat(`a f{}`), yes},
		{"expected missing", `{}`, chat(`u`), `null`, `{"error":"config"}`},
		{"expected unreadable", `{}`, chat(`u`), `[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{x"}}]}]`, `{"error":"config"}`},
		{"unknown mode", mode("exact", ""), chat(``), chat(``), `{"error":"config"}`},
		{"unknown argument mode", mode("strict", args("superset_of")), chat(``), chat(``), `{"error":"config"}`},
		{"unknown override", `{"tool_args_match_overrides":{"f":"maybe"}}`, chat(``), chat(``), `{"error":"config"}`},
		{"override path no string", `{"tool_args_match_overrides":{"f":[1]}}`, chat(``), chat(``), `{"error":"config"}`},
		{"overrides no object", `{"tool_args_match_overrides":["f"]}`, chat(``), chat(``), `{"error":"config"}`},
	})
}

func TestADK(t *testing.T) {
	const a, b, c = `{"name":"a","arguments":{"x":1}}`, `{"name":"b","arguments":{"y":2}}`, `{"name":"c","arguments":{}}`
	inv := func(lists ...string) string { return `{"invocations":[` + strings.Join(lists, ",") + `]}` }
	list := func(calls ...string) string { return "[" + strings.Join(calls, ",") + "]" }
	runPreset(t, "adk", []presetCase{
		{"exact", `{}`, inv(list(a, b)), inv(list(a, b)), `{"score":1,"passed":true,"per_invocation":[1]}`},
		{"exact: order", `{}`, inv(list(b, a)), inv(list(a, b)), `{"score":0,"passed":false,"per_invocation":[0]}`},
		{"exact: length", `{}`, inv(list(a, b)), inv(list(a)), `{"score":0}`},
		{"exact: nothing expected", `{}`, inv(list(a)), inv(list()), `{"score":0}`},
		{"exact: nothing on both sides", `{}`, inv(list()), inv(list()), `{"score":1}`},
		{"arguments", `{}`, inv(list(`{"name":"a","arguments":{"x":2}}`)), inv(list(a)), `{"score":0}`},
		{"arguments ignored", `{"ignore_args":true}`, inv(list(`{"name":"a","arguments":{"x":2}}`)), inv(list(a)), `{"score":1}`},
		{"python equality", `{}`, inv(list(`{"name":"a","arguments":{"x":true}}`)), inv(list(a)), `{"score":1}`},
		{"python equality of floats", `{}`, inv(list(`{"name":"a","arguments":{"x":1.0}}`)), inv(list(a)), `{"score":1}`},
		{"in order: others between", `{"match_type":"IN_ORDER"}`, inv(list(a, c, b)), inv(list(a, b)), `{"score":1}`},
		{"in order: wrong order", `{"match_type":"IN_ORDER"}`, inv(list(b, a)), inv(list(a, b)), `{"score":0}`},
		{"in order: nothing expected", `{"match_type":"IN_ORDER"}`, inv(list(a)), inv(list()), `{"score":1}`},
		{"in order: twice needs two", `{"match_type":"IN_ORDER"}`, inv(list(a)), inv(list(a, a)), `{"score":0}`},
		{"any order", `{"match_type":"ANY_ORDER"}`, inv(list(b, c, a)), inv(list(a, b)), `{"score":1}`},
		{"any order: twice needs two", `{"match_type":"ANY_ORDER"}`, inv(list(a, b)), inv(list(a, a)), `{"score":0}`},
		{"any order: nothing expected", `{"match_type":"ANY_ORDER"}`, inv(list(a)), inv(list()), `{"score":1}`},
		{"mean over invocations", `{"threshold":0.5}`, inv(list(a), list(b)), inv(list(a), list(a)), `{"score":0.5,"passed":true,"per_invocation":[1,0]}`},
		{"below the threshold", `{"threshold":0.6}`, inv(list(a), list(b)), inv(list(a), list(a)), `{"score":0.5,"passed":false}`},
		{"surplus actual is dropped", `{}`, inv(list(a), list(b)), inv(list(a)), `{"score":1,"per_invocation":[1]}`},
		{"surplus expected is dropped", `{}`, inv(list(a)), inv(list(a), list(b)), `{"score":1,"per_invocation":[1]}`},
		{"no pair", `{}`, inv(), inv(list(a)), `{"score":null,"passed":null,"per_invocation":[]}`},
		{"expected missing", `{}`, inv(), `null`, `{"error":"config"}`},
		{"unknown match type", `{"match_type":"exact"}`, inv(), inv(), `{"error":"config"}`},
		{"expected unreadable", `{}`, inv(list(a)), inv(list(`{"x":1}`)), `{"error":"config"}`},
	})
}

func TestRagas(t *testing.T) {
	const a, b = `{"name":"a","arguments":{"x":1}}`, `{"name":"b","arguments":{"y":2}}`
	const empty = `{"name":"a","arguments":{}}`
	arg := func(v string) string { return `[{"name":"a","arguments":{"x":` + v + `}}]` }
	runPreset(t, "ragas_tool_call_accuracy", []presetCase{
		{"both empty", `{}`, `[]`, `[]`, `{"score":1}`},
		{"nothing made", `{}`, `[]`, `[` + a + `]`, `{"score":0}`},
		{"nothing expected", `{}`, `[` + a + `]`, `[]`, `{"score":0}`},
		{"equal", `{}`, `[` + a + `,` + b + `]`, `[` + a + `,` + b + `]`, `{"score":1}`},
		{"order counts", `{}`, `[` + b + `,` + a + `]`, `[` + a + `,` + b + `]`, `{"score":0}`},
		{"order does not count", `{"strict_order":false}`, `[` + b + `,` + a + `]`, `[` + a + `,` + b + `]`, `{"score":1}`},
		{"one call less is 0", `{}`, `[` + a + `]`, `[` + a + `,` + b + `]`, `{"score":0}`},
		{"one call more is 0", `{"strict_order":false}`, `[` + a + `,` + b + `]`, `[` + a + `]`, `{"score":0}`},
		{"share of arguments", `{}`, `[{"name":"a","arguments":{"x":1,"y":3}}]`, `[{"name":"a","arguments":{"x":1,"y":2}}]`, `{"score":0.5}`},
		{"argument missing", `{}`, `[` + empty + `]`, `[` + a + `]`, `{"score":0}`},
		{"no arguments on both sides", `{}`, `[` + empty + `]`, `[` + empty + `]`, `{"score":1}`},
		{"no arguments expected", `{}`, `[` + a + `]`, `[` + empty + `]`, `{"score":0}`},
		{"extra arguments cost nothing", `{}`, `[{"name":"a","arguments":{"x":1,"z":3}}]`, `[` + a + `]`, `{"score":1}`},
		{"python text: string and number", `{}`, arg(`"1"`), arg(`1`), `{"score":1}`},
		{"python text: float and int", `{}`, arg(`1.0`), arg(`1`), `{"score":0}`},
		{"python text: 1e2 and 100.0", `{}`, arg(`1e2`), arg(`100.0`), `{"score":1}`},
		{"python text: None", `{}`, arg(`"None"`), arg(`null`), `{"score":1}`},
		{"python text: True", `{}`, arg(`true`), arg(`"True"`), `{"score":1}`},
		{"python text: key order counts", `{}`, arg(`{"b":1,"a":2}`), arg(`{"a":2,"b":1}`), `{"score":0}`},
		{"python text: lists", `{}`, arg(`["a", 1.50]`), arg(`"['a', 1.5]"`), `{"score":1}`},
		{"sorted by text, not by number", `{"strict_order":false}`, `[{"name":"a","arguments":{"x":10}},{"name":"a","arguments":{"x":9}}]`, `[{"name":"a","arguments":{"x":9}},{"name":"a","arguments":{"x":11}}]`, `{"score":0.5}`},
		{"a shorter key comes first", `{"strict_order":false}`, `[` + a + `,` + empty + `]`, `[` + empty + `,` + a + `]`, `{"score":1}`},
		{"expected missing", `{}`, `[]`, `null`, `{"error":"config"}`},
		{"strict_order no bool", `{"strict_order":1}`, `[]`, `[]`, `{"error":"config"}`},
	})
	runPreset(t, "ragas_tool_call_f1", []presetCase{
		{"equal", `{}`, `[` + b + `,` + a + `]`, `[` + a + `,` + b + `]`, `{"score":1}`},
		{"both empty", `{}`, `[]`, `[]`, `{"score":0}`},
		{"one empty", `{}`, `[` + a + `]`, `[]`, `{"score":0}`},
		{"nothing in common", `{}`, `[` + a + `]`, `[` + b + `]`, `{"score":0}`},
		{"half", `{}`, `[` + a + `]`, `[` + a + `,` + b + `]`, `{"score":0.6667}`},
		{"duplicates collapse", `{}`, `[` + a + `,` + a + `]`, `[` + a + `]`, `{"score":1}`},
		{"python equality", `{}`, arg(`true`), arg(`1.0`), `{"score":1}`},
		{"string is no number", `{}`, arg(`"1"`), arg(`1`), `{"score":0}`},
		{"an unreadable call is a false positive", `{}`, `[` + a + `,{"x":1}]`, `[` + a + `]`, `{"score":0.6667}`},
	})
}

func TestDeepEval(t *testing.T) {
	call := func(name, params, output string) string {
		return `{"name":"` + name + `","input_parameters":` + params + `,"output":` + output + `}`
	}
	list := func(calls ...string) string { return "[" + strings.Join(calls, ",") + "]" }
	a, b := call("a", `{"x":1,"y":2}`, `"r"`), call("b", `{}`, `null`)
	const params = `"evaluation_params":["input_parameters"]`
	runPreset(t, "deepeval", []presetCase{
		{"names only", `{}`, list(call("a", `{"x":9}`, `0`)), list(a), `{"score":1,"passed":true}`},
		{"order does not count", `{}`, list(b, a), list(a, b), `{"score":1}`},
		{"half", `{}`, list(a), list(a, b), `{"score":0.5,"passed":true}`},
		{"extra tools cost nothing", `{}`, list(a, b), list(a), `{"score":1}`},
		{"threshold", `{"threshold":0.6}`, list(a), list(a, b), `{"score":0.5,"passed":false}`},
		{"strict mode", `{"strict_mode":true}`, list(a), list(a, b), `{"score":0,"passed":false}`},
		{"strict mode, all right", `{"strict_mode":true,"threshold":0.1}`, list(a), list(a), `{"score":1,"passed":true}`},
		{"both empty", `{}`, list(), list(), `{"score":1,"passed":true}`},
		{"nothing expected", `{}`, list(a), list(), `{"score":0,"passed":false}`},
		{"type differs", `{}`, list(`{"name":"a","type":"MCP"}`), list(`{"name":"a"}`), `{"score":0}`},
		{"type defaults to FUNCTION", `{}`, list(`{"name":"a","type":"FUNCTION"}`), list(`{"name":"a"}`), `{"score":1}`},
		{"parameters: share of the union", `{` + params + `}`, list(call("a", `{"x":1,"z":3}`, `null`)), list(a), `{"score":0.333333333}`},
		{"parameters: nested objects", `{` + params + `}`, list(call("a", `{"o":{"p":1,"q":2}}`, `null`)), list(call("a", `{"o":{"p":1,"q":3}}`, `null`)), `{"score":0.5}`},
		{"parameters: nested lists do not share", `{` + params + `}`, list(call("a", `{"o":[1,2]}`, `null`)), list(call("a", `{"o":[1,3]}`, `null`)), `{"score":0}`},
		{"parameters: python equality", `{` + params + `}`, list(call("a", `{"x":true}`, `null`)), list(call("a", `{"x":1.0}`, `null`)), `{"score":1}`},
		{"output differs", `{"evaluation_params":["output"]}`, list(call("a", `{}`, `"s"`)), list(a), `{"score":0}`},
		{"output and parameters", `{"evaluation_params":["output","input_parameters"]}`, list(call("a", `{"x":1}`, `"r"`)), list(a), `{"score":0.5}`},
		{"the best call is taken", `{` + params + `}`, list(call("a", `{"x":1}`, `null`), a), list(a), `{"score":1}`},
		{"identical calls are used up together", `{}`, list(a, a), list(a, a), `{"score":0.5}`},
		{"different calls are not", `{}`, list(call("a", `{"x":1}`, `1`), call("a", `{"x":1}`, `2`)), list(call("a", `{}`, `1`), call("a", `{}`, `1`)), `{"score":1}`},
		{"used up by python equality", `{}`, list(call("a", `{"x":1}`, `1`), call("a", `{"x":true}`, `1.0`)), list(b, call("a", `{}`, `1`), call("a", `{}`, `1`)), `{"score":0.333333333}`},
		{"greedy in expected order", `{` + params + `}`, list(call("a", `{"x":1,"y":1}`, `null`), call("a", `{"x":2}`, `null`)), list(call("a", `{"x":1,"y":3}`, `null`), call("a", `{"x":1,"y":1}`, `null`)), `{"score":0.25}`},
		{"exact", `{"should_exact_match":true}`, list(a, b), list(a, b), `{"score":1}`},
		{"exact: order", `{"should_exact_match":true}`, list(b, a), list(a, b), `{"score":0}`},
		{"exact: length", `{"should_exact_match":true}`, list(a, b), list(a), `{"score":0}`},
		{"exact: both empty", `{"should_exact_match":true}`, list(), list(), `{"score":1}`},
		{"exact: parameters", `{"should_exact_match":true,` + params + `}`, list(call("a", `{"x":1}`, `"r"`)), list(a), `{"score":0}`},
		{"exact takes precedence", `{"should_exact_match":true,"should_consider_ordering":true}`, list(a, b, a), list(a, b), `{"score":0}`},
		{"ordering", `{"should_consider_ordering":true}`, list(a, b), list(a, b), `{"score":1}`},
		{"ordering: wrong order", `{"should_consider_ordering":true}`, list(b, a), list(a, b), `{"score":0.5}`},
		{"ordering: others between", `{"should_consider_ordering":true}`, list(a, call("c", `{}`, `1`), b), list(a, b), `{"score":1}`},
		{"ordering: weighted", `{"should_consider_ordering":true,` + params + `}`, list(call("a", `{"x":1}`, `null`), b), list(a, b), `{"score":0.75}`},
		{"ordering: identical calls", `{"should_consider_ordering":true}`, list(a, a), list(a, a), `{"score":1}`},
		{"ordering: both empty", `{"should_consider_ordering":true}`, list(), list(), `{"score":1}`},
		{"ordering: nothing expected", `{"should_consider_ordering":true}`, list(a), list(), `{"score":0}`},
		{"unknown evaluation param", `{"evaluation_params":["tool"]}`, list(), list(), `{"error":"config"}`},
		{"evaluation params no list", `{"evaluation_params":"output"}`, list(), list(), `{"error":"config"}`},
		{"expected missing", `{}`, list(), `null`, `{"error":"config"}`},
		{"threshold no number", `{"threshold":"1"}`, list(), list(), `{"error":"config"}`},
	})
}

func TestAzure(t *testing.T) {
	const abc = `[{"name":"a","arguments":{"x":1}},{"name":"b","arguments":{}},{"name":"c","arguments":{}}]`
	runPreset(t, "azure", []presetCase{
		{"exact", `{}`, abc, `{"names":["a","b","c"]}`, `{"passed":true,"score":1,"precision":1,"recall":1,"f1":1}`},
		{"exact: names are trimmed", `{}`, abc, `{"names":[" a","b ","\tc\n"]}`, `{"passed":true}`},
		{"exact: order", `{}`, abc, `{"names":["a","c","b"]}`, `{"passed":false,"score":0,"precision":1,"recall":1,"f1":1}`},
		{"exact: extra call", `{}`, abc, `{"names":["a","b"]}`, `{"passed":false,"precision":0.666666667,"recall":1,"f1":0.8}`},
		{"in order", `{"matching_mode":"in_order_match"}`, abc, `{"names":["a","c"]}`, `{"passed":true}`},
		{"in order: wrong order", `{"matching_mode":"in_order_match"}`, abc, `{"names":["c","a"]}`, `{"passed":false}`},
		{"any order", `{"matching_mode":"any_order_match"}`, abc, `{"names":["c","a"]}`, `{"passed":true}`},
		{"any order: twice needs two", `{"matching_mode":"any_order_match"}`, abc, `{"names":["a","a"]}`, `{"passed":false,"precision":0.333333333,"recall":0.5,"f1":0.4}`},
		{"nothing made", `{"matching_mode":"any_order_match"}`, `[]`, `{"names":["a"]}`, `{"passed":false,"precision":0,"recall":0,"f1":0}`},
		{"nothing in common", `{}`, abc, `{"names":["z"]}`, `{"passed":false,"precision":0,"recall":0,"f1":0}`},
		{"parameters", `{}`, abc, `{"names":["a","b","c"],"parameters":{"a":{"x":1}}}`, `{"passed":true}`},
		{"parameters: python equality", `{}`, abc, `{"names":["a","b","c"],"parameters":{"a":{"x":true}}}`, `{"passed":true}`},
		{"parameters: none listed means none", `{}`, abc, `{"names":["a","b","c"],"parameters":{}}`, `{"passed":false,"precision":0.666666667}`},
		{"parameters: one set for each name", `{"matching_mode":"any_order_match"}`, `[{"name":"a","arguments":{"x":1}},{"name":"a","arguments":{"x":2}}]`, `{"names":["a","a"],"parameters":{"a":{"x":1}}}`, `{"passed":false,"recall":0.5}`},
		{"parameters null is without", `{}`, abc, `{"names":["a","b","c"],"parameters":null}`, `{"passed":true}`},
		{"names empty", `{}`, abc, `{"names":[]}`, `{"error":"config"}`},
		{"names missing", `{}`, abc, `null`, `{"error":"config"}`},
		{"names no strings", `{}`, abc, `{"names":[1]}`, `{"error":"config"}`},
		{"parameters no object", `{}`, abc, `{"names":["a"],"parameters":[]}`, `{"error":"config"}`},
		{"parameters of a name no object", `{}`, abc, `{"names":["a"],"parameters":{"a":1}}`, `{"error":"config"}`},
		{"unknown mode", `{"matching_mode":"exact"}`, abc, `{"names":["a"]}`, `{"error":"config"}`},
	})
}

func TestTau2(t *testing.T) {
	const made = `[{"name":"a","arguments":{"x":1,"y":2}},{"name":"b","arguments":{}}]`
	runPreset(t, "tau2_actions", []presetCase{
		{"all equal", `{}`, made, `[{"name":"a","arguments":{"x":1,"y":2}}]`, `{"score":1,"passed":true,"action_matches":[true]}`},
		{"an expected argument that the call leaves out costs nothing", `{}`, made, `[{"name":"a","arguments":{"x":1,"y":2,"z":3}}]`, `{"action_matches":[true]}`},
		{"an argument of the call that is not expected does", `{}`, made, `[{"name":"a","arguments":{"x":1}}]`, `{"action_matches":[false],"score":0,"passed":false}`},
		{"compare_args", `{}`, made, `[{"name":"a","arguments":{"x":1},"compare_args":["x"]}]`, `{"action_matches":[true]}`},
		{"compare_args empty", `{}`, made, `[{"name":"a","arguments":{"q":1},"compare_args":[]}]`, `{"action_matches":[true]}`},
		{"compare_args absent on both sides", `{}`, made, `[{"name":"b","arguments":{},"compare_args":["x"]}]`, `{"action_matches":[true]}`},
		{"compare_args absent on one side", `{}`, made, `[{"name":"b","arguments":{"x":1},"compare_args":["x"]}]`, `{"action_matches":[false]}`},
		{"one call may serve two actions", `{}`, made, `[{"name":"b","arguments":{}},{"name":"b","arguments":{}},{"name":"c","arguments":{}}]`, `{"action_matches":[true,true,false],"score":0.666666667}`},
		{"nothing expected", `{}`, made, `[]`, `{"score":1,"passed":true,"action_matches":[]}`},
		{"whoever made the call", `{}`, `{"assistant":[{"name":"a","arguments":{}}],"user":[{"name":"b","arguments":{}}]}`,
			`[{"name":"a","arguments":{},"requestor":"user"},{"name":"b","arguments":{},"requestor":"assistant"},{"name":"c","arguments":{},"requestor":"user"}]`,
			`{"action_matches":[true,true,false],"missing":["c (user)"]}`},
		{"the calls of the assistant are missing", `{}`, `{"user":[{"name":"b","arguments":{}}]}`,
			`[{"name":"b","arguments":{},"requestor":"user"}]`, `{"error":"config"}`},
		{"expected missing", `{}`, made, `null`, `{"error":"config"}`},
	})
}

func TestMatchConfig(t *testing.T) {
	for _, config := range []string{`{}`, `null`, `[]`, `{"preset":null}`, `{"preset":"agenteval"}`, `{"preset":1}`} {
		s, err := newTrajectory(parse(t, config))
		var e *Error
		if !errors.As(err, &e) || e.Kind != configKind || s != nil {
			t.Errorf("%s: %v, want an error of the configuration", config, err)
		}
	}
}

// FuzzMatch checks that no input panics and that scores stay in range.
func FuzzMatch(f *testing.F) {
	f.Add(`{"preset":"deepeval","evaluation_params":["input_parameters"]}`, `[{"name":"a","input_parameters":{"x":[1]}}]`, `[{"name":"a","input_parameters":{"x":{}}}]`)
	f.Add(`{"preset":"agentevals","trajectory_match_mode":"subset","tool_args_match_overrides":{"f":["a.0"]}}`, chat(`a f{"a":[1]}`), chat(`a f{"a":[1]}`))
	f.Add(`{"preset":"adk"}`, `{"invocations":[[]]}`, `{"invocations":[[]]}`)
	f.Add(`{"preset":"azure"}`, `["f(a=1)"]`, `{"names":["f"],"parameters":{"f":{"a":1}}}`)
	f.Add(`{"preset":"ragas_tool_call_accuracy","strict_order":false}`, `[{"name":"a"}]`, `[{"name":"a"}]`)
	f.Fuzz(func(t *testing.T, config, actual, expected string) {
		c, err1 := value.ParseString(config)
		a, err2 := value.ParseString(actual)
		e, err3 := value.ParseString(expected)
		if err1 != nil || err2 != nil || err3 != nil {
			return
		}
		s, err := newTrajectory(c)
		if err != nil {
			return
		}
		res, err := s.Score(Input{Actual: a, Expected: e})
		if err == nil && res.Score != nil && !(*res.Score >= 0 && *res.Score <= 1.000001) {
			t.Fatalf("score %v", *res.Score)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	for _, config := range []string{`{"preset":"agentevals"}`, `{"preset":"ragas_tool_call_f1"}`, `{"preset":"deepeval","evaluation_params":["input_parameters"]}`} {
		c := parse(b, config)
		b.Run(c.Field("preset").Text(), func(b *testing.B) {
			s, err := newTrajectory(c)
			if err != nil {
				b.Fatal(err)
			}
			v := parse(b, chat(`u;a f{"x":1,"y":"two"} g{"z":[1,2]};t;t;a`))
			if c.Field("preset").Text() != "agentevals" {
				v = v.At(1).Field("tool_calls")
			}
			in := Input{Actual: v, Expected: v}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Score(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
