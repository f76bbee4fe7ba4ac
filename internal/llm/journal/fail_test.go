package journal

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/sealed"
)

func open(t *testing.T) *Journal {
	t.Helper()
	j, err := Open(filepath.Join(t.TempDir(), "exchanges.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestSyncFails: when a disk does not take what was written, the next record is refused with
// its reason, and so is closing. Records after a sync that went well are synced too.
func TestSyncFails(t *testing.T) {
	j := open(t)
	j.syncing.Lock() // the disk takes nothing before the file is closed
	if err := j.Append(entry(1, good)); err != nil {
		t.Fatal(err)
	}
	j.timer.Stop()
	if err := errors.Join(j.sync(), j.Append(entry(4, good)), j.file.Close()); err != nil {
		t.Fatal(err)
	}
	j.syncing.Unlock()
	var err error
	for end := time.Now().Add(10 * time.Second); err == nil && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		j.mu.Lock()
		err = j.failed
		j.mu.Unlock()
	}
	if err == nil || !strings.Contains(err.Error(), j.path+": sync: ") {
		t.Fatalf("the sync has failed, and the journal says %v", err)
	}
	if again := j.Append(entry(2, good)); again == nil || again.Error() != err.Error() {
		t.Errorf("a record after a failed sync: %v, want %v", again, err)
	}
	if got := j.Stats(); got.Records != 2 {
		t.Errorf("%+v", got)
	}
}

// TestUnwritableEntry: an entry that JSON cannot hold is refused, and the next one is kept.
func TestUnwritableEntry(t *testing.T) {
	j := open(t)
	defer j.Close()
	endless := entry(1, good)
	endless.LatencyMS = math.Inf(1)
	if err := j.Append(endless); err == nil || !strings.Contains(err.Error(), "journal entry: ") {
		t.Errorf("%v", err)
	}
	if err := j.Append(entry(2, good)); err != nil || j.Stats() != (Stats{Records: 1, Good: 1}) {
		t.Errorf("%v, %+v", err, j.Stats())
	}
}

// TestReadFails: a journal that cannot be read is not opened, and no byte of it is cut off.
func TestReadFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	line, _ := entry(1, good).line()
	if err := os.WriteFile(path, line, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if j, err := load(path, f, false); j != nil || err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
	if now, _ := os.ReadFile(path); string(now) != string(line) {
		t.Errorf("%d of %d bytes are left", len(now), len(line))
	}
}

// TestCloseFails: a failure of the last sync or of closing itself is returned, once.
func TestCloseFails(t *testing.T) {
	for name, tt := range map[string]struct {
		dirty bool
		want  string
	}{
		"with records that wait for the disk": {true, ": sync: "},
		"with nothing to sync":                {false, ": close: "},
	} {
		t.Run(name, func(t *testing.T) {
			j := open(t)
			if tt.dirty {
				if err := j.Append(entry(1, good)); err != nil {
					t.Fatal(err)
				}
			}
			if err := j.file.Close(); err != nil {
				t.Fatal(err)
			}
			err := j.Close()
			if err == nil || !strings.Contains(err.Error(), j.path+tt.want) || !errors.Is(err, fs.ErrClosed) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			if err := j.Close(); err != nil {
				t.Errorf("closed again: %v", err)
			}
		})
	}
}

// TestOpenFails: a path at which no journal can be is an error that names it, and nothing is
// made or changed there.
func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"a directory":      dir,
		"no directory":     filepath.Join(dir, "none", "x.jsonl"),
		"below plain file": filepath.Join(plain, "x.jsonl"),
	} {
		if j, err := Open(path); j != nil || err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s opened for writing: %v", name, err)
		}
		if j, err := Read(path); j != nil || err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s opened for reading: %v", name, err)
		}
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
}

