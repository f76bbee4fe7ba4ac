package render

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/words"
)

// TestDocsShowRealOutput: every block of output in docs/agreement.md is what the
// command prints.
func TestDocsShowRealOutput(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/agreement.md")
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	alone := fixture(t, "verdicts.csv", measure.AgreeConfig{Judges: []string{"strict", "lenient"}, Cluster: "conversation"})
	if err := writeText(&page, words.Columns(alone, false), Config{}); err != nil {
		t.Fatal(err)
	}
	r := fixture(t, "verdicts.csv", measure.AgreeConfig{Gold: "human", Judges: []string{"strict", "lenient"}, Cluster: "conversation", By: []string{"tool"}})
	if err := writeText(&page, words.Columns(r, false), Config{}); err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(doc), "```text\n")[1:]
	if len(blocks) != 5 {
		t.Errorf("%d blocks of output, want 5", len(blocks))
	}
	for _, b := range blocks {
		block, _, _ := strings.Cut(b, "\n```")
		if !strings.Contains(page.String(), block) {
			t.Errorf("not printed like this:\n%s", block)
		}
	}
}
