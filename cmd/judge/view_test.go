//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/labels"
)

// viewer is judge view in a process of its own, and somebody who has its address.
type viewer struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string // with the token
	base   string // the scheme, host and port
	client *http.Client
	errors *bytes.Buffer
}

// judgedRun runs the baseline on a log in a folder of its own.
func judgedRun(t *testing.T, judge, log string, more ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	out, err := exec.Command(judge, append([]string{"run", log, "--out", dir, "-q", "--model", "baseline-rules"}, more...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

func supportLog(t testing.TB) string {
	t.Helper()
	path, err := filepath.Abs("../../fixtures/logs/support.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// startView starts judge view, which ends with the test.
func startView(t *testing.T, judge string, args ...string) *viewer {
	t.Helper()
	v := &viewer{t: t, cmd: exec.Command(judge, append([]string{"view"}, args...)...), errors: &bytes.Buffer{}}
	v.cmd.Stderr = v.errors
	out, err := v.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := v.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.cmd.Process.Kill(); _ = v.cmd.Wait() })
	if v.url, err = bufio.NewReader(out).ReadString('\n'); err != nil {
		_ = v.cmd.Wait()
		t.Fatalf("judge view prints no address: %s", v.errors)
	}
	v.url = strings.TrimSpace(v.url)
	v.base, _, _ = strings.Cut(v.url, "/?")
	jar, _ := cookiejar.New(nil)
	v.client = &http.Client{Jar: jar, Timeout: 20 * time.Second}
	if status, body := v.get(v.url); status != http.StatusOK {
		t.Fatalf("the printed address answers %d: %s", status, body)
	}
	return v
}

func (v *viewer) get(address string) (int, string) {
	v.t.Helper()
	r, err := v.client.Get(address)
	if err != nil {
		v.t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return r.StatusCode, string(data)
}

// answer returns the JSON at a path of the first run; a body of nil gets it.
func (v *viewer) answer(path string, body any) string {
	v.t.Helper()
	status, text := v.ask(path, body)
	if status != http.StatusOK {
		v.t.Fatalf("%s answers %d: %s", path, status, text)
	}
	return text
}

func (v *viewer) ask(path string, body any) (int, string) {
	v.t.Helper()
	if body == nil {
		return v.get(v.base + "/0/" + path)
	}
	data, err := json.Marshal(body)
	if err != nil {
		v.t.Fatal(err)
	}
	r, err := v.client.Post(v.base+"/0/"+path, "application/json", bytes.NewReader(data))
	if err != nil {
		v.t.Fatal(err)
	}
	defer r.Body.Close()
	text, _ := io.ReadAll(r.Body)
	return r.StatusCode, string(text)
}

// tasks are the conversations and calls of a queue.
func (v *viewer) tasks(frame string) (out []struct {
	Conversation string
	Call         int
	Label        string
}) {
	v.t.Helper()
	var q struct{ Tasks json.RawMessage }
	err := json.Unmarshal([]byte(v.answer("api/queue?frame="+frame, nil)), &q)
	if err == nil && string(q.Tasks) != "null" {
		err = json.Unmarshal(q.Tasks, &out)
	}
	if err != nil {
		v.t.Fatal(err)
	}
	return out
}

func (v *viewer) press(conversation string, call int, action, label string) (int, string) {
	return v.ask("api/press", map[string]any{"conversation": conversation, "call": call, "action": action, "label": label, "frame": "random"})
}

// TestViewLetsNobodyElseIn: without the token, under another name or from another page
// there is nothing to be had, and the refusal is said.
func TestViewLetsNobodyElseIn(t *testing.T) {
	judge := binary(t)
	v := startView(t, judge, judgedRun(t, judge, supportLog(t), "--limit", "3"))
	token := v.url[strings.Index(v.url, "=")+1:]
	for name, c := range map[string]struct {
		change func(*http.Request)
		status int
		says   string
	}{
		"no token":       {func(*http.Request) {}, 403, "wrong or missing token"},
		"wrong token":    {func(r *http.Request) { r.URL.RawQuery = "token=x" + token[1:] + "y" }, 403, "wrong or missing token"},
		"header":         {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }, 200, ""},
		"token and host": {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token); r.Host = "evil.example" }, 403, "the host evil.example"},
		"rebound host": {func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+token)
			r.Host = "evil.example" + v.base[strings.LastIndex(v.base, ":"):]
		}, 403, "the host evil.example"},
		"another origin": {func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Origin", "http://evil.example")
		}, 403, "a page of http://evil.example"},
		"null origin": {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token); r.Header.Set("Origin", "null") }, 403, "a page of null"},
		"another local one": {func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Origin", "http://127.0.0.1:1")
		}, 403, "a page of http://127.0.0.1:1"},
		"own origin": {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token); r.Header.Set("Origin", v.base) }, 200, ""},
		"a site's image": {func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		}, 403, "another site"},
	} {
		for _, path := range []string{"/0/", "/0/label", "/0/api/status", "/0/api/queue?frame=random", "/trend", "/0/api/conversation?conversation=x"} {
			if name == "wrong token" {
				path, _, _ = strings.Cut(path, "?")
			}
			r, _ := http.NewRequest(http.MethodGet, v.base+path, nil)
			c.change(r)
			got, err := (&http.Client{}).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(got.Body)
			_ = got.Body.Close()
			if got.StatusCode != c.status || !strings.Contains(string(text), c.says) {
				t.Errorf("%s, %s: %d %.100s", name, path, got.StatusCode, text)
			}
			if c.status == 403 && strings.Contains(string(text), "support.jsonl") {
				t.Errorf("%s, %s: something of the run is in the refusal", name, path)
			}
			for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"} {
				if got.Header.Get(header) != want {
					t.Errorf("%s: %s is %q", path, header, got.Header.Get(header))
				}
			}
			if csp := got.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") {
				t.Errorf("%s: policy %q", path, csp)
			}
		}
	}
	_ = v.cmd.Process.Signal(os.Interrupt)
	if err := v.cmd.Wait(); err != nil {
		t.Errorf("Ctrl-C does not end it cleanly: %v", err)
	}
	if text := v.errors.String(); !strings.Contains(text, "judge: refused a request: it was sent to the host evil.example") {
		t.Errorf("it does not say what it refused: %s", text)
	}
}

