package rubrics

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

const fiveLines = `name: asked_first
question: Did the assistant get a clear yes before this call?
answer: yes/no
pass: yes
when: tool in [cancel_order, refund_payment]
`

// x50 is a text that a message shows as x40.
var x50, x40 = strings.Repeat("x", 50), strings.Repeat("x", 39) + "…"

func loadOne(t testing.TB, file, text string) *Rubric {
	t.Helper()
	list, err := Load(strings.NewReader(text), file)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d rubrics, %v, of\n%s", len(list), err, text)
	}
	return list[0]
}

func TestFiveLines(t *testing.T) {
	r := loadOne(t, "asked.yaml", fiveLines)
	want := `{"type":"object","properties":{` +
		`"explanation":{"type":"string","description":"two to four sentences from the record to the answer","maxLength":1500},` +
		`"evidence":{"type":"string","description":"the quotes that decide","maxLength":1000},` +
		`"output":{"type":"string","enum":["yes","no"]},` +
		`"confidence":{"type":"number","minimum":0,"maximum":1,"description":"0 = a guess, 1 = no doubt"},` +
		`"correction":{"type":"object","additionalProperties":true,"description":"the better call, {\"name\": …, \"parameters\": {…}} ` +
		`with a tool of the record; {} when this one can stand"}},` +
		`"required":["explanation","evidence","output","confidence","correction"],"additionalProperties":false}`
	if d := cmp.Diff(want, r.SentSchema().JSON()); d != "" {
		t.Error(d)
	}
	if r.Scope != ScopeCall || r.Combine != "" || r.Confidence != (Band{0.7, 1}) || r.When.String() != "tool in [cancel_order, refund_payment]" {
		t.Errorf("%+v", r)
	}
	// The same in JSON, in a list and as it is printed is the same instrument.
	asJSON := `{"name":"asked_first","question":"Did the assistant get a clear yes before this call?","answer":"yes/no",` +
		`"pass":"yes","when":"tool in [cancel_order, refund_payment]"}`
	list := "- " + strings.ReplaceAll(strings.TrimSpace(fiveLines), "\n", "\n  ")
	for _, f := range [][2]string{{"a.jsonl", asJSON}, {"a.json", "[" + asJSON + "]"}, {"noname", fiveLines}, {"noname", asJSON}, {"a.yml", list}, {"a.jsonl", r.Source()}} {
		if same := loadOne(t, f[0], f[1]); same.SHA != r.SHA {
			t.Errorf("another instrument as %s:\n%s\n%s", f[0], same.Source(), r.Source())
		}
	}
}

func TestPublishedInYAML(t *testing.T) {
	v, err := value.ParseString(userFile)
	if err != nil {
		t.Fatal(err)
	}
	if r := loadOne(t, "a.yaml", "# mine\n- "+v.JSON()+"\n"); r.SHA != loadOne(t, "f", userFile).SHA || r.Line != 2 {
		t.Errorf("another instrument, line %d", r.Line)
	}
}

