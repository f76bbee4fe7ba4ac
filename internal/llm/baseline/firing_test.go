package baseline

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
)

// fired returns the codes of the rules that fire, in their order.
func fired(r *llm.Record) string {
	g := &grader{record: readRecord(r)}
	g.run()
	var codes []string
	for _, f := range g.findings {
		codes = append(codes, f.code)
	}
	return strings.Join(codes, " ")
}

// TestGrounding: a value was given before if it occurs in other case or with other punctuation, as a date in other
// words, or as a number without its fraction; small counts, prose and long texts need not have been given.
func TestGrounding(t *testing.T) {
	const id, unsaid, placeholder = "ungrounded_identifier", "ungrounded_value", "placeholder_value"
	tools := []value.Value{parse(t, `{"name":"f","parameters":{"type":"object","properties":{"a":{},`+
		`"tier":{"enum":["gold"]},"tiers":{"items":{"enum":["gold"]}}}}}`)}
	for _, tt := range []struct{ said, arguments, want string }{
		{"Order 987-654", `{"a":"987654"}`, ""},
		{"hello there", `{"a":" Hello "}`, ""},
		{"x", `{"a":"--"}`, ""},
		{"ab-c", `{"a":"a-b"}`, unsaid}, // two letters are too few to be found without punctuation
		{"abc-d", `{"a":"a-bc"}`, ""},
		{"say abcd", `{"a":"xab-cd"}`, unsaid},
		{"a{z}b", `{"a":"azb"}`, ""},
		{"abc d", `{"a":"zabc"}`, unsaid},
		{"xyz w", `{"a":"axyz"}`, unsaid},
		{"abc d", `{"a":"9abc"}`, id},
		{"abc d", `{"a":"0abc"}`, id},
		{"a-bcd", `{"a":"abcd"}`, ""},
		{"xyz w", `{"a":"éxyz"}`, unsaid},
		{"pay 25 now", `{"a":25.0}`, ""},
		{"pay 26 now", `{"a":25.0}`, unsaid},

		{"on May 7", `{"a":"2024-05-07"}`, ""},
		{"on the 7th of may", `{"a":"2024-05-07T10:00"}`, ""},
		{"5/7, please", `{"a":"2024-05-07"}`, ""},
		{"am 7.5. bitte", `{"a":"2024-05-07"}`, ""},
		{"on May 9", `{"a":"2024-05-07"}`, id},
		{"7 apples", `{"a":"2024-05-07"}`, id},
		{"tomorrow", `{"a":"2024-05-07"}`, ""},
		{"the same day", `{"a":"2024-05-07"}`, ""},
		{"tomorrow", `{"a":"2024-13-07"}`, id},

		{"hi", `{"a":["hi",{"k":["deep"]}]}`, unsaid},
		{"hi", `{"a":[true,null,{"deep":"hi"}]}`, ""},
		{"hi", `{"tier":"gold","tiers":["gold"]}`, ""},
		{"hi", `{"a":"` + strings.Repeat("q", 200) + `"}`, unsaid},
		{"hi", `{"a":"` + strings.Repeat("q", 201) + `"}`, ""},
		{"hi", `{"a":"send it to them"}`, ""},
		{"hi", `{"a":"send it now"}`, unsaid},
		{"hi", `{"a":31}`, ""},
		{"hi", `{"a":32}`, unsaid},
		{"hi", `{"a":300}`, unsaid},
		{"hi", `{"a":1.5}`, unsaid},
		{"hi", `{"a":-3}`, unsaid},
		{"hi", `{"a":"31"}`, unsaid},

		{"hi", `{"a":"b12"}`, id},
		{"hi", `{"a":"b1"}`, unsaid},
		{"hi", `{"a":"b1 c"}`, unsaid},
		{"hi", `{"a":"me@x"}`, id},
		{"hi", `{"a":"me @x"}`, unsaid},
		{"hi", `{"a":"3+4*x"}`, unsaid},
		{"hi", `{"a":"qwerty"}`, unsaid},
		{"hi", `{"a":987654}`, unsaid},

		{"hi", `{"a":"<name>"}`, placeholder},
		{"hi", `{"a":"<nam"}`, unsaid},
		{"hi", `{"a":"nam>"}`, unsaid},
		{"hi", `{"a":"{{nam}}"}`, placeholder},
		{"hi", `{"a":"Your_key"}`, placeholder},
		{"hi", `{"a":"your key"}`, placeholder},
		{"hi", `{"a":"example.com"}`, placeholder},
		{"hi", `{"a":"aPlaceholder"}`, placeholder},
		{"hi", `{"a":"TBD"}`, placeholder},
		{"hi", `{"a":"12345"}`, placeholder},
		{"hi", `{"a":12345}`, unsaid},
	} {
		r := shown(tools, []value.Value{says("user", tt.said)}, showCall("f", tt.arguments))
		if got := fired(r); got != tt.want {
			t.Errorf("%q, then %s: %q, want %q", tt.said, tt.arguments, got, tt.want)
		}
	}
	short := []value.Value{parse(t, `{"name":"f","parameters":{"tier":{"enum":["gold"]},"a":"string"}}`)}
	if got := fired(shown(short, []value.Value{says("user", "hi")}, showCall("f", `{"tier":"gold","a":"hi"}`))); got != "" {
		t.Errorf("a value of an enum in a short schema: %s", got)
	}
	cut := shown(tools, []value.Value{says("user", "hi")}, showCall("f", `{"a":"b12"}`))
	if cut.Omitted = true; fired(cut) != unsaid {
		t.Errorf("an identifier that messages left out may have: %s", fired(cut))
	}
	if got := fired(shown(nil, nil, showCall("f", `{"a":"b12"}`))); got != "" {
		t.Errorf("without tools and messages: %s", got)
	}
}

