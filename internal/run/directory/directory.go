// Package directory manages the files of a run directory: run.json with its states, the score
// stream, items.jsonl, and the names of all other files. It finds everything about one item in
// them, and pairs the conversations of two runs.
//
// It promises that a reader sees either a file's old content or its new one, that run.json holds no
// secrets, that a directory of another run is refused with the differences, that no conversation is
// paired twice, and that logs which changed since the run are reported and not used.
package directory

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run/input"
)

// The files of a run directory.
const (
	ManifestFile  = "run.json"
	ScoresFile    = "scores.jsonl"
	ExchangesFile = "exchanges.jsonl"
	ReportFile    = "report.json"
	MarkdownFile  = "report.md"
	HTMLFile      = "report.html"
)

// PartEnding is added to the name of a file while it is being written. The file gets its real name
// when it is complete.
const PartEnding = ".partial"

// Error says why a directory cannot be used for this run.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// Partial says that a run directory does not hold the scores of a complete run.
type Partial struct {
	Dir string
	// Damaged says that the run finished, but that its files changed since.
	Damaged bool
	Problem string
}

func (e *Partial) Error() string {
	return fmt.Sprintf("%s: %s; nothing that was answered is asked again by\n  %s", e.Dir, e.Problem,
		ResumeCommand(e.Dir))
}

// ResumeCommand returns the command that resumes a run.
func ResumeCommand(dir string) string { return "judge run --resume " + words.ShellWord(dir) }

// Same reports whether two paths lead to the same directory.
func Same(a, b string) bool {
	x, _ := os.Stat(a)
	y, _ := os.Stat(b)
	return os.SameFile(x, y) // of nothing it is false
}

// Claim checks, before anything is sent, that a run can be written to a directory: that it holds no run
// (unless resume is set), that its journal is a regular file, and that it is writable. release removes
// the directory again if it is still empty.
func Claim(dir string, resume bool) (release func(), err error) {
	release = func() { _ = os.Remove(dir) }
	if _, err := os.Stat(filepath.Join(dir, ManifestFile)); err == nil && !resume {
		return nil, taken(dir)
	}
	if err := journal.Check(filepath.Join(dir, ExchangesFile)); err != nil {
		return nil, &Error{err.Error()}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, &Error{err.Error()}
	}
	f, err := os.CreateTemp(dir, ".space")
	if err == nil {
		_, err = f.Write(make([]byte, 64<<10))
		err = errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		release()
		return nil, &Error{fmt.Sprintf("%s takes no files: %v", dir, err)}
	}
	return release, nil
}

func taken(dir string) error {
	return &Error{fmt.Sprintf("%s holds a run already: continue it with %s, or choose another --out", dir,
		ResumeCommand(dir))}
}

// Begin creates the run directory, or checks that the run in it is the same run. finished says that
// that run is complete: its files stay until there are new ones.
func Begin(dir string, m *Manifest, resume bool) (finished bool, err error) {
	old, err := ReadManifest(dir)
	switch {
	case err == nil && !resume:
		return false, taken(dir)
	case err != nil && resume:
		return false, &Error{err.Error()}
	case err != nil:
		if _, statErr := os.Stat(filepath.Join(dir, ManifestFile)); statErr == nil {
			return false, &Error{err.Error()}
		}
		return false, os.MkdirAll(dir, 0o700)
	case old.RunID != m.RunID:
		return false, &Error{fmt.Sprintf("%s is another run: %s; undo the change to go on with this run, "+
			"or start a new one with another --out", dir, Differences(old, m))}
	}
	if old.Shard != m.Shard {
		return false, &Error{fmt.Sprintf("%s is shard %s of its run, not %s", dir, cmp.Or(old.Shard, "0/1"),
			cmp.Or(m.Shard, "0/1"))}
	}
	m.Started = old.Started
	m.Work.Resumes = old.Work.Resumes + 1
	return old.Whole(dir) == nil, nil
}

// Parts returns the names of the digests that make up a run's identity, in the order in which
// differences are reported.
func Parts() []string {
	return []string{"inputs", "rubrics", "judges", "scorers", "selection", "prompt"}
}

// Differences names the parts in which two identities differ, and the logs that differ.
func Differences(old, now *Manifest) string {
	var parts, logs []string
	for _, part := range Parts() {
		if old.Parts[part] != now.Parts[part] {
			parts = append(parts, part)
		}
	}
	for i, l := range old.Logs {
		if i < len(now.Logs) && l.SHA != now.Logs[i].SHA {
			logs = append(logs, l.Path)
		}
	}
	if parts == nil {
		parts = []string{"the program"}
	}
	text := strings.Join(parts, ", ") + " changed since"
	if logs != nil {
		text += " (" + strings.Join(logs, ", ") + ")"
	}
	return text
}

