package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
)

// TestChecksObeyRetryAfter: an endpoint that is down and names a time is asked about twice in
// that time, by the check and by a request; one that names none is looked at every half minute.
func TestChecksObeyRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		named       time.Duration
		least, most int // requests in the eight minutes before it is back
	}{{0, 16, 40}, {90 * time.Second, 4, 14}} {
		synctest.Test(t, func(t *testing.T) {
			const back = 10 * time.Minute
			var mu sync.Mutex
			var asked []time.Duration
			w := &world{took: 100 * time.Millisecond}
			w.fail = func(at time.Duration, _ int, _ string) (*http.Response, error, bool) {
				mu.Lock()
				defer mu.Unlock()
				if asked = append(asked, at); at < time.Second || at > back {
					return nil, nil, false
				}
				header := []string{}
				if tt.named > 0 {
					header = []string{"Retry-After", fmt.Sprint(tt.named.Seconds())}
				}
				res, err := reply(503, "restarting", header...)()
				return res, err, true
			}
			c, _ := w.client(t, Endpoint{Concurrency: 1}, Config{Outage: time.Hour})
			if errs := ask(t.Context(), c, 1, 50); failedOf(errs) > 0 {
				t.Errorf("%v", errors.Join(errs...))
			}
			n := 0
			for _, at := range asked {
				if at > 2*time.Minute && at < back {
					n++
				}
			}
			if n < tt.least || n > tt.most {
				t.Errorf("%v is named: %d requests in 8 minutes, %d to %d expected", tt.named, n, tt.least, tt.most)
			}
		})
	}
}

// TestRetryAfterOfABadAnswer: a time in a reply that is an answer by its status, and none by
// its text, is not waited for; the next attempt waits as after any failure.
func TestRetryAfterOfABadAnswer(t *testing.T) {
	waits := map[time.Duration]bool{}
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			c, s := fake(t, Endpoint{}, reply(200, `{"choices":[]}`, "Retry-After", "50"), reply(200, good))
			if res, err := c.Do(t.Context(), request("hi")); err != nil || res.Attempts != 2 {
				t.Fatalf("%+v, %v", res, err)
			}
			waits[s.times[1].Round(time.Millisecond)] = true
			if s.times[1] > firstBackoff {
				t.Errorf("waited %v", s.times[1])
			}
		})
	}
	if len(waits) < 10 {
		t.Errorf("the waits are %v", waits)
	}
}

// half is two servers, the second of which fails in one way until it comes back.
type half struct {
	start time.Time
	back  time.Duration
	fails func() (*http.Response, error)

	mu   sync.Mutex
	sent map[string][]time.Duration // requests of conversations, by host
}

func (h *half) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		raw, _ := io.ReadAll(r.Body)
		body = string(raw)
	}
	at := time.Since(h.start)
	h.mu.Lock()
	if !strings.Contains(body, "Say yes.") && r.Method == http.MethodPost {
		h.sent[r.URL.Host] = append(h.sent[r.URL.Host], at)
	}
	h.mu.Unlock()
	if r.URL.Host == "b" && at < h.back {
		return h.fails()
	}
	if err := sleep(r.Context(), time.Second); err != nil {
		return nil, err
	}
	if r.Method == http.MethodGet {
		return reply(200, `{"data":[{"id":"m"}]}`)()
	}
	return reply(200, good)()
}

// TestTwoReplicasOneDown: as long as one of two replicas is down every request is answered by
// the other, and few are sent there in vain. The one that was down gets its share
// again when it is back.
func TestTwoReplicasOneDown(t *testing.T) {
	for name, tt := range map[string]struct {
		fails   func() (*http.Response, error)
		slowest time.Duration // that a request may be
	}{
		"nothing listens": {func() (*http.Response, error) { return nil, syscall.ECONNREFUSED }, 5 * time.Second},
		"restarting":      {reply(503, "loading"), 10 * time.Second},
		// What was sent there waits for the time that it is told.
		"restarting, with a time": {reply(503, "loading", "Retry-After", "20"), 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &half{start: time.Now(), back: 2 * time.Minute, fails: tt.fails, sent: map[string][]time.Duration{}}
				c := client(t, Endpoint{BaseURL: "http://a/v1", Replicas: []string{"http://b/v1"}, Concurrency: 8},
					Config{Transport: h, Outage: time.Hour})
				slowest := time.Duration(0)
				var wg sync.WaitGroup
				var mu sync.Mutex
				for worker := range 8 {
					wg.Go(func() {
						for i := 0; time.Since(h.start) < 5*time.Minute; i++ {
							req := request(fmt.Sprint(worker, "/", i))
							req.Group = fmt.Sprint(worker, "/", i/5)
							begun := time.Now()
							if _, err := c.Do(t.Context(), req); err != nil {
								t.Error(err)
								return
							}
							mu.Lock()
							slowest = max(slowest, time.Since(begun))
							mu.Unlock()
						}
					})
				}
				wg.Wait()
				lost, late := 0, 0
				for _, at := range h.sent["b"] {
					if at < h.back {
						lost++
					} else if at > 4*time.Minute {
						late++
					}
				}
				if lost == 0 || lost > 40 || slowest > tt.slowest {
					t.Errorf("%d requests were lost on the replica that was down, the slowest took %v", lost, slowest)
				}
				if late < 60 {
					t.Errorf("%d requests went to the replica that is back, in its last minute", late)
				}
			})
		})
	}
}

