package deterministic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/value"
)

// rule is one rule of the specification with the answer that it demands.
type rule struct {
	name, scorer, config, actual, expected, tools, want string
}

func (r rule) line() string {
	or := func(s, fallback string) string {
		if s == "" {
			return fallback
		}
		return s
	}
	return fmt.Sprintf(`{"id":%q,"scorer":%q,"config":%s,"actual":%s,"expected":%s,"tools":%s,"want":%s}`,
		r.name, r.scorer, or(r.config, "{}"), or(r.actual, "null"), or(r.expected, "null"), or(r.tools, "null"), r.want)
}

func checkRules(t *testing.T, rules []rule) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			if r.want == "" {
				t.Fatal("nothing is wanted")
			}
			for _, p := range goldenCase([]byte(r.line())) {
				t.Error(p)
			}
		})
	}
}

const wantsConfig = `{"error":"config"}`

func TestCoverageRules(t *testing.T) {
	const name = "function_call_coverage"
	checkRules(t, []rule{
		{"any order", name, `{"function_calls":["a","b"]}`, `["b","a"]`, "", "", `{"score":1,"required_calls_coverage":1,"num_unrequired_calls":0}`},
		{"in order broken", name, `{"function_calls":["a","b"],"mode":"in_order"}`, `["b","a"]`, "", "", `{"score":0,"all_required_calls_made":0,"required_calls_coverage":1,"num_required_calls_made":2,"num_required_calls_not_made":0}`},
		{"in order with gaps", name, `{"function_calls":["a","b"],"mode":"in_order"}`, `["a","x","a","b"]`, "", "", `{"score":1,"num_unrequired_calls":2}`},
		{"in order needs two", name, `{"function_calls":["a","a"],"mode":"in_order"}`, `["a"]`, "", "", `{"score":0,"num_required_calls_made":2,"required_calls_coverage":1}`},
		{"duplicates at least once", name, `{"function_calls":["a","a"]}`, `["a"]`, "", "", `{"score":1,"num_required_calls_made":2,"num_required_calls_total":2,"num_unrequired_calls":0}`},
		{"duplicates as a multiset", name, `{"function_calls":["a","a"],"multiplicity":"multiset"}`, `["a"]`, "", "", `{"score":0,"num_required_calls_made":1,"required_calls_coverage":0.5}`},
		{"excess counts", name, `{"function_calls":["a"]}`, `["a","a","a","b"]`, "", "", `{"score":1,"num_unrequired_calls":3}`},
		{"nothing required", name, `{"function_calls":[]}`, `["a"]`, "", "", `{"score":1,"required_calls_coverage":1,"num_unrequired_calls":1,"num_required_calls_total":0}`},
		{"nothing made", name, `{"function_calls":["a"]}`, `[]`, "", "", `{"score":0,"required_calls_coverage":0,"num_required_calls_not_made":1}`},
		{"case and blanks count", name, `{"function_calls":["Search","a "]}`, `["search","a"]`, "", "", `{"score":0,"num_required_calls_made":0,"num_unrequired_calls":2}`},
		{"text is no call", name, `{"function_calls":["a"]}`, `{"messages":[{"role":"assistant","content":"I call a"}]}`, "", "", `{"score":0}`},
		{"open responses", name, `{"function_calls":["a"]}`, `{"items":[{"type":"function_call","name":"a","status":"incomplete"}]}`, "", "", `{"score":1}`},
		{"template", name, `{"function_calls":"{{ sample.calls }}","sample":{"calls":["a","b"]}}`, `["a","b"]`, "", "", `{"score":1,"num_required_calls_total":2}`},
		{"template map", name, `{"function_calls":"{{ sample.tools | map(attribute='name') | list }}","sample":{"tools":[{"name":"a"}]}}`, `["a"]`, "", "", `{"score":1,"num_required_calls_total":1}`},
		{"template tojson", name, `{"function_calls":"{{ sample.calls | tojson }}","sample":{"calls":["it's \"a\""]}}`, `["it's \"a\""]`, "", "", `{"score":1}`},
		{"template python quotes", name, `{"function_calls":"{{ sample.calls }}","sample":{"calls":["it's","b\"c"]}}`, `["it's","b\"c"]`, "", "", `{"score":1}`},
		{"template literal", name, `{"function_calls":"[\"a\", \"{{ sample.x }}\"]","sample":{"x":"b"}}`, `["a","b"]`, "", "", `{"score":1,"num_required_calls_total":2}`},
		{"template missing", name, `{"function_calls":"{{ sample.nope }}","sample":{}}`, `["a"]`, "", "", wantsConfig},
		{"template bare string", name, `{"function_calls":"{{ sample.x }}","sample":{"x":"a"}}`, `["a"]`, "", "", wantsConfig},
		{"template object", name, `{"function_calls":"{{ sample.x }}","sample":{"x":{"a":1}}}`, `["a"]`, "", "", wantsConfig},
		{"template numbers", name, `{"function_calls":"{{ sample.x }}","sample":{"x":[1]}}`, `["a"]`, "", "", wantsConfig},
		{"template nulls", name, `{"function_calls":"{{ sample.x }}","sample":{"x":["a",null]}}`, `["a"]`, "", "", wantsConfig},
		{"no list", name, `{}`, `["a"]`, "", "", wantsConfig},
		{"a number", name, `{"function_calls":5}`, `["a"]`, "", "", wantsConfig},
		{"null element", name, `{"function_calls":["a",null]}`, `["a"]`, "", "", wantsConfig},
		{"mode label", name, `{"function_calls":["a"],"mode":"any"}`, `["a"]`, "", "", wantsConfig},
		{"mode case", name, `{"function_calls":["a"],"mode":"IN_ORDER"}`, `["a"]`, "", "", wantsConfig},
		{"multiplicity", name, `{"function_calls":["a"],"multiplicity":"once"}`, `["a"]`, "", "", wantsConfig},
		{"a list is no template", name, `{"function_calls":["{{ sample.x }}"],"sample":{"x":"a"}}`, `["a"]`, "", "", `{"score":0}`},
	})
}

