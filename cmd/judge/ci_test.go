package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// ciScript runs a script of deploy/ci with the given environment and arguments.
func ciScript(t *testing.T, name string, env []string, args ...string) (output string, code int) {
	t.Helper()
	for _, program := range []string{"bash", "curl", "jq", "tar"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s on this machine", program)
		}
	}
	cmd := exec.Command("bash", append([]string{filepath.Join("..", "..", "deploy", "ci", name)}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// TestCIInstall: the script finds the latest release, refuses an archive without its checksum, and puts
// the program on the PATH of the next steps.
func TestCIInstall(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the archive of this test is a tar file")
	}
	name := fmt.Sprintf("judge_1.2.3_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	archive := tarball(t, "judge", "#!/bin/sh\necho judge 1.2.3 \"$@\"\n")
	sum := fmt.Sprintf("%x", sha256.Sum256(archive))
	mux := http.NewServeMux()
	mux.HandleFunc("/latest", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/tag/v1.2.3", http.StatusFound)
	})
	mux.HandleFunc("/tag/v1.2.3", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/download/v1.2.3/"+name, func(w http.ResponseWriter, _ *http.Request) { w.Write(archive) })
	mux.HandleFunc("/download/v1.2.3/checksums.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "%s  other.tar.gz\n%s  %s\n", sum, sum, name)
	})
	s := httptest.NewServer(mux)
	defer s.Close()

	dir, paths := t.TempDir(), filepath.Join(t.TempDir(), "paths")
	env := []string{"JUDGE_RELEASES=" + s.URL, "GITHUB_PATH=" + paths}
	if out, code := ciScript(t, "install.sh", env, "latest", dir); code != 0 || !strings.Contains(out, "judge 1.2.3 version") {
		t.Errorf("install: exit %d\n%s", code, out)
	}
	if got, _ := os.ReadFile(paths); strings.TrimSpace(string(got)) != dir {
		t.Errorf("PATH of the next steps: %q, want %q", got, dir)
	}
	sum = strings.Repeat("0", 64)
	if out, code := ciScript(t, "install.sh", env, "v1.2.3", t.TempDir()); code == 0 || !strings.Contains(out, "checksum") {
		t.Errorf("another checksum: exit %d\n%s", code, out)
	}
}

func tarball(t *testing.T, name, content string) []byte {
	t.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	w := tar.NewWriter(packed)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestCIComment: one comment is written once and then kept up to date, also if it stands on the second
// page of the comments; a comment of somebody else that quotes the mark is left alone.
func TestCIComment(t *testing.T) {
	type comment struct {
		ID   int    `json:"id"`
		Body string `json:"body"`
	}
	var comments []comment
	for i := range 120 {
		comments = append(comments, comment{ID: i + 1, Body: "I see <!-- judge --> there"})
	}
	fail := func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") != "Bearer secret-token" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return true
		}
		return false
	}
	read := func(r *http.Request) (c comment) {
		if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
			t.Error(err)
		}
		return c
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /repos/o/r/issues/7/comments", func(w http.ResponseWriter, r *http.Request) {
		if fail(w, r) {
			return
		}
		from := 0
		if r.FormValue("page") != "1" {
			from = 100
		}
		json.NewEncoder(w).Encode(comments[min(from, len(comments)):min(from+100, len(comments))])
	})
	mux.HandleFunc("POST /repos/o/r/issues/7/comments", func(w http.ResponseWriter, r *http.Request) {
		if !fail(w, r) {
			c := read(r)
			c.ID = len(comments) + 1
			comments = append(comments, c)
		}
	})
	mux.HandleFunc("PATCH /repos/o/r/issues/comments/{id}", func(w http.ResponseWriter, r *http.Request) {
		if !fail(w, r) {
			var id int
			fmt.Sscan(r.PathValue("id"), &id)
			comments[id-1].Body = read(r).Body
		}
	})
	s := httptest.NewServer(mux)
	defer s.Close()

	report := filepath.Join(t.TempDir(), "report.md")
	for _, text := range []string{"# \"First\" `report`\n\\n\n", "# Second report\n", strings.Repeat("ü long ", 20_000)} {
		if err := os.WriteFile(report, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, code := ciScript(t, "comment.sh", []string{"GITHUB_API_URL=" + s.URL, "GITHUB_REPOSITORY=o/r",
			"GITHUB_TOKEN=secret-token", "NUMBER=7", "REPORT=" + report})
		if code != 0 || strings.Contains(out, "secret") {
			t.Fatalf("exit %d\n%s", code, out)
		}
		if len(comments) != 121 {
			t.Fatalf("%d comments", len(comments))
		}
		got := comments[120].Body
		if want := "<!-- judge -->\n" + text; len(text) < 1000 && got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if n := len([]rune(got)); n > 65_536 {
			t.Errorf("%d characters", n)
		}
	}
	if !strings.Contains(comments[120].Body, "goes on in report.md") {
		t.Error("a cut report does not say so")
	}
}

// TestCIRun: the step ends with judge's exit code, keeps the JUnit file, and compares with a baseline.
func TestCIRun(t *testing.T) {
	dir, bin := t.TempDir(), filepath.Dir(binary(t))
	log, err := filepath.Abs("../../fixtures/logs/support.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	step := func(env ...string) int {
		outputs := filepath.Join(dir, "outputs")
		env = append(env, "PATH="+bin+":"+os.Getenv("PATH"), "LOGS="+log, "GITHUB_OUTPUT="+outputs)
		out, code := ciScript(t, "judge.sh", env)
		written, _ := os.ReadFile(outputs)
		if !strings.HasSuffix(string(written), fmt.Sprintf("exit-code=%d\n", code)) && code != 2 {
			t.Errorf("exit %d, outputs %q\n%s", code, written, out)
		}
		return code
	}
	base, now := filepath.Join(dir, "base"), filepath.Join(dir, "now")
	if code := step("COMMAND=score", "OUT="+base); code != 0 {
		t.Errorf("score: exit %d", code)
	}
	if code := step("COMMAND=run", "OUT="+now, "BASELINE="+base, "DROP=0.03", "ARGS=--fail-under schema_check=0.99"); code != 100 {
		t.Errorf("a failed gate: exit %d, want 100", code)
	}
	if code := step("COMMAND=score", "OUT="+filepath.Join(dir, "again"), "BASELINE="+base, "DROP=0.03"); code != 0 {
		t.Errorf("nothing changed: exit %d", code)
	}
	if junit, err := os.ReadFile(filepath.Join(now, "junit.xml")); err != nil || !bytes.Contains(junit, []byte("<testsuite")) {
		t.Errorf("junit.xml: %v", err)
	}
	if code := step("COMMAND=rm", "OUT="+now); code != 2 {
		t.Errorf("an unknown command: exit %d, want 2", code)
	}
}
