//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLabelCategoriesByKeyboard: the answers of a rubric about turns have the keys 1 to 9, what does not apply 0; a
// tenth answer has a button alone.
func TestLabelCategoriesByKeyboard(t *testing.T) {
	judge := binary(t)
	b := newTab(t, 1280, 900)
	server := httptest.NewServer(http.HandlerFunc(reader))
	defer server.Close()
	dir := t.TempDir()
	answers := strings.Fields("kind flat rude warm cold brisk wordy formal odd tenth")
	rubric := "name: tone\nquestion: What is the tone of the assistant in this turn?\nscope: turn\nnot_applicable: yes\nanswer: [" +
		strings.Join(answers, ", ") + "]\n"
	var log strings.Builder
	for i := range 12 {
		fmt.Fprintf(&log, `{"id":"c%02d","messages":[{"role":"user","content":"Hello %d."},{"role":"assistant","content":"Certainly."}]}`+"\n", i, i)
	}
	for name, text := range map[string]string{"tone.yaml": rubric, "log.jsonl": log.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := judgedRun(t, judge, filepath.Join(dir, "log.jsonl"), "--model", "m", "--base-url", server.URL+"/v1", "--rubric", filepath.Join(dir, "tone.yaml"))
	v := startView(t, judge, run, "--as", "ann", "--n", "40", "--rubric", "tone")
	b.visit(v.base+"/0/label?"+strings.SplitN(v.url, "?", 2)[1], recordShown)
	b.shot("label-turns")
	var order []string
	for _, key := range strings.Split("1234567890", "") {
		here := b.shown()
		order = append(order, here)
		b.key(key)
		b.until(fmt.Sprintf("document.documentElement.dataset.shown !== %q", here))
	}
	here := b.shown()
	eval[bool](b, "(() => { document.querySelector('#buttons button.tenth').click(); return true; })()")
	b.until(fmt.Sprintf("document.documentElement.dataset.shown !== %q", here))
	b.key("x") // no key of an answer
	b.until("document.getElementById('progress').innerText.includes('11')")

	var q struct {
		Tasks []struct {
			Conversation, Label, Category, Scope string
			Turn                                 int
		}
	}
	if err := json.Unmarshal([]byte(v.answer("api/queue?frame=random", nil)), &q); err != nil || len(q.Tasks) != 12 {
		t.Fatal(err, len(q.Tasks))
	}
	for i, task := range q.Tasks[:10] {
		want := answers[min(i, 8)]
		if i == 9 {
			want = ""
		}
		if task.Category != want || task.Scope != "turn" || task.Turn != 1 || !strings.HasPrefix(order[i], task.Conversation+":") ||
			(task.Label == "not_applicable") != (i == 9) {
			t.Errorf("key %d on %s: %+v", (i+1)%10, order[i], task)
		}
	}
	if q.Tasks[10].Category != "tenth" || q.Tasks[11].Label != "" {
		t.Errorf("%+v", q.Tasks[10:])
	}
	b.clean()
}
