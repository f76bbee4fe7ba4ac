package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
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

// TestStartBatch: a batch is started if the service lists none of its file, or has no list; a list that cannot be had, or
// a refusal, is an error, so that nothing is paid twice or waited for in vain.
func TestStartBatch(t *testing.T) {
	const quota = `{"error":{"message":"no credit","code":"insufficient_quota"}}`
	for name, tt := range map[string]struct {
		list, create int
		body         string // of the list
		want         string // the job's id
		kind         llm.ErrorKind
		made         int
	}{
		"none yet":        {200, 200, `{"data":[]}`, "new", "", 1},
		"of another file": {200, 200, `{"data":[{"id":"old","input_file_id":"other"}]}`, "new", "", 1},
		"there is one":    {200, 200, `{"data":[{"id":"other","input_file_id":"x"},{"id":"old","input_file_id":"file"}]}`, "old", "", 0},
		"no list":         {404, 200, `{}`, "new", "", 1},
		"no such method":  {405, 200, `{}`, "new", "", 1},
		"no credit":       {429, 200, quota, "", llm.KindPayment, 0},
		"refused":         {200, 400, `{"data":[]}`, "", llm.KindBadRequest, 1},
	} {
		made := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				made++
				w.WriteHeader(tt.create)
				fmt.Fprint(w, map[int]string{200: `{"id":"new","input_file_id":"file","status":"validating"}`, 400: `{"error":{"message":"no such file"}}`}[tt.create])
				return
			}
			w.WriteHeader(tt.list)
			fmt.Fprint(w, tt.body)
		}))
		c := client(t, Endpoint{BaseURL: server.URL + "/v1", APIKey: NewSecret("key-0123456789"), MaxAttempts: 1}, Config{FirstBackoff: time.Millisecond})
		job, err := c.StartBatch(t.Context(), "file", nil)
		server.Close()
		switch {
		case made != tt.made:
			t.Errorf("%s: %d batches were started", name, made)
		case tt.kind == "" && (err != nil || job.ID != tt.want):
			t.Errorf("%s: %+v, %v", name, job, err)
		case tt.kind != "" && (err == nil || asError(err).Kind != tt.kind):
			t.Errorf("%s: %v, want %s", name, err, tt.kind)
		}
	}
}

// service is a batch service that fails the first request of each kind.
type service struct {
	t      *testing.T
	noList bool
	// lost says that a batch is made and the reply to it is not sent.
	lost    bool
	made    []string
	asked   map[string]int
	uploads []string
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	what := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/v1/")
	s.asked[what]++
	first := s.asked[what] == 1
	switch {
	case what == "POST files":
		file, _, err := r.FormFile("file")
		if err != nil {
			s.t.Error(err)
			return
		}
		text, _ := io.ReadAll(file)
		s.uploads = append(s.uploads, r.FormValue("purpose")+": "+string(text))
		if first {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `{"id":"file-1"}`)
	case what == "GET batches" && s.noList:
		http.NotFound(w, r)
	case what == "GET batches":
		var list []string
		for i, input := range append([]string{"another"}, s.made...) {
			list = append(list, fmt.Sprintf(`{"id":"b%d","input_file_id":%q,"status":"in_progress"}`, i, input))
		}
		fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(list, ","))
	case what == "POST batches":
		s.made = append(s.made, "file-1")
		if s.lost && first {
			http.Error(w, "bad gateway", http.StatusBadGateway)
			return
		}
		fmt.Fprintf(w, `{"id":"b%d","status":"validating","request_counts":{"total":3}}`, len(s.made))
	case strings.HasSuffix(what, "/content"):
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "half a line")
	default:
		http.NotFound(w, r)
	}
}

