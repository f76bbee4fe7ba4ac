package settings

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml/parser"
	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/value"
)

// TestBombs: what nests too deep is refused before it costs memory.
func TestBombs(t *testing.T) {
	laughs := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for _, name := range []string{"b", "c", "d", "e", "f"} {
		before := string(name[0] - 1)
		laughs += name + ": &" + name + " [" + strings.Repeat("*"+before+", ", 9) + "*" + before + "]\n"
	}
	for _, text := range []string{
		"logs: " + strings.Repeat("[", 200_000), strings.Repeat("- ", 50_000), strings.Repeat("{a: ", 100_000),
		strings.Repeat("? ", 50_000), strings.Repeat("x", 17<<20),
		strings.Repeat(" - "+strings.Repeat("[", 140)+strings.Repeat("]", 140)+"\n", 3000),
		strings.Repeat("- "+strings.Repeat("[", 90)+strings.Repeat("]", 90)+"\n", 2000), laughs,
	} {
		if _, problem := Parse("judge.yaml", []byte(text)); problem == nil || !strings.Contains(problem.Error(), "too deep or too large") {
			t.Errorf("%.20q: %v", text, problem)
		}
	}
	// Many brackets that are closed again nest no deeper.
	v, err := Parse("judge.yaml", []byte(strings.Repeat("- {a: [1]}\n", 1000)))
	if err != nil || v.Len() != 1000 {
		t.Errorf("a long list: %d entries, %v", v.Len(), err)
	}
	// Nor do dashes on many lines, or in a text.
	for _, text := range []string{strings.Repeat("-\n", 200), "a: b" + strings.Repeat("-b", 200)} {
		if _, err := Parse("judge.yaml", []byte(text)); err != nil {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"a: 1\nb:\n" + strings.Repeat("[", 200): "f:3:1: ", strings.Repeat("x\n", 9<<20): "f:1:1: ",
	} {
		if _, err := Parse("f", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want+"too deep or too large") {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

// TestLimits: what is just within a limit is read, and one more is refused. Brackets and dashes in texts count too.
func TestLimits(t *testing.T) {
	n := strings.Repeat
	// Of 8,000,000 together, 706 groups of brackets have 11,325 each, one group has 4,465, and 85 pairs have 1.
	deep := n(n("[", 150)+n("]", 150), 706) + n("[", 94) + n("]", 94) + n("[]", 85)
	for name, c := range map[string]struct{ most, more string }{
		"brackets":            {`"` + n("[", 150) + `"`, `"` + n("[", 151) + `"`},
		"braces":              {`"` + n("{", 150) + `"`, `"` + n("{", 151) + `"`},
		"brackets, closed":    {`"]}` + n("[", 150) + `"`, `"]}` + n("[", 151) + `"`},
		"brackets, half open": {`"` + n("[[]", 149) + `"`, `"` + n("[[]", 151) + `"`},
		"colons":              {`"` + n(":", 150) + `"`, `"` + n(":", 151) + `"`},
		"question marks":      {`"` + n("?", 150) + `"`, `"` + n("?", 151) + `"`},
		"dashes":              {`"` + n("-", 150) + `"`, `"` + n("-", 151) + `"`},
		"dashes, at first":    {n("-", 150), n("-", 151)},
		"dashes, blanks":      {`"` + n("- -\t", 75) + `"`, `"` + n("- -\t", 76) + `"`},
		"dashes, second line": {"\"a\n" + n("-", 150) + `"`, "\"a\n" + n("-", 151) + `"`},
		"depths":              {`"` + deep + `"`, `"` + deep + `[]"`},
	} {
		most, more := tooDeep([]byte(c.most)), tooDeep([]byte(c.more))
		if last := 1 + strings.Count(c.more, "\n"); most != 0 || more != last {
			t.Errorf("%s: too many are on line %d, and with one more on line %d", name, most, more)
		}
	}
	tree, err := parser.ParseBytes([]byte("x"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for before, want := range map[int]string{199_999: "", 200_000: "f:1:1: too deep or too large"} {
		b := &builder{count: before, found: &findings{file: "f", values: map[string]place{}}}
		if b.build(tree.Docs[0].Body, "", 0); b.found.problems.Error() != want {
			t.Errorf("after %d values: %v, want %q", before, b.found.problems, want)
		}
	}
	if line := tooDeep(make([]byte, 16<<20)); line != 0 {
		t.Errorf("16 MiB are too many, on line %d", line)
	}
	if line := tooDeep(make([]byte, 16<<20+1)); line != 1 {
		t.Errorf("more than 16 MiB are too many on line %d, want 1", line)
	}
}

// TestDepth: a value may stand in a hundred others, of every kind and also by anchors, and no more.
func TestDepth(t *testing.T) {
	chain := func(n int) string {
		text := "- &a0 [1]\n" // in two lists
		for i := 1; i < n; i++ {
			text += fmt.Sprintf("- &a%d [*a%d]\n", i, i-1) // a list and an alias more
		}
		return text
	}
	merged := func(n int) string {
		text := "m0: &a0 {x: 1}\n"
		for i := 1; i < n; i++ {
			text += fmt.Sprintf("m%d: &a%d {<<: *a%d}\n", i, i, i-1)
		}
		return text
	}
	for name, of := range map[string]func(n int) string{
		"lists":    func(n int) string { return strings.Repeat("[", n) + "1" + strings.Repeat("]", n) },
		"mappings": func(n int) string { return strings.Repeat("{a: ", n) + "1" + strings.Repeat("}", n) },
		"blocks": func(n int) string {
			text := ""
			for i := range n {
				text += strings.Repeat(" ", i) + "a:\n"
			}
			return text + strings.Repeat(" ", n) + "1"
		},
		"tags": func(n int) string { return strings.Repeat("[!!seq ", n/2) + "[]" + strings.Repeat("]", n/2) },
		"names": func(n int) string {
			text := ""
			for i := range n / 2 {
				text += fmt.Sprintf("[&n%d ", i)
			}
			return text + "1" + strings.Repeat("]", n/2)
		},
		"anchors": func(n int) string { return chain(n/2 - 1) },
		"merges":  func(n int) string { return merged(n/2 - 1) },
	} {
		if _, err := Parse("f", []byte(of(100))); err != nil {
			t.Errorf("%s: a hundred are too many: %v", name, err)
		}
		if _, err := Parse("f", []byte(of(104))); err == nil {
			t.Errorf("%s: a hundred and four are not too many", name)
		}
		_, err := Parse("f", []byte(of(101)))
		if odd := name != "lists" && name != "mappings" && name != "blocks"; !odd && err == nil {
			t.Errorf("%s: a hundred and one are not too many", name)
		}
	}
}

// A merge key gives what the mapping does not have itself, wherever it stands.
func TestMerge(t *testing.T) {
	v, err := Parse("f", []byte("base: &b {a: 1, b: 2}\nown: {b: 3, <<: *b}\nlate: {<<: *b, b: 4}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(`{"base":{"a":1,"b":2},"own":{"b":3,"a":1},"late":{"b":4,"a":1}}`, v.JSON()); d != "" {
		t.Error(d)
	}
}

// Numbers keep their digits; other notations are converted.
func TestNumbers(t *testing.T) {
	v, err := Parse("f", []byte("[12345678901234567890, 1.50, 0x1F, 1_000, 0o17, +7, -1e3, 1e999, \"1e3\", 007, "+
		".5, -.5, 5., +1.5, 1_0.5, -0x1F, -0o17, 0xFFFFFFFFFFFFFFFF, 0x1FFFFFFFFFFFFFFFF]"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(`[12345678901234567890,1.50,31,1000,15,7,-1e3,1e999,"1e3",7,`+
		`0.5,-0.5,5.0,1.5,10.5,-31,-15,18446744073709551615,"0x1FFFFFFFFFFFFFFFF"]`, v.JSON()); d != "" {
		t.Error(d)
	}
}

// TestSyntax: the first mistake of a file is named with its line and column.
func TestSyntax(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\nb: 2\na: 3":       `f:3:1: not valid YAML: mapping key "a" already defined at [1:1]`,
		"x:\n  a: 1\n  a: 2":     `f:3:3: not valid YAML: mapping key "a" already defined at [2:3]`,
		"a: 1\n---\n- 2":         "f:3:1: a second document starts here; a file holds one",
		"a: .nan":                "f:1:4: a: .nan is not a number that can be used here",
		"l:\n  - 1\n  - .inf":    "f:3:5: l[1]: .inf is not a number that can be used here",
		"a: *b":                  "f:1:4: a: no anchor of that name is defined above",
		"a: [1":                  "f:1:4: not valid YAML: sequence end token ']' not found",
		"a: &x 1\nb: *x":         `{"a":1,"b":1}`,
		"a: !!str x":             `{"a":"x"}`,
		"a: |\n  two\n  lines\n": `{"a":"two\nlines\n"}`,
		"a: null\nb: yes\nc: ~":  `{"a":null,"b":"yes","c":null}`,
		"# nothing\n":            `{}`,
		"a: 1\n---\n# end\n":     `{"a":1}`,
		"%YAML 1.2\n---\na: 1":   `{"a":1}`,
		"---\n---\na: 1":         "f:3:1: an empty document stands before this; take out its line of ---",
		"# x\n---\n---\n  # y\n---\n \n\n...\n  a: 1\nb: 2": "f:9:1: an empty document stands before this; " +
			"take out its line of ---",
		"---\n---\nx":          "f:3:1: an empty document stands before this; take out its line of ---",
		"---\n# x\n---\n...\n": `{}`,
		"a: {}":                `{"a":{}}`,
		"{a: {b: [c, true]}}":  `{"a":{"b":["c",true]}}`,
	} {
		v, err := Parse("f", []byte(text))
		got := v.JSON()
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestSizesAndDurations: a size has a unit of 1024, and at most 1 TiB; a duration is text or a number of seconds.
func TestSizesAndDurations(t *testing.T) {
	const size, wait = "want a size such as 512MiB, got ", "want seconds or a duration such as 90s or 2m, got "
	for text, want := range map[string]any{
		"size: 512MiB": int64(512 << 20), "size: 3 KiB": int64(3 << 10), "size: 1024GiB": int64(1 << 40), "size: '7'": int64(7),
		"size: 2.5": `f:1:7: size: want a whole number`, "wait: 1ns": time.Nanosecond,
		"size: '1099511627776'": int64(1 << 40), "size: '1099511627777'": `f:1:7: size: ` + size + `"1099511627777"`,
		"size: 1KiB": int64(1 << 10), "size: 1024": int64(1024), "size: xMiB": `f:1:7: size: ` + size + `"xMiB"`,
		"size: 99999999999999999999MiB": `f:1:7: size: ` + size + `"99999999999999999999MiB"`,
		"wait: 999999":                  999_999 * time.Second, "wait: 1000000": `f:1:7: wait: ` + wait + `1000000`,
		"size: 1025GiB": `f:1:7: size: ` + size + `"1025GiB"`, "size: 0MiB": `f:1:7: size: ` + size + `"0MiB"`,
		"size: 5MB": `f:1:7: size: ` + size + `"5MB"`,
		"wait: 90s": 90 * time.Second, "wait: 2.5": 2500 * time.Millisecond, "wait: 7": 7 * time.Second, "wait: 1m30s": 90 * time.Second,
		"wait: 0": `f:1:7: wait: ` + wait + `0`, "wait: -1s": `f:1:7: wait: ` + wait + `"-1s"`, "wait: soon": `f:1:7: wait: ` + wait + `"soon"`,
	} {
		var to struct {
			Size int64         `json:"size,omitempty" form:"bytes"`
			Wait time.Duration `json:"wait,omitempty"`
		}
		var got any
		switch err := Read("f", []byte(text), &to); {
		case err != nil:
			got = err.Error()
		case to.Size != 0:
			got = to.Size
		default:
			got = to.Wait
		}
		if got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestStruct: members of a mapping are read into the fields of a struct; what is outside a field's bounds, of another
// kind or of no field is named with its place.
func TestStruct(t *testing.T) {
	type inner struct {
		N int `json:"n,omitempty" jsonschema:"minimum=1,multipleOf=0"`
	}
	type all struct {
		Share float64  `json:"share,omitempty" jsonschema:"minimum=0,maximum=1"`
		Most  float64  `json:"most,omitempty" jsonschema:"maximum=9"`
		Word  string   `json:"word,omitempty" jsonschema:"enum=one,enum=two"`
		Texts []string `json:"texts,omitempty"`
		List  []inner  `json:"list,omitempty"`
	}
	for text, want := range map[string]string{
		"share: 0\nmost: -3\nword: two\ntexts: [a, b]\nlist:\n- n: 1\n": `{0 -3 two [a b] [{1}]}`,
		"texts: one\n":        `{0 0  [one] []}`,
		"share: 1\n":          `{1 0  [] []}`,
		"share: x\n":          "f:1:8: share: want a number from 0 to 1",
		"list: x\n":           "f:1:7: list: want a list, got string; start each entry with a dash",
		"list:\n- n: x\n":     "f:2:6: list[0].n: want a whole number from 1 on",
		"share: -0.1\n":       "f:1:8: share: want a number from 0 to 1",
		"share: 1.1\n":        "f:1:8: share: want a number from 0 to 1",
		"most: 10\n":          "f:1:7: most: want a number",
		"word: three\n":       `f:1:7: word: unknown value "three"`,
		"texts: 3\n":          "f:1:8: texts: want a list of texts, got integer",
		"list: {n: 1}\n":      "f:1:8: list: want a list, got object; start each entry with a dash",
		"list:\n- n: 0\n":     "f:2:6: list[0].n: want a whole number from 1 on",
		"share: 1\nwrod: x\n": `f:2:1: wrod: unknown key "wrod"; did you mean word?`,
		"xyz: 1\n":            `f:1:1: xyz: unknown key "xyz"; known are list, most, share, texts, word`,
	} {
		n, err := Open("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var got all
		n.Struct(&got)
		said := fmt.Sprint(got)
		if problems := n.found.problems; len(problems) > 0 {
			said = problems.Error()
		}
		if !strings.Contains(said, want) {
			t.Errorf("%q:\n got %s\nwant %s", text, said, want)
		}
	}
}

// TestRequired: a member that must be given is named if it is not there.
func TestRequired(t *testing.T) {
	n, err := Open("f", []byte("list:\n- n: 1\n- name: x\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		List []struct {
			Name string `json:"name"`
			N    int    `json:"n,omitempty"`
		} `json:"list,omitempty"`
	}
	n.Struct(&got)
	if said := n.found.problems.Error(); said != "f:2:3: list[0].name: is missing" {
		t.Errorf("%s", said)
	}
	// What is no mapping misses nothing besides.
	const want = "f:1:9: list[0]: want a mapping of keys to values"
	if err := Read("f", []byte("list: [ x ]"), &got); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestPlace: a place is that of the key, of the value in a list, or else of what is nearest above it.
func TestPlace(t *testing.T) {
	n, err := Open("f", []byte("a: 1\nb:\n  c: 2\n  d: [x, y]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][2]int{"a": {1, 1}, "b": {2, 1}, "b.c": {3, 3}, "b.d[1]": {4, 10}, "b.none": {2, 1}, "b.d[7].e": {4, 3}, "none": {1, 1}, "": {1, 1}} {
		if line, col := n.Place(path); [2]int{line, col} != want {
			t.Errorf("%q is at %d:%d, want %v", path, line, col, want)
		}
	}
	if line, col := n.Get("b").Get("d").Place("[1]"); line != 4 || col != 10 {
		t.Errorf("the second of d is at %d:%d", line, col)
	}
	if line, col := n.Get("b").Place("c"); line != 3 || col != 3 {
		t.Errorf("c below b is at %d:%d", line, col)
	}
}

// TestItem: a single value counts as a list of itself.
func TestItem(t *testing.T) {
	n, err := Open("f", []byte("a: x\nb: [y, z]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := n.Get("a").Item(0), n.Get("b").Item(1); a.Text() != "x" || b.Text() != "z" || b.path != "b[1]" {
		t.Errorf("%s, and %s at %s", a.JSON(), b.JSON(), b.path)
	}
}

// own is a type that reads its form itself.
type own struct{ text string }

func (o *own) ReadNode(n *Node) { o.text = "read " + n.JSON() }

// TestKinds: every kind of field is read, and a wrong value is named; all mistakes of a file are in its order.
func TestKinds(t *testing.T) {
	type all struct {
		Name   string         `json:"name"`
		On     bool           `json:"on,omitempty"`
		Most   *int           `json:"most,omitempty"`
		Any    value.Value    `json:"any,omitzero"`
		Own    own            `json:"own,omitzero"`
		Later  own            `json:"later,omitzero" form:"own"`
		Counts map[string]int `json:"counts,omitempty"`
		Argv   []string       `json:"argv,omitempty" form:"list"`
		Hidden string         `json:"-"`
		Bare   string
	}
	for text, want := range map[string]string{
		"name: x\non: true\nmost: 3\nany: [1]\nown: {a: 1}\nlater: 1\ncounts: {a: 1, b: 2}\nargv: [a]": "x true 3 [1] " +
			`read {"a":1} map[a:1 b:2] [a]`,
		"name: null":              ` false 0 null  map[] []`,
		"on: 1":                   "f:1:1: name: is missing\nf:1:5: on: want true or false, got integer",
		"name: 3":                 "f:1:7: name: want text, got integer",
		"name: x\nmost: '3'":      "f:2:7: most: want a whole number",
		"name: x\ncounts: [1]":    "f:2:9: counts: want a mapping of keys to values",
		"name: x\ncounts: {a: x}": "f:2:13: counts.a: want a whole number",
		"name: x\nargv: ls -l":    "f:2:7: argv: want a list of texts, got string",
		"name: x\n'-': y":         `f:2:1: -: unknown key "-"; known are any, argv, counts, later, most, name, on, own`,
		"name: x\n'': y":          `f:2:1: unknown key ""; known are any, argv, counts, later, most, name, on, own`,
		"namee: x\nname: 3": `f:1:1: namee: unknown key "namee"; did you mean name?` + "\n" +
			"f:2:7: name: want text, got integer",
		"{namee: x, name: 3, on: 'x'}": `f:1:2: namee: unknown key "namee"; did you mean name?` + "\n" +
			"f:1:18: name: want text, got integer\n" + "f:1:25: on: want true or false, got string",
		"# nothing": "f:1:1: name: is missing",
		"a: [":      "f:1:4: not valid YAML: sequence end token ']' not found",
	} {
		var got all
		said := ""
		if err := Read("f", []byte(text), &got); err != nil {
			said = err.Error()
		} else {
			most := 0
			if got.Most != nil {
				most = *got.Most
			}
			said = fmt.Sprintf("%s %v %d %s %s %v %v%s", got.Name, got.On, most, got.Any.JSON(), got.Own.text, got.Counts,
				got.Argv, got.Later.text)
		}
		if said != want {
			t.Errorf("%q:\n got %s\nwant %s", text, said, want)
		}
	}
}

// TestDecode: the mistakes of a value that comes from no file have no place.
func TestDecode(t *testing.T) {
	var to struct {
		N int `json:"n"`
	}
	if err := Decode(value.Pairs("n", "x"), &to); err == nil || err.Error() != "n: want a whole number" {
		t.Error(err)
	}
	if err := Decode(value.Pairs("n", 7), &to); err != nil || to.N != 7 {
		t.Errorf("%+v, %v", to, err)
	}
	if line, col := (&Node{found: &findings{}}).Place("a"); line != 1 || col != 1 {
		t.Errorf("a value that comes from no file is at %d:%d", line, col)
	}
	for text, want := range map[string]bool{"n: 7": true, "n: x": false} {
		n, err := Open("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := n.Fill(&to); got != want {
			t.Errorf("%s is read without a mistake: %v", text, got)
		}
	}
}

// TestOverlay: only the fields whose keys are given are taken over.
func TestOverlay(t *testing.T) {
	type pair struct {
		A int `json:"a,omitempty"`
		B int `json:"b,omitempty"`
	}
	dst := pair{1, 2}
	Overlay(&dst, &pair{3, 4}, func(key string) bool { return key == "b" })
	if dst != (pair{1, 4}) {
		t.Errorf("%+v", dst)
	}
}
