package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/transcript"
)

func TestSampleDrawsWithoutReplacement(t *testing.T) {
	counts := map[int]int{}
	for seed := range int64(200) {
		s := &Source{Logs: []Log{{Name: "support.jsonl", Open: func() (io.ReadCloser, error) { return os.Open("../../../fixtures/logs/support.jsonl") }}}}
		drawn := NewReservoir[int](5, uint64(seed), 0)
		_, _, err := s.Survey(t.Context(), &Reading{}, true, func(i int, _ *transcript.Conversation) { drawn.Offer(i) })
		if err != nil {
			t.Fatal(err)
		}
		s.Pick(drawn.Kept)
		if len(s.picked) != 5 || !slices.IsSorted(s.picked) || len(slices.Compact(slices.Clone(s.picked))) != 5 {
			t.Fatalf("seed %d picked %v", seed, s.picked)
		}
		for _, i := range s.picked {
			counts[i]++
		}
	}
	// 200 × 5 draws over 26 conversations: 38 each, give or take.
	for i := range 26 {
		if counts[i] < 15 || counts[i] > 70 {
			t.Errorf("conversation %d was drawn %d times in 200 samples", i, counts[i])
		}
	}
}

func TestInOrderKeepsOrderAndStops(t *testing.T) {
	source := func(n int, fail error) iter.Seq2[*transcript.Conversation, error] {
		return func(yield func(*transcript.Conversation, error) bool) {
			for i := range n {
				if !yield(&transcript.Conversation{ID: fmt.Sprint(i)}, nil) {
					return
				}
			}
			if fail != nil {
				yield(nil, fail)
			}
		}
	}
	slow := func(c *transcript.Conversation) string {
		if len(c.ID)%2 == 0 {
			time.Sleep(time.Millisecond)
		}
		return c.ID
	}
	var got []string
	for m, err := range InOrder(t.Context(), source(50, nil), 4, slow) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m)
	}
	for i, id := range got {
		if id != fmt.Sprint(i) {
			t.Fatalf("place %d has %s", i, id)
		}
	}
	if len(got) != 50 {
		t.Errorf("%d of 50 came out", len(got))
	}
	broken := errors.New("broken")
	seen := 0
	for _, err := range InOrder(t.Context(), source(10, broken), 4, slow) {
		if err != nil {
			if !errors.Is(err, broken) || seen != 10 {
				t.Errorf("%v after %d", err, seen)
			}
			break
		}
		seen++
	}
	// A consumer that has enough ends the reading.
	for range InOrder(t.Context(), source(1_000_000, nil), 4, slow) {
		break
	}
}

// TestLogChanges: a log that grew is read as far as it was hashed, and named; one that
// was edited is an error, also behind the last conversation that was asked for.
func TestLogChanges(t *testing.T) {
	const line = `{"id":"%d","messages":[{"role":"user","content":"hi"}]}` + "\n"
	text := fmt.Sprintf(line+line+line, 1, 2, 3)
	for _, tt := range []struct {
		name, now   string
		limit       int
		grew, wrong bool
	}{
		{"the same", text, 0, false, false},
		{"appended", text + fmt.Sprintf(line, 4), 0, true, false},
		{"half a line appended", text + `{"id":`, 0, true, false},
		{"edited", strings.Replace(text, "hi", "ho", 1), 0, false, true},
		{"edited behind the limit", strings.Replace(text, `"id":"3"`, `"id":"4"`, 1), 2, false, true},
		{"cut", text[:len(text)-5], 0, false, true},
		{"gone", "", 0, false, true},
	} {
		now := text
		logs := []Log{{Name: "a.jsonl", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(now)), nil }}}
		hashes, err := Hash(logs)
		if err != nil {
			t.Fatal(err)
		}
		now = tt.now
		n := 0
		var failed error
		s := &Source{Logs: logs, Hashes: hashes, Limit: tt.limit}
		for _, err := range s.Conversations(t.Context(), &Reading{}) {
			if failed = err; err == nil {
				n++
			}
		}
		var changed *ChangedError
		var form *transcript.FormatError
		if tt.wrong != (errors.As(failed, &changed) || errors.As(failed, &form)) || !tt.wrong && n != 3 {
			t.Errorf("%s: %d conversations, %v", tt.name, n, failed)
		}
		if grew, changed := Since(logs, hashes); tt.grew != (len(grew) == 1) || tt.wrong != (len(changed) == 1) {
			t.Errorf("%s: grew %q, changed %q", tt.name, grew, changed)
		}
	}
}

