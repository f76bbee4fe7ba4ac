//go:build unix

package main

import (
	"bytes"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/judgekit/judge/internal/llm/queue/queuetest"
)

const redactedLog = `{"id":"ann@example.com","messages":[{"role":"user","content":"Write to ann@example.com."},` +
	`{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":` +
	`{"name":"send","arguments":"{\"to\":\"ann@example.com\"}"}}]}]}` + "\n"

// TestQueueRedacts runs over a queue with a judge whose endpoint is on this machine: what is
// stored in the queue has nothing that a pattern of redact matches, and the run stays
// redacted when it is resumed without the queue and shown.
func TestQueueRedacts(t *testing.T) {
	work, store := t.TempDir(), t.TempDir()
	engine, err := queuetest.Start("127.0.0.1:0", store, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Shutdown()
	endpoint := httptest.NewServer(&slowEndpoint{seen: map[[32]byte]int{}})
	defer endpoint.Close()
	files := map[string]string{
		"log.jsonl": redactedLog,
		"judge.yaml": "rubrics: [overall_call_correctness]\nredact: ['[a-z]+@example\\.com']\njudges:\n" +
			"  - {model: slow, base_url: " + endpoint.URL + "/v1}\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	judge, cache := binary(t), t.TempDir()
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(judge, args...)
		cmd.Dir, cmd.Env = work, append(os.Environ(), "OPENAI_API_KEY=", "XDG_CACHE_HOME="+cache)
		return cmd
	}
	run := command("run", "log.jsonl", "--out", "queued", "--queue", engine.ClientURL())
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return holds(t, store, "overall_call_correctness") })
	if holds(t, store, "ann@example.com") || !holds(t, store, "[redacted]") {
		t.Error("an address stands in the queue's store")
	}
	_ = run.Process.Kill()
	_ = run.Wait()
	if out, err := command("run", "--resume", "queued").CombinedOutput(); err != nil {
		t.Fatalf("resumed without the queue: %v\n%s", err, out)
	}
	scores, err := os.ReadFile(filepath.Join(work, "queued", "scores.jsonl"))
	if err != nil || !bytes.Contains(scores, []byte(`"record_redacted"`)) {
		t.Errorf("the resumed run is not redacted (%v):\n%s", err, scores)
	}
	shown, err := command("show", "queued", "ann@example.com:0:overall_call_correctness").CombinedOutput()
	if err != nil || !bytes.Contains(shown, []byte("Write to [redacted].")) {
		t.Errorf("the prompt is not shown as it was sent (%v):\n%s", err, shown)
	}
}

// TestQueueFullStore runs over a plain NATS server that has room for a few prompts: the run says
// so once, and ends as a run without a queue does.
func TestQueueFullStore(t *testing.T) {
	engine, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: t.TempDir(), JetStreamMaxStore: 300_000})
	if err != nil {
		t.Fatal(err)
	}
	go engine.Start()
	defer engine.Shutdown()
	if !engine.ReadyForConnections(30 * time.Second) {
		t.Fatal("the server does not start")
	}
	endpoint := httptest.NewServer(&slowEndpoint{seen: map[[32]byte]int{}})
	defer endpoint.Close()
	log, dir := filepath.Join(t.TempDir(), "log.jsonl"), filepath.Join(t.TempDir(), "run")
	writeCopies(t, log, 1)
	judge, cache := binary(t), t.TempDir()
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(judge, append(args, "--base-url", endpoint.URL+"/v1", "--model", "slow", "--queue", engine.ClientURL())...)
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY=", "XDG_CACHE_HOME="+cache)
		return cmd
	}
	worker := command("worker", "-j", "4")
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = worker.Process.Kill()
		_ = worker.Wait()
	}()
	out, err := command("run", log, "--out", dir).CombinedOutput()
	if err != nil || bytes.Count(out, []byte("the queue's store is full")) != 1 {
		t.Errorf("%v\n%s", err, out)
	}
}

// holds reports whether a file under dir holds the text.
func holds(t *testing.T, dir, text string) (found bool) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		found = found || bytes.Contains(data, []byte(text))
		return err
	})
	if err != nil && !os.IsNotExist(err) { // the server replaces files
		t.Fatal(err)
	}
	return found
}
