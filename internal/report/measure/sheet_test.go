package measure

import (
	"fmt"
	"testing"
)

// TestInTurn: rows of both lists alternate, none is left out, and no more than asked for are taken.
func TestInTurn(t *testing.T) {
	rows := func(prefix string, n int) (out []LabelRow) {
		for i := range n {
			out = append(out, LabelRow{ConversationID: fmt.Sprint(prefix, i)})
		}
		return out
	}
	for _, tt := range []struct {
		a, b, most int
		want       string
	}{{2, 2, 9, "abab"}, {3, 1, 9, "abaa"}, {0, 2, 9, "bb"}, {2, 2, 3, "aba"}, {1, 1, 0, ""}} {
		got := ""
		for _, r := range InTurn(rows("a", tt.a), rows("b", tt.b), tt.most) {
			got += r.ConversationID[:1]
		}
		if got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}
