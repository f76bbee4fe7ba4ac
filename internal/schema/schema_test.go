package schema

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/value"
)

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// check returns the violations as "path keyword: message", or the error.
func check(t testing.TB, schema, v string, config Config) []string {
	t.Helper()
	s, err := Compile(parse(t, schema), config)
	if err != nil {
		return []string{"compile: " + err.Error()}
	}
	found, err := s.Validate(parse(t, v))
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	var out []string
	for _, x := range found {
		out = append(out, x.Path+" "+x.Keyword+": "+x.Message)
	}
	return out
}

func TestValid(t *testing.T) {
	for _, tt := range []struct {
		name, schema, v string
		want            bool
	}{
		{"5.0 is an integer", `{"type":"integer"}`, `5.0`, true},
		{"1e2 is an integer", `{"type":"integer"}`, `1e2`, true},
		{"5.5 is none", `{"type":"integer"}`, `5.5`, false},
		{"a bool is no integer", `{"type":"integer"}`, `true`, false},
		{"a bool is no number", `{"type":"number"}`, `false`, false},
		{"an integer is a number", `{"type":"number"}`, `7`, true},
		{"a list of types", `{"type":["string","null"]}`, `null`, true},
		{"enum by value", `{"enum":[1]}`, `1.0`, true},
		{"enum true is not 1", `{"enum":[1]}`, `true`, false},
		{"enum false is not 0", `{"enum":[false]}`, `0`, false},
		{"enum beyond all doubles", `{"enum":[1e400]}`, `10e399`, true},
		{"enum beyond all doubles, another", `{"enum":[1e400]}`, `1e401`, false},
		{"bounds beyond all doubles", `{"maximum":1e400}`, `1e401`, false},
		{"bounds beyond all doubles, far", `{"maximum":1e400}`, `1e999999999`, false},
		{"a pattern of JavaScript in a list of schemas", `{"allOf":[{"pattern":"^(?!a)"}]}`, `"b"`, true},
		{"a pattern of JavaScript in a list of schemas, broken", `{"allOf":[{"pattern":"^(?!a)"}]}`, `"ab"`, false},
		{"a type in a list of schemas", `{"anyOf":[{"type":"integer"},{"type":"null"}]}`, `1e0`, true},
		{"enum inside", `{"enum":[[1,{"a":1.0}]]}`, `[1.0,{"a":1}]`, true},
		{"enum inside true", `{"enum":[[1]]}`, `[true]`, false},
		{"empty enum", `{"enum":[]}`, `1`, false},
		{"const by value", `{"const":2}`, `2.0`, true},
		{"const null", `{"const":null}`, `null`, true},
		{"const null is not absent", `{"properties":{"a":{"const":null}}}`, `{}`, true},
		{"unique by value", `{"uniqueItems":true}`, `[1,1.0]`, false},
		{"unique true is not 1", `{"uniqueItems":true}`, `[1,true]`, true},
		{"unique objects", `{"uniqueItems":true}`, `[{"a":1,"b":2},{"b":2,"a":1}]`, false},
		{"unique over twenty", `{"uniqueItems":true}`, `[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,1.0]`, false},
		{"all digits count", `{"enum":[9007199254740993]}`, `9007199254740992`, false},
		{"all digits are unique", `{"uniqueItems":true}`, `[9007199254740993,9007199254740992]`, true},
		{"length in code points", `{"maxLength":2}`, `"😀é"`, true},
		{"pattern unanchored", `{"pattern":"b+"}`, `"abbc"`, true},
		{"pattern fails", `{"pattern":"^b+$"}`, `"abbc"`, false},
		{"pattern of a number", `{"pattern":"^b+$"}`, `5`, true},
		{"look-ahead", `{"pattern":"^(?!no).*$"}`, `"no way"`, false},
		{"look-behind", `{"pattern":"(?<=a)b"}`, `"ab"`, true},
		{"a \\u escape", `{"pattern":"^\\u0041$"}`, `"A"`, true},
		{"blank of any kind", `{"pattern":"^\\s$"}`, "\"\u00a0\"", true},
		{"one code point", `{"pattern":"^.$"}`, `"😀"`, true},
		{"letters", `{"pattern":"^\\p{L}+$"}`, `"é"`, true},
		{"open object", `{"properties":{"a":true}}`, `{"b":1}`, true},
		{"closed object", `{"properties":{"a":true},"additionalProperties":false}`, `{"b":1}`, false},
		{"pattern properties", `{"patternProperties":{"^x":{"type":"integer"}},"additionalProperties":false}`, `{"x1":1}`, true},
		{"local reference", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}`, `"x"`, true},
		{"reference and sibling", `{"$ref":"#/$defs/a","maxLength":1,"$defs":{"a":{"type":"string"}}}`, `"xx"`, false},
		{"definitions", `{"properties":{"p":{"$ref":"#/definitions/a"}},"definitions":{"a":{"type":"string"}}}`, `{"p":1}`, false},
		{"recursive", `{"properties":{"next":{"$ref":"#"}},"required":["v"]}`, `{"v":1,"next":{"v":2,"next":{}}}`, false},
		{"anchor", `{"$ref":"#a","$defs":{"x":{"$anchor":"a","type":"string"}}}`, `1`, false},
		{"id", `{"$id":"https://example.org/s","$ref":"t","$defs":{"x":{"$id":"t","type":"string"}}}`, `1`, false},
		{"prefixItems", `{"prefixItems":[{"type":"string"}],"items":false}`, `["a",1]`, false},
		{"dependentRequired", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, false},
		{"unevaluated", `{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`, `{"a":1}`, true},
		{"decimal multiple", `{"multipleOf":0.01}`, `19.99`, true},
		{"not a multiple", `{"multipleOf":0.01}`, `19.999`, false},
		{"exclusive bound", `{"exclusiveMinimum":0}`, `0.0`, false},
		{"a huge exponent", `{"maximum":10}`, `1e999999999`, false},
		{"a tiny exponent", `{"minimum":0}`, `1e-999999999`, true},
		{"true", `true`, `1`, true},
		{"false", `false`, `1`, false},
		{"content is an annotation", `{"contentEncoding":"base64","contentMediaType":"application/json"}`, `"%"`, true},
		{"$schema of another draft", `{"$schema":"http://json-schema.org/draft-04/schema#","type":"string"}`, `"a"`, true},
		{"$schema unknown", `{"$schema":"https://example.org/mine","type":"string"}`, `"a"`, true},
		{"a property called $schema", `{"properties":{"$schema":{"type":"integer"}}}`, `{"$schema":"a"}`, false},
		{"a property called pattern", `{"properties":{"pattern":{"type":"integer"}}}`, `{"pattern":"a"}`, false},
		{"pattern in an enum is data", `{"enum":[{"pattern":"a"}]}`, `{"pattern":"a"}`, true},
		{"unknown format", `{"format":"hostname"}`, `"-- --"`, true},
		{"if then", `{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := check(t, tt.schema, tt.v, Config{})
			if len(found) > 0 && (strings.HasPrefix(found[0], "compile") || strings.HasPrefix(found[0], "error")) {
				t.Fatal(found)
			}
			if got := len(found) == 0; got != tt.want {
				t.Errorf("valid = %v, want %v (%v)", got, tt.want, found)
			}
		})
	}
}

