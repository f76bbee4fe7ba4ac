package schema

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParallelValidations: validations that run at the same time have a form each, so that
// a short one does not give a long one its steps, and forms are used again.
func TestParallelValidations(t *testing.T) {
	s, err := Compile(parse(t, `{"items":{"type":"integer"}}`), Config{})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.idle) != 1 {
		t.Fatalf("%d forms of a new schema", len(s.idle))
	}
	only := s.idle[0]
	if _, err := s.Validate(parse(t, `[1]`)); err != nil || len(s.idle) != 1 || s.idle[0] != only {
		t.Errorf("%d forms after a validation, %v", len(s.idle), err)
	}
	first, err1 := s.take()
	second, err2 := s.take()
	if err1 != nil || err2 != nil || first == second || first.left == second.left {
		t.Errorf("two validations share a form: %p and %p (%v, %v)", first, second, err1, err2)
	}
	s.give(first)
	if again, err := s.take(); again != first || err != nil {
		t.Errorf("a form that is free is not used again (%v)", err)
	}
	s.give(first)
	s.give(second)

	long, short := parse(t, `[`+strings.Repeat(`1,`, 20_000)+`"x"]`), parse(t, `["x"]`)
	want := map[bool]string{true: "/20000", false: "/0"}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := range 10 {
				isLong := (i+n)%2 == 0
				v := short
				if isLong {
					v = long
				}
				found, err := s.Validate(v)
				if err != nil || len(found) != 1 || found[0].Path != want[isLong] {
					t.Errorf("%v, %v; want one at %s", found, err, want[isLong])
					return
				}
			}
		})
	}
	wg.Wait()
	if len(s.idle) > 4 {
		t.Errorf("%d forms for at most 4 validations at a time", len(s.idle))
	}
}

// TestEqualViolations: a violation that two branches find is told once; those that differ in
// place, keyword or message are all told.
func TestEqualViolations(t *testing.T) {
	for name, tt := range map[string]struct {
		schema, value string
		want          []string
	}{
		"the same twice": {`{"allOf":[{"type":"integer"},{"type":"integer"}]}`, `"x"`, []string{" type"}},
		"two messages":   {`{"allOf":[{"type":"integer"},{"type":"boolean"}]}`, `"x"`, []string{" type", " type"}},
		"two keywords":   {`{"allOf":[{"type":"integer"},{"minLength":3}]}`, `"x"`, []string{" minLength", " type"}},
		"two places":     {`{"items":{"type":"integer"}}`, `["x","x"]`, []string{"/0 type", "/1 type"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Compile(parse(t, tt.schema), Config{})
			if err != nil {
				t.Fatal(err)
			}
			found, err := s.Validate(parse(t, tt.value))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, x := range found {
				got = append(got, x.Path+" "+x.Keyword)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestTypesOfDraft7: each type takes its own values, and 5.0 is an integer.
func TestTypesOfDraft7(t *testing.T) {
	const values = `[null,true,"x",[],{},5,5.0,5.5]`
	for types, want := range map[string][]string{
		`"null"`:              {"/1", "/2", "/3", "/4", "/5", "/6", "/7"},
		`"boolean"`:           {"/0", "/2", "/3", "/4", "/5", "/6", "/7"},
		`"string"`:            {"/0", "/1", "/3", "/4", "/5", "/6", "/7"},
		`"array"`:             {"/0", "/1", "/2", "/4", "/5", "/6", "/7"},
		`"object"`:            {"/0", "/1", "/2", "/3", "/5", "/6", "/7"},
		`"number"`:            {"/0", "/1", "/2", "/3", "/4"},
		`"integer"`:           {"/0", "/1", "/2", "/3", "/4", "/7"},
		`["integer","array"]`: {"/0", "/1", "/2", "/4", "/7"},
	} {
		s, err := Compile(parse(t, `{"items":{"type":`+types+`}}`), Config{Draft7: true})
		if err != nil {
			t.Fatal(err)
		}
		found, err := s.Validate(parse(t, values))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range found {
			got = append(got, x.Path)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", types, d)
		}
	}
}
