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
	if got, want := s.InFlight(), n*delay.Seconds(); got < want || math.Abs(got-want) > want {
		t.Errorf("integral %.2f request-seconds, want a little over %.2f", got, want)
	}
}

func TestScriptAndFaultsAreDeterministic(t *testing.T) {
	run := func() (out []string) {
		s := Start(Faults(3, 0.5, func(c Call) Reply { return Text(c.Model) }, Fail(500, "x"), RateLimit(2)))
		defer s.Close()
		for _, model := range []string{"a", "b", "a", "a", "c", "b", "d", "e", "f", "g"} {
			status, body := post(t, s, `{"model":"`+model+`"}`)
			out = append(out, strings.Join([]string{http.StatusText(status), body}, " "))
		}
		return out
	}
	first, second := run(), run()
	kinds := map[string]bool{}
	for i := range first {
		if first[i] != second[i] {
			t.Errorf("reply %d differs between runs", i)
		}
		kinds[first[i][:2]] = true
	}
	if len(kinds) < 2 {
		t.Error("no mixture of faults and answers")
	}
	s := Start(Script(Fail(503, "one"), Text("two")))
	defer s.Close()
	for i, want := range []int{503, 200, 200} {
		if status, _ := post(t, s, `{}`); status != want {
			t.Errorf("reply %d: status %d, want %d", i, status, want)
		}
	}
}

func TestBrokenConnections(t *testing.T) {
	s := Start(Script(Reset(), CutBody("hello"), Hang()))
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
