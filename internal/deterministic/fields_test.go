package deterministic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// TestFieldsOfSeveralCalls: which expected calls were matched, which calls were not used, and to
// which tools no call was made.
func TestFieldsOfSeveralCalls(t *testing.T) {
	const name, ordered, reuse = "function_call_accuracy", `{"order_matters":true}`, `{"matching":"reuse"}`
	checkRules(t, []rule{
		{"in order, the second fits nothing", name, ordered, `"[a(x=1), z(q=1)]"`, `"[a(x=1), b(y=2)]"`, "",
			`{"score":0.5,"matched":1,"missing":["b"],"extra":["z"],"not_called":["b"],
			"reason":"mean of 2 calls in order; missing: ['b']"}`},
		{"in order, all fit", name, ordered, `"[a(x=1), b(y=2)]"`, `"[a(x=1), b(y=2)]"`, "",
			`{"score":1,"matched":2,"missing":[],"extra":[],"not_called":[],"reason":"mean of 2 calls in order"}`},
		{"no call made", name, "", `[]`, `"a()"`, "",
			`{"missing":["a"],"not_called":["a"],"reason":"no call made, 1 expected"}`},
		{"every call matched", name, "", `"[b(y=2), a(x=1)]"`, `"[a(x=1), b(y=2)]"`, "",
			`{"not_called":[],"reason":"2 of 2 expected calls matched, mean of these 100%"}`},
		{"one call", name, "", `"a()"`, `"a()"`, "", `{"score":1,"not_called":[]}`},
		{"reuse takes the best call for each", name, reuse, `"[b(y=2), a(x=1)]"`, `"[a(x=1), b(y=2)]"`, "",
			`{"score":1,"matched":2,"extra":[]}`},
		{"reuse takes the first of equally good calls", name, reuse, `"[c(x=1), d(x=1)]"`, `"[a(x=1), b(y=1)]"`, "",
			`{"score":0.3,"matched":1,"missing":["b"],"extra":["d"]}`},
		{"the unreadable side", name, `{"compat":"futureagi"}`, `[]`, `"f()"`, "",
			`{"reason":"a side is empty or cannot be read"}`},
	})
	const coverage = "function_call_coverage"
	required := func(mode string) string { return `{"function_calls":["a","b"],"mode":"` + mode + `"}` }
	checkRules(t, []rule{
		{"coverage", coverage, required("any_order"), `["b","a"]`, "", "", `{"reason":"2 of 2 required calls made"}`},
		{"coverage, one missing", coverage, required("in_order"), `["b"]`, "", "",
			`{"reason":"1 of 2 required calls made, missing \"a\""}`},
		{"coverage, another order", coverage, required("in_order"), `["b","a"]`, "", "",
			`{"reason":"2 of 2 required calls made, not in the required order"}`},
		{"coverage, an unreadable call", coverage, required("any_order"), `[{"name":"a"},{"x":1},{"name":"b"}]`, "", "",
			`{"score":1,"num_unrequired_calls":1}`},
		{"coverage, a required call without a name", coverage, `{"function_calls":[""]}`, `[{"x":1}]`, "", "",
			`{"score":0,"num_unrequired_calls":1}`},
		{"coverage, a list with a number", coverage, `{"function_calls":["a",1]}`, `["a"]`, "", "", wantsConfig},
		{"coverage, a broken template", coverage, `{"function_calls":"{{ sample.x | nope }}"}`, `["a"]`, "", "", wantsConfig},
	})
}

// TestListsAreCutAtFifty: of 50 names all are printed and none is counted; of 51 one is counted.
func TestListsAreCutAtFifty(t *testing.T) {
	for n, more := range map[int]string{50: "", 51: "1"} {
		var calls, required, allowed []string
		for i := range n {
			calls = append(calls, fmt.Sprintf(`{"name":"f%02d","arguments":{"x":1}}`, i))
			required = append(required, fmt.Sprintf(`"f%02d"`, i))
			allowed = append(allowed, fmt.Sprintf(`"p%02d":1`, i))
		}
		for name, tt := range map[string]struct{ line, list, first, last string }{
			"missing": {`{"scorer":"function_call_accuracy","actual":[{"name":"g"},{"name":"h"}],"expected":[` +
				strings.Join(calls, ",") + `]}`, "missing", "f00", "f49"},
			"not called": {`{"scorer":"function_call_coverage","config":{"function_calls":[` + strings.Join(required, ",") +
				`]},"actual":[]}`, "not_called", "f00", "f49"},
			"unexpected": {`{"scorer":"function_call_exact_match","actual":{"name":"f","arguments":{` +
				strings.Join(allowed, ",") + `}},"expected":{"name":"f"}}`, "", "", ""},
		} {
			result := oneCase(t, tt.line).Field("result")
			if tt.list != "" {
				list := result.Field(tt.list)
				if list.Len() != 50 || list.At(0).Text() != tt.first || list.At(49).Text() != tt.last ||
					result.Field(tt.list+"_more").Text() != more || result.Has(tt.list+"_more") != (more != "") {
					t.Errorf("%s of %d: %s", name, n, result.JSON())
				}
			}
			reason := result.Field("reason").Text()
			if strings.Contains(reason, "more") != (more != "") || more != "" && !strings.Contains(reason, "and 1 more") {
				t.Errorf("%s of %d: the reason is %s", name, n, reason)
			}
		}
	}
}

// TestLongReasonIsCut: a reason of more than 8000 bytes is cut, and says how long it was.
func TestLongReasonIsCut(t *testing.T) {
	name := strings.Repeat("f", 9000)
	result := oneCase(t, `{"scorer":"ast_equivalence","actual":[{"name":"`+name+`"}],"expected":[{"name":"g"}]}`)
	reason := result.Field("result").Field("reason").Text()
	// function "fff…", expected "g" has 9000 bytes of the name and 25 others.
	if !strings.HasSuffix(reason, " (9025 bytes in all)") || len(reason) > 8050 {
		t.Errorf("%d bytes: %s", len(reason), reason[len(reason)-80:])
	}
}

