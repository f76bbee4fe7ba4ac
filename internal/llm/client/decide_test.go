package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
)

// TestUnanswered: what a failure without a complete reply means, and what its reader can do.
func TestUnanswered(t *testing.T) {
	const (
		late      = "raise the endpoint's timeout, or lower its concurrency"
		untrusted = "the server's certificate is not trusted; add its authority to the system's trust store, or use http"
		noTLS     = "the server does not use TLS; use http:// in the base URL"
		host      = "check the host name in the base URL"
		nobody    = "nothing listens there: is the server running, and is the port right?"
		cut       = "connection closed in the middle of the reply"
		files     = "the endpoint is not at fault, this process may open no more files: lower --concurrency, or raise " +
			"the limit (ulimit -n), and run the same again"
	)
	timeout := llm.Error{Kind: llm.KindTimeout, Message: "no complete reply in time", Hint: late, Retryable: true}
	for _, tt := range []struct {
		err  error
		want llm.Error
	}{
		{fmt.Errorf("post: %w", context.DeadlineExceeded), timeout},
		{&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, timeout},
		{&tls.CertificateVerificationError{Err: errors.New("it has expired")}, llm.Error{Kind: llm.KindTransport,
			Message: "tls: failed to verify certificate: it has expired", Hint: untrusted, Fatal: true}},
		{x509.UnknownAuthorityError{}, llm.Error{Kind: llm.KindTransport,
			Message: "x509: certificate signed by unknown authority", Hint: untrusted, Fatal: true}},
		{tls.RecordHeaderError{Msg: "no handshake"}, llm.Error{Kind: llm.KindTransport,
			Message: "tls: no handshake", Hint: noTLS, Fatal: true}},
		{&net.DNSError{Err: "no such host", Name: "gpu-box", IsNotFound: true}, llm.Error{Kind: llm.KindTransport,
			Message: "lookup gpu-box: no such host", Hint: host, Retryable: true, Unreached: true}},
		{&net.DNSError{Err: "server misbehaving", Name: "gpu-box"}, llm.Error{Kind: llm.KindTransport,
			Message: "lookup gpu-box: server misbehaving", Hint: host, Retryable: true}},
		{&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}, llm.Error{Kind: llm.KindTransport,
			Message: "dial tcp: connection refused", Hint: nobody, Retryable: true, Unreached: true}},
		{&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNRESET}, llm.Error{Kind: llm.KindTransport,
			Message: "dial tcp: connection reset by peer", Retryable: true}},
		{fmt.Errorf("read: %w", io.ErrUnexpectedEOF), llm.Error{Kind: llm.KindTransport, Message: cut, Retryable: true}},
		{io.EOF, llm.Error{Kind: llm.KindTransport, Message: cut, Retryable: true}},
		{errors.New("not\r\nHTTP"), llm.Error{Kind: llm.KindTransport, Message: "not HTTP", Retryable: true}},
		{noFile, llm.Error{Kind: llm.KindLocal,
			Message: "dial tcp: socket: too many open files", Hint: files, Retryable: true, Fatal: true}},
		{fmt.Errorf("x: %w", &llm.Error{Kind: llm.KindTooLarge, Message: "too large"}),
			llm.Error{Kind: llm.KindTooLarge, Message: "too large"}},
	} {
		if diff := cmp.Diff(&tt.want, unanswered(tt.err)); diff != "" {
			t.Errorf("%v:\n%s", tt.err, diff)
		}
	}
	if e := unanswered(winRefused); !e.Unreached || e.Hint != nobody {
		t.Errorf("refused on Windows: %+v", e)
	}
}

// TestJitter: a wait is drawn from everything below a ceiling, which doubles with each failure until half a minute.
func TestJitter(t *testing.T) {
	for _, tt := range []struct {
		first   time.Duration
		n       int
		ceiling time.Duration
	}{
		{time.Second, 1, time.Second}, {time.Second, 2, 2 * time.Second}, {time.Second, 5, 16 * time.Second},
		{time.Second, 6, 30 * time.Second}, {time.Second, 100, 30 * time.Second}, {1000, 17, 65536000}, {1000, 18, 65536000},
	} {
		longest := time.Duration(0)
		for range 400 {
			wait := jitter(tt.first, tt.n)
			if wait <= 0 {
				t.Fatalf("a wait of %v", wait)
			}
			longest = max(longest, wait)
		}
		if longest > tt.ceiling || longest < tt.ceiling*9/10 {
			t.Errorf("after %d failures, first %v: up to %v of %v", tt.n, tt.first, longest, tt.ceiling)
		}
	}
}

// watched returns the replicas of a client that watches for outages, with no server behind it. With an outage below 0
// nobody watches.
func watched(t *testing.T, outage time.Duration, replicas int) (*Client, []*replica) {
	ep := Endpoint{BaseURL: "http://r0/v1"}
	for i := range replicas - 1 {
		ep.Replicas = append(ep.Replicas, fmt.Sprintf("http://r%d/v1", i+1))
	}
	c := client(t, ep, Config{Outage: outage, Transport: &script{replies: []func() (*http.Response, error){
		func() (*http.Response, error) { return nil, syscall.ECONNREFUSED }}}})
	return c, c.replicas
}

// TestWaitForRetry: the wait before the next attempt is the server's, up to a minute or the time of an outage; where it
// is more, and outages are watched for, it is the usual one.
func TestWaitForRetry(t *testing.T) {
	const usual = firstBackoff
	for _, tt := range []struct {
		outage, named time.Duration
		status        int
		least, most   time.Duration
	}{
		{-1, 0, 500, 1, usual},
		{-1, 7 * time.Second, 503, 7 * time.Second, 7700*time.Millisecond + 1},
		{-1, 7 * time.Second, 200, 1, usual},
		{-1, time.Minute, 429, time.Minute, 61 * time.Second},
		{-1, time.Hour, 429, time.Minute, 61 * time.Second},
		{30 * time.Second, 45 * time.Second, 429, 45 * time.Second, 46 * time.Second},
		{10 * time.Minute, 10 * time.Minute, 429, 10 * time.Minute, 10*time.Minute + time.Second},
		{10 * time.Minute, 10*time.Minute + 1, 429, 1, usual},
	} {
		c, r := watched(t, tt.outage, 1)
		for range 50 {
			s := &sending{at: r[0]}
			if wait := c.wait(s, &llm.Error{Status: tt.status, RetryAfter: tt.named}); wait < tt.least || wait > tt.most {
				t.Fatalf("HTTP %d names %v, an outage lasts %v: waits %v", tt.status, tt.named, tt.outage, wait)
			}
		}
		if told := time.Until(r[0].until) > 0; told != (tt.least > 1) {
			t.Errorf("HTTP %d names %v, an outage lasts %v: other requests wait is %v", tt.status, tt.named, tt.outage, told)
		}
	}
}

