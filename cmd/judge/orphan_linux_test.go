package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestKilledRunLeavesNoProgram kills a run while its environment program works: the
// program ends with it.
func TestKilledRunLeavesNoProgram(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"program.sh": "#!/bin/sh\necho $$ > pid.new && mv pid.new pid\nexec sleep 600\n",
		"state.json": "{}",
		"judge.yaml": "environment: {type: command, command: [sh, program.sh], state: state.json}\n",
		"log.jsonl": `{"id":"c","expected_calls":[{"name":"get","arguments":{}}],"messages":[{"role":"user","content":"go"},` +
			`{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"get","arguments":"{}"}}]},` +
			`{"role":"tool","tool_call_id":"1","content":"{}"}]}` + "\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(binary(t), "run", "log.jsonl", "--model", "baseline-rules", "--out", "run")
	cmd.Dir = dir
	c := startChild(t, cmd)
	pid := 0
	waitFor(t, func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "pid"))
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	})
	if !alive(pid) {
		t.Fatal("the program has ended before the run was killed")
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c.end()
	waitFor(t, func() bool { return !alive(pid) })
}

// alive reports whether a process runs; one that ended and waits for its parent does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, ok := strings.Cut(string(stat), ") ")
	return ok && !strings.HasPrefix(state, "Z")
}
