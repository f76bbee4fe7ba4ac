package llmtest

import (
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func post(t *testing.T, s *Server, body string) (int, string) {
	t.Helper()
	res, err := http.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return res.StatusCode, err.Error()
	}
	return res.StatusCode, string(b)
}

func TestCountsAndIntegral(t *testing.T) {
	const n, delay = 8, 100 * time.Millisecond
	s := Start(Always(Text("hi").After(delay)))
	defer s.Close()
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { post(t, s, `{"model":"m","messages":[{"role":"user","content":"x"}]}`) })
	}
	wg.Wait()
	if s.Requests() != n || s.Peak() != n || len(s.Calls()) != n || s.Calls()[0].Last() != "x" {
		t.Errorf("requests %d, peak %d", s.Requests(), s.Peak())
	}
	if got, want := s.InFlight(), n*delay.Seconds(); got < want || !(math.Abs(got-want) <= want) {
		t.Errorf("integral %.2f request-seconds, want a little over %.2f", got, want)
	}
}

func TestBrokenConnections(t *testing.T) {
	s := Start(func(c Call) Reply { return []Reply{Reset(), CutBody("hello"), Hang()}[c.N] })
	if status, text := post(t, s, `{}`); status != 0 {
		t.Errorf("reset: %d %s", status, text)
	}
	if status, text := post(t, s, `{}`); status != 200 || !strings.Contains(text, "EOF") {
		t.Errorf("cut: %d %s", status, text)
	}
	done := make(chan struct{})
	go func() { defer close(done); post(t, s, `{}`) }()
	for s.Requests() < 3 {
		time.Sleep(time.Millisecond)
	}
	s.Close() // ends the hanging reply
	<-done
}
