package client

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/judgekit/judge/internal/llm"
)

// fleet is a server in virtual time that serves so many requests at once. Others wait in
// line, or are refused with the given status.
type fleet struct {
	serves   func(at time.Duration) int
	takes    func(busy int) time.Duration // of one request, by how many are in service
	refuses  int                          // status of a refusal, 0 for a line
	after    string                       // Retry-After
	random   float64                      // share of requests that are refused in any case
	start    time.Time
	rng      *rand.Rand
	mu       sync.Mutex
	in, busy int
	line     []chan struct{}
	refused  int
	good     []time.Duration // when answers were given
	load     float64         // integral of the requests in flight over the second half
	last     time.Duration
	from     time.Duration
}

func (f *fleet) tick() {
	now := time.Since(f.start)
	if now > f.from {
		f.load += float64(f.in) * (now - max(f.last, f.from)).Seconds()
	}
	f.last = now
}

func (f *fleet) RoundTrip(r *http.Request) (*http.Response, error) {
	if raw, err := f.Send(r.Context(), nil); raw.Status != 0 {
		return reply(raw.Status, string(raw.Body), "Retry-After", f.after)()
	} else {
		return nil, err
	}
}

// Send calls the server without HTTP, whose cost does not matter here.
func (f *fleet) Send(ctx context.Context, _ *llm.Prepared) (llm.RawReply, error) {
	f.mu.Lock()
	f.tick()
	f.in++
	capacity := f.serves(time.Since(f.start))
	full := f.busy >= capacity
	if f.random > f.rng.Float64() || full && f.refuses != 0 {
		f.refused++
		f.mu.Unlock()
		err := sleep(ctx, 2*time.Millisecond)
		f.leave(false)
		if err != nil {
			return llm.RawReply{}, err
		}
		e := llm.StatusError(max(f.refuses, 429), nil)
		e.RetryAfter = retryAfter(f.after, time.Now())
		return llm.RawReply{Status: e.Status}, e
	}
	if full {
		place := make(chan struct{})
		f.line = append(f.line, place)
		f.mu.Unlock()
		<-place
		f.mu.Lock()
	} else {
		f.busy++
	}
	took := f.takes(f.busy)
	f.mu.Unlock()
	err := sleep(ctx, took)
	f.leave(true)
	if err != nil {
		return llm.RawReply{}, err
	}
	return llm.RawReply{Status: 200, Body: []byte(good)}, nil
}

func (f *fleet) leave(served bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tick()
	f.in--
	if !served {
		return
	}
	f.busy--
	f.good = append(f.good, time.Since(f.start))
	if len(f.line) > 0 && f.busy < f.serves(time.Since(f.start)) {
		f.busy++
		close(f.line[0])
		f.line = f.line[1:]
	}
}

// outcome is what a drive came to: answers a second and mean requests in flight, both
// behind the warm-up.
type outcome struct{ rate, inFlight float64 }

