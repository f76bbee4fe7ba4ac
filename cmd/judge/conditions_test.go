//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/reliability"
	"github.com/judgekit/judge/internal/run/directory"
)

// condition is something that happens to the files of a run while it is at work, or
// between it and its resume. It returns what went wrong, "" for the scores of the
// undisturbed run, "named" where judge said what is wrong and sent nothing, "skip: …"
// where it cannot be tried here.
type condition struct {
	name string
	try  func(w *workplace, dir string, rng *rand.Rand) string
}

func conditions() []condition {
	return []condition{
		{"log appended to during the run", func(w *workplace, dir string, rng *rand.Rand) string {
			return w.logChanges(dir, rng, w.text+strings.Replace(w.text, `"id":"`, `"id":"again-`, 1), "log.jsonl grew since the run began")
		}},
		{"log edited during the run", func(w *workplace, dir string, rng *rand.Rand) string {
			return w.logChanges(dir, rng, strings.Replace(w.text, "the", "THE", 1), "log.jsonl changed")
		}},
		{"rubric edited between run and resume", rubricEdited},
		{"disk full", diskFull},
		{"file-size limit", fileSizeLimit},
		{"read-only directory", readOnly},
		{"symlink loop", func(w *workplace, dir string, _ *rand.Rand) string {
			if err := os.Symlink(dir, dir); err != nil {
				return err.Error()
			}
			return w.refused("too many levels", w.start(w.run(filepath.Join(dir, "run"))...))
		}},
		{"two processes", twoProcesses},
	}
}

// TestConditions: whatever happens to the files, the scores are those of the undisturbed
// run, at the latest after a resume, or judge says what is wrong before it sends anything.
// With JUDGE_CAMPAIGN=files it tries each at 20 places and writes its table.
func TestConditions(t *testing.T) {
	places, full := 1, os.Getenv("JUDGE_CAMPAIGN") == "files"
	if full {
		places = 20
	}
	w := newWorkplace(t, 3)
	var rows []reliability.Row
	for _, c := range conditions() {
		t.Run(c.name, func(t *testing.T) {
			at := *w
			at.t = t
			row := reliability.Row{Class: "files", Mode: c.name, Share: fmt.Sprintf("%d places", places), Items: places}
			start := time.Now()
			for place := range places {
				at.write(at.text)
				switch what := c.try(&at, filepath.Join(t.TempDir(), "run"), rngOf(place, c.name)); {
				case what == "":
					row.Right++
				case what == "named":
					row.Named++
				case strings.HasPrefix(what, "skip: "):
					rows = append(rows, reliability.Row{Class: row.Class, Mode: row.Mode, Share: row.Share, Note: "not tried: " + what[6:]})
					t.Skip(what)
				default:
					row.Lost++
					t.Errorf("place %d: %s", place, what)
				}
			}
			row.Seconds = max(0, time.Since(start).Seconds()/float64(places)-w.seconds)
			rows = append(rows, row)
		})
	}
	if full && !t.Failed() {
		if err := reliability.Update("../../docs/reliability.md", "conditions", rows); err != nil {
			t.Fatal(err)
		}
	}
}

// refused says whether judge named what is wrong and sent nothing.
func (w *workplace) refused(says string, c *child) string {
	w.t.Helper()
	sent := w.endpoint.count()
	code, text := c.end()
	if code != exitUsage || !strings.Contains(text, says) || w.endpoint.count() != sent {
		return fmt.Sprintf("exit code %d, %d requests sent, want %q: %.500s", code, w.endpoint.count()-sent, says, text)
	}
	return "named"
}

// logChanges changes the log while it is judged. The run ends, and names the log; where
// it says that it did not judge what it should, it is resumed with the log as it was.
func (w *workplace) logChanges(dir string, rng *rand.Rand, now, says string) string {
	w.t.Helper()
	w.endpoint.during(rng.IntN(w.wanted/2), func() { w.write(now) })
	code, text := w.start(w.run(dir)...).end()
	if !strings.Contains(text, says) || code != 0 && code != exitIncomplete {
		return fmt.Sprintf("exit code %d, want %q: %.500s", code, says, text)
	}
	w.write(w.text)
	return w.resumed(dir)
}

// killed starts a run and kills it at work.
func (w *workplace) killed(dir string, rng *rand.Rand, more ...string) {
	w.t.Helper()
	c := w.start(w.run(dir, more...)...).judging(w, dir, rng.IntN(w.wanted/2))
	_ = c.cmd.Process.Kill() // it may have ended
	<-c.ended
}

