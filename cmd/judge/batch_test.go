package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// batchService is an endpoint with a batch service: it answers as scriptedGrades does, in
// another order than it was asked, and fails some.
type batchService struct {
	mu      sync.Mutex
	files   map[string][]byte
	batches map[string]string // file by batch
	// creates counts the batches, live the chat requests that came one by one.
	creates, live int
	// grade answers the chat requests, live or of a batch.
	grade http.HandlerFunc
	// failing says of a request of a batch, by its number, that it has no answer.
	failing func(n int) bool
	// refuse ends the next requests to create a batch after they were taken.
	refuse int
}

func newBatchService() *batchService {
	return &batchService{grade: scriptedGrades, files: map[string][]byte{}, batches: map[string]string{}, failing: func(int) bool { return false }}
}

func (s *batchService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/v1/")
	id := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(path, "files/"), "batches/"), "/content")
	switch {
	case path == "files":
		file, _, err := r.FormFile("file")
		if err != nil || r.FormValue("purpose") != "batch" {
			http.Error(w, "no file", http.StatusBadRequest)
			return
		}
		id = fmt.Sprintf("file-%d", len(s.files))
		s.files[id], _ = io.ReadAll(file)
		fmt.Fprintf(w, `{"id":%q,"object":"file"}`, id)
	case path == "batches" && r.Method == http.MethodGet:
		var list []string
		for _, batch := range slices.Sorted(maps.Keys(s.batches)) {
			list = append(list, s.describe(batch))
		}
		fmt.Fprintf(w, `{"object":"list","data":[%s]}`, strings.Join(list, ","))
	case path == "batches":
		var request struct {
			File string `json:"input_file_id"`
		}
		_ = json.NewDecoder(r.Body).Decode(&request)
		id = fmt.Sprintf("batch-%d", s.creates)
		s.creates++
		s.batches[id] = request.File
		if s.refuse--; s.refuse >= 0 {
			http.Error(w, "gateway lost the answer", http.StatusBadGateway)
			return
		}
		fmt.Fprint(w, s.describe(id))
	case strings.HasPrefix(path, "batches/"):
		fmt.Fprint(w, s.describe(id))
	case strings.HasSuffix(path, "/content"):
		output, errors := answerBatch(s.files[s.batches[strings.TrimPrefix(strings.TrimPrefix(id, "out-"), "err-")]], s.failing, s.grade)
		if strings.HasPrefix(id, "err-") {
			output = errors
		}
		_, _ = w.Write(output)
	default:
		if strings.HasSuffix(path, "chat/completions") {
			s.live++
		}
		s.grade(w, r)
	}
}

func (s *batchService) describe(batch string) string {
	return fmt.Sprintf(`{"id":%q,"object":"batch","status":"completed","input_file_id":%q,"output_file_id":"out-%s","error_file_id":"err-%s"}`,
		batch, s.batches[batch], batch, batch)
}

