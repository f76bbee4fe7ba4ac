package logs_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/judgekit/judge/logs"
)

const log = `{"id":"c1","messages":[{"role":"user","content":"Cancel order 987"},{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"cancel_order","arguments":"{\"order_id\":90071992547409931}"}}]},{"role":"tool","tool_call_id":"t1","content":"{\"ok\":true}"}],"labels":{"human":1}}
{"id":"c2","messages":
{"id":"c3","messages":[{"role":"user","content":"Thanks"}]}
`

func ExampleRead() {
	for c, err := range logs.Read("support.jsonl", strings.NewReader(log)) {
		if err != nil {
			fmt.Println(err)
			if logs.IsProblem(err) {
				continue
			}
			return
		}
		for _, call := range c.Calls {
			fmt.Println(c.ID, call.Name, call.Arguments.Field("order_id").Text(), c.Messages[call.Result].Content)
		}
	}
	// Output:
	// c1 cancel_order 90071992547409931 {"ok":true}
	// support.jsonl:2: json: text ends early at byte 22: unexpected EOF: the record was passed over
}

func TestOpenGoesOnBehindAFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	paths := []string{write("a.jsonl", log), filepath.Join(dir, "missing"), write("b", "PAR1"), write("c.jsonl", log)}
	var got []string
	for c, err := range logs.Open(paths...) {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			got = append(got, fmt.Sprint("error ", logs.IsProblem(err), " not there"))
		case err != nil:
			got = append(got, fmt.Sprint("error ", logs.IsProblem(err)))
		default:
			got = append(got, c.ID)
		}
	}
	want := []string{"c1", "error true", "c3", "error false not there", "error false", "c1#2", "error true", "c3#2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for range logs.Open(paths...) {
		break // leaving early must not panic or hang
	}
}

func TestWriteNativeIsReadable(t *testing.T) {
	var b strings.Builder
	for c, err := range logs.Read("x.jsonl", strings.NewReader(log)) {
		if err == nil {
			if err := logs.WriteNative(&b, c); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, w := io.Pipe()
	full := errors.New("disk full")
	r.CloseWithError(full)
	for c := range logs.Read("x.jsonl", strings.NewReader(log)) {
		if err := logs.WriteNative(w, c); !errors.Is(err, full) {
			t.Errorf("a file that cannot be written: %v", err)
		}
		break
	}
	n := 0
	for _, err := range logs.Read("y.jsonl", strings.NewReader(b.String())) {
		if err != nil {
			t.Error(err)
		}
		n++
	}
	if n != 2 || len(logs.Formats()) < 5 {
		t.Errorf("%d conversations came back", n)
	}
}
