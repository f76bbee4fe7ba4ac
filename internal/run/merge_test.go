package run

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/judges"
)

// TestMerge: the shards of a run, merged without an endpoint, are the run without shards, failures included; what are no
// shards of one run, each finished and there once, is refused.
func TestMerge(t *testing.T) {
	s := llmtest.Start(func(c llmtest.Call) llmtest.Reply {
		if strings.Contains(string(c.Body), "Cancel order 1.") {
			return llmtest.Fail(400, "too odd")
		}
		return benchAnswers(c)
	})
	defer s.Close()
	base := t.TempDir()
	var bytesRead atomic.Int64
	made := func(name string, shard input.Shard) (setup, string) {
		p := shortPlan(t, s.URL, "m", benchLog(&bytesRead))
		p.Judges[0].Config.Transport, p.Judges[0].Endpoint.MaxAttempts = judges.JSONSchema, 1
		p.Shard = shard
		return p, filepath.Join(base, name)
	}
	do := func(p setup, dir string) string {
		t.Helper()
		if _, err := executeSetup(t.Context(), p, dir, false, Observer{}); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	shard := func(i, of int) string {
		return do(made(fmt.Sprintf("shard%d-%d", i, of), input.Shard{Index: i, Of: of}))
	}
	whole := do(made("whole", input.Shard{}))
	parts := []string{shard(0, 3), shard(1, 3), shard(2, 3)}
	sent := s.Requests()
	p, _ := made("", input.Shard{Index: 1, Of: 3})
	merged := filepath.Join(base, "merged")
	out, err := Merge(t.Context(), p.Task, parts, merged, Observer{})
	if err != nil || out.Scored != 4 || s.Requests() != sent {
		t.Fatalf("%+v, %v, %d requests more", out, err, s.Requests()-sent)
	}
	for _, name := range []string{directory.ScoresFile, directory.ItemsFile, "report.json", "report.md"} {
		a, errA := os.ReadFile(filepath.Join(whole, name))
		b, errB := os.ReadFile(filepath.Join(merged, name))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs (%d and %d bytes): %v, %v", name, len(a), len(b), errA, errB)
		}
	}
	if data := string(read(t, merged, directory.ScoresFile)); strings.Count(data, "too odd") != 2 {
		t.Errorf("the failures are lost: %s", data)
	}
	p, dir := made("other", input.Shard{Index: 1, Of: 3})
	p.Judges[0].Config.Model = "n"
	other := do(p, dir)
	half := shard(0, 2)
	for _, tt := range []struct {
		of   []string
		want string // the beginning
	}{
		{[]string{whole}, whole + " is not a shard: it was run without --shard"},
		{[]string{parts[0], other}, parts[0] + " and " + other + " are shards of different runs: "},
		{[]string{parts[0], half}, parts[0] + " is one of 3 shards, " + half + " one of 2"},
		{[]string{parts[1], parts[0], parts[1]}, parts[1] + " and " + parts[1] + " are the same shard, 1/3"},
		{parts[1:2], "2 of 3 shards are missing: 0/3, 2/3"},
		{[]string{base}, base},
	} {
		var task *TaskError
		if m, err := CheckShards(tt.of); m != nil || !errors.As(err, &task) || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %s", tt.of, err, tt.want)
		}
		if _, err := Merge(t.Context(), p.Task, tt.of, filepath.Join(base, "none"), Observer{}); !errors.As(err, &task) {
			t.Errorf("%v are merged: %v", tt.of, err)
		}
	}
	if m, err := CheckShards(parts); err != nil || m.Shard != "0/3" {
		t.Errorf("%v", err)
	}
	// A shard whose answers are gone leaves a hole, which is no score.
	journal := filepath.Join(parts[0], directory.ExchangesFile)
	for _, path := range parts[1:] {
		data, err := os.ReadFile(filepath.Join(path, directory.ExchangesFile))
		if err == nil && len(data) > 0 {
			journal = filepath.Join(path, directory.ExchangesFile)
		}
	}
	if err := os.WriteFile(journal, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p, _ = made("", input.Shard{})
	_, err = Merge(t.Context(), p.Task, parts, filepath.Join(base, "hole"), Observer{})
	if err == nil || !strings.Contains(err.Error(), "no shard has an answer for c") ||
		!strings.Contains(err.Error(), "; resume the shards, or merge those of one run") {
		t.Errorf("a shard without its answers: %v", err)
	}
	scores := filepath.Join(parts[2], directory.ScoresFile)
	if err := os.WriteFile(scores, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var partial *directory.Partial
	if m, err := CheckShards(parts); m != nil || !errors.As(err, &partial) {
		t.Errorf("a damaged shard: %v", err)
	}
}
