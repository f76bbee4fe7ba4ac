// Package directory owns the files of a run directory: run.json and its states, the score
// stream, items.jsonl, and where the rest stands; it finds all about one item in them, and the
// partners of conversations in another run.
//
// It promises that a reader sees the old content of a file or the new, that run.json holds
// no secrets, that a directory of another run is refused with what differs, that a pairing
// of two runs gives nothing two partners, and that logs which changed since are reported
// and not used.
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

// PartEnding ends the name of a file that is being written. A file gets its
// name when it is whole.
const PartEnding = ".partial"

// Error says that a directory cannot be used for this run.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// Partial says that the scores of a run directory are not those of a whole run.
type Partial struct {
	Dir string
	// Damaged says that the run finished, and that its files changed since.
	Damaged bool
	Problem string
}

func (e *Partial) Error() string {
	return fmt.Sprintf("%s: %s; nothing that was answered is asked again by\n  %s", e.Dir, e.Problem,
		ResumeCommand(e.Dir))
}

// ResumeCommand returns the command that takes a run up again.
func ResumeCommand(dir string) string { return "judge run --resume " + words.ShellWord(dir) }

// Same reports whether two paths lead to one directory.
func Same(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// Claim makes sure, before anything is sent, that a run can be kept in a directory: that
// it holds no other, that its journal is a file, and that it takes files. release removes it again if
// it is still empty.
func Claim(dir string, resume bool) (release func(), err error) {
	release = func() { _ = os.Remove(dir) }
	if _, err := os.Stat(filepath.Join(dir, ManifestFile)); err == nil && !resume {
		return nil, taken(dir)
	}
	if err := journal.Check(filepath.Join(dir, ExchangesFile)); err != nil {
		return nil, &Error{err.Error()}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		if _, statErr := os.Stat(dir); statErr != nil && !errors.Is(statErr, fs.ErrNotExist) {
			err = statErr // such as links that lead to themselves, where mkdir only says that they are there
		}
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

// Begin makes the run directory, or checks that the run in it is this one. finished
// says that it finished before: its files stay until there are new ones.
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
// a difference is reported.
func Parts() []string {
	return []string{"inputs", "rubrics", "judges", "scorers", "selection", "prompt"}
}

// Differences names the parts of two identities that differ, and the logs.
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

// Bound makes the logs of a run that is taken up again end where they ended when it
// began.
func Bound(dir string, logs []input.Log) {
	if m, err := ReadManifest(dir); err == nil {
		m.bound(logs)
	}
}

// bound ends logs where they ended when the run began, unless they are those of another
// run, which is found out by their hashes.
func (m *Manifest) bound(logs []input.Log) {
	if len(m.Logs) != len(logs) {
		return
	}
	for i := range logs {
		logs[i].Bytes = &m.Logs[i].Bytes
	}
}

// Buffered is a file that is being written. It is hashed as it is written.
type Buffered struct {
	*bufio.Writer
	// Written says what was written, once Finish returned.
	Written File
	name    string
	file    *os.File
	hash    hash.Hash
	lines   lineCounter
	closed  bool
}

// Create starts a file and drops an earlier one.
func Create(path string) (*Buffered, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	b := &Buffered{file: f, name: path, hash: sha256.New()}
	b.Writer = bufio.NewWriterSize(io.MultiWriter(f, b.hash, &b.lines), 1<<16)
	return b, nil
}

// Close writes what is left and closes the file.
func (b *Buffered) Close() error {
	if b.closed {
		return nil
	}
	b.closed = true
	return errors.Join(b.Flush(), b.file.Close())
}

// Finish writes what is left, has the disk keep it, and closes the file.
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

// Lines writes JSON, a line a value, with characters as they are.
func (b *Buffered) Lines() *json.Encoder {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	return enc
}

// Name gives the files that are whole their names, and says in the manifest what they are.
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

// Whole says why the scores of a run directory are not those of a whole run: nil, or a
// *Partial.
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
			continue // a reader of it reports that
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

// lineCounter counts the lines that are written to it.
type lineCounter int

func (c *lineCounter) Write(b []byte) (int, error) {
	*c += lineCounter(bytes.Count(b, []byte("\n")))
	return len(b), nil
}

// hashFile reads a file to its end and hashes it.
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
