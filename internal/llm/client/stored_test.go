package client

import (
	"errors"
	"net/http"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
)

// TestStoredExchange: the journal holds what an exchange took and cost, the server's words on
// its limits, and of several attempts the last; other headers are not kept.
func TestStoredExchange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "exchanges.jsonl")
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	headers := []string{"X-Ratelimit-Remaining-Tokens", "7", "Retry-After", "3", "X-Request-Id", "r1", "Set-Cookie", "secret"}
	kept := map[string]string{"x-ratelimit-remaining-tokens": "7", "retry-after": "3", "x-request-id": "r1"}
	const answer = `{"choices":[{"message":{"content":"{}"},"finish_reason":"length"}],"usage":{"prompt_tokens":30,` +
		`"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":16},"completion_tokens_details":{"reasoning_tokens":2}}}`
	usage := llm.Usage{Prompt: new(30), Completion: new(4), Cached: new(16), Reasoning: new(2)}
	synctest.Test(t, func(t *testing.T) {
		s := &script{start: time.Now(), took: 1500 * time.Millisecond, replies: []func() (*http.Response, error){
			reply(503, "busy", "X-Request-Id", "r0"), reply(200, answer, headers...), reply(400, `{"error":{"message":"no"}}`, headers...)}}
		c := client(t, Endpoint{BaseURL: "http://fake/v1"}, Config{Transport: s, Journal: j})
		good := request("hi")
		good.Key = "item 1"
		if res, err := c.Do(t.Context(), good); err != nil || res.Latency != s.took || !cmp.Equal(res.Usage, usage) {
			t.Errorf("%+v, %v", res, err)
		}
		bad := request("ho")
		bad.Key = "item 2"
		if _, err := c.Do(t.Context(), bad); err == nil {
			t.Error("a refused request has an answer")
		}
		time.Sleep(time.Second) // the journal syncs
	})
	want := []journal.Entry{
		{Good: true, Key: "item 1", Status: 200, Attempts: 2, LatencyMS: 1500, FinishReason: "length", Usage: usage, Headers: kept, Raw: []byte(answer)},
		{Key: "item 2", Status: 400, Attempts: 1, LatencyMS: 1500, Headers: kept, Raw: []byte(`{"error":{"message":"no"}}`)},
	}
	n := 0
	for e, err := range journal.Containing(path, nil) {
		if err != nil || n >= len(want) {
			t.Fatalf("entry %d: %v", n, errors.Join(err))
		}
		w := want[n]
		if n++; e.Time.IsZero() || e.Endpoint != "http://fake/v1" || (e.Error == nil) != w.Good {
			t.Errorf("%+v", e)
		}
		w.Fingerprint, w.Time, w.Endpoint, w.Kind, w.Model, w.Transport, w.Error = e.Fingerprint, e.Time, e.Endpoint, e.Kind, e.Model, e.Transport, e.Error
		if d := cmp.Diff(&w, e); d != "" {
			t.Error(d)
		}
	}
	if n != len(want) {
		t.Errorf("%d exchanges are stored", n)
	}
}
