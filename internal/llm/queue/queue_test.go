package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/queue/queuetest"
)

const body = `{"choices":[{"message":{"content":"yes"}}]}`

func start(t testing.TB, dir string, port int) (url string, stop func()) {
	t.Helper()
	s, err := queuetest.Start(fmt.Sprintf("127.0.0.1:%d", port), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.ClientURL(), func() { s.Shutdown(); s.WaitForShutdown() }
}

// slowDisk is how long a test waits for a server whose disk is busy with the files of other tests.
const slowDisk = 2 * time.Minute

// join connects to a server that may have a slow disk.
func join(t testing.TB, url string, note func(string)) *Queue {
	t.Helper()
	q, err := Connect(t.Context(), Config{URL: url, Patience: slowDisk, Note: note})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	if q.js, err = jetstream.New(q.conn, jetstream.WithDefaultTimeout(slowDisk)); err != nil {
		t.Fatal(err)
	}
	return q
}

func connect(t testing.TB, url string) *Queue { t.Helper(); return join(t, url, nil) }

func prepared(t testing.TB, conversation, n int) *llm.Prepared {
	t.Helper()
	req := llm.Request{Model: "m", Key: fmt.Sprintf("c%d#%d r", conversation, n), Group: fmt.Sprint("c", conversation),
		Messages: []llm.Message{{Role: "user", Content: fmt.Sprintf("c%d#%d", conversation, n)}}}
	p, err := req.Prepare(llm.KindUnknown, "v")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// endpoint counts how often each request was sent, and by which worker.
type endpoint struct {
	mu     sync.Mutex
	sent   map[string]int
	by     map[string]map[string]int // worker by conversation
	named  []string                  // what a worker was told of where in the log its requests come from
	fail   func(question string) error
	during time.Duration
	body   string // of its replies
}

func (e *endpoint) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.sent)
}

func (e *endpoint) worker(name string) WorkerConfig {
	return WorkerConfig{Name: name, Models: []string{"m"}, Slots: 4,
		Do: func(ctx context.Context, req *llm.Prepared) (*llm.Response, error) {
			question := req.Messages[0].Content
			e.mu.Lock()
			e.sent[question]++
			if req.Key+req.Group != "" {
				e.named = append(e.named, req.Key+req.Group)
			}
			conversation, _, _ := strings.Cut(question, "#")
			if e.by[conversation] == nil {
				e.by[conversation] = map[string]int{}
			}
			e.by[conversation][name]++
			e.mu.Unlock()
			select {
			case <-time.After(e.during):
			case <-ctx.Done():
				return nil, &llm.Error{Kind: llm.KindCanceled}
			}
			if e.fail != nil {
				if err := e.fail(question); err != nil {
					return nil, err
				}
			}
			return &llm.Response{Raw: []byte(e.body)}, nil
		}}
}

func newEndpoint() *endpoint {
	return &endpoint{sent: map[string]int{}, by: map[string]map[string]int{}, during: time.Millisecond, body: body}
}

func sendAll(t testing.TB, s *Sender, conversations, each int) {
	t.Helper()
	var g errgroup.Group
	g.SetLimit(64)
	for c := range conversations {
		for n := range each {
			g.Go(func() error {
				raw, err := s.Send(t.Context(), prepared(t, c, n))
				if err == nil && string(raw.Body) != body {
					err = fmt.Errorf("another reply: %s", raw.Body)
				}
				return err
			})
		}
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) > 0 {
		t.Errorf("all requests were answered, and %d replies are waited for", len(s.waiting))
	}
}

