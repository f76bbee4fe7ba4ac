package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/judgekit/judge/internal/llm"
)

// scripted is a server that keeps messages in memory, fails as a test says, and lists what it was told.
type scripted struct {
	mu     sync.Mutex
	began  time.Time
	steps  []string
	stored map[string]string
	fails  func(step string) error // may be nil
	said   []string
}

type (
	scriptedStreams struct {
		jetstream.JetStream
		*scripted
	}
	scriptedReplies struct {
		jetstream.Stream
		*scripted
	}
	// scriptedRequest is a request that a worker got.
	scriptedRequest struct {
		jetstream.Msg
		*scripted
		subject   string // "" for askedFor
		data      string
		delivered uint64
		unknown   error // that it does not say how often it was delivered
	}
)

const askedFor, replyTo = "judge.request.m.07.4fab.f1", "judge.reply.4fab.f1"

// script returns a queue with a server that does as told.
func script(fails func(step string) error) (*Queue, *scripted) {
	s := &scripted{began: time.Now(), stored: map[string]string{}, fails: fails}
	note := func(line string) { s.said = append(s.said, line) }
	return &Queue{js: scriptedStreams{scripted: s}, replies: scriptedReplies{scripted: s}, ackWait: 3 * time.Second,
		note: note, trouble: &trouble{note: note}, workers: &registry{seen: map[string]seen{}}}, s
}

// step records what the server is told, with the time since the test began. Whoever gave up tells it nothing.
func (s *scripted) step(ctx context.Context, format string, args ...any) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	step := fmt.Sprintf(format, args...)
	s.mu.Lock()
	s.steps = append(s.steps, fmt.Sprint(time.Since(s.began).Round(time.Millisecond), " ", step))
	s.mu.Unlock()
	if s.fails == nil {
		return nil
	}
	return s.fails(step)
}

func (s *scripted) expect(t *testing.T, what string, want ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := cmp.Diff(want, s.steps); d != "" {
		t.Errorf("%s: %s", what, d)
	}
	s.steps = nil
}

func (s scriptedStreams) Publish(ctx context.Context, subject string, data []byte, _ ...jetstream.PublishOpt) (
	*jetstream.PubAck, error) {
	if err := s.step(ctx, "store %s", subject); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.stored[subject] = string(data)
	s.mu.Unlock()
	return &jetstream.PubAck{}, nil
}

func (s scriptedReplies) GetLastMsgForSubject(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	if err := s.step(ctx, "look for %s", subject); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if data, ok := s.stored[subject]; ok {
		return &jetstream.RawStreamMsg{Data: []byte(data)}, nil
	}
	return nil, jetstream.ErrMsgNotFound
}

func (s scriptedReplies) Purge(ctx context.Context, options ...jetstream.StreamPurgeOpt) error {
	var r jetstream.StreamPurgeRequest
	for _, set := range options {
		if err := set(&r); err != nil {
			return err
		}
	}
	return s.step(ctx, "delete %s", r.Subject)
}

func (r *scriptedRequest) Subject() string {
	if r.subject != "" {
		return r.subject
	}
	return askedFor
}

func (r *scriptedRequest) Data() []byte                        { return []byte(r.data) }
func (r *scriptedRequest) Nak() error                          { return r.step(context.Background(), "return") }
func (r *scriptedRequest) InProgress() error                   { return r.step(context.Background(), "still at work") }
func (r *scriptedRequest) DoubleAck(ctx context.Context) error { return r.step(ctx, "done") }
func (r *scriptedRequest) Metadata() (*jetstream.MsgMetadata, error) {
	if r.unknown != nil {
		return nil, r.unknown
	}
	return &jetstream.MsgMetadata{NumDelivered: r.delivered}, nil
}

// failing fails one step so many times.
func failing(step string, times int, err error) func(string) error {
	return func(s string) error {
		if s != step || times == 0 {
			return nil
		}
		times--
		return err
	}
}

var (
	noRoom    = refusal(10047, "no storage")
	errSilent = errors.New("timeout")
)

