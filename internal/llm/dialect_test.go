package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/value"
)

func TestLower(t *testing.T) {
	const (
		long      = `{ "type":"object","properties":{"maxLength":{"type":"string","maxLength":9000,"minLength":1},"b":{"items":[{"maxItems":2001}],"maximum":9000},"a":{"maxLength":2000}}}`
		extras    = `{"type":"object","properties":{"n":{"type":"number","multipleOf":2,"minimum":0.5},"l":{"type":"array","uniqueItems":true,"contains":{"const":1},"minContains":2}},"not":{"required":["x"]},"if":{"required":["n"]},"then":{"required":["l"]}}`
		plain     = `{"type":"object","properties":{"n":{"type":"number","minimum":0.5},"l":{"type":"array"}}}`
		beyond    = "/properties/n/multipleOf: not sent|/properties/l/uniqueItems: not sent|/properties/l/contains: not sent|/properties/l/minContains: not sent|/not: not sent|/if: not sent|/then: not sent"
		untouched = `{ "type" : "string", "maxLength" : 2000 }`
	)
	for _, tt := range []struct {
		name, schema     string
		kind             Kind
		strict           bool
		want             string // "" is the schema itself, bytes and all
		dropped, ignored string
	}{
		{"repetitions, Ollama", `{"items":{"maxItems":2001},"maxLength":9000,"minLength":3000}`, KindOllama, false,
			`{"items":{"maxItems":2000},"maxLength":2000,"minLength":2000}`, "/items/maxItems: sent as 2000|/maxLength: sent as 2000|/minLength: sent as 2000", ""},
		{"repetitions, a property of that name", `{"properties":{"maxLength":{"type":"string","maxLength":9000}}}`, KindLlamaCPP, false,
			`{"properties":{"maxLength":{"type":"string","maxLength":2000}}}`, "/properties/maxLength/maxLength: sent as 2000", ""},
		{"no such bound there", long, KindLMStudio, false, "", "", ""},
		{"nor there", long, KindUnknown, false, "", "", ""},
		{"nothing to do", untouched, KindOllama, false, "", "", ""},
		{"not JSON", `{"broken`, KindOllama, false, "", "", ""},
		{"data is no schema", `{"enum":[{"maxLength":9000}],"const":{"pattern":"x"}}`, KindOllama, false, "", "", ""},
		{"an unanchored pattern takes the length with it", `{"type":"string","pattern":"a","maxLength":9}`, KindLlamaCPP, false,
			`{"type":"string","maxLength":9}`, "/pattern: not sent", ""},
		{"an anchored one stays, and the length does not count", `{"type":"string","pattern":"^a{3}$","maxLength":9}`, KindLlamaCPP, false, "", "", "/maxLength"},
		{"one that no grammar holds", `{"pattern":"^(?=a)b$"}`, KindOllama, false, `{}`, "/pattern: not sent", ""},
		{"one that ends the server", `{"pattern":"^a{3,9000}$"}`, KindOllama, false, `{}`, "/pattern: not sent", ""},
		{"an escaped end is none", `{"pattern":"^a\\$"}`, KindOllama, false, `{}`, "/pattern: not sent", ""},
		{"what llama.cpp ignores", extras, KindLlamaCPP, false, "", "", "/properties/n/multipleOf|/properties/n/minimum|/properties/l/uniqueItems|/not|/if|/then"},
		{"integers keep their bounds", `{"type":"integer","minimum":1}`, KindOllama, false, "", "", ""},

		{"SGLang", extras, KindSGLang, false, plain, beyond, ""},
		{"vLLM", extras, KindVLLM, false, plain, beyond, ""},
		{"vLLM has no patterns of names", `{"type":"object","propertyNames":{"maxLength":1}}`, KindVLLM, false, `{"type":"object"}`, "/propertyNames: not sent", ""},
		{"an unknown format", `{"type":"string","format":"isbn"}`, KindSGLang, false, `{"type":"string"}`, "/format: not sent", ""},
		{"a known one", `{"type":"string","format":"date"}`, KindSGLang, false, "", "", ""},
		{"pattern and length: what bounds the text", `{"pattern":"^a","maxLength":5,"minLength":1}`, KindSGLang, false,
			`{"maxLength":5,"minLength":1}`, "/pattern: not sent", ""},
		{"pattern that bounds the text, and length", `{"pattern":"^[ab]{2,3}$","maxLength":5}`, KindVLLM, false, `{"pattern":"^[ab]{2,3}$"}`, "/maxLength: not sent", ""},
		{"pattern and format", `{"pattern":"a","format":"date"}`, KindVLLM, false, `{"format":"date"}`, "/pattern: not sent", ""},
		{"pattern and unknown format", `{"pattern":"a","format":"isbn"}`, KindVLLM, false, `{"pattern":"a"}`, "/format: not sent", ""},
		{"lengths alone", `{"minLength":1,"maxLength":5}`, KindVLLM, false, "", "", ""},
		{"whole bounds on integers", `{"type":"integer","minimum":0.5,"maximum":5.0,"exclusiveMaximum":6.5}`, KindVLLM, false,
			`{"type":"integer","minimum":1,"maximum":5,"exclusiveMaximum":7}`, "", ""},
		{"and below zero", `{"type":"integer","minimum":-2.5,"maximum":-0.5,"exclusiveMinimum":-3.5}`, KindSGLang, false,
			`{"type":"integer","minimum":-2,"maximum":-1,"exclusiveMinimum":-4}`, "", ""},
		{"strict means nothing there", `{"type":"object"}`, KindVLLM, true, "", "", ""},

		{"not strict", extras, KindOpenAI, false, "", "", ""},
		{"strict: closed, whole, null for none",
			`{"type":"object","title":"T","properties":{"a":{"type":"string","maxLength":5,"default":"x"},"b":{"type":"integer","enum":[1,2]},"c":{"const":1},"d":{"type":["string","null"]}},"required":["a"]}`,
			KindOpenAI, true,
			`{"type":"object","title":"T","properties":{"a":{"type":"string"},"b":{"type":["integer","null"],"enum":[1,2,null]},"c":{"anyOf":[{"const":1},{"type":"null"}]},"d":{"type":["string","null"]}},"required":["a","b","c","d"],"additionalProperties":false}`,
			"/properties/a/maxLength: not sent|/additionalProperties: sent as false", ""},
		{"strict: an open object", `{"type":"object","properties":{"o":{"type":"object","additionalProperties":true}},"required":["o"],"additionalProperties":false}`, KindUnknown, true,
			`{"type":"object","properties":{"o":{"type":"object","additionalProperties":false,"properties":{},"required":[]}},"required":["o"],"additionalProperties":false}`,
			"/properties/o/additionalProperties: sent as false", ""},
		{"strict: alternatives", `{"oneOf":[{"type":"string","pattern":"(?=a)"},{"type":"number","x-mood":1}]}`, KindOpenAI, true,
			`{"anyOf":[{"type":"string"},{"type":"number"}]}`, "/oneOf: sent as anyOf|/anyOf/0/pattern: not sent|/anyOf/1/x-mood: not sent", ""},
		{"strict as it should be", `{ "type":"object","properties":{"a":{"type":"number","minimum":0}},"required":["a"],"additionalProperties":false}`, KindOpenAI, true, "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Lower(json.RawMessage(tt.schema), tt.kind, tt.strict)
			want := tt.want
			if want == "" {
				want = tt.schema
			}
			if diff := cmp.Diff(want, string(got.Schema)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]string{tt.dropped, tt.ignored}, []string{strings.Join(got.Dropped, "|"), strings.Join(got.Ignored, "|")}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzLower: whatever comes, the copy is JSON, a second lowering changes nothing, and
// what changed beyond spelling is named.
func FuzzLower(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"pattern":"^a$","maxLength":9000}}}`, true)
	f.Add(`{"oneOf":[{"type":"integer","minimum":0.5}],"format":"x","minLength":1}`, false)
	f.Fuzz(func(t *testing.T, schema string, strict bool) {
		if _, repeated, err := value.ParseUnique([]byte(schema)); err != nil || len(repeated) > 0 {
			return
		}
		for _, kind := range []Kind{KindOllama, KindLlamaCPP, KindVLLM, KindSGLang, KindOpenAI, KindLMStudio} {
			once := Lower(json.RawMessage(schema), kind, strict)
			if !json.Valid(once.Schema) {
				t.Fatalf("%s: %s", kind, once.Schema)
			}
			if twice := Lower(once.Schema, kind, strict); string(twice.Schema) != string(once.Schema) {
				t.Fatalf("%s: %s, then %s", kind, once.Schema, twice.Schema)
			}
		}
	})
}