// TestQueue has two workers answer a run: every request once, most conversations by one
// worker, and nothing again for a resumed run.
func TestQueue(t *testing.T) {
	url, stop := start(t, t.TempDir(), 0)
	defer stop()
	e := newEndpoint()
	ctx, cancel := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		workers.Go(func() {
			if err := connect(t, url).Work(ctx, e.worker(name)); !errors.Is(err, context.Canceled) {
				t.Errorf("worker %s: %v", name, err)
			}
		})
	}
	q := connect(t, url)
	for range 2 {
		s, err := q.NewSender(t.Context(), "4fab")
		if err != nil {
			t.Fatal(err)
		}
		sendAll(t, s, 100, 8)
		for range 30 {
			if strings.HasPrefix(q.Workers(), "2 workers") {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if text := q.Workers(); !strings.HasPrefix(text, "2 workers") {
			t.Errorf("workers: %s", text)
		}
		s.Close()
	}
	cancel()
	workers.Wait()
	if len(e.sent) != 800 || len(e.named) > 0 {
		t.Errorf("%d requests were sent, want 800; workers were told of %q", len(e.sent), e.named)
	}
	for key, n := range e.sent {
		if n != 1 {
			t.Errorf("%s was sent %d times", key, n)
		}
	}
	whole := 0
	for _, by := range e.by {
		if len(by) == 1 {
			whole++
		}
	}
	if whole < 60 {
		t.Errorf("%d of 100 conversations had one worker", whole)
	}
}

// TestQueueServerRestart ends the server in the middle of a run.
func TestQueueServerRestart(t *testing.T) {
	dir := t.TempDir()
	url, stop := start(t, dir, 0)
	var port int
	if _, err := fmt.Sscanf(url[strings.LastIndex(url, ":")+1:], "%d", &port); err != nil {
		t.Fatal(err)
	}
	e := newEndpoint()
	e.during = 10 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var workers sync.WaitGroup
	workers.Go(func() { _ = connect(t, url).Work(ctx, e.worker("a")) })
	s, err := connect(t, url).NewSender(t.Context(), "4fab")
	if err != nil {
		t.Fatal(err)
	}
	restarted := make(chan *server.Server, 1)
	go func() {
		time.Sleep(300 * time.Millisecond)
		stop()
		for { // a loaded machine may take its time to free the port
			time.Sleep(300 * time.Millisecond)
			if again, err := queuetest.Start(fmt.Sprintf("127.0.0.1:%d", port), dir, nil); err == nil {
				restarted <- again
				return
			}
		}
	}()
	sendAll(t, s, 50, 8)
	defer (<-restarted).Shutdown()
	cancel()
	workers.Wait()
	again := 0
	for _, n := range e.sent {
		again += n - 1
	}
	if len(e.sent) != 400 || again > 4 {
		t.Errorf("%d requests were sent, %d again; at most 4 were in flight", len(e.sent), again)
	}
}

// notReady is the stream of replies of a server that is not ready to look one up.
type notReady struct {
	jetstream.Stream
	until time.Time
}

func (s notReady) GetLastMsgForSubject(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	if time.Now().Before(s.until) {
		return nil, nats.ErrNoResponders
	}
	return s.Stream.GetLastMsgForSubject(ctx, subject)
}

// TestQueueNotReady: a worker that cannot look for a reply keeps the request until it can.
func TestQueueNotReady(t *testing.T) {
	url, stop := start(t, t.TempDir(), 0)
	defer stop()
	e := newEndpoint()
	ctx, cancel := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	q := connect(t, url)
	q.replies = notReady{q.replies, time.Now().Add(time.Second)}
	if _, err := q.storedReply(t.Context(), "judge.request.m.00.4fac.1"); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("no reply is stored, as far as is known: %v", err)
	}
	workers.Go(func() { _ = q.Work(ctx, e.worker("a")) })
	s, err := connect(t, url).NewSender(t.Context(), "4fac")
	if err != nil {
		t.Fatal(err)
	}
	sendAll(t, s, 2, 3)
	cancel()
	workers.Wait()
	if len(e.sent) != 6 {
		t.Errorf("%d requests were sent, want 6", len(e.sent))
	}
}