func TestAccuracyRules(t *testing.T) {
	const name = "function_call_accuracy"
	call := func(name, args string) string { return fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, args) }
	list := func(calls ...string) string { return "[" + strings.Join(calls, ",") + "]" }
	checkRules(t, []rule{
		{"wrong name", name, "", call("g", `{"a":1}`), call("f", `{"a":1}`), "", `{"score":0.6,"name_score":0}`},
		{"extra costs nothing", name, "", call("f", `{"a":1,"b":2}`), call("f", `{"a":1}`), "", `{"score":1}`},
		{"extra against none", name, "", call("f", `{"a":1}`), call("f", `{}`), "", `{"score":0.7,"params_score":0,"values_score":1}`},
		{"extra ignored", name, `{"ignore_extra_params":true}`, call("f", `{"a":1}`), call("f", `{}`), "", `{"score":1}`},
		{"null is present", name, "", call("f", `{}`), call("f", `{"a":null}`), "", `{"score":0.4}`},
		{"null equals null", name, "", call("f", `{"a":null}`), call("f", `{"a":null}`), "", `{"score":1}`},
		{"true is not 1", name, "", call("f", `{"a":true}`), call("f", `{"a":1}`), "", `{"score":0.7}`},
		{"big integers", name, "", call("f", `{"a":9007199254740993}`), call("f", `{"a":9007199254740992}`), "", `{"score":0.7}`},
		{"integer and float", name, "", call("f", `{"a":1e20}`), call("f", `{"a":100000000000000000000}`), "", `{"score":1}`},
		{"strict", name, `{"strict_type_check":true}`, call("f", `{"a":[1.0]}`), call("f", `{"a":[1]}`), "", `{"score":0.7}`},
		{"tuple is a list", name, "", `"f(a=(1, 2))"`, call("f", `{"a":[1,2]}`), "", `{"score":1}`},
		{"tuple under strict", name, `{"strict_type_check":true}`, `"f(a=(1, 2))"`, call("f", `{"a":[1,2]}`), "", `{"score":0.7}`},
		{"nested extra key", name, `{"ignore_extra_params":true}`, call("f", `{"a":{"x":1,"y":2}}`), call("f", `{"a":{"x":1}}`), "", `{"score":0.7}`},
		{"malformed", name, "", `{"name":"f","arguments":"{"}`, call("f", `{}`), "", `{"score":0.4,"params_score":0,"values_score":0}`},
		{"unreadable", name, "", `{"x":1}`, call("f", `{}`), "", `{"score":0,"name_score":0}`},
		{"weights above 1 together", name, `{"name_weight":1,"presence_weight":1,"value_weight":1}`, call("f", `{"a":1}`), call("f", `{"a":1}`), "", wantsConfig},
		{"a negative weight", name, `{"name_weight":-1}`, call("f", `{"a":1}`), call("g", `{"a":2}`), "", wantsConfig},
		{"a negative weight in a sum of 1", name, `{"name_weight":-0.1,"presence_weight":0.5,"value_weight":0.6}`, call("f", `{}`), call("f", `{}`), "", wantsConfig},
		{"one weight beside the defaults", name, `{"name_weight":1}`, call("f", `{"a":1}`), call("f", `{"a":1}`), "", wantsConfig},
		{"two weights beside a default", name, `{"name_weight":0.1,"presence_weight":0.6}`, call("f", `{"a":1}`), call("f", `{"a":2}`), "", `{"score":0.7}`},
		{"weights of thirds", name, `{"name_weight":0.3333333333,"presence_weight":0.3333333333,"value_weight":0.3333333334}`, call("f", `{"a":1}`), call("f", `{"a":1}`), "", `{"score":1}`},
		{"weights of the call match", ExpectedCallMatch.Name, `{"value_weight":0.9}`, call("f", `{}`), call("f", `{}`), "", wantsConfig},
		{"a negative threshold", "trajectory_match", `{"preset":"deepeval","threshold":-0.1}`, `[]`, `[{"name":"f"}]`, "", wantsConfig},
		{"a threshold above 1", "trajectory_match", `{"preset":"deepeval","threshold":1.5}`, `[]`, `[{"name":"f"}]`, "", wantsConfig},
		{"the threshold 0", "trajectory_match", `{"preset":"deepeval","threshold":0}`, `[]`, `[{"name":"f"}]`, "", `{"passed":true,"score":0}`},
		{"thirds", name, "", call("f", `{"a":1,"b":0,"c":0}`), call("f", `{"a":1,"b":2,"c":3}`), "", `{"score":0.8,"values_score":0.333333333}`},
		{"percent", name, "", call("f", `{"a":1}`), call("f", `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1}`), "", `{"reason_contains":["params: 12%"]}`},
		{"both empty", name, "", `[]`, `[]`, "", `{"score":1}`},
		{"text against none", name, "", `"I cannot do that."`, `[]`, "", `{"score":1}`},
		{"unexpected", name, "", call("f", `{}`), `[]`, "", `{"score":0,"extra":["f"]}`},
		{"missing", name, "", `"no"`, call("f", `{}`), "", `{"score":0,"missing":["f"]}`},
		{"expected not given", name, "", call("f", `{}`), `null`, "", wantsConfig},
		{"expected unreadable", name, "", call("f", `{}`), `"call f"`, "", wantsConfig},
		{"expected nameless", name, "", call("f", `{}`), `{"arguments":{}}`, "", wantsConfig},
		{"expected malformed", name, "", call("f", `{}`), `{"name":"f","arguments":"{"}`, "", wantsConfig},
		{"set", name, "", list(call("b", `{"y":2}`), call("a", `{"x":1}`)), list(call("a", `{"x":1}`), call("b", `{"y":2}`)), "", `{"score":1,"matched":2,"missing":[],"extra":[]}`},
		{"sequence", name, `{"order_matters":true}`, list(call("b", `{"y":2}`), call("a", `{"x":1}`)), list(call("a", `{"x":1}`), call("b", `{"y":2}`)), "", `{"score":0}`},
		{"sequence lengths", name, `{"order_matters":true}`, list(call("a", `{}`), call("a", `{}`)), call("a", `{}`), "", `{"score":0}`},
		{"sequence mean", name, `{"order_matters":true}`, list(call("a", `{"x":1}`), call("b", `{"y":0}`)), list(call("a", `{"x":1}`), call("b", `{"y":2}`)), "", `{"score":0.85}`},
		{"one call in order", name, `{"order_matters":true}`, call("a", `{}`), list(call("a", `{}`)), "", `{"score":1,"name_score":1}`},
		{"set misses one", name, "", list(call("a", `{"x":1}`)), list(call("a", `{"x":1}`), call("b", `{"y":2}`)), "", `{"score":0.5,"matched":1,"expected_count":2,"actual_count":1,"missing":["b"]}`},
		{"not reused", name, "", list(call("a", `{"x":1}`)), list(call("a", `{"x":1}`), call("a", `{"x":1}`)), "", `{"score":0.5}`},
		{"reused", name, `{"matching":"reuse"}`, list(call("a", `{"x":1}`)), list(call("a", `{"x":1}`), call("a", `{"x":1}`)), "", `{"score":1,"matched":2}`},
		{"extra is free", name, "", list(call("a", `{"x":1}`), call("z", `{}`)), list(call("a", `{"x":1}`)), "", `{"score":1,"extra":["z"]}`},
		{"extra costs precision", name, `{"extra_call_penalty":"precision"}`, list(call("a", `{"x":1}`), call("z", `{}`)), list(call("a", `{"x":1}`)), "", `{"score":0.5}`},
		{"greedy is not enough", name, "", list(call("a", `{"x":1}`), call("a", `{"x":1,"y":1}`)), list(call("a", `{"x":1}`), call("a", `{"x":1,"y":1}`)), "", `{"score":1}`},
		{"unreadable in a list", name, "", `[{"name":"a","arguments":{}},{"bad":1}]`, list(call("a", `{}`), call("b", `{"x":1}`)), "", `{"score":0.5,"matched":1,"actual_count":2,"extra":[null]}`},
		{"no match", name, "", list(call("x", `{"q":1}`), call("y", `{"q":1}`)), list(call("a", `{"x":1}`), call("b", `{"y":2}`)), "", `{"score":0,"matched":0}`},
		{"bad weight", name, `{"name_weight":"0.4"}`, `[]`, `[]`, "", wantsConfig},
		{"bad matching", name, `{"matching":"greedy"}`, `[]`, `[]`, "", wantsConfig},
		{"bad compat", name, `{"compat":"other"}`, `[]`, `[]`, "", wantsConfig},
		{"bad flag", name, `{"order_matters":"yes"}`, `[]`, `[]`, "", wantsConfig},
	})
}

