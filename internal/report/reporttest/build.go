package reporttest

import (
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/assembly"
)

// Build is the report of a run, which must have one.
func Build(t testing.TB, in report.Inputs, cfg assembly.Config) *report.Report {
	t.Helper()
	r, err := assembly.Build(in, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
