package client

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// steady is a transport that answers everything alike, and keeps nothing.
type steady struct{}

func (steady) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	body := `{"choices":[{"message":{"content":"` + strings.Repeat("x", 2000) + `"},"finish_reason":"stop"}]}`
	return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: int64(len(body)),
		Body: io.NopCloser(strings.NewReader(body))}, nil
}

// TestMemoryPerRequest: what is done is forgotten, but for the entry of the journal's
// table of recent answers.
func TestMemoryPerRequest(t *testing.T) {
	c := client(t, Endpoint{BaseURL: "http://steady/v1", Concurrency: 8},
		Config{Transport: steady{}, Journal: openJournal(t)})
	next := 0
	ask := func(n int) (held float64) {
		var all sync.WaitGroup
		for w := range 8 {
			all.Go(func() {
				for i := w; i < n; i += 8 {
					if _, err := c.Do(t.Context(), request(fmt.Sprint("item ", next+i))); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
		next += n
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	const n = 6000
	before := ask(2000)
	grown := ask(n) - before
	t.Logf("%.0f bytes a request", grown/n)
	if grown > 200_000+80*n {
		t.Errorf("%d requests left %.0f bytes", n, grown)
	}
	runtime.KeepAlive(c)
}
