package client

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/llm/llmtest"
)

// faults are the failures that a retry can mend.
func faults() []llmtest.Reply {
	return []llmtest.Reply{
		llmtest.RateLimit(0), llmtest.RateLimit(-1), llmtest.Fail(500, "boom"), llmtest.Fail(503, "busy"), llmtest.HTMLError(502),
		llmtest.Reset(), llmtest.CutBody(`{"a":1}`), llmtest.BrokenJSON(), llmtest.NoChoices(), llmtest.ErrorIn200("engine died"),
	}
}

// echo answers with the last message, so that an answer shows whose it is.
func echo(c llmtest.Call) llmtest.Reply { return llmtest.Text(c.Last()) }

// campaign sends n requests through a server that spoils share of the attempts,
// and checks that each gets its own answer, once.
func campaign(t testing.TB, n int, share float64) {
	s := serve(t, llmtest.Faults(7, share, echo, faults()...))
	s.DropCalls()
	j := openJournal(t)
	c := client(t, Endpoint{BaseURL: s.URL, Concurrency: 64, MaxAttempts: 16}, Config{Journal: j, FirstBackoff: 5 * time.Millisecond})
	var wg sync.WaitGroup
	var attempts atomic.Int64
	for i := range n {
		wg.Go(func() {
			r := request(fmt.Sprint("item ", i))
			res, err := c.Do(t.Context(), r)
			if err != nil {
				t.Error(err)
				return
			}
			attempts.Add(int64(res.Attempts))
			if res.Content != fmt.Sprint("item ", i) {
				t.Errorf("item %d got %q", i, res.Content)
			}
		})
	}
	wg.Wait()
	if got := j.Stats(); got.Records != n || got.Good != n || got.Damaged != 0 {
		t.Errorf("journal %+v", got)
	}
	if got := int64(s.Requests()); got != attempts.Load() || got < int64(float64(n)*(1+share/2)) {
		t.Errorf("%d requests for %d attempts and %d items", got, attempts.Load(), n)
	}
}

func TestFaultCampaign(t *testing.T) { campaign(t, 1000, 0.3) }

func BenchmarkFaultCampaign(b *testing.B) {
	for b.Loop() {
		campaign(b, 5000, 0.2)
	}
}

// TestServerProcess is the server of the benchmarks, in its own process.
func TestServerProcess(t *testing.T) {
	spec := os.Getenv("JUDGE_TEST_SERVER")
	if spec == "" {
		t.Skip("runs only as the child of a benchmark")
	}
	delay, err := time.ParseDuration(spec)
	if err != nil {
		t.Fatal(err)
	}
	s := llmtest.Start(llmtest.Always(llmtest.Text(`{"explanation":"` + strings.Repeat("word ", 60) + `","output":5}`).After(delay)))
	s.Blind()
	fmt.Println("URL", s.URL)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		fmt.Println("LOAD", s.Requests(), s.InFlight())
	}
	s.Close()
}

type child struct {
	url string
	in  io.WriteCloser
	out *bufio.Reader
}

func startServer(b *testing.B, delay time.Duration) *child {
	cmd := exec.Command(os.Args[0], "-test.run=^TestServerProcess$")
	cmd.Env = append(os.Environ(), "JUDGE_TEST_SERVER="+delay.String())
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	c := &child{in: in, out: bufio.NewReader(out)}
	line, err := c.out.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	c.url = strings.TrimSpace(strings.TrimPrefix(line, "URL "))
	return c
}

// load returns the requests seen and the integral of requests in flight.
func (c *child) load(b *testing.B) (n int, seconds float64) {
	if _, err := io.WriteString(c.in, "\n"); err != nil {
		b.Fatal(err)
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	if _, err := fmt.Sscanf(line, "LOAD %d %g", &n, &seconds); err != nil {
		b.Fatal(err)
	}
	return n, seconds
}

func cpuSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// drive sends n distinct requests of a typical size from `workers` callers.
func drive(b *testing.B, c *Client, run, n, workers int) {
	prompt := strings.Repeat(`{"name":"get_order_details","parameters":{"order_id":987}} `, 140) // 8 KB
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				if _, err := c.Do(context.Background(), request(fmt.Sprint(run, " ", i, prompt))); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkOverhead is the client's own cost: a server without latency in
// another process, the journal on.
func BenchmarkOverhead(b *testing.B) {
	s := startServer(b, 0)
	c := client(b, Endpoint{BaseURL: s.url, Concurrency: 32}, Config{Journal: openJournal(b)})
	drive(b, c, -1, 500, 32)
	const n = 3000
	runs, cpu := 0, cpuSeconds(b)
	for b.Loop() {
		drive(b, c, runs, n, 32)
		runs++
	}
	if seen, _ := s.load(b); seen != runs*n+500 {
		b.Errorf("the server saw %d requests of %d", seen, runs*n+500)
	}
	total := float64(runs * n)
	b.ReportMetric(total/b.Elapsed().Seconds(), "req/s")
	b.ReportMetric((cpuSeconds(b)-cpu)/total*1000, "cpu-s/1000req")
}

// BenchmarkUtilisation: 512 requests in flight against 100 ms of latency; how
// much of 512 × elapsed time the server saw in flight.
func BenchmarkUtilisation(b *testing.B) {
	const slots = 512
	s := startServer(b, 100*time.Millisecond)
	c := client(b, Endpoint{BaseURL: s.url, Concurrency: slots}, Config{Journal: openJournal(b)})
	drive(b, c, -1, slots, slots)
	var use float64
	runs := 0
	for b.Loop() {
		_, before := s.load(b)
		start := time.Now()
		drive(b, c, runs, 40*slots, slots)
		elapsed := time.Since(start).Seconds()
		_, after := s.load(b)
		use += (after - before) / (slots * elapsed)
		runs++
	}
	b.ReportMetric(use/float64(runs), "in-flight-share")
}

var _ http.RoundTripper = (*script)(nil)
