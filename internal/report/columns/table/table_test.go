package table

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// show prints a column: numbers as they are, words quoted, missing as "-".
func show(c *Column) string {
	var out []string
	for i := range c.Len() {
		if f, ok := c.Number(i); ok {
			out = append(out, fmt.Sprint(f))
			continue
		}
		if k, ok := c.Word(i); ok {
			out = append(out, fmt.Sprintf("%q", c.Words()[k].Text))
			continue
		}
		if !c.IsMissing(i) {
			return "no kind at all"
		}
		out = append(out, "-")
	}
	return c.Name + ": " + strings.Join(out, " ")
}

func zipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.String()
}

func TestRead(t *testing.T) {
	const nested = `{"id":"c1","j":{"gpt-4.1":{"r":1},"gpt":{"4.1":{"r":5}}},"l":[{"v":"pass"},{"v":"fail"}]}` + "\n" +
		`{"id":"c2","j":{"gpt-4.1":{"r":0},"late":{"r":0.5}},"l":[]}`
	for _, test := range []struct {
		name, file, text string
		opts             Options
		want             []string
		format           Format
	}{
		{
			name: "quoted fields, blanks, every kind of missing", file: "t.csv", format: CSV,
			text: "id,a, b \n1,\"x, y\nz\",1.50\n2,,NA\n3,null,-.5e1\n4, pass ,0x10\n",
			opts: Options{Columns: []Wanted{{Pattern: "a"}, {Pattern: "b"}}},
			want: []string{`a: "x, y\nz" - - "pass"`, `b: 1.5 - -5 "0x10"`},
		},
		{
			name: "numbers of ids stay words", file: "t.csv", format: CSV,
			text: "\ufeffid,a\r\n007,1\r\n7,0\r\n",
			opts: Options{Columns: []Wanted{{Pattern: "id", Text: true}, {Pattern: "id"}}},
			want: []string{`id: "007" "7"`, "id: 7 7"},
		},
		{
			name: "tabs by content", file: "-", format: TSV,
			text: "a\tb\nsay \"hi\"\t2\n",
			opts: Options{Columns: []Wanted{{Pattern: "a"}, {Pattern: "b"}}},
			want: []string{`a: "say \"hi\""`, "b: 2"},
		},
		{
			name: "header stars", file: "t.csv", format: CSV,
			text: "x_1,y,x_2\n1,2,3\n",
			opts: Options{Columns: []Wanted{{Pattern: "x_*"}}},
			want: []string{"x_1: 1", "x_2: 3"},
		},
		{
			name: "paths with dots in keys and list elements", file: "t.jsonl", format: JSONL, text: nested,
			opts: Options{Columns: []Wanted{{Pattern: "j.gpt-4.1.r"}, {Pattern: "j.gpt.4.1.r"}, {Pattern: "l.1.v"}}},
			want: []string{"j.gpt-4.1.r: 1 0", "j.gpt.4.1.r: 5 -", `l.1.v: "fail" -`},
		},
		{
			name: "a star finds keys that come late", file: "t.jsonl.gz", format: JSONL, text: zipped(nested + "\n\n"),
			opts: Options{Columns: []Wanted{{Pattern: "j.*.r"}}},
			want: []string{"j.gpt-4.1.r: 1 0", "j.late.r: - 0.5"},
		},
		{
			name: "kinds of JSON", file: "-", format: JSONL,
			text: `{"a":true}{`[:10] + "\n" + `{"a":null}` + "\n" + `{"a":"0.5"}` + "\n" + `{"a":12345678901234567890}` + "\n" + `{"b":1}`,
			opts: Options{Columns: []Wanted{{Pattern: "a"}}},
			want: []string{`a: "true" - 0.5 1.2345678901234567e+19 -`},
		},
		{
			name: "rows inside a document", file: "t.json", format: JSON,
			text: `{"n":[1,2],"in":{"rows":[{"a":1},{"a":"x"}]},"more":3}`,
			opts: Options{Rows: "in.rows", Columns: []Wanted{{Pattern: "a"}}},
			want: []string{`a: 1 "x"`},
		},
		{
			name: "a list of rows", file: "t.json", format: JSON, text: "\n [ {\"a\":1},\n{\"a\":2} ]",
			opts: Options{Columns: []Wanted{{Pattern: "a"}}},
			want: []string{"a: 1 2"},
		},
		{
			name: "declared missing and kept words, rewritten texts", file: "t.csv", format: CSV,
			text: "a\nNA\nskip\nlong story: success!\n",
			opts: Options{Missing: []string{"skip"}, Keep: []string{"NA"}, Columns: []Wanted{{Pattern: "a", Rewrite: func(s string) string {
				if strings.Contains(s, "success") {
					return "*success*"
				}
				return s
			}}}},
			want: []string{`a: "NA" - "*success*"`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			tab, err := Read(test.file, strings.NewReader(test.text), test.opts)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for n := range test.opts.Columns {
				for _, c := range tab.Columns(n) {
					got = append(got, show(c))
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if tab.Format != test.format || tab.Unreadable != 0 {
				t.Errorf("format %s, %d unreadable", tab.Format, tab.Unreadable)
			}
		})
	}
}

func TestBadRowsAreNamed(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []Problem
		rows, line int
	}{
		{"csv", "a,b\n1,2\n3\nx\"y,4\n5,6\n", []Problem{{3, "1 fields where the header has 2"}, {4, `bare " in non-quoted-field`}}, 2, 5},
		{"jsonl", "{\"a\":1}\n{\"a\":\n[1]\n{\"a\":2}\n", []Problem{{2, "json: text ends early at byte 5: unexpected EOF"}, {3, "is an array, want an object"}}, 2, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			tab, err := Read("t", strings.NewReader(test.text), Options{Columns: []Wanted{{Pattern: "a"}}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, tab.Problems); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if tab.Rows != test.rows || tab.Unreadable != 2 || tab.Line(1) != test.line {
				t.Errorf("rows %d, unreadable %d, second row in line %d", tab.Rows, tab.Unreadable, tab.Line(1))
			}
		})
	}
}

func TestCounts(t *testing.T) {
	tab, err := Read("t.csv", strings.NewReader("a\npass\nNA\nfail\n3\npass\nNA\n\"\"\n"), Options{Columns: []Wanted{{Pattern: "a"}}})
	if err != nil {
		t.Fatal(err)
	}
	c := tab.Columns(0)[0]
	if diff := cmp.Diff([]Word{{"pass", 2, 2}, {"fail", 1, 4}}, c.Words()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Word{{"NA", 2, 3}, {"", 1, 8}}, c.MissingWords()); diff != "" {
		t.Error(diff)
	}
	if c.Missing() != 3 || c.Numbers() != 1 {
		t.Errorf("%d missing, %d numbers", c.Missing(), c.Numbers())
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
		opts             Options
	}{
		{"empty", "", "t: the file is empty: want a table with a header, or JSON lines", Options{}},
		{"unknown header", "a,b\n1,2\n", `t: column "c" is not there; the columns are "a", "b"`, Options{Columns: []Wanted{{Pattern: "c"}}}},
		{"header twice", "a,a\n1,2\n", `t: column "a" stands 2 times in the header`, Options{Columns: []Wanted{{Pattern: "a"}}}},
		{"unknown key", `{"x":{"y":1},"z":2}`, `t: column "x.q" is not there; the columns are "x", "z"`, Options{Columns: []Wanted{{Pattern: "x.q"}}}},
		{"an object", "{\"x\":1}\n{\"x\":{\"y\":1}}", `t: line 2: column x is an object; name a field of it, such as x.y`, Options{Columns: []Wanted{{Pattern: "x"}}}},
		{"open quote", "a\n\"" + strings.Repeat("x", 200_000), "t: row behind line 1: longer than 100 bytes; is a quote left open?", Options{MaxRecord: 100, Columns: []Wanted{{Pattern: "a"}}}},
		{"whole document", "{\n\"a\": 1\n}", "t: no row could be read; line 1: json: text ends early at byte 1: unexpected EOF; if the whole file is one JSON document, say with --rows where its list of rows is", Options{Columns: []Wanted{{Pattern: "a"}}}},
		{"no such rows", `{"a":1,"b":[]}`, `t: rows "c": no key "c"; the keys are ["a" "b"]`, Options{Rows: "c", Columns: []Wanted{{Pattern: "a"}}}},
		{"rows are no list", `{"a":1}`, `t: rows "a": is no list`, Options{Rows: "a", Columns: []Wanted{{Pattern: "a"}}}},
		{"cut document", `[{"a":1},{"a"`, `t: row 2: json: text ends early at byte 13: unexpected EOF`, Options{Columns: []Wanted{{Pattern: "a"}}}},
		{"text", "a\n" + different(maxWords+1), "t: column a: 10001 different words up to line 10002: that is text, no rating", Options{Columns: []Wanted{{Pattern: "a"}}}},
		{"format", "a\n1\n", `t: format "xml" is none of csv, tsv, jsonl, json`, Options{Format: "xml"}},
		{"broken gzip", "\x1f\x8bxx", "t: gzip: unexpected EOF", Options{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Read("t", strings.NewReader(test.text), test.opts)
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func different(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "w%d\n", i)
	}
	return b.String()
}

func TestGlob(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"*", "", true}, {"a*", "abc", true}, {"*c", "abc", true}, {"*b*", "abc", true}, {"a*c", "ac", true},
		{"a*a", "a", false}, {"*b*b*", "abc", false}, {"abc", "abc", true}, {"abc", "ab", false}, {"a*b*c", "axbyc", true},
	} {
		if got := Glob(test.pattern, test.text); got != test.want {
			t.Errorf("Glob(%q, %q) = %v", test.pattern, test.text, got)
		}
	}
}

// FuzzRead: whatever the input, every column has one cell a row, the counts add
// up, and reading twice gives the same.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a\tb\nx\ty\n", `{"a":1}` + "\n" + `{"a":{"b":2}}`, `[{"a":[1]}]`, `{"rows":[{"a":"x"}]}`, "\x1f\x8b", "\"a\"\n\"", "a\n1e999\n"} {
		f.Add(s, "a", "")
		f.Add(s, "*.b", "rows")
	}
	f.Fuzz(func(t *testing.T, text, pattern, rows string) {
		read := func() (string, error) {
			tab, err := Read("t", strings.NewReader(text), Options{Rows: rows, MaxRecord: 1000, Columns: []Wanted{{Pattern: pattern}, {Pattern: pattern, Text: true}}})
			if err != nil {
				return "", err
			}
			out := ""
			for n := range 2 {
				for _, c := range tab.Columns(n) {
					if c.Len() != tab.Rows {
						t.Fatalf("column %q has %d cells in %d rows", c.Name, c.Len(), tab.Rows)
					}
					words := 0
					for _, w := range c.Words() {
						words += w.Count
					}
					if words+c.Missing()+c.Numbers() != tab.Rows {
						t.Fatalf("column %q: %d words, %d missing, %d numbers in %d rows", c.Name, words, c.Missing(), c.Numbers(), tab.Rows)
					}
					out += show(c) + "\n"
				}
			}
			return out, nil
		}
		first, err1 := read()
		second, err2 := read()
		if first != second || fmt.Sprint(err1) != fmt.Sprint(err2) {
			t.Fatalf("two readings differ: %q %v, %q %v", first, err1, second, err2)
		}
	})
}

func BenchmarkReadMillion(b *testing.B) {
	var text strings.Builder
	text.WriteString("conversation,gold,score\n")
	for i := range 1_000_000 {
		fmt.Fprintf(&text, "conversation-%05d,%s,0.%06d\n", i/50, [...]string{"pass", "fail"}[i%2], i)
	}
	s := text.String()
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read("t.csv", strings.NewReader(s), Options{Columns: []Wanted{{Pattern: "conversation", Text: true}, {Pattern: "gold"}, {Pattern: "score"}}}); err != nil {
			b.Fatal(err)
		}
	}
}
