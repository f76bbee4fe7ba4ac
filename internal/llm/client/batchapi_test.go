package client

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
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
