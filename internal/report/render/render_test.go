package render

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/reporttest"
)

// update rewrites the wanted files: go test ./internal/report/render -update
var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func built(t testing.TB, run reporttest.Run) *report.Report {
	t.Helper()
	r, err := report.Build(run.Inputs(), report.Config{})
	if err != nil {
		t.Fatal(err)
	}
	floor, drop := 0.9, 5.0
	d := report.Decide([]report.Gate{
		{Score: "overall_call_correctness", MinPassRate: &floor},
		{Score: "function_call_accuracy", MinMean: &floor, By: "tool", Strict: true},
		{Score: "function_call_accuracy", MaxDrop: &drop, Against: "runs/baseline"},
	}, r, nil)
	r.Gates = d.Results
	return r
}

func TestGolden(t *testing.T) {
	r := built(t, reporttest.New(1, 60))
	for format, name := range map[Format]string{
		TextFormat: "report.txt", MarkdownFormat: "report.md", CSVFormat: "report.csv", JUnitFormat: "report.xml", JSONFormat: "report.json",
	} {
		t.Run(string(format), func(t *testing.T) {
			var out bytes.Buffer
			if err := Report(&out, r, format, Config{}); err != nil {
				t.Fatal(err)
			}
			golden(t, name, out.Bytes())
		})
	}
}

func TestGoldenComparison(t *testing.T) {
	a, b := reporttest.New(1, 60), reporttest.New(1, 60)
	for i, s := range b.Scores {
		if s.Name == "function_call_accuracy" && i%3 == 0 {
			zero, fail := 0.0, false
			b.Scores[i].Value, b.Scores[i].Passed = &zero, &fail
		}
	}
	c, err := report.Compare(a.Inputs(), b.Inputs(), report.CompareConfig{})
	if err != nil {
		t.Fatal(err)
	}
	for format, name := range map[Format]string{TextFormat: "compare.txt", MarkdownFormat: "compare.md"} {
		var out bytes.Buffer
		if err := Comparison(&out, c, format, Config{}); err != nil {
			t.Fatal(err)
		}
		golden(t, name, out.Bytes())
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); after a wanted change run with -update:\n%s", path, diff)
	}
}