// TestCharge: an attempt counts unless the server said "later" or it never left this machine; then the time counts, up
// to that of an outage.
func TestCharge(t *testing.T) {
	const outage = 10 * time.Minute
	busy := llm.Error{Kind: llm.KindServer, Status: 503}
	boom, late := llm.Error{Kind: llm.KindServer, Status: 500}, llm.Error{Kind: llm.KindTimeout}
	limited := llm.Error{Kind: llm.KindRateLimited, Status: 429}
	for name, tt := range map[string]struct {
		outage     time.Duration
		overloaded bool
		charged    int
		hung       time.Duration
		ago        time.Duration // of the first free attempt; 0 for none
		e          llm.Error
		more       bool
		after      int
	}{
		"first failure":                    {outage, false, 0, 0, 0, boom, true, 1},
		"the one before the last":          {outage, false, 3, 0, 0, boom, true, 4},
		"the last":                         {outage, false, 4, 0, 0, boom, false, 5},
		"503":                              {outage, false, 0, 0, 0, busy, true, 1},
		"503 of an overloaded server":      {outage, true, 0, 0, 0, busy, true, 0},
		"503, nobody watches":              {-1, true, 0, 0, 0, busy, true, 1},
		"500 of an overloaded server":      {outage, true, 0, 0, 0, boom, true, 1},
		"429":                              {outage, false, 4, 0, 0, limited, true, 4},
		"429, nobody watches":              {-1, false, 0, 0, 0, limited, true, 1},
		"no file descriptor":               {outage, false, 4, 0, 0, llm.Error{Kind: llm.KindLocal}, true, 4},
		"429 for nearly an outage":         {outage, false, 0, 0, outage - 1, limited, true, 0},
		"429 for as long as an outage":     {outage, false, 0, 0, outage, limited, false, 0},
		"hung for nearly ten minutes":      {outage, false, 0, 10*time.Minute - 1, 0, late, true, 1},
		"hung for ten minutes":             {outage, false, 0, 10 * time.Minute, 0, late, false, 1},
		"hung for hours, no one watches":   {-1, false, 0, time.Hour, 0, late, true, 1},
		"hung for hours, last, no watcher": {-1, false, 4, time.Hour, 0, late, false, 5},
	} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Hour) // the limits of the hour before are far
			c, r := watched(t, tt.outage, 1)
			if tt.overloaded {
				r[0].limiter.adapt.cut = time.Now()
			}
			s := &sending{at: r[0], charged: tt.charged, hung: tt.hung}
			if tt.ago > 0 {
				s.limited = time.Now().Add(-tt.ago)
			}
			if more := c.charge(s, &tt.e); more != tt.more || s.charged != tt.after {
				t.Errorf("%s: another attempt %v, %d charged; want %v, %d", name, more, s.charged, tt.more, tt.after)
			}
		})
	}
}

// TestMoveElsewhere: an attempt that got no reply at all moves to another replica, twice for each replica at most.
func TestMoveElsewhere(t *testing.T) {
	for name, tt := range map[string]struct {
		replicas int
		e        llm.Error
		moves    int
	}{
		"no connection":      {2, llm.Error{Kind: llm.KindTransport}, 4},
		"one replica":        {1, llm.Error{Kind: llm.KindTransport}, 0},
		"cut in the middle":  {2, llm.Error{Kind: llm.KindTransport, Status: 200}, 0},
		"no reply in time":   {2, llm.Error{Kind: llm.KindTimeout}, 0},
		"a failing server":   {2, llm.Error{Kind: llm.KindServer, Status: 500}, 0},
		"three, all of them": {3, llm.Error{Kind: llm.KindTransport}, 6},
	} {
		c, r := watched(t, -1, tt.replicas)
		s := &sending{at: r[0], req: &llm.Prepared{}}
		moves := 0
		for moves < 10 && c.moveElsewhere(s, &tt.e) {
			moves++
		}
		if moves != tt.moves {
			t.Errorf("%s: %d moves, want %d", name, moves, tt.moves)
		}
	}
}