func TestAnswerKinds(t *testing.T) {
	yesNo := []string{"yes", "no"}
	for _, tt := range []struct {
		keys, output string
		want         Output
	}{
		{"answer: yes/no\npass: yes", `{"type":"string","enum":["yes","no"]}`, Output{Integer: true, Max: 1, Low: 1, High: 1, Categories: yesNo, Pass: yesNo[:1]}},
		{"answer: Yes / No\npass: false", `{"type":"string","enum":["yes","no"]}`, Output{Integer: true, Max: 1, Low: 1, High: 1, Categories: yesNo, Pass: yesNo[1:]}},
		{"answer: [good, fair, bad]\npass: [good, fair]\nscale: {good: no fault, bad: wrong}",
			`{"type":"string","enum":["good","fair","bad"],"description":"good = no fault; bad = wrong"}`,
			Output{Integer: true, Max: 1, Low: 1, High: 1, Categories: []string{"good", "fair", "bad"}, Pass: []string{"good", "fair"},
				Description: "good = no fault; bad = wrong"}},
		{"answer: [angry, calm, glad]", `{"type":"string","enum":["angry","calm","glad"]}`,
			Output{Integer: true, Min: 1, Max: 3, Low: 1, NoPass: true, Categories: []string{"angry", "calm", "glad"}}},
		{"answer: yes/no\nnot_applicable: yes\npass:", `{"type":"string","enum":["yes","no","not_applicable"]}`,
			Output{Integer: true, Min: 1, Max: 2, Low: 1, NoPass: true, Categories: yesNo, MayNotApply: true}},
		{"answer: 1.5..3\npass: 2.5", `{"type":"number","minimum":1.5,"maximum":3}`, Output{Min: 1.5, Max: 3, Low: 2.5, High: 3}},
		{"answer: 1-5\nscale: {1: bad, 3: fair, 5: good}",
			`{"type":"integer","minimum":1,"maximum":5,"description":"1 = bad; 3 = fair; 5 = good"}`,
			Output{Integer: true, Min: 1, Max: 5, Low: 1, NoPass: true, Description: "1 = bad; 3 = fair; 5 = good"}},
		{"answer: yes/no\npass: true", `{"type":"string","enum":["yes","no"]}`,
			Output{Integer: true, Max: 1, Low: 1, High: 1, Categories: yesNo, Pass: yesNo[:1]}},
		{"answer: 1-5\npass: '>= 4'", `{"type":"integer","minimum":1,"maximum":5}`, Output{Integer: true, Min: 1, Max: 5, Low: 4, High: 5}},
		{"answer: 1–5\npass: '> 2'", `{"type":"integer","minimum":1,"maximum":5}`, Output{Integer: true, Min: 1, Max: 5, Low: 3, High: 5}},
		{"answer: 0..1\npass: 0.5\nscale: how sure", `{"type":"number","minimum":0,"maximum":1,"description":"how sure"}`,
			Output{Max: 1, Low: 0.5, High: 1, Description: "how sure"}},
		{"answer: 0..10\npass: 2..8", `{"type":"number","minimum":0,"maximum":10}`, Output{Max: 10, Low: 2, High: 8}},
		{"answer: 0-3\npass: = 0", `{"type":"integer","minimum":0,"maximum":3}`, Output{Integer: true, Max: 3}},
		{"answer: 0-3\npass: < 2", `{"type":"integer","minimum":0,"maximum":3}`, Output{Integer: true, Max: 3, High: 1}},
		{"answer: 0..1\nnot_applicable: true", `{"anyOf":[{"type":"number","minimum":0,"maximum":1},{"const":"not_applicable"}]}`,
			Output{Max: 1, Low: 1, NoPass: true, MayNotApply: true}},
		{"answer: {properties: {steps: {type: array, items: {type: string}}, output: {type: integer, minimum: 0, maximum: 9}}}\npass: <= 3",
			`{"type":"integer","minimum":0,"maximum":9}`, Output{Integer: true, Max: 9, High: 3}},
		{"answer: {properties: {output: {type: number, minimum: 0, maximum: 1, threshold_low: 0.7, threshold_high: 1}}}",
			`{"type":"number","minimum":0,"maximum":1}`, Output{Max: 1, Low: 0.7, High: 1}},
	} {
		r := loadOne(t, "a.yaml", "name: n\nquestion: q?\n"+tt.keys)
		if d := cmp.Diff(tt.want, r.Output); d != "" {
			t.Errorf("%s\n%s", tt.keys, d)
		}
		if got := r.SentSchema().Field("properties").Field("output").JSON(); got != tt.output {
			t.Errorf("%s: sent %s", tt.keys, got)
		}
		if again := loadOne(t, "a.jsonl", r.Source()); again.SHA != r.SHA || cmp.Diff(again.Output, r.Output) != "" {
			t.Errorf("%s: its source reads otherwise", tt.keys)
		}
	}
}

