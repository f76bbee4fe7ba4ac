package measure

import (
	"slices"
	"testing"

	"github.com/judgekit/judge/internal/agreement/truth"
)

// TestPlannedCalls: a plan counts labels for one call of each conversation, for two, and for all, each once.
func TestPlannedCalls(t *testing.T) {
	for _, tt := range []struct {
		sizes  []int
		calls  []int
		labels []int // for ten conversations
	}{
		{[]int{1, 1}, []int{1}, []int{10}},
		{[]int{1, 2}, []int{1, truth.AllCalls}, []int{10, 15}},
		{[]int{1, 3}, []int{1, 2, truth.AllCalls}, []int{10, 15, 20}},
	} {
		p := &planner{agent: truth.Population{Sizes: tt.sizes, Rate: 0.8, ICC: 0.2}}
		var calls, labels []int
		for _, row := range p.labels(func(int, float64) (int, bool) { return 10, true }) {
			if *row.Conversations != 10 || row.JudgedConversations != nil || row.JudgedLabels != nil {
				t.Errorf("%v: %+v", tt.sizes, row)
			}
			calls, labels = append(calls, row.PerConversation), append(labels, *row.Labels)
		}
		if !slices.Equal(calls, tt.calls) || !slices.Equal(labels, tt.labels) {
			t.Errorf("%v: %d calls take %d labels, want %d and %d", tt.sizes, calls, labels, tt.calls, tt.labels)
		}
	}
}