// TestInsist: a call is repeated with growing pauses of at most two seconds, and not if it fails for good or nobody
// waits. If it waited for room it is repeated at once, and that is no trouble; the pauses after that are small again.
func TestInsist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, s := script(nil)
		errs := slices.Repeat([]error{errSilent}, 15)
		errs[2] = errAgain
		var at []string
		call := func(ctx context.Context) error {
			if until, ok := ctx.Deadline(); !ok || time.Until(until) != 5*time.Second {
				t.Errorf("a call may take %v", time.Until(until))
			}
			if at = append(at, time.Since(s.began).String()); len(at) > len(errs) {
				return nil
			}
			return errs[len(at)-1]
		}
		if err := q.insist(t.Context(), call); err != nil {
			t.Error(err)
		}
		want := "0s 50ms 151ms 151ms 152ms 155ms 162ms 177ms 208ms 271ms 398ms 653ms 1.164s 2.187s 4.187s 6.187s"
		if d := cmp.Diff(strings.Fields(want), at); d != "" {
			t.Error(d)
		}
		errs, at = []error{errSilent, nats.ErrAuthorization}, nil
		if err := q.insist(t.Context(), call); !errors.Is(err, nats.ErrAuthorization) || len(at) != 2 {
			t.Errorf("%v after %d calls", err, len(at))
		}
		full := 12
		if err := q.insist(t.Context(), func(context.Context) error {
			if full--; full == 0 {
				return nil
			}
			time.Sleep(time.Second)
			return errAgain
		}); err != nil || len(s.said) > 0 {
			t.Errorf("%v, said %q", err, s.said)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 12*time.Second)
		defer cancel()
		s.began = time.Now()
		err := q.insist(ctx, func(context.Context) error { return errSilent })
		if err != errSilent || time.Since(s.began) != 12*time.Second {
			t.Errorf("%v after %v", err, time.Since(s.began))
		}
		say := []string{"the queue does not answer (timeout): restart a server whose disk was full; trying again"}
		if d := cmp.Diff(say, s.said); d != "" {
			t.Error(d)
		}
	})
}

// TestAsk: a request enters the queue unless its reply is there; where there is no room, replies that the journal has
// make room, and a refused request keeps no place in the window.
func TestAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const look, store = "look for " + replyTo, "store " + askedFor
		q, s := script(nil)
		from := &Sender{q: q, run: "4fab"}
		ask := func(what string, fails func(string) error, places int, want ...string) *answer {
			t.Helper()
			s.fails, s.began = fails, time.Now()
			entered, before := false, from.window.in
			a, err := from.ask(t.Context(), askedFor, []byte("{}"), &entered)
			if err != nil || entered != (a == nil) || from.window.in != places {
				t.Errorf("%s: %v, entered %v, %d in the window, before %d", what, err, entered, from.window.in, before)
			}
			s.expect(t, what, want...)
			return a
		}
		s.stored[replyTo] = `{"status":200,"body":"e30="}`
		if a := ask("answered", nil, 0, "0s "+look); a == nil || string(a.Body) != "{}" {
			t.Errorf("%+v", a)
		}
		s.stored[replyTo] = "{" // damaged: it is asked again
		if a := ask("new", nil, 1, "0s "+look, "0s "+store); a != nil {
			t.Errorf("%+v", a)
		}
		ask("lookup fails", failing(look, 1, errSilent), 2, "0s "+look, "50ms "+look, "50ms "+store)
		ask("a silent server", failing(store, 1, errSilent), 3, "0s "+look, "0s "+store, "50ms "+look, "50ms "+store)
		q.trouble.said, q.trouble.since = true, time.Now().Add(-time.Hour)
		stands := errors.New("maximum messages per subject exceeded")
		ask("it stands already", failing(store, 1, stands), 4, "0s "+look, "0s "+store)
		if len(s.said) > 0 || from.window.bounded() {
			t.Errorf("said %q, %+v", s.said, &from.window)
		}
		ask("room again", nil, 5, "0s "+look, "0s "+store)
		if d := cmp.Diff([]string{"the queue takes messages again after 1h0m0s; going on"}, s.said); d != "" {
			t.Error(d)
		}
		for range 5 {
			from.window.answered()
		}

		time.Sleep(2 * time.Minute)
		s.said = nil
		from.delivered = []delivered{{"a", time.Now().Add(-time.Minute)}, {"b", time.Now()}}
		ask("full", failing(store, 1, noRoom), 1, "0s "+look, "0s "+store, "0s delete a", "0s "+look, "0s "+store)
		if len(s.said) != 1 || !strings.Contains(s.said[0], "store is full (no storage)") || from.window.most != 1 {
			t.Errorf("said %q, %+v", s.said, &from.window)
		}
		from.window.answered() // two may be there
		ask("full, and nothing to delete", failing(store, 1, noRoom), 1,
			"0s "+look, "0s "+store, "50ms "+look, "50ms "+store)
		time.Sleep(time.Minute)
		go func() {
			time.Sleep(1500 * time.Millisecond)
			from.window.answered()
		}()
		ask("a place in the window", nil, 1, "0s "+look, "1s delete b", "1s "+look, "1.5s "+store)
	})
}

