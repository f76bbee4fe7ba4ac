package directory

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// PartEnding stands behind the name of a file that is being written. A file gets its
// name when it is whole.
const PartEnding = ".partial"

// File says what a finished file is, so that damage is seen.
type File struct {
	SHA   string `json:"sha256"`
	Lines int    `json:"lines"`
	Bytes int64  `json:"bytes"`
}

// Judgements counts what was to be judged and what was scored.
type Judgements struct {
	Wanted int `json:"wanted"`
	Scored int `json:"scored"`
}

// Coverage is the share that was scored, 1 where none was wanted.
func (j Judgements) Coverage() float64 {
	if j.Wanted == 0 {
		return 1
	}
	return float64(j.Scored) / float64(j.Wanted)
}

// Partial says that the scores of a run directory are not those of a whole run.
type Partial struct {
	Dir string
	// Damaged says that the run came to its end, and that its files changed since.
	Damaged bool
	Problem string
}

// Error implements error.
func (e *Partial) Error() string {
	return fmt.Sprintf("%s: %s; nothing that was answered is asked again by\n  %s", e.Dir, e.Problem, ResumeCommand(e.Dir))
}

// ResumeCommand is the command that takes a run up again.
func ResumeCommand(dir string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-+:,=@%", r)
	}
	if strings.TrimLeftFunc(dir, plain) != "" {
		dir = "'" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
	}
	return "judge run --resume " + dir
}

// Claim makes sure, before anything is sent, that a run can be kept in a directory: that
// it holds no other, and takes files. release removes it again where it is still empty.
func Claim(dir string, resume bool) (release func(), err error) {
	release = func() { _ = os.Remove(dir) }
	if _, err := os.Stat(filepath.Join(dir, ManifestFile)); err == nil && !resume {
		return nil, &Error{fmt.Sprintf("%s holds a run already: continue it with %s, or choose another --out", dir, ResumeCommand(dir))}
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

// Finish gives the files that are whole their names, and says in the manifest what they
// are.
func (m *Manifest) Finish(dir string, names ...string) error {
	m.Files = map[string]File{}
	for _, name := range names {
		path := filepath.Join(dir, name)
		f, err := measure(path+PartEnding, true)
		if err != nil {
			return err
		}
		m.Files[name] = f
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.Rename(path+PartEnding, path); err != nil {
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
		got, err := measure(filepath.Join(dir, name), false)
		problem := ""
		switch {
		case errors.Is(err, fs.ErrNotExist) && name != ScoresFile:
			continue // whoever wants it says so
		case errors.Is(err, fs.ErrNotExist):
			problem = "is gone"
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

// measure reads a file to its end, and has the disk keep it where sync says so.
func measure(path string, sync bool) (File, error) {
	f, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	h, lines, buf := sha256.New(), 0, make([]byte, 256<<10)
	var size int64
	for {
		n, err := f.Read(buf)
		h.Write(buf[:n])
		lines += bytes.Count(buf[:n], []byte("\n"))
		size += int64(n)
		if err == io.EOF {
			break
		}
		if err != nil {
			return File{}, err
		}
	}
	if sync {
		err = f.Sync()
	}
	return File{SHA: hex.EncodeToString(h.Sum(nil)), Lines: lines, Bytes: size}, err
}

// checksumMember begins the last member of run.json.
const checksumMember = ",\n  \"checksum\": \""

// unharmed reports whether run.json is as it was written. That of an older version,
// which has no checksum, is taken as it is.
func unharmed(data []byte, checksum string) bool {
	if checksum == "" {
		return true
	}
	at := bytes.LastIndex(data, []byte(checksumMember))
	return at >= 0 && string(data[at:]) == checksumMember+checksum+"\"\n}\n" && sumOf(data[:at]) == checksum
}

func sumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
