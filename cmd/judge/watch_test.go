//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/run/directory"
)

// watched writes some of the lines of a log to a file of a folder that is watched.
func watched(t *testing.T, folder, name string, lines []string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestWatchKilled: a watch that was killed while it judged goes on from there: nothing is asked twice but
// what was in flight, and the scores are those of a run of the same conversations.
func TestWatchKilled(t *testing.T) {
	w := newWorkplace(t, 6)
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "runs")
	watched(t, folder, "a.jsonl", []string{w.text})
	args := []string{"watch", folder, "--once", "--settle", "0s", "--out", out, "--base-url", w.base, "--model", "slow",
		"-j", fmt.Sprint(inFlight)}
	find := func() string {
		found, _ := filepath.Glob(filepath.Join(out, "watch-*", directory.ManifestFile))
		if len(found) == 0 {
			return ""
		}
		return filepath.Dir(found[0])
	}
	w.endpoint.forget()
	c := w.start(args...)
	waitFor(t, func() bool { return find() != "" && w.endpoint.count() > w.wanted/2 })
	_ = c.cmd.Process.Kill()
	<-c.ended
	if code, text := w.start(args...).end(); code != 0 || !strings.Contains(text, " 0 new; today ") {
		t.Fatalf("exit %d: %s", code, text)
	}
	if again := w.endpoint.count() - w.wanted; again < 0 || again > inFlight+1 {
		t.Errorf("%d requests were sent again, at most %d were in flight", again, inFlight)
	}
	dir := find()
	cleanFiles(t, dir)
	m, err := directory.ReadManifest(dir)
	if err != nil || m.Status != directory.Complete || m.Counts.Conversations != 6 {
		t.Errorf("%v: %+v", err, m)
	}
	// The directory is a run like others.
	sent := w.endpoint.count()
	if code, text := w.start("run", "--resume", dir, "-q").end(); code != 0 || w.endpoint.count() != sent {
		t.Errorf("resume: exit %d, %d more requests: %s", code, w.endpoint.count()-sent, text)
	}
}

