package page_test

import (
	"testing"

	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/report/reporttest"
)

// TestGroupsOfItems: the items of the page are in the groups of the report, each in as many as the report counts.
func TestGroupsOfItems(t *testing.T) {
	run := reporttest.New(1, 60)
	r, err := measure.Build(run.Inputs(), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.FailureGroups) < 3 {
		t.Fatalf("%d groups", len(r.FailureGroups))
	}
	counts := map[string]int{}
	for items, err := range page.NewReading(r).Items(reporttest.Each(run.Scores)()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range items {
			if i.Group != "" {
				counts[i.Group]++
			}
		}
	}
	for _, g := range r.FailureGroups {
		if counts[g.ID] != g.Count {
			t.Errorf("%s: %d items, the report counts %d", g.Name, counts[g.ID], g.Count)
		}
		delete(counts, g.ID)
	}
	if len(counts) > 0 {
		t.Errorf("groups that the report does not have: %v", counts)
	}
}
