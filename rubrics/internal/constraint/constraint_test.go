package constraint

import (
	"fmt"
	"strings"
	"testing"
	"time"

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

func check(t testing.TB, text, v string) []string {
	t.Helper()
	s := parse(t, text)
	read, problems := Read(s)
	if len(problems) > 0 {
		t.Fatalf("%s: %v", text, problems)
	}
	var got []string
	for _, x := range read.Check("", parse(t, v), s) {
		got = append(got, x.Pointer+": "+x.Rule)
	}
	return got
}

// schemas has every keyword that is checked.
var schemas = []string{
	`true`, `false`, `{}`, `{"type":"integer"}`, `{"type":["string","null"]}`, `{"enum":[1,"a",{"x":1}]}`, `{"const":[1,2]}`,
	`{"minimum":2}`, `{"maximum":2.5}`, `{"exclusiveMinimum":2}`, `{"exclusiveMaximum":3}`, `{"multipleOf":2}`, `{"multipleOf":0.1}`, `{"multipleOf":1e-5}`,
	`{"minLength":2}`, `{"maxLength":2}`, `{"pattern":"^a"}`, `{"pattern":"b$"}`, `{"pattern":"^(?=.*a)(?!.*z).*$"}`, `{"pattern":"^.{2}$"}`, `{"pattern":"(a)\\1"}`,
	`{"minItems":2}`, `{"maxItems":2}`, `{"uniqueItems":true}`, `{"uniqueItems":false}`, `{"items":{"type":"integer"}}`, `{"items":false}`,
	`{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`, `{"contains":{"const":1}}`, `{"contains":{"const":1},"minContains":2}`,
	`{"contains":{"const":1},"minContains":0,"maxContains":1}`, `{"minProperties":2}`, `{"maxProperties":1}`, `{"required":["a"]}`,
	`{"properties":{"a":{"type":"integer"}}}`, `{"properties":{"a":true},"additionalProperties":false}`, `{"additionalProperties":{"type":"string"}}`,
	`{"patternProperties":{"^a":{"type":"integer"}},"additionalProperties":false}`, `{"properties":{"ab":{"minimum":3}},"patternProperties":{"b$":{"type":"integer"}}}`,
	`{"propertyNames":{"maxLength":1}}`, `{"propertyNames":{"pattern":"^[a-b]$"}}`, `{"dependentRequired":{"a":["b"]}}`, `{"dependentSchemas":{"a":{"required":["b"]}}}`,
	`{"not":{"type":"integer"}}`, `{"not":{}}`, `{"allOf":[{"minimum":2},{"maximum":3}]}`, `{"anyOf":[{"type":"string"},{"minimum":3}]}`,
	`{"oneOf":[{"minimum":1},{"minimum":3}]}`, `{"if":{"type":"integer"},"then":{"minimum":3},"else":{"type":"string"}}`, `{"if":{"type":"integer"}}`,
	`{"properties":{"a":{"properties":{"b":{"multipleOf":3}},"required":["b"]}},"required":["a"]}`,
}

var values = []string{
	`null`, `true`, `0`, `1`, `2`, `3`, `2.0`, `2.5`, `0.3`, `-4`, `1e20`, `0.00003`, `5`, `6`,
	`""`, `"a"`, `"ab"`, `"abc"`, `"aa"`, `"za"`, `"é"`, `"😀😀"`, `"\n"`,
	`[]`, `[1]`, `[1,1]`, `[1,1.0]`, `[1,2]`, `[1,2,3]`, `["a",1]`, `["a","b"]`, `[[1],[1]]`, `[{"a":1,"b":2},{"b":2,"a":1}]`,
	`{}`, `{"a":1}`, `{"a":"x"}`, `{"b":1}`, `{"a":1,"b":2}`, `{"ab":2}`, `{"ab":"x"}`, `{"c":1}`, `{"x":1}`, `{"a":{"b":6}}`, `{"a":{"b":7}}`, `{"a":{}}`,
}

// TestLikeALibrary compares every schema on every value with a whole implementation of
// JSON Schema.
func TestLikeALibrary(t *testing.T) {
	valid, invalid := 0, 0
	for _, text := range schemas {
		s := parse(t, text)
		read, problems := Read(s)
		if len(problems) > 0 {
			t.Errorf("%s: %v", text, problems)
		}
		reference, err := schema.Compile(s, schema.Config{})
		if s.Kind() == value.Bool {
			if s, err = parse(t, `{"allOf":[`+text+`]}`), nil; err == nil {
				reference, err = schema.Compile(s, schema.Config{})
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, in := range values {
			v := parse(t, in)
			want, err := reference.Validate(v)
			if err != nil {
				t.Fatalf("%s on %s: %v", text, in, err)
			}
			got := read.Check("", v, s)
			if (len(got) > 0) != (len(want) > 0) {
				t.Errorf("%s on %s: %v, and by the library %v", text, in, got, want)
			}
			if len(want) > 0 {
				invalid++
			} else {
				valid++
			}
		}
	}
	if valid < 500 || invalid < 300 {
		t.Errorf("only %d valid and %d invalid pairs: the tables tell nothing", valid, invalid)
	}
}

func TestMessages(t *testing.T) {
	for _, tt := range []struct{ schema, v, want string }{
		{`{"multipleOf":2}`, `5`, ": 5 is not a multiple of 2"},
		{`{"multipleOf":0.1}`, `3.00000000000000000001`, ": 3.00000000000000000001 is not a multiple of 0.1"},
		{`{"multipleOf":2}`, `1e-999999`, ": 1e-999999 is not a multiple of 2"},
		{`{"pattern":"^[A-Z]+$"}`, `"x"`, ": the text does not match the pattern ^[A-Z]+$"},
		{`{"properties":{"a/b":{"oneOf":[{},{}]}}}`, `{"a/b":1}`, "/a~1b: the value fits 2 of the alternatives, where only one may fit"},
		{`{"uniqueItems":true}`, `[1,2,1.0]`, "/2: the element is the same as element 0, where each may stand once"},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `/b: the key is missing, which "a" requires`},
		{`{"minProperties":1}`, `{}`, ": there are 0 keys, fewer than 1"},
		{`{"contains":{"const":1}}`, `[2]`, `: there are 0 elements that fit "contains", fewer than 1`},
		{`{"not":{"const":1}}`, `1`, `: the value is one that the schema's "not" excludes`},
		{`{"items":false}`, `[1]`, "/0: no value is allowed here"},
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

// TestTimeBound: a pattern that would take for ever on a text counts as not matched.
func TestTimeBound(t *testing.T) {
	start := time.Now()
	got := check(t, `{"pattern":"^(?=(a+)+$)"}`, `"`+strings.Repeat("a", 5000)+`!"`)
	if len(got) != 1 || !strings.Contains(got[0], "cannot be checked against the pattern") {
		t.Error(got)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestRead(t *testing.T) {
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
		{deep, []string{"1 " + strings.Repeat("items/", 64) + "items: the schema is nested deeper than 64 levels"}},
	} {
		_, problems := Read(parse(t, tt.schema))
		var got []string
		for i, p := range problems {
			line := fmt.Sprintf("%d %s: %s", p.Severity, strings.Join(p.Path, "/"), p.Message)
			if i < len(tt.want) && strings.HasPrefix(line, tt.want[i]) {
				line = tt.want[i] // the rest is another package's
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", clip(tt.schema, 60), diff)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for i, s := range schemas {
		f.Add(s, values[i%len(values)])
	}
	f.Fuzz(func(t *testing.T, schema, in string) {
		s, err := value.ParseString(schema)
		v, err2 := value.ParseString(in)
		if err != nil || err2 != nil {
			return
		}
		read, _ := Read(s)
		for _, x := range read.Check("", v, s) {
			if x.Rule == "" {
				t.Fatal("a violation without a rule")
			}
		}
	})
}
