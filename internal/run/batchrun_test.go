package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm/batch"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
)

// batchScript is a batch service that answers each request with a fixed body; "" means 404. The path
// starts with the number of the judge.
type batchScript map[string]string

// serve returns two judges at the service, and what it was asked.
func (s batchScript) serve(t *testing.T) (list []instrument.Judge, asked *[]string) {
	t.Helper()
	asked = &[]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		what := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/")
		*asked = append(*asked, what)
		if what == "POST 2/v1/batches" {
			body, _ := io.ReadAll(r.Body)
			*asked = append(*asked, string(body))
		}
		if s[what] == "" {
			http.Error(w, `{"error":{"message":"nothing here"}}`, http.StatusNotFound)
			return
		}
		fmt.Fprint(w, s[what])
	}))
	t.Cleanup(server.Close)
	for n := 1; n <= 2; n++ {
		list = append(list, instrument.Judge{Config: judges.Config{Model: "m", Name: "m"},
			Endpoint: client.Endpoint{BaseURL: fmt.Sprintf("%s/%d/v1", server.URL, n), MaxAttempts: 1}})
	}
	return list, asked
}

// withJobs adds the file of a round's requests, and the state of its jobs.
func withJobs(t *testing.T, jobs string) (dir, file string) {
	t.Helper()
	dir, index := exported(t)
	folder := filepath.Dir(index)
	file = filepath.Join(folder, jobsFile)
	if err := errors.Join(os.WriteFile(filepath.Join(folder, "1-m-0001.jsonl"), []byte("{}\n"), 0o600),
		os.WriteFile(file, []byte(jobs), 0o600)); err != nil {
		t.Fatal(err)
	}
	return dir, file
}

// TestBatchesFinish: a file is uploaded once and its batch started once, by whatever process; both
// stand in jobs.json before anything else is asked; answers and failures are imported.
func TestBatchesFinish(t *testing.T) {
	const (
		upload, list, start = "POST 2/v1/files", "GET 2/v1/batches", "POST 2/v1/batches"
		state, out, failed  = "GET 2/v1/batches/b", "GET 2/v1/files/o/content", "GET 2/v1/files/e/content"
		fresh               = `[{"file":"1-m-0001.jsonl","judge":1}]`
		uploaded            = `[{"file":"1-m-0001.jsonl","judge":1,"upload":"f"}]`
		started             = `[{"file":"1-m-0001.jsonl","judge":1,"upload":"f","batch":"b","status":"validating"}]`
		request             = `{"input_file_id":"f","endpoint":"/v1/chat/completions","completion_window":"24h",` +
			`"metadata":{"file":"1-m-0001.jsonl","source":"judge"}}`
		began = "1-m-0001.jsonl: batch b"
		ended = "1-m-0001.jsonl: b completed, 2 of 3 answered, 1 failed"
	)
	service := batchScript{
		upload: `{"id":"f"}`, list: `{"data":[]}`, start: `{"id":"b","status":"validating","input_file_id":"f"}`,
		state: `{"id":"b","status":"completed","output_file_id":"o","error_file_id":"e",` +
			`"request_counts":{"total":3,"completed":2,"failed":1}}`,
		out:    answerTo(1) + answerTo(2),
		failed: fmt.Sprintf(`{"custom_id":%q,"response":null,"error":{"code":"x","message":"late"}}`, requestID(3)) + "\n",
	}
	const none = "round-1/1-m-0001.jsonl: none of its 3 requests has an answer"
	all := &Import{Answers: 2, Failed: 1, Missing: 1, Requests: 3, Problems: []string{
		"ROUND/1-m-0001.jsonl.errors:1: c#3 r: server: x: late",
		"round-1/1-m-0001.jsonl: 1 of 3 requests have no answer, the first: c#3 r"}}
	job := func(rest string) string {
		return "[\n  {\n    \"file\": \"1-m-0001.jsonl\",\n    \"judge\": 1" + rest + "\n  }\n]\n"
	}
	const known = ",\n    \"upload\": \"f\",\n    \"batch\": \"b\""
	done := job(known + ",\n    \"status\": \"completed\",\n    \"imported\": true")
	for name, tt := range map[string]struct {
		jobs   string
		change batchScript
		asked  []string
		notes  []string
		want   *Import
		fails  string
		left   string // jobs.json afterwards
		open   int
	}{
		"a new round": {jobs: fresh, asked: []string{upload, list, start, request, state, out, failed},
			notes: []string{began, ended}, want: all, left: done},
		"uploaded before": {jobs: uploaded, asked: []string{list, start, request, state, out, failed},
			notes: []string{began, ended}, want: all, left: done},
		"started before": {jobs: started, asked: []string{state, out, failed}, notes: []string{ended}, want: all, left: done},
		"imported before": {jobs: done, want: &Import{Missing: 3, Requests: 3,
			Problems: []string{none}}, left: done},
		"no upload": {jobs: fresh, change: batchScript{upload: ""}, asked: []string{upload}, fails: "nothing here",
			left: fresh, open: 1},
		"no start": {jobs: fresh, change: batchScript{start: ""}, asked: []string{upload, list, start, request},
			fails: "nothing here", left: job(",\n    \"upload\": \"f\""), open: 1},
		"no state": {jobs: fresh, change: batchScript{state: ""}, asked: []string{upload, list, start, request, state},
			notes: []string{began}, fails: "nothing here", left: job(known + ",\n    \"status\": \"validating\""), open: 1},
		"no failures to fetch": {jobs: started, change: batchScript{failed: ""}, asked: []string{state, out, failed},
			notes: []string{ended}, fails: "nothing here", left: job(known + ",\n    \"status\": \"completed\""), open: 1},
		"refused as a whole": {jobs: started, asked: []string{state}, notes: []string{
			"1-m-0001.jsonl: b failed, 0 of 0 answered, 0 failed"}, want: &Import{Missing: 3, Requests: 3,
			Problems: []string{none,
				"1-m-0001.jsonl: the service gave no answers: b failed, 0 of 0 answered, 0 failed bad file"}},
			change: batchScript{state: `{"id":"b","status":"failed","errors":{"data":[{"message":"bad file"}]}}`},
			left:   job(known + ",\n    \"status\": \"failed\",\n    \"imported\": true")},
		"interrupted": {jobs: started, asked: []string{state}, notes: []string{
			"1-m-0001.jsonl: b in_progress, 0 of 0 answered, 0 failed"}, fails: "stopped",
			change: batchScript{state: `{"id":"b","status":"in_progress"}`},
			left:   job(known + ",\n    \"status\": \"in_progress\""), open: 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir, file := withJobs(t, tt.jobs)
			script := batchScript{}
			for _, from := range []batchScript{service, tt.change} {
				for what, body := range from {
					script[what] = body
				}
			}
			list, asked := script.serve(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			var notes []string
			b, err := NewBatches(list, dir, func(line string) {
				if notes = append(notes, line); strings.Contains(line, "in_progress") {
					cancel(errors.New("stopped"))
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			got, err := b.Finish(ctx)
			if tt.fails == "" && err != nil || tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)) {
				t.Errorf("%v, want %q", err, tt.fails)
			}
			for i := 0; got != nil && i < len(got.Problems); i++ {
				got.Problems[i] = strings.ReplaceAll(got.Problems[i], filepath.Dir(file), "ROUND")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.asked, append([]string(nil), *asked...)); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.notes, notes); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
			left, err := os.ReadFile(file)
			if diff := cmp.Diff(tt.left, string(left)); diff != "" || err != nil {
				t.Errorf("%v, jobs.json (-want +got):\n%s", err, diff)
			}
			if open, err := b.Open(); open != tt.open || err != nil {
				t.Errorf("%d jobs are open, want %d; %v", open, tt.open, err)
			}
		})
	}
}

