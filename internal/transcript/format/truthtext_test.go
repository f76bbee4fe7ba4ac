package format

import "testing"

// TestTruthOfARow: the calls that a row of a data set expects are read in whatever form the
// row has them, and a truth that is no call stays beside the conversation.
func TestTruthOfARow(t *testing.T) {
	row := func(truth string) string {
		return `{"id":"r","question":"Where?","function":[{"name":"find","parameters":{"type":"object","properties":{"n":{"type":"integer"}}}}],` +
			`"result":"[find(n=7)]","ground_truth":` + truth + `}`
	}
	for name, tt := range map[string]struct {
		truth    string
		expected int // calls, -1 for nothing known
	}{
		"the leaderboard's":   {`[{"find":{"n":[7]}}]`, 1},
		"text":                {`["find(n=7)"]`, 1},
		"two calls in a text": {`"[find(n=7), find(n=8)]"`, 2},
		"prose":               {`"It lies in the cellar."`, -1},
	} {
		lines, list := readText(t, "x.json", row(tt.truth), Options{})
		if len(list) != 1 {
			t.Errorf("%s: %q", name, lines)
			continue
		}
		c, got := list[0], -1
		if c.Expected != nil {
			got = len(c.Expected.Calls)
		}
		if got != tt.expected || len(c.Calls) != 1 {
			t.Errorf("%s: %d calls are expected, want %d: %q", name, got, tt.expected, lines)
		}
		if there := c.Extra.Has("ground_truth"); there != (tt.expected < 0) {
			t.Errorf("%s: the truth is kept beside the conversation: %v", name, there)
		}
	}
}
