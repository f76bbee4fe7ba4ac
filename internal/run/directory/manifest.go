package directory

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// Schema is the version of run.json.
const Schema = "judge.run/v1"

// The states of a run.
const (
	// Running: the process is working, or was killed.
	Running = "running"
	// Complete: the run ended, and at least the share CoverageFloor of the judgements is scored.
	Complete = "complete"
	// Incomplete: the run ended, but fewer judgements were scored than the coverage floor requires, or
	// a judge was stopped.
	Incomplete = "incomplete"
	// Interrupted: the user stopped it, or an endpoint cannot answer.
	Interrupted = "interrupted"
)

// Manifest is run.json: what was run, on which logs, and how it ended. It holds no secrets.
type Manifest struct {
	Schema  string     `json:"schema"`
	Status  string     `json:"status"`
	Started time.Time  `json:"started_at"`
	Ended   *time.Time `json:"ended_at"`
	Commit  string     `json:"commit,omitempty"`
	Go      string     `json:"go,omitempty"`
	report.Manifest
	// CoverageFloor is the share of judgements that must be scored.
	CoverageFloor float64 `json:"coverage_floor"`
	// Parts holds the digests that make up the run id, so that a refused resume can say what differs.
	Parts map[string]string `json:"parts"`
	// Shard is the part of the run in this directory, "i/n" with i from 0; "" means the whole run.
	Shard string `json:"shard,omitempty"`
	// Series names the log of a run that grows from day to day; "" for a log that does not grow.
	Series string `json:"series,omitempty"`
	// Profiles describe how each judge's endpoint is asked, in the order of the judges.
	Profiles []instrument.Profile `json:"profiles,omitempty"`
	// Transports count each judge's answers by transport.
	Transports []TransportCount `json:"transports,omitempty"`
	// Windows say, for each judge whose context size is known, which prompts do not fit.
	Windows []instrument.WindowCheck `json:"windows,omitempty"`
	// Config is the resolved configuration in the form of judge.yaml. Its relative paths start at Directory.
	Config    value.Value `json:"config"`
	Directory string      `json:"directory,omitempty"`
	// Unreadable counts records of the logs that could not be read; Problems names the first of them.
	Unreadable int      `json:"unreadable"`
	Problems   []string `json:"problems,omitempty"`
	// NotePlaces holds the first place of each kind of oddity.
	NotePlaces map[string]string `json:"note_places,omitempty"`
	// Work counts what this process did. It alone differs between an undisturbed run and a resumed one.
	Work Work `json:"work"`
	// Logs holds the part of each log that the run covers, in the order given.
	Logs []LogBytes `json:"logs,omitempty"`
	// Judgements counts the run's judgements; Files describes the finished files.
	Judgements Judgements      `json:"judgements,omitzero"`
	Files      map[string]File `json:"files,omitempty"`
	// Checksum is the SHA-256 of everything before it.
	Checksum string `json:"checksum,omitempty"`
}

// TransportCount counts a judge's answers that arrived by one transport.
type TransportCount struct {
	Judge     string        `json:"judge"`
	Transport llm.Transport `json:"transport"`
	Answers   int           `json:"answers"`
}

// LogBytes is the part of a log that a run covers; bytes appended later are not included.
type LogBytes struct {
	Path  string `json:"path"`
	SHA   string `json:"sha256"`
	Bytes int64  `json:"bytes"`
}

// Work counts what the last process of a run did.
type Work struct {
	// Sent counts judgement requests that the endpoint answered, FromJournal those that an earlier
	// answer served.
	Sent        int `json:"sent"`
	FromJournal int `json:"from_journal"`
	// Reused counts the answers that came from other runs.
	Reused  int     `json:"reused,omitempty"`
	Seconds float64 `json:"seconds"`
	// Resumes counts how often the run was resumed.
	Resumes int `json:"resumes"`
	// Damaged counts the lines of the journal that are not used.
	Damaged int `json:"damaged_lines,omitempty"`
}

// Judgements counts what was to be judged and what was scored.
type Judgements struct {
	Wanted int `json:"wanted"`
	Scored int `json:"scored"`
	// NoRule counts judgements for which the rule-based baseline has no rule, in a run with no other judge.
	NoRule int `json:"no_rule,omitempty"`
}