func TestShortFields(t *testing.T) {
	const head = "name: n\nquestion: q?\nanswer: yes/no\npass: yes\n"
	keys := func(more string) string { return strings.Join(loadOne(t, "a.yaml", head+more).PropertyOrder(), " ") }
	for more, want := range map[string]string{
		"confidence: no": "explanation evidence output correction",
		"correction: no": "explanation evidence output confidence",
		"scope: turn":    "explanation evidence output confidence",
		"scope: result":  "explanation evidence output confidence correction",
		"extra: {rule: which rule, n: {type: integer}}": "explanation evidence rule n output confidence correction",
	} {
		if got := keys(more); got != want {
			t.Errorf("%s: %s", more, got)
		}
	}
	r := loadOne(t, "a.yaml", strings.Replace(head, "name: n", "name: expected_n", 1)+`considerations: [One., Two.]
language: de
sees: expected
scope: conversation
combine: last
compare_with: reward
extra: {rule: which rule}
examples:
  - conversation_context: [{role: user, content: Hello there}]
    output: {explanation: fine, evidence: '"Hello there"', rule: "1", output: yes, confidence: 0.9}
`)
	if r.Description != "q?\n\nKey considerations:\n- One.\n- Two." || r.Language != "de" || r.English() || !r.SeesExpected ||
		r.Scope != ScopeConversation || r.Combine != CombineLast || !slices.Equal(r.CompareWith, []string{"reward"}) {
		t.Errorf("%+v", r)
	}
	if got := r.SentSchema().Field("properties").Field("rule").JSON(); got != `{"type":"string","description":"which rule","maxLength":1000}` {
		t.Error(got)
	}
	for _, f := range Lint(r) {
		if f.Severity == SeverityError || !strings.Contains(f.Message, "1 examples pass and 0 fail") {
			t.Error(f)
		}
	}
	// An example of a call needs no correction.
	call := loadOne(t, "a.yaml", head+`examples:
  - conversation_context: [{role: user, content: Look up order 9}]
    tool_call: {name: look, parameters: {id: 9}}
    output: {explanation: fine, evidence: '"Look up order 9"', output: no, confidence: 0.9}
`)
	if got := call.Examples[0].Answer.JSON(); !strings.HasSuffix(got, `"correction":{}}`) || len(Lint(call)) != 1 {
		t.Error(got, Lint(call))
	}
	// The correction of an example stays as it is written; what is no property of the answer comes last.
	const better = `{"name":"look","parameters":{"id":8}}`
	own := loadOne(t, "a.yaml", head+`examples:
  - conversation_context: [{role: user, content: Look up order 9}]
    task: t1
    tool_call: {name: look, arguments: {id: 9}}
    output: {mood: 7, explanation: fine, correction: `+better+`, evidence: e, output: no, confidence: 0.9}
`).Examples[0]
	want := `{"explanation":"fine","evidence":"e","output":"no","confidence":0.9,"correction":` + better + `,"mood":7}`
	if got := own.Answer.JSON(); got != want || own.Task != "t1" || own.CallParameters().JSON() != `{"id":9}` {
		t.Errorf("%s of task %s with %s, want %s", got, own.Task, own.CallParameters().JSON(), want)
	}
	for scope, want := range map[string]Combine{"yes/no\npass: yes": CombineAll, "1-5\npass: 4": CombineMean, "[a, b]": CombineLast} {
		if got := loadOne(t, "a.yaml", "name: n\nquestion: q?\nscope: turn\nanswer: "+scope).Combine; got != want {
			t.Errorf("%s: %s", scope, got)
		}
	}
}

