package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
)

func TestReportHasParameters(t *testing.T) {
	dir := t.TempDir()
	if _, err := executeSetup(t.Context(), plan(t, "", fileLog(supportLog)), dir, false, Observer{}); err != nil {
		t.Fatal(err)
	}
	// The report of a directory knows the parameters without the log.
	r, _, err := Report(dir, measure.Config{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range r.ByParameter {
		if tool.Tool != "search_products" {
			continue
		}
		half, one := 0.5, 1.0
		want := []report.Parameter{
			{Parameter: "in_stock", N: 1, Present: 1, Equal: 1, PresenceRate: &one, ValueRate: &one},
			{Parameter: "max_price", N: 2, Present: 1, Equal: 1, PresenceRate: &half, ValueRate: &half},
			{Parameter: "query", N: 2, Present: 2, Equal: 2, PresenceRate: &one, ValueRate: &one},
		}
		if diff := cmp.Diff(want, tool.Parameters); diff != "" {
			t.Error(diff)
		}
		return
	}
	t.Fatalf("no search_products among %d tools", len(r.ByParameter))
}
