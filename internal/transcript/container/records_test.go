package container

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

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
			rec.Text = "problem: " + rec.Problem
		}
		out = append(out, strconv.Itoa(rec.Line)+" "+rec.Text)
	}
	return append(out, "no end")
}

// TestRecords: each record comes out once, in order and with its line, whatever the log's form.
func TestRecords(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", 70) + `"}`
	tooLong := "problem: the record is longer than the limit of 64 bytes and was passed over: raise the limit to read it"
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
