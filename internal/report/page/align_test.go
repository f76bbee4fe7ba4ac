package page_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report/page"
)

// callsOf reads "pay(1) get(2)".
func callsOf(text string) (out []page.Call) {
	for _, word := range strings.Fields(text) {
		tool, value, _ := strings.Cut(strings.TrimSuffix(word, ")"), "(")
		c := page.Call{CallText: page.CallText{Tool: tool, Arguments: []page.Argument{{Name: "of", Text: "x"}, {Name: "n", Text: value}}}}
		out = append(out, c)
	}
	return out
}

func TestAlign(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want []int
	}{
		{"", "pay(1)", []int{-1}},
		{"pay(1)", "pay(2)", []int{0}},
		{"pay(1)", "get(1)", []int{-1}},
		{"get(1) pay(1)", "pay(2)", []int{1}},
		{"pay(1) pay(2)", "pay(2)", []int{1}},
		{"pay(1)", "find(1) pay(2) pay(3)", []int{-1, 0, -1}},
		{"find(1) get(1) pay(1)", "find(1) pay(1) get(1)", []int{0, 2, -1}},
	} {
		got := page.Align(callsOf(c.a), callsOf(c.b))
		if c.b == "find(1) pay(1) get(1)" && slices.Equal(got, []int{0, -1, 1}) {
			continue // either of two crossed calls
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q, %q: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	long := slices.Repeat(callsOf("pay(1)"), 2000)
	if got := page.Align(long, long); got[1999] != 1999 {
		t.Errorf("call 1999 of a long conversation stands at %d", got[1999])
	}
}