func TestExactMatchRules(t *testing.T) {
	const name = "function_call_exact_match"
	checkRules(t, []rule{
		{"same", name, "", `"f(b=1, a='x')"`, `{"name":"f","arguments":{"a":"x","b":1.0}}`, "", `{"score":1}`},
		{"names", name, "", `"f()"`, `"g()"`, "", `{"score":0,"reason_contains":["f","g"]}`},
		{"missing sorted", name, "", `"f()"`, `"f(b=1, a=2)"`, "", `{"score":0,"reason_contains":["missing: {a, b}"]}`},
		{"extra sorted", name, "", `"f(z=1, c=2)"`, `"f()"`, "", `{"score":0,"reason_contains":["extra: {c, z}"]}`},
		{"both", name, "", `"f(c=2)"`, `"f(amount=1)"`, "", `{"score":0,"reason_contains":["missing: {amount}","extra: {c}"]}`},
		{"extra ignored", name, `{"ignore_extra_params":true}`, `"f(a=1, c=2)"`, `"f(a=1)"`, "", `{"score":1}`},
		{"missing is never ignored", name, `{"ignore_extra_params":true}`, `"f(c=2)"`, `"f(a=1)"`, "", `{"score":0,"reason_contains":["missing: {a}"]}`},
		{"first mismatch in expected order", name, "", `"f(a=1, b=2)"`, `"f(b=3, a=4)"`, "", `{"reason_contains":["Value mismatch for 'b': got 2, expected 3"]}`},
		{"values in Python text", name, "", `"f(a=[True, None, 1.0])"`, `"f(a={'k': 'v'})"`, "", `{"reason_contains":["got [True, None, 1.0], expected {'k': 'v'}"]}`},
		{"an empty key", name, "", `{"name":"f","arguments":{"":1}}`, `{"name":"f","arguments":{"":2}}`, "", `{"score":0,"reason_contains":["Value mismatch for ''"]}`},
		{"malformed", name, "", `{"name":"f","arguments":"{"}`, `"f()"`, "", `{"score":0}`},
		{"both empty", name, "", `[]`, `[]`, "", `{"score":1}`},
		{"one empty", name, "", `"f()"`, `[]`, "", `{"score":0}`},
		{"list of one", name, "", `["f()"]`, `"f()"`, "", `{"score":1}`},
		{"list any order", name, "", `"[g(), f()]"`, `"[f(), g()]"`, "", `{"score":1}`},
		{"list in order", name, `{"order_matters":true}`, `"[g(), f()]"`, `"[f(), g()]"`, "", `{"score":0}`},
		{"matching beyond greedy", name, `{"ignore_extra_params":true}`, `"[f(a=1, b=2), f(a=1)]"`, `"[f(a=1), f(a=1, b=2)]"`, "", `{"score":1}`},
		{"lengths", name, "", `"[f(), f()]"`, `"[f()]"`, "", `{"score":0}`},
		{"expected null", name, "", `"f()"`, `null`, "", wantsConfig},
		{"full dotted name", name, "", `"b.f()"`, `"a.f()"`, "", `{"score":0}`},
	})
}

