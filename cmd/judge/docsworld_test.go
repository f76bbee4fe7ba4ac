package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// prelude has the person's part of the commands: somebody who opens a page labels what it
// shows, and somebody who has a sheet written fills it in.
const prelude = `set -e
judge() {
	case " $* " in
	*" view "*)
		command judge "$@" > view.out 2>&1 & page=$!
		until grep -q http:// view.out; do kill -0 $page || { cat view.out; exit 1; }; sleep 0.02; done
		kill -TERM $page; wait $page || true
		case "$#-$3" in 2-) byhand "$2" ann;; 4---as) byhand "$2" "$4";; esac;;
	*" --sheet "*) command judge "$@"; byhand --sheet "$4";;
	*) command judge "$@";;
	esac
}
`

// docsWorld is a directory as somebody has it who pastes commands: the checkout's own
// folders, logs under traces, results of other tools, and an endpoint.
type docsWorld struct {
	// urls replaces the endpoints of the documentation by addresses here.
	urls *strings.Replacer
	// runs is a folder of finished runs.
	runs string
	root string
}

func newDocsWorld(t *testing.T) *docsWorld {
	service := newBatchService()
	service.grade = gradeAll
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, r.URL.Path, _ = strings.Cut(r.URL.Path, "/v1")
		r.URL.Path = "/v1" + r.URL.Path
		if strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprint(w, `{"object":"list","data":[{"id":"qwen3:8b"},{"id":"small"},{"id":"large"},{"id":"gpt-5-mini"},{"id":"Qwen/Qwen3-8B"}]}`)
			return
		}
		service.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	for i, url := range servers {
		urls = append(urls, url, fmt.Sprintf("%s/%d/v1", server.URL, i))
	}
	w := &docsWorld{urls: strings.NewReplacer(urls...), root: root}
	first := w.directory(t)
	w.runs = filepath.Join(first, "runs")
	w.sh(t, first, `judge run fixtures/logs/support.jsonl --out runs/20261120-1000-3f9c > first.out 2>&1
for name in main branch small-model large-model monday tuesday baseline; do cp -r runs/20261120-1000-3f9c runs/$name; done`)
	return w
}

// gradeAll answers every rubric.
func gradeAll(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	answerOne(w, body)
}

// directory makes a fresh directory of the world.
func (w *docsWorld) directory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	support := string(read(t, w.root+"/fixtures/logs/support.jsonl"))
	lines := strings.SplitAfter(support, "\n")
	for name, text := range map[string]string{
		"logs/logs.go":         string(read(t, w.root+"/logs/logs.go")),
		"traces/monday.jsonl":  strings.Join(lines[:2], ""),
		"traces/tuesday.jsonl": strings.Join(lines[2:4], ""),
		"traces.jsonl":         strings.Join(lines[:2], ""),
		"logs/now.jsonl":       strings.Join(lines[:2], ""),
		"traces.json":          mappedLog,
		"odd.json":             `{"runs":[` + mappedLog + `]}`,
		"nested.json": `{"sessions":[{"turns":[{"user_text":"Where is KT-1?","steps":[{"action":{"tool":"get_order",` +
			`"args":{"order_id":"KT-1"}},"observation":"packed"}],"reply":"It is packed."}]}]}`,
		"rows.csv":            "case_no,asked,fn,params,answer\n" + `7,Where is KT-1?,get_order,"{""order_id"":""KT-1""}",packed` + "\n",
		"results.json.gz":     gzipped(string(read(t, w.root+"/fixtures/logs/ferry.tau.json"))),
		"results/odd.json.gz": gzipped(string(read(t, w.root+"/fixtures/logs/odd.jsonl"))),
		"cases.jsonl":         `{"id":"a","scorer":"ast_equivalence","actual":"f(n=1)","expected":"f(n=1)"}` + "\n",
		"agree.csv":           "conversation,ann,bob,model\na,pass,pass,pass\na,fail,fail,pass\nb,pass,fail,fail\nc,fail,fail,fail\nc,pass,pass,pass\n",
		"state.json":          `{"orders":{},"customers":{}}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, path, text)
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "runs"), 0o700), os.Symlink(w.root+"/fixtures", filepath.Join(dir, "fixtures"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

const mappedLog = `{"verdict":1,"trace":{"events":[{"msg":{"role":"user","content":"Where is order 7?"}},` +
	`{"msg":{"role":"assistant","tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{}"}}]}}]}}` + "\n"

func gzipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

// sh pastes commands into a shell, and returns what they print.
func (w *docsWorld) sh(t *testing.T, dir, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", prelude+w.urls.Replace(script))
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "RUNS=" + w.runs, "AZURE_OPENAI_KEY=k1234567", "GATEWAY_TOKEN=k7654321"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v of\n%s\n%s", err, script, out)
	}
	return string(out)
}

// vllm answers a batch file as vllm run-batch does: requests for a model that is not
// served have no answer.
func vllm() {
	var in, out, model string
	for i, arg := range os.Args[:len(os.Args)-1] {
		switch arg {
		case "-i":
			in = os.Args[i+1]
		case "-o":
			out = os.Args[i+1]
		case "--model":
			model = os.Args[i+1]
		}
	}
	file, err := os.ReadFile(in)
	if err == nil && bytes.Count(file, []byte(`"model":"`+model+`"`)) < bytes.Count(file, []byte("\n")) {
		err = fmt.Errorf("%s asks for another model than %s", in, model)
	}
	if err == nil {
		answers, _ := answerBatch(file, func(int) bool { return false }, gradeAll)
		err = os.WriteFile(out, answers, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// people is "people RUN [WHO]", which labels the calls of a run, or "byhand --sheet FILE",
// which fills in a sheet.
func byHand() {
	if err := labelByHand(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func labelByHand(args []string) error {
	sheet := args[len(args)-1]
	if args[0] != "--sheet" {
		var err error // the command below may go where the run was started
		args[0], err = filepath.Abs(args[0])
		if sheet = args[0] + ".csv"; err != nil {
			return err
		}
		a := &app{in: strings.NewReader(""), out: os.Stderr, err: os.Stderr, getenv: os.Getenv}
		if code := command(context.Background(), []string{"calibrate", args[0], "--sheet", sheet, "--force"}, a); code != exitOK {
			return fmt.Errorf("no sheet: exit %d", code)
		}
	}
	text, err := os.ReadFile(sheet)
	if err != nil {
		return err
	}
	filled, err := labelled(string(text), "label")
	if err != nil || args[0] == "--sheet" {
		return errors.Join(err, os.WriteFile(sheet, filled, 0o600))
	}
	who := "ann"
	if len(args) > 1 {
		who = args[1]
	}
	return labelRun(args[0], bytes.NewReader(filled), who, 0)
}
