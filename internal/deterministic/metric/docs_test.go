package metric

import (
	"os"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/settings"
)

// TestKindsOnThePage: docs/scorers.md lists every kind of figure, in order, each with an example
// that is read as that kind.
func TestKindsOnThePage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/scorers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| metric | example in `metrics:` | says |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")
	if len(rows) != len(types) {
		t.Fatalf("%d kinds, %d rows", len(types), len(rows))
	}
	for i, row := range rows {
		cells := strings.Split(row, " | ")
		if name := strings.Trim(cells[0], "| `"); name != types[i] {
			t.Errorf("row %d is of %q, not of %s", i, name, types[i])
			continue
		}
		config, err := settings.Parse("docs/scorers.md", []byte("["+strings.Trim(cells[1], "`")+"]"))
		if err != nil {
			t.Errorf("%s: %v", types[i], err)
			continue
		}
		if list, err := Parse(config); err != nil || len(list) != 1 || list[0].Type != types[i] {
			t.Errorf("%s: the example is read as %+v, %v", types[i], list, err)
		}
	}
}
