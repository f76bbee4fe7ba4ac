package rubrics

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLint(t *testing.T) {
	edit := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(userFile) }
	tests := []struct {
		name, in string
		want     []string
	}{
		{"clean", userFile, nil},
		{"one side", edit(`"output": 1, "conf`, `"output": 4, "conf`), []string{"16 warning examples: 2 examples pass and 0 fail: a judge needs at least one of each"}},
		{"own schema", edit(`"output": 1, "conf`, `"output": 9, "conf`), []string{
			"30 error examples[1].output.output: the answer breaks the rubric's own schema: 9 is greater than the maximum 5"}},
		{"quote", edit(`\"Untag order 9\"`, `\"Untag order 10\"`), []string{`30 warning examples[1].output.evidence: the quote "Untag order 10" does not occur word for word in the example`}},
		{"no quote", edit(`\"Untag order 9\"`, `the first message`), []string{`30 warning examples[1].output.evidence: no quote: quote the record, or begin with "NONE:" and say what is absent`}},
		{"absence", edit(`\"Untag order 9\"`, `NONE: nobody asked`), nil},
		{"patch", edit(`"correction": {"tags": []}`, `"correction": {"label": "x"}`), []string{"30 warning examples[1].output.correction: the correction is neither a call {name, parameters} of a tool in the inventory nor parameters of the judged call"}},
		{"unknown tool", edit(`"correction": {"tags": []}`, `"correction": {"name": "untag", "parameters": {}}`), []string{"30 warning examples[1].output.correction: the correction is neither a call {name, parameters} of a tool in the inventory nor parameters of the judged call"}},
		{"call", edit(`"correction": {"tags": []}`, `"correction": {"name": "tag", "arguments": {"tags": []}}`), nil},
		{"order", edit(`"output": {"explanation": "fine", "evidence": "\"Tag order 9 as gift\"", "output": 5,`, `"output": {"output": 5, "explanation": "fine", "evidence": "\"Tag order 9 as gift\"",`), []string{
			"24 warning examples[0].output: the keys are in another order than in the schema (explanation, evidence, output, confidence, correction)"}},
		{"unknown property", edit(`"correction": {"type": "object"}`, `"correction": {"type": "object"}, "mood": {"type": "string"}`), []string{
			"24 error examples[0].output.mood: the answer breaks the rubric's own schema: the required key is missing",
			"30 error examples[1].output.mood: the answer breaks the rubric's own schema: the required key is missing"}},
		{"a keyword that is checked", edit(`"evidence": {"type": "string"}`, `"evidence": {"type": "string", "pattern": "^\""}`), nil},
		{"examples against keywords", edit(`"evidence": {"type": "string"}`, `"evidence": {"type": "string", "pattern": "^a"}`), []string{
			"24 error examples[0].output.evidence: the answer breaks the rubric's own schema: the text does not match the pattern ^a",
			"30 error examples[1].output.evidence: the answer breaks the rubric's own schema: the text does not match the pattern ^a"}},
		{"a keyword that cannot be checked", edit(`"evidence": {"type": "string"}`, `"evidence": {"type": "string", "format": "uri"}`), []string{
			"9 error jsonschema.properties.evidence.format: formats are not checked in the answer; use a pattern"}},
		{"a list of item schemas", edit(`"evidence": {"type": "string"}`, `"evidence": {"type": "string", "items": [{}]}`), []string{
			"9 error jsonschema.properties.evidence.items: a list of schemas is not checked; use prefixItems"}},
		{"a reference", edit(`"type": "object",`, `"type": "object", "allOf": [{"$ref": "#/$defs/x"}],`), []string{
			"6 error jsonschema.allOf[0].$ref: references are not followed: no answer is checked against it; write the schema out in this place"}},
		{"no keyword", edit(`"evidence": {"type": "string"}`, `"evidence": {"type": "string", "x-mood": 1}`), []string{
			"9 warning jsonschema.properties.evidence.x-mood: the keyword is sent, but JSON Schema knows none of that name"}},
		{"no explanation", edit(`"explanation": "fine", `, ``), []string{
			"24 error examples[0].output.explanation: the answer breaks the rubric's own schema: the required key is missing"}},
		{"evidence that is no text", edit(`"evidence": "\"Tag order 9 as gift\""`, `"evidence": 7`), []string{
			"24 error examples[0].output.evidence: the answer breaks the rubric's own schema: 7 is not of type string"}},
		{"a long quote", edit(`\"Untag order 9\"`, `\"`+x50+x50+`\"`), []string{
			`30 warning examples[1].output.evidence: the quote "` + x50 + x50[:29] +
				`…" does not occur word for word in the example`}},
		{"a correction as text", edit(`"correction": {"type": "object"}`, `"correction": {"type": "string"}`,
			`"correction": {}`, `"correction": "{\"label\": 1}"`, `"correction": {"tags": []}`, `"correction": "{\"tags\": []}"`),
			[]string{"24 warning examples[0].output.correction: the correction is neither a call {name, parameters} of a tool " +
				"in the inventory nor parameters of the judged call"}},
		{"too long", edit(`"fine"`, `"`+strings.Repeat("x", 1501)+`"`), []string{"24 warning examples[0].output.explanation: 1501 characters, more than the 1500 that an answer may have"}},
		{"omitted in shorthand", edit(`{"order_id": 9, "tags": ["gift"]}},
      "output": {"explanation": "fine"`, `{"order_id": 9}},
      "output": {"explanation": "fine"`), []string{`23 warning examples[0].tool_call.parameters: the call omits the required parameter "tags", and the answer passes it`}},
		{"omitted, optional in shorthand", edit(`{"order_id": 9, "tags": ["gift"]}},
      "output": {"explanation": "fine"`, `{"order_id": 9}},
      "output": {"explanation": "fine"`, `"tags": "list[string]"`, `"tags": "optional list[string]"`), nil},
		{"omitted in a schema", edit(`"parameters": {"order_id": "integer", "tags": "list[string]"}`,
			`"parameters": {"type": "object", "properties": {"order_id": {}, "tags": {}, "by": {}}, "required": ["by", "tags"]}`), []string{
			`23 warning examples[0].tool_call.parameters: the call omits the required parameter "by", and the answer passes it`}},
		{"nested", nest(edit(`{"order_id": 9, "tags": ["gift"]}},
      "output": {"explanation": "fine"`, `{"order_id": 9}},
      "output": {"explanation": "fine"`)), []string{`23 warning examples[0].user_kwargs.tool_call.parameters: the call omits the required parameter "tags", and the answer passes it`}},
		{"a tool without a name", replaceFirst(userFile, `"tools_inventory": [`, `"tools_inventory": [{"name": ""}, `), []string{
			`22 error examples[0].tools_inventory: the judge does not see this tool: a tool has no name: "{\"name\":\"\"}"`}},
		{"no examples", userFile[:strings.Index(userFile, `"examples"`)] + `"examples": []}`, []string{"16 warning examples: no examples: give at least one that passes and one that fails"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			list, err := Load(strings.NewReader(tc.in), "f")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range Lint(list[0]) {
				got = append(got, fmt.Sprintf("%d %s %s: %s", f.Line, f.Severity, f.Field, f.Message))
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
