package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/judgekit/judge/internal/llm"
)

// refusal returns a server's error.
func refusal(code jetstream.ErrorCode, text string) error {
	return fmt.Errorf("nats: %w", &jetstream.APIError{ErrorCode: code, Description: text})
}

// TestRefusalsOfTheServer: a full store is waited for, a request that stands already is no error, and what a restart does
// not change is not tried again.
func TestRefusalsOfTheServer(t *testing.T) {
	const perSubject = "maximum messages per subject exceeded"
	for _, tt := range []struct {
		err    error
		full   bool
		stands bool
		large  bool
		lasts  bool
	}{
		{nil, false, false, false, false},
		{errors.New("timeout"), false, false, false, false},
		{refusal(10002, "resource limits exceeded for account"), true, false, false, false},
		{refusal(10023, "insufficient resources"), true, false, false, false},
		{refusal(10028, "insufficient memory resources available"), true, false, false, false},
		{refusal(10047, "insufficient storage resources available"), true, false, false, false},
		{refusal(10077, "maximum bytes exceeded"), true, false, false, false},
		{refusal(10077, perSubject), false, true, false, false},
		{errors.New(perSubject), false, true, false, false},
		{refusal(10054, "message size exceeds maximum allowed"), false, false, true, true},
		{refusal(10059, "stream not found"), false, false, false, false},
		{nats.ErrMaxPayload, false, false, true, true},
		{nats.ErrConnectionClosed, false, false, false, true},
		{nats.ErrAuthorization, false, false, false, true},
		{nats.ErrPermissionViolation, false, false, false, true},
		{nats.ErrTimeout, false, false, false, false},
	} {
		got := [4]bool{full(tt.err), stands(tt.err), tooLarge(tt.err), lasting(tt.err)}
		if want := [4]bool{tt.full, tt.stands, tt.large, tt.lasts}; got != want {
			t.Errorf("%v: full, stands, too large, lasting: %v, want %v", tt.err, got, want)
		}
	}
	if got := reason(refusal(10047, "no room")); got != "no room" {
		t.Errorf("the reason is %q", got)
	}
	if got := reason(errors.New("no room")); got != "no room" {
		t.Errorf("the reason is %q", got)
	}
}

// TestTroubleIsSaidOnce: that the store is full, or the server silent, is said once, and that it goes on again once; the
// next time only after a minute without a refusal.
func TestTroubleIsSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []string
		q := &trouble{note: func(line string) { said = append(said, line) }}
		expect := func(what string, want ...string) {
			t.Helper()
			if len(said) != len(want) {
				t.Fatalf("%s: said %q", what, said)
			}
			for i := range want {
				if !strings.Contains(said[i], want[i]) {
					t.Errorf("%s: said %q, want %q", what, said[i], want[i])
				}
			}
			said = nil
		}
		no, silent := refusal(10047, "no storage"), errors.New("timeout")
		q.stored()
		q.refused(silent, time.Now().Add(-10*time.Second))
		expect("a short silence")
		q.refused(silent, time.Now().Add(-11*time.Second))
		expect("a silence", "the queue does not answer (timeout)")
		q.refused(silent, time.Now().Add(-time.Minute))
		time.Sleep(3 * time.Second)
		q.stored()
		expect("not yet sure")
		time.Sleep(4 * time.Second)
		q.stored()
		expect("again", "the queue takes messages again after 4s; going on")
		q.stored()
		q.refused(no, time.Now().Add(-time.Hour))
		expect("too soon after the last refusal")
		time.Sleep(time.Minute + time.Second)
		q.refused(no, time.Now())
		expect("full", "the queue's store is full (no storage): waiting for room")
		time.Sleep(30 * time.Second)
		q.refused(no, time.Now())
		time.Sleep(2 * time.Minute)
		q.stored()
		expect("room", "the queue takes messages again after 2m30s")
		q.refused(no, time.Now())
		time.Sleep(time.Second)
		q.stored()
		time.Sleep(time.Second)
		q.stored()
		expect("a flood of messages between", "the queue's store is full")
		for range 70 {
			time.Sleep(time.Second)
			q.stored()
		}
		q.refused(no, time.Now())
		expect("after more than a minute of messages", "the queue's store is full")
	})
}