// TestBatchesSave: a state that cannot be written down ends the work, because it would be paid for again.
func TestBatchesSave(t *testing.T) {
	service := batchScript{"GET 1/v1/batches": `{"data":[]}`, "POST 1/v1/batches": `{"id":"b","status":"validating"}`,
		"GET 1/v1/batches/b":       `{"id":"b","status":"completed","output_file_id":"o"}`,
		"GET 1/v1/files/o/content": answerTo(1)}
	for name, tt := range map[string]struct {
		jobs  string
		asked int
	}{
		"a batch that was started": {`[{"file":"1-m-0001.jsonl","judge":0,"upload":"f"}]`, 2},
		"another status":           {`[{"file":"1-m-0001.jsonl","judge":0,"upload":"f","batch":"b"}]`, 1},
		"imported answers":         {`[{"file":"1-m-0001.jsonl","judge":0,"upload":"f","batch":"b","status":"completed"}]`, 2},
	} {
		dir, file := withJobs(t, tt.jobs)
		list, asked := service.serve(t)
		b, err := NewBatches(list, dir, func(string) {
			if err := errors.Join(os.RemoveAll(file), os.MkdirAll(filepath.Join(file, "x"), 0o700)); err != nil {
				t.Error(err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Finish(t.Context())
		b.Close()
		if err == nil || !strings.Contains(err.Error(), jobsFile) || len(*asked) != tt.asked {
			t.Errorf("%s: %v, asked %q", name, err, *asked)
		}
	}
}

// TestBatchesCancel: only batches that run are stopped and counted.
func TestBatchesCancel(t *testing.T) {
	dir, file := withJobs(t, `[{"file":"a","judge":0},{"file":"b","judge":0,"batch":"done"},
		{"file":"c","judge":1,"batch":"runs"},
		{"file":"d","judge":0,"batch":"old","imported":true}]`)
	list, asked := batchScript{"GET 1/v1/batches/done": `{"id":"done","status":"completed"}`,
		"GET 2/v1/batches/runs":         `{"id":"runs","status":"in_progress"}`,
		"POST 2/v1/batches/runs/cancel": `{"id":"runs"}`}.serve(t)
	b, err := NewBatches(list, dir, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	want := []string{"GET 1/v1/batches/done", "GET 2/v1/batches/runs", "POST 2/v1/batches/runs/cancel"}
	if n, err := b.Cancel(t.Context()); n != 1 || err != nil || !cmp.Equal(want, *asked) {
		t.Errorf("%d stopped, %v, asked %q", n, err, *asked)
	}
	for _, tt := range [][2]string{{`[{"file":"a","judge":0,"batch":"none"}]`, "nothing here"},
		{"[", file + ": unexpected end"}} {
		text, want := tt[0], tt[1]
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if n, err := b.Cancel(t.Context()); n != 0 || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %d stopped, %v, want %q", text, n, err, want)
		}
	}
	if n, err := b.Open(); n != 0 || err == nil {
		t.Errorf("of a damaged list %d jobs are open, %v", n, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if n, err := b.Open(); n != 0 || err != nil {
		t.Errorf("of a round for another runner %d jobs are open, %v", n, err)
	}
	list[1].Endpoint.BaseURL = ":"
	if _, err := NewBatches(list, dir, nil); !errors.As(err, new(*TaskError)) {
		t.Errorf("a judge without a usable URL: %v", err)
	}
}

// TestExportBatch: a round holds the requests without an answer, in files of the judges' names; what
// fails or asks for nothing leaves no round.
func TestExportBatch(t *testing.T) {
	base, _ := answering(t, nil)
	var judged atomic.Int64
	export := func(ctx context.Context, p setup, dir string) (Round, error) {
		s, err := Resolve(ctx, p.Task, "")
		if err != nil {
			t.Fatal(err)
		}
		round, _, err := ExportBatch(ctx, s, dir, p.Means, batch.Limits{Requests: 15},
			Observer{Judged: func(*judges.Result) { judged.Add(1) }})
		return round, err
	}
	p := plan(t, base, fileLog(supportLog))
	p.Limit = 2
	p.Judges = append(p.Judges, p.Judges[0])
	p.Judges[0].Config.Transport, p.Judges[1].Config.Transport = "json_schema", "json_schema"
	p.Judges[1].Config.Name = "azAZ@[`{/09:.é"
	dir := filepath.Join(t.TempDir(), "run")
	canceled, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("stopped"))
	s, err := Resolve(t.Context(), p.Task, "")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "batch", "round-1")
	if round, kept, err := ExportBatch(canceled, s, dir, p.Means, batch.Limits{}, Observer{}); err == nil ||
		kept != nil || round.Requests != 0 {
		t.Errorf("interrupted: %+v, %v", round, err)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("an export that failed leaves a round")
	}
	p.Resume = true
	round, err := export(t.Context(), p, dir)
	files := []string{"1-fixed-0001.jsonl", "1-fixed-0002.jsonl",
		"2-azAZ-----09-.--0001.jsonl", "2-azAZ-----09-.--0002.jsonl"}
	if err != nil || round.Requests != 40 || round.Dir != folder || !cmp.Equal(files, round.Files()) {
		t.Errorf("%+v, %v", round, err)
	}
	if judged.Load() != 40 {
		t.Errorf("told of %d judgements", judged.Load())
	}
	if j, err := journal.Open(filepath.Join(dir, directory.ExchangesFile)); err != nil || j.Close() != nil {
		t.Errorf("the journal of an export that has ended: %v", err)
	}
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if err := round.Save(); err != nil {
		t.Fatal(err)
	}
	if read, err := readRound(folder); err != nil || len(read.jobs) != 4 || read.jobs[1] != (job{File: files[1]}) ||
		read.jobs[2] != (job{File: files[2], Judge: 1}) {
		t.Errorf("%+v, %v", read, err)
	}

	whole := filepath.Join(t.TempDir(), "whole")
	p.Resume = false
	if _, err := execute(t, p, whole, false); err != nil {
		t.Fatal(err)
	}
	p.Resume = true
	round, err = export(t.Context(), p, whole)
	if left, _ := filepath.Glob(filepath.Join(whole, "batch", "*")); err != nil || round.Requests != 0 || len(left) != 0 {
		t.Errorf("with every answer in the journal: %+v, %q, %v", round, left, err)
	}
	p.Resume = false
	if _, err := export(t.Context(), p, whole); !errors.As(err, new(*directory.Error)) {
		t.Errorf("into a run that is there: %v", err)
	}
	if _, err := export(t.Context(), p, filepath.Join(whole, directory.ManifestFile)); err == nil {
		t.Error("an export into a file")
	}
}