// said are words that only judges, scorers and the log's reference say of the support log.
var said = []string{"baseline-rules", "function_call_accuracy", "expected_call_match", "explanation", `"verdict"`, `"expected":[{`, `"disagreement"`}

// TestViewIsBlind: of a conversation in the sample nothing that was said of it leaves the
// server by any way before all its calls are labelled; then all does.
func TestViewIsBlind(t *testing.T) {
	judge := binary(t)
	dir := judgedRun(t, judge, supportLog(t))
	v := startView(t, judge, dir, "--as", "ann", "--n", "30")
	tasks := v.tasks("random")
	first := tasks[0]
	for tasks[1].Conversation != first.Conversation { // one with two calls
		tasks = tasks[1:]
		first = tasks[0]
	}
	item := fmt.Sprintf("?conversation=%s&call=%d", first.Conversation, first.Call)
	look := func() string {
		all := v.answer("api/card"+item, nil) + v.answer("api/queue?frame=random", nil) + v.answer("api/conversation"+item, nil)
		all += v.answer("api/items", map[string]any{"conversation": first.Conversation})
		_, partner := v.ask("api/partner"+item, nil)
		return all + partner
	}
	text := look()
	for _, word := range said {
		if strings.Contains(text, word) {
			t.Errorf("blind, and %q is sent", word)
		}
	}
	// Filters and sorting tell nothing either, and the page lists no such call.
	for _, verdict := range []string{"pass", "fail"} {
		for _, show := range []string{"failing", "disagreements", "flagged", ""} {
			terms := []string{"verdict=" + verdict}
			if show != "" {
				terms = append(terms, "show="+show)
			}
			list := v.answer("api/items", map[string]any{"terms": terms})
			if strings.Contains(list, `"`+first.Conversation+`"`) {
				t.Errorf("a filter finds a blind call: %s %s", verdict, show)
			}
		}
	}
	if _, page := v.get(v.base + "/0/"); strings.Contains(page, first.Conversation) {
		t.Error("the page names a blind conversation")
	}
	n := 0
	for _, task := range tasks {
		if task.Conversation != first.Conversation {
			break
		}
		n++
	}
	for i := range n {
		if strings.Contains(look(), "baseline-rules") {
			t.Fatalf("after %d of %d calls the verdicts are sent", i, n)
		}
		if status, text := v.press(first.Conversation, tasks[i].Call, "label", "pass"); status != 200 {
			t.Fatal(text)
		}
	}
	text = look()
	for _, word := range []string{"baseline-rules", "function_call_accuracy", `"verdict"`} {
		if !strings.Contains(text, word) {
			t.Errorf("revealed, and %q is not sent", word)
		}
	}
	// What is labelled now is no blind label any more, and counts as none.
	if _, text := v.press(first.Conversation, first.Call, "label", "fail"); !strings.Contains(text, `"revealed":true`) {
		t.Error(text)
	}
	set := readLabels(t, dir)
	st := set.Of("ann", labels.Item{Conversation: first.Conversation, Call: first.Call})
	if st.Label != labels.Fail || st.Seen != labels.Revealed || st.Blind.Label != labels.Pass || st.Rank == 0 || st.Probability <= 0 {
		t.Errorf("%+v", st)
	}
}

