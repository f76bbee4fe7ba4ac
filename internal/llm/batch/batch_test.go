package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
)

const (
	id   = "00000000000000000000000000000000000000000000000000000000000000ff"
	chat = `{"object":"chat.completion","choices":[{"message":{"content":"yes"}}]}`
)

// TestReplies reads lines as services, vLLM and gateways write them.
func TestReplies(t *testing.T) {
	for name, c := range map[string]struct {
		line, kind string
		status     int
	}{
		"service":             {`{"id":"b","custom_id":"ID","response":{"status_code":200,"request_id":"r","body":CHAT},"error":null}`, "", 200},
		"no status":           {`{"custom_id":"ID","response":{"body":CHAT}}`, "", 200},
		"the body alone":      {`{"custom_id":"ID","response":CHAT}`, "", 200},
		"a status of no kind": {`{"custom_id":"ID","response":{"status_code":1000,"body":CHAT}}`, "", 200},
		"a status too low":    {`{"custom_id":"ID","response":{"status_code":99,"body":CHAT}}`, "", 200},
		"the least status":    {`{"custom_id":"ID","response":{"status_code":100,"body":CHAT}}`, "bad_request", 100},
		"refused":             {`{"custom_id":"ID","response":{"status_code":400,"body":{"error":{"message":"bad"}}},"error":null}`, "bad_request", 400},
		"vLLM's error":        {`{"custom_id":"ID","response":{"status_code":400,"body":null},"error":{"message":"too long","code":400}}`, "bad_request", 400},
		"expired":             {`{"custom_id":"ID","response":null,"error":{"code":"batch_expired","message":"not in time"}}`, "server: batch_expired: not in time", 0},
		"without a code":      {`{"custom_id":"ID","response":null,"error":{"message":"not in time"}}`, "server: not in time", 0},
		"an answer of none":   {`{"custom_id":"ID","response":{"status_code":200,"body":{"choices":[]}}}`, "invalid_reply", 200},
		"no reply":            {`{"custom_id":"ID"}`, "!", 0},
		"another's id":        {`{"custom_id":"request-1","response":{"status_code":200,"body":CHAT}}`, "!", 0},
		"not JSON":            {`{"custom_id":"ID`, "!", 0},
		"a byte order mark":   {"\ufeff" + `{"custom_id":"ID","response":{"status_code":200,"body":CHAT}}`, "", 200},
		"rate limit in batch": {`{"custom_id":"ID","response":{"status_code":429,"body":{"error":{"message":"later"}}}}`, "rate_limited", 429},
	} {
		t.Run(name, func(t *testing.T) {
			line := strings.ReplaceAll(strings.ReplaceAll(c.line, "ID", id), "CHAT", chat)
			kind, status := "", 0
			for r, err := range Replies(strings.NewReader("\n" + line + "\n")) {
				switch status = r.Status; {
				case err != nil:
					kind = "!"
					if name == "another's id" && err.Error() != "line 2: custom_id: fingerprint: 9 characters, want 64" {
						t.Error(err)
					}
				case r.Error != nil && r.Status == 0:
					kind = string(r.Error.Kind) + ": " + r.Error.Message
				case r.Error != nil:
					kind = string(r.Error.Kind)
				case string(r.Body) != chat:
					t.Errorf("the body changed: %s", r.Body)
				}
				if r.Line != 2 {
					t.Errorf("line %d, want 2", r.Line)
				}
			}
			if kind != c.kind || status != c.status {
				t.Errorf("kind %q, status %d; want %q, %d", kind, status, c.kind, c.status)
			}
		})
	}
}