// TestBatchUpload: an upload that fails on the way is made again whole; a batch is made once,
// even if the reply to the first request for it was lost; an answer file that breaks off is an error.
func TestBatchUpload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "requests.jsonl")
	if err := os.WriteFile(path, []byte("{}\n{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*service{
		"":                        {},
		"no list of batches":      {noList: true},
		"the first reply is lost": {lost: true},
	} {
		t.Run(name, func(t *testing.T) {
			s.t, s.asked = t, map[string]int{}
			server := httptest.NewServer(s)
			defer server.Close()
			c, err := New(Endpoint{BaseURL: server.URL + "/v1"}, Config{FirstBackoff: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			id, err := c.UploadBatch(t.Context(), path)
			want := []string{"batch: {}\n{}\n", "batch: {}\n{}\n"}
			if err != nil || id != "file-1" || !slices.Equal(s.uploads, want) {
				t.Errorf("%q, %v; uploaded %q", id, err, s.uploads)
			}
			for range 2 { // the second time as after a process was killed
				job, err := c.StartBatch(t.Context(), id, nil)
				if err != nil || job.ID == "b0" || job.ID == "" {
					t.Errorf("%+v, %v", job, err)
				}
			}
			if !s.noList && len(s.made) != 1 {
				t.Errorf("%d batches are made of one file", len(s.made))
			}
			if err := c.Fetch(t.Context(), "out", io.Discard); err == nil {
				t.Error("a file that breaks off is taken for whole")
			}
		})
	}
}

// TestBatchUploadWithoutFile: a file of requests that is not there is an error with its name,
// and is not asked for again and again.
func TestBatchUploadWithoutFile(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer server.Close()
	c, err := New(Endpoint{BaseURL: server.URL + "/v1"}, Config{FirstBackoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if id, err := c.UploadBatch(t.Context(), filepath.Join(t.TempDir(), "none.jsonl")); id != "" || err == nil ||
		!strings.Contains(err.Error(), "none.jsonl") || asked != 0 {
		t.Errorf("%q, %v after %d requests", id, err, asked)
	}
}

// TestBatchCalls: what is asked of a batch service, what its words mean, and how its failures are told.
func TestBatchCalls(t *testing.T) {
	for status, want := range map[string]bool{
		"completed": true, "failed": true, "expired": true, "cancelled": true,
		"validating": false, "in_progress": false, "finalizing": false, "cancelling": false,
	} {
		if got := (&BatchJob{Status: status}).Ended(); got != want {
			t.Errorf("%s has ended: %v", status, got)
		}
	}
	job := BatchJob{ID: "b", Status: "in_progress", Total: 5, Completed: 2, Failed: 1}
	if got := job.String(); got != "b in_progress, 2 of 5 answered, 1 failed" {
		t.Error(got)
	}
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.String())
		switch r.URL.Path {
		case "/v1/batches/b":
			fmt.Fprint(w, `{"id":"b","status":"failed","request_counts":{"total":3,"completed":2,"failed":1},`+
				`"output_file_id":"o","error_file_id":"e","errors":{"data":[]}}`)
		case "/v1/batches/b/cancel", "/v1/batches":
			fmt.Fprint(w, `{"id":"b"}`)
		case "/v1/batches/down":
			http.Error(w, `{"error":{"message":"busy"}}`, http.StatusServiceUnavailable)
		default:
			http.Error(w, `{"error":{"message":"no such path"}}`, http.StatusNotFound)
		}
	}))
	defer server.Close()
	c := client(t, Endpoint{BaseURL: server.URL + "/v1", MaxAttempts: 3}, Config{FirstBackoff: 1})
	ctx, none := t.Context(), ""
	got, err := c.Batch(ctx, "b")
	want := BatchJob{ID: "b", Status: "failed", Total: 3, Completed: 2, Failed: 1, Output: "o", Errors: "e"}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	if err := c.CancelBatch(ctx, "b"); err != nil {
		t.Error(err)
	}
	if _, err := c.StartBatch(ctx, "x", nil); err != nil {
		t.Error(err)
	}
	const missing = "not found (HTTP 404): no such path; the endpoint has no batch service there; judge batch export writes " +
		"files for a batch runner"
	var file bytes.Buffer
	_, noBatch := c.Batch(ctx, "x")
	_, down := c.Batch(ctx, "down")
	_, noFile := c.UploadBatch(ctx, os.DevNull)
	for i, err := range []error{c.CancelBatch(ctx, "x"), c.Fetch(ctx, "x", &file), noBatch, noFile, down} {
		want := "chat (batch) at " + server.URL + "/v1: " + missing
		if i == 4 {
			want = "chat (batch) at " + server.URL + "/v1: server (HTTP 503): busy (after 3 attempts)"
		}
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	wantAsked := []string{
		"GET /v1/batches/b", "POST /v1/batches/b/cancel", "GET /v1/batches?limit=100", "POST /v1/batches",
		"GET /v1/batches/x", "GET /v1/batches/down", "GET /v1/batches/down", "GET /v1/batches/down", "POST /v1/files",
		"POST /v1/batches/x/cancel", "GET /v1/files/x/content",
	}
	if file.String() != none || !slices.Equal(asked, wantAsked) {
		t.Errorf("fetched %q; asked %q", file.String(), asked)
	}
}

// TestBatchCancelled: whoever stops waiting for a batch service is told so at once, be it during a request or between two.
func TestBatchCancelled(t *testing.T) {
	for name, s := range map[string]*script{
		"during a request": {took: time.Hour, replies: []func() (*http.Response, error){reply(200, "{}")}},
		"between two":      {replies: []func() (*http.Response, error){reply(503, "busy", "Retry-After", "60")}},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := client(t, Endpoint{BaseURL: "http://fake/v1"}, Config{Transport: s})
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			began := time.Now()
			_, err := c.Batch(ctx, "b")
			if took := time.Since(began); err == nil || asError(err).Kind != llm.KindCanceled || took != time.Second {
				t.Errorf("%s: %v after %v", name, err, took)
			}
		})
	}
}

// TestBatchLines: an answer file is read line by line, each of them whole: a key over the end of a piece is found, and
// a line without end ends the reading.
func TestBatchLines(t *testing.T) {
	const key, most = "sk-planted-0123456789", 8 << 20
	var endless atomic.Int64
	x := func(n int) string { return strings.Repeat("x", n) }
	for name, tt := range map[string]struct {
		body io.ReadCloser
		want string
		kind llm.ErrorKind
	}{
		"a key in two pieces": {io.NopCloser(strings.NewReader(x(4090) + key + "\n" + key)), x(4090) + redacted + "\n" + redacted, ""},
		"a longer one":        {io.NopCloser(strings.NewReader("a\n" + x(most+1))), "a\n", llm.KindTooLarge},
		"without end":         {endlessBody{&endless}, "", llm.KindTooLarge},
	} {
		transport := &script{start: time.Now(), replies: []func() (*http.Response, error){func() (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: tt.body}, nil
		}}}
		c := client(t, Endpoint{BaseURL: "http://fake/v1", APIKey: NewSecret(key)}, Config{Transport: transport})
		var file bytes.Buffer
		err := c.Fetch(t.Context(), "f", &file)
		if (err == nil) != (tt.kind == "") || err != nil && asError(err).Kind != tt.kind || file.String() != tt.want {
			t.Errorf("%s: %v, %d bytes", name, err, file.Len())
		}
	}
	if n := endless.Load(); n > most+1<<20 {
		t.Errorf("%d bytes were read of a line without end", n)
	}
}