// TestRefusalOfOne: after a good answer a refusal is the item's own, until twenty items in a row have it.
func TestRefusalOfOne(t *testing.T) {
	const own = "the endpoint refused this item; others are not affected"
	for name, tt := range map[string]struct {
		outage time.Duration
		e      llm.Error
		before int // items with the same refusal
		want   llm.Error
	}{
		"a key that may not": {time.Minute, llm.Error{Kind: llm.KindUnauthorized, Status: 403, Message: "no", Fatal: true}, 0,
			llm.Error{Kind: llm.KindUnauthorized, Status: 403, Message: "no", Hint: own}},
		"the nineteenth": {time.Minute, llm.Error{Kind: llm.KindUnauthorized, Status: 403, Message: "no", Fatal: true}, 18,
			llm.Error{Kind: llm.KindUnauthorized, Status: 403, Message: "no", Hint: own}},
		"the twentieth": {time.Minute, llm.Error{Kind: llm.KindUnauthorized, Status: 403, Message: "no", Fatal: true}, 19,
			llm.Error{Kind: llm.KindUnauthorized, Status: 403, Message: "no; the same for 20 items in a row", Fatal: true}},
		"nobody watches": {-1, llm.Error{Kind: llm.KindUnauthorized, Status: 403, Message: "no", Fatal: true}, 0,
			llm.Error{Kind: llm.KindUnauthorized, Status: 403, Message: "no", Fatal: true}},
		"a bad request": {time.Minute, llm.Error{Kind: llm.KindBadRequest, Status: 400, Message: "no"}, 0,
			llm.Error{Kind: llm.KindBadRequest, Status: 400, Message: "no"}},
		"a bad certificate": {time.Minute, llm.Error{Kind: llm.KindTransport, Message: "no", Fatal: true}, 0,
			llm.Error{Kind: llm.KindTransport, Message: "no", Fatal: true}},
	} {
		c, r := watched(t, tt.outage, 1)
		r[0].goods = 1
		item := func(i int) llm.Fingerprint { return llm.Fingerprint{byte(i)} }
		for i := range tt.before {
			r[0].countRepeat(&tt.e, item(i))
			r[0].countRepeat(&tt.e, item(i)) // again: one item counts once
		}
		s := &sending{at: r[0], req: &llm.Prepared{Fingerprint: item(99)}}
		if diff := cmp.Diff(&tt.want, c.refused(t.Context(), s, &tt.e)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	_, r := watched(t, time.Minute, 1)
	_, other := watched(t, time.Minute, 1)
	for i := range 40 { // another failure in between begins a new row
		status := llm.Error{Kind: llm.KindUnauthorized, Status: 401 + 2*(i/19%2)}
		kind := llm.Error{Kind: []llm.ErrorKind{llm.KindServer, llm.KindBadRequest}[i/19%2], Status: 500}
		if r[0].countRepeat(&status, llm.Fingerprint{byte(i)}) || other[0].countRepeat(&kind, llm.Fingerprint{byte(i)}) {
			t.Errorf("the %d. failure ends a row of twenty", i+1)
		}
	}
}

// TestWhatIsALimit: what counts as a refusal because of the server's load, and once for each request.
func TestWhatIsALimit(t *testing.T) {
	for _, tt := range []struct {
		e             *llm.Error
		good, refused int
	}{
		{nil, 3, 0},
		{&llm.Error{Kind: llm.KindRateLimited, Status: 429}, 0, 1}, {&llm.Error{Kind: llm.KindTimeout}, 0, 1},
		{&llm.Error{Kind: llm.KindLocal}, 0, 1}, {&llm.Error{Kind: llm.KindServer, Status: 503}, 0, 1},
		{&llm.Error{Kind: llm.KindServer, Status: 500}, 0, 0}, {&llm.Error{Kind: llm.KindTransport}, 0, 0},
		{&llm.Error{Kind: llm.KindBadRequest, Status: 400}, 0, 0},
	} {
		_, r := watched(t, time.Minute, 1)
		s := &sending{at: r[0]}
		for range 3 {
			r[0].ended(s, time.Now(), tt.e)
		}
		if a := r[0].limiter.adapt; a.good != tt.good || a.refused != tt.refused {
			t.Errorf("%+v: %d good, %d refused", tt.e, a.good, a.refused)
		}
	}
	_, r := watched(t, time.Minute, 1)
	s := &sending{at: r[0]}
	r[0].ended(s, time.Now(), &llm.Error{Kind: llm.KindRateLimited, Status: 429})
	r[0].ended(s, time.Now(), &llm.Error{Kind: llm.KindBadRequest, Status: 400})
	if a := r[0].limiter.adapt; a.good != 0 || a.refused != 1 {
		t.Errorf("a refused request that is wrong besides: %d good, %d refused", a.good, a.refused)
	}
}

// TestWhatStartsACheck: three failures of a server in a row, or one with a wait that is longer than an outage.
func TestWhatStartsACheck(t *testing.T) {
	down, cut := llm.Error{Kind: llm.KindServer, Status: 500}, llm.Error{Kind: llm.KindTransport}
	own, here := llm.Error{Kind: llm.KindBadRequest, Status: 400}, llm.Error{Kind: llm.KindLocal}
	named := func(d time.Duration) llm.Error {
		return llm.Error{Kind: llm.KindRateLimited, Status: 429, RetryAfter: d}
	}
	for name, tt := range map[string]struct {
		outage   time.Duration
		answered int // by this replica, 2: by another one
		errs     []llm.Error
		want     state
		broken   bool
		replies  int
	}{
		"two":                     {time.Minute, 1, []llm.Error{down, cut}, working, true, 0},
		"three":                   {time.Minute, 1, []llm.Error{down, down, down}, checking, false, 0},
		"three, one cut":          {time.Minute, 2, []llm.Error{cut, down, down}, checking, true, 0},
		"three, no one watches":   {-1, 1, []llm.Error{down, down, down}, working, false, 0},
		"three, before any reply": {time.Minute, 0, []llm.Error{cut, cut, cut}, working, true, 0},
		"with one of an item":     {time.Minute, 1, []llm.Error{down, down, own, down, down}, working, false, 1},
		"with some of here":       {time.Minute, 1, []llm.Error{here, down, here, down, here}, working, false, 0},
		"a minute, as an outage":  {time.Minute, 1, []llm.Error{named(time.Minute)}, working, false, 0},
		"longer than an outage":   {time.Minute, 1, []llm.Error{named(time.Minute + 1)}, checking, false, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, all := watched(t, tt.outage, 1)
			r := all[0]
			r.answered.Store(tt.answered == 1)
			c.answered.Store(tt.answered == 2)
			for i := range tt.errs {
				r.failed(&llm.Request{}, &tt.errs[i])
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.state != tt.want || r.broken != tt.broken || r.replies != tt.replies {
				t.Errorf("%s: state %d, broken %v, %d replies", name, r.state, r.broken, r.replies)
			}
		})
	}
}

// TestNextTry: during a check the waits are short until an outage is certain, then they grow to half a minute; they are
// at least what the server asks for, and end with the time of an outage unless other replicas work.
func TestNextTry(t *testing.T) {
	const quick, outage = 250 * time.Millisecond, 10 * time.Minute
	for _, tt := range []struct {
		missed      int
		named, left time.Duration
		replicas    int
		want        time.Duration
	}{
		{0, 0, outage, 1, quick}, {4, 0, outage, 1, quick},
		{5, 0, outage, 1, time.Second}, {6, 0, outage, 1, 2 * time.Second},
		{9, 0, outage, 1, 16 * time.Second}, {10, 0, outage, 1, 30 * time.Second}, {99, 0, outage, 1, 30 * time.Second},
		{0, 90 * time.Second, outage, 1, 90 * time.Second}, {0, outage, outage, 1, outage}, {0, outage + 1, outage, 1, quick},
		{7, time.Second, outage, 1, 4 * time.Second},
		{9, 0, 3 * time.Second, 1, 3 * time.Second}, {9, 0, 0, 1, time.Millisecond},
		{9, 0, -time.Hour, 1, time.Millisecond}, {9, 0, 0, 2, 16 * time.Second}, {9, 0, -1, 2, 16 * time.Second},
		{9, 0, 3 * time.Second, 2, 3 * time.Second},
	} {
		_, r := watched(t, outage, tt.replicas)
		if got := r[0].nextTry(tt.missed, &llm.Error{RetryAfter: tt.named}, tt.left); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// TestCountMiss: the fifth miss makes an outage; from then on a check gives up when its time is over and no other
// replica works, or when nothing has ever listened.
func TestCountMiss(t *testing.T) {
	why := &llm.Error{Kind: llm.KindServer, Status: 503, Message: "busy"}
	tooLong := &llm.Error{
		Kind: llm.KindOutage, Status: 503, Fatal: true, Message: "no answer for 1m0s: busy",
		Hint: "no judgement was charged for it; --outage says how long to wait",
	}
	for name, tt := range map[string]struct {
		n, replicas     int
		late, unreached bool
		before, after   state
		want            *llm.Error
	}{
		"the fourth":                  {4, 1, true, true, checking, checking, nil},
		"the fifth":                   {5, 1, false, false, checking, down, nil},
		"the fifth of an ended one":   {5, 1, false, false, ended, ended, nil},
		"the fifth, late":             {5, 1, true, false, checking, down, tooLong},
		"the sixth, late":             {6, 1, true, false, down, down, tooLong},
		"the sixth":                   {6, 1, false, false, down, down, nil},
		"late, but others work":       {6, 2, true, false, down, down, nil},
		"nothing has ever listened":   {5, 1, false, true, checking, down, why},
		"nothing here, but elsewhere": {5, 2, true, true, checking, down, nil},
	} {
		_, r := watched(t, time.Minute, tt.replicas)
		r[0].state = tt.before
		r[0].unreached.Store(tt.unreached)
		if diff := cmp.Diff(tt.want, r[0].countMiss(tt.n, why, tt.late)); diff != "" || r[0].state != tt.after {
			t.Errorf("%s: state %d\n%s", name, r[0].state, diff)
		}
	}
	_, r := watched(t, time.Minute, 2)
	r[0].state, r[1].state = down, down
	if diff := cmp.Diff(tooLong, r[0].countMiss(6, why, true)); diff != "" {
		t.Errorf("late, and the other replica is down too:\n%s", diff)
	}
}

// TestLostModel: a server that is back and does not know the model has lost it.
func TestLostModel(t *testing.T) {
	for _, tt := range []struct {
		kind    llm.ErrorKind
		message string
		want    *llm.Error
	}{
		{llm.KindNotFound, `Model "m" not found`, &llm.Error{
			Kind: llm.KindModel, Status: 404, Fatal: true, Hint: "load the model again and resume the run",
			Message: `the endpoint came back without the model: Model "m" not found`,
		}},
		{llm.KindNotFound, "no such page", nil}, {llm.KindUnauthorized, "no such model for you", nil},
	} {
		if diff := cmp.Diff(tt.want, lost(&llm.Error{Kind: tt.kind, Status: 404, Message: tt.message})); diff != "" {
			t.Errorf("%s %s:\n%s", tt.kind, tt.message, diff)
		}
	}
	_, r := watched(t, time.Minute, 1)
	r[0].broken, r[0].models = true, []string{"a\nb", "c"}
	want := &llm.Error{
		Kind: llm.KindModel, Fatal: true,
		Message: `the endpoint went away and came back with the model "x y"; before it was "a b"`,
		Hint:    "start the same model again and resume the run, or begin a new run",
	}
	if diff := cmp.Diff(want, r[0].otherModel("x\ny")); diff != "" {
		t.Error(diff)
	}
	if e := r[0].otherModel(""); e != nil {
		t.Errorf("a server that names no model: %v", e)
	}
	if r[0].models = nil; r[0].otherModel("x") != nil {
		t.Error("a server that named no model before has changed it")
	}
	if r[0].models, r[0].broken = []string{"a"}, false; r[0].otherModel("x") != nil {
		t.Error("a server that was not away has changed its model")
	}
}

// TestProbe: a check waits for a plain answer as long as the endpoint's pace allows; what it refuses of the request
// counts as an answer.
func TestProbe(t *testing.T) {
	const plain = `{"model":"m","messages":[{"role":"user","content":"Say yes."}],"max_tokens":1,"stream":false,"x":1}`
	hangs := troubles()["hang"]
	for name, tt := range map[string]struct {
		list    int
		plain   trouble
		whole   bool
		slowest time.Duration
		timeout time.Duration
		kind    llm.ErrorKind
		took    time.Duration
		sent    int
	}{
		"the list is enough":        {200, hangs, false, 0, 0, "", 0, 0},
		"no list is enough too":     {404, hangs, false, 0, 0, "", 0, 0},
		"hangs, its pace unknown":   {200, hangs, true, 0, 0, llm.KindTimeout, time.Minute, 1},
		"hangs, was fast":           {200, hangs, true, time.Millisecond, 0, llm.KindTimeout, 10 * time.Second, 1},
		"hangs, was slow":           {200, hangs, true, 3 * time.Second, 0, llm.KindTimeout, 30 * time.Second, 1},
		"hangs, with a short limit": {200, hangs, true, 3 * time.Second, 7 * time.Second, llm.KindTimeout, 7 * time.Second, 1},
		"a bad request":             {200, reply(400, "no"), true, 0, 0, "", 0, 1},
		"a refusal":                 {200, reply(401, "no"), true, 0, 0, llm.KindUnauthorized, 0, 1},
		"a failure":                 {200, reply(503, "no"), true, 0, 0, llm.KindServer, 0, 1},
		"an answer":                 {200, reply(200, good), true, 0, 0, "", 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{}
			w.fail = func(_ time.Duration, _ int, body string) (*http.Response, error, bool) {
				answer := tt.plain
				if body == "" {
					answer = reply(tt.list, `{"data":[]}`)
				} else if body != plain {
					t.Errorf("%s: sent %s", name, body)
				}
				res, err := answer()
				return res, err, true
			}
			c, _ := w.client(t, Endpoint{Timeout: tt.timeout}, Config{})
			r := c.replicas[0]
			r.slowest = tt.slowest
			req := request("hi")
			req.Model, req.Extra = "m", []llm.Field{{Name: "x", Value: []byte("1")}}
			began := time.Now()
			_, e := r.probe(&req, tt.whole)
			kind := llm.ErrorKind("")
			if e != nil {
				kind = e.Kind
			}
			if took := time.Since(began); kind != tt.kind || took != tt.took || w.plain != tt.sent {
				t.Errorf("%s: %v after %v, %d plain requests", name, e, took, w.plain)
			}
		})
	}
}

// TestIdlest: a new group goes to the working replica with the least to do for its limit; if none works, to one that may
// come back.
func TestIdlest(t *testing.T) {
	for name, tt := range map[string]struct {
		states [3]state
		aside  int // from 1
		in     [3]int
		want   int
	}{
		"all alike":                   {[3]state{}, 0, [3]int{}, 0},
		"the second has least":        {[3]state{}, 0, [3]int{2, 1, 2}, 1},
		"the last has least":          {[3]state{}, 0, [3]int{2, 3, 1}, 2},
		"the second is checked":       {[3]state{working, checking, working}, 0, [3]int{2, 1, 2}, 1},
		"the second is down":          {[3]state{working, down, working}, 0, [3]int{2, 0, 1}, 2},
		"the second is set aside":     {[3]state{}, 2, [3]int{2, 0, 1}, 2},
		"all down, the first for all": {[3]state{ended, down, down}, 0, [3]int{0, 2, 1}, 2},
		"all for good":                {[3]state{ended, ended, ended}, 0, [3]int{2, 1, 0}, 0},
	} {
		c, r := watched(t, time.Minute, 3)
		for i := range r {
			r[i].state, r[i].limiter.in = tt.states[i], tt.in[i]
			r[i].aside.Store(tt.aside == i+1)
		}
		if got := slices.Index(r, c.idlest()); got != tt.want {
			t.Errorf("%s: replica %d, want %d", name, got, tt.want)
		}
	}
	c, r := watched(t, time.Minute, 2)
	r[0].limiter.limit, r[0].limiter.in, r[1].limiter.in = 2, 1, 1 // 1 of 2 is more than 1 of 4
	if c.idlest() != r[1] {
		t.Error("the smaller server gets as much as the larger one")
	}
}

// TestHomes: a group stays with its replica while that works, and so many groups are remembered.
func TestHomes(t *testing.T) {
	c, r := watched(t, time.Minute, 2)
	home := c.route("a")
	if home.limiter.in = 4; c.route("a") != home || c.route("b") == home {
		t.Error("a group moved, or a new one went to the replica that has more to do")
	}
	if home.state = down; c.route("a") == home {
		t.Error("a group stays with a replica that is down")
	}
	home.state = working
	for i := range 1<<14 + 9 {
		c.route(fmt.Sprint(i))
	}
	if len(c.homes) != 1<<14 {
		t.Errorf("%d groups are remembered", len(c.homes))
	}
	if alone, one := watched(t, time.Minute, 1); alone.route("a") != one[0] || len(alone.homes) != 0 {
		t.Error("a single server remembers groups")
	}
	if c.ended() || c.nowhere() {
		t.Error("a client that has asked nobody has ended")
	}
	r[0].state, r[1].state = ended, down
	r[0].unreached.Store(true)
	if c.ended() || c.nowhere() {
		t.Error("one of two replicas stands for both")
	}
	r[1].state = ended
	r[1].unreached.Store(true)
	if !c.ended() || !c.nowhere() {
		t.Error("a client whose replicas have all ended goes on")
	}
}

// TestCancelledAtTheLastAttempt: a caller that stops waiting is not told of a failure, and nothing is written down.
func TestCancelledAtTheLastAttempt(t *testing.T) {
	for name, stop := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"canceled": func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Second, cancel)
			return ctx, cancel
		},
		"its time is over": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			j, err := journal.Open(t.TempDir() + "/exchanges.jsonl")
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			s := &script{replies: []func() (*http.Response, error){reply(200, good)}, start: time.Now(), took: time.Hour}
			c := client(t, Endpoint{BaseURL: "http://fake/v1", MaxAttempts: 1}, Config{Transport: s, Journal: j})
			ctx, cancel := stop(t.Context())
			defer cancel()
			_, err = c.Do(ctx, request("hi"))
			if e := asError(err); e.Kind != llm.KindCanceled || !errors.Is(err, ctx.Err()) || j.Stats().Records != 0 {
				t.Errorf("%s: %v, %d records", name, err, j.Stats().Records)
			}
		})
	}
}