// TestMakeRoom: a full store loses replies that the run had a second to write down, at most 32 at a time; Done deletes
// all of them.
func TestMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, s := script(nil)
		from := &Sender{q: q, run: "4fab"}
		if from.makeRoom(t.Context()) {
			t.Error("room where nothing was")
		}
		old := time.Now()
		for i := range 34 {
			from.delivered = append(from.delivered, delivered{fmt.Sprint(i), old})
		}
		time.Sleep(time.Second)
		if from.makeRoom(t.Context()) {
			t.Error("a reply may not be in the journal yet")
		}
		time.Sleep(time.Millisecond)
		from.delivered = append(from.delivered, delivered{"new", time.Now()})
		for _, want := range []int{32, 2, 0} {
			if made := from.makeRoom(t.Context()); made != (want > 0) || len(s.steps) != want {
				t.Errorf("%v: deleted %q, want %d", made, s.steps, want)
			}
			s.steps = nil
		}
		if len(from.delivered) != 1 || from.delivered[0].subject != "new" {
			t.Errorf("%+v", from.delivered)
		}
		if err := from.Done(t.Context()); err != nil {
			t.Error(err)
		}
		s.expect(t, "done", "1.001s delete judge.reply.4fab.>")
		s.fails = failing("delete judge.reply.4fab.>", 1, noRoom)
		if err := from.Done(t.Context()); !errors.Is(err, noRoom) {
			t.Error(err)
		}
	})
}

// TestAwait: who waits makes room for the reply every two seconds if the store was full, and after twenty looks again
// whether the request is in the queue.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, s := script(nil)
		from := &Sender{q: q, run: "4fab", delivered: []delivered{{"a", time.Now().Add(-time.Hour)}}}
		arrival := make(chan *answer, 1)
		if a, err := from.await(t.Context(), arrival); a != nil || err != nil || time.Since(s.began) != 20*time.Second {
			t.Errorf("%+v, %v after %v", a, err, time.Since(s.began))
		}
		s.expect(t, "a store with room")
		from.window.most = 1
		go func() {
			time.Sleep(5 * time.Second)
			arrival <- &answer{Status: 200}
		}()
		a, err := from.await(t.Context(), arrival)
		if a == nil || a.Status != 200 || err != nil || time.Since(s.began) != 25*time.Second {
			t.Errorf("%+v, %v after %v", a, err, time.Since(s.began))
		}
		s.expect(t, "a full store", "22s delete a")
		gone, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		a, err = from.await(gone, arrival)
		if a != nil || !errors.Is(err, context.DeadlineExceeded) || time.Since(s.began) != 28*time.Second {
			t.Errorf("%+v, %v after %v", a, err, time.Since(s.began))
		}
	})
}

// TestArrivals: a reply goes to all who wait for it, one that cannot be read as a failure; who left gets none.
func TestArrivals(t *testing.T) {
	from := &Sender{waiting: map[string][]chan *answer{}}
	one, two, three := make(chan *answer, 1), make(chan *answer, 1), make(chan *answer, 1)
	from.waiting["a"], from.waiting["b"] = []chan *answer{one, two, three}, []chan *answer{one}
	from.leave("a", two)
	from.deliver("a", []byte(`{"status":200,"body":"e30="}`))
	from.deliver("a", []byte(`{"status":500}`)) // nobody waits any more
	if a, b := <-one, <-three; a.Status != 200 || b.Status != 200 || len(one)+len(two)+len(three) != 0 {
		t.Errorf("%+v, %+v, and %d, %d, %d more", a, b, len(one), len(two), len(three))
	}
	from.deliver("b", []byte("{"))
	a := <-one
	if a.Error == nil || a.Error.Kind != llm.KindInvalidReply ||
		!strings.HasPrefix(a.Error.Message, "a reply in the queue is damaged: ") {
		t.Errorf("%+v", a)
	}
	from.waiting["c"] = []chan *answer{two}
	if from.leave("c", two); len(from.waiting) != 0 {
		t.Errorf("%d are waited for", len(from.waiting))
	}
}

