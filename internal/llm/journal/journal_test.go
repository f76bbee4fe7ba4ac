package journal

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/sealed"
)

func entry(n int, raw string) *Entry {
	r := llm.Request{Model: "m", Messages: []llm.Message{{Role: "user", Content: fmt.Sprint(n)}}}
	fp, err := llm.FingerprintOf(&r, "", "")
	if err != nil {
		panic(err)
	}
	return &Entry{
		Fingerprint: fp, Good: true, Time: time.Date(2026, 11, 2, 3, 4, 5, 6000, time.UTC), Endpoint: "http://h/v1",
		Kind: llm.KindOllama, Model: "m", Key: fmt.Sprint("item ", n), Transport: llm.JSONSchema, Status: 200,
		Attempts:  2,
		LatencyMS: 1234.567, FinishReason: "stop", Usage: llm.Usage{Prompt: new(3), Cached: new(0)},
		Headers: map[string]string{"server": "x"}, Raw: []byte(raw),
	}
}

const good = `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}`

// TestJournalRoundTrip: what is appended is what is read, in this process and
// the next, byte for byte.
func TestJournalRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "exchanges.jsonl")
	raws := []string{good, "", "line\nbreak \u2028 <b>\t\x00 é \uFFFD \U0001F600", "not utf-8: \xff\xfe\x00",
		strings.Repeat("x", 17<<20)}
	var want []*Entry
	for i, raw := range raws {
		want = append(want, entry(i, raw))
	}
	failed := entry(99, "oops")
	failed.Good, failed.Status = false, 500
	failed.Error = &llm.Error{Kind: llm.KindServer, Message: "boom", Status: 500, Attempts: 2, Model: "m"}
	want = append(want, failed)
	check := func(j *Journal) {
		t.Helper()
		for i, w := range want {
			got := j.lookup(w.Fingerprint)
			if !w.Good {
				w = nil
			}
			if diff := cmp.Diff(w, got, cmp.Comparer(bytes.Equal)); diff != "" {
				t.Errorf("record %d: %.300s", i, diff)
			}
		}
		i := 0
		for got, err := range Containing(path, nil) {
			if err != nil || !cmp.Equal(want[i], got, cmp.Comparer(bytes.Equal)) {
				t.Errorf("entry %d differs (%v)", i, err)
			}
			i++
		}
		if got := j.Stats(); i != len(want) || got != (Stats{Records: len(want), Good: len(want) - 1}) {
			t.Errorf("%d entries, stats %+v", i, got)
		}
	}
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range want {
		if err := j.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	check(j)
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("second writer: %v", err)
	}
	reader, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	check(reader)
	if err := reader.Append(want[0]); err == nil {
		t.Error("a read-only journal took a record")
	}
	if err := reader.Close(); err != nil {
		t.Error(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(want[0]); err == nil {
		t.Error("a closed journal took a record")
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	check(again)
	_ = again.Close()
}

// TestJournalTornLine cuts the file at every byte of its last record.
func TestJournalTornLine(t *testing.T) {
	dir := t.TempDir()
	first, _ := entry(1, good).line()
	second, _ := entry(2, good).line()
	for cut := 0; cut <= len(second); cut++ {
		path := filepath.Join(dir, fmt.Sprint(cut))
		whole := append(append([]byte(nil), first...), second[:cut]...)
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		torn := cut
		if cut == len(second) {
			torn = 0
		}
		r, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Stats().TornBytes; got != int64(torn) {
			t.Fatalf("cut %d: reader reports %d torn bytes", cut, got)
		}
		_ = r.Close()
		if cut%29 > 1 && cut < len(second)-3 {
			continue // writing costs an fsync: not at every byte
		}
		j, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := j.Stats().TornBytes; got != int64(torn) {
			t.Fatalf("cut %d: %d torn bytes reported", cut, got)
		}
		if err := j.Append(entry(3, good)); err != nil {
			t.Fatal(err)
		}
		for n, want := range map[int]bool{1: true, 2: cut == len(second), 3: true} {
			if got := j.lookup(entry(n, "").Fingerprint); (got != nil) != want {
				t.Fatalf("cut %d: record %d: found %v", cut, n, got != nil)
			}
		}
		_ = j.Close()
	}
}

func TestJournalDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	ok, _ := entry(1, good).line()
	hurt, _ := entry(2, good).line()
	hurt = bytes.Replace(hurt, []byte(`"time":"`), []byte(`"time":\x`), 1)
	file := slicesConcat([]byte("garbage\n\r\n"), ok, hurt)
	fp := entry(3, "").Fingerprint.String()
	for _, other := range []string{ // sealed lines that are no records
		fp + `","good":true`, `{"fingerprint":"` + fp + `"`, `{"fingerprint":"00","good":true`,
		`{"fingerprint":"` + strings.Repeat("z", len(fp)) + `","good":true`,
	} {
		file = append(append(file, sealed.Seal([]byte(other))...), '\n')
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	_, _, first := glance([]byte("garbage"))
	if got := j.Stats(); got.Damaged != 7 || got.Records != 1 || got.DamagedLines != [5]int{1, 2, 4, 5, 6} ||
		!strings.Contains(got.Damage, first.Error()) {
		t.Errorf("%+v, the first line alone: %v", got, first)
	}
	if j.lookup(entry(1, "").Fingerprint) == nil {
		t.Error("the good record is lost")
	}
	if _, hit := j.Answer(entry(2, "").Fingerprint); hit {
		t.Error("the damaged record answered")
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(after, file) {
		t.Error("opening changed a file without a torn line")
	}
}

// TestJournalChangesUnderneath: a record is checked again when it is used.
func TestJournalChangesUnderneath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	line, _ := entry(1, good).line()
	if err := os.WriteFile(path, line, 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := os.WriteFile(path, bytes.Replace(line, []byte("stop"), []byte("stoq"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, hit := j.Answer(entry(1, "").Fingerprint); hit {
		t.Error("the damaged record answered")
	}
}

func slicesConcat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// TestKilledWriter kills a process in the middle of its writing, several times
// over, and finds every record whose append had returned.
func TestKilledWriter(t *testing.T) {
	if os.Getenv("JUDGE_TEST_WRITER") != "" {
		killedWriter(os.Getenv("JUDGE_TEST_WRITER"))
		return
	}
	path := filepath.Join(t.TempDir(), "exchanges.jsonl")
	confirmed := map[int]bool{}
	for round := range 3 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledWriter$")
		cmd.Env = append(os.Environ(), "JUDGE_TEST_WRITER="+path, fmt.Sprintf("JUDGE_TEST_ROUND=%d", round))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for seen := 0; lines.Scan(); {
			var n int
			if _, err := fmt.Sscanf(lines.Text(), "wrote %d", &n); err == nil {
				confirmed[n] = true
				if seen++; seen == 200 {
					_ = cmd.Process.Kill()
				}
			}
		}
		_ = cmd.Wait()
	}
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if got := j.Stats(); got.Damaged != 0 || got.Good < len(confirmed) || len(confirmed) < 600 {
		t.Errorf("%+v, %d confirmed", got, len(confirmed))
	}
	for n := range confirmed {
		if j.lookup(entry(n, "").Fingerprint) == nil {
			t.Errorf("record %d is lost", n)
		}
	}
}

func killedWriter(path string) {
	j, err := Open(path)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	var round int
	_, _ = fmt.Sscan(os.Getenv("JUDGE_TEST_ROUND"), &round)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 1 << 20 {
				n := round<<24 | w<<20 | i
				if err := j.Append(entry(n, strings.Repeat("x", 10_000))); err != nil {
					os.Exit(1)
				}
				_, _ = io.WriteString(os.Stdout, fmt.Sprintf("wrote %d\n", n))
			}
		})
	}
	wg.Wait()
}

// TestLargeJournal: a large journal answers as a small one, the newest answer first, in
// the memory that was promised and with no file beside it.
func TestLargeJournal(t *testing.T) {
	const distinct, lines = 70_000, 100_000
	path := filepath.Join(t.TempDir(), "exchanges.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	e := &Entry{Good: true, Time: time.Date(2026, 11, 2, 3, 4, 5, 0, time.UTC), Model: "m"}
	numbered := func(n int) llm.Fingerprint { return sha256.Sum256(fmt.Append(nil, n)) }
	w := bufio.NewWriter(f)
	for i := range lines {
		e.Fingerprint, e.Key = numbered(i%distinct), fmt.Sprint(i)
		line, err := e.line()
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(line) // Flush repeats its error
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	before := heap()
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	held := heap() - before
	t.Logf("%.2f MB for %d records", held/1e6, lines)
	if held > 1e6+56*distinct {
		t.Errorf("%.2f MB for %d records", held/1e6, lines)
	}
	for n := 40_000; n < distinct+20_000; n++ { // new ones and second answers
		e.Fingerprint, e.Key = numbered(n), fmt.Sprint("again ", n)
		if err := j.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	if got := j.Stats(); got != (Stats{Records: lines + 50_000, Good: distinct + 20_000}) {
		t.Errorf("%+v", got)
	}
	for n := 0; n < distinct+21_000; n += 371 {
		want := fmt.Sprint(n)
		switch {
		case n >= distinct+20_000:
			want = ""
		case n >= 40_000:
			want = fmt.Sprint("again ", n)
		case n < lines-distinct:
			want = fmt.Sprint(n + distinct)
		}
		if got := j.lookup(numbered(n)); (got == nil) != (want == "") || got != nil && got.Key != want {
			t.Fatalf("record %d: %v; want %q", n, got, want)
		}
	}
	if names, _ := os.ReadDir(filepath.Dir(path)); runtime.GOOS != "windows" && len(names) != 1 {
		t.Errorf("files %v", names)
	}
}

// heap returns what is in use after a collection, in bytes.
func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// TestSharedHalf: fingerprints that are equal in the half that is kept, and not beyond,
// never get each other's answers.
func TestSharedHalf(t *testing.T) {
	j, err := Open(filepath.Join(t.TempDir(), "exchanges.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	first, second := entry(1, good), entry(1, good)
	second.Fingerprint[31] ^= 1
	for _, e := range []*Entry{first, second} {
		if err := j.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	if got := j.lookup(first.Fingerprint); got != nil {
		t.Errorf("the answer of another request: %v", got)
	}
	if j.lookup(second.Fingerprint) == nil {
		t.Error("the newer record is lost")
	}
}

// TestAnswer: the newest good record answers its request, and nothing else does.
func TestAnswer(t *testing.T) {
	j, err := Open(filepath.Join(t.TempDir(), "exchanges.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	failed, unreadable := entry(2, "oops"), entry(3, "oops")
	failed.Good, failed.Status, failed.Error = false, 500, &llm.Error{Kind: llm.KindServer, Message: "boom"}
	newer := entry(1, strings.Replace(good, "{}", "newer", 1))
	later := entry(1, "oops")
	later.Good, later.Status, later.Error = false, 500, &llm.Error{Kind: llm.KindServer, Message: "boom"}
	for _, e := range []*Entry{entry(1, good), newer, later, failed, unreadable} {
		if err := j.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	want := &llm.Response{
		Content: "newer", FinishReason: "stop", Raw: newer.Raw, Fingerprint: newer.Fingerprint,
		Attempts: 2, Latency: 1234567 * time.Microsecond, Cached: true,
	}
	got, ok := j.Answer(newer.Fingerprint)
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("%v: %s", ok, diff)
	}
	for name, e := range map[string]*Entry{"failed": failed, "unreadable": unreadable, "never sent": entry(4, "")} {
		if got, ok := j.Answer(e.Fingerprint); got != nil || ok {
			t.Errorf("a request that is %s has an answer: %+v", name, got)
		}
	}
}

// TestWriteFails: after a failed write nothing more is taken.
func TestWriteFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "exchanges.jsonl")
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	file := j.file
	if j.file, err = os.Open(path); err != nil { // takes no writes
		t.Fatal(err)
	}
	for range 2 {
		if err := j.Append(entry(1, good)); err == nil || !strings.HasPrefix(err.Error(), "journal "+path+": write: ") {
			t.Errorf("%v", err)
		}
	}
	_ = errors.Join(j.Close(), file.Close())
}

func FuzzParseEntry(f *testing.F) {
	line, _ := entry(1, "\xff").line()
	f.Add(line[:bytes.LastIndex(line, []byte(`,"crc32c":`))])
	f.Add([]byte(`{"fingerprint":"zz"`))
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _ = parse(body)
		line := sealed.Seal(bytes.Clone(body))
		_, _, _ = glance(line)
		e, err := parse(line)
		if err != nil {
			return
		}
		out, err := e.line()
		if err != nil {
			return // a year outside RFC 3339 and the like
		}
		out = bytes.TrimSuffix(out, []byte("\n"))
		again, err := parse(out)
		if err != nil {
			t.Fatalf("own line %q is not readable: %v", out, err)
		}
		if fp, good, err := glance(out); err != nil || fp != e.Fingerprint || good != e.Good {
			t.Fatalf("glance disagrees on %q", out)
		}
		if !bytes.Equal(again.Raw, e.Raw) || again.Key != e.Key {
			t.Fatalf("round trip of %q", line)
		}
	})
}

// TestEveryBit: no flipped bit, no cut and no foreign ending of a line is believed.
func TestEveryBit(t *testing.T) {
	whole, _ := entry(1, good).line()
	line := bytes.TrimSuffix(whole, []byte("\n"))
	if _, err := parse(line); err != nil {
		t.Fatal(err)
	}
	for i := range line {
		for bit := range 8 {
			hurt := bytes.Clone(line)
			hurt[i] ^= 1 << bit
			if _, err := parse(hurt); err == nil {
				t.Fatalf("bit %d of byte %d is flipped, and the line is believed", bit, i)
			}
		}
		if _, err := parse(line[:i]); err == nil {
			t.Fatalf("the first %d bytes are believed", i)
		}
	}
	for name, tt := range map[string]struct{ line, want string }{
		"CRLF":   {string(line) + "\r", "CRLF"},
		"BOM":    {"\ufeff" + string(line), "byte order mark"},
		"bit":    {strings.Replace(string(line), "stop", "stoq", 1), "checksum does not fit"},
		"no sum": {`{"fingerprint":"","good":true}`, "older version"},
	} {
		if err := damage([]byte(tt.line)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCloseWaitsForTheDisk: a sync that is under way keeps the file open, and with it the
// lock, so the next process would be told that this one is still at work.
func TestCloseWaitsForTheDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "exchanges.jsonl")
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	j.syncing.Lock()
	closed := make(chan error, 1)
	go func() { closed <- j.Close() }()
	select {
	case err := <-closed:
		t.Fatalf("closed while the disk worked: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	j.syncing.Unlock()
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestContaining: records are found by a part of their line, damaged and torn ones are left
// out, and a file that is not there is an error.
func TestContaining(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	var text []byte
	for i, key := range []string{"a#0 x", "b#0 x", "a#1 x", "a#2 hurt"} {
		e := entry(i, "{}")
		e.Key = key
		line, err := e.line()
		if err != nil {
			t.Fatal(err)
		}
		if i == 3 {
			line[20] ^= 1
		}
		text = append(text, line...)
	}
	if err := os.WriteFile(path, append(text, `{"key":"a#torn`...), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	for e, err := range Containing(path, []byte(`"key":"a#`)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Key)
	}
	if len(got) != 2 || got[0] != "a#0 x" || got[1] != "a#1 x" {
		t.Errorf("%q", got)
	}
	var gone error
	for _, err := range Containing(path+".gone", nil) {
		gone = err
	}
	if !errors.Is(gone, fs.ErrNotExist) {
		t.Errorf("no file: %v", gone)
	}
}

// TestRenewed: an answer is new if it came after the journal was opened.
func TestRenewed(t *testing.T) {
	first := open(t)
	if first.Renewed(entry(1, good).Fingerprint) {
		t.Error("a new journal has an answer")
	}
	if err := errors.Join(first.Append(entry(1, good)), first.Append(entry(2, good)), first.Close()); err != nil {
		t.Fatal(err)
	}
	j, err := Open(first.path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := errors.Join(j.Append(entry(2, good)), j.Append(entry(3, good))); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]bool{1: false, 2: true, 3: true, 4: false} {
		if got := j.Renewed(entry(n, good).Fingerprint); got != want {
			t.Errorf("answer %d came since: %v", n, got)
		}
	}
}
