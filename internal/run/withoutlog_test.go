package run

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
)

// TestReportNeedsNoLog: the report of a saved run is the same without its logs.
func TestReportNeedsNoLog(t *testing.T) {
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
	if len(out.Report.Disagreements.Items) == 0 {
		t.Fatal("no disagreement to look at")
	}
	if err := os.Remove(log); err != nil {
		t.Fatal(err)
	}
	again, _, err := Report(dir, measure.Config{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	if err := report.WriteJSON(&a, out.Report); err != nil {
		t.Fatal(err)
	}
	if err := report.WriteJSON(&b, again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a.String(), b.String()); diff != "" {
		t.Errorf("the report differs without its log (-with +without):\n%.2000s", diff)
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
	if len(out.Report.Disagreements.Items) == 0 {
		t.Fatal("nothing is shown of the log")
	}
	page := string(read(t, dir, directory.HTMLFile))
	if !strings.Contains(page, `\u003cscript\u003ealert(1)\u003c/script\u003e`) {
		t.Error("the log's text is not in the page")
	}
	for _, bad := range []string{"<script>alert", "<img", "</details><", "<!--", "<a href=\"java", "<b>x", "<b><b>", "\u202e", "\u2066"} {
		if at := strings.Index(page, bad); at >= 0 && !strings.HasPrefix(page[at:], "</details>\n") {
			t.Errorf("the page holds %q: %.100q", bad, page[at:])
		}
	}
	if len(page) > 2<<20 || len(read(t, dir, directory.ReportFile)) > 4<<20 {
		t.Errorf("page of %d bytes, report of %d", len(page), len(read(t, dir, directory.ReportFile)))
	}
}
