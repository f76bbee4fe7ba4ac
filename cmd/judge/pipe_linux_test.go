package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipeAsLog judges a named pipe, which can be read only once: its bytes are copied into
// the run directory, from where a resumed run and judge show read them.
func TestPipeAsLog(t *testing.T) {
	dir := t.TempDir()
	log, err := os.ReadFile("../../fixtures/logs/support.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	judge := func(args ...string) []byte {
		cmd := exec.CommandContext(t.Context(), binary(t), args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return out
	}
	go func() { _ = os.WriteFile(pipe, log, 0o600) }()
	judge("run", "pipe", "--model", "baseline-rules", "--out", "run", "--sample", "20", "--fail-under", "human=0.01")
	first, err := os.ReadFile(filepath.Join(dir, "run", "scores.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(pipe); err != nil { // as the pipe of a shell's <(…) is gone
		t.Fatal(err)
	}
	judge("run", "--resume", "run")
	if again, err := os.ReadFile(filepath.Join(dir, "run", "scores.jsonl")); err != nil || !bytes.Equal(first, again) {
		t.Errorf("the resumed run has other scores (%v)", err)
	}
	if out := judge("report", "run", "--format", "html", "--no-gates"); bytes.Contains(out, []byte("could not be read again")) {
		t.Error("the report cannot read the pipe's copy")
	}
}