// TestSend: a request is answered by the reply that is there or comes, and asked for again after twenty seconds; who
// gets none is told why. In the end nothing is waited for, and no place in the window is taken.
func TestSend(t *testing.T) {
	p := prepared(t, 1, 0)
	subject := requestSubject("4fab", p)
	reply := replySubject(subject)
	look, store := "look for "+reply, "store "+subject
	for name, tt := range map[string]struct {
		change func(*llm.Prepared)
		fails  func(string) error
		comes  time.Duration // when the reply comes; 0 for never
		leaves time.Duration // when the run gives up; 0 for never
		want   []string
		err    *llm.Error
	}{
		"at once": {comes: time.Second, want: []string{"0s " + look, "0s " + store}},
		"late": {comes: 45 * time.Second, want: []string{"0s " + look, "0s " + store, "20s " + look, "20s " + store,
			"40s " + look, "40s " + store}},
		"given up": {leaves: time.Second, want: []string{"0s " + look, "0s " + store},
			err: &llm.Error{Kind: llm.KindCanceled, Message: "context deadline exceeded"}},
		"given up before it is stored": {leaves: 100 * time.Millisecond, fails: failing(store, 9, errSilent),
			want: []string{"0s " + look, "0s " + store, "50ms " + look, "50ms " + store},
			err:  &llm.Error{Kind: llm.KindCanceled, Message: "context deadline exceeded"}},
		"too large": {fails: failing(store, 9, nats.ErrMaxPayload), want: []string{"0s " + look, "0s " + store},
			err: &llm.Error{Kind: llm.KindTooLarge, Message: "queue: nats: maximum payload exceeded", Hint: raisePayload}},
		"closed": {fails: failing(look, 9, nats.ErrConnectionClosed), want: []string{"0s " + look},
			err: &llm.Error{Kind: llm.KindTransport, Message: "queue: nats: connection closed", Fatal: true}},
		"no JSON": {change: func(p *llm.Prepared) { p.Schema.JSON = json.RawMessage("{") },
			err: &llm.Error{Kind: llm.KindBadRequest, Message: "json: error calling MarshalJSON for type json.RawMessage: " +
				"unexpected end of JSON input"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, s := script(tt.fails)
				from := &Sender{q: q, run: "4fab", waiting: map[string][]chan *answer{}}
				ctx, cancel := context.WithCancel(t.Context())
				if tt.leaves > 0 {
					ctx, cancel = context.WithTimeout(t.Context(), tt.leaves)
				}
				defer cancel()
				if tt.comes > 0 {
					time.AfterFunc(tt.comes, func() {
						from.window.mu.Lock()
						if from.window.in != 1 {
							t.Errorf("%d places in the window are taken", from.window.in)
						}
						from.window.mu.Unlock()
						from.deliver(reply, []byte(`{"status":200,"body":"e30="}`))
					})
				}
				request := *p.Request
				copied := *p
				if copied.Request = &request; tt.change != nil {
					tt.change(&copied)
				}
				raw, err := from.Send(ctx, &copied)
				e, _ := errors.AsType[*llm.Error](err)
				if (err == nil) != (tt.err == nil) {
					t.Fatal(err)
				}
				if tt.err != nil {
					if errors.Is(err, context.DeadlineExceeded) != (tt.leaves > 0) {
						t.Errorf("%v has the cause %v", err, e.Cause)
					}
					if e.Cause = nil; *e != *tt.err {
						t.Error(cmp.Diff(*tt.err, *e))
					}
				} else if raw.Status != 200 || string(raw.Body) != "{}" || time.Since(s.began) != tt.comes {
					t.Errorf("%+v after %v", raw, time.Since(s.began))
				}
				s.expect(t, name, tt.want...)
				if len(from.waiting) > 0 || from.window.in != 0 || request.Key != p.Key {
					t.Errorf("%d are waited for, %d places are taken, the key is %q", len(from.waiting), from.window.in, request.Key)
				}
				if data := s.stored[subject]; data != "" && !strings.Contains(data, `"Key":"","Group":""`) {
					t.Errorf("the message names the conversation: %s", data)
				}
			})
		})
	}
}

// TestTakeAFailure: a failure is told with its status, and deleted, so that a resumed run asks again.
func TestTakeAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, s := script(failing("delete "+replyTo, 1, errors.New("timeout")))
		from := &Sender{q: q}
		shared := &answer{Status: 400, Body: []byte("no"), Error: &llm.Error{Kind: llm.KindBadRequest, Message: "no"}}
		raw, err := from.take(t.Context(), replyTo, shared)
		e, ok := errors.AsType[*llm.Error](err)
		if !ok || e.Status != 400 || e.Kind != llm.KindBadRequest || e.Message != "no" ||
			raw.Status != 400 || string(raw.Body) != "no" {
			t.Errorf("%+v, %+v", raw, err)
		}
		if shared.Error.Status != 0 || len(from.delivered) != 0 {
			t.Errorf("%+v, %+v", shared.Error, from.delivered)
		}
		s.expect(t, "a failure", "0s delete "+replyTo, "50ms delete "+replyTo)
	})
}