func TestCompatRules(t *testing.T) {
	const acc, exact = "function_call_accuracy", "function_call_exact_match"
	const compat = `{"compat":"futureagi"}`
	checkRules(t, []rule{
		{"empty sides", acc, compat, `[]`, `[]`, "", `{"score":0}`},
		{"expected null", acc, compat, `"f()"`, `null`, "", `{"score":0}`},
		{"no tools", "parameter_validation", compat, `"f()"`, "", `null`, `{"score":0}`},
		{"reuse", acc, compat, `[{"name":"a"}]`, `[{"name":"a"},{"name":"a"}]`, "", `{"score":1}`},
		{"doubles", acc, compat, `{"name":"f","arguments":{"a":9007199254740993}}`, `{"name":"f","arguments":{"a":9007199254740992}}`, "", `{"score":1}`},
		{"tuples apart", acc, compat, `"f(a=(1, 2))"`, `{"name":"f","arguments":{"a":[1,2]}}`, "", `{"score":0.7}`},
		{"tuples alike", acc, compat, `"f(a=(1, 2))"`, `"f(a=(True, 2.0))"`, "", `{"score":1}`},
		{"parameters are lost", acc, compat, `{"name":"f","parameters":{"a":1}}`, `{"name":"f","arguments":{"a":1}}`, "", `{"score":0.4}`},
		{"parameters in text are read", acc, compat, `"{\"name\":\"f\",\"parameters\":{\"a\":1}}"`, `{"name":"f","arguments":{"a":1}}`, "", `{"score":1}`},
		{"unparseable text is {}", exact, compat, `{"name":"f","arguments":"{"}`, `{"name":"f"}`, "", `{"score":1}`},
		{"nameless calls are alike", exact, compat, `{"arguments":"{}"}`, `{"x":1}`, "", `{"score":1}`},
		{"a function name", exact, compat, `{"function":"f"}`, `{"name":"f"}`, "", `{"score":1}`},
		{"a bad list", acc, compat, `[{"name":"a","arguments":"{}"}]`, `[{"name":"a"}]`, "", `{"score":0}`},
		{"a JSON list text", acc, compat, `"[{\"name\":\"a\"}]"`, `[{"name":"a"}]`, "", `{"score":0}`},
		{"a Python list", acc, compat, `"[f()]"`, `"f()"`, "", `{"score":0}`},
		{"last attribute", exact, compat, `"x.y.f()"`, `"f()"`, "", `{"score":1}`},
		{"signed numbers", acc, compat, `"f(a=-1)"`, `"f(a=-1)"`, "", `{"score":0.7}`},
		{"double star", exact, compat, `"f(a=1, **x)"`, `"f(a=1)"`, "", `{"score":1}`},
		{"lists are single only", exact, compat, `[{"name":"a"}]`, `[{"name":"a"}]`, "", `{"score":0}`},
		{"validation of a list", "parameter_validation", compat, `[{"name":"a"}]`, "", `[{"name":"a","parameters":[]}]`, `{"score":0}`},
		{"strict", acc, `{"compat":"futureagi","strict_type_check":true}`, `{"name":"f","arguments":{"a":1.0}}`, `{"name":"f","arguments":{"a":1}}`, "", `{"score":0.7}`},
	})
}

