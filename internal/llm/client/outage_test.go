package client

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	"github.com/judgekit/judge/internal/llm/journal"
)

// world is an endpoint in virtual time: it answers after took, unless fail says
// otherwise of the n-th request or of its body.
type world struct {
	took  time.Duration
	start time.Time
	model string
	list  string // what GET models answers
	fail  func(at time.Duration, n int, body string) (*http.Response, error, bool)

	mu    sync.Mutex
	n     int
	plain int // requests of checks
	sent  map[string]int
}

func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		raw, _ := io.ReadAll(r.Body)
		body = string(raw)
	}
	w.mu.Lock()
	n := -1
	if strings.Contains(body, "Say yes.") {
		w.plain++
	} else if r.Method == http.MethodPost {
		n = w.n
		w.n++
		w.sent[body]++
	}
	w.mu.Unlock()
	if w.fail != nil {
		if res, err, failed := w.fail(time.Since(w.start), n, body); failed {
			if res == nil && err == nil { // a hang
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return res, err
		}
	}
	w.mu.Lock()
	list, model := w.list, w.model
	w.mu.Unlock()
	if r.Method == http.MethodGet {
		return reply(200, list)()
	}
	if err := sleep(r.Context(), w.took); err != nil {
		return nil, err
	}
	return reply(200, `{"model":"`+model+`","choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}`)()
}

// news gathers what a client says about outages.
type news struct {
	mu   sync.Mutex
	list []Notice
}

func (n *news) add(x Notice) { n.mu.Lock(); defer n.mu.Unlock(); n.list = append(n.list, x) }

// all returns what was said so far.
func (n *news) all() []Notice { n.mu.Lock(); defer n.mu.Unlock(); return slices.Clone(n.list) }

func (w *world) client(t *testing.T, ep Endpoint, cfg Config) (*Client, *news) {
	w.start, w.sent = time.Now(), map[string]int{}
	if w.model == "" {
		w.model = "m"
	}
	heard := &news{}
	ep.BaseURL, cfg.Transport, cfg.Notice = "http://fake/v1", w, heard.add
	if cfg.Outage == 0 {
		cfg.Outage = 10 * time.Minute
	}
	return client(t, ep, cfg), heard
}

// ask sends n requests from so many workers and returns their errors.
func ask(ctx context.Context, c *Client, workers, n int) []error {
	errs := make([]error, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				_, errs[i] = c.Do(ctx, request(fmt.Sprintf("item %d.", i)))
			}
		})
	}
	wg.Wait()
	return errs
}

func failedOf(errs []error) (n int) {
	for _, err := range errs {
		if err != nil {
			n++
		}
	}
	return n
}

type trouble func() (*http.Response, error)

func troubles() map[string]trouble {
	return map[string]trouble{
		"refused":  func() (*http.Response, error) { return nil, syscall.ECONNREFUSED },
		"reset":    func() (*http.Response, error) { return nil, syscall.ECONNRESET },
		"503":      reply(503, "busy"),
		"502 page": reply(502, "<html><title>Bad Gateway</title></html>"),
		"429":      reply(429, "", "Retry-After", "1"),
		"hang":     func() (*http.Response, error) { return nil, nil },
	}
}

// TestOutageIsWaitedFor: the endpoint goes away for a while; every request is answered,
// none is charged, and what is sent twice is only what was lost with the endpoint.
func TestOutageIsWaitedFor(t *testing.T) {
	for name, fault := range troubles() {
		for _, away := range []time.Duration{time.Second, 30 * time.Second, 300 * time.Second} {
			for _, workers := range []int{1, 24} {
				t.Run(fmt.Sprint(name, away, workers), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						w := &world{took: 100 * time.Millisecond}
						w.fail = func(at time.Duration, _ int, _ string) (*http.Response, error, bool) {
							if at < 2*time.Second || at >= 2*time.Second+away {
								return nil, nil, false
							}
							res, err := fault()
							return res, err, true
						}
						c, heard := w.client(t, Endpoint{Concurrency: min(workers, 16)}, Config{})
						errs := ask(t.Context(), c, workers, 600)
						if n := failedOf(errs); n > 0 {
							t.Errorf("%d failed: %v", n, errors.Join(errs...))
						}
						over := time.Since(w.start) - away - time.Minute
						if over > time.Minute && name != "hang" || over > 6*time.Minute {
							t.Errorf("took %v", time.Since(w.start))
						}
						if away > time.Minute {
							heard.check(t, name, away)
						}
					})
				})
			}
		}
	}
}

