package run

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
)

// answered is one judge's answer to the only call of a conversation, with the server's
// count for a prompt of so many bytes; 0 where it does not count.
func answered(judge string, tokens, bytes int) judges.Result {
	one := 1.0
	return judges.Result{ConversationID: "c", CallIndex: 0, Rubric: "r", Judge: judge, Output: &one, Counted: judges.Count{Tokens: tokens, ASCII: bytes}}
}

// amended notes the answers, each about a conversation of its own, and returns which of
// them are still scored, and how many are not.
func amended(t *testing.T, answers ...judges.Result) (scored []bool, lost int) {
	t.Helper()
	dir := t.TempDir()
	a, err := openLedger(dir, "r", nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := score.NewWriter(&b, "r")
	if err != nil {
		t.Fatal(err)
	}
	c := &transcript.Conversation{ID: "c", Calls: []transcript.Call{{Name: "f"}}}
	for i := range answers {
		if err := a.note(c, answers[i:i+1]); err != nil {
			t.Fatal(err)
		}
		if err := w.Write(answers[i].Score()); err != nil {
			t.Fatal(err)
		}
		a.lines++
	}
	path := filepath.Join(dir, "scores.jsonl")
	if err := errors.Join(w.Flush(), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	if lost, err = a.close(path, func(string) judges.Limit { return judges.Limit{} }); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s, err := range score.Read(f, path) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Status != score.Scored && (s.Value != nil || s.Error == nil || s.Error.Kind != judges.KindContextCut) {
			t.Errorf("%+v", s)
		}
		scored = append(scored, s.Status == score.Scored)
	}
	return scored, lost
}

// TestVoid: prompts of different length that came to one window void the answers to
// them, and to nobody else's; one alone is chance.
func TestVoid(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers []judges.Result
		want    []bool
	}{
		{"chance", []judges.Result{answered("a", 4096, 30000), answered("a", 0, 31000)}, []bool{true, true}},
		{"one prompt twice", []judges.Result{answered("a", 4096, 30000), answered("a", 4096, 30000)}, []bool{true, true}},
		{"cut", []judges.Result{answered("a", 4096, 30000), answered("a", 0, 10), answered("a", 4096, 31000)}, []bool{false, true, false}},
		{"another judge", []judges.Result{answered("a", 4096, 30000), answered("b", 4096, 31000)}, []bool{true, true}},
		{"another window", []judges.Result{answered("a", 4096, 30000), answered("a", 2048, 31000)}, []bool{true, true}},
		{"a server that always says the same", []judges.Result{answered("a", 5000, 9000), answered("a", 5000, 10000), answered("a", 5000, 11000)}, []bool{true, true, true}},
	} {
		scored, lost := amended(t, tt.answers...)
		if diff := cmp.Diff(tt.want, scored); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		void := 0
		for _, ok := range tt.want {
			if !ok {
				void++
			}
		}
		if lost != void {
			t.Errorf("%s: %d lost, want %d", tt.name, lost, void)
		}
	}
}

// TestAbandon: what a run that was stopped leaves to people is there, and is not taken
// for all of it.
func TestAbandon(t *testing.T) {
	dir := t.TempDir()
	a, err := openLedger(dir, "r", []Cascade{{Cascade: judges.Cascade{Name: "climb"}, Queue: "queue.jsonl"}})
	if err != nil {
		t.Fatal(err)
	}
	c := &transcript.Conversation{ID: "c", Calls: []transcript.Call{{Name: "f"}}}
	r := answered("climb", 0, 0)
	r.Output, r.Climb = nil, &judges.ClimbDetail{Unresolved: true}
	if err := errors.Join(a.note(c, []judges.Result{r}), a.abandon()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "queue.jsonl")); err == nil {
		t.Error("the part is taken for the whole")
	}
	data, err := os.ReadFile(filepath.Join(dir, "queue.jsonl.partial"))
	if err != nil || strings.Count(string(data), "\n") != 2 || !strings.Contains(string(data), `"cascade":"climb"`) || !strings.HasPrefix(string(data), `{"cascade":"climb","run_id":"r","schema":"`+queueSchema) {
		t.Errorf("%s, %v", data, err)
	}
}
