package run

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
)

// counted counts the bytes that are read.
type counted struct {
	io.ReadCloser
	n *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// TestLogIsReadTwice runs logs of a file, a small one and one of more than 4 MB: each is opened to
// plan and to judge, no byte is read a third time, and scores.jsonl is never read, although the
// report has texts and a page with conversations. Report and page are those that judge report makes
// from the files.
func TestLogIsReadTwice(t *testing.T) {
	if testing.Short() { // for the race detector
		t.Skip("counts the bytes that runs of a long log read")
	}
	base, _ := answering(t, nil)
	for _, name := range []string{supportLog, longLog(t)} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var opens, read atomic.Int64
		log := fileLog(name)
		log.Path, log.Open = name, func() (io.ReadCloser, error) {
			opens.Add(1)
			f, err := os.Open(name)
			return counted{f, &read}, err
		}
		dir := t.TempDir()
		opened := watchOpens(t, dir)
		if _, err := executeSetup(t.Context(), plan(t, base, log), dir, false, Observer{}); err != nil {
			t.Fatal(err)
		}
		if opens.Load() != 2 || read.Load() != 2*int64(len(data)) {
			t.Errorf("%s: %d opens, %d bytes of %d", name, opens.Load(), read.Load(), len(data))
		}
		list := opened()
		if n := list[directory.ScoresFile+directory.PartEnding+" open"]; n > 1 {
			t.Errorf("%s: the scores were opened %d times while they were written", name, n)
		}
		for _, event := range []string{" open", ".partial read", " read"} {
			if n := list[directory.ScoresFile+event]; n > 0 {
				t.Errorf("%s: %s%s, %d times", name, directory.ScoresFile, event, n)
			}
		}
		sameAgain(t, dir, log)
	}
}

// longLog writes a log of more than 4 MB.
func longLog(t *testing.T) string {
	data, err := os.ReadFile(supportLog)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	padding := strings.Repeat("Where is my parcel? ", 1000)
	for i := 0; out.Len() < 5<<20; i++ {
		for line := range bytes.Lines(data) {
			line = bytes.Replace(line, []byte(`"content": "`), []byte(`"content": "`+padding), 1)
			out.Write(line)
		}
	}
	name := filepath.Join(t.TempDir(), "long.jsonl")
	if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// sameAgain compares the reports of a run with those that its files give.
func sameAgain(t *testing.T, dir string, log input.Log) {
	r, _, err := Report(dir, measure.Config{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	source := &input.Source{Logs: []input.Log{log}}
	data, err := PageData(t.Context(), dir, r, source.Conversations(t.Context(), &input.Reading{}))
	if err != nil {
		t.Fatal(err)
	}
	if len(data.Conversations) == 0 || len(r.Disagreements.Items) == 0 {
		t.Error("the report lists nothing")
	}
	var text, page bytes.Buffer
	if err := render.Report(&text, r, render.JSONFormat, render.Config{}); err != nil {
		t.Fatal(err)
	}
	if err := render.Page(&page, r, data); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{directory.ReportFile: text.Bytes(), directory.HTMLFile: page.Bytes()} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the files give: %v", name, err)
		}
	}
}