// check wants to have been told at once, and of the end.
func (n *news) check(t *testing.T, name string, away time.Duration) {
	t.Helper()
	list := n.all()
	if len(list) == 0 {
		t.Fatal("nobody was told")
	}
	soon := 5 * time.Second
	if name == "hang" {
		soon = 2 * time.Minute
	}
	first, last := list[0], list[len(list)-1]
	if first.Over || first.Since > soon || first.Why == "" || first.Endpoint != "http://fake/v1" {
		t.Errorf("first %+v", first)
	}
	if !last.Over || last.Since > away+31*time.Second {
		t.Errorf("last %+v", last)
	}
	for i := 2; i < len(list)-1; i++ {
		if list[i].Next < list[i-1].Next {
			t.Errorf("the wait shrinks from %v to %v", list[i-1].Next, list[i].Next)
		}
	}
}

// TestOutageEnds: after its time the run is told to end, and nothing is written down.
func TestOutageEnds(t *testing.T) {
	for name, fault := range troubles() {
		for _, workers := range []int{1, 24} {
			t.Run(fmt.Sprint(name, workers), func(t *testing.T) {
				var path string
				synctest.Test(t, func(t *testing.T) {
					w := &world{took: 100 * time.Millisecond}
					w.fail = func(at time.Duration, _ int, _ string) (*http.Response, error, bool) {
						if at < 2*time.Second {
							return nil, nil, false
						}
						res, err := fault()
						return res, err, true
					}
					path = t.TempDir() + "/exchanges.jsonl"
					j, err := journal.Open(path)
					if err != nil {
						t.Fatal(err)
					}
					defer j.Close()
					c, _ := w.client(t, Endpoint{Concurrency: min(workers, 16)}, Config{Journal: j})
					errs := ask(t.Context(), c, workers, 600)
					failed := 0
					for _, err := range errs {
						if err == nil {
							continue
						}
						failed++
						if e := asError(err); e.Kind != llm.KindOutage || !e.Fatal ||
							!strings.Contains(e.Message, "10m0s") {
							t.Fatalf("%v", err)
						}
					}
					if failed == 0 || j.Stats().Records != 600-failed {
						t.Errorf("%d failed, journal %+v", failed, j.Stats())
					}
					if took := time.Since(w.start); took < 10*time.Minute || took > 17*time.Minute {
						t.Errorf("took %v", took)
					}
				})
			})
		}
	}
}

// TestFaultsOfItems: what is wrong with an item is not taken for an outage, and ends
// after its own attempts.
func TestFaultsOfItems(t *testing.T) {
	for _, workers := range []int{1, 24} {
		for name, fault := range troubles() {
			t.Run(fmt.Sprint(name, workers), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := &world{took: 100 * time.Millisecond}
					poison := func(body string) bool { return strings.Contains(body, "7.") }
					w.fail = func(_ time.Duration, _ int, body string) (*http.Response, error, bool) {
						if !poison(body) {
							return nil, nil, false
						}
						res, err := fault()
						return res, err, true
					}
					c, heard := w.client(t, Endpoint{Concurrency: min(workers, 16)}, Config{})
					for i, err := range ask(t.Context(), c, workers, 60) {
						if bad := i%10 == 7; bad != (err != nil) {
							t.Errorf("item %d: %v", i, err)
						} else if bad && (asError(err).Fatal || asError(err).Kind == llm.KindOutage) {
							t.Errorf("item %d: %v", i, err)
						}
					}
					if list := heard.all(); len(list) > 0 {
						t.Errorf("an outage was told of: %+v", list)
					}
					for body, n := range w.sent {
						if name != "429" && (poison(body) && n > DefaultMaxAttempts || !poison(body) && n != 1) {
							t.Errorf("%d times: %s", n, body)
						}
					}
					if name == "hang" && time.Since(w.start) > 6*12*time.Minute {
						t.Errorf("six hangs took %v", time.Since(w.start))
					}
				})
			})
		}
	}
}