// TestCancelledRequestLeavesItsReplica: a caller that gives up while it waits keeps no place at a replica.
func TestCancelledRequestLeavesItsReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &half{start: time.Now(), sent: map[string][]time.Duration{}} // answers after a second
		c := client(t, Endpoint{BaseURL: "http://a/v1", Replicas: []string{"http://b/v1"}, Concurrency: 1}, Config{Transport: h})
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := c.Do(t.Context(), request("first")); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		// This one goes to the other replica, and waits for the only place of both.
		second := request("second")
		second.Group = "another"
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := c.Do(ctx, second); err == nil {
			t.Error("a second request went out beside the first")
		}
		wg.Wait()
		if _, err := c.Do(t.Context(), second); err != nil {
			t.Error(err)
		}
	})
}

// TestEqualRequestsFailTogether: who waits for the answer to an equal request gets its error too, and never an answer of nothing.
func TestEqualRequestsFailTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{took: time.Second}
		w.fail = func(time.Duration, int, string) (*http.Response, error, bool) {
			time.Sleep(time.Second)
			res, err := reply(400, `{"error":{"message":"no such parameter"}}`)()
			return res, err, true
		}
		j, err := journal.Open(filepath.Join(t.TempDir(), "exchanges.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		c, _ := w.client(t, Endpoint{Concurrency: 4}, Config{Journal: j})
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if res, err := c.Do(t.Context(), request("same")); err == nil || res != nil || asError(err).Kind != llm.KindBadRequest {
					t.Errorf("%+v, %v", res, err)
				}
			})
		}
		wg.Wait()
		if w.n != 1 {
			t.Errorf("%d requests were sent", w.n)
		}
	})
}

// TestModelsRefused: a list of models that the server refuses is an error, and not an empty list.
func TestModelsRefused(t *testing.T) {
	for status, want := range map[int]llm.ErrorKind{401: llm.KindUnauthorized, 404: llm.KindNotFound, 500: llm.KindServer} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{}
			w.fail = func(time.Duration, int, string) (*http.Response, error, bool) {
				res, err := reply(status, `{"error":{"message":"no"}}`)()
				return res, err, true
			}
			c, _ := w.client(t, Endpoint{}, Config{})
			if list, err := c.Models(t.Context()); list != nil || err == nil || asError(err).Kind != want {
				t.Errorf("%d: %v, %v", status, list, err)
			}
		})
	}
}

// TestAdvice: who is refused is told where the key is from.
func TestAdvice(t *testing.T) {
	one := []Param{{Name: "X-Key", Value: NewSecret("k")}}
	for want, e := range map[string]Endpoint{
		"check the environment variables":  {Headers: one, KeyEnv: "K", APIKey: NewSecret("k")},
		"check the environment variables ": {Query: one, KeyEnv: "K"},
		"no key was sent; set K":           {KeyEnv: "K"},
		"the key in K was refused":         {KeyEnv: "K", APIKey: NewSecret("k")},
	} {
		c := &Client{endpoint: e}
		got := c.withAdvice(&llm.Error{Kind: llm.KindUnauthorized, Fatal: true}, &llm.Request{}, 2)
		if !strings.HasPrefix(got.Hint, want) || got.Attempts != 2 {
			t.Errorf("%+v, want %s", got, want)
		}
	}
	library := func(n int) (list []ModelInfo) {
		for i := range n {
			list = append(list, ModelInfo{ID: fmt.Sprint("m", i), OwnedBy: "library"})
		}
		return list
	}
	const twelve = "the server has: m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11"
	for _, tt := range []struct {
		kind    llm.Kind
		list    []ModelInfo
		message string
		want    string
	}{
		{"", nil, "no such model", "the server has no models"},
		{"", []ModelInfo{{ID: "a"}, {ID: "b"}}, "no such model", "the server has: a, b"},
		{"", library(12), "", "run `ollama pull m`, or use another model; " + twelve},
		{"", library(14), "", "run `ollama pull m`, or use another model; " + twelve + " and 2 more"},
		{"", nil, "try pulling it first", "run `ollama pull m`, or use another model; the server has no models"},
		{llm.KindOllama, nil, "", "run `ollama pull m`, or use another model; the server has no models"},
	} {
		c := &Client{cfg: Config{Kind: tt.kind}, list: func() ([]ModelInfo, error) { return tt.list, nil }}
		e := &llm.Error{Kind: llm.KindNotFound, Fatal: true, Message: tt.message}
		if got := c.withAdvice(e, &llm.Request{Model: "m"}, 1); got.Hint != tt.want {
			t.Errorf("%s, want %s", got.Hint, tt.want)
		}
	}
}

