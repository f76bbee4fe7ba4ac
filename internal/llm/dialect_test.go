package llm

import (
	"encoding/json"
	"fmt"
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
	// deep is a schema, or a pointer, inside n lists.
	deep := func(n int, inside string) string {
		if strings.HasPrefix(inside, "{") {
			return strings.Repeat(`{"items":`, n) + inside + strings.Repeat("}", n)
		}
		return strings.Repeat("/items", n) + "/" + inside
	}
	for _, tt := range []struct {
		name, schema string
		kind         Kind
		strict       bool
		want         string // "" is the schema itself, bytes and all
		unenforced   string
	}{
		{"repetitions, Ollama", `{"items":{"maxItems":2001},"maxLength":9000,"minLength":3000}`, KindOllama, false,
			`{"items":{"maxItems":2000},"maxLength":2000,"minLength":2000}`,
			"/items/maxItems: sent as 2000|/maxLength: sent as 2000|/minLength: sent as 2000"},
		{"repetitions, a property of that name", `{"properties":{"maxLength":{"type":"string","maxLength":9000}}}`, KindLlamaCPP, false,
			`{"properties":{"maxLength":{"type":"string","maxLength":2000}}}`, "/properties/maxLength/maxLength: sent as 2000"},
		{"no such bound there", long, KindLMStudio, false, "", ""},
		{"nor there", long, KindUnknown, false, "", ""},
		{"nothing to do", untouched, KindOllama, false, "", ""},
		{"not JSON", `{"broken`, KindOllama, false, "", ""},
		{"data is no schema", `{"enum":[{"maxLength":9000}],"const":{"pattern":"x"}}`, KindOllama, false, "", ""},
		{"a pattern, which may end the server", `{"type":"string","pattern":"^a{3,9000}$","maxLength":9}`, KindLlamaCPP, false,
			`{"type":"string","maxLength":9}`, "/pattern: not sent"},
		{"what llama.cpp ignores", extras, KindLlamaCPP, false, "", strings.ReplaceAll(
			"/properties/n/multipleOf|/properties/n/minimum|/properties/l/uniqueItems|/not|/if|/then|", "|",
			": sent, and not enforced there|")},
		{"bytes stay, whatever is ignored", `{ "not" : {} }`, KindOllama, false, "", "/not: sent, and not enforced there"},
		{"the least length of a list", `{"minItems":2001,"maxItems":2000}`, KindOllama, false,
			`{"minItems":2000,"maxItems":2000}`, "/minItems: sent as 2000"},
		{"a format", `{"type":"string","format":"isbn"}`, KindOllama, false, "", ""},
		{"a large bound is no length", `{"type":"integer","maximum":9000}`, KindOllama, false, "", ""},
		{"the deepest keyword that is read", deep(64, `{"pattern":"x"}`), KindOllama, false,
			deep(64, `{}`), deep(64, "pattern: not sent")},
		{"a deeper one", deep(65, `{"pattern":"x"}`), KindOllama, false, "", ""},
		{"schemas that allow all or nothing", `{"properties":{"a":false,"b":true},"items":false,"maxLength":9000}`, KindOllama, false,
			`{"properties":{"a":false,"b":true},"items":false,"maxLength":2000}`, "/maxLength: sent as 2000"},
		{"integers keep their bounds", `{"type":"integer","minimum":1}`, KindOllama, false, "", ""},

		{"SGLang", extras, KindSGLang, false, plain, beyond},
		{"vLLM", extras, KindVLLM, false, plain, beyond},
		{"vLLM has no patterns of names", `{"type":"object","propertyNames":{"maxLength":1}}`, KindVLLM, false, `{"type":"object"}`, "/propertyNames: not sent"},
		{"an unknown format", `{"type":"string","format":"isbn"}`, KindSGLang, false, `{"type":"string"}`, "/format: not sent"},
		{"a known one", `{"type":"string","format":"date"}`, KindSGLang, false, "", ""},
		{"pattern and length", `{"pattern":"^a","maxLength":5,"minLength":1}`, KindSGLang, false,
			`{"maxLength":5,"minLength":1}`, "/pattern: not sent"},
		{"pattern and format", `{"pattern":"a","format":"date"}`, KindVLLM, false, `{"format":"date"}`, "/pattern: not sent"},
		{"pattern and the least length", `{"pattern":"a","minLength":1}`, KindVLLM, false, `{"minLength":1}`, "/pattern: not sent"},
		{"pattern and the greatest length", `{"pattern":"a","maxLength":5}`, KindVLLM, false, `{"maxLength":5}`, "/pattern: not sent"},
		{"format and length", `{"format":"date","maxLength":5}`, KindVLLM, false, `{"maxLength":5}`, "/format: not sent"},
		{"a bound beyond all integers", `{"type":"integer","maximum":1e300}`, KindVLLM, false, "", ""},
		{"the largest bound that is rounded", `{"type":"integer","maximum":4503599627370495.0}`, KindVLLM, false,
			`{"type":"integer","maximum":4503599627370495}`, ""},
		{"a larger one", `{"type":"integer","minimum":-4503599627370496.0}`, KindVLLM, false, "", ""},
		{"a pattern alone", `{"pattern":"a"}`, KindVLLM, false, "", ""},
		{"lengths alone", `{"minLength":1,"maxLength":5}`, KindVLLM, false, "", ""},
		{"whole bounds on integers", `{"type":"integer","minimum":0.5,"maximum":5.0,"exclusiveMaximum":6.5}`, KindVLLM, false,
			`{"type":"integer","minimum":1,"maximum":5,"exclusiveMaximum":7}`, ""},
		{"and below zero", `{"type":"integer","minimum":-2.5,"maximum":-0.5,"exclusiveMinimum":-3.5}`, KindSGLang, false,
			`{"type":"integer","minimum":-2,"maximum":-1,"exclusiveMinimum":-4}`, ""},
		{"one of two bounds", `{"type":"integer","minimum":0.5,"maximum":5}`, KindVLLM, false,
			`{"type":"integer","minimum":1,"maximum":5}`, ""},
		{"numbers that are no bounds", `{"type":"integer","const":0.5,"default":1}`, KindVLLM, false, "", ""},
		{"a bound that is no number", `{"type":"integer","minimum":"x"}`, KindVLLM, false, "", ""},
		{"a bound of no integer", `{"type":"number","minimum":0.5}`, KindVLLM, false, "", ""},
		{"broken bounds elsewhere", `{"type":"integer","minimum":0.5}`, KindOllama, false, "", ""},
		{"strict means nothing there", `{"type":"object"}`, KindVLLM, true, "", ""},

		{"not strict", extras, KindOpenAI, false, "", ""},
		{"strict: what is not known", `{"type":"object","title":"T","properties":{"a":{"type":"string","maxLength":5,"default":"x","format":"isbn"},"b":{"x-mood":1}}}`,
			KindOpenAI, true, `{"type":"object","title":"T","properties":{"a":{"type":"string"},"b":{}}}`,
			"/properties/a/maxLength: not sent|/properties/a/format: not sent|/properties/b/x-mood: not sent"},
		{"strict: a pattern stays", `{"pattern":"a","maxLength":5}`, KindOpenAI, true, `{"pattern":"a"}`, "/maxLength: not sent"},
		{"strict: beside a format too", `{"pattern":"a","format":"date"}`, KindOpenAI, true, "", ""},
		{"strict as it should be", `{ "type":"object","properties":{"a":{"type":"number","minimum":0}},"required":["a"],"additionalProperties":false}`, KindOpenAI, true, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, unenforced := Lower(json.RawMessage(tt.schema), tt.kind, tt.strict)
			want := tt.want
			if want == "" {
				want = tt.schema
			}
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(strings.TrimSuffix(tt.unenforced, "|"), strings.Join(unenforced, "|")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestKeywordsOfServers: of each keyword of JSON Schema, and each format, whether a kind of server is sent it. What a
// server does not enforce is named, unless the keyword only describes.
func TestKeywordsOfServers(t *testing.T) {
	const keywords = "$anchor $comment $defs $id $ref $schema additionalProperties allOf anyOf const contains " +
		"contentEncoding contentMediaType contentSchema default dependencies dependentRequired dependentSchemas " +
		"deprecated description else enum examples exclusiveMaximum exclusiveMinimum format if items maxContains " +
		"maxItems maxLength maximum minContains minItems minLength minimum multipleOf not oneOf pattern " +
		"patternProperties prefixItems properties propertyNames readOnly required then threshold_high threshold_low " +
		"title type uniqueItems writeOnly"
	const formats = "date date-time duration email hostname ipv4 ipv6 isbn json-pointer regex relative-json-pointer " +
		"time uri uri-reference uri-template uuid"
	const slow = "contains dependencies dependentRequired dependentSchemas else if maxContains minContains multipleOf not"
	for _, tt := range []struct {
		kind                          Kind
		strict                        bool
		left, silently, idle, unknown string
	}{
		{KindOllama, true, "pattern", "", "else exclusiveMaximum exclusiveMinimum if maximum minimum multipleOf not then " +
			"uniqueItems", ""},
		{KindSGLang, true, slow + " then uniqueItems", "", "", "isbn regex"},
		{KindVLLM, true, slow + " patternProperties propertyNames then uniqueItems", "", "", "isbn regex"},
		{KindUnknown, true, "allOf contains dependencies dependentRequired dependentSchemas else if maxContains maxLength " +
			"minContains minLength not oneOf patternProperties prefixItems propertyNames then uniqueItems",
			"$anchor $comment $id $schema contentEncoding contentMediaType contentSchema default deprecated examples " +
				"readOnly threshold_high threshold_low writeOnly", "",
			"isbn json-pointer regex relative-json-pointer uri uri-reference uri-template"},
		{KindLMStudio, true, "", "", "", ""}, {KindUnknown, false, "", "", "", ""},
	} {
		var left, silently, unenforced, unknown []string
		for key := range strings.FieldsSeq(keywords) {
			text := fmt.Sprintf(`{%q:"date"}`, key)
			sent, told := Lower(json.RawMessage(text), tt.kind, tt.strict)
			switch got := strings.Join(append(told, string(sent)), " "); got {
			case text:
			case "/" + key + ": not sent {}":
				left = append(left, key)
			case "{}":
				silently = append(silently, key)
			case "/" + key + ": sent, and not enforced there " + text:
				unenforced = append(unenforced, key)
			default:
				t.Errorf("%s to %s: %s", text, tt.kind, got)
			}
		}
		for format := range strings.FieldsSeq(formats) {
			text := fmt.Sprintf(`{"format":%q}`, format)
			if sent, _ := Lower(json.RawMessage(text), tt.kind, tt.strict); string(sent) != text {
				unknown = append(unknown, format)
			}
		}
		want := []string{tt.left, tt.silently, tt.idle, tt.unknown}
		got := []string{strings.Join(left, " "), strings.Join(silently, " "), strings.Join(unenforced, " "),
			strings.Join(unknown, " ")}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, strict %v: %s", tt.kind, tt.strict, diff)
		}
	}
}

// FuzzLower: whatever comes, the copy is JSON, a second lowering changes nothing, and
// what changed is named.
func FuzzLower(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"pattern":"^a$","maxLength":9000}}}`, true)
	f.Add(`{"oneOf":[{"type":"integer","minimum":0.5}],"format":"x","minLength":1}`, false)
	f.Fuzz(func(t *testing.T, schema string, strict bool) {
		if _, repeated, err := value.ParseUnique([]byte(schema)); err != nil || len(repeated) > 0 {
			return
		}
		for _, kind := range []Kind{KindOllama, KindLlamaCPP, KindVLLM, KindSGLang, KindOpenAI, KindLMStudio} {
			once, _ := Lower(json.RawMessage(schema), kind, strict)
			if !json.Valid(once) {
				t.Fatalf("%s: %s", kind, once)
			}
			if twice, _ := Lower(once, kind, strict); string(twice) != string(once) {
				t.Fatalf("%s: %s, then %s", kind, once, twice)
			}
		}
	})
}
