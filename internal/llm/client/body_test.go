package client

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/judgekit/judge/internal/llm"
)

func packed(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.String()
}

// TestBodies: what is read of a reply, and what it is called otherwise.
func TestBodies(t *testing.T) {
	damaged := packed(good)
	damaged = damaged[:len(damaged)-6] + "xxxxxx"
	for name, tt := range map[string]struct {
		status int
		body   string
		header string // Content-Encoding
		kind   llm.ErrorKind
	}{
		"plain":                     {200, good, "", ""},
		"gzip":                      {200, packed(good), "gzip", ""},
		"gzip, not said":            {200, packed(good), "", ""},
		"said, but not gzip":        {200, good, "gzip", ""},
		"damaged gzip":              {200, damaged, "gzip", llm.KindTransport},
		"cut gzip":                  {200, packed(good)[:30], "gzip", llm.KindTransport},
		"no gzip behind its mark":   {200, "\x1f\x8b nothing", "", llm.KindInvalidReply},
		"another packing":           {200, "zzzz", "br", llm.KindInvalidReply},
		"gzip bomb":                 {200, packed(strings.Repeat(" ", 64<<20)), "gzip", llm.KindTooLarge},
		"gzip bomb as an error":     {400, packed(strings.Repeat(" ", 64<<20)), "gzip", llm.KindBadRequest},
		"byte order mark":           {200, "\ufeff" + good, "", ""},
		"created":                   {201, good, "", ""},
		"no content":                {204, "", "", llm.KindInvalidReply},
		"one byte":                  {200, "{", "", llm.KindInvalidReply},
		"more than its max_tokens":  {200, strings.Repeat(" ", 7<<20) + good, "", llm.KindTooLarge},
		"an error of many megabyte": {500, strings.Repeat("x", 7<<20), "", llm.KindServer},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := fake(t, Endpoint{MaxAttempts: 1}, reply(tt.status, tt.body, "Content-Encoding", tt.header))
			res, err := c.Do(t.Context(), request("hi"))
			if tt.kind == "" && (err != nil || res.Content != "{}") || tt.kind != "" && asError(err).Kind != tt.kind {
				t.Errorf("%v, want %q", err, tt.kind)
			}
		})
	}
}

// TestReplyLimit: thinking and log-probabilities have their room.
func TestReplyLimit(t *testing.T) {
	for _, tt := range []struct {
		r    llm.Request
		want int64
	}{
		{llm.Request{}, 8 << 20}, {llm.Request{MaxTokens: 1024}, 576 << 10},
		{llm.Request{MaxTokens: 1024, Logprobs: true, TopLogprobs: 5}, 512<<10 + 1024*(64+6*256)},
		{llm.Request{MaxTokens: 1 << 30}, 8 << 20},
	} {
		if got := replyLimit(&tt.r, 8<<20); got != tt.want {
			t.Errorf("%d tokens: %d, want %d", tt.r.MaxTokens, got, tt.want)
		}
	}
}

// endlessBody is a reply that does not end.
type endlessBody struct{ read *atomic.Int64 }

func (b endlessBody) Read(p []byte) (int, error) {
	clear(p)
	b.read.Add(int64(len(p)))
	return len(p), nil
}

func (endlessBody) Close() error { return nil }

// TestEndlessRepliesInBoundedMemory: 64 at once take what 64 whole ones may take.
func TestEndlessRepliesInBoundedMemory(t *testing.T) {
	var read atomic.Int64
	c, _ := fake(t, Endpoint{Concurrency: 64}, func() (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: -1, Body: endlessBody{&read}}, nil
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	done := make(chan error, 64)
	for i := range 64 {
		go func() { _, err := c.Do(t.Context(), request(fmt.Sprint(i))); done <- err }()
	}
	for range 64 {
		if err := <-done; asError(err).Kind != llm.KindTooLarge {
			t.Error(err)
		}
	}
	runtime.ReadMemStats(&after)
	// Buffers double as they grow, and the garbage of that is counted here too.
	if n, heap := read.Load(), after.TotalAlloc-before.TotalAlloc; n > 40<<20 || heap > uint64(9*n) {
		t.Errorf("read %d bytes, allocated %d", n, heap)
	}
}
