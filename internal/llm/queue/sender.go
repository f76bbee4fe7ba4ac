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

// lookAgain is the time after which Send makes sure that its request is still in the queue.
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
	waiting map[string][]chan *answer // by subject of the reply
	// taken are the newest replies that the run has, which may leave a full store.
	taken []taken
}

// taken is a reply that was passed on.
type taken struct {
	subject string
	at      time.Time
}

const (
	// mostTaken bounds the replies that are remembered, and purges how many of them leave a
	// full store at once. inJournal is how long a run has to write one into its journal.
	mostTaken = 4096
	purges    = 32
	inJournal = time.Second
)

var _ llm.Sender = (*Sender)(nil)

// NewSender makes a Sender for the run of that id, of hexadecimal digits.
func (q *Queue) NewSender(ctx context.Context, run string) (*Sender, error) {
	s := &Sender{q: q, run: run, waiting: map[string][]chan *answer{}}
	err := q.insist(ctx, func(ctx context.Context) error {
		consumer, err := q.js.OrderedConsumer(ctx, replyStream, jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{"judge.reply." + run + ".>"},
		})
		if err == nil {
			s.replies, err = consumer.Consume(func(msg jetstream.Msg) { s.arrived(msg.Subject(), msg.Data()) })
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("queue: replies of run %s: %w", run, err)
	}
	return s, nil
}

// arrived passes a reply on to the Send that waits for it. Others were answered before.
func (s *Sender) arrived(subject string, data []byte) {
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

// Send implements [llm.Sender]: it publishes the request and waits for its reply, which
// may have been stored for an earlier process of the run.
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
	entered := false // the window
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

// await waits for a reply to arrive; nil if that takes so long that the request may be gone.
// Meanwhile it makes room for the reply in a store that was full.
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

// leave ends the waiting of one Send.
func (s *Sender) leave(reply string, arrival chan *answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := slices.DeleteFunc(s.waiting[reply], func(c chan *answer) bool { return c == arrival })
	if s.waiting[reply] = left; len(left) == 0 {
		delete(s.waiting, reply)
	}
}

// ask returns the stored reply, or makes sure that the request is in the queue and has its place
// in the window.
func (s *Sender) ask(ctx context.Context, subject string, data []byte, entered *bool) (a *answer, err error) {
	err = s.q.insist(ctx, func(ctx context.Context) error {
		if a, err = s.q.stored(ctx, subject); err != nil || a != nil {
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

// makeRoom drops replies that are in the journal of the run. It reports whether there were any.
func (s *Sender) makeRoom(ctx context.Context) bool {
	s.mu.Lock()
	n := 0
	for n < min(len(s.taken), purges) && time.Since(s.taken[n].at) > inJournal {
		n++
	}
	drop := s.taken[:n]
	s.taken = s.taken[n:]
	s.mu.Unlock()
	for _, t := range drop {
		_ = s.q.replies.Purge(ctx, jetstream.WithPurgeSubject(t.subject)) // Done drops what is left
	}
	return len(drop) > 0
}

// take makes a reply of an answer. A failure is dropped from the stream, so that a resumed
// run asks again.
func (s *Sender) take(ctx context.Context, subject string, a *answer) (llm.RawReply, error) {
	raw := llm.RawReply{Status: a.Status, Body: a.Body}
	if a.Error == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.taken = append(s.taken, taken{subject, time.Now()})
		if len(s.taken) > mostTaken {
			s.taken = s.taken[1:]
		}
		return raw, nil
	}
	_ = s.q.insist(ctx, func(ctx context.Context) error {
		return s.q.replies.Purge(ctx, jetstream.WithPurgeSubject(subject))
	})
	e := *a.Error // others may wait for it too
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

// raisePayload says what makes room for a large message.
const raisePayload = "raise max_payload of the NATS server, and max_msg_size of its streams"

// Done drops the replies of a run that is finished: they are in its journal.
func (s *Sender) Done(ctx context.Context) error {
	return s.q.replies.Purge(ctx, jetstream.WithPurgeSubject("judge.reply."+s.run+".>"))
}

// Close ends the Sender.
func (s *Sender) Close() { s.replies.Stop() }
