package rubrics

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/value"
)

// problemsOf returns the messages about a file, with their places.
func problemsOf(text, name string) (out []string) {
	_, err := Load(strings.NewReader(text), name)
	for _, p := range Problems(err) {
		out = append(out, p.Error())
	}
	return out
}

// TestWrongKeys: what a rubric cannot mean is named with its place, in the published form.
func TestWrongKeys(t *testing.T) {
	long := strings.Repeat("x", 201)
	category := func(name string) []string {
		return []string{`"output": {"type": "integer", "minimum": 1, "maximum": 5, "threshold_low": 3, "threshold_high": 5}`,
			`"output": {"type": "string", "enum": ["a", "` + name + `"]}`}
	}
	const badName = "f:2:11: name: the name must be 1 to 200 characters on one line"
	const badCategory = "f:10:50: jsonschema.properties.output.enum[1]: a category has 1 to 100 characters on one line, " +
		"without blanks around them"
	for _, tt := range []struct {
		edit []string // old and new
		want string   // of the first problem; "" for none
	}{
		{[]string{"tone_check", " "}, badName}, {[]string{"tone_check", long}, badName},
		{[]string{"tone_check", `a\nb`}, badName}, {[]string{"tone_check", long[1:]}, ""},
		{[]string{"Is the call polite?", " "},
			"f:5:20: jsonschema.description: the schema needs a description: it says what to grade"},
		{[]string{`"type": "object",`, `"type": "array",`},
			`f:6:13: jsonschema.type: the answer is an object: set "type": "object"`},
		{[]string{`"type": "object",`, ``}, ""},
		{[]string{`"required": [`, `"required": [7, `},
			"f:14:17: jsonschema.required: must be a list of names, not an array"},
		{[]string{`"required": [`, `"additionalProperties": "no", "required": [`},
			"f:14:29: jsonschema.additionalProperties: must be true, false or a schema, not a string"},
		{[]string{`"required": [`, `"additionalProperties": {}, "required": [`}, ""},
		{[]string{`"required": [`, `"additionalProperties": true, "required": [`}, ""},
		{[]string{`"examples": [`, `"compare_with": 7, "examples": [`},
			"f:16:19: compare_with: must be the name of a scorer, or a list of names, not an integer"},
		{[]string{`"examples": [`, `"compare_with": ["a", " "], "examples": [`},
			`f:16:25: compare_with[1]: must be the name of a scorer, or a list of names, not " "`},
		{[]string{`"examples": [`, `"compare_with": "a", "examples": [`}, ""},
		{[]string{`"examples": [`, `"pass": "x", "examples": [`},
			"f:16:11: pass: on a scale of numbers, threshold_low and threshold_high say what passes"},
		{[]string{`"examples": [`, `"guidelines": ["a", ""], "examples": [`},
			"f:16:23: guidelines[1]: a guideline is a text on one line"},
		{[]string{`"examples": [`, `"guidelines": ["a\nb"], "examples": [`},
			"f:16:18: guidelines[0]: a guideline is a text on one line"},
		{[]string{`"examples": [`, `"examples": 7, "x": [`}, "f:16:15: examples: examples must be a list, not an integer"},
		{[]string{`"examples": [`, `"examples": null, "x": [`}, ""},
		{[]string{`"examples": [`, `"examples": [7, `},
			"f:16:16: examples[0]: an example is an object with user_kwargs and output, not an integer"},
		{[]string{`"tool_call": {"name": "tag"`, `"tool_call": 7, "x": {"name": "tag"`},
			`f:23:20: examples[0].tool_call: not usable: it holds the judged call, {"name", "parameters"}; here is an integer`},
		{[]string{`"tool_call": {"name": "tag"`, `"tool_call": {"name": ""`},
			"f:23:29: examples[0].tool_call.name: not usable: it names the called tool; here is a string"},
		{[]string{`"conversation_context": [
        {"role": "user", "content": "Tag`, `"conversation_context": {}, "x": [
        {"role": "user", "content": "Tag`},
			"f:18:31: examples[0].conversation_context: must be a list of objects, not an object"},
		{[]string{`"confidence": {"type": "number"`, `"confidence": {"type": "string"`},
			`f:11:30: jsonschema.properties.confidence.type: the confidence must be of type "number", not "string"`},
		{[]string{`"confidence": {"type": "number"`, `"confidence": {"type": "integer"`}, ""},
		{[]string{`"minimum": 0.0, "maximum": 1.0, "threshold_low": 0.7`, `"threshold_low": -0.1`},
			"f:11:57: jsonschema.properties.confidence.threshold_low: -0.1 is outside the range 0 to 1"},
		{[]string{`"minimum": 0.0, "maximum": 1.0, "threshold_low": 0.7, "threshold_high": 1.0`, `"threshold_high": 1.1`},
			"f:11:58: jsonschema.properties.confidence.threshold_high: 1.1 is outside the range 0 to 1"},
		{[]string{`"threshold_high": 5`, `"threshold_high": 6`},
			"f:10:103: jsonschema.properties.output.threshold_high: 6 is outside the range 1 to 5"},
		{[]string{"tone_check", "tone check"}, ""},
		{[]string{`"jsonschema": {`, `"jsonschema": {"description": "d", "properties": 7}, "x": {`},
			"f:3:52: jsonschema.properties: the schema needs properties: explanation, evidence, output, confidence, correction"},
		{[]string{`"output": {"type": "integer"`, `"output": {"type": "integer", "enum": [1, 2, 5]`}, ""},
		{[]string{`"maximum": 1.0, "threshold_low": 0.7, "threshold_high": 1.0`,
			`"maximum": 10, "threshold_low": 7, "threshold_high": 9`}, ""},
		{[]string{`"minimum": 0.0, "maximum": 1.0, "threshold_low": 0.7`,
			`"minimum": -5, "maximum": 1.0, "threshold_low": -1`}, ""},
		{[]string{`"tool_call": {"name": "tag"`, `"tool_call": {"name": {}`},
			"f:23:29: examples[0].tool_call.name: not usable: it names the called tool; here is an object"},
		{category(" b"), badCategory}, {category(""), badCategory}, {category(long[:101]), badCategory},
		{category(`b\nc`), badCategory}, {category(long[:100]), ""}, {category("b"), ""},
	} {
		text := strings.Replace(userFile, tt.edit[0], tt.edit[1], 1)
		if strings.Contains(tt.edit[1], `"enum"`) {
			text = text[:strings.Index(text, `"examples"`)] + `"examples": []}`
		}
		got := ""
		if list := problemsOf(text, "f"); len(list) > 0 {
			got = list[0]
		}
		if got != tt.want {
			t.Errorf("%q:\n got %s\nwant %s", tt.edit[1], got, tt.want)
		}
	}
}

