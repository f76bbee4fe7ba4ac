package directory

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// manifestOf is run.json of a run of that identity.
func manifestOf(id string, parts map[string]string) *Manifest {
	return &Manifest{Schema: Schema, Status: Running, Started: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), Parts: parts, Manifest: report.Manifest{RunID: id}}
}

func TestReadManifest(t *testing.T) {
	for _, tt := range []struct{ name, content, want string }{
		{"none", "", "no run directory"},
		{"half a file", `{"schema":`, "damaged"},
		{"of another version", `{"schema":"judge.run/v9"}`, "this version reads " + Schema},
		{"a number that is text", `{"schema":"judge.run/v1","coverage_floor":"x"}`, "damaged: json: "},
		{"the same, with a checksum", `{"schema":"judge.run/v1","coverage_floor":"x","checksum":"y"}`, "damaged: json: "},
	} {
		dir := t.TempDir()
		if tt.content != "" {
			if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := ReadManifest(dir); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, ManifestFile)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadManifest(dir); err == nil || strings.Contains(err.Error(), "no run directory") {
		t.Errorf("run.json is a directory: %v", err)
	}
	if err := errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadManifest(path); err == nil || !strings.Contains(err.Error(), "no run directory: it is a file") {
		t.Errorf("the run is a file: %v", err)
	}
	if _, err := ReadManifest(dir + "\x00"); err == nil {
		t.Error("a path that no file can have")
	}
}

// TestOlderManifest: a run of an older version, whose manifest has no facts about its scorers, gets those of
// this version; others keep their own, and an unknown scorer has none.
func TestOlderManifest(t *testing.T) {
	const known = "function_call_coverage"
	row, err := deterministic.Find(known)
	if err != nil {
		t.Fatal(err)
	}
	own := score.Facts{ToolsIn: "own"}
	dir, m := t.TempDir(), manifestOf("r", nil)
	m.Scorers = []report.Scorer{{Type: known}, {Type: known, Facts: own}, {Type: "gone"}}
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []score.Facts{row.Facts, own, {}} {
		if d := cmp.Diff(want, got.Scorers[i].Facts); d != "" {
			t.Errorf("scorer %d: %s", i, d)
		}
	}
}

// TestPrepare: a directory is taken for a new run or for the same one, and refused with
// the reason otherwise.
func TestPrepare(t *testing.T) {
	parts := map[string]string{"inputs": "1", "rubrics": "2", "judges": "3"}
	for _, tt := range []struct {
		name   string
		old    *Manifest
		resume bool
		want   string // "" for a directory that is taken
	}{
		{"new", nil, false, ""},
		{"nothing to resume", nil, true, "DIR: no run directory: it does not exist"},
		{"a run is there", manifestOf("r", parts), false,
			"DIR holds a run already: continue it with judge run --resume DIR, or choose another --out"},
		{"the same run", manifestOf("r", parts), true, ""},
		{"other logs and judges", manifestOf("s", map[string]string{"inputs": "9", "rubrics": "2", "judges": "9"}), true,
			"DIR is another run: inputs, judges changed since; undo the change to go on with this run, or start a new one " +
				"with another --out"},
		{"another program", manifestOf("s", parts), true, "DIR is another run: the program changed since; undo the change " +
			"to go on with this run, or start a new one with another --out"},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		if tt.old != nil {
			tt.old.Work.Resumes = 2
			tt.old.Started = tt.old.Started.Add(-time.Hour)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := tt.old.Write(dir); err != nil {
				t.Fatal(err)
			}
		}
		m := manifestOf("r", parts)
		finished, err := Begin(dir, m, tt.resume)
		if finished {
			t.Errorf("%s: the run came to its end", tt.name)
		}
		var refused *Error
		switch {
		case tt.want != "":
			if want := strings.ReplaceAll(tt.want, "DIR", dir); !errors.As(err, &refused) || err.Error() != want {
				t.Errorf("%s: %v, want %s", tt.name, err, want)
			}
		case err != nil || filesIn(t, filepath.Dir(dir)) != "run":
			t.Errorf("%s: %v; there is %q", tt.name, err, filesIn(t, filepath.Dir(dir)))
		case tt.resume && (m.Work.Resumes != 3 || !m.Started.Equal(tt.old.Started)):
			t.Errorf("%s: resumes %d, started %v", tt.name, m.Work.Resumes, m.Started)
		}
	}
}

// TestBeginKeepsWhatItCannotRead: a damaged run.json is no free directory, a directory of other files is one, and another
// shard of the run is refused.
func TestBeginKeepsWhatItCannotRead(t *testing.T) {
	dir := t.TempDir()
	if _, err := Begin(dir, manifestOf("r", nil), false); err != nil {
		t.Errorf("an empty directory: %v", err)
	}
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Begin(filepath.Join(plain, "run"), manifestOf("r", nil), false); err == nil {
		t.Error("a run began below a file")
	}
	if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	var refused *Error
	for _, resume := range []bool{false, true} {
		if _, err := Begin(dir, manifestOf("r", nil), resume); !errors.As(err, &refused) {
			t.Errorf("a damaged run.json, resume %v: %v", resume, err)
		}
	}
	for _, tt := range []struct{ old, now, want string }{
		{"1/4", "2/4", " is shard 1/4 of its run, not 2/4"}, {"1/4", "", " is shard 1/4 of its run, not 0/1"},
		{"", "1/4", " is shard 0/1 of its run, not 1/4"},
	} {
		old, m := manifestOf("r", nil), manifestOf("r", nil)
		old.Shard, m.Shard = tt.old, tt.now
		if err := old.Write(dir); err != nil {
			t.Fatal(err)
		}
		if finished, err := Begin(dir, m, true); finished || !errors.As(err, &refused) || err.Error() != dir+tt.want {
			t.Errorf("shard %q, then %q: %v", tt.old, tt.now, err)
		}
	}
}

// TestOpen: a run without its score stream says how to get one.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	if err := manifestOf("r", nil).Write(dir); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "--resume "+dir) {
		t.Errorf("%v", err)
	}
	n := 0
	for _, err := range Scores(dir) {
		if err == nil {
			t.Error("a score of a file that is not there")
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d errors", n)
	}
}

