package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/llm"
)

// TestBatchRequests reads the indexes of a run directory whose name looks like a pattern.
func TestBatchRequests(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run[1]")
	for round, id := range map[string]string{"round-1": strings.Repeat("0a", 32), "round-2": strings.Repeat("0b", 32)} {
		folder := filepath.Join(dir, batchFolder, round)
		line := `{"custom_id":"` + id + `","key":"c#0 r","file":"1-m-0001.jsonl"}` + "\n"
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "1-m"+indexEnding), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rounds, err := roundsOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := batchRequests(rounds)
	var second llm.Fingerprint
	for i := range second {
		second[i] = 0x0b
	}
	if err != nil || len(got) != 2 || got[second].File != "round-2/1-m-0001.jsonl" {
		t.Errorf("%+v, %v", got, err)
	}
}