// TestOneProblem: what follows from a mistake is no further one.
func TestOneProblem(t *testing.T) {
	edit := func(old, new string) string { return strings.Replace(userFile, old, new, 1) }
	for name, tt := range map[string]struct {
		file, text string
		want       []string
	}{
		"no schema": {"f.yaml", "name: n\n",
			[]string{"f.yaml:1:1: jsonschema: the rubric needs a jsonschema (an object)"}},
		"both forms": {"f.yaml", "name: n\nquestion: q?\njsonschema: x\n", []string{
			"f.yaml:3:1: jsonschema: a rubric has a question with its answer, or a jsonschema, not both; remove one"}},
		"unknown keys": {"f.yaml", "name: n\nqestion: q?\nanswer: maybe\n", []string{
			"f.yaml:1:1: question: is missing", `f.yaml:2:1: qestion: unknown key "qestion"; did you mean question?`}},
		"an unknown key": {"f.yaml", "name: n\nquestion: q?\nanswer: maybe\nqestion: x\n", []string{
			`f.yaml:4:1: qestion: unknown key "qestion"; did you mean question?`}},
		"the name": {"f", strings.Replace(edit("tone_check", " "), `"examples"`, `"worst_of": "a.b", "examples"`, 1),
			[]string{"f:2:11: name: the name must be 1 to 200 characters on one line"}},
		"the type of the output": {"f", edit(`"type": "integer", "minimum": 1, "maximum": 5`, `"type": "string"`), []string{
			`f:10:26: jsonschema.properties.output.type: the output must be of type "integer" or "number", not "string"`}},
		"the type of the confidence": {"f", edit(`"type": "number", "minimum": 0.0`, `"type": "string", "minimum": "0"`),
			[]string{`f:11:30: jsonschema.properties.confidence.type: the confidence must be of type "number", not "string"`}},
		"a keyword": {"f", edit(`"evidence": {"type": "string"`, `"evidence": {"type": "string", "maxLength": "5"`), []string{
			"f:9:51: jsonschema.properties.evidence.maxLength: not a value that this keyword of JSON Schema can have (type)"}},
		"a pattern": {"f.yaml", "name: n\nquestion: q?\nanswer: yes/no\nextra: {a: {type: string, pattern: (}}", []string{
			`f.yaml:1:1: schema: pattern "(" cannot be read: pattern "(": error parsing regexp: missing closing ) in ` + "`(`"}},
		"the examples": {"f", edit(`"examples": [`, `"examples": {}, "x": [`),
			[]string{"f:16:15: examples: examples must be a list, not an object"}},
		"an example": {"f", edit(`"examples": [`, `"examples": [7, `), []string{
			"f:16:16: examples[0]: an example is an object with user_kwargs and output, not an integer"}},
		"two mistakes, one of them a key that is there twice": {"f",
			edit(`"name": "tone_check",`, `"name": " ", "sees": "expected", "sees": "expected",`), []string{
				"f:2:24: sees: the key appears twice; remove one",
				"f:2:11: name: the name must be 1 to 200 characters on one line",
				"f:2:24: sees: the judge is shown the expected calls or answer, and the name must say so wherever a score " +
					"stands: call it  _expected"}},
		"no correction of a turn": {"f", strings.NewReplacer(`"name": "tone_check",`, `"name": "tone_check", "scope": "turn",`,
			",\n      \"correction\": {\"type\": \"object\"}", "", `, "correction"]`, "]").Replace(userFile), nil},
		"no correction of a call": {"f", edit(`"correction": {"type": "object"}`, `"mood": {"type": "object"}`), []string{
			`f:7:19: jsonschema.properties.correction: the schema needs the property "correction" (an object)`}},
		"two records": {"f.jsonl", "7\n{}", []string{
			`f.jsonl:1:1: expected a rubric (a JSON object), found "7"`, "f.jsonl:2:1: name: the rubric needs a name (a string)",
			"f.jsonl:2:1: jsonschema: the rubric needs a jsonschema (an object)"}},
		"JSON by its name": {"f.json", "name: n", []string{
			`f.json:1:1: expected a rubric (a JSON object), found "name: n"`}},
		"JSON, long": {"f.json", x50, []string{`f.json:1:1: expected a rubric (a JSON object), found "` + x50[:19] + `…"`}},
		"one letter": {"f", "x", []string{`f:1:1: expected a rubric (keys with values), found "x"`}},
		"YAML, long": {"f", x50, []string{`f:1:1: expected a rubric (keys with values), found "` + x50[:38] + `…`}},
		"not YAML":   {"f.yaml", "a: [", []string{"f.yaml:1:4: not valid YAML: sequence end token ']' not found"}},
	} {
		if d := cmp.Diff(tt.want, problemsOf(tt.text, tt.file)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if p := (&Problem{File: "f", Line: 3, Message: "m"}); p.Error() != "f:3: m" {
		t.Errorf("without a column: %s", p.Error())
	}
}

// TestPassBand: which answers a pass band allows, on scales of whole and of other numbers.
func TestPassBand(t *testing.T) {
	const bounds = "; write \">= 4\", \"<= 2\", \"= 1\" or \"3..5\""
	for _, tt := range []struct{ kind, text, want string }{
		{"integer", "4", "4 to 5"}, {"integer", ">= 4", "4 to 5"}, {"integer", "≥4", "4 to 5"}, {"integer", "<= 2", "1 to 2"},
		{"integer", "≤ 2", "1 to 2"}, {"integer", "= 3", "3 to 3"}, {"integer", "==3", "3 to 3"}, {"integer", "> 3", "4 to 5"},
		{"integer", "< 3", "1 to 2"}, {"integer", "2-4", "2 to 4"}, {"integer", "2..4", "2 to 4"}, {"number", "0.5 – 1", "0.5 to 1"},
		{"number", ">= -0.5", "-0.5 to 5"}, {"number", "> 3", "a band includes its bounds; write >= 3"},
		{"number", "< 2.5", "a band includes its bounds; write <= 2.5"},
		{"integer", "> 2.5", "a band includes its bounds; write >= 2.5"},
		{"integer", "", `nothing is left of it: YAML needs quotation marks around ">= 4"`},
		{"integer", "high", `"high" is not a band of numbers` + bounds}, {"integer", "=> 4", `"=> 4" is not a band of numbers` + bounds},
		{"integer", x50, `"` + x50[:39] + `…" is not a band of numbers` + bounds},
	} {
		low, high, err := passBand(tt.text, jsonValue(t, `{"type":"`+tt.kind+`","minimum":1,"maximum":5}`))
		got := low.Text() + " to " + high.Text()
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s %q: %s, want %s", tt.kind, tt.text, got, tt.want)
		}
	}
}

// TestYAMLLists: a YAML file may hold several rubrics; one that cannot be used is left out.
func TestYAMLLists(t *testing.T) {
	const text = "- name: a\n  question: q?\n  answer: yes/no\n- 7\n- name: b\n  question: \"\ufffd?\"\n  answer: 1-5\n"
	list, err := Load(strings.NewReader(text), "f.yaml")
	if d := cmp.Diff([]string{"a@1", "b@5"}, places(list)); d != "" || err == nil ||
		err.Error() != "f.yaml:4:3: expected a rubric (keys with values), found 7" {
		t.Errorf("%v %s", err, d)
	}
	for _, empty := range []string{"{}", "# nothing\n"} {
		if list, err := Load(strings.NewReader(empty), "f.yaml"); err != nil || len(list) != 0 {
			t.Errorf("%q: %v, %v", empty, list, err)
		}
	}
	// A problem in a record that begins within a line stands at its own column.
	line := compact(t, strings.Replace(userFile, `"maximum": 5`, `"maximum": "5"`, 1))
	at := strings.Index(line, `"maximum":"5"`) + len(`"maximum":`) + 1
	for _, front := range []string{"", "[ "} {
		want := fmt.Sprintf("f.json:1:%d: jsonschema.properties.output.maximum: needs a finite number", len(front)+at)
		if got := problemsOf(front+line, "f.json"); len(got) != 1 || got[0] != want {
			t.Errorf("%q, want %s", got, want)
		}
	}
}

// TestPlacesInTheShortForm: a problem of the expanded rubric is named where the author wrote it.
func TestPlacesInTheShortForm(t *testing.T) {
	const head = "name: n\nquestion: q?\n"
	for _, tt := range [][2]string{
		{head + "answer: yes/no\nextra: {a: {type: string, maxLength: x}}",
			"f.yaml:4:27: extra.a.maxLength: "},
		{head + "answer: yes/no\nextra: {a/b: {type: string, maxLength: x}}",
			"f.yaml:4:29: extra.a/b.maxLength: "},
		{head + "answer: yes/no\nextra: 7",
			"f.yaml:4:1: extra: want fields with a description"},
		{head + "answer: yes/no\nextra: {a: 7}",
			"f.yaml:4:9: extra.a: want a description or a JSON Schema"},
		{head + "answer: {properties: {output: {type: integer, minimum: 1, maximum: 0}}}\npass: 0",
			"f.yaml:3:59: answer.properties.output.maximum: the maximum 0"},
		{head + "answer: 1-5\nscale: 7",
			"f.yaml:4:1: scale: want a text, or a text for each value"},
		{head + "answer: 1-5\nscale: {-1: x}",
			`f.yaml:4:1: scale[-1]: "-1" is not on the scale from 1 to 5`},
		{head + "answer: 1-5\nscale: {good: x}",
			`f.yaml:4:9: scale.good: "good" is not on the scale from 1 to 5`},
		{"name: n\nquestion: ' '\nanswer: yes/no",
			"f.yaml:2:1: question: the schema needs a description"},
		{head + "answer: [' a', b]",
			"f.yaml:3:10: answer[0]: a category has 1 to 100 characters"},
		{"name: n\njsonschema: x\n",
			"f.yaml:2:1: jsonschema: the rubric needs a jsonschema (an object)"},
		{"name: n\n",
			"f.yaml:1:1: jsonschema: the rubric needs a jsonschema (an object)"},
		{head + "answer: yes/no\nscope: turn\ncombine: any",
			"f.yaml:5:1: combine: any needs pass"},
		{head + "answer: yes/no\nscope: turn\nexamples:\n- {conversation_context: [], tool_call: 7, output: {}}",
			"tool_call: not usable: it holds"},
		{head + "answer: yes/no\nwhen: tool = " + strings.Repeat("x", 5000),
			"f.yaml:4:1: when: the condition has more than 4000 bytes"},
	} {
		if got := problemsOf(tt[0], "f.yaml"); len(got) == 0 || !strings.Contains(got[0], tt[1]) {
			t.Errorf("%.200s:\n got %.300q\nwant %s", tt[0], got, tt[1])
		}
	}
}

// TestSettingsOfRubrics: settings are kept as they were given, and what judge align adds stands in the prompt.
func TestSettingsOfRubrics(t *testing.T) {
	const head = "name: n\nquestion: q?\n"
	r := loadOne(t, "a.yaml", head+"answer: yes/no\nguidelines: [First., Second.]\nretrieve: 2\nconsiderations: [Only.]\n"+
		"aligned: {parent: abc, labels: m1 m2}\nconfidence: yes\n")
	const want = "q?\n\nKey considerations:\n- Only.\n\nRules that people's labels taught; apply each that fits:\n" +
		"1. First.\n2. Second."
	if title := loadOne(t, "f", userFile).Title; title != "Tone" {
		t.Errorf("the title is %q", title)
	}
	// A confidence that nobody asked for is read where the schema has one.
	given := loadOne(t, "f", strings.Replace(userFile, `"examples": [`, `"confidence": false, "examples": [`, 1))
	if given.Confidence != (Band{0.7, 1}) {
		t.Errorf("confidence %v", given.Confidence)
	}
	if r.Description != want || r.Retrieve != 2 || r.Aligned == nil || *r.Aligned != (Aligned{"abc", "m1 m2"}) ||
		!slices.Contains(r.PropertyOrder(), KeyConfidence) {
		t.Errorf("%+v", r)
	}
	for keys, want := range map[string]Combine{
		"answer: 1-5\ncombine: mean": CombineMean, "answer: 1-5\ncombine: last": CombineLast,
		"answer: 1-5\npass: 4\ncombine: any":      CombineAny,
		"answer: yes/no\npass: yes\ncombine: any": CombineAny, "answer: [a, b]\ncombine: last": CombineLast,
	} {
		if got := loadOne(t, "a.yaml", head+"scope: turn\n"+keys).Combine; got != want {
			t.Errorf("%s: %s", keys, got)
		}
	}
	for language, want := range map[string]bool{
		"": true, "en": true, "EN": true, "English": true, "en-US": true, "de": false, "enga": false, "pt-BR": false,
	} {
		if got := (&Rubric{Language: language}).English(); got != want {
			t.Errorf("%q is English: %v", language, got)
		}
	}
	sent := loadOne(t, "a.yaml", head+"answer: 0..1\nscale: how sure\nnot_applicable: yes\n"+
		"extra: {a: text, b: {type: string, enum: [x]}, c: {type: integer}}\n")
	props := sent.SentSchema().Field("properties")
	for key, want := range map[string]string{
		"output": `{"anyOf":[{"type":"number","minimum":0,"maximum":1},{"const":"not_applicable"}],"description":"how sure"}`,
		"a":      `{"type":"string","description":"text","maxLength":1000}`, "b": `{"type":"string","enum":["x"]}`,
		"c": `{"type":"integer"}`,
	} {
		if got := props.Field(key).JSON(); got != want {
			t.Errorf("%s: %s", key, got)
		}
	}
	text := loadOne(t, "f", strings.NewReplacer(`"type": "object",`, "", `"correction": {"type": "object"}`,
		`"correction": {"type": "object", "description": "A better call."}`).Replace(userFile))
	asText := text.SentSchemaText()
	if got := asText.Field("properties").Field("correction").JSON(); asText.Field("type").Text() != "object" ||
		got != `{"type":"string","description":"A JSON object as text. A better call."}` {
		t.Errorf("%s", asText.JSON())
	}
	without := loadOne(t, "a.yaml", head+"answer: yes/no\ncorrection: no\n")
	if without.SentSchemaText().Field("properties").Has(KeyCorrection) {
		t.Error("a correction is asked for that the rubric does without")
	}
}

// TestScales: which scores are borderline, and which words a category may come in.
func TestScales(t *testing.T) {
	for _, tt := range []struct {
		output Output
		binary bool
		margin float64
	}{
		{Output{Integer: true, Min: 0, Max: 1}, true, 0}, {Output{Integer: true, Min: 4, Max: 5}, true, 0},
		{Output{Integer: true, Min: 1, Max: 5}, false, 0.5}, {Output{Integer: true, Min: 2, Max: 10}, false, 1},
		{Output{Min: 0, Max: 1}, false, 0.1}, {Output{Min: 5, Max: 10}, false, 0.5},
		{Output{Integer: true, Min: 1, Max: 3, Categories: []string{"a", "b", "c"}}, false, 0},
	} {
		if got := tt.output.Margin(); got != tt.margin || tt.output.Binary() != tt.binary {
			t.Errorf("%+v: margin %v, binary %v", tt.output, got, tt.output.Binary())
		}
	}
	yes := Output{Categories: []string{"yes", "no", "well done"}, MayNotApply: true}
	for _, tt := range []struct {
		output        Output
		written, want string
		other         bool
	}{
		{yes, `"yes"`, `"yes"`, false}, {yes, `"Yes."`, `"yes"`, true}, {yes, `true`, `"yes"`, true},
		{yes, `false`, `"no"`, true},
		{yes, `"Well-Done"`, `"well done"`, true}, {yes, `"N/A"`, `"not_applicable"`, true},
		{yes, `"not applicable"`, `"not_applicable"`, true}, {yes, `"not_applicable"`, `"not_applicable"`, false},
		{Output{Categories: []string{"1", "2"}}, `1`, `1`, false},
		{yes, `"maybe"`, `"maybe"`, false}, {yes, `1`, `1`, false}, {yes, `null`, `null`, false},
		{Output{Categories: yes.Categories}, `"n/a"`, `"n/a"`, false}, {Output{Max: 1}, `true`, `true`, false},
		{Output{Max: 1}, `"1"`, `"1"`, false}, {Output{Max: 1, MayNotApply: true}, `"NA"`, `"not_applicable"`, true},
	} {
		v, _ := value.ParseString(tt.written)
		if got, other := tt.output.Meant(v); got.JSON() != tt.want || other != tt.other {
			t.Errorf("%s: %s, in another spelling: %v", tt.written, got.JSON(), other)
		}
	}
	if (Output{}).IsNotApplicable(value.OfString(NotApplicable)) || !yes.IsNotApplicable(value.OfString(NotApplicable)) ||
		yes.IsNotApplicable(value.OfInt(1)) {
		t.Error("an answer that does not apply is one only if the rubric allows it")
	}
}

// TestCheckOnce: each mistake of an answer is one violation, those of the whole answer come last; a number that a
// double would move over a bound is refused.
func TestCheckOnce(t *testing.T) {
	const head = "name: n\nquestion: q?\nconfidence: no\ncorrection: no\n"
	unit := loadOne(t, "a.yaml", head+"answer: 0..1\npass: 0.7\nnot_applicable: yes\n")
	list := loadOne(t, "a.yaml", head+"answer: [good, bad]\npass: good\nnot_applicable: yes\nworst_of: all.is\n"+
		"extra: {all: {type: array, items: {type: object, properties: {is: {enum: [good, bad]}}}}}\n")
	whole := loadOne(t, "f", strings.Replace(userFile, `"type": "object",`, `"type": "object", "maxProperties": 4,`, 1))
	for _, tt := range []struct {
		r      *Rubric
		answer string
		want   []string
	}{
		{unit, `"output":0.7`, nil}, {unit, `"output":0.12345678901234567`, nil},
		{unit, `"output":0.69999999999999999999`,
			[]string{"/output: 0.69999999999999999999 is nearer to a bound than a number can be distinguished from it"}},
		{unit, `"output":0.6` + strings.Repeat("9", 50), []string{"/output: 0.6" + strings.Repeat("9", 36) +
			"… is nearer to a bound than a number can be distinguished from it"}},
		{unit, `"output":1e-400`,
			[]string{"/output: 1e-400 is nearer to a bound than a number can be distinguished from it"}},
		{unit, `"output":7e-1`, nil}, {unit, `"output":7`, []string{"/output: 7 is greater than the maximum 1"}},
		{unit, `"output":1e999`, []string{"/output: 1e999 is not of type number"}},
		{unit, `"output":"not_applicable","mood":1`, []string{"/mood: the key is not allowed"}},
		{list, `"all":[],"output":"not_applicable"`, nil}, {list, `"all":[],"output":"good"`, nil},
		{list, `"all":[],"output":"bad"`, []string{"/output: does not follow from the verdicts in all"}},
		{list, `"all":[],"output":"so-so"`, []string{"/output: the value is not one of the allowed ones"}},
		{whole, `"output":9,"confidence":1,"correction":{}`,
			[]string{"/output: 9 is greater than the maximum 5", ": there are 5 keys, more than 4"}},
		{whole, `"output":5,"confidence":1,"correction":{},"mood":1`,
			[]string{"/mood: the key is not allowed", ": there are 6 keys, more than 4"}},
		{whole, `"output":"` + x50 + `","confidence":1`, []string{`/output: "` + x40 + `" is a string, not of type integer`,
			"/correction: the required key is missing"}},
		{unit, `"output":0.5,"` + x50 + x50 + `":1`, []string{"/" + x50 + "xxxxxxxxx…: the key is not allowed"}},
		{unit, `"output":0.` + strings.Repeat("3", 50) + `e9`,
			[]string{"/output: 0." + strings.Repeat("3", 37) + "… is greater than the maximum 1"}},
	} {
		answer, err := value.ParseString(`{"explanation":"e","evidence":"v",` + tt.answer + `}`)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range tt.r.Check(answer) {
			got = append(got, v.String())
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", tt.answer, d)
		}
	}
}

// TestLintOfSettings: what is doubtful about the schema and the number of examples.
func TestLintOfSettings(t *testing.T) {
	first := func(text string) string {
		for _, f := range Lint(loadOne(t, "f", text)) {
			return f.Field + ": " + f.Message
		}
		return ""
	}
	edit := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(userFile) }
	evidence := func(n int) string { return edit(`\"Tag order 9 as gift\"`, "NONE: "+strings.Repeat("é", n-6)) }
	explanation := `      "explanation": {"type": "string"},` + "\n"
	after := strings.Replace(edit(explanation, ""), `"threshold_high": 5},`, `"threshold_high": 5},`+"\n"+explanation, 1)
	for name, tt := range map[string]struct{ text, want string }{
		"long enough": {edit("Is the call polite?", strings.Repeat("é", 6000)), ""},
		"too long": {edit("Is the call polite?", strings.Repeat("é", 6001)),
			"jsonschema.description: 6001 characters are sent with every request; keep it under 6000"},
		"explained after": {after, "jsonschema.properties.output: the number comes before its explanation: a model would " +
			"score first and find reasons later"},
		"required": {edit(`"required": ["explanation"`, `"required": ["mood", "explanation"`),
			`jsonschema.required: "mood" is required but is not a property`},
		"broken bounds": {edit(`"minimum": 1, "maximum": 5`, `"minimum": 0.5, "maximum": 5`),
			"jsonschema.properties.output.minimum: an integer scale needs whole bounds; some servers refuse others"},
		"broken upper bound": {edit(`"minimum": 1, "maximum": 5`, `"minimum": 1, "maximum": 5.5`),
			"jsonschema.properties.output.minimum: an integer scale needs whole bounds; some servers refuse others"},
		"a scale of numbers": {edit(`"type": "integer", "minimum": 1, "maximum": 5`,
			`"type": "number", "minimum": 0.5, "maximum": 5`), ""},
		"a reference by name": {edit(`"evidence": {"type": "string"}`, `"evidence": {"type": "string", "x-ref": 1}`),
			"jsonschema.properties.evidence.x-ref: the keyword is sent, but JSON Schema knows none of that name"},
		"unchecked": {edit(`"type": "object",`, `"type": "object", "unevaluatedProperties": false,`),
			"jsonschema.unevaluatedProperties: the keyword is sent but cannot be checked in the answer; remove it, or say it " +
				"otherwise"},
		"some retrieved": {edit(`"examples": [`, `"retrieve": 1, "examples": [`), ""},
		"all retrieved": {edit(`"examples": [`, `"retrieve": 2, "examples": [`),
			"retrieve: there are 2 examples: every prompt has all of them"},
		"evidence": {evidence(1000), ""},
		"too long evidence": {evidence(1001),
			"examples[0].output.evidence: 1001 characters, more than the 1000 that an answer may have"},
		"explanation": {edit(`"fine"`, `"`+strings.Repeat("x", 1500)+`"`), ""},
		"no explanation": {edit(`"fine"`, `" "`),
			"examples[0].output.explanation: empty: the example teaches judges to give no reasons"},
		"a role is no text": {edit(`\"Tag order 9 as gift\"`, `\"user\"`),
			`examples[0].output.evidence: the quote "user" does not occur word for word in the example`},
		"unknown parameter": {edit(`"correction": {"tags": []}`,
			`"correction": {"name": "tag", "parameters": {"colour": 1}}`),
			"examples[1].output.correction: the correction is neither a call {name, parameters} of a tool in the inventory " +
				"nor parameters of the judged call"},
	} {
		if got := first(tt.text); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
	free := loadOne(t, "a.yaml", `name: n
question: q?
answer: [calm, loud]
examples:
  - conversation_context: [{role: user, content: Hello there}]
    tool_call: {name: look, parameters: {id: 9}}
    output: {explanation: fine, evidence: '"Hello there"', output: calm, confidence: 0.9}
`)
	free.Retrieve = 1
	const all = "retrieve: there are 1 examples: every prompt has all of them"
	if got := Lint(free); len(got) != 1 || got[0].Field+": "+got[0].Message != all {
		t.Errorf("%v, want %s", got, all)
	}
	free.Retrieve = 0
	if got := Lint(free); len(got) != 0 {
		t.Errorf("without a pass one example is enough: %v", got[0])
	}
}