// TestLastAttempt: an item that fails for all attempts but the last one is answered by that.
func TestLastAttempt(t *testing.T) {
	for _, fails := range []int{DefaultMaxAttempts - 1, DefaultMaxAttempts} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{took: 100 * time.Millisecond}
			n := 0
			w.fail = func(_ time.Duration, _ int, body string) (*http.Response, error, bool) {
				if !strings.Contains(body, "item 7.") || n == fails {
					return nil, nil, false
				}
				n++
				res, err := reply(503, "busy")()
				return res, err, true
			}
			c, _ := w.client(t, Endpoint{Concurrency: 1}, Config{})
			errs := ask(t.Context(), c, 1, 10)
			if failed := errs[7] != nil; failed != (fails == DefaultMaxAttempts) || failedOf(errs) > 1 || n != fails {
				t.Errorf("after %d of %d failures: %v", n, fails, errs[7])
			}
		})
	}
}

// TestRefusals: after successes a refusal is the item's own, until it comes for too many
// in a row; at the start a plain request says whom it is meant for.
func TestRefusals(t *testing.T) {
	page := reply(404, "<html><title>Not here</title></html>")
	for name, tt := range map[string]struct {
		fault trouble
		from  func(n int, body string) bool
		plain bool // is refused too
		fatal bool
		own   int // items that end with their own refusal
	}{
		"401 for one in ten": {reply(401, "blocked by policy"),
			func(_ int, b string) bool { return strings.Contains(b, "7.") }, false, false, 6},
		"403 for one in ten": {reply(403, "blocked by policy"),
			func(_ int, b string) bool { return strings.Contains(b, "7.") }, false, false, 6},
		"402 for one in ten": {reply(402, "blocked by policy"),
			func(_ int, b string) bool { return strings.Contains(b, "7.") }, false, false, 6},
		"404 for one in ten": {page, func(_ int, b string) bool { return strings.Contains(b, "7.") },
			false, false, 6},
		"302 for one in ten": {reply(302, "", "Location", "http://else/"),
			func(_ int, b string) bool { return strings.Contains(b, "7.") }, false, false, 6},
		"the first item": {reply(403, "blocked by policy"),
			func(_ int, b string) bool { return strings.Contains(b, "item 0.") }, false, false, 1},
		"all from the start": {reply(401, "bad key"), func(int, string) bool { return true }, true, true, 0},
		"all 402":            {reply(402, "pay"), func(int, string) bool { return true }, true, true, 0},
		"all later": {reply(401, "key was withdrawn"),
			func(n int, _ string) bool { return n > 20 }, true, true, 19},
		"all, but for plain ones": {reply(403, "blocked"), func(int, string) bool { return true }, false, true, 19},
		"redirects from the start": {reply(307, "", "Location", "http://else/"),
			func(int, string) bool { return true }, true, true, 0},
		"all later, another address": {reply(301, "", "Location", "http://else/"),
			func(n int, _ string) bool { return n > 20 }, true, true, 19},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{took: 100 * time.Millisecond}
				w.fail = func(_ time.Duration, n int, body string) (*http.Response, error, bool) {
					if n < 0 && !(tt.plain && strings.Contains(body, "Say yes.")) || n >= 0 && !tt.from(n, body) {
						return nil, nil, false
					}
					res, err := tt.fault()
					return res, err, true
				}
				c, _ := w.client(t, Endpoint{Concurrency: 16}, Config{})
				fatal, own := 0, 0
				for i := range 60 {
					_, err := c.Do(t.Context(), request(fmt.Sprintf("item %d.", i)))
					switch {
					case err != nil && asError(err).Fatal:
						fatal++
					case err != nil:
						own++
					}
					if err != nil && (strings.Contains(err.Error(), "else") || asError(err).Attempts != 1) {
						t.Errorf("%v", err)
					}
					if fatal > 0 {
						break
					}
				}
				if tt.fatal != (fatal > 0) || own != tt.own {
					t.Errorf("%d fatal, %d of items", fatal, own)
				}
			})
		})
	}
}

