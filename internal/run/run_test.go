package run

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/environment/sandbox"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// childEnv makes the test binary an endpoint in a process of its own, so that its
// work is not counted as ours.
const childEnv = "JUDGE_RUN_TEST_ENDPOINT"

// childCommand makes the test binary the process that runs Starlark tools.
const childCommand = "__environment"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		serveFixedAnswer()
		return
	}
	if len(os.Args) > 1 && os.Args[1] == childCommand {
		os.Exit(sandbox.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// fixedAnswers fit the scale of each built-in rubric.
var fixedAnswers = map[string]string{
	rubrics.Intent: "4", rubrics.Completeness: "5", rubrics.Prerequisite: "1", rubrics.Overall: "0.9",
}

func serveFixedAnswer() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	bodies := map[string]string{}
	for name, output := range fixedAnswers {
		answer := `{\"explanation\":\"The call follows from what the user said.\",\"evidence\":\"NONE: nothing is quoted here\",\"output\":` + output + `,\"confidence\":0.9,\"correction\":{}}`
		bodies[name] = `{"id":"x","object":"chat.completion","model":"fixed","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"` + answer + `"}}],"usage":{"prompt_tokens":2000,"completion_tokens":40,"total_tokens":2040}}`
	}
	fmt.Println("http://" + l.Addr().String() + "/v1")
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		tail := string(body[max(0, len(body)-8000):])
		for name, reply := range bodies {
			if strings.Contains(tail, `"name":"`+name+`"`) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, reply)
				return
			}
		}
		http.Error(w, "no rubric in the request", http.StatusBadRequest)
	}))
}

// endpoint starts the child and returns its base URL.
func endpoint(tb testing.TB) string {
	tb.Helper()
	exe, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	var base string
	if _, err := fmt.Fscanln(out, &base); err != nil {
		tb.Fatal(err)
	}
	return base
}

const supportLog = "../../fixtures/logs/support.jsonl"

func fileLog(name string) input.Log {
	return input.Log{Name: name, Open: func() (io.ReadCloser, error) { return os.Open(name) }}
}

// repeated returns the support log n times over, ids and what users say made different.
func repeated(tb testing.TB, n int) input.Log {
	tb.Helper()
	data, err := os.ReadFile(supportLog)
	if err != nil {
		tb.Fatal(err)
	}
	var b strings.Builder
	for i := range n {
		one := strings.ReplaceAll("\n"+string(data), "\n{\"id\":\"", fmt.Sprintf("\n{\"id\":\"%d-", i))[1:]
		b.WriteString(strings.ReplaceAll(one, `"user","content":"`, fmt.Sprintf(`"user","content":"Case %d. `, i)))
	}
	text := b.String()
	return input.Log{Name: "repeated.jsonl", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

func plan(tb testing.TB, base string, logs ...input.Log) setup {
	tb.Helper()
	list, err := rubrics.Builtin()
	if err != nil {
		tb.Fatal(err)
	}
	p := setup{Task: Task{Inputs: Inputs{Logs: logs}, Team: instrument.Team{Rubrics: list}}}
	if base != "" {
		p.Judges = []instrument.Judge{{Config: judges.Config{Model: "fixed", Name: "fixed"}, Endpoint: client.Endpoint{BaseURL: base, Concurrency: 64}}}
	}
	return p
}

// BenchmarkRun measures whole runs against an endpoint that answers at once:
// requests per second, and the CPU time of this process for 1,000 requests.
func BenchmarkRun(b *testing.B) {
	base := endpoint(b)
	log := repeated(b, 10)
	var requests, cpu float64
	for b.Loop() {
		dir := b.TempDir()
		before := processCPU()
		out, err := executeSetup(b.Context(), plan(b, base, log), dir, false, Observer{})
		if err != nil {
			b.Fatal(err)
		}
		cpu += processCPU() - before
		requests += float64(out.Manifest.Work.Sent)
	}
	b.ReportMetric(requests/b.Elapsed().Seconds(), "requests/s")
	b.ReportMetric(1000*cpu/requests, "cpu-s/1000req")
}
