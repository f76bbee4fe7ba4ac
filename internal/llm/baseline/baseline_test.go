package baseline

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
)

func shopTools(t testing.TB) []value.Value {
	return []value.Value{
		parse(t, `{"name":"get_order","description":"Get an order.","parameters":{"type":"object","properties":{"order_id":{"type":"integer"}},"required":["order_id"]}}`),
		parse(t, `{"name":"cancel_order","description":"Cancel an order.","parameters":{"type":"object","properties":{"order_id":{"type":"integer"},"reason":{"type":"string","enum":["late","no longer needed"]},"note":{"type":"string"}},"required":["order_id","reason"]}}`),
		parse(t, `{"name":"find_user","description":"Find a user.","parameters":{"type":"object","properties":{"email":{"type":"string"},"tags":{"type":"array","items":{"type":"string","enum":["a","b"]}}},"required":["email"]}}`),
		parse(t, `{"name":"show_route","description":"Shows a route.","parameters":{"type":"object","properties":{"to":{"type":"object","properties":{"zip":{"type":"string"}},"required":["zip"]},"by":{"type":"object"}}}}`),
		parse(t, `{"name":"search","description":"Searches.","parameters":{"type":"object","properties":{"query":{"type":"string"},"any":{"type":[]},"some":{"type":["integer","null"]}},"additionalProperties":true}}`),
	}
}

