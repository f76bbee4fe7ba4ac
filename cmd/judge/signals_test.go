//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/reliability"
	"github.com/judgekit/judge/internal/run/directory"
)

// interruption is what a process is sent.
type interruption struct {
	name    string
	signals []os.Signal
}

var interruptions = []interruption{
	{"kill -9", []os.Signal{syscall.SIGKILL}},
	{"SIGINT", []os.Signal{syscall.SIGINT}},
	{"SIGINT twice", []os.Signal{syscall.SIGINT, syscall.SIGINT}},
	{"SIGTERM", []os.Signal{syscall.SIGTERM}},
}

// phase starts judge and waits until it is at a work that can be interrupted.
type phase struct {
	name  string
	start func(w *workplace, dir string, rng *rand.Rand) *child
	// answers says that the run directory is written, so that the way to go on is told.
	answers bool
}

var phases = []phase{
	{name: "plan", start: func(w *workplace, dir string, rng *rand.Rand) *child {
		many := filepath.Join(filepath.Dir(w.log), "many.jsonl")
		if err := os.WriteFile(many, []byte(strings.Repeat(w.text, 400)), 0o600); err != nil {
			w.t.Fatal(err)
		}
		return w.start("run", many, "--dry-run", "--base-url", w.base, "--model", "slow").soon(rng)
	}},
	{name: "probe", start: func(w *workplace, dir string, rng *rand.Rand) *child {
		w.endpoint.deaf.Store(true)
		c := w.start(w.run(dir)...)
		waitFor(w.t, func() bool { return w.endpoint.waiting.Load() > 0 })
		return c
	}},
	{name: "run", answers: true, start: func(w *workplace, dir string, rng *rand.Rand) *child {
		return w.start(w.run(dir)...).judging(w, dir, rng.IntN(w.wanted*3/4))
	}},
	{name: "resume", answers: true, start: func(w *workplace, dir string, rng *rand.Rand) *child {
		w.killed(dir, rng)
		return w.start("run", "--resume", dir).judging(w, dir, rng.IntN(w.wanted/4))
	}},
	{name: "replay", start: func(w *workplace, dir string, rng *rand.Rand) *child {
		w.copyWhole(dir)
		return w.start("run", "--resume", dir).soon(rng)
	}},
	{name: "report", start: func(w *workplace, dir string, rng *rand.Rand) *child {
		w.copyWhole(dir)
		return w.start("report", dir).soon(rng)
	}},
}

// soon waits for a moment in which a process that sends nothing may be anywhere.
func (c *child) soon(rng *rand.Rand) *child {
	select {
	case <-c.ended:
	case <-time.After(time.Duration(20+rng.IntN(200)) * time.Millisecond):
	}
	return c
}

func (w *workplace) copyWhole(dir string) {
	w.t.Helper()
	if err := os.CopyFS(dir, os.DirFS(w.whole)); err != nil {
		w.t.Fatal(err)
	}
}

// TestSignals interrupts judge at every work. It says that it heard, ends with 130 and
// the command to go on, and nothing is lost: a resume makes the files of the undisturbed
// run, and at most what was in flight is sent again. With JUDGE_CAMPAIGN=signals it tries
// everything at 20 moments and writes its table.
func TestSignals(t *testing.T) {
	moments, full := 1, os.Getenv("JUDGE_CAMPAIGN") == "signals"
	if full {
		moments = 20
	}
	w := newWorkplace(t, 3)
	var rows []reliability.Row
	for p, phase := range phases {
		for i, by := range interruptions {
			if !full && i != p%len(interruptions) {
				continue
			}
			t.Run(by.name+" in "+phase.name, func(t *testing.T) {
				at := *w
				at.t = t
				row := reliability.Row{Class: phase.name, Mode: by.name, Share: fmt.Sprintf("%d moments", moments), Items: moments * w.wanted}
				codes := map[int]int{}
				start := time.Now()
				for moment := range moments {
					dir := filepath.Join(t.TempDir(), "run")
					again, code, what := at.interrupted(phase, by, dir, rngOf(moment, phase.name+by.name))
					codes[code]++
					row.Again += again
					if what == "" {
						row.Right += w.wanted
					} else {
						t.Errorf("moment %d: %s", moment, what)
					}
				}
				row.Lost = row.Items - row.Right
				row.Seconds = max(0, time.Since(start).Seconds()/float64(moments)-w.seconds)
				row.Note = endings(codes)
				rows = append(rows, row)
			})
		}
	}
	if full && !t.Failed() {
		if err := reliability.Update("../../docs/reliability.md", "signals", rows); err != nil {
			t.Fatal(err)
		}
	}
}

func endings(codes map[int]int) string {
	var out []string
	for _, end := range []struct {
		code  int
		words string
	}{{-1, "killed"}, {exitInterrupted, "exit 130"}, {exitOK, "through before"}} {
		if n := codes[end.code]; n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, end.words))
		}
	}
	return strings.Join(out, ", ")
}

// interrupted interrupts judge once, and goes on. again counts what was sent twice.
func (w *workplace) interrupted(p phase, by interruption, dir string, rng *rand.Rand) (again, code int, what string) {
	w.t.Helper()
	w.endpoint.forget()
	c := p.start(w, dir, rng)
	for i, s := range by.signals {
		if i > 0 {
			time.Sleep(time.Duration(rng.IntN(10)) * time.Millisecond)
		}
		_ = c.cmd.Process.Signal(s) // it may have ended
	}
	code, text := c.end()
	w.endpoint.deaf.Store(false)
	if what := badEnd(p, by, code, text, dir); what != "" {
		return 0, code, fmt.Sprintf("exit code %d: %s: %.600s", code, what, text)
	}
	if p.name == "plan" {
		return 0, code, ""
	}
	args := []string{"run", "--resume", dir}
	if _, err := os.Stat(filepath.Join(dir, directory.ManifestFile)); err != nil {
		args = w.run(dir)
	}
	if code, text := w.start(args...).end(); code != 0 {
		return 0, code, fmt.Sprintf("%q ends with %d: %.500s", args, code, text)
	}
	if p.name != "replay" && p.name != "report" {
		again = w.endpoint.count() - w.wanted
	} else {
		again = w.endpoint.count()
	}
	if most := inFlight * 2; again < 0 || again > most { // a resume is killed once before
		return again, code, fmt.Sprintf("%d requests sent again, at most %d were in flight", again, most)
	}
	return again, code, w.same(dir)
}

// badEnd says what is wrong with how an interrupted process ended.
func badEnd(p phase, by interruption, code int, text, dir string) string {
	heard := strings.Contains(text, "again to stop now")
	switch {
	case code == exitOK, code == -1 && by.name == "kill -9":
		return ""
	case code == -1 && text == "" && !p.answers:
		return "" // before it could listen
	case code != exitInterrupted:
		return "the exit code is not 130"
	case !heard:
		return "it does not say that it heard"
	case p.answers && !strings.Contains(text, directory.ResumeCommand(dir)):
		return "it does not say how to go on"
	}
	return ""
}
