// Package directory owns the files of a run directory: run.json and its states, the score
// stream, items.jsonl and the reports; and what a finished run says without its endpoint:
// its report, what changed since another run, its calibration, all about one item.
//
// It promises that a reader sees the old content of a file or the new, that run.json holds
// no secrets, that a directory of another run is refused with what differs, that a pairing
// of two runs gives nothing two partners, and that logs which changed since are reported
// and not used.
package directory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/value"
)

// Schema is the version of run.json.
const Schema = "judge.run/v1"

// The files of a run directory.
const (
	ManifestFile  = "run.json"
	ScoresFile    = "scores.jsonl"
	ExchangesFile = "exchanges.jsonl"
	ReportFile    = "report.json"
	MarkdownFile  = "report.md"
	HTMLFile      = "report.html"
)

// The states of a run.
const (
	// Running: the process is at work, or was killed.
	Running = "running"
	// Complete: every item has its scores, at least to the coverage floor.
	Complete = "complete"
	// Incomplete: fewer judgements were scored than the coverage floor asks.
	Incomplete = "incomplete"
	// Interrupted: stopped by the user or by an endpoint that cannot answer.
	Interrupted = "interrupted"
)

// Manifest is run.json: what was run, on what, and how it ended. It holds no
// secrets.
type Manifest struct {
	Schema  string     `json:"schema"`
	Status  string     `json:"status"`
	Started time.Time  `json:"started_at"`
	Ended   *time.Time `json:"ended_at"`
	Commit  string     `json:"commit,omitempty"`
	Go      string     `json:"go,omitempty"`
	report.Manifest
	// CoverageFloor is the share of judgements that had to be scored.
	CoverageFloor float64 `json:"coverage_floor"`
	// Parts are the digests of what the run id is made of, so that a refused
	// resume can say what differs.
	Parts map[string]string `json:"parts"`
	// Profiles say how each judge's endpoint is asked, in the order of the judges.
	Profiles []instrument.Profile `json:"profiles,omitempty"`
	// Transports count each judge's answers by how they were asked for.
	Transports []TransportCount `json:"transports,omitempty"`
	// Windows say for each judge whose context is known what does not fit it.
	Windows []instrument.WindowCheck `json:"windows,omitempty"`
	// Config is the configuration as resolved, in the form of judge.yaml; its relative
	// paths are meant from Directory.
	Config    value.Value `json:"config"`
	Directory string      `json:"directory,omitempty"`
	// Unreadable counts records of the logs that could not be read; Problems name
	// the first of them.
	Unreadable int      `json:"unreadable"`
	Problems   []string `json:"problems,omitempty"`
	// NotePlaces has the first place of each kind of oddity.
	NotePlaces map[string]string `json:"note_places,omitempty"`
	// Work is what this process did; unlike everything else it differs between an
	// undisturbed run and a resumed one.
	Work Work `json:"work"`
	// Logs are the bytes that the run is about, in the order given.
	Logs []LogBytes `json:"logs,omitempty"`
	// Judgements are those of the scores, and Files the finished files.
	Judgements Judgements      `json:"judgements,omitzero"`
	Files      map[string]File `json:"files,omitempty"`
	// Checksum is the SHA-256 of everything before it.
	Checksum string `json:"checksum,omitempty"`
}

// LogBytes are the bytes of a log that a run is about; what came behind them later is not.
type LogBytes struct {
	Path  string `json:"path"`
	SHA   string `json:"sha256"`
	Bytes int64  `json:"bytes"`
}

// Work counts what the last process of a run did.
type Work struct {
	// Sent counts judgement requests answered by the endpoint, FromJournal those
	// answered by what was there already.
	Sent        int     `json:"sent"`
	FromJournal int     `json:"from_journal"`
	Seconds     float64 `json:"seconds"`
	// Resumes counts how often the run was taken up again.
	Resumes int `json:"resumes"`
	// Damaged counts the lines of the journal that were not believed.
	Damaged int `json:"damaged_lines,omitempty"`
}

// ReadManifest reads run.json of a run directory.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no run directory: it has no %s", dir, ManifestFile)
	}
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil || !unharmed(data, m.Checksum) {
		why := "its checksum does not fit: bytes of it changed"
		if err != nil {
			why = err.Error()
		}
		return nil, fmt.Errorf("%s: damaged: %s; restore it, or move it away and start the run again with --out %s: the answers in %s are used", path, why, dir, ExchangesFile)
	}
	if m.Schema != Schema {
		return nil, fmt.Errorf("%s: schema %q; this version reads %s", path, m.Schema, Schema)
	}
	return &m, nil
}

// Write replaces run.json in one step.
func (m *Manifest) Write(dir string) error {
	m.Checksum = ""
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", ManifestFile, err)
	}
	data = bytes.TrimSuffix(data, []byte("\n}"))
	m.Checksum = sumOf(data)
	data = append(data, checksumMember+m.Checksum+"\"\n}\n"...)
	return replace(filepath.Join(dir, ManifestFile), data)
}

// replace writes a file so that a reader sees the old content or the new.
func replace(path string, data []byte) error {
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// Bound makes the logs of a run that is taken up again end where they ended when it
// began.
func Bound(dir string, logs []input.Log) {
	m, err := ReadManifest(dir)
	if err != nil || len(m.Logs) != len(logs) {
		return // it is another run, which is told later
	}
	for i := range logs {
		logs[i].Bytes = &m.Logs[i].Bytes
	}
}

// Error says that a directory cannot be used for this run.
type Error struct{ Message string }

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Prepare makes the run directory, or checks that the run in it is this one. finished
// says that it came to its end before: its files stay until there are new ones.
func Prepare(dir string, m *Manifest, resume bool) (finished bool, err error) {
	old, err := ReadManifest(dir)
	switch {
	case err != nil && resume:
		return false, &Error{err.Error()}
	case err != nil:
		if _, statErr := os.Stat(filepath.Join(dir, ManifestFile)); statErr == nil {
			return false, &Error{err.Error()}
		}
		return false, os.MkdirAll(dir, 0o700)
	case !resume:
		return false, &Error{fmt.Sprintf("%s holds a run already: continue it with %s, or choose another --out", dir, ResumeCommand(dir))}
	}
	if old.RunID != m.RunID {
		return false, &Error{fmt.Sprintf("%s is another run: %s changed since%s; undo the change to go on with this run, or start a new one with another --out",
			dir, differences(old.Parts, m.Parts), changedLogs(old.Logs, m.Logs))}
	}
	m.Started = old.Started
	m.Work.Resumes = old.Work.Resumes + 1
	return old.Whole(dir) == nil, nil
}

// Parts are the names of the digests that make up a run's identity, in the order in which
// a difference is told.
func Parts() []string {
	return []string{"inputs", "rubrics", "judges", "scorers", "selection", "prompt"}
}

// differences names the parts of two identities that differ.
func differences(a, b map[string]string) string {
	out := ""
	for _, part := range Parts() {
		if a[part] != b[part] {
			if out != "" {
				out += ", "
			}
			out += part
		}
	}
	if out == "" {
		return "the program"
	}
	return out
}

// changedLogs names the logs of a run that are not what they were.
func changedLogs(old, now []LogBytes) string {
	var names []string
	for i := range old {
		if i < len(now) && old[i].SHA != now[i].SHA {
			names = append(names, old[i].Path)
		}
	}
	if names == nil {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// Same reports whether two paths lead to one directory.
func Same(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}