// TestSideRequests: what is no chat completion is asked once, within ten seconds, and its failures name the endpoint.
func TestSideRequests(t *testing.T) {
	hang := func() (*http.Response, error) { return nil, context.DeadlineExceeded }
	for _, tt := range []struct {
		timeout, took time.Duration
	}{{0, 10 * time.Second}, {time.Second, time.Second}, {time.Minute, 10 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			c, s := fake(t, Endpoint{Timeout: tt.timeout}, hang)
			s.took = time.Hour
			got := c.Side(t.Context(), http.MethodGet, "http://fake/v1/x", nil)
			if took := time.Since(s.start); got.Err == nil || got.Err.Endpoint != "http://fake/v1" || took != tt.took {
				t.Errorf("with a limit of %v: %+v after %v", tt.timeout, got.Err, took)
			}
		})
	}
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, r.Method+" "+r.URL.Path+" "+r.Header.Get("Content-Type")+" "+string(body))
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, "tea")
	}))
	defer server.Close()
	c := client(t, Endpoint{BaseURL: server.URL + "/v1"}, Config{})
	if got := c.Side(t.Context(), http.MethodPost, server.URL+"/a", []byte("{}")); got.Status != 418 || string(got.Body) != "tea" || got.Err != nil {
		t.Errorf("%+v", got)
	}
	c.Side(t.Context(), http.MethodGet, server.URL+"/b", nil)
	if want := []string{"POST /a application/json {}", "GET /b  "}; !slices.Equal(asked, want) {
		t.Errorf("asked %q", asked)
	}
	queue := client(t, Endpoint{BaseURL: "queue jobs"}, Config{Sender: &fixedReply{}})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for want, got := range map[string]Side{
		"bad request: nothing but chat completions is sent this way": queue.Side(t.Context(), http.MethodGet, "http://h", nil),
		"bad request: side request: bad URL":                         c.Side(t.Context(), http.MethodGet, "http://[", nil),
		"canceled: context canceled":                                 c.Side(ended, http.MethodGet, server.URL, nil),
	} {
		if got.Err == nil || !strings.HasSuffix(got.Err.Error(), want) || got.Err.Endpoint == "" {
			t.Errorf("%v, want %s", got.Err, want)
		}
	}
}

// TestListOfModelsFails: what is said if there is no list of models.
func TestListOfModelsFails(t *testing.T) {
	const at = "chat (list) at http://fake/v1: "
	for _, tt := range []struct {
		reply func() (*http.Response, error)
		want  string
	}{
		{reply(404, "none"), at + "not found (HTTP 404): none; is the base URL right? most servers want it to end in /v1"},
		{reply(200, "<p>"), at + "invalid reply (HTTP 200): the list of models is not JSON"},
		{reply(500, "boom"), at + "server (HTTP 500): boom"},
		{reply(401, "no"), at + "unauthorized (HTTP 401): no; no key was sent; set OPENAI_API_KEY"},
		{func() (*http.Response, error) { return nil, errors.New("boom") }, at + "transport: boom"},
	} {
		c, _ := fake(t, Endpoint{}, tt.reply)
		if list, err := c.Models(t.Context()); list != nil || err == nil || err.Error() != tt.want {
			t.Errorf("%v, %v, want %s", list, err, tt.want)
		}
	}
	c, _ := fake(t, Endpoint{}, reply(500, "boom"))
	if got := c.notFoundAdvice("m", ""); got != "is the base URL right? most servers want it to end in /v1" {
		t.Error(got)
	}
}
