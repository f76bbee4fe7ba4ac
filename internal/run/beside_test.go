//go:build unix

package run

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// late is a server that answers after a while, and knows how many requests were in flight.
type late struct {
	*httptest.Server
	after time.Duration

	mu     sync.Mutex
	in     int
	last   time.Time
	busy   float64 // request-seconds
	bodies [][]byte
	keep   bool
}

func newLate(b *testing.B, after time.Duration) *late {
	s := &late{after: after, keep: true}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	b.Cleanup(s.Close)
	return s
}

// enter counts a request that comes (1) or leaves (-1).
func (s *late) enter(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.busy += float64(s.in) * now.Sub(s.last).Seconds()
	s.last = now
	s.in += n
}

const lateAnswer = `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"{\"explanation\":\"The call ` +
	`does what the user asked for.\",\"evidence\":\"NONE: nothing is missing\",\"output\":1,\"confidence\":0.9,\"correction\":{}}"}}],` +
	`"usage":{"prompt_tokens":2500,"completion_tokens":60}}`

func (s *late) serve(w http.ResponseWriter, r *http.Request) {
	s.enter(1)
	defer s.enter(-1)
	body, _ := io.ReadAll(r.Body)
	if s.mu.Lock(); s.keep {
		s.bodies = append(s.bodies, body)
	}
	s.mu.Unlock()
	time.Sleep(s.after)
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, lateAnswer)
}

// bare sends the same bodies from so many goroutines, and does nothing else.
func bare(b *testing.B, url string, bodies [][]byte, inFlight int) {
	transport := &http.Transport{MaxIdleConns: inFlight, MaxIdleConnsPerHost: inFlight, DisableCompression: true}
	defer transport.CloseIdleConnections()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range inFlight {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(bodies)); i = next.Add(1) - 1 {
				req, _ := http.NewRequest(http.MethodPost, url, bytes.NewReader(bodies[i]))
				req.Header.Set("Content-Type", "application/json")
				res, err := transport.RoundTrip(req)
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			}
		})
	}
	wg.Wait()
}

// BenchmarkBesideBareClient runs judgements, and then sends the same bodies with a bare Go
// client: the share of the requests in flight that each keeps up, and the CPU time of each
// for 1,000 requests, that of the server in this process included in both.
func BenchmarkBesideBareClient(b *testing.B) {
	for _, tt := range []struct {
		after    time.Duration
		inFlight int
		copies   int // of the log's 256 judgements
	}{{100 * time.Millisecond, 64, 80}, {500 * time.Millisecond, 512, 160}} {
		b.Run(fmt.Sprintf("%v-j%d", tt.after, tt.inFlight), func(b *testing.B) {
			var use, cpu [2]float64
			n := 0.0
			for b.Loop() {
				s := newLate(b, tt.after)
				p := plan(b, s.URL+"/v1", repeated(b, tt.copies))
				p.Judges[0].Endpoint.Concurrency = tt.inFlight
				measure := func(which int, f func()) {
					s.mu.Lock()
					s.busy, s.last = 0, time.Now()
					s.mu.Unlock()
					before, start := processCPU(), time.Now()
					f()
					cpu[which] += processCPU() - before
					use[which] += s.busy / (float64(tt.inFlight) * time.Since(start).Seconds())
				}
				measure(0, func() {
					if _, err := Execute(b.Context(), p, b.TempDir(), false, Observer{}); err != nil {
						b.Fatal(err)
					}
				})
				bodies := s.bodies
				s.keep = false
				measure(1, func() { bare(b, s.URL+"/v1/chat/completions", bodies, tt.inFlight) })
				n += float64(len(bodies))
			}
			b.ReportMetric(use[0]/use[1], "in-flight-of-bare")
			b.ReportMetric(1000*cpu[0]/n, "cpu-s/1000req")
			b.ReportMetric(1000*cpu[1]/n, "bare-cpu-s/1000req")
			b.ReportMetric(n/float64(b.N), "requests")
		})
	}
}
