package client

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/judgekit/judge/internal/llm"
)

// TestGrace: an attempt that has begun may go on for a while after its caller has stopped waiting, so that an answer that
// is on its way is not lost.
func TestGrace(t *testing.T) {
	for _, tt := range []struct {
		grace, ends time.Duration
		answered    bool
	}{
		{0, time.Second, false}, {500 * time.Millisecond, 1500 * time.Millisecond, false}, {5 * time.Second, 2 * time.Second, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{took: 2 * time.Second}
			c, _ := w.client(t, Endpoint{}, Config{Grace: tt.grace})
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			began := time.Now()
			_, err := c.Do(ctx, request("hi"))
			if took := time.Since(began); (err == nil) != tt.answered || took != tt.ends {
				t.Errorf("a grace of %v: %v after %v, want %v", tt.grace, err, took, tt.ends)
			} else if err != nil && asError(err).Kind != llm.KindCanceled {
				t.Errorf("a grace of %v: %v", tt.grace, err)
			}
		})
	}
}

// TestWhatLimits: the progress of a run names what holds it back: the number of requests that the user allows, that the
// endpoint serves, a wait that it asked for, or nothing but this machine.
func TestWhatLimits(t *testing.T) {
	for want, set := range map[string]func(c *Client, r *replica){
		"this machine": func(*Client, *replica) {},
		"-j 3":         func(_ *Client, r *replica) { r.limiter.in = 3 },
		"the endpoint, 2 at once": func(_ *Client, r *replica) {
			r.limiter.limit, r.limiter.in, r.limiter.line = 2, 2, make([]chan struct{}, 1)
		},
		"this machine  ":                   func(_ *Client, r *replica) { r.limiter.line = make([]chan struct{}, 1) },
		"this machine ":                    func(_ *Client, r *replica) { r.limiter.limit, r.limiter.in = 2, 2 },
		"the wait that the endpoint named": func(_ *Client, r *replica) { r.limiter.in, r.until = 3, time.Now().Add(time.Minute) },
		"requests per minute": func(c *Client, r *replica) {
			r.limiter.in, c.pacer.perRequest, c.pacer.request = 3, 1, time.Now().Add(time.Minute)
		},
	} {
		c := client(t, Endpoint{BaseURL: "http://h/v1", Concurrency: 3}, Config{})
		set(c, c.replicas[0])
		if got := c.Limiting(); got != strings.TrimRight(want, " ") {
			t.Errorf("%q, want %q", got, want)
		}
	}
	two := client(t, Endpoint{BaseURL: "http://h/v1", Replicas: []string{"http://i/v1"}, Concurrency: 3}, Config{})
	first, second := two.replicas[0], two.replicas[1]
	first.limiter.limit, second.limiter.limit, first.limiter.in, second.limiter.in = 1, 1, 1, 1
	second.limiter.line = make([]chan struct{}, 2)
	if got := two.Limiting(); got != "the endpoint, 2 at once" {
		t.Errorf("two servers: %q", got)
	}
	if second.limiter.in = 2; two.Limiting() != "-j 3" {
		t.Errorf("two servers: %q", two.Limiting())
	}
}