// TestWindow: when the store is full, a run may have half as many requests in it, and one more after as many answers.
func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &window{}
		for range 8 {
			if !w.enter(t.Context()) {
				t.Fatal("a window without a limit is full")
			}
		}
		w.refused(errors.New("timeout"))
		if w.answered(); w.bounded() {
			t.Error("a silent server, or an answer, limits the requests")
		}
		w.enter(t.Context())
		w.refused(refusal(10047, "no storage")) // six are in it
		if !w.bounded() || w.most != 3 || w.in != 6 {
			t.Errorf("%+v", w)
		}
		began := time.Now()
		if w.enter(t.Context()) || time.Since(began) != time.Second {
			t.Errorf("entered a full window after %v", time.Since(began))
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if w.enter(gone) {
			t.Error("entered a full window though nobody waits")
		}
		for i, most := range []int{3, 3, 4, 4, 4, 4, 5} {
			if w.answered(); w.most != most {
				t.Errorf("after %d answers %d may be there, want %d", i+1, w.most, most)
			}
		}
		w.in = 5
		go func() {
			time.Sleep(500 * time.Millisecond)
			w.answered()
		}()
		began = time.Now()
		if !w.enter(t.Context()) || time.Since(began) != 500*time.Millisecond {
			t.Errorf("entered after %v", time.Since(began))
		}
		w.in = 1
		if w.refused(refusal(10047, "no storage")); w.most != 1 {
			t.Errorf("%d requests may be there", w.most)
		}
	})
}

// TestSubjects: what runs and workers of different versions must agree on.
func TestSubjects(t *testing.T) {
	p := prepared(t, 1, 0)
	want := "judge.request.62c66a7a5dd7.25.ab12." + p.Fingerprint.String()
	if got := requestSubject("ab12", p); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := replySubject(want); got != "judge.reply.ab12."+p.Fingerprint.String() {
		t.Errorf("the reply is at %s", got)
	}
	for _, key := range []string{"c1", "c1#0 r", "c1#17 r", "#", ""} {
		if got := partitionOf(key); (got == partitionOf("c1")) != strings.HasPrefix(key, "c1") {
			t.Errorf("%q is in partition %d", key, got)
		}
	}
	if partitionOf("a#b#0 r") != partitionOf("a#b#9 s") || partitionOf("a#b#0 r") == partitionOf("a#0 r") {
		t.Error("an id with a # is cut")
	}
	if partitionOf("#0 r") != partitionOf("#1 s") {
		t.Error("calls of a conversation without an id are in different partitions")
	}
	if a, err := readAnswer([]byte(`{"status":200,"body":"e30="}`)); err != nil || a.Status != 200 || string(a.Body) != "{}" {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := readAnswer([]byte(`{`)); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
}

// TestFailedSends: who got no reply is told why, and whether another request would fail too.
func TestFailedSends(t *testing.T) {
	gone, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	for _, tt := range []struct {
		ctx  context.Context
		err  error
		want llm.Error
	}{
		{t.Context(), errors.New("no\nserver"), llm.Error{Kind: llm.KindTransport, Message: "queue: no server", Fatal: true}},
		{t.Context(), nats.ErrMaxPayload, llm.Error{Kind: llm.KindTooLarge, Message: "queue: " + nats.ErrMaxPayload.Error(), Hint: raisePayload}},
		{gone, nats.ErrMaxPayload, llm.Error{Kind: llm.KindCanceled, Message: "enough"}},
	} {
		got := *failed(tt.ctx, tt.err).(*llm.Error)
		if errors.Is(&got, context.Canceled) != (tt.want.Kind == llm.KindCanceled) {
			t.Errorf("%v is a cancellation", got)
		}
		if got.Cause = nil; !cmp.Equal(tt.want, got) {
			t.Errorf("%v", cmp.Diff(tt.want, got))
		}
	}
}

// TestDelivered: of the replies that a run has received, the newest 4,096 are known.
func TestDelivered(t *testing.T) {
	s := &Sender{}
	for i := range maxDelivered + 3 {
		raw, err := s.take(t.Context(), fmt.Sprint("s", i), &answer{Status: 200, Body: []byte("x")})
		if err != nil || raw.Status != 200 || string(raw.Body) != "x" {
			t.Fatal(raw, err)
		}
	}
	if n := len(s.delivered); n != 4096 || s.delivered[0].subject != "s3" || s.delivered[n-1].subject != "s4098" {
		t.Errorf("%d are known, the first %s", n, s.delivered[0].subject)
	}
}
