package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/input"
)

// stdinFile is what was read on standard input, in the run directory.
const stdinFile = "stdin.log"

// stdinLog is standard input as a run directory keeps it.
func (a *app) stdinLog(dir string) input.Log {
	l := a.log(filepath.Join(dir, stdinFile))
	l.Name = "-"
	return l
}

// spool copies standard input into the run directory, where it can be read more
// than once, and by a resumed run.
func (a *app) spool(plan *run.Plan, dir string, resume bool) error {
	for i := range plan.Logs {
		if plan.Logs[i].Name != "-" {
			continue
		}
		if !resume {
			if err := copyTo(filepath.Join(dir, stdinFile), a.in); err != nil {
				return err
			}
		}
		plan.Logs[i] = a.stdinLog(dir)
	}
	return nil
}

// unspool takes back what spool made for a run that does not start.
func unspool(plan *run.Plan, dir string, resume bool) {
	if !resume && plan.OnStandardInput() {
		_ = os.Remove(filepath.Join(dir, stdinFile))
	}
}

// copyTo writes a stream into a new file.
func copyTo(path string, in io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, in)
	return errors.Join(err, f.Close())
}
