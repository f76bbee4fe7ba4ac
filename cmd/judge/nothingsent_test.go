package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/judgekit/judge/internal/run/instrument"
)

// TestUsageErrorsSendNothing keeps what the help says of exit code 2: nothing was sent. What
// only the endpoint can say ends with exit code 3.
func TestUsageErrorsSendNothing(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		body, _ := io.ReadAll(r.Body)
		if strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprint(w, `{"object":"list","data":[{"id":"m"},{"id":"n"}]}`)
			return
		}
		answerOne(w, body)
	}))
	t.Cleanup(server.Close)
	support, err := filepath.Abs("../../fixtures/logs/support.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	base := server.URL + "/v1"
	for name, text := range map[string]string{
		"bad.txt":      "no log\n",
		"nocalls.json": `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b","toolUse":{"f":1}}]}`,
		"unlabelled.jsonl": `{"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"k","type":"function",` +
			`"function":{"name":"f","arguments":"{}"}}]}]}` + "\n",
		"tools.yaml":    `judges: [{model: m, base_url: "BASE", score_method: token_weighted, transport: tools}]`,
		"weighted.yaml": `judges: [{model: m, base_url: "BASE", score_method: token_weighted}]`,
		"baseline.yaml": `judges: [{model: baseline-rules, score_method: token_weighted}]`,
		"mode.yaml":     `judges: [{model: m, base_url: "BASE", verdict_mode: {tone: bands}}]`,
		"panel.yaml": `{judges: [{model: m, base_url: "BASE"}, {model: n, base_url: "BASE"}], ` +
			`panels: [{name: p, members: [m, n], aggregate: weighted, weights: calibration.json}]}`,
	} {
		write(t, name, strings.ReplaceAll(text, "BASE", base))
	}
	kept := &instrument.Store{Dir: t.TempDir()}
	judge := func(args ...string) (code int, out, errs string) {
		var o, e strings.Builder
		requests.Store(0)
		a := &app{in: strings.NewReader(""), out: &o, err: &e, profiles: kept, getenv: func(string) string { return "" }}
		code = command(t.Context(), args, a)
		return code, o.String(), e.String()
	}
	if code, _, errs := judge("run", support, "--limit", "1", "--base-url", base, "--model", "m", "--out", "earlier", "-q"); code != exitOK {
		t.Fatal(code, errs)
	}
	calibrated(t, "earlier")
	for _, tt := range []struct {
		args   string
		want   string // what is printed
		dryRun bool   // --dry-run finds it too
		code   int
	}{
		{"run LOG bad.txt --model m", "the log has no form that is known", true, exitUsage},
		{"run LOG nocalls.json --model m", "no tool call was read", true, exitUsage},
		{"run LOG --model m --threshold function_intent_alignment=9", "a band beyond it decides nothing", true, exitUsage},
		{"run LOG --model m --reuse nowhere", "reuse: ", true, exitUsage},
		{"run unlabelled.jsonl --limit 1 --model m --resume earlier", "earlier is another run: inputs changed since", true, exitUsage},
		{"run LOG --limit 1 --model n --resume earlier", "earlier is another run: judges changed since", true, exitUsage},
		{"run LOG --config tools.yaml", "score_method token_weighted needs answers as text", true, exitUsage},
		{"run LOG --config baseline.yaml", "score_method token_weighted needs log-probabilities", true, exitUsage},
		{"run LOG --config mode.yaml", `a verdict mode is set for rubric "tone"`, true, exitUsage},
		{"run LOG --config panel.yaml", "weights from calibration.json: it has no balanced accuracy of n", true, exitUsage},
		{"batch export LOG --config panel.yaml", "it has no balanced accuracy of n", false, exitUsage},
		{"probe unlabelled.jsonl --model m", "can be taken for right", true, exitUsage},
		{"probe LOG bad.txt --model m", "the log has no form that is known", true, exitUsage},
		{"run LOG", "serves 2 models; choose one with --model", false, exitEndpoint},
		{"run LOG --config weighted.yaml", "gives none for m; set score_method: parsed", false, exitEndpoint},
		// The profile that the run before kept knows it.
		{"run LOG --config weighted.yaml --dry-run", "gives none for m; set score_method: parsed", false, exitEndpoint},
	} {
		args := strings.Fields(strings.ReplaceAll(tt.args, "LOG", support))
		if !strings.Contains(tt.args, "--config") {
			args = append(args, "--base-url", base)
		}
		if code, _, errs := judge(args...); code != tt.code || !strings.Contains(errs, tt.want) || code == exitUsage && requests.Load() > 0 {
			t.Errorf("judge %s: exit %d after %d requests: %s", tt.args, code, requests.Load(), errs)
		}
		if !tt.dryRun {
			continue
		}
		if code, out, errs := judge(append(args, "--dry-run")...); code != tt.code || !strings.Contains(errs, tt.want) || requests.Load() > 0 {
			t.Errorf("judge %s --dry-run: exit %d after %d requests: %s%s", tt.args, code, requests.Load(), out, errs)
		}
	}
	kept = nil
	code, out, errs := judge("run", support, "--config", "weighted.yaml", "--dry-run")
	if code != exitOK || !strings.Contains(out, "judge m: score_method token_weighted needs log-probabilities; whether the endpoint") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// calibrated writes calibration.json, which knows judge m of a run and no other.
func calibrated(t *testing.T, dir string) {
	t.Helper()
	var out strings.Builder
	a := &app{in: strings.NewReader(""), out: &out, err: &out, getenv: func(string) string { return "" }}
	for _, args := range []string{"calibrate " + dir + " --sheet sheet.csv", "calibrate " + dir + " --labels sheet.csv"} {
		if code := command(t.Context(), strings.Fields(args), a); code != exitOK {
			t.Fatal(out.String())
		}
		data, err := os.ReadFile("sheet.csv")
		if err != nil {
			t.Fatal(err)
		}
		filled, err := labelled(string(data), "label")
		if err != nil {
			t.Fatal(err)
		}
		write(t, "sheet.csv", string(filled))
	}
	data, err := os.ReadFile(filepath.Join(dir, "calibration.json"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, "calibration.json", string(data))
}
