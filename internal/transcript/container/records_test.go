package container

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/judgekit/judge/internal/value"
)

// recordsOf cuts a log with a limit of 64 bytes, and prints each record with its line, then what they share.
func recordsOf(t *testing.T, file, text string, layout Layout) (out []string) {
	t.Helper()
	l, err := Open(strings.NewReader(text), Options{Limit: 64, Column: func(name string) bool { return name == "messages" }})
	if err != nil {
		return []string{err.Error()}
	}
	defer l.Close()
	r := l.Records(file, layout)
	for range 20 {
		rec, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			if !r.Shared.IsNull() {
				out = append(out, r.Shared.JSON())
			}
			return out
		case err != nil:
			return append(out, err.Error())
		case rec.Problem != "":
			if rec.Text != "" {
				t.Errorf("a record with a problem has the text %s", rec.Text)
			}
			rec.Text = "problem: " + rec.Problem
		}
		if rec.Index != len(out) {
			t.Errorf("record %d has the index %d", len(out), rec.Index)
		}
		out = append(out, strconv.Itoa(rec.Line)+" "+rec.Text)
	}
	return append(out, "no end")
}

// TestRecords: each record comes out once, in order and with its line, whatever the log's form.
func TestRecords(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", 70) + `"}`
	tooLong := "problem: the record is longer than the limit of 64 bytes and was passed over: raise the limit to read it"
	const cut = "1 problem: the file ends inside of this record: it is cut short"
	events := Layout{List: "events", Shared: []string{"v"}}
	lines := Layout{List: "events", Shared: []string{"v"}, Lines: true}
	for _, tt := range []struct {
		name, file, text string
		layout           Layout
		want             []string
	}{
		{"lines", "a.jsonl", "{\"a\":1}\n\n  {\"a\":2}", Layout{}, []string{`1 {"a":1}`, `3 {"a":2}`}},
		{"a long line costs itself", "a.jsonl", "1\n" + long + "\n3\n", Layout{}, []string{"1 1", "2 " + tooLong, "3 3"}},
		{"a list", "a.json", "[1,\n {\"a\":[2]} ,\"x\"]", Layout{}, []string{"1 1", `2 {"a":[2]}`, `2 "x"`}},
		{"a long element costs itself", "a.json", "[1," + long + ",3]", Layout{}, []string{"1 1", "1 " + tooLong, "1 3"}},
		{"a list that is one record", "a.json", "[1,\n2]", Layout{Whole: true}, []string{"1 [1,\n2]"}},
		{"values after values", "a.json", "{\"a\":\n1}\n{\"a\":\n2}", Layout{}, []string{"1 {\"a\":\n1}", "3 {\"a\":\n2}"}},
		{"a list in an object", "a.json", `{"v":1,"w":[0],"events":[{"a":1},{"a":2}],"x":3}`, events, []string{`1 {"a":1}`, `1 {"a":2}`, `{"v":1}`}},
		{"an empty one", "a.json", `{"events":[]}`, events, nil},
		{"shared too late", "a.json", `{"events":[1],"v":2}`, events, []string{"1 1", "1 problem: v follows the events, which need it: put it before them"}},
		{"no list", "a.json", `{"events":7}`, events, []string{"1 problem: events: this must be a list and is an integer"}},
		{"two objects", "a.json", "{\n\"events\":[1]}\n{\n\"events\":[2]}", lines, []string{"2 1", "4 2"}},
		{"an object a line", "a.jsonl", `{"events":[1]}` + "\n" + `{"events":[2]}`, lines, []string{`1 {"events":[1]}`, `2 {"events":[2]}`}},
		{"cut", "a.json", `[1,{"a":`, Layout{}, []string{"1 1", "1 problem: the file ends inside of this record: it is cut short"}},
		{"lines of prose", "a.txt", "hello\nworld", Layout{}, []string{"1 hello", "2 world"}},
		{"a line far over the limit", "a.jsonl", "1\n" + strings.Repeat("x", 2*headSize+70) + "\n3\n", Layout{},
			[]string{"1 1", "2 " + tooLong, "3 3"}},
		{"a list where an object may be", "a.json", `[1,2]`, events, []string{"1 1", "1 2"}},
		{"blanks of every kind", "a.json", "[1,\t2,\r\n3]", Layout{}, []string{"1 1", "1 2", "2 3"}},
		{"lists that are lines", "a.json", "[1]\nnoise\n[2]", Layout{Whole: true}, []string{"1 [1]", "2 noise", "3 [2]"}},
		{"lines by name", "a.jsonl", "{\"a\":\n1}", Layout{}, []string{`1 {"a":`, "2 1}"}},
		{"packed lines by name", "a.jsonl.gz", "{\"a\":\n1}", Layout{}, []string{`1 {"a":`, "2 1}"}},
		{"lines by another name", "a.ndjson", "{\"a\":\n1}", Layout{}, []string{`1 {"a":`, "2 1}"}},
		{"no lines in spite of the name", "a.jsonl", "{ \n\"a\":1}\n{\"b\":2}", Layout{},
			[]string{"1 { \n\"a\":1}", `3 {"b":2}`}},
		{"one line, cut inside a text", "a.json", `{"a":"x`, Layout{}, []string{cut}},
		{"a line cut inside a text", "a.json", "{\"a\":\"x\n{\"b\":1}", Layout{}, []string{`1 {"a":"x`, `2 {"b":1}`}},
		{"a line cut inside a text, after a bracket", "a.json", "{\"a\":\"x[\n{\"b\":1}", Layout{},
			[]string{`1 {"a":"x[`, `2 {"b":1}`}},
		{"a line cut inside a list", "a.json", "{\"a\":[1\n{\"b\":1}", Layout{}, []string{`1 {"a":[1`, `2 {"b":1}`}},
		{"no comma between members", "a.json", `{"v":1 7:2}`, events,
			[]string{`1 problem: between two elements is "7", not a comma: the rest was not read`, `{"v":1}`}},
		{"a line cut inside an object", "a.json", "{\"a\":{\"b\":1\n {\"c\":2}", Layout{},
			[]string{`1 {"a":{"b":1`, `2 {"c":2}`}},
		{"a line cut after a comma", "a.json", "{\"a\":1,\n{\"b\":1}", Layout{}, []string{`1 {"a":1,`, `2 {"b":1}`}},
		{"a line break and the end", "a.json", "{\"a\":1,\n \n", Layout{}, []string{cut}},
		{"a line break before a key", "a.json", "{\"a\":1,\n\"b\":2}", Layout{}, []string{"1 {\"a\":1,\n\"b\":2}"}},
		{"a line break after a colon", "a.json", "{\"a\": \n{\"b\":1}}", Layout{}, []string{"1 {\"a\": \n{\"b\":1}}"}},
		{"a line break in a list", "a.json", "{\"a\":[\n{\"b\":1}]}", Layout{}, []string{"1 {\"a\":[\n{\"b\":1}]}"}},
		{"a line break between elements", "a.json", "{\"a\":[{},\n{\"b\":1}]}", Layout{},
			[]string{"1 {\"a\":[{},\n{\"b\":1}]}"}},
		{"values, then text", "a.json", "{\"a\":\n1}\n" + strings.Repeat("x", 61), Layout{}, []string{"1 {\"a\":\n1}",
			`3 problem: text follows the end of the log and was not read: "` + strings.Repeat("x", 60) + `"`}},
		{"an object, then another", "a.json", `{"events":[1]}{"events":[2]}`, events, []string{"1 1",
			`1 problem: text follows the end of the log and was not read: "{\"events\":[2]}"`}},
		{"an object without the list between two", "a.json", "{\n\"events\":[1]}\n{}\n{\"events\":[2]}", lines,
			[]string{"2 1", "4 2"}},
		{"an empty list, then a key", "a.json", `{"events":[],"x":1}`, events, nil},
		{"a value that is too long to be shared", "a.json", `{"v":"` + strings.Repeat("x", 70) + `","events":[]}`, events,
			[]string{"1 problem: v: " + strings.TrimPrefix(tooLong, "problem: ")}},
		{"a shared value that is no JSON", "a.json", `{"v":tru,"events":[]}`, events,
			[]string{"1 problem: v: json: text ends early at byte 3: unexpected EOF"}},
		{"no comma, some lines later", "a.json", "[1\n\n 2]", Layout{},
			[]string{"1 1", `3 problem: between two elements is "2", not a comma: the rest was not read`}},
		{"a list, then text some lines later", "a.json", "[1]\n\n x", Layout{},
			[]string{"1 1", `3 problem: text follows the end of the log and was not read: "x"`}},
		{"no colon, some lines later", "a.json", "{\"w\":1,\n\"v\" 1}", events,
			[]string{`2 problem: no colon follows the key "v": the rest was not read`}},
		{"a number as a key", "a.json", `{7 :1}`, events,
			[]string{`1 problem: a key is expected where "7" stands: the rest was not read`}},
		{"no colon", "a.json", `{"v" 1}`, events, []string{`1 problem: no colon follows the key "v": the rest was not read`}},
		{"cut before a key", "a.json", `{`, events, []string{cut}},
		{"cut after a key", "a.json", `{"v"`, events, []string{cut}},
		{"cut after a colon", "a.json", `{"v":`, events, []string{cut}},
		{"cut after a value", "a.json", `{"v":1`, events, []string{cut, `{"v":1}`}},
		{"cut after a comma", "a.json", `[1,`, Layout{}, []string{"1 1", cut}},
		{"cut after an element", "a.json", `[1,2`, Layout{}, []string{"1 1", "1 2", cut}},
		{"cut inside a text", "a.json", `[1,"a`, Layout{}, []string{"1 1", cut}},
		{"a table with rows of other lengths", "a.csv", "messages,n\n[1]\n2,x,y\n", Layout{}, []string{
			`2 {"messages":[1]}`, `3 {"messages":"2","n":"x","column_3":"y"}`}},
		{"no comma", "a.json", `[1 2]`, Layout{}, []string{"1 1", `1 problem: between two elements is "2", not a comma: the rest was not read`}},
		{"a table", "a.csv", "messages, n,\n[1],x,y\n,z,\n", Layout{}, []string{
			`2 {"messages":[1],"n":"x","column_3":"y"}`, `3 {"n":"z"}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, recordsOf(t, tt.file, tt.text, tt.layout)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReadErrors: an error of the reader is returned as it is, after the records before it.
func TestReadErrors(t *testing.T) {
	failure := errors.New("the disk is gone")
	events := Layout{List: "events", Shared: []string{"v"}}
	packed := zipped("[1,\n"+strings.Repeat(`{"a":"b"},`, 9), 1)
	for _, tt := range []struct {
		file, text string
		layout     Layout
		want       int
	}{
		{"a.jsonl", "1\n2", Layout{}, 1}, {"a.json", "[1,2", Layout{}, 1}, {"a.json", "[1", Layout{}, 0},
		{"a.json", `[1 `, Layout{}, 1}, {"a.json", `["a`, Layout{}, 0}, {"a.json", "{\"a\":\n1}", Layout{}, 1},
		{"a.json", "{\"a\":\n1", Layout{}, 0}, {"a.json", `{"events"`, events, 0}, {"a.json", `{"v":`, events, 0},
		{"a.json", `{"events":[1 `, events, 1}, {"a.json", `{"events":[1]`, events, 1},
		{"a.json", `{"events":[1]}`, events, 1},
		{"a.json", packed[:len(packed)-8], Layout{}, 10}, {"a.json", `"{\"a\":1}" `, Layout{}, 1},
	} {
		in := io.MultiReader(strings.NewReader(tt.text), iotest.ErrReader(failure))
		l, err := Open(in, Options{Limit: 64, Column: func(string) bool { return false }})
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		r, got := l.Records(tt.file, tt.layout), 0
		for got < 20 {
			var rec Record
			if rec, err = r.Next(); err != nil || rec.Problem != "" {
				break
			}
			got++
		}
		if got != tt.want || !errors.Is(err, failure) {
			t.Errorf("%q: %d records, want %d, then %v", tt.text, got, tt.want, err)
		}
		l.Close()
	}
	if _, err := NewSpool(iotest.ErrReader(failure)); !errors.Is(err, failure) {
		t.Errorf("the spool: %v", err)
	}
	if _, err := OpenZip(iotest.ErrReader(failure), 64); !errors.Is(err, failure) {
		t.Errorf("a zip: %v", err)
	}
}

// TestLongLines: a line is read up to the limit, its line feed included, however often the reader has to be asked.
func TestLongLines(t *testing.T) {
	const limit = 3 * headSize
	fits := strings.Repeat("x", limit-1)
	text := fits + "\n" + fits + "\n" + fits + "y\n" + strings.Repeat("z", 5*headSize) + "\n{\"a\":\"" + strings.Repeat("v", 600) + "\"}"
	for name, in := range map[string]io.Reader{
		"at once": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text)),
	} {
		l, err := Open(in, Options{Limit: limit, Column: func(string) bool { return false }})
		if err != nil {
			t.Fatal(err)
		}
		r, got := l.Records("a.jsonl", Layout{}), []int{}
		for rec, err := r.Next(); !errors.Is(err, io.EOF); rec, err = r.Next() {
			if got = append(got, len(rec.Text)); err != nil || (rec.Problem == "") != (rec.Text != "") {
				t.Fatalf("%s: record %d: %v, %s", name, len(got), err, rec.Problem)
			}
		}
		if diff := cmp.Diff([]int{limit - 1, limit - 1, 0, 0, 608}, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	value := `{"a":` + strings.Repeat("\n", headSize) + `1}`
	in := iotest.OneByteReader(strings.NewReader(value))
	l, err := Open(in, Options{Limit: 2 * headSize, Column: func(string) bool { return false }})
	if err != nil {
		t.Fatal(err)
	}
	if rec, err := l.Records("a.json", Layout{}).Next(); rec.Text != value || err != nil {
		t.Errorf("a value byte by byte: %d bytes, %v, %s", len(rec.Text), err, rec.Problem)
	}
}

// TestListed: an object that ends with a list is the text of both, however long the list is.
func TestListed(t *testing.T) {
	for n, want := range []string{`{"a":1,"list":[]}`, `{"a":1,"list":[0]}`, `{"a":1,"list":[0,1]}`, `{"a":1,"list":[0,1,2]}`} {
		got, err := io.ReadAll(Listed(value.Pairs("a", 1), "list", n, func(to []byte, i int) []byte {
			return append(to, strconv.Itoa(i)...)
		}))
		if err != nil || string(got) != want {
			t.Errorf("%d elements: %s, %v", n, got, err)
		}
	}
}

// TestParquetRows: every row of a Parquet file is a record, also if the file has many groups of rows.
func TestParquetRows(t *testing.T) {
	type row struct {
		N    int64    `parquet:"n"`
		List []string `parquet:"list,list"`
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file, parquet.MaxRowsPerRowGroup(2))
	var want []string
	for i := range 5 {
		if _, err := w.Write([]row{{int64(i), []string{"a", strconv.Itoa(i)}[:i%3%2+1]}}); err != nil {
			t.Fatal(err)
		}
		want = append(want, strconv.Itoa(i+1)+` {"n":`+strconv.Itoa(i)+`,"list":["a"`+[]string{``, `,"` + strconv.Itoa(i) + `"`}[i%3%2]+`]}`)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, recordsOf(t, "a.parquet", file.String(), Layout{})); diff != "" {
		t.Error(diff)
	}
}

// TestParquetKinds: lists, maps, optional and repeated columns of a Parquet file, also without a value.
func TestParquetKinds(t *testing.T) {
	type pair struct {
		A int64  `parquet:"a"`
		B string `parquet:"b"`
	}
	type single struct {
		A int64 `parquet:"a"`
	}
	type row struct {
		Pairs   []pair           `parquet:"pairs,list"`
		Singles []single         `parquet:"singles"`
		Map     map[string]int64 `parquet:"map"`
		Some    *int64           `parquet:"some,optional"`
		Again   []int64          `parquet:"again"`
		Inner   struct {
			Yes bool    `parquet:"yes"`
			F   float32 `parquet:"f"`
			U   uint64  `parquet:"u"`
		} `parquet:"inner"`
	}
	full := row{Pairs: []pair{{1, "x"}, {2, "[3]"}}, Singles: []single{{4}}, Map: map[string]int64{"k": 5}, Some: new(int64(6)),
		Again: []int64{7, 8}}
	full.Inner.Yes, full.Inner.F, full.Inner.U = true, 0.1, 1<<63
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file)
	if _, err := w.Write([]row{full, {}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"pairs":[{"a":1,"b":"x"},{"a":2,"b":[3]}],"singles":[{"a":4}],"map":{"k":5},"some":6,"again":[7,8],` +
			`"inner":{"yes":true,"f":0.1,"u":9223372036854775808}}`,
		`{"pairs":[],"singles":[],"map":{},"some":null,"again":[],"inner":{"yes":false,"f":0.0,"u":0}}`,
	}
	l, err := Open(&file, Options{Limit: 1 << 10, Column: func(string) bool { return false }})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var got []string
	r := l.Records("a.parquet", Layout{})
	for rec, err := r.Next(); !errors.Is(err, io.EOF); rec, err = r.Next() {
		if got = append(got, rec.Text); err != nil || rec.Problem != "" {
			t.Fatal(err, rec.Problem)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
