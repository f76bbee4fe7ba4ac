package client

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

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
			if tt.kind != "" && tt.kind != llm.KindInvalidReply && asError(err).Status != tt.status {
				t.Errorf("status %d, want %d", asError(err).Status, tt.status)
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

// TestReadOfReplies: a reply is read up to its limit, and not at all if it says that it is longer; of a failure the
// beginning is enough.
func TestReadOfReplies(t *testing.T) {
	const hint = "set max_tokens, or raise the reply limit"
	big := &llm.Error{Kind: llm.KindTooLarge, Hint: hint, Message: "the reply is larger than 5 bytes, more than its max_tokens can mean"}
	foreign := func(message string) *llm.Error {
		return &llm.Error{Kind: llm.KindInvalidReply, Retryable: true, Message: message}
	}
	for _, tt := range []struct {
		status   int
		length   int64
		encoding string
		body     string
		want     string
		err      *llm.Error
	}{
		{200, -1, "", "12345", "12345", nil}, {200, 5, "", "12345", "12345", nil}, {299, -1, "", "123456", "", big},
		{200, 6, "", "12345", "", big}, {200, -1, "", "", "", nil}, {300, 6, "", "123456", "123456", nil},
		{199, 6, "", "123456", "123456", nil}, {400, -1, "", strings.Repeat("x", 64<<10+1), strings.Repeat("x", 64<<10), nil},
		{200, -1, "GZIP", packed("12345"), "12345", nil}, {200, -1, "x-gzip", packed("12345"), "12345", nil},
		{200, -1, "identity", packed("12345"), "12345", nil}, {200, -1, "", packed("12345"), "12345", nil},
		{200, -1, "gzip", "123", "123", nil}, {200, -1, "x-gzip", "123", "123", nil}, {200, -1, "identity", "123", "123", nil},
		{200, -1, "gzip", packed("123456"), "", big},
		{200, -1, "Br", "123", "", foreign("the reply is packed by br, which was not asked for")},
		{200, -1, "", "\x1f\x8b123", "", foreign("the reply is damaged gzip")},
		{400, -1, "", "\x1f\x8b123", "", foreign("the reply is damaged gzip")},
	} {
		res := &http.Response{StatusCode: tt.status, ContentLength: tt.length, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(tt.body))}
		res.Header.Set("Content-Encoding", tt.encoding)
		got, err := (&wire{}).read(res, 5)
		var e *llm.Error
		if err != nil {
			e = asError(err)
		}
		if diff := cmp.Diff(tt.err, e); diff != "" || string(got) != tt.want {
			t.Errorf("%d %s %.20q: %.20q\n%s", tt.status, tt.encoding, tt.body, got, diff)
		}
	}
	cut := &http.Response{StatusCode: 200, ContentLength: -1, Header: http.Header{}, Body: io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF))}
	for _, cut.StatusCode = range []int{200, 500} {
		if _, err := (&wire{}).read(cut, 5); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("HTTP %d, cut off: %v", cut.StatusCode, err)
		}
	}
}

// TestRetryAfterHeader: seconds, or a date; what is in the past or makes no sense is no wait, and a year is the longest.
func TestRetryAfterHeader(t *testing.T) {
	const year = 365 * 24 * time.Hour
	now := time.Date(2026, 10, 21, 7, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"7": 7 * time.Second, " 1.5 ": 1500 * time.Millisecond, "0": 0, "-5": 0, "NaN": 0, "soon": 0, "": 0, "Inf": year, "-Inf": 0,
		"1e999": year, "-1e999": 0, "31536000": year, "31535999": year - time.Second, "0.001": time.Millisecond,
		"Wed, 21 Oct 2026 07:00:09 GMT": 9 * time.Second, "Wed, 21 Oct 2026 06:59:59 GMT": 0,
		"Fri, 31 Dec 2100 23:59:59 GMT": year,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}