// TestRules has a call for each rule, and for each rule a call that is nearly
// the same and is let pass.
func TestRules(t *testing.T) {
	ask987 := says("user", "Please cancel order 987, it is no longer needed.")
	found := outcome("get_order", `{"order_id":987}`, `{"order_id":987,"status":"pending"}`)
	lost := outcome("find_user", `{"email":"a@b.c"}`, "Error: user not found")
	tests := []struct {
		name    string
		history []value.Value
		call    value.Value
		want    []rule
	}{
		{"clean read", []value.Value{ask987}, showCall("get_order", `{"order_id":987}`), nil},
		{"clean change on request", []value.Value{ask987, found}, showCall("cancel_order", `{"order_id":987,"reason":"no longer needed"}`), nil},
		{"unknown tool", []value.Value{ask987}, showCall("get_orders", `{"order_id":987}`), []rule{unknownTool}},
		{"unparsable", []value.Value{ask987}, showCall("get_order", `{"order_id":`), []rule{unparsable}},
		{"python", []value.Value{ask987}, showCall("get_order", `{'order_id': 987}`), []rule{pythonLiteral}},
		{"python inside python", []value.Value{says("user", "a@b.c with tag a")}, showCall("find_user", `{'email': 'a@b.c', 'tags': "['a']"}`), []rule{pythonLiteral}},
		{"python inside JSON", []value.Value{says("user", "a@b.c with tag a")}, showCall("find_user", `{"email":"a@b.c","tags":"['a']"}`), []rule{wrongType}},
		{"missing", []value.Value{ask987}, showCall("cancel_order", `{"order_id":987}`), []rule{missingRequired}},
		{"wrong type", []value.Value{ask987}, showCall("get_order", `{"order_id":"987"}`), []rule{wrongType}},
		{"987.0 is an integer", []value.Value{ask987}, showCall("get_order", `{"order_id":987.0}`), nil},
		{"not in enum", []value.Value{ask987}, showCall("cancel_order", `{"order_id":987,"reason":"cancel"}`), []rule{notInEnum}},
		{"enum inside an array", []value.Value{says("user", "a@b.c with tag z")}, showCall("find_user", `{"email":"a@b.c","tags":["z"]}`), []rule{notInEnum}},
		{"unknown argument", []value.Value{ask987}, showCall("get_order", `{"order_id":987,"order":987}`), []rule{unknownArgument}},
		{"inside an object", []value.Value{says("user", "to 04109")}, showCall("show_route", `{"to":{"zip":"04109"}}`), nil},
		{"wrong type inside an object", []value.Value{says("user", "to 4109")}, showCall("show_route", `{"to":{"zip":4109}}`), []rule{wrongType}},
		{"missing inside an object", []value.Value{ask987}, showCall("show_route", `{"to":{}}`), []rule{missingRequired}},
		{"an unknown member inside an object is allowed", []value.Value{says("user", "to 04109 Leipzig")}, showCall("show_route", `{"to":{"zip":"04109","city":"Leipzig"}}`), nil},
		{"unknown arguments are allowed", []value.Value{ask987}, showCall("search", `{"query":"order","number":987}`), nil},
		{"no type or several", []value.Value{ask987}, showCall("search", `{"query":"order","any":987,"some":null}`), nil},
		{"none of several types", []value.Value{ask987}, showCall("search", `{"query":"order","some":"987"}`), []rule{wrongType}},
		{"no arguments at all", []value.Value{ask987}, parse(t, `{"name":"get_order"}`), []rule{missingRequired}},
		{"an object of any members", []value.Value{ask987}, showCall("show_route", `{"by":{}}`), nil},
		{"no object", []value.Value{ask987}, showCall("show_route", `{"by":987}`), []rule{wrongType}},
		{"empty required", []value.Value{ask987}, showCall("find_user", `{"email":" "}`), []rule{emptyRequired}},
		{"placeholder", []value.Value{ask987}, showCall("find_user", `{"email":"your_email"}`), []rule{placeholderArg}},
		{"invented address", []value.Value{ask987}, showCall("find_user", `{"email":"x@y.z"}`), []rule{ungroundedID}},
		{"invented number", []value.Value{ask987}, showCall("get_order", `{"order_id":988}`), []rule{ungroundedValue}},
		{"value only said by the agent", []value.Value{ask987, says("assistant", "Is your address x@y.z?")}, showCall("find_user", `{"email":"x@y.z"}`), []rule{ungroundedID}},
		{"value from a tool", []value.Value{ask987, outcome("get_order", `{"order_id":987}`, `{"email":"x@y.z"}`)}, showCall("find_user", `{"email":"x@y.z"}`), nil},
		{"repeats success", []value.Value{ask987, found}, showCall("get_order", `{"order_id": 987}`), []rule{repeatSuccess}},
		{"reads again after a change", []value.Value{ask987, found, outcome("cancel_order", `{"order_id":987,"reason":"late"}`, "ok")}, showCall("get_order", `{"order_id":987}`), nil},
		{"repeats failure", []value.Value{says("user", "a@b.c"), lost}, showCall("find_user", `{"email":"a@b.c"}`), []rule{repeatFailure, guessAfterFail}},
		{"guess after failure", []value.Value{says("user", "a@b.c or d@e.f"), lost}, showCall("find_user", `{"email":"d@e.f"}`), []rule{guessAfterFail}},
		{"retry with news", []value.Value{says("user", "a@b.c"), lost, says("user", "sorry, d@e.f")}, showCall("find_user", `{"email":"d@e.f"}`), []rule{retryAfterFail}},
		{"error ignored", []value.Value{ask987, lost}, showCall("cancel_order", `{"order_id":987,"reason":"late"}`), []rule{ignoresError}},
		{"no consent", []value.Value{ask987, found, says("assistant", "Shall I?"), says("user", "No, wait.")}, showCall("cancel_order", `{"order_id":987,"reason":"late"}`), []rule{unconfirmed}},
		{"consent", []value.Value{ask987, found, says("assistant", "Shall I?"), says("user", "Yes.")}, showCall("cancel_order", `{"order_id":987,"reason":"late"}`), nil},
		{"consent in another script is not judged", []value.Value{ask987, found, says("assistant", "Shall I?"), says("user", "はい、お願いします")}, showCall("cancel_order", `{"order_id":987,"reason":"late"}`), nil},
		{"nobody asked", []value.Value{ask987, found, says("user", "Also show me 986.")}, showCall("cancel_order", `{"order_id":987,"reason":"late"}`), nil},
		{"second change", []value.Value{says("user", "cancel 987 and 986"), outcome("cancel_order", `{"order_id":987,"reason":"late"}`, "ok")}, showCall("cancel_order", `{"order_id":986,"reason":"late"}`), []rule{severalChanges}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := shown(shopTools(t), tt.history, tt.call)
			g := &grader{record: readRecord(r)}
			g.run()
			var got []rule
			for _, f := range g.findings {
				got = append(got, f.rule)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(rule{})); diff != "" {
				t.Error(diff)
			}
			for rubric := range outputs {
				a, err := ask(rubric, r)
				if err != nil {
					t.Fatal(err)
				}
				checkAnswer(t, rubric, a, r)
			}
		})
	}
}