// TestReadOnlyKeepsTornLine: who only reads cuts nothing off.
func TestReadOnlyKeepsTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(path, []byte(`{"torn`), 0o400); err != nil {
		t.Fatal(err)
	}
	j, err := Read(path)
	if err != nil || j.Stats().TornBytes != 6 || !j.ReadOnly() {
		t.Fatalf("%v", err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile(path); string(text) != `{"torn` {
		t.Errorf("the file is now %q", text)
	}
}

// TestReuse: an answer is taken from another journal once it is written in the own one,
// with its usage and latency; one that cannot be read is asked for again, and a failed write
// is an error.
func TestReuse(t *testing.T) {
	other, own := open(t), open(t)
	defer other.Close()
	hurt := entry(2, "oops") // good by its mark, and no reply
	for _, e := range []*Entry{entry(1, good), hurt} {
		if err := other.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	res, ok, err := own.Reuse(other, "canary", "item 1", entry(1, "").Fingerprint)
	if err != nil || !ok || res.Canary != "canary" || res.Latency != 1234567*time.Microsecond || !res.Cached {
		t.Errorf("%+v, %v, %v", res, ok, err)
	}
	for name, fp := range map[string]llm.Fingerprint{"unreadable": hurt.Fingerprint, "unknown": entry(3, "").Fingerprint} {
		if res, ok, err := own.Reuse(other, "", "k", fp); res != nil || ok || err != nil {
			t.Errorf("%s: %+v, %v, %v", name, res, ok, err)
		}
	}
	if got := own.Stats(); got.Reused != 1 || got.Records != 1 {
		t.Errorf("%+v", got)
	}
	if err := own.Close(); err != nil {
		t.Fatal(err)
	}
	if res, ok, err := own.Reuse(other, "", "k", entry(1, "").Fingerprint); res != nil || ok || err == nil {
		t.Errorf("into a closed journal: %+v, %v, %v", res, ok, err)
	}
}

// TestEnd: an entry of an answer repeats its usage and finish reason, that of a failure has
// neither; both keep the reply.
func TestEnd(t *testing.T) {
	reply := llm.RawReply{Status: 200, Headers: map[string]string{"server": "x"}, Body: []byte(good)}
	usage := llm.Usage{Prompt: new(30), Completion: new(4), Cached: new(16)}
	refused := &llm.Error{Kind: llm.KindServer, Message: "boom", Status: 500}
	for _, tt := range []struct {
		res  *llm.Response
		err  *llm.Error
		want Entry
	}{
		{&llm.Response{Usage: usage, FinishReason: "length"}, nil,
			Entry{Good: true, Status: 200, Usage: usage, FinishReason: "length"}},
		{nil, refused, Entry{Status: 200, Error: refused}},
	} {
		var got Entry
		before := time.Now()
		got.End(reply, tt.res, tt.err)
		if got.Time.Before(before.Add(-time.Second)) || got.Time.Location() != time.UTC {
			t.Errorf("ended at %v", got.Time)
		}
		tt.want.Time, tt.want.Headers, tt.want.Raw = got.Time, reply.Headers, reply.Body
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Error(d)
		}
	}
}

// TestNotOpenForWriting: a journal that was opened for reading, or is closed, takes no record, and says so.
func TestNotOpenForWriting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "exchanges.jsonl")
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	e := &Entry{Fingerprint: llm.Fingerprint{1}, Good: true, Raw: []byte("{}")}
	if err := errors.Join(j.Append(e), j.Close()); err != nil {
		t.Fatal(err)
	}
	whole, _ := os.ReadFile(path)
	read, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	for name, j := range map[string]*Journal{"closed": j, "for reading": read} {
		if err := j.Append(e); err == nil || !strings.Contains(err.Error(), "is not open for writing") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if now, _ := os.ReadFile(path); string(now) != string(whole) {
		t.Error("the journal changed")
	}
}

// TestCheckOfPaths: only a regular file, or none yet, can be a journal.
func TestCheckOfPaths(t *testing.T) {
	dir := t.TempDir()
	file, link, dangling := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Symlink(file, link), os.Symlink(filepath.Join(dir, "none"), dangling)); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{
		file: "", filepath.Join(dir, "new"): "", link: "is a link", dangling: "is a link",
		dir: "is not a regular file", file + "\x00": "invalid argument",
	} {
		if err := Check(path); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
		if j, err := Open(path); want != "" && err == nil {
			_ = j.Close()
			t.Errorf("%s was opened", path)
		} else if want == "" {
			if err := errors.Join(err, j.Close()); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("a journal was made outside of its directory")
	}
}

