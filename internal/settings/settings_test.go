package settings

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestBombs: what nests too deep is refused before it costs memory.
func TestBombs(t *testing.T) {
	for _, text := range []string{
		"logs: " + strings.Repeat("[", 200_000), strings.Repeat("- ", 50_000), strings.Repeat("{a: ", 100_000),
		strings.Repeat("? ", 50_000), strings.Repeat("x", 17<<20),
		strings.Repeat(" - "+strings.Repeat("[", 140)+strings.Repeat("]", 140)+"\n", 3000),
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
	v, err := Parse("f", []byte("[12345678901234567890, 1.50, 0x1F, 1_000, 0o17, +7, -1e3, 1e999, \"1e3\", 007]"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(`[12345678901234567890,1.50,31,1000,15,7,-1e3,1e999,"1e3",7]`, v.JSON()); d != "" {
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
		"{a: {b: [c, true]}}":    `{"a":{"b":["c",true]}}`,
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
		N int `json:"n,omitempty" jsonschema:"minimum=1"`
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
	if line, col := n.Get("b").Place("c"); line != 3 || col != 3 {
		t.Errorf("c below b is at %d:%d", line, col)
	}
}