// drive sends requests from as many workers as a run has, for the given time.
func (f *fleet) drive(t *testing.T, ep Endpoint, warm, end time.Duration) (out outcome) {
	synctest.Test(t, func(t *testing.T) {
		f.start, f.rng, f.from = time.Now(), rand.New(rand.NewPCG(1, 2)), warm
		f.in, f.busy, f.line, f.good, f.load, f.last = 0, 0, nil, nil, 0, 0
		ep.BaseURL = "http://fake/v1"
		c := client(t, ep, Config{Transport: f, Outage: 10 * time.Minute})
		c.replicas[0].sender = f
		ctx, cancel := context.WithTimeout(t.Context(), end)
		defer cancel()
		var n atomic.Int64
		var wg sync.WaitGroup
		for range Workers(ep.Concurrency) {
			wg.Go(func() {
				for ctx.Err() == nil {
					if _, err := c.Do(ctx, request(fmt.Sprint(n.Add(1)))); err != nil && ctx.Err() == nil && !ep.Fixed {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, at := range f.good {
			if at > warm && at < end {
				out.rate++
			}
		}
		out.rate /= (end - warm).Seconds()
		out.inFlight = f.load / (end - warm).Seconds()
	})
	return out
}

func always(n int) func(time.Duration) int { return func(time.Duration) int { return n } }

func second(int) time.Duration { return time.Second }

// varied returns a second on average: 0.4 to 1.6.
func varied(rng *rand.Rand) func(int) time.Duration {
	return func(int) time.Duration { return time.Duration((0.4 + 1.2*rng.Float64()) * float64(time.Second)) }
}

// batching takes longer the more there is to do, as engines do that batch.
func batching(busy int) time.Duration {
	return time.Duration((1 + float64(busy)/64) * float64(time.Second))
}

// TestAdaptiveConcurrency: the limit finds what a server serves at once from its refusals, and
// answers come about as fast as with the best limit that does not change.
func TestAdaptiveConcurrency(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates some hours of requests")
	}
	halves := func(at time.Duration) int {
		if at < 100*time.Second {
			return 48
		}
		return 24
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for _, tt := range []struct {
		name     string
		server   *fleet
		capacity float64 // 0 where more requests in flight are always more answers
		warm     time.Duration
	}{
		{"serves 48, 429 for others", &fleet{serves: always(48), takes: second, refuses: 429, after: "1"}, 48, 60 * time.Second},
		{"serves 48, 429 without a time", &fleet{serves: always(48), takes: second, refuses: 429}, 48, 60 * time.Second},
		{"serves 48, 503 for others", &fleet{serves: always(48), takes: varied(rng), refuses: 503}, 48, 60 * time.Second},
		{"halves its capacity, 429 for others", &fleet{serves: halves, takes: second, refuses: 429, after: "1"}, 24, 260 * time.Second},
		{"serves all, times vary", &fleet{serves: always(1e6), takes: varied(rng)}, 128, 60 * time.Second},
		{"2 % of 429s", &fleet{serves: always(1e6), takes: varied(rng), random: 0.02, after: "1"}, 128, 60 * time.Second},
		{"2 % of 429s that name half a minute", &fleet{serves: always(1e6), takes: second, random: 0.02, after: "30"}, 128, 100 * time.Second},
		{"an engine that batches", &fleet{serves: always(1e6), takes: batching}, 0, 100 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const most = 128
			end := tt.warm + 100*time.Second
			got := tt.server.drive(t, Endpoint{Concurrency: most}, tt.warm, end)
			refused := tt.server.refused
			best, at := 0.0, 0
			settings := []int{max(24, int(tt.capacity)), most}
			if tt.server.refuses > 0 {
				settings = settings[:1] // with more it is as slow, and simulates many refusals
			}
			for _, fixed := range settings {
				o := tt.server.drive(t, Endpoint{Concurrency: fixed, Fixed: true}, tt.warm, end)
				if o.rate > best {
					best, at = o.rate, fixed
				}
			}
			t.Logf("%.1f/s with %.1f in flight, %d refused; best fixed %.1f/s with %d", got.rate, got.inFlight, refused, best, at)
			if tt.server.random > 0 {
				best, at = max(best, most*(1-tt.server.random)), most // as fast as without refusals
			}
			if got.rate < 0.95*best {
				t.Errorf("%.1f answers a second; with %d fixed %.1f", got.rate, at, best)
			}
			if c := tt.capacity; c > 0 && (got.inFlight < 0.8*c || got.inFlight > 1.2*c) {
				t.Errorf("%.1f in flight on average; the server serves %g", got.inFlight, c)
			}
		})
	}
}

// replicated is a set of servers in virtual time, by host name.
type replicated map[string]*fleet

func (r replicated) RoundTrip(req *http.Request) (*http.Response, error) {
	f := r[req.URL.Host]
	if f.serves(time.Since(f.start)) == 0 {
		return nil, syscall.ECONNREFUSED
	}
	if req.Method == http.MethodGet {
		return reply(200, `{"data":[]}`)()
	}
	return f.RoundTrip(req)
}

// TestReplicas: the requests of a group go to one replica; those of a dead one go to the
// others, nothing fails, and it gets work again when it is back.
func TestReplicas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		dies := func(at time.Duration) int {
			if at > 20*time.Second && at < 60*time.Second {
				return 0
			}
			return 1e6
		}
		servers := replicated{}
		names := []string{"a", "b", "c", "d"}
		for i, name := range names {
			f := &fleet{start: start, serves: always(1e6), takes: second, rng: rand.New(rand.NewPCG(1, uint64(i)))}
			if name == "b" {
				f.serves = dies
			}
			servers[name] = f
		}
		var heard news
		c := client(t, Endpoint{BaseURL: "http://a/v1", Replicas: []string{"http://b/v1", "http://c/v1", "http://d/v1"},
			Concurrency: 32}, Config{Transport: servers, Outage: time.Minute, Notice: heard.add})
		homes := map[string]map[*replica]int{}
		for _, r := range c.replicas {
			r.sender = noting{r.sender, func(req *llm.Prepared) {
				if homes[req.Group] == nil {
					homes[req.Group] = map[*replica]int{}
				}
				homes[req.Group][r]++
			}}
		}
		var next atomic.Int64
		var wg sync.WaitGroup
		for range Workers(32) {
			wg.Go(func() {
				for time.Since(start) < 100*time.Second {
					i := next.Add(1)
					req := request(fmt.Sprint(i))
					req.Group = fmt.Sprint("conversation ", i/20)
					if _, err := c.Do(t.Context(), req); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		split := 0
		for _, of := range homes {
			if len(of) > 1 {
				split++
			}
		}
		if split > 5 { // those under way when b died
			t.Errorf("%d of %d groups went to more than one replica", split, len(homes))
		}
		for _, name := range names {
			late := 0
			for _, at := range servers[name].good {
				if at > 65*time.Second {
					late++
				}
			}
			if late < 100 || late > 450 {
				t.Errorf("replica %s answered %d requests at the end, about 280 expected", name, late)
			}
		}
		if n := next.Load(); n < 3000 {
			t.Errorf("%d requests in 100 s with 32 in flight", n)
		}
		if said := heard.all(); len(said) < 2 || said[0].Endpoint != "http://b/v1" || !said[len(said)-1].Over {
			t.Errorf("%+v", said)
		}
	})
}

// noting tells of each request that it passes on.
type noting struct {
	llm.Sender
	tell func(*llm.Prepared)
}

var tells sync.Mutex

func (n noting) Send(ctx context.Context, req *llm.Prepared) (llm.RawReply, error) {
	if !strings.HasPrefix(req.Messages[0].Content, "Say") {
		tells.Lock()
		n.tell(req)
		tells.Unlock()
	}
	return n.Sender.Send(ctx, req)
}

// TestNoReplica: where none listens the run ends at once; where one listens it goes on.
func TestNoReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := func(time.Duration) int { return 0 }
		servers := replicated{"a": {serves: dead}, "b": {serves: dead}}
		endpoint := Endpoint{BaseURL: "http://a/v1", Replicas: []string{"http://b/v1"}}
		c := client(t, endpoint, Config{Transport: servers, Outage: time.Hour})
		start := time.Now()
		_, err := c.Do(t.Context(), request("x"))
		if e := asError(err); !e.Fatal || e.Kind != llm.KindTransport || time.Since(start) > time.Minute {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		// The first client may still be looking at its servers.
		servers = replicated{"a": {serves: dead},
			"b": {start: start, serves: always(9), takes: second, rng: rand.New(rand.NewPCG(1, 1))}}
		c = client(t, endpoint, Config{Transport: servers, Outage: time.Hour})
		if _, err := c.Do(t.Context(), request("x")); err != nil {
			t.Error(err)
		}
	})
}

// fixedReply is a Sender that is no HTTP.
type fixedReply struct{ sent atomic.Int64 }

func (f *fixedReply) Send(context.Context, *llm.Prepared) (llm.RawReply, error) {
	f.sent.Add(1)
	return llm.RawReply{Status: 200, Body: []byte(good)}, nil
}

// TestOtherSender: fingerprint, journal and reading are the same for every Sender.
func TestOtherSender(t *testing.T) {
	j, sender := openJournal(t), &fixedReply{}
	c := client(t, Endpoint{BaseURL: "queue jobs"}, Config{Sender: sender, Journal: j, Outage: time.Minute})
	for range 2 {
		res, err := c.Do(t.Context(), request("x"))
		if err != nil || res.Content != "{}" {
			t.Fatal(res, err)
		}
	}
	if sender.sent.Load() != 1 || c.BaseURL() != "queue jobs" {
		t.Errorf("%d sent to %s", sender.sent.Load(), c.BaseURL())
	}
}

// TestTokensPerMinute: attempts are spaced by the tokens that the server counts.
func TestTokensPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		usage := `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":500,"completion_tokens":100}}`
		c, s := fake(t, Endpoint{TokensPerMinute: 6000, Concurrency: 4}, reply(200, usage))
		start := time.Now()
		for i := range 21 {
			if _, err := c.Do(t.Context(), request(fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took < 115*time.Second || took > 125*time.Second || len(s.times) != 21 {
			t.Errorf("20 requests of 600 tokens took %v at 6000 a minute", took)
		}
	})
}

// TestLimiting: the limit for whose sake requests wait is named: the one that makes them wait the longest.
func TestLimiting(t *testing.T) {
	now := time.Now()
	soon, later := now.Add(time.Second), now.Add(time.Minute)
	for _, tt := range []struct {
		perRequest, perToken time.Duration
		request, token       time.Time
		want                 string
	}{
		{0, 0, soon, later, ""},
		{1, 1, now, now, ""},
		{1, 0, soon, later, "requests per minute"},
		{1, 1, soon, now, "requests per minute"},
		{1, 1, later, soon, "requests per minute"},
		{0, 1, now, soon, "tokens per minute"},
		{1, 1, soon, later, "tokens per minute"},
		{0, 1, soon, now, ""},
		{1, 1, now.Add(-2 * time.Second), now.Add(-time.Second), ""},
	} {
		p := pacer{perRequest: tt.perRequest, perToken: tt.perToken, request: tt.request, token: tt.token}
		if got := p.limiting(now); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// TestPacing: an attempt waits for the tokens of the one before: a quarter of its prompt's bytes, and 200 for an answer
// until one was counted, then their mean.
func TestPacing(t *testing.T) {
	now := time.Unix(1000, 0)
	p := newPacer(Endpoint{TokensPerMinute: 60})
	req := &llm.Request{Messages: []llm.Message{{Content: strings.Repeat("x", 30)}, {Content: strings.Repeat("x", 10)}}}
	turns := func(want ...float64) {
		t.Helper()
		for _, seconds := range want {
			if got := p.turn(req, now).Seconds(); got != seconds {
				t.Errorf("waits for %v s, want %v", got, seconds)
			}
		}
	}
	turns(0, 210, 420)
	p.correct(req, llm.Usage{Prompt: new(20), Completion: new(100)}) // 120 in place of 210
	turns(540, 650)
	p.correct(req, llm.Usage{Prompt: new(10), Completion: new(200)}) // 210 in place of 110
	turns(860, 1020)
	p.correct(req, llm.Usage{Prompt: new(10)})
	p.correct(req, llm.Usage{Completion: new(10)})
	turns(1180)
	slow := newPacer(Endpoint{RequestsPerMinute: 6})
	for i, want := range []time.Duration{0, 10 * time.Second, 20 * time.Second} {
		if got := slow.turn(req, now); got != want {
			t.Errorf("request %d waits for %v, want %v", i, got, want)
		}
	}
	free := newPacer(Endpoint{})
	for range 2 {
		if wait := free.turn(req, now); wait != 0 {
			t.Errorf("without a limit a request waits for %v", wait)
		}
	}
}

// TestTroubled: what a server says of a request says nothing about the server.
func TestTroubled(t *testing.T) {
	for _, tt := range []struct {
		kind   llm.ErrorKind
		status int
		want   bool
	}{
		{llm.KindTransport, 0, true}, {llm.KindTimeout, 0, true}, {llm.KindRateLimited, 429, true},
		{llm.KindServer, 500, true}, {llm.KindServer, 503, true}, {llm.KindServer, 200, false}, // the error stands in an answer
		{llm.KindBadRequest, 400, false}, {llm.KindOverflow, 400, false}, {llm.KindInvalidReply, 200, false},
	} {
		if got := troubled(&llm.Error{Kind: tt.kind, Status: tt.status}); got != tt.want {
			t.Errorf("%s %d: %v", tt.kind, tt.status, got)
		}
	}
}

// TestWindowsOfTheLimit: what each window of attempts does to the limit: a twentieth more while requests wait and few
// are refused, back to the last limit that worked if a raise did not, else to 70 % or what the server really works on.
func TestWindowsOfTheLimit(t *testing.T) {
	at := func(s float64) time.Time { return time.Unix(1000, 0).Add(time.Duration(s * float64(time.Second))) }
	type window struct {
		n           int
		start, end  float64
		refused     bool
		idle        bool // nobody waits for a slot
		limit, hold int  // after it
		changed     bool
	}
	for name, tt := range map[string]struct {
		a       adaptive
		windows []window
	}{
		"more, back, more again, to the most": {adaptive{most: 117, limit: 100, hold: 1}, []window{
			{98, 9, 10, false, true, 100, 1, false}, {1, 9, 10, false, false, 100, 1, false}, {1, 9, 10, false, true, 105, 1, true},
			{1, 9.5, 10.5, false, false, 105, 1, false}, {15, 11, 11.5, true, false, 105, 1, false},
			{1, 11, 11.5, true, false, 100, 2, true},
			{100, 19, 20, false, false, 100, 2, false}, {100, 29, 30, false, false, 100, 2, false}, // it waits for two windows
			{100, 39, 40, false, false, 105, 2, true}, {105, 49, 50, false, false, 110, 1, true},
			{110, 59, 60, false, false, 115, 1, true}, {115, 69, 70, false, false, 117, 1, true},
			{117, 79, 80, false, false, 117, 1, false},
		}},
		"sixty-four are enough": {adaptive{most: 50, limit: 10, hold: 1}, []window{
			{63, 9, 10, false, false, 10, 1, false}, {1, 9, 10, false, false, 11, 1, true},
			{64, 19, 20, false, true, 11, 1, false}, {63, 29, 30, false, true, 11, 1, false}, {1, 29, 30, false, false, 12, 1, true},
		}},
		"three refusals of 67 are few": {adaptive{most: 50, limit: 10, hold: 1}, []window{
			{3, 9, 10, true, true, 10, 1, false}, {64, 73, 74, false, false, 11, 1, true},
		}},
		"four of 68 are not": {adaptive{most: 50, limit: 10, hold: 1}, []window{
			{4, 9, 10, true, true, 10, 1, false}, {64, 73, 74, false, false, 7, 1, true},
		}},
		"refusals alone":   {adaptive{most: 50, limit: 10, hold: 1}, []window{{15, 9, 10, true, false, 10, 1, false}, {1, 9, 10, true, false, 7, 1, true}}},
		"one is the least": {adaptive{most: 50, limit: 1, hold: 1}, []window{{16, 9, 10, true, false, 1, 1, false}}},
		"three times the usual": {adaptive{most: 100, limit: 100, hold: 1}, []window{
			{40, 8, 10, false, false, 100, 1, false}, {20, 14, 15.9, true, false, 100, 1, false}, {1, 14, 16, true, false, 70, 1, true},
		}},
		"what it works on": {adaptive{most: 100, limit: 100, hold: 1, usual: 2, since: at(9)}, []window{
			{240, 8, 10, false, false, 100, 1, false}, {15, 14, 16, true, false, 100, 1, false}, {1, 14, 16, true, false, 72, 1, true},
		}},
		"a long hold": {adaptive{most: 100, limit: 40, hold: 40, raised: true, clean: 30}, []window{
			{16, 9, 10, true, false, 30, 64, true},
		}},
		"a shorter hold": {adaptive{most: 50, limit: 10, hold: 40, raised: true, clean: 9}, []window{
			{64, 9, 10, false, false, 11, 20, true},
		}},
		"four of eighty are few": {adaptive{most: 100, limit: 76, hold: 1}, []window{
			{4, 9, 10, true, true, 76, 1, false}, {76, 73, 74, false, false, 79, 1, true},
		}},
		"sixteen show the usual": {adaptive{most: 100, limit: 100, hold: 1}, []window{
			{16, 8, 10, false, false, 100, 1, false}, {16, 14, 15.9, true, false, 100, 1, false}, {1, 14, 16, true, false, 70, 1, true},
		}},
		"fifteen do not": {adaptive{most: 100, limit: 100, hold: 1}, []window{
			{15, 8, 10, false, false, 100, 1, false}, {15, 14, 15.9, true, false, 100, 1, false}, {1, 14, 15.9, true, false, 70, 1, true},
		}},
		"a new window": {adaptive{most: 50, limit: 10, hold: 1}, []window{
			{64, 9, 10, false, true, 10, 1, false}, {16, 11, 31, false, true, 10, 1, false},
			{15, 69, 70, true, false, 10, 1, false}, {1, 69, 70, true, false, 7, 1, true},
		}},
		"what began before a change": {adaptive{most: 50, limit: 10, hold: 1}, []window{
			{64, 9, 10, false, false, 11, 1, true}, {200, 9.5, 10.5, false, false, 11, 1, false}, {64, 11, 12, false, false, 12, 1, true},
		}},
		"held back since it was cut": {adaptive{most: 100, limit: 100, hold: 1, clean: 50, usual: 2}, []window{
			{16, 14, 15, true, false, 100, 1, false}, {1, 14, 21, true, false, 70, 1, true},
		}},
		"raised from nothing": {adaptive{most: 100, limit: 100, hold: 1, raised: true, usual: 2}, []window{
			{16, 14, 15, true, false, 100, 1, false}, {1, 14, 21, true, false, 70, 1, true},
		}},
		"raised from one": {adaptive{most: 100, limit: 2, hold: 1, raised: true, clean: 1, usual: 2}, []window{
			{15, 14, 15, true, false, 2, 1, false}, {1, 14, 15, true, false, 1, 2, true},
		}},
		"sixteen show what it works on": {adaptive{most: 50, limit: 5, hold: 1, usual: 10, since: at(9)}, []window{
			{16, 8, 10, false, false, 5, 1, false}, {15, 38, 40, true, false, 5, 1, false}, {1, 38, 40, true, false, 4, 1, true},
		}},
		"fifteen do not show it": {adaptive{most: 50, limit: 5, hold: 1, usual: 10, since: at(9)}, []window{
			{15, 8, 10, false, false, 5, 1, false}, {15, 38, 40, true, false, 5, 1, false}, {1, 38, 40, true, false, 3, 1, true},
		}},
	} {
		a := tt.a
		for i, w := range tt.windows {
			changed := false
			for range w.n {
				changed = a.ended(at(w.start), at(w.end), w.refused, !w.idle)
			}
			if a.limit != w.limit || a.hold != w.hold || changed != w.changed {
				t.Errorf("%s, window %d: a limit of %d, a hold of %d, changed %v", name, i, a.limit, a.hold, changed)
			}
		}
	}
	a := adaptive{usual: 1, cut: at(10)}
	for s, want := range map[float64]bool{10: true, 12.9: true, 13: false} {
		if got := a.overloaded(at(s)); got != want {
			t.Errorf("%v s after a cut it is overloaded: %v", s-10, got)
		}
	}
	a.usual = 0.1
	if !a.overloaded(at(10.9)) || a.overloaded(at(11)) {
		t.Error("a fast server is overloaded for a second after a cut")
	}
	if a.refused = 15; a.overloaded(at(99)) {
		t.Error("after fifteen refusals the server counts as overloaded")
	}
	if a.refused = 16; !a.overloaded(at(99)) {
		t.Error("after sixteen refusals the server does not count as overloaded")
	}
}

// TestLimiter: as many are let in as may be, the others in their order; who gives up while waiting leaves the line.
func TestLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter{limit: 2}
		var mu sync.Mutex
		var order []int
		enter := func(ctx context.Context, i int) {
			go func() {
				err := l.enter(ctx)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					i = -i
				}
				order = append(order, i)
			}()
			synctest.Wait()
		}
		ctx, cancel := context.WithCancel(t.Context())
		for i := range 5 {
			if i == 3 {
				enter(ctx, i+1)
			} else {
				enter(t.Context(), i+1)
			}
		}
		check := func(in, waiting int, load float64, want ...int) {
			t.Helper()
			mu.Lock()
			defer mu.Unlock()
			if i, w, limit := l.counts(); i != in || w != waiting || limit != 2 || l.load() != load || !slices.Equal(order, want) {
				t.Errorf("%d in, %d wait, a load of %v, let in %d", i, w, l.load(), order)
			}
		}
		check(2, 3, 2.5, 1, 2)
		cancel()
		synctest.Wait()
		check(2, 2, 2, 1, 2, -4)
		l.leave()
		synctest.Wait()
		check(2, 1, 1.5, 1, 2, -4, 3)
		l.leave()
		l.leave()
		synctest.Wait()
		check(1, 0, 0.5, 1, 2, -4, 3, 5)
	})
	for slots, want := range map[int]int{1: 65, 64: 128, 65: 130, 200: 400} {
		if got := Workers(slots); got != want {
			t.Errorf("%d slots need %d callers", slots, got)
		}
	}
}

// TestLimiterGivesBack: a slot that comes at the moment at which its caller gives up goes to the next one; a limit that
// rises lets in who waits.
func TestLimiterGivesBack(t *testing.T) {
	for range 30 {
		synctest.Test(t, func(t *testing.T) {
			l := limiter{limit: 1, in: 1}
			ctx, cancel := context.WithCancel(t.Context())
			first, second := make(chan error, 1), make(chan error, 1)
			go func() { first <- l.enter(ctx) }()
			synctest.Wait()
			last, end := context.WithCancel(t.Context())
			go func() { second <- l.enter(last) }()
			synctest.Wait()
			l.mu.Lock()
			cancel()
			l.in--
			l.admit()
			l.mu.Unlock()
			synctest.Wait()
			gaveUp := <-first != nil
			if in, waiting, _ := l.counts(); in != 1 || (waiting == 0) != gaveUp || (len(second) == 1) != gaveUp {
				t.Errorf("the first gave up: %v; %d in, %d wait", gaveUp, in, waiting)
			}
			end()
			synctest.Wait()
		})
	}
	synctest.Test(t, func(t *testing.T) {
		l := limiter{limit: 10, in: 10, adapt: &adaptive{most: 20, limit: 10, hold: 1}}
		entered := make(chan error, 1)
		go func() { entered <- l.enter(t.Context()) }()
		synctest.Wait()
		for range 64 {
			l.ended(time.Now().Add(-time.Second), false)
		}
		synctest.Wait()
		if in, waiting, limit := l.counts(); in != 11 || waiting != 0 || limit != 11 || len(entered) != 1 {
			t.Errorf("%d in, %d wait, a limit of %d", in, waiting, limit)
		}
	})
	l := limiter{limit: 10, in: 10, adapt: &adaptive{most: 20, limit: 10, hold: 1}}
	for range 64 {
		l.ended(time.Now().Add(-time.Second), false)
	}
	if _, _, limit := l.counts(); limit != 10 {
		t.Errorf("a limit of %d, though nobody waits", limit)
	}
	if (&limiter{}).overloaded() {
		t.Error("a server with a fixed limit is overloaded")
	}
}
