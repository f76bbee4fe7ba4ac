package input

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

// hashed lists what is hashed.
type hashed struct {
	hash.Hash
	sizes []int
	bytes string // the first byte of each piece
}

func (h *hashed) Write(p []byte) (int, error) {
	h.sizes, h.bytes = append(h.sizes, len(p)), h.bytes+string(p[:1])
	return len(p), nil
}

// TestPiecesOfALargeLog: of a log, the first 512 MiB are hashed, and after that 1 MiB at every 64; the length is hashed
// only of a log that is longer.
func TestPiecesOfALargeLog(t *testing.T) {
	const mib = 1 << 20
	for _, tt := range []struct {
		from  int64
		n     int
		sizes []int
		bytes string
	}{
		{0, 3, []int{3}, "a"},
		{512*mib - 2, 4, []int{2, 2}, "ac"},
		{512*mib - 2, 2, []int{2}, "a"},
		{513*mib - 2, 4, []int{2}, "a"},
		{513 * mib, 3, nil, ""},
		{576*mib - 2, 4, []int{2}, "c"},
		{577*mib - 1, 3, []int{1}, "a"},
		{640*mib - 1, 3, []int{2}, "b"},
	} {
		h := &hashed{}
		b := &bytes{h: h}
		if b.hash([]byte("abcd")[:tt.n], tt.from); !slices.Equal(h.sizes, tt.sizes) || h.bytes != tt.bytes {
			t.Errorf("%d bytes from %d: hashed %v of %s", tt.n, tt.from, h.sizes, h.bytes)
		}
	}
	for n, want := range map[int64]string{
		512*mib - 1: "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881", // x
		512 * mib:   "8451de7fc7bb584001bad1e0d6e9c0b68a0ad82efaca3bb499fdbe478b4c085b", // x536870913 bytes
	} {
		b := &bytes{h: sha256.New(), n: n, limited: strings.NewReader("x")}
		if got, err := b.sum(); got != want || err != nil {
			t.Errorf("after %d bytes: %s, %v", n, got, err)
		}
	}
	broken := errors.New("broken")
	b := &bytes{h: sha256.New(), log: &Log{Name: "a.jsonl"}, limited: failing{broken}}
	if err := b.check("x"); !errors.Is(err, broken) || err.Error() != "read a.jsonl: broken" {
		t.Error(err)
	}
	want := "a.jsonl changed while it was read: what was judged of it is not what the run is about; " +
		"put it back as it was and resume, or start a new run of it with another --out"
	if got := (&ChangedError{"a.jsonl"}).Error(); got != want {
		t.Error(got)
	}
}

// sparse returns a file of so many bytes, which takes no room, and a log of it.
func sparse(t *testing.T, size int64) (*os.File, Log) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(path)
	if err == nil {
		t.Cleanup(func() { _ = f.Close() })
		err = f.Truncate(size)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f, Log{Name: path, Path: path, Open: func() (io.ReadCloser, error) { return os.Open(path) }}
}