// leftSender is a Sender whose caller stops waiting while the reply arrives.
type leftSender struct {
	leave context.CancelFunc
	err   *llm.Error
}

func (s leftSender) Send(context.Context, *llm.Prepared) (llm.RawReply, error) {
	s.leave()
	return llm.RawReply{Status: s.err.Status}, s.err
}

// TestCancelledReply: a reply that is cut off because nobody waits for it is a cancellation, with its status.
func TestCancelledReply(t *testing.T) {
	for _, err := range []llm.Error{{Kind: llm.KindTransport, Status: 200}, {Kind: llm.KindTimeout}} {
		ctx, cancel := context.WithCancel(t.Context())
		c := client(t, Endpoint{BaseURL: "queue jobs"}, Config{Sender: leftSender{cancel, &err}})
		_, got := c.Do(ctx, request("hi"))
		if e := asError(got); e.Kind != llm.KindCanceled || e.Status != err.Status || !errors.Is(got, context.Canceled) {
			t.Errorf("%+v: %+v", err, e)
		}
	}
}

// TestFaultsAfterAnOutage: attempts before an outage do not count, those after it do.
func TestFaultsAfterAnOutage(t *testing.T) {
	for fails, want := range map[int]bool{DefaultMaxAttempts - 1: true, 1 << 30: false} {
		synctest.Test(t, func(t *testing.T) {
			// Answers are on their way only for a moment after the outage began: they would end its checks.
			const up = 10 * time.Millisecond
			w := &world{took: up}
			before, after := 0, 0
			w.fail = func(at time.Duration, _ int, body string) (*http.Response, error, bool) {
				switch first := strings.Contains(body, "item 0."); {
				case at > up && at < time.Minute:
					return nil, syscall.ECONNREFUSED, true
				case first && at <= up:
					before++
				case first && after < fails:
					after++
				default:
					return nil, nil, false
				}
				res, err := reply(500, "busy")()
				return res, err, true
			}
			c, _ := w.client(t, Endpoint{Concurrency: 4}, Config{FirstBackoff: 300 * time.Millisecond})
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			errs := ask(ctx, c, 4, 100)
			answered := errs[0] == nil
			if answered != want || failedOf(errs[1:]) > 0 || after != min(fails, DefaultMaxAttempts) || before == 0 {
				t.Errorf("%d failures before, %d after: %v", before, after, errs[0])
			}
		})
	}
}

