package main

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeShowsRealOutput holds every line of the README's first session against
// what the command prints. Lines of three dots stand for what is left out.
func TestReadmeShowsRealOutput(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "```\njudge: no endpoint configured")
	session, _, closed := strings.Cut("judge: no endpoint configured"+rest, "```")
	if !ok || !closed {
		t.Fatal("the README shows no session")
	}
	t.Chdir("../..")
	dir := t.TempDir() + "/run"
	var out strings.Builder
	a := &app{in: strings.NewReader(""), out: &out, err: &out, getenv: func(string) string { return "" }}
	if code := command(t.Context(), []string{"run", "fixtures/logs/support.jsonl", "--out", dir}, a); code != exitOK {
		t.Fatalf("exit %d\n%s", code, out.String())
	}
	printed, lines := strings.ReplaceAll(out.String(), dir, "runs/latest"), 0
	for line := range strings.Lines(session) {
		line = strings.TrimRight(line, "\n")
		if line == "..." || line == "" || strings.HasPrefix(line, "judge: wrote ") {
			continue
		}
		lines++
		if !strings.Contains(printed, line+"\n") {
			t.Errorf("the command prints no line %q", line)
		}
	}
	if lines < 20 {
		t.Errorf("only %d lines were compared", lines)
	}
}
