package client

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/llm"
)

// TestBatchErrors: a batch service is asked again as its replies say, and its refusals are
// classified as those of chat requests are.
func TestBatchErrors(t *testing.T) {
	const key = "key-0123456789"
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		switch {
		case strings.HasSuffix(r.URL.Path, "/batches/busy") && asked == 1:
			w.Header().Set("Retry-After", "1")
			http.Error(w, `{"error":{"message":"later"}}`, http.StatusTooManyRequests)
		case strings.HasSuffix(r.URL.Path, "/batches/busy"):
			fmt.Fprint(w, `{"id":"busy","status":"completed","output_file_id":"out"}`)
		case strings.HasSuffix(r.URL.Path, "/batches/none"):
			http.Error(w, "404 page not found", http.StatusNotFound)
		case strings.HasSuffix(r.URL.Path, "/content"):
			fmt.Fprint(w, "line")
		default:
			http.Error(w, `{"error":{"message":"no credit for `+r.Header.Get("Authorization")+
				`","code":"insufficient_quota"}}`, http.StatusTooManyRequests)
		}
	}))
	defer server.Close()
	c, err := New(Endpoint{BaseURL: server.URL + "/v1", APIKey: NewSecret(key)}, Config{FirstBackoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	began := time.Now()
	job, err := c.Batch(t.Context(), "busy")
	if err != nil || job.Output != "out" || !job.Ended() || asked != 2 || time.Since(began) < time.Second {
		t.Errorf("after a 429: %+v, %v, %d requests in %v", job, err, asked, time.Since(began))
	}
	var file bytes.Buffer
	if err := c.Fetch(t.Context(), job.Output, &file); err != nil || file.String() != "line" {
		t.Errorf("fetched %q, %v", file.String(), err)
	}
	for id, want := range map[string]llm.ErrorKind{"none": llm.KindNotFound, "paid": llm.KindPayment} {
		asked = 0
		_, err := c.Batch(t.Context(), id)
		if e := asError(err); e.Kind != want || e.Hint == "" || asked != 1 || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v after %d requests", id, err, asked)
		}
	}
}
