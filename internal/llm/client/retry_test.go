package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/judgekit/judge/internal/llm"
)

const good = `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}`

// script is a fake transport: the k-th request gets the k-th reply, the last
// one repeats. It notes when requests came.
type script struct {
	mu      sync.Mutex
	replies []func() (*http.Response, error)
	times   []time.Duration
	start   time.Time
	took    time.Duration
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	if s.start.IsZero() {
		s.start = time.Now()
	}
	s.times = append(s.times, time.Since(s.start))
	reply := s.replies[min(len(s.times), len(s.replies))-1]
	s.mu.Unlock()
	if err := sleep(r.Context(), s.took); err != nil {
		return nil, err
	}
	return reply()
}

func reply(status int, body string, header ...string) func() (*http.Response, error) {
	return func() (*http.Response, error) {
		h := http.Header{}
		for i := 0; i+1 < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, ContentLength: -1,
			Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

func fake(t *testing.T, ep Endpoint, replies ...func() (*http.Response, error)) (*Client, *script) {
	s := &script{replies: replies, start: time.Now()}
	ep.BaseURL = "http://fake/v1"
	return client(t, ep, Config{Transport: s}), s
}

func TestBackoffIsFullJitter(t *testing.T) {
	differ := map[time.Duration]bool{}
	for range 40 {
		synctest.Test(t, func(t *testing.T) {
			c, s := fake(t, Endpoint{MaxAttempts: 9}, reply(503, "busy"))
			_, err := c.Do(t.Context(), request("hi"))
			if e := asError(err); e.Kind != llm.KindServer || e.Attempts != 9 || len(s.times) != 9 {
				t.Fatalf("%v after %d requests", err, len(s.times))
			}
			ceiling := firstBackoff
			for i := 1; i < len(s.times); i++ {
				if wait := s.times[i] - s.times[i-1]; wait <= 0 || wait > ceiling {
					t.Errorf("wait %d is %v, ceiling %v", i, wait, ceiling)
				}
				ceiling = min(2*ceiling, maxBackoff)
			}
			differ[s.times[1]] = true
		})
	}
	if len(differ) < 20 {
		t.Errorf("only %d different first waits in 40 runs", len(differ))
	}
}

func TestRetryAfterIsObeyed(t *testing.T) {
	date := func(d time.Duration) func() (*http.Response, error) {
		return func() (*http.Response, error) {
			return reply(429, "", "Retry-After", time.Now().Add(d).UTC().Format(http.TimeFormat))()
		}
	}
	tests := []struct {
		name     string
		first    func() (*http.Response, error)
		min, max time.Duration
	}{
		{"seconds", reply(429, "", "Retry-After", "7"), 7 * time.Second, 8 * time.Second},
		{"fraction", reply(429, "", "Retry-After", " 1.5 "), 1500 * time.Millisecond, 1700 * time.Millisecond},
		{"date", date(9 * time.Second), 8 * time.Second, 10 * time.Second},
		{"date gone by", date(-time.Hour), 0, firstBackoff},
		{"capped", reply(429, "", "Retry-After", "86400"), time.Minute, 61 * time.Second},
		{"capped date", date(24 * time.Hour), time.Minute, 61 * time.Second},
		{"on 503 too", reply(503, "", "Retry-After", "7"), 7 * time.Second, 8 * time.Second},
		{"nonsense", reply(429, "", "Retry-After", "soon"), 0, firstBackoff},
		{"negative", reply(429, "", "Retry-After", "-5"), 0, firstBackoff},
		{"NaN", reply(429, "", "Retry-After", "NaN"), 0, firstBackoff},
		{"infinite", reply(429, "", "Retry-After", "Inf"), time.Minute, 61 * time.Second},
		{"absent", reply(429, ""), 0, firstBackoff},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, s := fake(t, Endpoint{}, tt.first, reply(200, good))
				res, err := c.Do(t.Context(), request("hi"))
				if err != nil || res.Attempts != 2 {
					t.Fatalf("%+v, %v", res, err)
				}
				if wait := s.times[1]; wait < tt.min || wait > tt.max {
					t.Errorf("waited %v, want %v to %v", wait, tt.min, tt.max)
				}
			})
		})
	}
}

// TestPauseIsShared: where every request is told to wait, none is sent before that.
func TestPauseIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := reply(429, "", "Retry-After", "10")
		c, s := fake(t, Endpoint{Concurrency: 3}, limited, limited, limited, reply(200, good))
		var wg sync.WaitGroup
		ask := func(i int) {
			if _, err := c.Do(t.Context(), request(fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		}
		for i := range 3 {
			wg.Go(func() { ask(i) })
		}
		synctest.Wait()
		for i := range 20 {
			wg.Go(func() { ask(i + 4) })
		}
		wg.Wait()
		if len(s.times) != 26 {
			t.Fatalf("%d requests, want 26", len(s.times))
		}
		for _, at := range s.times[3:] {
			if at < 10*time.Second || at > 12*time.Second {
				t.Errorf("a request went out at %v", at)
			}
		}
	})
}

func TestAttemptTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := fake(t, Endpoint{Timeout: time.Second, MaxAttempts: 3}, reply(200, good))
		s.took = time.Hour
		start := time.Now()
		_, err := c.Do(t.Context(), request("hi"))
		if e := asError(err); e.Kind != llm.KindTimeout || e.Attempts != 3 || !e.Retryable {
			t.Errorf("%v", err)
		}
		if took := time.Since(start); took < 3*time.Second || took > 5*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// TestCancelDuringWait: the caller need not wait for a pause or a backoff.
func TestCancelDuringWait(t *testing.T) {
	for _, first := range []func() (*http.Response, error){reply(429, "", "Retry-After", "15"), reply(500, "")} {
		synctest.Test(t, func(t *testing.T) {
			c, s := fake(t, Endpoint{}, first)
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			_, err := c.Do(ctx, request("hi"))
			if e := asError(err); e.Kind != llm.KindCanceled || !errors.Is(err, context.DeadlineExceeded) ||
				time.Since(s.start) > 10*time.Millisecond {
				t.Errorf("%v after %v", err, time.Since(s.start))
			}
		})
	}
}

// TestWaitingFreesTheSlot: a request in backoff does not keep others from being sent.
func TestWaitingFreesTheSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := fake(t, Endpoint{Concurrency: 1, MaxAttempts: 6}, reply(500, ""), reply(200, good))
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = c.Do(t.Context(), request("slow")) })
		synctest.Wait()
		if _, err := c.Do(t.Context(), request("quick")); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if s.times[1] != 0 {
			t.Errorf("the second request waited %v", s.times[1])
		}
	})
}

func TestRequestsPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := fake(t, Endpoint{Concurrency: 50, RequestsPerMinute: 120}, reply(200, good))
		var wg sync.WaitGroup
		for i := range 21 {
			wg.Go(func() { _, _ = c.Do(t.Context(), request(fmt.Sprint(i))) })
		}
		wg.Wait()
		if last := s.times[20]; last != 10*time.Second {
			t.Errorf("21 requests at 120 a minute took %v, want 10s", last)
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"5", "Wed, 21 Oct 2026 07:28:00 GMT", "-1", "1e400", "nan", ""} {
		f.Add(s)
	}
	now := time.Date(2026, 10, 21, 7, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		if d := retryAfter(s, now); d < 0 || d > 366*24*time.Hour {
			t.Errorf("%q: %v", s, d)
		}
	})
}