// TestEvidenceOfACleanCall: the first argument of three characters or more is quoted.
func TestEvidenceOfACleanCall(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"a":"ab","b":"abc","c":"abcd"}`: `"abc"`, `{"a":"ab"}`: `"f"`,
	} {
		a, err := ask(overall, shown(nil, []value.Value{says("user", "abcd")}, showCall("f", arguments)))
		if err != nil || a.Evidence != want || a.Output != 0.95 || a.Confidence != 0.8 {
			t.Errorf("%s: %+v, %v; want %s", arguments, a, err, want)
		}
	}
}

// TestSchemaRules: what an argument's schema says of its type, its enum and its members.
func TestSchemaRules(t *testing.T) {
	nested := func(n int) string {
		return strings.Repeat(`{"items":`, n) + `{"type":"integer"}` + strings.Repeat("}", n)
	}
	lists := func(n int) string { return `{"a":` + strings.Repeat("[", n) + `"x"` + strings.Repeat("]", n) + `}` }
	const of = `"properties":{"b":{"type":"integer"},"c":{"type":"integer"}}`
	for _, tt := range []struct{ a, arguments, want, fix string }{
		{`"integer"`, `{"a":"x"}`, "", "{}"},
		{nested(7), lists(7), "wrong_type", "{}"},
		{nested(8), lists(8), "", "{}"},
		{`{"type":"string"}`, `{"a":{"x":"x"}}`, "wrong_type", "{}"},
		{`{"enum":["y"]}`, `{"a":["x"]}`, "", "{}"},
		{`{"enum":["y"]}`, `{"a":{"k":"x"}}`, "", "{}"},
		{`{"enum":["y"]}`, `{"a":"x"}`, "not_in_enum", "{}"},
		{`{"type":"integer"}`, `{"a":" 5 "}`, "wrong_type", `{"a":5}`},
		{`{"type":"integer"}`, `{"a":"5.5"}`, "wrong_type", "{}"},
		{`{"type":"integer"}`, `{"a":"x"}`, "wrong_type", "{}"},
		{`{"type":"integer"}`, `{"a":true}`, "wrong_type", "{}"},
		{`{"type":"string"}`, `{"a":5}`, "wrong_type", `{"a":"5"}`},
		{`{"type":["string","null"]}`, `{"a":5}`, "wrong_type", "{}"},
		{`{"type":"string"}`, `{"a":true}`, "wrong_type", "{}"},
		{`{` + of + `}`, `{"a":{"b":"5"}}`, "wrong_type", "{}"},
		{`{` + of + `}`, `{"a":{"d":5}}`, "", "{}"},
		{`{"additionalProperties":false,` + of + `}`, `{"a":{"d":5}}`, "unknown_argument", "{}"},
		{`{"required":["b"],` + of + `}`, `{"a":{"b":5}}`, "", "{}"},
		{`{"required":["b"],` + of + `}`, `{"a":"x"}`, "", "{}"},
		{`{"type":"integer"}`, `{'a': '5'}`, "wrong_type python_literal", `{"a":5}`},
		{`{"type":"object"}`, `{'a': "['x']"}`, "wrong_type python_literal ungrounded_value", "{}"},
		{`{"type":"array"}`, `{'a': "['x']"}`, "python_literal ungrounded_value", "{}"},
		{`{"required":["b","c"],` + of + `}`, `{"a":{"b":" "}}`, "empty_required missing_required wrong_type", "{}"},
	} {
		tools := []value.Value{parse(t, `{"name":"f","parameters":{"type":"object","properties":{"a":`+tt.a+`}}}`)}
		r := shown(tools, []value.Value{says("user", "x y 5 5.5")}, showCall("f", tt.arguments))
		a, err := ask(completeness, r)
		if got := fired(r); got != tt.want || err != nil || string(a.Correction) != tt.fix {
			t.Errorf("%s of %s: %q, correction %s, %v; want %q, %s", tt.arguments, tt.a, got, a.Correction, err, tt.want, tt.fix)
		}
	}
	two := []value.Value{parse(t, `{"name":"f","parameters":{"type":"object",`+of+`}}`)}
	a, err := ask(completeness, shown(two, []value.Value{says("user", "5 6")}, showCall("f", `{"b":"5","c":"6"}`)))
	if err != nil || string(a.Correction) != `{"b":5}` {
		t.Errorf("two arguments of another type: %s, %v", a.Correction, err)
	}
}

// TestTypeNames: the names of types, also those of Python, and the values that fit them.
func TestTypeNames(t *testing.T) {
	for names, fit := range map[string]string{
		`"string" "STR"`: `"5"`, `"integer" "int" "long"`: `5 5.0`, `"number" "float" "double"`: `5 5.0 5.5`,
		`"boolean" "bool"`: `true`, `"array" "list" "tuple"`: `[]`, `"object" "dict"`: `{}`, `"null"`: `null`,
		`"any" []`: `"5" 5 5.0 5.5 true [] {} null`, `["integer","null"]`: `5 5.0 null`,
	} {
		for name := range strings.FieldsSeq(names) {
			for _, v := range strings.Fields(`"5" 5 5.0 5.5 true [] {} null`) {
				want := strings.Contains(" "+fit+" ", " "+v+" ")
				if got := typeFits(parse(t, name), parse(t, v)); got != want {
					t.Errorf("%s is %s: %v", v, name, got)
				}
			}
		}
	}
}

// TestHistoryRules: what earlier calls, their outcomes and the user's words say about a call.
func TestHistoryRules(t *testing.T) {
	var tools []value.Value
	for _, name := range []string{"get_a", "list_b", "cancel_c", "refund_d", "buy_e", "go_cancel"} {
		tools = append(tools, parse(t, `{"name":"`+name+`"}`))
	}
	user, agent := says("user", "x, y and z, please"), says("assistant", "Well?")
	ok := func(name, arguments string) value.Value { return outcome(name, arguments, "done") }
	bad := func(name, arguments string) value.Value { return outcome(name, arguments, "Error: down") }
	for _, tt := range []struct {
		name    string
		history []value.Value
		call    value.Value
		want    string
	}{
		{"a tool of none", nil, showCall("gone", `{}`), "unknown_tool"},
		{"read again", []value.Value{user, ok("get_a", `{}`), ok("list_b", `{}`)}, showCall("get_a", `{}`), "repeats_done_call"},
		{"read again after a change", []value.Value{user, ok("get_a", `{}`), ok("list_b", `{}`), ok("cancel_c", `{}`)},
			showCall("get_a", `{}`), ""},
		{"read again after a change that failed", []value.Value{user, ok("get_a", `{}`), bad("cancel_c", `{}`)},
			showCall("get_a", `{}`), "repeats_done_call"},
		{"three failures", []value.Value{user, bad("get_a", `{"n":1}`), bad("get_a", `{"n":2}`), bad("get_a", `{"n":3}`)},
			showCall("list_b", `{}`), "many_failures"},
		{"two failures", []value.Value{user, bad("get_a", `{"n":1}`), bad("get_a", `{"n":2}`)}, showCall("list_b", `{}`), ""},
		{"only what was given before is said again", []value.Value{user, bad("get_a", `{"p":"x","q":"y"}`), says("user", "x!")},
			showCall("get_a", `{"p":"x","q":"z"}`), "guess_after_failure"},
		{"what is new was said since", []value.Value{user, bad("get_a", `{"p":"x","q":"y"}`), says("user", "z!")},
			showCall("get_a", `{"p":"x","q":"z"}`), "retry_after_failure"},
		{"an argument more, said since", []value.Value{user, bad("get_a", `{"p":"x"}`), says("user", "z!")},
			showCall("get_a", `{"p":"x","q":"z"}`), "retry_after_failure"},
		{"one of two was said since", []value.Value{user, bad("get_a", `{"p":"x"}`), says("user", "z!")},
			showCall("get_a", `{"p":["z","nope"]}`), "ungrounded_value retry_after_failure"},
		{"a list for arguments", []value.Value{user}, showCall("get_a", `['x']`), "unparsable_arguments"},
		{"a result of no call", []value.Value{user, value.Pairs("role", "tool", "output", "x")}, showCall("cancel_c", `{}`), ""},
		{"the same text that cannot be read", []value.Value{user, bad("get_a", `{"p"`)}, showCall("get_a", `{"p"`),
			"unparsable_arguments repeats_failed_call guess_after_failure"},
		{"another text that cannot be read", []value.Value{user, bad("get_a", `{"p"`)}, showCall("get_a", `{"q"`),
			"unparsable_arguments guess_after_failure"},

		{"a change that failed, then another", []value.Value{user, bad("refund_d", `{}`), ok("get_a", `{}`), user},
			showCall("cancel_c", `{}`), "earlier_change_failed"},
		{"a change that failed, was done, then another", []value.Value{user, bad("refund_d", `{}`), ok("refund_d", `{"n":1}`), user},
			showCall("cancel_c", `{}`), ""},
		{"a change that was done, then another", []value.Value{user, ok("refund_d", `{}`), user}, showCall("cancel_c", `{}`), ""},
		{"two changes at one word", []value.Value{user, ok("refund_d", `{}`)}, showCall("cancel_c", `{}`), "several_changes_at_once"},
		{"the same change, tried again", []value.Value{user, bad("cancel_c", `{"p":"x"}`)}, showCall("cancel_c", `{"p":"y"}`),
			"guess_after_failure"},
		{"a change on an error", []value.Value{user, bad("get_a", `{}`)}, showCall("cancel_c", `{}`), "ignores_error"},
		{"a change after an error was spoken of", []value.Value{user, bad("get_a", `{}`), agent}, showCall("cancel_c", `{}`), ""},
		{"a change on a read", []value.Value{user, bad("get_a", `{}`), ok("list_b", `{}`)}, showCall("cancel_c", `{}`), ""},
		{"nobody to ask", []value.Value{ok("refund_d", `{}`)}, showCall("cancel_c", `{}`), ""},

		{"not asked", []value.Value{user, says("assistant", ""), says("user", "hm")}, showCall("cancel_c", `{}`), ""},
		{"asked, then called", []value.Value{user, agent, says("assistant", ""), says("user", "hm")}, showCall("cancel_c", `{}`),
			"unconfirmed_change"},
		{"not agreed", []value.Value{user, agent, says("user", "hm")}, showCall("cancel_c", `{}`), "unconfirmed_change"},
		{"agreed before", []value.Value{user, agent, says("user", "yes"), agent, says("user", "hm")}, showCall("cancel_c", `{}`),
			"unconfirmed_change"},
		{"a word of three letters", []value.Value{user, agent, says("user", "buying it")}, showCall("buy_e", `{}`), ""},
		{"a word of two letters", []value.Value{user, agent, says("user", "good grief")}, showCall("go_cancel", `{}`),
			"unconfirmed_change"},
		{"the tool's verb", []value.Value{user, agent, says("user", "cancelling")}, showCall("go_cancel", `{}`), ""},
	} {
		if got := fired(shown(tools, tt.history, tt.call)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := fired(shown(tools[:1], nil, showCall("gone", `{}`))); got != "unknown_tool" {
		t.Errorf("not the only tool: %q", got)
	}
	for name, want := range map[string]string{"get_aa": `{"name":"get_a","parameters":{"n":1}}`, "publish": "{}"} {
		a, err := ask(intent, shown(tools, nil, showCall(name, `{"n":1}`)))
		if err != nil || string(a.Correction) != want {
			t.Errorf("no tool is named %s: correction %s, %v; want %s", name, a.Correction, err, want)
		}
	}
	flagged := value.Pairs("name", "get_a", "parameters", value.OfObject(), "unparsed", value.OfBool(true))
	if got := fired(shown(tools, nil, flagged)); got != "unparsable_arguments" {
		t.Errorf("arguments that a prompt marks as unreadable: %q", got)
	}
}

// TestChangesOfState: the first known verb of a tool's name decides whether it changes state, else the beginning of
// its description.
func TestChangesOfState(t *testing.T) {
	for _, tt := range []struct {
		name, description string
		want              bool
	}{
		{"get_order", "", false}, {"cancelOrder", "", true}, {"list_cancelled", "", false}, {"user.order-cancel", "", true},
		{"set2Items", "", false}, {"set2_Items", "", false}, {"doItSet", "", true}, {"itemSET", "", true},
		{"do_it", "Cancels the order.", true}, {"do_it", "Cancel: the order", true}, {"do_it", " cancel", true},
		{"do_it", "Returns an item.", false}, {"do_it", "Return the weather.", false}, {"return_it", "Returns an item.", true},
		{"do_it", "The order is cancelled.", false}, {"do_it", "", false}, {"", "", false},
	} {
		if got := changesState(tt.name, tt.description); got != tt.want {
			t.Errorf("%s, %q: %v", tt.name, tt.description, got)
		}
	}
	if got := strings.Join(nameWords("getOrder2Items-now HTTPServer"), " "); got != "get order2 items now httpserver" {
		t.Errorf("words %q", got)
	}
}

// TestOutcomes: the status of a result decides whether the call failed, else its words; a result of any shape is text.
func TestOutcomes(t *testing.T) {
	for _, tt := range []struct {
		status, output string
		want           bool
	}{
		{"error", `"fine"`, true}, {"refused", `"fine"`, true}, {"ok", `"Error: x"`, false}, {"", `"Error: x"`, true},
		{"", `"fine"`, false}, {"", `{"error":"x"}`, true}, {"", `{"success":true}`, false}, {"", `[1]`, false},
	} {
		output := parse(t, tt.output)
		if got := failed(tt.status, output, textOf(output)); got != tt.want {
			t.Errorf("%s, status %q: failed %v", tt.output, tt.status, got)
		}
	}
	for output, want := range map[string]string{
		`"x y"`: "x y", `null`: "", `5.50`: "5.50", `{"a":[1,null,"x"],"b":{"c":true}}`: "a 1 null x b c true",
	} {
		if got := textOf(parse(t, output)); got != want {
			t.Errorf("%s: %q, want %q", output, got, want)
		}
	}
}

// TestLatin: the word lists apply if there are more than four ASCII characters for each letter beyond ASCII.
func TestLatin(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "a": true, "aaaaé": false, "aaaaaé": true, "éé": false, "a––––": true, "aaaaaaaaaéé": true,
	} {
		if got := latin(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestGradeOfSeveral: the grade is that of the worst rule; the overall grade loses 0.05 for each further one. The
// judge is sure of what the schema says alone.
func TestGradeOfSeveral(t *testing.T) {
	for _, tt := range []struct {
		rules      []rule
		rubric     string
		value      float64 // on the rubric's own scale
		confidence float64
	}{
		{[]rule{unknownArgument, wrongType, emptyRequired}, overall, 0.2 - 2*0.05, 0.95},
		{[]rule{unknownTool, wrongType}, overall, 0, 0.95},
		{[]rule{unknownArgument, notInEnum}, intent, 4, 0.95},
		{[]rule{unknownArgument, missingRequired}, completeness, 1, 0.95},
		{[]rule{unknownArgument, wrongType}, completeness, 2, 0.95},
		{[]rule{wrongType}, prerequisite, 1, 0.8}, // the rule says nothing about prerequisites
		{[]rule{wrongType, ungroundedID}, prerequisite, 0, 0.75},
		{[]rule{ungroundedID, placeholderArg}, prerequisite, 0, 0.75},
		{[]rule{unknownArgument}, overall, 0.3, 0.75},
		{[]rule{placeholderArg}, overall, 0.2, 0.75},
		{[]rule{ungroundedValue}, overall, 0.8, 0.75},
	} {
		g := &grader{record: readRecord(shown(nil, nil, showCall("f", "{}")))}
		codes := ""
		for _, r := range tt.rules {
			g.fire(r, "", "")
			codes += r.code + " "
		}
		s, _ := scaleOf(tt.rubric)
		v := g.verdict(tt.rubric)
		if got := s.low + v.value*(s.high-s.low); got < tt.value-1e-9 || got > tt.value+1e-9 || v.confidence != tt.confidence {
			t.Errorf("%sby %s: %v, confidence %v; want %v, %v", codes, tt.rubric, got, v.confidence, tt.value, tt.confidence)
		}
	}
}

// TestReasons: an answer names the rules that count for its rubric, and its evidence is that of the first of the worst.
func TestReasons(t *testing.T) {
	g := &grader{record: readRecord(shown(nil, nil, showCall("f", "{}")))}
	g.fire(wrongType, "", "one")
	g.fire(unknownArgument, "", "two")
	g.fire(emptyRequired, "", "three")
	g.fire(emptyRequired, "", "four") // only the first counts
	const said = "unknown_argument (an argument is not in the schema): two. empty_required (a required text is empty): three."
	if v := g.verdict(intent); v.explanation != said || v.evidence != "NONE: two" {
		t.Errorf("%s, evidence %s", v.explanation, v.evidence)
	}
	if v := g.verdict(overall); v.evidence != "NONE: one" || !strings.HasSuffix(v.explanation, said) {
		t.Errorf("%s, evidence %s", v.explanation, v.evidence)
	}
	if v := g.verdict(prerequisite); v.evidence != "NONE: no rule found a fault in the call" && v.evidence != `"f"` ||
		!strings.HasPrefix(v.explanation, "Checked by fixed rules") {
		t.Errorf("%s, evidence %s", v.explanation, v.evidence)
	}
}

// TestAnswersFit: a text is cut to what the schema allows, and a number lies in its range.
func TestAnswersFit(t *testing.T) {
	for property, want := range map[string]int{
		`{"maxLength":0}`: 0, `{"maxLength":5}`: 5, `{"maxLength":-1}`: 1000, `{"maxLength":1000000}`: 1000, `{}`: 1000,
		`{"maxLength":999999}`: 999_999, `{"maxLength":"5"}`: 1000,
	} {
		if got := limitOf(parse(t, property)); got != want {
			t.Errorf("%s: %d characters, want %d", property, got, want)
		}
	}
	if got := number(parse(t, `{"type":"number","minimum":3,"maximum":2}`), 1).JSON(); got != "3" {
		t.Errorf("an empty range: %s", got)
	}
	for n, want := range map[int]string{0: "", 2: "aé", 3: "aéb", 4: "aéb"} {
		if got := clip("aéb", n); got != want {
			t.Errorf("cut to %d: %q", n, got)
		}
	}
	if got := plain("a\tb'c\x00 " + strings.Repeat("x", 70)); got != "a b c  "+strings.Repeat("x", 53) {
		t.Errorf("plain: %q", got)
	}
	r := shown(nil, nil, showCall("f", "{}"))
	r.Rubric, r.Schema = overall, []byte("{")
	reply, err := Sender{}.Send(t.Context(), &llm.Prepared{Request: &llm.Request{Record: r}})
	if e, ok := err.(*llm.Error); !ok || e.Kind != llm.KindBadRequest || e.Status != 400 || reply.Body != nil {
		t.Errorf("an answer by a schema that is not JSON: %s, %v", reply.Body, err)
	}
	r.Schema = answerSchema(`{"type":"number"}`)
	if reply, err = (Sender{}).Send(t.Context(), &llm.Prepared{Request: &llm.Request{Record: r}}); err != nil || reply.Status != 200 {
		t.Errorf("status %d, %v", reply.Status, err)
	}
}
