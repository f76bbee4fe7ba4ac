package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/judgekit/judge/internal/llm"
)

// lookAgain is the time after which Send checks that its request is still in the queue.
const lookAgain = 20 * time.Second

// makeRoomAfter is the time after which Send makes room in a store that was full.
const makeRoomAfter = 2 * time.Second

// Sender sends the requests of one run over a queue. It is safe for concurrent use.
type Sender struct {
	q       *Queue
	run     string
	replies jetstream.ConsumeContext
	window  window

	mu      sync.Mutex
	waiting map[string][]chan *answer // by the reply's subject
	// delivered lists the newest replies that the run has received. They may be deleted from a full
	// store.
	delivered []delivered
}

// delivered is a reply that the run has received.
type delivered struct {
	subject string
	at      time.Time
}

const (
	// maxDelivered limits the remembered replies, and purges how many are deleted from a full store
	// at a time. inJournal is how long we allow a run to write a reply into its journal.
	maxDelivered = 4096
	purges       = 32
	inJournal    = time.Second
)

var _ llm.Sender = (*Sender)(nil)

// NewSender returns a Sender for the run with this id, of hexadecimal digits.
func (q *Queue) NewSender(ctx context.Context, run string) (*Sender, error) {
	s := &Sender{q: q, run: run, waiting: map[string][]chan *answer{}}
	err := q.insist(ctx, func(ctx context.Context) error {
		consumer, err := q.js.OrderedConsumer(ctx, replyStream, jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{"judge.reply." + run + ".>"},
		})
		if err == nil {
			s.replies, err = consumer.Consume(func(msg jetstream.Msg) { s.deliver(msg.Subject(), msg.Data()) })
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("queue: replies of run %s: %w", run, err)
	}
	return s, nil
}

// deliver hands a reply to the Send that waits for it. If none waits, the reply was handed over
// before.
func (s *Sender) deliver(subject string, data []byte) {
	s.mu.Lock()
	to := s.waiting[subject]
	delete(s.waiting, subject)
	s.mu.Unlock()
	if len(to) == 0 {
		return
	}
	a, err := readAnswer(data)
	if err != nil {
		a = &answer{Error: &llm.Error{Kind: llm.KindInvalidReply, Message: err.Error()}}
	}
	for _, c := range to {
		c <- a
	}
}

// Send implements [llm.Sender]. It publishes the request and waits for the reply, which an earlier
// process of the run may have asked for.
func (s *Sender) Send(ctx context.Context, p *llm.Prepared) (llm.RawReply, error) {
	request := *p.Request
	request.Key, request.Group = "", "" // names from the log, which an endpoint is not told either
	data, err := json.Marshal(task{Kind: p.Kind, Request: request})
	if err != nil {
		return llm.RawReply{}, &llm.Error{Kind: llm.KindBadRequest, Message: err.Error()}
	}
	subject := requestSubject(s.run, p)
	arrival := make(chan *answer, 1)
	reply := replySubject(subject)
	s.mu.Lock()
	s.waiting[reply] = append(s.waiting[reply], arrival)
	s.mu.Unlock()
	defer s.leave(reply, arrival)
	entered := false // has a place in the window
	defer func() {
		if entered {
			s.window.answered()
		}
	}()
	for {
		a, err := s.ask(ctx, subject, data, &entered)
		if err != nil {
			return llm.RawReply{}, failed(ctx, err)
		}
		if a == nil {
			a, err = s.await(ctx, arrival)
		}
		switch {
		case err != nil:
			return llm.RawReply{}, failed(ctx, err)
		case a != nil:
			return s.take(ctx, reply, a)
		}
	}
}

// await waits for a reply; nil if it takes so long that the request may be lost. Meanwhile it makes
// room for the reply in a store that was full.
func (s *Sender) await(ctx context.Context, arrival <-chan *answer) (*answer, error) {
	for range lookAgain / makeRoomAfter {
		select {
		case a := <-arrival:
			return a, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(makeRoomAfter):
			if s.window.bounded() {
				s.makeRoom(ctx)
			}
		}
	}
	return nil, nil
}

// leave stops the waiting of one Send.
func (s *Sender) leave(reply string, arrival chan *answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := slices.DeleteFunc(s.waiting[reply], func(c chan *answer) bool { return c == arrival })
	if s.waiting[reply] = left; len(left) == 0 {
		delete(s.waiting, reply)
	}
}

// ask returns the stored reply, or makes sure that the request is in the queue and has its place in
// the window.
func (s *Sender) ask(ctx context.Context, subject string, data []byte, entered *bool) (a *answer, err error) {
	err = s.q.insist(ctx, func(ctx context.Context) error {
		if a, err = s.q.storedReply(ctx, subject); err != nil || a != nil {
			return err
		}
		if !*entered && !s.window.enter(ctx) {
			s.makeRoom(ctx) // for the replies that it waits for
			return errAgain
		}
		err := s.q.publish(ctx, subject, data)
		if *entered = err == nil; *entered {
			return nil
		}
		s.window.refused(err)
		if full(err) {
			s.q.trouble.refused(err, time.Now())
			if s.makeRoom(ctx) {
				return errAgain
			}
		}
		return err
	})
	return a, err
}

// makeRoom deletes replies that are in the run's journal. It reports whether it deleted any.
func (s *Sender) makeRoom(ctx context.Context) bool {
	s.mu.Lock()
	n := 0
	for n < min(len(s.delivered), purges) && time.Since(s.delivered[n].at) > inJournal {
		n++
	}
	drop := s.delivered[:n]
	s.delivered = s.delivered[n:]
	s.mu.Unlock()
	for _, t := range drop {
		_ = s.q.replies.Purge(ctx, jetstream.WithPurgeSubject(t.subject)) // Done deletes the rest
	}
	return len(drop) > 0
}

// take turns a message into a reply. A failure is deleted from the stream, so that a resumed run
// asks again.
func (s *Sender) take(ctx context.Context, subject string, a *answer) (llm.RawReply, error) {
	raw := llm.RawReply{Status: a.Status, Body: a.Body}
	if a.Error == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.delivered = append(s.delivered, delivered{subject, time.Now()})
		if len(s.delivered) > maxDelivered {
			s.delivered = s.delivered[1:]
		}
		return raw, nil
	}
	_ = s.q.insist(ctx, func(ctx context.Context) error {
		return s.q.replies.Purge(ctx, jetstream.WithPurgeSubject(subject))
	})
	e := *a.Error // a copy: other requests may wait for it too
	e.Status = a.Status
	return raw, &e
}

// failed returns the error of a Send that got no reply.
func failed(ctx context.Context, err error) error {
	e := &llm.Error{Kind: llm.KindTransport, Message: "queue: " + llm.OneLine(err.Error()), Fatal: true}
	switch {
	case ctx.Err() != nil:
		e.Kind, e.Fatal, e.Message, e.Cause = llm.KindCanceled, false, context.Cause(ctx).Error(), ctx.Err()
	case tooLarge(err):
		e.Kind, e.Fatal = llm.KindTooLarge, false
		e.Hint = raisePayload
	}
	return e
}

// raisePayload says how to allow larger messages.
const raisePayload = "raise max_payload of the NATS server, and max_msg_size of its streams"

// Done deletes the replies of a finished run, which are in its journal.
func (s *Sender) Done(ctx context.Context) error {
	return s.q.replies.Purge(ctx, jetstream.WithPurgeSubject("judge.reply."+s.run+".>"))
}

// Close stops the Sender.
func (s *Sender) Close() { s.replies.Stop() }
