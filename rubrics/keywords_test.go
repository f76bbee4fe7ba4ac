package rubrics

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/schema"
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

// check returns what a judge is told of a value.
func check(t testing.TB, text, v string) []string {
	t.Helper()
	s, err := schema.Compile(parse(t, text), schema.Config{Answer: true})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	broken, err := s.Validate(parse(t, v))
	if err != nil {
		t.Fatalf("%s on %s: %v", text, v, err)
	}
	var got []string
	for _, b := range broken {
		at, _ := parse(t, v).Pointer(b.Path)
		for _, x := range worded(b, at) {
			got = append(got, x.String())
		}
	}
	return got
}

func TestMessages(t *testing.T) {
	for _, tt := range []struct{ schema, v, want string }{
		{`{"multipleOf":2}`, `5`, ": 5 is not a multiple of 2"},
		{`{"multipleOf":0.1}`, `3.00000000000000000001`, ": 3.00000000000000000001 is not a multiple of 0.1"},
		{`{"multipleOf":2}`, `1e-999999`, ": 1e-999999 is not a multiple of 2"},
		{`{"pattern":"^[A-Z]+$"}`, `"x"`, ": the text does not match the pattern ^[A-Z]+$"},
		{`{"properties":{"a/b":{"oneOf":[{},{}]}}}`, `{"a/b":1}`, "/a~1b: the value fits more than one of the 2 alternatives"},
		{`{"uniqueItems":true}`, `[1,2,1.0]`, ": an element stands twice, where each may stand once"},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, "/b: the key is missing, which another key requires"},
		{`{"minProperties":1}`, `{}`, ": there are 0 keys, fewer than 1"},
		{`{"contains":{"const":1}}`, `[2]`, `: too few or too many elements fit "contains"`},
		{`{"not":{"const":1}}`, `1`, `: the value is one that the schema's "not" excludes`},
		{`{"items":false}`, `[1]`, "/0: no value is allowed here"},
		{`{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, "/ab: the key's name is not one that the schema allows"},
		{`{"maximum":5}`, `5.00000000000000000001`, ": 5.00000000000000000001 is greater than the maximum 5"},
		{`{"exclusiveMaximum":0.3}`, `0.3`, ": 0.3 is not less than 0.3"},
		{`{"maximum":0}`, `1e-400`, ": 1e-400 is greater than the maximum 0"},
		{`{"type":"number","maximum":5}`, `1e9999999`, ": 1e9999999 is not of type number"},
		{`{"type":"integer"}`, `-1e999`, ": -1e999 is not of type integer"},
		{`{"const":9007199254740993}`, `9007199254740992.0`, ": the value is not the constant of the schema"},
	} {
		if diff := cmp.Diff([]string{tt.want}, check(t, tt.schema, tt.v)); diff != "" {
			t.Errorf("%s on %s: %s", tt.schema, tt.v, diff)
		}
	}
}

// TestNullForNone: where a key may be missing it may be null, but not as a condition.
func TestNullForNone(t *testing.T) {
	const text = `{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b"]}`
	if got := check(t, text, `{"a":null,"b":"x"}`); got != nil {
		t.Error(got)
	}
	if got := check(t, text, `{"a":null,"b":null}`); len(got) != 1 || !strings.HasPrefix(got[0], "/b") {
		t.Error(got)
	}
	if got := check(t, `{"not":{"properties":{"a":{"type":"string"}}}}`, `{"a":null}`); got != nil {
		t.Error(got)
	}
}

func TestKeywords(t *testing.T) {
	deep := strings.Repeat(`{"items":`, 70) + `{}` + strings.Repeat(`}`, 70)
	for _, tt := range []struct {
		schema string
		want   []string
	}{
		{`{"title":"x","default":1,"$comment":"c","threshold_low":1,"deprecated":true,"$defs":{"a":{"nonsense":1}}}`, nil},
		{`{"minimum":"1"}`, []string{`0 minimum: must be a finite number, not "1"`}},
		{`{"properties":{"pattern":{"multipleOf":0}}}`, []string{`0 properties/pattern/multipleOf: must be a number greater than 0, not 0`}},
		{`{"maxLength":1.5,"minItems":-1}`, []string{`0 maxLength: must be a whole number from 0 on, not 1.5`, `0 minItems: must be a whole number from 0 on, not -1`}},
		{`{"pattern":"("}`, []string{`0 pattern: cannot be read as a regular expression: `}},
		{`{"patternProperties":{"[":{}}}`, []string{`0 patternProperties/[: cannot be read as a regular expression: `}},
		{`{"type":"int"}`, []string{`0 type: must be a type or a list of types (object, array, string, number, integer, boolean, null), not "int"`}},
		{`{"anyOf":[]}`, []string{`0 anyOf: must be a list of schemas`}},
		{`{"not":3}`, []string{`0 not: a schema is an object, not an integer`}},
		{`{"required":[1],"enum":{},"uniqueItems":1,"dependentRequired":{"a":"b"},"properties":[]}`, []string{
			`0 required: must be a list of names, not an array`, `0 enum: must be a list of values, not an object`, `0 uniqueItems: must be true or false, not 1`,
			`0 dependentRequired: must be an object of lists of names, not an object`, `0 properties: must be an object of schemas, not an array`}},
		{`{"items":[{}]}`, []string{`1 items: a list of schemas is not checked; use prefixItems`}},
		{`{"allOf":[{"$ref":"#/$defs/a"}]}`, []string{`1 allOf/0/$ref: references are not followed: `}},
		{`{"format":"date","unevaluatedProperties":false}`, []string{`1 format: formats are not checked`, `1 unevaluatedProperties: the keyword is sent but cannot be checked`}},
		{`{"x-mood":1}`, []string{`2 x-mood: the keyword is sent, but JSON Schema knows none of that name`}},
		{deep, []string{"0 " + strings.Repeat("items/", 64) + "items: the schema is nested deeper than 64 levels"}},
	} {
		r := keywordReader{}
		r.walk(nil, parse(t, tt.schema), 0)
		var got []string
		for i, p := range r.doubts {
			line := fmt.Sprintf("%d %s: %s", p.severity, strings.Join(p.path, "/"), p.message)
			if i < len(tt.want) && strings.HasPrefix(line, tt.want[i]) {
				line = tt.want[i] // the rest is another package's
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", clipText(tt.schema, 60), diff)
		}
	}
}
