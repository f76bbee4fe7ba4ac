package measure

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
)

// show prints a column: numbers as they are, words quoted, missing as "-".
func show(c *inputColumn) string {
	var out []string
	for _, k := range c.code {
		switch {
		case !math.IsNaN(c.words[k].number):
			out = append(out, fmt.Sprint(c.words[k].number))
		case c.words[k].missing:
			out = append(out, "-")
		default:
			out = append(out, fmt.Sprintf("%q", c.words[k].Word))
		}
	}
	return c.name + ": " + strings.Join(out, " ")
}

// options say how a test reads a table.
type options struct {
	format, rows  string
	wanted        []wanted
	missing, keep []string
}

func readTable(name, text string, o options) (*inputTable, error) {
	t := newInputTable(name, o.format, o.missing, o.keep)
	t.wanted = o.wanted
	return t, t.read(strings.NewReader(text), o.rows)
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
		opts             options
		want             []string
		format           string
	}{
		{
			name: "quoted fields, blanks, every kind of missing", file: "t.csv", format: "csv",
			text: "id,a, b \n1,\"x, y\nz\",1.50\n2,,NA\n3,null,-.5e1\n4, pass ,0x10\n",
			opts: options{wanted: []wanted{{pattern: "a"}, {pattern: "b"}}},
			want: []string{`a: "x, y\nz" - - "pass"`, `b: 1.5 - -5 "0x10"`},
		},
		{
			name: "numbers of ids stay words", file: "t.csv", format: "csv",
			text: "\ufeffid,a\r\n007,1\r\n7,0\r\n",
			opts: options{wanted: []wanted{{pattern: "id", text: true}, {pattern: "id"}}},
			want: []string{`id: "007" "7"`, "id: 7 7"},
		},
		{
			name: "tabs by content", file: "-", format: "tsv",
			text: "a\tb\nsay \"hi\"\t2\n",
			opts: options{wanted: []wanted{{pattern: "a"}, {pattern: "b"}}},
			want: []string{`a: "say \"hi\""`, "b: 2"},
		},
		{
			name: "header stars", file: "t.csv", format: "csv",
			text: "x_1,y,x_2\n1,2,3\n",
			opts: options{wanted: []wanted{{pattern: "x_*"}}},
			want: []string{"x_1: 1", "x_2: 3"},
		},
		{
			name: "paths with dots in keys and list elements", file: "t.jsonl", format: "jsonl", text: nested,
			opts: options{wanted: []wanted{{pattern: "j.gpt-4.1.r"}, {pattern: "j.gpt.4.1.r"}, {pattern: "l.1.v"}}},
			want: []string{"j.gpt-4.1.r: 1 0", "j.gpt.4.1.r: 5 -", `l.1.v: "fail" -`},
		},
		{
			name: "a star finds keys that come late", file: "t.jsonl.gz", format: "jsonl", text: zipped(nested + "\n\n"),
			opts: options{wanted: []wanted{{pattern: "j.*.r"}}},
			want: []string{"j.gpt-4.1.r: 1 0", "j.gpt.4.1.r: 5 -", "j.late.r: - 0.5"},
		},
		{
			name: "kinds of JSON", file: "-", format: "jsonl",
			text: `{"a":true}{`[:10] + "\n" + `{"a":null}` + "\n" + `{"a":"0.5"}` + "\n" + `{"a":12345678901234567890}` + "\n" + `{"b":1}`,
			opts: options{wanted: []wanted{{pattern: "a"}}},
			want: []string{`a: "true" - 0.5 1.2345678901234567e+19 -`},
		},
		{
			name: "rows inside a document", file: "t.json", format: "json",
			text: `{"n":[1,2],"in":{"rows":[{"a":1},{"a":"x"}]},"more":3}`,
			opts: options{rows: "in.rows", wanted: []wanted{{pattern: "a"}}},
			want: []string{`a: 1 "x"`},
		},
		{
			name: "a list of rows", file: "t.json", format: "json", text: "\n [ {\"a\":1},\n{\"a\":2} ]",
			opts: options{wanted: []wanted{{pattern: "a"}}},
			want: []string{"a: 1 2"},
		},
		{
			name: "tabs by name", file: "t.tsv", format: "tsv", text: "a\nx\"y\n",
			opts: options{wanted: []wanted{{pattern: "a"}}}, want: []string{`a: "x\"y"`},
		},
		{
			name: "tabs by the name of what is packed", file: "t.tsv.gz", format: "tsv", text: zipped("a\n1\n"),
			opts: options{wanted: []wanted{{pattern: "a"}}}, want: []string{"a: 1"},
		},
		{
			name: "as many commas as tabs", file: "-", format: "csv", text: "a,b\tc\n1,2\n",
			opts: options{wanted: []wanted{{pattern: "a"}, {pattern: "b\tc"}}}, want: []string{"a: 1", "b\tc: 2"},
		},
		{
			name: "the format is given", file: "t.csv", format: "tsv", text: "a,b\tc,d\n1,2\t3\n",
			opts: options{format: "tsv", wanted: []wanted{{pattern: "c,d"}}}, want: []string{"c,d: 3"},
		},
		{
			name: "rows at a path, after a mark of the byte order", file: "-", format: "json",
			text: "\ufeff{\"r\":[{\"a\":1}]}", want: []string{"a: 1"},
			opts: options{rows: "r", wanted: []wanted{{pattern: "a"}}},
		},
		{
			name: "two paths of one name, the first counts", file: "-", format: "jsonl", text: `{"a.b":1,"a":{"b":2}}`,
			opts: options{wanted: []wanted{{pattern: "a.b"}}}, want: []string{"a.b: 1"},
		},
		{
			name: "null is no text", file: "-", format: "jsonl", text: `{"a":null,"b":"x"}`,
			opts: options{keep: []string{"null"}, wanted: []wanted{{pattern: "a"}, {pattern: "b", text: true}}},
			want: []string{"a: -", `b: "x"`},
		},
		{
			name: "what is a number", file: "-", format: "csv",
			text: "a\n+1\n-2\n.5\n5.\n1e3\n1E-1\ne5\nE5\n1_000\nInf\n1e999\n" + strings.Repeat("0", 400) + "\n" +
				strings.Repeat("1", 401) + "\n",
			opts: options{wanted: []wanted{{pattern: "a"}}},
			want: []string{`a: 1 -2 0.5 5 1000 0.1 "e5" "E5" "1_000" "Inf" "1e999" 0 "` + strings.Repeat("1", 401) + `"`},
		},
		{
			name: "a header twice that nobody asked for", file: "-", format: "csv", text: "x,a,x\n1,2,3\n",
			opts: options{wanted: []wanted{{pattern: "a"}}}, want: []string{"a: 2"},
		},
		{
			name: "declared missing and kept words, rewritten texts", file: "t.csv", format: "csv",
			text: "a\nNA\nskip\nlong story: success!\n",
			opts: options{missing: []string{"skip"}, keep: []string{"NA"}, wanted: []wanted{{pattern: "a", rewrite: func(s string) string {
				if strings.Contains(s, "success") {
					return "*success*"
				}
				return s
			}}}},
			want: []string{`a: "NA" - "*success*"`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			tab, err := readTable(test.file, test.text, test.opts)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range slices.Concat(tab.matched...) {
				got = append(got, show(c))
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
		want       []string
		rows, line int
		unreadable int
	}{
		{"csv", "a,b\n1,2\n3\nx\"y,4\n5,6\n", []string{"t:3: 1 fields, but the header has 2",
			`t:4: bare " in non-quoted-field`}, 2, 5, 2},
		{
			"many", "a,b\n" + strings.Repeat("1\n", 7) + "1,2\n3,4\n", []string{
				"t:2: 1 fields, but the header has 2", "t:3: 1 fields, but the header has 2", "t:4: 1 fields, but the header has 2",
				"t:5: 1 fields, but the header has 2", "t:6: 1 fields, but the header has 2",
			}, 2, 10, 7,
		},
		{"a document", `[{"a":1},2,{"a":3}]`, []string{"t: row 2: is an integer, want an object"}, 2, 3, 1},
		{"jsonl", "{\"a\":1}\n{\"a\":\n[1]\n{\"a\":2}\n", []string{
			"t:2: json: text ends early at byte 5: unexpected EOF", "t:3: is an array, want an object"}, 2, 4, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			tab, err := readTable("t", test.text, options{wanted: []wanted{{pattern: "a"}}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, tab.Problems); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if tab.Rows != test.rows || tab.Unreadable != test.unreadable || int(tab.lines[1]) != test.line {
				t.Errorf("rows %d, unreadable %d, second row in line %d", tab.Rows, tab.Unreadable, tab.lines[1])
			}
		})
	}
}

func TestCounts(t *testing.T) {
	tab, err := readTable("t.csv", "a\npass\nNA\nfail\n3\npass\nNA\n\"\"\n3.0\n", options{wanted: []wanted{{pattern: "a"}}})
	if err != nil {
		t.Fatal(err)
	}
	c := tab.matched[0][0]
	for _, test := range []struct {
		missing bool
		want    []report.WordCount
	}{
		{false, []report.WordCount{{Word: "3", Count: 2, Line: 5}, {Word: "pass", Count: 2, Line: 2}, {Word: "fail", Count: 1, Line: 4}}},
		{true, []report.WordCount{{Word: "NA", Count: 2, Line: 3}, {Word: "", Count: 1, Line: 8}}},
	} {
		if diff := cmp.Diff(test.want, c.each(func(_ int, w word) bool { return w.missing == test.missing })); diff != "" {
			t.Error(diff)
		}
	}
}

func TestTableErrors(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
		opts             options
	}{
		{"empty", "", "t: the file is empty: want a table with a header, or JSON lines", options{}},
		{"unknown header", "a,b\n1,2\n", `t: column "c" is not there; the columns are "a", "b"`, options{wanted: []wanted{{pattern: "c"}}}},
		{"header twice", "a,a\n1,2\n", `t: column "a" occurs twice in the header`, options{wanted: []wanted{{pattern: "a"}}}},
		{"unknown key", `{"x":{"y":1},"z":2}`, `t: column "x.q" is not there; the columns are "x.y", "z"`, options{wanted: []wanted{{pattern: "x.q"}}}},
		{"an object", "{\"x\":1}\n{\"x\":{\"y\":1}}", `t: t:2: column x is an object; name a field of it`, options{wanted: []wanted{{pattern: "x"}}}},
		{"open quote", "a\n\"" + strings.Repeat("x", maxRecord+200_000), fmt.Sprintf("t: row behind line 1: longer than %d bytes; is a quote left open?", maxRecord), options{wanted: []wanted{{pattern: "a"}}}},
		{"whole document", "{\n\"a\": 1\n}", "t: no row could be read; t:1: json: text ends early at byte 1: unexpected EOF; if the whole file is one JSON document, say with --rows where its list of rows is", options{wanted: []wanted{{pattern: "a"}}}},
		{"no such rows", `{"a":1,"b":[]}`, `t: rows "c": no key "c"; the keys are ["a" "b"]`, options{rows: "c", wanted: []wanted{{pattern: "a"}}}},
		{"rows are no list", `{"a":1}`, `t: rows "a": is not a list`, options{rows: "a", wanted: []wanted{{pattern: "a"}}}},
		{"cut document", `[{"a":1},{"a"`, `t: json: text ends early at byte 13: unexpected EOF`, options{wanted: []wanted{{pattern: "a"}}}},
		{"text", "a\n" + different(maxWords+1), "t: column a: 10001 different words up to line 10002: that is text, no rating", options{wanted: []wanted{{pattern: "a"}}}},
		{"format", "a\n1\n", `t: format "xml": want csv, tsv, jsonl or json`, options{format: "xml"}},
		{"header", "\"a\n", `t: line 1: header: parse error on line 1, column 4: extraneous or missing " in quoted-field`,
			options{format: "csv"}},
		{"no column of the second pattern", "a\n1\n", `t: column "c*" is not there; the columns are "a"`,
			options{wanted: []wanted{{pattern: "a"}, {pattern: "c*"}}}},
		{"too many columns", wideTable(maxColumns + 1), "t: column c*: more than 500 columns match",
			options{wanted: []wanted{{pattern: "c*"}}}},
		{"too many keys", keysUpTo(maxColumns + 1), "t: column *: more than 500 columns match",
			options{wanted: []wanted{{pattern: "*"}}}},
		{"too many keys below", `{"x":` + keysUpTo(maxColumns+1) + `}`, "t: column x.*: more than 500 columns match",
			options{wanted: []wanted{{pattern: "x.*"}}}},
		{"text in JSON lines", `{"a":"` + strings.ReplaceAll(different(maxWords+1), "\n", "\"}\n{\"a\":\"") + `"}`,
			"t: column a: 10001 different words up to line 10001: that is text, no rating",
			options{wanted: []wanted{{pattern: "a"}}}},
		{"unknown key beside a bad row", `[1,{"a":1}]`, `t: column "b" is not there; the columns are "a"`,
			options{wanted: []wanted{{pattern: "b"}}}},
		{"an object in a list", `{"l":[{"x":1}]}`, "t: t:1: column l.0 is an object; name a field of it",
			options{wanted: []wanted{{pattern: "l.0"}}}},
		{"a list", `{"l":[1]}`, "t: t:1: column l is an array; name a field of it",
			options{wanted: []wanted{{pattern: "l"}}}},
		{"an object in a document", `[{"x":1},{"x":{}}]`, "t: t: row 2: column x is an object; name a field of it",
			options{wanted: []wanted{{pattern: "x"}}}},
		{"rows in a list", `{"a":[1]}`, `t: rows "a.b": there is no object to find "b" in`, options{rows: "a.b"}},
		{"rows of many keys", keysUpTo(21), `t: rows "c": no key "c"; the keys are ["k10" "k11" "k12" "k13" "k14" "k15" ` +
			`"k16" "k17" "k18" "k19" "k20" "k21" "k22" "k23" "k24" "k25" "k26" "k27" "k28" "k29"]`, options{rows: "c"}},
		{"a line too long", "{\"a\":1}\n{\"a\":\"" + strings.Repeat("x", maxRecord) + "\"}\n",
			"t: line 2: bufio.Scanner: token too long", options{wanted: []wanted{{pattern: "a"}}}},
		{"broken gzip", "\x1f\x8bxx", "t: gzip: unexpected EOF", options{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := readTable("t", test.text, test.opts)
			if err == nil || "t: "+err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

// TestInputThatBreaksOff: an error of the input itself ends the reading, whatever the format and the place.
func TestInputThatBreaksOff(t *testing.T) {
	gone := errors.New("disk gone")
	for _, text := range []string{"", "a\n1\n", "a\n\"1", "{\"a\":1}\n", "[{\"a\":1},"} {
		tab := newInputTable("t", "", nil, nil)
		tab.wanted = []wanted{{pattern: "a"}}
		if err := tab.read(io.MultiReader(strings.NewReader(text), iotest.ErrReader(gone)), ""); !errors.Is(err, gone) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestMostColumns: as many columns as there may be can be read.
func TestMostColumns(t *testing.T) {
	tab, err := readTable("t", wideTable(maxColumns), options{wanted: []wanted{{pattern: "c*"}}})
	if err != nil || len(tab.matched[0]) != maxColumns {
		t.Errorf("%d columns, %v", len(tab.all), err)
	}
}

// keysUpTo writes an object with n keys.
func keysUpTo(n int) string {
	var keys []string
	for i := range n {
		keys = append(keys, fmt.Sprintf(`"k%d":1`, 10+i))
	}
	return "{" + strings.Join(keys, ",") + "}"
}

// TestLongTables: a file may be longer than a row may, a row of JSON lines may be long, and names of conversations may
// be more than words of ratings.
func TestLongTables(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for name, text := range map[string]string{
		"a long file":    "a\n" + strings.Repeat(long+"\n", maxRecord/len(long)+2),
		"a long row":     `{"a":"` + long + `"}` + "\n",
		"names as words": "a\n" + different(maxWords+1),
	} {
		tab, err := readTable("t", text, options{wanted: []wanted{{pattern: "a", text: true}}})
		if want := strings.Count(text, "\n") - strings.Count(text[:2], "\n"); err != nil || tab.Rows != want {
			t.Errorf("%s: %d rows, want %d, %v", name, tab.Rows, want, err)
		}
	}
}

// wideTable writes a CSV of one row with n columns.
func wideTable(n int) string {
	var header, row []string
	for i := range n {
		header, row = append(header, fmt.Sprint("c", i)), append(row, "1")
	}
	return strings.Join(header, ",") + "\n" + strings.Join(row, ",") + "\n"
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
		if got := glob(test.pattern).MatchString(test.text); got != test.want {
			t.Errorf("glob(%q, %q) = %v", test.pattern, test.text, got)
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
			tab, err := readTable("t", text, options{rows: rows, wanted: []wanted{{pattern: pattern}, {pattern: pattern, text: true}}})
			if err != nil {
				return "", err
			}
			out := ""
			for _, c := range slices.Concat(tab.matched...) {
				if len(c.code) != tab.Rows {
					t.Fatalf("column %q has %d cells in %d rows", c.name, len(c.code), tab.Rows)
				}
				counted := 0
				for _, w := range c.words {
					counted += w.Count
				}
				if counted != tab.Rows {
					t.Fatalf("column %q: %d cells counted in %d rows", c.name, counted, tab.Rows)
				}
				out += show(c) + "\n"
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
		if _, err := readTable("t.csv", s, options{wanted: []wanted{{pattern: "conversation", text: true}, {pattern: "gold"}, {pattern: "score"}}}); err != nil {
			b.Fatal(err)
		}
	}
}
