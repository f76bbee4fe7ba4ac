//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/judgekit/judge/internal/report/reporttest"
)

// tab is a tab of a Chromium that a test drives.
type tab struct {
	t   *testing.T
	ctx context.Context
	mu  sync.Mutex
	// complaints are errors of scripts, of the console and of the security policy.
	complaints []string
}

// chromium finds a browser, or skips the test.
func chromium(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no chromium in PATH: nothing is opened")
	return ""
}

// newTab starts a browser that ends with the test.
func newTab(t *testing.T, width, height int64) *tab {
	t.Helper()
	all, cancelAll := chromedp.NewExecAllocator(context.Background(), chromedp.ExecPath(chromium(t)),
		chromedp.NoSandbox, chromedp.Headless, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-quic", true), chromedp.WSURLReadTimeout(time.Minute))
	ctx, cancel := chromedp.NewContext(all)
	ctx, cancelTime := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(func() { cancelTime(); cancel(); cancelAll() })
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, height)); err != nil {
		t.Skipf("chromium does not run here: %v", err)
	}
	return listening(t, ctx)
}

func listening(t *testing.T, ctx context.Context) *tab {
	t.Helper()
	b := &tab{t: t, ctx: ctx}
	_, logErr := chromedp.Call(ctx, log.Enable, cdp.Empty{})
	if err := errors.Join(chromedp.Listen(ctx, b.listen), logErr); err != nil {
		t.Fatal(err)
	}
	return b
}

// another returns a second tab of the same browser.
func (b *tab) another() *tab {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	b.t.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)); err != nil {
		b.t.Fatal(err)
	}
	return listening(b.t, ctx)
}

func (b *tab) listen(event any) {
	text := ""
	switch e := event.(type) {
	case *log.EventEntryAdded:
		text = string(e.Entry.Source) + ": " + e.Entry.Text
	case *runtime.EventExceptionThrown:
		text = "exception: " + e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			text += " " + x.Description
		}
	case *runtime.EventConsoleAPICalled:
		text = "console." + string(e.Type)
	case *page.EventJavascriptDialogOpening:
		text = "dialog: " + e.Message
	}
	if text != "" {
		b.mu.Lock()
		b.complaints = append(b.complaints, text)
		b.mu.Unlock()
	}
}

// clean fails the test where a script, the console or the policy complained.
func (b *tab) clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.complaints {
		b.t.Errorf("the browser says: %s", c)
	}
}

func (b *tab) visit(address, ready string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Navigate(address)); err != nil {
		b.t.Fatal(err)
	}
	b.until(ready)
}

// eval returns the value of an expression.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v; complaints: %q", expression, err, b.complaints)
	}
	return out
}

// until waits for a condition on the page.
func (b *tab) until(condition string) {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Poll[bool](condition, chromedp.WithPollingTimeout(15*time.Second)))
	if err != nil {
		b.t.Fatalf("%s: %v; complaints %q; the page says %.600q", condition, err, b.complaints,
			eval[string](b, "document.body.innerText"))
	}
}

// readable fails the test for each visible text of too little contrast, in light and in dark.
func (b *tab) readable(what string) {
	b.t.Helper()
	for _, scheme := range []string{"dark", "light"} {
		media := emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		}
		if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
			b.t.Fatal(err)
		}
		got := eval[reporttest.Faint](b, reporttest.Contrast)
		if got.Texts < 10 {
			b.t.Errorf("%s in %s has only %d texts", what, scheme, got.Texts)
		}
		for _, faint := range got.Faint {
			b.t.Errorf("%s in %s: %s", what, scheme, faint)
		}
		b.shot(strings.ReplaceAll(what, " ", "-") + "-" + scheme)
	}
}

// key presses a key as a person does.
func (b *tab) key(keys string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(keys)); err != nil {
		b.t.Fatal(err)
	}
}