var quoted = regexp.MustCompile(`"([^"]*)"`)

// checkAnswer holds what must be true of every answer: bounds, and evidence that
// is quoted word for word or begins with NONE.
func checkAnswer(t *testing.T, rubric string, a answer, r *llm.Record) {
	t.Helper()
	low, high := 0.0, 1.0
	if strings.Contains(outputs[rubric], "5") {
		low, high = 1, 5
	}
	if a.Output < low || a.Output > high || (strings.Contains(outputs[rubric], "integer") &&
		a.Output != float64(int(a.Output))) {
		t.Errorf("output %v for %s", a.Output, rubric)
	}
	if a.Confidence < 0 || a.Confidence > 1 || len(a.Correction) == 0 || a.Correction[0] != '{' {
		t.Errorf("confidence %v, correction %s", a.Confidence, a.Correction)
	}
	quotes := quoted.FindAllStringSubmatch(a.Evidence, -1)
	if strings.HasPrefix(a.Evidence, "NONE: ") {
		if len(quotes) > 0 {
			t.Errorf("quotes in %q", a.Evidence)
		}
		return
	}
	if len(quotes) != 1 {
		t.Fatalf("evidence %q", a.Evidence)
	}
	shown := r.Call.JSON()
	for _, v := range append(r.Tools, r.History...) {
		shown += v.JSON()
	}
	// Undo the escapes of JSON, one level and two.
	once, _ := unescapeAll(shown)
	twice, _ := unescapeAll(once)
	if q := quotes[0][1]; q == "" || !strings.Contains(shown+once+twice, q) {
		t.Errorf("evidence %q is not in the record", q)
	}
}

// unescapeAll undoes JSON escapes wherever they stand.
func unescapeAll(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		n := 2
		if s[i+1] == 'u' {
			n = 6
			if i+12 <= len(s) && s[i+6] == '\\' && s[i+7] == 'u' {
				n = 12
			}
		}
		if i+n <= len(s) {
			var out string
			if json.Unmarshal([]byte(`"`+s[i:i+n]+`"`), &out) == nil {
				b.WriteString(out)
				i += n - 1
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), true
}

// TestManyFailuresAndBrokenChange tests the two rules that need a longer history.
func TestManyFailuresAndBrokenChange(t *testing.T) {
	h := []value.Value{says("user", "cancel 987, 986, 985 please")}
	for _, id := range []string{"987", "986", "985"} {
		h = append(h, outcome("get_order", `{"order_id":`+id+`}`, "Error: down"))
	}
	h = append(h, outcome("cancel_order", `{"order_id":987,"reason":"late"}`, `{"success":false}`), says("user", "please go on"))
	refund := parse(t, `{"name":"refund_order","description":"Refund.","parameters":{"type":"object","properties":{"order_id":{"type":"integer"}}}}`)
	a, err := ask("overall_call_correctness", shown(append(shopTools(t), refund), h, showCall("refund_order", `{"order_id":987}`)))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []rule{manyFailures, brokenChange} {
		if !strings.Contains(a.Explanation, r.code) {
			t.Errorf("%s did not fire: %s", r.code, a.Explanation)
		}
	}
	if a.Output >= 0.7 {
		t.Errorf("output %v", a.Output)
	}
	h = slices.Delete(h, 2, 4) // two failures are left
	if a, err = ask("overall_call_correctness", shown(append(shopTools(t), refund), h, showCall("refund_order", `{"order_id":987}`))); err != nil ||
		strings.Contains(a.Explanation, manyFailures.code) {
		t.Errorf("two failures are many: %s, %v", a.Explanation, err)
	}
}

// rules are all of them.
var rules = [...]rule{
	unknownTool, unparsable, pythonLiteral, missingRequired, wrongType,
	notInEnum, unknownArgument, emptyRequired, placeholderArg, ungroundedID,
	ungroundedValue, repeatFailure, repeatSuccess, guessAfterFail, retryAfterFail,
	ignoresError, brokenChange, unconfirmed, severalChanges, manyFailures,
}

// TestPublishedTable: the documented table is the rules', and its figures lie on their scales.
func TestPublishedTable(t *testing.T) {
	page, err := os.ReadFile("../../../docs/baseline.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range rules {
		if seen[r.code] || r.fault == "" || r.overall < 0 || r.overall >= clean || r.intent < 1 || r.intent > 5 ||
			r.parameters < 1 || r.parameters > 5 || (r.prerequisite != 0 && r.prerequisite != 1) {
			t.Errorf("%+v", r)
		}
		seen[r.code] = true
		row := fmt.Sprintf("| `%s` | %s | %v | %v | %v | %v |\n", r.code, r.fault, r.overall, r.intent, r.parameters, r.prerequisite)
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/baseline.md has no row %s", row)
		}
	}
}