// TestOtherReplicaAnswers: a request that its replica cannot answer is answered by another one, even if it has one
// attempt. It leaves at once if there was no reply, else after a check of a second has not ended.
func TestOtherReplicaAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		chat, check trouble
		took        time.Duration
		sent        int // to the replica that fails
	}{
		"nothing listens": {troubles()["refused"], troubles()["refused"], time.Second, 1},
		"another model":   {reply(200, `{"model":"other","choices":[{"message":{"content":"{}"}}]}`), nil, time.Second, 1},
		"loading":         {reply(503, "loading"), troubles()["refused"], 3 * time.Second, 2},
		"refuses the key": {reply(401, "no"), troubles()["refused"], 3 * time.Second, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := &half{start: time.Now(), back: time.Hour, sent: map[string][]time.Duration{}}
			h.fails = tt.chat
			c := client(t, Endpoint{BaseURL: "http://b/v1", Replicas: []string{"http://a/v1"}, MaxAttempts: 1},
				Config{Outage: time.Hour, Transport: checked{h, tt.check}})
			c.replicas[0].models, c.replicas[0].broken = []string{"m"}, true
			res, err := c.Do(t.Context(), request("hi"))
			took, sent := time.Since(h.start), len(h.sent["b"])
			if err != nil || res.Attempts != tt.sent+1 || took != tt.took || sent != tt.sent {
				t.Errorf("%s: %v after %v, %d sent there", name, err, took, sent)
			}
		})
	}
}

// checked is half with another answer to the list of models.
type checked struct {
	*half
	list trouble
}

func (c checked) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		return c.list()
	}
	return c.half.RoundTrip(r)
}

// TestLastAttemptWaits: the last attempt is made only when the endpoint is known to work: during an outage all but one
// are used up. An answer that cannot be read is no reason to ask.
func TestLastAttemptWaits(t *testing.T) {
	for name, tt := range map[string]struct {
		attempts    int
		chat, check trouble
		kind        llm.ErrorKind
		sent, plain int
	}{
		"one attempt":            {1, reply(503, "busy"), troubles()["refused"], llm.KindOutage, 1, 0},
		"two attempts":           {2, reply(503, "busy"), troubles()["refused"], llm.KindOutage, 1, 0},
		"three attempts":         {3, reply(503, "busy"), troubles()["refused"], llm.KindOutage, 2, 0},
		"an answer without text": {3, reply(200, `{"choices":[]}`), troubles()["refused"], llm.KindInvalidReply, 3, 0},
		"an item of its own":     {3, reply(503, "busy"), reply(200, `{"data":[]}`), llm.KindServer, 3, 2},
		"refused, and then away": {3, reply(401, "no"), troubles()["refused"], llm.KindOutage, 1, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{}
			w.fail = func(_ time.Duration, n int, body string) (*http.Response, error, bool) {
				answer := tt.chat
				if body == "" {
					answer = tt.check
				} else if n < 0 {
					answer = reply(200, good)
				}
				res, err := answer()
				return res, err, true
			}
			c, _ := w.client(t, Endpoint{MaxAttempts: tt.attempts}, Config{Outage: time.Minute})
			_, err := c.Do(t.Context(), request("hi"))
			if e := asError(err); e.Kind != tt.kind || w.n != tt.sent || w.plain != tt.plain {
				t.Errorf("%s: %v, %d requests, %d plain ones", name, err, w.n, w.plain)
			}
		})
	}
}

// TestSameFailureInARow: what fails for twenty items in a row, of a server that answers plain requests, ends the run.
func TestSameFailureInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{fail: func(_ time.Duration, n int, _ string) (*http.Response, error, bool) {
			res, err := reply(500, "boom")()
			return res, err, n >= 0
		}}
		c, _ := w.client(t, Endpoint{MaxAttempts: 1}, Config{})
		for i := range 20 {
			_, err := c.Do(t.Context(), request(fmt.Sprint("item ", i)))
			want := llm.Error{Kind: llm.KindServer, Status: 500, Message: "boom", Retryable: true,
				Attempts: 1, Model: "fake-model", Endpoint: "http://fake/v1"}
			if i == 19 {
				want.Fatal, want.Hint = true, "the same for 20 items in a row; repair the server and resume the run"
			}
			if diff := cmp.Diff(&want, asError(err)); diff != "" {
				t.Errorf("item %d:\n%s", i, diff)
			}
		}
	})
}

// TestOutageAtTheOnlyAttempt: a request with one attempt outlives an outage that began before it was answered.
func TestOutageAtTheOnlyAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{took: time.Second, fail: func(at time.Duration, _ int, _ string) (*http.Response, error, bool) {
			return nil, syscall.ECONNRESET, at > 10*time.Second && at < time.Minute
		}}
		c, _ := w.client(t, Endpoint{MaxAttempts: 1}, Config{})
		if errs := ask(t.Context(), c, 1, 30); failedOf(errs) > 0 {
			t.Error(errors.Join(errs...))
		}
	})
}