// TestAnotherServerComesBack: an endpoint that went away is not the same when it has
// another model, or none; a smaller window is told of.
func TestAnotherServerComesBack(t *testing.T) {
	for name, tt := range map[string]struct {
		away  time.Duration
		after func(w *world)
		kind  llm.ErrorKind
	}{
		"other model":           {30 * time.Second, func(w *world) { w.model = "other" }, llm.KindModel},
		"other model, at once":  {50 * time.Millisecond, func(w *world) { w.model = "other" }, llm.KindModel},
		"without its model":     {30 * time.Second, nil, llm.KindModel},
		"with a smaller window": {30 * time.Second, func(w *world) { w.list = `{"data":[{"id":"fake-model","max_model_len":2048}]}` }, ""},
		"beside another model": {30 * time.Second, func(w *world) {
			w.list = `{"data":[{"id":"fake-model","max_model_len":2048},{"id":"other","max_model_len":1024},{"id":"small"}]}`
		}, ""},
		"under another name": {30 * time.Second, func(w *world) { w.list = `{"data":[{"id":"alias","max_model_len":2048}]}` }, ""},
		"without its window": {30 * time.Second, func(w *world) { w.list = `{"data":[{"id":"fake-model"}]}` }, ""},
		"the same":           {30 * time.Second, func(*world) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{took: 100 * time.Millisecond, list: `{"data":[{"id":"fake-model","max_model_len":4096}]}`}
				w.fail = func(at time.Duration, _ int, body string) (*http.Response, error, bool) {
					if at < time.Second {
						return nil, nil, false
					}
					if at < time.Second+tt.away {
						return nil, syscall.ECONNREFUSED, true
					}
					w.mu.Lock()
					defer w.mu.Unlock()
					if tt.after == nil && body != "" {
						res, err := reply(404, `{"error":{"message":"model 'm' not found"}}`)()
						return res, err, true
					}
					if tt.after != nil {
						tt.after(w)
					}
					return nil, nil, false
				}
				var window atomic.Int64
				c, _ := w.client(t, Endpoint{Concurrency: 4}, Config{Window: func(n int) { window.Store(int64(n)) }})
				errs := ask(t.Context(), c, 4, 200)
				last := errs[len(errs)-1]
				if tt.kind == "" && failedOf(errs) > 0 || tt.kind != "" &&
					(asError(last).Kind != tt.kind || !asError(last).Fatal) {
					t.Errorf("%v", last)
				}
				want := map[string]int64{"with a smaller window": 2048, "beside another model": 2048, "under another name": 2048, "the same": 4096}[name]
				if tt.kind == "" && window.Load() != want {
					t.Errorf("window %d, want %d", window.Load(), want)
				}
			})
		})
	}
}