// TestScales: the same findings on other scales.
func TestScales(t *testing.T) {
	r := shown(shopTools(t), []value.Value{says("user", "order 987")}, showCall("get_orders", `{"order_id":987}`))
	for _, tt := range []struct {
		rubric, output string
		want           string
	}{
		{"overall_call_correctness", `{"type":"integer","minimum":-10,"maximum":10}`, `"output":-10,`},
		{"overall_call_correctness", `{"type":"number","minimum":2,"maximum":3}`, `"output":2,`},
		{"prerequisite_satisfaction", `{"type":"integer","minimum":0,"maximum":1}`, `"output":1,`},
		{"overall_call_correctness", `{"type":"number"}`, `"confidence":0.95,`}, // the schema says so
		{"function_intent_alignment", `{"type":"integer","minimum":1,"maximum":5}`, `"output":1,`},
		{"parameter_completeness_consistency", `{"type":"integer","minimum":1,"maximum":5}`, `"output":3,`},
		{"parameter_completeness_consistency", `{"type":"integer","minimum":0,"maximum":5}`, `"output":3,`}, // half of it, rounded up
		{"parameter_completeness_consistency", `{"type":"number","minimum":0,"maximum":5}`, `"output":2.5,`},
	} {
		body, err := send(tt.rubric, tt.output, r)
		if err != nil || !strings.Contains(strings.ReplaceAll(string(body), `\"`, `"`), tt.want) {
			t.Errorf("%s %s: %v %s", tt.rubric, tt.output, err, body)
		}
	}
	r = shown(shopTools(t), []value.Value{says("user", "order 987")}, showCall("get_order", `{"order_id":987}`))
	for _, tt := range [][3]string{
		{"overall_call_correctness", `{"type":"number"}`, `"output":0.95,`},
		{"overall_call_correctness", `{"type":"number","minimum":3}`, `"output":3,`},
		{"overall_call_correctness", `{"type":"number","minimum":2,"maximum":3}`, `"output":2.95,`},
		{"prerequisite_satisfaction", `{"type":"integer","minimum":0,"maximum":1}`, `"output":1,`},
		{"function_intent_alignment", `{"type":"integer","minimum":1,"maximum":5}`, `"output":5,`},
		{"function_intent_alignment", `{"type":"number"}`, `"output":1,`},
		{"parameter_completeness_consistency", `{"type":"integer","minimum":0,"maximum":10}`, `"output":10,`},
		{"parameter_completeness_consistency", `{"type":"number"}`, `"output":1,`},
		{"prerequisite_satisfaction", `{"type":"number"}`, `"output":1,`},
	} {
		body, err := send(tt[0], tt[1], r)
		if err != nil || !strings.Contains(strings.ReplaceAll(string(body), `\"`, `"`), tt[2]) {
			t.Errorf("a call without a fault, %s %s: %v %s", tt[0], tt[1], err, body)
		}
	}
}