// Bound limits the logs of a resumed run to the length that they had when the run began.
func Bound(dir string, logs []input.Log) {
	if m, err := ReadManifest(dir); err == nil {
		m.bound(logs)
	}
}

// bound limits logs to the length that they had when the run began. If the logs are those of
// another run, it does nothing; their hashes reveal that later.
func (m *Manifest) bound(logs []input.Log) {
	if len(m.Logs) != len(logs) {
		return
	}
	for i := range logs {
		logs[i].Bytes = &m.Logs[i].Bytes
	}
}

// Buffered is a file that is being written and hashed.
type Buffered struct {
	*bufio.Writer
	// Written describes the file after Finish has returned.
	Written File
	name    string
	file    *os.File
	hash    hash.Hash
	lines   lineCounter
	closed  bool
}

// Create creates a file. An existing file is replaced.
func Create(path string) (*Buffered, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	b := &Buffered{file: f, name: path, hash: sha256.New()}
	b.Writer = bufio.NewWriterSize(io.MultiWriter(f, b.hash, &b.lines), 1<<16)
	return b, nil
}

// Close writes the rest and closes the file.
func (b *Buffered) Close() error {
	if b.closed {
		return nil
	}
	b.closed = true
	return errors.Join(b.Flush(), b.file.Close())
}

// Finish writes the rest, syncs it to the disk, and closes the file.
func (b *Buffered) Finish() error {
	err := b.Flush()
	if err == nil {
		err = b.file.Sync()
	}
	info, statErr := b.file.Stat()
	if statErr == nil {
		b.Written = File{SHA: hex.EncodeToString(b.hash.Sum(nil)), Lines: int(b.lines), Bytes: info.Size(),
			name: filepath.Base(b.name)}
	}
	b.closed = true
	return errors.Join(err, statErr, b.file.Close())
}

// Lines returns an encoder that writes each value as one line of JSON, without HTML escapes.
func (b *Buffered) Lines() *json.Encoder {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	return enc
}

// Name gives complete files their real names, and makes them the manifest's list of files.
func (m *Manifest) Name(dir string, files ...File) error {
	m.Files = map[string]File{}
	for _, f := range files {
		partial := filepath.Join(dir, f.name)
		f.name = ""
		path := strings.TrimSuffix(partial, PartEnding)
		m.Files[filepath.Base(path)] = f
		if err := os.Rename(partial, path); err != nil {
			return err
		}
	}
	return nil
}

// Whole returns nil if a run directory holds the scores of a complete run, else a *Partial that says
// why not, or the error of a file that cannot be read.
func (m *Manifest) Whole(dir string) error {
	switch m.Status {
	case Running:
		return &Partial{Dir: dir, Problem: "the run is unfinished: it is at work, or was killed"}
	case Interrupted:
		return &Partial{Dir: dir, Problem: "the run is unfinished: it was interrupted"}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		want := m.Files[name]
		got, err := hashFile(filepath.Join(dir, name))
		problem := ""
		switch {
		case errors.Is(err, fs.ErrNotExist) && name != ScoresFile:
			continue // whoever reads it reports that
		case errors.Is(err, fs.ErrNotExist):
			problem = "is missing"
		case err != nil:
			return err
		case got.Lines != want.Lines:
			problem = fmt.Sprintf("has %d lines, and %d were written", got.Lines, want.Lines)
		case got != want:
			problem = "is not what was written: bytes of it changed"
		default:
			continue
		}
		return &Partial{Dir: dir, Damaged: true, Problem: fmt.Sprintf("damaged: %s %s", name, problem)}
	}
	return nil
}

// lineCounter counts the lines written to it.
type lineCounter int

func (c *lineCounter) Write(b []byte) (int, error) {
	*c += lineCounter(bytes.Count(b, []byte("\n")))
	return len(b), nil
}

// hashFile hashes a file.
func hashFile(path string) (File, error) {
	f, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	h, lines := sha256.New(), lineCounter(0)
	n, err := io.Copy(io.MultiWriter(h, &lines), f)
	return File{SHA: hex.EncodeToString(h.Sum(nil)), Lines: int(lines), Bytes: n}, err
}
