package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
)

// TestAnnotations: failed gates are errors of the step, at most as many as GitHub shows, and
// nothing in their lines is a command of its own. Elsewhere nothing is printed.
func TestAnnotations(t *testing.T) {
	results := []report.GateResult{{Passed: true, Line: "pass  fine"}, {Line: "FAIL  tool %0A\n::error::x\r: pass rate 5 %"}}
	for range 20 {
		results = append(results, report.GateResult{Line: "FAIL  another"})
	}
	for _, actions := range []string{"true", ""} {
		var out bytes.Buffer
		a := &app{progress: &out, getenv: func(string) string { return actions }}
		a.annotate(results)
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		switch {
		case actions == "" && out.Len() > 0:
			t.Errorf("outside of Actions: %q", out.String())
		case actions == "":
		case len(lines) != maxAnnotations || lines[9] != "::error title=judge gate::12 more gates failed":
			t.Errorf("%d lines: %q", len(lines), lines)
		case !strings.HasPrefix(lines[0], "::error title=judge gate::tool %250A\\n::error::x") || !strings.HasSuffix(lines[0], "5 %25"):
			t.Errorf("%q", lines[0])
		}
	}
}

func TestInert(t *testing.T) {
	for text, want := range map[string]string{
		"a\n  ::error::x\n":        "a\n  : :error::x\n",
		"::::stop-commands::t":     ": :::stop-commands::t",
		"\t\u00a0::a::":            "\t\u00a0: :a::",
		"fine: c1:2 and a::b":      "fine: c1:2 and a::b",
		"id ##[error]no ###[x]":    "id # #[error]no ## #[x]",
		"\n\n::add-mask::secret\n": "\n\n: :add-mask::secret\n",
	} {
		if got := inert(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestHostileLogInActions: what a log says is never a command of the step.
func TestHostileLogInActions(t *testing.T) {
	t.Chdir(t.TempDir())
	var log strings.Builder
	for _, bad := range []string{"::error::x", "##[error]x", "x ::add-mask::y"} {
		log.WriteString(`{"id":"` + bad + `","messages":[{"role":"user","content":"` + bad + `"},{"role":"assistant","content":null,` +
			`"tool_calls":[{"id":"t1","type":"function","function":{"name":"` + bad + `","arguments":"{\"a\":\"` + bad + `"}}]}]}` + "\n")
	}
	var out, errs bytes.Buffer
	env := map[string]string{"GITHUB_ACTIONS": "true"}
	a := &app{in: strings.NewReader(log.String()), out: &out, err: &errs, getenv: func(name string) string { return env[name] }}
	code := command(t.Context(), []string{"run", "-", "--out", "r", "--fail-under", "overall_call_correctness=0.9", "--details"}, a)
	if code != exitGate {
		t.Fatalf("exit %d\n%s", code, errs.String())
	}
	annotations := 0
	for line := range strings.Lines(out.String() + errs.String()) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "::error title=judge gate::"):
			annotations++
		case strings.HasPrefix(line, "::") || strings.Contains(line, "##["):
			t.Errorf("a command: %q", line)
		}
	}
	if annotations != 1 {
		t.Errorf("%d annotations", annotations)
	}
}
