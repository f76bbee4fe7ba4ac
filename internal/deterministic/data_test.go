package deterministic

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/deterministic/metric"
	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
)

// TestRealLogs runs every default scorer on the τ-bench trajectories beside the
// checkout: no record is lost, none is a score without a number, and no scorer was
// set up wrongly.
func TestRealLogs(t *testing.T) {
	dir := realdata.Path(t, "data", "tau", "trajectories")
	files, err := filepath.Glob(filepath.Join(dir, "*.json.gz"))
	if err != nil || len(files) == 0 {
		t.Fatal("no trajectories", err)
	}
	l, err := ForLog(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		var calls, scored, failed int
		var pairs []metric.Pair
		var reading, scoring time.Duration
		counts := map[string]*[2]float64{}
		conversations := readAll(t, file, &reading)
		for _, c := range conversations {
			start := time.Now()
			scores, more := l.Grade(c, value.Value{})
			scoring += time.Since(start)
			checkScores(t, c, scores)
			calls += len(c.Calls)
			for _, s := range scores {
				if s.Status == score.Error {
					failed++
				}
				if s.Value != nil {
					scored++
					if counts[s.Name] == nil {
						counts[s.Name] = &[2]float64{}
					}
					counts[s.Name][0]++
					counts[s.Name][1] += *s.Value
				}
			}
			pairs = append(pairs, more...)
		}
		if failed > 0 || len(conversations) == 0 {
			t.Errorf("%s: %d errors in %d conversations", filepath.Base(file), failed, len(conversations))
		}
		t.Logf("%s: %d conversations, %d calls, %d scores, %d tools; read in %v, scored in %v",
			filepath.Base(file), len(conversations), calls, scored, len(rows(pairs)), reading.Round(time.Millisecond), scoring.Round(time.Millisecond))
		for _, name := range l.Names() {
			if n := counts[name]; n != nil {
				t.Logf("    %-28s n=%-6.0f mean %.3f", name, n[0], n[1]/n[0])
			}
		}
	}
}

// TestRewardedCallsAreSeldomWrong: of the calls of conversations that τ-bench rewards, two
// fifths are none of the expected ones. They are unknown; few fail.
func TestRewardedCallsAreSeldomWrong(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(realdata.Path(t, "data", "tau", "trajectories"), "*.json.gz"))
	if err != nil || len(files) == 0 {
		t.Fatal("no trajectories", err)
	}
	l, err := ForLog(nil)
	if err != nil {
		t.Fatal(err)
	}
	var reading time.Duration
	unknown, passed, failed := 0, 0, 0
	for _, file := range files {
		for _, c := range readAll(t, file, &reading) {
			if !slices.ContainsFunc(c.Labels, func(l transcript.Label) bool { return l.Name == "reward" && l.Value == 1 }) {
				continue
			}
			for _, s := range l.Score(c) {
				switch {
				case s.Name != ExpectedCallMatch.Name:
				case s.Passed == nil:
					unknown++
				case *s.Passed:
					passed++
				default:
					failed++
				}
			}
		}
	}
	t.Logf("reward 1: %d calls unknown, %d pass, %d fail", unknown, passed, failed)
	if all := unknown + passed + failed; all == 0 || unknown < all/3 || failed > all/10 {
		t.Errorf("reward 1: %d calls unknown, %d pass, %d fail", unknown, passed, failed)
	}
}

func readAll(t *testing.T, file string, took *time.Duration) []*transcript.Conversation {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	var out []*transcript.Conversation
	for c, err := range format.Open(context.Background(), file, strings.NewReader(string(text)), format.Options{}).All() {
		var problem *transcript.Problem
		if errors.As(err, &problem) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	*took += time.Since(start)
	return out
}

func checkScores(t *testing.T, c *transcript.Conversation, scores []score.Score) {
	t.Helper()
	perCall := map[int]int{}
	for _, s := range scores {
		if (s.Status == score.Scored) != (s.Value != nil) || s.Name == "" || s.ConversationID != c.ID {
			t.Fatalf("%s: %+v", c.ID, s)
		}
		if s.CallIndex != nil && s.Name == ExpectedCallMatch.Name {
			perCall[*s.CallIndex]++
		}
	}
	if c.Expected == nil || c.Expected.Calls == nil {
		return
	}
	for i := range c.Calls {
		want := 1
		if c.Calls[i].Executor == "user" || c.Calls[i].Context {
			want = 0
		}
		if perCall[i] != want {
			t.Fatalf("%s: call %d has %d matches", c.ID, i, perCall[i])
		}
	}
}