func TestShortProblems(t *testing.T) {
	const head = "name: n\nquestion: q?\n"
	for _, tt := range []struct{ in, want string }{
		{"name: n\nqestion: q?\nanswer: yes/no", `f.yaml:2:1: qestion: unknown key "qestion"; did you mean question?`},
		{head + "answer: yes/no\n  pass: [", "f.yaml:3:9: not valid YAML: "},
		{head + "answer: yes/no\nanswer: 1-5", `f.yaml:4:1: not valid YAML: mapping key "answer" already defined`},
		{"just text", "f.yaml:1:1: expected a rubric (keys with values), found \"just text\""},
		{head + "answer: maybe", `f.yaml:3:1: answer: "maybe" is not a kind of answer; write yes/no, a list`},
		{head + "answer: [good, baad]\npass: bad", `f.yaml:4:1: pass: "bad" is not a category; did you mean baad?`},
		{head + "answer: [good, bad]\npass: []", "f.yaml:4:1: pass: name the categories that pass"},
		{head + "answer: [good, Good]", `f.yaml:3:16: answer[1]: the category "Good" appears twice`},
		{head + "answer: [good]", "f.yaml:3:1: answer: a list of categories has two at least"},
		{head + "answer: [1, 2]", "f.yaml:3:10: answer[0]: a category is a text, not an integer; write it in quotation marks"},
		{head + "answer: [yes, n/a, not applicable]", "f.yaml:3:20: answer[2]: set not_applicable: yes instead"},
		{head + "answer: 1.5-3", "f.yaml:3:1: answer: a dash is for whole numbers; write 1.5..3 for any number between"},
		{head + "answer: 5-1\npass: 3", "f.yaml:3:1: answer: the maximum 1 must be greater than the minimum 5"},
		{head + "answer: 1-5\npass: good", `f.yaml:4:1: pass: "good" is not a band of numbers; write ">= 4"`},
		{head + "answer: 1-5\npass: >= 4", `f.yaml:4:7: not valid YAML: invalid header option: "="; a value that begins with > needs quotation marks`},
		{head + "answer: 1-5\npass: > 4", `f.yaml:4:1: pass: nothing is left of it: YAML needs quotation marks`},
		{head + "answer: 1-5\npass: true", `f.yaml:4:1: pass: "true" is not a band of numbers`},
		{head + "answer: 1-5\npass: 7", "f.yaml:4:1: pass: 7 is outside the range 1 to 5"},
		{head + "answer: 0..1\npass: '> 0.5'", "f.yaml:4:1: pass: a band includes its bounds; write >= 0.5"},
		{head + "answer: {type: integer}", "f.yaml:3:1: answer: the JSON Schema needs the property output"},
		{head + "answer: {properties: {output: {type: integer, minimum: 1}}}", "answer.properties.output.maximum: needs a finite number"},
		{head + "answer: yes/no\nextra: {output: x}", "f.yaml:4:9: extra.output: every answer has this field"},
		{head + "answer: yes/no\nextra: {a: {type: string, pattern: (}}", `schema: pattern "("`},
		{head + "answer: yes/no\nscope: trun", `f.yaml:4:1: scope: unknown value "trun"; did you mean turn?`},
		{head + "answer: yes/no\nnot_applicable: perhaps", `f.yaml:4:1: not_applicable: want yes or no, got "perhaps"`},
		{head + "answer: yes/no\nscope: turn\ncombine: mean", "f.yaml:5:1: combine: categories have no mean"},
		{head + "answer: yes/no\nscope: turn\ncombine: all", "f.yaml:5:1: combine: all needs pass"},
		{head + "answer: yes/no\ncombine: all", "f.yaml:4:1: combine: only turns and conversations are judged in segments"},
		{head + "answer: yes/no\nsees: expected", `f.yaml:4:1: sees: the judge is shown the expected calls or answer, and the name must say so wherever a score stands: call it n_expected`},
		{head + "answer: yes/no\nsees: all", `f.yaml:4:1: sees: unknown value "all"; known are expected`},
		{head + "answer: 1-5\nworst_of: a.b", `f.yaml:4:1: worst_of: the answer must be a list of categories, from the best to the worst`},
		{head + "answer: yes/no\nworst_of: a.b\nextra: {a: {type: array}}", `f.yaml:4:1: worst_of: want FIELD.KEY: a field of extra that is a list`},
		{head + "answer: yes/no\nworst_of: a.b\nextra: {a: {type: array, items: {properties: {b: {enum: [yes, perhaps]}}}}}",
			`f.yaml:4:1: worst_of: a.b has the verdict "perhaps", which is not one of the categories yes, no`},
		{head + "answer: yes/no\nscope: result\nexamples:\n- {conversation_context: [], tool_call: {name: a, parameters: {}}, output: {}}",
			`tool_call: put the judged call with its result into conversation_context, as the last message of role tool`},
		{head + "answer: yes/no\nscope: result\nexamples:\n- {conversation_context: [{role: user, content: a}], output: {}}",
			`conversation_context: the last call is the judged one and needs its result`},
		{head + "answer: yes/no\nscope: result\nexamples:\n- {conversation_context: [{role: assistant, tool_calls: [{id: a, " +
			"type: function, function: {name: f, arguments: '{}'}}]}], output: {}}",
			`conversation_context: the last call is the judged one and needs its result`},
		{head + "answer: yes-no", `f.yaml:3:1: answer: "yes-no" is not a kind of answer; did you mean yes/no?`},
		{head + "answer: [good, bad]\nscale: {goood: fine}", `f.yaml:4:9: scale.goood: "goood" is not a category; did you mean good?`},
		{head + "answer: 1-5\nscale: {7: fine}", `f.yaml:4:1: scale[7]: "7" is not on the scale from 1 to 5`},
		{head + "answer: yes/no\nwhen: ''", "f.yaml:4:1: when: character 1: expected tool or args.NAME, found the end"},
		{head + "answer: yes/no\njsonschema: {}", "f.yaml:4:1: jsonschema: a rubric has a question with its answer, or a jsonschema, not both"},
		{"name: n\nquestion: caf\xe9?\nanswer: yes/no", "f.yaml:2:14: the file is not UTF-8 text"},
		{head + "answer: yes/no\nlanguage: 7%", `f.yaml:4:1: language: want a language such as de or German, not "7%"`},
		{head + "answer: yes/no\nwhen: tol = x", `f.yaml:4:1: when: character 1: unknown word "tol"; did you mean tool?`},
		{head + "answer: yes/no\n'7': x", `f.yaml:4:1: 7: unknown key "7"; known are `},
		{head + "answer: 1.5-3\n", "f.yaml:3:1: answer: a dash is for whole numbers"},
		{head + "answer: {properties: {output: {type: integer, minimum: 1, maximum: 5}}}\nscale: x",
			"f.yaml:4:1: scale: with a JSON Schema, describe the scale in properties.output.description"},
		{head + "answer: {properties: {steps: 7, output: {type: integer, minimum: 1, maximum: 5}}}",
			"f.yaml:3:23: answer.properties.steps: want a description or a JSON Schema, not an integer"},
		{head + "answer: {properties: {output: {type: integer, minimum: 1, maximum: 5, threshold_low: 2}}}",
			"answer.properties.output.threshold_high: needs a finite number"},
		{head + "answer: {properties: {output: {type: integer, minimum: 1, maximum: 5, threshold_high: 2}}}",
			"answer.properties.output.threshold_low: needs a finite number"},
		{head + "answer: 1-5\npass: '> 2.5'", "f.yaml:4:1: pass: a band includes its bounds; write >= 2.5"},
		{head + "answer: 0..10\npass: '> 3'", "f.yaml:4:1: pass: a band includes its bounds; write >= 3"},
		{head + "answer: [good, bad]\npass: excellent", `f.yaml:4:1: pass: "excellent" is not a category; they are good, bad`},
		{head + "answer: yes/no\nguidelines: [a, 7]", "f.yaml:4:17: guidelines[1]: want text, got integer"},
		{head + "answer: yes/no\naligned: {parent: 7}", "f.yaml:4:11: aligned.parent: want text, got integer"},
		{"name: n\nquestion: q?\njsonschema: {}", "f.yaml:3:1: jsonschema: a rubric has a question with its answer, or a"},
		{"name: n\nanswer: yes/no\njsonschema: {}", "f.yaml:3:1: jsonschema: a rubric has a question with its answer, or a"},
		{head + "answer: yes/no\nworst_of: a.b\nextra: {a: {type: object, items: {properties: {b: {enum: [yes, no]}}}}}",
			`f.yaml:4:1: worst_of: want FIELD.KEY: a field of extra that is a list`},
		{head + "answer: {properties: {evidence: {type: array, items: {properties: {b: {enum: [yes, no]}}}}, " +
			"output: {type: string, enum: [yes, no]}}}\nworst_of: evidence.b",
			`f.yaml:4:1: worst_of: want FIELD.KEY: a field of extra that is a list`},
		{head + "answer: yes/no\nworst_of: a.b\nextra: {a: {type: array, items: {properties: {b: {enum: [" + x50 + "]}}}}}",
			`f.yaml:4:1: worst_of: a.b has the verdict "` + x40 + `", which is`},
		{head + "answer: " + x50, "f.yaml:3:1: answer: \"" + x40[:38] + "… is not a kind of answer"},
		{head + "answer: 1-5\npass: " + x50, `f.yaml:4:1: pass: "` + x40 + `" is not a band of numbers`},
		{head + "answer: 1-5\nscale: {" + x50 + ": x}", `"` + x40 + `" is not on the scale from 1 to 5`},
		{head + "answer: yes/no\npass: " + x50, `f.yaml:4:1: pass: "` + x40 + `" is not a category; they are yes, no`},
		{head + "answer: yes/no\nlanguage: 7" + x50[1:], `not "7` + x40[1:] + `"`},
		{head + "answer: yes/no\nnot_applicable: " + x50, "want yes or no, got \"" + x40[:38] + "…"},
		{"name: " + x50 + x50 + "\nquestion: q?\nanswer: yes/no\nsees: expected", "call it " + x50 + "xxxxxxxxx…_expected"},
		{"\xe9", "f.yaml:1:1: the file is not UTF-8 text; save it as UTF-8"},
		{head + "answer: yes/no\nexamples: [{}]", "examples[0].tool_call: the key is missing: it holds the judged call, " +
			`{"name", "parameters"}; here are no keys`},
		{head + "answer: yes/no\nexamples: [{a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, " + x50 + ": 1, i: 1}]",
			"; here are a, b, c, d, e, f, g, " + x40 + "\n"},
		{head + "answer: yes/no\nexamples: [{output: {output: yes}}]", "f.yaml:4:13: examples[0].tool_call: the key is missing"},
	} {
		_, err := Load(strings.NewReader(tt.in), "f.yaml")
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s\n got %v\nwant %s", tt.in, err, tt.want)
		}
		for _, p := range Problems(err) {
			if p.Line == 0 || p.Column == 0 || p.Message == "" {
				t.Errorf("%s: %+v", tt.in, p)
			}
		}
	}
	_, err := Load(strings.NewReader("{}\n{\"name\":\"n\",\"question\":\"q?\",\n \"answr\":\"yes/no\"}"), "f.jsonl")
	if err == nil || !strings.Contains(err.Error(), `f.jsonl:3:10: answr: unknown key "answr"; did you mean answer?`) {
		t.Error(err)
	}
}

