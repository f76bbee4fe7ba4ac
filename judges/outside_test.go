package judges

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/judges/internal/judgetest"
)

// TestOutside builds and runs a program of another module: everything that it needs to
// log in has a public name.
func TestOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	copied := map[string]string{"go.sum": filepath.Join(root, "go.sum"), "main.go": "testdata/outside/main.go"}
	for name, from := range copied {
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	module := "module example.com/outside\n\ngo 1.26\n\nrequire github.com/judgekit/judge v0.0.0\n\nreplace github.com/judgekit/judge => " + root + "\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(module), 0o600); err != nil {
		t.Fatal(err)
	}
	run("go", "build", "-o", "outside", ".")

	const key = "sk-outside-planted-0123"
	s := llmtest.Start(func(c llmtest.Call) llmtest.Reply {
		if c.Header.Get("X-Team") != "quality" || string(c.Members["priority"]) != "1" || c.Members["seed"] != nil {
			return llmtest.Fail(400, fmt.Sprintf("%s %s", c.Header, c.Body))
		}
		answer := judgetest.Answer("5")
		switch {
		case strings.Contains(string(c.Body), "Grade this one turn."):
			answer = scopeAnswer(`"yes"`, "NONE: nothing")
		case strings.Contains(string(c.Body), "Grade this conversation."):
			answer = scopeAnswer(`"some"`, "NONE: nothing")
		}
		return llmtest.Chat(llmtest.ChatMessage{Content: answer, PromptTokens: len(c.Body) / 4})
	})
	defer s.Close()
	s.RequireKey(key)
	t.Setenv("JUDGE_URL", s.URL)
	for key, want := range map[string]string{key: "function_intent_alignment pass requests 1 key [redacted]\nturn 1 polite yes pass\nconversation done some none", "sk-wrong-planted-0123": "failed: unauthorized 401"} {
		t.Setenv("JUDGE_KEY", key)
		if got := strings.TrimSpace(run(filepath.Join(dir, "outside"))); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
