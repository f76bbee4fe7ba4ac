package run

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/transcript"
)

// shopTalk is a conversation of two calls, the first with an enormous result.
func shopTalk() *transcript.Conversation {
	long := strings.Repeat("filler ", 200_000) + "order 987 is packed " + strings.Repeat("more ", 1000)
	return &transcript.Conversation{
		ID:    "talk",
		Tools: []transcript.Tool{{Name: "get_order"}, {Name: "cancel_order"}},
		Messages: []transcript.Message{
			{Role: transcript.System, Content: "be kind"},
			{Role: transcript.User, Content: "cancel <script>alert(1)</script> 987"},
			{Role: transcript.Assistant, Content: "one moment", Calls: []int{0}},
			{Role: transcript.ToolRole, ToolName: "get_order", Content: long, Result: 0},
			{Role: transcript.Assistant, Calls: []int{1}},
			{Role: transcript.ToolRole, ToolName: "cancel_order", Content: "done", Result: 1},
			{Role: transcript.Assistant, Content: "it is cancelled"},
		},
		Calls: []transcript.Call{
			{Index: 0, Name: "get_order", RawArguments: `{"id":987}`, Message: 2, Result: 3},
			{Index: 1, Name: "cancel_order", RawArguments: `{"id":988}`, Message: 4, Result: 5},
		},
	}
}