// TestManifestIsIntact: a byte that changed in run.json is noticed.
func TestManifestIsIntact(t *testing.T) {
	dir := t.TempDir()
	m := manifestOf("r1", nil)
	if err := errors.Join(m.Write(dir), m.Write(dir)); err != nil {
		t.Fatal(err)
	}
	if err := m.Write(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("written to no directory: %v", err)
	}
	if m.CoverageFloor = math.NaN(); m.Write(dir) == nil {
		t.Error("a coverage that is no number was written")
	}
	if _, err := ReadManifest(dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, ManifestFile)
	data, err := os.ReadFile(path)
	if err != nil || bytes.Count(data, []byte(`"checksum"`)) != 1 {
		t.Fatalf("written twice: %s, %v", data, err)
	}
	if err := os.WriteFile(path, bytes.Replace(data, []byte(`"r1"`), []byte(`"r2"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadManifest(dir); err == nil || !strings.Contains(err.Error(), "its checksum does not fit") {
		t.Error(err)
	}
}

func TestPartnersOfCalls(t *testing.T) {
	p := &Partners{inB: map[string]string{"a": "x", "b": "y"}, order: map[string][]int{"x": {2, 0, 3}}}
	for _, tt := range []struct {
		id   string
		call int
		want string
	}{
		{"a", 2, "x 0 true"}, {"a", 0, "x 1 true"}, {"a", 1, "x -1 false"}, {"a", -1, "x -1 true"},
		{"b", 1, "y 1 true"}, {"c", 0, " -1 false"},
	} {
		id, call, ok := p.Of(tt.id, tt.call)
		if got := fmt.Sprint(id, " ", call, " ", ok); got != tt.want {
			t.Errorf("%s:%d: %s, want %s", tt.id, tt.call, got, tt.want)
		}
	}
}

// TestDiskTakesNothing: a file that the disk has no room for, or does not keep, is an error when it is finished.
func TestDiskTakesNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has /dev/full, and does not sync /dev/null")
	}
	for device, want := range map[string]error{"/dev/full": syscall.ENOSPC, "/dev/null": syscall.EINVAL} {
		f, err := Create(device)
		if err != nil {
			t.Skip(err)
		}
		if _, err := f.WriteString("text\n"); err != nil {
			t.Fatal(err)
		}
		if err := f.Finish(); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", device, err, want)
		}
		if f, err = Create(device); err != nil {
			t.Fatal(err)
		}
		_, _ = f.WriteString("text\n") // Close returns its error
		if err := f.Close(); errors.Is(err, syscall.ENOSPC) != (want == syscall.ENOSPC) {
			t.Errorf("%s, closed: %v", device, err)
		}
		path := filepath.Join(t.TempDir(), "file")
		if err := os.Symlink(device, path+".tmp"); err != nil {
			t.Fatal(err)
		}
		if err := ReplaceSynced(path, []byte("text")); !errors.Is(err, want) || filesIn(t, filepath.Dir(path)) != "" {
			t.Errorf("%s: %v, want %v; left behind: %s", device, err, want, filesIn(t, filepath.Dir(path)))
		}
		if want != syscall.ENOSPC {
			continue
		}
		dir := t.TempDir()
		if err := os.Symlink(device, filepath.Join(dir, ItemsFile)+PartEnding); err != nil {
			t.Fatal(err)
		}
		items, err := CreateItems(dir, "r")
		if err != nil {
			t.Fatal(err)
		}
		if err := items.Add(&transcript.Conversation{ID: strings.Repeat("c", 1<<17)}); !errors.Is(err, want) {
			t.Errorf("a conversation that is longer than the buffer: %v, want %v", err, want)
		}
		_ = items.Close() // returns the same error
		if err := os.Symlink(device, path+".tmp"); err != nil {
			t.Fatal(err)
		}
		if err := Replace(path, []byte("text")); !errors.Is(err, want) || filesIn(t, filepath.Dir(path)) != "" {
			t.Errorf("%s: %v, want %v; left behind: %s", device, err, want, filesIn(t, filepath.Dir(path)))
		}
	}
}

// TestReplace: a file is replaced by the whole of the new one, or stays as it was.
func TestReplace(t *testing.T) {
	for name, replace := range map[string]func(string, []byte) error{"plain": Replace, "synced": ReplaceSynced} {
		dir := t.TempDir()
		path := filepath.Join(dir, "file")
		for _, text := range []string{"first", "2nd"} {
			err := replace(path, []byte(text))
			if got, _ := os.ReadFile(path); err != nil || string(got) != text || filesIn(t, dir) != "file" {
				t.Errorf("%s: the file holds %q among %s, %v", name, got, filesIn(t, dir), err)
			}
		}
		if err := replace(filepath.Join(dir, "none", "file"), []byte("x")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s, in a directory that is not there: %v", name, err)
		}
		taken := filepath.Join(dir, "taken")
		if err := os.MkdirAll(filepath.Join(taken, "by"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := replace(taken, []byte("x")); err == nil || filesIn(t, dir) != "file taken" {
			t.Errorf("%s, over a directory: %v; left behind: %s", name, err, filesIn(t, dir))
		}
	}
}

// TestClaim: a directory that takes files is claimed with nothing left in it, and released while it is empty;
// where none can be, the reason says what is in the way.
func TestClaim(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "run")
	release, err := Claim(dir, false)
	if info, statErr := os.Stat(dir); err != nil || statErr != nil || !info.IsDir() || filesIn(t, dir) != "" {
		t.Fatalf("%v, %v; left in it: %s", err, statErr, filesIn(t, dir))
	}
	if release(); Same(dir, filepath.Dir(dir)+"/./run") || filesIn(t, filepath.Dir(dir)) != "" {
		t.Error("released, and it is still there")
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{dir: "not a directory", filepath.Join(dir, "below"): "not a directory"}
	if runtime.GOOS == "windows" { // says it in other words, and not every account may make links
		reasons = map[string]string{dir: "", filepath.Join(dir, "below"): ""}
	} else {
		loop := filepath.Join(filepath.Dir(dir), "loop")
		if err := os.Symlink("loop", loop); err != nil {
			t.Fatal(err)
		}
		dangling := filepath.Join(filepath.Dir(dir), "dangling")
		if err := os.Symlink("none", dangling); err != nil {
			t.Fatal(err)
		}
		reasons[loop], reasons[dangling] = "too many", "file exists"
	}
	var refused *Error
	for path, want := range reasons {
		if _, err := Claim(path, false); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if err := errors.Join(os.Remove(dir), os.Mkdir(dir, 0o700), manifestOf("r", nil).Write(dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := Claim(dir, false); !errors.As(err, &refused) || !strings.Contains(err.Error(), "holds a run already") {
		t.Errorf("a run is there: %v", err)
	}
	release, err = Claim(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	if release(); !Same(dir, filepath.Dir(dir)+"/./run") || filesIn(t, dir) != ManifestFile {
		t.Errorf("a run that is resumed has %s", filesIn(t, dir))
	}
}

// TestSpans: where a conversation and its calls were recorded is kept, if any of it is known.
func TestSpans(t *testing.T) {
	recorded := func(id string) value.Value { return value.Pairs("response_id", id) }
	conv := &transcript.Conversation{
		Messages: []transcript.Message{{Calls: []int{0}}, {Calls: []int{1}, Extra: recorded("m1")}, {Calls: []int{2}}},
		Calls:    []transcript.Call{{Message: 0}, {Message: 1}, {Message: 2}},
	}
	var l itemLine
	l.spansOf(conv)
	if l.Span != nil || len(l.Spans) != 3 || l.Spans[1].Response != "m1" || l.Spans[0] != (transcript.SpanRef{}) {
		t.Errorf("%+v %+v", l.Span, l.Spans)
	}
	conv.ID = "c1"
	dir := t.TempDir()
	w, err := CreateItems(dir, "r")
	if err != nil {
		t.Fatal(err)
	}
	conv.Calls[0].Message, conv.Extra = 1, recorded("c")
	whole, calls := *conv, *conv
	whole.ID, whole.Messages = "whole", []transcript.Message{{Calls: []int{0}}, {Calls: []int{1}}, {Calls: []int{2}}}
	calls.ID, calls.Extra = "calls", value.Value{}
	for _, c := range []*transcript.Conversation{{ID: "c0"}, conv, &whole, &calls} {
		if err := w.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(),
		os.Rename(filepath.Join(dir, ItemsFile+PartEnding), filepath.Join(dir, ItemsFile))); err != nil {
		t.Fatal(err)
	}
	at, err := Spans(dir, "r")
	if err != nil {
		t.Fatal(err)
	}
	for call, want := range map[int]string{-1: "c", 0: "m1", 1: "m1", 2: "", 3: ""} {
		if got := at("c1", call).Response; got != want || at("c0", call) != (transcript.SpanRef{}) {
			t.Errorf("call %d: %q, want %q", call, got, want)
		}
		if got := at("whole", call).Response; (got == "c") != (call == -1) {
			t.Errorf("only the conversation has a span, call %d: %q", call, got)
		}
		if got := at("calls", call).Response; (got == want) != (call != -1) || call == -1 && got != "" {
			t.Errorf("only the calls have spans, call %d: %q", call, got)
		}
	}
	if ids, err := ConversationIDs(dir, "r"); err != nil || strings.Join(ids, " ") != "c0 c1 whole calls" {
		t.Errorf("%s, %v", ids, err)
	}
	if _, err := ConversationIDs(dir, "s"); err == nil {
		t.Error("another run has these conversations")
	}
	if _, err := Spans(dir, "s"); err == nil {
		t.Error("another run has these spans")
	}
	if a, b := contentOf(dir, "c0"), contentOf(dir, "c1"); a == b || len(a) != hashDigits || len(b) != hashDigits || contentOf(dir, "c") != "" {
		t.Errorf("contents %q and %q", a, b)
	}
	conv.Calls, conv.Extra, l = conv.Calls[2:], recorded("c"), itemLine{}
	if l.spansOf(conv); l.Span == nil || l.Span.Response != "c" || l.Spans != nil {
		t.Errorf("%+v %+v", l.Span, l.Spans)
	}
}

// TestCoverage: a run that was to score nothing has scored all of it.
func TestCoverage(t *testing.T) {
	for j, want := range map[Judgements]float64{{}: 1, {Wanted: 4, Scored: 3}: 0.75, {Wanted: 4}: 0, {Wanted: 4, Scored: 4}: 1} {
		if got := j.Coverage(); got != want {
			t.Errorf("%+v: %v, want %v", j, got, want)
		}
	}
}

// TestCountTransport: answers are counted by judge and transport; a judgement without an answer has none.
func TestCountTransport(t *testing.T) {
	m := &Manifest{}
	for _, r := range []judges.Result{
		{Judge: "a", Transport: "json_schema", Fingerprint: "1"}, {Judge: "a", Transport: "tools", Fingerprint: "2"},
		{Judge: "b", Transport: "tools", Fingerprint: "3"}, {Judge: "a", Transport: "json_schema", Fingerprint: "4"}, {Judge: "a", Transport: "tools"},
	} {
		m.CountTransport(&r)
	}
	want := []TransportCount{{Judge: "a", Transport: "json_schema", Answers: 2}, {Judge: "a", Transport: "tools", Answers: 1}, {Judge: "b", Transport: "tools", Answers: 1}}
	if diff := cmp.Diff(want, m.Transports); diff != "" {
		t.Error(diff)
	}
}

// TestNoReportYet: a run without a report says how to finish it.
func TestNoReportYet(t *testing.T) {
	dir := t.TempDir()
	if r, err := ReadReport(dir); err == nil || r != nil || !strings.Contains(err.Error(), "judge run --resume "+dir) {
		t.Errorf("%+v, %v", r, err)
	}
}
