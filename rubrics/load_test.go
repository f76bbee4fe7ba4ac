package rubrics

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/judgekit/judge/internal/value"
)

// userFile is a rubric as people write them: pretty-printed, two examples, types
// in shorthand, tool messages with name, parameters and output.
const userFile = `{
  "name": "tone_check",
  "jsonschema": {
    "title": "Tone",
    "description": "Is the call polite?",
    "type": "object",
    "properties": {
      "explanation": {"type": "string"},
      "evidence": {"type": "string"},
      "output": {"type": "integer", "minimum": 1, "maximum": 5, "threshold_low": 3, "threshold_high": 5},
      "confidence": {"type": "number", "minimum": 0.0, "maximum": 1.0, "threshold_low": 0.7, "threshold_high": 1.0},
      "correction": {"type": "object"}
    },
    "required": ["explanation", "evidence", "output", "confidence", "correction"]
  },
  "examples": [
    {
      "conversation_context": [
        {"role": "user", "content": "Tag order 9 as gift"},
        {"role": "tool", "name": "get_order", "parameters": {"order_id": 9}, "output": {"tags": []}}
      ],
      "tools_inventory": [{"name": "tag", "description": "Tags", "parameters": {"order_id": "integer", "tags": "list[string]"}}],
      "tool_call": {"name": "tag", "parameters": {"order_id": 9, "tags": ["gift"]}},
      "output": {"explanation": "fine", "evidence": "\"Tag order 9 as gift\"", "output": 5, "confidence": 0.9, "correction": {}}
    },
    {
      "conversation_context": [{"role": "user", "content": "Untag order 9"}],
      "tools_inventory": [{"name": "tag", "description": "Tags", "parameters": {"order_id": "integer", "tags": "list[string]"}}],
      "tool_call": {"name": "tag", "parameters": {"order_id": 9, "tags": ["gift"]}},
      "output": {"explanation": "wrong way", "evidence": "\"Untag order 9\"", "output": 1, "confidence": 0.9, "correction": {"tags": []}}
    }
  ]
}`

// nest puts the records of the examples of userFile under user_kwargs.
func nest(text string) string {
	return strings.NewReplacer(
		"      \"conversation_context\"", "      \"user_kwargs\": {\"conversation_context\"",
		"}},\n      \"output\"", "}}},\n      \"output\"").Replace(text)
}

func replaceFirst(text, old, new string) string { return strings.Replace(text, old, new, 1) }

func compact(t testing.TB, text string) string {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return v.JSON()
}

func named(line, name string) string { return strings.Replace(line, "tone_check", name, 1) }

