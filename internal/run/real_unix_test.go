//go:build unix

package run

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/judgekit/judge/judges"
)

// TestRealOllamaKilled kills a server of its own in the middle of a run, starts it
// again, and resumes: nothing that was answered is asked for again.
func TestRealOllamaKilled(t *testing.T) {
	bin, models := os.Getenv("JUDGE_TEST_OLLAMA_BIN"), os.Getenv("JUDGE_TEST_OLLAMA_MODELS")
	if bin == "" || models == "" {
		t.Skip("JUDGE_TEST_OLLAMA_BIN and JUDGE_TEST_OLLAMA_MODELS are not set: they name a program and its folder of models")
	}
	model := os.Getenv("JUDGE_TEST_OLLAMA_MODEL")
	if model == "" {
		model = "tiny-fast"
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	kill := serveOllama(t, bin, models, host)
	const items = 6
	dir := t.TempDir()
	p := shortPlan(t, "http://"+host+"/v1", model, shortLog(items, ""))
	var once sync.Once
	broken := judgeShort(t, p, dir, false, Observer{Judged: func(*judges.Result) { once.Do(kill) }})
	lost := 0
	for _, s := range judgements(t, dir) {
		if s.Error != nil && s.Error.Kind == judges.KindTransport {
			lost++
		}
	}
	if lost == 0 || broken.Manifest.Work.Sent == 0 {
		t.Fatalf("%d judgements lost, %d requests answered: the kill came too late or too early", lost, broken.Manifest.Work.Sent)
	}
	serveOllama(t, bin, models, host)
	whole := judgeShort(t, p, dir, true, Observer{})
	sound(t, judgements(t, dir), items)
	if whole.Manifest.Work.FromJournal == 0 {
		t.Error("nothing came from the journal")
	}
	t.Logf("%d of %d lost by the kill; after it %d requests were sent, %d answered from the journal", lost, items, whole.Manifest.Work.Sent, whole.Manifest.Work.FromJournal)
}

// serveOllama starts a server and waits until it answers. The function it returns
// kills it with its children, and waits for its end.
func serveOllama(t *testing.T, bin, models, host string) (kill func()) {
	t.Helper()
	cmd := exec.Command(bin, "serve")
	cmd.Env = append(os.Environ(), "OLLAMA_HOST="+host, "OLLAMA_MODELS="+models, "HOME="+t.TempDir(), "OLLAMA_NO_CLOUD=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	kill = func() {
		once.Do(func() {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			_ = cmd.Wait()
		})
	}
	t.Cleanup(kill)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
			return kill
		}
		select {
		case <-ctx.Done():
			t.Fatal("the server did not start")
		case <-time.After(50 * time.Millisecond):
		}
	}
}
