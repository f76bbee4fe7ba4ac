package run

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
)

// TestShardsOfTau: 16 shards of real τ-bench logs, merged, are the run without shards, byte
// for byte.
func TestShardsOfTau(t *testing.T) {
	if testing.Short() {
		t.Skip("judges some thousand calls twice")
	}
	names, err := filepath.Glob(filepath.Join(realdata.Path(t, "data", "tau", "trajectories"), "*.json.gz"))
	if err != nil || len(names) == 0 {
		t.Skip("no τ-bench logs beside the checkout")
	}
	base := endpoint(t)
	made := func() setup {
		var logs []input.Log
		for _, name := range names[:min(3, len(names))] {
			logs = append(logs, fileLog(name))
		}
		p := plan(t, base, logs...)
		p.Rubrics = p.Rubrics[3:]
		return p
	}
	whole, merged := t.TempDir(), filepath.Join(t.TempDir(), "merged")
	out, err := executeSetup(t.Context(), made(), whole, false, Observer{})
	if err != nil {
		t.Fatal(err)
	}
	if out.Judgements.Wanted < 500 {
		t.Fatalf("only %d judgements", out.Judgements.Wanted)
	}
	var shards []string
	for i := range 16 {
		p, dir := made(), filepath.Join(t.TempDir(), fmt.Sprint("shard", i))
		p.Shard = input.Shard{Index: i, Of: 16}
		got, err := executeSetup(t.Context(), p, dir, false, Observer{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Judgements.Wanted == 0 || got.Judgements.Wanted > out.Judgements.Wanted/8 {
			t.Errorf("shard %d has %d of %d judgements", i, got.Judgements.Wanted, out.Judgements.Wanted)
		}
		shards = append(shards, dir)
	}
	p := made()
	p.Judges[0].Endpoint.BaseURL = base // nothing is sent
	if _, err := Merge(t.Context(), p.Task, shards, merged, Observer{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{directory.ScoresFile, directory.ItemsFile, "report.json", "report.md", "report.html"} {
		a, errA := os.ReadFile(filepath.Join(whole, name))
		b, errB := os.ReadFile(filepath.Join(merged, name))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs (%d and %d bytes): %v, %v", name, len(a), len(b), errA, errB)
		}
	}
}
