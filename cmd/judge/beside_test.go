//go:build unix

package main

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// late is a server that answers after a while, and knows how many requests were in flight.
type late struct {
	*httptest.Server
	after   time.Duration
	answers slowEndpoint

	mu          sync.Mutex
	in          int
	first, last time.Time // a request came or left
	busy        float64   // request-seconds
	bodies      [][]byte
	keep        bool
}

func newLate(b *testing.B, after time.Duration) *late {
	s := &late{after: after, keep: true, answers: slowEndpoint{seen: map[[32]byte]int{}}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	b.Cleanup(s.Close)
	return s
}

// enter counts a request that comes (1) or leaves (-1).
func (s *late) enter(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.first.IsZero() {
		s.first, s.last = now, now
	}
	s.busy += float64(s.in) * now.Sub(s.last).Seconds()
	s.last = now
	s.in += n
}

func (s *late) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if bytes.Contains(body, []byte("Case ")) { // no probe
		s.enter(1)
		defer s.enter(-1)
		if s.mu.Lock(); s.keep {
			s.bodies = append(s.bodies, body)
		}
		s.mu.Unlock()
	}
	time.Sleep(s.after)
	s.answers.ServeHTTP(w, r)
}

// manyCopies returns a log file of n copies of a fixture, with other ids and other words.
func manyCopies(b *testing.B, n int) string {
	data, err := os.ReadFile("../../fixtures/logs/support.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	var log bytes.Buffer
	for i := range n {
		one := strings.ReplaceAll("\n"+string(data), "\n{\"id\":\"", fmt.Sprintf("\n{\"id\":\"%d-", i))[1:]
		log.WriteString(strings.ReplaceAll(one, `"user","content":"`, fmt.Sprintf(`"user","content":"Case %d. `, i)))
	}
	name := filepath.Join(b.TempDir(), "log.jsonl")
	if err := os.WriteFile(name, log.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	return name
}

// use is what a process did with a server: CPU seconds of the process, and the share of the
// requests it may have in flight that were in flight, from the first to the last of them
// (judging) and over the whole life of the process.
type use struct{ cpu, judging, whole float64 }

func (s *late) watch(b *testing.B, inFlight int, name string, args ...string) use {
	s.mu.Lock()
	s.busy, s.first = 0, time.Time{}
	s.mu.Unlock()
	c := exec.Command(name, args...)
	start := time.Now()
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	whole := time.Since(start).Seconds()
	p := c.ProcessState
	return use{
		(p.UserTime() + p.SystemTime()).Seconds(),
		s.busy / (float64(inFlight) * s.last.Sub(s.first).Seconds()),
		s.busy / (float64(inFlight) * whole),
	}
}

// BenchmarkBesideBareClient runs judgements, and then sends the same bodies with a bare Go
// client, each in a process of its own: the share of the requests in flight that judge keeps
// up of the bare client's, while it judges and over the whole run with its start, its
// pilots and its report, and the CPU time of each for 1,000 requests.
func BenchmarkBesideBareClient(b *testing.B) {
	judge, self := binary(b), self()
	b.Setenv("XDG_CACHE_HOME", b.TempDir())
	for _, tt := range []struct {
		after    time.Duration
		inFlight int
		copies   int // of the log's 256 judgements
	}{{100 * time.Millisecond, 64, 80}, {500 * time.Millisecond, 512, 320}} {
		b.Run(fmt.Sprintf("%v-j%d", tt.after, tt.inFlight), func(b *testing.B) {
			log, at := manyCopies(b, tt.copies), fmt.Sprint(tt.inFlight)
			for b.Loop() {
				s := newLate(b, tt.after)
				own := s.watch(b, tt.inFlight, judge, "run", log, "--base-url", s.URL+"/v1", "--model", "fixed", "-j", at,
					"--out", filepath.Join(b.TempDir(), "run"))
				s.keep = false
				file := filepath.Join(b.TempDir(), "bodies")
				f, err := os.Create(file)
				if err == nil {
					err = gob.NewEncoder(f).Encode(s.bodies)
				}
				if err != nil {
					b.Fatal(err)
				}
				bare := s.watch(b, tt.inFlight, self, bareClient, s.URL+"/v1/chat/completions", file, at)
				n := float64(len(s.bodies))
				b.ReportMetric(own.judging/bare.judging, "judging-of-bare")
				b.ReportMetric(own.whole/bare.judging, "run-of-bare")
				b.ReportMetric(1000*own.cpu/n, "cpu-s/1000req")
				b.ReportMetric(1000*bare.cpu/n, "bare-cpu-s/1000req")
				b.ReportMetric(n, "requests")
			}
		})
	}
}