func TestCheckCategories(t *testing.T) {
	r := loadOne(t, "a.yaml", "name: n\nquestion: q?\nanswer: 0..1\nnot_applicable: yes\nconfidence: no\ncorrection: no\n")
	for output, want := range map[string]string{
		"0.5": "", `"not_applicable"`: "", "7": "/output: 7 is greater than the maximum 1", `"n/a"`: `/output: "n/a" is a string, not of type number`,
	} {
		v, err := value.ParseString(`{"explanation":"e","evidence":"v","output":` + output + `}`)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, x := range r.Check(v) {
			got += x.String()
		}
		if got != want {
			t.Errorf("%s: %q", output, got)
		}
	}
}

func TestTake(t *testing.T) {
	const head = "name: n\nquestion: q?\nnot_applicable: yes\nanswer: "
	for _, tt := range []struct {
		answer, output, category string
		number                   float64
		none                     bool
	}{
		{"[a, b, c]\npass: [a, b]", `"b"`, "b", 1, false},
		{"[a, b, c]\npass: [a, b]", `"c"`, "c", 0, false},
		{"[a, b, c]", `"c"`, "c", 3, false},
		{"[a, b, c]", `"d"`, "", 0, true},
		{"1-5", "-0", "", 0, false}, {"1-5", `"4"`, "", 0, true},
		{"1-5", `"not_applicable"`, NotApplicable, 0, true},
	} {
		v, _ := value.ParseString(tt.output)
		got, category := loadOne(t, "a.yaml", head+tt.answer).Output.Take(v)
		if category != tt.category || (got == nil) != tt.none || got != nil && (*got != tt.number || math.Signbit(*got)) {
			t.Errorf("%s of %s: %v %q", tt.output, tt.answer, got, category)
		}
	}
}