// TestAnyReplicaHasAnswered: an endpoint of which one server has answered is no wrong address.
func TestAnyReplicaHasAnswered(t *testing.T) {
	transport := &script{start: time.Now(), replies: []func() (*http.Response, error){
		reply(404, "no"), func() (*http.Response, error) { return nil, x509.UnknownAuthorityError{} }}}
	c := client(t, Endpoint{BaseURL: "http://a/v1", Replicas: []string{"http://b/v1"}}, Config{Transport: transport})
	req := request("hi")
	p, err := req.Prepare("", "")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []llm.Error{{Fatal: true}, {Retryable: true}} {
		if _, _, e := c.exchange(t.Context(), c.replicas[i], p, time.Minute); e.Fatal != want.Fatal || e.Retryable != want.Retryable {
			t.Errorf("replica %d: %+v", i, e)
		}
	}
}

// TestResetBeforeAnyReply: a connection that breaks before the first reply says nothing about the address.
func TestResetBeforeAnyReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{fail: func(_ time.Duration, n int, _ string) (*http.Response, error, bool) {
			return nil, syscall.ECONNRESET, n == 0
		}}
		c, _ := w.client(t, Endpoint{MaxAttempts: 2}, Config{})
		if res, err := c.Do(t.Context(), request("hi")); err != nil || res.Attempts != 2 {
			t.Errorf("%+v, %v", res, err)
		}
	})
}

// TestNotices: what is told of an outage, and when: at the fifth miss, at each try from then on, and at its end.
func TestNotices(t *testing.T) {
	const ms = time.Millisecond
	busy := func(since, next time.Duration) Notice {
		return Notice{Endpoint: "http://fake/v1", Since: since, Next: next, Why: "busy"}
	}
	all := []Notice{busy(1250*ms, 1000*ms), busy(2250*ms, 2000*ms), busy(4250*ms, 4000*ms), busy(8250*ms, 8000*ms)}
	for name, tt := range map[string]struct {
		outage, back time.Duration
		want         []Notice
		state        state
	}{
		"no miss":     {time.Hour, 0, nil, working},
		"one miss":    {time.Hour, 300 * ms, nil, working},
		"four misses": {time.Hour, 1100 * ms, nil, working},
		"five misses": {time.Hour, 1300 * ms, []Notice{all[0], {Endpoint: "http://fake/v1", Over: true, Since: 2250 * ms}}, working},
		"until its time is over": {10 * time.Second, time.Hour,
			[]Notice{all[0], all[1], all[2], busy(8250*ms, 1750*ms)}, ended},
		"back at the last try": {16250 * ms, 16 * time.Second,
			append(slices.Clone(all), Notice{Endpoint: "http://fake/v1", Over: true, Since: 16250 * ms}), working},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{list: `{"data":[]}`}
			w.fail = func(at time.Duration, _ int, body string) (*http.Response, error, bool) {
				res, err := reply(503, "busy")()
				return res, err, body != "" && at < tt.back
			}
			c, heard := w.client(t, Endpoint{}, Config{Outage: tt.outage})
			r := c.replicas[0]
			r.mu.Lock()
			r.failures = 9
			r.doubt(&llm.Request{Model: "m"}, &llm.Error{Message: "first"}, true)
			over := r.done
			r.mu.Unlock()
			<-over
			if diff := cmp.Diff(tt.want, heard.all()); diff != "" || r.state != tt.state || r.failures != 0 {
				t.Errorf("%s: state %d, %d failures\n%s", name, r.state, r.failures, diff)
			}
			if (r.count() == 0) != (tt.back == 0) {
				t.Errorf("%s: counted as %d", name, r.count())
			}
		})
	}
}

// TestReplicaThatIsGone: with other replicas at work, the end of one is told of and ends nothing else.
func TestReplicaThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard news
		lost := &script{start: time.Now(), replies: []func() (*http.Response, error){
			reply(200, `{"data":[]}`), reply(404, `{"error":{"message":"model 'm' not found"}}`)}}
		c := client(t, Endpoint{BaseURL: "http://a/v1", Replicas: []string{"http://b/v1"}},
			Config{Transport: lost, Outage: time.Minute, Notice: heard.add})
		r := c.replicas[1]
		r.state, r.done = down, make(chan struct{})
		r.check(&llm.Request{Model: "m"}, &llm.Error{}, true, 0)
		if r.state != working || len(heard.all()) != 0 {
			t.Errorf("before an outage it is the item's: state %d, %+v", r.state, heard.all())
		}
		r.state, r.done, r.broken, r.models = down, make(chan struct{}), true, []string{"m"}
		refused := func() (*http.Response, error) { return nil, syscall.ECONNREFUSED }
		lost.times, lost.replies = nil, []func() (*http.Response, error){refused, refused, refused, refused, refused,
			reply(200, `{"data":[]}`), reply(200, `{"model":"n","choices":[{"message":{"content":"{}"}}]}`)}
		r.check(&llm.Request{Model: "m"}, &llm.Error{}, true, 0)
		list := heard.all()
		const why = `the endpoint went away and came back with the model "n"; before it was "m"; it is not used any more`
		want := Notice{Endpoint: "http://b/v1", Since: 2250 * time.Millisecond, Why: why}
		if diff := cmp.Diff(want, list[len(list)-1]); diff != "" || len(list) != 2 || r.state != ended || c.ended() {
			t.Errorf("state %d, %d notices\n%s", r.state, len(list), diff)
		}
	})
}

// TestTry: what one try of a check takes for an answer, and what it asks for. Only an endpoint that was down is asked
// for its window, and whether it has its model.
func TestTry(t *testing.T) {
	type replies []func() (*http.Response, error)
	list := reply(200, `{"data":[{"id":"m","max_model_len":9}]}`)
	plain := reply(200, `{"model":"n","choices":[{"message":{"content":"{}"}}]}`)
	expired := func() (*http.Response, error) { return nil, x509.UnknownAuthorityError{} }
	for name, tt := range map[string]struct {
		replies    replies
		whole, out bool
		goods      int // since the check began
		e, end     llm.ErrorKind
		sent       int
		plain      bool
		window     int
	}{
		"the list":                   {replies{list}, false, false, 0, "", "", 1, false, 0},
		"answered meanwhile":         {replies{list}, true, false, 1, "", "", 0, false, 0},
		"answered, was down":         {replies{list}, true, true, 1, "", "", 1, false, 9},
		"a plain answer":             {replies{list, plain}, true, false, 0, "", "", 2, true, 0},
		"another model, was down":    {replies{list, plain, list}, true, true, 0, "", llm.KindModel, 2, true, 0},
		"refused":                    {replies{list, reply(401, "no")}, true, false, 0, "", "", 2, false, 0},
		"refused, was down":          {replies{list, reply(401, "no")}, true, true, 0, llm.KindUnauthorized, "", 2, false, 0},
		"no model":                   {replies{list, reply(404, "no model")}, true, false, 0, "", "", 2, false, 0},
		"no model, was down":         {replies{list, reply(404, "no model")}, true, true, 0, llm.KindNotFound, llm.KindModel, 2, false, 0},
		"busy":                       {replies{list, reply(503, "no")}, true, false, 0, llm.KindServer, "", 2, false, 0},
		"a certificate that expired": {replies{expired}, true, false, 0, llm.KindTransport, "", 1, false, 0},
	} {
		kind := func(e *llm.Error) llm.ErrorKind {
			if e == nil {
				return ""
			}
			return e.Kind
		}
		var windows []int
		s := &script{start: time.Now(), replies: tt.replies}
		c := client(t, Endpoint{BaseURL: "http://h/v1"},
			Config{Transport: s, Outage: time.Minute, Window: func(n int) { windows = append(windows, n) }})
		r := c.replicas[0]
		r.goods, r.broken, r.models = tt.goods, true, []string{"m"}
		e, end := r.try(&llm.Request{Model: "m"}, tt.whole, tt.out, 0)
		if kind(e) != tt.e || kind(end) != tt.end || len(s.times) != tt.sent || r.plain != tt.plain {
			t.Errorf("%s: %v, %v, %d sent, plain %v", name, e, end, len(s.times), r.plain)
		}
		if want := map[bool][]int{true: {tt.window}}[tt.window > 0]; !slices.Equal(windows, want) {
			t.Errorf("%s: windows %d", name, windows)
		}
	}
	var windows []int
	c := client(t, Endpoint{BaseURL: "http://h/v1"}, Config{Window: func(n int) { windows = append(windows, n) },
		Transport: &script{replies: []func() (*http.Response, error){reply(200, `{"data":[{"id":"m"}]}`)}}})
	if c.replicas[0].readWindow("m"); len(windows) > 0 {
		t.Errorf("an endpoint that names no window has one of %d", windows)
	}
}

