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
	// maxDeliveries limits how often a request is tried before it is set aside. Each time its
	// worker ended, or could not go on.
	maxDeliveries = 10
	// fetchLimit limits how long the server may take to say whether there is a request: a
	// restarting server never replies.
	fetchLimit = 3 * time.Second
	// idle limits the pause of a worker that found no request.
	idle = 250 * time.Millisecond
)

// WorkerConfig holds the settings of one worker.
type WorkerConfig struct {
	// Name is unique among the queue's workers. It has letters, digits and dashes.
	Name string
	// Models lists the models of the endpoint.
	Models []string
	// Slots limits the requests in flight.
	Slots int
	// Do sends a request to the endpoint, with retries; a fatal error stops the worker.
	Do func(context.Context, *llm.Prepared) (*llm.Response, error)
}

// worker is a running worker.
type worker struct {
	cfg    WorkerConfig
	q      *Queue
	shares []share
	// at is the index of the share that gave the last request. It is asked first.
	at int

	mu    sync.Mutex
	state state
	ended []time.Time // when the answers of the last ten seconds ended
}

// share is one partition of one model.
type share struct {
	model     string
	partition int
	requests  jetstream.Consumer
}

// Work answers requests until ctx ends or the endpoint can answer no more; then the error is a
// fatal *llm.Error. Unfinished requests go back into the queue.
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

// open creates the consumers of all shares.
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

// loop takes a request whenever a slot is free.
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

// next returns a request: from the share that gave the last one, from the worker's other own
// shares, then from any share; nil if all are empty.
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

// take returns a request of the share; nil if it has none now.
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

// giveBack returns requests that arrive late, for instance after a restart of the server.
func giveBack(batch jetstream.MessageBatch) {
	select {
	case msg := <-batch.Messages():
		if msg != nil {
			_ = msg.Nak()
		}
	case <-time.After(time.Minute):
	}
}

// handle answers one request, stores the reply, then acknowledges the request, in this order.
func (w *worker) handle(ctx context.Context, msg jetstream.Msg) error {
	w.count(func(s *state) { s.Busy++ })
	defer w.count(func(s *state) { s.Busy-- })
	defer w.keep(msg)()
	var a *answer
	// A restarting server hands out requests before it can look up replies.
	err := w.q.insist(ctx, func(ctx context.Context) (err error) {
		a, err = w.q.storedReply(ctx, msg.Subject())
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
	lasting, cancel := w.lasting(ctx) // an answer that was paid for is stored even if the worker is ending
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

// back returns a request to the queue.
func (w *worker) back(msg jetstream.Msg, err error) error {
	_ = msg.Nak() // if this is lost, the request comes back after AckWait
	return err
}

// lasting returns a context that ends AckWait from now or from the end of the worker, whichever is
// later.
func (w *worker) lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		pause(own, w.q.ackWait)
		cancel()
	})
	return own, func() { stop(); cancel() }
}

// store stores a reply. If the store is full, it first removes the request, because a prompt is
// longer than its answer. If the worker ends before there is room for the reply, the run asks
// again.
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

// acknowledge removes a finished request. If that message is lost, the next worker finds the reply.
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

// ended reports from an acknowledgement's error whether the request has left the queue.
func ended(err error) bool { return err == nil || errors.Is(err, jetstream.ErrMsgAlreadyAckd) }

// answer sends a request to the endpoint. It returns no answer if the failure is not the request's
// fault: with an error the worker must end; without one only this attempt is over.
func (w *worker) answer(ctx context.Context, msg jetstream.Msg) (*answer, error) {
	if meta, err := msg.Metadata(); err == nil && meta.NumDelivered > maxDeliveries {
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

// aside returns the reply to a request that no worker could answer.
func aside(why string) *answer {
	return &answer{Error: &llm.Error{Kind: llm.KindServer, Message: why}}
}

// keep tells the server that the request is being worked on, until the returned function is called.
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

// count changes the worker's state.
func (w *worker) count(change func(*state)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(&w.state)
}

// report sends the worker's state to the others every second.
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
			_ = w.q.conn.Publish("judge.worker."+w.cfg.Name, data) // if it is lost, the next one follows in a second
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