// TestManyReplies: all lines of a file are read, also after one that is no reply, until the reader has enough.
func TestManyReplies(t *testing.T) {
	line := `{"custom_id":"` + id + `","response":{"status_code":200,"body":` + chat + `}}` + "\n"
	for enough, want := range map[int]string{9: "1 2! 3 5", 3: "1 2! 3", 1: "1"} {
		var got []string
		for r, err := range Replies(strings.NewReader(line + "{}\n" + line + "\n" + line)) {
			got = append(got, fmt.Sprint(r.Line)+map[bool]string{true: "!"}[err != nil])
			if err != nil && err.Error() != "line 2: "+errNoReply.Error() {
				t.Errorf("line %d: %v", r.Line, err)
			}
			if len(got) == enough {
				break
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("lines %s, want %s", s, want)
		}
	}
}

func TestRepliesLongLine(t *testing.T) {
	body := strings.Replace(chat, `"content":"`, `"content":"`+strings.Repeat("long ", 40_000), 1)
	for r, err := range Replies(strings.NewReader(`{"custom_id":"` + id + `","response":{"status_code":200,"body":` + body + `}}`)) {
		if err != nil || r.Response == nil || len(r.Response.Content) < 200_000 {
			t.Errorf("an answer of 200 kB: %v", err)
		}
	}
	long := `{"custom_id":"` + strings.Repeat("x", maxLine) + `"}`
	n := 0
	for r, err := range Replies(strings.NewReader(long)) {
		if n++; err == nil || r.Line != 1 || !strings.HasPrefix(err.Error(), "line 1: ") {
			t.Errorf("a line over the bound was read, or is named wrongly: %v", err)
		}
	}
	if n != 1 {
		t.Errorf("%d results", n)
	}
}

func FuzzReplies(f *testing.F) {
	f.Add(`{"custom_id":"` + id + `","response":{"status_code":200,"body":` + chat + `}}`)
	f.Add(`{"custom_id":"` + id + `","response":null,"error":{"code":7}}` + "\n{}")
	f.Fuzz(func(t *testing.T, text string) {
		for r, err := range Replies(strings.NewReader(text)) {
			if err == nil && r.Error == nil {
				if _, err := llm.ParseReply(r.Body); err != nil {
					t.Errorf("a reply that is no answer: %v", err)
				}
			}
		}
	})
}

// TestWriter keeps conversations together within the bounds, in the order in which they
// are flushed, and writes no request twice.
func TestWriter(t *testing.T) {
	dir := t.TempDir()
	body := func(p *llm.Prepared) ([]byte, error) { return json.Marshal(p.Messages) }
	w := NewWriter(dir, "1-m", "http://e", Limits{Requests: 3}, body)
	send := func(key, text string) {
		req := llm.Request{Model: "m", Key: key, Messages: []llm.Message{{Role: "user", Content: text}}}
		p, err := req.Prepare(llm.KindUnknown, "v")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Send(context.Background(), p); err == nil || err.(*llm.Error).Kind != llm.KindDeferred {
			t.Fatalf("sent: %v", err)
		}
	}
	// They arrive in any order.
	for _, s := range [][2]string{{"c#0 r", "six"}, {"b#1 r", "four"}, {"a#1 r", "two"}, {"b#0 r", "three"}, {"a#0 r", "one"},
		{"c#1 r", "one"}, {"d#0 r", "1"}, {"d#1 r", "2"}, {"d#2 r", "3"}, {"d#3 r", "4"}} {
		send(s[0], s[1])
	}
	for _, keys := range [][]string{{"a#0 r", "a#1 r"}, {"b#0 r", "b#1 r"}, {"c#0 r", "c#1 r"}, {"d#0 r", "d#1 r", "d#2 r", "d#3 r"}} {
		if err := w.Flush(keys); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(nil); err != nil { // nothing is left, and nobody holds it up
		t.Fatal(err)
	}
	var got [][]string
	for _, name := range w.Files {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for line := range strings.Lines(string(data)) {
			var r struct{ Body []llm.Message }
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			texts = append(texts, r.Body[0].Content)
		}
		got = append(got, texts)
	}
	want := [][]string{{"one", "two"}, {"three", "four", "six"}, {"1", "2", "3"}, {"4"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	index, err := os.ReadFile(filepath.Join(dir, "1-m.index"))
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for line := range strings.Lines(string(index)) {
		var r Request
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		listed = append(listed, r.Key+" in "+r.File)
	}
	wantListed := []string{
		"a#0 r in 1-m-0001.jsonl", "a#1 r in 1-m-0001.jsonl", "b#0 r in 1-m-0002.jsonl", "b#1 r in 1-m-0002.jsonl",
		"c#0 r in 1-m-0002.jsonl", "d#0 r in 1-m-0003.jsonl", "d#1 r in 1-m-0003.jsonl", "d#2 r in 1-m-0003.jsonl",
		"d#3 r in 1-m-0004.jsonl",
	}
	if diff := cmp.Diff(wantListed, listed); diff != "" || w.Requests != 9 {
		t.Errorf("%d requests; %s", w.Requests, diff)
	}
}

// TestStoredBody: what is kept of a reply is its body, and of a failure without one the error.
func TestStoredBody(t *testing.T) {
	for rest, want := range map[string]string{
		`"response":{"status_code":400,"body":{"a":1}},"error":{"b":2}`: `{"a":1}`,
		`"response":{"status_code":400,"body":null},"error":{"b":2}`:    `{"b":2}`,
		`"response":null,"error":{"b":2}`:                               `{"b":2}`,
		`"response":{"status_code":400,"body":{"a":1}},"error":null`:    `{"a":1}`,
		`"response":{"status_code":400,"body":null},"error":null`:       ``,
	} {
		r, err := parse([]byte(`{"custom_id":"` + id + `",` + rest + `}`))
		if err != nil || string(r.Body) != want {
			t.Errorf("%s: %s, %v", rest, r.Body, err)
		}
	}
}
