package words_test

import (
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// TestConversationsFor holds that four times the conversations show half the drop, and that a judge's J counts.
func TestConversationsFor(t *testing.T) {
	half := report.Estimate{Value: new(0.5), Low: new(0.4), High: new(0.6)}
	for name, c := range map[string]struct {
		conversations int
		seen          float64
		youden        *report.Estimate
		want          int
	}{
		"twice the drop":           {13, 0.2, nil, 52},
		"two digits, rounded up":   {25, 0.228, nil, 130},
		"enough already":           {400, 0.1, nil, 0},
		"a judge sees half of it":  {13, 0.2, &half, 210},
		"a large number of digits": {1000, 0.412, nil, 17000},
	} {
		row := report.ChangeRow{Conversations: c.conversations, Youden: c.youden, ByYouden: c.youden}
		row.Mean.Detectable = report.Estimate{Value: &c.seen}
		if got := words.ConversationsFor(&row, 0.1); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