func TestWhen(t *testing.T) {
	args, err := value.ParseString(`{"amount":0,"id":"987","n":987.0,"ok":true,"items":[{"sku":"A"}],"note":null,"a/b":1}`)
	if err != nil {
		t.Fatal(err)
	}
	call := &transcript.Call{Name: "refund_payment", Arguments: args}
	for text, want := range map[string]bool{
		"tool = refund_payment": true, "tool == 'refund_payment'": true, "tool != refund_payment": false,
		"tool in [cancel_order, refund_payment] and not args.amount = 0": false,
		"tool in [cancel_order, refund_payment] and args.amount=0":       true,
		"tool not in [cancel_order]":                                     true,
		"tool = x or tool = refund_payment and args.ok = true":           true,
		"(tool = x or tool = refund_payment) and args.ok = false":        false,
		"args.id = 987": true, `args.id = "987"`: true, "args.n = 987": true, `args.n = "987"`: false,
		"args.items.0.sku = A": true, "args.items.1.sku = A": false, "args.missing != 3": true,
		"tool = refund_payment or tool = x": true, "tool = x and args.ok = true": false,
		"tool != " + strings.Repeat("x", 3992): true, // 4000 bytes
		"args.missing = null":                  true, "args.note = null": true, "args.a/b = 1": true, "NOT NOT args.ok = true": true,
	} {
		w, err := parseWhen(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if w.Holds(call) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
	if !(*When)(nil).Holds(call) || (*When)(nil).String() != "" {
		t.Error("no condition excludes a call, or has a text")
	}
	for text, want := range map[string]string{
		"tool in cancel_order": `character 9: expected a list such as [a, b], found "cancel_order"`,
		"tool in [a b]":        `character 12: expected , or ], found "b"`,
		"tool is x":            `character 6: expected =, != or in, found "is"`,
		"tool = x adn tool=y":  `character 10: expected and, or, or the end, found "adn"; did you mean and?`,
		"tool inn [x]":         `character 6: expected =, != or in, found "inn"; did you mean in?`,
		"arg.amount = 0":       `character 1: unknown word "arg.amount"; did you mean args?`,
		"args = 0":             `character 1: expected tool or args.NAME, found "args"`,
		"(tool = x":            "character 10: expected ), found the end",
		"tool = ":              "character 8: expected a value, found the end",
		"tool = 'x":            "character 8: the quotation mark is not closed",
		"":                     "character 1: expected tool or args.NAME, found the end",
		"tool not x":           `character 10: expected =, != or in, found "x"`,
		"tool = x orr tool=y":  `character 10: expected and, or, or the end, found "orr"; did you mean or?`,
		"tool nott in [x]":     `character 6: expected =, != or in, found "nott"; did you mean not?`,
		"nott tool = x":        `character 1: unknown word "nott"; did you mean not?`,
		"args. = 0":            `character 1: expected tool or args.NAME, found "args."`,
		"banana = 0":           `character 1: expected tool or args.NAME, found "banana"`,
		"tool = (x)":           `character 8: expected a value, found "("`,
		"tool in [=]":          `character 10: expected a value, found "="`,
		"tool " + x50:          `character 6: expected =, != or in, found "` + x40 + `"`,
	} {
		if _, err := parseWhen(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func FuzzWhen(f *testing.F) {
	f.Add("tool in [a, 'b'] and not (args.x = 1 or args.y != null)")
	f.Fuzz(func(t *testing.T, text string) {
		if w, err := parseWhen(text); err == nil {
			w.Holds(&transcript.Call{Name: "a", Arguments: value.OfObject()})
		}
	})
}

func TestResultExample(t *testing.T) {
	r := loadOne(t, "a.yaml", `name: n
question: q?
answer: yes/no
pass: yes
scope: result
examples:
  - conversation_context:
      - {role: tool, name: look, parameters: {id: 6}, output: none}
      - {role: tool, name: look, parameters: {id: 7}, output: blue}
      - {role: assistant, content: It is blue.}
    output: {explanation: e, evidence: '"It is blue."', output: yes, confidence: 1}`)
	e := r.Examples[0]
	if e.CallName() != "look" || e.CallParameters().JSON() != `{"id":7}` || len(e.Log.Calls) != 2 || len(e.Log.Messages) != 5 {
		t.Errorf("%s(%s) of %d calls, %d messages", e.CallName(), e.CallParameters().JSON(), len(e.Log.Calls), len(e.Log.Messages))
	}
}

func TestWorst(t *testing.T) {
	r := loadOne(t, "a.yaml", "name: n\nquestion: q?\nanswer: [good, fair, bad]\npass: good\nworst_of: all.is\nconfidence: no\ncorrection: no\n"+
		"extra: {all: {type: array, items: {type: object, properties: {is: {enum: [good, fair, bad]}}}}}")
	for list, want := range map[string]string{`[]`: "good", `[{"is":"fair"},{"is":"good"}]`: "fair", `[{"is":"bad"},{"is":"fair"}]`: "bad",
		`[{"is":"fair"},{"is":"odd"}]`: "", `[{}]`: "", `null`: "", `{"is":"bad"}`: ""} {
		for _, stated := range []string{"good", "fair", "bad"} {
			answer, _ := value.ParseString(`{"explanation":"e","evidence":"v","all":` + list + `,"output":"` + stated + `"}`)
			worst, ok := r.Worst(answer)
			broken := slices.ContainsFunc(r.Check(answer), func(v Violation) bool { return v.Pointer == "/output" })
			if worst != want || ok != (want != "") || broken != (stated != want) {
				t.Errorf("%s: %s, %v, and %s is refused: %v", list, worst, ok, stated, broken)
			}
		}
	}
	without := loadOne(t, "a.yaml", fiveLines)
	for _, answer := range []value.Value{value.OfObject(), value.Pairs("", value.OfList())} {
		if _, ok := without.Worst(answer); ok {
			t.Errorf("a rubric without a list has the worst of %s", answer.JSON())
		}
	}
	if !r.HasVerdictList() || without.HasVerdictList() {
		t.Errorf("has a list: %v, and the one without: %v", r.HasVerdictList(), without.HasVerdictList())
	}
}

// TestUnjudged: the arguments of a call that have no entry in the list of verdicts about parameters.
func TestUnjudged(t *testing.T) {
	of := func(list, items string) *Rubric {
		return loadOne(t, "a.yaml", "name: n\nquestion: q?\nanswer: [good, bad]\npass: good\nworst_of: "+list+".is\n"+
			"extra: {"+list+": {type: array, "+items+"}}")
	}
	const items = "items: {type: object, properties: {name: {type: string}, is: {enum: [good, bad]}}}"
	named := of("parameters", items)
	for _, tt := range []struct {
		r         *Rubric
		list      string
		arguments string
		want      string
	}{
		{named, `[{"name":"a"},{"name":"b"}]`, "a b", ""}, {named, `[{"name":"b"}]`, "a b c", "a c"},
		{named, `[]`, "a b", "a b"}, {named, `[{"name":"a.city"},{"name":"b[0]"}]`, "a b", ""},
		{named, `[{"name":"ab"},{"name":"a-b"},{"name":"a]"}]`, "a", "a"}, {named, `[{"name":"x"},{"name":"a"}]`, "a", ""},
		{named, `[{"name":"a"},{"name":"x"}]`, "a", ""}, {named, `[]`, "", ""}, {named, `{}`, "a", ""}, {named, `7`, "a", ""},
		{named, `[{"name":"[0]"},{"name":".a"},{"is":"good"}]`, "a", "a"},
		{of("all", items), `[]`, "a", ""},
		{of("parameters", "items: {type: object, properties: {is: {enum: [good, bad]}}}"), `[]`, "a", ""},
		{of("parameters", "maxItems: 2, "+items), `[]`, "a b", "a b"},
		{of("parameters", "maxItems: 2, "+items), `[]`, "a b c", ""},
	} {
		list, err := value.ParseString(tt.list)
		if err != nil {
			t.Fatal(err)
		}
		answer := value.Pairs("parameters", list, "all", list)
		if got := strings.Join(tt.r.Unjudged(answer, strings.Fields(tt.arguments)), " "); got != tt.want {
			t.Errorf("%s of %s: %q, want %q", tt.list, tt.arguments, got, tt.want)
		}
	}
}

// TestPublishedKeys: the published form of a short rubric has every key that its author wrote.
func TestPublishedKeys(t *testing.T) {
	r := loadOne(t, "a.yaml", `name: expected_n
question: q?
answer: [good, bad]
pass: good
scope: turn
combine: last
when: tool = a
language: de
sees: expected
not_applicable: yes
confidence: yes
correction: no
compare_with: reward
worst_of: all.is
extra: {all: {type: array, items: {type: object, properties: {is: {enum: [good, bad]}}}}}
guidelines: [Be kind.]
retrieve: 1
aligned: {parent: a, labels: m}
`)
	source, err := value.ParseString(r.Source())
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for key := range source.Members() {
		keys = append(keys, key)
	}
	want := strings.Fields("name scope combine when language sees not_applicable confidence correction compare_with " +
		"worst_of guidelines retrieve aligned pass jsonschema examples")
	if d := cmp.Diff(want, keys); d != "" {
		t.Error(d)
	}
	if examples := source.Field("examples").JSON(); examples != "[]" {
		t.Errorf("examples: %s", examples)
	}
	// The author's own words replace those that every answer has, in their place.
	own := loadOne(t, "a.yaml", "name: n\nquestion: q?\nanswer: {properties: {explanation: {type: string, maxLength: 500}, "+
		"steps: all steps, code: {type: string, const: x}, output: {type: integer, minimum: 1, maximum: 5, threshold_low: 2, "+
		"threshold_high: 5}, confidence: {type: number, minimum: 0, maximum: 1, threshold_low: 0.9}}}\npass: 3")
	props := own.SentSchema().Field("properties")
	if got := strings.Join(own.PropertyOrder(), " "); got != "explanation evidence steps code output confidence correction" {
		t.Errorf("the properties are %s", got)
	}
	for key, want := range map[string]string{
		"explanation": `{"type":"string","maxLength":500}`, "code": `{"type":"string","const":"x"}`,
		"steps":      `{"type":"string","description":"all steps","maxLength":1000}`,
		"confidence": `{"type":"number","minimum":0,"maximum":1}`,
	} {
		if got := props.Field(key).JSON(); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if own.Confidence != (Band{0.9, 1}) || own.Output.Low != 3 {
		t.Errorf("confidence %v, passes from %v", own.Confidence, own.Output.Low)
	}
}