// TestSkipToTheNextPiece: between the pieces that are hashed a log is not read, up to its end and the length it had; a
// log that cannot seek is read.
func TestSkipToTheNextPiece(t *testing.T) {
	const mib = 1 << 20
	f, _ := sparse(t, 600*mib)
	for _, tt := range []struct {
		at, limit, to int64 // limit 0 for none
		closed, plain bool
	}{
		{at: 0, to: 0}, {at: 300 * mib, to: 300 * mib}, {at: 512*mib + 9, to: 512*mib + 9},
		{at: 511*mib + 9, to: 511*mib + 9}, {at: 513*mib - 1, to: 513*mib - 1},
		{at: 513 * mib, to: 576 * mib}, {at: 520 * mib, to: 576 * mib}, {at: 577 * mib, to: 600 * mib},
		{at: 600 * mib, to: 600 * mib}, {at: 601 * mib, to: 601 * mib},
		{at: 520 * mib, limit: 530 * mib, to: 530 * mib}, {at: 520 * mib, limit: 590 * mib, to: 576 * mib},
		{at: 520 * mib, to: 520 * mib, plain: true}, {at: 520 * mib, to: 520 * mib, closed: true},
	} {
		b := &bytes{ReadCloser: f, limited: f, n: tt.at}
		if tt.limit > 0 {
			b.limited = io.LimitReader(f, tt.limit-tt.at)
		}
		if tt.plain {
			b.ReadCloser = struct{ io.ReadCloser }{f}
		}
		if tt.closed {
			gone, _ := sparse(t, 600*mib)
			_ = gone.Close()
			b.ReadCloser = gone
		}
		if _, err := f.Seek(tt.at, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		b.skip()
		at, err := f.Seek(0, io.SeekCurrent)
		if err != nil || b.n != tt.to || at != tt.to {
			t.Errorf("from %d: at %d, counted %d, want %d; %v", tt.at, at, b.n, tt.to, err)
		}
		if l, ok := b.limited.(*io.LimitedReader); ok && l.N != tt.limit-tt.to {
			t.Errorf("from %d: %d bytes are left, want %d", tt.at, l.N, tt.limit-tt.to)
		}
	}
}

// TestLarge: logs are large together, by the length that was hashed or that of the file.
func TestLarge(t *testing.T) {
	_, half := sparse(t, wholeBytes/2)
	_, more := sparse(t, wholeBytes/2+1)
	whole, long, short := int64(wholeBytes), int64(wholeBytes+1), int64(1)
	for name, tt := range map[string]struct {
		logs []Log
		want bool
	}{
		"none":              {nil, false},
		"limit":             {[]Log{{Bytes: &whole}}, false},
		"over it":           {[]Log{{Bytes: &long}}, true},
		"together":          {[]Log{{Bytes: &whole}, {Bytes: &short}}, true},
		"two files":         {[]Log{half, half}, false},
		"two larger files":  {[]Log{half, more}, true},
		"a hashed length":   {[]Log{half, {Path: more.Path, Bytes: &short}}, false},
		"no regular file":   {[]Log{{Bytes: &whole}, {Path: filepath.Dir(half.Path)}}, false},
		"no file to be had": {[]Log{{Bytes: &whole}, {Path: half.Path + "x"}}, false},
	} {
		if got := Large(tt.logs); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestSinceReadsOnlyWhatChanged: a log is read again only if its size or its time changed, or if it is not known what
// they were.
func TestSinceReadsOnlyWhatChanged(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(l *Log) // after the log of five bytes was hashed
		opened bool
		grew   bool
		fails  string // what the error says
	}{
		"unchanged":                 {func(*Log) {}, false, false, ""},
		"longer than what was read": {func(l *Log) { *l.Bytes = 4 }, false, true, ""},
		"no state":                  {func(l *Log) { l.state = nil }, true, false, ""},
		"no length":                 {func(l *Log) { l.Bytes = nil }, true, false, ""},
		"no file":                   {func(l *Log) { l.Path += "x" }, true, false, ""},
		"edited": {func(l *Log) {
			_ = os.WriteFile(l.Path, []byte("other"), 0o600)
			_ = os.Chtimes(l.Path, time.Time{}, l.state.ModTime().Add(time.Second))
		}, true, false, "changed while it was read"},
		"longer": {func(l *Log) {
			_ = os.WriteFile(l.Path, []byte("hello and more"), 0o600)
			_ = os.Chtimes(l.Path, time.Time{}, l.state.ModTime())
		}, true, true, ""},
		"gone": {func(l *Log) { _ = os.Remove(l.Path) }, true, false, "no such file"},
	} {
		f, log := sparse(t, 0)
		if _, err := f.WriteString("hello"); err != nil {
			t.Fatal(err)
		}
		log.state = log.stat()
		logs := []Log{log}
		hashes, err := Hash(logs)
		if err != nil {
			t.Fatal(err)
		}
		opened, path := false, log.Path
		logs[0].Open = func() (io.ReadCloser, error) { opened = true; return os.Open(path) }
		tt.change(&logs[0])
		grew, err := logs[0].since(hashes[0])
		if grew != tt.grew || opened != tt.opened || (err != nil) != (tt.fails != "") ||
			err != nil && !strings.Contains(err.Error(), tt.fails) {
			t.Errorf("%s: grew %v, read %v, %v", name, grew, opened, err)
		}
	}
}

// opened counts how often a log is open.
type opened struct {
	io.ReadCloser
	now *int
}

func (o opened) Close() error { *o.now--; return o.ReadCloser.Close() }

// TestLogsAreClosed: whoever reads a log or its gold labels closes them.
func TestLogsAreClosed(t *testing.T) {
	now, times := 0, 0
	counted := func(text string) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) {
			now, times = now+1, times+1
			return opened{io.NopCloser(strings.NewReader(text)), &now}, nil
		}
	}
	logs := []Log{{Name: "a.jsonl", Open: counted(conversations(3, true)), Gold: counted("[]")}}
	var hashes []string
	for i, step := range []struct {
		what  string
		times int
		do    func() error
	}{
		{"hashed", 1, func() (err error) { hashes, err = Hash(logs); return err }},
		{"looked at", 1, func() error { Since(logs, hashes); return nil }},
		{"a line", 1, func() error { _, err := logs[0].Line(2); return err }},
		{"surveyed", 2, func() error {
			_, _, err := (&Source{Logs: logs}).Survey(t.Context(), &Reading{}, true, nobody)
			return err
		}},
		{"read", 2, func() error {
			for _, err := range (&Source{Logs: logs}).Conversations(t.Context(), &Reading{}) {
				if err != nil {
					return err
				}
			}
			return nil
		}},
	} {
		times = 0
		if err := step.do(); err != nil || now != 0 || times != step.times {
			t.Errorf("step %d, %s: opened %d times, %d are open; %v", i, step.what, times, now, err)
		}
	}
}