// scriptedWorker returns a worker of the queue whose endpoint answers as do says.
func scriptedWorker(q *Queue, do func(context.Context) error) *worker {
	return &worker{q: q, state: state{Name: "a"}, cfg: WorkerConfig{Name: "a", Slots: 1,
		Do: func(ctx context.Context, p *llm.Prepared) (*llm.Response, error) {
			if err := do(ctx); err != nil {
				return nil, err
			}
			return &llm.Response{Raw: []byte(p.Model)}, nil
		}}}
}

// question is the data of a request.
func question(t *testing.T) string {
	t.Helper()
	data, err := json.Marshal(task{Kind: llm.KindUnknown, Request: *prepared(t, 1, 0).Request})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestAnswers: what an endpoint answers or refuses is the reply; a failure of the worker or of the endpoint is none,
// and a request that nobody got done, or that is none, is set aside.
func TestAnswers(t *testing.T) {
	refused := &llm.Error{Kind: llm.KindBadRequest, Status: 400, Message: "too long"}
	fatal := &llm.Error{Kind: llm.KindUnauthorized, Status: 401, Message: "bad key", Fatal: true}
	for name, tt := range map[string]struct {
		request scriptedRequest
		ended   bool // the worker
		do      error
		want    *answer
		fatal   error
		state   state
	}{
		"answered": {request: scriptedRequest{delivered: 10}, want: &answer{Status: 200, Body: []byte("m")},
			state: state{Done: 1}},
		"deliveries unknown": {request: scriptedRequest{unknown: errSilent}, want: &answer{Status: 200, Body: []byte("m")},
			state: state{Done: 1}},
		"refused": {do: refused, want: &answer{Status: 400, Error: refused},
			state: state{Failed: 1, Problem: "bad_request: too long"}},
		"fatal":    {do: fatal, fatal: fatal, state: state{Failed: 1, Problem: "unauthorized: bad key"}},
		"canceled": {do: &llm.Error{Kind: llm.KindCanceled}},
		"unknown":  {do: errors.New("no")},
		"ended":    {do: refused, ended: true},
		"eleventh": {request: scriptedRequest{delivered: 11}, want: &answer{Error: &llm.Error{Kind: llm.KindServer,
			Message: "set aside: workers took it 10 times and did not get it done"}}},
		"damaged": {request: scriptedRequest{data: "{"}, want: &answer{Error: &llm.Error{Kind: llm.KindServer,
			Message: "set aside: the message is not a request: unexpected end of JSON input"}}},
		"empty": {request: scriptedRequest{data: "{}"}, want: &answer{Error: &llm.Error{Kind: llm.KindBadRequest}},
			state: state{Failed: 1}},
	} {
		q, s := script(nil)
		w := scriptedWorker(q, func(context.Context) error { return tt.do })
		ctx, cancel := context.WithCancel(t.Context())
		if tt.ended {
			cancel()
		}
		tt.request.scripted = s
		if tt.request.data == "" {
			tt.request.data = question(t)
		}
		got, err := w.answer(ctx, &tt.request)
		cancel()
		if name == "empty" && got != nil && got.Error != nil { // the words are those of llm
			if got.Error.Message == "" || w.state.Problem != "bad_request: "+got.Error.Message {
				t.Errorf("%s: %+v, %+v", name, got.Error, w.state)
			}
			got.Error, w.state.Problem = &llm.Error{Kind: got.Error.Kind}, ""
		}
		if d := cmp.Diff(tt.want, got); d != "" || err != tt.fatal {
			t.Errorf("%s: %v, %s", name, err, d)
		}
		tt.state.Name = "a"
		if d := cmp.Diff(tt.state, w.state); d != "" || len(w.ended) != w.state.Done {
			t.Errorf("%s: %d ended, %s", name, len(w.ended), d)
		}
	}
}

// both fails a step that one of two fails.
func both(one, two func(string) error) func(string) error {
	return func(step string) error { return errors.Join(one(step), two(step)) }
}

// TestHandle: a request is answered unless its reply is there; the reply is stored first and the request acknowledged
// then, or the request goes back.
func TestHandle(t *testing.T) {
	const look, store = "look for " + replyTo, "store " + replyTo
	const answered = `{"status":200,"body":"bQ==","worker":"a"}`
	fatal := &llm.Error{Kind: llm.KindUnauthorized, Message: "bad key", Fatal: true}
	tooLong := refusal(10054, "message size exceeds maximum allowed")
	for name, tt := range map[string]struct {
		stored string
		fails  func(string) error
		do     error
		during time.Duration
		ends   time.Duration // when the worker ends; 0 for never
		want   []string
		reply  string
		err    error
		said   string
	}{
		"new":             {want: []string{"0s " + look, "0s " + store, "0s done"}, reply: answered},
		"answered before": {stored: `{"status":200}`, want: []string{"0s " + look, "0s done"}, reply: `{"status":200}`},
		"long": {during: 2500 * time.Millisecond, reply: answered,
			want: []string{"0s " + look, "1s still at work", "2s still at work", "2.5s " + store, "2.5s done"}},
		"lookup fails": {fails: failing(look, 1, nats.ErrNoResponders), reply: answered,
			want: []string{"0s " + look, "50ms " + look, "50ms " + store, "50ms done"}},
		"lookup fails for good": {fails: failing(look, 1, nats.ErrConnectionClosed),
			want: []string{"0s " + look, "0s return"}},
		"no attempt": {do: errors.New("no"), want: []string{"0s " + look, "0s return"}},
		"fatal":      {do: fatal, want: []string{"0s " + look, "0s return"}, err: fatal},
		"too large": {fails: failing(store, 1, tooLong),
			want: []string{"0s " + look, "0s " + store, "0s " + store, "0s done"},
			reply: `{"status":200,"worker":"a","error":{"kind":"too_large","message":"the reply does not fit the queue: ` +
				`message size exceeds maximum allowed","hint":"` + raisePayload + `"}}`},
		"too large to say so": {fails: failing(store, 2, tooLong), err: tooLong,
			want: []string{"0s " + look, "0s " + store, "0s " + store, "0s return"}},
		"full": {fails: failing(store, 1, noRoom),
			want:  []string{"0s " + look, "0s " + store, "0s done", "0s " + store, "0s done"},
			reply: answered, said: "the queue's store is full (no storage)"},
		"full, and the request stays": {fails: both(failing(store, 2, noRoom), failing("done", 1, errSilent)),
			want:  []string{"0s " + look, "0s " + store, "0s done", "50ms " + store, "50ms done", "50ms " + store, "50ms done"},
			reply: answered, said: "the queue's store is full (no storage)"},
		"a store that takes long": {ends: time.Second, want: []string{"0s " + look, "0s " + store, "1s still at work",
			"2s still at work", "3s still at work", "4s still at work", "5s still at work", "6s still at work"},
			fails: func(step string) error {
				if step == store {
					time.Sleep(6100 * time.Millisecond)
				}
				return nil
			}, reply: answered},
		"acknowledgement is lost": {fails: failing("done", 1, errSilent), reply: answered,
			want: []string{"0s " + look, "0s " + store, "0s done", "50ms done"}},
		"acknowledged already": {fails: failing("done", 1, jetstream.ErrMsgAlreadyAckd), reply: answered,
			want: []string{"0s " + look, "0s " + store, "0s done"}},
		"the worker ends meanwhile": {during: 500 * time.Millisecond, ends: 500 * time.Millisecond,
			fails: failing(store, 1, errSilent),
			want:  []string{"0s " + look, "500ms " + store, "550ms " + store, "550ms done"},
			reply: answered},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, s := script(tt.fails)
				if tt.stored != "" {
					s.stored[replyTo] = tt.stored
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.ends > 0 {
					time.AfterFunc(tt.ends-time.Microsecond, cancel)
				}
				w := scriptedWorker(q, func(ctx context.Context) error {
					if w := tt.during; w > 0 {
						time.Sleep(w)
					}
					return tt.do
				})
				err := w.handle(ctx, &scriptedRequest{scripted: s, data: question(t)})
				if err != tt.err && !errors.Is(err, tt.err) || w.state.Busy != 0 {
					t.Errorf("%v, busy %d", err, w.state.Busy)
				}
				time.Sleep(time.Minute) // nothing more happens
				s.expect(t, name, tt.want...)
				if d := cmp.Diff(tt.reply, s.stored[replyTo]); d != "" {
					t.Error(d)
				}
				if said := strings.Join(s.said, "\n"); !strings.HasPrefix(said, tt.said) || tt.said == "" && said != "" {
					t.Errorf("said %q", said)
				}
			})
		})
	}
}