func TestLoadForms(t *testing.T) {
	line := compact(t, userFile)
	two := named(line, "two")
	tests := []struct {
		name, in string
		want     []string // "name@line"
	}{
		{"one line", line, []string{"tone_check@1"}},
		{"lines with blanks and a mark", "\ufeff\n" + line + "\r\n\n  " + two + "\n", []string{"tone_check@2", "two@4"}},
		{"pretty", userFile, []string{"tone_check@1"}},
		{"nested", nest(userFile) + "\n" + compact(t, named(nest(userFile), "two")), []string{"tone_check@1", "two@34"}},
		{"nested array", "[" + compact(t, nest(userFile)) + ",\n" + named(nest(userFile), "two") + "]", []string{"tone_check@1", "two@2"}},
		{"two pretty", userFile + "\n" + named(userFile, "two"), []string{"tone_check@1", "two@34"}},
		{"array", "[\n" + userFile + ",\n" + named(userFile, "two") + "\n]\n", []string{"tone_check@2", "two@35"}},
		{"compact array", "[" + line + "," + two + "]", []string{"tone_check@1", "two@1"}},
		{"two on a line", line + " " + two, []string{"tone_check@1", "two@1"}},
		{"empty", "", nil},
		{"empty array", "[]", nil},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			// One byte at a time: nothing may depend on how the reader cuts.
			for _, r := range []io.Reader{strings.NewReader(tc.in), iotest.OneByteReader(strings.NewReader(tc.in))} {
				got, err := Load(r, "f")
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(tc.want, places(got)); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

func places(list []*Rubric) []string {
	var out []string
	for _, r := range list {
		out = append(out, r.Name+"@"+value.OfInt(int64(r.Line)).Text())
	}
	return out
}

func TestLoadUserFileUnchanged(t *testing.T) {
	got, err := Load(strings.NewReader(userFile), "f")
	if err != nil {
		t.Fatal(err)
	}
	r := got[0]
	if len(r.Examples) != 2 || r.Confidence != (Band{0.7, 1}) {
		t.Errorf("got %d examples, confidence %v", len(r.Examples), r.Confidence)
	}
	if got := r.Examples[0].Tools[0].Field("parameters").JSON(); got != `{"order_id":"integer","tags":"list[string]"}` {
		t.Errorf("shorthand changed: %s", got)
	}
	if f := Lint(r); len(f) != 0 {
		t.Errorf("findings: %v", f)
	}
}

// Blanks do not make another instrument; everything else does.
func TestIdentity(t *testing.T) {
	sha := func(text string) string {
		got, err := Load(strings.NewReader(text), "f")
		if err != nil {
			t.Fatal(err)
		}
		return got[0].SHA
	}
	base := sha(userFile)
	if sha(compact(t, userFile)) != base {
		t.Error("blanks changed the identity")
	}
	for _, edit := range [][2]string{
		{`"threshold_low": 3`, `"threshold_low": 2`}, {"polite?", "polite!"}, {`"maximum": 1.0`, `"maximum": 1`},
		{"\"title\": \"Tone\",\n", ""},
	} {
		if sha(strings.Replace(userFile, edit[0], edit[1], 1)) == base {
			t.Errorf("edit %q kept the identity", edit[0])
		}
	}
}

func TestSentSchema(t *testing.T) {
	got, err := Load(strings.NewReader(userFile), "f")
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{` +
		`"explanation":{"type":"string","maxLength":1500},"evidence":{"type":"string","maxLength":1000},` +
		`"output":{"type":"integer","minimum":1,"maximum":5},"confidence":{"type":"number","minimum":0.0,"maximum":1.0},` +
		`"correction":{"type":"object"}},"required":["explanation","evidence","output","confidence","correction"],"additionalProperties":false}`
	if d := cmp.Diff(want, got[0].SentSchema().JSON()); d != "" {
		t.Error(d)
	}
	if !strings.Contains(got[0].SentSchemaText().JSON(), `"correction":{"type":"string",`) {
		t.Error("the correction is no string in the text form")
	}
	if !strings.Contains(got[0].Schema.JSON(), "threshold_low") {
		t.Error("the stored schema lost its thresholds")
	}
}

func TestLoadProblems(t *testing.T) {
	line := compact(t, userFile)
	good := named(line, "good")
	edit := func(old, new string) string { return strings.Replace(userFile, old, new, 1) }
	tests := []struct {
		name, in string
		want     []string
		loaded   int
	}{
		{"bad line goes on", good + "\nnot json\n" + line, []string{`f:2:1: expected a rubric (a JSON object), found "not json"`}, 2},
		{"cut line", line[:400] + "\n" + good, []string{"f:1:401: not readable as JSON: the record that begins on line 1 is broken or not closed"}, 1},
		{"missing brace", line[:len(line)-1] + "\n" + good, []string{"f:2:1: not readable as JSON: the record that begins on line 1 is broken or not closed"}, 1},
		{"cut behind a comma", line[:strings.Index(line, `"type":"object"`)] + "\n" + good, []string{"f:2:1: not readable as JSON: the record that begins on line 1 is broken or not closed"}, 1},
		{"never closed", userFile[:len(userFile)-1], []string{"f:33:1: not readable as JSON: the record that begins on line 1 is broken or not closed"}, 0},
		{"bad JSON inside", `{"name": x}` + "\n" + good, []string{"f:1:10: not readable as JSON: the record that begins on line 1 is broken or not closed"}, 1},
		{"same name", line + "\n" + line, []string{`f:2:9: name: the name "tone_check" is taken by the rubric on line 1`}, 1},
		{"no name", edit(`"name": "tone_check",`, ""), []string{"f:1:1: name: the rubric needs a name (a string)"}, 0},
		{"field has its own line", edit(`"maximum": 5`, `"maximum": "5"`), []string{"f:10:62: jsonschema.properties.output.maximum: needs a finite number"}, 0},
		{"type", edit(`"output": {"type": "integer"`, `"output": {"type": "string"`), []string{`f:10:26: jsonschema.properties.output.type: the output must be of type "integer" or "number", not "string"`}, 0},
		{"low outside", edit(`"threshold_low": 3`, `"threshold_low": 0`), []string{"f:10:82: jsonschema.properties.output.threshold_low: 0 is outside the range 1 to 5"}, 0},
		{"low above high", edit(`"threshold_high": 5`, `"threshold_high": 2`), []string{"f:10:82: jsonschema.properties.output.threshold_low: 3 is greater than threshold_high 2"}, 0},
		{"range", edit(`"maximum": 5`, `"maximum": 1`), []string{"f:10:62: jsonschema.properties.output.maximum: the maximum 1 must be greater than the minimum 1"}, 0},
		{"confidence", edit(`"threshold_low": 0.7`, `"threshold_low": -1`), []string{"f:11:89: jsonschema.properties.confidence.threshold_low: -1 is outside the range 0 to 1"}, 0},
		{"property", edit(`"evidence": {"type": "string"},`, ""), []string{`f:7:19: jsonschema.properties.evidence: the schema needs the property "evidence" (an object)`}, 0},
		{"repeated key", edit(`"title": "Tone",`, `"title": "Tone", "title": "T",`), []string{"f:4:14: jsonschema.title: the key appears twice; remove one"}, 0},
		{"example", edit(`"tool_call": {"name": "tag"`, `"tool_call": {"nam": "tag"`), []string{"f:23:20: examples[0].tool_call.name: the key is missing: it names the called tool; here are nam, parameters"}, 0},
		{"nested example", replaceFirst(nest(userFile), `"tool_call": {"name": "tag"`, `"tool_call": {"nam": "tag"`), []string{"f:23:20: examples[0].user_kwargs.tool_call.name: the key is missing: it names the called tool; here are nam, parameters"}, 0},
		{"no call", replaceFirst(nest(userFile), `"tool_call": {`, `"toolcall": {`), []string{"f:18:22: examples[0].user_kwargs.tool_call: the key is missing: it holds the judged call, {\"name\", \"parameters\"}; here are conversation_context, tools_inventory, toolcall"}, 0},
		{"no answer", replaceFirst(nest(userFile), `"output": {"explanation": "fine"`, `"answer": {"explanation": "fine"`), []string{"f:17:5: examples[0].output: the key is missing: it holds the answer, an object with explanation, evidence, output, confidence, correction; here are user_kwargs, answer"}, 0},
		{"no envelope", replaceFirst(nest(userFile), `"user_kwargs": {`, `"kwargs": {`), []string{"f:17:5: examples[0].tool_call: the key is missing: it holds the judged call, {\"name\", \"parameters\"}; here are kwargs, output"}, 0},
		{"envelope of another kind", replaceFirst(compact(t, nest(userFile)), `"user_kwargs":{`, `"user_kwargs":7,"x":{`), []string{"f:1:500: examples[0].user_kwargs: must be an object with conversation_context, tools_inventory and tool_call, not an integer"}, 0},
		{"message", edit(`{"role": "user", "content": "Tag order 9 as gift"}`, `"hi"`), []string{"f:19:9: examples[0].conversation_context[0]: must be an object, not a string"}, 0},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Load(strings.NewReader(tc.in), "f")
			var msgs []string
			for _, p := range Problems(err) {
				msgs = append(msgs, p.Error())
			}
			if d := cmp.Diff(tc.want, msgs); d != "" {
				t.Error(d)
			}
			if len(got) != tc.loaded {
				t.Errorf("loaded %d rubrics, want %d", len(got), tc.loaded)
			}
		})
	}
}

func TestLoadReadFailureEnds(t *testing.T) {
	broken := errors.New("disk on fire")
	got, err := Load(io.MultiReader(strings.NewReader(compact(t, userFile)+"\n"), iotest.ErrReader(broken)), "f")
	if !errors.Is(err, broken) || len(Problems(err)) != 0 || len(got) != 1 {
		t.Errorf("got %d rubrics, error %v", len(got), err)
	}
	// Half a YAML file could be another rubric.
	got, err = Load(io.MultiReader(strings.NewReader(fiveLines), iotest.ErrReader(broken)), "f.yaml")
	if !errors.Is(err, broken) || len(got) != 0 {
		t.Errorf("of YAML got %d rubrics, error %v", len(got), err)
	}
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if _, err = Load(dir, "f"); err == nil || err.Error() != "read f: is a directory" {
		t.Errorf("a directory: %v", err)
	}
}

func TestCheck(t *testing.T) {
	list, err := Load(strings.NewReader(userFile), "f")
	if err != nil {
		t.Fatal(err)
	}
	answer := func(output, confidence, correction string) string {
		return `{"explanation":"e","evidence":"v","output":` + output + `,"confidence":` + confidence + `,"correction":` + correction + `}`
	}
	tests := []struct {
		in   string
		want []string
	}{
		{answer("5", "1", "{}"), nil},
		{answer("5", "1", `[]`), []string{"/correction: an array is not of type object"}},
		{answer("5.0", "0.7", "null"), nil},
		{answer("4.5", "1", "{}"), []string{"/output: 4.5 is not of type integer"}},
		{answer(`"5"`, "1", "{}"), []string{`/output: "5" is a string, not of type integer`}},
		{answer("7", "1.5", "{}"), []string{"/output: 7 is greater than the maximum 5", "/confidence: 1.5 is greater than the maximum 1.0"}},
		{answer("0", "1e999", "[]"), []string{"/output: 0 is less than the minimum 1", "/confidence: 1e999 is not of type number", "/correction: an array is not of type object"}},
		{answer("null", "true", "{}"), []string{"/output: null is not of type integer", "/confidence: a boolean is not of type number"}},
		{`{"output":3,"more":1}`, []string{"/explanation: the required key is missing", "/evidence: the required key is missing", "/confidence: the required key is missing", "/correction: the required key is missing", "/more: the key is not allowed"}},
		{"[1]", []string{": the answer is an array, not an object"}},
	}
	for _, tc := range tests {
		v, err := value.ParseString(tc.in)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range list[0].Check(v) {
			got = append(got, x.String())
		}
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%s: %s", tc.in, d)
		}
	}
}

// TestCheckKeywords: what the author of a rubric demands holds, on each property and on
// the answer as a whole.
func TestCheckKeywords(t *testing.T) {
	edit := func(pairs ...string) *Rubric {
		list, err := Load(strings.NewReader(strings.NewReplacer(pairs...).Replace(userFile)), "f")
		if err != nil {
			t.Fatal(err)
		}
		return list[0]
	}
	const in = `{"explanation":"e","evidence":"v","output":5,"confidence":1,"correction":{}}`
	for _, tt := range []struct {
		r    *Rubric
		want string
	}{
		{edit(`"threshold_low": 3,`, `"threshold_low": 3, "multipleOf": 2,`), "/output: 5 is not a multiple of 2"},
		{edit(`"threshold_low": 3,`, `"threshold_low": 3, "not": {"const": 5},`), `/output: the value is one that the schema's "not" excludes`},
		{edit(`"evidence": {"type": "string"}`, `"evidence": {"type": "string", "pattern": "^\\d+$"}`), `/evidence: the text does not match the pattern ^\d+$`},
		{edit(`"correction": {"type": "object"}`, `"correction": {"type": "object", "minProperties": 1}`), "/correction: there are 0 keys, fewer than 1"},
		{edit(`"type": "object",`, `"type": "object", "if": {"properties": {"output": {"const": 5}}}, "then": {"properties": {"confidence": {"maximum": 0.5}}},`),
			"/confidence: 1 is greater than the maximum 0.5"},
	} {
		v, err := value.ParseString(in)
		if err != nil {
			t.Fatal(err)
		}
		got := tt.r.Check(v)
		if len(got) != 1 || got[0].String() != strings.ReplaceAll(tt.want, `\\`, `\`) {
			t.Errorf("%v, want %s", got, tt.want)
		}
	}
}

// TestLoadRefusesKeywords: a keyword that can mean nothing is a mistake of the file.
func TestLoadRefusesKeywords(t *testing.T) {
	for _, tt := range []struct{ keyword, want string }{
		{`"pattern": "("`, `f:3:17: jsonschema: schema: pattern "(" cannot be read`},
		{`"maxLength": "5"`, "f:9:51: jsonschema.properties.evidence.maxLength: not a value that this keyword of JSON Schema can have (type)"},
		{`"multipleOf": -1`, "f:9:52: jsonschema.properties.evidence.multipleOf: not a value that this keyword of JSON Schema can have (exclusiveMinimum)"},
	} {
		in := strings.Replace(userFile, `"evidence": {"type": "string"}`, `"evidence": {"type": "string", `+tt.keyword+`}`, 1)
		list, err := Load(strings.NewReader(in), "f")
		if err == nil || !strings.Contains(err.Error(), tt.want) || len(list) != 0 {
			t.Errorf("%s: %v, %v", tt.keyword, list, err)
		}
	}
	required := `"required": ["explanation", "evidence", "output", "confidence", "correction"]`
	for _, tt := range []struct{ keyword, want string }{
		{`"required": "output"`, "jsonschema.required: must be a list of names, not a string"},
		{`"required": [null]`, "jsonschema.required: must be a list of names, not an array"},
		{`"additionalProperties": "no"`, "jsonschema.additionalProperties: must be true, false or a schema, not a string"},
	} {
		list, err := Load(strings.NewReader(strings.Replace(userFile, required, tt.keyword, 1)), "f")
		if err == nil || !strings.Contains(err.Error(), tt.want) || len(list) != 0 {
			t.Errorf("%s: %v, %v", tt.keyword, list, err)
		}
	}
}

func TestOrdered(t *testing.T) {
	r := builtins(t)[0]
	for in, want := range map[string]bool{
		`{"explanation":"","evidence":"","output":1,"confidence":1,"correction":{}}`: true,
		`{"output":1,"explanation":"","evidence":"","confidence":1,"correction":{}}`: false,
		`{"explanation":"","output":1}`:                                              true,
		`{"explanation":"","x":1}`:                                                   false,
		`{"x":1}`:                                                                    false,
	} {
		v, err := value.ParseString(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Ordered(v); got != want {
			t.Errorf("%s: ordered %v, want %v", in, got, want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(userFile)
	f.Add(compact(f, userFile) + "\n{\n" + compact(f, userFile))
	f.Add("[" + userFile + ",]")
	f.Add(string(builtinJSONL[:4000]))
	f.Add("- name: a\n  question: b?\n  answer: yes/no\n  pass: yes\n  when: tool in [x, y] and not args.a.0 = 1\n")
	f.Add("name: a\nquestion: b?\nanswer: 1-5\npass: '>= 4'\nscope: turn\nnot_applicable: yes\nextra: {why: because}\n")
	f.Fuzz(func(t *testing.T, in string) {
		lines := strings.Count(in, "\n") + 1
		got, err := Load(strings.NewReader(in), "f")
		for _, p := range Problems(err) {
			if p.Line < 1 || p.Line > lines || p.Message == "" {
				t.Errorf("problem outside of the file's %d lines: %v", lines, p)
			}
		}
		for _, r := range got {
			if r.Line < 1 || r.Line > lines {
				t.Errorf("rubric on line %d of %d", r.Line, lines)
			}
			Lint(r)
			if strings.Contains(r.SentSchema().JSON(), `"threshold_low":`) {
				t.Error("a threshold is sent")
			}
			again, err := Load(strings.NewReader(r.Source()), "f.jsonl")
			if err != nil || len(again) != 1 || again[0].SHA != r.SHA {
				t.Errorf("the record does not read again: %v", err)
			}
		}
	})
}