// TestViewPageUsesLabels: what was labelled in the page is what the page and the first screen begin
// with, and a disagreement with a label says so.
func TestViewPageUsesLabels(t *testing.T) {
	judge := binary(t)
	dir := judgedRun(t, judge, supportLog(t))
	v := startView(t, judge, dir, "--as", "ann", "--n", "1000")
	if _, page := v.get(v.base + "/0/"); strings.Contains(page, "from your ") {
		t.Error("nothing is labelled, and the page speaks of labels")
	}
	tasks := v.tasks("random")[:24]
	for i, task := range tasks {
		if status, text := v.press(task.Conversation, task.Call, "label", []string{"pass", "fail"}[i%2]); status != 200 {
			t.Fatal(text)
		}
	}
	waitFor(t, func() bool {
		_, page := v.get(v.base + "/0/")
		return strings.Contains(page, "your 24 labels") && strings.Contains(page, "calls you failed")
	})
	if _, page := v.get(v.base + "/0/"); strings.Contains(page, "of 24 calls pass") || !strings.Contains(page, "</b> of calls pass") {
		t.Error("the labels of 24 calls stand for all calls, and the page says the rate is of 24 calls")
	}
	if items := v.answer("api/items", map[string]any{"terms": []string{"show=disagreements"}}); !strings.Contains(items, `"reference":"your labels"`) {
		t.Errorf("no disagreement is with a label: %.300s", items)
	}
	out, err := exec.Command(judge, "report", dir).Output()
	if !strings.Contains(string(out), "your 24 labels") {
		t.Errorf("%v: the first screen does not begin with the labels:\n%s", err, out)
	}
}

func readLabels(t *testing.T, dir string) *labels.Set {
	t.Helper()
	var m struct {
		RunID string `json:"run_id"`
	}
	if err := json.Unmarshal(readFile(t, dir, "run.json"), &m); err != nil {
		t.Fatal(err)
	}
	set := labels.Read(readFile(t, dir, labels.FileName), "labels.jsonl", m.RunID)
	if p := set.Problems(); p != nil {
		t.Errorf("problems: %q", p)
	}
	return set
}

// TestViewReadConversationIsNotBlind: who read the verdicts first does not label blind.
func TestViewReadConversationIsNotBlind(t *testing.T) {
	judge := binary(t)
	dir := judgedRun(t, judge, supportLog(t), "--limit", "4")
	v := startView(t, judge, dir, "--as", "ann")
	// Before labelling begins nothing is blind.
	list := v.answer("api/items", map[string]any{"conversation": "cancel-packed-order"})
	if !strings.Contains(list, "baseline-rules") {
		t.Fatalf("nothing is said: %.300s", list)
	}
	for _, task := range v.tasks("random") {
		if task.Conversation == "cancel-packed-order" {
			v.press(task.Conversation, task.Call, "label", "pass")
		}
	}
	set := readLabels(t, dir)
	for _, st := range set.States("ann") {
		if st.Seen != labels.Revealed || st.Blind.Label != "" {
			t.Errorf("%+v counts as blind", st)
		}
	}
}

// TestViewKilled: every label that was confirmed is there after kill -9, and the next
// server goes on behind it.
func TestViewKilled(t *testing.T) {
	judge := binary(t)
	dir := judgedRun(t, judge, supportLog(t))
	v := startView(t, judge, dir, "--as", "ann", "--n", "1000")
	tasks := v.tasks("random")
	for i, task := range tasks[:20] {
		if status, text := v.press(task.Conversation, task.Call, "label", []string{"pass", "fail", "defer"}[i%3]); status != 200 {
			t.Fatal(text)
		}
	}
	_ = v.cmd.Process.Signal(syscall.SIGKILL)
	_ = v.cmd.Wait()
	again := startView(t, judge, dir, "--as", "ann", "--n", "1000").tasks("random")
	for i, task := range again {
		if (task.Label != "") != (i < 20) {
			t.Errorf("task %d: label %q", i, task.Label)
		}
	}
	out, err := exec.Command(judge, "calibrate", dir).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "ann: 14 labels at random, 6 deferred") {
		t.Errorf("%v %s", err, out)
	}
}