// TestEndOfCheck: a check that ends well makes a replica work again, unless another model has replied meanwhile.
func TestEndOfCheck(t *testing.T) {
	e := &llm.Error{Kind: llm.KindModel}
	for name, tt := range map[string]struct {
		end, before, want *llm.Error
		missed            bool
		state             state
	}{
		"well":               {nil, nil, nil, false, working},
		"well, after a miss": {nil, nil, nil, true, working},
		"badly":              {e, nil, e, true, ended},
		"badly before":       {nil, e, e, true, ended},
	} {
		_, r := watched(t, time.Minute, 1)
		r[0].state, r[0].done, r[0].end, r[0].failures = down, make(chan struct{}), tt.before, 3
		r[0].aside.Store(true)
		r[0].endCheck(tt.end, tt.missed)
		<-r[0].done
		if r[0].state != tt.state || r[0].end != tt.want || r[0].failures != 0 || r[0].aside.Load() != (tt.want != nil) ||
			(r[0].outages == 1) != tt.missed {
			t.Errorf("%s: state %d, %v, %d failures", name, r[0].state, r[0].end, r[0].failures)
		}
	}
}

// TestSetAside: the requests of a replica that is set aside go elsewhere; where nobody watches it never is.
func TestSetAside(t *testing.T) {
	for outage, want := range map[time.Duration]bool{time.Minute: true, -1: false} {
		synctest.Test(t, func(t *testing.T) {
			_, r := watched(t, outage, 2)
			r[0].setAside(&llm.Request{}, &llm.Error{})
			r[0].mu.Lock()
			defer r[0].mu.Unlock()
			if r[0].aside.Load() != want || (r[0].state == checking) != want {
				t.Errorf("with an outage of %v: aside %v, state %d", outage, r[0].aside.Load(), r[0].state)
			}
		})
	}
}

