package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
)

// fullDisk is a file on a disk that is full.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestLostOutput: a command whose output is lost does not end with 0.
func TestLostOutput(t *testing.T) {
	log := root + "/fixtures/logs/support.jsonl"
	for _, line := range []string{
		"rubrics list", "rubrics show overall_call_correctness", "rubrics prompt " + log + " --call cancel-packed-order:0",
		"run " + log + " --dry-run", "run " + log + " --dry-run --json", "probe " + log + " --dry-run", "score " + log,
		"logs inspect " + log, "logs convert " + log, "schema config", "skill", "licenses", "run --help", "--version",
	} {
		var errs bytes.Buffer
		a := &app{in: strings.NewReader(""), out: fullDisk{}, err: &errs, getenv: func(string) string { return "" }}
		if code := command(context.Background(), strings.Fields(line), a); code == exitOK || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("judge %s: exit %d, %s", line, code, errs.String())
		}
	}
}