// TestStoreToTheEnd: while a store is full, an answer that was paid for waits for room; its request has left the
// queue, to make room. After the end of the worker it waits as long as a worker may be silent; then its loss is said.
func TestStoreToTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, s := script(func(step string) error {
			if step == "store "+replyTo {
				return noRoom
			}
			return nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		w := scriptedWorker(q, func(context.Context) error { return nil })
		time.AfterFunc(10*time.Second, cancel)
		err := w.handle(ctx, &scriptedRequest{scripted: s, data: question(t)})
		if !errors.Is(err, context.Canceled) || time.Since(s.began) != 13*time.Second {
			t.Errorf("%v after %v", err, time.Since(s.began))
		}
		left := slices.DeleteFunc(s.steps, func(step string) bool {
			return strings.HasSuffix(step, replyTo) || strings.HasSuffix(step, "still at work")
		})
		if d := cmp.Diff([]string{"0s done", "13s return"}, left); d != "" {
			t.Error(d)
		}
		if len(s.said) != 2 || !strings.Contains(s.said[0], "store is full (no storage)") ||
			s.said[1] != "the queue had no room for a reply to the end; its request is asked again" {
			t.Errorf("said %q", s.said)
		}
	})
}

// scriptedShare is a share whose requests a test puts there.
type scriptedShare struct {
	jetstream.Consumer
	batch chan jetstream.Msg
	err   error
	says  bool // at once whether there is a request
}

