package metric

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/value"
)

// A log that invents tools and parameters without end takes no more rows.
func TestTableIsBounded(t *testing.T) {
	table := NewTable(3, 2)
	for i := range 10 {
		args := value.OfObject(value.Member{Key: fmt.Sprintf("p%d", i), Value: value.OfInt(1)})
		table.Add(Pair{Tool: "a", Expected: args, Actual: args, SameName: true})
		table.Add(Pair{Tool: fmt.Sprintf("tool%d", i), Actual: args})
	}
	want := []ToolRow{
		{Tool: otherTools, Unexpected: 8},
		{Tool: "a", Expected: 10, Made: 10, Parameters: []ParameterRow{
			{Parameter: otherParameters, N: 8, Present: 8, Equal: 8},
			{Parameter: "p0", N: 1, Present: 1, Equal: 1}, {Parameter: "p1", N: 1, Present: 1, Equal: 1},
		}},
		{Tool: "tool0", Unexpected: 1}, {Tool: "tool1", Unexpected: 1},
	}
	if diff := cmp.Diff(want, table.Rows()); diff != "" {
		t.Error(diff)
	}
}
