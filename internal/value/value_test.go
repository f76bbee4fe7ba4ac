package value

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parse(t testing.TB, s string) Value {
	t.Helper()
	v, err := ParseString(s)
	if err != nil {
		t.Fatalf("parse %s: %v", s, err)
	}
	return v
}

func TestRoundTripKeepsDigitsAndOrder(t *testing.T) {
	for _, s := range []string{
		`{"z":1,"a":{"y":90071992547409931,"b":1.50},"m":[1e2,-0,0.1]}`,
		`"a<b>&\u2028"`, `[]`, `{}`, `null`, `true`, `[[["x"]]]`, `"é\n\"\\"`,
	} {
		want := strings.ReplaceAll(s, `\u2028`, "\u2028")
		if got := parse(t, s).JSON(); got != want {
			t.Errorf("%s came out as %s", s, got)
		}
	}
}

func TestRepeatedKeys(t *testing.T) {
	v, repeated, err := ParseUnique([]byte(`{"a":1,"b":{"c":1,"c":2},"a":3}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/b/c", "/a"}, repeated); diff != "" {
		t.Error(diff)
	}
	_, repeated, err = ParseUnique([]byte(`{"a":"a","b":"a","b":1}`))
	if err != nil || !cmp.Equal(repeated, []string{"/b"}) {
		t.Errorf("%q, %v", repeated, err)
	}
	if _, _, err = ParseUnique([]byte(`{"a":1,"a":2`)); err == nil {
		t.Error("a text that is cut was read")
	}
	if got, want := v.JSON(), `{"a":3,"b":{"c":2}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestStrictJSON(t *testing.T) {
	const early = ": unexpected EOF"
	for s, want := range map[string]string{
		`tru`:                      "text ends early at byte 3" + early,
		`nux`:                      "unexpected character at byte 0",
		`-`:                        "text ends early at byte 1" + early,
		`[1.`:                      "text ends early at byte 3" + early,
		`[1.x]`:                    "invalid number at byte 1",
		`[01]`:                     "invalid number at byte 1",
		"\"a\x01\"":                "raw control character in a string at byte 2",
		`"a`:                       "text ends early at byte 2" + early,
		`{1:2}`:                    "unexpected character at byte 1",
		`{"a" 1}`:                  "unexpected character at byte 5",
		`[1,2`:                     "text ends early at byte 4" + early,
		`[1 2]`:                    "unexpected character at byte 3",
		`1 2`:                      "text after the value at byte 2",
		" \t\r\n1\tx":              "text after the value at byte 6",
		strings.Repeat("[", 10001): "nested too deeply at byte 10000",
	} {
		if v, err := ParseString(s); err == nil || err.Error() != "json: "+want {
			t.Errorf("%.20q was read as %s, %v", s, v.JSON(), err)
		}
	}
	if _, err := ParseString(strings.Repeat("[", 10000) + strings.Repeat("]", 10000)); err != nil {
		t.Errorf("10000 levels: %v", err)
	}
	for _, s := range []string{``, ` `, `NaN`, `[1,]`, `{"a":1,}`, `{'a':1}`, `01`, `1 2`, `{"a" 1}`, `[1`, `"`, "\ufeff1", `1.`, `.5`, `+1`} {
		if v, err := ParseString(s); err == nil {
			t.Errorf("%q was read as %s", s, v.JSON())
		}
	}
}

func TestEqual(t *testing.T) {
	big := func(s string) string { return s }
	tests := []struct {
		a, b string
		e    Equality
		want bool
	}{
		{"1", "1.0", Equality{}, true},
		{"1", "1.0", Equality{StrictKinds: true}, false},
		{"0", "-0.0", Equality{}, true},
		{"-0", "0", Equality{}, true},
		{big("100000000000000000000"), "1e20", Equality{}, true},
		{"9007199254740993", "9007199254740992", Equality{}, false},
		{"9007199254740993", "9007199254740992", Equality{IntsAsFloats: true}, true},
		{"9007199254740993", "9007199254740992.0", Equality{}, false},
		{"0.1", "1e-1", Equality{}, true},
		{"true", "1", Equality{}, false},
		{"true", "1", Equality{BoolIsNumber: true}, true},
		{"[true]", "[1.0]", Equality{BoolIsNumber: true}, true},
		{`"1"`, "1", Equality{}, false},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, Equality{}, true},
		{`{"a":null}`, `{}`, Equality{}, false},
		{`[1,2]`, `[2,1]`, Equality{}, false},
		{`[]`, `{}`, Equality{}, false},
		{`[]`, `{}`, Equality{EmptyListIsEmptyObject: true}, true},
		{`"é"`, `"e\u0301"`, Equality{}, false},
		{"null", "null", Equality{}, true},
		{"1e999", "1e998", Equality{}, false},
		{"1e400", "1e401", Equality{BoolIsNumber: true}, false},
		{"1e400", "10.0e399", Equality{}, true},
		{"1e400", "0.1e+401", Equality{}, true},
		{"1e400", "-1e400", Equality{}, false},
		{"1e999999999999999999999", "1e999999999999999999998", Equality{}, false},
		{"\"a\xff\"", "\"a\xfe\"", Equality{}, false},
		{"\"a\xff\"", "\"a\ufffd\"", Equality{}, false},
		{`"\ud800"`, `"\ud801"`, Equality{}, false},
		{`"\udfff"`, `"\uDFFF"`, Equality{}, true},
		{`"a\ud800"`, `"a\ufffdd800"`, Equality{}, true},
		{`"\\ud800"`, `"\\ud801"`, Equality{}, false},
		{`"\uD83D\ude00"`, `"😀"`, Equality{}, true},
		{`"\ud83d\ud83d\ude00"`, `"\ud83d😀"`, Equality{}, true},
		{`{"\ud800":1}`, `{"\udbff":1}`, Equality{}, false},
		{"\"a\xff\"", "\"a\xff\"", Equality{}, true},
		{"{\"\xff\":1}", "{\"\xfe\":1}", Equality{}, false},
		{"1e999", "1", Equality{}, false},
		{`[1]`, `{}`, Equality{EmptyListIsEmptyObject: true}, false},
		{`[]`, `{"a":1}`, Equality{EmptyListIsEmptyObject: true}, false},
		{`""`, `[]`, Equality{EmptyListIsEmptyObject: true}, false},
		{`null`, `{}`, Equality{EmptyListIsEmptyObject: true}, false},
		{"false", "0", Equality{BoolIsNumber: true}, true},
		{"false", "1", Equality{BoolIsNumber: true}, false},
		{"true", `"1"`, Equality{BoolIsNumber: true}, false},
		{"true", `"true"`, Equality{BoolIsNumber: true}, false},
		{"true", "true", Equality{BoolIsNumber: true}, true},
		{"true", "false", Equality{BoolIsNumber: true}, false},
		{"1", "1.0", Equality{IntsAsFloats: true}, true},
		{"9007199254740993", "9007199254740992.0", Equality{IntsAsFloats: true}, false},
		{"2", "2.5", Equality{}, false},
		{"2.5", "3.5", Equality{}, false},
		{"8", "9", Equality{}, false},
		{"1", "1", Equality{StrictKinds: true}, true},
		{"-1e400", "-1e401", Equality{}, false},
		{`"x"`, "0", Equality{BoolIsNumber: true}, false},
		{"true", "null", Equality{BoolIsNumber: true}, false},
		{"[1]", "[1,2]", Equality{}, false},
		{`{"a":1,"b":2}`, `{"a":1,"c":2}`, Equality{}, false},
	}
	for _, tt := range tests {
		a, b := parse(t, tt.a), parse(t, tt.b)
		if got := tt.e.Equal(a, b); got != tt.want {
			t.Errorf("%s = %s under %+v: %v", tt.a, tt.b, tt.e, got)
		}
		if got := tt.e.Equal(b, a); got != tt.want {
			t.Errorf("%s = %s under %+v is not symmetric", tt.b, tt.a, tt.e)
		}
	}
	many := func(from, step, extra int) string { // 40 members, in another order and with another value at the end
		var members []string
		for i := range 40 {
			k := (from + step*i) % 40
			members = append(members, fmt.Sprintf(`"k%d":%d`, k, k+extra*(i/39)))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	for other, want := range map[string]bool{many(0, 1, 0): true, many(7, 3, 0): true, many(7, 3, 1): false, many(39, 39, 0): true} {
		if a, b := parse(t, many(0, 1, 0)), parse(t, other); Equal(a, b) != want || Equal(b, a) != want {
			t.Errorf("%s: equal is not %v", other, want)
		}
	}
	if !Equal(OfTuple(OfInt(1)), OfList(OfInt(1))) {
		t.Error("a tuple should equal a list by default")
	}
	if (Equality{StrictKinds: true}).Equal(OfTuple(), OfList()) || !(Equality{StrictKinds: true}).Equal(OfTuple(), OfTuple()) {
		t.Error("strictly, a tuple equals a tuple and no list")
	}
	if (Equality{TupleIsOwnKind: true}).Equal(OfTuple(), OfList()) {
		t.Error("a tuple should differ from a list where asked")
	}
}

func TestTexts(t *testing.T) {
	tests := []struct{ in, js, python string }{
		{`5.0`, `5`, `5.0`},
		{`1e2`, `100`, `100.0`},
		{`1e21`, `1e+21`, `1e+21`},
		{`1e20`, `100000000000000000000`, `1e+20`},
		{`1e-7`, `1e-7`, `1e-07`},
		{`0.0001`, `0.0001`, `0.0001`},
		{`0.00001`, `0.00001`, `1e-05`},
		{`1e15`, `1000000000000000`, `1000000000000000.0`},
		{`1e16`, `10000000000000000`, `1e+16`},
		{`-0.0`, `0`, `-0.0`},
		{`null`, `null`, `None`},
		{`[true,"a","it's",null]`, `[true,"a","it's",null]`, `[True, 'a', "it's", None]`},
		{`{"k":{"a":1}}`, `{"k":{"a":1}}`, `{'k': {'a': 1}}`},
		{`"top"`, `"top"`, `top`},
		{`["a\nb\\"]`, `["a\nb\\"]`, `['a\nb\\']`},
		{`["'\""]`, `["'\""]`, `['\'"']`},
		{`[false,{"a":1,"b":2}]`, `[false,{"a":1,"b":2}]`, `[False, {'a': 1, 'b': 2}]`},
		// As Python's repr escapes: controls, soft hyphens, other blanks, and what has no form.
		{`["\u0001\u001f\u007f\r\t a"]`, `["\u0001\u001f` + "\u007f" + `\r\t a"]`, `['\x01\x1f\x7f\r\t a']`},
		{`["\u00a0\u00ad\u00ff\u3000\u200b"]`, "[\"\u00a0\u00adÿ\u3000\u200b\"]", `['\xa0\xadÿ\u3000\u200b']`},
		{`[1e400,-1e400,0.1e-4]`, `[null,null,0.00001]`, `[1e400, -1e400, 1e-05]`},
		{`["\u0080\u0378\ue000\uffff ~"]`, "[\"\u0080\u0378\ue000\uffff ~\"]", `['\x80\u0378\ue000\uffff ~']`},
		{`["\ud83d\ude00\udb40\udc01"]`, "[\"😀\U000e0001\"]", `['😀\U000e0001']`},
	}
	for _, tt := range tests {
		v := parse(t, tt.in)
		if got := string(AppendJSON(nil, v, Format{JSNumbers: true})); got != tt.js {
			t.Errorf("JavaScript text of %s: got %s, want %s", tt.in, got, tt.js)
		}
		if got := v.Python(); got != tt.python {
			t.Errorf("Python text of %s: got %s, want %s", tt.in, got, tt.python)
		}
	}
	for want, tuple := range map[string]Value{"()": OfTuple(), "(1,)": OfTuple(OfInt(1)), "(1, 2)": OfTuple(OfInt(1), OfInt(2))} {
		if got := tuple.Python(); got != want {
			t.Errorf("a tuple prints %s, want %s", got, want)
		}
	}
	for x, want := range map[float64]string{0.125: "12%", 0.135: "14%", 1: "100%", 2.0 / 3: "67%"} {
		if got := Percent(x); got != want {
			t.Errorf("Percent(%v) = %s, want %s", x, got, want)
		}
	}
}

func TestRound4TiesByTheBinaryValue(t *testing.T) {
	for x, want := range map[float64]float64{0.00005: 0.0001, 0.33335: 0.3333, 2.0 / 3: 0.6667, 1.00005: 1.0001} {
		if got := Round4(x); got != want {
			t.Errorf("Round4(%v) = %v, want %v", x, got, want)
		}
	}
}

// TestNumbers: what a number is as an integer, and as a double.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"7": "7 true 7 true 7 true", "-0": "0 true 0 true -0 true", "5.0": "5 true 5 true 5 true",
		"2.5":                 "0 false 2 false 2.5 true",
		"9223372036854775807": "9223372036854775807 true 9223372036854775807 true 9.223372036854776e+18 true",
		"9223372036854775808": "9223372036854775807 false 9223372036854775808 true 9.223372036854776e+18 true",
		"1e19":                "0 false 10000000000000000000 true 1e+19 true", "1e400": "0 false <nil> false +Inf false",
		`"7"`: "0 false <nil> false 0 false", "null": "0 false <nil> false 0 false", "true": "0 false <nil> false 0 false",
	} {
		v := parse(t, text)
		i, isInt := v.Int64()
		b, isBig := v.BigInt()
		f, isFloat := v.Float64()
		if got := fmt.Sprint(i, isInt, b, isBig, f, isFloat); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for text, kind := range map[string]Kind{"1": Int, "-0": Int, "1.0": Float, "1e2": Float, "1E+2": Float, "-1e-2": Float,
		"": Null, "-": Null, "01": Null, "1.": Null, "1.x": Null, "1e": Null, "1e+": Null, "1x": Null, "1x5": Null,
		"+1": Null} {
		if v := OfNumber(text); v.Kind() != kind || kind != Null && v.JSON() != text {
			t.Errorf("%q is %s, %s", text, v.Kind().WithArticle(), v.JSON())
		}
	}
}

// TestKinds: a kind has a name in a sentence, a length, and a text.
func TestKinds(t *testing.T) {
	for text, want := range map[string]string{
		"null": "null 0 null", "true": "a boolean 0 True true", "false": "a boolean 0 False false", "1": "an integer 0 1 1",
		"1.0": "a number 0 1.0 1.0", `"aé"`: `a string 2 'aé' aé`, "[ 1]": "an array 1 [1] [ 1]",
		`{"a" :1}`: "an object 1 {'a': 1} {\"a\" :1}",
	} {
		v := parse(t, text)
		yes, isBool := v.BoolVal()
		raw := v.Raw()
		if v.Kind() == String {
			raw = v.Text()
		}
		got := fmt.Sprint(v.Kind().WithArticle(), " ", v.Length(), " ", v.Repr(), " ", raw)
		if v.IsNull() {
			got = fmt.Sprint(v.Kind().WithArticle(), " ", v.Length(), " ", raw)
		}
		if got != want || yes != (text == "true") || isBool != (v.Kind() == Bool) {
			t.Errorf("%s: %s, %v %v; want %s", text, got, yes, isBool, want)
		}
	}
	names, articles := "", ""
	for k := Null; k < document; k++ {
		names, articles = names+" "+k.String(), articles+", "+k.WithArticle()
	}
	if names != " null boolean integer number string array object tuple" ||
		articles != ", null, a boolean, an integer, a number, a string, an array, an object, a tuple" {
		t.Error(names, articles)
	}
	for _, tt := range []struct {
		of   Value
		most int
		want string
	}{
		{OfString("abcdef"), 5, "abcd…"}, {OfString("abcde"), 7, "'abcde'"}, {OfString("abcde"), 5, "'abc…"},
		{parse(t, `[1,2,3]`), 9, "[1, 2, 3]"}, {parse(t, `[1,2,3]`), 6, "[1, 2…"},
		{parse(t, `{"a":1,"b":2}`), 8, "{'a': 1…"},
	} {
		if got := tt.of.Shown(tt.most); got != tt.want {
			t.Errorf("%s in %d characters: %s, want %s", tt.of.JSON(), tt.most, got, tt.want)
		}
	}
	var both struct{ A, B Value }
	err := json.Unmarshal([]byte(`{"A":[1.50],"B":null}`), &both)
	if err != nil || both.A.JSON() != "[1.50]" || !both.B.IsNull() {
		t.Errorf("%s, %v", both.A.JSON(), err)
	}
	if text, err := json.Marshal(both); string(text) != `{"A":[1.50],"B":null}` || err != nil {
		t.Errorf("%s, %v", text, err)
	}
	if err := both.A.UnmarshalJSON([]byte("[1")); err == nil || both.A.JSON() != "[1.50]" {
		t.Errorf("a broken text: %v, %s", err, both.A.JSON())
	}
	if got := EscapePointer("a/b~1"); got != "a~1b~01" || UnescapePointer(got) != "a/b~1" {
		t.Error(got)
	}
}

func TestPointer(t *testing.T) {
	v := parse(t, `{"a/b":[{"~":1}],"":2}`)
	for p, want := range map[string]string{"": v.JSON(), "/a~1b/0/~0": "1", "/": "2"} {
		got, ok := v.Pointer(p)
		if !ok || got.JSON() != want {
			t.Errorf("pointer %q: %s %v", p, got.JSON(), ok)
		}
	}
	for _, p := range []string{"a", "/a~1b/01", "/a~1b/00", "/a~1b/+0", "/a~1b/x", "/a~1b/1", "/a~1b/-1", "/x", "/a~1b/0/~0/z"} {
		if got, ok := v.Pointer(p); ok {
			t.Errorf("pointer %q leads to %s", p, got.JSON())
		}
	}
}

// TestCanonicalNumbers: equal numbers are written alike, however large, and others are not.
func TestCanonicalNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"[1,1.0,1e0,-0,100e-2]": "[1,1,1,0,1]", "[0.5,5e-1]": "[0.5,0.5]", "[1e400,10e399,0.1E401]": "[1e400,1e400,1e400]",
		"[-12e401,1e401,12e400]": "[-12e401,1e401,12e400]",
	} {
		if got := parse(t, text).Canonical(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestFloatsThatJSONHasNot: what is no finite number becomes null, and never text that is no JSON.
func TestFloatsThatJSONHasNot(t *testing.T) {
	for f, want := range map[float64]string{math.Inf(1): "null", math.Inf(-1): "null", math.MaxFloat64: "1.7976931348623157e+308", -math.MaxFloat64: "-1.7976931348623157e+308", 0.5: "0.5"} {
		if got := OfFloat(f).JSON(); got != want {
			t.Errorf("%v: %s, want %s", f, got, want)
		}
	}
	if got := OfFloat(math.NaN()).JSON(); got != "null" {
		t.Errorf("NaN: %s", got)
	}
}

func TestDecoderReadsLines(t *testing.T) {
	d := NewDecoder(strings.NewReader("{\"a\":1}\n {\"b\":2}\n"))
	var got []string
	for {
		v, err := d.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, v.JSON())
	}
	if diff := cmp.Diff([]string{`{"a":1}`, `{"b":2}`}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := d.Next(); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	for text, want := range map[string]string{
		`{"a":`: "text ends early at byte 5: unexpected EOF", `[1 2]`: " at byte 3",
	} {
		_, err := NewDecoder(strings.NewReader(text)).Next()
		for _, err := range []error{err, NewDecoder(strings.NewReader(text)).Skip()} {
			if err == nil || !strings.HasPrefix(err.Error(), "json: ") || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

func TestObjectEdits(t *testing.T) {
	v := parse(t, `{"a":1,"b":2}`)
	if got := v.With("a", OfInt(9)).With("c", OfInt(3)).Without("b").JSON(); got != `{"a":9,"c":3}` {
		t.Error(got)
	}
	if v.JSON() != `{"a":1,"b":2}` {
		t.Error("an edit changed the original")
	}
	for want, got := range map[string]Value{
		`{}`: v.Without("a", "b"), `{"b":2}`: v.Without("a", "x"), `{"x":1}`: OfInt(3).With("x", OfInt(1)),
		`{"y":1}`: OfList(OfInt(2)).With("y", OfInt(1)), `{"z":null}`: Value{}.Without("a").With("z", Value{}),
	} {
		if got.JSON() != want {
			t.Errorf("%s, want %s", got.JSON(), want)
		}
	}
	// Two edits of one object do not share what they add.
	one, two := v.With("c", OfInt(1)), v.With("d", OfInt(2))
	if got := one.JSON() + two.JSON(); got != `{"a":1,"b":2,"c":1}{"a":1,"b":2,"d":2}` {
		t.Error(got)
	}
}

// TestBreaks: whoever iterates may stop anywhere, also inside a container.
func TestBreaks(t *testing.T) {
	v := parse(t, `{"a":[1,{"b":2,"c":[3]}],"d":4}`)
	for stop, want := range []string{"1", "12", "123", "1234"} {
		got := ""
		for _, leaf := range v.Leaves() {
			if got += leaf.JSON(); len(got) > stop {
				break
			}
		}
		if got != want {
			t.Errorf("after %d leaves: %s, want %s", stop+1, got, want)
		}
	}
	for key := range v.Members() {
		if key != "a" {
			t.Errorf("went on to %s", key)
		}
		break
	}
	for i := range v.Field("a").Elements() {
		if i > 0 {
			t.Errorf("went on to element %d", i)
		}
		break
	}
	for range OfInt(1).Elements() {
		t.Error("a number has elements")
	}
	for range v.Field("a").Members() {
		t.Error("a list has members")
	}
	for range v.Elements() {
		t.Error("an object has elements")
	}
}

func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"1", "2", -1}, {"1.0", "1", 0}, {"9007199254740993", "9007199254740992.0", 1}, {"1e999", "5", 1}, {"-1e999", "5", -1}, {"5", "1e999", -1}} {
		if got, ok := Compare(parse(t, tt.a), parse(t, tt.b)); !ok || got != tt.want {
			t.Errorf("Compare(%s, %s) = %d, %v", tt.a, tt.b, got, ok)
		}
	}
	for _, pair := range [][2]string{{`"1"`, "1"}, {"1", "null"}, {"true", "1"}} {
		if got, ok := Compare(parse(t, pair[0]), parse(t, pair[1])); ok || got != 0 {
			t.Errorf("Compare(%s, %s) = %d, %v", pair[0], pair[1], got, ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,"x",null,true]}`, `[1e999,-0]`, `"\ud800"`, `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Parse(data)
		if err != nil {
			return
		}
		if !json.Valid([]byte(v.JSON())) {
			t.Fatalf("%q was written as invalid JSON %q", data, v.JSON())
		}
		again, err := ParseString(v.JSON())
		if err != nil || again.JSON() != v.JSON() || !Equal(v, again) {
			t.Fatalf("%q does not survive a round trip: %v", data, err)
		}
		if (v.Canonical() == again.Canonical()) != Equal(v, again) {
			t.Fatalf("canonical text and equality disagree on %q", data)
		}
		_ = v.Python()
	})
}

func BenchmarkParse(b *testing.B) {
	doc := []byte(`{"id":"c1","messages":[{"role":"user","content":"Cancel order 987, please, it was a mistake."},{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"cancel_order","arguments":"{\"order_id\":987}"}}]},{"role":"tool","tool_call_id":"t1","content":"{\"ok\":true}"}]}`)
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if _, err := Parse(doc); err != nil {
			b.Fatal(err)
		}
	}
}

func TestEach(t *testing.T) {
	double := func(key string, e Value) Value { return OfString(key + e.JSON()) }
	for _, tt := range []struct {
		of   Value
		want string
	}{
		{OfList(OfInt(1), OfString("a")), `["1","\"a\""]`},
		{OfTuple(OfInt(1)), `["1"]`},
		{Pairs("b", 1, "a", []string{"x"}), `{"b":"b1","a":"a[\"x\"]"}`},
		{OfInt(3), `3`},
		{Value{}, `null`},
		{OfList(), `[]`},
	} {
		got := tt.of.Each(double)
		if got.JSON() != tt.want || got.Kind() == Tuple {
			t.Errorf("%s: %s, a %s", tt.of.JSON(), got.JSON(), got.Kind())
		}
	}
}

func TestLeaves(t *testing.T) {
	v, err := ParseString(`{"a":[1,{"b":"x"},null],"c":{},"d":true}`)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for key, leaf := range v.Leaves() {
		got += key + "=" + leaf.JSON() + " "
	}
	if want := `=1 b="x" =null d=true `; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for range v.Leaves() {
		break // which ends it
	}
	for key, leaf := range OfInt(3).Leaves() {
		if key != "" || leaf.JSON() != "3" {
			t.Error(key, leaf.JSON())
		}
	}
}