// TestQuotable: what is quoted of an argument is its longest run that needs no escape, in whole words.
func TestQuotable(t *testing.T) {
	long := strings.Repeat("many words ", 20)
	for text, want := range map[string]string{
		"plain": "plain", `a "bc def" gh`: "bc def", `abc "d"`: "abc", "one\ntwo more": "two more", "": "", `" - "`: "",
		long:                            strings.TrimSpace(long[:98]),
		strings.Repeat("x", 150):        "",
		strings.Repeat("x ", 300):       strings.TrimSpace(strings.Repeat("x ", 50)),
		strings.Repeat("\"", 401):       "",
		"abc\ufffddefg":                 "defg",
		strings.Repeat("x", 100):        strings.Repeat("x", 100),
		"x " + strings.Repeat("y", 150): "x",
		strings.Repeat("ab\n", 134) + "the longest run":    "ab",
		strings.Repeat("ab\n", 130) + "cd efghijklmnopqrs": "ab",
	} {
		if got := quotable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestCorrectedType: a value that is right but for its type is corrected, another one is not.
func TestCorrectedType(t *testing.T) {
	for text, want := range map[string]string{`"987"`: `{"order_id":987}`, `"abc"`: `{}`, `true`: `{}`} {
		r := shown(shopTools(t), []value.Value{says("user", "order 987 abc true")}, showCall("get_order", `{"order_id":`+text+`}`))
		a, err := ask("parameter_completeness_consistency", r)
		if err != nil || string(a.Correction) != want {
			t.Errorf("%s: %s, want %s; %v", text, a.Correction, want, err)
		}
	}
}

// TestFiguresOfRules: the figure that a rule has in the table is the answer on a built-in rubric's own scale.
func TestFiguresOfRules(t *testing.T) {
	for _, r := range rules {
		g := &grader{record: readRecord(shown(nil, nil, showCall("f", "{}"))), findings: []finding{{rule: r}}}
		for rubric, want := range map[string]float64{
			intent: (r.intent - 1) / 4, completeness: (r.parameters - 1) / 4, prerequisite: r.prerequisite, overall: r.overall,
		} {
			if got := g.verdict(rubric).value; got != want && !(want == 1 && got > 0.9) {
				t.Errorf("%s, %s: %v, want %v", r.code, rubric, got, want)
			}
		}
	}
}

// TestNoRule: a rubric whose name only looks like a built-in one gets no grade.
func TestNoRule(t *testing.T) {
	r := shown(shopTools(t), []value.Value{says("user", "order 987")}, showCall("get_order", `{"order_id":987}`))
	for rubric, want := range map[string]bool{
		"function_intent_alignment": true, "overall_call_correctness": true,
		"politeness": false, "politeness_of_intent": false, "overall": false, "Overall_Call_Correctness": false,
	} {
		_, err := send(rubric, `{"type":"number"}`, r)
		if (err == nil) != want || HasRules(rubric) != want || err != nil && !strings.Contains(err.Error(), "no rule for rubric "+rubric) {
			t.Errorf("%s: %v", rubric, err)
		}
	}
	if _, err := (Sender{}).Send(t.Context(), &llm.Prepared{Request: &llm.Request{Model: Model}}); err == nil {
		t.Error("a request without a record is answered")
	}
}

// FuzzSend: any record gets an answer that fits the schema.
func FuzzSend(f *testing.F) {
	f.Add(`{"role":"user","content":"order 987"}`, `{"role":"tool","name":"get_order","parameters":{"order_id":987},"output":"Error: x"}`,
		`{"name":"cancel_order","parameters":{"order_id":"987"}}`, "overall_call_correctness")
	f.Add(`[]`, `{"role":"tool"}`, `{}`, "prerequisite_satisfaction")
	f.Fuzz(func(t *testing.T, first, second, call, rubric string) {
		var lines []value.Value
		for _, text := range []string{first, second, call} {
			v, err := value.ParseString(text)
			if err != nil || outputs[rubric] == "" {
				t.Skip()
			}
			lines = append(lines, v)
		}
		r := shown(shopTools(t), lines[:2], lines[2])
		a, err := ask(rubric, r)
		if err != nil {
			t.Fatal(err)
		}
		checkAnswer(t, rubric, a, r)
	})
}