func TestRecordShowsTheCallAndMarksWhatTheJudgeDidNotSee(t *testing.T) {
	one := 1
	d := &report.Disagreement{CallIndex: &one, Judgements: []report.Side{{Evidence: `"order 987 is packed"`}}}
	r := recordOf(shopTalk(), d)
	type line struct {
		Kind          string
		Message       int
		Focus, Unseen bool
	}
	var got []line
	for _, l := range r.Lines {
		got = append(got, line{l.Kind, l.Message, l.Focus, l.Unseen})
	}
	want := []line{
		{"definition", -1, false, false}, {"message", 0, false, false}, {"message", 1, false, false}, {"message", 2, false, false},
		{"call", 2, false, false}, {"result", 3, false, false}, {"call", 4, true, false}, {"result", 5, false, true}, {"message", 6, false, true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	result := r.Lines[5]
	if !strings.HasPrefix(result.Text, "filler ") || !strings.Contains(result.Text, "order 987 is packed") || utf8.RuneCountInString(result.Text) > recordText+20 {
		t.Errorf("the long result became %d characters: %q", utf8.RuneCountInString(result.Text), result.Text)
	}
	if total := utf8.RuneCountInString(shopTalk().Messages[3].Content); result.Cut+utf8.RuneCountInString(strings.ReplaceAll(result.Text, "…", "")) != total {
		t.Errorf("%d left out of %d, %d shown", result.Cut, total, utf8.RuneCountInString(result.Text))
	}
}

func TestRecordIsBounded(t *testing.T) {
	c := shopTalk()
	for range 500 {
		c.Messages = append(c.Messages, transcript.Message{Role: transcript.User, Content: strings.Repeat("\x00", 5000)})
	}
	for _, call := range []*int{nil, indexOf(0), indexOf(1)} {
		r := recordOf(c, &report.Disagreement{CallIndex: call})
		lines := r.SkippedAfter
		for _, l := range r.Lines {
			lines += 1 + l.Skipped
		}
		want := len(linesOf(c, call))
		if text, _ := json.Marshal(r); len(r.Lines) > recordLines || lines != want || len(text) > 60_000 {
			t.Errorf("call %v: %d lines, %d counted of %d, %d bytes", call, len(r.Lines), lines, want, len(text))
		}
	}
	if r := recordOf(c, &report.Disagreement{CallIndex: indexOf(7)}); r.Problem == "" {
		t.Error("a call that is not there must be named")
	}
}

func TestExcerpt(t *testing.T) {
	for _, tc := range []struct {
		text   string
		quotes []string
		want   string
		cut    int
	}{
		{"short", nil, "short", 0},
		{"äöüäöüäöüä", nil, "äöüäöüäöüä", 0},
		{"0123456789abc", nil, "0123456789…", 3},
		{"0123 567 9abc" + strings.Repeat("-", 300), []string{"567"}, "0123 567 9…", 303},
		{"bad\xffbyte", nil, "bad\uFFFDbyte", 0},
	} {
		got, cut := excerpt(tc.text, tc.quotes, 10)
		if got != tc.want || cut != tc.cut {
			t.Errorf("%.20q: %q, %d left out; want %q, %d", tc.text, got, cut, tc.want, tc.cut)
		}
	}
}

// TestReportKeepsTheRecords: a saved run needs its logs for nothing.
func TestReportKeepsTheRecords(t *testing.T) {
	base, _ := answering(t, nil)
	log := filepath.Join(t.TempDir(), "support.jsonl")
	data, err := os.ReadFile(supportLog)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, data, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	out, err := execute(t, plan(t, base, fileLog(log)), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	items := out.Report.Disagreements.Items
	if len(items) == 0 {
		t.Fatal("no disagreement to look at")
	}
	for _, d := range items {
		if d.Record == nil || d.Record.Problem != "" || len(d.Record.Lines) == 0 {
			t.Fatalf("%s has the record %+v", d.ConversationID, d.Record)
		}
		focused := false
		for _, l := range d.Record.Lines {
			focused = focused || l.Focus
		}
		if !focused {
			t.Errorf("%s: the call is not in its record", d.ConversationID)
		}
	}
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	again, _, err := Report(dir, report.Config{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	if err := out.Report.WriteJSON(&a); err != nil {
		t.Fatal(err)
	}
	if err := again.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a.String(), b.String()); diff != "" {
		t.Errorf("the report differs without its log (-with +without):\n%.2000s", diff)
	}
	// Without the run's own report each says why there is nothing.
	if err := os.Remove(filepath.Join(dir, ReportFile)); err != nil {
		t.Fatal(err)
	}
	bare, _, err := Report(dir, report.Config{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range bare.Disagreements.Items {
		if d.Record == nil || !strings.Contains(d.Record.Problem, ReportFile) {
			t.Errorf("%s: %+v", d.ConversationID, d.Record)
		}
	}
}

// TestHostileLogShowsAsText runs a log whose every user says everything that could
// break out of a page, in lines of more than a megabyte.
func TestHostileLogShowsAsText(t *testing.T) {
	base, _ := answering(t, nil)
	data, err := os.ReadFile(supportLog)
	if err != nil {
		t.Fatal(err)
	}
	hostile := `<script>alert(1)</script><img src=x onerror=alert(1)></p></details><!-- <a href="javascript:alert(1)">x</a> ` + "\u202e\u2066 " + strings.Repeat("<b>", 400_000)
	quoted, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	const user = `{"role":"user","content":"`
	text := string(data)
	if !strings.Contains(text, user) {
		t.Fatal("the log has no user to speak for")
	}
	lines := 0
	var log strings.Builder
	for line := range strings.Lines(text) {
		if lines++; lines <= 4 || strings.Contains(line, "half-written") {
			log.WriteString(strings.ReplaceAll(line, user, user+string(quoted[1:len(quoted)-1])+" "))
		}
	}
	path := filepath.Join(t.TempDir(), "hostile.jsonl")
	if err := os.WriteFile(path, []byte(log.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	out, err := execute(t, plan(t, base, fileLog(path)), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if out.Report.Disagreements.Shown == 0 {
		t.Fatal("nothing is shown of the log")
	}
	page := string(read(t, dir, HTMLFile))
	if !strings.Contains(page, "&lt;script&gt;alert(1)&lt;/script&gt;") {
		t.Error("the log's text is not in the page")
	}
	for _, bad := range []string{"<script", "<img", "</details><", "<!--", "<a href=\"java", "<b>x", "<b><b>", "\u202e", "\u2066"} {
		if at := strings.Index(page, bad); at >= 0 && !strings.HasPrefix(page[at:], "</details>\n") {
			t.Errorf("the page holds %q: %.100q", bad, page[at:])
		}
	}
	if len(page) > 2<<20 || len(read(t, dir, ReportFile)) > 4<<20 {
		t.Errorf("page of %d bytes, report of %d", len(page), len(read(t, dir, ReportFile)))
	}
}
