package run

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/run/directory"
)

// TestReportOfAPart: the report of a run that did not finish says so and decides no gate; a run without any scores has none.
func TestReportOfAPart(t *testing.T) {
	dir, _, logs := twoRuns(t)
	gates := []measure.Gate{{Score: "right_tool", MinPassRate: new(0.5)}}
	r, decided, err := Report(dir, measure.Config{}, gates)
	if err != nil || len(r.Gates) != 1 || len(decided.Results) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	m, err := directory.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	m.Status = directory.Interrupted
	scores := filepath.Join(dir, directory.ScoresFile)
	if err := errors.Join(m.Write(dir), os.Rename(scores, scores+directory.PartEnding)); err != nil {
		t.Fatal(err)
	}
	var partial *directory.Partial
	note := report.Warning{Code: "mine", Text: "mine"}
	r, decided, err = Report(dir, measure.Config{Notes: []report.Warning{note}}, gates)
	if !errors.As(err, &partial) || r == nil || len(r.Gates) > 0 || decided.Results != nil || r.Counts.Scores != 9 {
		t.Fatalf("%v, %v", decided, err)
	}
	want := partial.Problem + ": this report covers only a part of the run, and no gate is decided; judge run --resume " +
		"completes it"
	found := 0
	for _, w := range r.Warnings {
		if w.Code == "partial" && w.Text == want || w == note {
			found++
		}
	}
	if found != 2 {
		t.Errorf("%+v, want %s", r.Warnings, want)
	}
	if p, err := Plan(dir, measure.Config{}, report.Plan{}); p != nil || !errors.As(err, &partial) {
		t.Errorf("%+v, %v", p, err)
	}
	if s, err := Sheet(t.Context(), dir, logs, measure.SheetConfig{Conversations: 1}); s != nil || !errors.As(err, &partial) {
		t.Errorf("%+v, %v", s, err)
	}
	if err := os.Remove(scores + directory.PartEnding); err != nil {
		t.Fatal(err)
	}
	if r, _, err = Report(dir, measure.Config{}, gates); r != nil || !errors.As(err, &partial) {
		t.Errorf("%+v, %v", r, err)
	}
	if r, _, err = Report(t.TempDir(), measure.Config{}, nil); r != nil || err == nil || errors.As(err, &partial) {
		t.Errorf("%+v, %v", r, err)
	}
	if d, err := PageData(t.Context(), t.TempDir(), &report.Report{}, nil); d != nil || err == nil {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestNamesInAReport: names that cannot be read are an error of the report, whoever builds it.
func TestNamesInAReport(t *testing.T) {
	dir, _, _ := twoRuns(t)
	if err := os.WriteFile(filepath.Join(dir, namesFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "group-names.json: unexpected end of JSON input"
	if r, _, err := Report(dir, measure.Config{}, nil); r != nil || err == nil || err.Error() != want {
		t.Errorf("%+v, %v", r, err)
	}
	m, err := directory.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	table := measure.NewBuilder(&m.Manifest, measure.Config{})
	if r, _, err := finishReport(dir, m, table, measure.Config{}, nil); r != nil || err == nil || err.Error() != want {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestWriteReports: the three files of a report are written; one that cannot be is an error.
func TestWriteReports(t *testing.T) {
	dir, _, _ := twoRuns(t)
	r, err := directory.ReadReport(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if err := WriteReports(out, r, &page.Data{}); err != nil {
		t.Fatal(err)
	}
	for name, begin := range map[string]string{"report.json": "{\n", "report.md": "#", "report.html": "<!DOCTYPE html>"} {
		if data := string(read(t, out, name)); len(data) < len(begin) || data[:len(begin)] != begin {
			t.Errorf("%s: %.40s", name, data)
		}
	}
	for _, name := range []string{"report.json", "report.md", "report.html"} {
		path := filepath.Join(out, name)
		if err := errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "x"), 0o700)); err != nil {
			t.Fatal(err)
		}
		if err := WriteReports(out, r, &page.Data{}); err == nil {
			t.Errorf("%s cannot be written, and nobody is told", name)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}