// TestUnusable: a schema that cannot be used says why, and never where the library keeps it.
func TestUnusable(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"dict"}`:                        "not valid at /type: enum",
		`{"properties":{"a":{"type":"str"}}}`:    "not valid at /properties/a/type: enum",
		`{"$ref":"#/$defs/none"}`:                "#/$defs/none not found",
		`{"$ref":"https://example.org/s.json"}`:  "https://example.org/s.json is not in the schema and nothing is fetched",
		`{"$ref":"file:///etc/passwd"}`:          "file:///etc/passwd is not in the schema and nothing is fetched",
		`{"$ref":"#"}`:                           "a $ref leads back to itself",
		`{"properties":{"a":{"required":true}}}`: "not valid at /properties/a/required: type",
		`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`: "a $ref leads back to itself",
		`{"pattern":"("}`:                       "pattern \"(\" cannot be read: pattern \"(\": error parsing regexp: missing closing ) in `(`",
		`{"patternProperties":{"(":{}}}`:        "not valid at /patternProperties/(: propertyNames",
		`"x"`:                                   "it is a string, not an object",
		`[]`:                                    "it is an array, not an object",
		`null`:                                  "it is null, not an object",
		`{"$ref":"#/foo","foo":5}`:              "not valid at /foo: type",
		`{"$ref":"#/foo","foo":{"required":5}}`: "not valid at /foo/required: type",
		strings.Repeat(`{"not":`, 201) + `{}` + strings.Repeat(`}`, 201): "it is nested deeper than 200 levels",
		`{"enum":[0` + strings.Repeat(`,0`, 19_998) + `]}`:               "it has more than 20000 parts",
	} {
		if diff := cmp.Diff([]string{"compile: schema: " + want}, check(t, schema, `{"a":1}`, Config{})); diff != "" {
			t.Errorf("%.60s: %s", schema, diff)
		}
	}
	most := `{"enum":[0` + strings.Repeat(`,0`, 19_997) + `]}`
	if found := check(t, most, `0`, Config{}); len(found) > 0 {
		t.Errorf("20000 parts: %.100s", found)
	}
}

// TestMessages: what each keyword says, with its value in the schema and the keys that it names.
func TestMessages(t *testing.T) {
	long := func(letter string, n int) string { return strings.Repeat(letter, n) }
	for _, tt := range []struct {
		schema, v string
		draft7    bool
		want      string // path, keyword, message, rule, keys
	}{
		{`{"uniqueItems":true}`, `[1,1]`, false, `|uniqueItems|holds an element twice|true|[]`},
		{`{"propertyNames":{"maxLength":1}}`, `{"abc":1}`, false, `/abc|propertyNames|has a name that is not allowed|1|[]`},
		{`{"items":[{}],"additionalItems":false}`, `[1,2]`, true,
			`|additionalItems|has an element that is not allowed|false|[]`},
		{`{"items":[{}],"additionalItems":{"type":"string"}}`, `[1,2]`, true,
			`/1|type|is an integer, must be string|"string"|[]`},
		{`{"prefixItems":[{}],"unevaluatedItems":false}`, `[1,2]`, false, `/1|false|may not be there|false|[]`},
		{`{"unevaluatedProperties":false}`, `{"a":1}`, false, `/a|false|may not be there|false|[]`},
		{`{"additionalProperties":{"type":"string"}}`, `{"a":1}`, false,
			`/a|type|is an integer, must be string|"string"|[]`},
		{`{"patternProperties":{"^x":{}},"additionalProperties":false}`, `{"a":1}`, false,
			`|additionalProperties|has a key that is not allowed|false|[]`},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"a":1,"c d":1}`, false,
			`|additionalProperties|may not have "c d"|false|["c d"]`},
		{`{"not":{}}`, `1`, false, `|not|is what the schema excludes|{}|[]`},
		{`{"contains":{"const":1}}`, `[2,3]`, false, `|contains|does not hold the elements that it must|null|[]`},
		{`{"contains":{"const":1},"minContains":2}`, `[1]`, false,
			`|contains|does not hold the elements that it must|2|[]`},
		{`{"dependentRequired":{"a":["b","c"]}}`, `{"a":1,"b":1}`, false,
			`|dependentRequired|lacks a key that another key asks for|"c"|["c"]`},
		{`{"dependencies":{"a":["b"]}}`, `{"a":1}`, true, `|dependencies|lacks a key that another key asks for|"b"|[]`},
		{`false`, `1`, false, `|false|may not be there|null|[]`},
		{`{"type":["string","null"]}`, `1.5`, false,
			`|type|is a number, must be string or null|["string","null"]|[]`},
		{`{"required":["a","b","c"]}`, `{"b":1}`, false, `|required|lacks "a", "c"|["a","b","c"]|["a" "c"]`},
		{`{"enum":["a",1]}`, `true`, false, `|enum|is true, must be one of ["a",1]|["a",1]|[]`},
		{`{"enum":[]}`, `1`, false, `|enum|is 1, must be one of []|[]|[]`},
		{`{"const":{"a":1}}`, `{"a":2}`, false, `|const|is {"a":2}, must be {"a":1}|{"a":1}|[]`},
		{`{"format":"uuid"}`, `"x"`, false, `|format|is "x", which is no uuid|"uuid"|[]`},
		{`{"pattern":"^a"}`, `"b"`, false, `|pattern|is "b", which does not match ^a|"^a"|[]`},
		{`{"minimum":2}`, `1.5`, false, `|minimum|is 1.5, breaks minimum 2|2|[]`},
		{`{"maximum":1.25}`, `2`, false, `|maximum|is 2, breaks maximum 1.25|1.25|[]`},
		{`{"exclusiveMinimum":2}`, `2`, false, `|exclusiveMinimum|is 2, breaks exclusiveMinimum 2|2|[]`},
		{`{"exclusiveMaximum":2}`, `2`, false, `|exclusiveMaximum|is 2, breaks exclusiveMaximum 2|2|[]`},
		{`{"multipleOf":3}`, `4`, false, `|multipleOf|is 4, breaks multipleOf 3|3|[]`},
		{`{"minLength":2}`, `"é"`, false, `|minLength|has length 1, breaks minLength 2|2|[]`},
		{`{"maxLength":1}`, `"éa"`, false, `|maxLength|has length 2, breaks maxLength 1|1|[]`},
		{`{"minItems":2}`, `[1]`, false, `|minItems|has length 1, breaks minItems 2|2|[]`},
		{`{"maxItems":1}`, `[1,2]`, false, `|maxItems|has length 2, breaks maxItems 1|1|[]`},
		{`{"minProperties":2}`, `{"a":1}`, false, `|minProperties|has length 1, breaks minProperties 2|2|[]`},
		{`{"maxProperties":0}`, `{"a":1}`, false, `|maxProperties|has length 1, breaks maxProperties 0|0|[]`},
		{`{"anyOf":[{"minimum":2},{"type":"null"}]}`, `1`, false,
			`|anyOf|fits none of the 2 alternatives|[{"minimum":2},{"type":"null"}]|[]`},
		{`{"oneOf":[{"minimum":2},{"type":"null"}]}`, `1`, false,
			`|oneOf|fits none of the 2 alternatives|[{"minimum":2},{"type":"null"}]|[]`},
		{`{"oneOf":[{"type":"integer"},{"type":"number"},{}]}`, `1`, false,
			`|oneOf|fits more than one of the 3 alternatives|[{"type":"integer"},{"type":"number"},{}]|[]`},
		{`{"allOf":[{"minimum":3},{"minimum":4}]}`, `1`, false,
			"|minimum|is 1, breaks minimum 3|3|[]\n|minimum|is 1, breaks minimum 4|4|[]"},
		{`{"properties":{"anyOf":{"minimum":5,"multipleOf":7}}}`, `{"anyOf":1}`, false,
			"/anyOf|minimum|is 1, breaks minimum 5|5|[]\n/anyOf|multipleOf|is 1, breaks multipleOf 7|7|[]"},
		{`{"properties":{"a%/b~":{"minimum":5}}}`, `{"a%/b~":1}`, false, `/a%~1b~0|minimum|is 1, breaks minimum 5|5|[]`},
		{`{"pattern":"` + long("x", 121) + `"}`, `"` + long("y", 119) + `"`, false, `|pattern|is "` + long("y", 118) +
			`…, which does not match ` + long("x", 119) + `…|"` + long("x", 121) + `"|[]`},
	} {
		s, err := Compile(parse(t, tt.schema), Config{Draft7: tt.draft7})
		if err != nil {
			t.Fatal(tt.schema, err)
		}
		found, err := s.Validate(parse(t, tt.v))
		if err != nil {
			t.Error(tt.schema, err)
		}
		var got []string
		for _, x := range found {
			got = append(got, fmt.Sprintf("%s|%s|%s|%s|%q", x.Path, x.Keyword, x.Message, x.Rule.JSON(), x.Keys))
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%.60s of %.60s: %s", tt.schema, tt.v, diff)
		}
	}
}