// TestViewSamplesAsTheSheet: the random queue has the conversations of judge calibrate
// --sheet, and the other queues have none of them.
func TestViewSamplesAsTheSheet(t *testing.T) {
	judge := binary(t)
	dir := judgedRun(t, judge, supportLog(t))
	sheet := filepath.Join(t.TempDir(), "sheet.csv")
	if out, err := exec.Command(judge, "calibrate", dir, "--sheet", sheet, "--n", "20", "--queue", "0", "--seed", "7").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	data, err := os.ReadFile(sheet)
	if err != nil {
		t.Fatal(err)
	}
	v := startView(t, judge, dir, "--n", "20", "--seed", "7")
	sampled := map[string]bool{}
	tasks := v.tasks("random")
	for _, task := range tasks {
		sampled[task.Conversation] = true
		if !strings.Contains(string(data), fmt.Sprintf("\n%s,%d,", task.Conversation, task.Call)) {
			t.Errorf("%s:%d is not in the sheet", task.Conversation, task.Call)
		}
	}
	if lines := strings.Count(string(data), "\n") - 1; lines != len(tasks) {
		t.Errorf("%d tasks, %d rows of the sheet", len(tasks), lines)
	}
	for _, frame := range []string{"disagreements", "low_confidence", "flags"} {
		picked := v.tasks(frame)
		if len(picked) == 0 {
			t.Errorf("%s: nothing", frame)
		}
		for _, task := range picked {
			if sampled[task.Conversation] {
				t.Errorf("%s has %s of the sample", frame, task.Conversation)
			}
		}
	}
}