// Coverage returns the share that was scored; 1 if nothing was to be judged.
func (j Judgements) Coverage() float64 {
	if j.Wanted == 0 {
		return 1
	}
	return float64(j.Scored) / float64(j.Wanted)
}

// File describes a finished file, so that damage can be detected.
type File struct {
	SHA   string `json:"sha256"`
	Lines int    `json:"lines"`
	Bytes int64  `json:"bytes"`
	// name is the name of a file that is being written, with PartEnding.
	name string
}

// ReadReport reads report.json from a run directory.
func ReadReport(dir string) (*report.Report, error) {
	path := filepath.Join(dir, ReportFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("it has no report yet: judge run --resume %s finishes it", dir)
	}
	defer f.Close()
	return report.ReadJSON(f, path)
}

// notRun says why run.json of a directory cannot be read.
func notRun(dir string, err error) error {
	at, statErr := os.Stat(dir)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		return fmt.Errorf("%s: no run directory: it does not exist%s", dir, spelling.MeantFile(dir))
	case statErr == nil && !at.IsDir():
		return fmt.Errorf("%s: no run directory: it is a file", dir)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: no run directory: it has no %s", dir, ManifestFile)
	}
	return err
}

// ReadManifest reads run.json from a run directory.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, notRun(dir, err)
	}
	var m Manifest
	err = json.Unmarshal(data, &m)
	if err == nil && !intact(data, m.Checksum) {
		err = errors.New("its checksum does not fit: bytes of it changed")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: damaged: %w; restore it, or move it away and start the run again with --out %s: "+
			"the answers in %s are used", path, err, dir, ExchangesFile)
	}
	if m.Schema != Schema {
		return nil, fmt.Errorf("%s: schema %q; this version reads %s", path, m.Schema, Schema)
	}
	for i := range m.Scorers { // runs of older versions lack the facts
		s := &m.Scorers[i]
		if row, err := deterministic.Find(s.Type); err == nil && reflect.ValueOf(s.Facts).IsZero() {
			s.Facts = row.Facts
		}
	}
	return &m, nil
}

// checksumMember is the beginning of the last member of run.json.
const checksumMember = ",\n  \"checksum\": \""

// Write replaces run.json atomically.
func (m *Manifest) Write(dir string) error {
	m.Checksum = ""
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", ManifestFile, err)
	}
	data = bytes.TrimSuffix(data, []byte("\n}"))
	m.Checksum = sumOf(data)
	data = append(data, checksumMember+m.Checksum+"\"\n}\n"...)
	return Replace(filepath.Join(dir, ManifestFile), data)
}

// intact reports whether run.json is unchanged since it was written. Older versions wrote no
// checksum; their files count as unchanged.
func intact(data []byte, checksum string) bool {
	if checksum == "" {
		return true
	}
	body, ok := bytes.CutSuffix(data, []byte(checksumMember+checksum+"\"\n}\n"))
	return ok && sumOf(body) == checksum
}

func sumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// Replace writes a file atomically: a reader sees either the old content or the new one.
func Replace(path string, data []byte) error {
	return replace(path, func(tmp string) error { return os.WriteFile(tmp, data, 0o600) })
}

// ReplaceSynced is like [Replace] but returns only when the disk has the new content, so that it
// also holds after a power failure.
func ReplaceSynced(path string, data []byte) error {
	return replace(path, func(tmp string) error {
		f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		return errors.Join(err, f.Sync(), f.Close())
	})
}

func replace(path string, write func(tmp string) error) error {
	tmp := path + ".tmp"
	err := write(tmp)
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		_ = os.Remove(tmp)
	}
	return err
}

// CountTransport counts the transport of an answer, in log order.
func (m *Manifest) CountTransport(r *judges.Result) {
	if r.Fingerprint == "" {
		return // no answer arrived
	}
	for i := range m.Transports {
		if c := &m.Transports[i]; c.Judge == r.Judge && c.Transport == r.Transport {
			c.Answers++
			return
		}
	}
	m.Transports = append(m.Transports, TransportCount{Judge: r.Judge, Transport: r.Transport, Answers: 1})
}