func rubricEdited(w *workplace, dir string, rng *rand.Rand) string {
	file := filepath.Join(filepath.Dir(w.log), "mine.jsonl")
	rubric, _, _ := strings.Cut(string(readFile(w.t, "../../rubrics", "builtin.jsonl")), "\n")
	write := func(words string) {
		text := strings.Replace(rubric, `"description": "`, `"description": "`+words, 1)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
	write("")
	whole := dir + "-whole"
	if code, text := w.start(w.run(whole, "--rubric", file)...).end(); code != 0 {
		return fmt.Sprintf("exit code %d: %s", code, text)
	}
	mine := *w
	mine.want = readFile(w.t, whole, directory.ScoresFile)
	mine.wanted = w.wanted / 4 // one rubric of four
	mine.killed(dir, rng, "--rubric", file)
	write("Be strict. ")
	if what := mine.refused("rubrics changed since", w.start("run", "--resume", dir)); what != "named" {
		return what
	}
	write("")
	return mine.resumed(dir)
}

// smallDisk runs judge with the run directory on a disk of so many bytes.
const smallDisk = `mount -t tmpfs -o size="$1" judge-test "$2" || exit 77; shift; shift; "$@"; code=$?
mkdir -p "$KEEP"; cp -r "$DISK"/. "$KEEP"; exit $code`

func diskFull(w *workplace, dir string, rng *rand.Rand) string {
	if _, err := exec.LookPath("unshare"); err != nil || os.Getuid() != 0 {
		return "skip: a disk of this size can only be mounted by root on Linux"
	}
	disk := w.t.TempDir()
	size := 100<<10 + rng.IntN(100<<10)
	args := append([]string{"-m", "sh", "-c", smallDisk, "sh", fmt.Sprint(size), disk, w.judge}, w.run(filepath.Join(disk, "run"))...)
	cmd := exec.Command("unshare", args...)
	cmd.Env = append(os.Environ(), "DISK="+filepath.Join(disk, "run"), "KEEP="+dir)
	code, text := startChild(w.t, cmd).end()
	if code == 77 || strings.Contains(text, "unshare failed") {
		return "skip: nothing can be mounted here"
	}
	return w.noRoom(code, text, dir, filepath.Join(disk, "run"), "no space left on device")
}

// noRoom checks how a run ended that could not write, and resumes it where there is room.
func (w *workplace) noRoom(code int, text, dir, there, says string) string {
	w.t.Helper()
	if code != exitIncomplete || !strings.Contains(text, says) || !strings.Contains(text, "judge run --resume "+there) {
		return fmt.Sprintf("exit code %d, want %q: %.500s", code, says, text)
	}
	return w.resumed(dir)
}

func fileSizeLimit(w *workplace, dir string, rng *rand.Rand) string {
	// In blocks of 512 bytes or of 1,024, as the shell has it.
	limit := 130 + rng.IntN(40)
	args := append([]string{"-c", fmt.Sprintf("ulimit -f %d; exec \"$@\"", limit), "sh", w.judge}, w.run(dir)...)
	code, text := startChild(w.t, exec.Command("sh", args...)).end()
	return w.noRoom(code, text, dir, dir, "file too large")
}

func readOnly(w *workplace, dir string, _ *rand.Rand) string {
	if err := os.Mkdir(dir, 0o500); err != nil {
		return err.Error()
	}
	cmd := exec.Command(w.judge, w.run(filepath.Join(dir, "run"))...)
	if os.Getuid() == 0 {
		return "skip: root writes into every directory"
	}
	return w.refused("permission denied", startChild(w.t, cmd))
}

// twoProcesses: the second process is told that the first is at work, which goes on.
func twoProcesses(w *workplace, dir string, rng *rand.Rand) string {
	first := w.start(w.run(dir)...).judging(w, dir, rng.IntN(w.wanted/4))
	// The first stands still, so that it is at work all the while.
	if err := first.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return err.Error()
	}
	time.Sleep(20 * time.Millisecond) // requests that are under way
	what := w.refused("another process", w.start("run", "--resume", dir))
	if what == "named" {
		what = w.refused("holds a run already", w.start(w.run(dir)...))
	}
	if err := first.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		return err.Error()
	}
	if code, text := first.end(); code != 0 {
		return fmt.Sprintf("the first process ends with %d: %s", code, text)
	}
	if what != "named" {
		return what
	}
	return w.same(dir)
}
