//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/bounded"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
)

// TestLocalFailure: what this machine lacks is exit 4, not the endpoint's exit 3.
func TestLocalFailure(t *testing.T) {
	a := &app{}
	for kind, want := range map[llm.ErrorKind]int{llm.KindLocal: exitIncomplete, llm.KindOutage: exitEndpoint} {
		for name, err := range map[string]error{
			"probe": endpointError(&llm.Error{Kind: kind}),
			"run":   a.runError(&llm.Error{Kind: kind, Fatal: true}, &run.Outcome{}, ""),
		} {
			if coded, ok := errors.AsType[*codeError](err); !ok || coded.code != want {
				t.Errorf("%s, %s: %v, want exit code %d", kind, name, err, want)
			}
		}
	}
}

// TestReportWithoutRoom: reports that find no room leave the old ones and nothing else.
func TestReportWithoutRoom(t *testing.T) {
	w := &workplace{t: t, judge: binary(t)}
	dir := filepath.Join(t.TempDir(), "run")
	if code, text := w.start("run", "../../fixtures/logs/support.jsonl", "--no-judge", "--out", dir, "-q").end(); code != 0 {
		t.Fatalf("exit code %d: %s", code, text)
	}
	before := readFile(t, dir, directory.HTMLFile)
	code, text := startChild(t, exec.Command("sh", "-c", `ulimit -f 8; exec "$@"`, "sh", w.judge, "report", dir, "--write")).end()
	if code == 0 || !strings.Contains(text, "file too large") {
		t.Fatalf("exit code %d: %s", code, text)
	}
	if string(readFile(t, dir, directory.HTMLFile)) != string(before) {
		t.Error("the page is not the old one")
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.tmp")); err != nil || len(left) > 0 {
		t.Errorf("%q were left (%v)", left, err)
	}
}

// TestSignalEndsReading: the first signal ends a command that waits for a pipe, or reads a
// file without an end, within three seconds.
func TestSignalEndsReading(t *testing.T) {
	judge, pipe := binary(t), filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	log := "../../fixtures/logs/support.jsonl"
	for i, args := range [][]string{
		{"run", pipe, "--no-judge", "--out", "OUT"}, {"run", "-", "--no-judge", "--out", "OUT"}, {"run", log, "--rubric", pipe, "--out", "OUT"},
		{"score", pipe}, {"score", "-"}, {"score", "--cases", pipe}, {"score", "--cases", "-"}, {"score", "--cases", "/dev/zero"},
		{"score", log, "--tools", pipe}, {"score", log, "--config", pipe},
		{"logs", "inspect", pipe}, {"logs", "convert", "-"}, {"agree", pipe, "--gold", "a", "--judge", "b"}, {"rubrics", "lint", pipe},
	} {
		t.Run(strings.Join(args[:2], " "), func(t *testing.T) {
			t.Parallel()
			stop := []os.Signal{syscall.SIGTERM, syscall.SIGINT}[i%2]
			bounded.Took(t, 3*time.Second, "the end", func() time.Duration {
				code, text, took := stopped(t, judge, args, stop)
				if code != exitInterrupted || !strings.Contains(text, "interrupted") {
					t.Fatalf("exit code %d after %v: %s", code, took, text)
				}
				return took
			})
		})
	}
}

// stopped starts a command, signals it after a second, and returns how it ended and how long that took.
func stopped(t *testing.T, judge string, args []string, stop os.Signal) (code int, text string, took time.Duration) {
	t.Helper()
	args = slices.Clone(args)
	if k := slices.Index(args, "OUT"); k >= 0 {
		args[k] = filepath.Join(t.TempDir(), "run")
	}
	cmd := exec.Command(judge, args...)
	if _, err := cmd.StdinPipe(); err != nil { // nobody writes into it
		t.Fatal(err)
	}
	c := startChild(t, cmd)
	select {
	case <-c.ended:
		t.Fatalf("it ended by itself: %s", c.text.String())
	case <-time.After(time.Second):
	}
	start := time.Now()
	if err := cmd.Process.Signal(stop); err != nil {
		t.Fatal(err)
	}
	code, text = c.end()
	return code, text, time.Since(start)
}

// TestEndlessSettings: what is read whole has a limit.
func TestEndlessSettings(t *testing.T) {
	for _, flag := range []string{"--tools", "--config"} {
		cmd := exec.Command(binary(t), "score", "../../fixtures/logs/support.jsonl", flag, "/dev/zero")
		if code, text := startChild(t, cmd).end(); code != exitUsage || !strings.Contains(text, "/dev/zero: longer than 64 MiB") {
			t.Errorf("%s: exit code %d: %s", flag, code, text)
		}
	}
}
