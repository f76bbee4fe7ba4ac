package schema_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/value"
)

type base struct {
	Kind string `json:"kind"`
}

type word string

type item struct {
	base
	Name  string      `json:"name"`
	Score *float64    `json:"score"`
	Note  *string     `json:"note,omitempty"`
	Any   value.Value `json:"any"`
	Word  word        `json:"word"`
	Next  *item       `json:"next"`
	Own   bool        `json:"-"`
}

type list struct {
	Items []item `json:"items"`
}

func valid(t *testing.T, source value.Value, text string) bool {
	t.Helper()
	s, err := schema.Compile(source, schema.Config{})
	if err != nil {
		t.Fatalf("%v\n%s", err, source.JSON())
	}
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	broken, err := s.Validate(v)
	if err != nil {
		t.Fatal(err)
	}
	return len(broken) == 0
}

func TestReflect(t *testing.T) {
	config := schema.ReflectConfig{
		Title: "items", Closed: true,
		Types:   map[reflect.Type]string{reflect.TypeFor[word](): `{"type":"string","enum":["a","b"]}`},
		Patches: map[string]string{"item": `{"if":{"properties":{"kind":{"const":"full"}}},"then":{"properties":{"score":{"type":"number"}}}}`},
	}
	s, err := schema.Reflect(config, list{})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Field("$schema").Text(); got != "https://json-schema.org/draft/2020-12/schema" || s.Has("$id") {
		t.Errorf("schema %s, id %v", got, s.Has("$id"))
	}
	if s.Field("$defs").Has("list") || !s.Field("$defs").Has("item") {
		t.Errorf("the one type is not only at the top: %s", s.Field("$defs").JSON())
	}
	const good = `{"kind":"x","name":"n","score":null,"any":[1,{}],"word":"a","next":null}`
	for text, want := range map[string]bool{
		`{"items":[]}`:             true,
		`{"items":[` + good + `]}`: true,
		`{"items":[],"more":1}`:    false,
		`{}`:                       false,
		`{"items":[{"kind":"x"}]}`: false,
		`{"items":[` + strings.Replace(good, `"next":null`, `"next":`+good, 1) + `]}`:                                    true,
		`{"items":[` + strings.Replace(good, `"a"`, `"c"`, 1) + `]}`:                                                     false,
		`{"items":[` + strings.Replace(good, `"score":null`, `"score":"1"`, 1) + `]}`:                                    false,
		`{"items":[` + strings.Replace(good, `"x"`, `"full"`, 1) + `]}`:                                                  false,
		`{"items":[` + strings.Replace(strings.Replace(good, `"x"`, `"full"`, 1), `"score":null`, `"score":1`, 1) + `]}`: true,
		`{"items":[` + strings.Replace(good, `"name"`, `"note":null,"name"`, 1) + `]}`:                                   false,
	} {
		if got := valid(t, s, text); got != want {
			t.Errorf("%s: valid %v, want %v", text, got, want)
		}
	}
	again, err := schema.Reflect(config, list{})
	if err != nil || again.JSON() != s.JSON() {
		t.Errorf("the same types give another schema: %v", err)
	}
	// A patch that opens one type leaves the others closed, and so does the next schema.
	config.Patches = map[string]string{"item": `{"additionalProperties":true}`}
	for range 2 {
		if s, err = schema.Reflect(config, list{}); err != nil {
			t.Fatal(err)
		}
		open := strings.Replace(good, `{"kind"`, `{"more":1,"kind"`, 1)
		if !valid(t, s, `{"items":[`+open+`]}`) || valid(t, s, `{"items":[],"more":1}`) {
			t.Error("a patch of one type reaches another")
		}
	}
	config.Closed = false
	if s, err = schema.Reflect(config, list{}); err != nil || !valid(t, s, `{"items":[],"more":1}`) {
		t.Errorf("an open schema refuses an unknown key: %v", err)
	}
}

