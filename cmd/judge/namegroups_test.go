package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/llm/llmtest"
)

// TestNameGroups: a model names groups in one request, which is not paid twice; the names are marked as its own and
// stay; what it must not see is redacted, and what is not a name is left out.
func TestNameGroups(t *testing.T) {
	t.Chdir(t.TempDir())
	asked, prompt := 0, ""
	server := llmtest.Start(func(c llmtest.Call) llmtest.Reply {
		if c.SchemaName() != "group_names" {
			return llmtest.Text(`{"explanation":"e","evidence":"NONE: x","output":0,"confidence":0.9,"correction":{}}`)
		}
		asked++
		prompt = c.Last()
		return llmtest.Text(`{"names":[{"number":1,"name":"Amounts \u001b[31msent as text","sentence":"The agent quotes numbers."},` +
			`{"number":2,"name":"one","sentence":"too short"},{"number":99,"name":"no such group","sentence":"x"}]}`)
	})
	t.Cleanup(server.Close)
	call := func(id, args string) string {
		return `{"id":"` + id + `","messages":[{"role":"user","content":"pay"},{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function",` +
			`"function":{"name":"pay","arguments":` + args + `}}]}],"tools":[{"type":"function","function":{"name":"pay","parameters":{"type":"object",` +
			`"properties":{"amount":{"type":"number"},"card":{"type":"string"}},"required":["card"]}}}]}` + "\n"
	}
	log := call("c1", `"{\"amount\":\"5\",\"card\":\"4111-2222\"}"`) +
		call("c2", `"{\"amount\":\"7\",\"card\":\"4111-3333\"}"`) + call("c3", `"{\"amount\":\"9\",\"card\":\"x\"}"`) + call("c4", `"{\"amount\":9}"`) +
		call("c5", `"{\"amount\":8}"`) + call("c6", `"{\"amount\":7}"`)
	for name, text := range map[string]string{"log.jsonl": log, "judge.yaml": "redact: ['4111-\\d+']\nredact_local: true\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	judge := func(line string) (int, string, string) {
		var out, errs bytes.Buffer
		a := &app{in: strings.NewReader(""), out: &out, err: &errs, getenv: func(string) string { return "" }}
		return command(context.Background(), strings.Fields(line), a), out.String(), errs.String()
	}
	if code, _, errs := judge("run log.jsonl -q --out r --model m --transport json_schema --rubric overall_call_correctness --base-url " + server.URL); code != exitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for range 2 {
		code, out, errs := judge("report r --name-groups other --details")
		if code != exitOK || asked != 1 {
			t.Fatalf("exit %d, asked %d times: %s", code, asked, errs)
		}
		if out = strings.Join(strings.Fields(out), " "); !strings.Contains(out, "sent as text” (named by other): pay: card is missing") || !strings.Contains(out, "The agent quotes numbers.") {
			t.Errorf("the report says\n%s", out)
		}
	}
	if strings.Contains(prompt, "4111") || !strings.Contains(prompt, "[redacted]") {
		t.Errorf("the model saw %s", prompt)
	}
	if code, out, _ := judge("report r --json"); code != exitOK || strings.Contains(out, "\u001b") || strings.Count(out, `"given_name"`) != 1 {
		t.Errorf("exit %d, the names are not kept: %s", code, out)
	}
	if data, err := os.ReadFile(filepath.Join("r", "group-names", "exchanges.jsonl")); err != nil || !strings.Contains(string(data), "names of groups") {
		t.Errorf("the journal: %v", err)
	}
	if code, _, errs := judge("report r --name-groups baseline-rules"); code != exitUsage || !strings.Contains(errs, "no words of its own") {
		t.Errorf("exit %d: %s", code, errs)
	}
}
