package judges

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/judges/internal/judgetest"
)

// TestOutside builds and runs a program that imports no internal package: everything that it needs to
// log in has a public name.
func TestOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("testdata/outside/main.go")
	if err != nil || strings.Contains(string(source), "judge/internal/") {
		t.Fatalf("the program cannot be read, or imports what others cannot: %v", err)
	}
	// The program stands in this module as far as the compiler sees, so that no other modules are needed than here.
	dir := t.TempDir()
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(root, "outside", "main.go"): filepath.Join(root, "judges", "testdata", "outside", "main.go")}})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	run := func(in, name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir = in
		cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	run(root, "go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", filepath.Join(dir, "outside"), "./outside")

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
		if got := strings.TrimSpace(run(dir, filepath.Join(dir, "outside"))); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