func TestReflectSeveral(t *testing.T) {
	s, err := schema.Reflect(schema.ReflectConfig{}, base{}, list{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{`{"kind":"x"}`: true, `{"items":[]}`: true, `{}`: false, `3`: false} {
		if got := valid(t, s, text); got != want {
			t.Errorf("%s: valid %v, want %v", text, got, want)
		}
	}
}

// TestReflectRefusesOneNameForTwo: types of one name, and a configuration that cannot be applied, are errors.
func TestReflectRefusesOneNameForTwo(t *testing.T) {
	type item struct{ A int }
	for name, tt := range map[string]struct {
		config schema.ReflectConfig
		of     any
		want   string
	}{
		"one name": {schema.ReflectConfig{Define: []any{list{}}}, item{}, "two types are named item: "},
		"a patch":  {schema.ReflectConfig{Patches: map[string]string{"base": "["}}, base{}, "patch of base: "},
		"a field": {schema.ReflectConfig{Fields: map[string]string{"base.none": "{}"}}, base{},
			"the schema given for base.none: no such field"},
		"a field's schema": {schema.ReflectConfig{Fields: map[string]string{"base.kind": "["}}, base{},
			"the schema given for base.kind: "},
		"a type's schema": {schema.ReflectConfig{Types: map[reflect.Type]string{reflect.TypeFor[word](): "["}}, list{},
			"the schema given for schema_test.word: "},
	} {
		s, err := schema.Reflect(tt.config, tt.of)
		if err == nil || !strings.HasPrefix(err.Error(), "reflect schema: "+tt.want) || !s.IsNull() {
			t.Errorf("%s: %s, %v; want %s", name, s.JSON(), err, tt.want)
		}
	}
}

type two struct {
	When  time.Time `json:"when"`
	Tags  []string  `json:"tags,omitempty" jsonschema:"description=what it is"`
	Extra *base     `json:"extra,omitempty"`
}

// TestReflectedText: the whole schema of one type, with all that a configuration adds, and of two types.
func TestReflectedText(t *testing.T) {
	for _, tt := range []struct {
		config schema.ReflectConfig
		of     []any
		want   string
	}{
		{schema.ReflectConfig{Title: "items", Description: "all of them", Closed: true,
			Types:    map[reflect.Type]string{reflect.TypeFor[word](): `{"type":"string","enum":["a","b"]}`},
			Fields:   map[string]string{"item.name": `{"type":"string","minLength":1}`, "two.tags": `{"type":"string"}`},
			Describe: map[string]string{"item.name": "who", "item.next": "the next", "list.items": "each"},
			Patches:  map[string]string{"two": `{"minProperties":1}`},
			Define:   []any{two{}},
		}, []any{list{}}, `{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{` +
			`"base":{"properties":{"kind":{"type":"string"}},"additionalProperties":false,"type":"object","required":["kind"]},` +
			`"item":{"properties":{"kind":{"type":"string"},"name":{"type":"string","minLength":1,"description":"who"},` +
			`"score":{"oneOf":[{"type":"number"},{"type":"null"}]},"note":{"type":"string"},"any":true,` +
			`"word":{"type":"string","enum":["a","b"]},` +
			`"next":{"oneOf":[{"$ref":"#/$defs/item","description":"the next"},{"type":"null"}]}},` +
			`"additionalProperties":false,"type":"object","required":["kind","name","score","any","word","next"]},` +
			`"two":{"properties":{"when":{"type":"string","format":"date-time"},"tags":{"type":"string","description":"what it is"},` +
			`"extra":{"$ref":"#/$defs/base"}},"additionalProperties":false,"type":"object","minProperties":1,"required":["when"]}},` +
			`"properties":{"items":{"items":{"$ref":"#/$defs/item"},"type":"array","description":"each"}},` +
			`"additionalProperties":false,"type":"object","required":["items"],"title":"items","description":"all of them"}`},
		{schema.ReflectConfig{}, []any{base{}, two{}}, `{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{` +
			`"base":{"properties":{"kind":{"type":"string"}},"type":"object","required":["kind"]},` +
			`"two":{"properties":{"when":{"type":"string","format":"date-time"},` +
			`"tags":{"items":{"type":"string"},"type":"array","description":"what it is"},"extra":{"$ref":"#/$defs/base"}},` +
			`"type":"object","required":["when"]}},"oneOf":[{"$ref":"#/$defs/base"},{"$ref":"#/$defs/two"}]}`},
	} {
		s, err := schema.Reflect(tt.config, tt.of...)
		if d := cmp.Diff(tt.want, s.JSON()); d != "" || err != nil {
			t.Error(err, d)
		}
	}
}