// TestShareOfASurvey: of large logs only the first thousand conversations are parsed, unless all are wanted; the share
// is that of the bytes, or of the limit.
func TestShareOfASurvey(t *testing.T) {
	size := int64(wholeBytes + 1)
	for name, tt := range map[string]struct {
		limit, there int
		all          bool
		n            int
		share        float64 // -1 for a small one
	}{
		"no limit":         {0, 1500, false, 1000, -1},
		"a thousand":       {0, 1000, false, 1000, -1},
		"fewer":            {0, 900, false, 900, 1},
		"all":              {0, 1500, true, 1500, 1},
		"a large limit":    {2000, 3000, false, 1000, 0.5},
		"a small limit":    {500, 1500, false, 500, 1},
		"all to the limit": {1200, 1500, true, 1200, 1},
	} {
		empty := logOf("empty.jsonl", "")
		empty.Bytes = &size // as if it were that long
		s := &Source{Logs: []Log{logOf("a.jsonl", conversations(tt.there, true)), empty}, Limit: tt.limit}
		n := 0
		_, share, err := s.Survey(t.Context(), &Reading{}, tt.all, func(int, *transcript.Conversation) { n++ })
		small := share > 0 && share < 0.001
		if err != nil || n != tt.n || (tt.share < 0) != small || !small && share != tt.share {
			t.Errorf("%s: %d conversations, share %v, %v", name, n, share, err)
		}
	}
	log := logOf("a.jsonl", conversations(1200, true))
	s := &Source{Logs: []Log{logOf("b.jsonl", ""), log}}
	s.Logs[0].Bytes, s.Logs[1].Bytes = &size, nil
	if _, share, err := s.Survey(t.Context(), &Reading{}, false, nobody); err != nil || !(share > 0 && share < 0.001) {
		t.Errorf("an empty log first: share %v, %v", share, err)
	}
}

// TestSurveyStops: a survey has enough of a log when the limit is reached and a call was seen; it names the format,
// keeps the state of the file, and fails if the rest cannot be read or too much is unreadable.
func TestSurveyStops(t *testing.T) {
	const bad = "{no JSON\n"
	none, call := conversations(1, false), conversations(1, true)
	for name, tt := range map[string]struct {
		text       string
		unreadable int
	}{
		"a call late":      {none + none + bad + call + bad + call, 1},
		"a call at once":   {call + none + bad + call + bad, 0},
		"no call":          {none + none + bad + bad, 2},
		"within the limit": {bad + call + none + bad, 1},
	} {
		s := &Source{Logs: []Log{logOf("a.jsonl", tt.text)}, Limit: 1}
		s.Options.Format = "openai-chat"
		var r Reading
		_, _, err := s.Survey(t.Context(), &r, true, nobody)
		if err != nil || r.Unreadable != tt.unreadable || r.Conversations != 1 || r.Inputs[0].Format != "openai-chat" {
			t.Errorf("%s: %d unreadable, %d read as %+v, %v", name, r.Unreadable, r.Conversations, r.Inputs, err)
		}
	}
	broken := errors.New("broken")
	torn := Log{Name: "a.jsonl", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader(conversations(500, true)), failing{broken})), nil
	}}
	s := &Source{Logs: []Log{torn}, Limit: 1}
	if _, _, err := s.Survey(t.Context(), &Reading{}, true, nobody); !errors.Is(err, broken) {
		t.Errorf("torn behind the limit: %v", err)
	}
	for _, limit := range []int{0, 1} {
		s = &Source{Logs: []Log{logOf("a.jsonl", "note\tvalue\n"+strings.Repeat("1\t2\n", 50))}, Limit: limit}
		if _, _, err := s.Survey(t.Context(), &Reading{}, true, nobody); err == nil {
			t.Error("a log of no known format is surveyed")
		}
	}
	s = &Source{Logs: []Log{logOf("a.jsonl", call+strings.Repeat(bad, 50))}}
	if _, _, err := s.Survey(t.Context(), &Reading{}, true, nobody); err == nil {
		t.Error("a log that is hardly readable is surveyed")
	}
	f, log := sparse(t, 0)
	if _, err := f.WriteString(call); err != nil {
		t.Fatal(err)
	}
	s = &Source{Logs: []Log{log}}
	hashes, _, err := s.Survey(t.Context(), &Reading{}, true, nobody)
	if err != nil {
		t.Fatal(err)
	}
	s.Logs[0].Open = func() (io.ReadCloser, error) { return nil, broken }
	if grew, changed := Since(s.Logs, hashes); len(grew)+len(changed) > 0 {
		t.Errorf("read again without need: grew %q, changed %q", grew, changed)
	}
}