// TestLimitReadsNoLogTwice: the rest of a log, behind the last conversation that was asked
// for, is hashed once, also where the reader still has a read under way.
func TestLimitReadsNoLogTwice(t *testing.T) {
	text := strings.Repeat(`{"id":"x","messages":[{"role":"user","content":"hi"}]}`+"\n", 20_000)
	logs := []Log{{Name: "a.jsonl", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}
	hashes, err := Hash(logs)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		s := &Source{Logs: logs, Hashes: hashes, Limit: 1}
		for _, err := range s.Conversations(t.Context(), &Reading{}) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestParseShard(t *testing.T) {
	slurm := map[string]string{"SLURM_ARRAY_TASK_ID": "12", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_COUNT": "4"}
	kubernetes := map[string]string{"JOB_COMPLETION_INDEX": "3"}
	for _, tt := range []struct {
		text string
		env  map[string]string
		want string // "!" for an error
	}{
		{"", nil, ""}, {"0/4", nil, "0/4"}, {"3/4", nil, "3/4"}, {"4/4", nil, "0/4"}, {"0/1", nil, "0/1"},
		{"auto", slurm, "2/4"}, {"auto/8", slurm, "2/8"}, {"auto/2", slurm, "!"}, {"auto/4", kubernetes, "3/4"},
		{"auto", map[string]string{"SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_COUNT": "4"}, "2/4"},
		{"auto", map[string]string{"SLURM_ARRAY_TASK_ID": "4", "SLURM_ARRAY_TASK_COUNT": "4"}, "!"},
		{"auto", map[string]string{"SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "x"}, "!"},
		{"auto", map[string]string{"SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_COUNT": "x"}, "!"},
		{"auto/4", map[string]string{"JOB_COMPLETION_INDEX": "x"}, "!"}, {"auto/4", map[string]string{"JOB_COMPLETION_INDEX": "-1"}, "!"},
		{"auto/3", kubernetes, "!"}, {"auto", kubernetes, "!"}, {"auto/3", nil, "!"}, {"5/4", nil, "!"},
		{"-1/4", nil, "!"}, {"1/0", nil, "!"}, {"1", nil, "!"}, {"a/b", nil, "!"}, {"1/4/2", nil, "!"}, {"1/-4", nil, "!"},
	} {
		s, err := ParseShard(tt.text, func(name string) string { return tt.env[name] })
		if got := s.String(); (err != nil) != (tt.want == "!") || err == nil && got != tt.want {
			t.Errorf("%q with %v: %s, %v", tt.text, tt.env, got, err)
		}
	}
	const unknown = ": neither JOB_COMPLETION_INDEX nor Slurm's array variables say which shard this is, or of how many; " +
		"give i/n, or auto/n"
	for text, want := range map[string]string{
		"5/4": "5/4: want i/n with i from 0 to n, or auto/n", "0/0": "0/0: want i/n with i from 0 to n, or auto/n",
		"0/": "0/: want i/n with i from 0 to n, or auto/n", "auto": "auto" + unknown, "auto/3": "auto/3" + unknown,
	} {
		if _, err := ParseShard(text, func(string) string { return "" }); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	three := func(name string) string { return kubernetes[name] }
	if _, err := ParseShard("auto", three); err == nil || err.Error() != "auto"+unknown {
		t.Errorf("of how many is not known: %v", err)
	}
}

// Every conversation is in one shard, and shards are about as large.
func TestShards(t *testing.T) {
	const n = 16000
	for _, of := range []int{2, 3, 16} {
		counts := make([]int, of)
		for i := range n {
			in := 0
			for k := range of {
				if (Shard{Index: k, Of: of}).Holds("conversation-" + strconv.Itoa(i)) {
					in++
					counts[k]++
				}
			}
			if in != 1 {
				t.Fatalf("conversation %d is in %d of %d shards", i, in, of)
			}
		}
		for k, c := range counts {
			if c < n/of*8/10 || c > n/of*12/10 {
				t.Errorf("shard %d of %d has %d of %d conversations", k, of, c, n)
			}
		}
	}
}

// TestPickAndShards: picked conversations are counted over all logs, and each shard reads its own.
func TestPickAndShards(t *testing.T) {
	text := func(name string, ids ...string) Log {
		lines := ""
		for _, id := range ids {
			lines += fmt.Sprintf(`{"id":%q,"messages":[{"role":"user","content":"hi"}]}`+"\n", id)
		}
		return Log{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(lines)), nil }}
	}
	read := func(change func(*Source)) string {
		s := &Source{Logs: []Log{text("a.jsonl", "0", "1", "2"), text("b.jsonl", "3", "4", "5")}}
		change(s)
		var ids []string
		for c, err := range s.Conversations(t.Context(), &Reading{}) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, c.ID)
		}
		return strings.Join(ids, " ")
	}
	for want, picked := range map[string][]int{"0 1 2 3 4 5": nil, "1": {1}, "0 4": {4, 0}, "2 3 5": {5, 3, 2}} {
		if got := read(func(s *Source) {
			if picked != nil {
				s.Pick(picked)
			}
		}); got != want {
			t.Errorf("picked %v: %s, want %s", picked, got, want)
		}
	}
	all := strings.Fields(read(func(s *Source) { s.Shard = Shard{0, 2} }) + " " + read(func(s *Source) { s.Shard = Shard{1, 2} }))
	if slices.Sort(all); !slices.Equal(all, []string{"0", "1", "2", "3", "4", "5"}) {
		t.Errorf("two shards read %v", all)
	}
}

// TestLine: a line of a log is read by its number, the last one also without a line break.
func TestLine(t *testing.T) {
	log := Log{Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("one\ntwo\nthree")), nil }}
	for n, want := range map[int]string{1: "one", 2: "two", 3: "three"} {
		if got, err := log.Line(n); strings.TrimSpace(string(got)) != want || err != nil && err != io.EOF {
			t.Errorf("line %d: %q, %v", n, got, err)
		}
	}
	if got, err := log.Line(4); err == nil {
		t.Errorf("line 4 of 3: %q", got)
	}
	gone := Log{Open: func() (io.ReadCloser, error) { return nil, fs.ErrNotExist }}
	if _, err := gone.Line(1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a log that is gone: %v", err)
	}
}