func (c *scriptedShare) FetchNoWait(n int) (jetstream.MessageBatch, error) {
	if n != 1 {
		return nil, fmt.Errorf("%d requests at a time", n)
	}
	if c.err != nil {
		return nil, c.err
	}
	if c.says && len(c.batch) == 0 {
		none := make(chan jetstream.Msg)
		close(none)
		return scriptedBatch{messages: none}, nil
	}
	return scriptedBatch{messages: c.batch}, nil
}

type scriptedBatch struct {
	jetstream.MessageBatch
	messages chan jetstream.Msg
}

func (b scriptedBatch) Messages() <-chan jetstream.Msg { return b.messages }

// TestNext: a worker takes requests first from its own shares, and there from the one that gave the last, then from
// those of others.
func TestNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, s := script(nil)
		for _, name := range []string{"b", "c"} { // a's own report did not arrive yet
			q.workers.seen[name] = seen{state{Name: name}, time.Now()}
		}
		w := scriptedWorker(q, nil)
		var own []int
		for p := range 12 {
			if owner([]string{"a", "b", "c"}, "m", p) == "a" {
				own = append(own, p)
			}
			w.shares = append(w.shares, share{"m", p, &scriptedShare{batch: make(chan jetstream.Msg, 10)}})
		}
		if len(own) < 2 {
			t.Fatalf("a owns %v of 12 partitions", own)
		}
		put := func(partition, n int) {
			for range n {
				w.shares[partition].requests.(*scriptedShare).batch <- &scriptedRequest{scripted: s, data: fmt.Sprint(partition)}
			}
		}
		for p := range 12 {
			put(p, 1)
		}
		put(own[1], 1)
		w.at = own[1]
		var got []string
		for range 13 {
			got = append(got, string(w.next().Data()))
		}
		want := []int{own[1], own[1]}
		for i := range 12 { // its own
			if p := (own[1] + i) % 12; p != own[1] && slices.Contains(own, p) {
				want = append(want, p)
			}
		}
		last := want[len(want)-1]
		for i := range 12 { // those of others, from the last one on
			if p := (last + i) % 12; !slices.Contains(own, p) {
				want = append(want, p)
			}
		}
		if d := cmp.Diff(strings.Fields(strings.Trim(fmt.Sprint(want), "[]")), got); d != "" {
			t.Errorf("own %v: %s", own, d)
		}
		for i := range w.shares {
			close(w.shares[i].requests.(*scriptedShare).batch)
		}
		w.shares[0].requests.(*scriptedShare).err = errors.New("timeout")
		if msg := w.next(); msg != nil {
			t.Errorf("%v from shares without a request", msg)
		}
	})
}

// TestLateRequests: a server that does not say whether there is a request is not waited for longer than three seconds;
// what it sends in the next minute goes back.
func TestLateRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for at, want := range map[time.Duration][]string{
			2 * time.Second: nil, 4 * time.Second: {"4s return"}, 2 * time.Minute: nil,
		} {
			_, s := script(nil)
			from := &scriptedShare{batch: make(chan jetstream.Msg, 1)}
			time.AfterFunc(at, func() { from.batch <- &scriptedRequest{scripted: s} })
			msg := (&share{requests: from}).take()
			if took := time.Since(s.began); (msg != nil) != (at < 3*time.Second) || took != min(at, 3*time.Second) {
				t.Errorf("a request after %v: %v after %v", at, msg, took)
			}
			time.Sleep(3 * time.Minute)
			s.expect(t, fmt.Sprint("a request after ", at), want...)
		}
		_, s := script(nil)
		from := &scriptedShare{batch: make(chan jetstream.Msg)}
		time.AfterFunc(4*time.Second, func() { close(from.batch) })
		if msg := (&share{requests: from}).take(); msg != nil {
			t.Error(msg)
		}
		time.Sleep(time.Minute)
		s.expect(t, "an empty share, late")
	})
}