// shot keeps a picture where JUDGE_SCREENSHOTS names a folder.
func (b *tab) shot(name string) {
	b.t.Helper()
	dir := os.Getenv("JUDGE_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

const (
	recordShown = "!!document.documentElement.dataset.shown"
	listed      = "document.documentElement.dataset.ready === 'yes' && document.querySelectorAll('#rows tr').length > 0"
)

// shown returns the call that is on the screen.
func (b *tab) shown() string { return eval[string](b, "document.documentElement.dataset.shown") }

// TestLabelByKeyboard labels a sample as a person does, without a mouse: the first record is
// there soon, the next one comes at once, nothing is told too early, a reload keeps all,
// a second tab follows, and kill -9 loses nothing.
func TestLabelByKeyboard(t *testing.T) {
	judge := binary(t)
	b := newTab(t, 1280, 900)
	dir := judgedRun(t, judge, supportLog(t))
	start := time.Now()
	v := startView(t, judge, dir, "--as", "ann", "--n", "40", "--calls-per-conversation", "all")
	b.visit(v.base+"/0/label?"+strings.SplitN(v.url, "?", 2)[1], recordShown)
	first := time.Since(start)
	tasks := v.tasks("random")
	if got := b.shown(); got != fmt.Sprintf("%s:%d", tasks[0].Conversation, tasks[0].Call) {
		t.Fatalf("the first record is %s", got)
	}
	if text := eval[string](b, "location.href"); strings.Contains(text, "token") {
		t.Errorf("the token stays in the address: %s", text)
	}
	b.shot("label-first")
	// The time is taken in the page, from the key to the next record drawn.
	eval[bool](b, `(() => { window.times = []; let at = 0;
		addEventListener('keydown', () => { at = performance.now(); }, true);
		new MutationObserver(() => requestAnimationFrame(() => times.push(performance.now() - at)))
			.observe(document.documentElement, { attributeFilter: ['data-shown'] });
		return true; })()`)
	for i, task := range tasks[:12] {
		here := fmt.Sprintf("%s:%d", task.Conversation, task.Call)
		b.until(fmt.Sprintf("document.documentElement.dataset.shown === %q", here))
		last := i+1 == len(tasks) || tasks[i+1].Conversation != task.Conversation
		if strings.Contains(eval[string](b, "document.getElementById('said').innerText"), "Revealed: ") != (i > 0 && revealedBefore(tasks[:i], task.Conversation)) {
			t.Errorf("%s: what judges said is shown too early, or not at all", here)
		}
		if text := eval[string](b, "document.getElementById('record').innerText"); strings.Contains(text, "baseline-rules") {
			t.Errorf("%s: the judge is named in the record", here)
		}
		b.key([]string{"p", "f", "d"}[i%3])
		if last {
			b.until(fmt.Sprintf("document.getElementById('said').innerText.includes(%q)", task.Conversation))
		}
	}
	b.until(fmt.Sprintf("document.documentElement.dataset.shown === %q", fmt.Sprintf("%s:%d", tasks[12].Conversation, tasks[12].Call)))
	times := eval[[]float64](b, "times")
	slowest := 0.0
	for _, ms := range times {
		slowest = max(slowest, ms)
	}
	t.Logf("first record %v after the start of judge view, next record after at most %.0f ms (%d keys)", first.Round(time.Millisecond), slowest, len(times))
	if first > 10*time.Second || slowest > 1000 {
		t.Errorf("too slow: first %v, next %.0f ms", first, slowest) // the goal is 100 ms; a busy machine is allowed more
	}
	b.readable("labelling revealed")
	b.visit(v.base+"/0/label", recordShown) // folded again

	// Undo takes the last label back and goes there; a note, j, k and help.
	b.key("u")
	b.until(fmt.Sprintf("document.documentElement.dataset.shown === %q", fmt.Sprintf("%s:%d", tasks[11].Conversation, tasks[11].Call)))
	b.until("document.getElementById('mine').innerText.startsWith('Not labelled')")
	b.key("f")
	b.until(fmt.Sprintf("document.documentElement.dataset.shown === %q", fmt.Sprintf("%s:%d", tasks[12].Conversation, tasks[12].Call)))
	b.key("k")
	b.until("document.getElementById('mine').innerText.startsWith('You: fail')")
	b.key("n")
	b.until("document.activeElement.id === 'note'")
	b.key("pdf?")
	b.key("\r")
	b.until("document.getElementById('mine').innerText.includes('Note')")
	if mine := eval[string](b, "document.getElementById('mine').innerText"); mine != "You: fail. Note: pdf?" {
		t.Errorf("own label and note: %q", mine)
	}
	b.key("?")
	b.until("!document.getElementById('help').hidden")
	b.key("j")

	// A reload, and a second tab which follows the first.
	b.visit(v.base+"/0/label", recordShown)
	b.until("document.getElementById('progress').innerText.startsWith('ann: 12 of')")
	two := b.another()
	two.visit(v.base+"/0/label", recordShown)
	b.key("p")
	two.until("document.getElementById('progress').innerText.startsWith('ann: 13 of')")

	b.clean()
	two.clean()
	_ = v.cmd.Process.Signal(syscall.SIGKILL)
	_ = v.cmd.Wait()
	b.key("p") // the browser complains of the connection from here on
	b.until("document.getElementById('error').innerText.includes('was not saved')")
	b.shot("label-gone")
	again := startView(t, judge, dir, "--as", "ann", "--n", "40", "--calls-per-conversation", "all")
	n := 0
	for _, task := range again.tasks("random") {
		if task.Label != "" {
			n++
		}
	}
	if n != 13 {
		t.Errorf("%d labels after kill -9, want 13", n)
	}
}

// TestLabelAnAfternoon (JUDGE_CAMPAIGN=labels) gives 61 labels by keyboard, two calls a conversation until there are 60, and reads the
// sentence that the page says after them. The time for a label is the machine's: nobody reads the records.
func TestLabelAnAfternoon(t *testing.T) {
	if os.Getenv("JUDGE_CAMPAIGN") != "labels" {
		t.Skip("JUDGE_CAMPAIGN=labels")
	}
	judge := binary(t)
	b := newTab(t, 1280, 900)
	data, err := os.ReadFile(supportLog(t))
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "support.jsonl")
	again := strings.ReplaceAll("\n"+string(data), "\n{\"id\":\"", "\n{\"id\":\"again-")
	if err := os.WriteFile(log, []byte(string(data)+again), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := judgedRun(t, judge, log)
	v := startView(t, judge, dir, "--as", "ann", "--n", "60")
	b.visit(v.base+"/0/label?"+strings.SplitN(v.url, "?", 2)[1], recordShown)
	start := time.Now()
	for i, task := range v.tasks("random") {
		b.until(fmt.Sprintf("document.documentElement.dataset.shown === %q", fmt.Sprintf("%s:%d", task.Conversation, task.Call)))
		if i%15 == 3 {
			b.shot(fmt.Sprintf("afternoon-%d", i))
		}
		b.key(map[bool]string{true: "f", false: "p"}[i%4 == 0])
	}
	b.until("document.getElementById('progress').innerText.startsWith('ann: 61 of')")
	t.Logf("61 labels took the machine %.0f ms each", float64(time.Since(start).Milliseconds())/61)
	b.shot("afternoon-done")
	const sentence = `(/\d+ % of calls pass from your 61 labels and baseline-rules.*?; ±\d+ points now, \d+ to \d+ more labels for ±5/
		.exec(document.body.innerText.replace(/\s+/g, ' ')) || [''])[0]`
	for said := ""; said == ""; time.Sleep(time.Second) { // the page counts labels of some seconds ago
		if time.Since(start) > 2*time.Minute {
			t.Fatal("the page does not say how many more labels")
		}
		b.visit(v.base+"/0/", listed)
		if said = eval[string](b, sentence); said != "" {
			t.Log(said)
		}
	}
	b.shot("afternoon-page")
	b.clean()
}

// revealedBefore reports whether a conversation was completed before the tasks of another.
func revealedBefore(done []struct {
	Conversation string
	Call         int
	Label        string
}, now string) bool {
	return len(done) > 0 && done[0].Conversation != now
}

// TestViewPage filters, searches, opens and deep links over a run behind a server, with the
// exact prompt and the other run beside it.
func TestViewPage(t *testing.T) {
	judge := binary(t)
	b := newTab(t, 1280, 900)
	one, two := judgedRun(t, judge, supportLog(t)), judgedRun(t, judge, supportLog(t), "--rubric", "overall_call_correctness")
	v := startView(t, judge, one, two)
	b.visit(v.url, listed)
	b.shot("view-page")
	find := func(text string) {
		eval[bool](b, fmt.Sprintf(`(() => { const f = document.getElementById('filters'); f.elements.show.value = '';
			f.elements.text.value = %q; f.dispatchEvent(new Event('input')); return true; })()`, text))
	}
	find("KT-20502") // only in the conversation
	data, err := os.ReadFile(supportLog(t))
	if err != nil {
		t.Fatal(err)
	}
	holding := 0
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, "KT-20502") {
			holding++
		}
	}
	b.until(fmt.Sprintf("new Set([...document.querySelectorAll('#rows small')].map(s => s.innerText.replace(/:\\d+$/, ''))).size === %d", holding))
	find("no such text anywhere")
	b.until("document.querySelectorAll('#rows tr').length === 0")
	b.visit(v.base+"/0/#address-without-country:1:overall_call_correctness", "document.querySelector('#view-beside .beside') !== null && document.querySelectorAll('#view-prompts details').length > 1")
	b.shot("view-beside")
	eval[bool](b, `(() => { for (const d of document.querySelectorAll('#view-prompts details')) d.open = true; return true; })()`)
	b.until("document.getElementById('view-prompts').innerText.includes('system') && document.getElementById('view-prompts').innerText.length > 3000")
	shown, err := exec.Command(judge, "show", one, "address-without-country:1:overall_call_correctness").CombinedOutput()
	if err != nil {
		t.Fatalf("%v %s", err, shown)
	}
	prompt := v.answer("api/prompt?conversation=address-without-country&call=1&rubric=overall_call_correctness", nil)
	var sent []struct{ Messages []struct{ Role, Text string } }
	if err := json.Unmarshal([]byte(prompt), &sent); err != nil || len(sent) != 1 || len(sent[0].Messages) == 0 {
		t.Fatalf("%v %.300s", err, prompt)
	}
	for _, m := range sent[0].Messages {
		if !strings.Contains(string(shown), m.Text) {
			t.Errorf("judge show prints another prompt than %.200s", m.Text)
		}
	}
	b.clean()
}