// TestPrepare: what the library gets of a schema. Keywords change only where there is a schema: in data, and as the
// names of properties, they stay.
func TestPrepare(t *testing.T) {
	draft7, answer := Config{Draft7: true}, Config{Answer: true}
	for _, tt := range []struct {
		config       Config
		schema, want string
	}{
		{Config{}, `{"$schema":"x","contentEncoding":"a","contentMediaType":"b","contentSchema":{},"title":"t"}`, `{"title":"t"}`},
		{Config{}, `{"pattern":"a"}`, `{"x-judge-pattern":"a"}`}, {Config{}, `{"pattern":5}`, `{"pattern":5}`},
		{Config{}, `{"type":"string","enum":[1,1.0]}`, `{"type":"string","enum":[1,1]}`},
		{Config{}, `{"enum":[]}`, `{"x-judge-enum":[]}`}, {Config{}, `{"enum":{}}`, `{"enum":{}}`},
		{Config{}, `{"maximum":1.50,"const":[{"pattern":"a","n":2.50}]}`, `{"maximum":1.5,"const":[{"pattern":"a","n":2.5}]}`},
		{Config{}, `{"properties":{"type":{"pattern":"a"},"pattern":{}}}`,
			`{"properties":{"type":{"x-judge-pattern":"a"},"pattern":{}}}`},
		{Config{}, `true`, `true`},
		{draft7, `{"type":"string","enum":[1,1.0,2,"1"]}`, `{"x-judge-type":"string","enum":[1,2,"1"]}`},
		{draft7, `{"type":["string","null"]}`, `{"x-judge-type":["string","null"]}`},
		{draft7, `{"type":[]}`, `{"type":[]}`}, {draft7, `{"type":"str"}`, `{"type":"str"}`},
		{draft7, `{"type":["string","str"]}`, `{"type":["string","str"]}`}, {draft7, `{"type":{}}`, `{"type":{}}`},
		{draft7, `{"required":["a","a"],"enum":5}`, `{"required":["a","a"],"enum":5}`},
		{draft7, `{"enum":[]}`, `{"x-judge-enum":[]}`},
		{answer, `{"format":"date","$ref":"#/a","items":[{}],"title":"t","minLength":1,"maximum":1.50}`,
			`{"minLength":1,"maximum":1.50}`},
		{answer, `{"items":{"format":"date"},"properties":{"format":{"format":"date","type":"string"}}}`,
			`{"items":{},"properties":{"format":{"type":"string"}}}`},
	} {
		if got, err := prepare(parse(t, tt.schema), tt.config); got != tt.want || err != nil {
			t.Errorf("%s under %+v: %s, %v; want %s", tt.schema, tt.config, got, err, tt.want)
		}
	}
	for list, holds := range map[string]place{
		"not if then else additionalProperties propertyNames contains additionalItems unevaluatedItems " +
			"unevaluatedProperties items allOf anyOf oneOf prefixItems": aSchema,
		"properties patternProperties $defs definitions dependentSchemas dependencies": schemas,
		"const default examples required title dependentRequired x":                    data,
	} {
		for keyword := range strings.FieldsSeq(list) {
			const before, after = `{"pattern":"a"}`, `{"x-judge-pattern":"a"}`
			want := map[place][3]string{aSchema: {after, "[" + after + "]", `{"pattern":` + before + `}`},
				schemas: {before, "[" + after + "]", `{"pattern":` + after + `}`},
				data:    {before, "[" + before + "]", `{"pattern":` + before + `}`}}[holds]
			for i, operand := range []string{before, "[" + before + "]", `{"pattern":` + before + `}`} {
				got, err := prepare(parse(t, `{"`+keyword+`":`+operand+`}`), Config{})
				if all := `{"` + keyword + `":` + want[i] + `}`; got != all || err != nil {
					t.Errorf("%s: %s, %v; want %s", keyword, got, err, all)
				}
			}
			if got := HoldsSchemas(keyword); got != (holds != data) {
				t.Errorf("%s holds schemas: %v", keyword, got)
			}
		}
	}
}

