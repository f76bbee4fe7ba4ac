package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/llm/queue/queuetest"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
)

// queueServer is the first argument with which the test binary is a NATS server; the others
// are its address and its store.
const queueServer = "queue-server"

// TestMain serves as the child process of the shop's environment too: the commands
// that tests run in this process start this binary for it.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childCommand {
		main()
	}
	if len(os.Args) == 5 && os.Args[1] == bareClient {
		inFlight, _ := strconv.Atoi(os.Args[4])
		if err := sendBare(os.Args[2], os.Args[3], inFlight); err != nil {
			panic(err)
		}
		return
	}
	if len(os.Args) == 4 && os.Args[1] == queueServer {
		if _, err := queuetest.Start(os.Args[2], os.Args[3], nil); err != nil {
			panic(err)
		}
		select {}
	}
	testscript.Main(m, map[string]func(){
		"judge":  main,
		"vllm":   vllm,
		"byhand": byHand,
	})
}

// TestScripts runs the command as a user would. Beside testscript's own commands
// the scripts have "endpoint KIND", which starts an OpenAI-compatible server of the
// test's and puts its URL into $ENDPOINT.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("FIXTURES", filepath.Join(root, "fixtures"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "cache"))
			for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OLLAMA_HOST", "GITHUB_STEP_SUMMARY"} {
				env.Setenv(name, "")
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"endpoint": startEndpoint,
			"append":   appendTo,
			"lines":    countLines,
			"relog":    relog,
			"fillin":   fillIn,
			"people":   peopleLabel,
			"subst":    subst,
			"settings": settingsOf,
			"status":   exitStatus,
			"notebook": checkNotebook,
		},
	})
}

// appendTo appends one file to another.
func appendTo(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: append FROM TO")
	}
	to := ts.MkAbs(args[1])
	data := ts.ReadFile(args[1]) + ts.ReadFile(args[0])
	ts.Check(os.WriteFile(to, []byte(data), 0o600))
}

// startEndpoint starts one of the servers below.
func startEndpoint(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: endpoint KIND")
	}
	handler, ok := endpoints[args[0]]
	if h, example := exampleServers[args[0]]; example {
		handler, ok = h, true
	}
	if !ok {
		ts.Fatalf("unknown endpoint %q", args[0])
	}
	server := httptest.NewServer(http.HandlerFunc(handler))
	ts.Defer(server.Close)
	ts.Setenv("ENDPOINT", server.URL+"/v1")
}

// overbooked counts the requests to the endpoint of that name.
var overbooked atomic.Int64

