package value

import (
	"io"
	"strings"
	"testing"
)

// TestPick: what is looked for under several keys is the first of them that there is.
func TestPick(t *testing.T) {
	v := parse(t, `{"a":null,"b":"","c":7,"d":{"x":1},"e":[1,2],"f":"{\"y\":2}","g":"{","h":"[]"}`)
	f := parse(t, `{"a":"x","b":"y","c":true}`)
	first, given := v.First("z", "b", "c")
	none, noneGiven := v.First("z")
	_, key := v.FirstKey("z", "a", "c")
	for what, pair := range map[string][2]string{
		"first":                       {first.JSON(), `""`},
		"null is there":               {key, "a"},
		"first text":                  {v.FirstText("z", "a", "b", "d", "c"), "7"},
		"first text of a text":        {v.FirstText("b", "g", "c"), "{"},
		"not decoded, no text":        {v.Field("e").Decoded().JSON(), "[1,2]"},
		"first text at the beginning": {f.FirstText("a", "b"), "x"},
		"a boolean is no text":        {f.FirstText("c", "a"), "x"},
		"inside at the beginning":     {parse(t, `{"a":{"b":1}}`).Inside("a").JSON(), `{"b":1}`},
		"a number is not decoded":     {OfString("12").Decoded().JSON(), `"12"`},
		"a list is not decoded":       {parse(t, `[1]`).Decoded().JSON(), "[1]"},
		"one letter is not decoded":   {OfString("").Decoded().JSON() + OfString("[").Decoded().JSON(), `"""["`},
		"a long text":                 {Quote(strings.Repeat("x", 121)), `"` + strings.Repeat("x", 119) + `…"`},
		"no text":                     {v.FirstText("z", "a", "b", "d"), ""},
		"inside":                      {v.Inside("z", "c", "d").JSON(), `{"x":1}`},
		"not inside":                  {v.Inside("z", "e").JSON(), v.JSON()},
		"head":                        {v.Field("e").Head().JSON(), "1"},
		"head of an object":           {v.Field("d").Head().JSON(), "null"},
		"head of an empty list":       {OfList().Head().JSON(), "null"},
		"slice":                       {OfList(v.Field("e").Slice()...).JSON(), "[1,2]"},
		"decoded":                     {v.Field("f").Decoded().JSON(), `{"y":2}`},
		"decoded list":                {v.Field("h").Decoded().JSON(), `[]`},
		"not decoded":                 {v.Field("g").Decoded().JSON() + v.Field("c").Decoded().JSON(), `"{"7`},
		"keys":                        {v.KeyList(), `"a", "b", "c", "d", "e", "f", …`},
		"six keys":                    {v.Without("g", "h").KeyList(), `"a", "b", "c", "d", "e", "f"`},
		"no keys":                     {OfObject().KeyList(), "(none)"},
		"nothing":                     {none.JSON(), "null"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %s, want %s", what, pair[0], pair[1])
		}
	}
	if !given || noneGiven {
		t.Error("first: given", given, noneGiven)
	}
	if !v.HasAll("a", "b") || v.HasAll("a", "z") || !v.HasAny("z", "a") || v.HasAny("z", "y") {
		t.Error("keys that v has")
	}
	if !v.Has("a") || !v.Has("h") || v.Has("z") || v.Field("e").Has("0") || OfString("a").Has("a") {
		t.Error("a key that v has, also for null")
	}
}

// TestFields: members without a value are left out, and no members are no object.
func TestFields(t *testing.T) {
	var f Fields
	f.Set("a", Value{})
	f.Text("b", "")
	if got := f.Object(); !got.IsNull() {
		t.Error(got.JSON())
	}
	f.Set("c", OfInt(1))
	f.Text("d", "x")
	f.Add(parse(t, `{"e":null}`))
	if got := f.Object().JSON(); got != `{"c":1,"d":"x","e":null}` {
		t.Error(got)
	}
}

// TestPlaces: where a value stands in a text, where the text stops being JSON, which keys come twice, and what
// is complete of a text that breaks off.
func TestPlaces(t *testing.T) {
	const text = `{"a": [1, {"b": 2}], "c": 3}`
	for pointer, want := range map[string]int{"": 0, "/a": 4, "/a/0": 7, "/a/1/b": 14, "/c": 24, "/c/x": 24, "/z": 0} {
		if got := Locate([]byte(text), pointer); got != want {
			t.Errorf("%s is at %d, %q, want %d", pointer, got, text[got:], want)
		}
	}
	for text, want := range map[string]int{`{"a":1}`: 7, `{"a":x}`: 5, `[1 2]`: 3, `{"a":`: 5, ``: 0, `[1]x`: 4} {
		if got := Broken([]byte(text)); got != want {
			t.Errorf("%s stops at %d, want %d", text, got, want)
		}
	}
	if v, twice, err := ParseUnique([]byte(`{"a":{"b":1,"b":2},"c":1}`)); err != nil || strings.Join(twice, " ") != "/a/b" || v.Len() != 2 {
		t.Error(v.JSON(), twice, err)
	}
	if _, twice, err := ParseUnique([]byte(`{"a":{"b":1},"c":{"b":1}}`)); err != nil || twice != nil {
		t.Error(twice, err)
	}
	for text, want := range map[string]string{`{"a":[1,2],"b":[3,`: `{"a":[1,2],"b":[3]}`, `[1,{"a":"x`: `[1,{}]`, `[1] and`: `[1]`, `"x"`: `null`, `7`: `null`} {
		if got := ParsePrefix(text).JSON(); got != want {
			t.Errorf("of %s is complete %s, want %s", text, got, want)
		}
	}
	d := NewDecoder(strings.NewReader(`{"a":1} [2]3 `))
	if err := d.Skip(); err != nil || d.Offset() != 7 {
		t.Error(err, d.Offset())
	}
	if v, err := d.Next(); err != nil || v.JSON() != "[2]" || d.Offset() != 11 {
		t.Error(v.JSON(), err, d.Offset())
	}
	_, _ = d.Next()
	if _, err := d.Next(); err != io.EOF {
		t.Error(err)
	}
}

// TestExact: a number is as exact as it is written, and one that is not finite or too long has no exact value.
func TestExact(t *testing.T) {
	for text, want := range map[string]string{
		"0.3": "3/10", "-1.50": "-3/2", "1e2": "100/1", "0": "0/1", "0e999999": "0/1", "-0.0": "0/1",
		"1e-999999": "no", "1e999": "no", "true": "no", "1." + strings.Repeat("0", 398) + "1": "no", "1." + strings.Repeat("0", 398): "1/1",
	} {
		x, ok := parse(t, text).Exact()
		got := "no"
		if ok {
			got = x.String()
		}
		if got != want {
			t.Errorf("%.20s: %s, want %s", text, got, want)
		}
	}
}