// TestViewOfTwoRuns: of an agent that was changed, the page lists the conversations that changed, and shows a
// changed call beside the one that stood in its place.
func TestViewOfTwoRuns(t *testing.T) {
	judge := binary(t)
	b := newTab(t, 1280, 900)
	data, err := os.ReadFile(supportLog(t))
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), "changed.jsonl")
	text := strings.Replace(string(data), `\"amount\": 73.8`, `\"amount\": \"73.8\"`, 1)
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil || text == string(data) {
		t.Fatalf("nothing is changed: %v", err)
	}
	v := startView(t, judge, judgedRun(t, judge, supportLog(t)), judgedRun(t, judge, changed))
	b.visit(v.url, listed)
	if show := eval[string](b, "document.getElementById('filters').elements.show.value"); show != "changed" {
		t.Errorf("the page begins with %q", show)
	}
	b.until("[...document.querySelectorAll('#rows small')].every(s => s.innerText.startsWith('refund-wrong-amount'))")
	b.visit(v.base+"/1/#refund-wrong-amount:2", "document.querySelector('#view-pair .differs') !== null")
	if pair := eval[string](b, "document.getElementById('view-pair').innerText"); !strings.Contains(pair, "73.8") || !strings.Contains(pair, `"73.8"`) {
		t.Errorf("the two calls are shown as %q", pair)
	}
	b.until("document.querySelector('#view-beside .beside .differs') !== null")
	b.readable("changed call")
	b.clean()
}

