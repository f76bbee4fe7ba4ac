package client

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/llm/llmtest"
)

// TestNoSecondRequest: one request however often and however concurrently it is
// asked for, in this process and after a restart; Fresh asks again.
func TestNoSecondRequest(t *testing.T) {
	s := serve(t, func(c llmtest.Call) llmtest.Reply {
		return llmtest.Text(fmt.Sprintf(`{"n":%d}`, c.N)).After(20 * time.Millisecond)
	})
	path := filepath.Join(t.TempDir(), "exchanges.jsonl")
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	c := client(t, Endpoint{BaseURL: s.URL}, Config{Journal: j})
	first, err := c.Do(t.Context(), request("hi"))
	if err != nil || first.Cached {
		t.Fatalf("%+v, %v", first, err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	sent := 0
	for i := range 64 {
		wg.Go(func() {
			r := request(fmt.Sprint("item ", i%4))
			r.Key = fmt.Sprint(i) // plays no part
			res, err := c.Do(t.Context(), r)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if !res.Cached {
				sent++
			}
		})
	}
	wg.Wait()
	if s.Requests() != 5 || sent != 4 {
		t.Errorf("%d requests, %d answers not cached; want 5 and 4", s.Requests(), sent)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if j, err = journal.Open(path); err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	c = client(t, Endpoint{BaseURL: "http://127.0.0.1:1/v1", MaxAttempts: 1}, Config{Journal: j})
	again, err := c.Do(t.Context(), request("hi"))
	if err != nil {
		t.Fatal(err)
	}
	first.Cached = true
	first.Latency = first.Latency.Truncate(time.Microsecond)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Error(diff)
	}
	fresh := client(t, Endpoint{BaseURL: s.URL}, Config{Journal: j, Fresh: true})
	for range 2 {
		if res, err := fresh.Do(t.Context(), request("hi")); err != nil || res.Cached {
			t.Errorf("fresh: %+v, %v", res, err)
		}
	}
	if s.Requests() != 7 {
		t.Errorf("%d requests, want 7", s.Requests())
	}
}

// TestFailuresAreNotAnswers: a failed exchange is recorded and asked again.
func TestFailuresAreNotAnswers(t *testing.T) {
	s := serve(t, func(c llmtest.Call) llmtest.Reply {
		if c.N == 0 {
			return llmtest.Fail(400, "no")
		}
		return llmtest.Text("{}")
	})
	j := openJournal(t)
	c := client(t, Endpoint{BaseURL: s.URL}, Config{Journal: j})
	if _, err := c.Do(t.Context(), request("hi")); err == nil {
		t.Fatal("no error")
	}
	if res, err := c.Do(t.Context(), request("hi")); err != nil || res.Cached {
		t.Errorf("%+v, %v", res, err)
	}
	if got := j.Stats(); got.Records != 2 || got.Good != 1 {
		t.Errorf("%+v", got)
	}
}

func TestFullDiskIsFatal(t *testing.T) {
	for name, reply := range map[string]llmtest.Reply{"an answer": llmtest.Text("{}"), "a refusal": llmtest.Fail(400, "no such parameter")} {
		s := serve(t, llmtest.Always(reply))
		j := openJournal(t)
		c := client(t, Endpoint{BaseURL: s.URL}, Config{Journal: j})
		_ = j.Close() // every write fails from here on
		_, err := c.Do(t.Context(), request("hi"))
		if e := asError(err); e.Kind != llm.KindJournal || !e.Fatal || e.Hint != "free space on the disk and resume the run" {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := serve(t, llmtest.Always(llmtest.Text("{}")))
	earlier, own := openJournal(t), openJournal(t)
	if _, err := client(t, Endpoint{BaseURL: s.URL}, Config{Journal: earlier}).Do(t.Context(), request("hi")); err != nil {
		t.Fatal(err)
	}
	c := client(t, Endpoint{BaseURL: s.URL}, Config{Journal: own, Reuse: []Source{{Journal: earlier}}})
	_ = own.Close()
	if _, err := c.Do(t.Context(), request("hi")); err == nil || asError(err).Kind != llm.KindJournal || s.Requests() != 1 {
		t.Errorf("an answer of an earlier run: %v, %d requests", err, s.Requests())
	}
}

// TestLoweredSchema: the request holds what of a schema the kind of server takes.
func TestLoweredSchema(t *testing.T) {
	s := serve(t, llmtest.Always(llmtest.Text("{}")))
	r := request("hi")
	r.Schema.JSON = json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer","multipleOf":2}}}`)
	for _, transport := range []llm.Transport{llm.JSONSchema, llm.Tools} {
		r.Transport = transport
		if _, err := client(t, Endpoint{BaseURL: s.URL}, Config{Kind: llm.KindSGLang}).Do(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for _, call := range s.Calls() {
		if body := string(call.Body); strings.Contains(body, "multipleOf") || !strings.Contains(body, `{"a":{"type":"integer"}}`) {
			t.Errorf("sent %s", body)
		}
	}
}

// TestStrictTools: strict travels with tools too.
func TestStrictTools(t *testing.T) {
	s := serve(t, llmtest.Always(llmtest.Text("{}")))
	r := request("hi")
	r.Transport, r.Schema.Strict = llm.Tools, true
	if _, err := client(t, Endpoint{BaseURL: s.URL}, Config{Kind: llm.KindOpenAI}).Do(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	const want = `"strict":true,"parameters":{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}}}`
	if body := string(s.Calls()[0].Body); !strings.Contains(body, want) {
		t.Errorf("sent %s", body)
	}
}

// TestStaleAnswers: an answer that is stale is asked for again, once; neither it nor one of an earlier run is used. One
// that is not is used, from an earlier run too, with the secret word of that run.
func TestStaleAnswers(t *testing.T) {
	s := serve(t, llmtest.Always(llmtest.Text("{}")))
	earlier, own := openJournal(t), openJournal(t)
	ask := func(c *Client, key string) *llm.Response {
		t.Helper()
		req := request(key)
		req.Key = key
		res, err := c.Do(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	before := client(t, Endpoint{BaseURL: s.URL}, Config{Journal: earlier})
	ask(before, "stale")
	ask(before, "sound")
	now := client(t, Endpoint{BaseURL: s.URL}, Config{
		Journal: own, Reuse: []Source{{Journal: openJournal(t), Canary: "no"}, {Journal: earlier, Canary: "word"}},
		Stale: func(key string) bool { return key == "stale" },
	})
	for i, tt := range []struct {
		key      string
		cached   bool
		canary   string
		requests int
	}{{"stale", false, "", 3}, {"stale", true, "", 3}, {"sound", true, "word", 3}, {"sound", true, "word", 3}, {"new", false, "", 4}} {
		if res := ask(now, tt.key); res.Cached != tt.cached || res.Canary != tt.canary || s.Requests() != tt.requests {
			t.Errorf("%d. %s: %+v after %d requests", i, tt.key, res, s.Requests())
		}
	}
	again := client(t, Endpoint{BaseURL: s.URL}, Config{Journal: earlier, Stale: func(key string) bool { return key == "stale" }})
	if res := ask(again, "sound"); !res.Cached || s.Requests() != 4 {
		t.Errorf("an answer that is not stale: %+v", res)
	}
}