// endpoints are what can be wrong with a server.
var endpoints = map[string]func(http.ResponseWriter, *http.Request){
	// unauthorized echoes the key back, as some gateways do.
	"unauthorized": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"bad key: %s"}}`, r.Header.Get("Authorization"))
	},
	"nomodel": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprint(w, `{"object":"list","data":[{"id":"llama3"}]}`)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":{"message":"model not found"}}`)
	},
	// capable takes schemas as tools only, and no open objects.
	"capable": func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		text := string(body)
		switch {
		case r.URL.Path == "/v1/models":
			fmt.Fprint(w, `{"object":"list","data":[{"id":"capable"}]}`)
			return
		case !strings.HasSuffix(r.URL.Path, "/chat/completions"):
			http.NotFound(w, r)
			return
		case strings.Contains(text, `"response_format"`), strings.Contains(text, `"additionalProperties":true`):
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":{"message":"this schema is not supported"}}`)
			return
		}
		arguments := `{}`
		if _, rest, ok := strings.Cut(text, `"key_`); ok {
			key, _, _ := strings.Cut(rest, `"`)
			arguments = `{\"key_` + key + `\":\"v\",\"b\":1,\"a\":true}`
		}
		fmt.Fprintf(w, `{"choices":[{"finish_reason":"tool_calls","message":{"content":null,"tool_calls":[{"function":{"name":"f","arguments":"%s"}}]}}]}`, arguments)
	},
	// agreeable says yes to every question.
	"agreeable": func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/v1/models" {
			fmt.Fprint(w, `{"object":"list","data":[{"id":"m","max_model_len":4096}]}`)
			return
		}
		answer := `{"explanation":"So it is.","evidence":"NONE: nothing","output":"yes","confidence":0.9}`
		if strings.Contains(string(body), `There are several rubrics.`) {
			answer = `{"polite":` + answer + `,"clear":` + answer + `,"vague":{"output":"maybe"}}`
		}
		if strings.Contains(string(body), `with its result`) {
			answer = strings.TrimSuffix(answer, "}") + `,"correction":{}}`
		}
		if _, rest, ok := strings.Cut(string(body), `"key_`); ok {
			key, _, _ := strings.Cut(rest, `"`)
			answer = `{"key_` + key + `":"v","b":1,"a":true}`
		}
		fmt.Fprintf(w, `{"choices":[{"finish_reason":"stop","message":{"content":%q}}],"usage":{"prompt_tokens":%d}}`, answer, len(body)/4)
	},
	// strict takes schemas as tools only, refuses open objects, and answers what the
	// schema wants.
	"strict": func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		text := string(body)
		arguments := `{\"explanation\":\"e\",\"evidence\":\"NONE: nothing\",\"output\":1,\"confidence\":0.9,\"correction\":\"\"}`
		_, rest, probed := strings.Cut(text, `"key_`)
		switch {
		case r.URL.Path == "/v1/models":
			fmt.Fprint(w, `{"object":"list","data":[{"id":"strict"}]}`)
			return
		case !strings.HasSuffix(r.URL.Path, "/chat/completions"):
			http.NotFound(w, r)
			return
		case strings.Contains(text, `"response_format"`), strings.Contains(text, `"additionalProperties":true`):
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":{"message":"this schema is not supported"}}`)
			return
		case probed:
			key, _, _ := strings.Cut(rest, `"`)
			arguments = `{\"key_` + key + `\":\"v\",\"b\":1,\"a\":true}`
		}
		fmt.Fprintf(w, `{"choices":[{"finish_reason":"tool_calls","message":{"content":null,"tool_calls":[{"function":{"name":"f","arguments":"%s"}}]}}]}`, arguments)
	},
	// unwilling refuses every request over a member that all of them have.
	"unwilling": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/v1/models" {
			fmt.Fprint(w, `{"object":"list","data":[{"id":"unwilling"}]}`)
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":{"message":"temperature is not supported"}}`)
	},
	// narrow is a vLLM that tells a context of 6000 tokens.
	"narrow": func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		answer, probed := probeAnswer(string(body))
		if !probed {
			answer = `{"explanation":"e","evidence":"NONE: nothing","output":5,"confidence":0.9,"correction":{}}`
		}
		switch r.URL.Path {
		case "/v1/models":
			fmt.Fprint(w, `{"object":"list","data":[{"id":"narrow","max_model_len":6000}]}`)
		case "/version":
			fmt.Fprint(w, `{"version":"0.12.0"}`)
		case "/v1/chat/completions":
			fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q}}]}`, answer)
		default:
			http.NotFound(w, r)
		}
	},
	// firewall refuses the prompts about one refund and answers all others.
	"firewall": func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		if strings.Contains(string(body), "bent blade") && strings.Contains(string(body), "refund_payment") && strings.Contains(string(body), "73.8") {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"error":{"message":"blocked by policy 17"}}`)
			return
		}
		answerOne(w, body)
	},
	// overbooked answers a while and then tells everybody to come back tomorrow.
	"overbooked": func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		if overbooked.Add(1) > 40 {
			w.Header().Set("Retry-After", "86400")
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"error":{"message":"quota used up"}}`)
			return
		}
		answerOne(w, body)
	},
	// expired takes the key for the probe, and refuses it afterwards.
	"expired": func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		if answer, ok := probeAnswer(string(body)); ok || strings.Contains(string(body), "track_parcel") {
			fmt.Fprintf(w, `{"choices":[{"finish_reason":"stop","message":{"content":%q}}]}`, answer)
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"bad key: %s"}}`, r.Header.Get("Authorization"))
	},
	// counting counts a thousand tokens of every prompt, most of them cached.
	"counting": func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		answer, probed := probeAnswer(string(body))
		if !probed {
			answer = `{"explanation":"fine","evidence":"NONE: nothing","output":1,"confidence":0.9,"correction":{}}`
		}
		fmt.Fprintf(w, `{"choices":[{"finish_reason":"stop","message":{"content":%q}}],"usage":{"prompt_tokens":1000,`+
			`"completion_tokens":100,"prompt_tokens_details":{"cached_tokens":600}}}`, answer)
	},
	"gateway": gateway,
	"reader":  reader,
	"team":    teamOfJudges,
	// box serves two models: kind passes everything, strict fails everything.
	"box": func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprint(w, `{"object":"list","data":[{"id":"kind"},{"id":"strict"}]}`)
			return
		}
		answer, probed := probeAnswer(string(body))
		switch {
		case strings.Contains(string(body), `"model":"absent"`):
			http.NotFound(w, r)
			return
		case !probed:
			output := map[bool]int{true: 0, false: 1}[strings.Contains(string(body), `"model":"strict"`)]
			answer = fmt.Sprintf(`{"explanation":"e","evidence":"NONE: nothing","output":%d,"confidence":0.9,"correction":{}}`, output)
		}
		fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q}}],`+
			`"usage":{"prompt_tokens":%d,"completion_tokens":30}}`, answer, len(body)/4)
	},
	// leaky repeats the secret word of the prompt in its answer.
	"leaky": func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, word, _ := strings.Cut(string(body), "The word ")
		word, _, _ = strings.Cut(word, " is secret")
		answer := fmt.Sprintf(`{"explanation":"%s","evidence":"NONE: nothing","output":1,"confidence":0.9,"correction":{}}`, word)
		fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q}}]}`, answer)
	},
	// rubbish answers with text that no rubric allows.
	"rubbish": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprint(w, `{"object":"list","data":[{"id":"poet"}]}`)
			return
		}
		fmt.Fprint(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"a fine call, I would say"}}]}`)
	},
}

// gateway wants its keys in a header and the query, echoes them back, and takes neither
// max_tokens nor a temperature. It says in its answers whether it was sent an address.
func gateway(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	text := string(body)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Request-Id", r.Header.Get("Api-Key"))
	fail := func(status int, message string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":%q}}`, message)
	}
	answer, probed := probeAnswer(text)
	switch {
	case r.Header.Get("Authorization") != "" || r.Header.Get("Api-Key") != "planted-key-0123456789" || r.URL.RawQuery != "api-version=2024-10-21&code=planted-code-0123456789":
		fail(http.StatusUnauthorized, "who is "+r.Header.Get("Api-Key")+" "+r.Header.Get("Authorization")+" "+r.URL.RawQuery)
	case r.URL.Path != "/v1/deployments/m/chat/completions":
		http.NotFound(w, r)
	case strings.Contains(text, `"max_tokens"`):
		fail(http.StatusBadRequest, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	case strings.Contains(text, `"temperature"`):
		fail(http.StatusBadRequest, "Unsupported value: 'temperature' does not support 0 with this model.")
	default:
		if !probed {
			answer = fmt.Sprintf(`{"explanation":"address sent: %v; %s","evidence":"NONE: nothing","output":1,"confidence":0.9,"correction":{}}`,
				strings.Contains(text, "ann@example.com"), r.Header.Get("Api-Key"))
		}
		fmt.Fprintf(w, `{"choices":[{"finish_reason":"stop","message":{"content":%q}}],"usage":{"prompt_tokens":%d,"completion_tokens":9}}`, answer, len(body)/4)
	}
}

