package judges

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/transcript"
)

// sharedData finds the data folder beside the checkout.
func sharedData(t testing.TB, parts ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Skip("no go.mod above the package")
		}
		dir = filepath.Dir(dir)
	}
	path := filepath.Join(append([]string{dir, "..", "shared", "data"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the data folder %s is not beside the checkout", filepath.Join(parts...))
	}
	return path
}

// Every call of real trajectories gives a prompt that keeps its frame and shares
// its history with the next one, and nothing of a benchmark's reward is in it.
func TestRealTrajectories(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedData(t, "tau", "trajectories"), "*.json.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no trajectories: %v", err)
	}
	conversations, calls := 0, 0
	for k, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for conv, err := range transcript.Open(t.Context(), filepath.Base(file), f, transcript.Options{}).All() {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n > 15 {
				break
			}
			conversations++
			v := newView(conv, Options{RunKey: []byte("k")}.withDefaults())
			before := ""
			for i := range conv.Calls {
				calls++
				got := v.message(i)
				siblings := strings.Count(string(v.siblings(&conv.Calls[i])), "\n")
				if !got.truncated {
					checkFrame(t, got.text, v.nonce, len(conv.Tools), got.n, siblings)
				}
				if !strings.HasPrefix(got.text, before) && i > 0 {
					t.Fatalf("%s call %d: the history changed", conv.ID, i)
				}
				before = got.text[:strings.Index(got.text, "<<<END "+v.nonce+" conversation>>>")]
			}
		}
		f.Close()
		if k > 7 {
			break
		}
	}
	if conversations < 50 || calls < 200 {
		t.Errorf("only %d conversations with %d calls were read", conversations, calls)
	}
	t.Logf("%d conversations, %d calls", conversations, calls)
}

// The baseline grades every call of a real file, and each result is a score or a
// failure with a kind.
func TestRealRunOnBaseline(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedData(t, "tau", "trajectories"), "*.json.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no trajectories: %v", err)
	}
	server, err := StartBaseline()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	j, err := Open(Endpoint{BaseURL: server.URL(), Concurrency: 8}, Config{Model: BaselineModel, Concurrency: 8})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	items := func(yield func(Item, error) bool) {
		n := 0
		for conv, err := range transcript.Open(context.Background(), filepath.Base(files[0]), f, transcript.Options{}).All() {
			if n++; n > 8 || !yield(Item{Conversation: conv}, err) {
				return
			}
		}
	}
	scored, flags := 0, map[string]int{}
	err = Run(t.Context(), []*Judge{j}, items, RunConfig{ShuffleSeed: 1}, func(o *Outcome) error {
		for i := range o.Results {
			r := &o.Results[i]
			if r.Output == nil {
				t.Errorf("%s#%d %s: %s: %s", r.ConversationID, r.CallIndex, r.Rubric, r.ErrorKind, r.ErrorDetail)
				continue
			}
			scored++
			if r.Transport != llm.JSONSchema {
				t.Errorf("transport %s", r.Transport)
			}
			for _, fl := range r.Flags {
				flags[fl.Code]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if scored < 200 {
		t.Errorf("only %d judgements", scored)
	}
	if n := flags[FlagUngrounded] + flags[FlagPartial]; n > 0 {
		t.Errorf("%d answers of the baseline, which quotes verbatim, are flagged as not grounded", n)
	}
	t.Logf("%d judgements, flags %v", scored, flags)
}