// TestLongLines: records longer than what is read at once are found whole, and one of them that is torn is cut off.
func TestLongLines(t *testing.T) {
	j := open(t)
	long := strings.Replace(good, "{}", strings.Repeat("x", 300_000), 1)
	if err := errors.Join(j.Append(entry(1, long)), j.Append(entry(2, good)), j.Append(entry(3, long)), j.Append(entry(4, good)), j.Close()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(j.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(j.path, append(text, text[:290_000]...), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := Read(j.path)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	if got := read.Stats(); got != (Stats{Records: 4, Good: 4, TornBytes: 290_000}) {
		t.Errorf("for reading: %+v", got)
	}
	if j, err = Open(j.path); err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if got := j.Stats(); got != (Stats{Records: 4, Good: 4, TornBytes: 290_000}) {
		t.Errorf("%+v", got)
	}
	if now, _ := os.ReadFile(j.path); string(now) != string(text) {
		t.Errorf("%d bytes are left of %d", len(now), len(text))
	}
	if err := j.Append(entry(5, good)); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for e, err := range Containing(j.path, nil) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, e.Key)
		if len(keys) == 4 {
			break
		}
	}
	if got := strings.Join(keys, ", "); got != "item 1, item 2, item 3, item 4" {
		t.Errorf("%s", got)
	}
	for n := range 5 {
		if e := j.lookup(entry(n+1, "").Fingerprint); e == nil || e.Key != entry(n+1, "").Key {
			t.Errorf("record %d: %v", n+1, e != nil)
		}
	}
}

// TestLastLineWithoutEnd: a record without the end of its line may be cut off, whatever it says.
func TestLastLineWithoutEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	line, _ := entry(1, good).line()
	if err := os.WriteFile(path, line[:len(line)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	for e, err := range Containing(path, nil) {
		t.Errorf("%+v, %v", e, err)
	}
	j, err := Read(path)
	if err != nil || j.Stats() != (Stats{TornBytes: int64(len(line) - 1)}) {
		t.Fatalf("%+v, %v", j.Stats(), err)
	}
	_ = j.Close()
	if j, err = Open(path); err != nil || j.Stats() != (Stats{TornBytes: int64(len(line) - 1)}) {
		t.Fatalf("%v", err)
	}
	defer j.Close()
	if now, _ := os.ReadFile(path); len(now) > 0 {
		t.Errorf("%d bytes are left", len(now))
	}
}

// TestStoredFailure: a failure is a record and no answer, and is read as it was written.
func TestStoredFailure(t *testing.T) {
	j := open(t)
	failed := entry(1, "\xffoops")
	failed.Good, failed.Status, failed.Error = false, 500, &llm.Error{Kind: llm.KindServer, Message: "boom", Hint: "wait"}
	if err := errors.Join(j.Append(failed), j.Append(entry(2, good)), j.Close()); err != nil {
		t.Fatal(err)
	}
	j, err := Open(j.path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if got := j.Stats(); got != (Stats{Records: 2, Good: 1}) {
		t.Errorf("%+v", got)
	}
	if _, ok := j.Answer(failed.Fingerprint); ok {
		t.Error("a failure is an answer")
	}
	for e, err := range Containing(j.path, []byte("boom")) {
		want := *failed
		want.Error = &llm.Error{Kind: llm.KindServer, Message: "boom", Hint: "wait", Status: 500, Attempts: 2, Model: "m"}
		if diff := cmp.Diff(&want, e); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
	}
	if info, err := os.Stat(j.path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
	foreign := sealed.Seal([]byte(`{"fingerprint":"` + failed.Fingerprint.String() + `","good":true,"status":"x"`))
	if _, err := parse(foreign); err == nil || err.Error() != "not a JSON record of an exchange" {
		t.Error(err)
	}
	if _, _, err := glance(sealed.Seal([]byte(`{"good":true`))); err == nil || err.Error() != "not a record" {
		t.Error(err)
	}
}

// TestOneWriter: a journal has one writer at a time, and its errors name the file.
func TestOneWriter(t *testing.T) {
	j := open(t)
	if other, err := Open(j.path); err == nil || !strings.HasPrefix(err.Error(), "journal "+j.path+": another process is writing it: ") {
		t.Errorf("%v, %v", other, err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(j.path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	none := filepath.Join(t.TempDir(), "none", "x.jsonl")
	_, opened := Open(none)
	_, read := Read(none)
	_, loaded := load(none, j.file, true) // closed before
	for want, err := range map[string]error{
		"journal: open " + none: opened, "journal: open " + none + ":": read, "journal " + none + ": ": loaded,
		"journal: lstat ": Check("a\x00"),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestFileIsGone: an answer that is not there any more is asked for again.
func TestFileIsGone(t *testing.T) {
	for _, left := range []int64{0, 100} {
		j := open(t)
		if err := errors.Join(j.Append(entry(1, good)), j.file.Truncate(left)); err != nil {
			t.Fatal(err)
		}
		if res, ok := j.Answer(entry(1, "").Fingerprint); ok || res != nil {
			t.Errorf("%d bytes are left: %+v", left, res)
		}
		_ = j.Close()
	}
}

// TestSyncedAgainAndAgain: each burst of records is synced once it is over, and closing waits for no more.
func TestSyncedAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := open(t)
		waits := func() bool {
			j.mu.Lock()
			defer j.mu.Unlock()
			return j.timer != nil
		}
		for n := range 3 {
			if err := j.Append(entry(n, good)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(199 * time.Millisecond)
			if synctest.Wait(); !waits() {
				t.Error("a record was synced at once")
			}
			time.Sleep(time.Millisecond)
			if synctest.Wait(); waits() {
				t.Error("a record waits for its sync")
			}
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
}