// answerOne answers the probe, and every rubric with 1, which is on each scale.
func answerOne(w http.ResponseWriter, body []byte) {
	answer, probed := probeAnswer(string(body))
	if !probed {
		answer = `{"explanation":"e","evidence":"NONE: nothing","output":1,"confidence":0.9,"correction":{}}`
	}
	fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q}}]}`, answer)
}

// probeAnswer returns what a server says that can do all that a probe under json_schema
// asks for; false for other requests.
func probeAnswer(body string) (string, bool) {
	if _, rest, ok := strings.Cut(body, `"key_`); ok {
		key, _, _ := strings.Cut(rest, `"`)
		return `{"key_` + key + `":"v","b":1,"a":true}`, true
	}
	return `{"o":{"colour":"red"}}`, strings.Contains(body, `"name":"probe"`)
}

// exitStatus is "status CODE COMMAND...": the command ends with this code.
func exitStatus(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: status CODE COMMAND...")
	}
	code := 0
	var failed *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &failed) {
		code = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// countLines is "lines N FILE": the file has N lines.
func countLines(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: lines N FILE")
	}
	n := strings.Count(ts.ReadFile(args[1]), "\n")
	if (fmt.Sprint(n) == args[0]) == neg {
		ts.Fatalf("%s has %d lines", args[1], n)
	}
}

