package state

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/value"
)

func parse(t testing.TB, s string) value.Value {
	t.Helper()
	v, err := value.ParseString(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

func pattern(t testing.TB, s string) Pattern {
	t.Helper()
	p, err := ParsePattern(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// brief prints a change as "kind op path element start>expected>final".
func brief(c Change) string {
	side := func(v *value.Value) string {
		if v == nil {
			return "-"
		}
		return v.JSON()
	}
	return strings.Join([]string{string(c.Kind), c.op("added", "removed", "changed"), c.Path, c.Element, side(c.Start) + ">" + side(c.Expected) + ">" + side(c.Final)}, " ")
}

// TestObject: a change as JSON says what is known of it.
func TestObject(t *testing.T) {
	one, two := value.OfInt(1), value.OfInt(2)
	for want, c := range map[string]Change{
		`{"path":"/a","kind":"wrong","op":"changed","start":1,"expected":1,"final":2,"element":"id=7","call":0,"expected_call":3}`: {
			Path: "/a", Kind: wrong, Start: &one, Expected: &one, Final: &two, Element: "id=7", Call: 0, ExpectedCall: 3},
		`{"path":"/a","kind":"wrong","op":"changed","expected":1,"final":2,"expected_call":0}`: {
			Path: "/a", Kind: wrong, Expected: &one, Final: &two, Call: -1},
		`{"path":"/a","kind":"missing","op":"removed","expected":2}`: {Path: "/a", Kind: missing, Expected: &two, Call: -1, ExpectedCall: -1},
		`{"path":"/a","kind":"unexpected","op":"added","final":2}`:   {Path: "/a", Kind: Unexpected, Final: &two, Call: -1, ExpectedCall: -1},
	} {
		if got := c.Object().JSON(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestDiff(t *testing.T) {
	keyed := Options{Keyed: []Keyed{{pattern(t, "/items"), "id"}, {pattern(t, "/tags"), ""}}}
	for _, tt := range []struct {
		name                   string
		start, expected, final string
		options                Options
		want                   []string
	}{
		{"equal whatever the order of keys and the form of numbers", `{}`, `{"a":1,"b":[{"c":2.0}]}`, `{"b":[{"c":2}],"a":1.0}`, Options{}, nil},
		{"missing, wrong, unexpected", `{"a":1,"b":1,"c":1}`, `{"a":2,"b":2,"c":1}`, `{"a":1,"b":3,"c":4}`, Options{}, []string{
			"missing changed /a  1>2>1", "wrong changed /b  1>2>3", "unexpected changed /c  1>1>4"}},
		{"rows", `{"r":{"x":1}}`, `{"r":{"x":1,"y":2}}`, `{"r":{"z":3}}`, Options{}, []string{
			"unexpected removed /r/x  1>1>-", "missing removed /r/y  ->2>-", "unexpected added /r/z  ->->3"}},
		{"a row that both made differently", `{}`, `{"n":{"a":1,"b":2}}`, `{"n":{"a":1,"b":3,"c":4}}`, Options{}, []string{
			"wrong changed /n/b  ->2>3", "unexpected added /n/c  ->->4"}},
		{"a row that should be gone", `{"a":1}`, `{}`, `{"a":1}`, Options{}, []string{"missing added /a  1>->1"}},
		{"null is not absent", `{}`, `{"a":null}`, `{}`, Options{}, []string{"missing removed /a  ->null>-"}},
		{"a bool is no number, a text no number", `{}`, `{"a":true,"b":"1"}`, `{"a":1,"b":1}`, Options{}, []string{
			"wrong changed /a  ->true>1", `wrong changed /b  ->"1">1`}},
		{"lists of one length by index", `{"l":[1,2,3]}`, `{"l":[1,2,3]}`, `{"l":[1,5,3]}`, Options{}, []string{"unexpected changed /l/1  2>2>5"}},
		{"a list whose length differs, whole", `{"l":[1]}`, `{"l":[1,2]}`, `{"l":[1]}`, Options{}, []string{"missing changed /l  [1]>[1,2]>[1]"}},
		{"without a start", "", `{"a":1,"b":2}`, `{"b":3,"c":4}`, Options{}, []string{
			"missing removed /a  ->1>-", "wrong changed /b  ->2>3", "unexpected added /c  ->->4"}},
		{"escaped keys", `{}`, `{"a/b":{"~":1}}`, `{"a/b":{"~":2}}`, Options{}, []string{"wrong changed /a~1b/~0  ->1>2"}},
		{"keyed arrays", `{"items":[{"id":1,"n":1},{"id":2,"n":1}]}`, `{"items":[{"id":1,"n":5},{"id":2,"n":1}]}`, `{"items":[{"id":3,"n":9},{"id":2,"n":1},{"id":1,"n":1}]}`, keyed, []string{
			"missing changed /items/2/n  1>5>1", `unexpected added /items/0 id=3 ->->{"id":3,"n":9}`}},
		{"sets of values", `{"tags":["a"]}`, `{"tags":["a","b","a"]}`, `{"tags":["b","c","a"]}`, keyed, []string{
			`missing removed /tags/2 "a"#2 ->"a">-`, `unexpected added /tags/1 "c" ->->"c"`}},
		{"ignored paths", `{"r":{"1":{"t":1,"v":1}}}`, `{"r":{"1":{"t":2,"v":1}}}`, `{"r":{"1":{"t":3,"v":1,"_x":1}}}`,
			Options{Ignore: []Pattern{pattern(t, "/r/*/t"), pattern(t, "/**/_*")}}, nil},
		{"tolerance is exact decimal", `{}`, `{"a":0.30,"b":0.30,"c":1}`, `{"a":0.31,"b":0.3101,"c":1.5}`,
			Options{Tolerance: []Tolerance{{pattern(t, "/a"), parse(t, "0.01")}, {pattern(t, "/b"), parse(t, "0.01")}}}, []string{
				"wrong changed /b  ->0.30>0.3101", "wrong changed /c  ->1>1.5"}},
		{"strict kinds", `{"a":1}`, `{"a":1,"e":[]}`, `{"a":1.0,"e":{}}`, Options{Equality: value.Equality{StrictKinds: true, EmptyListIsEmptyObject: true}}, []string{"unexpected changed /a  1>1>1.0"}},
		{"ignored paths leave the others", `{}`, `{"t":1,"v":1}`, `{"t":2,"v":2}`, Options{Ignore: []Pattern{pattern(t, "/t")}}, []string{
			"wrong changed /v  ->1>2"}},
		{"a list by index, though its length differs", `{"l":[1,2]}`, `{"l":[1,2]}`, `{"l":[1]}`, Options{ByIndex: true}, []string{
			"unexpected removed /l/1  2>2>-"}},
		{"a list that started with another length", `{"l":[1]}`, `{"l":[1,2]}`, `{"l":[3,2]}`, Options{}, []string{"wrong changed /l/0  ->1>3"}},
		{"a list that started as an object", `{"l":{"x":1,"y":2}}`, `{"l":[1,2]}`, `{"l":[3,2]}`, Options{}, []string{
			"wrong changed /l/0  ->1>3"}},
		{"keyed arrays without a start, by key", "", `{"items":[]}`, `{"items":[{"id":9},{"id":3}]}`, keyed, []string{
			`unexpected added /items/1 id=3 ->->{"id":3}`, `unexpected added /items/0 id=9 ->->{"id":9}`}},
		{"tolerance elsewhere", `{}`, `{"a":1,"b":1}`, `{"a":2,"b":2}`, Options{Tolerance: []Tolerance{{pattern(t, "/a"), parse(t, "1")}}}, []string{
			"wrong changed /b  ->1>2"}},
		{"tolerance is for numbers", `{}`, `{"a":"1"}`, `{"a":2}`, Options{Tolerance: []Tolerance{{pattern(t, "/a"), parse(t, "1")}}}, []string{
			`wrong changed /a  ->"1">2`}},
		{"the whole state", `1`, `1`, `[1]`, Options{}, []string{"unexpected changed   1>1>[1]"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var start *value.Value
			if tt.start != "" {
				v := parse(t, tt.start)
				start = &v
			}
			expected, final := parse(t, tt.expected), parse(t, tt.final)
			var got []string
			for _, c := range Diff(start, expected, final, tt.options) {
				got = append(got, brief(c))
				if c.Call != -1 || c.ExpectedCall != -1 {
					t.Errorf("%s is by call %d, expected by call %d", brief(c), c.Call, c.ExpectedCall)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPatterns(t *testing.T) {
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"", "", true}, {"", "/a/b", true}, {"/**", "", true},
		{"/a", "/a", true}, {"/a", "/a/b", false}, {"/a", "/b", false},
		{"/*/b", "/a/b", true}, {"/*/b", "/b", false}, {"/a*", "/abc", true}, {"/a/[0-9]", "/a/7", true}, {"/[a]", "/[a]", true}, {"/[a]", "/a", true}, {"/[a]", "/b", false},
		{"/**/b", "/b", true}, {"/**/b", "/x/y/b", true}, {"/**/b", "/x/y/c", false}, {"/a/**", "/a", true}, {"/a/**/c/**", "/a/x/c/y/z", true},
	} {
		if got := pattern(t, tt.pattern).match(tt.path); got != tt.want {
			t.Errorf("%q matches %q: %v", tt.pattern, tt.path, got)
		}
	}
	for bad, want := range map[string]string{
		"a":    `pattern "a": must start with a slash, as in /orders/*/updated_at`,
		"x/y":  `pattern "x/y": must start with a slash, as in /orders/*/updated_at`,
		"/a/[": `pattern "/a/[": "[" is not a valid glob`,
	} {
		if _, err := ParsePattern(bad); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", bad, err, want)
		}
	}
	if (Pattern{}).match("") {
		t.Error("the zero pattern matches something")
	}
	hostile := pattern(t, strings.Repeat("/**/a", 40))
	if hostile.match(strings.Repeat("/a", 2000) + "/b") {
		t.Error("a hostile pattern matches")
	}
}

// TestDeepValues: what lies deeper than 500 levels is one difference, if it differs.
func TestDeepValues(t *testing.T) {
	for opening, closing := range map[string]string{"[": "]", `{"a":`: "}"} {
		deep := func(leaf string) value.Value {
			return parse(t, strings.Repeat(opening, 700)+leaf+strings.Repeat(closing, 700))
		}
		if got := Diff(nil, deep("1"), deep("1.0"), Options{}); len(got) != 0 {
			t.Errorf("%s: %d differences", opening, len(got))
		}
		got := Diff(nil, deep("[1]"), deep("[2]"), Options{})
		if len(got) != 1 || strings.Count(got[0].Path, "/") != 501 {
			t.Errorf("%s: %d differences, the first at %s", opening, len(got), got[0].Path)
		}
		first, more := FirstDifferences(deep("[1]"), deep("[2]"), Options{}, 1)
		patch := Compare(deep("[1]"), deep("[2]"), value.Equality{})
		if more != 0 || first[0].Path != got[0].Path || len(patch) != 1 || patch[0].Path != got[0].Path {
			t.Errorf("%s: the first difference is at %s, the patch at %s", opening, first[0].Path, patch[0].Path)
		}
	}
}

// TestDeepSets: the elements of keyed arrays lie as deep as those of others.
func TestDeepSets(t *testing.T) {
	deep := func(leaf string) value.Value {
		return parse(t, strings.Repeat(`[{"id":1,"n":`, 300)+leaf+strings.Repeat("}]", 300))
	}
	got := Diff(nil, deep("1"), deep("2"), Options{Keyed: []Keyed{{pattern(t, "/**"), "id"}}})
	if len(got) != 1 || strings.Count(got[0].Path, "/") != 501 {
		t.Errorf("%d differences, the first at %s", len(got), got[0].Path)
	}
}

// TestFirstDifferences: of many differences the first are returned, the others counted.
func TestFirstDifferences(t *testing.T) {
	a, b := parse(t, `{"a":1,"b":1,"c":1}`), parse(t, `{"a":2,"b":2,"c":2}`)
	for most, want := range map[int]string{0: "/a /b /c 0", 1: "/a 2", 2: "/a /b 1", 3: "/a /b /c 0"} {
		changes, more := FirstDifferences(a, b, Options{}, most)
		got := ""
		for _, c := range changes {
			got += c.Path + " "
		}
		if got += fmt.Sprint(more); got != want {
			t.Errorf("%d: %s, want %s", most, got, want)
		}
	}
}

// TestOperations: a patch is one of RFC 6902, with the old values.
func TestOperations(t *testing.T) {
	got := patchOf(Compare(parse(t, `{"a":1,"b":2}`), parse(t, `{"b":3,"c":4}`), value.Equality{})).JSON()
	want := `[{"op":"remove","path":"/a","old":1},{"op":"replace","path":"/b","value":3,"old":2},{"op":"add","path":"/c","value":4}]`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestLongElement: the name of an element of a set is cut.
func TestLongElement(t *testing.T) {
	long := `"` + strings.Repeat("x", 200) + `"`
	got := Diff(nil, parse(t, `[`+long+`]`), parse(t, `[]`), Options{Keyed: []Keyed{{Path: pattern(t, "/**")}}})
	if len(got) != 1 || len(got[0].Element) > 90 || !strings.HasPrefix(got[0].Element, `"xxx`) {
		t.Errorf("%+v", got)
	}
}

func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		a, b, by string
		want     bool
	}{
		{"0.1", "0.3", "0.2", true}, {"1e2", "101", "1", true}, {"1e2", "101.0001", "1", false},
		{"1e999999999", "1", "5", false}, {"1", "1e999999999", "5", false},
		{"1", "2", "1e999999999", false}, {"1e999999999", "1e999999999", "0", true}, {"1", "1.0", "0", true}, {"1", "2", "0", false},
	} {
		if got := within(parse(t, tt.a), parse(t, tt.b), parse(t, tt.by)); got != tt.want {
			t.Errorf("|%s − %s| <= %s: %v", tt.a, tt.b, tt.by, got)
		}
	}
}

func TestOverlaps(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{{"", "/a", true}, {"/a", "/a", true}, {"/a/b", "/a", true}, {"/a", "/ab", false}, {"/a/b", "/a/c", false}} {
		if got := Overlaps(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q: %v", tt.a, tt.b, got)
		}
	}
}

// random builds a random state; equal seeds give equal states.
func random(r *rand.Rand, depth int) value.Value {
	switch n := r.IntN(8); {
	case n < 3 && depth > 0:
		var members []value.Member
		for range r.IntN(5) {
			members = append(members, value.Member{Key: []string{"a", "b", "c/d", "~", ""}[r.IntN(5)], Value: random(r, depth-1)})
		}
		return value.OfObject(members...)
	case n < 5 && depth > 0:
		var elems []value.Value
		for range r.IntN(4) {
			elems = append(elems, random(r, depth-1))
		}
		return value.OfList(elems...)
	case n == 5:
		return value.OfFloat(float64(r.IntN(3)) / 2)
	case n == 6:
		return value.OfString(fmt.Sprint(r.IntN(3)))
	case n == 7:
		return value.Value{}
	}
	return value.OfInt(int64(r.IntN(3)))
}

// TestDiffProperties checks on random states that a patch rebuilds the state, that
// equal states have no difference, and that sharing structure changes nothing.
func TestDiffProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		start, a, b := random(r, 4), random(r, 4), random(r, 4)
		ops := Compare(a, b, value.Equality{})
		got, err := Apply(a, ops)
		if err != nil || !value.Equal(got, b) {
			t.Fatalf("%s to %s: %v %s", a.JSON(), b.JSON(), err, patchOf(ops).JSON())
		}
		again := Compare(a, got, value.Equality{})
		if diff := cmp.Diff(patchOf(ops).Canonical(), patchOf(again).Canonical()); diff != "" {
			t.Fatalf("sharing structure changes the patch: %s", diff)
		}
		if (len(ops) == 0) != value.Equal(a, b) {
			t.Fatalf("%s and %s: %d operations", a.JSON(), b.JSON(), len(ops))
		}
		for _, c := range Diff(&start, a, b, Options{}) {
			x, inA := a.Pointer(c.Path)
			y, inB := b.Pointer(c.Path)
			if (c.Expected != nil) != inA || (c.Final != nil) != inB || inA && !value.Equal(x, *c.Expected) || inB && !value.Equal(y, *c.Final) {
				t.Fatalf("%s leads elsewhere: %s", c.Path, brief(c))
			}
			before, was := start.Pointer(c.Path)
			untouched := was == inA && (!was || value.Equal(before, x))
			if (c.Start != nil) == was && untouched != (c.Kind == Unexpected) {
				t.Fatalf("start %s: %s", start.JSON(), brief(c))
			}
		}
	}
}

func TestApplyErrors(t *testing.T) {
	v := parse(t, `{"a":[1,2],"s":"x"}`)
	one := value.OfInt(1)
	for path, to := range map[string]*value.Value{
		"/b": nil, "/a/2": &one, "/a/x": &one, "/s/t": &one, "b": &one, "/b/c": &one, "/a/-1": nil, "/a/1": nil, "": nil,
	} {
		got, err := Apply(v, []Change{{Path: path, Final: to}})
		if want := fmt.Sprintf("patch %q: leads nowhere", path); err == nil || err.Error() != want || !value.Same(got, v) {
			t.Errorf("%s: %v %s", path, err, got.JSON())
		}
	}
}

func FuzzDiff(f *testing.F) {
	f.Add(`{"a":[1,{"b":2}]}`, `{"a":[1,{"b":3}]}`, "/a/*")
	f.Add(`[[],{}]`, `[{},[]]`, "/**")
	f.Fuzz(func(t *testing.T, x, y, glob string) {
		a, err := value.ParseString(x)
		if err != nil {
			return
		}
		b, err := value.ParseString(y)
		if err != nil {
			return
		}
		var o Options
		if p, err := ParsePattern(glob); err == nil {
			o.Ignore = []Pattern{p}
		}
		Diff(&a, a, b, o)
		if got, err := Apply(a, Compare(a, b, value.Equality{})); err != nil || !value.Equal(got, b) {
			t.Fatalf("%q to %q: %v %s", x, y, err, got.JSON())
		}
	})
}

// BenchmarkDiffShared compares two states of 2,000 rows that share all but one.
func BenchmarkDiffShared(b *testing.B) {
	var rows []value.Member
	for i := range 2000 {
		rows = append(rows, value.Member{Key: fmt.Sprintf("row%d", i), Value: value.OfObject(value.Member{Key: "v", Value: value.OfList(value.OfInt(int64(i)))})})
	}
	start := value.OfObject(value.Member{Key: "rows", Value: value.OfObject(rows...)})
	less := value.OfInt(-1)
	final, err := Apply(start, []Change{{Path: "/rows/row1000/v/0", Final: &less}})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if len(Diff(&start, start, final, Options{})) != 1 {
			b.Fatal("one difference")
		}
	}
}

// patchOf returns changes as an RFC 6902 document.
func patchOf(changes []Change) value.Value {
	out := make([]value.Value, len(changes))
	for i, c := range changes {
		out[i] = c.Operation()
	}
	return value.OfList(out...)
}
