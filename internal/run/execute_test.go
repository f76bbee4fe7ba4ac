package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges"
)

// answering returns an endpoint in this process; f may replace the answer.
func answering(t *testing.T, f func(n int64, w http.ResponseWriter) bool) (base string, requests *atomic.Int64) {
	t.Helper()
	requests = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		n := requests.Add(1)
		w.Header().Set("Content-Type", "application/json")
		if f != nil && f(n, w) {
			return
		}
		for name, output := range fixedAnswers {
			if bytes.Contains(body, []byte(`"name":"`+name+`"`)) {
				fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"{\"explanation\":\"e\",\"evidence\":\"NONE: nothing\",\"output\":%s,\"confidence\":0.9,\"correction\":{}}"}}],"usage":{"prompt_tokens":5000,"completion_tokens":20}}`, output)
				return
			}
		}
		http.Error(w, "unknown rubric", http.StatusBadRequest)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", requests
}

func execute(t *testing.T, p setup, dir string, resume bool) (*Outcome, error) {
	t.Helper()
	for i := range p.Judges {
		p.Judges[i].Config.Transport = "json_schema"
	}
	return executeSetup(t.Context(), p, dir, resume, Observer{})
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestScoresStandInLogOrderWhateverTheConcurrency(t *testing.T) {
	base, _ := answering(t, nil)
	var streams [][]byte
	for _, concurrency := range []int{1, 16} {
		p := plan(t, base, fileLog(supportLog))
		p.Judges[0].Endpoint.Concurrency = concurrency
		dir := filepath.Join(t.TempDir(), "run")
		out, err := execute(t, p, dir, false)
		if err != nil {
			t.Fatal(err)
		}
		if out.Wanted != 256 || out.Scored != 256 || out.Manifest.Status != directory.Complete {
			t.Errorf("wanted %d, scored %d, %s", out.Wanted, out.Scored, out.Manifest.Status)
		}
		streams = append(streams, read(t, dir, directory.ScoresFile), read(t, dir, directory.ReportFile))
	}
	if !bytes.Equal(streams[0], streams[2]) || !bytes.Equal(streams[1], streams[3]) {
		t.Error("the bytes depend on the concurrency")
	}
	order := []string{}
	for line := range strings.Lines(string(streams[0])) {
		if s, err := score.Parse([]byte(line)); err == nil && (len(order) == 0 || order[len(order)-1] != s.ConversationID) {
			order = append(order, s.ConversationID)
		}
	}
	if len(order) != 26 || order[0] != "cancel-packed-order" || order[25] != "half-written-arguments" {
		t.Errorf("%d conversations in the order %v", len(order), order)
	}
}

func TestResumeAsksOnlyWhatIsMissing(t *testing.T) {
	// The endpoint dies for good after a hundred answers.
	var broken atomic.Bool
	base, requests := answering(t, func(n int64, w http.ResponseWriter) bool {
		if n > 100 && broken.Load() {
			http.Error(w, `{"error":{"message":"no such model"}}`, http.StatusNotFound)
			return true
		}
		return false
	})
	broken.Store(true)
	dir := filepath.Join(t.TempDir(), "run")
	p := plan(t, base, fileLog(supportLog))
	out, err := execute(t, p, dir, false)
	var endpointErr *llm.Error
	if out == nil || !errors.As(err, &endpointErr) || !endpointErr.Fatal || out.Manifest.Status != directory.Interrupted {
		t.Fatalf("got %v, %+v", err, out)
	}
	broken.Store(false)
	before := requests.Load()
	out, err = execute(t, p, dir, true)
	if err != nil {
		t.Fatal(err)
	}
	if sent := requests.Load() - before; sent != 256-100 || out.Manifest.Work.FromJournal != 100 {
		t.Errorf("%d requests after the resume, %d from the journal", sent, out.Manifest.Work.FromJournal)
	}
	other := filepath.Join(t.TempDir(), "whole")
	if _, err := execute(t, p, other, false); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{directory.ScoresFile, directory.ReportFile, directory.HTMLFile} {
		if diff := cmp.Diff(string(read(t, other, name)), string(read(t, dir, name))); diff != "" {
			t.Errorf("%s differs from an undisturbed run's", name)
		}
	}
}

func TestInterruptedRunIsSaved(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	base, requests := answering(t, func(n int64, _ http.ResponseWriter) bool {
		if n == 50 {
			cancel()
		}
		return false
	})
	dir := filepath.Join(t.TempDir(), "run")
	out, err := executeSetup(ctx, plan(t, base, fileLog(supportLog)), dir, false, Observer{})
	if !errors.Is(err, context.Canceled) || out == nil || out.Manifest.Status != directory.Interrupted {
		t.Fatalf("got %v", err)
	}
	m, err := directory.ReadManifest(dir)
	if err != nil || m.Status != directory.Interrupted || m.Ended == nil {
		t.Errorf("%+v, %v", m, err)
	}
	journal, err := journal.Read(filepath.Join(dir, directory.ExchangesFile))
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	if good := int64(journal.Stats().Good); good != requests.Load() {
		t.Errorf("%d answers were given, %d were written down", requests.Load(), good)
	}
}

func TestTooFewScoresAreIncomplete(t *testing.T) {
	base, _ := answering(t, func(n int64, w http.ResponseWriter) bool {
		if n%4 != 0 {
			return false
		}
		fmt.Fprint(w, `{"choices":[{"index":0,"finish_reason":"content_filter","message":{"role":"assistant","content":""}}]}`)
		return true
	})
	dir := filepath.Join(t.TempDir(), "run")
	out, err := execute(t, plan(t, base, fileLog(supportLog)), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if out.Manifest.Status != directory.Incomplete || out.Scored == 0 || out.Scored >= out.Wanted {
		t.Errorf("%s with %d of %d", out.Manifest.Status, out.Scored, out.Wanted)
	}
	for s, err := range directory.Scores(dir) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Status == score.Unscored && (s.Value != nil || s.Passed != nil || s.Error == nil || s.Error.Kind == "") {
			t.Errorf("an unscored judgement with %+v", s)
		}
	}
}

func TestDirectoryOfAnotherRunIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	p := plan(t, "", fileLog(supportLog))
	if _, err := execute(t, p, dir, false); err != nil {
		t.Fatal(err)
	}
	var refused *directory.Error
	if _, err := execute(t, p, dir, false); !errors.As(err, &refused) {
		t.Errorf("a run was overwritten: %v", err)
	}
	p.Limit = 3
	if _, err := execute(t, p, dir, true); !errors.As(err, &refused) || !strings.Contains(err.Error(), "selection changed") {
		t.Errorf("another selection was resumed: %v", err)
	}
	if _, err := execute(t, p, filepath.Join(t.TempDir(), "none"), true); !errors.As(err, &refused) {
		t.Errorf("a run that is not there was resumed: %v", err)
	}
}

func TestIdentityIsTheContent(t *testing.T) {
	hashes := []string{"a"}
	base := plan(t, "http://one/v1", fileLog(supportLog))
	id, _ := base.identify(hashes)
	same := plan(t, "http://one/v1", fileLog("elsewhere.jsonl"))
	same.Judges[0].Endpoint.Concurrency = 3
	if got, _ := same.identify(hashes); got != id {
		t.Error("where the log lies or how fast it goes changed the run's identity")
	}
	for name, change := range map[string]func(*setup){
		"model":   func(p *setup) { p.Judges[0].Config.Model = "other" },
		"rubrics": func(p *setup) { p.Rubrics = p.Rubrics[:3] },
		"limit":   func(p *setup) { p.Limit = 1 },
		"seed":    func(p *setup) { p.Seed = 9 },
		"url":     func(p *setup) { p.Judges[0].Endpoint.BaseURL = "http://two/v1" },
	} {
		p := plan(t, "http://one/v1", fileLog(supportLog))
		change(&p)
		if got, _ := p.identify(hashes); got == id {
			t.Errorf("another %s is the same run", name)
		}
	}
	if got, _ := base.identify([]string{"b"}); got == id {
		t.Error("another input is the same run")
	}
}

func TestTwoJudgesWithOneModelDoNotShareAnswers(t *testing.T) {
	one, first := answering(t, nil)
	two, second := answering(t, nil)
	p := plan(t, one, fileLog(supportLog))
	p.Limit = 2
	p.Judges = append(p.Judges, p.Judges[0])
	p.Judges[1].Config.Name, p.Judges[1].Endpoint.BaseURL = "fixed#2", two
	out, err := execute(t, p, filepath.Join(t.TempDir(), "run"), false)
	if err != nil {
		t.Fatal(err)
	}
	if first.Load() != 20 || second.Load() != 20 || out.Wanted != 40 {
		t.Errorf("%d and %d requests, %d judgements", first.Load(), second.Load(), out.Wanted)
	}
}

func TestObserverIsToldAboutEveryJudgement(t *testing.T) {
	base, _ := answering(t, nil)
	var judged atomic.Int64
	p := plan(t, base, fileLog(supportLog))
	p.Judges[0].Config.Transport = "json_schema"
	_, err := executeSetup(t.Context(), p, filepath.Join(t.TempDir(), "run"), false, Observer{Judged: func(*judges.Result) { judged.Add(1) }})
	if err != nil || judged.Load() != 256 {
		t.Errorf("%d judgements, %v", judged.Load(), err)
	}
}

func TestEstimateCountsWithoutAsking(t *testing.T) {
	base, requests := answering(t, nil)
	p := plan(t, base, fileLog(supportLog))
	e, err := estimateOf(t.Context(), p.Task)
	if err != nil {
		t.Fatal(err)
	}
	if e.Conversations != 26 || e.Calls != 64 || e.Judgements != 256 || e.Bytes < 256*5000 || e.LargestPlace == "" {
		t.Errorf("%+v", e)
	}
	if requests.Load() != 0 {
		t.Error("something was sent")
	}
}

// TestResumable: a run can go on after it was stopped, and after an endpoint that cannot answer.
func TestResumable(t *testing.T) {
	for err, want := range map[error]bool{
		context.Canceled: true, fmt.Errorf("x: %w", context.DeadlineExceeded): true, &llm.Error{Fatal: true}: true,
		&llm.Error{}: false, errors.New("x"): false,
	} {
		if resumable(err) != want {
			t.Errorf("%v: %v", err, !want)
		}
	}
}

// TestChangedLogs: logs that grew or changed after a run began are named.
func TestChangedLogs(t *testing.T) {
	source := &input.Source{}
	for _, text := range []string{"same", "grew", "other"} {
		source.Logs = append(source.Logs, textLog(text+".jsonl", text, new(atomic.Int64)))
	}
	var err error
	if source.Hashes, err = input.Hash(source.Logs); err != nil {
		t.Fatal(err)
	}
	if notes := changes(source); notes != nil {
		t.Errorf("%q", notes)
	}
	source.Logs[1].Open = textLog("", "grew more", new(atomic.Int64)).Open
	source.Logs[2].Open = textLog("", "another", new(atomic.Int64)).Open
	want := []string{"grew.jsonl grew since the run began: what it held then is judged; judge the rest by a new run",
		"other.jsonl changed since it was read: what it held when the run began is judged; put it back as it was before this " +
			"run is resumed"}
	if notes := changes(source); !slices.Equal(notes, want) {
		t.Errorf("%q", notes)
	}
}

// TestAddAll: conversations are added until one fails, or the context ends.
func TestAddAll(t *testing.T) {
	stop := errors.New("enough")
	list := func(err error) iter.Seq2[*graded, error] {
		return func(yield func(*graded, error) bool) {
			_ = yield(&graded{}, nil) && yield(&graded{}, err) && yield(&graded{}, nil)
		}
	}
	for name, tt := range map[string]struct {
		read, add error
		want      error
		added     int
	}{"all": {nil, nil, nil, 3}, "a log that breaks off": {stop, nil, stop, 1}, "a full disk": {nil, stop, stop, 1}} {
		n := 0
		if err := addAll(t.Context(), list(tt.read), func(*graded) error { n++; return tt.add }); err != tt.want || n != tt.added {
			t.Errorf("%s: %d are added, %v", name, n, err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := addAll(ctx, list(nil), func(*graded) error { return nil }); err != stop {
		t.Error(err)
	}
}
