//go:build unix

package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/judgekit/judge/internal/config"
)

// TestKeyIsNowhere runs against a server that repeats a key of quotes, backslashes and signs in
// every escaping, in its answers, names and errors: no form of it is in a file of the run, in
// what was found out about the server, or on the terminal.
func TestKeyIsNowhere(t *testing.T) {
	const key = `pl"ant\ed+key/0=9`
	forms := []string{key, url.QueryEscape(key), html.EscapeString(key), base64.StdEncoding.EncodeToString([]byte(key)),
		strings.ToUpper(key), strings.NewReplacer("+", "&#43;", "/", "&#x2f;").Replace(key)}
	for range 2 {
		for _, form := range forms {
			data, err := json.Marshal(form)
			if err != nil {
				t.Fatal(err)
			}
			forms = append(forms, string(data[1:len(data)-1]))
		}
	}
	all := strings.Join(forms, " ")
	var status atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Server", "baseline-rules/"+forms[1])
		w.WriteHeader(int(status.Load()))
		if strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprint(w, `{"data":[{"id":"m"}]}`)
			return
		}
		answer, probed := probeAnswer(string(body))
		if !probed {
			said, _ := json.Marshal(all)
			answer = `{"explanation":` + string(said) + `,"evidence":"NONE: nothing","output":0.9,"confidence":0.9,"correction":{}}`
		}
		reply := map[string]any{"model": "m", "id": all, "error": map[string]any{"message": all}}
		if status.Load() == http.StatusOK {
			choice := map[string]any{"message": map[string]any{"content": answer, "reasoning": all}, "finish_reason": "stop"}
			reply = map[string]any{"model": "m", "id": all, "choices": []any{choice}}
		}
		_ = json.NewEncoder(w).Encode(reply)
	}))
	defer server.Close()
	work, judge, shown := t.TempDir(), binary(t), ""
	for _, code := range []int{http.StatusOK, http.StatusUnauthorized} {
		status.Store(int64(code))
		cmd := exec.Command(judge, "run", supportLog(t), "--limit", "1", "--rubric", "overall_call_correctness",
			"--base-url", server.URL+"/v1", "--model", "m", "--out", filepath.Join(work, fmt.Sprint(code)))
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+key, "XDG_CACHE_HOME="+filepath.Join(work, "cache"))
		out, err := cmd.CombinedOutput()
		if (err == nil) != (code == http.StatusOK) || !strings.Contains(string(out), "[redacted]") && err != nil {
			t.Errorf("status %d: %v\n%s", code, err, out)
		}
		shown += string(out)
	}
	if !holds(t, filepath.Join(work, "200"), "[redacted]") {
		t.Error("nothing was redacted, so nothing was tested")
	}
	for _, form := range forms {
		if strings.Contains(shown, form) || holds(t, work, form) {
			t.Errorf("%s stands in a file or on the terminal", form)
		}
	}
}

// TestKeyOfTheEnvironment: a line break after a key, as secrets in files have it, is no part of the key, and a key
// that no header can carry is named before anything is sent.
func TestKeyOfTheEnvironment(t *testing.T) {
	for value, want := range map[string]string{
		"sk-12345678": "sk-12345678", "sk-12345678\n": "sk-12345678", " sk-12345678\r\n": "sk-12345678", "": "", "\n": "",
		"sk-1234\n5678": "OPENAI_API_KEY contains a line break", "sk-\x001234": "OPENAI_API_KEY contains a line break",
	} {
		a := &app{getenv: func(string) string { return value }}
		key, err := a.key(&config.Judge{Model: "m"})
		got := key.Reveal()
		if err != nil {
			got = err.Error()
			if strings.Contains(got, "1234") {
				t.Errorf("the error holds the key: %s", got)
			}
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}
