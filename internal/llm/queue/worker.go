package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/judgekit/judge/internal/llm"
)

const (
	// mostDeliveries limits how often a request is tried before it is set aside: each time the
	// worker that had it ended, or could not go on.
	mostDeliveries = 10
	// fetchLimit bounds the time in which the server says whether there is a request: a server
	// that restarts never does.
	fetchLimit = 3 * time.Second
	// idle bounds the wait of a worker that found nothing to do.
	idle = 250 * time.Millisecond
)

// WorkerConfig is one worker.
type WorkerConfig struct {
	// Name is unique among the workers of a queue; letters, digits and dashes.
	Name string
	// Models names the models of the endpoint.
	Models []string
	// Slots limits the requests in flight.
	Slots int
	// Do has the endpoint answer a request, with retries; fatal errors end the worker.
	Do func(context.Context, *llm.Prepared) (*llm.Response, error)
}

// worker is a worker at work.
type worker struct {
	cfg    WorkerConfig
	q      *Queue
	shares []share
	// at is the share that gave the last request: it is asked first.
	at int

	mu    sync.Mutex
	state state
	ended []time.Time // of the answers of the last ten seconds
}

// share is one partition of one model.
type share struct {
	model     string
	partition int
	requests  jetstream.Consumer
}

// Work answers requests until ctx ends or the endpoint cannot answer; the error is then a
// fatal *llm.Error. Requests that it had begun go back into the queue.
func (q *Queue) Work(ctx context.Context, cfg WorkerConfig) error {
	w := &worker{cfg: cfg, q: q, state: state{Name: cfg.Name, Models: cfg.Models}}
	for _, model := range cfg.Models {
		for p := range partitions {
			w.shares = append(w.shares, share{model: model, partition: p})
		}
	}
	if err := w.open(ctx); err != nil {
		return err
	}
	reporting, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go w.report(reporting)
	return w.loop(ctx)
}

// open makes the consumers of all shares.
func (w *worker) open(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	for i := range w.shares {
		s := &w.shares[i]
		g.Go(func() error {
			name := fmt.Sprintf("%s-%02d", modelToken(s.model), s.partition)
			return w.q.insist(ctx, func(ctx context.Context) (err error) {
				s.requests, err = w.q.js.CreateOrUpdateConsumer(ctx, requestStream, jetstream.ConsumerConfig{
					Durable: name, FilterSubject: fmt.Sprintf("judge.request.%s.%02d.>", modelToken(s.model), s.partition),
					AckPolicy: jetstream.AckExplicitPolicy, AckWait: w.q.ackWait, MaxAckPending: 100_000,
				})
				return err
			})
		})
	}
	return g.Wait()
}

// loop takes requests as slots are free.
func (w *worker) loop(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	slots := make(chan struct{}, w.cfg.Slots)
	wait := time.Millisecond
	for ctx.Err() == nil {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			continue
		}
		msg := w.next()
		if msg == nil {
			<-slots
			wait = min(2*wait, idle)
			pause(ctx, wait)
			continue
		}
		wait = time.Millisecond
		g.Go(func() error {
			defer func() { <-slots }()
			return w.handle(ctx, msg)
		})
	}
	err := g.Wait()
	if err == nil {
		err = context.Cause(ctx)
	}
	return err
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// next takes a request: from the share that gave the last one, from its own other shares, and
// then from any; nil if all are empty.
func (w *worker) next() jetstream.Msg {
	var names []string
	for _, s := range w.q.workers.live() {
		names = append(names, s.Name)
	}
	if !slices.Contains(names, w.cfg.Name) {
		names = append(names, w.cfg.Name)
	}
	for _, own := range []bool{true, false} {
		for i := range w.shares {
			at := (w.at + i) % len(w.shares)
			s := &w.shares[at]
			if mine := owner(names, s.model, s.partition) == w.cfg.Name; mine != own {
				continue
			}
			if msg := s.take(); msg != nil {
				w.at = at
				return msg
			}
		}
	}
	return nil
}

// take takes a request of the share; nil if it has none now.
func (s *share) take() jetstream.Msg {
	batch, err := s.requests.FetchNoWait(1)
	if err != nil {
		return nil
	}
	select {
	case msg := <-batch.Messages(): // closed without one
		return msg
	case <-time.After(fetchLimit):
		go giveBack(batch)
		return nil
	}
}

// giveBack returns what arrives late, as after a restart of the server.
func giveBack(batch jetstream.MessageBatch) {
	select {
	case msg := <-batch.Messages():
		if msg != nil {
			_ = msg.Nak()
		}
	case <-time.After(time.Minute):
	}
}