func TestValidationRules(t *testing.T) {
	const name = "parameter_validation"
	own := func(params string) string { return `[{"name":"f","parameters":[` + params + `]}]` }
	schema := func(s string) string { return `[{"type":"function","function":{"name":"f","parameters":` + s + `}}]` }
	typed := func(typ string) string { return own(`{"name":"a","type":"` + typ + `"}`) }
	arg := func(v string) string { return `{"name":"f","arguments":{"a":` + v + `}}` }
	rules := []rule{
		{"no tools", name, "", arg("1"), "", "null", wantsConfig},
		{"empty tools", name, "", arg("1"), "", "[]", wantsConfig},
		{"no call", name, "", `"hello"`, "", typed("string"), `{"score":0}`},
		{"unknown function", name, "", `{"name":"zz"}`, "", typed("string"), `{"score":0,"reason_contains":["zz"]}`},
		{"malformed", name, "", `{"name":"f","arguments":"{"}`, "", own(""), `{"score":0}`},
		{"several", name, "", `[{"name":"f","arguments":{"a":"x"}},{"name":"f","arguments":{"a":1}},{"name":"f","arguments":{"a":1}}]`, "", typed("string"), `{"score":0.3333}`},
		{"first definition counts", name, "", arg(`"x"`), "", `[{"name":"f","parameters":[{"name":"a","type":"string"}]},{"name":"f","parameters":[]}]`, `{"score":1}`},
		{"required by default", name, "", `{"name":"f"}`, "", typed("string"), `{"score":0,"reason_contains":["a"]}`},
		{"optional and absent", name, "", `{"name":"f"}`, "", own(`{"name":"a","type":"string","required":false}`), `{"score":1}`},
		{"undeclared", name, "", arg(`1`), "", own(""), `{"score":0,"reason_contains":["a"]}`},
		{"undeclared ignored", name, `{"ignore_extra_params":true}`, arg(`1`), "", own(""), `{"score":1}`},
		{"enum value", name, "", arg(`"k"`), "", own(`{"name":"a","type":"string","enum":["c"]}`), `{"score":0,"reason_contains":["a","k"]}`},
		{"enum by value", name, "", arg(`1.0`), "", own(`{"name":"a","type":"number","enum":[1]}`), `{"score":1}`},
		{"empty enum", name, "", arg(`"k"`), "", own(`{"name":"a","type":"string","enum":[]}`), `{"score":1}`},
		{"schema required", name, "", `{"name":"f"}`, "", schema(`{"properties":{"a":{},"b":{}},"required":["a"]}`), `{"score":0.5}`},
		{"schema without required", name, "", `{"name":"f"}`, "", schema(`{"properties":{"a":{"type":"string"}}}`), `{"score":1}`},
		{"schema type list", name, "", arg(`null`), "", schema(`{"properties":{"a":{"type":["string","null"]}}}`), `{"score":1}`},
		{"schema without type", name, "", arg(`{"x":1}`), "", schema(`{"properties":{"a":{}}}`), `{"score":1}`},
		{"items are not looked at", name, "", arg(`[1]`), "", schema(`{"properties":{"a":{"type":"array","items":{"type":"string"}}}}`), `{"score":1}`},
		{"input_schema", name, "", arg(`1`), "", `[{"name":"f","input_schema":{"properties":{"a":{"type":"string"}}}}]`, `{"score":0}`},
		{"inputSchema", name, "", arg(`"1"`), "", `[{"name":"f","inputSchema":{"properties":{"a":{"type":"string"}}}}]`, `{"score":1}`},
		{"inputSchema, another type", name, "", arg(`1`), "", `[{"name":"f","inputSchema":{"properties":{"a":{"type":"string"}}}}]`, `{"score":0}`},
		{"strict integer", name, `{"strict_type_check":true}`, arg(`60.0`), "", typed("integer"), `{"score":0}`},
		{"names of types in any case", name, "", arg(`1`), "", typed("INTEGER"), `{"score":1}`},
	}
	for _, tt := range []struct {
		typ, v string
		ok     int
	}{
		{"integer", "60.5", 1}, {"integer", "true", 0}, {"integer", `"1"`, 0}, {"number", "1", 1}, {"number", "1.5", 1}, {"number", "false", 0},
		{"boolean", "true", 1}, {"boolean", "1", 0}, {"array", "[]", 1}, {"array", "{}", 0}, {"object", "{}", 1}, {"object", "[]", 0},
		{"null", "null", 1}, {"null", "0", 0}, {"string", "null", 0}, {"string", `""`, 1}, {"date", `"x"`, 1}, {"date", "1", 0}, {"dict", "{}", 0},
	} {
		rules = append(rules, rule{tt.typ + " " + tt.v, name, "", arg(tt.v), "", typed(tt.typ), fmt.Sprintf(`{"score":%d}`, tt.ok)})
	}
	checkRules(t, rules)
	checkRules(t, []rule{
		{"names", "function_name_match", "", `"f(a=1)"`, `"f()"`, "", `{"score":1}`},
		{"other names", "function_name_match", "", `"f()"`, `"g()"`, "", `{"score":0}`},
		{"two calls", "function_name_match", "", `"f(), f()"`, `"f()"`, "", `{"score":0}`},
		{"no reference", "function_name_match", "", `"f()"`, `null`, "", wantsConfig},
		{"nothing expected", "function_name_match", "", `"f()"`, `[]`, "", `{"score":0}`},
	})
}

