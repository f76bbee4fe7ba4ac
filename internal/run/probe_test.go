package run

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/run/input"
)

// labelled returns a log of n conversations of one call each, the labels of the given shares
// by turns.
func labelled(n int, labels ...string) []input.Log {
	var b strings.Builder
	for i := range n {
		label := ""
		if len(labels) > 0 {
			label = fmt.Sprintf(`,"labels":[{"name":"human","call_index":0,"value":%s}]`, labels[i%len(labels)])
		}
		fmt.Fprintf(&b, `{"id":"c%d","messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{}"}}]}]%s}`+"\n", i, label)
	}
	text := b.String()
	return []input.Log{{Name: "l.jsonl", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}
}

// golden resolves a task over logs with nothing but the match with the expected calls.
func golden(t *testing.T, logs []input.Log) *Spec {
	t.Helper()
	task := Task{Inputs: Inputs{Logs: logs}}
	task.Scorers = []deterministic.Config{{Type: deterministic.ExpectedCallMatch.Name}}
	s, err := task.resolve()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDraw: as many calls are drawn of those that deserve to pass as of the others, the
// same with the same seed.
func TestDraw(t *testing.T) {
	draw := func(seed int64) string {
		items, got, err := drawGold(t.Context(), golden(t, labelled(60, "1", "1", "0")), ProbeConfig{Calls: 5, Seed: seed}, Observer{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Pass != 5 || got.Fail != 5 || got.PassKnown != 40 || got.FailKnown != 20 {
			t.Errorf("%+v", got)
		}
		ids := ""
		for i, item := range items {
			if item.Pass != (i >= 5) {
				t.Errorf("item %d deserves %v", i, item.Pass)
			}
			ids += item.Conversation.ID + " "
		}
		return ids
	}
	first := draw(1)
	if again := draw(1); again != first || draw(2) == first {
		t.Error("the seed does not decide")
	}
}

// TestDrawNothing: where nothing says what a call deserves, that is said.
func TestDrawNothing(t *testing.T) {
	for _, gold := range []string{"", "staff"} {
		_, _, err := drawGold(t.Context(), golden(t, labelled(3)), ProbeConfig{Calls: 5, Gold: gold}, Observer{})
		var none *NoGoldError
		if !errors.As(err, &none) || !strings.Contains(err.Error(), gold) {
			t.Errorf("gold %q: %v", gold, err)
		}
	}
}