// TestPatience: an attempt may take ten times the slowest of twenty good replies, a minute at least, and never longer
// than the endpoint's limit.
func TestPatience(t *testing.T) {
	for _, tt := range []struct {
		outage  time.Duration
		goods   int
		slowest time.Duration
		hung    bool
		want    time.Duration
	}{
		{time.Minute, 20, 7 * time.Second, false, 70 * time.Second}, {time.Minute, 20, time.Second, false, time.Minute},
		{time.Minute, 20, time.Minute, false, 5 * time.Minute}, {time.Minute, 19, time.Second, false, 5 * time.Minute},
		{time.Minute, 20, time.Second, true, 5 * time.Minute}, {-1, 20, time.Second, false, 5 * time.Minute},
	} {
		_, r := watched(t, tt.outage, 1)
		r[0].goods, r[0].slowest = tt.goods, tt.slowest
		if got := r[0].patience(tt.hung); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// TestStall: an attempt without a reply starts a check after half a minute, or ten times the slowest reply, if no other
// reply has come meanwhile. Of a server whose pace is unknown only the list of models is asked for.
func TestStall(t *testing.T) {
	for name, tt := range map[string]struct {
		outage, slowest time.Duration
		replies         int // meanwhile
		stopped         bool
		after           time.Duration // when the check has begun; 0 for none
		plain           int
	}{
		"unknown pace":   {time.Hour, 0, 0, false, 30 * time.Second, 0},
		"fast":           {time.Hour, time.Second, 0, false, 30 * time.Second, 1},
		"slow":           {time.Hour, 5 * time.Second, 0, false, 50 * time.Second, 1},
		"another reply":  {time.Hour, time.Second, 1, false, 0, 0},
		"it has ended":   {time.Hour, time.Second, 0, true, 0, 0},
		"nobody watches": {-1, time.Second, 0, false, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{list: `{"data":[]}`}
			c, _ := w.client(t, Endpoint{}, Config{Outage: tt.outage})
			r := c.replicas[0]
			r.slowest = tt.slowest
			stop := r.watchStall(&llm.Request{Model: "m"})
			defer stop()
			r.mu.Lock()
			r.replies += tt.replies
			r.mu.Unlock()
			if tt.stopped {
				stop()
			}
			begun := func() bool { return r.is(func() bool { return r.state == checking }) }
			if tt.after == 0 {
				for range 100 {
					time.Sleep(time.Second)
					if synctest.Wait(); begun() {
						t.Errorf("%s: a check has begun", name)
					}
				}
				return
			}
			time.Sleep(tt.after - 1)
			if synctest.Wait(); begun() {
				t.Errorf("%s: a check began early", name)
			}
			time.Sleep(time.Nanosecond)
			if synctest.Wait(); !begun() {
				t.Errorf("%s: no check began", name)
			}
			time.Sleep(time.Second)
			if synctest.Wait(); w.plain != tt.plain || begun() {
				t.Errorf("%s: %d plain requests", name, w.plain)
			}
		})
	}
}

// TestGoodReply: what a good reply says of a server, and what it puts an end to.
func TestGoodReply(t *testing.T) {
	_, all := watched(t, time.Minute, 1)
	r := all[0]
	r.failures, r.limited, r.broken = 2, 2, true
	r.countRepeat(&llm.Error{}, llm.Fingerprint{1})
	for i, took := range []time.Duration{2, 5, 3} {
		r.succeeded(&llm.Response{Model: []string{"a", "", "a"}[i]}, took)
	}
	if r.failures != 0 || r.limited != 0 || r.broken || r.row != nil || r.replies != 3 || r.goods != 3 || r.slowest != 5 ||
		!slices.Equal(r.models, []string{"a"}) {
		t.Errorf("%d failures, %d limited, broken %v, %d replies, %d good ones, the slowest %v, models %q",
			r.failures, r.limited, r.broken, r.replies, r.goods, r.slowest, r.models)
	}
	for i := range 20 {
		r.succeeded(&llm.Response{Model: fmt.Sprint("m", i)}, 1)
	}
	if len(r.models) != 16 {
		t.Errorf("%d names of models are kept", len(r.models))
	}
	r.failures, r.limited = 2, 2
	r.failed(&llm.Request{}, &llm.Error{Kind: llm.KindBadRequest, Status: 400})
	if r.failures != 0 || r.limited != 0 || r.replies != 24 {
		t.Errorf("after a bad request: %d failures, %d limited, %d replies", r.failures, r.limited, r.replies)
	}
}

// TestPauseForAll: a wait that is named to one request holds back all of them if nothing else comes: after three
// refusals, or half as many as may be in flight.
func TestPauseForAll(t *testing.T) {
	for _, tt := range []struct {
		limit  int
		wait   time.Duration
		needed int
		spread time.Duration
	}{{4, 5 * time.Second, 3, 500 * time.Millisecond}, {16, time.Minute, 8, time.Second},
		{7, time.Second, 3, 100 * time.Millisecond}} {
		synctest.Test(t, func(t *testing.T) {
			_, all := watched(t, time.Minute, 1)
			r := all[0]
			r.limiter.limit = tt.limit
			n := 0
			for n < 20 && r.until.IsZero() {
				if !r.open() {
					t.Error("closed without a pause")
				}
				r.limit(tt.wait)
				n++
			}
			if n != tt.needed || time.Until(r.until) != tt.wait || r.spread != tt.spread || r.open() {
				t.Errorf("%+v: after %d refusals a pause of %v, spread over %v", tt, n, time.Until(r.until), r.spread)
			}
			if r.limit(time.Millisecond); time.Until(r.until) != tt.wait {
				t.Error("a shorter wait ends a longer one")
			}
			waits := map[time.Duration]bool{}
			for range 20 {
				left := r.pause()
				if waits[left] = true; left < tt.wait || left >= tt.wait+tt.spread {
					t.Errorf("a request waits %v", left)
				}
			}
			if len(waits) < 2 {
				t.Error("all requests go on at the same moment")
			}
			time.Sleep(tt.wait)
			if r.pause() > 0 || !r.open() {
				t.Error("the pause does not end")
			}
			if r.state = down; r.open() {
				t.Error("a replica that is down is open")
			}
		})
	}
}

// TestEnterEnds: whoever waits to send a request and gives up has no slot, and keeps none.
func TestEnterEnds(t *testing.T) {
	full := func(_ *Client, r *replica) { r.limiter.in = 4 }
	allFull := func(c *Client, _ *replica) { c.total.in = 4 }
	paused := func(_ *Client, r *replica) { r.until = time.Now().Add(time.Hour) }
	away := func(_ *Client, r *replica) { r.state, r.done = down, make(chan struct{}) }
	paced := func(c *Client, _ *replica) { c.pacer.perRequest, c.pacer.request = 1, time.Now().Add(time.Hour) }
	for name, tt := range map[string]struct {
		set  func(c *Client, r *replica)
		want error
		took time.Duration
	}{
		"all slots taken":         {full, context.Canceled, time.Second},
		"all slots of all taken":  {allFull, context.Canceled, time.Second},
		"a pause":                 {paused, context.Canceled, time.Second},
		"an outage":               {away, context.Canceled, time.Second},
		"a limit of the requests": {paced, context.Canceled, time.Second},
		"it has ended": {func(_ *Client, r *replica) { r.state, r.end = ended, &llm.Error{Kind: llm.KindModel} },
			&llm.Error{Kind: llm.KindModel}, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, r := watched(t, time.Hour, 1)
			tt.set(c, r[0])
			total, in := c.total.in, r[0].limiter.in
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			time.AfterFunc(time.Second, cancel)
			began := time.Now()
			_, err := c.enter(ctx, &llm.Prepared{Request: &llm.Request{}})
			took := time.Since(began)
			if err == nil || err.Error() != tt.want.Error() || took != tt.took || c.total.in != total || r[0].limiter.in != in {
				t.Errorf("%s: %v after %v, %d and %d slots taken", name, err, took, c.total.in, r[0].limiter.in)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) { // a pause that begins while a request waits for its slot
		_, r := watched(t, time.Hour, 1)
		r[0].limiter.in = 4
		began, entered := time.Now(), make(chan time.Duration, 1)
		go func() {
			if err := r[0].enter(t.Context()); err != nil {
				t.Error(err)
			}
			entered <- time.Since(began)
		}()
		synctest.Wait()
		r[0].mu.Lock()
		r[0].until = began.Add(10 * time.Second)
		r[0].mu.Unlock()
		r[0].leave()
		synctest.Wait()
		if in, _, _ := r[0].limiter.counts(); in != 3 {
			t.Errorf("%d slots are taken during a pause", in)
		}
		if took := <-entered; took != 10*time.Second {
			t.Errorf("entered after %v", took)
		}
	})
	synctest.Test(t, func(t *testing.T) { // with another replica at work nobody waits for the one that is down
		_, r := watched(t, time.Hour, 2)
		r[0].state, r[0].done = down, make(chan struct{})
		began := time.Now()
		if err := r[0].enter(t.Context()); !errors.Is(err, errElsewhere) || time.Since(began) != 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// TestAdaptedReplicas: only HTTP servers with a limit that may change are watched and adapted to.
func TestAdaptedReplicas(t *testing.T) {
	for name, tt := range map[string]struct {
		ep     Endpoint
		sender llm.Sender
		adapt  bool
		on     bool
	}{
		"HTTP":           {Endpoint{}, nil, true, true},
		"a fixed number": {Endpoint{Fixed: true}, nil, false, true},
		"a queue":        {Endpoint{}, &fixedReply{}, false, false},
	} {
		tt.ep.BaseURL = "http://h/v1"
		r := client(t, tt.ep, Config{Outage: time.Minute, Sender: tt.sender}).replicas[0]
		a := r.limiter.adapt
		if (a != nil) != tt.adapt || r.on() != tt.on || a != nil && *a != (adaptive{most: 4, limit: 4, hold: 1}) {
			t.Errorf("%s: %+v, watched %v", name, a, r.on())
		}
	}
}

// TestAttempt: what an attempt is counted as, and how long it may hang: where the pace of the endpoint is known, a
// minute, and the second time the whole limit.
func TestAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inFlight atomic.Int64
		w := &world{took: time.Second, fail: func(_ time.Duration, n int, _ string) (*http.Response, error, bool) {
			res, err := reply(429, "")()
			return res, err, n == 0
		}}
		c, _ := w.client(t, Endpoint{}, Config{InFlight: &inFlight})
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := c.Do(t.Context(), request("hi")); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(firstBackoff)
		if synctest.Wait(); inFlight.Load() != 1 {
			t.Errorf("%d attempts are running", inFlight.Load())
		}
		wg.Wait()
		if a := c.replicas[0].limiter.adapt; inFlight.Load() != 0 || a.refused != 1 || a.good != 1 {
			t.Errorf("%d attempts are running; %d refused, %d good", inFlight.Load(), a.refused, a.good)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		hangs := func(_ time.Duration, n int, _ string) (*http.Response, error, bool) { return nil, nil, n >= 0 }
		w := &world{list: `{"data":[]}`, fail: hangs}
		c, _ := w.client(t, Endpoint{MaxAttempts: 2}, Config{FirstBackoff: 1})
		c.replicas[0].goods, c.replicas[0].slowest = 20, time.Second
		began := time.Now()
		_, err := c.Do(t.Context(), request("hi"))
		took := time.Since(began).Truncate(5 * time.Second) // the check takes less
		if e := asError(err); e.Kind != llm.KindTimeout || took != 6*time.Minute {
			t.Errorf("%v after %v", err, took)
		}
	})
	synctest.Test(t, func(t *testing.T) { // a refusal that comes after its caller stopped waiting is one all the same
		w := &world{fail: func(time.Duration, int, string) (*http.Response, error, bool) {
			time.Sleep(2 * time.Second)
			res, err := reply(400, "no")()
			return res, err, true
		}}
		c, _ := w.client(t, Endpoint{}, Config{Grace: time.Minute})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Do(ctx, request("hi")); asError(err).Kind != llm.KindBadRequest {
			t.Error(err)
		}
	})
}