// TestValidationFollowsSchemas: references, allOf, anyOf and oneOf mean what they mean in JSON
// Schema, and only a closed schema excludes what it does not declare.
func TestValidationFollowsSchemas(t *testing.T) {
	const name = "parameter_validation"
	tool := func(s string) string { return `[{"name":"f","parameters":` + s + `}]` }
	arg := func(v string) string { return `{"name":"f","arguments":` + v + `}` }
	const open, closed = `{"properties":{"a":{}}}`, `{"properties":{"a":{}},"additionalProperties":false}`
	const patterned = `{"properties":{"x-a":{"type":"string"}},"patternProperties":{"^x-":{"type":"integer"}},"additionalProperties":false}`
	const refs = `{"$defs":{"City":{"type":"string","enum":["Rome"]},"a/b":{"type":"integer"}},` +
		`"properties":{"a":{"$ref":"#/$defs/City"},"b":{"$ref":"#/$defs/a~1b"}}}`
	const whole = `{"$ref":"#/$defs/In","$defs":{"In":{"properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}}}`
	const either = `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`
	const exclusive = `{"properties":{"a":{"oneOf":[{"const":1},{"const":2}]}}}`
	const both = `{"allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}},"required":["b"]}],"unevaluatedProperties":false}`
	const needsOne = `{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`
	const kinds = `{"oneOf":[{"properties":{"k":{"const":"x"},"a":{"type":"string"}},"required":["k","a"],"additionalProperties":false},` +
		`{"properties":{"k":{"const":"y"},"b":{"type":"integer"}},"required":["k","b"],"additionalProperties":false}]}`
	checkRules(t, []rule{
		{"open: a note", name, "", arg(`{"a":1,"zz":2}`), "", tool(open), `{"score":1,"checks":1,"reason_contains":["all 1 checks passed; not declared, and allowed by the open schema: {zz}"]}`},
		{"open, strict", name, `{"strict":true}`, arg(`{"a":1,"zz":2}`), "", tool(open), `{"score":0.5,"reason_contains":["unexpected parameter 'zz'"]}`},
		{"open, extra ignored", name, `{"ignore_extra_params":true}`, arg(`{"a":1,"zz":2}`), "", tool(open), `{"score":1,"reason":"all 1 checks passed"}`},
		{"closed", name, "", arg(`{"a":1,"zz":2}`), "", tool(closed), `{"score":0.5,"reason_contains":["unexpected parameter 'zz'"]}`},
		{"no properties", name, "", arg(`{"zz":2}`), "", tool(`{"type":"object","properties":{}}`), `{"score":1,"checks":0}`},
		{"no properties, closed", name, "", arg(`{"zz":2}`), "", tool(`{"type":"object","properties":{},"additionalProperties":false}`), `{"score":0}`},
		{"further ones of a type", name, "", arg(`{"zz":2}`), "", tool(`{"additionalProperties":{"type":"string"}}`), `{"score":0,"reason_contains":["parameter 'zz' is an integer, must be string"]}`},
		{"names by a pattern", name, "", arg(`{"x-1":2}`), "", tool(`{"patternProperties":{"^x-":{}},"additionalProperties":false}`), `{"score":1}`},
		{"names by a pattern, wrong type", name, "", arg(`{"x-1":"2","y":1}`), "", tool(patterned), `{"score":0.3333,"checks":3,"reason_contains":["parameter 'x-1' is a string, must be integer","unexpected parameter 'y'"]}`},
		{"names by a pattern and declared", name, "", arg(`{"x-a":"2"}`), "", tool(patterned), `{"score":0,"checks":1,"reason_contains":["parameter 'x-a' is a string, must be integer"]}`},
		{"names by a pattern, strict", name, `{"strict":true}`, arg(`{"x-1":2}`), "", tool(`{"patternProperties":{"^x-":{}}}`), `{"score":1,"checks":1}`},
		{"names by a pattern, others of a type", name, "", arg(`{"x-1":2,"y":2}`), "", tool(`{"patternProperties":{"^x-":{}},"additionalProperties":{"type":"string"}}`), `{"score":0.5,"reason_contains":["parameter 'y' is an integer, must be string"]}`},
		{"text that is not a pattern", name, "", arg(`{"a":1}`), "", tool(`{"patternProperties":{"(":{}}}`), wantsConfig},
		{"a pattern without end", name, "", arg(`{"` + strings.Repeat("a", 40) + `":1}`), "", tool(`{"patternProperties":{"^(?=(a+)+$)(a+)+b":{}}}`), wantsConfig},
		{"reference, wrong value", name, "", arg(`{"a":"Oslo"}`), "", tool(refs), `{"score":0.5,"reason_contains":["parameter 'a' is Oslo, must be one of ['Rome']"]}`},
		{"reference, wrong type", name, "", arg(`{"b":"1"}`), "", tool(refs), `{"score":0.5}`},
		{"reference, right", name, "", arg(`{"a":"Rome","b":1}`), "", tool(refs), `{"score":1}`},
		{"reference of the whole", name, "", arg(`{"b":1}`), "", tool(whole), `{"score":0,"reason_contains":["missing required parameter 'a'","unexpected parameter 'b'"]}`},
		{"reference to nothing", name, "", arg(`{"a":1}`), "", tool(`{"properties":{"a":{"$ref":"#/$defs/X"}}}`), wantsConfig},
		{"remote reference", name, "", arg(`{"a":1}`), "", tool(`{"properties":{"a":{"$ref":"https://x.example/s.json"}}}`), wantsConfig},
		{"reference to itself", name, "", arg(`{"a":1}`), "", tool(`{"properties":{"a":{"$ref":"#/properties/a"}}}`), wantsConfig},
		{"all of themselves", name, "", arg(`{"a":1}`), "", tool(`{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`), wantsConfig},
		{"anyOf, wrong type", name, "", arg(`{"a":5}`), "", tool(either), `{"score":0,"reason_contains":["parameter 'a' is 5, which fits none of the 2 alternatives"]}`},
		{"anyOf, null", name, "", arg(`{"a":null}`), "", tool(either), `{"score":1}`},
		{"oneOf of constants", name, "", arg(`{"a":3}`), "", tool(exclusive), `{"score":0}`},
		{"oneOf of constants, right", name, "", arg(`{"a":2}`), "", tool(exclusive), `{"score":1}`},
		{"allOf of a parameter", name, "", arg(`{"a":"x"}`), "", tool(`{"properties":{"a":{"allOf":[{"type":"string"},{"enum":["y"]}]}}}`), `{"score":0}`},
		{"allOf of the whole", name, "", arg(`{"a":1,"c":2}`), "", tool(both), `{"score":0,"checks":3,"reason_contains":["'a'","missing required parameter 'b'","unexpected parameter 'c'"]}`},
		{"allOf of the whole, right", name, "", arg(`{"a":"x","b":"y"}`), "", tool(both), `{"score":1}`},
		{"one of two required", name, "", arg(`{"b":"x"}`), "", tool(needsOne), `{"score":1}`},
		{"neither of two required", name, "", arg(`{}`), "", tool(needsOne), `{"score":0.5,"reason_contains":["missing required parameter 'a'"]}`},
		{"one kind", name, "", arg(`{"k":"y","b":1}`), "", tool(kinds), `{"score":1}`},
		{"one kind with the other's parameter", name, "", arg(`{"k":"y","b":1,"a":"x"}`), "", tool(kinds), `{"score":0.6667,"reason_contains":["unexpected parameter 'a'"]}`},
		{"required and not declared", name, "", arg(`{}`), "", tool(`{"required":["a"]}`), `{"score":0,"reason_contains":["missing required parameter 'a'"]}`},
	})
}

func TestEveryScorerRefusesABadConfig(t *testing.T) {
	for _, name := range Names() {
		if _, err := New(name, value.OfList()); err == nil {
			t.Errorf("%s takes a list as its configuration", name)
		}
		if _, err := New(name, value.OfObject(value.Member{Key: "no_such_key", Value: value.OfInt(1)})); err == nil {
			t.Errorf("%s takes an unknown key", name)
		}
	}
	_, err := New("function-call-acuracy", value.Value{})
	if err == nil || !strings.Contains(err.Error(), "did you mean function_call_accuracy?") {
		t.Error(err)
	}
	_, err = New("function-call-accuracy", value.OfObject(value.Member{Key: "order_maters", Value: value.OfBool(true)}))
	if err == nil || !strings.Contains(err.Error(), "did you mean order_matters?") {
		t.Error(err)
	}
	if _, err := New("call-relevance", value.Value{}); err != nil {
		t.Error(err)
	}
}
