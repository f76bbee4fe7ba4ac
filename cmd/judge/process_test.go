//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/run/directory"
)

// workplace is a small log and an endpoint, and judge in processes of its own.
type workplace struct {
	t          *testing.T
	judge, log string
	text       string // of the log
	endpoint   *slowEndpoint
	base       string
	whole      string // the directory of an undisturbed run
	wanted     int    // its requests
	want       []byte // its scores
	seconds    float64
}

// newWorkplace runs the log of so many conversations undisturbed.
func newWorkplace(t *testing.T, conversations int) *workplace {
	t.Helper()
	data, err := os.ReadFile("../../fixtures/logs/support.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("OPENAI_API_KEY", damageCanary)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	w := &workplace{t: t, judge: binary(t), log: filepath.Join(t.TempDir(), "log.jsonl"), endpoint: &slowEndpoint{seen: map[[32]byte]int{}}}
	w.text = strings.Join(strings.SplitAfter(string(data), "\n")[:conversations], "")
	w.write(w.text)
	server := httptest.NewServer(w.endpoint)
	t.Cleanup(server.Close)
	w.base = server.URL + "/v1"
	start := time.Now()
	w.whole = filepath.Join(t.TempDir(), "whole")
	if code, text := w.start(w.run(w.whole)...).end(); code != 0 {
		t.Fatalf("the undisturbed run ends with %d: %s", code, text)
	}
	w.seconds = time.Since(start).Seconds()
	w.wanted, w.want = w.endpoint.forget(), readFile(t, w.whole, directory.ScoresFile)
	return w
}

// write writes the log in its place, so that a log that only grows is never seen shorter.
func (w *workplace) write(text string) {
	w.t.Helper()
	f, err := os.OpenFile(w.log, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Truncate(int64(len(text))), f.Close()); err != nil {
		w.t.Fatal(err)
	}
}

// inFlight is how many requests of a run are under way.
const inFlight = 4

// run returns the command line of a run.
func (w *workplace) run(dir string, more ...string) []string {
	return append([]string{"run", w.log, "--base-url", w.base, "--model", "slow", "-j", fmt.Sprint(inFlight), "--out", dir}, more...)
}

// child is judge in a process of its own.
type child struct {
	t     *testing.T
	args  []string
	cmd   *exec.Cmd
	text  bytes.Buffer // standard output and error
	ended chan struct{}
}

func (w *workplace) start(args ...string) *child {
	w.t.Helper()
	return startChild(w.t, exec.Command(w.judge, args...))
}

func startChild(t *testing.T, cmd *exec.Cmd) *child {
	t.Helper()
	c := &child{t: t, args: cmd.Args, cmd: cmd, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &c.text, &c.text
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait() // how it ended is in its state
		close(c.ended)
	}()
	return c
}

// end waits for the process; the code is -1 for one that was killed.
func (c *child) end() (code int, text string) {
	c.t.Helper()
	select {
	case <-c.ended:
	case <-time.After(time.Minute):
		_ = c.cmd.Process.Kill()
		<-c.ended
		c.t.Errorf("%q did not end within a minute", c.args)
	}
	text = c.text.String()
	clean(c.t, fmt.Sprintf("%q", c.args), text)
	return c.cmd.ProcessState.ExitCode(), text
}

// judging waits until judge asks about calls (it asks what the endpoint can do before
// it writes run.json), and until n requests more came, or the process ended.
func (c *child) judging(w *workplace, dir string, n int) *child {
	w.t.Helper()
	from := -1
	waitFor(w.t, func() bool {
		select {
		case <-c.ended:
			return true
		default:
		}
		_, err := os.Stat(filepath.Join(dir, directory.ManifestFile))
		if err == nil && from < 0 {
			from = w.endpoint.count()
		}
		return from >= 0 && w.endpoint.count() > from+n
	})
	return c
}

// private is what no output may hold: the key, addresses in memory, places in the source.
var private = regexp.MustCompile(damageCanary + `|\b0xc0[0-9a-f]{6,}|goroutine \d+ \[|[\w/]+\.go:\d+`)

func clean(t *testing.T, what, text string) {
	t.Helper()
	if found := private.FindString(text); found != "" {
		t.Errorf("%s shows %q: %.2000s", what, found, text)
	}
}

// cleanFiles looks into every file of a run directory.
func cleanFiles(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		clean(t, path, string(data))
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// same says how a run directory differs from that of the undisturbed run, "" for not at
// all.
func (w *workplace) same(dir string) string {
	w.t.Helper()
	cleanFiles(w.t, dir)
	if got, err := os.ReadFile(filepath.Join(dir, directory.ScoresFile)); err != nil {
		return err.Error()
	} else if !bytes.Equal(got, w.want) {
		return "other scores than those of the undisturbed run"
	}
	return ""
}

// resumed resumes a run, and compares it with the undisturbed one.
func (w *workplace) resumed(dir string) string {
	w.t.Helper()
	if code, text := w.start("run", "--resume", dir).end(); code != 0 {
		return fmt.Sprintf("the resume ends with %d: %.500s", code, text)
	}
	return w.same(dir)
}

func rngOf(place int, name string) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(place), uint64(len(name))))
}