// TestViewOnPhone: nothing is wider than a phone, in the list, a call, labelling and the trend.
func TestViewOnPhone(t *testing.T) {
	judge := binary(t)
	b := newTab(t, 390, 844)
	var runs []string
	for range 3 {
		runs = append(runs, judgedRun(t, judge, supportLog(t)))
	}
	v := startView(t, judge, runs...)
	for _, c := range []struct{ name, path, ready string }{
		{"phone-trend", "/trend", "[...document.querySelectorAll('svg circle')].filter(c => c.checkVisibility()).length >= 3"},
		{"phone-list", "/0/", listed},
		{"phone-call", "/0/#cancel-packed-order:1", "!document.getElementById('opened').hidden && document.querySelector('.chat') !== null"},
		{"phone-label", "/0/label", recordShown},
	} {
		b.visit(v.base+c.path+map[bool]string{true: "?token=" + v.url[strings.Index(v.url, "=")+1:]}[c.name == "phone-trend"], c.ready)
		if wide := eval[int](b, "document.documentElement.scrollWidth"); wide > 390 {
			t.Errorf("%s is %d pixels wide", c.name, wide)
		}
		b.readable(c.name)
	}
	b.clean()
}

// TestViewHostileLog: what a log holds is text, in every part of the page.
func TestViewHostileLog(t *testing.T) {
	judge := binary(t)
	b := newTab(t, 1280, 900)
	evil := `<img src=x onerror=alert(1)></script><script>alert(2)</script>\u202e"'` + "`${alert(3)}"
	line, err := json.Marshal(map[string]any{
		"id": evil, "messages": []any{
			map[string]any{"role": "user", "content": evil},
			map[string]any{"role": "assistant", "content": evil, "tool_calls": []any{map[string]any{"id": evil, "type": "function",
				"function": map[string]any{"name": evil, "arguments": `{"` + `<b onclick=alert(4)>` + `":"<svg onload=alert(5)>"}`}}}},
			map[string]any{"role": "tool", "tool_call_id": evil, "content": evil}},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "<img src=x onerror=alert(6)>.jsonl")
	if err := os.WriteFile(path, append(line, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	v := startView(t, judge, judgedRun(t, judge, path), "--as", evil)
	b.visit(v.url, listed)
	eval[bool](b, "(document.querySelector('#rows a').click(), true)")
	b.until("document.querySelector('.chat') !== null")
	b.visit(v.base+"/0/label", recordShown)
	b.key("p")
	b.until("document.getElementById('said').innerText.includes('Revealed')")
	b.visit(v.base+"/trend", "document.querySelector('h1') !== null")
	if n := eval[int](b, "document.querySelectorAll('img, svg[onload], b[onclick]').length"); n > 0 {
		t.Errorf("%d elements of the log", n)
	}
	b.clean()
}

// TestViewLarge measures a run of JUDGE_VIEW_CONVERSATIONS conversations in a browser.
func TestViewLarge(t *testing.T) {
	var n int
	if _, err := fmt.Sscan(os.Getenv("JUDGE_VIEW_CONVERSATIONS"), &n); err != nil {
		t.Skip("measures the run of as many conversations as JUDGE_VIEW_CONVERSATIONS says")
	}
	judge := binary(t)
	b := newTab(t, 1280, 900)
	data, err := os.ReadFile(supportLog(t))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	var log strings.Builder
	for i := range n {
		log.WriteString(strings.Replace(lines[i%len(lines)], `"id":"`, fmt.Sprintf(`"id":"%06d-`, i), 1) + "\n")
	}
	path := filepath.Join(t.TempDir(), "large.jsonl")
	if err := os.WriteFile(path, []byte(log.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := judgedRun(t, judge, path)
	since := func(what string, start time.Time) { t.Logf("%s: %v", what, time.Since(start).Round(time.Millisecond)) }
	start := time.Now()
	v := startView(t, judge, dir)
	b.visit(v.base+"/0/label?"+strings.SplitN(v.url, "?", 2)[1], recordShown)
	since("first record to label", start)
	for range 5 {
		was := b.shown()
		start = time.Now()
		b.key("p")
		b.until(fmt.Sprintf("document.documentElement.dataset.shown !== %q", was))
		since("next record", start)
	}
	start = time.Now()
	for {
		if _, text := v.get(v.base + "/0/api/status"); strings.Contains(text, `"ready":true`) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	since("items ready, from when the page was asked for", start)
	start = time.Now()
	b.visit(v.base+"/0/", listed)
	since("page with its list", start)
	for _, text := range []string{"KT-20502", "no such text"} {
		start = time.Now()
		v.answer("api/items", map[string]any{"text": text, "limit": 50})
		since("search for "+text, start)
	}
}

// TestViewRedirect: a browser that opens the file of --open comes to the page.
func TestViewRedirect(t *testing.T) {
	b := newTab(t, 1280, 900)
	judge := binary(t)
	v := startView(t, judge, judgedRun(t, judge, supportLog(t), "--limit", "1"))
	page, err := redirectPage(v.url)
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(page)
	if err := chromedp.Do(b.ctx, chromedp.Navigate("file://"+page)); err != nil {
		t.Fatal(err)
	}
	at := ""
	waitFor(t, func() bool { // while the page changes there is nothing to ask
		at, err = chromedp.Run(b.ctx, chromedp.Evaluate[string]("location.href"))
		return err == nil && strings.HasPrefix(at, "http:")
	})
	refused := strings.Contains(v.errors.String(), "refused")
	if !strings.HasPrefix(at, v.base) || strings.Contains(at, "token") || refused {
		t.Errorf("the browser is at %s; %s", at, v.errors)
	}
}
