package directory

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/judgekit/judge/internal/run/input"
)

// SpoolFile returns the name for the copy of a log that can be read only once.
func SpoolFile(log string) string {
	if log == "-" {
		return "stdin.log"
	}
	sum := sha256.Sum256([]byte(log))
	return "pipe-" + hex.EncodeToString(sum[:4]) + ".log"
}

// Spool copies logs that can be read only once into a run directory and makes later reads use the copy. For a
// resumed run the copies must exist already. remove deletes the copies if the run does not start.
func Spool(dir string, logs []input.Log, resume bool) (remove func(), err error) {
	var made []string
	remove = func() {
		for _, path := range made {
			_ = os.Remove(path)
		}
	}
	for i := range logs {
		l := &logs[i]
		if !l.Once {
			continue
		}
		path := filepath.Join(dir, SpoolFile(l.Name))
		if resume {
			return remove, &Error{fmt.Sprintf("%s: missing; it is the copy of %s that the run judges", path, l.Name)}
		}
		made = append(made, path)
		if err := copyTo(path, l); err != nil {
			remove()
			return remove, err
		}
		l.Once, l.Path, l.Open = false, path, func() (io.ReadCloser, error) { return os.Open(path) }
	}
	return remove, nil
}

// copyTo copies a log into a new file.
func copyTo(path string, l *input.Log) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	in, err := l.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, in)
	return errors.Join(err, f.Close())
}

// CreateSpool creates a temporary file for what the report and the page may show of a run in progress.
func CreateSpool(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, "page"+PartEnding), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
}
