package schema_test

import (
	"reflect"
	"strings"
	"testing"

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

func TestReflectRefusesOneNameForTwo(t *testing.T) {
	type item struct{ A int }
	if _, err := schema.Reflect(schema.ReflectConfig{}, item{}, list{}); err == nil {
		t.Error("two types of one name are taken for one")
	}
	if _, err := schema.Reflect(schema.ReflectConfig{Patches: map[string]string{"base": "["}}, base{}); err == nil {
		t.Error("a patch that is no JSON is taken")
	}
}