func TestViolations(t *testing.T) {
	const schema = `{"type":"object","additionalProperties":false,"required":["name","day"],
	 "properties":{"name":{"type":"string"},"day":{"format":"date","maxLength":10},"a/b":{"enum":["x","y"]},
	  "n":{"anyOf":[{"type":"integer"},{"type":"null"}]},"l":{"items":{"type":["integer","null"]}},"z":false}}`
	got := check(t, schema, `{"day":"2024-13-01 or so","a/b":"q","n":"s","l":[1,"x"],"zz":1,"aa":2,"z":1}`, Config{})
	want := []string{
		` additionalProperties: may not have "zz", "aa"`,
		` required: lacks "name"`,
		`/a~1b enum: is "q", must be one of ["x","y"]`,
		`/day format: is "2024-13-01 or so", which is no date`,
		`/day maxLength: has length 16, breaks maxLength 10`,
		`/l/1 type: is a string, must be integer or null`,
		`/n anyOf: fits none of the 2 alternatives`,
		`/z false: may not be there`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = check(t, `{"dependentRequired":{"a":["b"]},"properties":{"p":{"patternProperties":{"^x":{}},"additionalProperties":false}}}`,
		`{"a":1,"p":{"y":1}}`, Config{})
	want = []string{` dependentRequired: lacks a key that another key asks for`, `/p additionalProperties: has a key that is not allowed`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryKeyword(t *testing.T) {
	const schema = `{"properties":{"a":{"type":"integer","enum":[1,2],"pattern":"^z"}}}`
	want := []string{`/a enum: is "5", must be one of [1,2]`, `/a pattern: is "5", which does not match ^z`, `/a type: is a string, must be integer`}
	if diff := cmp.Diff(want, check(t, schema, `{"a":"5"}`, Config{Draft7: true})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want[2:], check(t, schema, `{"a":"5"}`, Config{})); diff != "" {
		t.Error(diff)
	}
}

func TestChecked(t *testing.T) {
	for list, want := range map[string][2]bool{
		"title description default examples $schema $comment $id $anchor $defs definitions deprecated readOnly writeOnly " +
			"contentEncoding contentMediaType contentSchema": {true, true},
		"$ref $dynamicRef $recursiveRef format unevaluatedProperties unevaluatedItems additionalItems dependencies " +
			"extends disallow divisibleBy": {false, true},
		"requierd type x": {false, false},
	} {
		for keyword := range strings.FieldsSeq(list) {
			if checked, known := Checked(keyword); checked != want[0] || known != want[1] {
				t.Errorf("%s: %v %v", keyword, checked, known)
			}
		}
	}
	got := check(t, `{"propertyNames":{"maxLength":2},"properties":{"propertyNames":{"minimum":2}}}`, `{"abc":1,"propertyNames":1}`, Config{})
	if len(got) < 2 || !strings.Contains(strings.Join(got, "\n"), "/propertyNames minimum: ") || !strings.Contains(strings.Join(got, "\n"), " propertyNames: ") {
		t.Errorf("%q", got)
	}
}

// TestWithin: f gets each schema in the operand of a keyword with the pointer to it, and data stays as it is.
func TestWithin(t *testing.T) {
	for _, tt := range []struct{ keyword, operand, want string }{
		{"items", `{"a":1}`, `[""]`}, {"items", `[{"a":1},{"b":1}]`, `["/0","/1"]`}, {"not", `{}`, `[""]`},
		{"anyOf", `[{},{}]`, `["/0","/1"]`}, {"properties", `{"x":{},"y/z":{}}`, `{"x":"/x","y/z":"/y~1z"}`},
		{"required", `["x"]`, `["x"]`}, {"enum", `[{"a":1}]`, `[{"a":1}]`}, {"type", `"object"`, `"object"`}, {"minimum", `1`, `1`},
	} {
		got := Within(tt.keyword, parse(t, tt.operand), func(at string, _ value.Value) value.Value { return value.OfString(at) })
		if got.Kind() == value.String && HoldsSchemas(tt.keyword) {
			got = value.OfList(got)
		}
		if got.JSON() != tt.want {
			t.Errorf("%s of %s: %s, want %s", tt.keyword, tt.operand, got.JSON(), tt.want)
		}
	}
}

// TestKeywordsAsNames: a property may be called as a keyword, and several contained values are one rule.
func TestKeywordsAsNames(t *testing.T) {
	got := check(t, `{"properties":{"anyOf":{"type":"string","enum":["a"]}}}`, `{"anyOf":1}`, Config{Draft7: true})
	if diff := cmp.Diff([]string{`/anyOf enum: is 1, must be one of ["a"]`, `/anyOf type: is an integer, must be string`}, got); diff != "" {
		t.Error(diff)
	}
	got = check(t, `{"properties":{"anyOf":{"type":"integer","pattern":"^z"}}}`, `{"anyOf":"5"}`, Config{Draft7: true})
	if diff := cmp.Diff([]string{`/anyOf pattern: is "5", which does not match ^z`, `/anyOf type: is a string, must be integer`},
		got); diff != "" {
		t.Error(diff)
	}
	for _, rule := range []string{`"minContains":2`, `"maxContains":0`} {
		got = check(t, `{"contains":{"const":1},`+rule+`}`, `[1]`, Config{})
		if len(got) != 1 || !strings.HasPrefix(got[0], " contains: ") {
			t.Errorf("%s: %v", rule, got)
		}
	}
}

// TestPatternsThatTakeTooLong: a value is neither right nor wrong by a pattern that was given up.
func TestPatternsThatTakeTooLong(t *testing.T) {
	const schema = `{"properties":{"a":{"pattern":"^(a|aa|a.)+\\1\\1b$"}}}`
	got := check(t, schema, `{"a":"`+strings.Repeat("a", 80)+`!"}`, Config{})
	if len(got) != 1 || !strings.HasPrefix(got[0], "error: schema: pattern") {
		t.Error(got)
	}
}

// TestAnswer: null stands for a key that an answer need not have, and numbers count as
// they are written. In arguments neither is so.
func TestAnswer(t *testing.T) {
	const optional = `{"properties":{"a":{"type":"string"},"b/c":{"type":"string"}},"required":["b/c"]}`
	const deep = `{"properties":{"o":{"required":["b"],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}}}`
	for _, tt := range []struct {
		name, schema, v   string
		answer, arguments []string
	}{
		{"a key that is not required", optional, `{"a":null,"b/c":"x"}`, nil,
			[]string{`/a type: is null, must be string`}},
		{"a required key", optional, `{"b/c":null}`, []string{`/b~1c type: is null, must be string`},
			[]string{`/b~1c type: is null, must be string`}},
		{"inside an object", deep, `{"o":{"a":null,"b":null}}`, []string{`/o/b type: is null, must be string`},
			[]string{`/o/a type: is null, must be string`, `/o/b type: is null, must be string`}},
		{"an element is no key", `{"items":{"type":"string"}}`, `[null]`,
			[]string{`/0 type: is null, must be string`}, []string{`/0 type: is null, must be string`}},
		{"more than the maximum by less than a double shows", `{"maximum":5}`, `5.00000000000000000001`,
			[]string{` maximum: is 5.00000000000000000001, breaks maximum 5`}, nil},
		{"1e309, which no double holds", `{"items":{"type":"number"}}`, `[1e309,-1e309]`,
			[]string{`/0 type: is a number, must be number`, `/1 type: is a number, must be number`}, nil},
		{"a wrong type elsewhere", `{"properties":{"a":{"type":"number"},"b":{"minimum":5}}}`, `{"a":"x","b":1}`,
			[]string{`/a type: is a string, must be number`, `/b minimum: is 1, breaks minimum 5`},
			[]string{`/a type: is a string, must be number`, `/b minimum: is 1, breaks minimum 5`}},
		{"beyond all doubles", `{"type":"number","maximum":5}`, `1e999`,
			[]string{` type: is a number, must be number`}, []string{` maximum: is 1e999, breaks maximum 5`}},
	} {
		if diff := cmp.Diff(tt.answer, check(t, tt.schema, tt.v, Config{Answer: true})); diff != "" {
			t.Errorf("%s, in an answer: %s", tt.name, diff)
		}
		if diff := cmp.Diff(tt.arguments, check(t, tt.schema, tt.v, Config{})); diff != "" {
			t.Errorf("%s, in arguments: %s", tt.name, diff)
		}
	}
}

func TestDraft7(t *testing.T) {
	for _, tt := range []struct {
		schema, v string
		want      bool
	}{
		{`{"items":[{"type":"string"}],"additionalItems":false}`, `["a",1]`, false},
		{`{"properties":{"a":{"$ref":"#/definitions/x","maxLength":1}},"definitions":{"x":{"type":"string"}}}`, `{"a":"long"}`, true},
		{`{"format":"date"}`, `"no"`, false},
		{`{"dependencies":{"a":["b"]}}`, `{"a":1}`, false},
		{`{"type":["string","string"]}`, `"x"`, true}, // a repeated name is no error
		{`{"type":["string","string"]}`, `1`, false},
		{`{"type":["integer","null"]}`, `true`, false},
	} {
		if got := len(check(t, tt.schema, tt.v, Config{Draft7: true})) == 0; got != tt.want {
			t.Errorf("%s %s: %v", tt.schema, tt.v, got)
		}
	}
	if found := check(t, `{"format":"date"}`, `"no"`, Config{Draft7: true, IgnoreFormat: true}); len(found) > 0 {
		t.Error("a format is asserted though it is ignored", found)
	}
}

func TestFormats(t *testing.T) {
	good := map[string][]string{
		"date":      {"2024-02-29", "0000-01-01", "2000-02-29"},
		"date-time": {"2024-01-15T10:00:00Z", "2024-01-15t10:00:00.123456z", "2024-01-15T10:00:00+05:30", "1998-12-31T23:59:60Z", "1998-12-31T15:59:60.1-08:00"},
		"time":      {"10:00:00Z", "10:00:00-00:00", "23:59:60Z"},
		"email":     {"a@b.co", "joe.bloggs@example.com", `"joe bloggs"@example.com`, "te~st@example.com", "joe@[127.0.0.1]", "joe@[IPv6:::1]", "a@localhost"},
		"ipv4":      {"1.2.3.4", "255.255.255.255"},
		"ipv6":      {"::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "2001:DB8::"},
		"uuid":      {"2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"},
		"uri":       {"http://example.com", "urn:isbn:0451450523", "mailto:a@b.c", "http://[2001:db8::7]/c=GB?one", "ftp://x/y%20z", "http://a:80/?q=1#f", "tel:+1-816-555-1212", "http://foo.bar/?baz=qux#quux", "file:///etc"},
	}
	bad := map[string][]string{
		"date":      {"2023-02-29", "1900-02-29", "2024-1-1", "2024-13-01", "2024-00-10", "2024-01-32", "20240101", "2024-01-01T00:00:00Z", "tomorrow", "", "२०२४-01-01"},
		"date-time": {"2024-01-15", "2024-01-15 10:00:00Z", "2024-01-15T10:00:00", "2024-01-15T25:00:00Z", "2024-01-15T10:00:00.Z", "1998-12-31T22:59:60Z", "2024-02-30T10:00:00Z", "2024-01-15T10:00Z"},
		"time":      {"10:00", "10:00:00", "24:00:00Z", "10:60:00Z", "10:00:61Z", "10:00:00+24:00", "10:00:00+0100"},
		"email":     {"plain", "@b.co", "a@", "a b@c.d", ".a@b.c", "a..b@c.d", "a.@b.c", "a@-b.c", "a@b c", "a@[1.2.3]"},
		"ipv4":      {"1.2.3", "256.1.1.1", "01.2.3.4", "1.2.3.4/24", "::1"},
		"ipv6":      {"1.2.3.4", "::g", "fe80::1%eth0", "1:2", "12345::"},
		"uuid":      {"2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08-aa98-11ea-b4aa73b441d16380x", "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}"},
		"uri":       {"example.com", "/a/b", "//x/y", "http:// shouldfail.com", ":// should fail", "bar,baz:foo", "http://a/<b>", "\\\\WINDOWS\\file", "http://x/%zz", "1http://a", "http://a:port/", ""},
	}
	for format, texts := range good {
		for _, text := range texts {
			if found := check(t, fmt.Sprintf(`{"format":%q}`, format), value.OfString(text).JSON(), Config{}); len(found) > 0 {
				t.Errorf("%s refuses %q", format, text)
			}
		}
	}
	for format, texts := range bad {
		for _, text := range texts {
			v := value.OfString(text).JSON()
			if found := check(t, fmt.Sprintf(`{"format":%q}`, format), v, Config{}); len(found) != 1 {
				t.Errorf("%s accepts %q", format, text)
			}
			if found := check(t, fmt.Sprintf(`{"format":%q}`, format), v, Config{IgnoreFormat: true}); len(found) > 0 {
				t.Errorf("%s is asserted though it is ignored", format)
			}
		}
		if found := check(t, fmt.Sprintf(`{"format":%q}`, format), `5`, Config{}); len(found) > 0 {
			t.Errorf("%s is asserted on a number", format)
		}
	}
}

// TestSteps: the number of steps that a validation may take, and of parts that a value may have, to the one.
func TestSteps(t *testing.T) {
	const tooMuch = "error: schema: checking takes too many steps for a value of this size"
	// Of 20050 steps, three are for the outer schema and the references, twice 10022 for the enum, and one for each {}.
	enum := `"$defs":{"e":{"enum":[0` + strings.Repeat(`,0`, 10_020) + `]}}`
	for more, want := range map[string][]string{`,{},{}`: nil, `,{},{},{}`: {tooMuch}} {
		schema := `{"allOf":[{"$ref":"#/$defs/e"},{"$ref":"#/$defs/e"},{}` + more + `],` + enum + `}`
		if diff := cmp.Diff(want, check(t, schema, `0`, Config{})); diff != "" {
			t.Errorf("with %s: %s", more, diff)
		}
	}
	most := `[0` + strings.Repeat(`,0`, maxSteps-2)
	for text, want := range map[string][]string{most + `]`: nil, most + `,0]`: {tooMuch}} {
		if diff := cmp.Diff(want, check(t, `{}`, text, Config{})); diff != "" {
			t.Errorf("a list of %d bytes: %s", len(text), diff)
		}
	}
}

// TestHostile ends; where a bound is broken it takes hours.
func TestHostile(t *testing.T) {
	branching := `{"anyOf":[{"properties":{"a":{"$ref":"#"}},"required":["a"]},{"properties":{"a":{"$ref":"#"}},"required":["b"]}]}`
	if found := check(t, branching, strings.Repeat(`{"a":`, 60)+`1`+strings.Repeat(`}`, 60), Config{}); len(found) != 1 || !strings.Contains(found[0], "too many steps") {
		t.Errorf("exponential alternatives: %v", found)
	}
	if found := check(t, `{"properties":{"a":{"$ref":"#"}}}`, strings.Repeat(`{"a":`, 5000)+`1`+strings.Repeat(`}`, 5000), Config{}); len(found) != 1 || !strings.Contains(found[0], "depth") {
		t.Errorf("a deep value: %v", found)
	}
	for keyword, closing := range map[string]string{`{"not":`: `}`, `{"allOf":[`: `]}`} {
		levels := maxDepth / len(closing)
		if found := check(t, strings.Repeat(keyword, levels)+`{}`+strings.Repeat(closing, levels), `1`, Config{}); len(found) > 0 {
			t.Errorf("a schema as deep as it may be, of %s: %v", keyword, found)
		}
	}
	if found := check(t, `{"items":{"type":"integer"}}`, "["+strings.Repeat("7,", 50_000)+"7]", Config{}); len(found) != 0 {
		t.Errorf("a long honest list: %v", found)
	}
	if found := check(t, `{"maximum":1}`, strings.Repeat("9", 1_000_000), Config{}); len(found) != 1 {
		t.Errorf("a long number: %v", found)
	}
	wide := `{"properties":{` + strings.TrimSuffix(strings.Repeat(`"p":{"type":"string"},`, 30_000), ",") + `}}`
	check(t, wide, `{}`, Config{})
	var many strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&many, `%q:{"type":"string","description":"d"},`, fmt.Sprint("p", i))
	}
	if found := check(t, `{"properties":{`+strings.TrimSuffix(many.String(), ",")+`}}`, `{}`, Config{}); len(found) > 0 {
		t.Errorf("a wide schema: %v", found)
	}
}

func TestConcurrent(t *testing.T) {
	s, err := Compile(parse(t, `{"properties":{"a":{"type":"integer"}}}`), Config{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 200 {
				found, err := s.Validate(value.OfObject(value.Member{Key: "a", Value: value.OfBool(i%2 == 0)}))
				if err != nil || len(found) != 1 {
					t.Error(found, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkValidate(b *testing.B) {
	s, err := Compile(parse(b, `{"type":"object","properties":{"customer_id":{"type":"string"},"amount":{"type":"integer"}},"required":["customer_id"]}`), Config{})
	if err != nil {
		b.Fatal(err)
	}
	v := parse(b, `{"customer_id":"c1","amount":5}`)
	b.ReportAllocs()
	for b.Loop() {
		if found, err := s.Validate(v); err != nil || len(found) > 0 {
			b.Fatal(found, err)
		}
	}
}

// FuzzAnswer holds that no schema and no answer of a model makes the library panic.
func FuzzAnswer(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":["string","null"],"enum":["x"]}},"required":["a"]}`, `{"a":1,"b":null}`},
		{`{"maximum":1e9999999}`, `1e-9999999`}, {`{"type":"number","multipleOf":1e-300}`, `1e308`}, {`{"enum":[]}`, `1`}, {`{"type":[]}`, `1`},
		{`{"propertyNames":{"pattern":"^(?=a)"},"unevaluatedProperties":false}`, `{"b/%":1}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, schema, text string) {
		source, err := value.ParseString(schema)
		v, err2 := value.ParseString(text)
		if err != nil || err2 != nil {
			return
		}
		s, err := Compile(source, Config{Answer: true})
		if err != nil {
			return
		}
		found, err := s.Validate(v)
		if err != nil && strings.Contains(err.Error(), "cannot be used") {
			t.Fatal(err)
		}
		for _, x := range found {
			if x.Keyword == "" || x.Message == "" {
				t.Fatalf("%s on %s: a violation without words: %+v", schema, text, x)
			}
		}
	})
}