// TestQueueFailures passes on what an endpoint refuses, ends a worker whose endpoint takes
// nothing, and sets aside what no worker gets done.
func TestQueueFailures(t *testing.T) {
	url, stop := start(t, t.TempDir(), 0)
	defer stop()
	e := newEndpoint()
	refuse := true
	e.fail = func(question string) error {
		switch {
		case strings.HasPrefix(question, "c0#") && refuse:
			return &llm.Error{Kind: llm.KindBadRequest, Status: 400, Message: "no"}
		case strings.HasPrefix(question, "c1#"):
			return &llm.Error{Kind: llm.KindUnauthorized, Status: 401, Message: "bad key", Fatal: true}
		}
		return nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var first sync.WaitGroup
	first.Go(func() { _ = connect(t, url).Work(ctx, e.worker("a")) })
	q := connect(t, url)
	s, err := q.NewSender(t.Context(), "4fab")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = s.Send(t.Context(), prepared(t, 0, 0))
	acknowledged(t, q)
	if e, ok := errors.AsType[*llm.Error](err); !ok || e.Kind != llm.KindBadRequest || e.Fatal || e.Retryable {
		t.Errorf("a refused request: %v", err)
	}
	refuse = false
	if _, err := s.Send(t.Context(), prepared(t, 0, 0)); err != nil {
		t.Errorf("asked again after a failure: %v", err)
	}
	cancel()
	first.Wait() // a delivery to it would count
	go func() { _, _ = s.Send(t.Context(), prepared(t, 1, 0)) }()
	for n := range maxDeliveries {
		err := connect(t, url).Work(t.Context(), e.worker(fmt.Sprint("w", n)))
		if e, ok := errors.AsType[*llm.Error](err); !ok || e.Kind != llm.KindUnauthorized {
			t.Fatalf("worker %d ended with %v", n, err)
		}
	}
	last, end := context.WithCancel(t.Context())
	defer end()
	go func() { _ = connect(t, url).Work(last, e.worker("last")) }()
	if _, err := s.Send(t.Context(), prepared(t, 1, 0)); err == nil || !strings.Contains(err.Error(), "set aside") {
		t.Errorf("after %d workers: %v", maxDeliveries, err)
	}
}

// acknowledged waits until no request is in the queue.
func acknowledged(t *testing.T, q *Queue) {
	t.Helper()
	waitUntil(t, func() bool {
		stream, err := q.js.Stream(t.Context(), requestStream)
		if err != nil {
			t.Fatal(err)
		}
		return stream.CachedInfo().State.Msgs == 0
	})
}

// TestQueueRoundTrips: a request does not ask for the state of a stream.
func TestQueueRoundTrips(t *testing.T) {
	url, stop := start(t, t.TempDir(), 0)
	defer stop()
	go func() { _ = connect(t, url).Work(t.Context(), newEndpoint().worker("a")) }()
	q := connect(t, url)
	s, err := q.NewSender(t.Context(), "4fab")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	began := time.Now()
	if none := q.Unserved(t.Context(), []string{"m", "other"}); !slices.Equal(none, []string{"other"}) {
		t.Errorf("unserved: %q", none)
	}
	if took := time.Since(began); took < beat {
		t.Errorf("a model that no worker has was waited for %v only", took)
	}
	asked := make(chan string, 100)
	if _, err := q.conn.Subscribe("$JS.API.STREAM.INFO.>", func(m *nats.Msg) { asked <- m.Subject }); err != nil {
		t.Fatal(err)
	}
	sendAll(t, s, 1, 3)
	if err := s.Done(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := q.js.Stream(t.Context(), replyStream); err != nil {
		t.Error(err)
	}
	if first := <-asked; len(asked) > 0 {
		t.Errorf("%s was asked for before the end", first)
	}
	if none := q.Unserved(t.Context(), []string{"m"}); len(none) > 0 {
		t.Errorf("unserved: %q", none)
	}
}

func TestBare(t *testing.T) {
	if got := Bare("nats://user:secret@a:4222,tls://token@b,c:1,@d"); got != "nats://a:4222,tls://b,nats://c:1,nats://d" {
		t.Error(got)
	}
	_, err := Connect(t.Context(), Config{URL: "nats://user:secret@127.0.0.1:1"})
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

// BenchmarkQueue is one request by the queue and back, with an endpoint that answers at once.
func BenchmarkQueue(b *testing.B) {
	url, stop := start(b, b.TempDir(), 0)
	defer stop()
	e := newEndpoint()
	e.during = 0
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	go func() { _ = connect(b, url).Work(ctx, e.worker("a")) }()
	s, err := connect(b, url).NewSender(b.Context(), "4fab")
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		n++
		if _, err := s.Send(b.Context(), prepared(b, n, 0)); err != nil {
			b.Fatal(err)
		}
	}
}