// TestWatchFullDisk: a disk that takes no more, at whatever file, loses nothing.
func TestWatchFullDisk(t *testing.T) {
	w := newWorkplace(t, 6)
	folder := t.TempDir()
	watched(t, folder, "a.jsonl", []string{w.text})
	for _, blocks := range []int{1, 20, 60, 160, 400} {
		out := filepath.Join(t.TempDir(), "runs")
		args := []string{"watch", folder, "--once", "--settle", "0s", "--out", out, "--base-url", w.base, "--model", "slow"}
		limited := exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -f %d; exec "$@"`, blocks), "sh", w.judge}, args...)...)
		code, text := startChild(t, limited).end()
		t.Logf("%d blocks: exit %d: %.200s", blocks, code, text)
		if code == exitInternal {
			t.Errorf("%d blocks: exit %d: %s", blocks, code, text)
		}
		if code, text := w.start(args...).end(); code != 0 || !strings.Contains(text, "in 6 conversations") {
			t.Errorf("%d blocks, then a disk with room: exit %d: %s", blocks, code, text)
		}
		found, _ := filepath.Glob(filepath.Join(out, "watch-*", "conversations.jsonl"))
		if len(found) != 1 || strings.Count(string(readFile(t, filepath.Dir(found[0]), "conversations.jsonl")), "\n") != 6 {
			t.Errorf("%d blocks: %q", blocks, found)
		}
	}
}

// TestWatchAlarm: failures that become many end the watch with exit code 100, once a day; with --exec the
// command is run in its place.
func TestWatchAlarm(t *testing.T) {
	for _, command := range []string{"", "cat>alarm;printenv"} {
		t.Chdir(t.TempDir())
		if err := os.Mkdir("logs", 0o700); err != nil {
			t.Fatal(err)
		}
		call := func(day string, i int, country string) string {
			return fmt.Sprintf(`{"id":"%s%d","tools":[{"name":"address","parameters":{"type":"object","properties":`+
				`{"country":{"type":"string"}},"required":["country"]}}],"messages":[{"role":"user","content":"to Norway"},`+
				`{"role":"assistant","tool_calls":[{"id":"k","type":"function","function":{"name":"address","arguments":"%s"}}]}]}`+
				"\n", day, i, country)
		}
		good, bad := `{\"country\":\"Norway\"}`, `{}`
		var first, second []string
		for i := range 40 {
			first, second = append(first, call("a", i, good)), append(second, call("b", i, bad))
		}
		const watch = "watch logs --once -q --settle 0s --no-judge"
		watched(t, "logs", "a.jsonl", first)
		mustRun(t, watch)
		state, err := filepath.Glob("runs/.watch-*.json")
		if err != nil || len(state) != 1 {
			t.Fatal(state, err)
		}
		data, err := os.ReadFile(state[0])
		if err != nil {
			t.Fatal(err)
		}
		yesterday := strings.Replace(string(data), `"date":"20`, `"date":"19`, 1)
		if err := os.WriteFile(state[0], []byte(yesterday), 0o600); err != nil {
			t.Fatal(err)
		}
		watched(t, "logs", "b.jsonl", second)
		args := watch
		if command != "" {
			args += " --exec " + command
		}
		code, out, errs := inCommand(t, args)
		if !strings.Contains(out, "ALARM: more calls fail: today 40 of 40 conversations, before 0 of 40") ||
			!strings.Contains(out, "ALARM: address: country is missing, the schema requires it: today 40 of 40") {
			t.Errorf("%s%s", out, errs)
		}
		if command == "" {
			if code != exitGate {
				t.Errorf("exit %d", code)
			}
			if code, out, _ := inCommand(t, args); code != exitOK || strings.Contains(out, "ALARM") {
				t.Errorf("alarmed twice: exit %d, %s", code, out)
			}
			continue
		}
		var said struct {
			Dir    string
			Alarms []struct{ Group string }
		}
		data, err = os.ReadFile("alarm")
		if code != exitOK || err != nil || json.Unmarshal(data, &said) != nil || len(said.Alarms) != 2 || said.Dir == "" {
			t.Errorf("exit %d, %v: %s", code, err, data)
		}
		if !strings.Contains(errs, "JUDGE_ALARM=more calls fail: today 40 of 40") {
			t.Errorf("the command did not get the alarm: %s", errs)
		}
	}
}

// TestViewFollowsWatch: judge view shows what a watch adds to the run of the day, with its conversations.
func TestViewFollowsWatch(t *testing.T) {
	judge, support := binary(t), string(readFile(t, "../../fixtures/logs", "support.jsonl"))
	t.Chdir(t.TempDir())
	if err := os.Mkdir("logs", 0o700); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(support, "\n")
	watched(t, "logs", "a.jsonl", lines[:4])
	const watch = "watch logs --once -q --settle 0s"
	mustRun(t, watch)
	v := startView(t, judge, "runs/latest")
	total := func() (n struct {
		Total int
		Items []struct{ Conversation string }
	}) {
		if err := json.Unmarshal([]byte(v.answer("api/items", map[string]any{"limit": 1000})), &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	read := func(id string) string {
		return v.answer("api/conversation?conversation="+url.QueryEscape(id), nil)
	}
	before := total()
	if text := read(before.Items[0].Conversation); strings.Contains(text, "problem") {
		t.Errorf("%s", text)
	}
	watched(t, "logs", "b.jsonl", lines[4:8])
	mustRun(t, watch)
	after := before
	waitFor(t, func() bool { after = total(); return after.Total > before.Total })
	last := after.Items[len(after.Items)-1].Conversation
	if text := read(last); strings.Contains(text, "problem") || !strings.Contains(text, "messages") {
		t.Errorf("%s: %.300s", last, text)
	}
}