// TestViewFollows: a run that was killed shows what it scored and says that it is a part; when
// it goes on, the page of the same server has all of it.
func TestViewFollows(t *testing.T) {
	w := newWorkplace(t, 26)
	dir := filepath.Join(t.TempDir(), "run")
	c := w.start(w.run(dir)...).judging(w, dir, w.wanted*3/4)
	_ = c.cmd.Process.Kill()
	<-c.ended
	if info, err := os.Stat(filepath.Join(dir, "scores.jsonl.partial")); err != nil || info.Size() == 0 {
		t.Skip("the run was killed before it wrote a score")
	}
	v := startView(t, w.judge, dir)
	type status struct {
		Version          int
		Ready            bool
		Partial, Problem string
	}
	var now status
	ask := func() bool {
		now = status{}
		if err := json.Unmarshal([]byte(v.answer("api/status", nil)), &now); err != nil {
			t.Fatal(err)
		}
		return now.Ready || now.Problem != ""
	}
	total := func() (n struct{ Total int }) {
		if err := json.Unmarshal([]byte(v.answer("api/items", map[string]any{"limit": 1})), &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	waitFor(t, ask)
	part := total().Total
	if now.Problem != "" || !strings.Contains(now.Partial, "unfinished") || part == 0 {
		t.Fatalf("%+v, %d items", now, part)
	}
	before := now.Version
	if text := w.resumed(dir); text != "" {
		t.Fatal(text)
	}
	waitFor(t, func() bool { return ask() && now.Version > before && now.Partial == "" })
	if all := total().Total; all <= part {
		t.Errorf("%d items of a part, %d of all", part, all)
	}
}

// TestViewSaysWhatItCannotCompare: if two runs cannot be compared, the page says why, and the rest of it works.
func TestViewSaysWhatItCannotCompare(t *testing.T) {
	judge := binary(t)
	other := judgedRun(t, judge, supportLog(t))
	if err := os.Remove(filepath.Join(other, "scores.jsonl")); err != nil {
		t.Fatal(err)
	}
	v := startView(t, judge, judgedRun(t, judge, supportLog(t)), other)
	var now struct {
		Ready      bool
		Uncompared string
	}
	waitFor(t, func() bool {
		if err := json.Unmarshal([]byte(v.answer("api/status", nil)), &now); err != nil {
			t.Fatal(err)
		}
		return now.Ready
	})
	if !strings.Contains(now.Uncompared, "scores.jsonl") {
		t.Errorf("%+v", now)
	}
	if status, body := v.get(v.base + "/0/"); status != http.StatusOK || strings.Contains(body, `value="changed"`) {
		t.Errorf("the page answers %d", status)
	}
}

// TestTrendOfRealRuns: an agent that makes other calls stays in its series; another threshold and another log are set
// apart, with the reason, and the drawing goes on. A run without a judge has its scorer's rate.
func TestTrendOfRealRuns(t *testing.T) {
	judge, log := binary(t), supportLog(t)
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	written := func(name string, from ...string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(strings.NewReplacer(from...).Replace(string(data))), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	changed := written("changed.jsonl", `\"amount\": 73.8`, `\"amount\": \"73.8\"`, "find_customer", "look_up_customer")
	other := filepath.Join(filepath.Dir(log), "odd.jsonl")
	v := startView(t, judge, judgedRun(t, judge, log), judgedRun(t, judge, changed),
		judgedRun(t, judge, other), judgedRun(t, judge, log, "--threshold", "overall_call_correctness=0.9"),
		judgedRun(t, judge, log, "--no-judge"))
	status, page := v.get(v.base + "/trend")
	section := regexp.MustCompile(`(?s)<h2>Pass rate of calls by baseline-rules.*?</section>`).FindString(page)
	marks := strings.Join(regexp.MustCompile(`<circle|Do not compare with the row above: [^<]*`).FindAllString(section, -1), "\n")
	want := "<circle\n<circle\nDo not compare with the row above: no task in common\n<circle\n" +
		"Do not compare with the row above: another judge, prompt, rubric or threshold\n<circle"
	if status != http.StatusOK || marks != want {
		t.Errorf("%d\n%s", status, marks)
	}
	if !strings.Contains(page, "<h2>Pass rate of calls by expected_call_match, scorer</h2>") {
		t.Error("the run without a judge has no rate")
	}
}

// TestViewWithoutJudge: the calls of a run without a judge can be labelled. The titles name log and run.
func TestViewWithoutJudge(t *testing.T) {
	judge := binary(t)
	dir := judgedRun(t, judge, supportLog(t), "--no-judge")
	v := startView(t, judge, dir, "--as", "ann")
	task := v.tasks("random")[0]
	if status, text := v.press(task.Conversation, task.Call, "label", "fail"); status != 200 || v.tasks("random")[0].Label != "fail" {
		t.Error(status, text)
	}
	for path, title := range map[string]string{"/0/": "Judge report", "/0/label": "Label calls"} {
		want := regexp.MustCompile(`<title>support\.jsonl · ` + regexp.QuoteMeta(dir) + ` · \d{4}-\d\d-\d\d \d\d:\d\d · ` + title + `</title>`)
		if _, page := v.get(v.base + path); !want.MatchString(page) {
			t.Errorf("%s: another title", path)
		}
	}
}

// TestViewByRubric: labels by one rubric calibrate that one and no other.
func TestViewByRubric(t *testing.T) {
	judge := binary(t)
	dir := judgedRun(t, judge, supportLog(t))
	v := startView(t, judge, dir, "--as", "ann", "--n", "1000", "--rubric", "function_intent_alignment")
	for i, task := range v.tasks("random") {
		if status, text := v.press(task.Conversation, task.Call, "label", []string{"pass", "fail"}[i%2]); status != 200 {
			t.Fatal(text)
		}
	}
	if task := v.tasks("random")[0]; task.Label != "pass" {
		t.Errorf("the label is not shown: %+v", task)
	}
	out, err := exec.Command(judge, "calibrate", dir).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "not labelled: overall_call_correctness") ||
		strings.Contains(string(out), "not labelled: function_intent_alignment") {
		t.Errorf("%v %s", err, out)
	}
}

// TestViewOpens: the command line of the browser names a file of this user's alone, which leads
// to the address with the token, and which is gone when the view ends.
func TestViewOpens(t *testing.T) {
	judge, bin, tmp := binary(t), t.TempDir(), t.TempDir()
	run := judgedRun(t, judge, supportLog(t), "--limit", "1")
	for _, name := range []string{"xdg-open", "open"} {
		script := "#!/bin/sh\necho \"$@\" > " + bin + "/new && mv " + bin + "/new " + bin + "/args\n"
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("TMPDIR", tmp)
	v := startView(t, judge, run, "--open")
	var args []byte
	waitFor(t, func() (there bool) {
		var err error
		args, err = os.ReadFile(filepath.Join(bin, "args"))
		return err == nil
	})
	_, token, _ := strings.Cut(v.url, "token=")
	page := strings.TrimSpace(string(args))
	info, err := os.Stat(page)
	if err != nil || strings.Contains(page, token) || info.Mode().Perm() != 0o600 {
		t.Fatalf("the browser was started with %s (%v, %v)", args, info, err)
	}
	data, err := os.ReadFile(page)
	if err != nil || len(token) < 20 || !strings.Contains(string(data), "url="+v.url+`"`) {
		t.Errorf("%v: %s does not lead to %s", err, data, v.url)
	}
	if err := v.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = v.cmd.Wait()
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}