// TestLastingContext: what was paid for may still be stored for as long as a worker may be silent, from its end on.
func TestLastingContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, s := script(nil)
		w := scriptedWorker(q, nil)
		ctx, cancel := context.WithCancel(t.Context())
		lasting, end := w.lasting(ctx)
		time.Sleep(time.Hour)
		if lasting.Err() != nil {
			t.Error("ended before the worker")
		}
		cancel()
		s.began = time.Now()
		<-lasting.Done()
		if took := time.Since(s.began); took != 3*time.Second {
			t.Errorf("ended %v after the worker", took)
		}
		end()
	})
}

// TestReport: a worker reports its state at once and every second, with its answers per second over the last ten.
func TestReport(t *testing.T) {
	url, stop := start(t, t.TempDir(), 0)
	defer stop()
	q := connect(t, url)
	now := time.Now()
	w := scriptedWorker(q, nil)
	w.state.Models, w.state.Busy, w.state.Done, w.state.Failed, w.state.Problem = []string{"m"}, 2, 7, 1, "no"
	w.ended = []time.Time{now.Add(-time.Minute), now.Add(-11 * time.Second), now.Add(-5 * time.Second), now, now}
	reports, err := q.conn.SubscribeSync("judge.worker.a")
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	w.report(gone)
	msg, err := reports.NextMsg(10 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name":"a","models":["m"],"busy":2,"done":7,"failed":1,"rate":0.3,"problem":"no"}`
	w.count(func(*state) {
		if string(msg.Data) != want || len(w.ended) != 3 {
			t.Errorf("%s, %d answers are remembered", msg.Data, len(w.ended))
		}
	})
}

// TestLoop: a worker has at most so many requests in flight, looks for more at least four times a second, and ends
// when no other request can succeed either.
func TestLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, s := script(nil)
		var began []string
		fatal := &llm.Error{Kind: llm.KindUnauthorized, Message: "bad key", Fatal: true}
		var broken error
		w := scriptedWorker(q, func(context.Context) error {
			s.mu.Lock()
			began = append(began, time.Since(s.began).Round(time.Second).String())
			s.mu.Unlock()
			time.Sleep(10 * time.Second)
			return broken
		})
		w.cfg.Slots = 2
		from := &scriptedShare{batch: make(chan jetstream.Msg, 10), says: true}
		w.shares = []share{{"m", 0, from}}
		put := func(subjects ...string) {
			for _, subject := range subjects {
				from.batch <- &scriptedRequest{scripted: s, subject: subject, data: question(t)}
			}
		}
		put("judge.request.m.00.4fab.f1", "judge.request.m.00.4fab.f2", "judge.request.m.00.4fab.f3")
		time.AfterFunc(100*time.Second, func() {
			broken = fatal
			put("judge.request.m.00.4fab.f4")
		})
		if err := w.loop(t.Context()); err != fatal || w.state.Busy != 0 {
			t.Errorf("%v, busy %d", err, w.state.Busy)
		}
		if d := cmp.Diff([]string{"0s", "0s", "10s", "1m40s"}, began); d != "" {
			t.Error(d)
		}
		gone, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		cancel(enough)
		if err := w.loop(gone); err != enough {
			t.Error(err)
		}
	})
}

// stopped is how a sender gets replies.
type stopped struct {
	jetstream.ConsumeContext
	times int
}

func (s *stopped) Stop() { s.times++ }

// TestClosed: on a closed connection no run and no worker begins; a closed Sender gets no more replies.
func TestClosed(t *testing.T) {
	url, stop := start(t, t.TempDir(), 0)
	defer stop()
	q := connect(t, url)
	q.Close()
	_, err := q.NewSender(t.Context(), "4fab")
	if err == nil || err.Error() != "queue: replies of run 4fab: nats: connection closed" {
		t.Error(err)
	}
	if err := q.Work(t.Context(), newEndpoint().worker("a")); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Error(err)
	}
	replies := &stopped{}
	if (&Sender{replies: replies}).Close(); replies.times != 1 {
		t.Errorf("stopped %d times", replies.times)
	}
}
