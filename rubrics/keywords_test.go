package rubrics

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/value"
)

func jsonValue(t testing.TB, text string) value.Value {
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
	s, err := schema.Compile(jsonValue(t, text), schema.Config{Answer: true})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	broken, err := s.Validate(jsonValue(t, v))
	if err != nil {
		t.Fatalf("%s on %s: %v", text, v, err)
	}
	var got []string
	for _, b := range broken {
		at, _ := jsonValue(t, v).Pointer(b.Path)
		for _, x := range describeBroken(b, at) {
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
		{`{"uniqueItems":true}`, `[1,2,1.0]`, ": an element occurs twice, where each may occur once"},
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
