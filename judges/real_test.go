package judges

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/transcript/format"
)

// The baseline grades every call of a real file, and each result is a score or a
// failure with a kind.
func TestRealRunOnBaseline(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(realdata.Path(t, "data", "tau", "trajectories"), "*.json.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no trajectories: %v", err)
	}
	j, err := Open(Endpoint{Concurrency: 8}, Config{Model: BaselineModel, Concurrency: 8})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	items := func(yield func(Item, error) bool) {
		n := 0
		for conv, err := range format.Open(context.Background(), filepath.Base(files[0]), f, format.Options{}).All() {
			if n++; n > 8 || !yield(Item{Conversation: conv}, err) {
				return
			}
		}
	}
	scored, flags := 0, map[string]int{}
	err = Run(t.Context(), []*Judge{j}, items, RunConfig{ShuffleSeed: 1}, func(o *Outcome) error {
		for i := range o.Results {
			r := &o.Results[i]
			if r.Output == nil {
				t.Errorf("%s#%d %s: %s: %s", r.ConversationID, r.CallIndex, r.Rubric, r.ErrorKind, r.ErrorDetail)
				continue
			}
			scored++
			if r.Transport != llm.JSONSchema {
				t.Errorf("transport %s", r.Transport)
			}
			for _, fl := range r.Flags {
				flags[fl.Code]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if scored < 200 {
		t.Errorf("only %d judgements", scored)
	}
	if n := flags["evidence_ungrounded"] + flags["evidence_partial"]; n > 0 {
		t.Errorf("%d answers of the baseline, which quotes verbatim, are flagged as not grounded", n)
	}
	t.Logf("%d judgements, flags %v", scored, flags)
}