// TestReading: a survey and a reading count the same, log by log, up to the limit; a log without a
// record is named.
func TestReading(t *testing.T) {
	const call = `{"id":"%s","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,` +
		`"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{"}}]}]}` + "\n"
	text := func(name, text string) Log {
		return Log{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
	}
	a := report.Input{Path: "a.jsonl", Conversations: 2, Calls: 2, Format: "openai-chat"}
	for _, tt := range []struct {
		limit, calls int
		inputs       []report.Input
		empty        []string
	}{
		{0, 3, []report.Input{a, {Path: "none.jsonl"}, {Path: "b.jsonl", Conversations: 1, Calls: 1, Format: "openai-chat"}}, []string{"none.jsonl"}},
		{2, 2, []report.Input{a}, nil},
	} {
		s := &Source{Limit: tt.limit, Logs: []Log{
			text("a.jsonl", fmt.Sprintf(call+call, "1", "2")), text("none.jsonl", ""), text("b.jsonl", fmt.Sprintf(call, "3"))}}
		var read, surveyed Reading
		for _, err := range s.Conversations(t.Context(), &read) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(tt.inputs, read.Inputs); diff != "" {
			t.Errorf("limit %d: %s", tt.limit, diff)
		}
		if diff := cmp.Diff(tt.empty, read.Empty); diff != "" || read.Calls != tt.calls || read.Conversations != tt.calls {
			t.Errorf("limit %d: %d calls in %d conversations; empty: %s", tt.limit, read.Calls, read.Conversations, diff)
		}
		for kind, n := range read.Notes {
			if at := read.NotePlaces[kind]; n != tt.calls || !strings.HasPrefix(at, "a.jsonl:1") {
				t.Errorf("limit %d: %d of %s, the first at %s", tt.limit, n, kind, at)
			}
		}
		_, share, err := s.Survey(t.Context(), &surveyed, false, func(int, *transcript.Conversation) {})
		if err != nil || share != 1 {
			t.Fatalf("limit %d: %v of small logs were parsed, %v", tt.limit, share, err)
		}
		if surveyed.Calls != read.Calls || surveyed.Conversations != read.Conversations || surveyed.Inputs[0].Calls != 2 {
			t.Errorf("limit %d: the survey counts %d calls in %d conversations", tt.limit, surveyed.Calls, surveyed.Conversations)
		}
		if diff := cmp.Diff(read.NoteCounts(), surveyed.NoteCounts()); diff != "" || len(read.Notes) == 0 {
			t.Errorf("limit %d: oddities of the survey: %s", tt.limit, diff)
		}
	}
}

// endless repeats a line of a log.
type endless struct{ line, rest string }

func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		e.rest = e.line
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func (*endless) Close() error { return nil }

// TestSurveyOfLargeLog: of a log that is too large to be parsed first, a survey says how much of it
// the parsed conversations are; a limit and a survey of all count as such.
func TestSurveyOfLargeLog(t *testing.T) {
	if testing.Short() {
		t.Skip("hashes some hundred megabytes")
	}
	const lines = 20_000
	line := `{"messages":[{"role":"user","content":"` + strings.Repeat("please ", 4500) + `"},` +
		`{"role":"assistant","tool_calls":[{"id":"t","function":{"name":"f","arguments":"{}"}}]}]}` + "\n"
	for _, tt := range []struct {
		limit int
		all   bool
		share float64
		n     int
	}{{0, false, float64(surveyed) / lines, surveyed}, {2000, false, 0.5, surveyed}, {1500, true, 1, 1500}} {
		size := int64(lines * len(line))
		log := Log{Name: "l.jsonl", Bytes: &size, Open: func() (io.ReadCloser, error) { return &endless{line: line}, nil }}
		s := &Source{Logs: []Log{log}, Limit: tt.limit}
		n := 0
		_, share, err := s.Survey(t.Context(), &Reading{}, tt.all, func(int, *transcript.Conversation) { n++ })
		if err != nil || !(math.Abs(share/tt.share-1) <= 0.1) || share > 1 || n != tt.n {
			t.Errorf("limit %d, all %v: %d conversations are %v of the log, want %v; %v", tt.limit, tt.all, n, share, tt.share, err)
		}
	}
}

// TestLargeLogs: the hash of a large log is made of a part of it, is the same however the
// log is read, and differs with its length and with what is hashed.
func TestLargeLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("writes some hundred megabytes")
	}
	path := filepath.Join(t.TempDir(), "log")
	size := int64(wholeBytes + 2*strideBytes + 5*pieceBytes)
	f, err := os.Create(path) // mostly holes
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sum := func(size int64, at int64, seek bool) string {
		t.Helper()
		_, err := f.WriteAt([]byte{1}, at)
		if err := errors.Join(err, f.Truncate(size)); err != nil {
			t.Fatal(err)
		}
		logs := []Log{{Name: path, Open: func() (io.ReadCloser, error) {
			f, err := os.Open(path)
			if seek {
				return f, err
			}
			return struct{ io.ReadCloser }{f}, err
		}}}
		sums, err := Hash(logs)
		if err != nil || *logs[0].Bytes != size || !Large(logs) {
			t.Fatal(err, *logs[0].Bytes)
		}
		if grew, changed := Since(logs, sums); grew != nil || changed != nil {
			t.Fatal(grew, changed)
		}
		return sums[0]
	}
	base := sum(size, 0, true)
	if sum(size, 0, false) != base {
		t.Error("a log that cannot be read from the middle has another hash")
	}
	if sum(size, wholeBytes+strideBytes+pieceBytes+1, true) != base {
		t.Error("what is between the pieces plays a part")
	}
	if sum(size-1, 0, true) == base {
		t.Error("the length plays no part")
	}
	if sum(size, wholeBytes-1, true) == base {
		t.Error("the end of the whole part plays no part")
	}
	base = sum(size, 0, true)
	if sum(size, wholeBytes+strideBytes+9, true) == base {
		t.Error("a piece plays no part")
	}
	logs := []Log{{Name: path, Open: func() (io.ReadCloser, error) { return os.Open(path) }}}
	sums, err := Hash(logs)
	if err := errors.Join(err, f.Truncate(size+2*strideBytes)); err != nil {
		t.Fatal(err)
	}
	if grew, changed := Since(logs, sums); len(grew) != 1 || changed != nil {
		t.Errorf("a large log that grew: grew %q, changed %q", grew, changed)
	}
}