// answerBatch answers a file of requests, shuffled.
func answerBatch(file []byte, failing func(int) bool, grade http.HandlerFunc) (output, errors []byte) {
	lines := bytes.Split(bytes.TrimSpace(file), []byte("\n"))
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	for n, line := range lines {
		var request struct {
			ID   string          `json:"custom_id"`
			Body json.RawMessage `json:"body"`
		}
		if err := json.Unmarshal(line, &request); err != nil {
			panic(err)
		}
		if failing(n) {
			errors = fmt.Appendf(errors, `{"id":"r%d","custom_id":%q,"response":null,"error":{"code":"batch_expired","message":"not done in time"}}`+"\n", n, request.ID)
			continue
		}
		rec := httptest.NewRecorder()
		grade(rec, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", bytes.NewReader(request.Body)))
		output = fmt.Appendf(output, `{"id":"r%d","custom_id":%q,"response":{"status_code":200,"request_id":"q","body":%s},"error":null}`+"\n", n, request.ID, rec.Body.Bytes())
	}
	return output, errors
}

// inCommand runs a command line in the working directory and returns its exit code and
// output.
func inCommand(t *testing.T, line string) (int, string, string) {
	t.Helper()
	var out, errs bytes.Buffer
	a := &app{in: strings.NewReader(""), out: &out, err: &errs, getenv: func(string) string { return "" }}
	code := command(context.Background(), strings.Fields(line), a)
	return code, out.String(), errs.String()
}

// mustRun fails the test unless the command ends well.
func mustRun(t *testing.T, line string) string {
	t.Helper()
	code, out, errs := inCommand(t, line)
	if code != exitOK {
		t.Fatalf("judge %s: exit %d\n%s%s", line, code, out, errs)
	}
	return out
}

// sameRun compares what two run directories report.
func sameRun(t *testing.T, want, got string) {
	t.Helper()
	for _, name := range []string{"scores.jsonl", "report.json", "report.md"} {
		a, err := os.ReadFile(filepath.Join(want, name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(got, name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(a), string(b)); diff != "" {
			t.Errorf("%s of %s differs from that of %s:\n%s", name, got, want, diff[:min(len(diff), 3000)])
		}
	}
}

// startService serves a batch service and changes to a directory with the fixtures.
func startService(t *testing.T) (*batchService, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "fixtures"), os.DirFS("../../fixtures")); err != nil {
		t.Fatal(err)
	}
	s := newBatchService()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Chdir(dir)
	return s, " fixtures/logs/support.jsonl --coverage-floor 0.5 --model scripted --base-url " + server.URL + "/v1"
}

// TestBatchExport exports a run, answers it by a script in another order with failures, and
// finishes it live: the report is that of a live run.
func TestBatchExport(t *testing.T) {
	_, what := startService(t)
	mustRun(t, "run --out live"+what)
	mustRun(t, "batch export --out filed --max-requests 50 --max-bytes 400000"+what)
	if code, _, errs := inCommand(t, "batch export --resume filed"); code != exitUsage || !strings.Contains(errs, "--again") {
		t.Errorf("a second export of the same requests: exit %d, %s", code, errs)
	}
	var outputs []string
	files, _ := filepath.Glob("filed/batch/round-1/*.jsonl")
	if len(files) < 5 {
		t.Fatalf("%d files, want at least 5 of 50 requests", len(files))
	}
	checkFiles(t, files, 50, 400_000)
	for i, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		output, errors := answerBatch(data, func(n int) bool { return n%20 == 3 }, scriptedGrades)
		outputs = append(outputs, fmt.Sprintf("out-%d.jsonl", i), fmt.Sprintf("err-%d.jsonl", i))
		for k, part := range [][]byte{output, errors} {
			if err := os.WriteFile(outputs[2*i+k], part, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	slices.Reverse(outputs)
	got := mustRun(t, "batch import filed "+strings.Join(outputs, " "))
	if !strings.Contains(got, "batch_expired") || !strings.Contains(got, "requests have no answer, the first: ") {
		t.Errorf("the import does not name what failed and is missing:\n%s", got)
	}
	if again := mustRun(t, "batch import filed "+strings.Join(outputs, " ")); !strings.HasPrefix(again, "0 answers read") {
		t.Errorf("a second import reads answers again: %s", again)
	}
	mustRun(t, "batch export --resume filed")
	if rest, _ := filepath.Glob("filed/batch/round-2/*.jsonl"); len(rest) == 0 {
		t.Error("what failed and what is to be repaired is no second round")
	}
	mustRun(t, "run --resume filed")
	sameRun(t, "live", "filed")
}

// checkFiles checks the bounds of batch files, and that a conversation stands in one file.
func checkFiles(t *testing.T, files []string, requests, size int) {
	t.Helper()
	seen := map[string]bool{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
		if len(lines) > requests || len(data) > size {
			t.Errorf("%s: %d requests in %d bytes", name, len(lines), len(data))
		}
		for _, line := range lines {
			var request struct {
				ID string `json:"custom_id"`
			}
			if err := json.Unmarshal(line, &request); err != nil || len(request.ID) != 64 || seen[request.ID] {
				t.Errorf("%s: a line without a custom_id of its own: %v", name, err)
			}
			seen[request.ID] = true
		}
	}
	where := map[string]string{}
	index, err := os.ReadFile(strings.Replace(files[0], "-0001.jsonl", ".index", 1))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(index) {
		var r struct{ Key, File string }
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		conversation, _, _ := strings.Cut(r.Key, "#")
		if before, ok := where[conversation]; ok && before != r.File {
			t.Errorf("%s stands in %s and %s", conversation, before, r.File)
		}
		where[conversation] = r.File
	}
}

// TestBatchRun has a service answer: the report is that of a live run, and a batch whose
// creation was not acknowledged is not paid for again.
func TestBatchRun(t *testing.T) {
	s, what := startService(t)
	mustRun(t, "run --out live"+what)
	s.live, s.refuse, s.failing = 0, 1, func(n int) bool { return n%50 == 7 }
	code, _, errs := inCommand(t, "batch run --out served --max-requests 60"+what)
	if code != exitOK || strings.Contains(errs, "none of its") || !strings.Contains(errs, "1-scripted-0003.jsonl: batch") {
		t.Errorf("several files, all of them answered: exit %d\n%s", code, errs)
	}
	sameRun(t, "live", "served")
	rounds, _ := filepath.Glob("served/batch/round-*/1-*.jsonl")
	if s.creates != len(rounds) {
		t.Errorf("%d batches for %d files", s.creates, len(rounds))
	}
	if probes := 30; s.live > probes {
		t.Errorf("%d requests were sent live", s.live)
	}
	before := s.creates
	mustRun(t, "batch run --resume served")
	if s.creates != before {
		t.Error("a finished run is asked again")
	}
	sameRun(t, "live", "served")
}

// TestBatchNowhere exports for a runner that is started later.
func TestBatchNowhere(t *testing.T) {
	_, _ = startService(t)
	code, out, errs := inCommand(t, "batch export fixtures/logs/support.jsonl --model m --base-url http://127.0.0.1:9/v1 --out later")
	if code != exitOK || !strings.Contains(errs, "is not there to be asked") || !strings.Contains(out, "batch import later") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if code, _, errs := inCommand(t, "batch export fixtures/logs/support.jsonl --out baseline"); code != exitUsage {
		t.Errorf("a batch for the baseline: exit %d, %s", code, errs)
	}
}