func TestEquivalenceReasons(t *testing.T) {
	const name, strip = "ast_equivalence", `{"strip_whitespace":true}`
	const same, other = `{"equivalent":true,"score":1}`, `{"equivalent":false,"score":0}`
	arg := func(v string) string { return `{"name":"f","arguments":{"a":` + v + `}}` }
	args := func(v string) string { return `{"name":"f","arguments":` + v + `}` }
	checkRules(t, []rule{
		{"equivalent", name, "", arg("1"), arg("1.0"), "", `{"reason":"the calls are equivalent"}`},
		{"another function", name, "", `"g()"`, `"f()"`, "", `{"reason":"function \"g\", expected \"f\""}`},
		{"where they differ", name, "", args(`{"a":1,"c":3,"d":4}`), args(`{"b":2,"a":5,"d":4}`), "",
			`{"reason":"the arguments of f differ: b is missing; a is 1, expected 5; c is not expected"}`},
		{"malformed", name, "", args(`"{"`), `"f()"`, "", `{"reason":"the arguments of f cannot be read"}`},
		{"without a name", name, "", `[{"x":1}]`, `"f()"`, "", `{"reason":"the call cannot be read"}`},
		{"stripped, another key order", name, strip, args(`{"a":[" x"],"b":"y "}`), args(`{"b":"y","a":["x"]}`), "", same},
		{"stripped, other keys", name, strip, args(`{"a":"x"}`), args(`{"b":"x"}`), "", other},
		{"stripped, a list is no object", name, strip, arg(`["x"]`), arg(`{"0":"x"}`), "", other},
		{"stripped, an empty list is no empty object", name, strip, arg(`[]`), arg(`{}`), "", other},
		{"stripped, a list is no text", name, strip, arg(`["x"]`), arg(`"x"`), "", other},
		{"stripped, an object is no text", name, strip, arg(`""`), arg(`{}`), "", other},
		{"stripped like Python", name, strip, arg(`"\u001cx\u001f"`), arg(`"\u001dx\u001e"`), "", same},
		{"an escape is no blank", name, strip, arg(`"\u001bx"`), arg(`"x"`), "", other},
	})
}

// conversation returns one with calls and a reference, both in Python, and tools.
func conversation(t *testing.T, made, expected string, tools ...string) *transcript.Conversation {
	t.Helper()
	c := &transcript.Conversation{ID: "c"}
	calls, _ := readCalls(value.OfString(made))
	for i, call := range calls {
		call.Index, call.Result, call.Executor = i, -1, "client"
		c.Calls = append(c.Calls, *call)
		c.Messages = append(c.Messages, transcript.Message{Role: transcript.Assistant, Calls: []int{i}, Result: -1})
	}
	if expected != "" {
		c.Expected = &transcript.Expected{Calls: []transcript.ExpectedCall{}}
		wanted, _ := readCalls(value.OfString(expected))
		for _, call := range wanted {
			e := transcript.ExpectedCall{Name: call.Name, Arguments: call.Arguments}
			c.Expected.Calls = append(c.Expected.Calls, e)
		}
	}
	for _, tool := range tools {
		c.Tools = append(c.Tools, readTools(mustParse(t, "["+tool+"]"))...)
	}
	return c
}

// TestLogEquivalence: one call beside one expected call is compared, not only counted.
func TestLogEquivalence(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat("f(), ", 1001), ", ")
	for _, tt := range []struct{ name, made, expected, want, reason string }{
		{"equal", "f(a=1)", "f(a=1.0)", "1 pass", "all 1 calls are equivalent to the expected ones"},
		{"another value", "f(a=1)", "f(a=2)", "0 fail", "the 1 calls are not the expected ones"},
		{"another name", "g(a=1)", "f(a=1)", "0 fail", "the 1 calls are not the expected ones"},
		{"none", "[]", "[]", "1 pass", "no call is expected and none was made"},
		{"one too many", "f()", "[]", "0 fail", "1 calls made, 0 expected"},
		{"1000 calls", strings.TrimPrefix(many, "f(), "), strings.TrimPrefix(many, "f(), "), "1 pass",
			"all 1000 calls are equivalent to the expected ones"},
		{"more calls than are paired", many, many, "not_applicable", "1001 calls are too many to pair"},
		{"no reference", "f()", "", "not_applicable", "the log holds no expected calls"},
	} {
		l, err := ForLog([]Config{{Type: "ast_equivalence"}})
		if err != nil {
			t.Fatal(err)
		}
		got := l.Score(conversation(t, tt.made, tt.expected))
		if diff := cmp.Diff([]string{"ast_equivalence - " + tt.want}, lines(got)); diff != "" || got[0].Explanation != tt.reason {
			t.Errorf("%s: %s %q", tt.name, diff, got[0].Explanation)
		}
	}
	l, err := ForLog([]Config{{Type: "ast_equivalence"}})
	if err != nil {
		t.Fatal(err)
	}
	c := conversation(t, "f()", "f()")
	c.Calls[0].Malformed = true
	if got := l.Score(c)[0]; got.Value == nil || *got.Value != 0 {
		t.Errorf("arguments that cannot be read are equal to none: %+v", got)
	}
	c = conversation(t, "f()", "f()")
	c.Expected.Calls[0].Name = ""
	if got := l.Score(c)[0]; got.Status != score.Error || got.Error.Kind != configKind {
		t.Errorf("an expected call without a name: %+v", got)
	}
}
