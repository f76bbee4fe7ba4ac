package prompt

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/transcript/format"
)

// Every call of real trajectories gives a prompt that keeps its frame and shares
// its history with the next one, and nothing of a benchmark's reward is in it.
func TestRealTrajectories(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(realdata.Path(t, "data", "tau", "trajectories"), "*.json.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no trajectories: %v", err)
	}
	conversations, calls := 0, 0
	for k, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for conv, err := range format.Open(t.Context(), filepath.Base(file), f, format.Options{}).All() {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n > 15 {
				break
			}
			conversations++
			v := NewView(conv, Options{RunKey: []byte("k")})
			before := ""
			for i := range conv.Calls {
				calls++
				got := v.Show(OfCall(i), math.Inf(1), Ending{})
				siblings := len(v.turn(i).lines)
				if !got.Shortened.Messages {
					checkFrame(t, got.Text, v.nonce, len(conv.Tools), got.Lines, siblings)
				}
				if !strings.HasPrefix(got.Text, before) && i > 0 {
					t.Fatalf("%s call %d: the history changed", conv.ID, i)
				}
				before = got.Text[:strings.Index(got.Text, "<<<END "+v.nonce+" conversation>>>")]
			}
		}
		f.Close()
		if k > 7 {
			break
		}
	}
	if conversations < 50 || calls < 200 {
		t.Errorf("only %d conversations with %d calls were read", conversations, calls)
	}
	t.Logf("%d conversations, %d calls", conversations, calls)
}
