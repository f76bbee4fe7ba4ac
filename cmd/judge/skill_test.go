package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSkill: the skill file has at most 150 lines, and each of its commands runs, one after the other, in
// a directory with a log and an earlier run.
func TestSkill(t *testing.T) {
	if n := strings.Count(skillText, "\n"); n > 150 {
		t.Errorf("%d lines", n)
	}
	log, err := os.ReadFile("../../fixtures/logs/support.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("traces.jsonl", log, 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "run traces.jsonl --out runs/before")
	commands, inside := 0, false
	for line := range strings.Lines(skillText) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			inside = line == "```sh"
			continue
		}
		args, isCommand := strings.CutPrefix(line, "judge ")
		if !inside || !isCommand {
			continue
		}
		commands++
		args = strings.ReplaceAll(args, "c1:1", "partial-refund:1")
		if code, _, errs := inCommand(t, args); code != exitOK {
			t.Errorf("judge %s: exit %d\n%s", args, code, errs)
		}
		if strings.Contains(args, "--sheet") {
			if err := labelByHand([]string{"--sheet", "labels.csv"}); err != nil {
				t.Error(err)
			}
		}
	}
	if commands < 15 {
		t.Errorf("%d commands were found", commands)
	}
}

// TestLLMs: the page for language models names the skill and only files that exist.
func TestLLMs(t *testing.T) {
	text, err := os.ReadFile("../../llms.txt")
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, part := range strings.Split(string(text), "](")[1:] {
		name, _, _ := strings.Cut(part, ")")
		if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
			t.Error(err)
		}
		links++
	}
	if links < 10 || !strings.Contains(string(text), "judge skill") {
		t.Errorf("%d links", links)
	}
}
