package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/queue/queuetest"
)

// plain starts a NATS server as anybody would, with the limits of o.
func plain(t *testing.T, o server.Options) string {
	t.Helper()
	s, err := queuetest.Start("127.0.0.1:0", t.TempDir(), func(all *server.Options) {
		all.MaxPayload, all.JetStreamMaxStore = o.MaxPayload, o.JetStreamMaxStore
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return s.ClientURL()
}

// noted is a connection that keeps what it says.
type noted struct {
	*Queue
	mu   sync.Mutex
	said []string
}

func listening(t *testing.T, url string) *noted {
	t.Helper()
	n := &noted{}
	n.Queue = join(t, url, func(line string) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.said = append(n.said, line)
	})
	return n
}

func (n *noted) count(word string) (count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, line := range n.said {
		count += strings.Count(line, word)
	}
	return count
}

// long returns a request of ten thousand bytes.
func long(t *testing.T, n int) *llm.Prepared {
	t.Helper()
	req := llm.Request{Model: "m", Key: fmt.Sprintf("c%d#0 r", n),
		Messages: []llm.Message{{Role: "user", Content: fmt.Sprintf("c%d#%s", n, strings.Repeat("x", 10_000))}}}
	p, err := req.Prepare(llm.KindUnknown, "v")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sendLong sends so many long requests at once, each of which has to be answered.
func sendLong(ctx context.Context, t *testing.T, s *Sender, n int) error {
	t.Helper()
	g, ctx := errgroup.WithContext(ctx)
	for i := range n {
		p := long(t, i)
		g.Go(func() error {
			_, err := s.Send(ctx, p)
			return err
		})
	}
	return g.Wait()
}

// TestQueueSmallStore: a run and its workers need no more room than a few of its requests,
// although all its requests, and all its replies, are ten times that.
func TestQueueSmallStore(t *testing.T) {
	for name, limit := range map[string]struct {
		options server.Options
		stream  func(*jetstream.StreamConfig)
	}{
		"of the server":    {options: server.Options{JetStreamMaxStore: 80_000}},
		"bytes of streams": {stream: func(c *jetstream.StreamConfig) { c.MaxBytes = 60_000 }},
		"messages":         {stream: func(c *jetstream.StreamConfig) { c.MaxMsgs = 6 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := plain(t, limit.options)
			run, worker := listening(t, url), listening(t, url)
			if limit.stream != nil {
				limited(t, run, requestStream, limit.stream)
			}
			e := newEndpoint()
			e.body = `{"choices":[{"message":{"content":"` + strings.Repeat("y", 8_000) + `"}}]}`
			ctx, cancel := context.WithTimeout(t.Context(), slowDisk)
			defer cancel()
			s, err := run.NewSender(ctx, "4fab")
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			sent := make(chan error, 1)
			go func() { sent <- sendLong(ctx, t, s, 40) }()
			waitUntil(t, func() bool { return run.count("store is full") > 0 }) // before a worker takes requests out of it
			var workers sync.WaitGroup
			working, stop := context.WithCancel(ctx)
			workers.Go(func() { _ = worker.Work(working, e.worker("a")) })
			if err := <-sent; err != nil {
				t.Fatalf("%v; the run said %q, the worker %q", err, run.said, worker.said)
			}
			stop()
			workers.Wait()
			again := 0
			for _, n := range e.sent {
				again += n - 1
			}
			if len(e.sent) != 40 || again > 4 {
				t.Errorf("%d requests were sent, %d again; the run said %q", len(e.sent), again, run.said)
			}
		})
	}
}

// limited sets limits of a stream.
func limited(t *testing.T, q *noted, name string, set func(*jetstream.StreamConfig)) {
	t.Helper()
	stream, err := q.js.Stream(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	cfg := stream.CachedInfo().Config
	set(&cfg)
	if _, err := q.js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
}

// TestQueueFullOfOthers: where others' messages fill the store, run and worker say so once and
// wait; when these are gone they go on, and say that too.
func TestQueueFullOfOthers(t *testing.T) {
	url := plain(t, server.Options{JetStreamMaxStore: 200_000})
	run, worker := listening(t, url), listening(t, url)
	ctx, cancel := context.WithTimeout(t.Context(), slowDisk)
	defer cancel()
	s, err := run.NewSender(ctx, "4fab")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e := newEndpoint()
	e.body, e.during = strings.Repeat("y", 12_000), time.Second
	go func() { _ = worker.Work(ctx, e.worker("a")) }()
	done := make(chan error, 2)
	go func() { done <- sendLong(ctx, t, s, 3) }()
	waitUntil(t, func() bool { return e.count() == 3 })
	others, err := run.js.CreateStream(ctx, jetstream.StreamConfig{Name: "OTHERS", Subjects: []string{"others"}})
	if err != nil {
		t.Fatal(err)
	}
	filling, stop := context.WithCancel(ctx)
	var filler sync.WaitGroup
	filler.Go(func() {
		for filling.Err() == nil {
			if _, err := run.js.Publish(filling, "others", []byte(strings.Repeat("z", 500))); full(err) {
				time.Sleep(time.Millisecond)
			}
		}
	})
	waitUntil(t, func() bool { return worker.count("store is full") > 0 })
	go func() { done <- sendLong(ctx, t, s, 8) }()
	waitUntil(t, func() bool { return run.count("store is full") > 0 })
	time.Sleep(2 * standstill)
	if len(done) > 0 {
		t.Error("there was room")
	}
	stop()
	filler.Wait()
	if err := others.Purge(ctx); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Fatalf("%v; the run said %q, the worker %q", err, run.said, worker.said)
		}
	}
	for who, n := range map[string]*noted{"run": run, "worker": worker} {
		if n.count("store is full") != 1 || n.count("takes messages again") != 1 {
			t.Errorf("the %s said %q", who, n.said)
		}
	}
}

func waitUntil(t *testing.T, holds func() bool) {
	t.Helper()
	for began := time.Now(); time.Since(began) < slowDisk; time.Sleep(20 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatal("it did not come to that")
}

// TestQueueLargeReply: a reply that the server takes in no message is a failure of its
// request, and not the end of workers.
func TestQueueLargeReply(t *testing.T) {
	url := plain(t, server.Options{MaxPayload: 32_000})
	run := listening(t, url)
	s, err := run.NewSender(t.Context(), "4fab")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e := newEndpoint()
	e.body = strings.Repeat("y", 40_000)
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { ended <- listening(t, url).Work(ctx, e.worker("a")) }()
	_, err = s.Send(t.Context(), long(t, 1))
	if e, ok := errors.AsType[*llm.Error](err); !ok || e.Kind != llm.KindTooLarge || !strings.Contains(e.Hint, "max_payload") {
		t.Errorf("%v", err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the worker ended with %v", err)
	}
}

// TestSmallMessagesAreSaid: who connects to a server that takes smaller messages than prompts
// may need is told so, with the limit and what to set.
func TestSmallMessagesAreSaid(t *testing.T) {
	for limit, want := range map[int32]int{0: 1, 32_000: 1, 16 << 20: 0} { // 0 is the server's own default
		q := listening(t, plain(t, server.Options{MaxPayload: limit}))
		if got := q.count("max_payload: 16MB"); got != want {
			t.Errorf("max_payload %d: said %d times, want %d", limit, got, want)
		}
	}
}