// relog is "relog HOW FROM TO": writes a native log again. reverse turns its order
// round, rename gives every conversation another id, worsen has the agent give wrong
// names to its arguments.
func relog(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: relog HOW FROM TO")
	}
	data, err := os.ReadFile(ts.MkAbs(args[1]))
	ts.Check(err)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	switch args[0] {
	case "reverse":
		slices.Reverse(lines)
	case "rename":
		for i, line := range lines {
			lines[i] = strings.Replace(line, `{"id":"`, fmt.Sprintf(`{"id":"other-%d-`, i), 1)
		}
	case "worsen":
		for i, line := range lines {
			lines[i] = strings.NewReplacer(`"{\"email\"`, `"{\"mail\"`, `"{\"order_id\"`, `"{\"order\"`).Replace(line)
		}
	default:
		ts.Fatalf("unknown way %q", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
}

// settingsOf is "settings FROM TO": the lines that judge doctor prints for judge.yaml.
func settingsOf(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: settings FROM TO")
	}
	_, rest, ok := strings.Cut(ts.ReadFile(args[0]), "in judge.yaml:\n\n")
	if !ok {
		ts.Fatalf("%s names no settings", args[0])
	}
	var b strings.Builder
	for line := range strings.Lines(rest) {
		text, indented := strings.CutPrefix(line, "    ")
		if !indented {
			break
		}
		b.WriteString(text)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o600))
}

// subst is "subst OLD NEW FILE": replaces a text in a file, which must hold it.
func subst(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: subst OLD NEW FILE")
	}
	text := ts.ReadFile(args[2])
	if !strings.Contains(text, args[0]) {
		ts.Fatalf("%s does not hold %q", args[2], args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.ReplaceAll(text, args[0], args[1])), 0o600))
}

// fillIn is "fillin FILE [COLUMN]": labels a sheet, every third row as failed.
func fillIn(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: fillin FILE [COLUMN]")
	}
	column := "label"
	if len(args) == 2 {
		column = args[1]
	}
	filled, err := labelled(ts.ReadFile(args[0]), column)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), filled, 0o600))
}

// labelled returns a CSV table with one column filled: a fail, two passes, and again.
func labelled(table, column string) ([]byte, error) {
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		return nil, err
	}
	at := slices.Index(rows[0], column)
	if at < 0 {
		return nil, fmt.Errorf("no column %s in %v", column, rows[0])
	}
	for i, row := range rows[1:] {
		row[at] = []string{"fail", "pass", "pass"}[i%3]
	}
	var out bytes.Buffer
	err = csv.NewWriter(&out).WriteAll(rows)
	return out.Bytes(), err
}

// peopleLabel is "people RUN SHEET WHO [DIFFERS]": a person labels in RUN what a filled
// SHEET says, but every DIFFERS-th row the other way round.
func peopleLabel(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 3 || len(args) > 4 {
		ts.Fatalf("usage: people RUN SHEET WHO [DIFFERS]")
	}
	differs := 0
	if len(args) == 4 {
		_, err := fmt.Sscan(args[3], &differs)
		ts.Check(err)
	}
	ts.Check(labelRun(ts.MkAbs(args[0]), strings.NewReader(ts.ReadFile(args[1])), args[2], differs))
}

// labelRun labels in a run what a filled sheet says, but every so many-th row the other
// way round.
func labelRun(dir string, sheet io.Reader, who string, differs int) error {
	rows, err := measure.ReadSheet(sheet, "sheet", nil)
	if err != nil {
		return err
	}
	m, err := directory.ReadManifest(dir)
	if err != nil {
		return err
	}
	f, err := labels.Open(filepath.Join(dir, labels.FileName), m.RunID)
	if err != nil {
		return err
	}
	defer f.Close()
	for i, r := range rows {
		e := labels.Event{Who: who, Action: labels.Give, ConversationID: r.ConversationID, CallIndex: &rows[i].CallIndex,
			Answer: labels.Answer{Label: labels.Fail}, Seen: labels.Blind, Frame: labels.Random, Probability: r.Probability}
		if *r.Whole.Verdict() != (differs > 0 && i%differs == 0) {
			e.Label = labels.Pass
		}
		if r.Sample != measure.RandomSample {
			e.Frame, e.Probability = labels.Disagreements, 0
		}
		if _, err := f.Append(e, time.Unix(int64(i), 0)); err != nil {
			return err
		}
	}
	return nil
}

// binary makes this test binary callable as judge.
func binary(t testing.TB) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a program is not called by the name of a link to it")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "judge")
	if err := os.Symlink(exe, link); err != nil {
		t.Fatal(err)
	}
	return link
}