// TestOtherNamesOfTheModel: a gateway that answers under other names, or none, has not changed its model, unless it was
// away in between.
func TestOtherNamesOfTheModel(t *testing.T) {
	for name, tt := range map[string]struct {
		models string
		broken bool
		outage time.Duration
		failed int
	}{
		"other names":               {"a b c", false, time.Minute, 0},
		"away, the same name":       {"a a a", true, time.Minute, 0},
		"away, no name":             {"a - a", true, time.Minute, 0},
		"away, a name known before": {"a b a", true, time.Minute, 0},
		"away, another name":        {"a a b", true, time.Minute, 1},
		"away, and nobody watches":  {"a a b", true, -1, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			w, names := &world{list: `{"data":[]}`}, strings.Fields(tt.models)
			cut := false
			w.fail = func(_ time.Duration, n int, _ string) (*http.Response, error, bool) {
				if n < 0 {
					return nil, nil, false
				}
				if tt.broken && n == 2 && !cut { // before the third answer
					cut = true
					return nil, syscall.ECONNRESET, true
				}
				if cut {
					n--
				}
				w.mu.Lock()
				defer w.mu.Unlock()
				w.model = strings.Trim(names[n], "-")
				return nil, nil, false
			}
			c, _ := w.client(t, Endpoint{}, Config{Outage: tt.outage})
			failed := 0
			for i := range names {
				if _, err := c.Do(t.Context(), request(fmt.Sprint("item ", i))); err != nil {
					failed++
				}
			}
			if failed != tt.failed {
				t.Errorf("%s: %d of %d requests failed, want %d", name, failed, len(names), tt.failed)
			}
		})
	}
}

// TestAbsurdRetryAfter: one alone costs little; from everybody it is an outage.
func TestAbsurdRetryAfter(t *testing.T) {
	for _, header := range []string{"86400", "1e999", "Fri, 31 Dec 2100 23:59:59 GMT"} {
		for _, all := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				w := &world{took: 100 * time.Millisecond}
				w.fail = func(at time.Duration, n int, _ string) (*http.Response, error, bool) {
					if all && at > time.Second && at < time.Minute || n == 20 {
						res, err := reply(429, "", "Retry-After", header)()
						return res, err, true
					}
					return nil, nil, false
				}
				c, heard := w.client(t, Endpoint{Concurrency: 4}, Config{})
				if errs := ask(t.Context(), c, 6, 200); failedOf(errs) > 0 {
					t.Errorf("%v", errors.Join(errs...))
				}
				list := heard.all()
				if took := time.Since(w.start); all != (len(list) > 0) || took > 2*time.Minute || !all &&
					took > 10*time.Second {
					t.Errorf("%s, all %v: %v, %+v", header, all, took, list)
				}
			})
		}
	}
}

// TestLimitedThroughput: 2 % of refusals for the rate, each with a second to wait, cost
// less than a twentieth of the throughput.
func TestLimitedThroughput(t *testing.T) {
	count := func(took time.Duration, share int) (n int64) {
		synctest.Test(t, func(t *testing.T) {
			w := &world{took: took}
			w.fail = func(_ time.Duration, n int, _ string) (*http.Response, error, bool) {
				if share == 0 || n < 0 || n%(100/share) != 0 {
					return nil, nil, false
				}
				res, err := reply(429, "", "Retry-After", "1")()
				return res, err, true
			}
			c, heard := w.client(t, Endpoint{Concurrency: 16}, Config{})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var done, next atomic.Int64
			var wg sync.WaitGroup
			for range 16 + 32 {
				wg.Go(func() {
					for ctx.Err() == nil {
						if _, err := c.Do(ctx, request(fmt.Sprint(next.Add(1)))); err == nil {
							done.Add(1)
						}
					}
				})
			}
			wg.Wait()
			if list := heard.all(); len(list) > 0 {
				t.Errorf("%+v", list)
			}
			n = done.Load()
		})
		return n
	}
	for _, took := range []time.Duration{100 * time.Millisecond, time.Second} {
		free, limited := count(took, 0), count(took, 2)
		if t.Logf("%v a reply: %d without, %d with refusals", took, free,
			limited); float64(limited) < 0.95*float64(free) {
			t.Errorf("%v: %d of %d", took, limited, free)
		}
	}
}
