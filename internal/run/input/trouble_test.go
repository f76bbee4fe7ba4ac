package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/transcript"
)

// logOf returns a log with this text.
func logOf(name, text string) Log {
	return Log{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// conversations returns n lines with a conversation each, with or without a call.
func conversations(n int, call bool) string {
	calls := ""
	if call {
		calls = `,{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function",` +
			`"function":{"name":"f","arguments":"{}"}}]}`
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"c%d","messages":[{"role":"user","content":"hi"}%s]}`+"\n", i, calls)
	}
	return b.String()
}

// nobody takes the conversations of a survey.
func nobody(int, *transcript.Conversation) {}

// TestReadable: the last log is known to be readable after 100 of its conversations, if there was a call; this is told
// once.
func TestReadable(t *testing.T) {
	for _, tt := range []struct {
		name string
		logs []Log
		told int // conversations of all logs before it was told, 0 for never
	}{
		{"150 conversations", []Log{logOf("a.jsonl", conversations(150, true))}, 100},
		{"99 conversations", []Log{logOf("a.jsonl", conversations(99, true))}, 0},
		{"no call", []Log{logOf("a.jsonl", conversations(150, false))}, 0},
		{"a call too late", []Log{logOf("a.jsonl", conversations(120, false)+conversations(20, true))}, 0},
		{"a short last log", []Log{logOf("a.jsonl", conversations(150, true)), logOf("b.jsonl", conversations(50, true))}, 0},
		{"a long last log", []Log{logOf("a.jsonl", conversations(5, true)), logOf("b.jsonl", conversations(300, true))}, 105},
	} {
		n, told := 0, []int(nil)
		s := &Source{Logs: tt.logs, Readable: func() { told = append(told, n) }}
		_, _, err := s.Survey(t.Context(), &Reading{}, true, func(int, *transcript.Conversation) { n++ })
		if err != nil || len(told) > 1 || (len(told) == 1) != (tt.told > 0) || len(told) == 1 && told[0] != tt.told {
			t.Errorf("%s: told after %v, want %d; %v", tt.name, told, tt.told, err)
		}
	}
	s := &Source{Logs: []Log{logOf("a.jsonl", conversations(150, true))}}
	if _, _, err := s.Survey(t.Context(), &Reading{}, true, nobody); err != nil {
		t.Error(err)
	}
}

// TestProblems: every record that cannot be read is counted and told, the first thousand keep their text, and the
// conversations around them are read.
func TestProblems(t *testing.T) {
	text := conversations(1, true) + strings.Repeat("{no JSON\n", 1001) + conversations(2, true)
	told := 0
	s := &Source{Logs: []Log{logOf("a.jsonl", text)}, Problem: func(error) { told++ }}
	s.Options.Format = "openai-chat" // named, because this much cannot be read
	check := func(how string, r *Reading, err error) {
		t.Helper()
		if err != nil || r.Unreadable != 1001 || len(r.Problems) != 1000 || told != 1001 || r.Conversations != 3 {
			t.Errorf("%s: %d unreadable, %d with text, %d told, %d conversations; %v", how, r.Unreadable, len(r.Problems),
				told, r.Conversations, err)
		} else if !strings.HasPrefix(r.Problems[0], "a.jsonl:2") || !strings.HasPrefix(r.Problems[999], "a.jsonl:1001") {
			t.Errorf("%s: %s … %s", how, r.Problems[0], r.Problems[999])
		}
		told = 0
	}
	var r Reading
	var failed error
	for _, err := range s.Conversations(t.Context(), &r) {
		failed = errors.Join(failed, err)
	}
	check("read", &r, failed)
	r = Reading{}
	_, _, err := s.Survey(t.Context(), &r, true, nobody)
	check("surveyed", &r, err)
	r, told = Reading{}, 0
	for _, err := range s.Again().Conversations(t.Context(), &r) {
		failed = errors.Join(failed, err)
	}
	if failed != nil || told != 0 || r.Conversations != 3 {
		t.Errorf("read again: %d told, %d conversations, %v", told, r.Conversations, failed)
	}
}

// TestAgain: a source that is read again has the same limit, shard and sample.
func TestAgain(t *testing.T) {
	read := func(s *Source) (ids []string) {
		for c, err := range s.Conversations(t.Context(), &Reading{}) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, c.ID)
		}
		return ids
	}
	logs := []Log{logOf("a.jsonl", conversations(20, false))}
	picked := &Source{Logs: logs}
	picked.Pick([]int{3, 7})
	for want, s := range map[int]*Source{20: {Logs: logs}, 5: {Logs: logs, Limit: 5}, 2: picked} {
		if first, again := read(s), read(s.Again()); len(first) != want || !slices.Equal(first, again) {
			t.Errorf("%d: %v, then %v", want, first, again)
		}
	}
	half := &Source{Logs: logs, Shard: Shard{1, 2}}
	if first, again := read(half), read(half.Again()); len(first) == 20 || len(first) == 0 || !slices.Equal(first, again) {
		t.Errorf("a shard: %v, then %v", first, again)
	}
}

// TestNoteCounts: oddities are listed by kind, with how often each occurred.
func TestNoteCounts(t *testing.T) {
	r := Reading{Notes: map[string]int{"b": 2, "c": 3, "a": 1}}
	want := []report.KindCount{{Kind: "a", Source: "log", Count: 1}, {Kind: "b", Source: "log", Count: 2}, {Kind: "c", Source: "log", Count: 3}}
	if got := r.NoteCounts(); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// TestUnusableLogs: a log or its gold labels that cannot be opened or read end a reading, a survey and a hash with their
// reason; so does a cancelled context.
func TestUnusableLogs(t *testing.T) {
	broken := errors.New("broken")
	closed := Log{Name: "a.jsonl", Open: func() (io.ReadCloser, error) { return nil, broken }}
	golden := logOf("a.jsonl", conversations(1, true))
	golden.Gold = func() (io.ReadCloser, error) { return nil, broken }
	torn := Log{Name: "a.jsonl", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader(conversations(1, true)), failing{broken})), nil
	}}
	for name, log := range map[string]Log{"not opened": closed, "no labels": golden, "torn": torn} {
		logs := []Log{log}
		s := &Source{Logs: logs}
		var failed error
		for _, err := range s.Conversations(t.Context(), &Reading{}) {
			failed = errors.Join(failed, err)
		}
		_, _, err := s.Survey(t.Context(), &Reading{}, true, nobody)
		if !errors.Is(failed, broken) || !errors.Is(err, broken) {
			t.Errorf("%s: read %v, surveyed %v", name, failed, err)
		}
		if _, err := Hash(logs); errors.Is(err, broken) != (name != "no labels") {
			t.Errorf("%s: hashed %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &Source{Logs: []Log{logOf("a.jsonl", conversations(5, true))}}
	if _, _, err := s.Survey(ctx, &Reading{}, true, nobody); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// failing is a reader that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestSurveyHash: a survey hashes the whole log, whatever it parses, and keeps its length; a log that grew meanwhile is
// known by both.
func TestSurveyHash(t *testing.T) {
	text := conversations(500, true)
	want, err := Hash([]Log{logOf("a.jsonl", text)})
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{0, 1, 499} {
		s := &Source{Logs: []Log{logOf("a.jsonl", text)}, Limit: limit}
		var r Reading
		hashes, share, err := s.Survey(t.Context(), &r, false, nobody)
		if err != nil || share != 1 || !slices.Equal(hashes, want) || *s.Logs[0].Bytes != int64(len(text)) ||
			limit > 0 && r.Conversations != limit {
			t.Errorf("limit %d: %v, share %v, %d conversations, %v", limit, hashes, share, r.Conversations, err)
		}
	}
	path := filepath.Join(t.TempDir(), "a.jsonl")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(text)
	s := &Source{Logs: []Log{{Name: "a.jsonl", Path: path, Open: func() (io.ReadCloser, error) { return os.Open(path) }}}}
	hashes, _, err := s.Survey(t.Context(), &Reading{}, true, nobody)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text          string
		grew, changed int
	}{{text, 0, 0}, {text + conversations(1, true), 1, 0}, {text[1:], 0, 1}, {"x" + text[1:] + "more", 0, 1}} {
		write(tt.text)
		if grew, changed := Since(s.Logs, hashes); len(grew) != tt.grew || len(changed) != tt.changed {
			t.Errorf("%d bytes: grew %v, changed %v", len(tt.text), grew, changed)
		}
	}
}

// TestReservoir: fewer items than are kept are all kept, in order; of more, as many as asked for, the same ones for a
// seed and stream.
func TestReservoir(t *testing.T) {
	draw := func(n, offered int, seed, stream uint64) *Reservoir[int] {
		r := NewReservoir[int](n, seed, stream)
		for i := range offered {
			r.Offer(i)
		}
		return r
	}
	if r := draw(5, 3, 1, 0); !slices.Equal(r.Kept, []int{0, 1, 2}) || r.Seen != 3 {
		t.Errorf("%+v", r)
	}
	if r := draw(0, 3, 1, 0); len(r.Kept) != 0 || r.Seen != 3 {
		t.Errorf("%+v", r)
	}
	one, same, seed, stream := draw(5, 1000, 1, 0), draw(5, 1000, 1, 0), draw(5, 1000, 2, 0), draw(5, 1000, 1, 1)
	if len(one.Kept) != 5 || !slices.Equal(one.Kept, same.Kept) || slices.Equal(one.Kept, seed.Kept) ||
		slices.Equal(one.Kept, stream.Kept) {
		t.Errorf("%v, %v, %v, %v", one.Kept, same.Kept, seed.Kept, stream.Kept)
	}
	first := 0 // whether the first of four items is among two of them: half of the times
	for seed := range uint64(2000) {
		if slices.Contains(draw(2, 4, seed, 0).Kept, 0) {
			first++
		}
	}
	if first < 900 || first > 1100 {
		t.Errorf("the first item was kept %d times of 2000", first)
	}
}