// handle answers one request, stores the reply and acknowledges the request, in this order.
func (w *worker) handle(ctx context.Context, msg jetstream.Msg) error {
	w.count(func(s *state) { s.Busy++ })
	defer w.count(func(s *state) { s.Busy-- })
	defer w.keep(msg)()
	var a *answer
	// A server that restarts hands out requests before it can look for replies.
	err := w.q.insist(ctx, func(ctx context.Context) (err error) {
		a, err = w.q.stored(ctx, msg.Subject())
		return err
	})
	if err != nil {
		return w.back(msg, nil)
	}
	known := a != nil
	var fatal error
	if !known {
		if a, fatal = w.answer(ctx, msg); a == nil {
			return w.back(msg, fatal)
		}
	}
	lasting, cancel := w.lasting(ctx) // what is paid for is stored, also at the end
	defer cancel()
	if !known {
		err = w.store(lasting, msg, a)
		if tooLarge(err) {
			err = w.store(lasting, msg, &answer{Status: a.Status, Error: &llm.Error{Kind: llm.KindTooLarge,
				Message: "the reply does not fit the queue: " + reason(err), Hint: raisePayload}})
		}
		if err != nil {
			return w.back(msg, err)
		}
	}
	w.acknowledge(lasting, msg)
	return nil
}

// back gives a request back to the queue.
func (w *worker) back(msg jetstream.Msg, err error) error {
	_ = msg.Nak() // if that does not arrive, the request comes back after AckWait
	return err
}

// lasting returns a context that ends AckWait after now or the end of the worker's, whichever is later.
func (w *worker) lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		pause(own, w.q.ackWait)
		cancel()
	})
	return own, func() { stop(); cancel() }
}

// store stores a reply. If the store is full, the request leaves it first: a prompt is longer
// than its answer. Should the worker end before there is room for the reply, the run asks again.
func (w *worker) store(ctx context.Context, msg jetstream.Msg, a *answer) error {
	a.Worker = w.cfg.Name
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	left := false
	err = w.q.insist(ctx, func(ctx context.Context) error {
		err := w.q.publish(ctx, replySubject(msg.Subject()), data)
		if full(err) && !left && ended(msg.DoubleAck(ctx)) {
			w.q.trouble.refused(err, time.Now())
			left = true
			err = w.q.publish(ctx, replySubject(msg.Subject()), data)
		}
		return err
	})
	if err != nil && ctx.Err() != nil {
		w.q.note("the queue had no room for a reply to the end; its request is asked again")
	}
	return err
}

// acknowledge ends a request. If that does not arrive, the next worker finds the reply.
func (w *worker) acknowledge(ctx context.Context, msg jetstream.Msg) {
	ctx, cancel := context.WithTimeout(ctx, w.q.ackWait)
	defer cancel()
	_ = w.q.insist(ctx, func(ctx context.Context) error {
		err := msg.DoubleAck(ctx)
		if ended(err) {
			return nil
		}
		return err
	})
}

// ended reports whether a request has left the queue, by its acknowledgement's error.
func ended(err error) bool { return err == nil || errors.Is(err, jetstream.ErrMsgAlreadyAckd) }

// answer has the endpoint answer. It returns no answer if the request is not to blame: then the
// error ends the worker; without an error only the request's turn ends.
func (w *worker) answer(ctx context.Context, msg jetstream.Msg) (*answer, error) {
	if meta, err := msg.Metadata(); err == nil && meta.NumDelivered > mostDeliveries {
		return aside(fmt.Sprintf("set aside: workers took it %d times and did not get it done", meta.NumDelivered-1)), nil
	}
	var t task
	if err := json.Unmarshal(msg.Data(), &t); err != nil {
		return aside("set aside: the message is not a request: " + err.Error()), nil
	}
	res, err := w.ask(ctx, &t)
	if err == nil {
		w.count(func(s *state) {
			s.Done++
			w.ended = append(w.ended, time.Now())
		})
		return &answer{Status: 200, Body: res.Raw}, nil
	}
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Kind == llm.KindCanceled || ctx.Err() != nil {
		return nil, nil
	}
	w.count(func(s *state) {
		s.Failed++
		s.Problem = string(e.Kind) + ": " + e.Message
	})
	if e.Fatal {
		return nil, e
	}
	return &answer{Status: e.Status, Error: e}, nil
}

func (w *worker) ask(ctx context.Context, t *task) (*llm.Response, error) {
	p, err := t.Request.Prepare(t.Kind, "")
	if err != nil {
		return nil, err
	}
	return w.cfg.Do(ctx, p)
}

// aside returns the reply to a request that no worker gets done.
func aside(why string) *answer {
	return &answer{Error: &llm.Error{Kind: llm.KindServer, Message: why}}
}

// keep tells the server that the request is being worked on, until the returned function
// is called.
func (w *worker) keep(msg jetstream.Msg) func() {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(w.q.ackWait / 3)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				_ = msg.InProgress()
			}
		}
	}()
	return func() { close(done) }
}

// count changes the state.
func (w *worker) count(change func(*state)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(&w.state)
}

// report tells the others every second how the worker does.
func (w *worker) report(ctx context.Context) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		w.mu.Lock()
		old := time.Now().Add(-10 * time.Second)
		w.ended = slices.DeleteFunc(w.ended, func(t time.Time) bool { return t.Before(old) })
		w.state.Rate = float64(len(w.ended)) / 10
		data, err := json.Marshal(w.state)
		w.mu.Unlock()
		if err == nil {
			_ = w.q.conn.Publish("judge.worker."+w.cfg.Name, data) // the next one comes in a second
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
